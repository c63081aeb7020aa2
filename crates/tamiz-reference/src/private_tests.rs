//! Examples and near misses of 5.26–5.28, 6.10–6.14 and 8.27.

use crate::value_tests::{get, line, with};
use crate::{Profile, View};

fn standard(request: &str) -> String {
    with(Profile::Standard, View::Shape, request)
}

/// The path that `P` shows.
#[track_caller]
fn path(target: &str) -> String {
    let document = get(target);
    line(&document, "P:").strip_prefix("P:").unwrap().split(' ').next().unwrap().to_string()
}

/// `PLEN` and `PMAX` of a path.
fn lengths(profile: Profile, target: &str) -> String {
    let document = with(profile, View::Shape, &crate::value_tests::request(target));
    let line = line(&document, "P:");
    let from = line.find("PLEN:").unwrap();
    line[from..].split(" [").next().unwrap().to_string()
}

#[test]
fn segments_that_identify() {
    for (target, shown) in [
        ("/u/0b5d1b52-3c3f-4f6f-9f0e-0123456789ab", "/u/<uuid:36>"),
        ("/f/0b5d1b52-3c3f-4f6f-9f0e-0123456789ab.json", "/f/<mixed:41:-.>"),
        ("/id=0123456789abcdef", "/<mixed:19:%3D>"),
        ("/4111-1111-1111-1111", "/<slug:19>"),
        ("/GB82%20WEST%201234%205698%207654%2032", "/<words:27:%20>"),
        ("/+34600123456", "/<dec:12>"),
        ("/bot1:abc", "/<mixed:8:%3A>"),
        // A uuid inside; runs of 20; long ones; parts between dots.
        ("/x_0b5d1b52-3c3f-4f6f-9f0e-0123456789ab_y", "/<slug:40>"),
        ("/abcdefghijklmnop1234", "/<lowernum:20>"),
        ("/-abcdefghijklmnop1234-", "/<mixed:22:->"),
        ("/12345678901234567890", "/<num:20>"),
        ("/a.Abcdefghijklmnopqrs1", "/<mixed:22:.>"),
        ("/a.b@c.de", "/<email:8:.@>"),
        ("/v,1.2.3.4", "/<mixed:9:%2C.>"),
        // Cards, IBANs and phone numbers with other separators.
        ("/4111111111111111", "/<num:16>"),
        ("/4111.1111_1111%201111", "/<mixed:19:%20._>"),
        ("/GB82WEST12345698765432", "/<uppernum:22>"),
        ("/gb82-west-1234-5698-7654-32", "/<slug:27>"),
        ("/+1(555)%20123-4567", "/<mixed:16:%20()+->"),
    ] {
        assert_eq!(path(target), shown, "{target}");
    }
    for target in [
        "/report-2024.pdf",
        "/4111-1111-1111-1112",
        "/1700000000000",
        "/c++",
        "/abcdefghijklmnopqrst",
        // Three digits; both cases without what makes a token; groups of two; a 15-digit hexadecimal number.
        "/abcdefghijklmnopq123",
        "/41-11-11-11-11-11-11-11",
        "/0123456789abcde",
        "/x0b5d1b52-3c3f-4f6f-9f0e-0123456789ag",
        "/GB82-WEST-1234-5698-7654-33",
        "/+34600",
        "/bot:abc",
        "/bot1:",
        "/robot1:abc",
    ] {
        assert_eq!(path(target), target);
    }
    let long = "a-".repeat(32);
    assert_eq!(path(&format!("/{long}")), format!("/{long}"));
    assert_eq!(path(&format!("/{long}b")), "/<slug:65>");
    let core = |target: &str| with(Profile::Core, View::Shape, &crate::value_tests::request(target));
    assert!(core(&format!("/{long}b")).contains(&format!("\nP:/{long}b PLEN:66")));
    // A hidden parameter is judged no further.
    assert_eq!(path("/a;jsessionid=0123456789abcdef"), "/a;jsessionid=<SECRET:hex:16>");
    assert_eq!(path("/a@b.de;jsessionid=AB12"), "/<mixed:22:.%3B%3D@>");
    assert_eq!(path("/bot1:b;jsessionid=AB12"), "/<mixed:22:%3A%3B%3D>");
    let short = "a-".repeat(26);
    assert_eq!(
        path(&format!("/{short};jsessionid={long}")),
        format!("/{short};jsessionid=<SECRET:mixed:64>")
    );
    assert_eq!(path(&format!("/{short}b;jsessionid={long}")), "/<mixed:129:-%3B%3D>");
    assert_eq!(line(&core("/id=0123456789abcdef"), "P:"), "P:/<mixed:19> PLEN:11@0-15 PMAX:10@0-15");
}

#[test]
fn lengths_of_paths() {
    let uuid = "/u/0b5d1b52-3c3f-4f6f-9f0e-0123456789ab";
    assert_eq!(lengths(Profile::Standard, uuid), "PLEN:39@32-63 PMAX:36@32-63");
    assert_eq!(lengths(Profile::Core, uuid), "PLEN:12@0-15 PMAX:9@0-15");
    assert_eq!(lengths(Profile::Standard, "/a;jsessionid=AB12"), "PLEN:18@16-31 PMAX:17@16-31");
    assert_eq!(lengths(Profile::Standard, "/alpha/beta/gamma"), "PLEN:17@16-31 PMAX:5@0-15");
    assert_eq!(lengths(Profile::Standard, "/"), "PLEN:1@0-15 PMAX:0@0-15");
    // Markers of the request count as stated, too; `<more:n>`, and markers elsewhere, as written.
    assert_eq!(lengths(Profile::Standard, "/<num:300>/<mixed:7:*>"), "PLEN:309@256-511 PMAX:300@256-511");
    assert_eq!(lengths(Profile::Standard, "/a;b=<mixed:300:%3E>"), "PLEN:18@16-31 PMAX:17@16-31");
    assert_eq!(lengths(Profile::Standard, "/<more:300>"), "PLEN:11@0-15 PMAX:10@0-15");
    assert_eq!(lengths(Profile::Standard, "/a=<num:300>"), "PLEN:12@0-15 PMAX:11@0-15");
    assert_eq!(lengths(Profile::Standard, "/a;b=<num:300>"), "PLEN:305@256-511 PMAX:304@256-511");
}

#[test]
fn vocabulary() {
    let shown = |name: &str, value: &str| {
        let document = standard(&format!("GET / HTTP/1.1\r\nHost: ex.com\r\n{name}: {value}\r\n\r\n"));
        let start = format!("H:{}=", name.to_ascii_lowercase());
        line(&document, &start)[start.len()..].split(" [").next().unwrap().to_string()
    };
    for (name, value) in [
        ("Connection", "keep-alive"),
        ("Sec-Fetch-Mode", "navigate"),
        ("Cache-Control", "max-age=0, no-cache"),
        ("Cache-Control", "No-Cache;MAX-AGE=1234567890"),
        ("Priority", "u=1, i=?0"),
        ("Sec-CH-UA", "\"Chromium\";v=\"133\", \"Not(A:Brand\";v=\"99\""),
        ("Upgrade", "websocket/13, h2c"),
        ("DPR", "1.5"),
        ("Sec-CH-UA-Platform-Version", "\"\""),
        ("Vary", "*"),
    ] {
        assert_eq!(shown(name, value), value, "{name}");
    }
    for (name, value, marker) in [
        ("X-Customer", "4711", "<num:4>"),
        ("DNT", "yes", "<lower:3>"),
        ("Sec-Fetch-Mode", "navigate-x", "<slug:10>"),
        ("Cache-Control", "max-age=\"0\"", "<mixed:11:\"-%3D>"),
        ("Cache-Control", "no-cache,", "<mixed:9:%2C->"),
        ("Cache-Control", "max-age=12345678901", "<mixed:19:-%3D>"),
        ("Connection", "my-own-name", "<slug:11>"),
        ("DPR", "1.2345", "<dec:6>"),
        ("Upgrade", "websocket/x", "<path:11:%2F>"),
        ("Sec-CH-UA", "\"Chrome1\";v=\"133\"", "<mixed:17:\"%3B%3D>"),
        ("DNT", "", "<mixed:0>"),
    ] {
        assert_eq!(shown(name, value), marker, "{name}");
    }
    let request = "GET / HTTP/1.1\r\nHost: ex.com\r\nX-Customer: 4711\r\n\r\n";
    assert_eq!(line(&with(Profile::Core, View::Shape, request), "H:x-"), "H:x-customer=4711");
    assert_eq!(line(&with(Profile::Standard, View::Literal, request), "H:x-"), "H:x-customer=4711");
}

#[test]
fn sensitive_names() {
    let sensitive = |name: &str| crate::names::is_sensitive(&crate::chars::text(name));
    for name in [
        "api_key",
        "X-Auth",
        "my-pin",
        "Contraseña",
        "MI_CLAVE",
        "用户密码",
        "pwd",
        "Access-Token",
        "SSO",
        "mot-de-passe",
        "motDePasse",
        "PASSWORT",
        "kennwort2",
        "hasło",
        "HASŁO",
        "şifre",
        "ŞİFRE",
        "Пароль",
        "パスワード",
        "ﾊﾟｽﾜｰﾄﾞ",
        "비밀번호",
        "كلمة_المرور",
        "recoverycode",
        "PHPSESSID",
        "cvv2",
        "a.totp[0]",
        "x_pw",
        // Look-alikes, full width, invisible characters, one more decoding.
        "pаssword",
        "ＰＷ",
        "p\u{200B}wd",
        "p%77d",
        "p&#119;d",
        "p%26%23119;d",
        "ＰＡＳＳ",
        "contrasen\u{303}a",
        "ñpin",
        "keyé",
        "p\u{202E}wd",
        // A look-alike of a whole word.
        "ріn",
        "KΕY",
    ] {
        assert!(sensitive(name), "{name}");
    }
    for name in [
        "spinner",
        "enclave",
        "assess",
        "monkey",
        "keyboard",
        "pwm",
        "cvc2",
        "totps",
        "claves",
        "ñclave",
        "pw\u{301}",
        "p1n",
        "мир",
        "p%2577d",
        "клаve",
    ] {
        assert!(!sensitive(name), "{name}");
    }
    let document = get("/?p%2577d=x");
    assert!(line(&document, "U:").ends_with("=<SECRET:alpha:1>"), "{document}");
    assert_eq!(path("/a;p%2577d=x"), "/a;p%77d=<SECRET:alpha:1>");
    assert_eq!(path("/a;%D0%BF%D0%B0%D1%80%D0%BE%D0%BB%D1%8C=x"), "/a;пароль=<SECRET:alpha:1>");
}

#[test]
fn families_of_tokens() {
    let text = crate::chars::text;
    let hidden = |value: &str| crate::secrets::Secrets::new(false).has_credential(&text(value));
    let digits = "0123456789".repeat(6);
    let n = |count: usize| &digits[..count];
    for value in [
        "sk_live_0123456789".into(),
        format!("key-{}", n(32)),
        format!("x key-{}.", n(32)),
        format!("SK{}", n(32)),
        format!("s.{}", n(24)),
        format!("12345:A{}", n(30)),
        format!("x12345 12345:A{}", n(30)),
        format!("{}.abcdef.{}", n(24), n(27)),
        format!("a.webhook.office.com/webhookb2/{}", n(20)),
        format!("abc1Q~{}", n(31)),
        format!("abcdef_{}_mmk", n(29)),
        format!("patabcdefghijklmn.{}", n(40)),
        format!("EAAA{}", n(58)),
        format!("cloudinary://{}:{}", n(15), n(20)),
        format!("PMAK-{}-{}", n(20), n(20)),
    ] {
        assert!(hidden(&value), "{value}");
    }
    for value in [
        "sk_live_012345678".into(),
        "Xsk_live_0123456789".into(),
        format!("key-{}", n(31)),
        format!("key-{}", n(33)),
        format!("key-{}g", n(32)),
        format!("xSK{}", n(32)),
        format!("s.{}", n(25)),
        format!("1234:A{}", n(30)),
        format!("x12345:A{}", n(30)),
        format!("{}:A{}", n(17), n(30)),
        format!("{}.abcde.{}", n(24), n(27)),
        format!("{}.abcdef.{}", n(29), n(27)),
        format!("xabc1Q~{}", n(31)),
        format!("xabcdef_{}_mmk", n(29)),
        format!("EAAA{}", n(55)),
        format!("EAAA{}0", n(60)),
    ] {
        assert!(!hidden(&value), "{value}");
    }
}

#[test]
fn credentials_by_content() {
    let text = crate::chars::text;
    let hidden = |value: &str| crate::secrets::Secrets::new(false).has_credential(&text(value));
    for value in [
        "https://ex.com/?token=abc",
        "password: hunter2",
        "contraseña=hunter2",
        "contraseña＝hunter2",
        "contraseña：hunter2",
        "root:hunter2@tcp(db:3306)/x",
        "root:hunter2@UNIX(/tmp/x)",
        "ftp:\\\\u:hunter2@h",
        "\\\\u@h",
        "/\\u@h",
        "ApiKey abcdef",
        "apikey a1",
        "SharedKey account:abc=",
        "SharedKeyLite account:abc=",
        "Hawk id=\"dh\", mac=\"x\"",
        "password=\u{1}x",
    ] {
        assert!(hidden(value), "{value}");
    }
    for value in [
        "root@tcp(db)",
        ":hunter2@tcp(db)",
        "root:@tcp(db)",
        "root:hunter2@tcpx(db)",
        "root: hunter2@tcp(db)",
        "apikey abc",
        "SharedKey account",
        "Hawk dove",
        "x\\\\u@h",
        "ftp:\\\\h\\u@h",
        "contraseñaＸhunter2",
        "password=\u{1}",
    ] {
        assert!(!hidden(value), "{value}");
    }
}

/// The value of the header `X-A`, beside the given request.
#[track_caller]
fn echo(head: &str, body: &str, value: &str) -> String {
    let request = format!("{head}X-A: {value}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let document = standard(&request);
    line(&document, "H:x-a=").strip_prefix("H:x-a=").unwrap().split(" [").next().unwrap().to_string()
}

const POST: &str = "POST / HTTP/1.1\r\nHost: ex.com\r\n";

#[test]
fn echoes() {
    // The examples.
    let document = get("/?pwd=visionario&q=xvisionariox");
    assert_eq!(line(&document, "U:"), "U:http://ex.com/?pwd=<SECRET:alpha:10>&q=<SECRET:alpha:12>");
    let document = get("/?pwd=\"visionario\"&q=visionario");
    assert!(line(&document, "U:").ends_with("&q=<SECRET:alpha:10>"), "{document}");
    let form = format!("{POST}Content-Type: application/x-www-form-urlencoded\r\n");
    assert_eq!(echo(&form, "pwd=mi+gran+clave", "mi gran  clave"), "<SECRET:words:13>");

    // Every credential of a text, from the one that is long enough.
    let query = |query: &str| format!("GET /?q={query} HTTP/1.1\r\nHost: ex.com\r\n");
    let two = query("password=hunter2000,token=swordfish9");
    assert_eq!(echo(&two, "", "hunter2000"), "<SECRET:alnum:10>");
    assert_eq!(echo(&two, "", "swordfish9"), "<SECRET:alnum:10>");
    assert_eq!(echo(&two, "", "swordfish8"), "<lowernum:10>");
    let three = query("x//u:hunter2000@h,Bearer%20swordfish9,Basic%20dragonfly7");
    assert_eq!(echo(&three, "", "dragonfly7"), "<SECRET:alnum:10>");
    assert_eq!(echo(&three, "", "swordfish9"), "<SECRET:alnum:10>");
    let order = query("Basic%20dragonfly7,Bearer%20swordfish9");
    assert_eq!(echo(&order, "", "dragonfly7"), "<SECRET:alnum:10>");
    // What follows a part is a text of its own: `//` may begin it.
    let next = query("http://u1234567@h,http://u:hunter2000@h");
    assert_eq!(echo(&next, "", "hunter2000"), "<SECRET:alnum:10>");
    // A run ends at a control character.
    assert_eq!(echo(&query("password=hunter2000%01x"), "", "hunter2000"), "<SECRET:alnum:10>");
    // Markers are taken out, as this form writes them; the part is then all of the text.
    let marker = "GET / HTTP/1.1\r\nHost: ex.com\r\nX-B: <path:9:.%2F>, pin:12345678,\r\n";
    assert_eq!(echo(marker, "", "12345678"), "<num:8>");
    let no_marker = "GET / HTTP/1.1\r\nHost: ex.com\r\nX-B: <path:9:./>, pin:12345678,\r\n";
    assert_eq!(echo(no_marker, "", "12345678"), "<SECRET:num:8>");
    // Sixteen count.
    let many: String = (0..17).map(|at| format!("pwd=hunter{}!,", 1000 + at)).collect();
    assert_eq!(echo(&query(&many), "", "xhunter1015!x"), "<SECRET:mixed:13>");
    assert_eq!(echo(&query(&many), "", "xhunter1016!x"), "<mixed:13:!>");
    // Userinfo, as a data source and in a host.
    assert_eq!(echo(&query("root:hunter2000@tcp(db)/x"), "", "hunter2000"), "<SECRET:alnum:10>");
    assert_eq!(echo(&query("ftp:\\\\u:hunter2000@h"), "", "hunter2000"), "<SECRET:alnum:10>");
    let host = "GET / HTTP/1.1\r\nHost: u:hunter2000@ex.com\r\n";
    assert_eq!(echo(host, "", "hunter2000"), "<SECRET:alnum:10>");
    // Of `authorization`.
    let hawk = format!("{POST}Authorization: Hawk id=\"dh37fgj\", mac=\"6R4rV5iE+NPo=\"\r\n");
    assert_eq!(echo(&hawk, "", "6R4rV5iE+NPo="), "<SECRET:mixed:13>");
    assert_eq!(echo(&hawk, "", "dh37fgj492je"), "<lowernum:12>");
    let digest = format!("{POST}Authorization: Digest username=\"ann\", response=\"6629fae49393\"\r\n");
    assert_eq!(echo(&digest, "", "6629fae49393"), "<SECRET:hex:12>");
    let nested = format!("{POST}Authorization: x y,pass=x/mac:hunter2000\r\n");
    assert_eq!(echo(&nested, "", "hunter2000"), "<SECRET:alnum:10>");
    let shared = format!("{POST}Authorization: SharedKey account:hunter2000=\r\n");
    assert_eq!(echo(&shared, "", "hunter2000="), "<SECRET:mixed:11>");
    // Plain forms: compatibility forms, blanks and `+` on either side.
    assert_eq!(echo(&query("x&pwd=mi+gran+clave"), "", "mi gran clave"), "<SECRET:words:13>");
    assert_eq!(echo(&query("x&pwd=%EF%BD%88unter2000"), "", "hunter2000"), "<SECRET:alnum:10>");
    assert_eq!(echo(&query("x&pwd=mi%20%09gran"), "", "mi+gran"), "<mixed:7:+>");
    assert_eq!(echo(&query("x&pwd=mi%20%09grano"), "", "mi+grano"), "<SECRET:mixed:8>");
}

#[test]
fn needles_of_what_is_not_shown() {
    let multipart = |body: &str, value: &str| {
        let head = format!("{POST}Content-Type: multipart/form-data; boundary=b\r\n");
        echo(&head, &body.replace('\n', "\r\n"), value)
    };
    let secret = "<SECRET:alnum:10>";
    let part = |head: &str| format!("--b\nContent-Disposition: form-data; name=a\n{head}\n\n1\n--b--\n");
    assert_eq!(multipart(&format!("password=hunter2000\n{}", part("X: y")), "hunter2000"), secret);
    assert_eq!(multipart(&format!("hunter2000\n{}", part("X: y")), "hunter2000"), "<lowernum:10>");
    assert_eq!(multipart(&format!("{}password=hunter2000\n", part("X: y")), "hunter2000"), secret);
    assert_eq!(multipart(&part("password=hunter2000"), "hunter2000"), secret);
    assert_eq!(multipart(&part("X-Token: hunter2000"), "hunter2000"), secret);
    assert_eq!(multipart(&part("X-Other: hunter2000"), "hunter2000"), "<lowernum:10>");
    assert_eq!(multipart(&part("X-Other: Bearer hunter2000"), "hunter2000"), secret);
    assert_eq!(multipart(&part("Cookie: a=1; sid=hunter2000"), "hunter2000"), secret);
    assert_eq!(multipart(&part("Authorization: x hunter2000"), "hunter2000"), secret);

    let xml = |body: &str, value: &str| echo(&format!("{POST}Content-Type: text/xml\r\n"), body, value);
    assert_eq!(xml("<a><!-- password=hunter2000 --></a>", "hunter2000"), secret);
    assert_eq!(xml("<a><!-- hunter2000 --></a>", "hunter2000"), "<lowernum:10>");
    assert_eq!(xml("<a><?php $password=hunter2000 ?></a>", "hunter2000"), secret);
    assert_eq!(xml("<!DOCTYPE a SYSTEM 'http://u:hunter2000@h/'><a/>", "hunter2000"), secret);
    assert_eq!(xml("<!DOCTYPE a [<!ENTITY password 'hunter2000'>]><a/>", "hunter2000"), secret);
    assert_eq!(xml("<!DOCTYPE a [<!ENTITY % password 'hunter2000'>]><a/>", "hunter2000"), secret);
    assert_eq!(xml("<!DOCTYPE a [<!ENTITY other 'hunter2000'>]><a/>", "hunter2000"), "<lowernum:10>");
    assert_eq!(xml("<?xml version='password=hunter2000'?><a/>", "hunter2000"), secret);

    let chunked = |body: &str, value: &str| {
        let request = format!("{POST}Transfer-Encoding: chunked\r\nX-A: {value}\r\n\r\n{body}");
        line(&standard(&request), "H:x-a=").to_string()
    };
    let secret = "H:x-a=<SECRET:alnum:10>";
    assert_eq!(chunked("1;token=hunter2000\r\na\r\n0\r\n\r\n", "hunter2000"), secret);
    assert_eq!(chunked("1;other=hunter2000\r\na\r\n0\r\n\r\n", "hunter2000"), "H:x-a=<lowernum:10>");
    assert_eq!(chunked("1\r\na\r\n0;token=hunter2000\r\n\r\n", "hunter2000"), secret);
    assert_eq!(chunked("1\r\na\r\n0\r\nX-Token: hunter2000\r\n\r\n", "hunter2000"), secret);
    assert_eq!(chunked("1\r\na\r\n0\r\npassword=hunter2000\r\n\r\n", "hunter2000"), secret);
    assert_eq!(chunked("1\r\na\r\n0\r\nX-Other:\r\n Bearer hunter2000\r\n\r\n", "hunter2000"), secret);
    assert_eq!(
        chunked("1\r\na\r\n0\r\nX-Token:\r\n\thunter\r\n 2000\r\n\r\n", "hunter 2000"),
        "H:x-a=<SECRET:words:11>"
    );
    assert_eq!(chunked("1\r\na\r\n0\r\n\r\nX-Token: hunter2000\r\n", "hunter2000"), secret);
    assert_eq!(chunked("1\r\na\r\n0\r\n\r\nX-Other: hunter2000\r\n", "hunter2000"), "H:x-a=<lowernum:10>");
    assert_eq!(chunked("1\r\na\r\n0\r\nX-Other: hunter2000\r\n\r\n", "hunter2000"), "H:x-a=<lowernum:10>");
}
