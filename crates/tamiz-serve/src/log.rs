//! The log: what the service does, never what it is told.
//!
//! Only events of this crate are written, whose fields are names of its own and numbers. Lines are written by a thread
//! of their own; where nobody reads them fast enough they are dropped rather than waited for.

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// Every value, in order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// The word for it.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }
        }

        impl FromStr for $name {
            type Err = tamiz::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                $name::ALL.iter().copied().find(|value| value.as_str() == word).ok_or(tamiz::UnknownWord)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

words! {
    /// The format of lines.
    Format {
        /// For people.
        Text = "text",
        /// A JSON object each.
        Json = "json",
    }
}

words! {
    /// How much is told.
    Level {
        /// Nothing.
        Off = "off",
        /// Faults of the service.
        Error = "error",
        /// Also what whoever runs it should look at.
        Warn = "warn",
        /// Also its start and its end.
        Info = "info",
        /// Also each answer: method, route, status, time and sizes.
        Debug = "debug",
        /// Also each connection.
        Trace = "trace",
    }
}

/// The most lines that wait to be written.
const WAITING: usize = 4096;

/// How long the end waits for the last lines, where nobody reads them. Long enough for a busy machine.
const LAST_LINES: Duration = Duration::from_secs(5);

/// A message to the thread that writes.
enum Message {
    Line(Vec<u8>),
    /// Everything before this was written.
    End(SyncSender<()>),
}

/// The log; when it is dropped, the last lines are written.
#[must_use]
pub struct Log(SyncSender<Message>);

impl Drop for Log {
    fn drop(&mut self) {
        let (done, is_done) = sync_channel(1);
        if self.0.try_send(Message::End(done)).is_ok() {
            let _ = is_done.recv_timeout(LAST_LINES);
        }
    }
}

/// Begins to write the log to standard error, and makes panics tell their place alone: what they say may quote a
/// request.
pub fn start(format: Format, level: Level) -> Log {
    let level = match level {
        Level::Off => LevelFilter::OFF,
        Level::Error => LevelFilter::ERROR,
        Level::Warn => LevelFilter::WARN,
        Level::Info => LevelFilter::INFO,
        Level::Debug => LevelFilter::DEBUG,
        Level::Trace => LevelFilter::TRACE,
    };
    let only_ours = Targets::new().with_target("tamiz_serve", level);
    let (to_write, lines) = sync_channel(WAITING);
    let writer = Lines(to_write.clone());
    // Without the thread there is no log; the service runs all the same.
    let _ = thread::Builder::new().name("tamiz-log".to_owned()).spawn(move || write_all(&lines));
    let layer = tracing_subscriber::fmt::layer().with_writer(writer).with_ansi(false).with_target(false);
    let layer = match format {
        Format::Text => layer.boxed(),
        Format::Json => {
            layer.json().flatten_event(true).with_current_span(false).with_span_list(false).boxed()
        }
    };
    // A second start changes nothing.
    let _ = tracing_subscriber::registry().with(layer.with_filter(only_ours)).try_init();
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panic");
    }));
    Log(to_write)
}

fn write_all(messages: &Receiver<Message>) {
    let mut out = io::stderr();
    for message in messages {
        // There is nobody left to tell when standard error is closed, or when nobody waits for the end.
        match message {
            Message::Line(line) => _ = out.write_all(&line),
            Message::End(done) => _ = done.try_send(()),
        }
    }
}

/// Hands lines to the thread that writes them.
struct Lines(SyncSender<Message>);

/// One line: handed over when it is whole.
struct Line {
    to: SyncSender<Message>,
    bytes: Vec<u8>,
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line { to: self.0.clone(), bytes: Vec::new() }
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        // A line too many is lost, so that no request waits for the log.
        let _ = self.to.try_send(Message::Line(std::mem::take(&mut self.bytes)));
    }
}
