//! Reads a request from each proxy's headers, apart from the proxy's own. The files below `deploy/` set the headers
//! that are read here.

use tamiz::{Parts, Scheme, Source};

use super::head::Head;

/// Who asks, as the path says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asker {
    /// Whoever names the request in `X-Original-Method` and `X-Original-URI`, or `X-Forwarded-Method` and
    /// `X-Forwarded-Uri`.
    Any,
    /// `auth_request` of nginx.
    Nginx,
    /// `forward_auth` of Caddy.
    Caddy,
    /// `ext_authz` of Envoy, over HTTP.
    Envoy,
}

/// A request that a proxy has handed over.
#[derive(Clone, Debug)]
pub(crate) struct Given<'a> {
    pub(crate) parts: Parts<'a>,
    /// Where the proxy says it.
    pub(crate) scheme: Option<Scheme>,
    pub(crate) source: Source,
    /// The proxy's id of the request.
    pub(crate) id: Option<&'a [u8]>,
    /// True if the document is asked for, beside its flags and its digest.
    pub(crate) wants_document: bool,
}

/// Names with this before them are between us and the proxy, and never headers of the request.
pub(crate) const OURS: &[u8] = b"x-tamiz-";

impl Asker {
    /// Who asks, and what stands behind the path.
    pub(crate) fn of(target: &[u8]) -> Option<(Asker, &[u8])> {
        let rest = target.strip_prefix(b"/check")?;
        let is_end = |rest: &[u8]| matches!(rest, [] | [b'?', ..]);
        if is_end(rest) {
            return Some((Asker::Any, rest));
        }
        let named = [(Asker::Nginx, &b"/nginx"[..]), (Asker::Caddy, b"/caddy"), (Asker::Envoy, b"/envoy")];
        let (asker, rest) =
            named.into_iter().find_map(|(asker, name)| Some((asker, rest.strip_prefix(name)?)))?;
        (is_end(rest) || asker == Asker::Envoy && rest.starts_with(b"/")).then_some((asker, rest))
    }

    /// The request that it asks about; `None` where it does not say which.
    pub(crate) fn given<'a>(self, head: &Head<'a>, rest: &'a [u8], body: &'a [u8]) -> Option<Given<'a>> {
        let mut given = match self {
            Asker::Any => any(head)?,
            Asker::Nginx => nginx(head)?,
            Asker::Caddy => caddy(head)?,
            Asker::Envoy => envoy(head, rest, body),
        };
        given.wants_document = head.get("x-tamiz-want").is_some_and(|want| want == b"document");
        given.id = head.get("x-tamiz-id").or(given.id).filter(|id| !id.is_empty());
        for (name, ours) in [
            (&b"content-length"[..], "x-tamiz-content-length"),
            (b"transfer-encoding", "x-tamiz-transfer-encoding"),
        ] {
            // A proxy that has no body to send has no length of it either, but may tell what it was.
            if let Some(value) = head.get(ours).filter(|value| !value.is_empty()) {
                given.parts.header(name, value);
            }
        }
        Some(given)
    }
}

impl<'a> Given<'a> {
    pub(crate) fn new(parts: Parts<'a>, source: Source) -> Self {
        Given { parts, scheme: None, source, id: None, wants_document: false }
    }
}

fn any<'a>(head: &Head<'a>) -> Option<Given<'a>> {
    let target = head.get("x-original-uri").or_else(|| head.get("x-forwarded-uri"))?;
    let method = head.get("x-original-method").or_else(|| head.get("x-forwarded-method"));
    let mut parts = Parts::new(there(method.unwrap_or(head.method))?, there(target)?);
    parts.version = Some(b"HTTP/1.1");
    parts.headers = others(head, |name| {
        is_one_of(
            name,
            &[
                "x-original-uri",
                "x-original-method",
                "x-forwarded-uri",
                "x-forwarded-method",
                "content-length",
            ],
        )
    });
    let mut given = Given::new(parts, Source::Wire);
    given.scheme = head.get("x-forwarded-proto").and_then(scheme);
    Some(given)
}

fn nginx<'a>(head: &Head<'a>) -> Option<Given<'a>> {
    let mut parts = request_line(there(head.get("x-tamiz-request-line")?)?);
    // What nginx writes of its own is `Connection`, if it is told nothing else, and the length of no body.
    parts.headers = others(head, |name| is_one_of(name, &["connection", "content-length"]));
    let mut given = Given::new(parts, Source::Nginx);
    given.scheme = head.get("x-tamiz-scheme").and_then(scheme);
    Some(given)
}

/// A value that says something.
fn there(value: &[u8]) -> Option<&[u8]> {
    Some(value).filter(|value| !value.is_empty())
}

/// Splits a request line as nginx passes it on: there may be several spaces, or no version.
fn request_line(line: &[u8]) -> Parts<'_> {
    let (method, rest) = cut(line, line.iter().position(|&byte| byte == b' '));
    let rest = rest.trim_ascii();
    let (target, version) = cut(rest, rest.iter().rposition(|&byte| byte == b' '));
    if version.starts_with(b"HTTP/") {
        let mut parts = Parts::new(method, target.trim_ascii());
        parts.version = Some(version);
        parts
    } else {
        Parts::new(method, rest)
    }
}

/// Splits a text around a byte; all of it is before, if the byte is not there.
fn cut(text: &[u8], at: Option<usize>) -> (&[u8], &[u8]) {
    let at = at.unwrap_or(text.len());
    (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default())
}

fn caddy<'a>(head: &Head<'a>) -> Option<Given<'a>> {
    let (method, target) = (there(head.get("x-forwarded-method")?)?, there(head.get("x-forwarded-uri")?)?);
    let mut parts = Parts::new(method, target);
    parts.version = Some(head.get("x-tamiz-version").unwrap_or(b"HTTP/1.1"));
    // Caddy drops what clients say in these, and says something itself.
    let mut headers = others(head, |name| {
        is_one_of(
            name,
            &[
                "host",
                "content-length",
                "x-forwarded-for",
                "x-forwarded-host",
                "x-forwarded-method",
                "x-forwarded-proto",
                "x-forwarded-uri",
            ],
        )
    });
    let via = headers.iter().rposition(|(name, _)| name.eq_ignore_ascii_case(b"via"));
    if let Some(at) = via.filter(|&at| headers.get(at).is_some_and(|(_, value)| value.ends_with(b" Caddy"))) {
        headers.remove(at);
    }
    if let Some(host) = head.get("x-forwarded-host").filter(|host| !host.is_empty()) {
        headers.insert(0, (b"host", host));
    }
    parts.headers = headers;
    let mut given = Given::new(parts, Source::Caddy);
    given.scheme = head.get("x-forwarded-proto").and_then(scheme);
    Some(given)
}

fn envoy<'a>(head: &Head<'a>, rest: &'a [u8], body: &'a [u8]) -> Given<'a> {
    let mut parts = Parts::new(head.method, if rest.is_empty() { b"/" } else { rest });
    // It does not say which it was.
    parts.version = Some(b"HTTP/1.1");
    parts.body = Some(body).filter(|body| !body.is_empty());
    parts.headers = others(head, is_envoys);
    without_last_address(&mut parts.headers);
    let mut given = Given::new(parts, Source::EnvoyExtAuthz);
    given.scheme = head.get("x-forwarded-proto").and_then(scheme);
    given.id = head.get("x-request-id").and_then(envoys_id);
    given
}

/// The name that Envoy gives a request: a UUID. Told to keep what clients say, it hands over anything, a secret even,
/// and documents show none of that.
pub(crate) fn envoys_id(value: &[u8]) -> Option<&[u8]> {
    let is_as_in_uuid = |(at, byte): (usize, &u8)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    (value.len() == 36 && value.iter().enumerate().all(is_as_in_uuid)).then_some(value)
}

/// Names that Envoy sets at the edge, whatever a client says in them.
pub(crate) fn is_envoys(name: &[u8]) -> bool {
    is_one_of(name, &["x-request-id", "x-forwarded-proto"]) || begins_with(name, b"x-envoy-")
}

/// Envoy adds the address of who speaks to it behind the last comma.
pub(crate) fn without_last_address(headers: &mut Vec<(&[u8], &[u8])>) {
    headers.retain_mut(|(name, value)| {
        if !name.eq_ignore_ascii_case(b"x-forwarded-for") {
            return true;
        }
        let comma = value.iter().rposition(|&byte| byte == b',');
        *value = comma.and_then(|at| value.get(..at)).unwrap_or_default();
        !value.is_empty()
    });
}

/// The headers but those that are between us and the proxy, and those of the list.
fn others<'a>(head: &Head<'a>, is_left_out: impl Fn(&[u8]) -> bool) -> Vec<(&'a [u8], &'a [u8])> {
    let is_left_out = |name: &[u8]| begins_with(name, OURS) || is_left_out(name);
    head.headers.iter().copied().filter(|(name, _)| !is_left_out(name)).collect()
}

/// Returns whether a name begins so, in any case.
pub(crate) fn begins_with(name: &[u8], start: &[u8]) -> bool {
    name.get(..start.len()).is_some_and(|there| there.eq_ignore_ascii_case(start))
}

fn is_one_of(name: &[u8], names: &[&str]) -> bool {
    names.iter().any(|there| name.eq_ignore_ascii_case(there.as_bytes()))
}

/// A scheme that is known.
pub(crate) fn scheme(word: &[u8]) -> Option<Scheme> {
    std::str::from_utf8(word).ok()?.to_ascii_lowercase().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given<'a>(head: &'a str, body: &'a [u8], check: impl FnOnce(Option<Given<'_>>)) {
        let bytes = format!("{}\r\n\r\n", head.replace('\n', "\r\n"));
        let head = Head::read(bytes.as_bytes()).unwrap();
        let (asker, rest) = Asker::of(head.target).unwrap();
        check(asker.given(&head, rest, body));
    }

    fn headers(parts: &Parts<'_>) -> Vec<String> {
        let text = String::from_utf8_lossy;
        parts.headers.iter().map(|(name, value)| format!("{}: {}", text(name), text(value))).collect()
    }

    #[test]
    fn paths_say_who_asks() {
        for (target, asker) in [
            ("/check", Some((Asker::Any, ""))),
            ("/check?x", Some((Asker::Any, "?x"))),
            ("/check/nginx", Some((Asker::Nginx, ""))),
            ("/check/caddy?a=b", Some((Asker::Caddy, "?a=b"))),
            ("/check/envoy", Some((Asker::Envoy, ""))),
            ("/check/envoy/a?b", Some((Asker::Envoy, "/a?b"))),
            ("/check/", None),
            ("/check/nginx/", None),
            ("/check/envoys", None),
            ("/checks", None),
            ("/", None),
        ] {
            let found = Asker::of(target.as_bytes());
            assert_eq!(found, asker.map(|(asker, rest)| (asker, rest.as_bytes())), "{target}");
        }
    }

    #[test]
    fn nginx_names_the_request_line() {
        given(
            "GET /check/nginx HTTP/1.1\nHost: ex.com\nX-Tamiz-Request-Line: POST  /a b  HTTP/1.0\n\
             X-Tamiz-Scheme: https\nX-Tamiz-Id: 7\nX-Tamiz-Content-Length: 5\nX-Tamiz-Flags: FORGED\nA: 1\na: 2",
            b"",
            |given| {
                let given = given.unwrap();
                assert_eq!((given.parts.method, given.parts.target), (&b"POST"[..], &b"/a b"[..]));
                assert_eq!(given.parts.version, Some(&b"HTTP/1.0"[..]));
                assert_eq!(headers(&given.parts), ["Host: ex.com", "A: 1", "a: 2", "content-length: 5"]);
                assert_eq!((given.scheme, given.id), (Some(Scheme::Https), Some(&b"7"[..])));
                assert!(given.parts.body.is_none() && !given.wants_document);
            },
        );
        given("GET /check/nginx HTTP/1.1\nX-Tamiz-Request-Line: GET /", b"", |given| {
            let parts = given.unwrap().parts;
            assert_eq!((parts.method, parts.target, parts.version), (&b"GET"[..], &b"/"[..], None));
        });
        given("GET /check/nginx HTTP/1.1\nHost: ex.com", b"", |given| assert!(given.is_none()));
    }

    #[test]
    fn caddy_names_it_in_headers_of_its_own() {
        given(
            "GET /check/caddy?x HTTP/1.1\nHost: 127.0.0.1\nVia: 1.0 me\nVia: 1.1 Caddy\nX-Forwarded-For: 1.2.3.4\n\
             X-Forwarded-Host: ex.com\nX-Forwarded-Method: PUT\nX-Forwarded-Proto: http\nX-Forwarded-Uri: /a?x\n\
             X-Tamiz-Content-Length:\nX-Tamiz-Version: HTTP/2.0\nX-Tamiz-Want: document",
            b"",
            |given| {
                let given = given.unwrap();
                assert_eq!((given.parts.method, given.parts.target), (&b"PUT"[..], &b"/a?x"[..]));
                assert_eq!(given.parts.version, Some(&b"HTTP/2.0"[..]));
                assert_eq!(headers(&given.parts), ["host: ex.com", "Via: 1.0 me"]);
                assert!(given.wants_document);
            },
        );
        given("GET /check/caddy HTTP/1.1\nX-Forwarded-Method: PUT", b"", |given| assert!(given.is_none()));
    }

    #[test]
    fn what_a_client_names_its_request_is_not_told() {
        for own in ["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", "1", "16d5b8a2-3c04-9f11-8e7a-0242ac11000g"] {
            let asked = format!("GET /check/envoy/ HTTP/1.1\nhost: ex.com\nx-request-id: {own}");
            given(&asked, b"", |given| assert_eq!(given.unwrap().id, None, "{own}"));
        }
    }

    #[test]
    fn envoy_asks_in_its_place() {
        given(
            "POST /check/envoy/a?b HTTP/1.1\nhost: ex.com\ncontent-length: 3\nx-forwarded-proto: https\n\
             x-forwarded-for: 9.9.9.9,10.0.0.1\nx-envoy-internal: true\n\
             x-request-id: 16d5b8a2-3c04-9f11-8e7a-0242ac110002\na: 1,2",
            b"x=1",
            |given| {
                let given = given.unwrap();
                assert_eq!((given.parts.method, given.parts.target), (&b"POST"[..], &b"/a?b"[..]));
                let expected = ["host: ex.com", "content-length: 3", "x-forwarded-for: 9.9.9.9", "a: 1,2"];
                assert_eq!(headers(&given.parts), expected);
                let id = &b"16d5b8a2-3c04-9f11-8e7a-0242ac110002"[..];
                assert_eq!((given.parts.body, given.id), (Some(&b"x=1"[..]), Some(id)));
                assert_eq!(given.scheme, Some(Scheme::Https));
            },
        );
        given(
            "GET /check/envoy HTTP/1.1\nx-forwarded-for: 10.0.0.1\nx-envoy-auth-partial-body: true",
            b"",
            |given| {
                let given = given.unwrap();
                assert!(given.parts.headers.is_empty() && given.parts.target == b"/");
            },
        );
    }

    #[test]
    fn anybody_names_it_in_well_known_headers() {
        for names in [("X-Original-Method", "X-Original-URI"), ("X-Forwarded-Method", "X-Forwarded-Uri")] {
            let head = format!(
                "GET /check HTTP/1.1\nHost: a\n{}: DELETE\n{}: /x\nX-Forwarded-Proto: wss",
                names.0, names.1
            );
            given(&head, b"", |given| {
                let given = given.unwrap();
                assert_eq!((given.parts.method, given.parts.target), (&b"DELETE"[..], &b"/x"[..]));
                assert_eq!(headers(&given.parts), ["Host: a", "X-Forwarded-Proto: wss"]);
                assert_eq!(given.scheme, Some(Scheme::Wss));
            });
        }
        given("PUT /check HTTP/1.1\nx-original-uri: /x", b"", |given| {
            assert_eq!(given.unwrap().parts.method, b"PUT");
        });
        for nothing in ["Host: a", "x-original-uri:", "x-original-uri: /\nx-original-method:"] {
            given(&format!("GET /check HTTP/1.1\n{nothing}"), b"", |given| assert!(given.is_none()));
        }
    }
}
