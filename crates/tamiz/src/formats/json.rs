//! JSON bodies (clause 8.34), read without recursion: each leaf, and the way to it.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice; the patterns bound both halves of a surrogate pair"
)]

use bumpalo::collections::Vec as BumpVec;

use super::json_string::{unescape, whole_escapes, without_quotes};
use super::step::{Leaf, Outcome, Sink, Step};
use crate::context::Context;
use crate::decode::GUARD;
use crate::flags::{Flag, Flags};
use crate::json::{cut_plain_string, skip_scalar, skip_space, skip_string, skip_value};
use crate::scan::{self, Kind};
use crate::steps;
use crate::text::Text;

/// RFC 7464: what stands before each value of a sequence.
const RECORD_SEPARATOR: u8 = 0x1E;

/// How a body is to be read.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    /// Below this many levels there is one leaf.
    pub(crate) depth: usize,
    /// Values may follow each other.
    pub(crate) sequence: bool,
    /// The body was cut, so its end says nothing.
    pub(crate) cut: bool,
}

/// The result of a read besides leaves.
pub(crate) struct Read {
    pub(crate) outcome: Outcome,
    /// Something lies below the depth limit.
    pub(crate) too_deep: bool,
}

/// Gives each string of a text that is JSON, names too, decoded.
pub(crate) fn each_string<'a>(text: Text<'a>, cx: Context<'a>, mut give: impl FnMut(Text<'a>)) {
    skip_value(text.bytes, &mut |string| {
        give(unescape(without_quotes(text.part(string)), cx, &mut cx.flags()));
    });
}

/// Tells the leaves of `body`, which is repaired, in order.
pub(crate) fn read<'a>(
    body: Text<'a>,
    rules: Rules,
    cx: Context<'a>,
    sink: &mut impl Sink<'a>,
    flags: &mut Flags<'a>,
) -> Read {
    let start = if body.bytes.starts_with("\u{FEFF}".as_bytes()) { 3 } else { 0 };
    let mut reader = Reader {
        rest: skip_space(body.from(start).bytes),
        body,
        rules,
        cx,
        is_below: false,
        open: BumpVec::with_capacity_in(8, cx.bump),
        names: BumpVec::with_capacity_in(16, cx.bump),
        objects: BumpVec::with_capacity_in(8, cx.bump),
        too_deep: false,
        is_cut_short: false,
        too_deep_to_end: false,
    };
    let read = reader.values(sink, flags);
    if read.is_none() {
        reader.broken_off(sink, flags);
    }
    let is_read = read.is_some() || rules.cut && reader.is_cut_short;
    Read { outcome: if is_read { Outcome::Read } else { Outcome::Bad }, too_deep: reader.too_deep }
}

/// The names of an open object.
#[derive(Default)]
struct Object {
    /// Where they begin among the names of all.
    start: usize,
    /// A bit for each, by its length and letters at its ends.
    seen: u64,
    /// True if two have the same bit, as they have where one comes again.
    may_repeat: bool,
}

impl Object {
    fn add(&mut self, name: &[u8]) {
        let end = |byte: Option<&u8>| byte.copied().map_or(0, usize::from);
        let bit = 1 << (((name.len() * 7) ^ (end(name.first()) * 5) ^ end(name.last())) & 63);
        self.may_repeat |= self.seen & bit != 0;
        self.seen |= bit;
    }
}

/// An open object or array.
enum Level {
    Object,
    Array,
}

struct Reader<'a> {
    body: Text<'a>,
    rest: &'a [u8],
    rules: Rules,
    cx: Context<'a>,
    /// True if nobody asks for ways and repeated names: depth costs a byte a level then.
    is_below: bool,
    open: BumpVec<'a, Level>,
    /// The names of all open objects.
    names: BumpVec<'a, Text<'a>>,
    /// These objects.
    objects: BumpVec<'a, Object>,
    too_deep: bool,
    /// True if reading stopped where the body ends, and not at a fault.
    is_cut_short: bool,
    /// True if something lay too deep there.
    too_deep_to_end: bool,
}

/// Takes the last text, whatever the way to it is, and whether there was any leaf.
#[derive(Default)]
struct Last<'a> {
    text: Option<Text<'a>>,
    any: bool,
}

impl<'a> Sink<'a> for Last<'a> {
    fn enter(&mut self, _: Step<'a>) {}

    fn leave(&mut self) {}

    fn leaf(&mut self, leaf: Leaf<'a>) {
        self.any = true;
        self.text = match leaf {
            Leaf::Text(text) => Some(text),
            _ => None,
        };
    }
}

impl<'a> Reader<'a> {
    fn values(&mut self, sink: &mut impl Sink<'a>, flags: &mut Flags<'a>) -> Option<()> {
        if !self.rules.sequence {
            self.value(sink, flags)?;
            return skip_space(self.rest).is_empty().then_some(());
        }
        loop {
            self.rest = skip_space(self.rest);
            match self.rest {
                [] => return Some(()),
                [RECORD_SEPARATOR, after @ ..] => self.rest = after,
                _ => self.value(sink, flags)?,
            }
        }
    }

    /// Tells what is left when reading stops. A string that the cut went through, and what lies too
    /// deep, are told as far as they go.
    fn broken_off(&mut self, sink: &mut impl Sink<'a>, flags: &mut Flags<'a>) {
        if !(self.rules.cut && self.is_cut_short) {
            return;
        }
        match self.rest {
            [b'"', inside @ ..] if skip_string(self.rest).is_none() => {
                let text = unescape(self.body.part(whole_escapes(inside)), self.cx, flags);
                sink.leaf(Leaf::Text(text));
            }
            [b'{' | b'[', ..] if self.too_deep_to_end => {
                self.too_deep = true;
                sink.leaf(Leaf::Deep(self.body.part(self.rest)));
            }
            _ => {}
        }
    }

    /// Reading stops here; it `is_cut_short` where what is here could go on well.
    fn stop<T>(&mut self, is_cut_short: bool) -> Option<T> {
        self.is_cut_short = is_cut_short;
        None
    }

    /// One value, with everything in it.
    fn value(&mut self, sink: &mut impl Sink<'a>, flags: &mut Flags<'a>) -> Option<()> {
        loop {
            // A value is expected.
            let leaf = match self.rest {
                [b'{', inside @ ..] => match skip_space(inside) {
                    [b'}', after @ ..] => {
                        self.rest = after;
                        Leaf::EmptyObject
                    }
                    _ if self.open.len() >= self.rules.depth => self.deep(flags)?,
                    inside => {
                        self.open.push(Level::Object);
                        if !self.is_below {
                            self.objects.push(Object { start: self.names.len(), ..Object::default() });
                        }
                        self.rest = inside;
                        self.name(sink, flags)?;
                        continue;
                    }
                },
                [b'[', inside @ ..] => match skip_space(inside) {
                    [b']', after @ ..] => {
                        self.rest = after;
                        Leaf::EmptyArray
                    }
                    _ if self.open.len() >= self.rules.depth => self.deep(flags)?,
                    inside => {
                        self.open.push(Level::Array);
                        self.rest = inside;
                        sink.enter(Step::Item);
                        continue;
                    }
                },
                _ => self.scalar(flags)?,
            };
            sink.leaf(leaf);
            if self.close(sink, flags)? {
                return Some(());
            }
        }
    }

    /// After a value: on to the next one. True when the outermost value has ended.
    #[inline(always)]
    fn close(&mut self, sink: &mut impl Sink<'a>, flags: &mut Flags<'a>) -> Option<bool> {
        loop {
            let Some(level) = self.open.last() else {
                return Some(true);
            };
            match (skip_space(self.rest), level) {
                ([b',', after @ ..], Level::Object) => {
                    sink.leave();
                    self.rest = skip_space(after);
                    self.name(sink, flags)?;
                    return Some(false);
                }
                ([b',', after @ ..], Level::Array) => {
                    self.rest = skip_space(after);
                    return Some(false);
                }
                ([b'}', after @ ..], Level::Object) => {
                    self.rest = after;
                    if let Some(object) = self.objects.pop() {
                        if object.may_repeat {
                            self.find_repeats(object.start, flags);
                        }
                        self.names.truncate(object.start);
                    }
                }
                ([b']', after @ ..], Level::Array) => self.rest = after,
                (rest, _) => return self.stop(rest.is_empty()),
            }
            self.open.pop();
            sink.leave();
        }
    }

    /// A member's name and colon.
    fn name(&mut self, sink: &mut impl Sink<'a>, flags: &mut Flags<'a>) -> Option<()> {
        let Some(name) = self.string(flags) else {
            return self
                .stop(self.rest.is_empty() || may_go_on(self.rest, self.cx) && self.rest.starts_with(b"\""));
        };
        self.rest = match skip_space(self.rest) {
            [b':', after @ ..] => skip_space(after),
            rest => return self.stop(rest.is_empty()),
        };
        if let Some(object) = self.objects.last_mut() {
            object.add(name.bytes);
            self.names.push(name);
        }
        sink.enter(Step::Name(name));
        Some(())
    }

    /// A string.
    #[inline(always)]
    fn string(&mut self, flags: &mut Flags<'a>) -> Option<Text<'a>> {
        if let Some((inside, after)) = cut_plain_string(self.rest) {
            self.rest = after;
            return Some(self.body.piece(inside));
        }
        self.escaped_string(flags)
    }

    #[inline(never)]
    fn escaped_string(&mut self, flags: &mut Flags<'a>) -> Option<Text<'a>> {
        steps::slow("JSON string with escapes");
        let text = self.take(skip_string(self.rest)?);
        Some(unescape(without_quotes(text), self.cx, flags))
    }

    #[inline(always)]
    fn scalar(&mut self, flags: &mut Flags<'a>) -> Option<Leaf<'a>> {
        if self.rest.first() == Some(&b'"')
            && let Some(text) = self.string(flags)
        {
            return Some(Leaf::Text(text));
        }
        let Some(after) = skip_scalar(self.rest) else { return self.stop(may_go_on(self.rest, self.cx)) };
        let text = self.take(after);
        Some(match text.bytes.first()? {
            b't' | b'f' => Leaf::Bool(text),
            b'n' => Leaf::Null,
            _ => Leaf::Number(text),
        })
    }

    /// Everything below the depth limit: its strings are looked at, its structure is not.
    fn deep(&mut self, flags: &mut Flags<'a>) -> Option<Leaf<'a>> {
        let (body, cx) = (self.body, self.cx);
        let after = skip_value(self.rest, &mut |string| {
            let text = unescape(without_quotes(body.part(string)), cx, flags);
            scan::scan(text.classified(), Kind::Leaf, false, cx, flags);
        });
        let Some(after) = after else {
            self.scan_below(flags);
            return None;
        };
        self.too_deep = true;
        Some(Leaf::Deep(self.take(after)))
    }

    /// Finds out how reading stops below the depth limit; a string that the cut went through is
    /// looked at.
    fn scan_below(&mut self, flags: &mut Flags<'a>) {
        let cx = self.cx;
        let mut below = Reader {
            body: self.body,
            rest: self.rest,
            rules: Rules { depth: usize::MAX, ..self.rules },
            cx,
            is_below: true,
            open: BumpVec::new_in(cx.bump),
            names: BumpVec::new_in(cx.bump),
            objects: BumpVec::new_in(cx.bump),
            too_deep: false,
            is_cut_short: false,
            too_deep_to_end: false,
        };
        let mut last = Last::default();
        if below.value(&mut last, &mut cx.flags()).is_none() {
            last.text = None;
            below.broken_off(&mut last, &mut cx.flags());
            self.is_cut_short = below.is_cut_short;
        }
        self.too_deep_to_end = last.any;
        if let Some(text) = last.text {
            scan::scan(text.classified(), Kind::Leaf, false, cx, flags);
        }
    }

    /// The text before `after`, which is read next.
    fn take(&mut self, after: &'a [u8]) -> Text<'a> {
        let taken = self.rest.get(..self.rest.len() - after.len()).unwrap_or_default();
        self.rest = after;
        self.body.piece(taken)
    }

    /// `JDUP`: the names of an object that ends, from `start` on.
    fn find_repeats(&mut self, start: usize, flags: &mut Flags<'a>) {
        if let Some(names) = self.names.get_mut(start..) {
            names.sort_unstable_by_key(|name| name.bytes);
            for two in names.windows(2) {
                if let [a, b] = two
                    && a.bytes == b.bytes
                {
                    flags.raise(Flag::JDup, *a);
                    flags.raise(Flag::JDup, *b);
                }
            }
        }
    }
}

/// Returns whether `rest`, which is no scalar, is the beginning of one, to its end.
fn may_go_on(rest: &[u8], cx: Context<'_>) -> bool {
    match rest {
        [] => true,
        // What makes it whole shows that nothing in it is wrong.
        [b'"', inside @ ..] => cx.spare.with(|whole| {
            [b"\"", whole_escapes(inside), b"\""].iter().for_each(|piece| whole.extend_from_slice(piece));
            skip_string(whole).is_some_and(<[u8]>::is_empty)
        }),
        [b'-' | b'0'..=b'9', ..] => cx.spare.with(|whole| {
            [rest, b"0"].iter().for_each(|piece| whole.extend_from_slice(piece));
            skip_scalar(whole).is_some_and(<[u8]>::is_empty)
        }),
        _ => ["true", "false", "null"].iter().any(|word| word.as_bytes().starts_with(rest)),
    }
}

const _: () = assert!(GUARD == 0xFF, "strings may hold guarded bytes: no JSON delimiter is one");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    #[derive(Default)]
    struct Told {
        path: Vec<String>,
        leaves: Vec<String>,
    }

    impl<'a> Sink<'a> for Told {
        fn enter(&mut self, step: Step<'a>) {
            self.path.push(match step {
                Step::Name(name) | Step::Attribute(name) => String::from_utf8_lossy(name.bytes).into_owned(),
                Step::Item => "[]".to_owned(),
            });
        }

        fn leave(&mut self) {
            self.path.pop();
        }

        fn leaf(&mut self, leaf: Leaf<'a>) {
            let none = Text::untraced(b"");
            let (kind, text) = match leaf {
                Leaf::Text(text) => ("s", text),
                Leaf::Number(text) => ("n", text),
                Leaf::Bool(text) => ("b", text),
                Leaf::Null => ("0", none),
                Leaf::EmptyObject => ("o", none),
                Leaf::EmptyArray => ("a", none),
                Leaf::Deep(text) => ("d", text),
                Leaf::File(file) => ("f", file.name),
            };
            let text = String::from_utf8_lossy(text.bytes);
            self.leaves.push(format!("{}={kind}:{text}", self.path.join(".")));
        }
    }

    fn told(text: &str, rules: Rules) -> (Vec<String>, Outcome, Vec<&'static str>) {
        with_context(|cx| {
            let mut sink = Told::default();
            let mut flags = cx.flags();
            let read = read(Text::request(text.as_bytes(), true), rules, cx, &mut sink, &mut flags);
            (sink.leaves, read.outcome, flags.set.iter().map(Flag::name).collect())
        })
    }

    const RULES: Rules = Rules { depth: 8, sequence: false, cut: false };

    #[test]
    fn leaves_and_ways() {
        let (leaves, outcome, flags) = told(
            r#" {"a":{"b":[1,{"c":"x\n\u00e9\ud83d\ude00"},[]]},"d":true,"e":null,"f":{},"":-1.5} "#,
            RULES,
        );
        assert_eq!(outcome, Outcome::Read);
        assert_eq!(
            leaves,
            ["a.b.[]=n:1", "a.b.[].c=s:x\né😀", "a.b.[]=a:", "d=b:true", "e=0:", "f=o:", "=n:-1.5"]
        );
        assert!(flags.is_empty());
        assert_eq!(told("\"x\"", RULES).0, ["=s:x"]);
        assert_eq!(told("[[1],2]", RULES).0, ["[].[]=n:1", "[]=n:2"]);
    }

    #[test]
    fn what_does_not_parse() {
        let cut = Rules { cut: true, ..RULES };
        for text in
            ["{\"a\":}", "[1,]", "{\"a\":1}x", "{'a':1}", "[1 2]", "{\"a\" 1}", "01", "[\"\\q", "{1", "[tx"]
        {
            assert_eq!(told(text, RULES).1, Outcome::Bad, "{text}");
            assert_eq!(told(text, cut).1, Outcome::Bad, "{text}");
        }
        for text in
            ["", "{", "\"a", "[1,", "{\"a", "{\"a\"", "{\"a\":-", "[1.", "[1e+", "[tru", "[\"\\u00", "[[["]
        {
            assert_eq!(told(text, RULES).1, Outcome::Bad, "{text}");
            assert_eq!(told(text, cut).1, Outcome::Read, "{text}");
        }
        assert_eq!(told("{\"a\":1}\n{\"a\":2}\n", Rules { sequence: true, ..RULES }).0, ["a=n:1", "a=n:2"]);
    }

    #[test]
    fn what_is_too_deep_and_cut_is_told() {
        let cut = Rules { depth: 1, cut: true, ..RULES };
        assert_eq!(told("[[1,\"<", cut).0, ["[]=d:[1,\"<"]);
        assert_eq!(told("[[1,\"<", cut).2, ["ANGLE"]);
        assert_eq!(told("[[1 x", cut), (vec![], Outcome::Bad, vec![]));
    }

    #[test]
    fn a_string_that_is_cut_is_told() {
        let cut = Rules { cut: true, ..RULES };
        assert_eq!(told("[1,{\"a\":\"x<", cut).0, ["[]=n:1", "[].a=s:x<"]);
        assert_eq!(told("[\"x\\u00", cut).0, ["[]=s:x"]);
        assert_eq!(told("[\"x<", RULES).0, [""; 0]);
    }

    #[test]
    fn sequences() {
        let lines = Rules { sequence: true, ..RULES };
        assert_eq!(told("\x1e1\n\x1e2\n", lines).0, ["=n:1", "=n:2"]);
        assert_eq!(told(" \n", lines).1, Outcome::Read);
    }

    #[test]
    fn repeats_are_of_one_object() {
        assert_eq!(told(r#"{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}"#, RULES).2, [""; 0]);
        assert_eq!(told(r#"{"b":{"a":1,"\u0061":1}}"#, RULES).2, ["JDUP"]);
    }

    #[test]
    fn lone_surrogates_are_guarded() {
        let (leaves, _, flags) = told(r#"{"a":"\ud800x"}"#, RULES);
        assert_eq!(leaves.len(), 1);
        assert_eq!(flags, ["BADUTF8"]);
    }

    #[test]
    fn depth_is_cut_not_recursed() {
        let deep = format!("{}\"'\"{}", "[".repeat(100_000), "]".repeat(100_000));
        let (leaves, outcome, flags) = told(&deep, RULES);
        assert_eq!((leaves.len(), outcome), (1, Outcome::Read));
        assert_eq!(flags, ["QUOTE"]);
    }
}
