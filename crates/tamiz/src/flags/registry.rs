//! The one table of flags.
//!
//! A flag exists by its row here and nowhere else: the enum, its documentation, `spec/flags.md`,
//! the JSON schema, `tamiz flags` and the tests of both its requests come from it. Ids only ever
//! grow, because models depend on their order: new rows go last.

use super::{Family, Parameter, Weight};
use crate::flags::Profile;

/// The columns of the registry.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) in_brackets: &'static str,
    pub(super) parameter: Parameter,
    pub(super) family: Family,
    pub(super) weight: Weight,
    pub(super) profile: Profile,
    pub(super) clause: &'static str,
    pub(super) meaning: &'static str,
    pub(super) why: &'static str,
    pub(super) raises: &'static [u8],
    pub(super) near_miss: &'static [u8],
}

macro_rules! flags {
    ($($variant:ident = $id:literal, $name:literal, $parameter:ident, $family:ident, $weight:ident,
       $profile:ident, $clause:literal, $meaning:literal, $why:literal, $raises:literal, $near_miss:literal;)+) => {
        /// One oddity of a request.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[non_exhaustive]
        pub enum Flag {
            $(
                #[doc = concat!("`", $name, "`: ", $meaning, "\n\n", $why, "\n\nClause ", $clause, ".")]
                $variant = $id,
            )+
        }

        impl Flag {
            /// Every flag, in the order of their ids.
            pub const ALL: &'static [Flag] = &[$(Flag::$variant,)+];
        }

        pub(super) const ROWS: [Row; Flag::ALL.len()] = [$(
            Row {
                name: $name,
                in_brackets: concat!(" [", $name, "]"),
                parameter: Parameter::$parameter,
                family: Family::$family,
                weight: Weight::$weight,
                profile: Profile::$profile,
                clause: $clause,
                meaning: $meaning,
                why: $why,
                raises: $raises,
                near_miss: $near_miss,
            },
        )+];
    };
}

flags! {
    DoublePct = 0, "DOUBLEPCT", None, Encoding, Structural, Core, "4.7",
        "A valid `%hh` is left after decoding once, or percent-encoded bytes are not UTF-8.",
        "URLs inside URLs are encoded twice, and so are attacks: `PCTVALUE` says where a second layer hides something.",
        b"GET /a%252Ejsp HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /a%2Ejsp HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    HtmlEnt = 1, "HTMLENT", None, Encoding, Structural, Core, "4.12",
        "An HTML entity was decoded in the path or query, or hides a flag elsewhere.",
        "Entities mean nothing in a URL: they are there for a page or a filter that decodes them later.",
        b"GET /a&#x2f;b HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /a&#x2f HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    BadUtf8 = 2, "BADUTF8", None, Encoding, Structural, Core, "4.1",
        "Bytes that are not UTF-8: another charset, or a broken encoding.",
        "Each layer reads them in its own way; `OVERLONG` tells where that is an evasion.",
        b"GET /%C0%AFetc HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /%C3%A9 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    PctSlash = 3, "PCTSLASH", None, Encoding, Structural, Core, "4.6",
        "The path shows `%2F`.",
        "Some servers decode it into a separator after access rules were checked.",
        b"GET /a%2Fb HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /a%2Eb HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    PctBackslash = 4, "PCTBACKSLASH", None, Encoding, Evasion, Core, "4.6",
        "The path shows `%5C`.",
        "Some servers take a backslash for a separator.",
        b"GET /a%5Cb HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /a\\b HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    PctDelim = 5, "PCTDELIM", None, Encoding, Structural, Standard, "4.6",
        "The path shows `%3F`, `%23` or `%3B`.",
        "A layer that decodes them cuts the path elsewhere.",
        b"GET /a%3Fb HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /a%3Ab HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    PctUnres = 6, "PCTUNRES", None, Encoding, Evasion, Standard, "4.5",
        "A letter, digit, `-`, `.` or `_` was percent-encoded in the path or query.",
        "Nobody honest writes `/%61dmin`.",
        b"GET /%61dmin HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /%7Eadmin HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    PctU = 7, "PCTU", None, Encoding, Evasion, Standard, "4.4",
        "A `%uXXXX` escape.",
        "Only old Microsoft servers decode it; everywhere else it hides characters.",
        b"GET /%u002e HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /%up HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    BadPct = 8, "BADPCT", None, Encoding, Notable, Full, "4.3",
        "A `%` that starts no valid escape.",
        "Decoders differ on what to do with it.",
        b"GET /a%2Gb HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /a%25b HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    MultiEnc = 9, "MULTIENC", Key, Encoding, Structural, Full, "4.8",
        "Where a second layer of encoding is: the key, or `path`.",
        "Ties the doubled encoding to the field that carries it.",
        b"GET /?next=%252Fadmin HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?next=%2Fadmin HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    FullWidth = 10, "FULLWIDTH", None, Unicode, Evasion, Core, "4.17",
        "A full-width or half-width form in the method, a header name, the path, the host or a query key.",
        "Such forms become plain ASCII in a layer that normalises, after the filter looked.",
        b"GET /\xEF\xBD\x81dmin HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /\xC3\xA4dmin HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Compat = 11, "COMPAT", None, Unicode, Evasion, Standard, "4.18",
        "NFKC changes a structural field by more than composition or width.",
        "Ligatures, superscripts and letter-like symbols turn into other letters downstream.",
        b"GET /\xEF\xAC\x81le HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /e\xCC\x81 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    MixedScript = 12, "MIXEDSCRIPT", None, Unicode, Notable, Core, "7.4",
        "Latin, Cyrillic and Greek letters mixed within one token.",
        "Homographs: the eye and the machine read different names.",
        b"GET /\xD1\x80\xD0\xB0ypal HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /\xD1\x80\xD0\xB0\xD1\x83\xD1\x80\xD0\xB0\xD0\xBB HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Control = 13, "CONTROL", None, Unicode, Evasion, Core, "4.9",
        "A control character, line separator or bidirectional control, raw or decoded.",
        "Controls cut strings, lines and terminals, and reorder what people read.",
        b"GET /a%01b HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /a%20b HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Invisible = 14, "INVISIBLE", None, Unicode, Evasion, Standard, "4.10",
        "A default-ignorable character: zero width, soft hyphen, byte order mark, tag.",
        "Invisible characters split the words that filters look for.",
        b"GET /ad%E2%80%8Bmin HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /ad%E2%80%94min HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Idna = 15, "IDNA", None, Unicode, Notable, Core, "5.8",
        "The host had Unicode labels and was converted to ASCII.",
        "Names outside ASCII can look like others.",
        b"GET / HTTP/1.1\r\nHost: espa\xC3\xB1a.es\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: xn--espaa-rta.es\r\n\r\n";
    MultipleSlash = 16, "MULTIPLESLASH", None, Path, Structural, Core, "5.19",
        "Repeated `/` collapsed.",
        "Access rules that compare paths as text miss `//admin`.",
        b"GET /a//b HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /a/b HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    DotDot = 17, "DOTDOT", None, Path, Evasion, Core, "5.21",
        "A `..` segment, never resolved, also behind `;`, `\\` or an encoded delimiter.",
        "Path traversal.",
        b"GET /a/../b HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /a/..b HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    DotDotN = 18, "DOTDOTN", Number, Path, Evasion, Full, "5.22",
        "The longest run of consecutive `..`.",
        "How far the traversal reaches.",
        b"GET /../../etc HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /... HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    DotCur = 19, "DOTCUR", None, Path, Notable, Standard, "5.19",
        "A `.` segment collapsed.",
        "Spells a path in another way.",
        b"GET /a/./b HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /a/.b HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Home = 20, "HOME", None, Path, Structural, Core, "5.19",
        "The path is `/`.",
        "The most ordinary path there is.",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /a HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    TrailSlash = 21, "TRAILSLASH", None, Path, Structural, Standard, "5.19",
        "A final `/` dropped.",
        "Two spellings of one path that some servers route differently.",
        b"GET /a/ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /a HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    PathParam = 22, "PATHPARAM", None, Path, Structural, Standard, "5.24",
        "A `;` in a path segment.",
        "Matrix parameters are dropped by some servers and kept by others.",
        b"GET /a;b/c HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /a/c HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    DotTail = 23, "DOTTAIL", None, Path, Structural, Standard, "5.25",
        "A segment that ends in `.`, a space or `::$DATA`.",
        "Windows drops these, so `file.asp.` is `file.asp`.",
        b"GET /file.asp. HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /file.asp HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    RootTrav = 24, "ROOTTRAV", None, Path, Evasion, Full, "5.23",
        "`..` segments climb above the root.",
        "No honest link leaves the root.",
        b"GET /a/../../etc HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /a/../etc HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    NetPath = 25, "NETPATH", None, Path, Structural, Standard, "5.20",
        "The target begins with `//`, `/\\`, `\\`, or an encoding of them.",
        "Read as a network path, the first segment becomes a host.",
        b"GET //evil.example/x HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /a//x HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    PercentInPath = 26, "PERCENT_IN_PATH", None, Path, Notable, Full, "7.3",
        "A bare `%` is left in the path after decoding.",
        "What looks like an escape to one layer is text to another.",
        b"GET /100%25 HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /100%20 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    BadTarget = 27, "BADTARGET", None, Path, Evasion, Standard, "5.3",
        "The target has a form its method does not allow, an unknown scheme, or no form at all.",
        "Proxies and servers disagree on what such a target names.",
        b"GET admin HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /admin HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Fragment = 28, "FRAGMENT", None, Path, Notable, Standard, "5.17",
        "A raw `#` in the target.",
        "Clients never send fragments; some servers cut there, others do not.",
        b"GET /a#b HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /a%23b HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    QRepeat = 29, "QREPEAT", Key, Query, Structural, Core, "6.5",
        "A key that appears more than once.",
        "Parameter pollution: the first, the last or all of them may count.",
        b"GET /?a=1&a=2 HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=1&A=2 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    QEmptyVal = 30, "QEMPTYVAL", None, Query, Structural, Core, "6.5",
        "A pair with `=` and nothing after it.",
        "A form sent half filled in.",
        b"GET /?a= HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=1 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    QBare = 31, "QBARE", None, Query, Structural, Core, "6.5",
        "A token without `=`.",
        "Read as a key by some and as a value by others.",
        b"GET /?a HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a= HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    QNul = 32, "QNUL", None, Query, Evasion, Core, "6.5",
        "A decoded NUL in a query value.",
        "Cuts the string in languages that end strings with NUL.",
        b"GET /?a=%00 HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=%2500 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    QNonAscii = 33, "QNONASCII", None, Query, Structural, Core, "6.5",
        "A key or value beyond ASCII after decoding.",
        "Ordinary in names of people and places; rare in identifiers.",
        b"GET /?a=%C3%A9 HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=e HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    QArray = 34, "QARRAY", Key, Query, Structural, Core, "6.5",
        "A key that ends in `[]`.",
        "Changes the type that some frameworks hand to the application.",
        b"GET /?ids[]=1 HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?ids[0]=1 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    QSemiSep = 35, "QSEMISEP", None, Query, Structural, Core, "6.2",
        "`;` separates pairs.",
        "An old convention that only some parsers still follow.",
        b"GET /?x=1;y=2;z=3 HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?x=1;y=2 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    QRawSemi = 36, "QRAWSEMI", None, Query, Structural, Core, "6.2",
        "A `;` that is no separator.",
        "A parser that cuts there sees other parameters.",
        b"GET /?x=a;b HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?x=1;y=2;z=3 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    QLong = 37, "QLONG", None, Query, Structural, Core, "6.5",
        "A value longer than 1,024 bytes after decoding.",
        "Overflows, encoded payloads and whole documents travel in long values.",
        b"GET /?a=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Angle = 38, "ANGLE", None, Danger, Notable, Core, "7.2",
        "An angle bracket, `<` or `>`.",
        "Markup: cross-site scripting, XML, server-side includes.",
        b"GET /?a=%3Cb%3E HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=b HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Quote = 39, "QUOTE", None, Danger, Notable, Core, "7.2",
        "A quote, `'` or `\"`.",
        "Breaks out of strings in SQL, markup and scripts.",
        b"GET /?a=O%27Brien HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=OBrien HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Semicolon = 40, "SEMICOLON", None, Danger, Structural, Core, "7.2",
        "`;` in a value, key or segment.",
        "Ends a statement or a command.",
        b"GET /?a=b%3Bc HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=b:c HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Paren = 41, "PAREN", None, Danger, Structural, Core, "7.2",
        "A parenthesis, `(` or `)`.",
        "Calls a function.",
        b"GET /?a=f(1) HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=f-1 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Brace = 42, "BRACE", None, Danger, Notable, Core, "7.2",
        "A brace, `{` or `}`.",
        "Templates, JSON operators and shell groups.",
        b"GET /?a={b} HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=[b] HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Pipe = 43, "PIPE", None, Danger, Structural, Core, "7.2",
        "A pipe, `|`.",
        "Chains commands.",
        b"GET /?a=b|c HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=b-c HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Backslash = 44, "BACKSLASH", None, Danger, Notable, Core, "7.2",
        "A backslash, `\\`.",
        "Escapes, Windows paths, and a separator to some parsers.",
        b"GET /a\\b HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /a/b HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Space = 45, "SPACE", None, Danger, Notable, Core, "7.2",
        "A space in a query key, or at an end of a path segment; in `core` anywhere in one.",
        "Request lines are cut at spaces.",
        b"GET /?a%20b=1 HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a+b=1 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Nul = 46, "NUL", None, Danger, Evasion, Core, "4.9",
        "A NUL, raw or decoded.",
        "Cuts the string in languages that end strings with NUL.",
        b"GET /a%00b HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /a%01b HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Marker = 47, "MARKER", None, Content, Evasion, Standard, "6.15",
        "A value that is exactly one of this form's own markers.",
        "Either a document fed back as a request, or someone posing as redacted.",
        b"GET /?a=%3Cnum:5%3E HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=%3Cnum:x%3E HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Jwt = 48, "JWT", None, Privacy, Structural, Full, "6.16",
        "A value that is a JSON Web Token.",
        "A credential in a place where it is logged.",
        b"GET /?a=eyJhbGciOiJub25lIn0.e30. HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=abc.def.ghi HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    DupHdr = 49, "DUPHDR", Name, Header, Structural, Core, "8.5",
        "A header that appears more than once.",
        "The first, the last or both may count, depending on the layer.",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nX-A: 1\r\nX-A: 2\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n";
    BadHdrName = 50, "BADHDRNAME", Name, Header, Evasion, Core, "8.3",
        "A header name that is not a token, has `_` or white space before the colon; or a `Host` with a forbidden character.",
        "Proxies drop, keep or rewrite such names, so two layers see two requests.",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nX_Custom: v\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nX-Custom: v\r\n\r\n";
    HopByHop = 51, "HOPBYHOP", Name, Header, Structural, Core, "8.7",
        "A header meant for one hop.",
        "Lets a client strip or change headers between two proxies.",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nTE: trailers\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nAccept: */*\r\n\r\n";
    UnkHdr = 52, "UNKHDR", Name, Header, Structural, Full, "8.9",
        "A header outside the list of known ones.",
        "Rare headers are worth a look.",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nX-Zzz: 1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nAccept: */*\r\n\r\n";
    HostMismatch = 53, "HOSTMISMATCH", None, Header, Evasion, Core, "5.5",
        "The target's host differs from `Host`.",
        "Routing by one and authorising by the other.",
        b"GET http://ex.com/a HTTP/1.1\r\nHost: other.com\r\n\r\n",
        b"GET http://ex.com/a HTTP/1.1\r\nHost: EX.com:80\r\n\r\n";
    BadHost = 54, "BADHOST", None, Header, Evasion, Core, "5.6",
        "No valid host where one is needed, a bad port, or a second `Host`.",
        "Caches, routers and applications each guess another host.",
        b"GET / HTTP/1.1\r\nHost: a_b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a-b\r\n\r\n";
    HostDot = 55, "HOSTDOT", None, Header, Structural, Standard, "5.11",
        "The host's trailing dot dropped.",
        "The same host under another name.",
        b"GET / HTTP/1.1\r\nHost: ex.com.\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    AuthBearer = 56, "AUTHBEARER", None, Privacy, Structural, Core, "8.19",
        "Bearer credentials.",
        "The caller has a token.",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nAuthorization: Bearer abc\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nAuthorization: Basic abc\r\n\r\n";
    AuthBasic = 57, "AUTHBASIC", None, Privacy, Structural, Core, "8.19",
        "Basic credentials.",
        "A password in every request.",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nAuthorization: Basic abc\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nAuthorization: Bearer abc\r\n\r\n";
    Xff = 58, "XFF", None, Header, Structural, Core, "8.20",
        "`X-Forwarded-For` or `Forwarded` is there.",
        "Passed through a proxy, or pretends to.",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nX-Real-IP: 192.0.2.1\r\n\r\n";
    Cookie = 59, "COOKIE", Number, Privacy, Structural, Core, "8.17",
        "How many cookies a `Cookie` header holds.",
        "Browsers carry many, scripts few.",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nCookie: a=1; b=2\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nSet-Cookie: a=1\r\n\r\n";
    BadHdrLine = 60, "BADHDRLINE", None, Header, Evasion, Standard, "2.15",
        "A header line without a colon.",
        "Dropped by some parsers, joined to its neighbour by others.",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nnonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nnonsense:\r\n\r\n";
    MethodOverride = 61, "METHODOVERRIDE", None, Header, Notable, Standard, "8.8",
        "A header that asks for another method.",
        "Turns an allowed POST into a forbidden DELETE.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nX-HTTP-Method-Override: DELETE\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nX-HTTP-Methodical: x\r\n\r\n";
    ObsFold = 62, "OBSFOLD", None, Whitespace, Evasion, Core, "2.16",
        "A header folded over several lines.",
        "Forbidden since 2014; layers that do not unfold see other headers.",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nX-A: 1\r\n 2\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nX-A: 1 2\r\n\r\n";
    WsPad = 63, "WSPAD", None, Whitespace, Notable, Core, "8.4",
        "White space in a header value trimmed or collapsed.",
        "Padding hides values from exact matches.",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nX-A:  1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nX-A: 1\r\n\r\n";
    BadCrlf = 64, "BADCRLF", None, Whitespace, Evasion, Core, "2.3",
        "A CR or LF where no line ends, or a NUL.",
        "A layer that ends the line there reads another header, or another request.",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\nX-A: 1\nX-B: 2\r\n\r\n",
        b"GET / HTTP/1.1\nHost: ex.com\nX-A: 1\nX-B: 2\n\n";
    BadHdrCont = 65, "BADHDRCONT", None, Whitespace, Evasion, Core, "2.17",
        "A continuation line with no header before it.",
        "Some servers ignore the first header line, some take it for part of the request line.",
        b"GET / HTTP/1.1\r\n x\r\nHost: ex.com\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\n x\r\n\r\n";
    LeadCrlf = 66, "LEADCRLF", None, Whitespace, Notable, Standard, "2.4",
        "Empty lines before the request line.",
        "Left over from a body that was longer than it said.",
        b"\r\nGET / HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    NoEoh = 67, "NOEOH", None, Framing, Notable, Standard, "2.6",
        "The input ends before the blank line that ends the headers.",
        "A truncated request, or one that keeps a server waiting.",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\n",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    BadReqLine = 68, "BADREQLINE", None, Framing, Evasion, Standard, "2.10",
        "A request line with a missing part, extra white space, a method that is no token or an unknown version.",
        "Lenient and strict parsers read different requests from it.",
        b"GET  / HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Http10 = 69, "HTTP10", None, Framing, Structural, Standard, "2.11",
        "HTTP/1.0.",
        "Old clients, simple scripts, and downgrade tricks.",
        b"GET / HTTP/1.0\r\nHost: ex.com\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Http09 = 70, "HTTP09", None, Framing, Structural, Standard, "2.11",
        "No version.",
        "HTTP/0.9, or a broken line.",
        b"GET /\r\nHost: ex.com\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    UserInfo = 71, "USERINFO", None, Privacy, Notable, Standard, "5.16",
        "Credentials in the URL.",
        "A password in logs, or a host made to look like another.",
        b"GET http://user:pass@ex.com/ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET http://ex.com/@ HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    ClTe = 72, "CLTE", None, Framing, Evasion, Standard, "8.29",
        "Both `Content-Length` and `Transfer-Encoding`.",
        "Two layers that obey different ones see different requests: the root of request smuggling.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    BadCl = 73, "BADCL", None, Framing, Evasion, Standard, "8.29",
        "A `Content-Length` that is not all digits, or that is repeated with another value.",
        "Parsers that read `+5`, `5, 6` or `0x5` differently cut the request in different places.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: +1\r\n\r\nx",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: 1\r\n\r\nx";
    BadTe = 74, "BADTE", None, Framing, Evasion, Standard, "8.29",
        "A `Transfer-Encoding` that is not exactly `chunked`, or is repeated.",
        "A layer that does not recognise it falls back to another length.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    ClMismatch = 75, "CLMISMATCH", None, Framing, Notable, Standard, "8.29",
        "The length, 0 when there is none, differs from the bytes that are there.",
        "What is left over is the beginning of another request, or the body was cut.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: 1\r\n\r\nxy",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: 2\r\n\r\nxy";
    BadChunk = 76, "BADCHUNK", None, Framing, Evasion, Standard, "8.29",
        "A chunked body that does not follow its grammar to the last byte.",
        "Each parser recovers from a bad chunk in its own way.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    ChunkExt = 77, "CHUNKEXT", None, Framing, Evasion, Standard, "8.29",
        "A chunk extension.",
        "Nobody uses them but those who look for parsers that misread them.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na;b\r\n0\r\n\r\n";
    Trailer = 78, "TRAILER", None, Framing, Notable, Standard, "8.29",
        "Fields after the last chunk.",
        "Some servers merge them into the headers, after those were checked.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-A: 1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    HiddenHdr = 79, "HIDDENHDR", Word, Framing, Evasion, Standard, "8.29",
        "`Transfer-Encoding`, `Content-Length` or `Host` where it is not plainly a header.",
        "One layer sees a header there, another does not.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nTransfer-Encoding : chunked\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nX-Transfer-Encoding: chunked\r\n\r\n";
    Backtick = 80, "BACKTICK", None, Danger, Notable, Standard, "7.6",
        "A backtick in a value.",
        "Shells run what stands between two of them; databases quote names with them.",
        b"GET /?a=`id` HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=%27id%27 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Dollar = 81, "DOLLAR", None, Danger, Structural, Standard, "7.6",
        "`$(`, `${`, or `$` before a letter, in a value.",
        "Shells, templates and servers replace it by something else.",
        b"GET /?a=$HOME HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=5$ HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    SqlCmt = 82, "SQLCMT", None, Content, Notable, Standard, "7.6",
        "An SQL comment: `--` before white space or the end, `/*`, or a final `#` after a quote.",
        "Cuts off the rest of a query, or stands for a space that filters look for.",
        b"GET /?a=1%27-- HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=1--2 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    ShellOp = 83, "SHELLOP", None, Content, Notable, Standard, "7.6",
        "A shell operator: `&&`, `||`, `;` or `|` before a word, `>/`.",
        "Runs a second command, or writes to a file.",
        b"GET /?a=x|ls HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=x|1 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Tpl = 84, "TPL", None, Content, Notable, Standard, "7.6",
        "The opening of a template expression: `${`, `{{`, `{%`, `<%`, `#{`.",
        "Template engines evaluate what follows on the server.",
        b"GET /?a={{7*7}} HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a={7*7} HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    CrlfInj = 85, "CRLFINJ", None, Content, Evasion, Standard, "7.6",
        "A decoded line end followed by `name:`.",
        "A server that copies it into a header writes a header of the attacker.",
        b"GET /?a=x%0D%0ASet-Cookie:%20b HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=x%0D%0Ay HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    B64Text = 86, "B64TEXT", None, Encoding, Structural, Standard, "7.7",
        "A value, or what further decodings make of it, is Base64 of readable text, which is scanned too.",
        "Applications wrap data in Base64, and so do those who hide an attack in it.",
        b"GET /?a=SGVsbG8sIHdvcmxk HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=AAECAwQFBgcICQoL HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    PctValue = 87, "PCTVALUE", None, Encoding, Evasion, Standard, "7.7",
        "A further percent-decoding adds a telling flag, or gives a path one of `/ \\ . %`.",
        "A filter that decodes once sees an escape where a server that decodes again sees the attack.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"a\":\"%3Cb\"}",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"a\":\"%20b\"}";
    Serial = 88, "SERIAL", Word, Content, Evasion, Standard, "7.6",
        "A serialised object: `java`, `php`, `python`, `dotnet` or `ruby`.",
        "Reading one back can run code.",
        b"GET /?a=O:4:%22Evil%22:0:%7B%7D HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=O:Evil HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    GzipMagic = 89, "GZIPMAGIC", None, Content, Structural, Standard, "7.6",
        "A value begins with the magic bytes of gzip.",
        "Compressed data hides what it says from whoever does not inflate it.",
        b"GET /?a=%1F%8B%08%00 HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=%1F%8C%08%00 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    UrlValue = 90, "URLVALUE", Word, Content, Structural, Standard, "7.6",
        "A URL in a value, by its scheme.",
        "Redirects, callbacks and server-side requests go where it says.",
        b"GET /?a=https://ex.org/ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=https:ex.org HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    UrlIp = 91, "URLIP", None, Content, Notable, Standard, "7.6",
        "A URL in a value whose host is an address.",
        "Honest links name hosts; scanners and malware give addresses, in odd spellings.",
        b"GET /?a=http://8.8.8.8/ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=http://ex.org/ HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    UrlLocal = 92, "URLLOCAL", None, Content, Evasion, Standard, "7.6",
        "A URL in a value whose host is loopback, link-local, private or a metadata service.",
        "Makes the server ask its own network.",
        b"GET /?a=http://127.0.0.1/ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=http://8.8.8.8/ HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    BestFit = 93, "BESTFIT", None, Unicode, Evasion, Standard, "7.9",
        "A character that becomes a dangerous one under NFKC or a best-fit mapping.",
        "The filter sees an odd letter, the application a quote or an angle.",
        b"GET /?a=%EF%BC%9Cb HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=%E2%80%98b%E2%80%99 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Kw = 94, "KW", Word, Content, Notable, Standard, "7.8",
        "A word or phrase that attacks of a class are made of: `sql`, `shell`, `php`, `java`, `js`, `file`, `jndi`, `ssti`, `xxe`, `nosql` or `ldap`.",
        "The words are what is left to see of an attack that hides its punctuation.",
        b"GET /?a=1+union+select+2 HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=union+of+select+sets HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    BodyEnc = 95, "BODYENC", Word, Body, Notable, Standard, "8.30",
        "A content coding of the body, or of a part of it.",
        "Who does not undo it does not see what is in it.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Encoding: x-y\r\nContent-Length: 1\r\n\r\nx",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Encoding: identity\r\nContent-Length: 1\r\n\r\nx";
    BadBody = 96, "BADBODY", None, Body, Notable, Standard, "8.30",
        "The body is not what its type or coding says it is.",
        "Parsers recover in different ways, or give up and let it pass.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n{\"a\":",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}";
    BodyCharset = 97, "BODYCHARSET", None, Body, Evasion, Standard, "8.30",
        "A charset other than UTF-8, ASCII or Latin-1.",
        "In UTF-7, UTF-16 or EBCDIC an attack has other bytes than those a filter looks for.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/x-www-form-urlencoded; charset=ibm037\r\nContent-Length: 3\r\n\r\na=1",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/x-www-form-urlencoded; charset=utf-8\r\nContent-Length: 3\r\n\r\na=1";
    CtMismatch = 98, "CTMISMATCH", None, Body, Notable, Standard, "8.30",
        "The body is plainly of another kind than its type says.",
        "The filter reads it by its type, the application by its content.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/xml\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n\r\n{\"a\":1}";
    BodyForm = 99, "BODYFORM", None, Body, Structural, Standard, "8.33",
        "The body is a form.",
        "Forms and APIs are different traffic.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n\r\na=1",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}";
    JDup = 100, "JDUP", None, Body, Evasion, Standard, "8.34",
        "A JSON object has the same member twice.",
        "One parser takes the first, another the last.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"a\":1,\"a\":2}",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\nContent-Length: 19\r\n\r\n{\"a\":1,\"b\":{\"a\":2}}";
    Proto = 101, "PROTO", None, Body, Evasion, Standard, "8.34",
        "A key that reaches for an object prototype: `__proto__`, `constructor.prototype`.",
        "Merging it changes every object of a JavaScript server.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{\"__proto__\":1}",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{\"proto\":1}";
    JOper = 102, "JOPER", None, Body, Notable, Standard, "8.34",
        "A key that is a query operator: `$ne`, `$gt`, `$where`.",
        "Turns a value into a condition of the database.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{\"a\":{\"$ne\":1}}",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\nContent-Length: 18\r\n\r\n{\"a\":{\"$netto\":1}}";
    ExecExt = 103, "EXECEXT", None, Body, Evasion, Standard, "8.35",
        "A file whose name has an executable extension.",
        "Uploaded where the server runs it, it is a shell.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 73\r\n\r\n--b\r\nContent-Disposition: form-data; name=a; filename=a.php\r\n\r\nx\r\n--b--\r\n",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 73\r\n\r\n--b\r\nContent-Disposition: form-data; name=a; filename=a.txt\r\n\r\nx\r\n--b--\r\n";
    DupParam = 104, "DUPPARAM", None, Body, Evasion, Standard, "8.35",
        "A part whose `Content-Disposition`, or a header whose parameter, is there twice.",
        "One parser takes the first name, another the last.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 65\r\n\r\n--b\r\nContent-Disposition: form-data; name=a; name=b\r\n\r\nx\r\n--b--\r\n",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 57\r\n\r\n--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--b--\r\n";
    BadBoundary = 105, "BADBOUNDARY", None, Body, Evasion, Standard, "8.35",
        "A multipart body whose boundary is missing, illegal, not found or never closed.",
        "Parsers cut such a body in different places, or not at all.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: multipart/form-data\r\nContent-Length: 5\r\n\r\n--b\r\n",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 57\r\n\r\n--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--b--\r\n";
    Magic = 106, "MAGIC", Word, Body, Evasion, Standard, "8.35",
        "A file whose content is of another kind than its extension, by its first bytes.",
        "A program dressed as a picture.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 76\r\n\r\n--b\r\nContent-Disposition: form-data; name=a; filename=a.png\r\n\r\nMZ\x90\x00\r\n--b--\r\n",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 76\r\n\r\n--b\r\nContent-Disposition: form-data; name=a; filename=a.exe\r\n\r\nMZ\x90\x00\r\n--b--\r\n";
    Doctype = 107, "DOCTYPE", None, Body, Notable, Standard, "8.36",
        "An XML body with a document type declaration.",
        "Declarations can name files and hosts that the parser then reads.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/xml\r\nContent-Length: 16\r\n\r\n<!DOCTYPE a><a/>",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/xml\r\nContent-Length: 4\r\n\r\n<a/>";
    Entity = 108, "ENTITY", None, Body, Evasion, Standard, "8.36",
        "An XML body that declares an entity.",
        "External entities read files; nested ones fill memory.",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/xml\r\nContent-Length: 40\r\n\r\n<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
        b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/xml\r\nContent-Length: 16\r\n\r\n<!DOCTYPE a><a/>";
    Capped = 109, "CAPPED", None, Framing, Structural, Core, "8.31",
        "A limit was reached: not everything is shown, or not everything was read.",
        "Padding a request past a limit is how attacks leave the part that is looked at.",
        b"GET /a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/ HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Overlong = 110, "OVERLONG", None, Encoding, Evasion, Standard, "4.20",
        "Bytes that are not UTF-8 and that a lenient decoder reads as another character, or swallows a delimiter with.",
        "A filter that reads UTF-8 strictly does not see the slash, angle or quote that the application gets.",
        b"GET /?a=%C0%AE%C0%AE%C0%AF HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?a=Ma%F1ana HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Redirect = 111, "REDIRECT", None, Content, Notable, Standard, "7.6.1",
        "The value of a key that says where to go begins with `//` or `/\\` and a host.",
        "It looks like a path of this site, and browsers follow it to another one.",
        b"GET /?next=%2F%2Fevil.example HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?next=%2Fa%2F%2Fb HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    Rfi = 112, "RFI", None, Content, Notable, Standard, "7.6.2",
        "A value that is all URL, written as remote inclusions are: its scheme in mixed case, a `?` at its end, or as a bare key.",
        "A script that includes what a parameter names runs the code of another host; the `?` cuts off what it appends.",
        b"GET /?x=http://ex.org/a? HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        b"GET /?x=http://ex.org/a?b HTTP/1.1\r\nHost: ex.com\r\n\r\n";
}

const _: () = {
    let mut i = 0;
    while i < Flag::ALL.len() {
        assert!(Flag::ALL[i] as usize == i, "ids count up from 0 without gaps");
        i += 1;
    }
};
