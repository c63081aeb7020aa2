//! The program that `cargo x bench` measures, in a process of its own; for the commands that every measured
//! program has, see [`tamiz_bench::program`]. This one also has
//!
//! - `names`: the corpora that there are here, generated and real, and
//! - `corpus NAME MOST FILE`: writes so many requests of one to a file, and others, to be read before them, to
//!   `FILE.others`; `headers:N`, `query:N` and `form:N` are requests of N bytes by that part of them; and
//! - `threads FILE ROUNDS`: how much two threads read in the time of one.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use tamiz_bench::contenders::{self, Contender};
use tamiz_bench::generate::Part;
use tamiz_bench::{corpus, generate, program, real};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        ["names"] => names(),
        ["corpus", name, most, file] => write_corpus(name, most, file),
        ["count", name, file] => program::count(name, file),
        ["threads", file, rounds] => threads(file, rounds),
        ["serve", file] => program::serve(file),
        _ => Err("no such command".into()),
    };
    if let Err(error) = result {
        eprintln!("error: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// For each request that is measured so many others are read before.
const OTHERS: usize = 3;

/// The folder of real requests, where `TAMIZ_CORPUS` names one.
fn real_folder() -> Option<PathBuf> {
    std::env::var_os("TAMIZ_CORPUS").filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

fn names() -> Result<(), Box<dyn Error>> {
    generate::names().for_each(|name| println!("{name}"));
    match real_folder() {
        Some(folder) => real::names(&folder).for_each(|name| println!("{name}")),
        None => eprintln!("SKIPPED: real corpora (set TAMIZ_CORPUS to a folder of *.jsonl.gz files)"),
    }
    Ok(())
}

fn write_corpus(name: &str, most: &str, file: &str) -> Result<(), Box<dyn Error>> {
    let most: usize = most.parse()?;
    if let Some((part, size)) = name.split_once(':') {
        let requests = generate::sized(part_of_name(part)?, size.parse()?, most);
        return Ok(std::fs::write(file, corpus::write(&requests))?);
    }
    let (requests, others) = match generate::requests(name, most.saturating_mul(1 + OTHERS)) {
        Some(mut requests) => {
            let others = requests.split_off(most.min(requests.len()));
            (requests, others)
        }
        None => real_folder()
            .map(|folder| real::requests(&folder, name, most))
            .transpose()?
            .flatten()
            .ok_or_else(|| format!("no corpus is called {name}"))?,
    };
    if !others.is_empty() {
        std::fs::write(corpus::others(file), corpus::write(&others))?;
    }
    std::fs::write(file, corpus::write(&requests))?;
    Ok(())
}

fn part_of_name(name: &str) -> Result<Part, Box<dyn Error>> {
    match name {
        "headers" => Ok(Part::Headers),
        "query" => Ok(Part::Query),
        "form" => Ok(Part::Form),
        _ => Err(format!("no part of a request is called {name}").into()),
    }
}

/// Prints, round by round, the nanoseconds that one thread takes for the requests and those that two
/// take for them each: by the clock, then of processor time, of the slower thread.
fn threads(file: &str, rounds: &str) -> Result<(), Box<dyn Error>> {
    let bytes = std::fs::read(file)?;
    let requests = corpus::read(&bytes)?;
    let (Some(mut first), Some(mut second)) =
        (contenders::contender("tamiz"), contenders::contender("tamiz"))
    else {
        return Err("no contender is called tamiz".into());
    };
    for _ in 0..rounds.parse()? {
        let started = Instant::now();
        let alone = passes(first.as_mut(), &requests);
        let alone_by_the_clock = started.elapsed();
        let started = Instant::now();
        let together = std::thread::scope(|scope| {
            let other = scope.spawn(|| passes(second.as_mut(), &requests));
            passes(first.as_mut(), &requests).max(other.join().unwrap_or(Duration::MAX))
        });
        let together_by_the_clock = started.elapsed();
        let all = [alone_by_the_clock, together_by_the_clock, alone, together];
        println!("{}", all.map(|time| time.as_nanos().to_string()).join(" "));
    }
    Ok(())
}

/// The processor time of reading the requests so often that starting a thread does not count.
fn passes(contender: &mut dyn Contender, requests: &[&[u8]]) -> Duration {
    let started = ThreadTime::now();
    for _ in 0..20 {
        contender.pass(requests);
    }
    started.elapsed()
}
