//! `POST /v1/canonicalize`: the bytes of a request to its document.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;

use super::{Shared, answer, rendered};
use crate::accept::{self, Format};
use crate::problem::Problem;
use crate::query::{self, Names};
use crate::{body, work};

/// Answers.
pub(crate) async fn post(State(app): Shared, request: Request) -> Result<Response, Problem> {
    let (head, body) = request.into_parts();
    let query = query::read(head.uri.query(), Names::WishAndEvidence)?;
    let offered = if query.evidence { Format::WITH_EVIDENCE } else { Format::OF_ONE };
    let format = accept::choose(&head.headers, offered)?;
    body::check_coding(&head.headers)?;
    let chosen = app.chosen(query.wish)?;
    let whole = body::read(&app, body).await?;
    let shared = Arc::clone(&app);
    let document = work::on(whole.slot, move || {
        let canonicalizer = &shared.chosen(query.wish)?.canonicalizer;
        let document = if query.evidence {
            canonicalizer.canonicalize_with_evidence(&whole.bytes)
        } else {
            canonicalizer.canonicalize(&whole.bytes)
        };
        Ok(rendered(&shared, &document, format))
    })
    .await??;
    Ok(answer(Body::from(document), format, chosen))
}
