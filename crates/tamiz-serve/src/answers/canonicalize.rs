//! `POST /v1/canonicalize`: the bytes of a request to its document.

use std::cell::RefCell;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use tamiz::{Canonicalizer, Scratch};

use super::{Shared, answer, held, rendered};
use crate::accept::{self, Format};
use crate::app::App;
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
    let is_small = whole.slot.is_none();
    let document = work::on(whole.slot, move || {
        let canonicalizer = &shared.chosen(query.wish)?.canonicalizer;
        if is_small && format == Format::Text {
            return Ok(small_text(&shared, canonicalizer, &whole.bytes));
        }
        let document = if query.evidence {
            canonicalizer.canonicalize_with_evidence(&whole.bytes)
        } else {
            canonicalizer.canonicalize(&whole.bytes)
        };
        Ok(rendered(&shared, &document, format))
    })
    .await??;
    Ok(answer(held(&app, document)?, format, chosen))
}

/// The text of the document of a small request, made in memory that the thread keeps; it is counted.
fn small_text(app: &App, canonicalizer: &Canonicalizer, request: &[u8]) -> Vec<u8> {
    thread_local! {
        static SCRATCH: RefCell<Scratch> = RefCell::default();
    }
    // Documents are about as long as what they are of.
    let mut text = Vec::with_capacity(request.len());
    SCRATCH.with_borrow_mut(|scratch| canonicalizer.canonicalize_into(scratch, request, &mut text));
    app.metrics.document(&text);
    text
}
