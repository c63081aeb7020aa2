//! Values that are JSON (6.20).

use crate::Context;
use crate::body::{self, JsonWalk, Leaf, Told};
use crate::chars::{self, Char};
use crate::json::{self, Kind as Json};
use crate::places::{Place, Placed};
use crate::scan::{self, Flags, Kind};

/// A value that is JSON.
pub(crate) struct Inner {
    /// The JSON text, without white space around it.
    data: Vec<u8>,
    value: json::Value,
    lone_surrogate: bool,
    /// True if the JSON came as Base64.
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
    read_text(text, false).or_else(|| read_text(&scan::base64_without_stray(text)?, true))
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
    /// Reads the leaves (6.20.2) of the value of a key: those that tell tokens, and whether one of them, or a name, is
    /// a secret (6.20.4).
    fn leaves(
        &self,
        sensitive: bool,
        kind: Kind,
        key: &str,
        placed: &mut Placed,
        cx: &Context<'_>,
    ) -> (Vec<Leaf>, bool) {
        if self.base64 {
            placed.at(key).insert("B64TEXT".into());
        }
        if self.lone_surrogate {
            placed.at(key).insert("BADUTF8".into());
        }
        // Its leaves are not shown, so that none of them is hidden by itself.
        let hidden = cx.hidden.get();
        let mut walk = JsonWalk::new(&self.data, kind, Some(key.into()), placed, cx);
        walk.value(&self.value, String::new(), sensitive, 1);
        let mut leaves = walk.leaves;
        // A secret `true` is not counted as hidden.
        let secret = walk.secret || cx.hidden.get() > hidden;
        cx.hidden.set(hidden);
        if leaves.len() > cx.options.limits.values {
            cx.capped.set(true);
            leaves.truncate(cx.options.limits.values);
        }
        // Under a sensitive key leaves tell nothing by themselves.
        if sensitive {
            leaves.clear();
        }
        placed.keep_leaves(key, &leaves.iter().map(|leaf| &leaf.key[..]).collect::<Vec<_>>());
        (leaves, secret)
    }

    /// The flags of JSON in a cookie (6.20.5).
    pub(crate) fn tell_cookie(&self, sensitive: bool, flags: &mut Flags, cx: &Context<'_>) {
        let mut placed = Placed::default();
        self.leaves(sensitive, Kind::CookieLeaf, "", &mut placed, cx);
        flags.extend(placed.all());
    }
}

/// How a value that is JSON is shown.
pub(crate) struct Markers {
    /// Where values are markers in both views: `QK`, `BK` and view `shape`.
    pub(crate) told: Told,
    /// Instead of the value in clear, if that would show a secret.
    pub(crate) literal: Option<String>,
}

/// The markers of a value that is JSON; `spaced` is the value with each `+` that stood in a query as SP.
pub(crate) fn markers(
    sensitive: bool,
    value: &[Char],
    spaced: &[Char],
    key: &str,
    placed: &mut Placed,
    cx: &Context<'_>,
) -> Option<Markers> {
    let read = read(spaced, cx)?;
    let (inner, secret_leaf) = read.leaves(sensitive, Kind::Leaf, key, placed, cx);
    if sensitive {
        cx.secrets.record(value);
    }
    let secret = sensitive || secret_leaf || cx.has_credential(value) || cx.secrets.echoes(value);
    if sensitive || (secret && cx.is_literal()) {
        cx.hidden.set(cx.hidden.get() + 1);
    }
    Some(Markers {
        told: Told { marker: cx.json_marker(value, sensitive), made_of: Vec::new(), inner },
        literal: secret.then(|| cx.json_marker(value, true)),
    })
}

/// The marker of a value of a form or of a field, which may be JSON.
pub(crate) fn field_marker(
    sensitive: bool,
    value: &[Char],
    kind: Kind,
    place: Place,
    key: &str,
    placed: &mut Placed,
    cx: &Context<'_>,
) -> Told {
    match markers(sensitive, value, value, key, placed, cx) {
        Some(json) => json.told,
        None => body::leaf_marker(sensitive, value, kind, place, placed.at(key), cx),
    }
}
