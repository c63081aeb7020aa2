//! The five seeded corpora: the same requests on every machine.

mod api;
mod attack;
mod big;
mod browser;
mod csic;
mod random;

pub use big::Part;
use random::Random;

/// The seed of all corpora.
const SEED: u64 = 20_261_115;

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const ALPHANUMERIC: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const BASE64URL: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
const HEX: &str = "0123456789abcdef";
const HEX_UPPER: &str = "0123456789ABCDEF";

const WORDS: &[&str] = &[
    "red", "blue", "shoes", "jacket", "summer", "winter", "price", "sale", "new", "used", "laptop", "phone",
    "camera", "book", "madrid", "paris", "london", "tokyo", "garden", "kitchen", "office", "music", "video",
    "game", "travel", "hotel", "flight", "car", "bike", "health", "news", "sport", "weather", "recipe",
    "wine", "coffee", "table", "chair", "lamp",
];

const USER_AGENTS: &[&str] = &[
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
    "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36",
];

const HOSTS: &[&str] = &[
    "www.example.com",
    "shop.example.org",
    "news.example.net",
    "cdn.example.com",
    "intranet.example.es:8080",
];

/// A corpus that can be made.
struct Corpus {
    name: &'static str,
    /// How many requests it has when whole.
    requests: usize,
    request: fn(&mut Random) -> Vec<u8>,
}

/// In this order: each has a seed of its own, by its place.
const ALL: &[Corpus] = &[
    Corpus { name: "browser", requests: 10_000, request: browser::request },
    Corpus { name: "csic", requests: 10_000, request: csic::request },
    Corpus { name: "attack", requests: 10_000, request: attack::request },
    Corpus { name: "api", requests: 10_000, request: api::request },
    Corpus { name: "big", requests: 500, request: big::request },
];

/// The names of the five corpora.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|corpus| corpus.name)
}

/// The first `most` requests of a corpus, or all there are; `None` where there is no such corpus.
pub fn requests(name: &str, most: usize) -> Option<Vec<Vec<u8>>> {
    let (place, corpus) = ALL.iter().enumerate().find(|(_, corpus)| corpus.name == name)?;
    let mut random = Random::new(SEED * 1_000_003 + place as u64);
    Some((0..corpus.requests.min(most)).map(|_| (corpus.request)(&mut random)).collect())
}

/// `count` requests like those of `big`, all of about `size` bytes by one of their parts.
pub fn sized(part: Part, size: usize, count: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new(SEED);
    (0..count).map(|_| big::of_size(&mut random, size, part)).collect()
}

/// A request: lines, an empty one, a body.
fn join(lines: &[String], body: &[u8], line_end: &str) -> Vec<u8> {
    let mut out = lines.join(line_end).into_bytes();
    out.extend_from_slice(line_end.repeat(2).as_bytes());
    out.extend_from_slice(body);
    out
}

/// The value of a query's key, as honest traffic has them.
fn query_value(random: &mut Random) -> String {
    match random.number(0, 8) {
        0 => random.number(0, 999_999).to_string(),
        1 => random.choice(WORDS).to_owned(),
        2 => {
            let words: Vec<&str> = (0..random.count(2, 4)).map(|_| random.choice(WORDS)).collect();
            form_encoded(words.join(" ").as_bytes())
        }
        3 => random.string(HEX, 32),
        4 => random.uuid(),
        5 => {
            let (host, word, x) = (random.choice(HOSTS), random.choice(WORDS), random.number(0, 99));
            percent_encoded(format!("https://{host}/{word}?x={x}").as_bytes(), b"")
        }
        6 => percent_encoded(random.choice(&["café", "españa", "münchen", "東京", "jamón"]).as_bytes(), b"/"),
        7 => {
            let length = random.count(6, 22);
            random.string(ALPHANUMERIC, length)
        }
        _ => format!("{}%40example.com", random.choice(WORDS)),
    }
}

/// Percent-encoded, but for unreserved characters (RFC 3986, 2.3) and those in `safe`.
fn percent_encoded(bytes: &[u8], safe: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 3);
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"_.-~".contains(&byte) || safe.contains(&byte) {
            out.push(byte as char);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Encodes text as forms do: `+` for a space.
fn form_encoded(bytes: &[u8]) -> String {
    percent_encoded(bytes, b" ").replace(' ', "+")
}

/// As forms of pages in ISO 8859-1 do it.
fn form_encoded_latin1(text: &str) -> String {
    let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect();
    form_encoded(&bytes)
}

#[cfg(test)]
mod tests {
    use data_encoding::HEXLOWER;
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::corpus;

    /// Figures that were published for these corpora are for these very bytes.
    #[test]
    fn corpora_are_these_bytes() {
        for (name, digest) in [
            ("browser", "b0f2044be077fa541068530a9ebb822e74df24f1b1590b95bea63cb8a9984b6f"),
            ("csic", "0c1b1af49e2957e499466f13947996c15e7d1deaf6265fbbb97540ee889238b7"),
            ("attack", "4a3fbb0d69272df53d82d40fddffc21cbc92a967fb86e6fa09b29b4b1a6d4436"),
            ("api", "4e2a5b8d7c7398edecd3fca1dfc1deeabf80bdf0996c91a5590beb3a4e4e179e"),
            ("big", "d4ecb4bd0d101b5d5cf5c0487dd2189983b8fa1274fb6b9674618a99b1b5eb2f"),
        ] {
            let bytes = corpus::write(&requests(name, usize::MAX).unwrap());
            assert_eq!(HEXLOWER.encode(&Sha256::digest(&bytes)), digest, "{name}");
        }
    }

    #[test]
    fn sized_requests_have_about_that_size() {
        for part in [Part::Headers, Part::Query, Part::Form] {
            for size in [16 << 10, 64 << 10] {
                for request in sized(part, size, 6) {
                    assert!(request.len() > size && request.len() < size + size / 4, "{}", request.len());
                }
            }
        }
    }
}
