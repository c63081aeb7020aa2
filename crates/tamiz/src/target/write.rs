//! Writing URLs, paths, keys and values, as lines and headers show them.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "places in one output, and a part of a text is taken off it"
)]

use std::ops::Range;

use super::Url;
use super::pair::Pair;
use super::path::Path;
use super::segment::{self, Shown};
use crate::bytes;
use crate::context::Context;
use crate::decode;
use crate::flags::Flag;
use crate::formats::embedded::Embedded;
use crate::inspect::write_key;
use crate::shape::Shape;
use crate::show::escape::{self, Spot};
use crate::show::marker::{self, Measured, push};

pub(crate) fn write_userinfo(url: &Url<'_>, out: &mut Vec<u8>) {
    if let Some(userinfo) = url.userinfo {
        marker::write_secret("userinfo", decode::chars(userinfo.bytes), out);
        out.push(b'@');
    }
}

/// Writes a URL that a header holds.
pub(crate) fn write_url(url: &Url<'_>, cx: Context<'_>, out: &mut Vec<u8>) {
    if let (Some(scheme), Some(host)) = (url.scheme, url.host) {
        push(out, scheme.as_str());
        push(out, "://");
        write_userinfo(url, out);
        host.write(out);
    }
    write_tail(url, cx, out, |_| {});
}

/// Where in an output a pair is written.
#[derive(Clone, Copy)]
pub(crate) struct WrittenPair {
    start: usize,
    key_end: usize,
    end: usize,
}

impl WrittenPair {
    /// The place of the key.
    pub(crate) fn key(self) -> Range<usize> {
        self.start..self.key_end
    }

    /// The place of key and value.
    pub(crate) fn whole(self) -> Range<usize> {
        self.start..self.end
    }

    /// The place of the value; empty where there is none.
    pub(crate) fn value(self) -> Range<usize> {
        self.end.min(self.key_end + 1)..self.end
    }
}

/// Path, query and fragment; returns where in the output the path is. `note` is told where each pair is.
pub(crate) fn write_tail(
    url: &Url<'_>,
    cx: Context<'_>,
    out: &mut Vec<u8>,
    mut note: impl FnMut(WrittenPair),
) -> Range<usize> {
    let mut start = out.len();
    if let Some(path) = &url.path {
        if !path.rooted {
            out.push(b'/');
        }
        start = out.len();
        write_path(path, cx, out);
    }
    let written = start..out.len();
    if let Some(query) = &url.query {
        let most = cx.settings.config.limits.pairs;
        out.push(b'?');
        for (i, pair) in query.pairs.iter().take(most).enumerate() {
            if i > 0 {
                out.push(b'&');
            }
            note(write_pair(pair, cx, out));
        }
        marker::write_more(query.count(), most, "&", out);
    }
    if let Some(fragment) = url.fragment {
        push(out, "%23");
        marker::write(fragment.bytes, url.fragment_secret, cx, out);
    }
    written
}

pub(crate) fn write_path(path: &Path<'_>, cx: Context<'_>, out: &mut Vec<u8>) {
    if let Some(text) = path.as_written(cx) {
        out.extend_from_slice(text.bytes);
        return;
    }
    let most = cx.settings.config.limits.segments;
    let is_plain = escape::is_plain(path.classes, Spot::Line);
    for (i, segment) in path.segments.iter().take(most).enumerate() {
        if path.rooted || i > 0 {
            out.push(b'/');
        }
        let text = segment.text;
        match segment.shown {
            Shown::Text if marker::is_left(text.bytes, false, cx) => marker::write_left(text.bytes, out),
            Shown::Text if is_plain => out.extend_from_slice(text.bytes),
            Shown::Text => escape::write(text.bytes, Spot::Line, out),
            Shown::Shape => marker::write(text.bytes, false, cx, out),
            Shown::Secret => marker::write(text.bytes, true, cx, out),
            Shown::Parameters => {
                for (i, part) in text.split_at_each(b';').enumerate() {
                    if i > 0 {
                        out.push(b';');
                    }
                    match segment::sensitive_value(part, cx).filter(|_| i > 0) {
                        None => escape::write(part.bytes, Spot::Line, out),
                        Some(value) => {
                            let name = part.slice(0..part.len() - value.len());
                            escape::write(name.bytes, Spot::Line, out);
                            marker::write(value.bytes, true, cx, out);
                        }
                    }
                }
            }
        }
    }
    marker::write_more(path.segments.len(), most, "/", out);
    if path.segments.is_empty() {
        out.push(b'/');
    }
}

fn write_pair(pair: &Pair<'_>, cx: Context<'_>, out: &mut Vec<u8>) -> WrittenPair {
    let start = out.len();
    write_key(pair.key, cx, out);
    let key_end = out.len();
    if let Some(value) = pair.value {
        out.push(b'=');
        if !cx.settings.literal() || pair.secret || is_left(pair, cx) {
            write_value_shape(pair, cx, out);
        } else if pair.json.is_some_and(Embedded::holds_secret) {
            Measured::with_shape(value.bytes, bytes::union(value.bytes), Shape::Json, cx).write(true, out);
        } else {
            escape::write(value.bytes, Spot::QueryValue, out);
        }
    }
    WrittenPair { start, key_end, end: out.len() }
}

/// Whether the value is a marker, left as it is.
fn is_left(pair: &Pair<'_>, cx: Context<'_>) -> bool {
    !pair.secret
        && pair.flags.set.contains(Flag::Marker)
        && pair.value.is_some_and(|v| marker::is_left(v.bytes, false, cx))
}

/// Writes a value as its marker, whatever the view.
pub(crate) fn write_value_shape(pair: &Pair<'_>, cx: Context<'_>, out: &mut Vec<u8>) {
    let value = pair.value.map_or(&b""[..], |value| value.bytes);
    if is_left(pair, cx) {
        marker::write_left(value, out);
    } else {
        let classes = pair.classes.unwrap_or_else(|| bytes::union(value));
        if pair.json.is_some() {
            Measured::with_shape(value, classes, Shape::Json, cx).write(pair.secret, out);
            return;
        }
        Measured::of(value, classes, cx).with_plus(pair.plus).write(pair.secret, out);
    }
}
