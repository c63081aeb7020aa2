//! Large requests, 16 to 64 KiB: by their headers, their query or the form in their body.

use super::csic::PAYLOADS;
use super::random::Random;
use super::{ALPHANUMERIC, LOWER, USER_AGENTS, form_encoded, join, query_value};

/// Parsers of fixed arrays of headers take a hundred.
const MOST_LINES: usize = 95;

pub(super) fn request(random: &mut Random) -> Vec<u8> {
    let size = random.count(16 << 10, 64 << 10);
    let part = match random.number(0, 2) {
        0 => Part::Headers,
        1 => Part::Query,
        _ => Part::Form,
    };
    of_size(random, size, part)
}

/// The part that makes a request large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Cookies and headers that nobody knows.
    Headers,
    /// The query of its target.
    Query,
    /// The form in its body.
    Form,
}

/// A request of about `size` bytes.
pub(super) fn of_size(random: &mut Random, size: usize, part: Part) -> Vec<u8> {
    let mut lines = vec![
        "Host: www.example.com".to_owned(),
        format!("User-Agent: {}", random.choice(USER_AGENTS)),
        "Accept: */*".to_owned(),
        "Accept-Encoding: gzip, deflate, br".to_owned(),
        "Accept-Language: es-ES,es;q=0.9".to_owned(),
    ];
    match part {
        Part::Headers => {
            lines.insert(0, "GET /portal/home?x=1 HTTP/1.1".to_owned());
            let mut written = 0;
            while written < size && lines.len() < MOST_LINES {
                let line = if random.chance(0.5) { cookies(random) } else { extension(random) };
                written += line.len();
                lines.push(line);
            }
            join(&lines, b"", "\r\n")
        }
        Part::Query => {
            let query = pairs(random, size, query_value);
            lines.insert(0, format!("GET /search?{query} HTTP/1.1"));
            join(&lines, b"", "\r\n")
        }
        Part::Form => {
            let form = pairs(random, size, |random| {
                if random.chance(0.9) {
                    query_value(random)
                } else {
                    form_encoded(random.choice(PAYLOADS).as_bytes())
                }
            });
            lines.insert(0, "POST /form/submit HTTP/1.1".to_owned());
            lines.push("Content-Type: application/x-www-form-urlencoded".to_owned());
            lines.push(format!("Content-Length: {}", form.len()));
            join(&lines, form.as_bytes(), "\r\n")
        }
    }
}

fn word(random: &mut Random, shortest: usize, longest: usize) -> String {
    let length = random.count(shortest, longest);
    random.string(LOWER, length)
}

fn cookies(random: &mut Random) -> String {
    let alphabet = format!("{ALPHANUMERIC}%-_.");
    let pairs: Vec<String> = (0..random.count(8, 30))
        .map(|_| {
            let name = word(random, 4, 12);
            let length = random.count(16, 64);
            format!("{name}={}", random.string(&alphabet, length))
        })
        .collect();
    format!("Cookie: {}", pairs.join("; "))
}

fn extension(random: &mut Random) -> String {
    let mut name = word(random, 4, 14);
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let length = random.count(200, 1200);
    format!("X-{name}: {}", random.string(&format!("{ALPHANUMERIC} ,;=/-"), length))
}

/// Keys and values until there are `size` bytes of them.
fn pairs(random: &mut Random, size: usize, value: impl Fn(&mut Random) -> String) -> String {
    let mut pairs = Vec::new();
    let mut written = 0;
    while written < size {
        let key = word(random, 2, 10);
        let pair = format!("{key}={}", value(random));
        written += pair.len() + 1;
        pairs.push(pair);
    }
    pairs.join("&")
}
