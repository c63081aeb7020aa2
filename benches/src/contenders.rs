//! The measured programs: this library, and the peers that are crates.

use std::hint::black_box;

use httparse::{EMPTY_HEADER, ParserConfig};
use tamiz::{Canonicalizer, Config, Scratch};
use tamiz_detector::{Detector, Model};
use url::Url;

/// Reads requests, with whatever it keeps between them.
pub trait Contender: Send {
    /// Reads them all; how many bytes came out.
    fn pass(&mut self, requests: &[&[u8]]) -> u64;
}

/// The names of those that [`contender`] makes.
pub const NAMES: &[&str] = &[
    "tamiz",
    "tamiz-owned",
    "tamiz-tokens",
    "tamiz-score",
    "tamiz-score-cold",
    "memcpy",
    "newlines",
    "httparse",
    "httparse-lenient",
    "url",
];

/// Makes the contender of that name, ready to read.
pub fn contender(name: &str) -> Option<Box<dyn Contender>> {
    Some(match name {
        "tamiz" => Box::new(Into::new()),
        "tamiz-owned" => Box::new(Owned(Canonicalizer::new(Config::default()))),
        "tamiz-tokens" => Box::new(Tokens(Canonicalizer::new(Config::default()))),
        "tamiz-score" => Box::new(Scores::new(true)?),
        "tamiz-score-cold" => Box::new(Scores::new(false)?),
        "memcpy" => Box::new(Copy(Vec::new())),
        "newlines" => Box::new(Newlines),
        "httparse" => Box::new(Httparse(ParserConfig::default())),
        "httparse-lenient" => Box::new(Httparse(lenient())),
        "url" => Box::new(Urls(Url::parse("http://www.example.com/").ok()?)),
        _ => return None,
    })
}

/// The whole document, in memory that is used again.
struct Into {
    tamiz: Canonicalizer,
    scratch: Scratch,
    out: Vec<u8>,
}

impl Into {
    fn new() -> Self {
        Into { tamiz: Canonicalizer::new(Config::default()), scratch: Scratch::default(), out: Vec::new() }
    }
}

impl Contender for Into {
    fn pass(&mut self, requests: &[&[u8]]) -> u64 {
        let mut written = 0;
        for request in requests {
            self.out.clear();
            self.tamiz.canonicalize_into(&mut self.scratch, black_box(request), &mut self.out);
            written += black_box(&self.out).len() as u64;
        }
        written
    }
}

/// A document of one's own for each request, with what its text does not say.
struct Owned(Canonicalizer);

impl Contender for Owned {
    fn pass(&mut self, requests: &[&[u8]]) -> u64 {
        requests
            .iter()
            .map(|request| black_box(self.0.canonicalize(black_box(request))).as_str().len() as u64)
            .sum()
    }
}

/// The tokens of a document of one's own.
struct Tokens(Canonicalizer);

impl Contender for Tokens {
    fn pass(&mut self, requests: &[&[u8]]) -> u64 {
        let tokens = |request: &&[u8]| black_box(self.0.canonicalize(black_box(request)).tokens());
        requests
            .iter()
            .map(|request| tokens(request).iter().map(|token| token.len() as u64).sum::<u64>())
            .sum()
    }
}

/// The score of a document of one's own. The first pass learns; where it is warm, it scores what it has learned too.
struct Scores {
    tamiz: Canonicalizer,
    learned: Model,
    detector: Option<Detector>,
    is_warm: bool,
}

impl Scores {
    fn new(is_warm: bool) -> Option<Self> {
        let tamiz = Canonicalizer::new(Config::default());
        let learned = Model::new(tamiz.fingerprint()).ok()?;
        Some(Scores { tamiz, learned, detector: None, is_warm })
    }
}

impl Contender for Scores {
    fn pass(&mut self, requests: &[&[u8]]) -> u64 {
        let Some(detector) = &self.detector else {
            for request in requests {
                // A fresh document of the same configuration is never refused.
                let _ = self.learned.learn(&self.tamiz.canonicalize(request));
            }
            self.detector = Some(Detector::new(self.learned.clone()));
            return if self.is_warm { self.pass(requests) } else { 0 };
        };
        for request in requests {
            let _ = black_box(detector.score(&self.tamiz.canonicalize(black_box(request))));
        }
        0
    }
}

/// The minimum cost of reading and writing every byte.
struct Copy(Vec<u8>);

impl Contender for Copy {
    fn pass(&mut self, requests: &[&[u8]]) -> u64 {
        let mut written = 0;
        for request in requests {
            self.0.clear();
            self.0.extend_from_slice(black_box(request));
            written += black_box(&self.0).len() as u64;
        }
        written
    }
}

/// The cost of finding the lines.
struct Newlines;

impl Contender for Newlines {
    fn pass(&mut self, requests: &[&[u8]]) -> u64 {
        let mut found = 0;
        for request in requests {
            found += black_box(
                memchr::memchr_iter(b'\n', black_box(request)).fold(0, |sum, at| sum + black_box(at & 1)),
            );
        }
        black_box(found);
        0
    }
}

/// As many headers as the largest request of the corpora has, and some more.
const HEADERS: usize = 128;

/// Cuts the head into slices; refuses what it does not take for a request.
struct Httparse(ParserConfig);

impl Contender for Httparse {
    fn pass(&mut self, requests: &[&[u8]]) -> u64 {
        let mut headers = [EMPTY_HEADER; HEADERS];
        for request in requests {
            let mut parsed = httparse::Request::new(&mut headers);
            let _ = black_box(self.0.parse_request(&mut parsed, black_box(request)));
            black_box(&parsed);
        }
        0
    }
}

/// Everything that it can be asked to forgive in a request.
fn lenient() -> ParserConfig {
    let mut config = ParserConfig::default();
    config.allow_multiple_spaces_in_request_line_delimiters(true);
    config.allow_space_before_first_header_name(true);
    config.ignore_invalid_headers_in_requests(true);
    config
}

/// The target alone: parsed as a URL, its query decoded.
struct Urls(Url);

impl Contender for Urls {
    fn pass(&mut self, requests: &[&[u8]]) -> u64 {
        let mut written = 0;
        for request in requests {
            let target = target(black_box(request));
            if let Ok(url) = self.0.join(&String::from_utf8_lossy(target)) {
                written +=
                    url.query_pairs().map(|(key, value)| key.len() + value.len()).sum::<usize>() as u64;
                black_box(url);
            }
        }
        written
    }
}

/// The text between the first and the last space of the first line.
fn target(request: &[u8]) -> &[u8] {
    let line = memchr::memchr(b'\n', request).map_or(request, |end| &request[..end]);
    match (memchr::memchr(b' ', line), memchr::memrchr(b' ', line)) {
        (Some(first), Some(last)) if first < last => line[first + 1..last].trim_ascii(),
        _ => b"/",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    #[test]
    fn every_contender_reads_every_corpus() {
        for corpus in generate::names() {
            let requests = generate::requests(corpus, 5).unwrap();
            let requests: Vec<&[u8]> = requests.iter().map(Vec::as_slice).collect();
            let bytes: u64 = requests.iter().map(|request| request.len() as u64).sum();
            for name in NAMES {
                let mut contender = contender(name).unwrap();
                let written = contender.pass(&requests);
                assert_eq!(contender.pass(&requests), written, "{name}: the same again, of {corpus}");
                match *name {
                    "memcpy" => assert_eq!(written, bytes),
                    "newlines" | "httparse" | "httparse-lenient" | "tamiz-score" | "tamiz-score-cold" => {
                        assert_eq!(written, 0);
                    }
                    _ => assert!(written > 0, "{name} writes nothing of {corpus}"),
                }
            }
        }
        assert!(contender("other").is_none());
    }

    #[test]
    fn targets_are_cut() {
        assert_eq!(target(b"GET  /a b HTTP/1.1\r\nHost: x y\r\n"), b"/a b");
        assert_eq!(target(b"GET\n"), b"/");
        assert_eq!(target(b""), b"/");
    }
}
