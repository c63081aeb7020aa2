//! Messages to NATS, by as much of its protocol as publishing takes. Where it cannot be reached, it is tried again, later
//! and later; what finds no place in the queue meanwhile is dropped there.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::{Item, Line, Queued};

/// How long an attempt may take, or a piece of writing.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long to wait after an attempt that failed: at first, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));
/// About how much is written at once.
const PIECE: usize = 64 << 10;
/// The longest line that a server says.
const LINE: usize = 64 << 10;

/// Publishes until the queue ends.
pub(super) async fn publish(mut queued: Queued, address: String, subject: String) {
    let mut pause = PAUSES.0;
    loop {
        if let Ok(Ok(connection)) = timeout(PATIENCE, Connection::open(&address)).await {
            tracing::info!("connected to NATS");
            pause = PAUSES.0;
            if connection.serve(&mut queued, &subject).await.is_ok() {
                return;
            }
            tracing::warn!("the connection to NATS is broken");
        } else {
            sleep(pause).await;
            pause = (2 * pause).min(PAUSES.1);
            if queued.items.is_closed() && queued.items.is_empty() {
                return;
            }
        }
    }
}

struct Connection {
    from: BufReader<OwnedReadHalf>,
    to: OwnedWriteHalf,
    /// The longest message that the server takes.
    most: usize,
}

impl Connection {
    async fn open(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (from, mut to) = stream.into_split();
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        read_line(&mut from, &mut line).await?;
        let info = line.strip_prefix(b"INFO ").ok_or(io::ErrorKind::InvalidData)?;
        let info: serde_json::Value = serde_json::from_slice(info)?;
        let most = info.get("max_payload").and_then(serde_json::Value::as_u64).unwrap_or(1 << 20);
        let hello = concat!(
            "CONNECT {\"verbose\":false,\"pedantic\":false,\"name\":\"tamiz\",\"lang\":\"rust\",\"version\":\"",
            env!("CARGO_PKG_VERSION"),
            "\"}\r\nPING\r\n"
        );
        to.write_all(hello.as_bytes()).await?;
        line.clear();
        read_line(&mut from, &mut line).await?;
        if line.trim_ascii_end() != b"PONG" {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(Connection { from, to, most: usize::try_from(most).unwrap_or(usize::MAX) })
    }

    /// Publishes what is in the queue; an error when the connection is broken, `Ok` at the end of the queue.
    async fn serve(self, queued: &mut Queued, subject: &str) -> io::Result<()> {
        let Connection { mut from, mut to, most } = self;
        let mut said = Vec::new();
        loop {
            let item = tokio::select! {
                item = queued.items.recv() => item,
                read = read_line(&mut from, &mut said) => {
                    read?;
                    if said.starts_with(b"PING") {
                        write(&mut to, b"PONG\r\n").await?;
                    } else if said.starts_with(b"-ERR") {
                        return Err(io::ErrorKind::InvalidData.into());
                    }
                    said.clear();
                    continue;
                }
            };
            // What is there goes out together.
            let (mut bytes, mut lines, mut ends) = (Vec::new(), 0, Vec::<oneshot::Sender<()>>::new());
            let mut next = item;
            let is_over = next.is_none();
            while let Some(item) = next {
                match item {
                    Item::Line(line) => {
                        queued.leaves(&line);
                        if push(&mut bytes, subject, &line, most) {
                            lines += 1;
                        } else {
                            queued.counters.dropped.inc();
                        }
                    }
                    Item::End(end) => ends.push(end),
                }
                next = if bytes.len() < PIECE { queued.items.try_recv().ok() } else { None };
            }
            if let Err(error) = write(&mut to, &bytes).await {
                queued.counters.dropped.inc_by(lines);
                return Err(error);
            }
            queued.counters.written.inc_by(lines);
            ends.into_iter().for_each(|end| _ = end.send(()));
            if is_over {
                return Ok(());
            }
        }
    }
}

/// Appends a message; `false` where it is longer than may be.
fn push(bytes: &mut Vec<u8>, subject: &str, line: &Line, most: usize) -> bool {
    let mut json = Vec::new();
    line.write(&mut json);
    if json.len() > most {
        return false;
    }
    bytes.extend_from_slice(format!("PUB {subject} {}\r\n", json.len()).as_bytes());
    bytes.extend_from_slice(&json);
    bytes.extend_from_slice(b"\r\n");
    true
}

async fn write(to: &mut OwnedWriteHalf, bytes: &[u8]) -> io::Result<()> {
    timeout(PATIENCE, to.write_all(bytes)).await.map_err(|_| io::ErrorKind::TimedOut)?
}

/// Reads on to the end of a line; what was read stays where it is not waited for any longer.
async fn read_line(from: &mut BufReader<OwnedReadHalf>, line: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let there = from.fill_buf().await?;
        if there.is_empty() || line.len() > LINE {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let end = memchr::memchr(b'\n', there).map(|at| at + 1);
        let len = end.unwrap_or(there.len());
        line.extend_from_slice(there.get(..len).unwrap_or_default());
        from.consume(len);
        if end.is_some() {
            return Ok(());
        }
    }
}
