//! The step of the body: what of it is handed over.

use crate::bytes::{hex, trim_end};
use crate::framing::Framed;
use crate::head::next_line;
use crate::refusal::{Refusal, refuse, require};
use crate::rules::Body;

/// The body, up to `most` bytes of it; a proxy that hands it over waits for that, or for its end.
pub(crate) fn read(rest: &[u8], framed: Framed, rules: &Body, most: usize) -> Result<Vec<u8>, Refusal> {
    match framed {
        Framed::Nothing => Ok(Vec::new()),
        Framed::Length(length) => {
            let length = usize::try_from(length).unwrap_or(usize::MAX).min(most);
            let body = rest.get(..length);
            body.map(<[u8]>::to_vec).ok_or(Refusal::new("a body that does not end"))
        }
        Framed::Chunked => chunks(rest, rules.chunks_bare_lf, most),
    }
}

/// RFC 9112, 7.1, to the letter: whoever takes less is refused something.
fn chunks(mut rest: &[u8], bare_lf: bool, most: usize) -> Result<Vec<u8>, Refusal> {
    let mut body = Vec::new();
    loop {
        let Some((line, after)) = next_line(rest) else { return refuse("a body that does not end") };
        require(bare_lf || line.has_cr, "a chunk whose line ends with a bare LF")?;
        let digits = line.text.split(|byte| *byte == b';').next().unwrap_or_default();
        let size = size(trim_end(digits)).ok_or(Refusal::new("a chunk without a size"))?;
        if size == 0 {
            return trailers(after).map(|()| body);
        }
        let there = after.get(..size.min(after.len())).unwrap_or_default();
        let room = most.saturating_sub(body.len());
        if there.len() >= room && size > room {
            body.extend_from_slice(there.get(..room).unwrap_or_default());
            return Ok(body);
        }
        let Some((chunk, after)) = after.split_at_checked(size) else {
            return refuse("a body that does not end");
        };
        body.extend_from_slice(chunk);
        let Some((end, after)) = next_line(after) else { return refuse("a body that does not end") };
        require(end.text.is_empty(), "a chunk that is longer than its size")?;
        rest = after;
    }
}

fn size(digits: &[u8]) -> Option<usize> {
    if digits.is_empty() {
        return None;
    }
    digits
        .iter()
        .try_fold(0_usize, |size, digit| size.checked_mul(16)?.checked_add(usize::from(hex(*digit)?)))
}

fn trailers(mut rest: &[u8]) -> Result<(), Refusal> {
    loop {
        let Some((line, after)) = next_line(rest) else { return refuse("a body that does not end") };
        if line.text.is_empty() {
            return Ok(());
        }
        let is_fold = matches!(line.text.first(), Some(b' ' | b'\t'));
        require(is_fold || line.text.contains(&b':'), "a trailer without a colon")?;
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_put_together() {
        assert_eq!(chunks(b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: 1\r\n\r\nnext", false, 99).unwrap(), b"abcde");
        for bad in [
            &b"3\r\nabc"[..],
            b"zz\r\n",
            b"3\r\nabcd\r\n0\r\n\r\n",
            b"0\r\n",
            b"",
            b"fffffffffffffffff\r\n",
            b"0\r\nT\r\n\r\n",
        ] {
            assert!(chunks(bad, true, 99).is_err(), "{}", bad.escape_ascii());
        }
    }
}
