//! Why a request scores as it does, in words. A reason holds a token and counts, and nothing else of the request.

use std::fmt;
use std::ops::Range;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use tamiz::Document;

use crate::evidence;
use crate::log::ONE;
use crate::novelty::Seen;
use crate::token::Parts;

/// A token that weighs in a score.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    why: Why,
    token: String,
    endpoint: String,
    at_endpoint: bool,
    seen: Seen,
    bits: i64,
    evidence: Vec<Range<usize>>,
}

/// Why a token is a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// It is new, or rare.
    Unusual,
    /// It is a flag that attacks raise more often.
    Flag { ratio: i64 },
}

impl Reason {
    pub(crate) fn new(
        why: Why,
        token: &str,
        endpoint: &str,
        at_endpoint: bool,
        seen: Seen,
        bits: i64,
    ) -> Self {
        let (token, endpoint) = (token.to_owned(), endpoint.to_owned());
        Reason { why, token, endpoint, at_endpoint, seen, bits, evidence: Vec::new() }
    }

    /// The token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// How much it weighs, in bits.
    pub fn bits(&self) -> f64 {
        self.bits as f64 / ONE as f64
    }

    /// Returns whether it was never seen before.
    pub fn is_new(&self) -> bool {
        self.seen.count == 0
    }

    /// Returns whether it is a flag that attacks raise more often.
    pub fn is_flag(&self) -> bool {
        matches!(self.why, Why::Flag { .. })
    }

    /// The bytes of the request that it is about; empty unless [`Explanation::locate`](crate::Explanation::locate)
    /// found some.
    pub fn evidence(&self) -> &[Range<usize>] {
        &self.evidence
    }

    pub(crate) fn locate(&mut self, request: &[u8], document: &Document) {
        self.evidence = evidence::of(&self.token, request, document);
    }

    /// In how many learned requests it was, and in how many its place was.
    pub fn counts(&self) -> (u64, u64) {
        (self.seen.count, self.seen.of)
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Reason", 7)?;
        out.serialize_field("token", &self.token)?;
        out.serialize_field("bits", &self.bits())?;
        out.serialize_field("flag", &self.is_flag())?;
        out.serialize_field("count", &self.seen.count)?;
        out.serialize_field("of", &self.seen.of)?;
        out.serialize_field("text", &self.to_string())?;
        if self.evidence.is_empty() {
            out.skip_field("evidence")?;
        } else {
            let ranges: Vec<[usize; 2]> =
                self.evidence.iter().map(|range| [range.start, range.end]).collect();
            out.serialize_field("evidence", &ranges)?;
        }
        out.end()
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = Parts::of(&self.token);
        let site = parts.site(&self.token);
        let name = site.split_once('.').map_or(site, |(_, name)| name);
        let what = self.token.get(parts.family.len()..).unwrap_or_default();
        let of = if self.at_endpoint { self.endpoint.as_str() } else { "any endpoint" };
        let Seen { count, of: total } = self.seen;
        if let Why::Flag { ratio } = self.why {
            let flag = self.token.rsplit_once('=').map_or("", |(_, flag)| flag);
            let how_often = match (ratio / ONE).clamp(0, 40) {
                0 => "a little more often".to_owned(),
                1 => "about twice as often".to_owned(),
                bits => format!("about {} times as often", grouped(1 << bits)),
            };
            return write!(f, "`{name}` raises {flag}: attacks do so {how_often}");
        }
        let never = count == 0;
        let how_often = if never {
            format!("; {} seen", grouped(total))
        } else {
            format!(" in {} of {}", grouped(count), grouped(total))
        };
        match (parts.family, parts.op) {
            ("e", _) if never => write!(f, "no request to {} was learned{how_often}", self.endpoint),
            ("e", _) => write!(f, "requests to {} are rare:{how_often}", self.endpoint),
            (_, b'.') if never => write!(f, "{of} never had `{name}`{how_often}"),
            (_, b'.') => write!(f, "{of} had `{name}`{how_often}"),
            (_, b'~') if never => write!(f, "`{name}` of {of} never held `{what}`{how_often}"),
            (_, b'~') => write!(f, "`{name}` of {of} held `{what}`{how_often}"),
            (_, b'&') => {
                let (shape, sign) = what.split_once('~').unwrap_or((what, ""));
                let verb = if never { "never held" } else { "held" };
                write!(f, "`{name}` of {of} {verb} `{sign}` in a value of shape `{shape}`{how_often}")
            }
            (_, b'f') => {
                let verb = if never { "never raised" } else { "raised" };
                write!(f, "`{name}` of {of} {verb} {}{how_often}", what.trim_start_matches('='))
            }
            _ if parts.place.is_some() => {
                let verb = if never { "was never" } else { "was" };
                write!(f, "`{name}` of {of} {verb} `{what}`{how_often}")
            }
            _ => {
                let verb = if never { "never had" } else { "had" };
                write!(f, "{of} {verb} `{}`{how_often}", self.token)
            }
        }
    }
}

/// A number with commas between its thousands.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_in_words() {
        let reason = |why, token: &str, count, of| {
            Reason::new(why, token, "POST /pagar.jsp", true, Seen { count, of }, ONE).to_string()
        };
        let new = |token: &str| reason(Why::Unusual, token, 0, 2144);
        assert_eq!(new("b.cp~'"), "`cp` of POST /pagar.jsp never held `'`; 2,144 seen");
        assert_eq!(new("b.cp=mixed@16-31"), "`cp` of POST /pagar.jsp was never `mixed@16-31`; 2,144 seen");
        assert_eq!(new("b.cpA"), "POST /pagar.jsp never had `cpA`; 2,144 seen");
        assert_eq!(new("hcnt=3"), "POST /pagar.jsp never had `hcnt=3`; 2,144 seen");
        assert_eq!(
            new("b.cp&mixed~'"),
            "`cp` of POST /pagar.jsp never held `'` in a value of shape `mixed`; 2,144 seen"
        );
        assert_eq!(new("f.b.cp=QUOTE"), "`cp` of POST /pagar.jsp never raised QUOTE; 2,144 seen");
        assert_eq!(new("e=POST /pagar.jsp"), "no request to POST /pagar.jsp was learned; 2,144 seen");
        assert_eq!(reason(Why::Unusual, "b.cp~'", 3, 2144), "`cp` of POST /pagar.jsp held `'` in 3 of 2,144");
        assert_eq!(
            reason(Why::Flag { ratio: 7 * ONE }, "f.b.cp=QUOTE", 0, 9),
            "`cp` raises QUOTE: attacks do so about 128 times as often"
        );
        for (ratio, how_often) in
            [(1, "a little more often"), (ONE, "about twice as often"), (2 * ONE, "about 4 times as often")]
        {
            let reason = reason(Why::Flag { ratio }, "f.b.cp=QUOTE", 0, 9);
            assert_eq!(reason, format!("`cp` raises QUOTE: attacks do so {how_often}"));
        }
    }
}
