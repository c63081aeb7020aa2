//! A connection's bytes: counted, and never waited for without end. Errors that the HTTP library writes by itself
//! become ours (see [`crate::stamp`]).
//!
//! At the end the client is listened to for a moment more. A socket that is closed with something unread in it takes
//! what was written last with it: a client that is told that its body is too long would not hear of it.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::app::App;
use crate::stamp;

/// A stream between a client and the HTTP library.
pub(crate) struct Wire<S> {
    stream: S,
    app: Arc<App>,
    /// True if anything came.
    has_read: Arc<AtomicBool>,
    /// Bytes that are read again before the socket, and how many of them were.
    put_back: Vec<u8>,
    put_back_read: usize,
    /// Runs while the client takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
    /// Bytes to write before anything else, and how many of them are written.
    own: Vec<u8>,
    own_written: usize,
    /// Runs from the last byte that is written on.
    lingering: Option<Lingering>,
}

/// The state of a closing connection.
struct Lingering {
    time: Pin<Box<Sleep>>,
    bytes: usize,
}

impl Default for Lingering {
    fn default() -> Self {
        const TIME: Duration = Duration::from_secs(1);
        const BYTES: usize = 2 << 20;
        Lingering { time: Box::pin(sleep_until(Instant::now() + TIME)), bytes: BYTES }
    }
}

impl<S> Wire<S> {
    pub(crate) fn new(stream: S, app: Arc<App>) -> Self {
        Wire {
            stream,
            app,
            has_read: Arc::default(),
            put_back: Vec::new(),
            put_back_read: 0,
            stalled: None,
            own: Vec::new(),
            own_written: 0,
            lingering: None,
        }
    }

    /// Has these bytes read once more, before all others.
    pub(crate) fn put_back(&mut self, bytes: Vec<u8>) {
        (self.put_back, self.put_back_read) = (bytes, 0);
    }

    /// Tells whether anything came, also when the wire is in other hands.
    pub(crate) fn has_read(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.has_read)
    }
}

impl<S: AsyncWrite + Unpin> Wire<S> {
    /// Counts what was written, or how long nothing was.
    fn timed(&mut self, cx: &mut Context<'_>, polled: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match polled {
            Poll::Ready(Ok(len)) => {
                self.stalled = None;
                self.app.metrics.sent.inc_by(len as u64);
                Poll::Ready(Ok(len))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                let most = self.app.limits.write_time;
                let stalled =
                    self.stalled.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + most)));
                ready!(stalled.as_mut().poll(cx));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }

    /// Writes what is there of our own.
    fn poll_own(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(rest) = self.own.get(self.own_written..).filter(|rest| !rest.is_empty()) {
            let polled = Pin::new(&mut self.stream).poll_write(cx, rest);
            match ready!(self.timed(cx, polled))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                len => self.own_written += len,
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Wire<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(rest) = self.put_back.get(self.put_back_read..).filter(|rest| !rest.is_empty()) {
            let len = rest.len().min(buffer.remaining());
            buffer.put_slice(rest.get(..len).unwrap_or_default());
            self.put_back_read += len;
            if self.put_back_read == self.put_back.len() {
                self.put_back = Vec::new();
                self.put_back_read = 0;
            }
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        let len = buffer.filled().len() - before;
        if len > 0 {
            self.has_read.store(true, Ordering::Relaxed);
            self.app.metrics.received.inc_by(len as u64);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_own(cx))?;
        if let Some(stamped) = stamp::automatic(bytes, &self.app) {
            // It is taken as a whole, and written here and whenever it is our turn.
            (self.own, self.own_written) = (stamped, 0);
            if let Poll::Ready(Err(error)) = self.poll_own(cx) {
                return Poll::Ready(Err(error));
            }
            return Poll::Ready(Ok(bytes.len()));
        }
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.timed(cx, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        // What the HTTP library writes by itself is one piece.
        if let [only] = slices {
            return self.poll_write(cx, only);
        }
        ready!(self.poll_own(cx))?;
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.timed(cx, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_own(cx))?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.lingering.is_none() {
            ready!(self.poll_own(cx))?;
            ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
        }
        let Wire { stream, lingering, .. } = &mut *self;
        let Lingering { time, bytes } = lingering.get_or_insert_default();
        let mut unread = [0; 4096];
        while *bytes > 0 && time.as_mut().poll(cx).is_pending() {
            let mut unread = ReadBuf::new(&mut unread);
            match ready!(Pin::new(&mut *stream).poll_read(cx, &mut unread)) {
                Ok(()) if !unread.filled().is_empty() => *bytes = bytes.saturating_sub(unread.filled().len()),
                // It has gone.
                _ => break,
            }
        }
        Poll::Ready(Ok(()))
    }
}
