//! The library against the reference, line by line.

mod common;

use common::{corpus, vectors};
use tamiz::{Canonicalizer, Config};
use tamiz_reference::{Limits, Options, Profile, Scheme, View, canonicalize};

/// Every view and profile, for both: first with the default limits, but that bodies are read up to 8 KiB
/// (`vectors.rs` reads all of them), then with limits so small that every request meets one.
fn settings() -> Vec<(Canonicalizer, Options)> {
    let mut limits = tamiz::Limits::default();
    limits.body_bytes = 8 << 10;
    let mut all = with_limits(&limits, Limits { body: 8 << 10, ..Limits::default() });
    all.extend(tiny_settings());
    all
}

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect("a number"))
}

fn tiny_settings() -> Vec<(Canonicalizer, Options)> {
    let mut limits = tamiz::Limits::default();
    limits.long_value = 8;
    limits.pairs = 2;
    limits.segments = 2;
    limits.headers = 2;
    limits.body_keys = 2;
    limits.flag_parameters = 1;
    limits.body_bytes = 64;
    limits.depth = 2;
    limits.parts = 2;
    limits.entities = 1;
    let reference = Limits {
        long_value: 8,
        pairs: 2,
        segments: 2,
        headers: 2,
        values: 2,
        parameters: 1,
        body: 64,
        depth: 2,
        parts: 2,
        entities: 1,
        ..Limits::default()
    };
    with_limits(&limits, reference)
}

fn with_limits(limits: &tamiz::Limits, reference: Limits) -> Vec<(Canonicalizer, Options)> {
    let mut settings = Vec::new();
    for (view, reference_view) in [(tamiz::View::Shape, View::Shape), (tamiz::View::Literal, View::Literal)] {
        for (profile, reference_profile) in [
            (tamiz::Profile::Core, Profile::Core),
            (tamiz::Profile::Standard, Profile::Standard),
            (tamiz::Profile::Full, Profile::Full),
        ] {
            let mut config = Config::default();
            config.view = view;
            config.profile = profile;
            config.limits = limits.clone();
            let options = Options {
                view: reference_view,
                profile: reference_profile,
                scheme: Scheme::Http,
                limits: reference,
            };
            settings.push((Canonicalizer::new(config), options));
        }
    }
    settings
}

/// Collects what differs.
#[derive(Default)]
struct Differences {
    compared: usize,
    found: Vec<String>,
}

impl Differences {
    fn compare(&mut self, name: &str, request: &[u8], (library, options): &(Canonicalizer, Options)) {
        let expected = library.canonicalize(request).to_string();
        let actual = canonicalize(request, options);
        self.compared += 1;
        if expected != actual {
            let tiny = if options.limits.pairs < 128 { ", tiny limits" } else { "" };
            self.found.push(format!(
                "{name} ({:?}, {:?}{tiny})\n  {}\n{}",
                options.view,
                options.profile,
                request.escape_ascii(),
                common::diff(&expected, &actual)
            ));
        }
    }

    /// Fails if anything differs: library with `-`, reference with `+`.
    fn report(self, what: &str) {
        eprintln!("{what}: {} compared, {} differ", self.compared, self.found.len());
        if let Some(folder) = std::env::var_os("REFERENCE_REPORT") {
            let path = std::path::Path::new(&folder).join(what);
            std::fs::write(path, self.found.join("\n")).unwrap();
        }
        let shown = self.found.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
        assert!(self.found.is_empty(), "{} of {} differ:\n{shown}", self.found.len(), self.compared);
    }
}

#[test]
fn vectors_in_all_settings() {
    let settings = settings();
    let mut differences = Differences::default();
    for vector in vectors::all() {
        for setting in &settings {
            differences.compare(&vector.name, &vector.request(), setting);
        }
    }
    differences.report("vectors");
}

/// xorshift64*: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % n as u64).unwrap()
    }

    fn mutate(&mut self, request: &[u8], other: &[u8]) -> Vec<u8> {
        const PIECES: [&[u8]; 40] = [
            b"\r\n",
            b"\n",
            b"\r",
            b" ",
            b"\t",
            b"\0",
            b"%",
            b"%25",
            b"%2e",
            b"%2F",
            b"%00",
            b"%c3%a9",
            b"\xC3\xA9",
            b"\xFF",
            b"&",
            b"&amp;",
            b"&lt;",
            b"=",
            b";",
            b":",
            b"@",
            b"//",
            b"/",
            b"..",
            b"?",
            b"#",
            b"<",
            b"'",
            b"\"",
            b"\\",
            b"(",
            b"|",
            b"${",
            b"password=hunter2x",
            b"http://127.0.0.1/",
            b"union select",
            b"[",
            b"\xEF\xBC\x8F",
            b",",
            b"+",
        ];
        let mut request = request.to_vec();
        for _ in 0..1 + self.below(3) {
            let at = self.below(request.len() + 1);
            match self.below(5) {
                0 => {
                    let piece = PIECES[self.below(PIECES.len())];
                    request.splice(at..at, piece.iter().copied());
                }
                1 => {
                    let end = (at + 1 + self.below(4)).min(request.len());
                    request.drain(at.min(end)..end);
                }
                2 if at < request.len() => request[at] = u8::try_from(self.below(256)).unwrap(),
                3 => {
                    let from = self.below(other.len() + 1);
                    let to = (from + self.below(24)).min(other.len());
                    request.splice(at..at, other[from..to].iter().copied());
                }
                _ => {
                    let end = (at + self.below(12)).min(request.len());
                    let piece = request[at..end].to_vec();
                    request.splice(at..at, piece);
                }
            }
        }
        request
    }

    /// Changes whole words and signs, so that what comes of it still has parts that mean something.
    fn rearrange(&mut self, request: &[u8], other: &[u8], words: &[&[u8]]) -> Vec<u8> {
        let other = tokens(other);
        let mut tokens: Vec<Vec<u8>> = tokens(request).iter().map(|token| token.to_vec()).collect();
        for _ in 0..1 + self.below(5) {
            let at = self.below(tokens.len() + 1);
            let end = (at + self.below(6)).min(tokens.len());
            let from = self.below(other.len() + 1);
            let piece = &other[from..(from + self.below(8)).min(other.len())];
            let piece: Vec<Vec<u8>> = piece.iter().map(|token| token.to_vec()).collect();
            match (self.below(8), at < tokens.len()) {
                (0, _) => tokens.insert(at, words[self.below(words.len())].to_vec()),
                (1, true) => tokens[at] = words[self.below(words.len())].to_vec(),
                (2, true) => drop(tokens.remove(at)),
                (3, _) => drop(tokens.splice(at..at, piece)),
                (4, _) => drop(tokens.splice(at..end, piece)),
                (5, _) => {
                    let piece = tokens[at..end].to_vec();
                    let to = self.below(tokens.len() + 1);
                    tokens.splice(to..to, piece);
                }
                (6, true) => {
                    tokens[at] =
                        tokens[at].iter().flat_map(|byte| format!("%{byte:02x}").into_bytes()).collect();
                }
                (_, true) => {
                    let i = self.below(tokens[at].len());
                    if let Some(byte) = tokens[at].get_mut(i) {
                        *byte ^= 1 << self.below(8);
                    }
                }
                _ => {}
            }
        }
        tokens.concat()
    }
}

/// Words, escapes, line ends and runs beyond ASCII; every other byte alone.
fn tokens(request: &[u8]) -> Vec<&[u8]> {
    let mut tokens = Vec::new();
    let mut rest = request;
    while !rest.is_empty() {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let run = |is: &dyn Fn(&u8) -> bool| rest.iter().take_while(|byte| is(byte)).count();
        let len = match rest {
            [b'\r', b'\n', ..] => 2,
            [b'%', _, _, ..] => 3,
            _ => run(&is_word).max(run(&|byte| !byte.is_ascii())).max(1),
        };
        let (token, after) = rest.split_at(len);
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// Requests that are almost vectors. `REFERENCE_MUTATIONS` says how many, `REFERENCE_SEED` which.
#[test]
fn mutated_vectors() {
    let count = number("REFERENCE_MUTATIONS", 20_000);
    let seed = number("REFERENCE_SEED", 1);
    let settings = settings();
    let requests: Vec<Vec<u8>> =
        vectors::all().iter().map(vectors::Vector::request).filter(|r| r.len() <= 8192).collect();
    let mut words: Vec<&[u8]> = requests.iter().flat_map(|request| tokens(request)).collect();
    words.sort_unstable();
    words.dedup();
    let mut random = Random((seed as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut differences = Differences::default();
    for n in 0..count {
        let (a, b) = (&requests[random.below(requests.len())], &requests[random.below(requests.len())]);
        let request = if n % 2 == 0 { random.mutate(a, b) } else { random.rearrange(a, b, &words) };
        let setting = &settings[random.below(settings.len())];
        differences.compare(&format!("mutation {n} of seed {seed}"), &request, setting);
    }
    differences.report("mutations");
}

/// Real requests up to 8 KiB: every 40th, or as `REFERENCE_EVERY` says.
#[test]
fn corpus_rows() {
    let Some(files) = corpus::files() else { return };
    let every = number("REFERENCE_EVERY", 40);
    let settings = settings();
    let mut differences = Differences::default();
    let mut row_number = 0;
    for file in files {
        for row in corpus::rows(&file) {
            row_number += 1;
            let request = row.request();
            if row_number % every == 0 && request.len() <= 8192 {
                let setting = &settings[row_number / every % settings.len()];
                differences.compare(&row.id, &request, setting);
            }
        }
    }
    differences.report("corpus");
}
