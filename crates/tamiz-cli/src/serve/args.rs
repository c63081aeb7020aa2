//! The options of `tamiz serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use tamiz_serve::{Deny, Limits, Listen, SinkTo, log};

use crate::args::{ReadOptions, word};
use crate::limits;

/// Run the HTTP service, with a page for the browser
///
/// It makes documents of requests that clients send, and has the registry of flags, metrics and a page. It
/// speaks HTTP/1.1 without TLS and authentication: leave both to a proxy in front of it. Its log and
/// metrics contain nothing from a request. SIGTERM and SIGINT stop it after pending requests are answered.
#[derive(Debug, Args)]
#[command(after_help = limits::of_serve("\
Examples:
  tamiz serve
  tamiz serve --spoe 127.0.0.1:8789 --ext-proc 127.0.0.1:8790 --sink file:documents.jsonl
  tamiz serve --listen 127.0.0.1:8080 --listen unix:/run/tamiz/tamiz.sock
  curl --data-binary @request.http http://127.0.0.1:8787/v1/canonicalize"))]
pub(crate) struct ServeArgs {
    /// Where to listen: ADDRESS:PORT, or unix:PATH; may be given several times
    #[arg(long, value_name = "WHERE", default_value = "127.0.0.1:8787")]
    pub(crate) listen: Vec<Listen>,

    /// The permissions of Unix sockets
    #[arg(long, value_name = "MODE", default_value = "660", value_parser = mode)]
    pub(crate) socket_mode: u32,

    /// Number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,

    /// Address of the SPOE agent for HAProxy, as for '--listen'; may be given several times
    #[arg(long, value_name = "WHERE")]
    pub(crate) spoe: Vec<Listen>,

    /// Address of the ext_proc server for Envoy, as for '--listen'; may be given several times
    #[arg(long, value_name = "WHERE")]
    pub(crate) ext_proc: Vec<Listen>,

    /// Write the document of each request that a proxy asks about, as JSON lines: file:PATH, stdout, or
    /// nats://HOST:PORT/SUBJECT
    #[arg(long, value_name = "WHERE")]
    pub(crate) sink: Option<SinkTo>,

    /// Flags for which proxies are told to deny a request, such as 'NUL,KW:sql'; none by default. May be
    /// given several times
    #[arg(long, value_name = "FLAG[,FLAG]...")]
    pub(crate) deny: Vec<Deny>,

    /// Deny requests whose p-value is this or less: the share of learned requests that score as high. Off
    /// by default
    #[arg(long, value_name = "P", requires = "model", value_parser = p_value)]
    pub(crate) deny_p: Option<f64>,

    /// A model of 'tamiz learn' that requests are scored against, for '/v1/score' and proxies; without it,
    /// proxies get no score, and '/v1/score' scores by flags alone. SIGHUP reads it again
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,

    /// Maximum bytes of a body, or of a line of a batch
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().body)]
    pub(crate) max_body: usize,

    /// Maximum number of connections; more are answered 503
    #[arg(long, value_name = "N", default_value_t = number(Limits::default().connections), value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) max_connections: u32,

    /// Maximum number of bodies of more than 32 KiB at a time; more are answered 503
    #[arg(long, value_name = "N", default_value_t = number(Limits::default().large), value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) max_large: u32,

    /// Maximum number of batches at a time; more are answered 503
    #[arg(long, value_name = "N", default_value_t = number(Limits::default().streams), value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) max_batches: u32,

    /// Time limit for the head of a request, counted from the end of the last one
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::default().head_time.as_secs_f64(), value_parser = seconds)]
    pub(crate) head_timeout: f64,

    /// Time limit for a body, or between two pieces of a batch
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::default().body_time.as_secs_f64(), value_parser = seconds)]
    pub(crate) body_timeout: f64,

    /// Time limit for a client that reads nothing of its answer
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::default().write_time.as_secs_f64(), value_parser = seconds)]
    pub(crate) write_timeout: f64,

    /// Time limit for pending requests after a stop signal
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::default().grace_time.as_secs_f64(), value_parser = seconds)]
    pub(crate) grace: f64,

    /// Detail of the log: start and stop with 'info', each answer with 'debug'
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = word(log::Level::ALL, log::Level::as_str))]
    pub(crate) log_level: log::Level,

    /// Format of log lines
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = word(log::Format::ALL, log::Format::as_str))]
    pub(crate) log_format: log::Format,

    /// Only check the service at ADDRESS:PORT: exit with 0 if it is healthy, else with 1
    #[arg(long, value_name = "WHERE")]
    pub(crate) probe: Option<SocketAddr>,

    #[command(flatten)]
    pub(crate) read: ReadOptions,
}

/// A number of things.
fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Reads permissions, as chmod takes them.
fn mode(text: &str) -> Result<u32, &'static str> {
    let mode = u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o777);
    mode.ok_or("expected permissions, such as 660")
}

/// Reads a time in seconds.
fn seconds(text: &str) -> Result<f64, &'static str> {
    const MOST: f64 = 86_400.0;
    let seconds = text.parse().ok().filter(|seconds| (0.001..=MOST).contains(seconds));
    seconds.ok_or("expected seconds, at most those of a day")
}

fn p_value(text: &str) -> Result<f64, &'static str> {
    let p_value = text.parse().ok().filter(|p_value| *p_value > 0.0 && *p_value < 1.0);
    p_value.ok_or("expected a share of requests, more than 0 and less than 1")
}
