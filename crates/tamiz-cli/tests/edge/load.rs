//! Measures what asking costs, and that every request gets its own answer: `cargo x bench edge`.
//!
//! Requests are alike but for a number. The document of the first says how all of them look, so that of every other one,
//! and its digest, are known before: an answer that is another request's, or nobody's, is found.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use crate::agent::Agent;
use crate::backend;
use crate::common::PATIENCE;
use crate::proxies::{Kind, Proxy};
use crate::timeouts::Wait;

/// How many connections are kept busy.
const CONNECTIONS: usize = 8;
/// How long each proxy is measured with and without, in turns of so many seconds.
const ROUNDS: usize = 6;
const SECONDS: u64 = 5;

/// The result of a load.
#[derive(Default)]
struct Load {
    /// In microseconds, sorted.
    times: Vec<u32>,
    /// Answers with the digest of their own document.
    own: u64,
    /// Without a digest: Tamiz was not heard in time.
    lost: u64,
    /// With that of another one, or of another request altogether.
    mixed_up: u64,
}

impl Load {
    fn add(&mut self, other: Load) {
        self.times.extend(other.times);
        self.own += other.own;
        self.lost += other.lost;
        self.mixed_up += other.mixed_up;
    }

    fn percentile(&self, share: f64) -> f64 {
        let at = ((self.times.len() as f64 - 1.0) * share).round() as usize;
        f64::from(self.times[at]) / 1000.0
    }
}

/// The document of every request, as that of the first has it.
struct Expected {
    document: String,
    first: String,
}

impl Expected {
    fn digest(&self, number: u64) -> String {
        let text = self.document.replace(&self.first, &name(number));
        Sha256::digest(text).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The number of a request, always of the same length and shape.
fn name(number: u64) -> String {
    let letters =
        (0..10).map(|place| char::from(b'a' + u8::try_from(number / 10u64.pow(place) % 10).unwrap()));
    format!("item-{}", letters.collect::<String>())
}

fn request(number: u64) -> String {
    format!(
        "POST /shop/{}?q=caf%C3%A9&page=2 HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\n\
         Accept: text/html,*/*;q=0.8\r\nAccept-Language: es-ES,es;q=0.9\r\nReferer: http://www.example.com/shop\r\n\
         Cookie: session=7F4C2A9B1D3E5F60; theme=dark\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: 26\r\n\r\nname=Ana&comment=%3Cb%3Ehi",
        name(number)
    )
}

struct Connection {
    stream: BufReader<TcpStream>,
    body: Vec<u8>,
}

impl Connection {
    fn new(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Connection { stream: BufReader::new(stream), body: Vec::new() }
    }

    /// The application's answer to a request; an error where the connection has ended.
    fn ask(&mut self, number: u64) -> std::io::Result<String> {
        self.stream.get_mut().write_all(request(number).as_bytes())?;
        let (mut length, mut line, mut is_good) = (0, String::new(), false);
        loop {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            let lower = line.trim_end().to_ascii_lowercase();
            is_good |= lower.starts_with("http/1.1 200");
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if lower.is_empty() {
                break;
            }
        }
        self.body.resize(length, 0);
        self.stream.read_exact(&mut self.body)?;
        assert!(is_good, "{}", String::from_utf8_lossy(&self.body));
        Ok(String::from_utf8_lossy(&self.body).into_owned())
    }
}

fn digest(seen: &str) -> Option<String> {
    seen.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("x-tamiz-digest").then(|| value.trim().to_owned())
    })
}

/// Keeps a proxy busy; what comes back is compared where something is expected.
fn load(address: SocketAddr, expected: Option<&Expected>, time: Duration, numbers: &AtomicU64) -> Load {
    let until = Instant::now() + time;
    let mut all = Load::default();
    thread::scope(|scope| {
        let worker = || {
            let mut mine = Load::default();
            let mut connection = Connection::new(address);
            while Instant::now() < until {
                let number = numbers.fetch_add(1, Ordering::Relaxed);
                let started = Instant::now();
                let Ok(seen) = connection.ask(number) else {
                    // Proxies close a connection after so many requests.
                    connection = Connection::new(address);
                    continue;
                };
                mine.times.push(u32::try_from(started.elapsed().as_micros()).unwrap_or(u32::MAX));
                let Some(expected) = expected else { continue };
                match digest(&seen) {
                    None => mine.lost += 1,
                    Some(digest) if digest == expected.digest(number) && seen.contains(&name(number)) => {
                        mine.own += 1
                    }
                    Some(_) => mine.mixed_up += 1,
                }
            }
            mine
        };
        let workers: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().for_each(|worker| all.add(worker.join().unwrap()));
    });
    all
}

/// The configuration without any question.
fn without(kind: Kind, text: &str) -> String {
    let drop = |starts: &[&str]| {
        let is_kept = |line: &&str| !starts.iter().any(|start| line.trim().starts_with(start));
        text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect::<String>()
    };
    let cut = |from: &str, to: &str| {
        let (start, end) = (text.find(from).unwrap(), text.find(to).unwrap());
        [&text[..start], &text[end..]].concat()
    };
    match kind {
        Kind::Nginx => drop(&["auth_request", "proxy_set_header X-Tamiz"])
            .replace("$tamiz_flags", "-")
            .replace("$tamiz_digest", "-"),
        Kind::Caddy => cut("\t# As `forward_auth`", "\treverse_proxy 127.0.0.1:8000"),
        Kind::EnvoyExtAuthz => cut(
            "          - name: envoy.filters.http.ext_authz",
            "          - name: envoy.filters.http.router",
        ),
        Kind::EnvoyExtProc => cut(
            "          - name: envoy.filters.http.ext_proc",
            "          - name: envoy.filters.http.router",
        ),
        Kind::Haproxy => drop(&["filter spoe", "http-request send-spoe-group"]),
    }
}

/// Learns what documents look like.
fn learn(proxy: &Proxy, sink: &std::path::Path, numbers: &AtomicU64) -> Expected {
    let started = Instant::now();
    let mut connection = Connection::new(proxy.address);
    let (number, digest) = loop {
        let number = numbers.fetch_add(1, Ordering::Relaxed);
        if let Some(digest) = connection.ask(number).ok().as_deref().and_then(digest) {
            break (number, digest);
        }
        assert!(started.elapsed() < PATIENCE, "{}", proxy.logs());
        connection = Connection::new(proxy.address);
        thread::sleep(Duration::from_millis(100));
    };
    loop {
        let lines = std::fs::read_to_string(sink).unwrap();
        let documents = lines.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let document = documents
            .filter_map(|json| Some(json["tamiz.text"].as_str()?.to_owned()))
            .find(|text| text.contains(&name(number)));
        if let Some(document) = document {
            let expected = Expected { document, first: name(number) };
            assert_eq!(expected.digest(number), digest);
            return expected;
        }
        assert!(started.elapsed() < PATIENCE, "{lines}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn kinds() -> Vec<Kind> {
    let only = std::env::var("TAMIZ_EDGE_ONLY").ok();
    let is_asked = |kind: &Kind| {
        only.as_ref().is_none_or(|only| format!("{kind:?}").to_lowercase().contains(&only.to_lowercase()))
    };
    Kind::ALL.into_iter().filter(is_asked).collect()
}

/// A proxy with the timeouts of `deploy/`: they are part of what is measured.
fn as_deployed(
    kind: Kind,
    name: &str,
    agent: &Agent,
    application: SocketAddr,
    change: impl Fn(&str) -> String,
) -> Option<Proxy> {
    Proxy::start_waiting(kind, name, &agent.places, application, Wait::AsDeployed, change)
}

/// A service whose first documents are known, and a proxy before it.
fn started(kind: Kind, name: &str) -> Option<(Agent, SocketAddr, Proxy, Expected, AtomicU64)> {
    let sink = crate::common::scratch(&format!("edge-{name}-{kind:?}")).join("documents.jsonl");
    let application = backend::start();
    let numbers = AtomicU64::new(0);
    let learning = Agent::start(&["--sink", &format!("file:{}", sink.display())]);
    let expected = {
        let proxy = as_deployed(kind, &format!("{name}-learn"), &learning, application, str::to_owned)?;
        learn(&proxy, &sink, &numbers)
    };
    drop(learning);
    let agent = Agent::start(&[]);
    let proxy = as_deployed(kind, name, &agent, application, str::to_owned)?;
    // Until the agent is found.
    let started = Instant::now();
    while Connection::new(proxy.address).ask(0).ok().as_deref().and_then(digest).is_none() {
        assert!(started.elapsed() < PATIENCE, "{}", proxy.logs());
        thread::sleep(Duration::from_millis(100));
    }
    Some((agent, application, proxy, expected, numbers))
}

#[test]
#[ignore = "a measurement: cargo x bench edge"]
fn added_latency() {
    println!(
        "| proxy | without p50, ms | with | added | without p99, ms | with | added | requests/s without | with | own answers | lost | mixed up |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let mut mixed_up = 0;
    for kind in kinds() {
        let Some((agent, application, proxy, expected, numbers)) = started(kind, "latency") else { return };
        let bare = as_deployed(kind, "bare", &agent, application, |text| {
            if text.contains(&kind.port().to_string()) { without(kind, text) } else { text.to_owned() }
        })
        .unwrap();
        for address in [proxy.address, bare.address] {
            load(address, None, Duration::from_secs(1), &numbers);
        }
        let (mut with, mut bare_load) = (Load::default(), Load::default());
        for _ in 0..ROUNDS {
            bare_load.add(load(bare.address, None, Duration::from_secs(SECONDS), &numbers));
            with.add(load(proxy.address, Some(&expected), Duration::from_secs(SECONDS), &numbers));
        }
        with.times.sort_unstable();
        bare_load.times.sort_unstable();
        let row = |share: f64| {
            let (bare, with) = (bare_load.percentile(share), with.percentile(share));
            format!("{bare:.2} | {with:.2} | {:.2}", with - bare)
        };
        let rate = |load: &Load| load.times.len() as u64 / (ROUNDS as u64 * SECONDS);
        println!(
            "| {kind:?} | {} | {} | {} | {} | {} | {} | {} |",
            row(0.5),
            row(0.99),
            rate(&bare_load),
            rate(&with),
            with.own,
            with.lost,
            with.mixed_up
        );
        mixed_up += with.mixed_up;
    }
    println!(
        "\n{CONNECTIONS} connections, each with one request at a time; {ROUNDS} turns of {SECONDS} seconds without and with \
         Tamiz. Proxy, Tamiz, application and clients share the processors."
    );
    assert_eq!(mixed_up, 0);
}

#[test]
#[ignore = "a measurement: cargo x bench edge --minutes N"]
fn full_load() {
    let minutes: f64 = std::env::var("TAMIZ_EDGE_MINUTES").map_or(1.0, |minutes| minutes.parse().unwrap());
    println!("| proxy | minutes | requests | own answers | lost | mixed up | p50, ms | p99, ms |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    let mut wrong = 0;
    for kind in kinds() {
        let Some((_agent, _, proxy, expected, numbers)) = started(kind, "load") else { return };
        let mut all = load(proxy.address, Some(&expected), Duration::from_secs_f64(minutes * 60.0), &numbers);
        all.times.sort_unstable();
        println!(
            "| {kind:?} | {minutes} | {} | {} | {} | {} | {:.2} | {:.2} |",
            all.times.len(),
            all.own,
            all.lost,
            all.mixed_up,
            all.percentile(0.5),
            all.percentile(0.99)
        );
        wrong += all.lost + all.mixed_up;
    }
    assert_eq!(wrong, 0, "answers that were lost or mixed up");
}
