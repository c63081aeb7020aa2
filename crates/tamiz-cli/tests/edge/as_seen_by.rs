//! The same requests through every proxy: the document that it asks about is the one that `--as-seen-by` foretells, and
//! what is foretold to be refused is handed over to nobody. Where that fails, `differences.toml` says why.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use tamiz::{Canonicalizer, Config, Source};

use crate::agent::Agent;
use crate::common::wait_until;
use crate::proxies::{Kind, Proxy};
use crate::{backend, common, corpus, vectors};

/// How many requests go through each proxy.
const REQUESTS: usize = 500;

/// How many of them are the corpus's, where there is one.
const OF_CORPUS: usize = 200;

/// How often to look whether something else came of a request that is not answered. No result depends on it.
const LOOK: Duration = Duration::from_millis(100);

/// After so many later requests that were asked about, nothing is expected any more of one that is not answered.
const LATER: usize = 20;

struct Given {
    name: String,
    request: Vec<u8>,
    /// The document, unless it is to be refused.
    foretold: Result<String, &'static str>,
}

/// A request of which something else comes than is foretold.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    source: Source,
    request: String,
    #[allow(dead_code, reason = "for people")]
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Differences {
    #[serde(default)]
    difference: Vec<Difference>,
}

impl Differences {
    fn of(source: Source) -> BTreeSet<String> {
        let text = include_str!("differences.toml");
        let all: Differences = toml::from_str(text).unwrap();
        all.difference.into_iter().filter(|one| one.source == source).map(|one| one.request).collect()
    }
}

fn source(kind: Kind) -> Source {
    match kind {
        Kind::Nginx => Source::Nginx,
        Kind::Caddy => Source::Caddy,
        Kind::EnvoyExtAuthz => Source::EnvoyExtAuthz,
        Kind::EnvoyExtProc => Source::EnvoyExtProc,
        Kind::Haproxy => Source::HaproxySpoe,
    }
}

/// So many of them, from all over.
fn spread<T>(all: Vec<T>, count: usize) -> impl Iterator<Item = T> {
    let step = (all.len() / count.max(1)).max(1);
    all.into_iter().step_by(step).take(count)
}

/// The requests, by name.
fn requests() -> Vec<(String, Vec<u8>)> {
    let mut rows = Vec::new();
    if let Some(files) = corpus::files() {
        let each = OF_CORPUS / files.len().max(1);
        for file in files {
            let all: Vec<_> = corpus::sample(&file).map(|row| (row.id.clone(), row.request())).collect();
            rows.extend(spread(all, each));
        }
    }
    let vectors: Vec<_> =
        vectors::all().iter().map(|vector| (vector.name.clone(), vector.request())).collect();
    let mut all: Vec<_> = spread(vectors, REQUESTS - rows.len()).collect();
    all.extend(rows);
    assert_eq!(all.len(), REQUESTS);
    all
}

fn given(source: Source) -> Vec<Given> {
    let mut config = Config::default();
    config.source = source;
    let canonicalizer = Canonicalizer::new(config);
    let foretell = |(name, request): (String, Vec<u8>)| {
        let foretold = tamiz_sources::document(&canonicalizer, &request);
        let foretold = foretold.map(|document| document.to_string()).map_err(|refusal| refusal.as_str());
        Given { name, request, foretold }
    };
    requests().into_iter().map(foretell).collect()
}

/// A proxy, and the file with all documents of what it asks about.
struct Edge {
    proxy: Proxy,
    sink: PathBuf,
    source: Source,
}

impl Edge {
    /// Sends a request on a connection of its own, and waits until it is answered, until `is_done`, or until it is sure
    /// that nothing comes: so many `later` requests were asked about. A connection without an answer is returned: it has
    /// to stay open for as long as something may come of it.
    fn send(&self, request: &[u8], later: usize, is_done: impl Fn() -> bool) -> Option<TcpStream> {
        let mut stream = TcpStream::connect(self.proxy.address).unwrap();
        stream.set_read_timeout(Some(LOOK)).unwrap();
        // A proxy may close before it has read everything.
        stream.write_all(request).ok()?;
        for _ in 0..later {
            match stream.read(&mut [0; 4096]) {
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                _ => return None,
            }
            if is_done() {
                break;
            }
            self.settle();
        }
        Some(stream)
    }

    /// Sends many, several at a time; returns the connections that have no answer.
    fn send_all(&self, given: &[&Given]) -> Vec<TcpStream> {
        let next = AtomicUsize::new(0);
        let open = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    while let Some(one) = given.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let stream = match &one.foretold {
                            Ok(text) => self.send(&one.request, LATER, || self.asked().contains_key(text)),
                            Err(_) => self.send(&one.request, 1, || false),
                        };
                        open.lock().unwrap().extend(stream);
                    }
                });
            }
        });
        open.into_inner().unwrap()
    }

    /// The documents that were asked about so far, and how often each.
    fn asked(&self) -> BTreeMap<String, usize> {
        let text = std::fs::read_to_string(&self.sink).unwrap_or_default();
        let mut texts = BTreeMap::new();
        for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            let json: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(json["tamiz.source"], self.source.as_str());
            *texts.entry(json["tamiz.text"].as_str().unwrap().to_owned()).or_default() += 1;
        }
        texts
    }

    /// Waits until a request that was sent after all others has been asked about. It is sent again and again: a proxy may
    /// not have found the agent yet.
    fn settle(&self) {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        // Of one length, so that none is in another.
        let path = format!("/settled/{:06}", NEXT.fetch_add(1, Ordering::Relaxed));
        let request = format!("GET {path} HTTP/1.1\r\nHost: ex.com\r\nConnection: close\r\n\r\n");
        let is_asked = || {
            let mut stream = TcpStream::connect(self.proxy.address).unwrap();
            stream.set_read_timeout(Some(common::PATIENCE)).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            // Whatever the answer is: that it was asked about is told by the sink.
            let _ = stream.read_to_end(&mut Vec::new());
            std::fs::read_to_string(&self.sink).unwrap_or_default().contains(&path)
        };
        wait_until(is_asked, || format!("nothing comes\n{}", self.proxy.logs()));
    }
}

/// Requests that a test makes for itself.
fn is_ours(text: &str) -> bool {
    text.contains("P:/settled/")
}

fn as_foretold(kind: Kind) {
    let source = source(kind);
    let folder: PathBuf = common::scratch(&format!("as-seen-by-{source}"));
    let sink = folder.join("documents.jsonl");
    let agent = Agent::start(&["--sink", &format!("file:{}", sink.display())]);
    let Some(proxy) = Proxy::start(kind, "as-seen", &agent.places, backend::start()) else { return };
    let edge = Edge { proxy, sink, source };
    edge.settle();
    let (given, listed) = (given(source), Differences::of(source));
    // Those of the corpus cannot be known where there is none.
    let is_known = |name: &&String| given.iter().any(|one| one.name == **name) || corpus::files().is_none();
    let unknown: Vec<&String> = listed.iter().filter(|name| !is_known(name)).collect();
    assert!(unknown.is_empty(), "differences.toml has what is not sent: {unknown:?}");
    let (listed, given): (Vec<Given>, Vec<Given>) =
        given.into_iter().partition(|one| listed.contains(&one.name));

    let (good, refused): (Vec<&Given>, Vec<&Given>) = given.iter().partition(|one| one.foretold.is_ok());
    let open = edge.send_all(&refused);
    // Twice: what the agent was asked before the first is in the sink before the second.
    edge.settle();
    edge.settle();
    let handed_over: Vec<String> = edge.asked().into_keys().filter(|text| !is_ours(text)).collect();
    assert!(handed_over.is_empty(), "{source} hands over what it was to refuse:\n{}", handed_over.join("\n"));

    drop(open);

    let open = edge.send_all(&good);
    // What is asked about last may not be in the sink yet.
    for _ in 0..LATER {
        edge.settle();
        if not_handed_over(&good, &mut edge.asked()).is_empty() {
            break;
        }
    }
    let mut left = edge.asked();
    let missing = not_handed_over(&good, &mut left);
    left.retain(|text, count| *count > 0 && !is_ours(text));
    assert!(
        missing.is_empty(),
        "{source} hands over something else for {} requests:\n{}\nnot foretold:\n{}",
        missing.len(),
        missing.join("\n"),
        left.into_keys().collect::<Vec<_>>().join("\n"),
    );
    drop(open);
    for one in &listed {
        assert!(
            !edge.does_as_foretold(one),
            "{}: as foretold on {source}; differences.toml is stale",
            one.name
        );
    }
    eprintln!("{source}: {} equal, {} refused, {} listed", good.len(), refused.len(), listed.len());
}

/// The requests whose documents were not asked about; the others are taken off from what was.
fn not_handed_over(given: &[&Given], asked: &mut BTreeMap<String, usize>) -> Vec<String> {
    let mut missing = Vec::new();
    for (name, text) in given.iter().filter_map(|one| Some((&one.name, one.foretold.as_ref().ok()?))) {
        match asked.get_mut(text) {
            Some(count) if *count > 0 => *count -= 1,
            _ => missing.push(format!("{name}\n{text}")),
        }
    }
    missing
}

impl Edge {
    /// Sends one request, and tells whether what is asked about then is what is foretold.
    fn does_as_foretold(&self, one: &Given) -> bool {
        let before = self.asked();
        let new = || -> Vec<String> {
            let is_new = |(text, count): &(String, usize)| !is_ours(text) && before.get(text) < Some(count);
            self.asked().into_iter().filter(is_new).map(|(text, _)| text).collect()
        };
        let open = self.send(&one.request, LATER, || !new().is_empty());
        self.settle();
        self.settle();
        drop(open);
        match &one.foretold {
            Ok(text) => new().contains(text),
            Err(_) => new().is_empty(),
        }
    }
}

each_proxy! {
    does_as_foretold = as_foretold;
}
