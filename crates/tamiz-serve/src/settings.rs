//! Options of the service, beside those of documents.

use std::path::PathBuf;
use std::time::Duration;

use crate::Deny;
use crate::listen::Listen;
use crate::sink::SinkTo;

/// Where the service listens, and how much it takes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The addresses and sockets.
    pub listen: Vec<Listen>,
    /// Where HAProxy asks.
    pub spoe: Vec<Listen>,
    /// Where Envoy asks as its external processor.
    #[cfg(feature = "ext-proc")]
    pub ext_proc: Vec<Listen>,
    /// Where documents of what proxies ask about go.
    pub sink: Option<SinkTo>,
    /// The permissions of Unix sockets.
    pub socket_mode: u32,
    /// How many threads answer; as many as there are processors when nothing is said.
    pub threads: Option<usize>,
    /// Which flags are enough to turn a request of a proxy away; none by default.
    pub deny: Deny,
    /// Requests of a proxy that score so high that a model gives them this p-value, or less, are turned away; none are by
    /// default, and none without a model.
    pub deny_p: Option<f64>,
    /// The model that requests are scored against; read again on SIGHUP.
    pub model: Option<PathBuf>,
    /// How much is too much.
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            listen: vec![Listen::default()],
            spoe: Vec::new(),
            #[cfg(feature = "ext-proc")]
            ext_proc: Vec::new(),
            sink: None,
            socket_mode: 0o660,
            threads: None,
            deny: Deny::default(),
            deny_p: None,
            model: None,
            limits: Limits::default(),
        }
    }
}

/// How much is too much, and how long is too long.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// The most bytes of a body, and of a line of a stream.
    pub body: usize,
    /// The most connections that are open at a time.
    pub connections: usize,
    /// The most bodies of more than [`Limits::SMALL`] bytes that are read or worked on at a time.
    pub large: usize,
    /// The most streams of JSON lines at a time.
    pub streams: usize,
    /// From the end of one request, or the start of a connection, to the end of the next head.
    pub head_time: Duration,
    /// From a head to the end of its body; in a stream, from one line to the next.
    pub body_time: Duration,
    /// How long a client may take nothing of its answer.
    pub write_time: Duration,
    /// How long requests are still taken once the service was told to stop, so that whoever is connected hears of it.
    pub drain_time: Duration,
    /// How long requests that were taken may last after that.
    pub grace_time: Duration,
}

impl Limits {
    /// Smaller bodies are worked on at once; what is larger is left to threads of its own, so that nobody waits for it.
    pub const SMALL: usize = 32 << 10;
    /// The most bytes of a head.
    pub const HEAD: usize = 16 << 10;
    /// The most bytes of the head of a question of a proxy: it has all of a request that the proxy took.
    pub const CHECK_HEAD: usize = 128 << 10;
    /// The most headers of a request.
    pub const HEADERS: usize = 64;
    /// The most bytes of a frame of HAProxy's, whose buffers are of 16 KiB unless it is told otherwise.
    pub const SPOE_FRAME: u32 = 64 << 10;
    /// The most requests that a connection of Envoy's external processing asks about at a time.
    pub const EXT_PROC_STREAMS: u32 = 256;
    /// The most documents that wait for the sink.
    pub const SINK_DOCUMENTS: usize = 4096;
    /// The most bytes of text of documents that wait for the sink.
    pub const SINK_BYTES: usize = 64 << 20;
}

impl Limits {
    /// The most bytes of answers of more than [`Limits::SMALL`] bytes that wait to be sent; one that is larger goes
    /// alone.
    pub fn answers(&self) -> usize {
        self.large.saturating_mul(self.body).saturating_mul(4)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            body: 1 << 20,
            connections: 1024,
            large: 64,
            streams: 32,
            head_time: Duration::from_secs(30),
            body_time: Duration::from_secs(15),
            write_time: Duration::from_secs(30),
            drain_time: Duration::from_millis(500),
            grace_time: Duration::from_secs(30),
        }
    }
}
