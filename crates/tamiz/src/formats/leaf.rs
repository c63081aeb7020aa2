//! One leaf of a body: scanned, and written as its marker.

use super::fields::Field;
use super::step::Leaf;
use super::{file, magic};
use crate::bytes::{self, ALPHA, NO_ALNUM};
use crate::context::Context;
use crate::decode::utf8;
use crate::flags::{Flag, Flags};
use crate::scan::{self, Kind};
use crate::shape::Shape;
use crate::show::marker::{self, Measured, number, push};
use crate::text::Text;

/// How much of a file is scanned.
const FILE_HEAD: usize = 1024;

/// Scans a leaf that is no text or number, and returns whether it is a secret. It is one where its name is `sensitive`.
pub(super) fn scan<'a>(leaf: Leaf<'a>, sensitive: bool, cx: Context<'a>, flags: &mut Flags<'a>) -> bool {
    match leaf {
        Leaf::Text(_) | Leaf::Number(_) | Leaf::Bool(_) => sensitive,
        Leaf::Deep(text) => {
            sensitive || cx.settings.names.find_credential(text.bytes, bytes::union(text.bytes), cx).is_some()
        }
        Leaf::Null | Leaf::EmptyObject | Leaf::EmptyArray => false,
        Leaf::File(file) => {
            scan_file(file.name, file.content, cx, flags);
            false
        }
    }
}

fn scan_file<'a>(name: Text<'a>, content: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
    let classified = name.classified();
    let secret = cx.settings.names.find_credential(name.bytes, classified.classes, cx).is_some();
    scan::scan(classified, Kind::Leaf, secret, cx, flags);
    if file::is_executable(name.bytes) {
        flags.raise(Flag::ExecExt, name);
    }
    let head = content.slice(0..FILE_HEAD);
    if let Some(kind) = magic::magic(head.bytes).filter(|kind| magic::contradicts(kind, name.bytes)) {
        flags.raise_word(Flag::Magic, kind, head, 0..head.len().min(8));
    }
    scan_head(head, cx, flags);
}

/// Scans the beginning of a file: all of it where it is text, else its words only.
fn scan_head<'a>(head: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
    let mut stray = cx.flags();
    let text = utf8::repair(head, cx, &mut stray);
    if super::is_readable(head.bytes) {
        scan::scan(text.classified(), Kind::Leaf, false, cx, flags);
    } else {
        scan::words(text, cx, flags);
    }
}

/// Writes what a field holds, always as a marker.
pub(crate) fn write<'a>(field: &Field<'a>, cx: Context<'a>, out: &mut Vec<u8>) {
    let sized = |word: &str, text: Text<'a>, out: &mut Vec<u8>| {
        push(out, word);
        number(out, text.len() as u64);
        out.push(b'>');
    };
    match field.leaf {
        Leaf::Text(text) if field.json.is_some() => {
            let classes = bytes::union(text.bytes);
            Measured::with_shape(text.bytes, classes, Shape::Json, cx).write(field.is_secret(), out);
        }
        Leaf::Text(text) | Leaf::Number(text) => {
            let classes = field.classes().unwrap_or_else(|| bytes::union(text.bytes));
            if let (Leaf::Number(_), Some(shape)) = (field.leaf, number_shape(classes)) {
                return Measured::with_shape(text.bytes, classes, shape, cx).write(field.is_secret(), out);
            }
            write_text(text, classes, field.is_secret(), &field.flags, cx, out);
        }
        Leaf::Bool(text) if field.is_secret() => marker::write(text.bytes, true, cx, out),
        Leaf::Bool(text) => sized("<bool:", text, out),
        Leaf::Null => push(out, "<null:4>"),
        Leaf::EmptyObject => push(out, "<obj:0>"),
        Leaf::EmptyArray => push(out, "<arr:0>"),
        Leaf::Deep(text) => marker::write(text.bytes, field.is_secret(), cx, out),
        Leaf::File(file) => file::write_marker(file.name.bytes, file.content.len(), out),
    }
}

/// The shape of a number of JSON without an exponent: its grammar leaves two.
fn number_shape(classes: u32) -> Option<Shape> {
    let shape = if classes & NO_ALNUM == 0 { Shape::Num } else { Shape::Dec };
    (classes & ALPHA == 0).then_some(shape)
}

/// Writes a text as its marker, unless it is one. `classes` is the union of the classes of its bytes.
fn write_text(
    text: Text<'_>,
    classes: u32,
    secret: bool,
    flags: &Flags<'_>,
    cx: Context<'_>,
    out: &mut Vec<u8>,
) {
    let is_left = !secret && flags.set.contains(Flag::Marker) && marker::is_left(text.bytes, false, cx);
    if is_left {
        marker::write_left(text.bytes, out);
    } else {
        Measured::of(text.bytes, classes, cx).write(secret, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::skip_scalar;

    #[test]
    fn numbers_have_the_shapes_of_their_texts() {
        let mut random = crate::context::tests::random();
        for _ in 0..200_000 {
            let len = 1 + random(12);
            let number: Vec<u8> = (0..len).map(|_| b"0123456789-."[random(12) as usize]).collect();
            if skip_scalar(&number).is_some_and(<[u8]>::is_empty) {
                let classes = bytes::union(&number);
                assert_eq!(number_shape(classes), Some(Shape::of(&number, classes)), "{number:?}");
            }
        }
    }
}
