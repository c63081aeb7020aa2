use super::pattern::{Alphabet, Lengths};
use super::*;

fn found(text: &str) -> Option<&str> {
    find(text.as_bytes(), bytes::union(text.as_bytes())).map(|range| &text[range])
}

/// Characters of an alphabet, all of them in turn.
fn some_of(alphabet: Alphabet, count: usize) -> String {
    let all: Vec<char> = (33..127).filter(|byte| alphabet.has(*byte)).map(char::from).collect();
    (0..count).map(|nth| all[(nth * 7 + 3) % all.len()]).collect()
}

/// A token of a family, with so many characters behind its head.
fn token(family: &Family, count: usize) -> String {
    let mut text = String::new();
    for piece in &family.head {
        match piece {
            Piece::Text(piece) => text.push_str(std::str::from_utf8(piece).unwrap()),
            Piece::Gap(alphabet, lengths) => {
                // Letters and digits, so that no word ends in it.
                let alnum = Alphabet(alphabet.0 & Alphabet::new("alnum").0);
                text.push_str(&some_of(alnum, lengths.least));
            }
        }
    }
    text + &some_of(family.alphabet, count)
}

fn families() -> Vec<Family> {
    CREDENTIAL_PREFIXES.iter().enumerate().map(|(row, columns)| Family::new(row, *columns)).collect()
}

#[test]
fn every_family_fits_and_nearly_fits() {
    for family in families() {
        let Lengths { least, most } = family.lengths;
        let whole = token(&family, least);
        for around in ["@", "see @ there", "a=@&b=1", "https://ex.com/@/", "\u{e9}@\u{e9}"] {
            let text = around.replace('@', &whole);
            assert!(
                found(&text).is_some_and(|found| found.contains(&whole) || whole.contains(found)),
                "{text}"
            );
        }
        let fits = |text: &str| {
            let ends = (0..text.len()).filter(|at| starts_word(text.as_bytes(), *at));
            ends.filter_map(|at| family.end(text.as_bytes(), at)).next().is_some()
        };
        assert!(fits(&whole), "{whole}");
        if least > 0 {
            assert!(!fits(&token(&family, least - 1)), "{}", token(&family, least - 1));
        }
        if most < usize::MAX {
            assert!(!fits(&token(&family, most + 1)), "{}", token(&family, most + 1));
        }
        assert!(family.end(format!("X{whole}").as_bytes(), 1).is_some());
        assert!(!starts_word(format!("X{whole}").as_bytes(), 1));
    }
}

#[test]
fn no_token_is_shorter() {
    for family in families() {
        let len = token(&family, family.lengths.least).len();
        assert!(len >= SHORTEST_TOKEN, "{family:?}");
    }
}

#[test]
fn heads_are_what_is_searched_for() {
    for (head, alphabet, _) in CREDENTIAL_PREFIXES {
        assert!(head.len() > 1 && head.is_ascii() && Alphabet::new(alphabet).0 != 0, "{head}");
    }
}

#[test]
fn families_with_gaps_have_their_anchors() {
    for (anchor, family) in ANCHORS.iter().zip(&FAMILIES.gapped) {
        let whole = token(family, family.lengths.least);
        let at = (0..whole.len()).find(|at| anchor.is_at(whole.as_bytes(), *at, whole.as_bytes()[*at]));
        let range = family.around(whole.as_bytes(), at.unwrap() - anchor.offset);
        assert_eq!(range, Some(0..whole.len()), "{whole}");
    }
    assert_eq!(FAMILIES.gapped.len(), ANCHORS.len());
}

/// Tokens whose alphabets take all that follows, and what is nearly one, again and again.
#[test]
fn the_search_is_linear() {
    for piece in [
        "a.webhook.office.com/webhookb2/",
        "..webhook.office.com/webhookb2/",
        "pat.",
        "sk-ant-",
        "1:A",
        "a.b",
    ] {
        let text = piece.repeat(300_000 / piece.len());
        let start = std::time::Instant::now();
        find(text.as_bytes(), bytes::union(text.as_bytes()));
        assert!(start.elapsed().as_secs() < 2, "{piece}");
    }
}

#[test]
fn single_tokens() {
    let telegram = "123456789:AAEhBOweik6ad6PsVCEbQ0123456789abcd";
    for (text, part) in [
        (telegram, Some(telegram)),
        (
            "bot123456789:AAEhBOweik6ad6PsVCEbQ0123456789abcd",
            Some("bot123456789:AAEhBOweik6ad6PsVCEbQ0123456789abcd"),
        ),
        ("x123456789:AAEhBOweik6ad6PsVCEbQ0123456789abcd", None),
        ("1234:AAEhBOweik6ad6PsVCEbQ0123456789abcd", None),
        ("SK0123456789abcdef0123456789abcdef", Some("SK0123456789abcdef0123456789abcdef")),
        ("SK0123456789abcdef0123456789abcdef0", None),
        ("SK0123456789abcdef0123456789abcdeg", None),
        ("s.0123456789abcdefghijklmn", Some("s.0123456789abcdefghijklmn")),
        ("s.0123456789abcdefghijklmno", None),
        ("dapi0123456789abcdef0123456789abcdef", Some("dapi0123456789abcdef0123456789abcdef")),
        ("dapiabcdefabcdefabcdefabcdefabcdefab", Some("dapiabcdefabcdefabcdefabcdefabcdefab")),
        ("my api dapi", None),
        ("abc8Q~0123456789-0123456789.0123456789~", Some("abc8Q~0123456789-0123456789.0123456789~")),
        ("abcxQ~0123456789-0123456789.0123456789~", None),
        (
            "patabcdefghij1234.0123456789abcdef0123456789abcdef01234567",
            Some("patabcdefghij1234.0123456789abcdef0123456789abcdef01234567"),
        ),
        (
            "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs",
            Some("MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs"),
        ),
        (
            "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXX",
            Some("hooks.slack.com/services/T00000000/B00000000/XXXXXXXX"),
        ),
        ("123456_0123456789abcdefghijklmnopqrs_mmk", Some("123456_0123456789abcdefghijklmnopqrs_mmk")),
    ] {
        assert_eq!(found(text), part, "{text}");
    }
}

#[test]
fn the_digits_of_guarded_bytes_are_no_characters() {
    let telegram = b"123456789:AAEhBOweik6ad6PsVCEbQ0123456789abcd";
    let guarded = [b"\xFF2F", &telegram[..]].concat();
    assert_eq!(find(&guarded, bytes::union(&guarded)), Some(3..guarded.len()));
    let guarded = [b"\xFF8B", &b"xoxb-0123456789"[..]].concat();
    assert_eq!(find(&guarded, bytes::union(&guarded)), Some(3..guarded.len()));
}

/// The first token by trying every family wherever a word starts.
fn find_slow(text: &[u8]) -> Option<Range<usize>> {
    let starts = (0..text.len()).filter(|at| starts_word(text, *at));
    let families = families();
    starts.flat_map(|at| families.iter().filter_map(move |family| Some(at..family.end(text, at)?))).next()
}

#[test]
fn tokens_are_found_as_by_trying_every_family() {
    let mut random = crate::context::tests::random();
    let families = families();
    let between = ["", " ", "-", "_", "/", "..", "+=", ":", "a", "Zq", "\u{e9}", "~", "7", "bot1"];
    for _ in 0..3_000 {
        let mut text = Vec::new();
        for _ in 0..=random(3) {
            text.extend_from_slice(between[random(14) as usize].as_bytes());
            if random(8) == 0 {
                text.extend_from_slice(b"\xFF8B");
            }
            let family = &families[random(families.len() as u32) as usize];
            let whole = token(family, family.lengths.least.saturating_add(random(2) as usize));
            let kept = if random(3) == 0 { random(whole.len() as u32) as usize } else { whole.len() };
            text.extend_from_slice(&whole.as_bytes()[..kept]);
            text.extend_from_slice(between[random(14) as usize].as_bytes());
        }
        assert_eq!(find(&text, bytes::union(&text)), find_slow(&text), "{}", text.escape_ascii());
    }
}

#[test]
fn what_is_before_the_equals_sign_of_a_token_holds_its_head() {
    for family in families() {
        let has_equals = |piece: &Piece| match piece {
            Piece::Text(text) => text.contains(&b'='),
            Piece::Gap(alphabet, _) => alphabet.has(b'='),
        };
        if family.alphabet.has(b'=') || family.head.iter().any(has_equals) {
            let Some(Piece::Text(head)) = family.head.first() else { panic!("row {}", family.row) };
            let name = head.split(|byte| *byte == b'=').next().unwrap();
            assert!(holds_head(name), "{}", name.escape_ascii());
        }
    }
}
