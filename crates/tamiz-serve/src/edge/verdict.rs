//! The verdict that a proxy gets about a request: its flags, a digest of its document, with a model its score, and
//! whether to turn it away.

use std::fmt::Write;

use sha2::{Digest, Sha256};
use tamiz::{Document, Flag, Parts, Source};
use tamiz_detector::Score;

use super::id;
use super::sources::Given;
use crate::app::App;
use crate::choices::Wish;
use crate::metrics;
use crate::problem::Problem;

/// The verdict on a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// The flags of the document, with a space between them; see [`told`].
    pub(crate) flags: String,
    /// The first half of the SHA-256 of its text, in hexadecimal.
    pub(crate) digest: String,
    /// The text, where it was asked for.
    pub(crate) document: Option<String>,
    pub(crate) fingerprint: axum::http::HeaderValue,
    /// How unusual it is, where there is a model.
    pub(crate) score: Option<Told>,
    pub(crate) is_denied: bool,
}

/// A score as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) score: String,
    pub(crate) p_value: String,
    /// How many tokens were never seen at the endpoint.
    pub(crate) novel: String,
}

impl Told {
    fn of(score: &Score) -> Self {
        Told {
            score: format!("{:.4}", score.value()),
            p_value: format!("{:.6}", score.p_value().unwrap_or(1.0)),
            novel: score.new_tokens().to_string(),
        }
    }
}

/// How many bytes of the digest are told: enough to tell any two documents apart.
const DIGEST: usize = 16;

/// Makes the document, counts it, and gives it to whoever reads them all.
pub(crate) fn reach(app: &App, given: Given<'_>) -> Result<Verdict, Problem> {
    let length = given.parts.body.map(|body| body.len().to_string());
    let mut parts = given.parts;
    if matches!(given.source, Source::HaproxySpoe | Source::EnvoyExtProc | Source::EnvoyExtAuthz) {
        restate_length(&mut parts, length.as_deref());
    }
    let wish = Wish { scheme: given.scheme, source: Some(given.source), ..Wish::default() };
    let chosen = app.chosen(wish)?;
    let document = chosen.canonicalizer.canonicalize_parts(&parts);
    let text = document.as_str();
    app.metrics.document(text.as_bytes());
    let flags = told(text);
    let score = score(app, &document, wish, &parts);
    let is_denied = app.deny.denies(&flags) || score.as_ref().is_some_and(|score| app.denies(score));
    app.metrics.checked(given.source, is_denied);
    let mut digest = String::with_capacity(2 * DIGEST);
    for byte in Sha256::digest(text).iter().take(DIGEST) {
        // Writing to memory does not fail.
        let _ = write!(digest, "{byte:02x}");
    }
    let told = given.wants_document.then(|| text.to_owned());
    if let Some(sink) = &app.sink {
        let id = id::told(app, given.id, &parts);
        sink.offer(document, id);
    }
    Ok(Verdict {
        flags,
        digest,
        document: told,
        fingerprint: chosen.fingerprint.clone(),
        score: score.as_ref().map(Told::of),
        is_denied,
    })
}

/// The score of a request, where there is a model; from a document of another view, where this one's cannot be scored.
fn score(app: &App, document: &Document, wish: Wish, parts: &Parts<'_>) -> Option<Score> {
    let scored = app.scored(wish);
    if scored == wish {
        return app.score(document);
    }
    if !app.has_model() {
        return None;
    }
    app.score(&app.chosen(scored).ok()?.canonicalizer.canonicalize_parts(parts))
}

/// Where a proxy hands over bodies, it has undone their chunks and may have cut them: how long a body is, is said of
/// what is there.
fn restate_length<'a>(parts: &mut Parts<'a>, length: Option<&'a str>) {
    parts.headers.retain(|(name, _)| {
        !name.eq_ignore_ascii_case(b"content-length") && !name.eq_ignore_ascii_case(b"transfer-encoding")
    });
    if let Some(length) = length {
        parts.header(b"content-length", length.as_bytes());
    }
}

/// The flags of a document as a proxy is told them: by name, and with a word of a closed list. What else may follow the
/// colon is named by the client, who could make the list longer than any proxy takes.
pub(super) fn told(text: &str) -> String {
    let mut told = String::new();
    let mut last = "";
    for item in metrics::rolled_up_items(text.as_bytes()) {
        let (name, word) = item.split_once(':').unwrap_or((item, ""));
        let is_word =
            !word.is_empty() && Flag::from_name(name).is_some_and(|flag| flag.parameter() == Some("word"));
        let shown = if is_word { item } else { name };
        // They are sorted.
        if shown != last {
            if !told.is_empty() {
                told.push(' ');
            }
            told.push_str(shown);
            last = shown;
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_once_and_words_with_them() {
        for (line, flags) in [
            ("", ""),
            ("FLAGS:[COOKIE:2 DOTDOT]\n", "COOKIE DOTDOT"),
            ("FLAGS:[KW:sql KW:xss QREPEAT:* QREPEAT:a QREPEAT:b]\n", "KW:sql KW:xss QREPEAT"),
        ] {
            assert_eq!(told(&format!("M:GET\n{line}H:a=b\n")), flags);
        }
    }

    #[test]
    fn lengths_are_those_of_what_is_there() {
        let mut parts = Parts::new(b"POST", b"/");
        parts.header(b"Transfer-Encoding", b"chunked").header(b"a", b"b").header(b"content-length", b"99");
        let mut bare = parts.clone();
        restate_length(&mut parts, Some("3"));
        assert_eq!(parts.headers, [(&b"a"[..], &b"b"[..]), (b"content-length", b"3")]);
        restate_length(&mut bare, None);
        assert_eq!(bare.headers, [(&b"a"[..], &b"b"[..])]);
    }

    #[test]
    fn the_list_is_short_and_plain_whatever_the_request() {
        let tamiz = tamiz::Canonicalizer::new(tamiz::Config::default());
        let keys: String = (0..500).map(|n| format!("k{n}\u{e9}=%27&k{n}\u{e9}=<")).collect();
        let examples = Flag::ALL.iter().map(|flag| flag.raises().to_vec());
        for request in examples.chain([format!("GET /?{keys} HTTP/1.1\r\n\r\n").into_bytes()]) {
            let flags = told(tamiz.canonicalize(&request).as_str());
            assert!(flags.len() < 2000 && flags.bytes().all(|byte| (b' '..0x7F).contains(&byte)), "{flags}");
        }
    }
}
