//! Tokens: whole lists, and what holds for all of them.

mod common;

use std::collections::BTreeSet;

use common::vectors::{self, Vector};
use tamiz::{Buckets, Canonicalizer, Config, Document, TokenSink, View, push_token_piece};

fn canonicalizer(vector: &Vector) -> Canonicalizer {
    let mut config = Config::default();
    config.view = vector.view.unwrap_or(config.view);
    config.profile = vector.profile.unwrap_or(config.profile);
    config.scheme = vector.scheme.unwrap_or(config.scheme);
    Canonicalizer::new(config)
}

/// The tokens of a document that was read back, separated by spaces.
fn read(document: &str) -> String {
    Document::parse(document).unwrap_or_else(|error| panic!("{error}\n{document}")).tokens().join(" ")
}

#[test]
fn the_example_of_the_specification_holds() {
    let text = include_str!("../../../spec/canonical-form.md");
    let clause = text.split("**9.17 ").nth(1).unwrap().split("## 10.").next().unwrap();
    let blocks: Vec<&str> = clause.split("```\n").skip(1).step_by(2).collect();
    let [document, tokens] = blocks[..] else { panic!("a document and its tokens: {blocks:#?}") };
    let expected: Vec<&str> = tokens.split_whitespace().collect();
    assert_eq!(Document::parse(document).unwrap().tokens(), expected);
}

#[test]
fn a_request() {
    let request = b"GET /tienda//login.JSP?login=maria&pwd=visionario&id=7&id=x&bare HTTP/1.1\r\n\
        Host: www.Example.com:8080\r\nUser-Agent: Mozilla/5.0 (X11) Firefox/128.0\r\n\
        Accept: text/html, */*;q=0.8\r\nCookie: JSESSIONID=7F4C2A9B1D3E5F60; theme=dark\r\n\
        Authorization: Bearer abcdefghijklmnopqrstuvwxyz\r\nX-Note: two words{\r\nX-Id: 1\r\nX-Id: 2\r\n\r\n";
    let document = Canonicalizer::new(Config::default()).canonicalize(request);
    let tokens: Vec<String> =
        document.tokens().into_iter().filter(|token| !token.starts_with("v=")).collect();
    let expected = "
        m=GET u.host=www.example.com:8080
        p=/tienda/login.JSP p/=tienda p/=login.JSP p.ext=jsp plen@16-31 pmax@0-15
        q.n=5 q.keys=login,pwd,id,id,bare
        q.login q.login=lower q.login=lower@0-15
        q.pwd q.pwd=SECRET.alpha q.pwd=SECRET.alpha@0-15
        q.id q.id=num q.id=num@0-15 q.id=lower q.id=lower@0-15
        q.bare q.bare=mixed q.bare=mixed@0-15
        h.accept h.accept=text/html;q1.0 h.accept=*/*;q0.8
        h.authorization h.authorization=<SECRET.bearer> h.authorization=<SECRET.bearer>@16-31
        h.cookie c.JSESSIONID@16-31 c.theme@0-15
        h.host h.host=www.example.com:8080
        h.user-agent h.user-agent=mozilla/5.0 h.user-agent=firefox/128.0
        h.x-id h.x-id=<num> h.x-id=<num>@0-15 h.x-id=<num> h.x-id=<num>@0-15
        h.x-note h.x-note=<mixed> h.x-note=<mixed>@0-15 h.x-note~%20 h.x-note~{
        hcnt=8 hlen@128-255
        f=AUTHBEARER f=BRACE f=COOKIE:2 f=DUPHDR:x-id f=MULTIPLESLASH f=QBARE f=QREPEAT:id
        f.p=MULTIPLESLASH f.q.id=QREPEAT:id f.q.bare=QBARE f.h.authorization=AUTHBEARER f.h.cookie=COOKIE:2
        f.h.x-id=DUPHDR:x-id f.h.x-note=BRACE";
    assert_eq!(tokens, expected.split_whitespace().collect::<Vec<_>>());
}

#[test]
fn a_body_and_limits() {
    let document = "\
M:<mixed:3> [BADREQLINE] [CAPPED]
P:/<uuid:36>/b/<more:3> PLEN:21@16-31 PMAX:9@0-15
Q:3 KEYS:k,<more:2>
FLAGS:[BADREQLINE BODYENC:gzip CAPPED QUOTE]
H:?=<words:7>
H:<more:9> [QUOTE]
HCNT:10 HLEN:2000@>1023
B:multipart BLEN:1234@>1023 [BODYENC:gzip] [QUOTE]
BQ:6 KEYS:a.b[],f,a.b[],<email:12>.x,<more:2>
BK:a.b[]=<lower:5>|<bool:4>
BK:f=<file:99:tar.gz>
BK:<email:12>.x=<obj:0>
BK:<more:2>
";
    let expected = "
        m=<mixed> m=<mixed>@0-15
        p=/<uuid:36>/b/<more:3> p/=<uuid> p/=<uuid>@32-63 p/=b plen@16-31 pmax@0-15
        q.n=3 q.keys=k,<more:2> q.k
        h.? h.?=<words> h.?=<words>@0-15 hcnt=10 hlen@>1023
        b.kind=multipart blen@>1023 b.n=6 b.keys=a.b[],f,a.b[],<email:12>.x,<more:2>
        b.a.b[] b.a.b[]=lower b.a.b[]=lower@0-15 b.a.b[]=bool
        b.f b.f=file.tar.gz b.f=file.tar.gz@64-127
        b.<email:12>.x b.<email:12>.x=obj
        f=BADREQLINE f=BODYENC:gzip f=CAPPED f=QUOTE
        f.m=BADREQLINE f.m=CAPPED f.h.<more>=QUOTE f.b=BODYENC:gzip f.b=QUOTE";
    assert_eq!(read(document), expected.split_whitespace().collect::<Vec<_>>().join(" "));
}

#[test]
fn bodies_without_keys() {
    let with = |body: &str| {
        let head = "M:GET\nP:* PLEN:1@0-15 PMAX:1@0-15\nHCNT:0 HLEN:0@0-15\n";
        read(&format!("{head}{body}")).replacen("m=GET p=* p/=* plen@0-15 pmax@0-15 hcnt=0 hlen@0-15", "", 1)
    };
    assert_eq!(with(""), "");
    assert_eq!(with("B:form BLEN:2@0-15\nBQ:0 KEYS:\n"), " b.kind=form blen@0-15 b.n=0 b.keys=");
    assert_eq!(with("B:text BLEN:20@16-31 <words:18>\n"), " b.kind=text blen@16-31 b=words b=words@16-31");
    assert_eq!(
        with("B:json BLEN:2@0-15 <SECRET:mixed:2>\n"),
        " b.kind=json blen@0-15 b=SECRET.mixed b=SECRET.mixed@0-15"
    );
}

/// In view `literal` a value stands in clear beside the tokens of its shape, which a fresh document knows.
#[test]
fn values_in_clear_keep_their_shapes() {
    let mut config = Config::default();
    config.view = View::Literal;
    let request = b"GET /?login=maria&pwd=visionario&empty= HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    let of_query = |config: &Config| -> Vec<String> {
        let tokens = Canonicalizer::new(config.clone()).canonicalize(request).tokens();
        tokens.into_iter().filter(|token| token.starts_with("q.")).skip(2).collect()
    };
    let without = of_query(&config);
    let expected = "q.login q.login=lower q.login=lower@0-15 q.login=\"maria\" q.pwd q.pwd=SECRET.alpha \
        q.pwd=SECRET.alpha@0-15 q.empty q.empty=mixed q.empty=mixed@0-15";
    assert_eq!(without.join(" "), expected);
    config.lines.qk = Some(true);
    let with = of_query(&config);
    config.view = View::Shape;
    assert_eq!(with, of_query(&config), "`QK` tells as much as the other view");
    config.lines.qk = None;
    config.view = View::Literal;
    let text = Canonicalizer::new(config).canonicalize(request).to_string();
    let parsed = Document::parse(&text).unwrap().tokens();
    assert!(
        parsed.contains(&"q.login=\"maria\"".to_owned()) && !parsed.contains(&"q.login=lower".to_owned())
    );
    assert!(with.contains(&"q.login=lower@0-15".to_owned()));
}

/// A value that both views show by its shape has its tokens once, and no name of a header reads like a sign.
#[test]
fn tokens_of_headers_are_not_forged() {
    let mut config = Config::default();
    let request = b"GET / HTTP/1.1\r\nHost: ex.com\r\nX-A~*: q\r\nX-B^9a: q\r\nX-C#3: q\r\nfoo bar*\r\n\r\n";
    for view in [View::Shape, View::Literal] {
        config.view = view;
        let tokens = Canonicalizer::new(config.clone()).canonicalize(request).tokens();
        let of =
            |place: &str| tokens.iter().filter(|token| token.starts_with(place)).cloned().collect::<Vec<_>>();
        assert_eq!(of("h.?"), ["h.?", "h.?=<mixed>", "h.?=<mixed>@0-15", "h.?~%20", "h.?~*"]);
        for name in ["h.x-a%7E*", "h.x-b%5E9a", "h.x-c%233"] {
            assert!(tokens.iter().any(|token| token == name), "{name}: {tokens:?}");
        }
        assert!(of("h.x-a~").is_empty() && of("h.x-b^").is_empty() && of("h.x-c#").is_empty());
    }
}

#[test]
fn buckets_are_those_of_the_document() {
    let mut config = Config::default();
    config.buckets = Buckets::new(vec![3, 9]).unwrap();
    let document = Canonicalizer::new(config).canonicalize(b"GET /?a=12345 HTTP/1.1\r\nHost: ex.com\r\n\r\n");
    assert!(document.tokens().contains(&"q.a=num@4-9".to_owned()), "{:?}", document.tokens());
    let parsed = Document::parse(document.as_str()).unwrap();
    assert!(parsed.tokens().contains(&"q.a=num@0-15".to_owned()), "the text does not tell them");
}

#[test]
fn no_token_has_white_space_and_none_is_empty() {
    for vector in vectors::all() {
        let canonicalizer = canonicalizer(&vector);
        let fresh = canonicalizer.canonicalize(&vector.request());
        let parsed = Document::parse(&vector.document).unwrap();
        for token in fresh.tokens().iter().chain(&parsed.tokens()) {
            assert!(!token.is_empty() && !token.contains(char::is_whitespace), "{}: {token}", vector.name);
        }
    }
}

/// A document that was read back has the same tokens, but for the version and places finer than a
/// line.
#[test]
fn read_documents_have_the_same_tokens() {
    // What values are made of: a document that was read back knows only the sets of its markers.
    let is_fine = |token: &String| {
        let of_value = ["q.", "b.", "b~", "b^", "h."].iter().any(|place| token.starts_with(place));
        of_value && (token.contains(['~', '^']) || token.contains("{}"))
    };
    let known_apart = |token: &String| token.starts_with("f.") || token.starts_with("v=");
    let (mut fine, mut coarse) = (0, 0);
    for vector in vectors::all().iter().filter(|vector| vector.view != Some(View::Literal)) {
        let fresh = canonicalizer(vector).canonicalize(&vector.request());
        let parsed = Document::parse(fresh.as_str()).unwrap();
        let of = |document: &Document| -> (Vec<String>, Vec<String>) {
            document.tokens().into_iter().filter(|token| !known_apart(token)).partition(is_fine)
        };
        let ((more, fresh), (less, parsed)) = (of(&fresh), of(&parsed));
        assert_eq!(fresh, parsed, "{}", vector.name);
        assert!(less.iter().all(|token| more.contains(token)), "{}: {less:?} {more:?}", vector.name);
        (fine, coarse) = (fine + more.len(), coarse + less.len());
    }
    assert!(fine > coarse && coarse > 1_000, "{fine} {coarse}");
}

/// The composition of values (clause 9.18), fresh from a request.
#[test]
fn signs_scripts_and_skeletons() {
    let of = |request: &str, view: View| -> String {
        let mut config = Config::default();
        config.view = view;
        let tokens = Canonicalizer::new(config).canonicalize(request.as_bytes()).tokens();
        let told = |token: &String| token.contains(['~', '^', '"', '{', '#']) && !token.starts_with("f");
        tokens.into_iter().filter(told).collect::<Vec<_>>().join(" ")
    };
    let get = |query: &str| format!("GET /?{query} HTTP/1.1\r\nHost: ex.com\r\n\r\n");
    let shape = |query: &str| of(&get(query), View::Shape);
    assert_eq!(shape("a=Vino+.*?Rioja"), "q.a~%20 q.a~* q.a~. q.a~%3F");
    assert_eq!(shape("a=1%2B1"), "q.a~+");
    assert_eq!(shape("a=1%2B1+2"), "q.a~%20 q.a~+");
    assert_eq!(shape("dni=12345678Z&a=a1b2c3d4e"), "q.dni^9a");
    assert_eq!(shape("n=%C3%B1-%D0%BC"), "q.n~- q.n~Cyrillic q.n~Latin");
    assert_eq!(shape("pwd=a-1&x=a-1"), "q.x~-", "secrets tell nothing");
    assert_eq!(
        shape("f={\"u\":[\"a-b\",7]}"),
        "q.f{}.u[] q.f{}.u[]=slug q.f{}.u[]=slug@0-15 q.f{}.u[]~- \
        q.f{}.u[]=num q.f{}.u[]=num@0-15"
    );
    assert_eq!(shape("f={\"pwd\":\"a-b\"}"), "q.f{}.pwd q.f{}.pwd=SECRET.slug q.f{}.pwd=SECRET.slug@0-15");
    assert_eq!(shape("token={\"u\":\"a-b\"}"), "", "a value that is a secret has no leaves");
    assert_eq!(of(&get("a=b-1"), View::Literal), "q.a=\"b-1\" q.a~-");
    let post = "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/json\r\n\
        Content-Length: 25\r\n\r\n{\"a\":\"x_1\",\"b\":\"y2\",\"c\":-1}";
    assert_eq!(of(post, View::Shape), "b.a~_ b.b^a9 b.c~-");
}

#[test]
fn exact_lengths_are_an_option() {
    let document = Canonicalizer::new(Config::default())
        .canonicalize(b"GET /?a=123 HTTP/1.1\r\nHost: ex.com\r\nX-Request-Id: abc\r\n\r\n");
    let mut options = tamiz::TokenOptions::default();
    options.lengths = true;
    let with = document.tokens_with(options);
    let more: Vec<&String> = with.iter().filter(|token| !document.tokens().contains(token)).collect();
    assert_eq!(more, ["q.a=num#3", "h.x-request-id=<lower>#3"]);
}

#[test]
fn the_profile_changes_no_shape() {
    let shapes = |profile: &str| -> Vec<String> {
        let mut config = Config::default();
        config.profile = profile.parse().unwrap();
        let request = b"GET /?a=1&b=&c&a=x&d=Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA HTTP/1.1\r\nHost: ex.com\r\n\r\n";
        let tokens = Canonicalizer::new(config).canonicalize(request).tokens();
        tokens.into_iter().filter(|token| token.starts_with("q.")).collect()
    };
    assert_eq!(shapes("core"), shapes("full"));
    assert_eq!(shapes("standard"), shapes("full"));
}

/// The tokens that a sink is given: the place that they begin with, and all of them.
#[derive(Default)]
struct Collected {
    place: String,
    tokens: BTreeSet<String>,
}

impl Collected {
    fn add(&mut self, pieces: &[&str]) {
        let mut token = Vec::new();
        push_token_piece(&mut token, &self.place);
        pieces.iter().for_each(|piece| push_token_piece(&mut token, piece));
        self.tokens.insert(String::from_utf8(token).unwrap());
    }
}

impl<'d> TokenSink<'d> for Collected {
    fn place(&mut self, pieces: [&'d str; 3]) {
        self.place = pieces.concat();
    }

    fn place_respelled(&mut self, name: String) {
        self.place = name;
    }

    fn here(&mut self) {
        self.add(&[]);
    }

    fn tell<const N: usize>(&mut self, pieces: [&str; N]) {
        self.add(&pieces);
    }

    fn value<const N: usize>(&mut self, pieces: [&'d str; N], ends: &[[&str; 2]]) {
        self.add(&pieces);
        ends.iter().for_each(|end| self.add(&[&pieces[..], end].concat()));
    }
}

/// Lines that are handed over one by one give the tokens of the whole document, wherever that can be done.
#[test]
fn lines_of_vectors_give_their_tokens() {
    let (mut read, all) = (0, vectors::all());
    for vector in &all {
        let document = canonicalizer(vector).canonicalize(&vector.request());
        let mut found = Collected::default();
        if document.visit_lines(&mut found) {
            read += 1;
            let tokens = document.tokens().into_iter().filter(|token| !token.starts_with("f="));
            assert_eq!(found.tokens, tokens.collect(), "{}", vector.name);
        }
    }
    assert!(read > all.len() / 2, "{read}");
}
