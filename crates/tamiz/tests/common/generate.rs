//! Requests, made up: plain ones with structure, rich ones, vectors changed at random, and any of
//! these with odd pieces at structural places.

use std::fmt;
use std::io::Write;
use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;

use super::vectors;

/// How many requests are tried (`PROPTEST_CASES`), and which: always the same, unless
/// `PROPTEST_RNG_SEED` says otherwise. What fails becomes a vector, not a file of seeds.
pub fn config() -> ProptestConfig {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(1);
    }
    config
}

/// The bytes of a request, shown readably when a property fails.
#[derive(Clone)]
pub struct Wire(pub Vec<u8>);

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

/// A request in pieces, so that one piece can be changed.
#[derive(Clone, Debug)]
pub struct Pieces {
    pub method: String,
    /// Without its leading `/`.
    pub path: String,
    pub query: Option<String>,
    pub host: String,
    pub version: String,
    /// Names and values but `Host`, `Content-Length` and `Transfer-Encoding`.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub is_chunked: bool,
}

impl Pieces {
    /// The target in origin-form.
    pub fn target(&self) -> String {
        let query = self.query.as_ref().map_or(String::new(), |query| format!("?{query}"));
        format!("/{}{query}", self.path)
    }

    /// The wire bytes, with the framing that the body needs.
    pub fn wire(&self) -> Vec<u8> {
        let mut wire =
            format!("{} {} {}\r\nHost: {}\r\n", self.method, self.target(), self.version, self.host);
        for (name, value) in &self.headers {
            wire.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut body = self.body.clone();
        if self.is_chunked && !body.is_empty() {
            wire.push_str("Transfer-Encoding: chunked\r\n");
            body = chunked(&body);
        } else if !body.is_empty() {
            wire.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        [wire.as_bytes(), b"\r\n", &body].concat()
    }
}

/// The chunked coding of `body`, in chunks of at most 40 bytes.
fn chunked(body: &[u8]) -> Vec<u8> {
    let chunk = |chunk: &[u8]| [format!("{:x}\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"].concat();
    let mut coded: Vec<u8> = body.chunks(40).flat_map(chunk).collect();
    coded.extend_from_slice(b"0\r\n\r\n");
    coded
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn one_of(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    select(words).prop_map(str::to_owned)
}

const SEGMENTS: &[&str] = &[
    "a",
    "b",
    "tienda",
    "publico",
    "index.jsp",
    "img",
    "logo.png",
    "api",
    "v1",
    "users",
    "42",
    "login",
    "es-ES",
    "caf\u{e9}",
    "file.tar.gz",
    "0b5d1b52-3c3f-4f6f-9f0e-0123456789ab",
    "10.0.0.1",
    "static",
    "x~y",
    "A_b",
];
const KEYS: &[&str] = &[
    "id",
    "q",
    "modo",
    "login",
    "page",
    "sort",
    "lang",
    "name",
    "B1",
    "cp",
    "items[]",
    "user.name",
    "pwd",
    "token",
    "sid",
    "_x",
    "$a",
    "nombre",
    "123",
    "a:b",
];
const VALUES: &[&str] = &[
    "1",
    "28015",
    "maria",
    "Maria",
    "ABC",
    "es-ES",
    "a%20b",
    "2024-01-31",
    "10.0.0.1",
    "%C3%B1",
    "Jos%C3%A9",
    "abc123",
    "0b5d1b52-3c3f-4f6f-9f0e-0123456789ab",
    "a@b.com",
    "img/a.png",
    "dGVzdA==",
    "x,y",
    "3.14",
    "-1",
    "true",
    "visionario77",
    "hola+mundo",
    "eyJhbGciOiJIUzI1NiJ9.e30.c2ln",
    "~",
    "a-b_c",
    "",
];
/// Names and values of headers, one or more for each that the form knows of.
const HEADERS: &[(&str, &str)] = &[
    ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8"),
    ("Accept", "image/*;q=0.5, text/plain; q=0.80;level=1"),
    ("Accept-Charset", "utf-8, iso-8859-1;q=0.5, *;q=0.1"),
    ("Accept-Encoding", "gzip, deflate, br, identity;q=0"),
    ("Accept-Language", "es-AR, en-us;q=0.8,zh-hant;q=0.5"),
    ("Access-Control-Request-Headers", "content-type,x-a"),
    ("Authorization", "Bearer mF_9.B5f-4.1JqM"),
    ("Authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
    ("Baggage", "a=1,b=2"),
    ("Cache-Control", "no-cache, max-age=0"),
    ("CF-Connecting-IP", "8.8.8.8"),
    ("CF-Ray", "7d1f2a3b4c5d6e7f-MAD"),
    ("Connection", "keep-alive"),
    ("Content-Disposition", "attachment; filename=\"a.txt\""),
    ("Content-Language", "es"),
    ("Cookie", "JSESSIONID=7F4C2A9B1D3E5F60; theme=dark"),
    ("Cookie", "_ga=GA1.2.3; lone; a%b=c"),
    ("Date", "Tue, 15 Nov 1994 08:12:31 GMT"),
    ("DNT", "1"),
    ("Expect", "100-continue"),
    ("Forwarded", "for=192.0.2.60;proto=http, for=\"[2001:db8::1]:80\""),
    ("From", "a@b.com"),
    ("If-Match", "\"abc\""),
    ("If-Modified-Since", "Tue, 15 Nov 1994 08:12:31 GMT"),
    ("If-None-Match", "W/\"67ab43\", \"54ed21\""),
    ("Keep-Alive", "timeout=5"),
    ("Max-Forwards", "10"),
    ("Origin", "https://ex.com"),
    ("Origin", "null"),
    ("Pragma", "no-cache"),
    ("Prefer", "return=minimal"),
    ("Priority", "u=1, i"),
    ("Proxy-Authorization", "Digest username=\"u\""),
    ("Range", "bytes=0-1023"),
    ("Referer", "http://ex.com/a/b?u=joe&pwd=hunter2hunter2"),
    ("Sec-CH-UA", "\"Chromium\";v=\"110\", \"Not A(Brand\";v=\"24\""),
    ("Sec-Fetch-Mode", "navigate"),
    ("Set-Cookie", "a=1; Path=/; HttpOnly"),
    ("TE", "trailers"),
    ("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
    ("Upgrade", "websocket"),
    ("Upgrade-Insecure-Requests", "1"),
    ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"),
    ("User-Agent", "Mozilla/5.0 (compatible; Konqueror/3.5; Linux) KHTML/3.5.8 (like Gecko)"),
    ("Via", "1.1 proxy"),
    ("X-Api-Key", "0123456789abcdef"),
    ("X-Csrf-Token", "abcdefgh"),
    ("X-Custom", "two words"),
    ("X-Forwarded-For", "8.8.8.8, 10.0.0.1, unknown"),
    ("X-Forwarded-Host", "ex.com"),
    ("X-Forwarded-Proto", "https"),
    ("X-Original-URL", "/a/../b"),
    ("X-Real-IP", "192.168.0.1"),
    ("X-Request-Id", "7f3a9c"),
    ("X-Requested-With", "XMLHttpRequest"),
];
const HOSTS: &[&str] =
    &["ex.com", "www.example.com", "localhost", "10.0.0.1", "[2001:db8::1]", "shop.example.org:8080"];
const METHODS: &[&str] = &["GET", "POST", "PUT", "HEAD", "DELETE", "PATCH", "OPTIONS", "PROPFIND"];
const TYPES: &[&str] = &[
    "application/x-www-form-urlencoded",
    "application/json",
    "application/json; charset=utf-8",
    "multipart/form-data; boundary=b",
    "application/xml",
    "text/plain",
    "application/octet-stream",
    "application/x-ndjson",
    "text/html;charset=utf-16",
];

/// Pairs joined with `&`; some keys have no value.
pub fn pairs() -> impl Strategy<Value = String> {
    let pair = (one_of(KEYS), option::weighted(0.9, one_of(VALUES)));
    vec(pair, 0..6).prop_map(|pairs| {
        let write = |(key, value): (String, Option<String>)| match value {
            Some(value) => format!("{key}={value}"),
            None => key,
        };
        pairs.into_iter().map(write).collect::<Vec<_>>().join("&")
    })
}

/// JSON of every kind of value, nested a little.
fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i32>().prop_map(Into::into),
        one_of(VALUES).prop_map(Into::into),
        select(TOKENS).prop_map(|token| String::from_utf8_lossy(token).into_owned().into()),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Into::into),
            vec((one_of(KEYS), inner), 0..4)
                .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

fn multipart() -> impl Strategy<Value = String> {
    let part = (one_of(KEYS), option::of(one_of(&["a.txt", "b.php", "c.tar.gz", "d.jpg"])), one_of(VALUES));
    vec(part, 0..4).prop_map(|parts| {
        let mut body = String::new();
        for (name, file, content) in parts {
            let file = file.map_or(String::new(), |file| format!("; filename=\"{file}\""));
            body.push_str(&format!(
                "--b\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{content}\r\n"
            ));
        }
        body + "--b--\r\n"
    })
}

fn xml() -> impl Strategy<Value = String> {
    let element = (one_of(&["a", "b", "user", "soap:Body"]), one_of(VALUES), one_of(VALUES))
        .prop_map(|(name, attribute, text)| format!("<{name} id=\"{attribute}\">{text}</{name}>"));
    vec(element, 0..5).prop_map(|elements| format!("<?xml version=\"1.0\"?><r>{}</r>", elements.concat()))
}

/// A body, and the type that says what it is.
fn body() -> impl Strategy<Value = (Vec<u8>, &'static str)> {
    let bytes = |text: String| text.into_bytes();
    prop_oneof![
        pairs().prop_map(move |text| (bytes(text), TYPES[0])),
        json().prop_map(move |value| (bytes(value.to_string()), TYPES[1])),
        multipart().prop_map(move |text| (bytes(text), TYPES[3])),
        xml().prop_map(move |text| (bytes(text), TYPES[4])),
        one_of(VALUES).prop_map(move |text| (bytes(text), TYPES[5])),
        vec(any::<u8>(), 0..64).prop_map(|bytes| (bytes, TYPES[6])),
    ]
}

/// Requests without oddities: nothing in them raises a flag that is more than structural, and no
/// value is a secret.
pub fn plain() -> impl Strategy<Value = Pieces> {
    const QUIET: &[(&str, &str)] = &[
        ("Accept", "text/html,*/*;q=0.8"),
        ("Accept-Encoding", "gzip, br"),
        ("Accept-Language", "es,en;q=0.5"),
        ("Cache-Control", "no-cache"),
        ("Connection", "keep-alive"),
        ("DNT", "1"),
        ("Referer", "http://ex.com/a"),
        ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0"),
        ("X-Requested-With", "XMLHttpRequest"),
    ];
    let path =
        vec(select(&["a", "tienda", "img", "v1", "index.jsp"][..]), 1..4).prop_map(|parts| parts.join("/"));
    let pair =
        (select(&["q", "modo", "page", "lang", "cp"][..]), select(&["1", "maria", "x-y", "28015"][..]));
    let query = vec(pair, 1..4).prop_map(|pairs| {
        pairs.into_iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join("&")
    });
    let headers = proptest::sample::subsequence(QUIET, 0..QUIET.len());
    let body = select(&["", "a=1&b=2", "lone=word"][..]);
    (path, option::of(query), headers, body).prop_map(|(path, query, headers, body)| {
        let mut headers: Vec<(String, String)> =
            headers.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        if !body.is_empty() {
            headers.push(("Content-Type".to_owned(), TYPES[0].to_owned()));
        }
        Pieces {
            method: if body.is_empty() { "GET" } else { "POST" }.to_owned(),
            path,
            query,
            host: "ex.com".to_owned(),
            version: "HTTP/1.1".to_owned(),
            headers,
            body: body.as_bytes().to_vec(),
            is_chunked: false,
        }
    })
}

/// Requests as they come: every header the form knows of, bodies of every kind, in any coding.
pub fn rich() -> impl Strategy<Value = Pieces> {
    let path = vec(one_of(SEGMENTS), 0..6).prop_map(|parts| parts.join("/"));
    let version = one_of(&["HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2"]);
    let head =
        (one_of(METHODS), path, option::of(pairs()), one_of(HOSTS), version, vec(select(HEADERS), 0..9));
    let body = option::of((body(), option::weighted(0.1, select(TYPES)), any::<(bool, bool)>()));
    (head, body).prop_map(|((method, path, query, host, version, headers), body)| {
        let mut headers: Vec<(String, String)> =
            headers.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let mut is_chunked = false;
        let mut bytes = Vec::new();
        if let Some(((content, kind), other_kind, (zipped, chunked))) = body {
            headers.push(("Content-Type".to_owned(), other_kind.unwrap_or(kind).to_owned()));
            is_chunked = chunked;
            bytes = content;
            if zipped {
                headers.push(("Content-Encoding".to_owned(), "gzip".to_owned()));
                bytes = gzip(&bytes);
            }
        }
        Pieces { method, path, query, host, version, headers, body: bytes, is_chunked }
    })
}

/// The other forms of a target.
fn other_targets() -> impl Strategy<Value = Wire> {
    let request_line = select(
        &[
            "GET http://Ex.com:80/a?b=c",
            "GET https://u:p@ex.com/a#top",
            "CONNECT ex.com:443",
            "OPTIONS *",
            "GET admin",
            "GET ftp://x/y",
            "GET //evil.com/a",
            "GET /a b",
            "GET /a%2fb;v=1?x=%252e",
            "GET ?x",
            "GET wss://[::1]:443/s",
        ][..],
    );
    (request_line, vec(select(HEADERS), 0..4)).prop_map(|(line, headers)| {
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        Wire(format!("{line} HTTP/1.1\r\nHost: ex.com\r\n{headers}\r\n").into_bytes())
    })
}

/// Pieces that break parsers: line ends, delimiters, escapes, guards, markers, entities, look-alikes,
/// secrets, pieces of attacks and of documents.
pub const TOKENS: &[&[u8]] = &[
    b"\r",
    b"\n",
    b"\r\n",
    b"\r\n\r\n",
    b"\n\n",
    b"\r\n ",
    b"\r\n\t",
    b"\0",
    b"\t",
    b" ",
    b"  ",
    b"\x0B",
    b"\x1B",
    b"\x7F",
    b":",
    b";",
    b",",
    b"=",
    b"&",
    b"?",
    b"#",
    b"/",
    b"//",
    b"/.",
    b"/./",
    b"/..",
    b"/../",
    b"..;/",
    b"\\",
    b"@",
    b"*",
    b":*",
    b"~",
    b"+",
    b"|",
    b"'",
    b"\"",
    b"(",
    b")",
    b"{",
    b"}",
    b"[",
    b"]",
    b"[]",
    b"<",
    b">",
    b"`",
    b"$",
    b"!",
    b"--",
    b"/*",
    b"%",
    b"%2",
    b"%%",
    b"%25",
    b"%2e",
    b"%2F",
    b"%5c",
    b"%3B",
    b"%00",
    b"%0d%0aX:",
    b"%C0%AF",
    b"%FF",
    b"%E2%82%AC",
    b"%u002e",
    b"%252F",
    b"%25252e",
    b"%26lt%3B",
    b"%EF%BC%9C",
    b"\xFF",
    b"\xFF2F",
    b"\xFF41",
    b"\xFF\xFF",
    b"\xC0\xAF",
    b"\xE2\x82",
    b"\xED\xA0\x80",
    b"\xF4\x90\x80\x80",
    b"<num:3>",
    b"<SECRET:alpha:10>",
    b"<mixed:0>",
    b"<b64:20~4.7>",
    b"<more:1>",
    b"<more:12>",
    b"<len:3>",
    b"<file:1:php>",
    b"<bool:4>",
    b"<num:00000003>",
    b" [FLAG]",
    b" [ANGLE]",
    b" [",
    b"%5B",
    b"] [",
    b"\nFLAGS:[X]\n",
    b"M:GET\n",
    b"H:x=y",
    b"&lt;",
    b"&#x2f;",
    b"&#38;",
    b"&amp;",
    b"&#92;",
    b"&#xD800;",
    b"&#46;",
    b"&nosuch;",
    b"&",
    "\u{FF05}".as_bytes(),
    "\u{FF0F}".as_bytes(),
    "\u{FF0E}\u{FF0E}".as_bytes(),
    "\u{FF1C}".as_bytes(),
    "\u{FF03}".as_bytes(),
    "\u{FDFA}".as_bytes(),
    "\u{FB01}".as_bytes(),
    "\u{2100}".as_bytes(),
    "\u{FF28}\u{FF4F}\u{FF53}\u{FF54}".as_bytes(),
    "\u{200B}".as_bytes(),
    "\u{202E}".as_bytes(),
    "\u{FEFF}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{85}".as_bytes(),
    "\u{A0}".as_bytes(),
    "\u{3000}".as_bytes(),
    "e\u{301}".as_bytes(),
    "\u{301}".as_bytes(),
    "\u{440}\u{430}ypal".as_bytes(),
    "\u{130}".as_bytes(),
    "\u{212A}".as_bytes(),
    "\u{2018}".as_bytes(),
    "\u{2B9}".as_bytes(),
    "\u{1F600}".as_bytes(),
    "\u{E0041}".as_bytes(),
    b"HTTP/1.1",
    b" HTTP/1.1",
    b"Host: ex.com\r\n",
    b"\r\nHost: other.com",
    b"\r\nContent-Length: 5",
    b"\r\nTransfer-Encoding: chunked",
    b"\r\nTransfer-Encoding : chunked",
    b"\r\nCookie: a=b; sid=abcdefgh",
    b"\r\nAuthorization: Bearer abcdefghijkl",
    b"\r\nno colon",
    b"\r\n: x",
    b"\r\nX_Y: z",
    b"\nX: y",
    b"\r\nAccept: a/b;q=2, *",
    b"\r\nX-Forwarded-For: ,",
    b"token=abcdefghij",
    b"pwd=hunter2hunter2",
    b"eyJhbGciOiJIUzI1NiJ9.e30.abc",
    b"Bearer abcdefghij",
    b"AKIAIOSFODNN7EXAMPLE",
    b"//u:p@h/",
    b"visionario77",
    b"0\r\n\r\n",
    b"5;x=y\r\nabcde\r\n",
    b"--b\r\n",
    b"--b--",
    b"; name=\"x\"",
    b"__proto__",
    b"$ne",
    b"{{",
    b"${",
    b"$(",
    b"||",
    b"&&",
    b"' OR 1=1 -- ",
    b"1+UNION+SELECT+1",
    b"../../etc/passwd",
    b"\\u003c",
    b"\\x3c",
    b"PHNjcmlwdD4=",
    b"JTNDc2NyaXB0JTNF",
    b"YT8 YT8/YT8 ",
    b"cGFzc3dvcmQ9aHVudGVyMmh1bnRlcjI=",
    b"\\u00253C",
    b"\\u0026lt;",
    b"&#x3c",
    b"&#60",
    b"%2526%2360",
    b"%25C0%25AF",
    b"&#37;3C",
    b"\x1f\x8b\x08",
    b"\xAC\xED\x00\x05",
    b"http://127.0.0.1/",
    b"javascript:alert(1)",
    b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
    b"]]>",
    b"<![CDATA[",
    b"<!--",
    b"<a>",
    b"</a>",
    b"<?x?>",
    b"{\"a\":",
    b"[[[[",
    b"null",
    b"::$DATA",
    b".php%00.jpg",
];

/// The requests of all vectors.
static VECTORS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    // A few are there for their size; changed at random they tell no more than smaller ones.
    vectors::all().iter().map(vectors::Vector::request).filter(|request| request.len() < 4096).collect()
});

/// A change at a random place.
#[derive(Clone, Debug)]
enum Edit {
    /// A token, beside a structural byte.
    Splice(Index, &'static [u8]),
    /// A token, anywhere.
    Insert(Index, &'static [u8]),
    Replace(Index, u8),
    Delete(Index, usize),
    /// So many bytes from one place again at another.
    Repeat(Index, usize, Index),
    Cut(Index),
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = any::<Index>;
    prop_oneof![
        6 => (at(), select(TOKENS)).prop_map(|(at, token)| Edit::Splice(at, token)),
        2 => (at(), select(TOKENS)).prop_map(|(at, token)| Edit::Insert(at, token)),
        2 => (at(), any::<u8>()).prop_map(|(at, byte)| Edit::Replace(at, byte)),
        1 => (at(), 1..9_usize).prop_map(|(at, count)| Edit::Delete(at, count)),
        1 => (at(), 1..40_usize, at()).prop_map(|(from, count, to)| Edit::Repeat(from, count, to)),
        1 => at().prop_map(Edit::Cut),
    ]
}

fn apply(request: &mut Vec<u8>, edit: &Edit) {
    match edit {
        Edit::Splice(at, token) => {
            let is_structural = |byte: &u8| !byte.is_ascii_alphanumeric();
            let places: Vec<usize> = (0..=request.len())
                .filter(|&at| {
                    at == 0 || request.get(at).is_none_or(is_structural) || is_structural(&request[at - 1])
                })
                .collect();
            let at = *at.get(&places);
            request.splice(at..at, token.iter().copied());
        }
        Edit::Insert(at, token) => {
            let at = at.index(request.len() + 1);
            request.splice(at..at, token.iter().copied());
        }
        Edit::Cut(at) => request.truncate(at.index(request.len() + 1)),
        _ if request.is_empty() => {}
        Edit::Replace(at, byte) => {
            let at = at.index(request.len());
            request[at] = *byte;
        }
        Edit::Delete(at, count) => {
            let at = at.index(request.len());
            request.drain(at..(at + count).min(request.len()));
        }
        Edit::Repeat(from, count, to) => {
            let (from, to) = (from.index(request.len()), to.index(request.len()));
            let piece = request[from..(from + count).min(request.len())].to_vec();
            request.splice(to..to, piece);
        }
    }
}

/// Any of all these, with a few changes.
pub fn request() -> impl Strategy<Value = Wire> {
    let base = prop_oneof![
        4 => rich().prop_map(|pieces| Wire(pieces.wire())),
        1 => other_targets(),
        4 => any::<Index>().prop_map(|at| Wire(at.get(&VECTORS).clone())),
    ];
    (base, vec(edit(), 0..5)).prop_map(|(Wire(mut request), edits)| {
        edits.iter().for_each(|edit| apply(&mut request, edit));
        Wire(request)
    })
}
