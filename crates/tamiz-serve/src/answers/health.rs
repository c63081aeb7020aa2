//! `GET /healthz`, `/readyz` and `/metrics`: how the service is.

use axum::extract::State;
use axum::response::Response;

use super::{Shared, plain};
use crate::metrics;
use crate::problem::Problem;

const TEXT: &str = "text/plain; charset=utf-8";

/// It runs.
pub(crate) async fn healthz() -> Response {
    plain("ok\n", TEXT)
}

/// It takes requests.
pub(crate) async fn readyz(State(app): Shared) -> Result<Response, Problem> {
    if app.is_stopping() { Err(Problem::Stopping) } else { Ok(plain("ready\n", TEXT)) }
}

/// The counters.
pub(crate) async fn counters(State(app): Shared) -> Response {
    plain(app.metrics.text(), metrics::CONTENT_TYPE)
}
