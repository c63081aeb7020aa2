//! Values that are JSON (6.20).

use crate::Context;
use crate::body::{self, JsonWalk};
use crate::chars::{self, Char};
use crate::json::{self, Kind as Json};
use crate::places::Place;
use crate::scan::{self, Flags, Kind};

/// A value that is JSON.
pub(crate) struct Inner {
    /// The JSON text, without white space around it.
    data: Vec<u8>,
    value: json::Value,
    lone_surrogate: bool,
    /// Whether the JSON came as Base64.
    base64: bool,
}

/// The object or array that a text is to its end.
fn read_text(text: &[Char], base64: bool) -> Option<Inner> {
    let text = chars::as_string(&chars::trim(text, |c| " \t\r\n".contains(c)))?;
    let data = text.into_bytes();
    let mut reader = json::Reader::new(&data, false);
    let value = reader.value()?;
    let whole = reader.fault.is_none() && reader.at == data.len();
    let lone_surrogate = reader.lone_surrogate;
    let container = matches!(value.kind, Json::Object(_) | Json::Array(_));
    (whole && container).then_some(Inner { data, value, lone_surrogate, base64 })
}

/// The object or array that a text, or what Base64 makes of it, is.
fn read_layers(text: &[Char], cx: &Context<'_>) -> Option<Inner> {
    if cx.is_core() || chars::to_bytes(text).len() > cx.options.limits.body {
        return None;
    }
    read_text(text, false).or_else(|| read_text(&scan::base64_whole(text)?, true))
}

/// A value as JSON, if it is JSON; of a query with each `+` that stood in it as SP.
pub(crate) fn read(value: &[Char], cx: &Context<'_>) -> Option<Inner> {
    read_layers(value, cx)
}

/// The value of a cookie as JSON, if it is JSON, as it is or after one percent-decoding.
pub(crate) fn read_cookie(value: &[Char], cx: &Context<'_>) -> Option<Inner> {
    if chars::to_bytes(value).len() > cx.options.limits.body {
        return None;
    }
    read_layers(value, cx).or_else(|| read_layers(&chars::percent_decode(value, b"").0, cx))
}

impl Inner {
    /// Reads the leaves (6.20.2); whether one of them, or a name, is a secret (6.20.4).
    pub(crate) fn tell(&self, sensitive: bool, kind: Kind, flags: &mut Flags, cx: &Context<'_>) -> bool {
        if self.base64 {
            flags.insert("B64TEXT".into());
        }
        if self.lone_surrogate {
            flags.insert("BADUTF8".into());
        }
        // Its leaves are not shown, so that none of them is hidden by itself.
        let hidden = cx.hidden.get();
        let mut walk = JsonWalk::new(&self.data, kind, flags, cx);
        walk.value(&self.value, String::new(), sensitive, 1);
        let count = walk.leaves.len();
        // A secret `true` is not counted as hidden.
        let secret = walk.secret || cx.hidden.get() > hidden;
        cx.hidden.set(hidden);
        if count > cx.options.limits.values {
            cx.capped.set(true);
        }
        secret
    }
}

/// How a value that is JSON is shown.
pub(crate) struct Markers {
    /// Where values are markers in both views: `QK`, `BK` and view `shape`.
    pub(crate) marker: String,
    /// Instead of the value in clear, if that would show a secret.
    pub(crate) literal: Option<String>,
}

/// The markers of a value that is JSON; `spaced` is the value with each `+` that stood in a query as SP.
pub(crate) fn markers(
    sensitive: bool,
    value: &[Char],
    spaced: &[Char],
    flags: &mut Flags,
    cx: &Context<'_>,
) -> Option<Markers> {
    let inner = read(spaced, cx)?;
    let secret_leaf = inner.tell(sensitive, Kind::Leaf, flags, cx);
    if sensitive {
        cx.secrets.record(value);
    }
    let secret = sensitive || secret_leaf || cx.has_credential(value) || cx.secrets.echoes(value);
    if sensitive || (secret && cx.is_literal()) {
        cx.hidden.set(cx.hidden.get() + 1);
    }
    Some(Markers {
        marker: cx.json_marker(value, sensitive),
        literal: secret.then(|| cx.json_marker(value, true)),
    })
}

/// The marker of a value of a form or of a field, which may be JSON.
pub(crate) fn field_marker(
    sensitive: bool,
    value: &[Char],
    kind: Kind,
    place: Place,
    flags: &mut Flags,
    cx: &Context<'_>,
) -> String {
    match markers(sensitive, value, value, flags, cx) {
        Some(json) => json.marker,
        None => body::leaf_marker(sensitive, value, kind, place, flags, cx),
    }
}
