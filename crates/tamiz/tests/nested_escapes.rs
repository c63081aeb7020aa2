//! Escapes whose own characters are escaped, in every place of a request; and the check of evidence on near misses.

mod common;

use std::collections::BTreeSet;

use common::properties::check;
use common::spelling::{hides, spells};
use icu_normalizer::ComposingNormalizerBorrowed;
use tamiz::{Canonicalizer, Scratch};

/// The characters of 7.2 and the backtick, with their flags and their names in HTML.
const CHARACTERS: [(char, &str, &str); 12] = [
    ('<', "ANGLE", "lt"),
    ('>', "ANGLE", "gt"),
    ('\'', "QUOTE", "apos"),
    ('"', "QUOTE", "quot"),
    (';', "SEMICOLON", "semi"),
    ('(', "PAREN", "lpar"),
    (')', "PAREN", "rpar"),
    ('{', "BRACE", "lcub"),
    ('}', "BRACE", "rcub"),
    ('|', "PIPE", "verbar"),
    ('\\', "BACKSLASH", "bsol"),
    ('`', "BACKTICK", "grave"),
];

/// Names in HTML of signs that escapes are made of, but for those above.
const SIGNS: [(char, &str); 3] = [('%', "percnt"), ('&', "amp"), ('#', "num")];

/// Every spelling of a character: percent sign, entity by number (decimal, hexadecimal) and by name, three escapes of
/// scripts.
fn spellings(c: char) -> Vec<String> {
    let code = u32::from(c);
    let mut all = vec![
        format!("%{code:02x}"),
        format!("&#{code};"),
        format!("&#x{code:x};"),
        format!("\\x{code:02x}"),
        format!("\\u{code:04x}"),
        format!("\\u{{{code:x}}}"),
    ];
    let named = CHARACTERS.iter().map(|(known, _, name)| (*known, *name)).chain(SIGNS);
    all.extend(named.filter(|(known, _)| *known == c).map(|(_, name)| format!("&{name};")));
    all
}

/// A spelling with one of its characters, each in turn, in every spelling of that.
fn nested(spelling: &str) -> impl Iterator<Item = String> {
    spelling.char_indices().flat_map(move |(at, c)| {
        let (before, after) = (&spelling[..at], &spelling[at + c.len_utf8()..]);
        spellings(c).into_iter().map(move |inner| format!("{before}{inner}{after}"))
    })
}

/// Requests that have a spelling in every place: one for all places of a head, the others for those of a body. What
/// stands around it differs from place to place: a secret that is repeated elsewhere would hide it there.
fn requests(spelling: &str) -> [Vec<u8>; 6] {
    let s = spelling;
    let head = format!(
        "GET http://user1{s}@ex.com/seg2{s}/z?key3{s}=a&b=val4{s}#frag5{s} HTTP/1.1\r\nHost: ex.com\r\n\
         X-A: head6{s}\r\nCookie: name7{s}=d; e=val8{s}\r\n\r\n"
    );
    let in_json = s.replace('\\', "\\\\").replace('"', "\\\"");
    let body = |kind: &str, body: String| {
        let head = format!(
            "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: {kind}\r\nContent-Length: {}",
            body.len()
        );
        format!("{head}\r\n\r\n{body}").into_bytes()
    };
    let multipart =
        format!("--b\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nmulti9{s}\r\n--b--\r\n");
    [
        head.into_bytes(),
        body("application/x-www-form-urlencoded", format!("f=form9{s}&g=1")),
        body("application/json", format!("{{\"key9{in_json}\":1,\"a\":\"leaf10{in_json}\"}}")),
        body("application/json", format!("{{\"a\":\"leaf9{s}\"}}")),
        body("multipart/form-data; boundary=b", multipart),
        body("application/xml", format!("<a>text9{s}</a>")),
    ]
}

/// Runs checks and counts them.
struct Run {
    canonicalizers: Vec<Canonicalizer>,
    scratches: Vec<Scratch>,
    checks: usize,
    /// Evidence that is the whole spelling, of more than one byte.
    told: usize,
    faults: Vec<String>,
}

impl Run {
    fn new() -> Self {
        let canonicalizers = common::canonicalizers();
        let scratches = canonicalizers.iter().map(|_| Scratch::default()).collect();
        Run { canonicalizers, scratches, checks: 0, told: 0, faults: Vec::new() }
    }

    /// Checks one request under one configuration.
    fn check(&mut self, setting: usize, request: &[u8], spelling: &str) {
        self.checks += 1;
        match check(&self.canonicalizers[setting], &mut self.scratches[setting], request) {
            Ok(document) => {
                let evidence = document.flags().flat_map(|raised| raised.evidence().to_vec());
                let is_whole =
                    |range: &std::ops::Range<usize>| request[range.clone()] == *spelling.as_bytes();
                self.told += evidence.filter(is_whole).count();
            }
            Err(fault) => {
                self.faults
                    .push(format!("{spelling} in setting {setting}: {fault}\n{}", request.escape_ascii()));
            }
        }
    }

    /// Checks every place under every configuration.
    fn everywhere(&mut self, spelling: &str) {
        for request in requests(spelling) {
            for setting in 0..self.canonicalizers.len() {
                self.check(setting, &request, spelling);
            }
        }
    }

    /// Checks every place, each under one configuration: they take turns.
    fn in_turn(&mut self, spelling: &str, turn: usize) {
        for (at, request) in requests(spelling).iter().enumerate() {
            self.check((turn + at) % self.canonicalizers.len(), request, spelling);
        }
    }

    fn report(self, what: &str, least_told: usize) {
        eprintln!("{what}: {} checks, {} told, {} faults", self.checks, self.told, self.faults.len());
        let shown = self.faults.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
        assert!(self.faults.is_empty(), "{} of {}:\n{shown}", self.faults.len(), self.checks);
        assert!(self.told >= least_told, "only {} ranges are the whole spelling", self.told);
    }
}

/// 84 spellings in every place and configuration: 3,024 checks.
#[test]
fn one_layer() {
    let mut run = Run::new();
    for spelling in CHARACTERS.iter().flat_map(|(c, _, _)| spellings(*c)) {
        run.everywhere(&spelling);
    }
    run.report("one layer", 84 * 6 * 6);
}

/// Every spelling with one of its characters spelt, 2,772 in all, in every place, the configurations by turns: 16,632
/// checks.
#[test]
fn two_layers() {
    let mut run = Run::new();
    let outer = CHARACTERS.iter().flat_map(|(c, _, _)| spellings(*c));
    for (turn, spelling) in outer.flat_map(|outer| nested(&outer).collect::<Vec<_>>()).enumerate() {
        run.in_turn(&spelling, turn);
    }
    run.report("two layers", 4_000);
}

/// Of the spellings that three layers give, some 169,000, one in 199, in every place, the configurations by turns: 5,094
/// checks.
#[test]
fn three_layers() {
    const STRIDE: usize = 199;
    let mut run = Run::new();
    let outer = CHARACTERS.iter().flat_map(|(c, _, _)| spellings(*c));
    let two = outer.flat_map(|outer| nested(&outer).collect::<Vec<_>>());
    let three = two.flat_map(|two| nested(&two).collect::<Vec<_>>());
    for (turn, spelling) in three.step_by(STRIDE).enumerate() {
        run.in_turn(&spelling, turn);
    }
    run.report("three layers", 200);
}

/// Every character that `best-fit.txt` lists, or whose NFKC is something else and has one that is listed or is no letter
/// or digit; raw and escaped, in every place, the configurations by turns.
#[test]
fn look_alikes() {
    let listed = include_str!("../../../spec/lists/best-fit.txt").lines().filter_map(|line| {
        let code = line.strip_prefix("U+")?.split(' ').next()?;
        char::from_u32(u32::from_str_radix(code, 16).ok()?)
    });
    let listed: BTreeSet<char> = listed.collect();
    let nfkc = ComposingNormalizerBorrowed::new_nfkc();
    let is_sign = |c: char| !c.is_alphanumeric() || listed.contains(&c);
    let is_like = |c: &char| {
        let plain = c.to_string();
        let normal = nfkc.normalize(&plain);
        listed.contains(c) || *normal != *plain && normal.contains(is_sign)
    };
    let mut run = Run::new();
    for (turn, c) in ('\u{80}'..=char::MAX).filter(is_like).enumerate() {
        let raw = c.to_string();
        let escaped: String = raw.bytes().map(|byte| format!("%{byte:02x}")).collect();
        run.in_turn(&raw, turn);
        run.in_turn(&escaped, turn);
    }
    run.report("look-alikes", 6_000);
}

#[test]
fn spellings_are_recognised() {
    for (c, _, _) in CHARACTERS {
        let set = c.to_string();
        assert!(spells(set.as_bytes(), &set));
        for spelling in spellings(c) {
            assert!(spells(spelling.as_bytes(), &set), "{spelling}");
            for spelling in nested(&spelling) {
                assert!(spells(spelling.as_bytes(), &set), "{spelling}");
            }
        }
    }
    for (bytes, set) in [
        ("%2%32", "'\""),
        ("%25%33%45", "<>"),
        ("%252522", "\""),
        ("\"%22&quot;", "\""),
        ("\\\"", "\""),
        ("\\\\", "\\"),
        ("=3C", "<"),
        ("%=\r\n3C", "<"),
        ("\u{FF1C}", "<>"),
        ("\u{2474}", "()"),
        ("\u{FF04}\u{2774}", "{}"),
        ("{\u{FF04}\u{2774}", "{}"),
        ("\u{149}", "'"),
        ("\u{2036}", "`"),
        ("%2\r\n2\r\n7", "'"),
        ("%\r\n1f;a=b\r\n27", "'"),
        ("%EF%BC%9C", "<>"),
        ("\u{FF05}3c", "<>"),
        ("&#xff1c;", "<>"),
        ("\\u2032", "'"),
        ("&amp;lt;", "<"),
        ("&#0000060;", "<"),
        ("&#60", "<"),
        ("&#x3c", "<"),
        ("%26%2360", "<"),
        ("%C0%BC", "<"),
        ("%E0%80%BC", "<"),
    ] {
        assert!(spells(bytes.as_bytes(), set), "{bytes}");
    }
}

#[test]
fn near_misses_are_not_spellings() {
    let quotes = "'\"";
    for wrong in [
        "", "a", "ab", "%41", "x\"", "\"x", "\" ", "<", "%3C", "%2", "%2g", "22", "&lt;", "&quot", "&nosuch;",
    ] {
        assert!(!spells(wrong.as_bytes(), quotes), "{wrong}");
    }
    for wrong in [
        "\\x41",
        "\\u0041",
        "\\u{41}",
        "\\u{}",
        "\\u{0000022}",
        "=41",
        "&#65;",
        "%u0022",
        "\u{E9}",
        "\u{201C}",
    ] {
        assert!(!spells(wrong.as_bytes(), quotes), "{wrong}");
    }
    for wrong in ["%2\r\n\r\n7", "%2\r\nxy\r\n7", "%2\r\n2", "\r\n2\r\n"] {
        assert!(!spells(wrong.as_bytes(), quotes), "{wrong:?}");
    }
    for border in ["\r\n2\r\n", "\n2\n", "d4;x=y\r\n"] {
        assert!(spells(format!("%2{border}7").as_bytes(), quotes), "{border:?}");
    }
    assert!(!spells(b"\xFF", quotes) && !spells(b"\xC0\xC0", quotes) && !spells(b"%A2", quotes));
    assert!(spells(b"\xC0\xA2", quotes) && !spells(b"\xC1\xA2", quotes));
}

/// NFKC works on runs of characters beyond ASCII: all of a run is evidence of an escape that has one of its characters.
#[test]
fn an_escape_may_have_one_character_of_a_run() {
    let try_text = |text: &str, expected: bool| assert_eq!(spells(text.as_bytes(), "<>"), expected, "{text}");
    try_text("\u{FF05}\u{FF05}3c", true);
    try_text("%3\u{FF43}\u{FF43}", true);
    try_text("\u{E9}\u{FF05}3\u{FF43}\u{E9}", true);
    try_text("\u{FF05}\u{FF05}3d", false);
    try_text("\u{FF05}\u{E9}3c", false);
    try_text("%\u{E9}3c", false);
    let request = "GET /a?\u{FF05}\u{FF05}3cx=1 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    let tamiz = Canonicalizer::new(tamiz::Config::default());
    let document = check(&tamiz, &mut Scratch::default(), request.as_bytes()).unwrap();
    assert!(document.flags().any(|raised| raised.flag().name() == "ANGLE"));
}

/// A URL in a header does not tell of Base64, but of what is in it (8.23): also where the header is not shown, and where it is a
/// piece of another.
#[test]
fn base64_may_be_in_a_url_of_any_header() {
    let url = format!("http://a.es/?x={}", data_encoding::BASE64.encode(b"ab<cdefgh"));
    let lines: String = (0..130).map(|nth| format!("A{nth}: 1\r\n")).collect();
    for header in [
        format!("Referer: {url}"),
        format!("{lines}Referer: {url}"),
        format!("Ht: ex.com\rx\nReferer: {url}"),
    ] {
        let request = format!("GET / HTTP/1.1\r\nHost: ex.com\r\n{header}\r\n\r\n");
        let tamiz = Canonicalizer::new(tamiz::Config::default());
        let document = check(&tamiz, &mut Scratch::default(), request.as_bytes()).unwrap();
        assert!(document.flags().any(|raised| raised.to_string() == "ANGLE"), "{header}");
    }
    assert!(hides(b"YWI8Y2RlZmdo", "<>") && hides(b"YWI8Y2RlZmdo", "a<"));
    assert!(!hides(b"YWI8Y2RlZmdo", "'") && !hides(b"YWI8Y2RlZmdo'", "<") && !hides(b"ab<cdefgh", "<"));
    assert!(hides(b"YWIlM0NjZGVmZ2g%3D", "<") && hides(b"YWImbHQ7Y2RlZg", "<"));
}

/// A range that is one byte too long or too short, on either side, is no spelling, but for a number without its `;`.
#[test]
fn ranges_that_are_off_by_one_are_not_spellings() {
    for (c, _, _) in CHARACTERS {
        let set = c.to_string();
        for spelling in spellings(c) {
            for around in ['a', '0', ' ', '=', '\n'] {
                assert!(!spells(format!("{around}{spelling}").as_bytes(), &set), "{around}{spelling}");
                assert!(!spells(format!("{spelling}{around}").as_bytes(), &set), "{spelling}{around}");
            }
            assert!(!spells(&spelling.as_bytes()[1..], &set), "{spelling} without its first byte");
            let short = &spelling.as_bytes()[..spelling.len() - 1];
            let is_number = spelling.starts_with("&#");
            assert_eq!(spells(short, &set), is_number, "{spelling} without its last byte");
        }
    }
}
