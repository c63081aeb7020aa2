//! One connection, from its first byte to its last.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::watch;

use crate::app::App;
use crate::edge::asked::{self, Left};
use crate::front::Front;
use crate::problem::Problem;
use crate::settings::Limits;
use crate::stamp;
use crate::wire::Wire;

/// How far the end has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// Requests are taken.
    Open,
    /// Only what has begun is brought to its end.
    Closing,
}

/// How much is read at once: a large body comes in few pieces.
const BUFFER: usize = 64 << 10;

/// How long a connection that has said nothing yet is listened to at the end: it may have been accepted just now.
pub(crate) const LAST_CALL: Duration = Duration::from_secs(1);

/// Serves a connection until its end.
pub(crate) async fn serve<S>(stream: S, app: Arc<App>, front: Front, mut stage: watch::Receiver<Stage>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut wire = Wire::new(stream, Arc::clone(&app));
    app.metrics.connections.inc();
    match asked::serve(&mut wire, &app, &mut stage).await {
        Left::Bytes(bytes) => wire.put_back(bytes),
        Left::Nothing => {
            app.metrics.connections.dec();
            tracing::trace!("connection closed");
            return;
        }
    }
    let has_read = wire.has_read();
    let service = service_fn(move |request| front.clone().answer(request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(app.limits.head_time)
        .max_header_size(Limits::HEAD)
        .max_headers(Limits::HEADERS)
        .max_buf_size(BUFFER)
        // A client may have said all and still wait for the answer.
        .half_close(true)
        .serve_connection(TokioIo::new(wire), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        // What came is read before anybody is told to go.
        biased;
        ended = connection.as_mut() => ended,
        () = closing(&mut stage) => {
            connection.as_mut().graceful_shutdown();
            tokio::select! {
                biased;
                ended = connection.as_mut() => ended,
                () = silence(&has_read) => Ok(()),
            }
        }
    };
    app.metrics.connections.dec();
    match ended {
        Err(error) if error.is_timeout() => {
            app.metrics.rejected(Problem::Slow);
            tracing::trace!("connection timed out");
        }
        // What went wrong is told by its kind alone: errors of the library may quote.
        Err(_) => tracing::trace!("connection broken"),
        Ok(()) => tracing::trace!("connection closed"),
    }
}

/// Ends when the service does.
pub(crate) async fn closing(stage: &mut watch::Receiver<Stage>) {
    // Whoever could tell is gone only at the end.
    let _ = stage.wait_for(|stage| *stage >= Stage::Closing).await;
}

/// Ends when nothing came for a while; never, if something did.
async fn silence(has_read: &std::sync::atomic::AtomicBool) {
    tokio::time::sleep(LAST_CALL).await;
    if has_read.load(Ordering::Relaxed) {
        std::future::pending::<()>().await;
    }
}

/// Says that there are too many connections, and closes this one.
pub(crate) async fn refuse<S: AsyncRead + AsyncWrite + Unpin>(stream: S, app: Arc<App>) {
    let answer = stamp::too_many(&app);
    let mut wire = Wire::new(stream, app);
    // Whether the client hears of it is its own affair.
    if wire.write_all(&answer).await.is_ok() {
        let _ = wire.shutdown().await;
    }
}
