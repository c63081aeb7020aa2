//! `content-type` and `content-length` (clauses 8.24 and 8.25).

use bumpalo::collections::Vec as BumpVec;

use super::parameters::split_unquoted;
use crate::bytes::{self, DIGIT};
use crate::context::Context;
use crate::show::escape::{self, Spot};
use crate::show::marker;

/// `type/subtype;name=value`, lower-case, parameters by name, without the boundary.
pub(crate) fn write_type(text: &[u8], cx: Context<'_>, out: &mut Vec<u8>) {
    let mut parts = split_unquoted(text, b';');
    write_part(bytes::trim(parts.next().unwrap_or_default()), cx, out);
    let mut parameters = BumpVec::new_in(cx.bump);
    parameters.extend(
        parts
            .map(bytes::trim)
            .filter(|text| is_shown(text))
            .map(|text| cx.written(|out| write_parameter(text, cx, out))),
    );
    parameters.sort_unstable();
    parameters.dedup();
    for parameter in parameters {
        out.push(b';');
        out.extend_from_slice(parameter);
    }
}

/// Returns whether a parameter is one, and not the boundary.
fn is_shown(parameter: &[u8]) -> bool {
    let name = parameter.split(|&b| b == b'=').next().unwrap_or_default();
    let is_boundary = name.len() < parameter.len() && bytes::trim(name).eq_ignore_ascii_case(b"boundary");
    !parameter.is_empty() && !is_boundary
}

fn write_parameter(text: &[u8], cx: Context<'_>, out: &mut Vec<u8>) {
    let Some((name, value)) = cut_at(text, b'=') else {
        write_part(text, cx, out);
        return;
    };
    let (name, value) = (bytes::trim(name), bytes::trim(value));
    let value = match value {
        [b'"', inside @ .., b'"'] => inside,
        _ => value,
    };
    write_part(name, cx, out);
    out.push(b'=');
    write_part(value, cx, out);
}

/// The top-level types of media.
const TYPES: [&str; 9] =
    ["application", "audio", "font", "image", "message", "model", "multipart", "text", "video"];

/// Finds each `boundary` parameter that reads like a type or a charset to those who look for one anywhere.
pub(crate) fn odd_boundaries(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    split_unquoted(text, b';').skip(1).map(bytes::trim).filter(|parameter| is_odd_boundary(parameter))
}

fn is_odd_boundary(parameter: &[u8]) -> bool {
    let Some((name, value)) = cut_at(parameter, b'=') else { return false };
    if !bytes::trim(name).eq_ignore_ascii_case(b"boundary") {
        return false;
    }
    let value = match bytes::trim(value) {
        [b'"', inside @ ..] => cut_at(inside, b'"').map_or(inside, |(inside, _)| inside),
        value => value,
    };
    let is_type = cut_at(value, b'/').is_some_and(|(kind, subtype)| {
        TYPES.iter().any(|known| kind.eq_ignore_ascii_case(known.as_bytes())) && bytes::is_token(subtype)
    });
    is_type || value.get(..8).is_some_and(|start| start.eq_ignore_ascii_case(b"charset="))
}

/// Cuts a text at the first `byte`, which is in neither part.
fn cut_at(text: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let (before, rest) = text.split_at_checked(bytes::position(byte, text)?)?;
    Some((before, rest.get(1..)?))
}

/// `{n}@{bucket}`, or the shape of what is no length.
pub(crate) fn write_length(text: &[u8], cx: Context<'_>, out: &mut Vec<u8>) {
    let text = match text.iter().position(|&b| b == b'@').and_then(|at| text.split_at_checked(at)) {
        // The form's own output stays.
        Some((digits, bucket)) if is_own_bucket(digits, bucket, cx) => digits,
        _ => text,
    };
    let is_number = !text.is_empty() && bytes::all(text, DIGIT);
    let number = std::str::from_utf8(text).ok().filter(|_| is_number && text.len() < 20);
    match number.and_then(|digits| digits.parse::<u64>().ok()) {
        Some(n) => {
            marker::number(out, n);
            out.push(b'@');
            marker::push(out, cx.settings.config.buckets.label(n));
        }
        None => marker::write(text, false, cx, out),
    }
}

/// Returns whether a number is as the form writes it, and so is the bucket behind it.
fn is_own_bucket(digits: &[u8], bucket: &[u8], cx: Context<'_>) -> bool {
    let is_own = bytes::all(digits, DIGIT) && digits.len() < 20 && !matches!(digits, [b'0', _, ..]);
    let length = std::str::from_utf8(digits).ok().filter(|_| is_own).and_then(|digits| digits.parse().ok());
    length.is_some_and(|n| bucket.strip_prefix(b"@") == Some(cx.settings.config.buckets.label(n).as_bytes()))
}

/// Writes a part of a `content-type`, in which `;` and quotes would cut it again.
fn write_part(text: &[u8], cx: Context<'_>, out: &mut Vec<u8>) {
    for piece in text.split_inclusive(|b| matches!(b, b';' | b'"')) {
        let (plain, cut) = match piece {
            [plain @ .., b';'] => (plain, &b"%3B"[..]),
            [plain @ .., b'"'] => (plain, &b"%22"[..]),
            plain => (plain, &b""[..]),
        };
        escape::write_lowercase(plain, Spot::Line, cx, out);
        out.extend_from_slice(cut);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    #[test]
    fn types() {
        for (text, shown) in [
            ("Text/HTML; Charset=UTF-8", "text/html;charset=utf-8"),
            ("multipart/form-data; boundary=----x;a=1", "multipart/form-data;a=1"),
            ("a/b; z=1; b=\"Q;2\"; b=\"q;2\"", "a/b;b=q%3B2;z=1"),
            ("a/b;", "a/b"),
            ("", ""),
        ] {
            let mut once = Vec::new();
            with_context(|cx| write_type(text.as_bytes(), cx, &mut once));
            assert_eq!(String::from_utf8_lossy(&once), shown, "{text}");
            let mut twice = Vec::new();
            with_context(|cx| write_type(&once, cx, &mut twice));
            assert_eq!(twice, once, "its own output stays: {text}");
        }
    }
}
