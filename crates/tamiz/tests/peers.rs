//! Peers as witnesses: where `httparse` and `url` accept something, they read it as we do.
//!
//! Differences are listed, with their reasons, in `peers.toml`.

mod common;

use std::cell::RefCell;
use std::collections::BTreeSet;

use common::generate::{self, Wire};
use common::{canonicalizer, corpus, grammar, vectors};
use proptest::test_runner::TestRunner;
use regex::bytes::Regex;
use serde::Deserialize;
use tamiz::{Document, Family, Parts, Profile, View, Weight};

/// A way in which a peer differs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default, deserialize_with = "pattern")]
    pattern: Option<Regex>,
    reason: String,
}

fn pattern<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Regex>, D::Error> {
    let text = String::deserialize(from)?;
    Regex::new(&format!("(?s-u){text}")).map(Some).map_err(serde::de::Error::custom)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Differences {
    httparse: Vec<Difference>,
    url: Vec<Difference>,
}

fn differences() -> Differences {
    let all: Differences = toml::from_str(include_str!("peers.toml")).unwrap();
    for difference in all.httparse.iter().chain(&all.url) {
        assert!(!difference.reason.is_empty());
        assert!(difference.flags.is_empty() == difference.pattern.is_some(), "{}", difference.reason);
    }
    all
}

/// A comparison with one peer: what it differed in, and how often it was asked.
struct Witness {
    listed: Vec<Difference>,
    used: BTreeSet<usize>,
    compared: usize,
    faults: Vec<String>,
}

impl Witness {
    fn new(listed: Vec<Difference>) -> Self {
        Witness { listed, used: BTreeSet::new(), compared: 0, faults: Vec::new() }
    }

    /// Returns whether a listed pattern excuses this input; it is used up if so.
    fn excuses(&mut self, input: &[u8]) -> bool {
        let fits = |difference: &Difference| difference.pattern.as_ref().is_some_and(|p| p.is_match(input));
        let found = self.listed.iter().position(fits);
        self.used.extend(found);
        found.is_some()
    }

    /// Fails where something differs that is not listed, or is listed and differs no more.
    fn finish(self) {
        eprintln!("{} compared", self.compared);
        assert!(self.faults.is_empty(), "{} differ:\n{}", self.faults.len(), self.faults.join("\n"));
        let stale = self.listed.iter().enumerate().filter(|(at, _)| !self.used.contains(at));
        let stale: Vec<&str> = stale.map(|(_, difference)| difference.reason.as_str()).collect();
        assert!(stale.is_empty(), "listed, but nothing differs so any more: {stale:#?}");
    }
}

/// Calls `look` with all vectors, rows of the corpus where there is one, and generated requests.
fn each_request(mut look: impl FnMut(&[u8])) {
    vectors::all().iter().for_each(|vector| look(&vector.request()));
    for file in corpus::files().unwrap_or_default() {
        corpus::sample(&file).for_each(|row| look(&row.request()));
    }
    let look = RefCell::new(look);
    TestRunner::new(generate::config())
        .run(&generate::request(), |Wire(request)| {
            look.borrow_mut()(&request);
            Ok(())
        })
        .unwrap();
}

/// Parses a request with `httparse`, as parts; `None` where it does not accept it.
fn with_httparse<T>(request: &[u8], use_it: impl FnOnce(&Parts<'_>) -> T) -> Option<T> {
    let mut headers = [httparse::EMPTY_HEADER; 512];
    let mut parsed = httparse::Request::new(&mut headers);
    let Ok(httparse::Status::Complete(end)) = parsed.parse(request) else { return None };
    let mut parts = Parts::new(parsed.method?.as_bytes(), parsed.path?.as_bytes());
    parts.version = Some(if parsed.version? == 0 { b"HTTP/1.0" } else { b"HTTP/1.1" });
    for header in parsed.headers.iter() {
        parts.header(header.name.as_bytes(), header.value);
    }
    parts.body = Some(&request[end..]);
    Some(use_it(&parts))
}

/// The text without these flags, and without `FAM`, which counts them.
fn without(document: &Document, flags: &[&str]) -> String {
    let is_kept = |flag: &&str| !flags.contains(flag);
    let line = |line: &str| {
        let cut = grammar::cut(line).unwrap();
        match cut.kind {
            "FAM" => String::new(),
            "FLAGS" => document.rollup().filter(is_kept).collect::<Vec<_>>().join(" "),
            kind => {
                let flags: Vec<&str> = cut.flags.into_iter().filter(is_kept).collect();
                format!("{kind}:{} {}\n", cut.content, flags.join(" "))
            }
        }
    };
    document.as_str().lines().map(line).collect()
}

#[test]
fn httparse_reads_requests_alike() {
    let tamiz = canonicalizer(View::Literal, Profile::Full);
    let mut witness = Witness::new(differences().httparse);
    each_request(|request| {
        with_httparse(request, |parts| {
            witness.compared += 1;
            let (ours, theirs) = (tamiz.canonicalize(request), tamiz.canonicalize_parts(parts));
            if ours != theirs && !excused_by_flags(&mut witness, &ours, &theirs) && !witness.excuses(request)
            {
                let diff = common::diff(theirs.as_str(), ours.as_str());
                witness.faults.push(format!("{}\n{diff}", request.escape_ascii()));
            }
        });
    });
    witness.finish();
}

/// Returns whether two documents differ in listed flags alone; those are used up if so.
fn excused_by_flags(witness: &mut Witness, ours: &Document, theirs: &Document) -> bool {
    let listed = witness.listed.iter().enumerate();
    let flags: Vec<(usize, &str)> = listed
        .flat_map(|(at, difference)| difference.flags.iter().map(move |flag| (at, flag.as_str())))
        .collect();
    let names: Vec<&str> = flags.iter().map(|(_, flag)| *flag).collect();
    if without(ours, &names) != without(theirs, &names) {
        return false;
    }
    for (at, flag) in flags {
        if without(ours, &[flag]) != without(ours, &[]) {
            witness.used.insert(at);
        }
    }
    true
}

#[test]
fn url_reads_hosts_alike() {
    let tamiz = canonicalizer(View::Shape, Profile::Standard);
    let mut witness = Witness::new(differences().url);
    each_request(|request| {
        let seen = with_httparse(request, |parts| Some((absolute(parts)?, tamiz.canonicalize_parts(parts))));
        let Some(Some(((url, authority), document))) = seen else { return };
        let Ok(parsed) = url::Url::parse(&url) else { return };
        witness.compared += 1;
        let port = parsed.port().map_or(String::new(), |port| format!(":{port}"));
        let theirs = format!("{}{port}", parsed.host_str().unwrap_or_default());
        let ours = host_of(&document);
        if ours != Some(&theirs) && !witness.excuses(authority.as_bytes()) {
            witness.faults.push(format!(
                "{authority:?}: we read {ours:?}, url {theirs:?} in {}",
                request.escape_ascii()
            ));
        }
    });
    witness.finish();
}

/// The absolute URL of a request, and the authority in it; `None` where there is no such thing.
fn absolute(parts: &Parts<'_>) -> Option<(String, String)> {
    let target = std::str::from_utf8(parts.target).ok()?;
    let hosts: Vec<_> = parts.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(b"host")).collect();
    if parts.method == b"CONNECT" {
        return None;
    }
    if target.starts_with('/') {
        let [(_, host)] = hosts[..] else { return None };
        let host = std::str::from_utf8(host).ok()?;
        // Otherwise the URL would not be cut where the header ends.
        let is_host = !host.is_empty() && !host.contains(['/', '?', '#', '\\', '\t']);
        return is_host.then(|| (format!("http://{host}{target}"), host.to_owned()));
    }
    let (scheme, rest) = target.split_once("://")?;
    let is_known = ["http", "https", "ws", "wss"].iter().any(|known| known.eq_ignore_ascii_case(scheme));
    let authority = rest.split(['/', '?', '#']).next()?;
    is_known.then(|| (target.to_owned(), authority.to_owned()))
}

/// Host and port of the `U` line.
fn host_of(document: &Document) -> Option<&str> {
    let authority = document.url()?.split_once("://")?.1.split('/').next()?;
    Some(authority.split_once('@').map_or(authority, |(_, host)| host))
}

/// Of the corpus file `smuggling`, the requests that a flag of framing or headers tells of.
#[test]
fn smuggled_requests_are_told_by_their_framing() {
    const ROWS: usize = 1498;
    const TOLD: usize = 1492;
    let files = corpus::files().unwrap_or_default();
    let Some(file) = files.iter().find(|file| file.ends_with("smuggling.jsonl.gz")) else {
        eprintln!("skipped: no smuggling.jsonl.gz in the corpus");
        return;
    };
    let tamiz = canonicalizer(View::Shape, Profile::Standard);
    let mut silent = Vec::new();
    let mut rows = 0;
    for row in corpus::rows(file) {
        rows += 1;
        let document = tamiz.canonicalize(&row.request());
        let is_told = document.flags().map(|raised| raised.flag()).any(|flag| {
            matches!(flag.family(), Family::Framing | Family::Header) && flag.weight() != Weight::Structural
        });
        if !is_told {
            silent.push(row.id);
        }
    }
    eprintln!("{} of {rows} are not told by framing or header: {silent:#?}", silent.len());
    const { assert!(TOLD * 100 >= ROWS * 98, "98 of 100 at least") };
    assert_eq!((rows, rows - silent.len()), (ROWS, TOLD));
}
