//! `POST /v1/batch`: JSON lines to JSON lines, as they come.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use http_body::Frame;
use http_body_util::BodyExt;
use serde_json::json;
use tamiz_containers::Record;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::{Held, Shared, answer};
use crate::accept::{self, Format};
use crate::app::{App, Slot};
use crate::choices::Wish;
use crate::problem::Problem;
use crate::query::{self, Names};
use crate::settings::Limits;
use crate::{body, work};

/// About how many bytes of answers go out at once.
const PIECE: usize = 32 << 10;
/// How many such pieces may wait for a client that reads slowly; then its lines wait too.
const WAITING: usize = 2;

/// Answers.
pub(crate) async fn post(State(app): Shared, request: Request) -> Result<Response, Problem> {
    let (head, body) = request.into_parts();
    let query = query::read(head.uri.query(), Names::Wish)?;
    let format = accept::choose(&head.headers, Format::OF_MANY)?;
    body::check_coding(&head.headers)?;
    let chosen = app.chosen(query.wish)?;
    let slot = app.stream_slot()?;
    let (out, pieces) = mpsc::channel(WAITING);
    let lines = Lines { app: Arc::clone(&app), wish: query.wish, out, answers: Vec::new(), line: 0 };
    tokio::spawn(stream(lines, body, slot));
    Ok(answer(Body::new(Answers(pieces)), format, chosen))
}

/// The answers, as a body.
struct Answers(mpsc::Receiver<Bytes>);

impl http_body::Body for Answers {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(cx).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}

/// Nobody listens any more.
struct Gone;

/// Reads lines to the end of the body, and answers them. The slot is held until then.
async fn stream(mut lines: Lines, body: Body, slot: Slot) {
    // A client that is gone needs no more answers.
    let _ = lines.all(body).await;
    drop(slot);
}

/// A stream under way.
struct Lines {
    app: Arc<App>,
    wish: Wish,
    out: mpsc::Sender<Bytes>,
    /// Answers that are not sent yet.
    answers: Vec<u8>,
    /// The number of the last line.
    line: u64,
}

impl Lines {
    async fn all(&mut self, mut body: Body) -> Result<(), Gone> {
        let (most, patience) = (self.app.limits.body, self.app.limits.body_time);
        let mut begun = Vec::new();
        // Whether what is left of the present line is passed over.
        let mut is_too_long = false;
        loop {
            let piece = match next(&mut body, patience).await {
                Next::Piece(piece) => piece,
                Next::End => break,
                Next::Broken => return Err(Gone),
                Next::Slow => {
                    self.app.metrics.rejected(Problem::Slow);
                    self.line += 1;
                    self.error("nothing more came in time, and nothing more is read");
                    return self.send().await;
                }
            };
            let mut rest = &piece[..];
            while let Some(end) = memchr::memchr(b'\n', rest) {
                let (line, after) = rest.split_at(end);
                rest = after.get(1..).unwrap_or_default();
                if is_too_long {
                    is_too_long = false;
                } else if begun.is_empty() {
                    self.answer(line.to_vec()).await?;
                } else {
                    begun.extend_from_slice(line);
                    self.answer(std::mem::take(&mut begun)).await?;
                }
            }
            if !is_too_long {
                begun.extend_from_slice(rest);
                if begun.len() > most {
                    is_too_long = true;
                    // Cut, it is still too long, and is told so.
                    begun.truncate(most + 1);
                    self.answer(std::mem::take(&mut begun)).await?;
                }
            }
            // A client may wait for these before it goes on.
            self.send().await?;
        }
        if !begun.is_empty() {
            self.answer(begun).await?;
        }
        self.send().await
    }

    /// Answers one line.
    async fn answer(&mut self, line: Vec<u8>) -> Result<(), Gone> {
        self.line += 1;
        let (app, wish, number) = (Arc::clone(&self.app), self.wish, self.line);
        let is_large = line.len() > Limits::SMALL && line.len() <= app.limits.body;
        // A stream waits for its turn: what is sent on meanwhile waits in the client.
        let slot = if is_large { app.large_turn().await } else { None };
        let made = work::on(slot, move || document(&app, wish, &line, number)).await;
        match made {
            // A large answer goes by itself, when there is room for it.
            Ok(Ok(bytes)) if bytes.len() > Limits::SMALL => {
                self.send().await?;
                let room = self.app.answer_turn(bytes.len()).await.ok_or(Gone)?;
                let piece = Bytes::from_owner(Held { bytes, _room: room });
                return self.out.send(piece).await.map_err(|_| Gone);
            }
            Ok(Ok(mut json)) => self.answers.append(&mut json),
            Ok(Err(reason)) => self.error(&reason),
            Err(_fault) => {
                self.app.metrics.rejected(Problem::Fault);
                self.error("a fault of the service; please report it");
            }
        }
        if self.answers.len() >= PIECE { self.send().await } else { Ok(()) }
    }

    /// Says that the present line holds no request.
    fn error(&mut self, reason: &str) {
        let error = json!({ "error": { "line": self.line, "reason": reason } });
        self.answers.extend_from_slice(error.to_string().as_bytes());
        self.answers.push(b'\n');
    }

    async fn send(&mut self) -> Result<(), Gone> {
        if self.answers.is_empty() {
            return Ok(());
        }
        self.out.send(std::mem::take(&mut self.answers).into()).await.map_err(|_| Gone)
    }
}

/// The answer to a line: nothing to a blank one. What is wrong with it is told without what is there.
fn document(app: &App, wish: Wish, line: &[u8], number: u64) -> Result<Vec<u8>, String> {
    const MARK: &[u8] = b"\xEF\xBB\xBF";
    let line = if number == 1 { line.strip_prefix(MARK).unwrap_or(line) } else { line };
    let Some(record) = Record::of_json_line(line, number, app.limits.body) else { return Ok(Vec::new()) };
    let record = record.map_err(|unreadable| unreadable.reason.into_owned())?;
    let chosen = app.chosen(wish).map_err(|_| String::new())?;
    let document = record.document(&chosen.canonicalizer);
    app.metrics.document(document.as_str().as_bytes());
    let mut json = Vec::with_capacity(3 * document.as_str().len());
    record.write_json(&document, &mut json);
    json.push(b'\n');
    Ok(json)
}

enum Next {
    Piece(Bytes),
    End,
    Broken,
    Slow,
}

async fn next(body: &mut Body, patience: Duration) -> Next {
    loop {
        return match timeout(patience, body.frame()).await {
            Err(_) => Next::Slow,
            Ok(None) => Next::End,
            Ok(Some(Err(_))) => Next::Broken,
            Ok(Some(Ok(frame))) => match frame.into_data() {
                Ok(piece) => Next::Piece(piece),
                Err(_trailers) => continue,
            },
        };
    }
}
