//! One oddity for each flag that a plain request can be given, and where it is put.

use super::generate::Pieces;

/// Where an oddity goes.
#[derive(Clone, Copy, Debug)]
pub enum Edit {
    /// A further segment of the path.
    Segment(&'static str),
    /// A further pair of the query.
    Pair(&'static str),
    /// The query as a whole.
    Query(&'static str),
    /// Further header lines, last.
    Lines(&'static str),
    /// Another value of `Host`.
    Host(&'static str),
    /// Before the target in origin-form.
    TargetStart(&'static str),
    /// After the target.
    TargetEnd(&'static str),
    /// Another version.
    Version(&'static str),
    /// Before the request line.
    Start(&'static str),
    /// Between the request line and the headers.
    AfterRequestLine(&'static str),
    /// Another body, and its type.
    Body(&'static str, &'static str),
    /// Another body in the chunked coding, as it is on the wire.
    Chunked(&'static str),
    /// At the end of the body.
    End(&'static str),
    /// Everything from the end of the header block on is cut off, that end included.
    CutHead,
}

/// A flag, what raises it, and what that takes away.
pub struct Oddity {
    pub flag: &'static str,
    pub edit: Edit,
    /// A flag that may be gone, and why.
    pub gone: Option<(&'static str, &'static str)>,
}

use Edit::*;

const OTHER_BODY: Option<(&str, &str)> = Some(("BODYFORM", "the form is no longer the body"));
const OTHER_FRAME: Option<(&str, &str)> =
    Some(("BODYFORM", "the body is written another way, and is no form"));
const CUT_BODY: Option<(&str, &str)> = Some(("BODYFORM", "the body is cut off"));

/// Every flag that can be added to a plain request; the rest, with the reason, are in `NEVER`.
pub const ODDITIES: &[Oddity] = &[
    odd("ANGLE", Segment("<b>")),
    odd("BACKSLASH", Segment("a\\b")),
    odd("BADPCT", Segment("100%")),
    odd("BADUTF8", Segment("%FF")),
    odd("COMPAT", Segment("\u{FB01}le")),
    odd("CONTROL", Segment("a%01b")),
    odd("DOTCUR", Segment("./z")),
    odd("DOTDOT", Segment("../z")),
    odd("DOTDOTN", Segment("../../z")),
    odd("DOTTAIL", Segment("z.")),
    odd("DOUBLEPCT", Segment("z%252E")),
    odd("FULLWIDTH", Segment("\u{FF41}")),
    odd("HTMLENT", Segment("z&eacute;")),
    odd("INVISIBLE", Segment("a%E2%80%8Bb")),
    odd("JWT", Segment("eyJhbGciOiJIUzI1NiJ9.e30.c2ln")),
    odd("MARKER", Segment("<num:3>")),
    odd("MIXEDSCRIPT", Segment("\u{440}\u{430}ypal")),
    odd("MULTIENC", Segment("z%252E")),
    odd("MULTIPLESLASH", Segment("/z")),
    odd("NUL", Segment("a%00")),
    odd("PATHPARAM", Segment("z;v=1")),
    odd("PCTBACKSLASH", Segment("a%5Cb")),
    odd("PCTDELIM", Segment("a%3Fb")),
    odd("PCTSLASH", Segment("a%2Fb")),
    odd("PCTU", Segment("%u002e")),
    odd("PCTUNRES", Segment("%61")),
    odd("PERCENT_IN_PATH", Segment("100%25")),
    odd("ROOTTRAV", Segment("../../../../../z")),
    odd("SPACE", Segment("%20b")),
    odd("TRAILSLASH", Segment("")),
    odd("B64TEXT", Pair("x=PHNjcmlwdD48")),
    odd("BACKTICK", Pair("x=`")),
    odd("BESTFIT", Pair("x=\u{FF1C}")),
    odd("BRACE", Pair("x={")),
    odd("CRLFINJ", Pair("x=%0D%0AA:b")),
    odd("DOLLAR", Pair("x=$a")),
    odd("GZIPMAGIC", Pair("x=%1F%8B%08")),
    odd("JOPER", Pair("a[$ne]=1")),
    odd("KW", Pair("x=1+UNION+SELECT+2")),
    odd("METHODOVERRIDE", Pair("_method=PUT")),
    odd("PAREN", Pair("x=(")),
    odd("PIPE", Pair("x=|")),
    odd("PROTO", Pair("__proto__=1")),
    odd("QARRAY", Pair("x[]=1")),
    odd("QBARE", Pair("x")),
    odd("QEMPTYVAL", Pair("x=")),
    odd("QNONASCII", Pair("x=%C3%A9")),
    odd("QNUL", Pair("x=%00")),
    odd("QRAWSEMI", Pair("x=a;b")),
    odd("QREPEAT", Pair("x=1&x=2")),
    odd("QUOTE", Pair("x='")),
    odd("SEMICOLON", Pair("x=%3B")),
    odd("SERIAL", Pair("x=O:1:%22a")),
    odd("SHELLOP", Pair("x=a%26%26b")),
    odd("SQLCMT", Pair("x=--")),
    odd("TPL", Pair("x={{a}}")),
    odd("OVERLONG", Pair("x=%C0%AF")),
    odd("REDIRECT", Pair("next=//evil.example")),
    odd("RFI", Pair("x=http://a.org/?")),
    odd("URLIP", Pair("x=http://1.2.3.4/")),
    odd("URLLOCAL", Pair("x=http://localhost/")),
    odd("URLVALUE", Pair("x=http://a.org/")),
    Oddity { flag: "QSEMISEP", edit: Query("a=1;b=2;c=3"), gone: Some(("QREPEAT", "the query is another")) },
    odd("FRAGMENT", TargetEnd("#top")),
    odd("NETPATH", TargetStart("/")),
    odd("BADTARGET", TargetStart("gopher://ex.com")),
    odd("HOSTMISMATCH", TargetStart("http://other.com")),
    odd("USERINFO", TargetStart("http://u:p@ex.com")),
    odd("BADHOST", Host("a_b")),
    odd("HOSTDOT", Host("ex.com.")),
    odd("IDNA", Host("b\u{FC}cher.example")),
    odd("BADREQLINE", Version("HTTP/1.9")),
    odd("HTTP10", Version("HTTP/1.0")),
    odd("HTTP09", Version("")),
    odd("LEADCRLF", Start("\r\n")),
    odd("BADHDRCONT", AfterRequestLine(" x\r\n")),
    odd("AUTHBASIC", Lines("Authorization: Basic dTpw\r\n")),
    odd("AUTHBEARER", Lines("Authorization: Bearer abcdefgh\r\n")),
    odd("BADCL", Lines("Content-Length: 1x\r\n")),
    odd("BADCRLF", Lines("X-A: a\rb\r\n")),
    odd("BADHDRLINE", Lines("no colon\r\n")),
    odd("BADHDRNAME", Lines("X_Y: z\r\n")),
    odd("BADTE", Lines("Transfer-Encoding: identity\r\n")),
    odd("CLTE", Lines("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n")),
    odd("COOKIE", Lines("Cookie: a=b\r\n")),
    odd("DUPHDR", Lines("X-A: 1\r\nX-A: 2\r\n")),
    odd("EXECEXT", Lines("Content-Disposition: attachment; filename=a.php\r\n")),
    odd("HIDDENHDR", Lines("Transfer-Encoding : chunked\r\n")),
    odd("HOPBYHOP", Lines("TE: trailers\r\n")),
    odd("OBSFOLD", Lines("X-A: b\r\n c\r\n")),
    odd("PCTVALUE", Lines("X-A: %3Cb\r\n")),
    odd("UNKHDR", Lines("X-Nobody-Knows: 1\r\n")),
    odd("WSPAD", Lines("X-A:  b\r\n")),
    odd("XFF", Lines("X-Forwarded-For: 1.2.3.4\r\n")),
    odd("CLMISMATCH", End("x")),
    Oddity { flag: "NOEOH", edit: CutHead, gone: CUT_BODY },
    body("BADBODY", "application/json", "{\"a\":"),
    body("BADBOUNDARY", "multipart/form-data; boundary=b", "--b\r\n\r\nx\r\n"),
    body("BODYCHARSET", "text/plain; charset=utf-16", "x"),
    body("BODYENC", "text/plain\r\nContent-Encoding: foo", "x"),
    body("BODYFORM", "application/x-www-form-urlencoded", "a=1"),
    body("CTMISMATCH", "application/xml", "{\"a\":1}"),
    body("DOCTYPE", "application/xml", "<!DOCTYPE a><a/>"),
    body(
        "DUPPARAM",
        "multipart/form-data; boundary=b",
        "--b\r\nContent-Disposition: form-data; name=a; name=b\r\n\r\nx\r\n--b--\r\n",
    ),
    body("ENTITY", "application/xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>"),
    body("JDUP", "application/json", "{\"a\":1,\"a\":2}"),
    body(
        "MAGIC",
        "multipart/form-data; boundary=b",
        "--b\r\nContent-Disposition: form-data; name=a; filename=a.png\r\n\r\n%PDF-1.4\r\n--b--\r\n",
    ),
    Oddity { flag: "BADCHUNK", edit: Chunked("3\r\nabc\r\n"), gone: OTHER_FRAME },
    Oddity { flag: "CHUNKEXT", edit: Chunked("3;x=y\r\nabc\r\n0\r\n\r\n"), gone: OTHER_FRAME },
    Oddity { flag: "TRAILER", edit: Chunked("3\r\nabc\r\n0\r\nX: y\r\n\r\n"), gone: OTHER_FRAME },
];

/// Flags without an oddity here, and why.
pub const NEVER: &[(&str, &str)] = &[
    ("CAPPED", "takes a request beyond a limit: spec/vectors/limits.toml"),
    ("HOME", "a plain request has a path; taking it away is no addition"),
    ("QLONG", "takes a value of over 1 KiB: spec/vectors/query.toml"),
];

/// An oddity that takes nothing away.
const fn odd(flag: &'static str, edit: Edit) -> Oddity {
    Oddity { flag, edit, gone: None }
}

/// A body that is another.
const fn body(flag: &'static str, kind: &'static str, content: &'static str) -> Oddity {
    Oddity { flag, edit: Body(kind, content), gone: OTHER_BODY }
}

impl Edit {
    /// The wire bytes of `plain` with this in it.
    pub fn apply(self, plain: &Pieces) -> Vec<u8> {
        let mut pieces = plain.clone();
        match self {
            Segment(segment) => pieces.path = format!("{}/{segment}", pieces.path),
            Pair(pair) => {
                pieces.query = Some(pieces.query.map_or(pair.to_owned(), |query| format!("{query}&{pair}")));
            }
            Query(query) => pieces.query = Some(query.to_owned()),
            Host(host) => pieces.host = host.to_owned(),
            Version(version) => pieces.version = version.to_owned(),
            Body(kind, content) => {
                pieces.headers.retain(|(name, _)| name != "Content-Type");
                pieces.headers.push(("Content-Type".to_owned(), kind.to_owned()));
                pieces.body = content.as_bytes().to_vec();
            }
            Chunked(content) => {
                pieces.headers.push(("Transfer-Encoding".to_owned(), "chunked".to_owned()));
                pieces.body.clear();
                return [pieces.wire(), content.as_bytes().to_vec()].concat();
            }
            _ => {}
        }
        let wire = pieces.wire();
        let head = wire.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 2;
        let first = wire.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        let target = pieces.method.len() + 1;
        let insert = |at: usize, text: &str| [&wire[..at], text.as_bytes(), &wire[at..]].concat();
        match self {
            Lines(lines) => insert(head, lines),
            AfterRequestLine(line) => insert(first, line),
            Start(text) => insert(0, text),
            End(text) => insert(wire.len(), text),
            TargetStart(text) => insert(target, text),
            TargetEnd(text) => insert(target + pieces.target().len(), text),
            CutHead => wire[..head].to_vec(),
            _ => wire,
        }
    }
}
