//! The task runner: `cargo x <command>`.
//!
//! A command is a module with a `run`. To add one, write the module, an arm in `run` below and a
//! line of the usage text.

mod bench;
mod dev;
mod fuzz;
mod mutate;
mod openapi;
mod process;
mod python;
mod setup;
mod site;
mod test;
mod web;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

const USAGE: &str = "\
Usage: cargo x <command>

Commands:
  bench [--quick] [--peers system] [CORPUS]...
                     this library and its peers, on all corpora or those named; with --peers system
                     also libhtp and libmodsecurity, from Debian's packages
  bench batch        how fast `tamiz batch` is beside the library, and how much memory it takes
  bench edge [--minutes N] [--only NAME]
                     what asking Tamiz costs each proxy, in milliseconds; with --minutes, so much full
                     load for each, and whether every request gets its own answer
  bench hostile [NAME]
                     how work and memory grow with requests made to hurt, or those with NAME in theirs
  bench instructions [CORPUS]...
                     instructions for each request of the corpora, or of those named, and httparse's
  bench profile CORPUS
                     which functions take them
  bench python       how fast the Python package is beside the library
  bench learn        what `tamiz learn` costs beside `tamiz batch --format tokens`
  bench score [CORPUS]...
                     instructions of tokens and scores on top of those of documents
  bench serve [--profile NAME] [--soak MINUTES]
                     how many requests a second `tamiz serve` answers beside a server that does nothing;
                     with --soak, how its memory grows under all kinds of clients
  detector [NAME]    learn and score requests of the corpus: how many attacks the detector finds, in all
                     experiments or in those with NAME in theirs
  digests            fail if documents of the vectors, or of a corpus, are not those of spec/digests.tsv
  digests --write    keep the digests of the documents as they are
  fuzz [TARGET] [--seconds N] [--seed N] [--sanitizer none|address]
                     explore with every fuzz target, or one, for so long each (60 seconds)
  generate           write the files that are made from spec/ and from the flag registry
  generate --check   fail if one of them is stale
  mutate [--count N] [--seed N] [--seconds N] [--file PART] [--list]
                     break the library in 500 places, one at a time, and list those that no test notices
  prior              count the flags of attacks and honest requests of the corpus, and write
                     spec/prior.tsv
  setup              install what the tests need beyond Rust: Python and Node packages below target/, and
                     packages of the system (with sudo where you are not root)
  signal [NAME]      count the flags that requests of the corpus raise, of all files or of those with NAME
                     in theirs
  site               build the page that needs no server into target/site, and the npm package into target/npm
  test               run every deterministic test, formatted and linted; installs packages of the system
                     only as root
  test --all         also exploring fuzz runs, package builds, dependencies, a mutation sample, the OpenAPI
                     run, hostile growth
  test --corpus      run every row of the corpus through all properties, and count its flags
  test --corpus --write   also keep the counts
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(error)) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
        None => {
            eprint!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Runs a command; `None` when there is no such command.
fn run(arguments: &[&str]) -> Option<Result<()>> {
    let root = root();
    Some(match arguments {
        ["bench", arguments @ ..] => return bench::command(&root, arguments),
        ["fuzz", arguments @ ..] => return fuzz::command(&root, arguments),
        ["detector"]
        | ["detector", _]
        | ["digests"]
        | ["digests", "--write"]
        | ["generate"]
        | ["generate", "--check"]
        | ["prior"]
        | ["signal"]
        | ["signal", _] => dev::run(&root, arguments),
        ["mutate", arguments @ ..] => mutate::run(&root, arguments),
        ["site"] => site::run(&root),
        ["setup"] => setup::run(&root),
        ["test"] => test::run(&root, test::Extent::EveryDay),
        ["test", "--all"] => test::run(&root, test::Extent::All),
        ["test", "--corpus"] => test::corpus(&root, false),
        ["test", "--corpus", "--write"] => test::corpus(&root, true),
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        _ => return None,
    })
}

/// The root of the workspace, wherever it was cloned to.
fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR");
    let package = manifest.map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}
