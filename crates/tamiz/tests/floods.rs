//! Requests with more parts than a document shows: what is let go after it was read changes no document.
//!
//! With evidence every part is kept; without it, what is beyond a limit is read, told and let go. Both ways must give the
//! same text.

mod common;

use tamiz::{Canonicalizer, Config, Limits, Parts, Profile, Scratch, View};

/// Numbers below what is asked for, the same in every run.
struct Random(u32);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % most
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }

    fn some(&mut self, most: usize, mut piece: impl FnMut(&mut Self) -> String) -> String {
        (0..self.below(most)).map(|_| piece(self)).collect()
    }
}

/// All profiles and views, with few parts shown.
fn canonicalizers() -> Vec<Canonicalizer> {
    let mut all = Vec::new();
    for (nth, profile) in Profile::ALL.iter().enumerate() {
        for view in View::ALL {
            for most in [0, 1, 3] {
                let mut config = Config::default();
                (config.profile, config.view) = (*profile, *view);
                config.limits = Limits::default();
                config.limits.headers = most;
                config.limits.pairs = most;
                config.limits.segments = most;
                config.limits.body_keys = most;
                config.limits.flag_parameters = most + nth;
                all.push(Canonicalizer::new(config));
            }
        }
    }
    all.push(Canonicalizer::new(Config::default()));
    all
}

#[track_caller]
fn check(tamiz: &Canonicalizer, scratch: &mut Scratch, request: &[u8]) {
    let kept = tamiz.canonicalize_with_evidence(request);
    let mut out = Vec::new();
    tamiz.canonicalize_into(scratch, request, &mut out);
    let text = String::from_utf8(out).unwrap();
    assert!(
        text == kept.as_str(),
        "{}\nin {:?}\n{}",
        request.escape_ascii(),
        tamiz.config(),
        common::diff(kept.as_str(), &text)
    );
    let owned = tamiz.canonicalize(request);
    assert_eq!(owned.as_str(), kept.as_str());
    assert_eq!(owned.tokens(), kept.tokens(), "{}", request.escape_ascii());
}

fn check_all(mut make: impl FnMut(&mut Random) -> String) {
    let mut random = Random(7);
    for tamiz in canonicalizers() {
        let mut scratch = Scratch::default();
        for _ in 0..60 {
            let request = make(&mut random);
            check(&tamiz, &mut scratch, request.as_bytes());
        }
    }
}

const NAMES: [&str; 24] = [
    "Host",
    "host ",
    "Accept",
    "ACCEPT",
    "accept\t",
    "Cookie",
    "Set-Cookie",
    "Content-Length",
    "Content-Type",
    "Transfer-Encoding",
    "Content-Encoding",
    "Authorization",
    "X-Api-Key",
    "Referer",
    "Connection",
    "x",
    "X_Y",
    "",
    "visionario-1",
    "Visionario",
    "ｈost",
    "a\u{FDFA}",
    "X-Forwarded-For",
    "token=visionario9",
];
const VALUES: [&str; 24] = [
    "1",
    "ex.com",
    "a@ex.com:80",
    "a, b",
    "gzip, br",
    "gzip",
    "chunked",
    "identity, chunked",
    "Bearer visionario",
    "session=visionario; a=b",
    "a=\"{\\\"pwd\\\":\\\"visionario\\\"}\"; b",
    "http://u:visionario@ex.com/a/b/c/d?pwd=visionario&x=1&x=2&y=3&z",
    "visionario",
    "<script>",
    "see visionario",
    "a\nHost: b",
    "a\n\nb",
    "\nCookie: a=visionario",
    "  a  b ",
    "%76isionario",
    "union select 1",
    "application/json",
    "a; b; c; d",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
];
const KEYS: [&str; 14] = [
    "a",
    "b",
    "a[]",
    "pwd",
    "token",
    "visionario",
    "%61",
    "x y",
    "12345",
    "año",
    "__proto__",
    "$ne",
    "",
    "next",
];
const QUERY_VALUES: [&str; 16] = [
    "=1",
    "=",
    "",
    "=visionario",
    "=%3Cscript%3E",
    "=%2500",
    "={\"pwd\":\"visionario\"}",
    "={\"a\":[1,\"<b>\"]}",
    "=a+b",
    "=//evil.example",
    "=%76isionario",
    "=<num:1>",
    "=union+select",
    "=%u0041",
    "=dmlzaW9uYXJpbw==",
    "=ghp_abcdefghijklmnopqrstuvwxyz0123456789",
];

fn line(random: &mut Random) -> String {
    let end = random.of(&["\r\n", "\r\n", "\r\n", "\r\n ", "\r\n\t b\r\n", "\r\n\n"]);
    match random.below(8) {
        0 => format!("{}{end}", random.of(&VALUES)),
        1 => format!(" orphan {}{end}", random.of(&VALUES)),
        _ => format!("{}: {}{end}", random.of(&NAMES), random.of(&VALUES)),
    }
}

fn pair(random: &mut Random, separators: &[&str]) -> String {
    format!("{}{}{}", random.of(&KEYS), random.of(&QUERY_VALUES), random.of(separators))
}

#[test]
fn headers() {
    check_all(|random| {
        let lines = random.some(12, line);
        format!("POST /a?pwd=visionario HTTP/1.1\r\n{lines}\r\n3\r\na=1\r\n0\r\n\r\n")
    });
}

#[test]
fn headers_that_come_in_parts() {
    let mut random = Random(9);
    for tamiz in canonicalizers() {
        for _ in 0..60 {
            let headers: Vec<(&str, &str)> =
                (0..random.below(12)).map(|_| (random.of(&NAMES), random.of(&VALUES))).collect();
            let mut parts = Parts::new(b"POST", b"/a");
            let mut wire = String::from("POST /a HTTP/1.1\r\n");
            for (name, value) in &headers {
                parts.header(name.as_bytes(), value.as_bytes());
                wire += &format!("{name}: {value}\r\n");
            }
            parts.version = Some(b"HTTP/1.1");
            parts.body = Some(b"");
            let is_plain = headers.iter().all(|(name, value)| {
                // The wire has other line ends than parts have, and names end at the first colon.
                !value.contains('\n') && !name.contains(':') && !name.is_empty() && !value.starts_with(' ')
            });
            let text = tamiz.canonicalize_parts(&parts).to_string();
            if is_plain {
                let kept = tamiz.canonicalize_with_evidence((wire + "\r\n").as_bytes());
                assert!(text == kept.as_str(), "{headers:?}\n{}", common::diff(kept.as_str(), &text));
            }
        }
    }
}

#[test]
fn more_headers_than_the_default_shows() {
    let tamiz = Canonicalizer::new(Config::default());
    let mut scratch = Scratch::default();
    let mut random = Random(3);
    for _ in 0..20 {
        let mut lines: String =
            (0..random.below(200)).map(|i| format!("x-{}: {i}\r\n", 90 - i % 91)).collect();
        lines += &random.some(200, line);
        check(&tamiz, &mut scratch, format!("GET /a HTTP/1.1\r\n{lines}\r\n").as_bytes());
    }
}

#[test]
fn queries() {
    for separators in [&["&"][..], &["&", "&amp;", "&&"], &[";"], &[";", "&", "&lt;"]] {
        check_all(|random| {
            let query = random.some(12, |random| pair(random, separators));
            let inner = random.some(12, |random| pair(random, separators));
            format!(
                "GET /a?{query} HTTP/1.1\r\nHost: ex.com\r\nReferer: http://ex.com/?{inner}\r\nX-Visionario: 1\r\n\r\n"
            )
        });
    }
}

#[test]
fn forms() {
    check_all(|random| {
        let body = random.some(12, |random| pair(random, &["&"]));
        format!(
            "POST /visionario HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    });
}

#[test]
fn paths() {
    const SEGMENTS: [&str; 16] = [
        "a",
        "..",
        ".",
        "",
        "visionario",
        "pwd=visionario",
        "a;token=visionario",
        "%2e%2e",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "http:",
        "u:visionario@h",
        "<num:1>",
        "123e4567-e89b-12d3-a456-426614174000",
        "%2F",
        "a;b;c",
        "select",
    ];
    check_all(|random| {
        let path = random.some(12, |random| format!("/{}", random.of(&SEGMENTS)));
        format!("GET {path} HTTP/1.1\r\nHost: ex.com\r\nX-A: visionario\r\nX-Api-Key: visionario\r\n\r\n")
    });
}

#[test]
fn cookies() {
    const COOKIES: [&str; 14] = [
        "a=b",
        "a",
        "=b",
        "session=visionario",
        "SID",
        "pwd=\"visionario\"",
        "visionario=1",
        "j={\"pwd\":\"visionario\"}",
        "Path=/",
        "Expires=Mon",
        "HttpOnly",
        "x=%3Cscript%3E",
        "año=ñ",
        "token=visionario9; a b=c",
    ];
    check_all(|random| {
        let name = random.of(&["Cookie", "Set-Cookie"]);
        let cookies = random.some(12, |random| format!("{}; ", random.of(&COOKIES)));
        format!("GET /visionario HTTP/1.1\r\nHost: ex.com\r\n{name}: {cookies}\r\nX-A: visionario\r\n\r\n")
    });
}

#[test]
fn line_ends_in_values() {
    check_all(|random| {
        let lines = random.some(90, |random| format!("\n{}: {}", random.of(&NAMES), random.of(&VALUES)));
        let name = random.of(&NAMES);
        format!(
            "GET /visionario HTTP/1.1\r\nHost: ex.com\r\n{name}: a{lines}\r\nX-Api-Key: visionario\r\n\r\n"
        )
    });
}

#[test]
fn json_and_xml() {
    const MEMBERS: [&str; 10] =
        ["a", "b", "pwd", "visionario", "$ne", "a.b", "__proto__", "token=visionario9", "ñ", "\\u0061"];
    const LEAVES: [&str; 9] = [
        "1",
        "null",
        "\"visionario\"",
        "\"<b>\"",
        "{}",
        "[1,\"visionario\"]",
        "{\"a\":{\"pwd\":\"visionario\"}}",
        "\"\"",
        "true",
    ];
    check_all(|random| {
        let members =
            random.some(12, |random| format!("\"{}\":{},", random.of(&MEMBERS), random.of(&LEAVES)));
        let body = format!("{{{members}\"z\":[{{{members}\"y\":2}}]}}");
        format!(
            "POST /visionario?j={body} HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\n\r\n{body}"
        )
    });
    check_all(|random| {
        let elements = random.some(12, |random| {
            let name = random.of(&["a", "b", "pwd", "visionario"]);
            let inner = random.of(&["", "visionario", "<c>1</c>", "<pwd x=\"visionario\"/>", "&lt;b&gt;"]);
            format!(
                "<{name} {}=\"{}\">{inner}</{name}>",
                random.of(&["x", "token", "visionario"]),
                random.of(&["1", "visionario"])
            )
        });
        format!(
            "POST /visionario HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/xml\r\n\r\n<r>{elements}</r>"
        )
    });
}
