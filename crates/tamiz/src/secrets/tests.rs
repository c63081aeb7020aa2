use super::*;
use crate::context::tests::with_context;
use crate::lists::SENSITIVE_NAMES;
use crate::steps;

#[test]
fn names() {
    let names = SensitiveNames::new(&["Internal".to_owned()]);
    for name in [
        "pwd",
        "PASSWORD",
        "user_token",
        "X-Api-Key",
        "api.key",
        "sid",
        "AWSAccessKeyId",
        "X-Amz-Credential",
        "private-key",
        "sec-websocket-key",
        "my-internal-id",
    ] {
        assert!(
            with_context(|cx| names.matches(name.as_bytes(), bytes::union(name.as_bytes()), cx)),
            "{name}"
        );
    }
    for name in ["login", "keyword", "side", "monkey", "pinned", "id", "q", ""] {
        assert!(
            !with_context(|cx| names.matches(name.as_bytes(), bytes::union(name.as_bytes()), cx)),
            "{name}"
        );
    }
}

/// Compares a name with each entry.
fn holds_entry(name: &str, extra: &[String]) -> bool {
    let name = name.to_ascii_lowercase();
    let extra = extra.iter().map(|entry| ("anywhere", entry.as_str()));
    SENSITIVE_NAMES.iter().copied().chain(extra).filter(|(_, entry)| entry.is_ascii()).any(|(kind, entry)| {
        let entry = entry.to_ascii_lowercase();
        if kind == "anywhere" {
            name.contains(&entry)
        } else {
            name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == entry)
        }
    })
}

#[test]
fn names_are_looked_at_alike() {
    let mut state = 3_u32;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    let extras: [&[&str]; 4] = [&[], &["Internal"], &["ab"], &["x"]];
    for extra in extras {
        let extra: Vec<String> = extra.iter().map(|name| (*name).to_owned()).collect();
        let names = SensitiveNames::new(&extra);
        for _ in 0..5_000 {
            let (_, known) = SENSITIVE_NAMES[random(SENSITIVE_NAMES.len())];
            let noise = |len: usize, random: &mut dyn FnMut(usize) -> usize| -> String {
                (0..len).map(|_| char::from(b"aeiPSTkxb_-."[random(12)])).collect()
            };
            let name = match random(3) {
                0 => noise(random(12), &mut random),
                1 => noise(random(4), &mut random) + known + &noise(random(4), &mut random),
                _ => noise(random(4), &mut random) + &known.to_uppercase(),
            };
            assert_eq!(names.matches_ascii(name.as_bytes()), holds_entry(&name, &extra), "{name}");
            let before = format!("{name} \"=");
            let may_name = names.may_name_value(before.trim_end_matches('=').as_bytes());
            assert_eq!(may_name, !name.is_ascii() || names.matches_ascii(name.as_bytes()), "{name}");
        }
    }
}

fn found(text: &str) -> Option<String> {
    let names = SensitiveNames::new(&[]);
    let range = with_context(|cx| names.find_credential(text.as_bytes(), bytes::union(text.as_bytes()), cx))?;
    Some(text[range].to_owned())
}

#[test]
fn contents() {
    for (text, secret) in [
        ("see eyJhbGciOiJub25lIn0.e30.abc now", "eyJhbGciOiJub25lIn0.e30.abc"),
        ("a.eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJub25lIn0.e30."),
        ("Bearer x", "x"),
        ("x BEARER+abc", "abc"),
        ("basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
        ("Digest username=\"bob\"", "username=\"bob\""),
        ("xeyJhbGciOiJub25lIn0.e30.abc", "eyJhbGciOiJub25lIn0.e30.abc"),
        ("\"password\" : \"hunter2\"", "hunter2"),
        ("ghp_0123456789abcdefghij", "ghp_0123456789abcdefghij"),
        ("key AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
        ("http://user:pass@host/", "user:pass"),
        ("a=1&password=hunter2&b=2", "hunter2"),
        ("{\"password\": \"hunter2\"}", "hunter2"),
        ("{\\\"password\\\":\\\"hunter2\\\"}", "hunter2"),
        ("password=<num:3>hunter2", "password=<num:3>hunter2"),
        ("http://<num:3>:hunter2@h/", "<num:3>:hunter2"),
        ("http://us'er:hunter2@h/", "us'er:hunter2"),
        ("//user:hunter2@h/", "user:hunter2"),
        ("Bearer \"hunter2\"", "hunter2"),
        ("Set token: abc", "abc"),
        ("Bearer%20abc", "Bearer%20abc"),
        ("pass%2577ord%253Dhunter2", "pass%2577ord%253Dhunter2"),
        ("pass&#119;ord=hunter2", "hunter2"),
        ("contrase\u{f1}a=hunter2", "hunter2"),
        ("\u{5bc6}\u{7801}\u{ff1a}hunter2", "hunter2"),
        ("password=hunter2\r\nX-A: 1", "hunter2"),
        ("password=\r\nhunter2\u{85}x", "hunter2"),
        ("root:hunter2@tcp(db:3306)/x", "root:hunter2"),
        ("dsn 'a@b:c@TCP6(x)'", "a@b:c"),
        ("ftp:\\\\u:hunter2@h", "u:hunter2"),
        ("ftp:/\\u:hunter2@h", "u:hunter2"),
        ("ApiKey hunter2", "hunter2"),
        ("SharedKey acct:c2ln", "acct:c2ln"),
        ("Hawk id=\"a\", mac=\"b\"", "id=\"a\", mac=\"b\""),
        ("<u><wsse:Password>hunter2</wsse:Password></u>", "hunter2"),
    ] {
        let got = found(text);
        if text.contains("&#119;") {
            assert!(got.is_some(), "{text}");
        } else {
            assert_eq!(got.as_deref(), Some(secret), "{text}");
        }
    }
}

/// Pieces of credentials and of what is around them.
const PIECES: [&[u8]; 48] = [
    b"",
    b"a",
    b"Z9",
    b" ",
    b".",
    b"-",
    b"_",
    b"=",
    b":",
    b"/",
    b"//",
    b"@",
    b"\"",
    b"\\",
    b"+",
    b"<",
    b">",
    b"~",
    b"\xFF8B",
    b"\xC3\xA9",
    b"\xEF\xBC\x9A",
    b"eyJhbGciOiJub25lIn0",
    b".e30.abc",
    b"xeyJhIjoxfQ",
    b"CXt9",
    b"Bearer",
    b"basic",
    b"aws4-hmac-sha256",
    b"Hawk",
    b"SharedKey",
    b"token",
    b"abc123",
    b"ghp_0123456789abcdefghij",
    b"AKIAIOSFODNN7EXAMPLE",
    b"123456789:AAEhBOweik6ad6PsVCEbQ0123456789abcd",
    b"-----BEGIN",
    b"PRIVATE KEY-----",
    b"http://user:pw",
    b"@tcp(db)",
    b"u:p@tcp6(",
    b"password",
    b"pw",
    b"<pwd>x",
    b"<num:3>",
    b"pass<num:3>word=x",
    b"\xD0\xBF\xD0\xB0\xD1\x80\xD0\xBE\xD0\xBB\xD1\x8C",
    b"s.0123456789abcdefghijklmn",
    b"?q=1&",
];

#[test]
fn the_prefilter_loses_no_kind() {
    let names = SensitiveNames::new(&[]);
    let mut random = crate::context::tests::random();
    let mut found = [0; Kind::ALL.len()];
    with_context(|cx| {
        for _ in 0..40_000 {
            let text: Vec<u8> =
                (0..=random(6)).flat_map(|_| PIECES[random(PIECES.len() as u32) as usize]).copied().collect();
            let classes = bytes::union(&text);
            let kinds = names.may_hold(&text, classes);
            for kind in Kind::ALL {
                if names.find_kind(kind, &text, classes, cx).is_some() {
                    found[kind as usize] += 1;
                    assert!(kinds.has(kind), "{kind:?} {}", text.escape_ascii());
                }
            }
        }
    });
    assert!(found.iter().all(|count| *count > 50), "{found:?}");
}

#[test]
fn signs_that_the_walk_leaves_out_add_no_kind() {
    const PIECES: [&str; 24] = [
        "a",
        "Z9",
        "0",
        " ",
        "/",
        "//",
        "1//",
        "-",
        "--",
        "-----",
        "_",
        "_gitlab_session=",
        "_g",
        "<",
        "<a>",
        ":",
        "=",
        ".",
        "pass=",
        "Bearer ",
        "eyJ",
        "\u{e9}",
        "1//0abcdefghijklmnopqrstuvwxyz012345",
        "@",
    ];
    let (mut random, mut found) = (crate::context::tests::random(), 0);
    for _ in 0..20_000 {
        let pieces = (0..random(12)).map(|_| PIECES[random(PIECES.len() as u32) as usize]);
        let text: String = pieces.collect();
        let (text, classes) = (text.as_bytes(), bytes::union(text.as_bytes()));
        let is_sensitive = |name: &[u8]| name.ends_with(b"pass");
        let mut all = Prefilter::new(text, classes, is_sensitive);
        for (at, byte) in text.iter().enumerate() {
            if !byte.is_ascii_alphanumeric() {
                let next = text.get(at + 1).copied().unwrap_or_default();
                all.sign(at, *byte, next, role(*byte) & all.wanted());
            } else if byte.is_ascii_alphabetic() && (at == 0 || !text[at - 1].is_ascii_alphabetic()) {
                all.letters(at, crate::swar::eight_at(text, at));
            }
        }
        let kinds = prefilter::may_hold(text, classes, is_sensitive);
        assert_eq!(kinds, all.finish(), "{}", text.escape_ascii());
        found += usize::from(kinds != Kinds::default());
    }
    assert!(found > 1_000, "{found}");
}

#[test]
fn every_credential_is_found() {
    let names = SensitiveNames::new(&[]);
    let all = |text: &str| {
        with_context(|cx| {
            let found = names.find_credentials(text.as_bytes(), cx);
            found.into_iter().map(|found| text[found.part].to_owned()).collect::<Vec<_>>()
        })
    };
    assert_eq!(all("pwd=one&token=two Bearer three"), ["three", "one", "two"]);
    assert_eq!(all("Basic dragonfly7,Bearer swordfish9"), ["swordfish9", "dragonfly7"]);
    assert_eq!(all("a:b@tcp(x) c:d@tcp(y) //e:f@g"), ["a:b", "c:d"]);
    assert_eq!(all(&"pwd=x ".repeat(40)).len(), MOST_CREDENTIALS);
    assert_eq!(all("<pwd>a</pwd><token>b</token>"), ["a", "b"]);
    assert_eq!(all("pwd%3Dhunter2"), Vec::<String>::new());
    assert_eq!(all("nothing"), Vec::<String>::new());
}

#[test]
fn ordinary_text_is_no_secret() {
    for text in [
        "hello world",
        "basic usage",
        "www.example.com",
        "1.2.3",
        "http://ex.com/a@b",
        "a token",
        "12:30:15",
        "k=v; x=y",
        "password=<SECRET:alpha:10>",
        "http://<SECRET:userinfo:9>@ex.com/",
        "a:b@media(x)",
        "u:@tcp(h)",
        ":p@tcp(h)",
        "u:p @tcp(h)",
        "c:\\\\dir\\file@2x.png",
        "hawk eyes",
        "sharedkey abc",
        "enclave=1",
        "<p>hunter2</p>",
        "<pwd></pwd>",
        "<pwd x>hunter2",
        "<SECRET:alpha:10>hunter2",
    ] {
        assert_eq!(found(text), None, "{text}");
    }
}

#[test]
fn a_text_and_its_end_are_searched_as_each_alone() {
    let pieces = [
        "Bearer ",
        "basic ",
        "token+",
        "a",
        "9",
        "-",
        "_",
        ".",
        "/",
        "=",
        ":",
        " ",
        "%20",
        "\\x41",
        "\u{e9}",
        "pwd",
        "@",
        "http://u:p@h/",
        "eyJhbGciOiJub25lIn0.e30.",
        "ghp_0123456789abcdefABCDEF0123456789abcd",
        "1//0",
        "-----BEGIN ",
        "QmVhcmVyIGFiY2RlZmdoaWprbG1ub3A=",
        "\"",
        "%3D",
        "%22%3A%22",
        "%253A",
        "%51mVhcmVyIGFiY2RlZmdoaWprbG1ub3A",
        "&#x3D;",
        ";base64,",
        "|",
        "\u{ff}41",
    ];
    let (mut random, mut found) = (crate::context::tests::random(), 0);
    let names = SensitiveNames::new(&[]);
    with_context(|cx| {
        for _ in 0..20_000 {
            let mut piece = |most: u32| -> String {
                (0..=random(most)).map(|_| pieces[random(pieces.len() as u32) as usize]).collect()
            };
            let text = format!("{}={}", piece(2), piece(4));
            let end = text.split_once('=').unwrap().1;
            let alone = [text.as_str(), end].map(|text| {
                names.find_credential(text.as_bytes(), bytes::union(text.as_bytes()), cx).is_some()
            });
            assert_eq!(
                names.holds_in_text_and_end(
                    text.as_bytes(),
                    end.as_bytes(),
                    bytes::union(end.as_bytes()),
                    cx
                ),
                alone,
                "{text}"
            );
            found += usize::from(alone[1]);
        }
    });
    assert!(found > 1_000, "{found}");
}

#[test]
fn full_width_delimiters_are_seen() {
    for (text, expected) in [("a：b", true), ("a＝b", true), ("a＞b", false), ("a；b", false), ("a=b", false)]
    {
        assert_eq!(named::has_wide_delimiter(text.as_bytes()), expected, "{text}");
    }
}

#[test]
fn words_that_begin_like_a_token_cost_as_much_each() {
    steps::assert_linear("words before which the last dot is", 20_000, |size| {
        let text = format!(".{}", " ewa".repeat(size / 4));
        let kinds = prefilter::may_hold(text.as_bytes(), bytes::union(text.as_bytes()), |_| false);
        assert!(!kinds.has(Kind::Jwt));
    });
}
