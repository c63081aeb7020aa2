//! Content negotiation: the format of the answer (RFC 9110, section 12.5.1).

use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderValue};

use crate::problem::Problem;

/// Formats of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
    Tokens,
    JsonLines,
}

impl Format {
    /// All that one document can be, the one that is preferred first.
    pub(crate) const OF_ONE: &[Format] = &[Format::Text, Format::Json, Format::Tokens];
    /// Formats that carry evidence.
    pub(crate) const WITH_EVIDENCE: &[Format] = &[Format::Json];
    /// Formats of a score.
    pub(crate) const SCORE: &[Format] = &[Format::Json];
    /// Formats of many documents.
    pub(crate) const OF_MANY: &[Format] = &[Format::JsonLines];

    /// Its type without parameters.
    pub(crate) const fn media_type(self) -> &'static str {
        match self {
            Format::Text => "text/plain",
            Format::Json => "application/json",
            Format::Tokens => "text/x-tamiz-tokens",
            Format::JsonLines => "application/x-ndjson",
        }
    }

    /// The value of `Content-Type`.
    pub(crate) fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Format::Text => "text/plain; charset=utf-8",
            Format::Tokens => "text/x-tamiz-tokens; charset=utf-8",
            Format::Json | Format::JsonLines => self.media_type(),
        })
    }
}

/// A quality of `q=1`, in thousandths.
const BEST: u16 = 1000;

/// The best of what is offered; between equals, the first.
pub(crate) fn choose(headers: &HeaderMap, offered: &'static [Format]) -> Result<Format, Problem> {
    let mut values = headers.get_all(ACCEPT).iter().peekable();
    if values.peek().is_none() {
        return offered.first().copied().ok_or(Problem::Accept(offered));
    }
    let ranges: Vec<Range<'_>> = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(Range::read)
        .collect();
    let mut best = None;
    for &format in offered {
        let closest =
            ranges.iter().filter_map(|range| range.fits(format)).max_by_key(|(closeness, _)| *closeness);
        let quality = closest.map_or(0, |(_, quality)| quality);
        if quality > best.map_or(0, |(_, most)| most) {
            best = Some((format, quality));
        }
    }
    best.map(|(format, _)| format).ok_or(Problem::Accept(offered))
}

/// One element of `Accept`.
#[derive(Clone, Copy, Debug)]
struct Range<'a> {
    kind: &'a str,
    subtype: &'a str,
    quality: u16,
}

impl<'a> Range<'a> {
    /// Parameters but the quality are passed over: what is given has none that a client could want otherwise.
    fn read(element: &'a str) -> Option<Self> {
        let mut pieces = element.split(';').map(str::trim);
        let (kind, subtype) = pieces.next()?.split_once('/')?;
        let mut quality = BEST;
        for parameter in pieces {
            if let Some((name, value)) = parameter.split_once('=')
                && name.trim().eq_ignore_ascii_case("q")
            {
                quality = thousandths(value.trim())?;
            }
        }
        Some(Range { kind, subtype, quality })
    }

    /// How closely it names the format, and its quality.
    fn fits(&self, format: Format) -> Option<(u8, u16)> {
        let (kind, subtype) = format.media_type().split_once('/')?;
        let closeness = match (self.kind, self.subtype) {
            ("*", "*") => 0,
            (there, "*") if there.eq_ignore_ascii_case(kind) => 1,
            (there, sub) if there.eq_ignore_ascii_case(kind) && sub.eq_ignore_ascii_case(subtype) => 2,
            _ => return None,
        };
        Some((closeness, self.quality))
    }
}

/// `0.25` as 250; `None` for what is no quality.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fraction: u16 = format!("{fraction:0<3}").parse().ok()?;
    match whole {
        "0" => Some(fraction),
        "1" if fraction == 0 => Some(BEST),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(accept: &[&str]) -> Result<Format, Problem> {
        let mut headers = HeaderMap::new();
        for value in accept {
            headers.append(ACCEPT, HeaderValue::from_str(value).unwrap());
        }
        choose(&headers, Format::OF_ONE)
    }

    #[test]
    fn the_best_is_chosen() {
        for (accept, format) in [
            (&[][..], Format::Text),
            (&["*/*"], Format::Text),
            (&["text/*"], Format::Text),
            (&["text/plain;charset=utf-8"], Format::Text),
            (&["application/json"], Format::Json),
            (&["APPLICATION/Json ; Q=0.5"], Format::Json),
            (&["application/*"], Format::Json),
            (&["text/x-tamiz-tokens"], Format::Tokens),
            (&["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"], Format::Text),
            (&["text/plain;q=0.1, application/json;q=0.9"], Format::Json),
            (&["text/html", "application/json"], Format::Json),
            (&["text/*;q=0.9, text/plain;q=0"], Format::Tokens),
            (&["*/*;q=0.1, application/json;q=0.101"], Format::Json),
            (&["nonsense, application/json"], Format::Json),
        ] {
            assert_eq!(chosen(accept), Ok(format), "{accept:?}");
        }
    }

    #[test]
    fn what_cannot_be_given_is_not() {
        for accept in [
            "text/html",
            "",
            "*",
            "text/plain;q=0",
            "text/plain;q=2",
            "*/*;q=0.0",
            "text/plain;q=0.0001",
            "/",
        ] {
            assert_eq!(chosen(&[accept]), Err(Problem::Accept(Format::OF_ONE)), "{accept}");
        }
    }
}
