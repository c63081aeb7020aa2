//! Values that are JSON (6.20).

use std::cell::Cell;

use crate::Context;
use crate::body::{self, JsonWalk};
use crate::chars::{self, Char, Text};
use crate::json::{self, Kind as Json};
use crate::places::Place;
use crate::scan::{self, Flags, Kind};
use crate::secrets::Secrets;

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

/// The value as JSON, if it is JSON.
pub(crate) fn read(value: &[Char], cookie: bool, cx: &Context<'_>) -> Option<Inner> {
    if cx.is_core() || chars::to_bytes(value).len() > cx.options.limits.body {
        return None;
    }
    let mut texts: Vec<(Text, bool)> = vec![(value.to_vec(), false)];
    if cookie {
        texts.push((chars::percent_decode(value, b"").0, false));
    }
    texts.extend(scan::base64_bytes(value).map(|bytes| (chars::read(&bytes), true)));
    texts.iter().find_map(|(text, base64)| read_text(text, *base64))
}

impl Inner {
    /// Reads the leaves (6.20.2); whether one of them is a secret (6.20.4).
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
        let (count, secret) = (walk.leaves.len(), walk.secret);
        cx.hidden.set(hidden);
        if count > cx.options.limits.values {
            cx.capped.set(true);
        }
        secret
    }

    /// The needles that its own leaves give: with these the value is no echo (6.14, 6.20.4).
    fn needles(&self, sensitive: bool, cx: &Context<'_>) -> Secrets {
        let own = Secrets::new(cx.is_core());
        let first = Context {
            options: cx.options,
            secrets: &own,
            first_pass: true,
            capped: Cell::default(),
            hidden: Cell::default(),
        };
        self.tell(sensitive, Kind::Leaf, &mut Flags::new(), &first);
        own
    }
}

/// The marker of a value that is JSON, and whether it stands in view `literal` too.
pub(crate) fn marker(
    sensitive: bool,
    value: &[Char],
    flags: &mut Flags,
    cx: &Context<'_>,
) -> Option<(String, bool)> {
    let inner = read(value, false, cx)?;
    let secret_leaf = inner.tell(sensitive, Kind::Leaf, flags, cx);
    if sensitive {
        cx.secrets.record(value);
    }
    let in_clear = cx.is_literal() && (secret_leaf || cx.has_credential(value));
    let hidden = sensitive || in_clear || cx.secrets.echoes_others(value, inner.needles(sensitive, cx));
    Some((cx.json_marker(value, hidden), hidden))
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
    match marker(sensitive, value, flags, cx) {
        Some((marker, _)) => marker,
        None => body::leaf_marker(sensitive, value, kind, place, flags, cx),
    }
}
