//! A body, all of it: no longer than it may be, and in time.

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_ENCODING;
use bytes::{Bytes, BytesMut};
use http_body::Body as _;
use http_body_util::BodyExt;

use crate::app::{App, Slot};
use crate::problem::Problem;
use crate::settings::Limits;

/// A body that is there, with the slot that a large one needs.
#[derive(Debug)]
pub(crate) struct Whole {
    pub(crate) bytes: Bytes,
    pub(crate) slot: Option<Slot>,
}

/// Reads a body.
pub(crate) async fn read(app: &App, body: Body) -> Result<Whole, Problem> {
    tokio::time::timeout(app.limits.body_time, whole(app, body)).await.unwrap_or(Err(Problem::Slow))
}

async fn whole(app: &App, mut body: Body) -> Result<Whole, Problem> {
    let most = app.limits.body;
    let announced = body.size_hint().lower();
    // Whoever says how long it is need not be listened to.
    if announced > as_u64(most) {
        return Err(Problem::TooLarge);
    }
    let mut slot = if announced > as_u64(Limits::SMALL) { Some(app.large_slot()?) } else { None };
    // Most bodies are one piece, which need not be copied.
    let Some(first) = next(&mut body).await? else {
        return Ok(Whole { bytes: Bytes::new(), slot });
    };
    let mut all = if body.is_end_stream() && first.len() <= Limits::SMALL.min(most) {
        return Ok(Whole { bytes: first, slot });
    } else {
        BytesMut::from(&first[..])
    };
    while all.len() <= most {
        if all.len() > Limits::SMALL && slot.is_none() {
            slot = Some(app.large_slot()?);
        }
        match next(&mut body).await? {
            Some(piece) => all.extend_from_slice(&piece),
            None => return Ok(Whole { bytes: all.freeze(), slot }),
        }
    }
    Err(Problem::TooLarge)
}

/// The next piece of the body; trailers are passed over.
async fn next(body: &mut Body) -> Result<Option<Bytes>, Problem> {
    while let Some(frame) = body.frame().await {
        match frame.map_err(|_| Problem::Body)?.into_data() {
            Ok(piece) => return Ok(Some(piece)),
            Err(_trailers) => {}
        }
    }
    Ok(None)
}

/// Refuses bodies that would have to be decoded first: taken as they are, they would be another request.
pub(crate) fn check_coding(headers: &HeaderMap) -> Result<(), Problem> {
    let is_plain = |value: &axum::http::HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
    if headers.get_all(CONTENT_ENCODING).iter().all(is_plain) { Ok(()) } else { Err(Problem::Coding) }
}

fn as_u64(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}
