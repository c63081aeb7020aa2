//! Examples and near misses of 2.17.1, 4.5, 4.9, 4.20, 7.1, 7.2, 7.5.5, 7.6, 7.8.6, 7.9, 8.23, 8.24, 8.28 and 8.35.

use crate::layer_tests::flags;
use crate::value_tests::{get, line, post, request, with};
use crate::{Options, Profile, View, canonicalize};

#[track_caller]
fn all(cases: &[(&str, &str)]) {
    for (target, expected) in cases {
        assert_eq!(flags(&get(target)), *expected, "{target}");
    }
}

fn standard(request: &str) -> String {
    with(Profile::Standard, View::Shape, request)
}

fn header(line: &str) -> String {
    standard(&format!("GET / HTTP/1.1\r\nHost: ex.com\r\n{line}\r\n\r\n"))
}

const FORM: &str = "application/x-www-form-urlencoded";

#[test]
fn orphans() {
    let document = standard("GET / HTTP/1.1\r\n foo  bar\r\nHost: ex.com\r\n\r\n");
    assert_eq!(line(&document, "M:"), "M:GET [BADHDRCONT]");
    assert_eq!(line(&document, "H:?"), "H:?=<words:7:%20> [WSPAD]");
    assert_eq!(line(&document, "HCNT:"), "HCNT:2 HLEN:19@16-31");
    let core = with(Profile::Core, View::Shape, "GET / HTTP/1.1\r\n foo  bar\r\nHost: ex.com\r\n\r\n");
    assert_eq!(line(&core, "HCNT:"), "HCNT:1 HLEN:12@0-15");
    // In order of arrival, its line ends on `M`; blanks alone are a line.
    let document = standard("GET / HTTP/1.1\r\n \t\r\nnocolon\r\n '\ra\r\nHost: ex.com\r\n\r\n");
    let shown: Vec<&str> = document.lines().filter(|line| line.starts_with("H:?")).collect();
    assert_eq!(shown, ["H:?=<mixed:0>", "H:?=<lower:7> [BADHDRLINE]", "H:?=<mixed:3:%20'> [QUOTE]"]);
    assert_eq!(line(&document, "M:"), "M:GET [BADCRLF] [BADHDRCONT]");
    // A credential is hidden and gives a needle.
    let document =
        standard("GET /?q=hunter2hunter2 HTTP/1.1\r\n password=hunter2hunter2\r\nHost: ex.com\r\n\r\n");
    assert_eq!(line(&document, "H:?"), "H:?=<SECRET:mixed:23>");
    assert!(line(&document, "U:").ends_with("?q=<SECRET:alnum:14>"), "{document}");
}

#[test]
fn unreserved_escapes() {
    all(&[
        ("/?u=a%2Eb", ""),
        ("/?u=%2Eb", "PCTUNRES"),
        ("/?u=%61", "PCTUNRES"),
        ("/?u=a%2E%2Fb", "PCTUNRES"),
        ("/a%2Eb", "PCTUNRES"),
        ("/%61dmin", "PCTUNRES"),
    ]);
}

#[test]
fn ordinary_controls() {
    all(&[
        ("/?a=%00", "CONTROL NUL QNUL"),
        ("/?a=x%0Dy", "CONTROL"),
        ("/?a=%E2%80%8Fb", "CONTROL"),
        ("/?a=%E2%80%8F%D7%90", ""),
        ("/?a=%E2%80%8E1%D8%B4", ""),
        ("/?a=%E2%80%AE%D7%90", "CONTROL"),
        ("/?a=%E2%80%8B%D7%90", "INVISIBLE"),
    ]);
    assert_eq!(flags(&standard(&post(FORM, "a=x%0D%0Ay%09"))), "");
    assert_eq!(flags(&standard(&post(FORM, "a=x%01"))), "CONTROL");
    assert_eq!(flags(&standard(&post(FORM, "a=x%0D%0Aaccept:y"))), "CRLFINJ");
    let core = with(Profile::Core, View::Shape, &request("/?a=%E2%80%8F%D7%90"));
    assert_eq!(flags(&core), "CONTROL");
}

#[test]
fn overlong_bytes() {
    let raised = |target: &str| flags(&get(target)).split(' ').any(|flag| flag == "OVERLONG");
    for target in [
        "/%C0%AFetc",
        "/?a=%BF%27",
        "/?a=%C1%81",
        "/?a=%E0%80%AF",
        "/?a=%F0%8F%BF%BF",
        "/?a=%ED%A0%80",
        "/?a=%F4%90%80%80",
        "/?a=%F5%80%80%80",
        "/?a=%F8%80%80%80%AF",
        "/?a=%FC%80%80%80%80%AF",
        "/?a=%C0/",
        "/?a=%C0%3C",
        "/?a=%C1%1C",
        "/?a=%BCscript%BE",
        "/?a=%BC/x%3E",
        "/?a=%A1%5C",
        "/a%BF%5Cb",
        "/?a=%25C0%25AF",
        "/?a=%BF%E2%80%99",
    ] {
        assert!(raised(target), "{target}");
    }
    for target in [
        "/?a=Ma%F1ana",
        "/?a=%E9%22",
        "/?a=%C0",
        "/?a=%BC1",
        "/?a=%BCscript",
        "/?a=%AA%27",
        "/?a=%BA%27",
        "/?a=%80%27",
        "/?a=%E0%A0%41",
        "/?a=%C3%A9%27",
    ] {
        assert!(!raised(target), "{target}");
    }
    assert_eq!(line(&get("/?a=%BF%27"), "FLAGS:"), "FLAGS:[BADUTF8 DOUBLEPCT HOME OVERLONG QNONASCII QUOTE]");
}

#[test]
fn spaces_and_quotes() {
    all(&[
        ("/a%20", "DOTTAIL SPACE"),
        ("/a%20b", ""),
        ("/%20b", "SPACE"),
        ("/?a%20b=1", "SPACE"),
        ("/?a=%22x%22", ""),
        ("/?a=%22%22", "QUOTE"),
        ("/?a=%22x", "QUOTE"),
        ("/?a='x'", "QUOTE"),
        ("/?a=%22x'y%22", "QUOTE"),
        ("/?a=%22x%5Cy%22", "BACKSLASH QUOTE"),
        ("/?%22x%22=1", "QUOTE"),
    ]);
    let core = |target: &str| flags(&with(Profile::Core, View::Shape, &request(target)));
    assert_eq!(core("/a%20b"), "SPACE");
    assert_eq!(core("/?a=%22x%22"), "QUOTE");
    assert_eq!(flags(&standard(&post(FORM, "a=%22x%22"))), "");
}

#[test]
fn json_in_headers() {
    assert_eq!(flags(&header(r#"X-Filter: {"a":"b"}"#)), "");
    assert_eq!(flags(&header(r#"X-Filter: {"a":"b'"}"#)), "QUOTE");
    assert_eq!(flags(&header(r#"X-Filter: {"a":["b","\u003c"]}"#)), "ANGLE");
    assert_eq!(flags(&header(r#"X-Filter: {"a;":1}"#)), "SEMICOLON");
    assert_eq!(flags(&header(r#"X-Filter: {"a":1"#)), "BRACE QUOTE");
    assert_eq!(flags(&header(r#"X-Filter: "a""#)), "QUOTE");
    let request = "GET / HTTP/1.1\r\nHost: ex.com\r\nX-Filter: {\"a\":\"b\"}\r\n\r\n";
    assert_eq!(flags(&with(Profile::Core, View::Shape, request)), "BRACE QUOTE");
}

#[test]
fn mail_commands() {
    let form = |value: &str| flags(&standard(&post(FORM, &format!("a=x%0D%0A{value}"))));
    assert_eq!(form("QUIT"), "CRLFINJ");
    assert_eq!(form("%20DATA%0D%0A"), "CRLFINJ");
    assert_eq!(form("STARTTLS"), "CRLFINJ");
    assert_eq!(form("quit"), "");
    assert_eq!(form("QUITE"), "");
}

#[test]
fn serialised_php_in_cookies() {
    assert_eq!(flags(&header("Cookie: a=a:1:{s:1:x}")), "COOKIE:1");
    let object = flags(&header("Cookie: a=O:1:\"x\""));
    assert!(object.contains("SERIAL:php"), "{object}");
    assert!(flags(&get("/?a=a:1:%7Bs:1:x%7D")).contains("SERIAL:php"));
}

#[test]
fn urls_in_paths() {
    let one = "URLIP URLLOCAL URLVALUE:http";
    all(&[
        ("/p/http:/127.0.0.1/x", one),
        ("/p/http:/./127.0.0.1/x", &format!("DOTCUR {one}")),
        ("/p/http://127.0.0.1/x", &format!("MULTIPLESLASH {one}")),
        ("/p/foo:/127.0.0.1/x", ""),
        ("/?a=http:/x", ""),
        ("//127.0.0.1/x", "MULTIPLESLASH NETPATH URLIP URLLOCAL"),
        ("/%5C127.0.0.1/x", "NETPATH PCTBACKSLASH URLIP URLLOCAL"),
        ("/a//127.0.0.1/x", "MULTIPLESLASH"),
    ]);
}

#[test]
fn numeric_hosts() {
    all(&[
        ("/?u=http://0x7f.1/", "URLIP URLLOCAL URLVALUE:http"),
        ("/?u=http://7147006462/", "URLIP URLLOCAL URLVALUE:http"),
        ("/?u=http://6425673729/", "URLIP URLLOCAL URLVALUE:http"),
        ("/?u=http://383.256.256.257/", "URLIP URLLOCAL URLVALUE:http"),
        ("/?u=http://127.16777217/", "URLVALUE:http"),
    ]);
}

#[test]
fn redirects() {
    all(&[
        ("/?next=%2F%2Fevil.example", "REDIRECT"),
        ("/?next=/%5Cevil.example", "BACKSLASH REDIRECT"),
        ("/?next=/a//b", ""),
        ("/?next=//", ""),
        ("/?q=//evil.example", ""),
        ("/?a%5BReturn-Url%5D=//evil.example", "REDIRECT"),
        ("/?a.return_url=%09//%5Bx", "CONTROL REDIRECT"),
        ("/?next.a=//evil.example", ""),
        ("/?next=%252F%252Fevil.example", "DOUBLEPCT PCTVALUE REDIRECT"),
        ("/?url=localhost/", "URLLOCAL"),
        ("/?url=LOCALHOST:80", "URLLOCAL"),
        ("/?url=localhost", ""),
        ("/?q=localhost/", ""),
        ("/?url=metadata/", ""),
        ("/?url=a.internal/", "URLLOCAL"),
        ("/?url=127.0.0.1/", "URLLOCAL"),
        ("/?url=127.1/", ""),
        ("/?url=8.8.8.8/", ""),
    ]);
    let json = |body: &str| flags(&standard(&post("application/json", body)));
    assert_eq!(json(r#"{"return_url":"//evil.example"}"#), "REDIRECT");
    assert_eq!(json(r#"{"next":["//evil.example"]}"#), "REDIRECT");
    assert_eq!(json(r#"{"url":"//evil.example"}"#), "");
    assert_eq!(json(r#"{"next":{"a":"//evil.example"}}"#), "");
    assert_eq!(json(r#"{"next":{},"a":"//evil.example"}"#), "");
    let xml = |body: &str| flags(&standard(&post("text/xml", body)));
    assert_eq!(xml("<a><next>//evil.example</next></a>"), "REDIRECT");
    assert_eq!(xml("<a><url>//evil.example</url></a>"), "");
    assert_eq!(xml("<a next='//evil.example'>//x</a>"), "REDIRECT");
    assert_eq!(xml("<next><a>//evil.example</a></next>"), "");
    assert_eq!(flags(&standard(&post(FORM, "url=//evil.example"))), "REDIRECT");
}

#[test]
fn remote_inclusion() {
    let raised = |document: &str| flags(document).split(' ').any(|flag| flag == "RFI");
    for target in [
        "/?x=hTTp://ex.org/a",
        "/?x=http://ex.org/a?",
        "/?x=http://ex.org/a???",
        "/?x=http?",
        "/?x=ftps?",
        "/?http://ex.org/a",
        "/?http?",
    ] {
        assert!(raised(&get(target)), "{target}");
    }
    for target in [
        "/?x=http://ex.org/a",
        "/?x=http://ex.org/a?b",
        "/?x=http://ex.org/?a?",
        "/?x=HTTP://ex.org/a",
        "/?x=hTTp://ex.org/a%20b",
        "/?x=httpfoo?",
        "/?x=hTTp:",
        "/?http://ex.org/a=1",
    ] {
        assert!(!raised(&get(target)), "{target}");
    }
    let hidden = get("/?x=hTTp%253A%252F%252Fex.org%252Fa");
    assert_eq!(flags(&hidden), "DOUBLEPCT PCTVALUE RFI URLVALUE:http");
    assert!(raised(&header("Cookie: a=hTTp://ex.org/a")));
    assert!(!raised(&header("X-A: hTTp://ex.org/a")));
    assert!(raised(&standard(&post(FORM, "x=http?"))));
    assert!(raised(&standard(&post("application/json", r#"{"x":"http://ex.org/a?"}"#))));
    assert!(raised(&standard(&post("application/json", r#"{"http?":"x"}"#))));
}

#[test]
fn calls() {
    let raised = |target: &str| flags(&get(target)).contains("KW:");
    for target in ["/?a=sleep+(5)", "/?a=floor+(", "/?a=sleep.(5)", "/?a=$x+(4)", "/?a=$__[o](4)"] {
        assert!(raised(target), "{target}");
    }
    for target in
        ["/?a=lower+(x)", "/?a=count+(x)", "/?a=$x+(y)", "/?a=xsleep+(5)", "/?a=sleep..(5)", "/?a=sleep+.(5)"]
    {
        assert!(!raised(target), "{}", get(target));
    }
    all(&[("/?q=union+of+select+sets", ""), ("/?q=lower+(x)", "PAREN")]);
}

#[test]
fn best_fit() {
    all(&[
        ("/?a=%EF%BC%9Cb", "ANGLE BESTFIT"),
        ("/?a=%EF%BC%88b", "PAREN"),
        ("/?a=%E2%80%98b%E2%80%99", ""),
        ("/?a=%E2%80%98+or+%E2%80%981%E2%80%98=%E2%80%981", "KW:sql"),
    ]);
    assert_eq!(flags(&header("Cookie: a=\u{FF1C}\u{FF08}")), "BESTFIT COOKIE:1");
}

#[test]
fn url_headers() {
    assert_eq!(flags(&header("Referer: /a%252Eb?x=%FF")), "BADUTF8 DOUBLEPCT PCTVALUE");
    assert_eq!(flags(&header("Referer: /a/?b&c=&u=http://x")), "");
}

#[test]
fn boundaries() {
    for (value, raised) in [
        ("multipart/form-data; boundary=application/json", true),
        ("text/plain; Boundary=\"Text/plain\"", true),
        ("text/plain; boundary=charset=utf-8", true),
        ("text/plain; boundary=a/b", false),
        ("text/plain; boundary=text/", false),
        ("text/plain; x=text/plain", false),
    ] {
        let document = header(&format!("Content-Type: {value}"));
        let shown = line(&document, "H:content-type");
        assert_eq!(shown.ends_with(" [BADBOUNDARY]"), raised, "{document}");
    }
}

#[test]
fn counted_blanks() {
    let length = |line_text: &str| line(&header(line_text), "HCNT:").to_string();
    for (a, b) in [
        ("Accept: text/html,*/*", "Accept: text/html, */*"),
        ("Accept-Language: en;q=0.5", "Accept-Language: en ; q = 0.5"),
        ("Accept-Encoding: gzip,br", "Accept-Encoding: gzip ,br"),
    ] {
        assert_eq!(length(a), length(b), "{a}");
    }
    assert_ne!(length("Accept: a b"), length("Accept: ab"));
    assert_ne!(length("X-A: a,b"), length("X-A: a, b"));
}

#[test]
fn parts_and_extensions() {
    let part = |disposition: &str| {
        let body = format!("--b\r\nContent-Disposition: form-data; {disposition}\r\n\r\nx\r\n--b--\r\n");
        flags(&standard(&post("multipart/form-data; boundary=b", &body)))
    };
    assert_eq!(part("name=\"a;b\""), "BADBODY SEMICOLON");
    assert_eq!(part("name=\"ab\""), "");
    assert_eq!(part("name=a; x=\"a;b\""), "SEMICOLON");
    assert_eq!(part("name=a; filename=\"a. php\""), "EXECEXT");
    assert_eq!(part("name=a; filename=\"a.x php\""), "");
    assert_eq!(part("name=a; filename=\"example.com.pdf\""), "");
}

#[test]
fn stray_bytes_in_headers() {
    let request = b"GET / HTTP/1.1\r\nHost: ex.com\r\nX-A: caf\xE9\r\n\r\n";
    assert_eq!(flags(&canonicalize(request, &Options::default())), "BADUTF8");
    let request = b"GET / HTTP/1.1\r\nHost: ex.com\r\nX-A: a\xC0\xAF\r\n\r\n";
    assert_eq!(flags(&canonicalize(request, &Options::default())), "BADUTF8 OVERLONG");
}
