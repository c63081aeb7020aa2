//! An agent of HAProxy's stream processing offload engine: `--spoe`.
//!
//! HAProxy says hello, is told which frames are taken, and sends a frame for each request, which is acknowledged with
//! variables to set. Frames are read one at a time, none longer than was agreed.

mod frame;
mod message;

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

use crate::app::App;
use crate::connection::{Stage, closing};
use crate::edge::verdict;
use crate::problem::Problem;
use crate::work;
use frame::{
    ACK, AGENT_DISCONNECT, AGENT_HELLO, Fault, Frame, HAPROXY_DISCONNECT, HAPROXY_HELLO, NOTIFY, Reader,
    Value, push_count, push_text,
};

/// The longest frame that is taken.
const LONGEST: u32 = crate::Limits::SPOE_FRAME;
/// No agreement is made for less (section 3.2.4 of the protocol's description).
const SHORTEST: u32 = 256;
/// The version that is spoken.
const VERSION: &str = "2.0";

/// How a connection ended.
enum End {
    /// HAProxy has gone, or is to be left alone.
    Gone,
    /// HAProxy is told why.
    Told(Fault),
}

impl From<io::Error> for End {
    fn from(_: io::Error) -> Self {
        End::Gone
    }
}

impl From<Fault> for End {
    fn from(fault: Fault) -> Self {
        End::Told(fault)
    }
}

/// Serves a connection until its end.
pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    app: Arc<App>,
    mut stage: watch::Receiver<Stage>,
) {
    app.metrics.connections.inc();
    let mut session = Session { app: &app, stream: &mut stream, most: LONGEST };
    let end = match session.talk(&mut stage).await {
        Ok(()) => End::Told(Fault::Normal),
        Err(end) => end,
    };
    if let End::Told(fault) = end {
        if fault != Fault::Normal {
            app.metrics.rejected(Problem::Malformed);
            tracing::debug!(reason = fault.message(), "spoe connection refused");
        }
        let mut payload = Vec::new();
        push_count(&mut payload, "status-code", fault as u32);
        push_text(&mut payload, "message", fault.message());
        let frame = Frame { kind: AGENT_DISCONNECT, is_whole: true, stream: 0, number: 0, payload: &payload };
        // Whether HAProxy hears of it is its own affair.
        let _ = timeout(app.limits.write_time, stream.write_all(&frame.written())).await;
        let _ = stream.shutdown().await;
    }
    app.metrics.connections.dec();
    tracing::trace!("spoe connection closed");
}

struct Session<'a, S> {
    app: &'a Arc<App>,
    stream: &'a mut S,
    /// The longest frame that was agreed upon.
    most: u32,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Session<'_, S> {
    async fn talk(&mut self, stage: &mut watch::Receiver<Stage>) -> Result<(), End> {
        let first = self.next(stage).await?.ok_or(End::Gone)?;
        let hello = Hello::read(&first)?;
        self.most = hello.most.min(LONGEST);
        let mut payload = Vec::new();
        push_text(&mut payload, "version", VERSION);
        push_count(&mut payload, "max-frame-size", self.most);
        push_text(&mut payload, "capabilities", "pipelining");
        self.send(&Frame { kind: AGENT_HELLO, is_whole: true, stream: 0, number: 0, payload: &payload })
            .await?;
        if hello.is_health_check {
            return Err(End::Gone);
        }
        while let Some(bytes) = self.next(stage).await? {
            let frame = Frame::read(&bytes)?;
            match frame.kind {
                NOTIFY if frame.is_whole => {
                    let (stream, number) = (frame.stream, frame.number);
                    let app = Arc::clone(self.app);
                    let most = usize::try_from(self.most).unwrap_or(usize::MAX);
                    let slot = (bytes.len() > crate::Limits::SMALL).then(|| app.large_slot()).transpose();
                    let made = match slot {
                        Ok(slot) => work::on(slot, move || answered(&app, &bytes, most)).await,
                        Err(problem) => Err(problem),
                    };
                    // What is refused has no variables, and HAProxy does as it is told to without them.
                    let payload = match made {
                        Ok(payload) => payload?,
                        Err(problem) => {
                            self.app.metrics.rejected(problem);
                            Vec::new()
                        }
                    };
                    self.send(&Frame { kind: ACK, is_whole: true, stream, number, payload: &payload })
                        .await?;
                }
                NOTIFY | 0 => return Err(Fault::Fragmented.into()),
                HAPROXY_DISCONNECT => return Ok(()),
                // Frames of a later version are passed over, as its description asks.
                4..=100 | 104.. => {}
                _ => return Err(Fault::Invalid.into()),
            }
        }
        Ok(())
    }

    /// The next frame, without its length; `None` at the end, of the service or of the connection.
    async fn next(&mut self, stage: &mut watch::Receiver<Stage>) -> Result<Option<Vec<u8>>, End> {
        let mut len = [0; 4];
        let read = tokio::select! {
            // What came is answered before anybody is told to go.
            biased;
            read = self.stream.read(&mut len) => read?,
            () = closing(stage) => return Ok(None),
        };
        if read == 0 {
            return Err(End::Gone);
        }
        // HAProxy may be idle for as long as it likes, but not in the middle of a frame.
        let until = Instant::now() + self.app.limits.body_time;
        let slow = |_| End::Gone;
        let rest = len.get_mut(read..).unwrap_or_default();
        timeout_at(until, self.stream.read_exact(rest)).await.map_err(slow)??;
        let len = u32::from_be_bytes(len);
        if len > self.most {
            return Err(Fault::TooBig.into());
        }
        let mut bytes = vec![0; usize::try_from(len).map_err(|_| Fault::TooBig)?];
        timeout_at(until, self.stream.read_exact(&mut bytes)).await.map_err(slow)??;
        self.app.metrics.received.inc_by(u64::from(len) + 4);
        Ok(Some(bytes))
    }

    async fn send(&mut self, frame: &Frame<'_>) -> Result<(), End> {
        let bytes = frame.written();
        timeout(self.app.limits.write_time, self.stream.write_all(&bytes)).await.map_err(|_| End::Gone)??;
        self.app.metrics.sent.inc_by(bytes.len() as u64);
        Ok(())
    }
}

/// The variables that an acknowledgement sets, for the messages of a frame.
fn answered(app: &App, bytes: &[u8], most: usize) -> Result<Vec<u8>, Fault> {
    let frame = Frame::read(bytes)?;
    let mut messages = Reader(frame.payload);
    let mut actions = Vec::new();
    while !messages.0.is_empty() {
        let message = message::Message::read(&mut messages)?;
        let Some(headers) = message.headers()? else { continue };
        let given = message.given(headers);
        match verdict::reach(app, given) {
            Ok(verdict) => message::push_actions(&mut actions, &verdict, most.saturating_sub(bytes_around())),
            Err(problem) => app.metrics.rejected(problem),
        }
    }
    Ok(actions)
}

/// The most bytes that a frame has beside its payload.
const fn bytes_around() -> usize {
    1 + 4 + 2 * 10
}

/// HAProxy's first frame.
struct Hello {
    most: u32,
    is_health_check: bool,
}

impl Hello {
    fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let frame = Frame::read(bytes)?;
        if frame.kind != HAPROXY_HELLO || !frame.is_whole {
            return Err(Fault::Invalid);
        }
        let (mut versions, mut most, mut is_health_check) = (None, None, false);
        let mut list = Reader(frame.payload);
        while let Some(pair) = list.pair()? {
            match pair {
                (b"supported-versions", Value::Bytes(list)) => versions = Some(list),
                (b"max-frame-size", Value::Number(size)) => most = Some(size),
                (b"healthcheck", Value::Bool(is_it)) => is_health_check = is_it,
                _ => {}
            }
        }
        let is_known = |version: &[u8]| {
            let version = version.trim_ascii();
            version == b"2" || version.starts_with(b"2.")
        };
        if !versions.ok_or(Fault::NoVersion)?.split(|&byte| byte == b',').any(is_known) {
            return Err(Fault::BadVersion);
        }
        let most = u32::try_from(most.ok_or(Fault::NoFrameSize)?).map_err(|_| Fault::BadFrameSize)?;
        if most < SHORTEST { Err(Fault::BadFrameSize) } else { Ok(Hello { most, is_health_check }) }
    }
}

#[cfg(test)]
mod tests;
