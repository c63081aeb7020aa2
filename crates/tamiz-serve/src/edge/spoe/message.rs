//! HAProxy's message about a request, and the variables that it gets in reply. `deploy/haproxy` has the names.

use tamiz::{Parts, Source};

use super::frame::{Fault, Reader, Value, push_bytes};
use crate::edge::sources::{self, Given, OURS, begins_with};
use crate::edge::verdict::Verdict;

/// A message, as the configuration of HAProxy composes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Message<'a> {
    method: &'a [u8],
    target: &'a [u8],
    /// As `1.1`.
    version: Option<&'a [u8]>,
    /// As `req.hdrs_bin` has them.
    headers: Option<&'a [u8]>,
    body: &'a [u8],
    scheme: Option<&'a [u8]>,
    id: Option<&'a [u8]>,
    wants_document: bool,
    /// `HTTP/` before the version.
    protocol: Option<[u8; 8]>,
}

/// Names and values, as they came.
pub(super) type Headers<'a> = Vec<(&'a [u8], &'a [u8])>;

impl<'a> Message<'a> {
    /// Reads the first message of a list.
    pub(super) fn read(list: &mut Reader<'a>) -> Result<Self, Fault> {
        let _name = list.bytes()?;
        let mut message = Message::default();
        for _ in 0..list.byte()? {
            match (list.bytes()?, list.value()?) {
                (b"method", Value::Bytes(method)) => message.method = method,
                (b"target", Value::Bytes(target)) => message.target = target,
                (b"version", Value::Bytes(version)) => message.version = Some(version),
                (b"headers", Value::Bytes(headers)) => message.headers = Some(headers),
                (b"body", Value::Bytes(body)) => message.body = body,
                (b"scheme", Value::Bytes(scheme)) => message.scheme = Some(scheme),
                (b"tls", Value::Bool(is_tls)) => {
                    message.scheme = Some(if is_tls { b"https" } else { b"http" });
                }
                (b"id", Value::Bytes(id)) => message.id = Some(id),
                (b"document", Value::Bool(wants)) => message.wants_document = wants,
                _ => {}
            }
        }
        message.protocol = message.version.and_then(protocol);
        Ok(message)
    }

    /// The headers: names and values one after the other, up to a pair of nothing. `None` for a message that has none,
    /// which is not about a request.
    pub(super) fn headers(&self) -> Result<Option<Headers<'a>>, Fault> {
        let Some(bytes) = self.headers else { return Ok(None) };
        let mut list = Reader(bytes);
        let mut headers = Vec::new();
        while !list.0.is_empty() {
            let (name, value) = (list.bytes()?, list.bytes()?);
            if name.is_empty() && value.is_empty() {
                break;
            }
            if !begins_with(name, OURS) {
                headers.push((name, value));
            }
        }
        Ok(Some(headers))
    }

    pub(super) fn given<'b>(&'b self, headers: Headers<'b>) -> Given<'b> {
        let is_later =
            self.version.is_some_and(|version| version.starts_with(b"2") || version.starts_with(b"3"));
        let mut parts = Parts::new(self.method, if is_later { path(self.target) } else { self.target });
        parts.version = self.protocol.as_ref().map(|protocol| &protocol[..]);
        parts.headers = headers;
        parts.body = Some(self.body).filter(|body| !body.is_empty());
        let mut given = Given::new(parts, Source::HaproxySpoe);
        given.scheme = self.scheme.and_then(sources::scheme);
        given.id = self.id.filter(|id| !id.is_empty());
        given.wants_document = self.wants_document;
        given
    }
}

/// `HTTP/1.1` of `1.1`.
fn protocol(version: &[u8]) -> Option<[u8; 8]> {
    [b"HTTP/", version].concat().try_into().ok()
}

/// HAProxy makes targets of later versions absolute.
fn path(target: &[u8]) -> &[u8] {
    let Some(at) = memchr::memmem::find(target, b"://").filter(|_| !target.starts_with(b"/")) else {
        return target;
    };
    let rest = target.get(at + 3..).unwrap_or_default();
    let slash = rest.iter().position(|byte| matches!(byte, b'/' | b'?'));
    slash.and_then(|at| rest.get(at..)).unwrap_or(b"/")
}

/// Sets variables of the transaction; the document is left out where the frame would be longer than it may be.
pub(super) fn push_actions(actions: &mut Vec<u8>, verdict: &Verdict, most: usize) {
    let denied = if verdict.is_denied { "1" } else { "0" };
    let fingerprint = verdict.fingerprint.to_str().unwrap_or_default();
    let always = [
        ("flags", verdict.flags.as_str()),
        ("digest", &verdict.digest),
        ("fingerprint", fingerprint),
        ("denied", denied),
    ];
    let score = verdict.score.iter().flat_map(|told| {
        [("score", told.score.as_str()), ("p_value", &told.p_value), ("novel", &told.novel)]
    });
    let document = verdict.document.as_deref().map(|text| ("document", text));
    for (name, value) in always.into_iter().chain(score).chain(document) {
        let before = actions.len();
        // Set a variable: three arguments, of which the first is the scope, here the transaction.
        actions.extend_from_slice(&[1, 3, 2]);
        push_bytes(actions, name.as_bytes());
        actions.push(8);
        push_bytes(actions, value.as_bytes());
        if actions.len() > most {
            actions.truncate(before);
        }
    }
}
