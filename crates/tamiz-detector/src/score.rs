//! The score of a request, with its p-value, and its reasons.

use std::sync::Arc;

use serde::ser::{Serialize, SerializeStruct, Serializer};
use tamiz::Document;

use crate::log::ONE;
use crate::reason::Reason;

/// How far a request is from what was learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    pub(crate) raw: i64,
    pub(crate) p_value: Option<f64>,
    pub(crate) novelty: i64,
    pub(crate) flags: i64,
    pub(crate) new: u64,
    pub(crate) learned_endpoint: bool,
}

impl Score {
    /// The score: higher is further away. It is finite and not negative.
    pub fn value(&self) -> f64 {
        self.raw as f64 / ONE as f64
    }

    /// The share of learned requests that score as high; `None` without a model.
    pub fn p_value(&self) -> Option<f64> {
        self.p_value
    }

    /// The weight of what is new or rare, in bits.
    pub fn novelty(&self) -> f64 {
        self.novelty as f64 / ONE as f64
    }

    /// The weight of the flags, in bits.
    pub fn flags(&self) -> f64 {
        self.flags as f64 / ONE as f64
    }

    /// How many tokens were never seen at the endpoint; over all endpoints, where this one is new.
    pub fn new_tokens(&self) -> u64 {
        self.new
    }

    /// Returns whether requests to the same endpoint were learned.
    pub fn learned_endpoint(&self) -> bool {
        self.learned_endpoint
    }
}

/// A score, and why it is what it is.
#[derive(Clone, Debug)]
pub struct Explanation {
    pub(crate) score: Score,
    pub(crate) reasons: Vec<Reason>,
    pub(crate) endpoint: Arc<str>,
}

impl Explanation {
    /// The score.
    pub fn score(&self) -> &Score {
        &self.score
    }

    /// The tokens that weigh most, at most five.
    pub fn reasons(&self) -> &[Reason] {
        &self.reasons
    }

    /// Finds the bytes of the request that its reasons are about. The document has its evidence: it was made of the
    /// request by [`canonicalize_with_evidence`](tamiz::Canonicalizer::canonicalize_with_evidence).
    pub fn locate(&mut self, request: &[u8], document: &Document) {
        self.reasons.iter_mut().for_each(|reason| reason.locate(request, document));
    }

    /// The method and the path template.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }
}

impl Serialize for Explanation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Explanation", 6)?;
        out.serialize_field("score", &self.score.value())?;
        out.serialize_field("p_value", &self.score.p_value)?;
        out.serialize_field("novelty", &self.score.novelty())?;
        out.serialize_field("flags", &self.score.flags())?;
        out.serialize_field("new", &self.score.new)?;
        out.serialize_field("reasons", &self.reasons)?;
        out.end()
    }
}
