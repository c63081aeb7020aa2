//! The handlers, a file each.

pub(crate) mod batch;
pub(crate) mod canonicalize;
pub(crate) mod flags;
pub(crate) mod health;
pub(crate) mod parts;
pub(crate) mod score;

use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use bytes::Bytes;
use tamiz::Document;

use crate::accept::Format;
use crate::app::{App, Slot};
use crate::choices::Chosen;
use crate::problem::Problem;
use crate::settings::Limits;
use crate::stamp::FINGERPRINT;

/// The state that every handler gets.
pub(crate) type Shared = axum::extract::State<Arc<App>>;

/// A document as `tamiz canon` prints it; it is counted.
fn rendered(app: &App, document: &Document, format: Format) -> Vec<u8> {
    app.metrics.document(document.as_str().as_bytes());
    match format {
        Format::Text => document.as_str().as_bytes().to_vec(),
        Format::Json | Format::JsonLines => {
            let mut json = Vec::with_capacity(3 * document.as_str().len());
            // Writing to memory does not fail, and all keys are text.
            let _ = serde_json::to_writer(&mut json, document);
            json.push(b'\n');
            json
        }
        Format::Tokens => {
            let mut line = document.tokens().join(" ").into_bytes();
            line.push(b'\n');
            line
        }
    }
}

/// Bytes that hold their room until nobody has them any more: until they are sent.
struct Held {
    bytes: Vec<u8>,
    _room: Slot,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// An answer as a body. A large one holds room among all answers until it is sent: clients that do not read take no more
/// memory than the limits say.
///
/// # Errors
/// [`Problem::Overload`] where there is no room for it.
fn held(app: &App, bytes: Vec<u8>) -> Result<Bytes, Problem> {
    if bytes.len() <= Limits::SMALL {
        return Ok(bytes.into());
    }
    let room = app.answer_room(bytes.len())?;
    Ok(Bytes::from_owner(Held { bytes, _room: room }))
}

/// An answer made of documents, with their fingerprint.
fn answer(body: impl Into<Body>, format: Format, chosen: &Chosen) -> Response {
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, format.content_type());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(HeaderName::from_static(FINGERPRINT), chosen.fingerprint.clone());
    response
}

/// An answer that is always the same, or that is about the service itself.
pub(crate) fn plain(body: impl Into<Body>, content_type: &'static str) -> Response {
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
