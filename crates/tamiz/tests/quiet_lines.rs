//! Header lines that are finished without being opened say what opened ones say.

use tamiz::{Canonicalizer, Config, Profile, Scratch};

/// Names of every grammar, known and unknown, some of them secrets by name.
const NAMES: &[&str] = &[
    "User-Agent",
    "Accept",
    "Accept-Charset",
    "Accept-Encoding",
    "accept-language",
    "Content-Type",
    "Content-Length",
    "Cache-Control",
    "Connection",
    "Sec-CH-UA",
    "Sec-Fetch-Mode",
    "If-None-Match",
    "If-Modified-Since",
    "X-Requested-With",
    "Content-Disposition",
    "X-Real-IP",
    "X-Forwarded-For",
    "Forwarded",
    "Via",
    "Origin",
    "Referer",
    "X-Trace",
    "X-Api-Key",
    "Host-Name",
    "con-tent-length",
    "Upgrade-Insecure-Requests",
    "Host",
    "Cookie",
    "Authorization",
    "Proxy-Authorization",
];

/// Pieces of honest values, attacks and credentials, and the signs between them.
const PIECES: &[&str] = &[
    " ",
    " ",
    ",",
    ", ",
    ";",
    "; ",
    "=",
    "*",
    "*/*",
    "/",
    "/*",
    "*/",
    "//",
    ".",
    "..",
    "-",
    "--",
    "_",
    "__",
    "+",
    "?",
    "!",
    "(",
    ")",
    "[",
    "]",
    " [",
    "{",
    "}",
    "\"",
    "'",
    ":",
    "://",
    "@",
    "%",
    "%3C",
    "&lt;",
    "<",
    ">",
    "\\",
    "|",
    "$",
    "#",
    "~",
    "`",
    "\t",
    "\u{e9}",
    "q=0.8",
    "charset=utf-8",
    "boundary=x",
    "boundary=text/html",
    "filename=a.php",
    "Mozilla/5.0",
    "Windows NT 10.0",
    "like Gecko",
    "rv:128.0",
    "Not(A:Brand",
    "v=\"8\"",
    "gzip",
    "text/html",
    "max-age=0",
    "keep-alive",
    "select",
    "union select",
    "/etc/passwd",
    "exec (",
    "data:text/html;base64,",
    "PHNjcmlwdD4xPC9zY3JpcHQ+",
    "aced0005",
    "Bearer abcdefgh",
    "token=abcdefgh",
    "transfer-encoding:",
    "http:127.0.0.1",
    "https://ex.com",
    "(+http://localhost/",
    "file:///",
    ":8080",
    ":80",
    "/a/b",
    "?a=b&c=1",
    "a=",
    "_ga=",
    "session=visionario7",
    "abcdefgh",
    "YWJjZGVmZ2g=",
    "Basic dXNlcjpwYXNz",
    "{\"a\":1}",
];

/// Numbers below what is asked for, the same in every run.
fn random() -> impl FnMut(usize) -> usize {
    let mut state = 17_u64;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    }
}

#[test]
fn finished_lines_say_what_opened_lines_say() {
    let mut random = random();
    for profile in [Profile::Core, Profile::Standard, Profile::Full] {
        let mut config = Config::default();
        config.profile = profile;
        let tamiz = Canonicalizer::new(config);
        let (mut scratch, mut out) = (Scratch::default(), Vec::new());
        for _ in 0..20_000 {
            let name = NAMES[random(NAMES.len())];
            let value: String = (0..random(7)).map(|_| PIECES[random(PIECES.len())]).collect();
            let host = if name == "Host" { "X-A: 1" } else { "Host: ex.com" };
            let request = format!("GET /?pwd=abcdefgh HTTP/1.1\r\n{host}\r\n{name}: {value}\r\n\r\n");
            // Evidence is kept of opened lines only.
            let opened = tamiz.canonicalize_with_evidence(request.as_bytes());
            out.clear();
            tamiz.canonicalize_into(&mut scratch, request.as_bytes(), &mut out);
            assert_eq!(String::from_utf8_lossy(&out), opened.as_str(), "{request:?}");
            let owned = tamiz.canonicalize(request.as_bytes());
            assert_eq!((owned.as_str(), owned.tokens()), (opened.as_str(), opened.tokens()), "{request:?}");
        }
    }
}

/// A line that says words of its header's own list is finished without being scanned: no word, no two of them, and no
/// number beside one may raise a flag.
#[test]
fn vocabulary_raises_nothing() {
    let lists = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/lists");
    let read = |name: &str| std::fs::read_to_string(lists.join(name)).unwrap();
    let (vocabulary, known) = (read("vocabulary-headers.txt"), read("known-headers.txt"));
    let known: Vec<&str> = known.lines().filter(|line| !line.starts_with('#')).collect();
    let tamiz = Canonicalizer::new(Config::default());
    let check = |name: &str, value: &str| {
        let request = format!("GET /?pwd=abcdefgh HTTP/1.1\r\nHost: ex.com\r\n{name}: {value}\r\n\r\n");
        let opened = tamiz.canonicalize_with_evidence(request.as_bytes());
        assert_eq!(tamiz.canonicalize(request.as_bytes()).as_str(), opened.as_str(), "{request:?}");
    };
    let mut checked = 0;
    for line in vocabulary.lines().filter(|line| !line.starts_with('#')) {
        let mut columns = line.splitn(3, ' ');
        let (name, form, words) = (columns.next().unwrap(), columns.next().unwrap(), columns.next());
        let mut words: Vec<&str> = words.into_iter().flat_map(|words| words.split('|')).collect();
        if form == "names" {
            words.extend(&known);
        }
        for (nth, word) in words.iter().enumerate() {
            for value in [word.to_string(), format!("{word}=1234567890"), format!("{word}=?1; {word}")] {
                check(name, &value);
            }
            // Every word beside another one.
            for other in words.iter().cycle().skip(nth + 1).take(words.len().min(9)) {
                check(name, &format!("{word}, {other}"));
                check(name, &format!("{other},{word}"));
            }
            checked += 1;
        }
    }
    assert!(checked > 300, "{checked}");
}
