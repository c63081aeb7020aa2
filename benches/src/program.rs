//! The three commands of every measured program, for `cargo x bench` to drive:
//!
//! - `count NAME FILE`: reads the requests of `FILE.others`, or of the file where there is none, then those of the file
//!   in a function whose name is `counted_pass`, for callgrind to collect in. Prints the bytes written by that pass.
//! - `allocations NAME FILE`: the same, and prints how often the second pass asks for memory, and for
//!   how many bytes. Only of programs whose allocator counts.
//! - `serve FILE`: for each line of standard input, a NAME, reads all requests, again and again for
//!   ten milliseconds at least, and prints the nanoseconds of processor time that once took. Rounds of
//!   several programs can so be interleaved.

use std::error::Error;
use std::io::{BufRead, Write};
use std::time::Duration;

use cpu_time::ProcessTime;

use crate::contenders::{Contender, contender};
use crate::corpus;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Shorter than this, a round tells more of the scheduler than of who is measured.
const LEAST: Duration = Duration::from_millis(10);

/// `count`: for callgrind.
pub fn count(name: &str, file: &str) -> Result<()> {
    let bytes = std::fs::read(file)?;
    let requests = corpus::read(&bytes)?;
    let others = corpus::others(file);
    let others = if others.is_file() { std::fs::read(others)? } else { bytes.clone() };
    let mut contender = made(name)?;
    contender.pass(&corpus::read(&others)?);
    println!("{}", counted_pass(contender.as_mut(), &requests));
    Ok(())
}

fn made(name: &str) -> Result<Box<dyn Contender>> {
    contender(name).ok_or_else(|| format!("no contender is called {name}").into())
}

/// Callgrind collects in here alone.
#[inline(never)]
fn counted_pass(contender: &mut dyn Contender, requests: &[&[u8]]) -> u64 {
    contender.pass(requests)
}

/// `allocations`: `so_far` tells how many there were and of how many bytes.
pub fn allocations(name: &str, file: &str, so_far: impl Fn() -> (usize, usize)) -> Result<()> {
    let bytes = std::fs::read(file)?;
    let requests = corpus::read(&bytes)?;
    let mut contender = made(name)?;
    contender.pass(&requests);
    let before = so_far();
    contender.pass(&requests);
    let after = so_far();
    println!("{} {}", after.0 - before.0, after.1 - before.1);
    Ok(())
}

/// `serve`: a pass for each line, until there is none.
pub fn serve(file: &str) -> Result<()> {
    let bytes = std::fs::read(file)?;
    let requests = corpus::read(&bytes)?;
    let mut contenders: Vec<(String, Box<dyn Contender>)> = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let name = line?;
        let place = match contenders.iter().position(|(known, _)| *known == name) {
            Some(place) => place,
            None => {
                let contender = made(&name)?;
                contenders.push((name, contender));
                contenders.len() - 1
            }
        };
        let started = ProcessTime::now();
        let mut passes = 0;
        while started.elapsed() < LEAST {
            contenders[place].1.pass(&requests);
            passes += 1;
        }
        let nanoseconds = started.elapsed().as_nanos() / passes;
        let mut out = std::io::stdout().lock();
        writeln!(out, "{nanoseconds}")?;
        out.flush()?;
    }
    Ok(())
}
