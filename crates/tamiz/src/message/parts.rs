//! A request that someone else has cut already (clause 2.2).

use bumpalo::boxed::Box;
use bumpalo::collections::Vec as BumpVec;

use super::{Cursor, Line, Lines, Message, RawLine, Version, on_one_line, raise_embedded};
use crate::bytes;
use crate::config::Scheme;
use crate::context::Context;
use crate::decode::utf8;
use crate::flags::Flag;
use crate::text::Text;

/// The parts of a request, for proxies, frameworks and logs that have parsed it already.
///
/// ```
/// use tamiz::{Canonicalizer, Config, Parts};
///
/// let mut parts = Parts::new(b"GET", b"/a//b?id=7");
/// parts.authority = Some(b"ex.com");
/// parts.scheme = Some(b"https");
/// parts.header(b"accept", b"*/*");
/// let document = Canonicalizer::new(Config::default()).canonicalize_parts(&parts);
/// assert_eq!(document.url(), Some("https://ex.com/a/b?id=<num:1>"));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Parts<'a> {
    /// The method, or `:method`.
    pub method: &'a [u8],
    /// The request target as HTTP/1 has it, or `:path`.
    pub target: &'a [u8],
    /// `:scheme`, where there is one.
    pub scheme: Option<&'a [u8]>,
    /// `:authority`, where there is one.
    pub authority: Option<&'a [u8]>,
    /// The version, as `HTTP/1.1`; `None` when it is not known.
    pub version: Option<&'a [u8]>,
    /// The headers, in order of arrival.
    pub headers: Vec<(&'a [u8], &'a [u8])>,
    /// The body, where it is known.
    pub body: Option<&'a [u8]>,
}

impl<'a> Parts<'a> {
    /// A request without headers or body.
    pub fn new(method: &'a [u8], target: &'a [u8]) -> Self {
        Parts { method, target, ..Parts::default() }
    }

    /// Adds a header.
    pub fn header(&mut self, name: &'a [u8], value: &'a [u8]) -> &mut Self {
        self.headers.push((name, value));
        self
    }

    /// How many bytes it has, about.
    pub(crate) fn len(&self) -> usize {
        let headers: usize =
            self.headers.iter().map(|(name, value)| name.len().saturating_add(value.len())).sum();
        let body = self.body.map_or(0, <[u8]>::len);
        self.target.len().saturating_add(headers).saturating_add(body)
    }
}

/// Parts of a request of the `http` crate; a target in absolute-form is given as scheme, authority
/// and path.
#[cfg(feature = "http")]
impl<'a, B: AsRef<[u8]>> From<&'a http::Request<B>> for Parts<'a> {
    fn from(request: &'a http::Request<B>) -> Self {
        let uri = request.uri();
        let authority = uri.authority().map(|authority| authority.as_str().as_bytes());
        let mut parts = Parts::new(request.method().as_str().as_bytes(), b"");
        match (uri.path_and_query(), authority) {
            (None, Some(authority)) => parts.target = authority,
            (path, authority) => {
                parts.target = path.map_or(b"/", |path| path.as_str().as_bytes());
                parts.authority = authority;
                parts.scheme = uri.scheme_str().map(str::as_bytes);
            }
        }
        parts.version = Some(match request.version() {
            http::Version::HTTP_09 => b"HTTP/0.9",
            http::Version::HTTP_10 => b"HTTP/1.0",
            http::Version::HTTP_11 => b"HTTP/1.1",
            http::Version::HTTP_2 => b"HTTP/2",
            _ => b"HTTP/3",
        });
        parts.headers = request
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str().as_bytes(), value.as_bytes()))
            .collect();
        parts.body = Some(request.body().as_ref()).filter(|body| !body.is_empty());
        parts
    }
}

/// The same message that wire parsing gives.
pub(crate) fn read<'a>(parts: &'a Parts<'a>, cx: Context<'a>) -> Message<'a> {
    let text = Text::untraced;
    let mut flags = cx.flags();
    for part in [Some(parts.method), Some(parts.target), parts.scheme, parts.authority, parts.version]
        .into_iter()
        .flatten()
    {
        raise_embedded(text(part), &mut flags);
    }
    // A CONNECT of HTTP/2 and HTTP/3 has its target in the authority; any other target is missing.
    let is_in_authority = parts.method == b"CONNECT" && parts.authority.is_some();
    if !bytes::is_token(parts.method) || parts.target.is_empty() && !is_in_authority {
        flags.raise(Flag::BadReqLine, text(parts.method));
    }
    let mut odd_version = None;
    match parts.version {
        None => {}
        Some(b"HTTP/1.0") => flags.raise(Flag::Http10, text(b"")),
        Some(b"HTTP/0.9") => flags.raise(Flag::Http09, text(b"")),
        Some(b"HTTP/1.1" | b"HTTP/2" | b"HTTP/2.0" | b"HTTP/3" | b"HTTP/3.0") => {}
        Some(other) => {
            flags.raise(Flag::BadReqLine, text(other));
            odd_version = Some(utf8::repair(on_one_line(text(other), cx), cx, &mut cx.flags()));
        }
    }
    let version = parts.version.map_or_else(Version::default, Version::of);
    let scheme = parts.scheme.and_then(Scheme::of);
    let lines = if parts.headers.len() > cx.settings.config.limits.headers {
        Lines::Many(Cursor::Parts(&parts.headers))
    } else {
        let mut lines = BumpVec::with_capacity_in(parts.headers.len(), cx.bump);
        let cut = |part: &(&'a [u8], &'a [u8])| RawLine::Cut(Box::new_in(Line::of_part(*part, cx), cx.bump));
        lines.extend(parts.headers.iter().map(cut));
        Lines::Few(lines)
    };
    Message {
        raw: b"",
        method: text(parts.method),
        target: text(parts.target),
        target_classes: bytes::union(parts.target),
        scheme,
        has_unknown_scheme: parts.scheme.is_some() && scheme.is_none(),
        authority: parts.authority.map(text),
        lines,
        flags,
        body: parts.body.map(text),
        is_in_frames: version.has_frames(),
        version,
        odd_version,
    }
}
