//! What `cargo x bench` measures, in a process of its own; for the commands that every measured
//! program has, see [`tamiz_bench::program`]. This one also has
//!
//! - `names`: the corpora that there are here, generated and real, and
//! - `corpus NAME MOST FILE`: writes so many requests of one to a file; `size:N` is a corpus too.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tamiz_bench::{corpus, generate, program};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        ["names"] => names(),
        ["corpus", name, most, file] => write_corpus(name, most, file),
        ["count", name, file] => program::count(name, file),
        ["serve", file] => program::serve(file),
        _ => Err("no such command".into()),
    };
    if let Err(error) = result {
        eprintln!("error: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Where real requests are, if anywhere.
fn real_folder() -> PathBuf {
    std::env::var_os("TAMIZ_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus"), PathBuf::from)
}

fn names() -> Result<(), Box<dyn Error>> {
    generate::names().chain(corpus::real_names(&real_folder())).for_each(|name| println!("{name}"));
    Ok(())
}

fn write_corpus(name: &str, most: &str, file: &str) -> Result<(), Box<dyn Error>> {
    let most = most.parse()?;
    let requests = match name.strip_prefix("size:") {
        Some(size) => Some(generate::sized(size.parse()?, most)),
        None => generate::requests(name, most),
    };
    let requests = match requests {
        Some(requests) => requests,
        None => {
            corpus::real(&real_folder(), name, most)?.ok_or_else(|| format!("no corpus is called {name}"))?
        }
    };
    std::fs::write(file, corpus::write(&requests))?;
    Ok(())
}
