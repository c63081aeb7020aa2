//! Requests made to hurt, in families: each grows with the size that is asked for, and each stresses
//! one thing.

use std::io::Write as _;

use data_encoding::BASE64;
use flate2::Compression;
use flate2::write::GzEncoder;

/// A family: its name, and its request of about so many bytes.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    make: fn(usize) -> Vec<u8>,
}

impl Family {
    /// The request.
    pub(crate) fn request(&self, size: usize) -> Vec<u8> {
        (self.make)(size)
    }
}

macro_rules! families {
    ($($name:literal => $make:expr,)+) => {
        /// All of them.
        pub(crate) const ALL: &[Family] = &[$(Family { name: $name, make: $make },)+];
    };
}

families! {
    // The query.
    "query: one key repeated" => |n| query(fill("a=1&", n)),
    "query: distinct keys" => |n| query(count(n, |i| format!("k{i:06}=1&"))),
    "query: distinct long keys" => |n| query(count(n, |i| format!("{}{i}=1&", "k".repeat(50)))),
    "query: keys without value" => |n| query(fill("a&", n)),
    "query: distinct keys without value" => |n| query(count(n, |i| format!("{i:x}&"))),
    "query: distinct arrays" => |n| query(count(n, |i| format!("{i:x}[]&"))),
    "query: semicolons" => |n| query(fill("a=1;", n)),
    "query: `=`" => |n| query(fill("=", n)),
    "query: `%25`" => |n| query(fill("%25", n)),
    "query: a `%2525…` tower" => |n| query(join("a=%", &fill("25", n))),
    "query: `%u0041`" => |n| query(join("a=", &fill("%u0041", n))),
    "query: lone `%`" => |n| query(fill("%", n)),
    "query: entities" => |n| query(join("a=", &fill("&#x41;", n))),
    "query: entities never closed" => |n| query(join("a=", &fill("&#x4", n))),
    "query: named entities" => |n| query(fill("&lt;", n)),
    "query: markers" => |n| query(fill("a=<num:1>&", n)),
    "query: Base64, one value" => |n| query(join("a=", &fill("PHNjcmlwdD4x", n))),
    "query: Base64, many values" => |n| query(fill("a=PHNjcmlwdD4x&", n)),
    "query: tokens that look like JWTs" => |n| query(fill("eyJ.", n)),
    "query: values of U+FDFA" => |n| query(join("a=", &fill("\u{FDFA}", n))),
    "query: keys of U+FDFA" => |n| query(fill("\u{FDFA}\u{FDFA}=1&", n)),
    "query: stray bytes" => |n| query(fill("%FF", n)),
    "query: values that raise flags" => |n| query(count(n, |i| format!("k{i}[]=%252e'<;|`${{..%2F&"))),
    "query: Base64 in Base64" => |n| query(count(n, |i| format!("k{i:05}={}&", base64_in_base64(i)))),
    "query: layers of all kinds" => |n| query(join("a=", &fill("%2525&%2523x25%253B25\\u0025", n))),
    "query: numbers without an end" => |n| query(join("a=", &fill("%26%2360", n))),
    "query: one number of many digits" => |n| query(join("a=%26%23", &fill("0", n))),
    "query: overlong forms twice encoded" => |n| query(join("a=", &fill("%25C0%25AE", n))),
    "query: percent in Base64" => |n| query(join("a=", &BASE64.encode(fill("%3Cb%253C", n).as_bytes()))),
    "query: percent in Base64 behind script escapes" => |n| {
        query(join("a=", &script_escapes(&BASE64.encode(fill("%3Cb", n / 8).as_bytes()))))
    },
    "query: many values of three layers" => |n| query(count(n, |i| format!("k{i:05}=\\u0025253Cb&"))),
    "query: keys of marks that grow under NFKC" => |n| query(join("a", &fill("\u{344}", n))),
    // Words and punctuation in a value.
    "value: `select `" => |n| query(join("a=", &fill("select+", n))),
    "value: `or 1=1 `" => |n| query(join("a=", &fill("or+1%3D1+", n))),
    "value: `union/**/`" => |n| query(join("a=", &fill("union/**/", n))),
    "value: parts of entries" => |n| query(join("a=", &fill("select+from+where+", n))),
    "value: `--`" => |n| query(join("a=", &fill("--+", n))),
    "value: `/*`" => |n| query(join("a=", &fill("/*", n))),
    "value: `/*!`" => |n| query(join("a=", &fill("/*!0", n))),
    "value: `;` and spaces" => |n| query(join("a=", &fill("%3B++++++++", n))),
    "value: `|`" => |n| query(join("a=", &fill("|", n))),
    "value: `:`" => |n| query(join("a=", &fill("a:", n))),
    "value: `//`" => |n| query(join("a=", &fill("//", n))),
    "value: `://`" => |n| query(join("a=", &fill("http://", n))),
    "value: `://` and `@`" => |n| query(join("a=", &fill("://a@", n))),
    "value: `${`" => |n| query(join("a=", &fill("${a", n))),
    "value: line ends" => |n| query(join("a=", &fill("%0D%0Aaaa", n))),
    "value: `GET ` lines" => |n| query(join("a=", &fill("%0AGET+", n))),
    "value: `\\x41`" => |n| query(join("a=", &fill("\\x41", n))),
    "value: `O:`" => |n| query(join("a=", &fill("O:1", n))),
    "value: backticks and quotes" => |n| query(join("a=", &fill("`'\"", n))),
    "value: dots" => |n| query(join("a=", &fill("..%2F", n))),
    // The path and the host.
    "path: tokens in segments" => |n| path(fill("ghp_abcdefghijklmnopqrst/", n)),
    "path: segments" => |n| path(fill("a/", n)),
    "path: `../`" => |n| path(fill("../", n)),
    "path: `./`" => |n| path(fill("./", n)),
    "path: `//`" => |n| path(fill("/", n)),
    "path: parameters" => |n| path(fill(";a=b", n)),
    "path: sensitive parameters" => |n| path(count(n, |i| format!(";token=abcdefgh{i}"))),
    "path: entities" => |n| path(fill("&#x41;", n)),
    "path: kept escapes" => |n| path(fill("%2F", n)),
    "path: U+FDFA" => |n| path(fill("\u{FDFA}", n)),
    "path: U+FDFA, encoded" => |n| path(fill("%EF%B7%BA", n)),
    "path: Hangul jamo" => |n| path(fill("\u{1112}\u{1161}\u{11AB}", n)),
    "path: combining marks" => |n| path(join("a", &fill("\u{301}", n))),
    "path: marks out of order" => |n| path(join("a", &fill("\u{301}\u{316}", n))),
    "path: marks that grow under NFKC" => |n| path(join("a", &fill("\u{344}", n))),
    "path: identifiers" => |n| path(fill("123e4567-e89b-12d3-a456-426614174000/", n)),
    "host: one long label" => |n| target(join("http://", &fill("ü", n)) + "/"),
    "host: many labels" => |n| target(join("http://", &fill("ü.", n)) + "/"),
    "host: ASCII labels" => |n| target(join("http://", &fill("a.", n)) + "/"),
    "host: `xn--`" => |n| target(join("http://", &fill("xn--a.", n)) + "/"),
    "userinfo" => |n| target(join("http://", &fill("a:@", n)) + "ex.com/"),
    "fragment" => |n| target(join("/#", &fill("%41#", n))),
    "request line: spaces" => |n| target(fill("a ", n)),
    "request line: the method" => |n| join(&fill("A", n), " / HTTP/1.1\r\nHost: ex.com\r\n\r\n").into_bytes(),
    "request line: empty lines before it" => |n| join(&fill("\r\n", n), "GET / HTTP/1.1\r\n\r\n").into_bytes(),
    // Headers.
    "headers: one that merges" => |n| headers(fill("Accept: a/b\r\n", n)),
    "headers: distinct" => |n| headers(count(n, |i| format!("x-{i}: {i}\r\n"))),
    "headers: duplicates" => |n| headers(fill("x: 1\r\n", n)),
    "headers: long names" => |n| header(&fill("a", n), "1".to_owned()),
    "headers: a name that grows under NFKC" => |n| header(&fill("\u{FDFA}", n), "1".to_owned()),
    "headers: names with `_` and `-`" => |n| headers(count(n, |i| format!("content_length-{i}: 1\r\n"))),
    "headers: `:`" => |n| headers(fill(":\n", n)),
    "headers: `:` alone" => |n| fill(":\n", n).into_bytes(),
    "headers: short names" => |n| count(n, |i| format!("{i:x}:\n")).into_bytes(),
    "headers: `a`" => |n| headers(fill("a\r\n", n)),
    "headers: no colon" => |n| headers(fill("foo bar\r\n", n)),
    "headers: hosts" => |n| headers(count(n, |i| format!("Host: h{i}.com\r\n"))),
    "headers: folded lines" => |n| headers(join("x: a\r\n", &fill(" b\r\n", n))),
    "headers: orphans" => |n| headers(join("foo\r\n", &fill(" b\r\n", n))),
    "headers: embedded line ends" => |n| header("x", fill("\nb: c", n)),
    "headers: white space" => |n| header("x", fill("a \t", n)),
    "headers: lengths of the body" => |n| headers(count(n, |i| format!("Content-Length: {i}\r\n"))),
    "headers: codings of the message" => |n| headers(fill("Transfer-Encoding: chunked\r\n", n)),
    "headers: URLs" => |n| headers(fill("Referer: http://ex.com/a?b=c\r\n", n)),
    "headers: names in `Connection`" => |n| {
        headers(count(n / 2, |i| format!("x-{i}: 1\r\n")) + "Connection: " + &count(n / 2, |i| format!("x-{i}, ")) + "\r\n")
    },
    "header: cookies" => |n| header("Cookie", fill("a=b; ", n)),
    "header: cookies of Base64" => |n| header("Cookie", count(n, |i| format!("c{i}=PHNjcmlwdD4x; "))),
    "header: cookies that hide credentials" => |n| {
        header("Cookie", count(n, |i| format!("c{i:07}={}; ", BASE64.encode(format!("pwd=visionario{i:07}").as_bytes()))))
    },
    "header: cookies without a name" => |n| header("Cookie", fill("a;", n)),
    "header: cookies of no ASCII" => |n| header("Cookie", fill("ñ=;", n)),
    "header: cookie names" => |n| header("Cookie", count(n, |i| format!("c{i}=b; "))),
    "header: session cookies, few letters" => |n| header("Cookie", count(n, |i| format!("SID{i}=x; "))),
    "header: session cookies" => |n| header("Cookie", count(n, |i| format!("session{i}=abcdefgh{i}; "))),
    "header: cookies that are set" => |n| header("Set-Cookie", fill("a=b; Path=/; ", n)),
    "header: user agent, nested comments" => |n| header("User-Agent", fill("(", n)),
    "header: user agent, closed comments" => |n| header("User-Agent", fill("(", n / 2) + &fill(")", n / 2)),
    "header: user agent, words" => |n| header("User-Agent", fill("a/1 (b; c) ", n)),
    "header: accept" => |n| header("Accept", count(n, |i| format!("a/b{i};q=0.{}, ", i % 10))),
    "header: accept-language" => |n| header("Accept-Language", fill("es-ES;q=0.9,", n)),
    "header: forwarded" => |n| header("Forwarded", fill("for=1.2.3.4;by=\"[::1]\", ", n)),
    "header: x-forwarded-for" => |n| header("X-Forwarded-For", fill("10.0.0.1, ", n)),
    "header: quotes never closed" => |n| header("Content-Type", join("a/b", &fill(";a=\"b\\\"", n))),
    "header: quotes" => |n| header("Content-Disposition", join("a", &fill(";a=\"\"\"", n))),
    "header: URL" => |n| header("Referer", join("http://ex.com/?", &fill("a=1&", n))),
    "header: plain text" => |n| header("x", fill("lorem ipsum ", n)),
    "header: `%3C`" => |n| header("x", fill("%3C", n)),
    "header: entities" => |n| header("x", fill("&lt;", n)),
    // Secrets.
    "secrets: many, in the query" => |n| query(count(n, |i| format!("token=abcdefgh{i:06}&"))),
    "secrets: many, echoed" => |n| {
        headers(count(n, |i| format!("x-{i}: see abcdefgh{i}\r\n"))).replace_query(&count(n, |i| format!("token=abcdefgh{i}&")))
    },
    "secrets: 60, sought in one text" => |n| {
        header("x", fill("secret-number-", n)).replace_query(&count(60 * 30, |i| format!("token=secret-number-0{i}&")))
    },
    "secrets: echoed everywhere" => |n| {
        let secret = |i| format!("{i:08}-secret");
        let cookies = count(n / 4, |i| format!("c{i}={}; ", secret(i)));
        let body = count(n / 4, |i| format!("k{i}={}&", secret(i)));
        let lines = count(n / 4, |i| format!("x-{i}: {}\r\n", secret(i)));
        let query = count(n / 4, |i| format!("token={}&", secret(i)));
        format!("POST /?{query} HTTP/1.1\r\nHost: ex.com\r\nContent-Type: {FORM}\r\nCookie: {cookies}\r\n{lines}\r\n{body}").into_bytes()
    },
    "secrets: of a body, sought in headers" => |n| {
        let lines = count(n / 2, |i| format!("x-{i}: {i:08}\r\n"));
        let body = count(n / 2, |i| format!("token={i:08}&"));
        format!("POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: {FORM}\r\n{lines}\r\n{body}").into_bytes()
    },
    "secrets: each the start of the next" => |n| {
        // As many as fit when each has eight characters more than the last.
        let most = (n / 8).isqrt();
        header("x", fill("a", n / 2)).replace_query(&(1..most).map(|i| format!("token={}&", "a".repeat(8 * i))).collect::<String>())
    },
    "secrets: values that look like credentials" => |n| {
        query(count(n, |i| format!("k{i:06}=AKIA{i:016}&l{i:06}=ghp_{i:036}&m{i:06}=Bearer+{i:020}&")))
    },
    "secrets: tokens that are JWTs" => |n| header("x", fill("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl ", n)),
    "secrets: `eyJ` without an end" => |n| header("x", fill("eyJ eyJ", n)),
    "secrets: credentials" => |n| header("x", fill("bearer ", n)),
    "secrets: credentials behind `+`" => |n| query(join("a=", &fill("bearer+", n))),
    "secrets: credentials that overlap" => |n| query(count(n, |i| format!("k{i:06}=pwd=bearer+key=basic+token={i:010}+&"))),
    "secrets: credentials that overlap, in one value" => |n| query(join("a=", &count(n, |i| format!("pwd%3Dbearer+x{i}+")))),
    "secrets: credentials that overlap, in a form" => |n| {
        body(FORM, "", join("a=", &count(n, |i| format!("pwd%3Dbearer+x{i}+"))))
    },
    "secrets: prefixes of credentials" => |n| query(join("a=", &fill("xAKIA", n))),
    "secrets: one of all the size" => |n| header("Authorization", join("Bearer ", &fill("a.b", n))),
    // Bodies.
    "form: one key repeated" => |n| body(FORM, "", fill("a=1&", n)),
    "form: distinct keys" => |n| body(FORM, "", count(n, |i| format!("k{i:07}=1&"))),
    "form: distinct arrays" => |n| body(FORM, "", count(n, |i| format!("{i:x}[]&"))),
    "form: short secrets" => |n| body(FORM, "", fill("pwd=a&", n)),
    "form: secrets" => |n| body(FORM, "", count(n, |i| format!("token=abcdefgh{i:06}&"))),
    "form: values that raise flags" => |n| body(FORM, "", count(n, |i| format!("k{i}[]=%252e'<;|`${{..%2F&"))),
    "JSON: arrays, deep" => |n| body(JSON, "", fill("[", n / 2) + &fill("]", n / 2)),
    "JSON: objects, deep" => |n| body(JSON, "", fill("{\"a\":", n) + "1" + &fill("}", n / 5)),
    "JSON: one huge key, many leaves" => |n| {
        body(JSON, "", format!("{{\"{}\":[{}1]}}", fill("k", n / 2), fill("1,", n / 2)))
    },
    "JSON: huge keys, nested" => |n| {
        let key = format!("{{\"{}\":", "k".repeat(60));
        body(JSON, "", format!("{}[{}1]{}", key.repeat(30), fill("1,", n), "}".repeat(30)))
    },
    "JSON: duplicate members" => |n| body(JSON, "", format!("{{{}\"a\":1}}", fill("\"a\":1,", n))),
    "JSON: short members" => |n| body(JSON, "", format!("{{{}\"a\":1}}", fill("\"\":1,", n))),
    "JSON: distinct members" => |n| body(JSON, "", format!("{{{}\"a\":1}}", count(n, |i| format!("\"k{i}\":1,")))),
    "JSON: escapes" => |n| body(JSON, "", format!("\"{}\"", fill("\\u0041", n))),
    "JSON: lone surrogates" => |n| body(JSON, "", format!("\"{}\"", fill("\\uD800", n))),
    "JSON: many strings" => |n| body(JSON, "", format!("[{}1]", fill("\"<a>\",", n))),
    "JSON: lines" => |n| body("application/x-ndjson", "", fill("{\"a\":1}\n", n)),
    "JSON: operators" => |n| body(JSON, "", format!("[{}1]", count(n, |i| format!("{{\"k{i}\":{{\"$ne\":\"<'\"}}}},")))),
    "JSON: broken at its end" => |n| body(JSON, "", format!("[{}}}", fill("1,", n.min(READ)))),
    "multipart: parts" => |n| body(MULTIPART, "", fill("--b\r\n\r\n1\r\n", n) + "--b--\r\n"),
    "multipart: part headers" => |n| {
        body(MULTIPART, "", format!("--b\r\n{}\r\n1\r\n--b--\r\n", count(n, |i| format!("x-{i}: 1\r\n"))))
    },
    "multipart: parameters" => |n| {
        let parameters = count(n, |i| format!("; name{i}=\"a\\\"\""));
        body(MULTIPART, "", format!("--b\r\nContent-Disposition: form-data{parameters}\r\n\r\n1\r\n--b--\r\n"))
    },
    "multipart: continued parameters" => |n| {
        let parameters = count(n, |i| format!("; filename*{i}=a"));
        body(MULTIPART, "", format!("--b\r\nContent-Disposition: form-data{parameters}\r\n\r\n1\r\n--b--\r\n"))
    },
    "multipart: near delimiters" => |n| body(MULTIPART, "", join("--b\r\n\r\n", &fill("--bb\r\n", n)) + "--b--\r\n"),
    "multipart: line ends" => |n| body(MULTIPART, "", join("--b\r\n\r\n", &fill("\r\n", n)) + "--b--\r\n"),
    "multipart: names of files" => |n| {
        let part = |name: &str| format!("--b\r\nContent-Disposition: form-data; name=a; filename={name}.php\r\n\r\n1\r\n");
        body(MULTIPART, "", part(&fill("0", n / PARTS)).repeat(PARTS) + "--b--\r\n")
    },
    "multipart: nested" => |n| {
        let part = format!("--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n{}\r\n", fill("a", n / PARTS));
        body(MULTIPART, "", part.repeat(PARTS) + "--b--\r\n")
    },
    "multipart: quoted-printable" => |n| {
        body(MULTIPART, "", join("--b\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n", &fill("=3C=\r\n", n)) + "\r\n--b--\r\n")
    },
    "XML: deep" => |n| body(XML, "", fill("<a>", n / 2) + &fill("</a>", n / 2)),
    "XML: attributes" => |n| body(XML, "", format!("<a {}/>", count(n, |i| format!("a{i}=\"1\" ")))),
    "XML: duplicate attributes" => |n| body(XML, "", format!("<a {}/>", fill("a=\"1\" ", n.min(READ)))),
    "XML: siblings" => |n| body(XML, "", format!("<a>{}</a>", fill("<b/>", n))),
    "XML: text" => |n| body(XML, "", format!("<a>{}</a>", fill("a<b/>", n))),
    "XML: entity declarations" => |n| {
        body(XML, "", format!("<!DOCTYPE a [{}]><a>&e1;</a>", count(n, |i| format!("<!ENTITY e{i} \"&e{};\">", i + 1))))
    },
    "XML: references" => |n| {
        body(XML, "", format!("<!DOCTYPE a [<!ENTITY e \"lol\">]><a>{}</a>", fill("&e;", n)))
    },
    "XML: references that grow" => |n| {
        let declared = format!("<!ENTITY a \"{}\"><!ENTITY b \"{}\">", "x".repeat(1000), "&a;".repeat(1000));
        body(XML, "", format!("<!DOCTYPE a [{declared}]><a>{}</a>", fill("&b;", n)))
    },
    "XML: CDATA" => |n| body(XML, "", format!("<a>{}</a>", fill("<![CDATA[]]>", n))),
    "XML: comments" => |n| body(XML, "", format!("<a>{}</a>", fill("<!---->", n))),
    "XML: namespaces" => |n| body(XML, "", format!("<a {}/>", count(n, |i| format!("xmlns:a{i}=\"u\" ")))),
    "XML: instructions" => |n| body(XML, "", format!("<a>{}</a>", fill("<?a b?>", n))),
    "XML: document type never closed" => |n| body(XML, "", join("<!DOCTYPE a [", &fill("<!ENTITY % ", n))),
    "text: words" => |n| body("text/plain", "", fill("select ", n)),
    "text: Base64" => |n| body("text/plain", "", fill("PHNjcmlwdD4x", n)),
    "JSON: Base64 in Base64" => |n| body(JSON, "", format!("[{}1]", count(n, |i| format!("\"{}\",", base64_in_base64(i))))),
    "text: UTF-16" => |n| body("text/plain; charset=utf-16", "", fill("<\0", n)),
    "binary" => |n| body("application/octet-stream", "", fill("\0\u{1}\u{2}", n)),
    "gzip: a bomb" => |n| gzip(n),
    "gzip: empty members" => |n| body("text/plain", "Content-Encoding: gzip\r\n", empty_members(n)),
    "gzip: four times" => |n| body("text/plain", "Content-Encoding: gzip, gzip, gzip, gzip\r\n", stored_four_times(n)),
    "gzip: named over and over" => |n| body("text/plain", &format!("Content-Encoding: {}\r\n", fill("gzip, ", n)), "a"),
    "chunks: one byte each" => |n| chunked(fill("1\r\na\r\n", n) + "0\r\n\r\n"),
    "chunks: extensions" => |n| chunked(join("1", &fill(";a=b", n)) + "\r\na\r\n0\r\n\r\n"),
    "chunks: trailers" => |n| chunked("0\r\n".to_owned() + &count(n, |i| format!("x-{i}: 1\r\n")) + "\r\n"),
    "chunks: zeros before the size" => |n| chunked(fill("0", n) + "1\r\na\r\n0\r\n\r\n"),
}

/// Bodies that are broken at their end: beyond the limit of what is read of one, the end says nothing.
const READ: usize = (1 << 20) - 64;

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";
const XML: &str = "application/xml";
const MULTIPART: &str = "multipart/form-data; boundary=b";
/// Fewer than the 1,024 that are read: what lies behind those is searched as one text, at a cost of its own.
const PARTS: usize = 128;

/// `piece` over and over, `size` bytes of it or a little less.
fn fill(piece: &str, size: usize) -> String {
    piece.repeat(size / piece.len())
}

fn join(before: &str, filled: &str) -> String {
    format!("{before}{filled}")
}

/// Pieces made of a number that counts up, until `size` bytes are there.
fn count(size: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(size + 64);
    for i in 0.. {
        if text.len() >= size {
            break;
        }
        text += &piece(i);
    }
    text
}

fn target(target: String) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\nHost: ex.com\r\n\r\n").into_bytes()
}

fn query(query: String) -> Vec<u8> {
    target(format!("/?{query}"))
}

fn path(path: String) -> Vec<u8> {
    target(format!("/{path}"))
}

fn headers(lines: String) -> Vec<u8> {
    format!("GET / HTTP/1.1\r\nHost: ex.com\r\n{lines}\r\n").into_bytes()
}

fn header(name: &str, value: String) -> Vec<u8> {
    headers(format!("{name}: {value}\r\n"))
}

fn body(content_type: &str, more: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!(
        "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: {content_type}\r\n{more}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn chunked(body: String) -> Vec<u8> {
    let head =
        "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n";
    format!("{head}{body}").into_bytes()
}

/// A thousand times the size, deflated to about that.
fn gzip(size: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..size / 1024 {
        encoder.write_all(&[b'a'; 200 << 10]).expect("memory takes all");
    }
    body("text/plain", "Content-Encoding: gzip\r\n", encoder.finish().expect("memory takes all"))
}

/// Members of gzip with nothing in them, one behind the other.
fn empty_members(size: usize) -> Vec<u8> {
    let member = GzEncoder::new(Vec::new(), Compression::default()).finish().expect("memory takes all");
    member.repeat(size / member.len() + 1)
}

/// Text in four layers of gzip, none of which makes it smaller.
fn stored_four_times(size: usize) -> Vec<u8> {
    (0..4).fold(fill("select ", size).into_bytes(), |inner, _| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
        encoder.write_all(&inner).expect("memory takes all");
        encoder.finish().expect("memory takes all")
    })
}

/// Base64 of Base64 and so on, eight times: some 600 characters. Whether letters of the outermost look like a word, so
/// that it is searched for words, is chance: many of them take both ways at every size.
fn base64_in_base64(i: usize) -> String {
    let inner = format!("<script>{i:06}</script>").repeat(3);
    (0..8).fold(inner, |text, _| BASE64.encode(text.as_bytes()))
}

/// Every character as an escape of scripts.
fn script_escapes(text: &str) -> String {
    text.bytes().map(|byte| format!("\\u{byte:04x}")).collect()
}

/// Requests whose target gets a query.
trait ReplaceQuery {
    fn replace_query(self, query: &str) -> Self;
}

impl ReplaceQuery for Vec<u8> {
    fn replace_query(self, query: &str) -> Self {
        let rest = self.get(b"GET /".len()..).unwrap_or_default();
        [format!("GET /?{query}").as_bytes(), rest].concat()
    }
}
