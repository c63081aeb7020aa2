//! The same requests through every proxy: the document that it asks about is the one that `--as-seen-by` foretells, and
//! what is foretold to be refused is handed over to nobody. Where that fails, `differences.toml` says why.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use tamiz::{Canonicalizer, Config, Source};

use crate::agent::Agent;
use crate::proxies::{Kind, PATIENCE, Proxy};
use crate::{backend, common, corpus, vectors};

/// How many requests go through each proxy.
const REQUESTS: usize = 500;

/// How many of them are the corpus's, where there is one.
const OF_CORPUS: usize = 200;

/// How long a proxy has to answer what it may never answer, as a request without an end.
const SILENCE: Duration = Duration::from_secs(2);

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

/// Sends a request on a connection of its own, and waits for what comes of it.
fn send(address: SocketAddr, request: &[u8]) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(SILENCE)).unwrap();
    // A proxy may close before it has read everything.
    if stream.write_all(request).is_ok() {
        let mut some = [0; 4096];
        let _ = stream.read(&mut some);
    }
    let _ = stream.shutdown(Shutdown::Both);
}

/// Sends many, several at a time.
fn send_all<'g>(address: SocketAddr, given: impl Iterator<Item = &'g Given>) {
    let given: Vec<&Given> = given.collect();
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                while let Some(one) = given.get(next.fetch_add(1, Ordering::Relaxed)) {
                    send(address, &one.request);
                }
            });
        }
    });
}

/// The documents that were asked about so far, and how often each.
fn asked(sink: &Path, source: Source) -> BTreeMap<String, usize> {
    let text = std::fs::read_to_string(sink).unwrap_or_default();
    let mut texts = BTreeMap::new();
    for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(json["tamiz.source"], source.as_str());
        *texts.entry(json["tamiz.text"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    texts
}

/// Waits until a request that was sent after all others has been asked about. It is sent again and again: a proxy may
/// not have found the agent yet.
fn settle(proxy: &Proxy, sink: &Path, source: Source) {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let path = format!("/settled/{}", NEXT.fetch_add(1, Ordering::Relaxed));
    let request = format!("GET {path} HTTP/1.1\r\nHost: ex.com\r\nConnection: close\r\n\r\n");
    let started = Instant::now();
    while !asked(sink, source).keys().any(|text| text.contains(&path)) {
        assert!(started.elapsed() < PATIENCE, "nothing comes\n{}", proxy.logs());
        send(proxy.address, request.as_bytes());
        thread::sleep(Duration::from_millis(100));
    }
}

/// What a test asks for its own sake.
fn is_ours(text: &str) -> bool {
    text.contains("P:/settled/")
}

/// A busy machine is no reason to go on without an answer.
fn patient(text: &str) -> String {
    ["100ms", "250ms", "0.1s", "0.25s", "0.2s", "200ms", "500ms", "0.5s"]
        .into_iter()
        .fold(text.to_owned(), |text, short| text.replace(&format!(" {short}"), " 30s"))
}

fn as_foretold(kind: Kind) {
    let source = source(kind);
    let folder: PathBuf = common::scratch(&format!("as-seen-by-{source}"));
    let sink = folder.join("documents.jsonl");
    let agent = Agent::start(&["--sink", &format!("file:{}", sink.display())]);
    let Some(proxy) = Proxy::start_with(kind, "as-seen", &agent.places, backend::start(), patient) else {
        return;
    };
    settle(&proxy, &sink, source);
    let (given, listed) = (given(source), Differences::of(source));
    // Those of the corpus cannot be known where there is none.
    let is_known = |name: &&String| given.iter().any(|one| one.name == **name) || corpus::files().is_none();
    let unknown: Vec<&String> = listed.iter().filter(|name| !is_known(name)).collect();
    assert!(unknown.is_empty(), "differences.toml has what is not sent: {unknown:?}");
    let (listed, given): (Vec<Given>, Vec<Given>) =
        given.into_iter().partition(|one| listed.contains(&one.name));

    send_all(proxy.address, given.iter().filter(|one| one.foretold.is_err()));
    settle(&proxy, &sink, source);
    let handed_over: Vec<String> = asked(&sink, source).into_keys().filter(|text| !is_ours(text)).collect();
    assert!(handed_over.is_empty(), "{source} hands over what it was to refuse:\n{}", handed_over.join("\n"));

    send_all(proxy.address, given.iter().filter(|one| one.foretold.is_ok()));
    settle(&proxy, &sink, source);
    let mut left = asked(&sink, source);
    let mut missing = Vec::new();
    for (name, text) in given.iter().filter_map(|one| Some((&one.name, one.foretold.as_ref().ok()?))) {
        match left.get_mut(text) {
            Some(count) if *count > 0 => *count -= 1,
            _ => missing.push(format!("{name}\n{text}")),
        }
    }
    left.retain(|text, count| *count > 0 && !is_ours(text));
    assert!(
        missing.is_empty(),
        "{source} hands over something else for {} requests:\n{}\nnot foretold:\n{}",
        missing.len(),
        missing.join("\n"),
        left.into_keys().collect::<Vec<_>>().join("\n"),
    );
    for one in &listed {
        let before = asked(&sink, source);
        send(proxy.address, &one.request);
        settle(&proxy, &sink, source);
        let after = asked(&sink, source);
        let is_new = |text: &&String| !is_ours(text) && after.get(*text) > before.get(*text);
        let new: Vec<&String> = after.keys().filter(is_new).collect();
        let is_as_foretold = match &one.foretold {
            Ok(text) => new.contains(&text),
            Err(_) => new.is_empty(),
        };
        assert!(!is_as_foretold, "{}: {source} does as foretold; differences.toml is stale", one.name);
    }
    let refused = given.iter().filter(|one| one.foretold.is_err()).count();
    eprintln!("{source}: {} equal, {refused} refused, {} listed", given.len() - refused, listed.len());
}

each_proxy! {
    does_as_foretold = as_foretold;
}
