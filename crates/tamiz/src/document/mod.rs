//! The document (section 9): the text, and ways to look at it.

mod body;
mod check;
mod cut;
mod json;
mod keys;
mod lines;
mod made_of;
mod many;
mod marker;
mod parse;
mod places;
mod tokens;
mod write;

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::str::FromStr;

use crate::config::Source;
use crate::fingerprint::Fingerprint;
use crate::flags::Flag;

pub use lines::{BodyLine, HeaderLine, Place, Raised};
pub use parse::ParseError;
pub use tokens::{TokenOptions, TokenSink, push_token_piece};
pub(crate) use write::{Notes, write};

/// The one text that says what a request is.
///
/// The text is the document: two documents are equal when their texts are. A document fresh from
/// a request also knows its version, which key of query and body raised which flag and, when asked
/// for, the evidence.
#[derive(Clone)]
pub struct Document {
    /// The text, then the notes that only a fresh document has.
    buffer: String,
    text_len: usize,
    fingerprint: Option<Fingerprint>,
    source: Option<Source>,
    evidence: Option<Box<Evidence>>,
}

/// The byte ranges of the request behind a document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    /// By place and flag.
    pub(crate) flags: BTreeMap<(String, Flag), Vec<Range<usize>>>,
    /// The ranges that the document hides; sorted, disjoint.
    pub(crate) hidden: Vec<Range<usize>>,
}

impl Document {
    pub(crate) fn fresh(
        written: &[u8],
        text_len: usize,
        fingerprint: Fingerprint,
        source: Source,
        evidence: Option<Box<Evidence>>,
    ) -> Self {
        // Every byte was written by `escape`, as UTF-8; were it not, nothing may leak from it.
        let buffer = std::str::from_utf8(written).unwrap_or_default().to_owned();
        let text_len = text_len.min(buffer.len());
        Document { buffer, text_len, fingerprint: Some(fingerprint), source: Some(source), evidence }
    }

    /// Reads a document that this form has written, strictly.
    ///
    /// # Errors
    /// Names the line, the column and what was expected there; never content.
    pub fn parse(text: &str) -> Result<Document, ParseError> {
        check::check(text)?;
        let buffer = text.to_owned();
        Ok(Document { buffer, text_len: text.len(), fingerprint: None, source: None, evidence: None })
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.buffer.get(..self.text_len).unwrap_or_default()
    }

    fn notes(&self) -> &str {
        self.buffer.get(self.text_len..).unwrap_or_default()
    }

    /// The fingerprint of the canonicalizer that wrote it; a parsed document has none.
    pub fn fingerprint(&self) -> Option<&Fingerprint> {
        self.fingerprint.as_ref()
    }

    /// Who handed over the request; of a parsed document that is not known.
    pub fn source(&self) -> Option<Source> {
        self.source
    }

    /// Changes who handed over the request, and with it the fingerprint: a container that keeps requests in more than
    /// one way knows better than the configuration.
    #[must_use]
    pub fn with_source(self, source: Source) -> Self {
        let fingerprint = match self.source {
            Some(same) if same == source => self.fingerprint,
            _ => self.fingerprint.map(|fingerprint| fingerprint.with_source(source)),
        };
        Document { source: Some(source), fingerprint, ..self }
    }

    /// The ranges of the request that the document hides: secrets, and what it shows only by shape
    /// because it is no part of a well-formed request. Empty unless evidence was asked for.
    pub fn secrets(&self) -> &[Range<usize>] {
        self.evidence.as_deref().map_or(&[], |evidence| &evidence.hidden)
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Document").field(&self.as_str()).finish()
    }
}

impl AsRef<str> for Document {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl FromStr for Document {
    type Err = ParseError;

    /// Reads a document that this form has written, as [`Document::parse`] does.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        Document::parse(text)
    }
}

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Document {}

impl Hash for Document {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}
