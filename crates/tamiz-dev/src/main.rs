//! Tasks of this repository that call the library. `cargo x` runs this program, so that `cargo x` itself builds
//! without the library.

mod corpus;
mod detector;
// The digests that the library's tests take of the vectors.
#[path = "../../tamiz/tests/common/digest.rs"]
#[allow(unreachable_pub, reason = "the tests of the library use it")]
mod digest;
mod digests;
mod expected;
mod generate;
#[path = "../../tamiz/tests/common/mutate.rs"]
#[allow(dead_code, unreachable_pub, reason = "the tests of the library use all of it")]
mod mutate;
mod signal;
// The reader of vectors that the library's tests use; a crate of its own could not be a dependency of theirs.
#[path = "../../tamiz/tests/common/vectors.rs"]
#[allow(dead_code, unreachable_pub, reason = "the tests of the library use all of it")]
mod vectors;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use generate::Mode;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const USAGE: &str = "\
Usage: tamiz-dev <command>

Commands:
  detector [NAME]    learn and score requests of the corpus: how many attacks the detector finds, in all experiments
                     or in those with NAME in theirs
  digests            fail if documents of the vectors, or of a corpus, are not those of spec/digests.tsv
  digests --write    keep the digests of the documents as they are
  expected FILE      write requests and their documents to FILE: the vectors, and rows of a corpus
  frequencies        count in the corpus how common the words of spec/words/ are, for the prefilter of keywords
  generate           write the files that are made from spec/ and from the flag registry
  generate --check   fail if one of them is stale
  prior              count the flags of attacks and honest requests of the corpus, and write spec/prior.tsv
  signal [NAME]      count the flags that requests of the corpus raise, of all files or of those with NAME in theirs
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let root = root();
    let result = match arguments[..] {
        ["detector"] => detector::run(None),
        ["detector", only] => detector::run(Some(only)),
        ["prior"] => detector::prior::write(&root),
        ["digests"] => digests::run(&root, digests::Mode::Compare),
        ["digests", "--write"] => digests::run(&root, digests::Mode::Write),
        ["expected", file] => expected::run(Path::new(file)),
        ["frequencies"] => generate::keywords::frequencies::write(&root),
        ["generate"] => generate::run(&root, Mode::Write),
        ["generate", "--check"] => generate::run(&root, Mode::Check),
        ["signal"] => signal::run(None),
        ["signal", only] => signal::run(Some(only)),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the workspace that this program was built in.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
