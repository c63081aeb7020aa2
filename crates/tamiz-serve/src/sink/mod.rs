//! Where the documents of proxies' requests go, for whoever reads them all: a file, standard output, or NATS.
//!
//! Nobody who asks ever waits for it. Documents stand in a queue that is bounded in number and in bytes, and those that
//! find no place in it are dropped, and counted.

mod nats;

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use serde::Serialize;
use tamiz::Document;
use tokio::sync::{mpsc, oneshot};

/// Where documents go, one JSON object a line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SinkTo {
    /// `file:PATH`: appended.
    File(PathBuf),
    /// `stdout`.
    Stdout,
    /// `nats://HOST:PORT/SUBJECT`: a message each.
    Nats {
        /// `HOST:PORT`.
        address: String,
        /// What the messages are published under.
        subject: String,
    },
}

/// A text that names no place for documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotASink;

impl fmt::Display for NotASink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected file:PATH, stdout, or nats://HOST:PORT/SUBJECT")
    }
}

impl std::error::Error for NotASink {}

impl FromStr for SinkTo {
    type Err = NotASink;

    fn from_str(text: &str) -> Result<Self, NotASink> {
        if text == "stdout" {
            return Ok(SinkTo::Stdout);
        }
        if let Some(path) = text.strip_prefix("file:").filter(|path| !path.is_empty()) {
            return Ok(SinkTo::File(path.into()));
        }
        let rest = text.strip_prefix("nats://").ok_or(NotASink)?;
        let (address, subject) = rest.split_once('/').ok_or(NotASink)?;
        let has_port = address
            .rsplit_once(':')
            .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
        // Tokens with dots between them; wildcards are for those who listen.
        let is_token = |token: &str| {
            !token.is_empty()
                && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_$".contains(&byte))
        };
        if has_port && subject.split('.').all(is_token) {
            Ok(SinkTo::Nats { address: address.to_owned(), subject: subject.to_owned() })
        } else {
            Err(NotASink)
        }
    }
}

/// How many documents may wait.
const WAITING: usize = 4096;
/// How many bytes of them.
const WAITING_BYTES: usize = 64 << 20;
/// How long the end waits for those that are left.
const LAST: Duration = Duration::from_secs(5);

/// What came of documents that were offered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) written: Counter,
    pub(crate) dropped: Counter,
}

/// Takes documents.
pub(crate) struct Sink {
    queue: mpsc::Sender<Item>,
    waiting: Arc<AtomicUsize>,
    counters: Counters,
}

/// What stands in the queue.
enum Item {
    Line(Line),
    /// The end: whoever is told is told when all before it was written.
    End(oneshot::Sender<()>),
}

/// A document, and what the proxy calls its request.
struct Line {
    id: Option<String>,
    document: Document,
    /// What it is counted as among those that wait.
    size: usize,
}

/// A line of JSON.
#[derive(Serialize)]
struct Written<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(flatten)]
    document: &'a Document,
}

impl Line {
    /// Appends it as JSON, without a line end.
    fn write(&self, out: &mut Vec<u8>) {
        let line = Written { id: self.id.as_deref(), document: &self.document };
        // Writing to memory does not fail, and all keys are text.
        let _ = serde_json::to_writer(out, &line);
    }
}

impl Sink {
    /// Opens it. What writes runs beside everything else: files on a thread, NATS as a task of the runtime.
    ///
    /// # Errors
    /// When a file cannot be opened. NATS may come later.
    pub(crate) fn open(to: &SinkTo, counters: Counters) -> io::Result<Self> {
        let (queue, items) = mpsc::channel(WAITING);
        let waiting = Arc::new(AtomicUsize::new(0));
        let queued = Queued { items, waiting: Arc::clone(&waiting), counters: counters.clone() };
        match to {
            SinkTo::File(path) => {
                let file = OpenOptions::new().append(true).create(true).open(path).map_err(|error| {
                    io::Error::new(
                        error.kind(),
                        format!("cannot write documents to {}: {error}", path.display()),
                    )
                })?;
                std::thread::Builder::new().name("tamiz-sink".into()).spawn(|| queued.write_to(file))?;
            }
            SinkTo::Stdout => {
                std::thread::Builder::new()
                    .name("tamiz-sink".into())
                    .spawn(|| queued.write_to(io::stdout()))?;
            }
            SinkTo::Nats { address, subject } => {
                tokio::spawn(nats::publish(queued, address.clone(), subject.clone()));
            }
        }
        Ok(Sink { queue, waiting, counters })
    }

    /// Takes a document if there is room for it.
    pub(crate) fn offer(&self, document: Document, id: Option<&[u8]>) {
        let size = document.as_str().len();
        let before = self.waiting.fetch_add(size, Ordering::Relaxed);
        let id = id.map(|id| String::from_utf8_lossy(id).into_owned());
        let is_taken = before.saturating_add(size) <= WAITING_BYTES
            && self.queue.try_send(Item::Line(Line { id, document, size })).is_ok();
        if !is_taken {
            self.waiting.fetch_sub(size, Ordering::Relaxed);
            self.counters.dropped.inc();
        }
    }

    /// Waits for a while until everything is written.
    pub(crate) async fn finish(&self) {
        let (told, done) = oneshot::channel();
        let all = async {
            if self.queue.send(Item::End(told)).await.is_ok() {
                let _ = done.await;
            }
        };
        if tokio::time::timeout(LAST, all).await.is_err() {
            tracing::warn!("stopped with documents that were not written");
        }
    }
}

/// The other end of the queue.
struct Queued {
    items: mpsc::Receiver<Item>,
    waiting: Arc<AtomicUsize>,
    counters: Counters,
}

impl Queued {
    /// Notes that a document waits no more.
    fn leaves(&self, line: &Line) {
        self.waiting.fetch_sub(line.size, Ordering::Relaxed);
    }

    /// Writes lines until the end.
    fn write_to(mut self, mut out: impl Write) {
        /// About how much is written at once.
        const PIECE: usize = 64 << 10;
        let (mut bytes, mut lines) = (Vec::new(), 0);
        let mut ends = Vec::new();
        loop {
            // What is there is written together; then the next is waited for.
            let item = match self.items.try_recv() {
                Ok(item) if bytes.len() < PIECE => Some(item),
                taken => {
                    let is_written = out.write_all(&bytes).and_then(|()| out.flush()).is_ok();
                    let counter = if is_written { &self.counters.written } else { &self.counters.dropped };
                    counter.inc_by(lines);
                    if !is_written && lines > 0 {
                        tracing::warn!("documents could not be written");
                    }
                    (bytes, lines) = (Vec::new(), 0);
                    ends.drain(..).for_each(|end: oneshot::Sender<()>| _ = end.send(()));
                    taken.ok().or_else(|| self.items.blocking_recv())
                }
            };
            match item {
                Some(Item::Line(line)) => {
                    self.leaves(&line);
                    line.write(&mut bytes);
                    bytes.push(b'\n');
                    lines += 1;
                }
                Some(Item::End(end)) => ends.push(end),
                None => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tamiz::{Canonicalizer, Config};

    #[test]
    fn places_are_read() {
        assert_eq!("stdout".parse(), Ok(SinkTo::Stdout));
        assert_eq!("file:/a b".parse(), Ok(SinkTo::File("/a b".into())));
        let nats = SinkTo::Nats { address: "[::1]:4222".to_owned(), subject: "a.b-c".to_owned() };
        assert_eq!("nats://[::1]:4222/a.b-c".parse(), Ok(nats));
        for wrong in [
            "",
            "file:",
            "stdin",
            "nats://",
            "nats://a",
            "nats://a:1",
            "nats://a:1/",
            "nats://a/x",
            "nats://:1/x",
            "nats://a:1/a..b",
            "nats://a:1/a b",
            "nats://a:1/a.>",
            "nats://a:99999/x",
            "http://a:1/x",
        ] {
            assert_eq!(wrong.parse::<SinkTo>(), Err(NotASink), "{wrong}");
        }
    }

    // The clock stands still while a blocking task runs: the end is not given up on a slow machine.
    #[tokio::test(start_paused = true)]
    async fn nobody_waits_and_what_finds_no_place_is_counted() {
        let (queue, items) = mpsc::channel(2);
        let counters = Counters::default();
        let waiting = Arc::new(AtomicUsize::new(0));
        let sink = Sink { queue, waiting: Arc::clone(&waiting), counters: counters.clone() };
        let tamiz = Canonicalizer::new(Config::default());
        let offer = |path: &str| {
            sink.offer(
                tamiz.canonicalize(format!("GET /{path} HTTP/1.1\r\n\r\n").as_bytes()),
                Some(path.as_bytes()),
            );
        };
        ["a", "b", "c", "d"].into_iter().for_each(offer);
        assert_eq!(counters.dropped.get(), 2);
        let written = counters.written.clone();
        let file = std::env::temp_dir().join(format!("tamiz-sink-{}", std::process::id()));
        let queued = Queued { items, waiting: Arc::clone(&waiting), counters };
        let to = std::fs::File::create(&file).unwrap();
        let writing = tokio::task::spawn_blocking(|| queued.write_to(to));
        sink.finish().await;
        assert_eq!((written.get(), waiting.load(Ordering::Relaxed)), (2, 0));
        drop(sink);
        writing.await.unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        let lines: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((lines.len(), &lines[0]["id"], &lines[1]["id"]), (2, &"a".into(), &"b".into()));
        assert_eq!(lines[1]["url.path"], "/b");
    }
}
