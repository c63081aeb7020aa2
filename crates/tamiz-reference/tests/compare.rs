//! The library against the reference, line by line. `crates/tamiz-fuzz` compares mutated vectors.

mod common;

use common::{corpus, vectors};
use tamiz::{Canonicalizer, Config};
use tamiz_reference::{Limits, Options, Profile, Scheme, View, canonicalize, tokens};

/// Every view and profile, for both: first with the default limits, but that bodies are read up to 8 KiB
/// (`vectors.rs` reads all of them), then with limits so small that every request meets one.
fn settings() -> Vec<(Canonicalizer, Options)> {
    let mut all = ordinary_settings();
    all.extend(tiny_settings());
    all
}

fn ordinary_settings() -> Vec<(Canonicalizer, Options)> {
    let mut limits = tamiz::Limits::default();
    limits.body_bytes = 8 << 10;
    with_limits(&limits, Limits { body: 8 << 10, ..Limits::default() })
}

/// The settings that tokens are compared in.
fn token_settings() -> Vec<(Canonicalizer, Options)> {
    let mut all = ordinary_settings();
    all.retain(|(_, options)| options.profile != Profile::Core);
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

    /// Compares tokens alone. `vectors_in_all_settings` compares the documents of vectors.
    fn compare_tokens(&mut self, name: &str, request: &[u8], (library, options): &(Canonicalizer, Options)) {
        let (expected, actual) = (library.canonicalize(request).tokens(), tokens(request, options));
        self.compared += 1;
        if expected != actual {
            let difference = common::diff(&expected.join("\n"), &actual.join("\n"));
            let difference = if difference.is_empty() {
                format!("  - {}\n  + {}\n", expected.join(" "), actual.join(" "))
            } else {
                difference
            };
            self.found.push(format!(
                "{name} ({:?}, {:?})\n  {}\n{difference}",
                options.view,
                options.profile,
                request.escape_ascii()
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

#[test]
fn tokens_of_vectors() {
    let settings = token_settings();
    let mut differences = Differences::default();
    for vector in vectors::all() {
        for setting in &settings {
            differences.compare_tokens(&vector.name, &vector.request(), setting);
        }
    }
    differences.report("tokens-of-vectors");
}

/// Real requests up to 8 KiB: every 40th, or as `REFERENCE_EVERY` says, each with its number.
fn each_row(mut compare: impl FnMut(&str, &[u8], usize)) {
    let every = number("REFERENCE_EVERY", 40);
    let mut row_number = 0;
    for file in corpus::files().into_iter().flatten() {
        for row in corpus::rows(&file) {
            row_number += 1;
            let request = row.request();
            if row_number % every == 0 && request.len() <= 8192 {
                compare(&row.id, &request, row_number / every);
            }
        }
    }
}

#[test]
fn corpus_rows() {
    let settings = settings();
    let mut differences = Differences::default();
    each_row(|id, request, number| differences.compare(id, request, &settings[number % settings.len()]));
    differences.report("corpus");
}

#[test]
fn tokens_of_corpus_rows() {
    let settings = token_settings();
    let mut differences = Differences::default();
    each_row(|id, request, number| {
        differences.compare_tokens(id, request, &settings[number % settings.len()]);
    });
    differences.report("tokens-of-corpus");
}
