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

use crate::settings::Limits;

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
        /// The subject that messages are published under.
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

/// How long the end waits for those that are left.
const LAST: Duration = Duration::from_secs(5);

/// Counts of documents that were offered.
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

/// An entry of the queue.
enum Item {
    Line(Line),
    /// The end: whoever is told is told when all before it was written.
    End(oneshot::Sender<()>),
}

/// A document, and what the proxy calls its request.
struct Line {
    id: Option<String>,
    document: Document,
    /// The size that it counts as in the queue.
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
        let (queue, items) = mpsc::channel(Limits::SINK_DOCUMENTS);
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
    pub(crate) fn offer(&self, document: Document, id: Option<&str>) {
        let size = document.as_str().len();
        let before = self.waiting.fetch_add(size, Ordering::Relaxed);
        let id = id.map(str::to_owned);
        let is_taken = before.saturating_add(size) <= Limits::SINK_BYTES
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
        // Whether a line may have been written in part.
        let mut is_cut = false;
        loop {
            // What is there is written together; then the next is waited for.
            let item = match self.items.try_recv() {
                Ok(item) if bytes.len() < PIECE => Some(item),
                taken => {
                    let start: &[u8] = if is_cut && lines > 0 { b"\n" } else { b"" };
                    let mut write = || {
                        out.write_all(start)?;
                        out.write_all(&bytes)?;
                        out.flush()
                    };
                    let is_written = write().is_ok();
                    let counter = if is_written { &self.counters.written } else { &self.counters.dropped };
                    counter.inc_by(lines);
                    if lines > 0 {
                        if !is_written {
                            tracing::warn!("documents could not be written");
                        }
                        is_cut = !is_written;
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

    /// Takes a few bytes, has no room once, and then takes everything.
    struct Full<'a> {
        room: usize,
        written: &'a mut Vec<u8>,
    }

    impl Write for Full<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.room == 0 {
                self.room = usize::MAX;
                return Err(io::ErrorKind::StorageFull.into());
            }
            let len = bytes.len().min(self.room);
            self.room -= len;
            self.written.extend_from_slice(&bytes[..len]);
            Ok(len)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_that_was_cut_spoils_no_other() {
        let (queue, items) = mpsc::channel(2);
        let counters = Counters::default();
        let waiting = Arc::new(AtomicUsize::new(0));
        let mut written = Vec::new();
        let tamiz = Canonicalizer::new(Config::default());
        let line = |id: &str| {
            Item::Line(Line {
                id: Some(id.to_owned()),
                document: tamiz.canonicalize(b"GET / HTTP/1.1"),
                size: 0,
            })
        };
        std::thread::scope(|scope| {
            let queued = Queued { items, waiting, counters: counters.clone() };
            let out = Full { room: 9, written: &mut written };
            scope.spawn(|| queued.write_to(out));
            // The end is told when what came before it was written, or not.
            for id in ["first", "second"] {
                queue.blocking_send(line(id)).ok().unwrap();
                let (told, done) = oneshot::channel();
                queue.blocking_send(Item::End(told)).ok().unwrap();
                done.blocking_recv().unwrap();
            }
            drop(queue);
        });
        assert_eq!((counters.dropped.get(), counters.written.get()), (1, 1));
        let text = String::from_utf8(written).unwrap();
        let (cut, rest) = text.split_once('\n').unwrap();
        assert_eq!(cut, "{\"id\":\"fi");
        assert_eq!(serde_json::from_str::<serde_json::Value>(rest).unwrap()["id"], "second");
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
            let document = tamiz.canonicalize(format!("GET /{path} HTTP/1.1\r\n\r\n").as_bytes());
            sink.offer(document, Some(path));
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
