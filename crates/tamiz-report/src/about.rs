//! The inputs of a summary, and its description.

use crate::count::scores::Scored;

/// A document, and what its container says about it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Item<'a> {
    /// The text of the document.
    pub text: &'a str,
    /// The label of the request.
    pub label: Option<&'a str>,
    /// When it was sent, in microseconds since 1970, UTC.
    pub time: Option<i64>,
    /// Who handed it over.
    pub source: &'a str,
    /// How unusual a model finds it.
    pub scored: Option<Scored<'a>>,
}

impl<'a> Item<'a> {
    /// A document of which nothing more is known.
    pub fn new(text: &'a str) -> Self {
        Item { text, label: None, time: None, source: "wire", scored: None }
    }
}

/// The description of a summary.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The heading; one is made where there is none.
    pub title: Option<String>,
    /// The identity of rules, tables and configuration.
    pub fingerprint: String,
    /// The program and its version.
    pub program: String,
    /// View and profile of the documents.
    pub view: String,
    /// See `view`.
    pub profile: String,
    /// The label that others are compared with; the one that reads like ordinary traffic where nothing is said.
    pub baseline: Option<String>,
    /// The model that requests were scored against, if there is one.
    pub model: Option<AboutModel>,
}

/// The description of the model that requests were scored against.
#[derive(Clone, Debug, Default)]
pub struct AboutModel {
    /// How many requests it has learned.
    pub requests: u64,
    /// The share of learned requests that have something new, each against all others.
    pub share_with_new: f64,
    /// The least p-value that a score can have.
    pub least_p_value: f64,
    /// Sources of the requests of which it has learned none.
    pub unknown_sources: Vec<String>,
}
