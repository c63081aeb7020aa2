//! `cargo x bench serve --soak MINUTES`: all kinds of clients at once, for long, and what memory the service takes.

#[path = "../../../crates/tamiz-serve/tests/common/client.rs"]
mod client;

use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use client::Client;

use super::serve::Server;
use crate::Result;

/// How much more memory there may be at the end than after the warm-up.
const MOST_GROWTH: f64 = 0.05;
/// The part of the time that is warm-up: buffers, threads and the allocator reach their size.
const WARM_UP: f64 = 0.25;
/// How often memory is looked at.
const EVERY: Duration = Duration::from_secs(1);

/// The behaviour of a client, repeated.
type Conduct = fn(&Load);

/// The behaviours of clients; each is a thread.
const CLIENTS: [(&str, Conduct); 8] = [
    ("good", good),
    ("good", good),
    ("batches", batches),
    ("large", large),
    ("slow", slow),
    ("broken", broken),
    ("nonsense", nonsense),
    ("deaf", deaf),
];

/// The state that clients share.
struct Load {
    address: String,
    requests: Vec<Vec<u8>>,
    is_over: AtomicBool,
    answered: AtomicU64,
    refused: AtomicU64,
    /// Faults that were not the client's.
    faults: Mutex<Vec<String>>,
}

/// Runs it; fails where memory grows, or something fails that was asked well.
pub(super) fn run(command: &Path, requests: &Path, minutes: f64) -> Result<()> {
    let mut serve = Command::new(command);
    serve.args(["serve", "--listen", "127.0.0.1:0", "--head-timeout", "2", "--body-timeout", "2"]);
    serve.args(["--write-timeout", "2", "--max-connections", "200"]);
    let server = Server::start(serve)?;
    let load = Load {
        address: server.address.clone(),
        requests: read(&std::fs::read(requests)?)?,
        is_over: AtomicBool::new(false),
        answered: AtomicU64::new(0),
        refused: AtomicU64::new(0),
        faults: Mutex::default(),
    };
    let time = Duration::from_secs_f64(minutes * 60.0);
    let started = Instant::now();
    let mut samples = Vec::new();
    std::thread::scope(|scope| {
        let load = &load;
        for (_, client) in CLIENTS {
            scope.spawn(move || {
                while !load.is_over.load(Ordering::Relaxed) {
                    client(load);
                }
            });
        }
        while started.elapsed() < time {
            std::thread::sleep(EVERY);
            samples.extend(memory(server.id()));
        }
        load.is_over.store(true, Ordering::Relaxed);
    });
    let (answered, refused) = (load.answered.into_inner(), load.refused.into_inner());
    let faults = load.faults.into_inner()?;
    let kinds: Vec<&str> = CLIENTS.iter().map(|(kind, _)| *kind).collect();
    println!("{minutes} minutes of clients: {}.", kinds.join(", "));
    println!("{answered} requests answered, {refused} bad ones refused, {} faults.", faults.len());
    let mut counters = Client::new(TcpStream::connect(&server.address)?);
    let counters = counters.try_ask("GET", "/metrics", &[], b"")?.text();
    counters
        .lines()
        .filter(|line| line.starts_with("tamiz_rejections"))
        .for_each(|line| println!("    {line}"));
    if let Some(first) = faults.first() {
        return Err(format!("{} requests failed that were good; the first: {first}", faults.len()).into());
    }
    if !counters.contains("tamiz_rejections_total{reason=\"fault\"} 0") {
        return Err("the service has a fault".into());
    }
    let (before, after) = growth(&samples).ok_or("the system does not tell how much memory there is")?;
    let grown = after / before - 1.0;
    println!(
        "Memory: {:.1} MiB after the warm-up, {:.1} MiB at the end: {:+.1} %.",
        before,
        after,
        grown * 100.0
    );
    if grown > MOST_GROWTH { Err("memory grows".into()) } else { Ok(()) }
}

/// The memory after the warm-up and at the end, in MiB: the medians of an eighth of the samples each.
fn growth(samples: &[u64]) -> Option<(f64, f64)> {
    let warm = samples.get((samples.len() as f64 * WARM_UP) as usize..)?;
    let part = (samples.len() / 8).max(1);
    let middle = |part: &[u64]| {
        super::rounds::median(part.iter().map(|bytes| *bytes as f64 / f64::from(1 << 20)).collect())
    };
    let (first, last) = (warm.get(..part)?, warm.get(warm.len().checked_sub(part)?..)?);
    Some((middle(first), middle(last)))
}

/// The memory that a process has, in bytes.
fn memory(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}

/// The requests of a file, each behind its length.
fn read(mut bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
    let mut requests = Vec::new();
    while let Some((length, after)) = bytes.split_first_chunk::<4>() {
        let (request, rest) =
            after.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or("cut off")?;
        requests.push(request.to_vec());
        bytes = rest;
    }
    Ok(requests)
}

impl Load {
    fn connect(&self) -> Option<Client<TcpStream>> {
        match TcpStream::connect(&self.address) {
            Ok(stream) => Some(Client::new(stream)),
            Err(error) => {
                self.fault(format!("no connection: {error}"));
                None
            }
        }
    }

    fn fault(&self, what: String) {
        if let Ok(mut faults) = self.faults.lock() {
            faults.push(what);
        }
        std::thread::sleep(Duration::from_millis(100));
    }

    /// Asks what has to be answered.
    fn ask(&self, client: &mut Client<TcpStream>, target: &str, accept: &str, body: &[u8]) -> bool {
        match client.try_ask("POST", target, &[("accept", accept)], body) {
            Ok(answer) if answer.status == 200 => {
                self.answered.fetch_add(1, Ordering::Relaxed);
                true
            }
            Ok(answer) => {
                self.fault(format!("{target}: {}", answer.status));
                false
            }
            Err(error) => {
                self.fault(format!("{target}: {error}"));
                false
            }
        }
    }

    fn refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }
}

/// A connection that asks well, in every form.
fn good(load: &Load) {
    let Some(mut client) = load.connect() else { return };
    let forms = [
        ("/v1/canonicalize", "text/plain"),
        ("/v1/canonicalize", "application/json"),
        ("/v1/canonicalize?view=literal&profile=full", "text/x-tamiz-tokens"),
        ("/v1/canonicalize?evidence=true", "application/json"),
    ];
    for (n, request) in load.requests.iter().enumerate() {
        let (target, accept) = forms[n % forms.len()];
        if load.is_over.load(Ordering::Relaxed) || !load.ask(&mut client, target, accept, request) {
            return;
        }
    }
}

/// Streams of lines, good and bad.
fn batches(load: &Load) {
    let Some(mut client) = load.connect() else { return };
    let mut lines = String::new();
    for request in load.requests.iter().take(500) {
        lines += &format!("{{\"raw_b64\":\"{}\"}}\nnonsense\n", data_encoding::BASE64.encode(request));
    }
    load.ask(&mut client, "/v1/batch", "application/x-ndjson", lines.as_bytes());
}

/// Bodies that take long, made to hurt.
fn large(load: &Load) {
    let Some(mut client) = load.connect() else { return };
    for piece in ["a=%3Cb%3E&", "[{\"a\":", "../", "\r\n", "%25%25", "\u{FDFA}"] {
        let body =
            format!("POST /?a=b HTTP/1.1\r\nHost: ex.com\r\n\r\n{}", piece.repeat((400 << 10) / piece.len()));
        if load.is_over.load(Ordering::Relaxed)
            || !load.ask(&mut client, "/v1/canonicalize", "text/plain", body.as_bytes())
        {
            return;
        }
    }
}

/// Heads and bodies that do not end.
fn slow(load: &Load) {
    let begun: [&[u8]; 4] = [
        b"",
        b"POST /v1/canonicalize HTTP/1.1\r\nx: ",
        b"POST /v1/canonicalize HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\nGET",
        b"POST /v1/batch HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{\"\r\n",
    ];
    let mut clients: Vec<_> =
        begun.iter().cycle().take(40).filter_map(|begun| Some((load.connect()?, *begun))).collect();
    for (client, begun) in &mut clients {
        let _ = client.try_send(begun);
    }
    for (mut client, _) in clients {
        let _ = client.try_rest();
        load.refused();
    }
}

/// Clients that go away in the middle.
fn broken(load: &Load) {
    for begun in [
        &b"POST /v1/canonicalize HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\nGET"[..],
        b"POST /v1/batch HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n20\r\n{\"raw\":\"GET",
        b"POST /v1/canonicalize HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"GET /v1/flags HTTP/1.1\r\nhost: a\r\n\r\n",
        b"GE",
    ] {
        let Some(mut client) = load.connect() else { return };
        let _ = client.try_send(begun);
        load.refused();
    }
    std::thread::sleep(Duration::from_millis(5));
}

/// Sends what is not HTTP, or not for this service; requests of the corpus among them.
fn nonsense(load: &Load) {
    let fixed: [&[u8]; 4] = [
        b"\x16\x03\x01\x00\x05",
        b"NONSENSE\r\n\r\n",
        b"GET / HTTP/1.1\r\n: \r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ];
    let requests = load.requests.iter().step_by(50).map(Vec::as_slice);
    for bytes in fixed.into_iter().chain(requests) {
        if load.is_over.load(Ordering::Relaxed) {
            return;
        }
        let Some(mut client) = load.connect() else { return };
        if client.try_send(bytes).is_ok() {
            client.end_of_input();
            let _ = client.try_rest();
        }
        load.refused();
    }
}

/// Clients that ask for much and read nothing.
fn deaf(load: &Load) {
    let asks = b"GET /v1/flags HTTP/1.1\r\nhost: a\r\n\r\n".repeat(200);
    let mut clients: Vec<_> = (0..5).filter_map(|_| load.connect()).collect();
    for client in &mut clients {
        let _ = client.try_send(&asks);
    }
    std::thread::sleep(Duration::from_secs(1));
    load.refused();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_from_the_warm_up_to_the_end() {
        let mib = 1 << 20;
        let mut samples = vec![mib; 20];
        samples.extend(vec![10 * mib; 50]);
        samples.extend(vec![11 * mib; 10]);
        assert_eq!(growth(&samples), Some((10.0, 11.0)));
        assert_eq!(growth(&[]), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_system_tells_memory() {
        assert!(memory(std::process::id()).is_some_and(|bytes| bytes > 1 << 20));
    }
}
