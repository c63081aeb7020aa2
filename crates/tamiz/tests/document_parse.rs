//! Strict reading: every broken document is refused, by line, column and expectation.

use std::hash::{DefaultHasher, Hash, Hasher};

use tamiz::{Document, Flag};

/// Every line there can be, with everything left out that can be.
const WHOLE: &str = "\
M:POST [CAPPED]
U:http://ex.com/a/b/<more:3>?k=<num:1>&j=<lower:2>&k=<mixed:9>&<more:72>
P:/a/b/<more:3> PLEN:13@0-15 PMAX:8@0-15
Q:75 KEYS:k,j,k,<more:72> [QREPEAT:*] [QREPEAT:k]
KEYS_SORTED:j,k
QK:k=<num:1>|<mixed:9>
QK:j=<lower:2>
QK:<more:72>
FLAGS:[BODYENC:gzip CAPPED DUPHDR:* DUPHDR:x DUPHDR:y KW:sql QREPEAT:* QREPEAT:k QUOTE]
FAM:body=1 content=1 danger=1
H:host=ex.com
H:x=a [DUPHDR:x]
H:y=b [DUPHDR:y]
H:?=<lower:3>
H:<more:9> [DUPHDR:y] [DUPHDR:z] [QUOTE]
HCNT:13 HLEN:2000@>1023
B:json BLEN:1234@>1023 [BODYENC:gzip] [KW:sql]
BQ:11 KEYS:user.name,$[].id,user.name,<email:12>.x,user.<SECRET:jwt:90>[],,ok,root.a@b,<more:3>
BK:user.name=<lower:5>|<SECRET:alpha:10>
BK:$[].id=<bool:4>
BK:<email:12>.x=<null:4>
BK:user.<SECRET:jwt:90>[]=<file:9:tar.gz>
BK:=<obj:0>
BK:ok=<arr:0>
BK:root.a@b=<b64url:120~4.7>
BK:<more:3>
";

const GOOD: &str = "\
M:GET [HTTP10]
U:http://ex.com/a/b?k=<num:1>&k=<lower:2>%23<lower:3> [FRAGMENT]
P:/a/b PLEN:4@0-15 PMAX:1@0-15 [MULTIPLESLASH]
Q:2 KEYS:k,k [QREPEAT:k]
KEYS_SORTED:k
QK:k=<num:1>|<lower:2>
FLAGS:[FRAGMENT HTTP10 MULTIPLESLASH QREPEAT:k WSPAD]
FAM:path=1 whitespace=1
H:host=ex.com
H:x=a b [WSPAD]
H:?=<lower:3>
HCNT:3 HLEN:20@16-31
";

/// A document does not tell its profile: markers count as written or as they state, both lengths alike.
#[test]
fn lengths_of_a_path_are_those_of_one_profile() {
    let with = |lengths: &str| {
        Document::parse(&format!("M:GET\nP:/u/<uuid:36>/abc {lengths}\nHCNT:0 HLEN:0@0-15\n")).is_ok()
    };
    assert!(with("PLEN:16@16-31 PMAX:9@0-15") && with("PLEN:43@32-63 PMAX:36@32-63"));
    assert!(!with("PLEN:16@16-31 PMAX:36@32-63") && !with("PLEN:43@32-63 PMAX:9@0-15"));
    assert!(!with("PLEN:17@16-31 PMAX:9@0-15") && !with("PLEN:43@32-63 PMAX:35@32-63"));
}

#[test]
fn the_good_document_is_read() {
    let document = Document::parse(GOOD).unwrap();
    assert_eq!(document.as_str(), GOOD);
    assert_eq!(document.url(), Some("http://ex.com/a/b?k=<num:1>&k=<lower:2>%23<lower:3>"));
    assert_eq!(document.query_keys(), Some(vec!["k", "k"]));
    let flags: Vec<String> = document.flags().map(|raised| format!("{raised} {}", raised.place())).collect();
    assert_eq!(flags, ["HTTP10 m", "FRAGMENT u", "MULTIPLESLASH p", "QREPEAT:k q", "WSPAD h.x"]);
}

#[test]
fn broken_documents_are_refused() {
    for (old, new, error) in [
        ("M:GET", "M:G T", "line 1, column 3: expected a method"),
        ("M:GET", "X:GET", "line 1, column 1: expected an `M:` line"),
        ("[HTTP10]", "[NOSUCH]", "line 1, column 8: expected a flag"),
        ("[HTTP10]", "[QREPEAT]", "line 1, column 8: expected a flag"),
        ("[HTTP10]", "[HTTP10", "line 1, column 14: expected a closing bracket"),
        ("[HTTP10]", "[HTTP10] [HTTP10]", "line 1, column 17: expected flags sorted by name, each once"),
        ("[HTTP10]", "[HTTP10] [BADHOST]", "line 1, column 17: expected flags sorted by name, each once"),
        ("U:http", "U:gopher", "line 2, column 3: expected http, https, ws or wss"),
        ("?k=<num:1>", "?k=<mixed:3:*'>", "line 2, column 23: expected a value of a query"),
        ("?k=<num:1>", "?k=<mixed:3:%27>", "line 2, column 23: expected a value of a query"),
        ("?k=<num:1>", "?k=<num:1:'>", "line 2, column 23: expected a value of a query"),
        ("&k=<lower:2>", "&k=a<b", "line 2, column 33: expected a value of a query"),
        ("&k=<lower:2>", "&k=a=b", "line 2, column 33: expected a value of a query"),
        (
            "U:http://ex.com/a/b",
            "U:http://ex.com/a/c",
            "line 2, column 16: expected the path of the `P:` line",
        ),
        (
            "b?k=<num:1>&",
            "b?j=<num:1>&",
            "line 2, column 20: expected a query with the keys of the `Q:` line",
        ),
        ("PLEN:4@0-15", "PLEN:5@0-15", "line 3, column 13: expected the length of the path"),
        ("PMAX:1@0-15", "PMAX:2@0-15", "line 3, column 25: expected the length of the longest segment"),
        ("PLEN:4@0-15", "PLEN:4@16-31", "line 3, column 15: expected the bucket that holds the number"),
        ("PLEN:4@", "PLEN:04@", "line 3, column 13: expected a number"),
        ("Q:2 ", "Q:3 ", "line 4, column 3: expected the number of keys"),
        ("KEYS_SORTED:k", "KEYS_SORTED:j", "line 5, column 13: expected the keys, sorted"),
        (
            "QK:k=<num:1>|<lower:2>",
            "QK:k=<num:1>",
            "line 6, column 4: expected each key once, with one shape for each of its values",
        ),
        ("QK:k=<num:1>|", "QK:k=1|", "line 6, column 6: expected a marker"),
        (
            "FLAGS:[FRAGMENT ",
            "FLAGS:[",
            "line 7, column 7: expected the sorted union of the flags of all lines",
        ),
        ("FAM:path=1 ", "FAM:path=2 ", "line 8, column 5: expected the counts of the flags by family"),
        ("H:host=", "H:Host=", "line 9, column 3: expected a header name in lower case, or a marker"),
        ("H:host=ex.com\n", "H:z=1\n", "line 10, column 3: expected headers sorted by name"),
        ("HCNT:3", "HCNT:2", "line 12, column 6: expected the number of headers"),
        ("HLEN:20@16-31\n", "HLEN:20@16-31", "line 12, column 21: expected a line feed"),
        (
            "HLEN:20@16-31\n",
            "HLEN:20@16-31\nBQ:0 KEYS:\n",
            "line 13, column 1: expected the end of the document",
        ),
        ("HLEN:20@16-31\n", "HLEN:20@16-31\nX", "line 13, column 1: expected the end of the document"),
        ("a b [WSPAD]", "a\tb [WSPAD]", "line 10, column 6: expected a visible character"),
        ("a b [WSPAD]", "a\u{200b}b [WSPAD]", "line 10, column 6: expected a visible character"),
        ("U:http://ex.com/", "U:http://EX_com/", "line 2, column 10: expected a host"),
        ("U:http://ex.com/", "U:http://u@ex.com/", "line 2, column 10: expected userinfo as a marker"),
        (
            "U:http://ex.com/",
            "U:http://<SECRET:alpha:9>@ex.com/",
            "line 2, column 10: expected userinfo as a marker",
        ),
        (
            "U:http://ex.com/",
            "U:http://<SECRET:userinfo:9@ex.com/",
            "line 2, column 10: expected userinfo as a marker",
        ),
        ("U:http://ex.com/", "U:http://ex.com:0/", "line 2, column 10: expected a host"),
        ("P:/a/b ", "P:/a//b ", "line 3, column 3: expected a path without empty segments or `.`"),
        ("P:/a/b ", "P:/a/. ", "line 3, column 3: expected a path without empty segments or `.`"),
        ("Q:2 KEYS:k,k", "Q:2 KEYS:k,<b", "line 4, column 10: expected keys"),
        ("[QREPEAT:k]", "[QREPEAT:<b>]", "line 4, column 15: expected a flag"),
        ("[HTTP10]", "[COOKIE:abc]", "line 1, column 8: expected a flag"),
        ("H:?=<lower:3>", "H:?=raw text", "line 11, column 5: expected a marker"),
        ("H:x=a b", "H:x=a  b", "line 10, column 5: expected a value with single spaces"),
        ("FAM:path=1 whitespace=1", "FAM:", "line 8, column 5: expected a count"),
        ("M:GET [HTTP10]\n", "", "line 1, column 1: expected an `M:` line"),
        ("\nP:", "\n\nP:", "line 3, column 1: expected the next line of a document, or `HCNT:`"),
    ] {
        assert!(GOOD.contains(old), "{old}");
        let broken = GOOD.replacen(old, new, 1);
        assert_eq!(Document::parse(&broken).unwrap_err().to_string(), error, "{old} -> {new}");
    }
}

#[test]
fn lines_that_need_each_other() {
    for (text, error) in [
        ("M:GET\nHCNT:0 HLEN:0@0-15\n", "line 1, column 3: expected a `P:` line, or a CONNECT"),
        ("M:CONNECT\nU:nonsense<b>\nHCNT:0 HLEN:0@0-15\n", "line 2, column 3: expected a host"),
        ("M:CONNECT\nQ:1 KEYS:a\nHCNT:0 HLEN:0@0-15\n", "line 2, column 3: expected a `P:` line before it"),
    ] {
        assert_eq!(Document::parse(text).unwrap_err().to_string(), error);
    }
    assert!(Document::parse("M:CONNECT\nU:ex.com:443\nHCNT:0 HLEN:0@0-15\n").is_ok());
}

#[test]
fn every_line_is_read() {
    let document = Document::parse(WHOLE).unwrap();
    assert_eq!(document.as_str(), WHOLE);
    assert_eq!(document.path(), Some("/a/b/<more:3>"));
    assert_eq!(document.query_keys(), Some(vec!["k", "j", "k"]));
    let names: Vec<&str> = document.headers().iter().map(|header| header.name).collect();
    assert_eq!(names, ["host", "x", "y", "?"]);
    let body = document.body().unwrap();
    assert_eq!((body.kind, body.length, body.shape), ("json", 1234, None));
    let keys =
        ["user.name", "$[].id", "user.name", "<email:12>.x", "user.<SECRET:jwt:90>[]", "", "ok", "root.a@b"];
    assert_eq!(document.body_keys(), Some(keys.to_vec()));
    assert_eq!(document.body_values()[0], ("user.name", vec!["<lower:5>", "<SECRET:alpha:10>"]));
    assert_eq!(document.body_values()[4], ("", vec!["<obj:0>"]));
    assert_eq!(document.body_values().len(), 7);
    let flags: Vec<String> = document.flags().map(|raised| format!("{raised} {}", raised.place())).collect();
    assert_eq!(
        flags,
        [
            "CAPPED m",
            "QREPEAT:* q",
            "QREPEAT:k q",
            "DUPHDR:x h.x",
            "DUPHDR:y h.y",
            "DUPHDR:y h.<more>",
            "DUPHDR:z h.<more>",
            "QUOTE h.<more>",
            "BODYENC:gzip b",
            "KW:sql b",
        ]
    );
}

#[test]
fn broken_bodies_and_limits_are_refused() {
    let count = "expected the number of keys";
    let shapes = "expected each key once, with one shape for each of its values";
    let rollup = "line 9, column 7: expected the sorted union of the flags of all lines";
    let capped = "line 1, column 3: expected `CAPPED`, since something is left out";
    for (old, new, error) in [
        ("B:json", "B:yaml", "line 17, column 3: expected form, json, multipart, xml, text or binary"),
        ("B:json", "B:", "line 17, column 3: expected form, json, multipart, xml, text or binary"),
        ("B:json", "B:text", "line 17, column 23: expected the shape of the body"),
        (" BLEN:1234@>1023", "", "line 17, column 7: expected ` BLEN:`"),
        (
            "BLEN:1234@>1023",
            "BLEN:1234@0-15",
            "line 17, column 18: expected the bucket that holds the number",
        ),
        ("BLEN:1234@>1023", "BLEN:1234@>1023 <bool:4>", "line 17, column 23: expected the shape of the body"),
        ("BLEN:1234@>1023", "BLEN:1234@>1023 words", "line 17, column 23: expected the shape of the body"),
        ("BLEN:1234@>1023", "BLEN:1234@>1023 <num:1>", "line 18, column 1: expected the end of the document"),
        ("[KW:sql]\n", "[KW:SQL]\n", "line 17, column 40: expected a flag"),
        ("[KW:sql]\n", "[KW:]\n", "line 17, column 40: expected a flag"),
        ("[KW:sql]\n", "[KW]\n", "line 17, column 40: expected a flag"),
        ("BQ:11 ", "XQ:11 ", "line 18, column 1: expected a `BQ:` line"),
        ("BQ:11 ", "BQ:12 ", &format!("line 18, column 4: {count}")),
        (",<more:3>\nBK", ",<more:4>\nBK", &format!("line 18, column 4: {count}")),
        (",<more:3>\nBK", ",<more:0>\nBK", &format!("line 18, column 4: {count}")),
        (",ok,", ",<more:1>,", "line 18, column 12: expected keys"),
        (",ok,", ",o>k,", "line 18, column 12: expected keys"),
        (",ok,", ",<bool:4>,", "line 18, column 12: expected keys"),
        (",ok,", ",o k,", "line 18, column 77: expected no white space"),
        (
            "<more:3>\nBK:user.name=",
            "<more:3> [QUOTE]\nBK:user.name=",
            "line 18, column 96: expected the end of the line",
        ),
        ("BK:ok=<arr:0>\n", "", &format!("line 19, column 4: {shapes}")),
        ("BK:ok=<arr:0>", "BK:ok=<arr:1>", "line 24, column 7: expected a marker"),
        ("BK:ok=<arr:0>", "BK:ok=<arr:0>|", "line 24, column 15: expected a marker"),
        ("BK:ok=<arr:0>", "BK:ok", "line 24, column 4: expected a key and its shapes"),
        ("<file:9:tar.gz>", "<file:9:TAR>", "line 22, column 27: expected a marker"),
        ("<file:9:tar.gz>", "<file:9>", "line 22, column 27: expected a marker"),
        ("BK:<more:3>\n", "", "line 19, column 4: expected the number of keys left out"),
        ("BK:<more:3>\n", "BK:<more:2>\n", "line 19, column 4: expected the number of keys left out"),
        (
            "BK:<more:3>\n",
            "BK:<more:3>\nBK:z=<num:1>\n",
            "line 27, column 1: expected the end of the document",
        ),
        ("QK:<more:72>", "QK:<more:71>", "line 6, column 4: expected the number of keys left out"),
        ("QK:j=<lower:2>", "QK:j=<bool:4>", "line 7, column 6: expected a marker"),
        ("KEYS_SORTED:j,k", "KEYS_SORTED:j,k,<more:72>", "line 5, column 13: expected the keys, sorted"),
        ("Q:75 ", "Q:74 ", &format!("line 4, column 3: {count}")),
        ("&<more:72>", "", "line 2, column 29: expected a query with the keys of the `Q:` line"),
        ("&<more:72>", "&<more:71>", "line 2, column 29: expected a query with the keys of the `Q:` line"),
        (
            "&<more:72>",
            "&<more:72>=<num:1>",
            "line 2, column 29: expected a query with the keys of the `Q:` line",
        ),
        ("H:<more:9> ", "H:<more:0> ", "line 15, column 3: expected a header name and `=`"),
        (
            "H:<more:9> ",
            "H:<more:9>=a ",
            "line 15, column 3: expected a header name in lower case, or a marker",
        ),
        ("H:<more:9> ", "H:<more:8> ", "line 16, column 6: expected the number of headers"),
        ("HCNT:13", "H:z=1\nHCNT:13", "line 16, column 1: expected the next line of a document, or `HCNT:`"),
        ("DUPHDR:* DUPHDR:x", "DUPHDR:x", rollup),
        ("DUPHDR:* DUPHDR:x DUPHDR:y", "DUPHDR:x DUPHDR:y DUPHDR:*", rollup),
        ("DUPHDR:x DUPHDR:y KW", "DUPHDR:x DUPHDR:z KW", rollup),
        ("DUPHDR:x DUPHDR:y KW", "DUPHDR:x DUPHDR:y DUPHDR:z KW", rollup),
        ("KW:sql QREPEAT", "KW:* KW:sql QREPEAT", rollup),
        ("QREPEAT:* QREPEAT:k QUOTE]", "QREPEAT:k QUOTE]", rollup),
        ("CAPPED DUP", "CAPPED CAPPED DUP", rollup),
        (
            "danger=1\nH:host",
            "danger=2\nH:host",
            "line 10, column 5: expected the counts of the flags by family",
        ),
    ] {
        assert!(WHOLE.contains(old), "{old}");
        let broken = WHOLE.replacen(old, new, 1);
        assert_eq!(Document::parse(&broken).unwrap_err().to_string(), error, "{old} -> {new}");
    }
    // Whatever is left out has to be told.
    let silent = |text: &str| text.replacen(" [CAPPED]", "", 1).replacen("CAPPED ", "", 1);
    let few = |what: &[(&str, &str)]| {
        let mut text = WHOLE.replacen("FAM:body=1 content=1 danger=1\n", "", 1);
        for (old, new) in what {
            assert!(text.contains(old), "{old}");
            text = text.replacen(old, new, 1);
        }
        text
    };
    let query = [("75 KEYS:k,j,k,<more:72>", "3 KEYS:k,j,k"), ("&<more:72>", ""), ("QK:<more:72>\n", "")];
    let repeat = [(" [QREPEAT:*]", ""), ("QREPEAT:* ", "")];
    let body = [("BQ:11 ", "BQ:8 "), (",<more:3>\n", "\n"), ("BK:<more:3>\n", "")];
    let headers = [
        ("H:<more:9> [DUPHDR:y] [DUPHDR:z] [QUOTE]\n", ""),
        ("HCNT:13", "HCNT:4"),
        ("DUPHDR:* ", ""),
        (" QUOTE]", "]"),
    ];
    let path = [("b/<more:3>", "b"), ("b/<more:3>", "b"), ("PLEN:13@0-15 PMAX:8", "PLEN:4@0-15 PMAX:1")];
    let all: [&[(&str, &str)]; 5] = [&query, &repeat, &body, &headers, &path];
    for left in 0..all.len() {
        let changes: Vec<_> = all
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != left)
            .flat_map(|(_, changes)| *changes)
            .copied()
            .collect();
        let text = few(&changes);
        Document::parse(&text).unwrap_or_else(|error| panic!("{left}: {error}\n{text}"));
        let expected = if left == 4 {
            "line 3, column 3: expected no segments left out without `CAPPED`"
        } else {
            capped
        };
        assert_eq!(Document::parse(&silent(&text)).unwrap_err().to_string(), expected, "{text}");
    }
    let nothing: Vec<_> = all.concat();
    assert!(Document::parse(&silent(&few(&nothing))).is_ok());
}

#[test]
fn the_rollup_may_be_capped_anywhere() {
    let document = |rollup: &str| {
        format!(
            "M:GET\nP:/ PLEN:1@0-15 PMAX:0@0-15 [HOME]\nFLAGS:[{rollup}]\n\
             H:$=1 [UNKHDR:$]\nH:a=1 [UNKHDR:a]\nH:b=1 [UNKHDR:b]\nHCNT:3 HLEN:9@0-15\n"
        )
    };
    for good in [
        "HOME UNKHDR:$ UNKHDR:a UNKHDR:b",
        "HOME UNKHDR:$ UNKHDR:* UNKHDR:a",
        "HOME UNKHDR:$ UNKHDR:*",
        "HOME UNKHDR:*",
    ] {
        assert!(Document::parse(&document(good)).is_ok(), "{good}");
    }
    for bad in [
        "HOME UNKHDR:$ UNKHDR:a",
        "HOME UNKHDR:* UNKHDR:a",
        "HOME UNKHDR:$ UNKHDR:a UNKHDR:*",
        "HOME UNKHDR:$ UNKHDR:* UNKHDR:a UNKHDR:b",
        "HOME UNKHDR:$ UNKHDR:* UNKHDR:b",
        "HOME DUPHDR:*",
        "DUPHDR:* HOME UNKHDR:*",
        "HOME",
        "UNKHDR:*",
        "",
    ] {
        assert!(Document::parse(&document(bad)).is_err(), "{bad}");
    }
}

#[test]
fn what_reads_like_a_limit_but_is_none() {
    // The header `*` of a request, whose own name is a parameter.
    let star = "M:GET\nP:/ PLEN:1@0-15 PMAX:0@0-15 [HOME]\nFLAGS:[HOME UNKHDR:*]\n\
                H:*=1 [UNKHDR:*]\nHCNT:1 HLEN:4@0-15\n";
    assert!(Document::parse(star).is_ok());
    assert!(Document::parse(&star.replace("H:*=", "H:a=")).is_err());
    // A segment of a request, told by its brackets.
    let segment = "M:GET\nP:/<more:3> PLEN:9@0-15 PMAX:8@0-15 [ANGLE]\nFLAGS:[ANGLE]\nHCNT:0 HLEN:0@0-15\n";
    assert!(Document::parse(segment).is_ok());
    assert!(Document::parse(&segment.replace("ANGLE", "MARKER")).is_ok());
    assert!(Document::parse(&segment.replace("ANGLE", "DOTDOT")).is_err());
    assert!(Document::parse(&segment.replace("ANGLE", "DOTDOT").replace("more:3", "more:0")).is_ok());
}

#[test]
fn bodies_of_every_kind() {
    let with = |body: &str| {
        let text = format!("M:GET\nP:/a PLEN:2@0-15 PMAX:1@0-15\nHCNT:0 HLEN:0@0-15\n{body}");
        Document::parse(&text).map_err(|error| error.to_string())
    };
    for kind in ["form", "json", "multipart", "xml"] {
        let document = with(&format!("B:{kind} BLEN:2@0-15\nBQ:0 KEYS:\n")).unwrap();
        assert_eq!(document.body().unwrap().kind, kind);
        assert_eq!(document.body_keys(), Some(vec![]));
        assert!(with(&format!("B:{kind} BLEN:2@0-15\nBQ:1 KEYS:\nBK:=<num:1>\n")).is_ok(), "an empty key");
        assert!(with(&format!("B:{kind} BLEN:2@0-15\n")).is_err());
    }
    for kind in ["form", "json", "multipart", "xml", "text", "binary"] {
        let document = with(&format!("B:{kind} BLEN:2@0-15 <SECRET:mixed:2>\n")).unwrap();
        assert_eq!(document.body().unwrap().shape, Some("<SECRET:mixed:2>"));
        assert_eq!((document.body_keys(), document.body_values()), (None, vec![]));
        assert!(with(&format!("B:{kind} BLEN:2@0-15 <mixed:2>\nBQ:0 KEYS:\n")).is_err());
    }
    let keyless = "line 5, column 4: expected each key once, with one shape for each of its values";
    assert_eq!(with("B:json BLEN:2@0-15\nBQ:1 KEYS:a\n").unwrap_err(), keyless);
    assert!(Document::parse(GOOD).unwrap().body().is_none());
}

#[test]
fn every_truncation_is_refused() {
    for end in (0..GOOD.len()).filter(|&end| GOOD.is_char_boundary(end)) {
        assert!(Document::parse(&GOOD[..end]).is_err(), "{end}");
    }
    for end in 0..WHOLE.len() {
        assert!(Document::parse(&WHOLE[..end]).is_err(), "{end}");
    }
}

#[test]
fn errors_show_no_content() {
    let secret = "hunter2";
    for good in [GOOD, WHOLE] {
        for (i, _) in good.char_indices() {
            let mut broken = good.to_owned();
            broken.insert_str(i, secret);
            if let Err(error) = Document::parse(&broken) {
                assert!(!format!("{error} {error:?}").contains(secret));
            }
        }
    }
}

#[test]
fn the_grammar_names_every_flag() {
    let grammar = include_str!("../../../spec/grammar.abnf");
    for flag in Flag::ALL {
        let is_there = ["\"", ":\""].iter().any(|end| grammar.contains(&format!("%s\"{flag}{end}")));
        assert!(is_there, "{flag}");
    }
}

#[test]
fn whatever_is_read_can_be_looked_at() {
    let mut read = 0;
    for at in 0..WHOLE.len() {
        for byte in (b' '..=b'~').chain(*b"\n") {
            let mut bytes = WHOLE.as_bytes().to_vec();
            bytes[at] = byte;
            let text = String::from_utf8(bytes).unwrap();
            let Ok(document) = Document::parse(&text) else { continue };
            read += 1;
            assert!(document.body_values().len() <= document.body_keys().unwrap_or_default().len());
            assert!(
                document.flags().count() >= document.rollup().filter(|flag| !flag.ends_with(":*")).count()
            );
            assert!(document.tokens().iter().all(|token| !token.contains(char::is_whitespace)));
            assert!(serde_json::to_value(&document).unwrap().is_object());
        }
    }
    assert!(read > 1000, "{read}");
}

#[test]
fn large_documents_are_read() {
    let keys: Vec<String> = (0..100_000).map(|i| format!("a.b{}[].<num:5>", i % 70_000)).collect();
    let mut text = format!(
        "M:POST\nP:/a PLEN:2@0-15 PMAX:1@0-15\nHCNT:0 HLEN:0@0-15\nB:json BLEN:9999999@>1023\nBQ:{} KEYS:{}\n",
        keys.len(),
        keys.join(",")
    );
    for (i, key) in keys.iter().enumerate().take(70_000) {
        text.push_str(&format!("BK:{key}={}\n", if i < 30_000 { "<num:1>|<arr:0>" } else { "<lower:2>" }));
    }
    let document = Document::parse(&text).unwrap();
    assert_eq!(document.body_values().len(), 70_000);
    assert!(document.tokens().len() > 200_000);
}

#[test]
fn an_error_tells_its_place() {
    let error = Document::parse(&GOOD.replace("P:/a/b PLEN", "P:/a/b PLAN")).unwrap_err();
    assert_eq!((error.line(), error.column()), (3, 7));
}

#[test]
fn equal_documents_have_equal_hashes_and_others_other_ones() {
    let hash = |text: &str| {
        let mut hasher = DefaultHasher::new();
        Document::parse(text).unwrap().hash(&mut hasher);
        hasher.finish()
    };
    assert_eq!(hash(GOOD), hash(GOOD));
    assert_ne!(hash(GOOD), hash(WHOLE));
}
