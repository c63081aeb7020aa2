//! `POST /v1/score`: how unusual a request is, from its bytes, and why.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;

use super::{Shared, answer, held};
use crate::accept::{self, Format};
use crate::choices::Wish;
use crate::problem::Problem;
use crate::query::{self, Names};
use crate::{body, work};

/// Answers.
pub(crate) async fn post(State(app): Shared, request: Request) -> Result<Response, Problem> {
    let (head, body) = request.into_parts();
    // A model belongs to one configuration: there is nothing to wish for.
    query::read(head.uri.query(), Names::None)?;
    let format = accept::choose(&head.headers, Format::SCORE)?;
    body::check_coding(&head.headers)?;
    let wish = app.scored(Wish::default());
    let chosen = app.chosen(wish)?;
    let whole = body::read(&app, body).await?;
    let shared = Arc::clone(&app);
    let score = work::on(whole.slot, move || {
        let document = shared.chosen(wish)?.canonicalizer.canonicalize(&whole.bytes);
        shared.metrics.document(document.as_str().as_bytes());
        let explained = shared.detector().explain(&document).map_err(|_| Problem::Fault)?;
        shared.metrics.scored(explained.score());
        let mut json = serde_json::to_vec(&explained).map_err(|_| Problem::Fault)?;
        json.push(b'\n');
        Ok(json)
    })
    .await??;
    Ok(answer(held(&app, score)?, format, chosen))
}
