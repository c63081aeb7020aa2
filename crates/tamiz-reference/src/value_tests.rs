//! Examples and near misses of 5.4, 5.6, 6.15, 6.19 and 6.20.

use crate::{Options, Profile, View, canonicalize};

pub(crate) fn with(profile: Profile, view: View, request: &str) -> String {
    canonicalize(request.as_bytes(), &Options { profile, view, ..Options::default() })
}

/// The document of a `GET` with a valid host.
pub(crate) fn get(target: &str) -> String {
    with(Profile::Standard, View::Shape, &request(target))
}

pub(crate) fn request(target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: ex.com\r\n\r\n")
}

pub(crate) fn post(content_type: &str, body: &str) -> String {
    format!(
        "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// The line of a document that begins so.
#[track_caller]
pub(crate) fn line<'a>(document: &'a str, start: &str) -> &'a str {
    document.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{start} in\n{document}"))
}

/// The text after the host in `U`.
#[track_caller]
fn url(document: &str) -> &str {
    line(document, "U:http://ex.com").strip_prefix("U:http://ex.com").unwrap()
}

const FORM: &str = "application/x-www-form-urlencoded";

#[test]
fn sets_of_signs() {
    for (target, shown) in [
        ("/?q=a*b,c", "/?q=<mixed:5:*%2C>"),
        ("/?q=a+b%2Bc", "/?q=<mixed:5:%20+>"),
        ("/?q=a%20b", "/?q=<words:3:%20>"),
        ("/?q=%C3%B1", "/?q=<words:1>"),
        ("/?q=a&plus;b", "/?q=<mixed:3:+>"),
        ("/?q=", "/?q=<mixed:0>"),
        ("/?q=%FF", "/?q=<mixed:1>"),
        ("/?q=%7F%00b%7E", "/?q=<mixed:4:%00%7E%7F>"),
        ("/?q=a@ex.com", "/?q=<email:8:.@>"),
        ("/?q=img/a.png", "/?q=<path:9:.%2F>"),
        ("/?q=http://x/%3Fa%5B%5D", "/?q=<uaxurl:13:%2F%3A%3F%5B%5D>"),
        ("/?q=!\"$'()*-.@\\^_`{}", "/?q=<mixed:16:!\"$'()*-.@\\^_`{}>"),
        (
            "/?q=%23%25%26%2C%2F%3A%3B%3C%3D%3E%3F%5B%5D%7C",
            "/?q=<mixed:14:%23%25%26%2C%2F%3A%3B%3C%3D%3E%3F%5B%5D%7C>",
        ),
        // Shapes that are not open have none.
        ("/?q=a-b_c", "/?q=<slug:5>"),
        ("/?q=-1.5", "/?q=<dec:4>"),
        // Secrets have none.
        ("/?pwd=a*b", "/?pwd=<SECRET:mixed:3>"),
        // A key is no value: its `+` is one.
        ("/?a+b=1", "/?<mixed:3:+>=<num:1>"),
        ("/?a%20b=1", "/?<words:3:%20>=<num:1>"),
        ("/u/a@ex.com", "/u/<email:8:.@>"),
        ("/a#t.o", "/a%23<mixed:3:.>"),
    ] {
        let document = get(target);
        assert_eq!(url(&document).split(" [").next().unwrap(), shown, "{target}");
    }
    assert_eq!(line(&get("/?a+b=1&a+b=2"), "Q:"), "Q:2 KEYS:<mixed:3:+>,<mixed:3:+> [QREPEAT:<mixed:3:+>]");
}

#[test]
fn sets_of_signs_elsewhere() {
    let core = with(Profile::Core, View::Shape, &request("/?q=a*b,c"));
    assert_eq!(url(&core), "/?q=<mixed:5>");
    let full = with(Profile::Full, View::Shape, &request("/?q=abcdefghijkl*mnopq+r"));
    assert_eq!(url(&full), "/?q=<mixed:20~4.3:%20*>");
    assert_eq!(line(&full, "QK:q"), "QK:q=<mixed:20~4.3:%20*>");
    let form = with(Profile::Standard, View::Shape, &post(FORM, "a=b+c%2B&d=b+c"));
    assert_eq!(line(&form, "BK:a"), "BK:a=<mixed:4:%20+>");
    assert_eq!(line(&form, "BK:d"), "BK:d=<words:3:%20>");
    let json =
        with(Profile::Standard, View::Shape, &post("application/json", r#"{"a":"x+y","b":[],"c":true}"#));
    assert_eq!(line(&json, "BK:a"), "BK:a=<mixed:3:+>");
    assert_eq!(line(&json, "BK:b"), "BK:b=<arr:0>");
    assert_eq!(line(&json, "BK:c"), "BK:c=<bool:4>");
    let text = with(Profile::Standard, View::Shape, &post("text/plain", "a b"));
    assert_eq!(line(&text, "B:"), "B:text BLEN:3@0-15 <words:3:%20>");
    let method = with(Profile::Standard, View::Shape, "G(T / HTTP/1.1\r\nHost: ex.com\r\nfoo bar\r\n\r\n");
    assert_eq!(line(&method, "M:"), "M:<mixed:3:(> [BADREQLINE]");
    assert_eq!(line(&method, "H:?"), "H:?=<words:7:%20> [BADHDRLINE]");
    let referer = "GET / HTTP/1.1\r\nHost: ex.com\r\nReferer: /x?a=b+c%2B\r\n\r\n";
    assert_eq!(
        line(&with(Profile::Standard, View::Shape, referer), "H:referer"),
        "H:referer=/x?a=<mixed:4:%20+>"
    );
}

#[test]
fn markers_with_sets() {
    for (value, marker) in [
        ("<num:3>", true),
        ("<mixed:9:'*>", true),
        ("<mixed:9:%2520'*>", true),
        ("<mixed:9:%20'*>", true),
        ("<mixed:9:%25%2526>", true),
        ("<mixed:9:,%253C>>", true),
        ("<mixed:9:%252A>", true),
        ("<words:3~4.1:%2520>", true),
        // Unsorted, twice, empty, in lower case, letters.
        ("<mixed:9:*'>", false),
        ("<mixed:9:**>", false),
        ("<mixed:9:>", false),
        ("<mixed:9:%252c>", false),
        ("<mixed:9:a>", false),
        ("<mixed:9:%2541>", false),
        // Not open; a secret; the set before the entropy.
        ("<slug:9:->", false),
        ("<SECRET:mixed:9:*>", false),
        ("<words:3:%2520~4.1>", false),
    ] {
        let document = get(&format!("/?a={value}"));
        let query = line(&document, "Q:");
        assert_eq!(query.contains("[MARKER]"), marker, "{value}\n{document}");
        assert_eq!(query.contains("[ANGLE]"), !marker, "{value}\n{document}");
        if marker {
            let shown = value
                .replace("%25%2526", "%25%26")
                .replace(",%253C>>", "%2C%3C%3E>")
                .replace("%252A", "*")
                .replace("%252", "%2");
            assert_eq!(url(&document), format!("/?a={shown}"));
        }
    }
    let core = with(Profile::Core, View::Shape, &request("/?a=<mixed:9:*>"));
    assert_eq!(url(&core), "/?a=<mixed:11>");
    // A marker is left and one beside it, under a sensitive name, is not: both are told.
    assert_eq!(line(&get("/?a=<num:3>&pwd=<num:3>"), "Q:"), "Q:2 KEYS:a,pwd [ANGLE] [MARKER]");
    // A path keeps escapes; the set is shown as it is written.
    let segment = get("/<path:9:.%2F>");
    assert_eq!(line(&segment, "P:"), "P:/<path:9:.%2F> PLEN:10@0-15 PMAX:9@0-15 [MARKER] [PCTSLASH]");
    let segment = get("/<mixed:9:%5C%5e>");
    assert_eq!(line(&segment, "P:"), "P:/<mixed:9:\\^> PLEN:10@0-15 PMAX:9@0-15 [MARKER] [PCTBACKSLASH]");
    // What a marker stands for is not scanned in a path as a whole, and its neighbours do not meet.
    for target in ["/<mixed:9:$(>", "/<mixed:9:`>", "/<num:3>/4711/a", "/etc/<num:3>/passwd"] {
        assert!(line(&get(target), "P:").ends_with(" [MARKER]"), "{target}");
        assert_eq!(line(&get(target), "P:").matches('[').count(), 1, "{target}");
    }
    let pwd = get("/?pwd=<num:3>");
    assert_eq!(url(&pwd), "/?pwd=<SECRET:mixed:7>");
}

#[test]
fn origin_form_without_a_host() {
    let standard = |request: &str| with(Profile::Standard, View::Shape, request);
    let document = standard("GET /x?id=7#a HTTP/1.1\r\n\r\n");
    assert_eq!(line(&document, "M:"), "M:GET [BADHOST]");
    assert_eq!(line(&document, "U:"), "U:/x?id=<num:1>%23<lower:1> [FRAGMENT]");
    assert_eq!(line(&document, "P:"), "P:/x PLEN:2@0-15 PMAX:1@0-15");
    let core = with(Profile::Core, View::Shape, "GET /x?id=7#a HTTP/1.1\r\n\r\n");
    assert!(!core.contains("\nU:"), "{core}");
    // A host that is not valid.
    let document = standard("GET /x HTTP/1.1\r\nHost: a_b\r\n\r\n");
    assert_eq!(line(&document, "M:"), "M:GET");
    assert_eq!(line(&document, "U:"), "U:/x");
    assert_eq!(line(&document, "H:host"), "H:host=<slug:3> [BADHDRNAME:host] [BADHOST]");
    // A marker counts without its set in `HLEN`.
    let document = standard("GET /x HTTP/1.1\r\nHost: a b!\r\n\r\n");
    assert_eq!(line(&document, "H:host"), "H:host=<mixed:4:%20!> [BADHDRNAME:host] [BADHOST]");
    assert_eq!(line(&document, "HCNT:"), "HCNT:1 HLEN:15@0-15");
    // What is of the authority stands on `M`, the rest on `U`.
    let document = standard("GET http://u%FF:p@a_b/x#%27 HTTP/1.1\r\nHost: ex.com\r\n\r\n");
    assert_eq!(line(&document, "M:"), "M:GET [BADHOST] [BADUTF8] [DOUBLEPCT] [HOSTMISMATCH] [USERINFO]");
    assert_eq!(line(&document, "U:"), "U:/x%23<mixed:1:'> [FRAGMENT] [QUOTE]");
    let document = standard("GET admin HTTP/1.1\r\n\r\n");
    assert_eq!(line(&document, "U:"), "U:/admin [BADTARGET]");
    // Authority-form needs its host.
    let document = standard("CONNECT a_b:1 HTTP/1.1\r\n\r\n");
    assert!(!document.contains("\nU:"), "{document}");
    assert_eq!(line(&document, "M:"), "M:CONNECT [BADHOST]");
}

#[test]
fn values_that_are_json() {
    // The examples.
    let document = get(r#"/?filter={"user":{"name":"ann"}}"#);
    assert_eq!(url(&document), "/?filter=<json:23>");
    assert_eq!(line(&document, "Q:"), "Q:1 KEYS:filter");
    let document = get(r#"/?f=[1,"a'b"]"#);
    assert_eq!(url(&document), "/?f=<json:9>");
    assert_eq!(line(&document, "Q:"), "Q:1 KEYS:f [QUOTE]");

    for (target, query, flags) in [
        // White space around it and in it; empty ones.
        ("/?f=%0d%0a%09%20{}%20", "f=<json:7>", ""),
        ("/?f=[]", "f=<json:2>", ""),
        // Names are scanned; operators, prototypes and repeats are told.
        (r#"/?f={"a'b":1}"#, "f=<json:9>", " [QUOTE]"),
        (r#"/?f={"$ne":1,"$ne":1}"#, "f=<json:17>", " [DOLLAR] [JDUP] [JOPER] [KW:nosql]"),
        (r#"/?f={"__proto__":{"a":1}}"#, "f=<json:21>", " [KW:js] [PROTO]"),
        (r#"/?f={"a":"\ud800"}"#, "f=<json:14>", " [BADUTF8] [OVERLONG]"),
        (r#"/?f={"a":"<num:3>"}"#, "f=<json:15>", " [MARKER]"),
        (r#"/?f={"@type":"x"}"#, "f=<json:13>", ""),
        // Base64 of {"a":"b'c"}.
        ("/?f=eyJhIjoiYidjIn0=", "f=<json:16>", " [B64TEXT] [QUOTE]"),
        // Bytes beyond ASCII are left out of Base64; only all of a value is Base64.
        ("/?f=eyJhYmNkZWZnaGlqa2xtbm9wIjoiw7EifQ", "f=<json:34>", " [B64TEXT]"),
        (
            "/?f=x%3Bbase64,eyJhIjoiYidjIn0=",
            "f=<mixed:25:%2C%3B%3D>",
            " [B64TEXT] [BRACE] [QUOTE] [SEMICOLON]",
        ),
        // No object or array; more than one value; a BOM; a stray byte.
        ("/?f=%22a%22", "f=<mixed:3:\">", ""),
        ("/?f={}{}", "f=<mixed:4:{}>", " [BRACE]"),
        ("/?f={'a':1}", "f=<mixed:7:'%3A{}>", " [BRACE] [QUOTE]"),
        ("/?f=%EF%BB%BF{}", "f=<mixed:3:{}>", " [BRACE] [INVISIBLE] [QNONASCII]"),
        (r#"/?f=["%FF"]"#, "f=<mixed:5:\"%5B%5D>", " [BADUTF8] [DOUBLEPCT] [QNONASCII] [QUOTE]"),
        // Not in a fragment, a path or a key.
        ("/?{}=1", "<mixed:2:{}>=<num:1>", " [BRACE]"),
        // A marker is one.
        ("/?f=<json:3>", "f=<json:3>", " [MARKER]"),
    ] {
        let document = get(target);
        assert_eq!(url(&document), format!("/?{query}"), "{target}");
        let shown = line(&document, "Q:");
        assert_eq!(shown.find(" [").map_or("", |at| &shown[at..]), flags, "{target}");
    }
    let core = with(Profile::Core, View::Shape, &request("/?f={}"));
    assert_eq!(url(&core), "/?f=<mixed:2>");
    let full = with(Profile::Full, View::Shape, &request(r#"/?f={"abcdefghijklmnop":1}"#));
    assert_eq!(url(&full), "/?f=<json:22~4.4>");
}

#[test]
fn json_in_fields() {
    let standard = |request: &str| with(Profile::Standard, View::Shape, request);
    let form = standard(&post(FORM, "f=%7B%22a%22:+%22x%27%22%7D&g=1"));
    assert_eq!(line(&form, "B:"), "B:form BLEN:31@16-31 [BODYFORM] [QUOTE]");
    assert_eq!(line(&form, "BK:f"), "BK:f=<json:11>");
    let field = |parameters: &str, content: &str| {
        let body = format!(
            "--b\r\nContent-Disposition: form-data; name=\"f\"{parameters}\r\n\r\n{content}\r\n--b--\r\n"
        );
        standard(&post("multipart/form-data; boundary=b", &body))
    };
    assert_eq!(line(&field("", r#"{"a":"b"}"#), "BK:f"), "BK:f=<json:9>");
    assert!(!line(&field("", r#"{"a":"b"}"#), "B:").contains('['));
    assert_eq!(line(&field("; filename=\"a.json\"", r#"{"a":"b"}"#), "BK:f"), "BK:f=<file:9:json>");
    // Leaves of a body are no such values.
    let json = standard(&post("application/json", r#"{"f":"{}"}"#));
    assert_eq!(line(&json, "BK:f"), "BK:f=<mixed:2:{}>");
}

#[test]
fn limits_of_json_in_values() {
    let deep = format!("/?f={}1{}", "[".repeat(33), "]".repeat(33));
    assert_eq!(line(&get(&deep), "M:"), "M:GET [CAPPED]");
    let not_deep = format!("/?f={}1{}", "[".repeat(32), "]".repeat(32));
    assert_eq!(line(&get(&not_deep), "M:"), "M:GET");
    let many = format!("/?f=[{}1]", "1,".repeat(128));
    assert_eq!(line(&get(&many), "M:"), "M:GET [CAPPED]");
    let not_many = format!("/?f=[{}1]", "1,".repeat(127));
    assert_eq!(line(&get(&not_many), "M:"), "M:GET");
    let late = format!("/?f=[{}\"'\"]", "1,".repeat(128));
    assert!(line(&get(&late), "Q:").ends_with(" [QUOTE]"));
    let limits = crate::Limits { body: 8, ..crate::Limits::default() };
    let options = Options { limits, ..Options::default() };
    let document = canonicalize(request("/?f=[12345]&g=[123456]").as_bytes(), &options);
    assert_eq!(url(&document), "/?f=<json:7>&g=<json:8>");
    let document = canonicalize(request("/?f=[1234567]").as_bytes(), &options);
    assert_eq!(url(&document), "/?f=<mixed:9:%5B%5D>");
}

#[test]
fn secrets_of_json_in_values() {
    let literal = |target: &str| with(Profile::Standard, View::Literal, &request(target));
    // A secret leaf.
    let target = r#"/?f={"password":"hunter2000"}"#;
    assert_eq!(url(&get(target)), "/?f=<json:25>");
    assert_eq!(url(&literal(target)), "/?f=<SECRET:json:25>");
    // Lines that have markers in both views are the same in both.
    let full = with(Profile::Full, View::Literal, &request(target));
    assert_eq!(line(&full, "QK:"), "QK:f=<json:25>");
    let form = with(Profile::Standard, View::Literal, &post(FORM, r#"f={"password":"hunter2000"}"#));
    assert_eq!(line(&form, "BK:"), "BK:f=<json:25>");
    assert_eq!(url(&literal(r#"/?f={"a":"b"}"#)), r#"/?f={"a":"b"}"#);
    assert_eq!(url(&literal(r#"/?f={"pin":true}"#)), "/?f=<SECRET:json:12>");
    // It gives a needle, of which another value is an echo.
    let target = r#"/hunter2000/a?f={"password":"hunter\u0032000"}&g=xhunter2000"#;
    assert_eq!(url(&get(target)), "/<SECRET:alnum:10>/a?f=<json:30>&g=<SECRET:alnum:11>");
    // The value echoes a secret.
    let target = r#"/?pwd=hunter2000&f={"a":"hunter2000"}"#;
    assert_eq!(url(&get(target)), "/?pwd=<SECRET:alnum:10>&f=<json:18>");
    assert_eq!(url(&literal(target)), "/?pwd=<SECRET:alnum:10>&f=<SECRET:json:18>");
    // A name that is shown as a secret.
    let target = r#"/?pwd=hunter2000&f={"\u0068unter2000":1}"#;
    assert_eq!(url(&literal(target)), "/?pwd=<SECRET:alnum:10>&f=<SECRET:json:21>");
    // Only a leaf does, by its escapes: a secret leaf.
    let target = r#"/?pwd=hunter/2000&f={"a":"hunter\/2000"}"#;
    assert_eq!(url(&get(target)), "/?pwd=<SECRET:path:11>&f=<json:20>");
    assert_eq!(url(&literal(target)), "/?pwd=<SECRET:path:11>&f=<SECRET:json:20>");
    // Under a sensitive key.
    let target = r#"/x/hunter2000?token={"a":"hunter2000","b":[12345678]}&c=12345678"#;
    assert_eq!(url(&get(target)), "/x/<SECRET:alnum:10>?token=<SECRET:json:33>&c=<SECRET:num:8>");
}

#[test]
fn json_in_cookies() {
    let cookie = |cookie: &str| {
        let request = format!("GET /hunter2000 HTTP/1.1\r\nHost: ex.com\r\nCookie: {cookie}\r\n\r\n");
        with(Profile::Standard, View::Shape, &request)
    };
    let document = cookie(r#"prefs={"a":"x'<b>|y","__proto__":"$x"}"#);
    assert_eq!(line(&document, "H:cookie"), "H:cookie=prefs<len:32> [COOKIE:1] [DOLLAR] [KW:js] [PROTO]");
    // No limit is told.
    let document = cookie(&format!("p=[{}1]", "1,".repeat(200)));
    assert_eq!(line(&document, "M:"), "M:GET");
    // After one percent-decoding, and after Base64.
    let document = cookie("p=%7B%22__proto__%22:1%7D");
    assert_eq!(line(&document, "H:cookie"), "H:cookie=p<len:23> [COOKIE:1] [KW:js] [PROTO]");
    let document = cookie("p=eyJfX3Byb3RvX18iOjF9");
    assert_eq!(line(&document, "H:cookie"), "H:cookie=p<len:20> [B64TEXT] [COOKIE:1] [KW:js] [PROTO]");
    let document = cookie("eyJfX3Byb3RvX18iOjF9");
    assert_eq!(line(&document, "H:cookie"), "H:cookie=<len:20> [B64TEXT] [COOKIE:1] [KW:js] [PROTO]");
    // Its secrets are needles.
    let document = cookie(r#"p={"user":{"password":"hunter2000"}}"#);
    assert_eq!(line(&document, "P:"), "P:/<SECRET:alnum:10> PLEN:11@0-15 PMAX:10@0-15");
    let document = cookie(r#"session={"user":"hunter2000"}"#);
    assert_eq!(line(&document, "P:"), "P:/<SECRET:alnum:10> PLEN:11@0-15 PMAX:10@0-15");
    let document = cookie(r#"p={"user":"hunter2000"}"#);
    assert_eq!(line(&document, "P:"), "P:/hunter2000 PLEN:11@0-15 PMAX:10@0-15");
}
