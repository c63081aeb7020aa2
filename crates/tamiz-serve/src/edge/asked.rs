//! Connections on which `/check` is asked, read without the HTTP library (see [`super::head`]). The first question that
//! is another one, or not well-formed, goes to that library with all that follows.

use std::sync::Arc;
use std::time::Instant;

use axum::http::StatusCode;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::watch;
use tokio::time::{Instant as Moment, timeout_at};

use super::check;
use super::head::{self, Head};
use super::sources::Asker;
use crate::app::{App, Slot};
use crate::connection::{LAST_CALL, Stage, closing};
use crate::front;
use crate::problem::{PROBLEM_JSON, Problem};
use crate::settings::Limits;
use crate::wire::Wire;
use crate::{routes, work};

/// How much is read at once: most questions are shorter.
const PIECE: usize = 4 << 10;

/// The rest of a connection.
pub(crate) enum Left {
    /// It has ended.
    Nothing,
    /// Bytes that were read, of a request that is not for `/check`.
    Bytes(Vec<u8>),
}

/// How the reading of a head ended.
enum Came {
    Head(usize),
    TooLong,
    /// It is long, and there is no slot for it.
    TooMany,
    NotOurs,
    /// The client is gone, or took too long, or the service ends.
    End,
}

/// Answers questions until there is another one.
pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    wire: &mut Wire<S>,
    app: &Arc<App>,
    stage: &mut watch::Receiver<Stage>,
) -> Left {
    let mut asked = Asked { wire, app, buffer: Vec::new(), slot: None, is_first: true };
    loop {
        match asked.head(stage).await {
            Came::Head(len) => match asked.answer(len).await {
                Some(Next::Question) => asked.is_first = false,
                Some(Next::Other) => return Left::Bytes(asked.buffer),
                None => break,
            },
            Came::TooLong => {
                let _ = asked.refuse("other", Problem::HeadTooLarge, false, false, Instant::now()).await;
                break;
            }
            Came::TooMany => {
                let _ = asked.refuse("other", Problem::Overload, false, false, Instant::now()).await;
                break;
            }
            Came::NotOurs => return Left::Bytes(asked.buffer),
            Came::End => return Left::Nothing,
        }
    }
    // The client hears the last answer also if it has not said all.
    let _ = asked.wire.shutdown().await;
    Left::Nothing
}

/// The next step after an answer.
enum Next {
    Question,
    /// The buffer holds a request that is not for `/check`.
    Other,
}

struct Asked<'a, S> {
    wire: &'a mut Wire<S>,
    app: &'a Arc<App>,
    /// Bytes that were received and are not answered yet.
    buffer: Vec<u8>,
    /// For a head that is long.
    slot: Option<Slot>,
    is_first: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Asked<'_, S> {
    /// Reads until there is a head.
    async fn head(&mut self, stage: &mut watch::Receiver<Stage>) -> Came {
        let mut until = Moment::now() + self.app.limits.head_time;
        let (mut looked, mut is_last) = (0, false);
        loop {
            if head::is_asked(&self.buffer) == Some(false) {
                return Came::NotOurs;
            }
            if let Some(len) = head::end(&self.buffer, looked) {
                return Came::Head(len);
            }
            looked = self.buffer.len();
            if looked > Limits::CHECK_HEAD {
                return Came::TooLong;
            }
            if looked > Limits::SMALL && self.slot.is_none() {
                match self.app.large_slot() {
                    Ok(slot) => self.slot = Some(slot),
                    Err(_) => return Came::TooMany,
                }
            }
            self.buffer.reserve(PIECE);
            tokio::select! {
                // What came is read before anybody is told to go.
                biased;
                read = timeout_at(until, self.wire.read_buf(&mut self.buffer)) => match read {
                    Ok(Ok(1..)) => {}
                    Ok(_) if self.buffer.is_empty() => return Came::End,
                    // A client may have said all, and still wait for an answer: that of the HTTP library.
                    Ok(Ok(0)) => return Came::NotOurs,
                    Ok(Err(_)) => return Came::End,
                    Err(_) => {
                        if !is_last {
                            self.app.metrics.rejected(Problem::Slow);
                        }
                        tracing::trace!("connection timed out");
                        return Came::End;
                    }
                },
                () = closing(stage), if !is_last => {
                    is_last = true;
                    if self.buffer.is_empty() {
                        if !self.is_first {
                            return Came::End;
                        }
                        // It may have been accepted just now.
                        until = until.min(Moment::now() + LAST_CALL);
                    }
                }
            }
        }
    }

    /// Answers the question at the start of the buffer; `None` at the end of the connection.
    async fn answer(&mut self, len: usize) -> Option<Next> {
        let started = Instant::now();
        let head = self.buffer.get(..len).and_then(Head::read);
        let known =
            head.as_ref().and_then(|head| Some((head.body_len()?, Asker::of(head.target)?.0.route())));
        let (Some(head), Some((body, route))) = (head, known) else { return Some(Next::Other) };
        let (method, is_head) = (front::method_name(head.method), head.method == b"HEAD");
        let keeps = head.keeps_connection() && !self.app.is_stopping();
        let (expects, whole) = (head.expects_continue(), len.saturating_add(body));
        let done = match self.body(body, whole, expects).await {
            Ok(slot) => {
                let rest = self.buffer.split_off(whole.min(self.buffer.len()));
                let question = std::mem::replace(&mut self.buffer, rest);
                let app = Arc::clone(self.app);
                work::on(slot, move || {
                    let (head, body) = question.split_at_checked(len).ok_or(Problem::Body)?;
                    let head = Head::read(head).ok_or(Problem::Body)?;
                    check::judged(&app, &head, body)
                })
                .await
                .and_then(|verdict| verdict)
                .map_err(Some)
            }
            Err(problem) => Err(problem),
        };
        match done {
            Ok(verdict) => {
                let status = verdict.status();
                let mut answer = start(status);
                for (name, value) in verdict.fields() {
                    push(&mut answer, name, &value);
                }
                push(&mut answer, "content-length", "0");
                if !keeps {
                    push(&mut answer, "connection", "close");
                }
                answer.extend_from_slice(b"\r\n");
                self.app.metrics.answered(route, status.as_u16(), started.elapsed());
                let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
                let status = status.as_u16();
                tracing::debug!(method, route, status, micros, received = body, "answered");
                self.wire.write_all(&answer).await.ok()?;
                self.wire.flush().await.ok()?;
                keeps.then_some(Next::Question)
            }
            Err(Some(problem)) => {
                // What is left of the body is not read.
                let keeps = keeps && problem == Problem::Check;
                self.refuse(route, problem, is_head, keeps, started).await?;
                keeps.then_some(Next::Question)
            }
            // It is gone.
            Err(None) => None,
        }
    }

    /// Reads until the body is there; a large one needs a slot. `None` for an error when nobody is left to hear of it.
    async fn body(
        &mut self,
        body: usize,
        whole: usize,
        expects: bool,
    ) -> Result<Option<Slot>, Option<Problem>> {
        if body > self.app.limits.body {
            return Err(Some(Problem::TooLarge));
        }
        let slot = match self.slot.take() {
            None if whole > Limits::SMALL => Some(self.app.large_slot().map_err(Some)?),
            slot => slot,
        };
        if self.buffer.len() < whole && expects {
            self.wire.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await.map_err(|_| None)?;
        }
        let until = Moment::now() + self.app.limits.body_time;
        while self.buffer.len() < whole {
            self.buffer.reserve((whole - self.buffer.len()).min(Limits::SMALL));
            match timeout_at(until, self.wire.read_buf(&mut self.buffer)).await {
                Ok(Ok(1..)) => {}
                Ok(_) => return Err(None),
                Err(_) => return Err(Some(Problem::Slow)),
            }
        }
        Ok(slot)
    }

    /// Says what is wrong.
    async fn refuse(
        &mut self,
        route: &'static str,
        problem: Problem,
        is_head: bool,
        keeps: bool,
        started: Instant,
    ) -> Option<()> {
        let (status, body) = (problem.status(), problem.body());
        let mut answer = start(status);
        push(&mut answer, "content-type", PROBLEM_JSON);
        for (name, value) in problem.fields() {
            push(&mut answer, name, value);
        }
        push(&mut answer, crate::stamp::FINGERPRINT, self.app.fingerprint());
        push(&mut answer, "content-length", &body.len().to_string());
        if !keeps {
            push(&mut answer, "connection", "close");
        }
        answer.extend_from_slice(b"\r\n");
        if !is_head {
            answer.extend_from_slice(&body);
        }
        self.app.metrics.answered(route, status.as_u16(), started.elapsed());
        self.app.metrics.rejected(problem);
        let (status, reason) = (status.as_u16(), problem.code());
        if problem == Problem::Fault {
            tracing::error!(route, status, reason, "answered");
        } else {
            tracing::debug!(route, status, reason, "answered");
        }
        self.wire.write_all(&answer).await.ok()?;
        self.wire.flush().await.ok()
    }
}

fn start(status: StatusCode) -> Vec<u8> {
    let mut answer = Vec::with_capacity(512);
    let reason = status.canonical_reason().unwrap_or_default();
    answer.extend_from_slice(format!("HTTP/1.1 {} {reason}\r\n", status.as_u16()).as_bytes());
    push(&mut answer, "x-content-type-options", "nosniff");
    answer
}

fn push(answer: &mut Vec<u8>, name: &str, value: &str) {
    for piece in [name, ": ", value, "\r\n"] {
        answer.extend_from_slice(piece.as_bytes());
    }
}

impl Asker {
    /// Its route in metrics and in the log.
    fn route(self) -> &'static str {
        routes::name(match self {
            Asker::Any => "/check",
            Asker::Nginx => "/check/nginx",
            Asker::Caddy => "/check/caddy",
            Asker::Envoy => "/check/envoy",
        })
    }
}
