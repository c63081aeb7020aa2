//! `/check`: a proxy asks what a request is before it passes it on. Any method: Envoy asks with that of the request.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use data_encoding::BASE64;

use super::head::Head;
use super::sources::Asker;
use super::verdict::{self, Told, Verdict};
use crate::answers::Shared;
use crate::app::App;
use crate::problem::Problem;
use crate::{body, work};

pub(crate) const FLAGS: &str = "x-tamiz-flags";
pub(crate) const DIGEST: &str = "x-tamiz-digest";
pub(crate) const DOCUMENT: &str = "x-tamiz-document";
/// Where there is a model: the score, its p-value, and how many tokens are new.
pub(crate) const SCORE: [&str; 3] = ["x-tamiz-score", "x-tamiz-p-value", "x-tamiz-novel"];

/// The longest document that goes in a header, as Base64: proxies take heads of a few kilobytes.
const LONGEST: usize = 6 << 10;

/// Answers what comes through the HTTP library.
pub(crate) async fn any(State(app): Shared, request: Request) -> Result<Response, Problem> {
    let (head, body) = request.into_parts();
    let whole = body::read(&app, body).await?;
    let shared = Arc::clone(&app);
    let verdict = work::on(whole.slot, move || {
        let target = head.uri.path_and_query().map_or("", |target| target.as_str());
        let headers = head.headers.iter().map(|(name, value)| (name.as_str().as_bytes(), value.as_bytes()));
        let head = Head::new(head.method.as_str().as_bytes(), target.as_bytes(), headers.collect());
        judged(&shared, &head, &whole.bytes)
    })
    .await??;
    let mut response = Response::new(Body::empty());
    *response.status_mut() = verdict.status();
    let headers = response.headers_mut();
    for (name, value) in verdict.fields() {
        // They are visible ASCII.
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    Ok(response)
}

/// Judges the request that a question is about.
pub(crate) fn judged(app: &App, head: &Head<'_>, body: &[u8]) -> Result<Verdict, Problem> {
    let (asker, rest) = Asker::of(head.target).ok_or(Problem::NotFound)?;
    let given = asker.given(head, rest, body).ok_or(Problem::Check)?;
    verdict::reach(app, given)
}

impl Verdict {
    pub(crate) fn status(&self) -> StatusCode {
        if self.is_denied { StatusCode::FORBIDDEN } else { StatusCode::OK }
    }

    /// The headers that tell it.
    pub(crate) fn fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = vec![
            (FLAGS, self.flags.clone()),
            (DIGEST, self.digest.clone()),
            (crate::stamp::FINGERPRINT, self.fingerprint.to_str().unwrap_or_default().to_owned()),
            ("cache-control", "no-store".to_owned()),
        ];
        if let Some(Told { score, p_value, novel }) = self.score.clone() {
            fields.extend(SCORE.into_iter().zip([score, p_value, novel]));
        }
        if let Some(document) = self.document.as_ref().filter(|document| document.len() <= LONGEST) {
            fields.push((DOCUMENT, BASE64.encode(document.as_bytes())));
        }
        fields
    }
}
