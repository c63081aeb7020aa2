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
        let shortest = if matches!(family.head.first(), Some(Piece::Gap(..))) {
            SHORTEST_GAPPED
        } else {
            SHORTEST_TOKEN
        };
        assert!(len >= shortest, "{family:?}");
    }
}

#[test]
fn heads_are_what_is_looked_for() {
    for (head, alphabet, _) in CREDENTIAL_PREFIXES {
        assert!(head.len() > 1 && head.is_ascii() && Alphabet::new(alphabet).0 != 0, "{head}");
    }
    let searched = |family: &Family| match family.head.first() {
        Some(Piece::Text(text)) => {
            let whole = token(family, family.lengths.least);
            text.len() > 1
                && (bytes::union(text) & IN_HEADS != 0
                    || family.head.len() == 1
                    || bytes::union(whole.as_bytes()) & IN_HEADS != 0)
        }
        _ => true,
    };
    for family in families() {
        assert!(searched(&family), "{family:?}");
    }
}

#[test]
fn there_are_places_for_all_families_with_gaps() {
    assert!(FAMILIES.gapped.len() <= 16);
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

#[test]
fn prefixes_are_found_alike() {
    let words = [
        "",
        "a",
        "Zq",
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_0123456789abcdefghij",
        "xoxe.0123456789",
        "1//",
        "ya29.x",
    ];
    let between = ["", " ", "-", "_", "/", "..", "+="];
    for (a, b) in words.iter().flat_map(|a| words.map(|b| (a, b))) {
        for (x, y) in between.iter().flat_map(|x| between.map(|y| (x, y))) {
            for more in ["", "abcdefg", "abcdefgh-"] {
                let text = format!("{more}{x}{a}{y}{b}");
                let (text, seen) = (text.as_bytes(), bytes::union(text.as_bytes()));
                let slow = word_starts(text, seen).find_map(|at| token_at(text, at));
                assert_eq!(find_prefixed_in_ascii(text, seen), slow, "{}", text.escape_ascii());
            }
        }
    }
}

#[test]
fn words_start_where_no_letter_or_digit_stands_before() {
    for text in [&b""[..], b"ab1", b"a b", b" a--b ", b"\xFF8Bxoxb-1", b"a\xFF8B\xFF8Ba b", b"a\xFF8B"] {
        let found: Vec<usize> = word_starts(text, bytes::union(text)).collect();
        let expected: Vec<usize> = (0..=text.len()).filter(|&at| starts_word(text, at)).collect();
        assert_eq!(found, expected, "{}", text.escape_ascii());
    }
}
