//! The flags that a source never shows: data, held against what it makes of every request that there is.

mod common;

use std::collections::BTreeSet;

use common::corpus;
use tamiz::{Canonicalizer, Config, Flag, Profile, Source};
use tamiz_sources::{KNOWN, document, never};

/// Requests that show what neither the registry nor the vectors show behind a proxy.
const MORE: &[&[u8]] = &[
    b"GET /a HTTP/1.1\r\nHost: ex%C3%A9.com\r\nOrigin: http://ex%C3%A9.com\r\n\r\n",
    b"GET /a HTTP/1.1\r\nHost: ex.com\r\nUser-Agent: a\rTransfer-Encoding: chunked\r\n\r\n",
    b"GET /a HTTP/1.1\r\nHost: xn--ex-cja.com\r\nOrigin: http://xn--ex-cja.com\r\n\r\n",
];

fn canonicalizer(source: Source) -> Canonicalizer {
    let mut config = Config::default();
    config.profile = Profile::Full;
    config.source = source;
    Canonicalizer::new(config)
}

fn shown(canonicalizer: &Canonicalizer, request: &[u8]) -> Vec<Flag> {
    document(canonicalizer, request)
        .map(|document| document.flags().map(|raised| raised.flag()).collect())
        .unwrap_or_default()
}

/// Both ways: what is listed is never shown, and what is never shown by any request here is listed.
#[test]
fn the_lists_are_those_of_the_requests_there_are() {
    let requests = common::requests();
    let mut faults = String::new();
    for source in KNOWN.iter().copied().filter(|source| *source != Source::Wire) {
        let canonicalizer = canonicalizer(source);
        let all = requests.iter().map(Vec::as_slice).chain(MORE.iter().copied());
        let seen: BTreeSet<&str> =
            all.flat_map(|request| shown(&canonicalizer, request)).map(Flag::name).collect();
        let missing: BTreeSet<&str> =
            Flag::ALL.iter().map(|flag| flag.name()).filter(|name| !seen.contains(name)).collect();
        let listed: BTreeSet<&str> = never(source).iter().map(|flag| flag.name()).collect();
        if listed != missing {
            faults += &format!("{source} = {missing:?}\n");
        }
    }
    assert!(faults.is_empty(), "the lists should be\n{faults}");
    assert!(never(Source::Wire).is_empty());
}

#[test]
fn no_row_of_the_corpus_shows_one() {
    let Some(files) = corpus::files() else { return };
    let canonicalizers: Vec<Canonicalizer> = KNOWN.iter().map(|source| canonicalizer(*source)).collect();
    for file in files {
        for row in corpus::sample(&file) {
            let request = row.request();
            for canonicalizer in &canonicalizers {
                let source = canonicalizer.config().source;
                let wrong: Vec<Flag> = shown(canonicalizer, &request)
                    .into_iter()
                    .filter(|flag| never(source).contains(flag))
                    .collect();
                assert!(wrong.is_empty(), "{} by {source}: {wrong:?}", row.id);
            }
        }
    }
}
