//! Strict reading: every broken document is refused, by line, column and expectation.

use tamiz::Document;

const GOOD: &str = "\
M:GET [HTTP10]
U:http://ex.com/a/b?k=<num:1>&k=<lower:2>%23<lower:3> [FRAGMENT]
P:/a/b PLEN:4@0-15 PMAX:1@0-15 [MULTIPLESLASH]
Q:2 KEYS:k,k [QREPEAT:k]
KEYS_SORTED:k
QK:k=<num:1>|<lower:2>
FLAGS:[FRAGMENT HTTP10 MULTIPLESLASH QREPEAT:k WSPAD]
FAM:path=2 whitespace=1
H:host=ex.com
H:x=a b [WSPAD]
H:?=<lower:3>
HCNT:3 HLEN:20@16-31
";

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
        ("FAM:path=2 ", "FAM:path=1 ", "line 8, column 5: expected the counts of the flags by family"),
        ("H:host=", "H:Host=", "line 9, column 3: expected a header name in lower case, or a marker"),
        ("H:host=ex.com\n", "H:z=1\n", "line 10, column 3: expected headers sorted by name"),
        ("HCNT:3", "HCNT:2", "line 12, column 6: expected the number of headers"),
        ("HLEN:20@16-31\n", "HLEN:20@16-31", "line 12, column 21: expected a line feed"),
        ("HLEN:20@16-31\n", "HLEN:20@16-31\nX", "line 13, column 1: expected the end of the document"),
        ("a b [WSPAD]", "a\tb [WSPAD]", "line 10, column 6: expected a visible character"),
        ("a b [WSPAD]", "a\u{200b}b [WSPAD]", "line 10, column 6: expected a visible character"),
        ("U:http://ex.com/", "U:http://EX_com/", "line 2, column 10: expected a host"),
        ("U:http://ex.com/", "U:http://u@ex.com/", "line 2, column 10: expected userinfo as a marker"),
        ("U:http://ex.com/", "U:http://ex.com:0/", "line 2, column 10: expected a host"),
        ("P:/a/b ", "P:/a//b ", "line 3, column 3: expected a path without empty segments or `.`"),
        ("P:/a/b ", "P:/a/. ", "line 3, column 3: expected a path without empty segments or `.`"),
        ("Q:2 KEYS:k,k", "Q:2 KEYS:k,<b", "line 4, column 10: expected keys"),
        ("[QREPEAT:k]", "[QREPEAT:<b>]", "line 4, column 15: expected a flag"),
        ("[HTTP10]", "[COOKIE:abc]", "line 1, column 8: expected a flag"),
        ("H:?=<lower:3>", "H:?=raw text", "line 11, column 5: expected a marker"),
        ("H:x=a b", "H:x=a  b", "line 10, column 5: expected a value with single spaces"),
        ("FAM:path=2 whitespace=1", "FAM:", "line 8, column 5: expected a count"),
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
fn every_truncation_is_refused() {
    for end in (0..GOOD.len()).filter(|&end| GOOD.is_char_boundary(end)) {
        assert!(Document::parse(&GOOD[..end]).is_err(), "{end}");
    }
}

#[test]
fn errors_show_no_content() {
    let secret = "hunter2";
    for (i, _) in GOOD.char_indices() {
        let mut broken = GOOD.to_owned();
        broken.insert_str(i, secret);
        if let Err(error) = Document::parse(&broken) {
            assert!(!format!("{error} {error:?}").contains(secret));
        }
    }
}
