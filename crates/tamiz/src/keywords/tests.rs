//! Tests of all stages together, over every entry.

use super::entries::CLASSES;
use super::fold::{fold_into, fold_with_ranges};
use super::reading::{Reading, strip};
use super::search::GAP;
use super::*;
use crate::bytes;
use crate::context::tests::{random, with_context};
use crate::steps;

/// Between the parts of an entry.
pub(super) const SEPARATOR: &str = " .. ";
/// After a part: no white space before its last character.
const CLOSE: &str = " !";
/// After a part: the text ends there.
const AT_END: &str = " $";

/// What must be before or after a part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    Any,
    Boundary,
    Command,
    End,
}

/// A part without its marks, and what they and its own characters ask for.
pub(super) struct Written<'w> {
    pub(super) part: &'w str,
    pub(super) before: Edge,
    after: Edge,
}

/// Reads the marks of a part.
pub(super) fn marks(written: &str) -> Written<'_> {
    if let Some(part) = written.strip_prefix('^') {
        return Written { part, before: Edge::Command, after: Edge::Command };
    }
    let ended = written.strip_suffix(AT_END);
    let closed = written.strip_suffix(CLOSE);
    let touching = ended.or(closed).unwrap_or(written);
    let part = touching.trim_matches('~');
    let edge = |byte: Option<&u8>| match byte {
        Some(&byte) if is_word(byte) => Edge::Boundary,
        _ => Edge::Any,
    };
    // A name that begins with a dot is a file of its own, not the end of another's name.
    let name = part.strip_prefix('.').unwrap_or(part);
    let before = if touching.starts_with('~') { Edge::Any } else { edge(name.as_bytes().first()) };
    let after = match ended {
        Some(_) => Edge::End,
        None if touching.ends_with('~') => Edge::Any,
        None => edge(part.as_bytes().last()),
    };
    Written { part, before, after }
}

/// A part of an entry without its marks, as it is searched for.
pub(super) fn folded_part(written: &str) -> Vec<u8> {
    let mut folded = Vec::new();
    fold_with_ranges(marks(written).part.as_bytes(), Reading::Plain, |byte, _| folded.push(byte));
    folded
}

fn classes(text: &[u8]) -> Vec<(&'static str, Range<usize>)> {
    with_context(|cx| scan(text, bytes::union(text), 0, cx).iter().collect())
}

fn found(text: impl AsRef<[u8]>) -> Vec<&'static str> {
    classes(text.as_ref()).into_iter().map(|(name, _)| name).collect()
}

fn folded(text: &str, reading: Reading) -> String {
    let mut bytes = Vec::new();
    fold_with_ranges(text.as_bytes(), reading, |byte, _| bytes.push(byte));
    String::from_utf8_lossy(&bytes).into_owned()
}

fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    CLASSES.iter().flat_map(|&(class, entries)| entries.iter().map(move |&entry| (class, entry)))
}

/// A text that the entry is there for: parts with something between them, a command after `;`.
fn text_of(entry: &str) -> String {
    let parts: Vec<String> = entry
        .split(SEPARATOR)
        .map(|part| match part.strip_prefix('^') {
            Some(command) => format!(";{command}"),
            None => marks(part).part.to_owned(),
        })
        .collect();
    parts.join(" # ")
}

#[test]
fn parts_of_entries_do_not_pile_up() {
    let text = "=".repeat(200_000);
    let taken = with_context(|cx| {
        scan(text.as_bytes(), bytes::union(text.as_bytes()), 0, cx);
        cx.bump.allocated_bytes()
    });
    assert!(taken < 1 << 20, "{taken} bytes for {}", text.len());
}

#[test]
fn entries_are_long_enough_and_classes_are_sorted() {
    let is_long = |entry: &str| folded_part(entry).len() >= SHORTEST;
    assert!(
        entries().all(|(_, entry)| is_long(entry) || entry.contains(SEPARATOR) || entry.starts_with('^'))
    );
    assert!(CLASSES.is_sorted_by_key(|(name, _)| name));
    assert_eq!(COUNT, 11);
}

#[test]
fn every_entry_is_found_in_its_class_in_any_spelling() {
    for (class, entry) in entries() {
        let text = text_of(entry);
        let spellings = [
            text.clone(),
            text.to_ascii_uppercase(),
            text.replace(' ', "+"),
            text.replace(' ', " \t\r\n\u{A0}"),
            format!("- {text} -"),
            format!("é{text} é"),
            format!("- {text} \t"),
        ];
        let is_last = entry.ends_with(AT_END);
        for spelling in spellings.iter().filter(|text| !is_last || !text.ends_with(['-', 'é'])) {
            assert!(found(spelling).contains(&class), "{class}: {entry:?} in {spelling:?}");
        }
        if matches!(class, "sql" | "php" | "js") {
            let spelling = text.replace(' ', "/* x */");
            assert!(found(&spelling).contains(&class), "{class}: {entry:?} in {spelling:?}");
        }
    }
}

/// The entry alone, so that no shorter one is found in its stead.
fn matches_alone(entry: &str, text: &str) -> bool {
    let Written { part, before, after, .. } = marks(entry);
    let pattern = folded(part, Reading::Plain);
    let text = folded(text, Reading::Plain);
    text.match_indices(&pattern).any(|(at, _)| {
        let before_ok =
            before != Edge::Boundary || !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
        let rest = &text[at + pattern.len()..];
        before_ok && (after != Edge::Boundary || !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    })
}

#[test]
fn a_letter_glued_to_a_word_breaks_it() {
    let mut broken = 0;
    for (class, entry) in entries().filter(|(_, entry)| !entry.contains(SEPARATOR) && !entry.contains('^')) {
        let Written { part, before, after, .. } = marks(entry);
        let mut glued = Vec::new();
        if before == Edge::Boundary {
            glued.push(format!("zq{part}"));
        }
        if after == Edge::Boundary {
            glued.push(format!("{part}zq"));
        }
        for text in glued {
            assert!(!matches_alone(entry, &text), "{entry:?} in {text:?}");
            if !found(&text).contains(&class) {
                broken += 1;
                continue;
            }
            // Only because another entry is found inside.
            let inside = entries().any(|(of, other)| {
                let mut parts = other.split(SEPARATOR);
                of == class && other != entry && parts.all(|part| matches_alone(part, &text))
            });
            assert!(inside, "{class}: {entry:?} in {text:?}");
        }
    }
    assert!(broken > 1000, "{broken}");
}

#[test]
fn folding() {
    for (text, plain) in [
        ("UNION\t\n SELECT+1", "union select 0"),
        ("sleep ( 5 )", "sleep(0)"),
        ("  a  ", "a"),
        ("or 12 = 345", "or 0=0"),
        ("c:\\\\windows\\.\\system32//cmd", "c:/windows/system0/cmd"),
        ("/etc/./passwd", "/etc/passwd"),
        ("../../a", "../../a"),
        ("a\0b\u{2003}c\u{85}d", "a b c d"),
        ("/* a */ b", "/*a*/ b"),
    ] {
        assert_eq!(folded(text, Reading::Plain), plain, "{text:?}");
    }
    let mut guarded = Vec::new();
    fold_with_ranges(b"..\xFF2Fetc\xFF2F\xFFC0x", Reading::Plain, |byte, _| guarded.push(byte));
    assert_eq!(guarded, b"../etc/\xFEx");
    guarded.clear();
    fold_with_ranges(b"etc\xFF2F.\xFF2F\xFF5Cpasswd", Reading::Plain, |byte, _| guarded.push(byte));
    assert_eq!(guarded, b"etc/passwd");
    for (text, comments) in [
        ("union/**/select", "union select"),
        ("union/*a*/ /*b*/select", "union select"),
        ("/*!50000union*/ /*!select*/ 1", "union select 0"),
        ("union#a\nselect", "union select"),
        ("union -- a\nselect", "union select"),
        ("a/*b", "a/*b"),
        ("a#b", "a#b"),
    ] {
        assert_eq!(folded(text, Reading::Comments), comments, "{text:?}");
    }
    for (text, shell) in [
        ("c'a't /e\\tc/p\"\"asswd", "cat /etc/passwd"),
        ("w^hoami", "whoami"),
        ("cat /et\\\nc/pass\\\r\nwd", "cat /etc/passwd"),
        ("cat$IFS/etc/passwd", "cat /etc/passwd"),
        ("cat${IFS}$9/etc/passwd", "cat /etc/passwd"),
        ("wh$@oami", "whoami"),
        ("python2'3'.1", "python0.0"),
        ("wh``oami", "whoami"),
        ("wh$()oami", "whoami"),
        ("wh${x}oami", "whoami"),
        ("wh$u\\oami", "whoami"),
        ("$home/.ssh", "$home/.ssh"),
        ("$ifsx ${", "$ifsx ${"),
    ] {
        assert_eq!(folded(text, Reading::Shell), shell, "{text:?}");
    }
}

#[test]
fn both_ways_to_fold_agree() {
    let mut random = random();
    let pieces: [&[u8]; 51] = [
        b"a",
        b"Z",
        b"_",
        b"0",
        b"12",
        b"/",
        b"\\",
        b".",
        b"./",
        b"..",
        b" ",
        b"+",
        b"\t",
        b"\n",
        b"\r",
        b"\0",
        b"\x7F",
        b"(",
        b")",
        b"=",
        b"'",
        b"\"",
        b"`",
        b"``",
        b"$",
        b"${IFS}",
        b"$ifs",
        b"$()",
        b"$9",
        b"${x}",
        b"<()",
        b"^",
        b"*",
        b"/*",
        b"/*!5",
        b"*/",
        b"#",
        b"-",
        b"--",
        b"\xFF2F",
        b"\xFF5C",
        b"\xFF41",
        b"\xFF31",
        b"\xFF20",
        b"\xC3\xA9",
        b"\xC2\xA0",
        b"\xE3\x80\x80",
        b"\xEF\xBC\xA1",
        b"\xED\xA0\x80",
        b"\xF0\x9F\x98\x80",
        b"\xE2\x80\x83",
    ];
    for round in 0..30_000_u32 {
        let text: Vec<u8> =
            (0..round % 14).flat_map(|_| pieces[random(51) as usize].iter().copied()).collect();
        for reading in [Reading::Plain, Reading::Comments, Reading::Shell] {
            let (mut stripped, mut quick, mut slow) = (Vec::new(), Vec::new(), Vec::new());
            strip(&text, reading, &mut stripped);
            assert!(stripped == text || stripped.len() < text.len(), "{}", text.escape_ascii());
            fold_into(&stripped, &mut quick);
            fold_with_ranges(&text, reading, |byte, _| slow.push(byte));
            assert_eq!(quick, slow, "{}", text.escape_ascii());
        }
    }
}

#[test]
fn readings_that_differ_are_known() {
    let others = |text: &str| {
        let may_drop =
            |reading: Reading| reading.may_drop(text.as_bytes(), bytes::union(text.as_bytes()), None);
        let (comments, shell) = (may_drop(Reading::Comments), may_drop(Reading::Shell));
        (comments, shell)
    };
    for text in ["a", "a b", "1.5", "a-b#", "A/b?c=1", "é", "a~b", "", "*/*", "-- a", "a\nb", "a/*", "*/* a"]
    {
        assert_eq!(others(text), (false, false), "{text}");
    }
    for text in ["-- a\n", "#\n", "/* a */", "a/*!", "*/*, */*"] {
        assert_eq!(others(text), (true, false), "{text}");
    }
    for text in ["a'b", "a$b", "a\\", "`", "^", "\""] {
        assert_eq!(others(text), (false, true), "{text}");
    }
}

#[test]
fn functions_are_known_by_their_name() {
    let name_of = |entry: &'static str| {
        // Marks of 7.8.4: a sign without a space before it is part of the entry.
        let part = entry.trim_end_matches(" !").trim_end_matches(" $").trim_end_matches(" !");
        let part = part.trim_start_matches(['~', '^']).trim_end_matches('~');
        part.strip_suffix('(').filter(|name| !name.is_empty() && name.bytes().all(is_word))
    };
    let mut names: std::collections::BTreeMap<Vec<u8>, Classes> = Default::default();
    for (class, (_, entries)) in CLASSES.iter().enumerate() {
        for name in entries.iter().filter_map(|entry| name_of(entry)) {
            *names.entry(folded_part(name)).or_default() |= 1 << class;
        }
    }
    assert!(names.len() > 3_000, "{}", names.len());
    for (_, entries) in CLASSES {
        for entry in entries {
            let name = folded_part(entry.trim_matches(['~', '^', '(', ' ', '!', '$']));
            if !name.iter().all(|byte| is_word(*byte)) {
                continue;
            }
            let known = names.get(&name).copied().unwrap_or_default();
            assert_eq!(classes_of_call(&name), known, "{}", name.escape_ascii());
        }
    }
    assert_eq!(classes_of_call(b""), 0);
    assert_eq!(classes_of_call(b"function"), 0, "only `function($` is an entry");
    assert_eq!(classes_of_call(&[b'a'; 100]), 0);
}

#[test]
fn what_each_reading_counts_for() {
    assert_eq!(found("1 union/*x*/select 2"), ["sql"]);
    assert_eq!(found("1/*!50000union*//*!12345select*/2"), ["sql"]);
    assert_eq!(found("/* union select */ 1"), ["sql"], "what a comment holds counts too");
    assert_eq!(found("w'h'oami"), ["shell"]);
    assert_eq!(found("pi<()ng 127.0.0.1"), ["shell"]);
    assert_eq!(found("pi<( )ng 127.0.0.1"), [""; 0]);
    assert_eq!(found("/e'tc/pass'wd"), ["file"]);
    assert_eq!(found("uni'on sel'ect 1"), [""; 0]);
}

#[test]
fn numbers_and_plain_words_are_nothing() {
    for text in [
        "",
        "a",
        "12",
        "2024-01-02 03:04:05",
        "1,2,3",
        "union of select sets",
        "select an option from the list",
        "drop me a line",
        "the cat sat on the table",
        "id",
        "time",
        "who",
        "find",
        "order by phone",
        "please update the record and set the date",
        "system",
        "exec",
        "alert",
        "script",
        "java",
        "O'Brien",
        "https://example.com/a?b=c&id=1&sort=name",
        "index.php",
        "a@b.com",
        "Mozilla/5.0 (X11; Linux x86_64)",
    ] {
        assert_eq!(found(text), [""; 0], "{text:?}");
    }
}

#[test]
fn a_match_leads_back_to_the_text() {
    for (text, class, expected) in [
        ("é 1  UNION /**/\t SELECT 2", "sql", "UNION /**/\t SELECT"),
        ("a /etc/./passwd;", "file", "etc/./passwd"),
        ("a; w\"h\"oami", "shell", "w\"h\"oami"),
        ("<!ENTITY a b SYSTEM 'x'>", "xxe", "<!ENTITY"),
        ("or  12 =  345 x", "sql", "or  12 ="),
    ] {
        let all = classes(text.as_bytes());
        let (_, range) = all.iter().find(|(name, _)| *name == class).unwrap();
        assert_eq!(&text[range.clone()], expected, "{text:?}");
    }
}

#[test]
fn parts_are_in_order_and_not_far_apart() {
    let far = "x".repeat(GAP - 1);
    assert_eq!(found(format!("select {far} from dual")), ["sql"]);
    let entry = "<!doctype .. system";
    assert!(entries().any(|(_, other)| other == entry));
    assert_eq!(found("<!doctype a system"), ["xxe"]);
    assert_eq!(found("system <!doctype a"), [""; 0]);
    assert_eq!(found(format!("<!doctype {} system", "x".repeat(GAP + 1))), [""; 0]);
}

#[test]
fn some_calls_have_no_space_before_the_bracket() {
    let entry = "lower( !";
    assert!(entries().any(|(_, other)| other == entry));
    for text in ["lower(", "LOWER(x)", "a lower(*)", "lower/**/(x)", "(lower(x) )"] {
        assert_eq!(found(text), ["sql"], "{text:?}");
    }
    for text in ["lower (x)", "lower\u{A0}(x)", "lower\t(", "lower(s)", "lower(es)", "flower(x)", "lower"] {
        assert_eq!(found(text), [""; 0], "{text:?}");
    }
}

#[test]
fn some_names_end_the_text() {
    let entry = "~.bak $";
    assert!(entries().any(|(_, other)| other == entry));
    for text in ["/a/b.bak", "b.php.BAK", "b.bak ", "b.bak\0"] {
        assert_eq!(found(text), ["file"], "{text:?}");
    }
    for text in ["b.bak.txt", "b.bake", "b.bak is", "b.bak/c"] {
        assert_eq!(found(text), [""; 0], "{text:?}");
    }
}

#[test]
fn commands_are_where_commands_begin() {
    assert_eq!(found("a;id"), ["shell"]);
    assert_eq!(found("a | id "), ["shell"]);
    assert_eq!(found("a&&id"), ["shell"]);
    assert_eq!(found("$(id)"), ["shell"]);
    assert_eq!(found("a&id=3"), [""; 0]);
    assert_eq!(found("(id)"), [""; 0]);
    assert_eq!(found("id"), [""; 0]);
    assert_eq!(found("a;idea"), [""; 0]);
}

#[test]
fn hostile_texts_take_linear_work() {
    for piece in [
        "/*",
        "/*!",
        "*/",
        "#",
        "--",
        "#\n",
        "-- \n",
        "<!doctype ",
        "select ",
        "select from ",
        "(((",
        "${",
        "${ifs}",
        "$",
        "''",
        "\\",
        "//",
        "/./",
        "../",
        " ",
        "+",
        "0",
        "a",
        "_",
        "\u{3000}",
        "é",
        "un/**/ion ",
        "{{",
        "'or'",
        "count (",
        "count(",
        "a.bak ",
        "( ",
    ] {
        steps::assert_linear(piece, 100_000, |many| {
            let text = piece.repeat(many);
            let _ = classes(text.as_bytes());
            let _ = classes(format!("{text} union select").as_bytes());
        });
    }
}

#[test]
fn any_bytes_are_taken() {
    let mut state = 1_u32;
    let mut bytes = Vec::new();
    for round in 0..2_000 {
        bytes.clear();
        for _ in 0..round % 50 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            bytes.push((state >> 24) as u8);
        }
        for (_, range) in classes(&bytes).iter() {
            assert!(range.start < range.end && range.end <= bytes.len());
        }
    }
    assert!(classes(b"\xFF").is_empty());
    assert!(classes(b"\xFF2").is_empty());
    assert!(classes(b"\xFFzz\xC3").is_empty());
}

/// Texts put together from entries, what may be between their words, and plain words.
fn mixed_text(random: &mut impl FnMut(u32) -> u32, entries: &[&str]) -> Vec<u8> {
    const GLUE: [&str; 40] = [
        " ", "", "-", "--", "/", ".", "=", ", ", "_", "__", "q", "9", "0x", " -", "a1b22", "é", "/**/",
        "/*x*/", "/*!50000", "*/", "#\n", "-- \n", "'", "\"", "\\", "^", "``", "$()", "$@", "${IFS}",
        "$ifs ", "${x}", "\u{A0}", "\u{3000}", "\t\n", "+", "(", ")", "; ", "/./",
    ];
    let mut text = Vec::new();
    for _ in 0..=random(3) {
        text.extend_from_slice(GLUE[random(40) as usize].as_bytes());
        let entry = entries[random(entries.len() as u32) as usize];
        let (is_loose, is_split) = (random(4) == 0, random(4) == 0);
        for part in entry.split(SEPARATOR) {
            for &byte in marks(part).part.as_bytes() {
                match byte {
                    b'0'..=b'9' => (0..=random(3)).for_each(|_| text.push(b'0' + random(10) as u8)),
                    b' ' => text.extend_from_slice(
                        ["  ", "+", "\t", " \n", "\u{A0}", "/**/"][random(6) as usize].as_bytes(),
                    ),
                    b'/' => text
                        .extend_from_slice([&b"/"[..], b"\\", b"//", b"/./", b"\xFF2F"][random(5) as usize]),
                    byte if random(2) == 0 => text.push(byte.to_ascii_uppercase()),
                    byte => text.push(byte),
                }
                if is_split && random(3) == 0 || random(60) == 0 {
                    text.extend_from_slice(
                        ["'", "\"", "^", "``", "/*a*/", "$@", " "][random(7) as usize].as_bytes(),
                    );
                }
                if is_loose && random(3) == 0 && b"()[]{}<>=,;|&*'\"`".contains(&byte) {
                    text.extend_from_slice(["  ", "\u{2003}", "\n"][random(3) as usize].as_bytes());
                }
            }
            text.extend_from_slice(GLUE[random(40) as usize].as_bytes());
        }
    }
    text
}

#[test]
fn the_prefilter_rejects_nothing_that_the_search_finds() {
    let mut random = random();
    let entries: Vec<&str> = entries().map(|(_, entry)| entry).collect();
    let mut count = 0;
    with_context(|cx| {
        for _ in 0..60_000 {
            let text = mixed_text(&mut random, &entries);
            let byte_classes = bytes::union(&text);
            let found = search_all(&text, byte_classes, cx);
            assert_eq!(scan(&text, byte_classes, 0, cx), found, "{}", text.escape_ascii());
            assert!(scan(&text, byte_classes, found.classes(), cx).is_empty(), "{}", text.escape_ascii());
            assert!(found.is_empty() || may_match(&text, byte_classes), "{}", text.escape_ascii());
            let known = random(1 << COUNT);
            let others = scan(&text, byte_classes, known, cx).classes();
            assert_eq!(others, found.classes() & !known, "{known:b} {}", text.escape_ascii());
            count += usize::from(!found.is_empty());
        }
    });
    assert!(count > 30_000, "{count}");
}

#[test]
fn every_entry_passes_the_prefilter_wherever_it_is() {
    for (class, entry) in entries() {
        let text = text_of(entry);
        for before in ["", "x ", "qzq-", "1234567 "] {
            for pad in [0, 1, 7, 55, 60, 63, 64] {
                let text = format!("{}{before}{text}", " ".repeat(pad));
                assert!(
                    may_match(text.as_bytes(), bytes::union(text.as_bytes())),
                    "{class} {entry} {text:?}"
                );
            }
        }
    }
}

#[test]
fn the_prefilter_rejects_honest_values() {
    let mut passed = Vec::new();
    for text in [
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8",
        "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
        "*/*",
        "application/json, text/plain, */*",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36",
        "Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Mobile/15E148",
        "\"Chromium\";v=\"120\", \"Not_A Brand\";v=\"8\"",
        "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
        "session=49b3f5c48a324e109d6c0123456789ab; theme=dark; _ga=GA1.2.180739896.1443036386",
        "49b3f5c4-8a32-4e10-9d6c-0123456789ab",
        "dGhpcyBpcyBhIHRlc3Qgb2YgYmFzZTY0IHZhbHVlcyB3aXRoIG5vdGhpbmc=",
        "gzip, deflate, br",
        "en-US,en;q=0.9,es;q=0.8",
        "hotel",
        "kitchen table",
        "2024-01-02",
        "café",
    ] {
        if prefilter::may_match(text.as_bytes(), bytes::union(text.as_bytes())).may_match {
            passed.push(text);
        }
    }
    assert_eq!(passed, [""; 0]);
}
