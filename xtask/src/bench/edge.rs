//! `cargo x bench edge`: what asking Tamiz costs each proxy, and whether every request gets its own answer. The tests
//! have the proxies, and do the measuring.

use std::path::Path;

use crate::Result;
use crate::process::{self, cargo};
use crate::setup::{self, Permission};

/// The options.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    /// How many minutes of full load for each proxy, instead of latencies.
    minutes: Option<f64>,
    /// Only proxies with this in their name.
    only: Option<String>,
}

impl Options {
    pub(crate) fn read(arguments: &[&str]) -> Option<Self> {
        let mut options = Options { minutes: None, only: None };
        let mut rest = arguments;
        while let [name, value, after @ ..] = rest {
            match *name {
                "--minutes" => options.minutes = Some(value.parse().ok().filter(|minutes| *minutes > 0.0)?),
                "--only" => options.only = Some((*value).to_owned()),
                _ => return None,
            }
            rest = after;
        }
        rest.is_empty().then_some(options)
    }
}

/// Measures; fails if answers are mixed up or, under full load, lost.
pub(crate) fn run(root: &Path, options: &Options) -> Result<()> {
    let which = if options.minutes.is_some() { "load::full_load" } else { "load::added_latency" };
    let arguments =
        "test --profile dist --package tamiz-cli --all-features --test edge -- --ignored --nocapture --exact";
    let mut command = cargo(root, arguments.split(' ').chain([which]));
    command.env("TAMIZ_PROXIES", setup::install(root, &process::target(root)?, Permission::IfRoot).proxies?);
    if let Some(minutes) = options.minutes {
        command.env("TAMIZ_EDGE_MINUTES", minutes.to_string());
    }
    if let Some(only) = &options.only {
        command.env("TAMIZ_EDGE_ONLY", only);
    }
    process::run(&mut command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        assert_eq!(Options::read(&[]), Some(Options { minutes: None, only: None }));
        let both = Options { minutes: Some(10.0), only: Some("nginx".to_owned()) };
        assert_eq!(Options::read(&["--minutes", "10", "--only", "nginx"]), Some(both));
        for wrong in [&["--minutes"][..], &["--minutes", "0"], &["--minutes", "x"], &["10"]] {
            assert!(Options::read(wrong).is_none());
        }
    }
}
