//! The canonical form once more, slow and obvious, written from `spec/` alone, to check the library by.

mod body;
mod chars;
mod document;
mod families;
mod files;
mod headers;
mod identity;
mod inner;
mod json;
#[cfg(test)]
mod layer_tests;
mod layers;
mod lists;
mod message;
mod multipart;
mod names;
mod overlong;
mod places;
#[cfg(test)]
mod private_tests;
#[cfg(test)]
mod quiet_tests;
mod scan;
mod secrets;
mod shape;
mod target;
mod tokens;
#[cfg(test)]
mod value_tests;
mod vocabulary;
mod words;
mod xml;

use std::cell::Cell;

use chars::{Char, Text};
use message::{Line, Message};
use places::{Place, Placed};
use scan::{Flags, Kind};
use secrets::Secrets;
use shape::MarkerKind;

/// How values are shown (9.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// By shape.
    Shape,
    /// Decoded.
    Literal,
}

/// Which lines and flags are on (9.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// The least.
    Core,
    /// The default.
    Standard,
    /// Everything.
    Full,
}

/// Schemes of a target (5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// `http`.
    Http,
    /// `https`.
    Https,
    /// `ws`.
    Ws,
    /// `wss`.
    Wss,
}

impl Scheme {
    fn name(self) -> &'static str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
            Scheme::Ws => "ws",
            Scheme::Wss => "wss",
        }
    }
}

/// How much is shown (8.31).
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Pairs of a query.
    pub pairs: usize,
    /// Segments of a path.
    pub segments: usize,
    /// Headers.
    pub headers: usize,
    /// Parameters of one flag.
    pub parameters: usize,
    /// Values of a body.
    pub values: usize,
    /// Bytes of a body that are read.
    pub body: usize,
    /// Levels of JSON or XML.
    pub depth: usize,
    /// Parts of a multipart body.
    pub parts: usize,
    /// Entity declarations of an XML body.
    pub entities: usize,
    /// Codings of a body.
    pub codings: usize,
    /// Bytes of a query value that is not long.
    pub long_value: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            pairs: 128,
            segments: 64,
            headers: 128,
            parameters: 8,
            values: 128,
            body: 1 << 20,
            depth: 32,
            parts: 1024,
            entities: 64,
            codings: 4,
            long_value: 1024,
        }
    }
}

/// Options of a document.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How values are shown.
    pub view: View,
    /// Which lines and flags are on.
    pub profile: Profile,
    /// The scheme of a target that names none.
    pub scheme: Scheme,
    /// How much is shown.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            view: View::Shape,
            profile: Profile::Standard,
            scheme: Scheme::Http,
            limits: Limits::default(),
        }
    }
}

/// The state that all steps share.
struct Context<'a> {
    options: &'a Options,
    secrets: &'a Secrets,
    /// The first pass only looks for secrets.
    first_pass: bool,
    /// True if a limit was reached.
    capped: Cell<bool>,
    /// How many secrets were hidden so far.
    hidden: Cell<usize>,
    /// True if lines may have been joined to the header that is shown (6.14.7).
    joined: Cell<bool>,
}

impl Context<'_> {
    fn is_core(&self) -> bool {
        self.options.profile == Profile::Core
    }

    fn is_full(&self) -> bool {
        self.options.profile == Profile::Full
    }

    fn is_literal(&self) -> bool {
        self.options.view == View::Literal
    }

    fn scan(&self, text: &[Char], kind: Kind) -> Flags {
        self.scan_at(text, kind, Place::default())
    }

    /// The flags of a text whose place matters (7.6.1, 7.6.2).
    fn scan_at(&self, text: &[Char], kind: Kind, place: Place) -> Flags {
        if self.first_pass { Flags::new() } else { scan::scan(text, kind, place, self.is_core()) }
    }

    fn marker(&self, text: &[Char]) -> String {
        self.marker_with_signs(text, text)
    }

    /// A marker that does not tell what its text is made of.
    fn marker_without_set(&self, text: &[Char]) -> String {
        self.marker_with_signs(text, &[])
    }

    /// A marker whose set is taken from another spelling of the text (6.19).
    fn marker_with_signs(&self, text: &[Char], signs: &[Char]) -> String {
        let extras = shape::Extras { entropy: self.is_full(), signs: !self.is_core() };
        shape::marker(text, signs, extras)
    }

    /// The length of a marker without its set (8.28).
    fn bare_marker_length(&self, text: &[Char]) -> usize {
        let extras = shape::Extras { entropy: self.is_full(), signs: false };
        shape::marker(text, text, extras).len()
    }

    fn marker_kind(&self, text: &[Char]) -> Option<MarkerKind> {
        shape::marker_kind(text, self.is_core())
    }

    /// A marker that came in, as it is shown (6.15).
    fn shown_marker(&self, text: &[Char]) -> Option<String> {
        shape::read_marker(text, self.is_core()).map(|(_, shown)| shown)
    }

    /// Returns whether a part of a header value that lines may have been joined to echoes a secret (6.14.7).
    fn echoes_in_joined(&self, value: &[Char]) -> bool {
        let mut parts = value.split(|c| matches!(c, Char::Plain(' ' | ',')));
        self.joined.get() && parts.any(|part| self.secrets.echoes(part))
    }

    fn has_credential(&self, text: &[Char]) -> bool {
        self.secrets.has_credential(text)
    }

    /// The marker of a value that is JSON (6.20).
    fn json_marker(&self, text: &[Char], hidden: bool) -> String {
        let shape = if hidden { "SECRET:json" } else { "json" };
        shape::named_marker(shape, text, self.is_full())
    }

    fn secret_marker(&self, text: &[Char]) -> String {
        self.hidden.set(self.hidden.get() + 1);
        shape::secret_marker(text, self.is_full())
    }
}

/// The document of a request.
pub fn canonicalize(request: &[u8], options: &Options) -> String {
    fresh(request, options).text
}

/// The tokens of the document of a request (9.17, 9.18).
pub fn tokens(request: &[u8], options: &Options) -> Vec<String> {
    fresh(request, options).tokens
}

/// A document and what it knows beyond its text.
struct Fresh {
    text: String,
    tokens: Vec<String>,
}

fn fresh(request: &[u8], options: &Options) -> Fresh {
    let message = message::parse(request);
    let secrets = Secrets::new(options.profile == Profile::Core);
    let first = Context {
        options,
        secrets: &secrets,
        first_pass: true,
        capped: Cell::default(),
        hidden: Cell::default(),
        joined: Cell::default(),
    };
    document(&message, &first);
    let secrets = secrets.after_first_pass();
    let second = Context {
        options,
        secrets: &secrets,
        first_pass: false,
        capped: Cell::default(),
        hidden: Cell::default(),
        joined: Cell::default(),
    };
    document(&message, &second)
}

fn method(message: &Message, flags: &mut Flags, cx: &Context<'_>) -> String {
    let raw = chars::read(&message.method);
    target::width(&raw, flags);
    let text = chars::plain_dots(&chars::nfkc(&raw, false));
    flags.extend(cx.scan(&text, Kind::Opaque));
    if cx.secrets.hides(false, &text) {
        cx.marker_without_set(&text)
    } else if !chars::is_token(&text) || text.len() > 32 {
        cx.marker(&text)
    } else {
        chars::as_string(&text).unwrap()
    }
}

fn document(message: &Message, cx: &Context<'_>) -> Fresh {
    let mut on_m = message.flags.clone();
    let method = method(message, &mut on_m, cx);
    let known: [&[u8]; 6] = [b"HTTP/1.0", b"HTTP/1.1", b"HTTP/2", b"HTTP/2.0", b"HTTP/3", b"HTTP/3.0"];
    if !known.contains(&&message.version[..]) {
        let version = chars::read(&message.version);
        on_m.extend(cx.scan(&version, Kind::Opaque));
        cx.secrets.record_unshown(&version);
    }

    // The target (section 5). The flags of an authority stand apart until it is known whether `U` shows it (5.6).
    let mut on_u = Flags::new();
    let mut of_authority = Flags::new();
    let target = chars::read(&message.target);
    let is_method = |name: &[u8]| message.method == name;
    let first_host = message.lines.iter().find_map(|line| match line {
        Line::Header { name, value, .. } if name.eq_ignore_ascii_case(b"host") => Some(chars::read(
            &value.iter().map(|b| if matches!(b, b'\r' | b'\n') { 0 } else { *b }).collect::<Vec<_>>(),
        )),
        _ => None,
    });
    let scheme = target::scheme(&target).filter(|_| !is_method(b"CONNECT"));
    let authority_form = is_method(b"CONNECT") && {
        let host =
            target.iter().rposition(|c| *c == Char::Plain('@')).map_or(&target[..], |at| &target[at + 1..]);
        !target.iter().any(|c| matches!(c, Char::Plain('/' | '?' | '#')))
            && host.iter().rposition(|c| *c == Char::Plain(':')).is_some_and(|colon| {
                colon + 1 < host.len()
                    && host.len() - colon < target.len()
                    && host[colon + 1..].iter().all(|c| c.plain().is_some_and(|c| c.is_ascii_digit()))
            })
    };
    let origin = chars::is(target.first(), '/') && !is_method(b"CONNECT");
    let asterisk = is_method(b"OPTIONS") && target == chars::text("*");

    let mut lines: Vec<String> = Vec::new();
    let mut url: Option<String> = None;
    let mut url_host: Option<String> = None;
    let mut has_authority = true;
    let mut path: Option<target::Path> = None;
    let mut query: Option<target::Query> = None;
    if authority_form {
        let (shown_user, host_text) = target::userinfo(&target, &mut of_authority, cx);
        let mut read = target::read_host(&host_text, cx.options.scheme, cx);
        of_authority.append(&mut read.flags);
        if let Some(host) = &read.host {
            let host = format!("{}:{}", host.name, host.written_port.unwrap());
            url = Some(format!("{shown_user}{host}"));
            url_host = Some(host);
        }
        if let Some(header) = &first_host {
            let header = target::read_host(header, cx.options.scheme, cx).host;
            let same = match (&read.host, &header) {
                (Some(a), Some(b)) => {
                    a.name == b.name
                        && (a.written_port.is_none()
                            || b.written_port.is_none()
                            || a.written_port == b.written_port)
                }
                _ => false,
            };
            if !same {
                of_authority.insert("HOSTMISMATCH".into());
            }
        }
    } else {
        let (own_scheme, rest) =
            scheme.map_or((cx.options.scheme, &target[..]), |(scheme, rest)| (scheme, rest));
        let mut pieces = target::cut(rest, scheme.is_some());
        let bad = !(origin || asterisk || scheme.is_some());
        if bad {
            on_u.insert("BADTARGET".into());
        }
        if scheme.is_some() && pieces.path.is_empty() {
            pieces.path = chars::text("/");
        }
        let (shown_user, host) = if scheme.is_some() {
            let (shown_user, host_text) = target::userinfo(&pieces.authority, &mut of_authority, cx);
            let mut read = target::read_host(&host_text, own_scheme, cx);
            of_authority.append(&mut read.flags);
            if let Some(header) = &first_host {
                let header = target::read_host(header, own_scheme, cx).host;
                let same = match (&read.host, &header) {
                    (Some(a), Some(b)) => a.name == b.name && a.port == b.port,
                    _ => false,
                };
                if !same {
                    of_authority.insert("HOSTMISMATCH".into());
                }
            }
            (shown_user, read.host)
        } else {
            match &first_host {
                None => {
                    on_m.insert("BADHOST".into());
                    (String::new(), None)
                }
                Some(header) => (String::new(), target::read_host(header, own_scheme, cx).host),
            }
        };
        let host_name = host.as_ref().map(|host| &host.name[..]);
        let shown_path = target::path(&pieces.path, (origin || bad) && scheme.is_none(), host_name, cx);
        query = pieces.query.as_ref().map(|raw| target::query(raw, false, cx));
        let shown_fragment = pieces.fragment.as_ref().map(|raw| target::fragment(raw, &mut on_u, cx));
        let shown_query = query.as_ref().map(|query| format!("?{}", query.url)).unwrap_or_default();
        let slash = if shown_path.shown.starts_with('/') { "" } else { "/" };
        let rest = format!("{slash}{}{shown_query}{}", shown_path.shown, shown_fragment.unwrap_or_default());
        has_authority = host.is_some();
        url_host = host.as_ref().map(target::Host::shown);
        url = match host {
            Some(host) => Some(format!("{}://{shown_user}{}{rest}", own_scheme.name(), host.shown())),
            // Origin form, with no scheme and no host before the path (5.4).
            None => (!cx.is_core()).then_some(rest),
        };
        path = Some(shown_path);
    }

    let header_scheme = scheme.map_or(cx.options.scheme, |(scheme, _)| scheme);
    let headers = headers::headers(message, header_scheme, &mut on_m, cx);

    let capped_before = cx.capped.get();
    let mut body = body::body(message, cx);
    if cx.is_core() {
        body = None;
        cx.capped.set(capped_before);
    }

    // Flags: those of the profile only, and at most so many parameters of each.
    if has_authority {
        on_u.append(&mut of_authority);
    } else {
        on_m.append(&mut of_authority);
    }
    if url.is_none() {
        on_m.append(&mut on_u);
    }
    let parameters = cx.options.limits.parameters;
    let of_profile = |flags: &Flags| -> Flags {
        flags.iter().filter(|flag| document::has_flag(cx.options.profile, flag)).cloned().collect()
    };
    let choose = |flags: &Flags| -> Flags {
        let flags = of_profile(flags);
        let (flags, capped) = document::limit_parameters(&flags, parameters);
        if capped {
            cx.capped.set(true);
        }
        flags
    };
    let whole_u = of_profile(&on_u);
    let on_u = choose(&on_u);
    let on_p = path.as_ref().map(|path| choose(&path.flags)).unwrap_or_default();
    let on_q = query.as_ref().map(|query| choose(&query.placed.all())).unwrap_or_default();
    let mut on_h: Vec<Flags> = headers.iter().map(|header| choose(&header.flags)).collect();
    let limit = cx.options.limits.headers;
    let mut more_headers = None;
    if headers.len() > limit {
        let rest: Flags = headers[limit..].iter().flat_map(|header| header.flags.clone()).collect();
        on_h.truncate(limit);
        on_h.push(choose(&rest));
        more_headers = Some(headers.len() - limit);
        cx.capped.set(true);
    }
    // Whatever it reaches is known before flags are written.
    let body_lines = body.as_ref().map(|body| body.lines(cx)).unwrap_or_default();
    let on_b = body.as_ref().map(|body| choose(&body.placed.all())).unwrap_or_default();
    let whole_m = of_profile(&on_m);
    let on_m = choose(&on_m);
    let union: Flags =
        [&on_m, &on_u, &on_p, &on_q, &on_b].into_iter().chain(&on_h).flatten().cloned().collect();
    let (mut rollup, capped) = document::limit_parameters(&union, parameters);
    let mut on_m = on_m;
    if capped || cx.capped.get() {
        on_m.insert("CAPPED".into());
        rollup.insert("CAPPED".into());
    }

    lines.push(format!("M:{method}{}", document::written(&on_m)));
    if let Some(url) = url {
        lines.push(format!("U:{url}{}", document::written(&on_u)));
    }
    let measured = path.as_ref().map(|path| target::measure_path(&path.shown, cx));
    if let (Some(path), Some((length, longest))) = (&path, measured) {
        lines.push(format!(
            "P:{} PLEN:{} PMAX:{}{}",
            path.shown,
            document::measure(length),
            document::measure(longest),
            document::written(&on_p)
        ));
    }
    if let Some(query) = &query {
        let mut keys = query.keys.clone();
        keys.extend(query.more.clone());
        lines.push(format!("Q:{} KEYS:{}{}", query.count, keys.join(","), document::written(&on_q)));
        if cx.is_full() {
            let mut sorted = query.keys.clone();
            sorted.sort();
            sorted.dedup();
            lines.push(format!("KEYS_SORTED:{}", sorted.join(",")));
            for (key, markers) in &query.markers {
                lines.push(format!("QK:{key}={}", markers.join("|")));
            }
            if let Some(more) = &query.more {
                lines.push(format!("QK:{more}"));
            }
        }
    }
    if !rollup.is_empty() {
        lines.push(format!("FLAGS:[{}]", rollup.iter().cloned().collect::<Vec<_>>().join(" ")));
        let families = document::families(&rollup);
        if cx.is_full() && !families.is_empty() {
            lines.push(format!("FAM:{families}"));
        }
    }
    for (header, flags) in headers.iter().zip(&on_h).take(limit) {
        lines.push(format!("H:{}={}{}", header.shown_name, header.shown_value, document::written(flags)));
    }
    if let Some(more) = more_headers {
        lines.push(format!("H:<more:{more}>{}", document::written(on_h.last().unwrap())));
    }
    let bytes: usize = headers.iter().map(|header| header.bytes).sum();
    lines.push(format!("HCNT:{} HLEN:{}", headers.len(), document::measure(bytes)));
    if let Some(body) = &body {
        lines.push(format!("{}{}", body.head(), document::written(&on_b)));
        lines.extend(body_lines);
    }
    lines.push(String::new());

    // Each flag with its place, in the order of lines (9.17).
    let mut whole_m = whole_m;
    whole_m.extend(on_m.get("CAPPED").cloned());
    let mut places: Vec<(String, Flags)> = vec![("m".into(), whole_m), ("u".into(), whole_u)];
    places.extend(path.iter().map(|path| ("p".to_string(), of_profile(&path.flags))));
    let keyed = |start: &str, placed: &Placed| -> Vec<(String, Flags)> {
        let name = |key: Option<&str>| key.map_or(start.to_string(), |key| format!("{start}.{key}"));
        placed.in_order().into_iter().map(|(key, flags)| (name(key), of_profile(flags))).collect()
    };
    places.extend(query.iter().flat_map(|query| keyed("q", &query.placed)));
    for (at, header) in headers.iter().enumerate() {
        let name = if at < limit { tokens::header_place(&header.shown_name) } else { "h.<more>".into() };
        match places.iter_mut().find(|(place, _)| *place == name) {
            Some((_, flags)) => flags.extend(of_profile(&header.flags)),
            None => places.push((name, of_profile(&header.flags))),
        }
    }
    places.extend(body.iter().flat_map(|body| keyed("b", &body.placed)));
    let source = tokens::Source {
        method: &method,
        version: &message.version,
        host: url_host,
        path: path.as_ref().zip(measured).map(|(path, (length, longest))| (&path.shown[..], length, longest)),
        query: query.as_ref(),
        headers: &headers[..headers.len().min(limit)],
        header_count: headers.len(),
        header_bytes: bytes,
        body: body.as_ref(),
        rollup: &rollup,
        places,
    };
    let tokens = if cx.first_pass { Vec::new() } else { tokens::tokens(&source, cx) };
    Fresh { text: lines.join("\n"), tokens }
}

/// The bytes of a text, as text.
fn embedded_as_space(bytes: &[u8]) -> Text {
    chars::read(&bytes.iter().map(|b| if matches!(b, b'\r' | b'\n') { b' ' } else { *b }).collect::<Vec<_>>())
}
