//! Every place of a request that a text can stand in, and what becomes of it there.

use data_encoding::BASE64URL_NOPAD;

use super::draft::Draft;

/// The grammar of a place, which says which characters can stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Userinfo,
    Path,
    /// A parameter of a path segment.
    Parameter,
    Key,
    Query,
    Form,
    Fragment,
    /// A method or a header name.
    Token,
    Header,
    /// All of a header value, or of a piece of one, so that Base64 is seen in it.
    Piece,
    /// All of a value inside a text with other delimiters, so that Base64 is seen in it.
    Word,
    /// A name or a piece of a cookie.
    Cookie,
    /// A header value in quotes.
    Quoted,
    Json,
    Xml,
    /// A comment or a CDATA section: nothing is escaped.
    XmlRaw,
    XmlName,
    Text,
    /// A named value in free text.
    Named,
}

impl Field {
    /// Returns whether a line end would cut it.
    pub fn is_one_line(self) -> bool {
        matches!(
            self,
            Field::Token
                | Field::Header
                | Field::Piece
                | Field::Word
                | Field::Cookie
                | Field::Quoted
                | Field::XmlName
                | Field::Named
        )
    }

    /// Returns whether `%`, `&`, `#` and `;` can stand in it.
    pub fn is_free(self) -> bool {
        !matches!(self, Field::Token | Field::XmlName | Field::Cookie | Field::Word)
    }

    /// Returns whether it is all of a text, in which Base64 is looked for.
    pub fn is_whole(self) -> bool {
        matches!(self, Field::Form | Field::Json | Field::Fragment | Field::Piece | Field::Word)
    }

    /// A text as it is, with what would end it escaped as the place does; `None` if it cannot be.
    pub fn fit(self, text: &[u8]) -> Option<Vec<u8>> {
        let escaped = |ends: &[u8]| {
            let one = |&byte: &u8| match byte {
                b'%' | b' ' | b'\n' | b'"' => format!("%{byte:02X}").into_bytes(),
                _ if ends.contains(&byte) => format!("%{byte:02X}").into_bytes(),
                _ => vec![byte],
            };
            text.iter().flat_map(one).collect()
        };
        let is_token = |b: &u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(b);
        let is_name = |b: &u8| b.is_ascii_alphanumeric() || b"_.-".contains(b) || !b.is_ascii();
        match self {
            Field::Userinfo => Some(escaped(b"/?#@")),
            Field::Path => Some(escaped(b"/?#;")),
            Field::Parameter => Some(escaped(b"/?#;=")),
            Field::Key => Some(escaped(b"&#=;")),
            Field::Query => Some(escaped(b"&#;")),
            Field::Form => Some(escaped(b"&;+")),
            Field::Fragment => Some(escaped(b"#")),
            Field::Token | Field::Word => text.iter().all(is_token).then(|| text.to_vec()),
            Field::XmlName => text.iter().all(is_name).then(|| text.to_vec()),
            Field::Cookie => (!text.iter().any(|b| b";=,".contains(b))).then(|| text.to_vec()),
            Field::Header | Field::Piece | Field::Text | Field::Named => Some(text.to_vec()),
            Field::Quoted => Some(replaced(text, &[("\\", "\\\\"), ("\"", "\\\"")])),
            Field::Json => Some(replaced(text, &[("\\", "\\\\"), ("\"", "\\\""), ("\n", "\\n")])),
            Field::Xml => {
                Some(replaced(text, &[("&", "&amp;"), ("<", "&lt;"), ("\"", "&quot;"), ("'", "&apos;")]))
            }
            Field::XmlRaw => (!text.windows(2).any(|two| two == b"--")).then(|| text.to_vec()),
        }
    }
}

fn replaced(text: &[u8], pairs: &[(&str, &str)]) -> Vec<u8> {
    let text = std::str::from_utf8(text).expect("secrets are text").to_owned();
    pairs.iter().fold(text, |text, (from, to)| text.replace(from, to)).into_bytes()
}

/// The reason why a place hides a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hides {
    /// Whatever stands there, and an echo of it elsewhere.
    Secret,
    /// Whatever stands there.
    Anything,
    /// Whatever stands there, by its shape; beside the document, the request is shown.
    Shape,
    /// Values that are recognised.
    Content,
    /// Echoes alone: what is recognised is cut to pieces there.
    Nothing,
}

/// Puts a text, spelt for the place, into a request; with a sensitive name where it needs one.
pub type Plant = fn(&mut Draft, &[u8], &str);

pub struct Place {
    pub name: &'static str,
    pub field: Field,
    pub hides: Hides,
    pub plant: Plant,
}

/// All of them.
pub fn all() -> Vec<Place> {
    let rows = TARGET.iter().chain(HEADERS).chain(CREDENTIALS).chain(LINES).chain(BODIES);
    rows.map(|&(name, field, hides, plant)| Place { name, field, hides, plant }).collect()
}

type Row = (&'static str, Field, Hides, Plant);

fn cat(pieces: &[&[u8]]) -> Vec<u8> {
    pieces.concat()
}

/// A name percent-encoded, with entities, or in full-width letters.
fn percent(name: &str) -> Vec<u8> {
    name.bytes().flat_map(|b| format!("%{b:02X}").into_bytes()).collect()
}

fn entities(name: &str) -> Vec<u8> {
    name.chars().flat_map(|c| format!("&#{};", u32::from(c)).into_bytes()).collect()
}

/// A name that is a token: such a one in ASCII.
fn ascii(name: &str) -> Vec<u8> {
    if name.is_ascii() { name.as_bytes().to_vec() } else { b"my-clave".to_vec() }
}

fn full_width(name: &str) -> String {
    let wide = |c: char| if c.is_ascii() { char::from_u32(u32::from(c) + 0xFEE0) } else { Some(c) };
    name.chars().filter_map(wide).collect()
}

const TARGET: &[Row] = &[
    ("method", Field::Token, Hides::Content, |d, t, _| d.method = Some(t.to_vec())),
    ("userinfo", Field::Userinfo, Hides::Secret, |d, t, _| d.authority = Some(cat(&[t, b"@"]))),
    ("password of userinfo", Field::Userinfo, Hides::Secret, |d, t, _| {
        d.authority = Some(cat(&[b"ana:", t, b"@"]));
    }),
    ("path segment", Field::Path, Hides::Content, |d, t, _| d.path.extend(cat(&[b"/a/", t, b"/b"]))),
    ("inside a path segment", Field::Path, Hides::Content, |d, t, _| {
        d.path.extend(cat(&[b"/see-", t, b".html"]));
    }),
    ("path parameter by name", Field::Parameter, Hides::Secret, |d, t, n| {
        d.path.extend(cat(&[b"/a;", n.as_bytes(), b"=", t, b"/b"]));
    }),
    ("second path parameter by name", Field::Parameter, Hides::Secret, |d, t, n| {
        d.path.extend(cat(&[b"/a;v=1;", n.as_bytes(), b"=", t, b";w=2/b"]));
    }),
    ("path parameter", Field::Parameter, Hides::Content, |d, t, _| {
        d.path.extend(cat(&[b"/a;x=", t, b"/b"]));
    }),
    ("bare path parameter", Field::Parameter, Hides::Content, |d, t, _| {
        d.path.extend(cat(&[b"/a;", t, b"/b"]));
    }),
    ("query by name", Field::Query, Hides::Secret, |d, t, n| {
        d.query.push(cat(&[n.as_bytes(), b"=", t]));
    }),
    ("query by percent-encoded name", Field::Query, Hides::Secret, |d, t, n| {
        d.query.push(cat(&[&percent(n), b"=", t]));
    }),
    ("query by name in entities", Field::Query, Hides::Secret, |d, t, n| {
        d.query.push(cat(&[&entities(n), b"=", t]));
    }),
    ("query by full-width name", Field::Query, Hides::Secret, |d, t, n| {
        d.query.push(cat(&[full_width(n).as_bytes(), b"=", t]));
    }),
    ("query by name of an item", Field::Query, Hides::Secret, |d, t, n| {
        d.query.push(cat(&[b"user[", n.as_bytes(), b"][]=", t]));
    }),
    ("query value", Field::Query, Hides::Content, |d, t, _| d.query.push(cat(&[b"q=", t]))),
    ("second query value", Field::Query, Hides::Content, |d, t, _| {
        d.query.push(cat(&[b"q=1&q=", t, b"&q=2"]));
    }),
    ("query by name encoded twice", Field::Query, Hides::Secret, |d, t, n| {
        d.query.push(cat(&[String::from_utf8_lossy(&percent(n)).replace('%', "%25").as_bytes(), b"=", t]));
    }),
    ("query value of a URL", Field::Query, Hides::Secret, |d, t, n| {
        d.query.push(cat(&[b"next=http://ex.com/?", n.as_bytes(), b"=", t]));
    }),
    ("named value before a plus", Field::Query, Hides::Secret, |d, t, n| {
        d.query.push(cat(&[b"q=", n.as_bytes(), b"=", t, b"+and+more"]));
    }),
    ("named value behind a plus", Field::Query, Hides::Secret, |d, t, n| {
        d.query.push(cat(&[b"q=password=0123456789+", n.as_bytes(), b"=", t]));
    }),
    ("bare key", Field::Key, Hides::Content, |d, t, _| d.query.push(t.to_vec())),
    ("key", Field::Key, Hides::Content, |d, t, _| d.query.push(cat(&[t, b"=1"]))),
    ("key of an item", Field::Key, Hides::Content, |d, t, _| d.query.push(cat(&[b"a[", t, b"]=1"]))),
    ("fragment", Field::Fragment, Hides::Shape, |d, t, _| d.fragment = Some(t.to_vec())),
];

const HEADERS: &[Row] = &[
    ("unknown header", Field::Header, Hides::Content, |d, t, _| d.header("X-Note", &cat(&[b"see ", t]))),
    ("user-agent", Field::Header, Hides::Content, |d, t, _| {
        d.header("User-Agent", &cat(&[b"tool/1.0 ", t]));
    }),
    ("comment of user-agent", Field::Header, Hides::Content, |d, t, _| {
        d.header("User-Agent", &cat(&[b"tool/1.0 (x; ", t, b"/1)"]));
    }),
    ("accept", Field::Header, Hides::Content, |d, t, _| d.header("Accept", &cat(&[b"text/html, ", t]))),
    ("repeated accept", Field::Header, Hides::Content, |d, t, _| {
        d.header("Accept", b"a/b");
        d.header("Accept", t);
    }),
    ("accept-encoding", Field::Header, Hides::Content, |d, t, _| d.header("Accept-Encoding", t)),
    ("accept-language", Field::Header, Hides::Content, |d, t, _| d.header("Accept-Language", t)),
    ("content-disposition", Field::Quoted, Hides::Content, |d, t, _| {
        d.header("Content-Disposition", &cat(&[b"attachment; filename=\"", t, b"\""]));
    }),
    ("via", Field::Header, Hides::Content, |d, t, _| d.header("Via", t)),
    ("connection", Field::Header, Hides::Content, |d, t, _| d.header("Connection", t)),
    ("content-encoding", Field::Header, Hides::Content, |d, t, _| d.steer("Content-Encoding", t)),
    ("cache-control", Field::Header, Hides::Content, |d, t, _| {
        d.header("Cache-Control", &cat(&[b"x=", t]));
    }),
    ("method override", Field::Header, Hides::Content, |d, t, _| d.header("X-HTTP-Method-Override", t)),
    ("forwarded", Field::Header, Hides::Content, |d, t, _| d.header("Forwarded", &cat(&[b"for=", t]))),
    ("request id", Field::Header, Hides::Content, |d, t, _| d.header("X-Request-Id", t)),
    ("referer", Field::Header, Hides::Content, |d, t, _| d.header("Referer", t)),
    ("path of referer", Field::Path, Hides::Content, |d, t, _| {
        d.header("Referer", &cat(&[b"http://ex.com/a/", t]));
    }),
    ("userinfo of referer", Field::Userinfo, Hides::Secret, |d, t, _| {
        d.header("Referer", &cat(&[b"https://ana:", t, b"@ex.com/"]));
    }),
    ("query of referer by name", Field::Query, Hides::Secret, |d, t, n| {
        d.header("Referer", &cat(&[b"https://ex.com/?", n.as_bytes(), b"=", t, b"&x=1"]));
    }),
    ("query of referer", Field::Query, Hides::Content, |d, t, _| {
        d.header("Referer", &cat(&[b"https://ex.com/?x=", t]));
    }),
    ("key of referer", Field::Key, Hides::Content, |d, t, _| {
        d.header("Referer", &cat(&[b"https://ex.com/?", t, b"=1"]));
    }),
    ("fragment of referer", Field::Fragment, Hides::Content, |d, t, _| {
        d.header("Referer", &cat(&[b"https://ex.com/#", t]));
    }),
    ("origin", Field::Userinfo, Hides::Secret, |d, t, _| {
        d.header("Origin", &cat(&[b"https://ana:", t, b"@ex.com"]));
    }),
    ("path of x-original-url", Field::Path, Hides::Content, |d, t, _| {
        d.header("X-Original-URL", &cat(&[b"/a/", t]));
    }),
    ("query of x-rewrite-url by name", Field::Query, Hides::Secret, |d, t, n| {
        d.header("X-Rewrite-URL", &cat(&[b"/a?", n.as_bytes(), b"=", t]));
    }),
    ("header name", Field::Token, Hides::Content, |d, t, _| {
        d.head.extend(cat(&[t, b": 1\r\n"]));
    }),
    ("repeated header name", Field::Token, Hides::Content, |d, t, _| {
        d.head.extend(cat(&[b"X-", t, b": 1\r\nX-", t, b": 2\r\n"]));
    }),
    ("header name with a space", Field::Token, Hides::Content, |d, t, _| {
        d.head.extend(cat(&[t, b" : 1\r\n"]));
    }),
    ("folded header", Field::Header, Hides::Content, |d, t, _| d.header("X-A", &cat(&[b"1\r\n\t", t]))),
    ("repeated header", Field::Header, Hides::Content, |d, t, _| {
        d.header("X-A", b"1");
        d.header("x-a", t);
    }),
    ("body type", Field::Header, Hides::Content, |d, t, _| {
        d.steer("Content-Type", &cat(&[b"text/x; a=", t]));
    }),
];

const CREDENTIALS: &[Row] = &[
    ("authorization", Field::Header, Hides::Secret, |d, t, _| d.header("Authorization", t)),
    ("authorization, bearer", Field::Header, Hides::Secret, |d, t, _| {
        d.header("Authorization", &cat(&[b"bEarer ", t]));
    }),
    ("authorization, basic", Field::Header, Hides::Secret, |d, t, _| {
        d.header("AUTHORIZATION", &cat(&[b"Basic  ", t]));
    }),
    ("authorization, unknown scheme", Field::Header, Hides::Secret, |d, t, _| {
        d.header("authorization", &cat(&[b"Quux ", t]));
    }),
    ("authorization, folded", Field::Header, Hides::Secret, |d, t, _| {
        d.header("Authorization", &cat(&[b"Bearer\r\n ", t]));
    }),
    ("authorization, repeated", Field::Header, Hides::Secret, |d, t, _| {
        d.header("Authorization", b"Basic eDp5");
        d.header("Authorization", &cat(&[b"Bearer ", t]));
    }),
    ("authorization, space before the colon", Field::Header, Hides::Secret, |d, t, _| {
        d.header("Authorization ", &cat(&[b"Bearer ", t]));
    }),
    ("full-width authorization", Field::Header, Hides::Secret, |d, t, _| {
        d.header(&full_width("authorization"), t);
    }),
    ("proxy-authorization", Field::Header, Hides::Secret, |d, t, _| {
        d.header("Proxy-Authorization", &cat(&[b"Negotiate ", t]));
    }),
    ("authorization, proof", Field::Named, Hides::Secret, |d, t, _| {
        d.header("Authorization", &cat(&[b"Hawk id=\"dh37\", ts=\"1\", mac=\"", t, b"\""]));
    }),
    ("userinfo of host", Field::Token, Hides::Secret, |d, t, _| d.host = Some(cat(&[b"ana:", t, b"@"]))),
    ("cookie by name, quoted", Field::Cookie, Hides::Secret, |d, t, n| {
        d.header("Cookie", &cat(&[n.as_bytes(), b"=\"", t, b"\""]));
    }),
    ("x-api-key", Field::Header, Hides::Secret, |d, t, _| d.header("X-Api-Key", t)),
    ("x-auth-token", Field::Header, Hides::Secret, |d, t, _| d.header("X-Auth-Token", t)),
    ("x-amz-security-token", Field::Header, Hides::Secret, |d, t, _| d.header("X-Amz-Security-Token", t)),
    ("header by name", Field::Header, Hides::Secret, |d, t, n| d.header(&format!("App-{n}"), t)),
    ("header by name, underscores", Field::Header, Hides::Secret, |d, t, n| {
        d.header(&format!("X_{n}_X"), t);
    }),
    ("cookie", Field::Cookie, Hides::Anything, |d, t, _| d.header("Cookie", &cat(&[b"theme=", t]))),
    ("cookie by name", Field::Cookie, Hides::Secret, |d, t, n| {
        d.header("Cookie", &cat(&[b"a=1; ", n.as_bytes(), b"=", t, b"; b=2"]));
    }),
    ("cookie without a name", Field::Cookie, Hides::Anything, |d, t, _| d.header("Cookie", t)),
    ("cookie name", Field::Cookie, Hides::Content, |d, t, _| d.header("Cookie", &cat(&[t, b"=1"]))),
    ("cookie name, named value in Base64", Field::Token, Hides::Secret, |d, t, _| {
        let name = BASE64URL_NOPAD.encode(&cat(&[b"password=", t]));
        d.header("Cookie", &cat(&[name.as_bytes(), b"=1"]));
    }),
    ("cookie, named value in Base64", Field::Token, Hides::Secret, |d, t, _| {
        let value = BASE64URL_NOPAD.encode(&cat(&[b"password=", t]));
        d.header("Cookie", &cat(&[b"a=", value.as_bytes()]));
    }),
    ("set-cookie attribute, named value in Base64", Field::Token, Hides::Secret, |d, t, _| {
        let value = BASE64URL_NOPAD.encode(&cat(&[b"password=", t]));
        d.header("Set-Cookie", &cat(&[b"a=b; Path=", value.as_bytes()]));
    }),
    ("cookie, space before the colon", Field::Cookie, Hides::Anything, |d, t, _| {
        d.header("Cookie ", &cat(&[b"a=", t]));
    }),
    ("set-cookie", Field::Cookie, Hides::Anything, |d, t, _| {
        d.header("Set-Cookie", &cat(&[b"theme=", t, b"; Path=/"]));
    }),
    ("set-cookie by name", Field::Cookie, Hides::Secret, |d, t, n| {
        d.header("Set-Cookie", &cat(&[n.as_bytes(), b"=", t, b"; HttpOnly"]));
    }),
    ("name in set-cookie", Field::Cookie, Hides::Content, |d, t, _| {
        d.header("Set-Cookie", &cat(&[t, b"=1"]));
    }),
    ("path of set-cookie", Field::Cookie, Hides::Content, |d, t, _| {
        d.header("Set-Cookie", &cat(&[b"a=1; Path=/", t]));
    }),
    ("domain of set-cookie", Field::Cookie, Hides::Content, |d, t, _| {
        d.header("Set-Cookie", &cat(&[b"a=1; domain=", t]));
    }),
    ("attribute of set-cookie", Field::Cookie, Hides::Anything, |d, t, _| {
        d.header("Set-Cookie", &cat(&[b"a=1; ", t, b"=1"]));
    }),
];

const LINES: &[Row] = &[
    ("line without a colon", Field::Token, Hides::Anything, |d, t, _| {
        d.head.extend(cat(&[b"no colon here ", t, b"\r\n"]));
    }),
    ("orphan", Field::Header, Hides::Anything, |d, t, _| {
        d.first_line = cat(&[b" X-A: ", t, b"\r\n"]);
    }),
    ("header after an embedded line end", Field::Header, Hides::Content, |d, t, _| {
        d.header("X-A", &cat(&[b"1\nX-B: ", t]));
    }),
    ("authorization after an embedded line end", Field::Header, Hides::Secret, |d, t, _| {
        d.header("X-A", &cat(&[b"1\nAuthorization: ", t]));
    }),
    ("header by name after an embedded line end", Field::Header, Hides::Secret, |d, t, n| {
        d.header("X-A", &cat(&[b"1\rApp-", &ascii(n), b": ", t]));
    }),
    ("cookie after an embedded line end", Field::Cookie, Hides::Secret, |d, t, n| {
        d.header("X-A", &cat(&[b"1\nCookie: ", n.as_bytes(), b"=", t]));
    }),
    ("name after an embedded line end", Field::Token, Hides::Content, |d, t, _| {
        d.header("X-A", &cat(&[b"1\n", t, b": 1"]));
    }),
    ("text after an embedded line end", Field::Token, Hides::Anything, |d, t, _| {
        d.header("X-A", &cat(&[b"1\nsee ", t]));
    }),
    ("text after two line ends", Field::Header, Hides::Anything, |d, t, _| {
        d.header("X-A", &cat(&[b"1\n\nX-B: ", t]));
    }),
    ("piece before an embedded line end", Field::Piece, Hides::Content, |d, t, _| {
        d.header("X-A", &cat(&[t, b"\rx"]));
    }),
    ("piece before two line ends", Field::Piece, Hides::Content, |d, t, _| {
        d.header("X-A", &cat(&[t, b"\n\rx"]));
    }),
    ("piece of a listed header", Field::Piece, Hides::Content, |d, t, _| {
        d.header("Cache-Control", &cat(&[t, b"\r no-cache"]));
    }),
    ("piece between line ends", Field::Piece, Hides::Anything, |d, t, _| {
        d.header("X-A", &cat(&[b"1\r", t, b"\r2"]));
    }),
    ("named piece between line ends", Field::Piece, Hides::Content, |d, t, _| {
        d.header("X-A", &cat(&[b"1\rX-B: ", t, b"\rX-C: 2"]));
    }),
    ("piece behind the 64th line end", Field::Piece, Hides::Anything, |d, t, _| {
        d.header("X-A", &cat(&[&b"1\r".repeat(66), t, b"\r2"]));
    }),
    ("named piece behind the 64th line end", Field::Piece, Hides::Content, |d, t, _| {
        d.header("X-A", &cat(&[&b"1\r".repeat(66), b"X-B: ", t, b"\r2"]));
    }),
    ("first line of a folded header", Field::Piece, Hides::Nothing, |d, t, _| {
        d.header("X-A", &cat(&[t, b"\r\n x"]));
    }),
    ("second line of a folded header", Field::Piece, Hides::Nothing, |d, t, _| {
        d.header("Cache-Control", &cat(&[b"no-cache\r\n\t", t]));
    }),
    ("first of repeats that are joined", Field::Piece, Hides::Nothing, |d, t, _| {
        d.header("Via", t);
        d.header("Via", b"1.1 a");
    }),
    ("second of repeats that are joined", Field::Piece, Hides::Nothing, |d, t, _| {
        d.header("Via", b"1.1 a");
        d.header("Via", t);
    }),
    ("repeat that is not joined", Field::Piece, Hides::Content, |d, t, _| {
        d.header("X-A", b"1");
        d.header("X-A", t);
    }),
    ("value of an attribute", Field::Word, Hides::Nothing, |d, t, _| {
        d.header("Set-Cookie", &cat(&[b"a=1; Path=", t, b"; Secure"]));
    }),
    ("value of a parameter of a path", Field::Word, Hides::Nothing, |d, t, _| {
        d.header("Referer", &cat(&[b"http://ex.com/a;x=", t, b"/b"]));
    }),
];

const FIELD: &[u8] = b"Content-Disposition: form-data; name=\"note\"";

const BODIES: &[Row] = &[
    ("form by name", Field::Form, Hides::Secret, |d, t, n| {
        d.form.push(cat(&[n.as_bytes(), b"=", t]));
    }),
    ("form by percent-encoded name", Field::Form, Hides::Secret, |d, t, n| {
        d.form.push(cat(&[&percent(n), b"=", t]));
    }),
    ("form value", Field::Form, Hides::Shape, |d, t, _| d.form.push(cat(&[b"note=", t]))),
    ("key of a form", Field::Key, Hides::Content, |d, t, _| d.form.push(cat(&[t, b"=1"]))),
    ("bare key of a form", Field::Key, Hides::Content, |d, t, _| {
        d.form.push(cat(&[b"a=1&", t, b"&b=2"]));
    }),
    ("JSON by name", Field::Json, Hides::Secret, |d, t, n| {
        d.json.push(cat(&[b"\"", n.as_bytes(), b"\":\"", t, b"\""]));
    }),
    ("JSON below a name", Field::Json, Hides::Secret, |d, t, n| {
        d.json.push(cat(&[b"\"a\":{\"", n.as_bytes(), b"\":[1,{\"b\":\"", t, b"\"}]}"]));
    }),
    // Below the limit the whole of it is the secret.
    ("JSON deep below a name", Field::Json, Hides::Anything, |d, t, n| {
        let (open, close) = ("[".repeat(40), "]".repeat(40));
        d.json.push(cat(&[b"\"", n.as_bytes(), b"\":", open.as_bytes(), b"\"", t, b"\"", close.as_bytes()]));
    }),
    ("JSON value", Field::Json, Hides::Shape, |d, t, _| d.json.push(cat(&[b"\"note\":[\"", t, b"\"]"]))),
    ("JSON beyond the limit", Field::Json, Hides::Shape, |d, t, _| {
        d.json.push(cat(&[b"\"z\":[", &b"1,".repeat(140), b"\"", t, b"\"]"]));
    }),
    ("JSON by name beyond the limit", Field::Json, Hides::Secret, |d, t, n| {
        d.json.push(cat(&[b"\"z\":[", &b"1,".repeat(140), b"1],\"", n.as_bytes(), b"\":\"", t, b"\""]));
    }),
    ("JSON name", Field::Json, Hides::Content, |d, t, _| d.json.push(cat(&[b"\"", t, b"\":1"]))),
    ("nested JSON name", Field::Json, Hides::Content, |d, t, _| {
        d.json.push(cat(&[b"\"a\":[{\"", t, b"\":{\"b\":null}}]"]));
    }),
    ("XML by name", Field::Xml, Hides::Secret, |d, t, n| {
        d.xml.push(cat(&[b"<_", n.as_bytes(), b">", t, b"</_", n.as_bytes(), b">"]));
    }),
    ("XML below a name", Field::Xml, Hides::Secret, |d, t, n| {
        d.xml.push(cat(&[b"<_", n.as_bytes(), b"><b>", t, b"</b></_", n.as_bytes(), b">"]));
    }),
    ("XML attribute by name", Field::Xml, Hides::Secret, |d, t, n| {
        d.xml.push(cat(&[b"<a _", n.as_bytes(), b"=\"", t, b"\"/>"]));
    }),
    ("XML CDATA by name", Field::XmlRaw, Hides::Secret, |d, t, n| {
        d.xml.push(cat(&[b"<_", n.as_bytes(), b"><![CDATA[", t, b"]]></_", n.as_bytes(), b">"]));
    }),
    ("XML text", Field::Xml, Hides::Shape, |d, t, _| d.xml.push(cat(&[b"<a>", t, b"</a>"]))),
    ("XML attribute", Field::Xml, Hides::Shape, |d, t, _| d.xml.push(cat(&[b"<a x=\"", t, b"\"/>"]))),
    ("XML comment", Field::XmlRaw, Hides::Anything, |d, t, _| d.xml.push(cat(&[b"<!-- ", t, b" -->"]))),
    ("XML CDATA", Field::XmlRaw, Hides::Shape, |d, t, _| d.xml.push(cat(&[b"<a><![CDATA[", t, b"]]></a>"]))),
    ("XML instruction", Field::XmlName, Hides::Anything, |d, t, _| {
        d.xml.push(cat(&[b"<?x ", t, b"?>"]));
    }),
    ("XML doctype", Field::Xml, Hides::Anything, |d, t, _| {
        d.prolog = cat(&[b"<!DOCTYPE a [<!ENTITY x \"", t, b"\">]>"]);
    }),
    ("XML element", Field::XmlName, Hides::Content, |d, t, _| {
        d.xml.push(cat(&[b"<_", t, b">1</_", t, b">"]));
    }),
    ("XML attribute name", Field::XmlName, Hides::Content, |d, t, _| {
        d.xml.push(cat(&[b"<a _", t, b"=\"1\"/>"]));
    }),
    ("multipart by name", Field::Text, Hides::Secret, |d, t, n| {
        d.part(format!("Content-Disposition: form-data; name=\"{n}\"").as_bytes(), t);
    }),
    ("multipart by unquoted name", Field::Text, Hides::Secret, |d, t, n| {
        d.part(format!("content-disposition: form-data; NAME={n}").as_bytes(), t);
    }),
    ("multipart by extended name", Field::Text, Hides::Secret, |d, t, n| {
        let name = percent(n);
        d.part(&cat(&[b"Content-Disposition: form-data; name*=utf-8''", &name]), t);
    }),
    ("multipart content", Field::Text, Hides::Shape, |d, t, _| d.part(FIELD, t)),
    ("multipart name", Field::Quoted, Hides::Content, |d, t, _| {
        d.part(&cat(&[b"Content-Disposition: form-data; name=\"", t, b"\""]), b"1");
    }),
    ("multipart file name", Field::Quoted, Hides::Shape, |d, t, _| {
        d.part(&cat(&[FIELD, b"; filename=\"", t, b"\""]), b"1");
    }),
    ("multipart file extension", Field::Quoted, Hides::Shape, |d, t, _| {
        d.part(&cat(&[FIELD, b"; filename=\"a.", t, b".", t, b"\""]), b"1");
    }),
    ("multipart file", Field::Text, Hides::Anything, |d, t, _| {
        d.part(&cat(&[FIELD, b"; filename=a.txt"]), t);
    }),
    ("multipart part header", Field::Header, Hides::Anything, |d, t, _| {
        d.part(&cat(&[FIELD, b"\r\nX-A: ", t]), b"1");
    }),
    ("multipart part type", Field::Header, Hides::Anything, |d, t, _| {
        d.part(&cat(&[FIELD, b"\r\nContent-Type: ", t]), b"1");
    }),
    ("multipart part header by name", Field::Header, Hides::Secret, |d, t, n| {
        d.part(&cat(&[FIELD, b"\r\nX-", &ascii(n), b": ", t]), b"1");
    }),
    ("multipart part authorization", Field::Header, Hides::Secret, |d, t, _| {
        d.part(&cat(&[FIELD, b"\r\nAuthorization: Foo ", t]), b"1");
    }),
    ("named value in a preamble", Field::Named, Hides::Secret, |d, t, n| {
        let part = b"\r\n--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--\r\n";
        d.other = Some(("multipart/form-data; boundary=b", cat(&[n.as_bytes(), b": ", t, part])));
    }),
    ("named value in an XML comment", Field::Named, Hides::Secret, |d, t, n| {
        d.xml.push(cat(&[b"<!-- ", n.as_bytes(), b" = '", t, b"' --><c>1</c>"]));
    }),
    ("XML entity by name", Field::XmlName, Hides::Secret, |d, t, _| {
        d.prolog = cat(&[b"<!DOCTYPE root [<!ENTITY pw '", t, b"'>]>"]);
    }),
    ("named value in a chunk extension", Field::Token, Hides::Secret, |d, t, n| {
        d.extension = cat(&[&ascii(n), b"=\"", t, b"\""]);
    }),
    ("trailer by name", Field::Header, Hides::Secret, |d, t, n| {
        d.trailer = cat(&[b"X-", &ascii(n), b": ", t]);
    }),
    ("multipart in multipart", Field::Text, Hides::Anything, |d, t, _| {
        let inner = cat(&[b"--b2\r\n", FIELD, b"\r\n\r\n", t, b"\r\n--b2--"]);
        d.part(&cat(&[FIELD, b"; filename=x\r\nContent-Type: multipart/mixed; boundary=b2"]), &inner);
    }),
    ("text body", Field::Text, Hides::Anything, |d, t, _| {
        d.other = Some(("text/plain", cat(&[b"see ", t, b" there"])));
    }),
    ("text body by name", Field::Named, Hides::Secret, |d, t, n| {
        d.other = Some(("text/plain", cat(&[b"my ", n.as_bytes(), b": ", t])));
    }),
    ("binary body", Field::Text, Hides::Anything, |d, t, _| {
        d.other = Some(("application/octet-stream", cat(&[b"\x00\x01\xFF", t, b"\x00"])));
    }),
    ("body of no type", Field::Text, Hides::Anything, |d, t, _| {
        d.other = Some(("x/y", cat(&[b"<<{", t])));
    }),
    ("bad JSON", Field::Json, Hides::Anything, |d, t, n| {
        d.other = Some(("application/json", cat(&[b"{\"", n.as_bytes(), b"\":\"", t, b"\",,}"])));
    }),
    ("bad JSON name", Field::Json, Hides::Anything, |d, t, _| {
        d.other = Some(("application/json", cat(&[b"{\"", t, b"\":1,,}"])));
    }),
    ("bad XML", Field::Xml, Hides::Anything, |d, t, _| {
        d.other = Some(("text/xml", cat(&[b"<a><b x='", t, b"'>", t, b"</a>"])));
    }),
    ("bad multipart", Field::Text, Hides::Anything, |d, t, _| {
        d.other = Some(("multipart/form-data; boundary=b", cat(&[b"name=\"", t, b"\""])));
    }),
    ("preamble of multipart", Field::Text, Hides::Anything, |d, t, _| {
        let part = b"\r\n--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--\r\n";
        d.other = Some(("multipart/form-data; boundary=b", cat(&[t, part])));
    }),
];
