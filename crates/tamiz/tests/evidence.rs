//! Where flags point, and what a document hides of its request: to the byte.

use std::ops::Range;

use tamiz::{Canonicalizer, Config, Profile};

/// A flag, and a request in which `«` and `»` stand around its evidence.
#[rustfmt::skip]
const EVIDENCE: [(&str, &str); 83] = [
    ("LEADCRLF", "«\r\n\n»GET / HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("BADREQLINE", "«GET  / HTTP/1.1»\r\nHost: ex.com\r\n\r\n"),
    ("BADHOST", "GET / HTTP/1.1\r\n\r\n"),
    ("OBSFOLD", "GET / HTTP/1.1\r\nHost: ex.com\r\nX-A: a\r\n« b»\r\n\r\n"),
    ("BADCRLF", "GET / HTTP/1.1\r\nHost: ex.com\r\nX-A: a«\n»b\r\n\r\n"),
    ("WSPAD", "GET / HTTP/1.1\r\nHost: ex.com\r\nX-A: a«  »b«\t»c\r\n\r\n"),
    ("BADHDRLINE", "GET / HTTP/1.1\r\nHost: ex.com\r\n«no colon»\r\n\r\n"),
    ("BADHDRNAME:foo", "GET / HTTP/1.1\r\nHost: ex.com\r\n«Foo »: 1\r\n\r\n"),
    ("DUPHDR:x-a", "GET / HTTP/1.1\r\nHost: ex.com\r\nX-A: 1\r\n«X-A»: 2\r\n\r\n"),
    ("BADUTF8", "GET /caf%C3%A9«%E9»a HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("BADPCT", "GET /a«%»2G HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("PCTU", "GET /a«%u002e»b HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("PCTUNRES", "GET /a«%61»%3Fb HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("PCTSLASH", "GET /a«%2f»b HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("PCTBACKSLASH", "GET /a«%5c»b HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("PCTDELIM", "GET /a«%3b»b HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("BADUTF8", "GET /a«ÿÿ»b HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("QUOTE", "GET / HTTP/1.1\r\nHost: ex.com\r\nX-A: aÿ«'»b\r\n\r\n"),
    ("DOUBLEPCT", "GET /a«%252E»b?c=%20 HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("CONTROL", "GET /?a=%C3%A9«%E2%80%A8»x HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("CONTROL", "GET /?a=«%E2%80%A8»%C3%A9 HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("INVISIBLE", "GET /ad%C3%A9«%E2%80%8B»min HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("NUL", "GET /?a=b«%00»c HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("HTMLENT", "GET /?a=1«&lt;»2 HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("FULLWIDTH", "GET /a%C3%A9«%EF%BD%81»b HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("COMPAT", "GET /a%C3%A9«%EF%AC%81»b HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("BESTFIT", "GET /?a=%C3%A9«%EF%BC%9C»b HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("MIXEDSCRIPT", "GET /?a=x «%D1%80%D0%B0ypal» y HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("ANGLE", "GET /?a=b«%3C»c«>»d HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("QUOTE", "GET /?a=%20b«%27»c HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("DOTDOT", "GET /a/«%2e.»/b HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("DOTDOT", "GET /?a=b/«..»/c HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("MULTIPLESLASH", "GET /a«//»b HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("TRAILSLASH", "GET /a«/» HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("DOTTAIL", "GET /a.jsp«.»/b HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("PATHPARAM", "GET /a«;»v=1/b HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("USERINFO", "GET http://«me»@ex.com/ HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("FRAGMENT", "GET /a«#top» HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("HOSTDOT", "GET / HTTP/1.1\r\nHost: «ex.com.»\r\n\r\n"),
    ("QREPEAT:a", "GET /?a=1&b=2&«a»=3 HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("QBARE", "GET /?a=1&«b» HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("QEMPTYVAL", "GET /?a=1&«b=» HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("QARRAY:a[]", "GET /?«a%5B%5D»=1 HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("QRAWSEMI", "GET /?a=1«;»b HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("MARKER", "GET /?a=«%3Clower:5%3E» HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("BACKTICK", "GET /?a=b«`»c HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("DOLLAR", "GET /?a=b«$c» HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("SQLCMT", "GET /?a=b«--» HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("SHELLOP", "GET /?a=b«|»ls HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("SHELLOP", "GET /?a=b«$(»id) HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("TPL", "GET /?a=b«${»c} HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("TPL", "GET /?a=b«%7B{»c HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("CRLFINJ", "GET /?a=b«%0D%0A»X-B:%201 HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("SERIAL:java", "GET /?a=«aced000577» HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("SERIAL:php", "GET /?a=«x;O:4:%22User» HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("URLVALUE:http", "GET /?a=x%20«http://»ex.com HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("URLVALUE:http", "GET /?a=x%20«http:»127.0.0.1 HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("URLIP", "GET /?a=http://«127.0.0.1:80»/b HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("URLIP", "GET /?a=http:///«127.0.0.1»/b HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("URLIP", "GET /?a=http:«127.0.0.1»/b HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("URLLOCAL", "GET /?a=//«localhost:80»/b HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("KW:sql", "GET /?a=1+«UNION%20SELECT»+2 HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("KW:file", "GET /a/«etc/passwd» HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("ANGLE", "GET /?a=b«%253C»c HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("ANGLE", "GET /?a=b«\\u003c»c HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("ANGLE", "GET /?a=b«\\u{3c}»c HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("ANGLE", "GET /?a=b«\\x3c»c HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("B64TEXT", "GET /?a=«PHNjcmlwdD48» HTTP/1.1\r\nHost: ex.com\r\n\r\n"),
    ("COOKIE:2", "GET / HTTP/1.1\r\nHost: ex.com\r\nCookie: «a=1; b=2»\r\n\r\n"),
    ("HIDDENHDR:transfer-encoding", "GET / HTTP/1.1\r\nHost: ex.com\r\n«Transfer-Encoding »: chunked\r\n\r\n"),
    ("CLTE", "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: «5»\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ("BADCL", "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: «+5»\r\n\r\n12345"),
    ("CLMISMATCH", "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: «4»\r\n\r\n12345"),
    ("CHUNKEXT", "POST / HTTP/1.1\r\nHost: ex.com\r\nTransfer-Encoding: chunked\r\n\r\n«1;x»\r\na\r\n0\r\n\r\n"),
    ("BADCHUNK", "POST / HTTP/1.1\r\nHost: ex.com\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n«zz\r\n»"),
    ("QUOTE", "POST / HTTP/1.1\r\nHost: ex.com\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n2\r\n«'»c\r\n0\r\n\r\n"),
    ("JDUP", "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: 15\r\n\r\n{\"«a»\":1,\"«\\u0061»\":2}"),
    ("JOPER", "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: 11\r\n\r\n{\"a\":{\"«$ne»\":1}}"),
    ("ANGLE", "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: 11\r\n\r\n{\"a\":\"\\t\\u00e9«\\u003c»\"}"),
    ("BADUTF8", "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: 11\r\n\r\n{\"a\":\"b«\\ud800»c\"}"),
    ("DOCTYPE", "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: 11\r\n\r\n<?xml version=\"1.0\"?>«<!DOCTYPE a>»<a/>"),
    ("QUOTE", "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: 11\r\n\r\n<a b=\"x&#60;«&apos;»\"/>"),
    ("EXECEXT", "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\nContent-Disposition: form-data; name=a; filename=\"«x.php»\"\r\n\r\n1\r\n--b--\r\n"),
];

/// Requests in which `«` and `»` stand around what may not be shown beside the document.
#[rustfmt::skip]
const HIDDEN: [&str; 29] = [
    "GET http://«me:pwd»@ex.com/ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET http://«me@ex_.com»/ HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /a;sid=«AB12»/b HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /a/«AKIACANARY0123456789»/b HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /u/«0b5d1b52-3c3f-4f6f-9f0e-0123456789ab»/b HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /a?pwd=«visionario»&q=«xvisionariox» HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /a?pwd=«aÿ»&b=1 HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nAuthorization: «Bearer hunter2hunter2»\r\nX-A: 1\n«X-hunter2hunter2: 2»\r\n\r\n",
    "GET /a/«visionarioÿ»/b?pwd=«visionario» HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET /a/«visionario»?pwd=«visionario» HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "«ghp_canary0123456789CANARY0123456789ab» / HTTP/1.1\r\nHost: ex.com\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: «ex_.com»\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nAuthorization: «Basic dTpw»\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nX-Api-Key: «a b»\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nX-Note: «see Bearer canary0123456789»\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nCookie: a=«1»; theme=«dark»; «lone»\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nSet-Cookie: a=«1»; Path=/; «foo=1»\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nReferer: http://«me»@ex.com/a?b=c#d\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\n«no colon here»\r\n\r\n",
    "GET / HTTP/1.1\r\n« an orphan»\r\nHost: ex.com\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nX-A: 1\n«two words»\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\n«X-A-ghp_canary0123456789CANARY0123456789ab»: 1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nAuthorization: «Bearer hunter2hunter2»\r\n«X-hunter2hunter2»: 1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: ex.com\r\nAuthorization: «Bearer hunter2hunter2»\r\nUser-Agent: «tool/hunter2hunter2»\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: 3\r\n\r\n«any text»",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: 3\r\n\r\npwd=«1»&b=2",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: 3\r\n\r\n{\"a\":\"b\",\"pwd\":«1»}",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n--«b»\r\n«Content»-«Disposition»: «form»-«data»; «name»=pwd\r\n\r\n«1»\r\n--«b»--\r\n",
    "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: 3\r\nContent-Encoding: foo\r\n\r\n«any text»",
];

/// The request without its marks, and the ranges between them; `ÿ` stands for a byte that is no UTF-8.
fn unmark(marked: &str) -> (Vec<u8>, Vec<Range<usize>>) {
    let (mut request, mut ranges) = (Vec::new(), Vec::new());
    let mut start = 0;
    for c in marked.chars() {
        match c {
            '«' => start = request.len(),
            '»' => ranges.push(start..request.len()),
            'ÿ' => request.push(0xFF),
            c => request.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    (request, ranges)
}

fn mark(request: &[u8], ranges: &[Range<usize>]) -> String {
    let mut marked = request.to_vec();
    for range in ranges.iter().rev() {
        marked.splice(range.end..range.end, "»".bytes());
        marked.splice(range.start..range.start, "«".bytes());
    }
    String::from_utf8_lossy(&marked).into_owned()
}

fn canonicalizer() -> Canonicalizer {
    let mut config = Config::default();
    config.profile = Profile::Full;
    Canonicalizer::new(config)
}

#[test]
fn flags_point_at_what_raised_them() {
    let mut wrong = Vec::new();
    for (flag, marked) in EVIDENCE {
        let (request, expected) = unmark(marked);
        let document = canonicalizer().canonicalize_with_evidence(&request);
        let raised: Vec<_> = document.flags().filter(|raised| raised.to_string() == flag).collect();
        let evidence: Vec<_> = raised.iter().flat_map(|raised| raised.evidence().iter().cloned()).collect();
        if evidence != expected {
            wrong.push(format!("{flag}\n  - {marked:?}\n  + {:?}", mark(&request, &evidence)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Long values are decoded further in memory of their own.
#[test]
fn long_values_have_evidence_of_what_is_decoded_further() {
    for (flag, hidden) in [("PCTVALUE", "%253Cscript"), ("QUOTE", "\\u0027")] {
        let value = format!("{}{hidden}", "a ".repeat(2500).replace(' ', "+"));
        let request = format!("GET /?q={value} HTTP/1.1\r\nHost: ex.com\r\n\r\n");
        let document = canonicalizer().canonicalize_with_evidence(request.as_bytes());
        let raised = document.flags().find(|raised| raised.to_string() == flag);
        let evidence = raised.unwrap_or_else(|| panic!("no {flag}: {document}")).evidence().to_vec();
        let hidden_at = request.find(hidden).unwrap();
        assert!(evidence.iter().any(|range| range.contains(&hidden_at)), "{flag}: {evidence:?}");
    }
}

#[test]
fn what_is_not_in_clear_is_hidden() {
    let mut wrong = Vec::new();
    for marked in HIDDEN {
        let (request, expected) = unmark(marked);
        let document = canonicalizer().canonicalize_with_evidence(&request);
        if document.secrets() != expected {
            wrong.push(format!("  - {marked:?}\n  + {:?}", mark(&request, document.secrets())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Appends a JSON value: objects with the same members, fewer, and others, in some order.
fn append_json(random: &mut impl FnMut(usize) -> usize, depth: usize, out: &mut String) {
    const NAMES: [&str; 16] = [
        "id",
        "sku",
        "qty",
        "q.t",
        "\\u0073ku",
        "",
        "__proto__",
        "$ne",
        "constructor",
        "prototype",
        "password",
        "né",
        "a b",
        "<num:3>",
        "x[]",
        "2f8a5ad3c0",
    ];
    const VALUES: [&str; 14] = [
        "1",
        "\"x\"",
        "\"<b>\"",
        "-1.5",
        "1e5",
        "null",
        "true",
        "[]",
        "{}",
        "\"//evil.example\"",
        "\"hunter2hunter2\"",
        "\"a b\"",
        "\"\\u003c\"",
        "\"%2e%2e\"",
    ];
    match random(if depth == 0 { 1 } else { 4 }) {
        0 => out.push_str(VALUES[random(VALUES.len())]),
        kind => {
            let (is_array, from) = (kind == 1, random(NAMES.len()));
            out.push(if is_array { '[' } else { '{' });
            for nth in 0..1 + random(5) {
                if nth > 0 {
                    out.push(',');
                }
                if !is_array {
                    let name = if random(4) == 0 { random(NAMES.len()) } else { (from + nth) % NAMES.len() };
                    out.extend(["\"", NAMES[name], "\": "]);
                }
                append_json(random, depth - 1, out);
            }
            out.push(if is_array { ']' } else { '}' });
        }
    }
}

/// Names that come again are judged once, unless there is evidence to keep.
#[test]
fn evidence_changes_nothing_of_json() {
    let mut state = 7_u32;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    for body_keys in [2, 7, 128] {
        let mut config = Config::default();
        config.profile = Profile::Full;
        config.limits.body_keys = body_keys;
        let tamiz = Canonicalizer::new(config);
        for _ in 0..1_500 {
            let mut body = String::from("[");
            for nth in 0..1 + random(4) {
                if nth > 0 {
                    body.push(',');
                }
                append_json(&mut random, 4, &mut body);
            }
            body.push(']');
            let request = format!(
                "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len(),
            );
            let with_evidence = tamiz.canonicalize_with_evidence(request.as_bytes());
            assert_eq!(tamiz.canonicalize(request.as_bytes()).as_str(), with_evidence.as_str(), "{body}");
        }
    }
}
