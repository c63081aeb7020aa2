//! The step of framing: how long the body is said to be, and what is told of that.

use crate::bytes::trim;
use crate::headers::{Field, values};
use crate::refusal::{Refusal, refuse, require};
use crate::request_line::Cut;
use crate::rules::{CodingIn10, Framing, LengthAndCoding, LengthTold, Lengths};

/// How a body is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framed {
    /// There is none.
    Nothing,
    /// So many bytes.
    Length(u64),
    /// In chunks.
    Chunked,
}

/// Reads the lengths and codings of a request, and drops what is not told of them.
pub(crate) fn read(fields: &mut Vec<Field>, cut: &Cut<'_>, rules: &Framing) -> Result<Framed, Refusal> {
    let is_chunked = coding(fields, cut, rules)?;
    let length = length(fields, rules.lengths)?;
    let framed = match (is_chunked, length) {
        (true, Some(_)) if rules.length_and_coding == LengthAndCoding::Refused => {
            return refuse("a length beside a coding");
        }
        (true, _) => {
            fields.retain(|field| !field.is("content-length"));
            Framed::Chunked
        }
        (false, Some(digits)) => Framed::Length(number(&digits)?),
        (false, None) => Framed::Nothing,
    };
    if rules.length_told == LengthTold::OfBody {
        fields.retain(|field| !field.is("content-length"));
    }
    if !rules.coding_told {
        fields.retain(|field| !field.is("transfer-encoding"));
    }
    Ok(framed)
}

fn coding(fields: &mut Vec<Field>, cut: &Cut<'_>, rules: &Framing) -> Result<bool, Refusal> {
    let mut codings = values(fields, "transfer-encoding");
    let Some(first) = codings.next() else { return Ok(false) };
    if !cut.is_current() {
        match rules.coding_in_10 {
            CodingIn10::Refused => return refuse("a coding in HTTP/1.0"),
            CodingIn10::Ignored => {
                drop(codings);
                fields.retain(|field| !field.is("transfer-encoding"));
                return Ok(false);
            }
            CodingIn10::Read => {}
        }
    }
    let is_chunked = first.eq_ignore_ascii_case(b"chunked") && codings.next().is_none();
    require(is_chunked, "a coding that is not taken")?;
    Ok(true)
}

/// The length, of which one header is left.
fn length(fields: &mut Vec<Field>, taken: Lengths) -> Result<Option<Vec<u8>>, Refusal> {
    let mut lengths = values(fields, "content-length");
    let Some(first) = lengths.next() else { return Ok(None) };
    let all = std::iter::once(first).chain(lengths);
    let items: Vec<&[u8]> = match taken {
        Lengths::SameListed => all.flat_map(|value| value.split(|byte| *byte == b',')).map(trim).collect(),
        Lengths::One | Lengths::Same => all.collect(),
    };
    let digits = items.first().copied().unwrap_or_default().to_vec();
    require(taken != Lengths::One || items.len() == 1, "more than one length")?;
    require(items.iter().all(|item| *item == digits), "more than one length")?;
    let mut is_first = true;
    fields.retain_mut(|field| {
        if !field.is("content-length") {
            return true;
        }
        field.value.clone_from(&digits);
        std::mem::take(&mut is_first)
    });
    Ok(Some(digits))
}

fn number(digits: &[u8]) -> Result<u64, Refusal> {
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let number =
        std::str::from_utf8(digits).ok().filter(|_| is_number).and_then(|digits| digits.parse::<i64>().ok());
    number.and_then(|number| u64::try_from(number).ok()).ok_or(Refusal::new("a length that is no number"))
}
