//! The library for browsers and Node, as WebAssembly: `cargo x site` builds it.
//!
//! Everything here hands over text: documents and the registry of flags as JSON, tokens with a space between them.
//! `web/npm/` has the names and types that programs use.

mod registry;
#[cfg(feature = "detector")]
mod scorer;

use std::str::FromStr;

use tamiz::{Config, Profile, Scheme, View};
use wasm_bindgen::prelude::*;

/// Turns requests into documents, with one configuration.
#[wasm_bindgen]
pub struct Canonicalizer {
    inner: tamiz::Canonicalizer,
}

#[wasm_bindgen]
impl Canonicalizer {
    /// Makes a canonicalizer; an option that is not given has its default.
    ///
    /// # Errors
    /// When an option is not one of its words.
    #[wasm_bindgen(constructor)]
    pub fn new(
        view: Option<String>,
        profile: Option<String>,
        scheme: Option<String>,
    ) -> Result<Canonicalizer, JsError> {
        let mut config = Config::default();
        config.view = word("view", view, config.view, View::ALL, View::as_str)?;
        config.profile = word("profile", profile, config.profile, Profile::ALL, Profile::as_str)?;
        config.scheme = word("scheme", scheme, config.scheme, Scheme::ALL, Scheme::as_str)?;
        Ok(Canonicalizer { inner: tamiz::Canonicalizer::new(config) })
    }

    /// Returns the text of a request's document.
    pub fn text(&self, request: &[u8]) -> String {
        self.inner.canonicalize(request).to_string()
    }

    /// Returns a request's document as a JSON object, with the byte ranges behind each flag if `evidence` is set.
    pub fn json(&self, request: &[u8], evidence: bool) -> String {
        let document = if evidence {
            self.inner.canonicalize_with_evidence(request)
        } else {
            self.inner.canonicalize(request)
        };
        // All keys are text.
        serde_json::to_string(&document).unwrap_or_default()
    }

    /// Returns the tokens of a request's document, with a space between them.
    pub fn tokens(&self, request: &[u8]) -> String {
        self.inner.canonicalize(request).tokens().join(" ")
    }

    /// Returns the identity of rules, tables and configuration.
    #[wasm_bindgen(getter)]
    pub fn fingerprint(&self) -> String {
        self.inner.fingerprint().as_str().to_owned()
    }
}

/// Returns the registry of flags as a JSON array.
#[wasm_bindgen]
pub fn flags() -> String {
    registry::json()
}

/// Returns the version of the form that documents are written in.
#[wasm_bindgen(js_name = formVersion)]
pub fn form_version() -> u32 {
    tamiz::FORM_VERSION
}

/// Reads one of an option's words.
fn word<T: Copy + FromStr>(
    name: &str,
    given: Option<String>,
    default: T,
    all: &[T],
    as_str: fn(T) -> &'static str,
) -> Result<T, JsError> {
    let Some(given) = given else { return Ok(default) };
    given.parse().map_err(|_| {
        let words: Vec<&str> = all.iter().map(|one| as_str(*one)).collect();
        JsError::new(&format!("{name} must be one of {}", words.join(", ")))
    })
}
