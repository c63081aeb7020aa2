//! Paths (clauses 4.6 to 4.8, 5.18 to 5.27): decoded once, collapsed, `..` never resolved.

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice, and counts of its segments")]

use bumpalo::collections::Vec as BumpVec;

use super::segment::{
    Segment, Shown, before_parameters, has_dots, has_userinfo, is_hidden, is_scheme, odd_tail, pieces, shown,
    without_needless_guards,
};
use crate::bytes::{self, AT, DOT, ENCODED, HIGH, WORD_SIGN};
use crate::context::Context;
use crate::decode::unicode::Stage;
use crate::decode::{self, GUARD, entities, layers, percent, unicode, utf8};
use crate::flags::{Flag, Flags};
use crate::scan::{self, Kind};
use crate::shape;
use crate::show::escape::{self, Spot};
use crate::show::marker;
use crate::steps;
use crate::text::{Builder, Text};

/// A canonical path.
pub(crate) struct Path<'a> {
    pub(crate) segments: BumpVec<'a, Segment<'a>>,
    /// The union of the classes of the bytes of all segments; of those that are read.
    pub(crate) classes: u32,
    /// Its decoded text, where nothing in it raises a flag or is a token, as a whole, and no segment was left out.
    quiet: Option<Text<'a>>,
    /// Whether it begins with `/`.
    pub(crate) rooted: bool,
    /// The longest run of `..`.
    pub(crate) longest_climb: usize,
    /// Whether it began with two separators.
    pub(crate) is_net_path: bool,
    /// Its text before collapsing, where it is one that begins with `//` or its kin.
    before_collapsing: Option<Text<'a>>,
    pub(crate) flags: Flags<'a>,
}

/// A character of no class, which no entry of a dictionary has.
const UNTOLD: &[u8] = "\u{FFFD}".as_bytes();

/// Whether a segment is a marker that is left as it is (clause 6.15).
pub(crate) fn is_marker(text: Text<'_>, cx: Context<'_>) -> bool {
    marker::is_left(text.bytes, false, cx) || cx.settings.beyond_core() && marker::is_more(text.bytes)
}

impl<'a> Path<'a> {
    pub(crate) fn read(raw: Text<'a>, cx: Context<'a>) -> Self {
        let mut flags = cx.flags();
        let (text, classes) = decode_all(raw, cx, &mut flags);
        if classes & ENCODED != 0 {
            raise_escapes(text, &mut flags);
        }
        let mut path = Path {
            segments: BumpVec::with_capacity_in(segments_in(text.bytes), cx.bump),
            classes,
            quiet: None,
            rooted: matches!(text.bytes, [] | [b'/', ..]),
            longest_climb: 0,
            is_net_path: is_net_path(text.bytes),
            before_collapsing: None,
            flags,
        };
        path.collapse(text, classes, cx);
        if classes & DOT != 0 && (classes & ENCODED != 0 || bytes::doubles(text.bytes, [b'.'])) {
            path.follow_dots();
        }
        if path.segments.is_empty() {
            path.rooted = true;
            path.flags.raise(Flag::Home, raw);
        }
        let joined =
            if path.flags.set.contains(Flag::TrailSlash) { text.slice(0..text.len() - 1) } else { text };
        let is_changed =
            [Flag::MultipleSlash, Flag::DotCur].iter().any(|flag| path.flags.set.contains(*flag));
        path.quiet = Some(joined).filter(|text| !is_changed && scan::cannot_flag(text.bytes, classes));
        path.scan_segments(classes, cx);
        if path.quiet.is_none() {
            path.scan_whole(text, classes, cx);
        }
        if path.is_net_path {
            path.before_collapsing = Some(text);
        }
        path
    }

    /// Looks at the host that a path begins with which raises `NETPATH`.
    pub(crate) fn scan_net_host(&mut self, cx: Context<'a>) {
        if let Some(text) = self.before_collapsing.filter(|_| cx.settings.beyond_core()) {
            scan::net_path(decode::unguarded(text, cx), cx, &mut self.flags);
        }
    }

    /// Whether nothing in it raises a flag or is a token, as a whole.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet.is_some()
    }

    /// Its text, where that is written as it is, in one piece. It is ASCII.
    pub(crate) fn as_written(&self, cx: Context<'_>) -> Option<Text<'a>> {
        let is_plain = self.rooted
            && escape::is_plain(self.classes, Spot::Line)
            && (1..=cx.settings.config.limits.segments).contains(&self.segments.len())
            && self.segments.iter().all(|segment| segment.shown == Shown::Text);
        self.quiet.filter(|_| is_plain)
    }

    /// Whether it is `/` alone.
    pub(crate) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Whether a segment, or a part of one, is Base64 of readable text, also behind other layers.
    pub(crate) fn hides_base64(&self, cx: Context<'a>) -> bool {
        let mut texts = self.segments.iter().flat_map(|segment| segment.texts());
        texts.any(|text| layers::hides_base64(text.classified(), cx))
    }

    /// Drops empty and `.` segments. `classes` is the union of the classes of all bytes.
    fn collapse(&mut self, text: Text<'a>, classes: u32, cx: Context<'a>) {
        let has_guards = classes & ENCODED != 0 && bytes::position(GUARD, text.bytes).is_some();
        let mut start = usize::from(text.bytes.first() == Some(&b'/'));
        let mut slashes = bytes::places(b'/', text.bytes);
        if start > 0 {
            slashes.next();
        }
        loop {
            let next_slash = slashes.next();
            let end = next_slash.unwrap_or(text.len());
            let segment = text.slice(start..end);
            let segment = if has_guards { without_needless_guards(segment, cx) } else { segment };
            match segment.bytes {
                [] if next_slash.is_none() => {
                    if !self.segments.is_empty() {
                        self.flags.raise_at(Flag::TrailSlash, text, start - 1..start);
                    }
                }
                [] => self.flags.raise_at(Flag::MultipleSlash, text, start.saturating_sub(1)..end + 1),
                b"." => self.flags.raise_at(Flag::DotCur, text, start..end),
                _ => {
                    let is_after_scheme =
                        || self.segments.last().is_some_and(|before| is_scheme(before.text.bytes));
                    let is_secret = classes & AT != 0
                        && has_userinfo(segment.bytes, is_after_scheme())
                        && !marker::is_left(segment.bytes, false, cx);
                    let shown = if is_secret { Shown::Secret } else { Shown::Text };
                    self.segments.push(Segment { text: segment, shown });
                }
            }
            match next_slash {
                Some(slash) => start = slash + 1,
                None => break,
            }
        }
    }

    /// Finds `..`, also where another layer would cut, and how far it climbs.
    fn follow_dots(&mut self) {
        steps::slow("dots of a path followed");
        if !self.segments.iter().any(|segment| has_dots(segment.text.bytes)) {
            return;
        }
        let (mut depth, mut climb) = (0_usize, 0);
        for segment in &self.segments {
            for piece in pieces(segment.text) {
                match before_parameters(piece.bytes) {
                    b".." => {
                        self.flags.raise(Flag::DotDot, piece);
                        self.flags.raise(Flag::DotDotN, piece);
                        climb += 1;
                        self.longest_climb = self.longest_climb.max(climb);
                        match depth.checked_sub(1) {
                            Some(above) => depth = above,
                            None => self.flags.raise(Flag::RootTrav, piece),
                        }
                    }
                    b"" | b"." => {}
                    _ => {
                        climb = 0;
                        depth += 1;
                    }
                }
            }
        }
    }

    fn scan_segments(&mut self, classes: u32, cx: Context<'a>) {
        for segment in &mut self.segments {
            let text = segment.text;
            if classes & WORD_SIGN != 0
                && let Some(at) = bytes::position(b';', text.bytes)
            {
                self.flags.raise_at(Flag::PathParam, text, at..at + 1);
            }
            if let Some(tail) = odd_tail(text.bytes) {
                self.flags.raise_at(Flag::DotTail, text, tail..text.len());
            }
            let classes = bytes::union(text.bytes);
            let is_quiet = if self.quiet.is_some() {
                scan::cannot_flag_part(text.bytes, classes)
            } else {
                scan::cannot_flag(text.bytes, classes)
            };
            if is_quiet && classes & bytes::SPACE == 0 && segment.shown != Shown::Secret {
                if is_hidden(text.with_classes(classes), true, cx) {
                    self.flags.hide(text);
                    segment.shown = Shown::Shape;
                }
                continue;
            }
            if is_marker(text, cx) {
                self.flags.raise(Flag::Marker, text);
                continue;
            }
            if shape::is_jwt(text.bytes) {
                self.flags.raise(Flag::Jwt, text);
            }
            if segment.shown == Shown::Secret {
                self.flags.hide(text);
            } else {
                segment.shown = shown(text.with_classes(classes), cx, &mut self.flags);
            }
            scan::scan(
                text.with_classes(classes),
                Kind::Segment,
                segment.shown == Shown::Secret,
                cx,
                &mut self.flags,
            );
        }
    }

    /// The segments that collapsing left, joined again; each marker as a character that tells nothing.
    fn joined(&self, text: Text<'a>, cx: Context<'a>) -> Text<'a> {
        let mut builder = Builder::new(cx.bump, text.is_traced(), text.len());
        for (i, segment) in self.segments.iter().enumerate() {
            if i > 0 || self.rooted {
                builder.put(b"/", segment.text.slice(0..0));
            }
            if is_marker(segment.text, cx) {
                // One character that tells nothing.
                builder.put(UNTOLD, segment.text);
            } else {
                builder.copy(segment.text);
            }
        }
        builder.finish()
    }

    /// Whether collapsing changed it.
    fn is_changed(&self) -> bool {
        let flags = [Flag::MultipleSlash, Flag::DotCur, Flag::TrailSlash];
        flags.iter().any(|flag| self.flags.set.contains(*flag))
    }

    /// Raises the flags of the segments together, as a layer reads them that decodes what a path keeps.
    fn scan_whole(&mut self, text: Text<'a>, classes: u32, cx: Context<'a>) {
        steps::slow("path scanned");
        let secret = self.segments.iter().any(|segment| segment.shown == Shown::Secret);
        let is_changed = self.is_changed() || self.flags.set.contains(Flag::Marker);
        let text = if is_changed { self.joined(text, cx) } else { text };
        if classes & ENCODED == 0 && !is_changed {
            scan::content(text.with_classes(classes), Kind::Path, secret, cx, &mut self.flags);
        } else {
            scan::content(decode::unguarded(text, cx).classified(), Kind::Path, secret, cx, &mut self.flags);
        }
    }
}

/// Room for the segments of a path: of a long one they are counted first.
fn segments_in(path: &[u8]) -> usize {
    const SHORT: usize = 256;
    if path.len() < SHORT { 8 } else { memchr::memchr_iter(b'/', path).count() + 1 }
}

/// All the decoding passes, in order, and the union of the classes of what they leave. Borrows when there is
/// nothing to decode.
fn decode_all<'a>(raw: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> (Text<'a>, u32) {
    let classes = bytes::union(raw.bytes);
    if classes & (ENCODED | HIGH) == 0 {
        return (raw, classes);
    }
    let text = utf8::repair(raw, cx, flags);
    let mut text = unicode::normalize(text, Stage::Raw, cx, flags);
    for decode in [decode_escapes, entities::decode_path] {
        let decoded = decode(text, cx, flags);
        // A text that is decoded no further is normal already.
        if !std::ptr::eq(decoded.bytes, text.bytes) {
            text = unicode::normalize(decoded, Stage::Revealed, cx, flags);
        }
    }
    (text, bytes::union(text.bytes))
}

fn decode_escapes<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Text<'a> {
    percent::decode(text, percent::Field::Path, cx, flags)
}

/// The flags of what still looks like an escape.
fn raise_escapes<'a>(text: Text<'a>, flags: &mut Flags<'a>) {
    for at in memchr::memchr2_iter(b'%', GUARD, text.bytes) {
        let rest = text.bytes.get(at..).unwrap_or_default();
        match decode::escape(rest) {
            Some(b'/') => flags.raise_at(Flag::PctSlash, text, at..at + 3),
            Some(b'\\') => flags.raise_at(Flag::PctBackslash, text, at..at + 3),
            Some(b'?' | b'#' | b';') => flags.raise_at(Flag::PctDelim, text, at..at + 3),
            _ => {}
        }
        if rest.first() == Some(&b'%') {
            flags.raise_at(Flag::PercentInPath, text, at..at + 1);
        }
    }
    for (residue, _) in percent::residues(text.bytes) {
        flags.raise_at(Flag::DoublePct, text, residue.clone());
        flags.raise_at(Flag::MultiEnc, text, residue);
    }
    if flags.set.contains(Flag::DoublePct) && !flags.set.contains(Flag::MultiEnc) {
        flags.raise(Flag::MultiEnc, text);
    }
}

/// Whether it begins with `//`, `/\` or `\`, also encoded.
fn is_net_path(text: &[u8]) -> bool {
    let separator = |text: &[u8]| match text {
        [b'/', ..] => Some((b'/', 1)),
        [b'\\', ..] => Some((b'\\', 1)),
        _ => match decode::escape(text) {
            Some(byte @ (b'/' | b'\\')) => Some((byte, 3)),
            _ => None,
        },
    };
    match separator(text) {
        Some((b'\\', _)) => true,
        Some((_, len)) => separator(text.get(len..).unwrap_or_default()).is_some(),
        None => false,
    }
}
