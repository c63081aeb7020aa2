//! A request through the steps of a source, one after the other.

use tamiz::{Canonicalizer, Document, Scratch, Source};

use crate::headers::{self, Field};
use crate::parts::OwnedParts;
use crate::refusal::{Refusal, require};
use crate::request_line::Cut;
use crate::rules::{Before, LengthTold, Limits, Rules, rules};
use crate::{access_log, body, framing, head, host, request_line, target};

/// A request as a source passes it on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Seen {
    /// The bytes themselves: nobody has read them.
    Bytes,
    /// The parts that are passed on.
    Parts(OwnedParts),
    /// It is handed to nobody.
    Refused(Refusal),
}

/// Returns the request as `source` passes it on. Any bytes give an answer; sources of which no changes are known, as
/// containers, see the bytes.
pub fn as_seen_by(source: Source, request: &[u8]) -> Seen {
    let seen = match (source, rules(source)) {
        (Source::AccessLog, _) => access_log::read(request),
        (_, Some(rules)) => see(request, rules),
        (_, None) => return Seen::Bytes,
    };
    match seen {
        Ok(parts) => Seen::Parts(parts),
        Err(refusal) => Seen::Refused(refusal),
    }
}

/// The document of a request as the source that `canonicalizer` is configured for sees it.
///
/// # Errors
/// Where the source does not hand the request over.
pub fn document(canonicalizer: &Canonicalizer, request: &[u8]) -> Result<Document, Refusal> {
    match as_seen_by(canonicalizer.config().source, request) {
        Seen::Bytes => Ok(canonicalizer.canonicalize(request)),
        Seen::Parts(parts) => Ok(canonicalizer.canonicalize_parts(&parts.borrowed())),
        Seen::Refused(refusal) => Err(refusal),
    }
}

/// Appends the text of that document to `out`, using memory of `scratch` where that can be done.
///
/// # Errors
/// Where the source does not hand the request over.
pub fn write_document(
    canonicalizer: &Canonicalizer,
    scratch: &mut Scratch,
    request: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), Refusal> {
    match as_seen_by(canonicalizer.config().source, request) {
        Seen::Bytes => canonicalizer.canonicalize_into(scratch, request, out),
        Seen::Parts(parts) => {
            out.extend_from_slice(canonicalizer.canonicalize_parts(&parts.borrowed()).as_str().as_bytes());
        }
        Seen::Refused(refusal) => return Err(refusal),
    }
    Ok(())
}

fn see(request: &[u8], rules: &Rules) -> Result<OwnedParts, Refusal> {
    let input = match rules.request_line.before {
        Before::Nothing => request,
        Before::EmptyLines => head::skip_empty_lines(request),
        Before::LineEnds => head::skip_line_ends(request),
    };
    let Some((line, rest)) = head::next_line(input) else {
        return Err(Refusal::new("a request line that does not end"));
    };
    let cut = request_line::read(line.text, &rules.request_line)?;
    let Some(version) = cut.version else {
        let told = target::read(&cut, None, rules.request_line.target)?;
        return Ok(OwnedParts { method: cut.method.to_vec(), target: told.target, ..OwnedParts::default() });
    };
    let Some((lines, rest)) = head::header_lines(rest) else {
        return Err(Refusal::new("headers that do not end"));
    };
    let lens: Vec<usize> = std::iter::once(&line).chain(&lines).map(head::Line::len).collect();
    check_lengths(&lens, &rules.limits)?;
    let mut fields = headers::read(&lines, &rules.headers)?;
    let host = host::read(&mut fields, &cut, &rules.host)?;
    let told = target::read(&cut, host.as_deref(), rules.request_line.target)?;
    replace_host(&mut fields, told.host);
    let room = room_for_body(&cut, &fields, rules)?;
    let framed = framing::read(&mut fields, &cut, &rules.framing)?;
    if let (Some(most), framing::Framed::Length(length)) = (rules.limits.length, framed) {
        require(length <= most, "a body that is too long")?;
    }
    let body = if rules.body.given { body::read(rest, framed, &rules.body, room)? } else { Vec::new() };
    let mut fields = headers::hand_over(fields, &rules.headers)?;
    if rules.framing.length_told == LengthTold::OfBody && !body.is_empty() {
        fields.push(Field { name: b"content-length".to_vec(), value: body.len().to_string().into_bytes() });
    }
    Ok(OwnedParts {
        method: cut.method.to_vec(),
        target: told.target,
        version: Some(version.to_vec()),
        headers: fields.into_iter().map(|field| (field.name, field.value)).collect(),
        body: Some(body).filter(|body| !body.is_empty()),
    })
}

fn replace_host(fields: &mut Vec<Field>, host: Option<Vec<u8>>) {
    let Some(host) = host else { return };
    fields.retain(|field| !field.is("host"));
    fields.insert(0, Field { name: b"Host".to_vec(), value: host });
}

/// Returns whether lines of these lengths, the first of which is the request line, fit.
fn check_lengths(lens: &[usize], limits: &Limits) -> Result<(), Refusal> {
    const TOO_LONG: &str = "a head that is too long";
    if let Some(most) = limits.headers {
        require(lens.len() <= most.saturating_add(1), "too many headers")?;
    }
    if let Some(most) = limits.head {
        let total = lens.iter().fold(2_usize, |total, len| total.saturating_add(*len));
        require(total <= most, TOO_LONG)?;
    }
    if let Some((first, size, count)) = limits.buffers {
        let (mut left, mut buffers) = (first, count);
        for len in lens {
            if *len > left {
                require(*len <= size && buffers > 0, TOO_LONG)?;
                (left, buffers) = (size, buffers.saturating_sub(1));
            }
            left = left.saturating_sub(*len);
        }
    }
    Ok(())
}

/// How much of a body is handed over beside these headers.
fn room_for_body(cut: &Cut<'_>, fields: &[Field], rules: &Rules) -> Result<usize, Refusal> {
    /// The bytes that HAProxy needs for a block beside its content.
    const BLOCK: usize = 8;
    let Some(most) = rules.limits.blocks else { return Ok(rules.body.most) };
    let line = [cut.method, cut.target, cut.version.unwrap_or_default()];
    let line = line.iter().fold(2 * BLOCK, |total, part| total.saturating_add(part.len()));
    let head = fields.iter().fold(line, |total, field| {
        total.saturating_add(field.name.len()).saturating_add(field.value.len()).saturating_add(BLOCK)
    });
    let left = most.checked_sub(head).ok_or(Refusal::new("a head that is too long"))?;
    Ok(rules.body.most.min(left.saturating_sub(BLOCK)))
}
