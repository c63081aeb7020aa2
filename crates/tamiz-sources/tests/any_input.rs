//! Every input gives an answer, and what is handed over gives a document that reads back.

mod common;

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tamiz::{Canonicalizer, Config, Document, Source};
use tamiz_sources::{KNOWN, Seen, as_seen_by, document};

static CANONICALIZERS: LazyLock<Vec<Canonicalizer>> = LazyLock::new(|| {
    let of = |source: &Source| {
        let mut config = Config::default();
        config.source = *source;
        Canonicalizer::new(config)
    };
    KNOWN.iter().map(of).collect()
});

static REQUESTS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(common::requests);

fn check(request: &[u8]) {
    for (source, canonicalizer) in KNOWN.iter().zip(&*CANONICALIZERS) {
        let made = document(canonicalizer, request);
        match as_seen_by(*source, request) {
            Seen::Refused(refusal) => assert_eq!(made.unwrap_err(), refusal),
            _ => {
                let made = made.unwrap();
                assert_eq!(made.source(), Some(*source));
                assert_eq!(Document::parse(made.as_str()).unwrap(), made);
            }
        }
    }
}

/// Pieces that requests are made of, and that break them.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let known: Vec<Vec<u8>> = [
        &b"GET "[..],
        b"POST ",
        b"/a",
        b" HTTP/1.1",
        b" HTTP/1.0",
        b"\r\n",
        b"\n",
        b"\r",
        b"Host: ex.com\r\n",
        b"Content-Length: 3\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"3\r\nabc\r\n0\r\n\r\n",
        b"abc",
        b" ",
        b"\t",
        b":",
        b"%",
        b"%2e%2e/",
        b"http://",
        b"@",
        b"[",
        b"]",
        b"?",
        b"#",
        b"\0",
        b"\xFF",
        b"Connection: x, close\r\n",
        b"Upgrade: websocket\r\n",
        b"TE: trailers\r\n",
        b"Referer: http://a/b\r\n",
        b"\r\n\r\n",
    ]
    .map(<[u8]>::to_vec)
    .to_vec();
    prop_oneof![4 => prop::sample::select(known), 1 => prop::collection::vec(any::<u8>(), 0..8)]
}

/// Makes the same cases on every run; `PROPTEST_RNG_SEED` chooses others.
fn config() -> ProptestConfig {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(1);
    }
    config
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn pieces_in_any_order(pieces in prop::collection::vec(piece(), 0..24)) {
        check(&pieces.concat());
    }

    #[test]
    fn requests_that_are_cut_anywhere(at in any::<prop::sample::Index>(), end in any::<prop::sample::Index>()) {
        let request = &REQUESTS[at.index(REQUESTS.len())];
        check(&request[..end.index(request.len() + 1)]);
    }
}
