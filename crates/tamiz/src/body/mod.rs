//! Bodies (clauses 8.30 to 8.37): what they are, and their leaves.
//!
//! A body is dechunked, inflated, cut at a limit, told by its type or its looks, and read by the
//! reader of its kind, which tells leaves to [`fields::Fields`].

pub(crate) mod hide;
pub(crate) mod sniff;

use bumpalo::collections::Vec as BumpVec;

use crate::bytes;
use crate::context::Context;
use crate::decode::{self, utf8};
use crate::flags::{Flag, Flags};
use crate::formats::coding::{self, Inflated, Layers};
use crate::formats::fields::{Fields, Judged};
use crate::formats::step::Outcome;
use crate::formats::unseen::Unseen;
use crate::formats::{charset, is_readable, json, multipart, parameters, xml};
use crate::framing::chunked;
use crate::headers::{Headers, says_chunked};
use crate::scan::{self, Kind as ScanKind};
use crate::target::pair::{Pair, Syntax};
use crate::target::query::Query;
use crate::text::Text;
pub(crate) use sniff::Kind;

/// A body, read.
pub(crate) struct Body<'a> {
    pub(crate) kind: Kind,
    /// How many bytes came.
    pub(crate) len: usize,
    pub(crate) content: Content<'a>,
    /// The fields of a body that does not parse: they may hold secrets.
    pub(crate) broken: Option<Fields<'a>>,
    /// The secrets of what frames it.
    pub(crate) unseen: Unseen<'a>,
    /// The flags of the body as a whole.
    pub(crate) flags: Flags<'a>,
    /// A limit was reached.
    pub(crate) capped: bool,
    /// Its bytes are what was read: no coding was undone.
    pub(crate) is_plain: bool,
}

/// The content of a body.
#[allow(clippy::large_enum_variant, reason = "there is one a request")]
pub(crate) enum Content<'a> {
    /// Text, binary data, and what does not parse: shown by the shape of the whole.
    Whole { text: Text<'a>, secret: bool },
    /// Fields.
    Fields(Fields<'a>),
}

/// Reads the bytes of a body.
struct Reader<'a> {
    cx: Context<'a>,
    flags: Flags<'a>,
    capped: bool,
    /// The text was cut at a limit.
    cut: bool,
    broken: Option<Fields<'a>>,
    unseen: Unseen<'a>,
}

/// Reads a body as its headers say. `None` where there is none.
pub(crate) fn read<'a>(raw: Text<'a>, headers: &Headers<'a>, cx: Context<'a>) -> Option<Body<'a>> {
    if raw.is_empty() {
        return None;
    }
    let unseen = Unseen::new(cx);
    let mut reader = Reader { cx, flags: cx.flags(), capped: false, cut: false, broken: None, unseen };
    let content_type = headers.content_type();
    let text = reader.dechunk(raw, headers);
    let coded = text;
    let (text, undone) = reader.inflate(text, headers);
    let is_plain = std::ptr::eq(text.bytes, coded.bytes);
    let text = reader.cut(text);
    reader.check_charset(content_type);
    let (kind, content) = if undone {
        reader.content(text, content_type)
    } else {
        (Kind::Binary, reader.whole(text, Kind::Binary))
    };
    Some(Body {
        kind,
        len: raw.len(),
        content,
        broken: reader.broken,
        unseen: reader.unseen,
        flags: reader.flags,
        capped: reader.capped,
        is_plain,
    })
}

impl<'a> Reader<'a> {
    fn dechunk(&mut self, raw: Text<'a>, headers: &Headers<'a>) -> Text<'a> {
        let is_chunked = headers.named(b"transfer-encoding").any(|value| says_chunked(value.bytes, self.cx));
        if is_chunked { chunked::join(raw, &mut self.unseen, self.cx).unwrap_or(raw) } else { raw }
    }

    /// Undoes the codings, last one first, as far as they are known; whether all are undone.
    fn inflate(&mut self, text: Text<'a>, headers: &Headers<'a>) -> (Text<'a>, bool) {
        let mut codings = BumpVec::new_in(self.cx.bump);
        for value in headers.named(b"content-encoding") {
            for word in coding::codings(value.bytes) {
                self.flags.raise_word(Flag::BodyEnc, word, value, 0..value.len());
                codings.push(word);
            }
        }
        if codings.len() > coding::MOST {
            self.capped = true;
            return (text, false);
        }
        let most = self.cx.settings.config.limits.body_bytes;
        let mut layers = Layers::new(text);
        for word in codings.into_iter().rev() {
            match layers.undo(word, most) {
                Inflated::Text { capped } => {
                    self.capped |= capped;
                    self.cut |= capped;
                }
                Inflated::NotUndone => return (layers.finish(self.cx), false),
                Inflated::Failed => {
                    self.flags.raise(Flag::BadBody, layers.evidence());
                    return (text, true);
                }
            }
        }
        (layers.finish(self.cx), true)
    }

    /// At most as much as is read, without half a character at its end.
    fn cut(&mut self, text: Text<'a>) -> Text<'a> {
        let most = self.cx.settings.config.limits.body_bytes;
        if text.len() > most {
            self.capped = true;
            self.cut = true;
        }
        if self.cut { coding::without_half_character(text.slice(0..most)) } else { text }
    }

    /// `BODYCHARSET`, by the type.
    fn check_charset(&mut self, content_type: Option<Text<'a>>) {
        let Some(content_type) = content_type else { return };
        for parameter in parameters::parameters(content_type, self.cx).filter(|p| p.is_named("charset")) {
            if parameter.value.is_some_and(|value| !charset::is_usual(value.bytes)) {
                self.flags.raise(Flag::BodyCharset, parameter.text);
            }
        }
    }

    fn content(&mut self, text: Text<'a>, content_type: Option<Text<'a>>) -> (Kind, Content<'a>) {
        let declared = content_type.and_then(|of| {
            self.cx.spare.with(|plain| sniff::declared(decode::without_guarded(of.bytes, plain)))
        });
        let kind = declared.unwrap_or_else(|| sniff::sniff(text.bytes));
        if let (Some(declared), Some(content_type)) = (declared, content_type)
            && !sniff::agrees(declared, text.bytes)
            && contradict(declared, sniff::sniff(text.bytes))
        {
            self.flags.raise(Flag::CtMismatch, content_type);
        }
        let content = match self.fields(text, kind, content_type) {
            Some(fields) => return (kind, Content::Fields(fields)),
            // A guess that fails was no guess at all.
            None if declared.is_none() && !matches!(kind, Kind::Text | Kind::Binary) => {
                return (Kind::Text, self.whole(text, Kind::Text));
            }
            None => self.whole(text, kind),
        };
        (kind, content)
    }

    /// The fields of a body that has them and parses.
    fn fields(&mut self, text: Text<'a>, kind: Kind, content_type: Option<Text<'a>>) -> Option<Fields<'a>> {
        let (cx, cut) = (self.cx, self.cut);
        let limits = &cx.settings.config.limits;
        let mut fields = Fields::new(matches!(kind, Kind::Json | Kind::Xml), cx);
        fields.cuts_names |= kind == Kind::Xml;
        let outcome = match kind {
            Kind::Text | Kind::Binary => return None,
            Kind::Form => {
                self.flags.raise(Flag::BodyForm, content_type.unwrap_or(text));
                let query = Query::read(text, Syntax::Form, cx);
                self.flags.absorb(&query.flags);
                let Query { pairs, more, .. } = query;
                pairs.into_iter().for_each(|pair| fields.push_judged(judged(pair)));
                fields.push_more(more);
                Outcome::Read
            }
            Kind::Json => {
                let text = utf8::repair(text, cx, &mut self.flags);
                let sequence = content_type.is_some_and(|of| is_sequence(of.bytes));
                let rules = json::Rules { depth: limits.depth, sequence, cut };
                let read = json::read(text, rules, cx, &mut fields, &mut self.flags);
                self.capped |= read.too_deep;
                read.outcome
            }
            Kind::Multipart => {
                let boundary = content_type.and_then(|of| multipart::boundary(of, cx, &mut self.flags));
                let most = limits.parts;
                let read = multipart::read(text, boundary, most, cut, cx, &mut fields, &mut self.flags);
                self.capped |= read.more > 0;
                let rest = utf8::repair(read.rest, cx, &mut cx.flags());
                scan::words(rest, cx, &mut self.flags);
                read.outcome
            }
            Kind::Xml => {
                let limits = xml::Limits { depth: limits.depth, entities: limits.entities };
                let read = xml::read(text, cut, limits, cx, &mut fields, &mut self.flags);
                self.capped |= read.capped;
                read.outcome
            }
        };
        if outcome == Outcome::Read {
            self.capped |= fields.more > 0 || fields.holds_capped;
            self.flags.absorb(&fields.rest);
            return Some(fields);
        }
        self.flags.raise(Flag::BadBody, text);
        fields.told().for_each(|field| self.flags.absorb(&field.flags));
        self.flags.absorb(&fields.rest);
        self.broken = Some(fields);
        None
    }

    /// A body shown by its shape.
    fn whole(&mut self, text: Text<'a>, kind: Kind) -> Content<'a> {
        let (cx, mut stray) = (self.cx, self.cx.flags());
        let readable = kind != Kind::Binary || is_readable(text.bytes);
        let text = utf8::repair(text, cx, &mut stray);
        if kind != Kind::Binary {
            self.flags.absorb(&stray);
        }
        let secret = cx.settings.names.find_credential(text.bytes, bytes::union(text.bytes), cx).is_some();
        if readable {
            scan::scan(text.classified(), ScanKind::Leaf, secret, cx, &mut self.flags);
        } else {
            scan::words(text, cx, &mut self.flags);
        }
        Content::Whole { text, secret }
    }
}

/// Returns whether a body is plainly something else than its type says. That it could be a form or text
/// tells nothing, and JSON is often sent as plain text.
fn contradict(declared: Kind, sniffed: Kind) -> bool {
    declared != sniffed
        && !matches!(sniffed, Kind::Form | Kind::Text)
        && !(declared == Kind::Text && sniffed == Kind::Json)
}

/// JSON values one after the other: `application/x-ndjson`, `application/jsonl`.
fn is_sequence(content_type: &[u8]) -> bool {
    [&b"ndjson"[..], b"jsonl", b"json-seq"]
        .iter()
        .any(|word| bytes::find_ignore_case(content_type, word).is_some())
}

/// A pair of a form as a field of the body.
fn judged(pair: Pair<'_>) -> Judged<'_> {
    let Pair { key, value, secret, classes, json, flags, .. } = pair;
    Judged { key, value: value.unwrap_or(Text::untraced(b"")), secret, classes, json, flags }
}
