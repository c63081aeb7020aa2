//! Processor time, in rounds: in each, everybody reads the same requests in turn, on one core.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::peers::Peer;
use super::programs::Sample;
use crate::Result;
use crate::process;

/// A measured program that waits to be asked.
struct Server {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Server {
    fn start(program: &Path, sample: &Sample) -> Result<Self> {
        let mut command = match core() {
            Some(core) => {
                let mut command = Command::new("taskset");
                command.args(["--cpu-list", &core.to_string()]).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.arg("serve").arg(&sample.file).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let (asks, answers) = (child.stdin.take(), child.stdout.take());
        let (Some(asks), Some(answers)) = (asks, answers) else {
            return Err("a program without pipes".into());
        };
        Ok(Server { child, asks, answers: BufReader::new(answers) })
    }

    /// The nanoseconds that `contender` takes for the sample.
    fn ask(&mut self, contender: &str) -> Result<f64> {
        writeln!(self.asks, "{contender}")?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        answer.trim().parse().map_err(|_| format!("{contender} gives no time").into())
    }

    fn stop(self) -> Result<()> {
        let Server { mut child, asks, .. } = self;
        drop(asks);
        child.wait()?;
        Ok(())
    }
}

/// The last core there is, if programs can be kept to one: the first has most of the interrupts.
fn core() -> Option<usize> {
    let cores = std::thread::available_parallelism().ok()?.get();
    process::succeeds(Command::new("taskset").arg("--version")).then_some(cores - 1)
}

/// The nanoseconds for each request, of each peer in each round; `samples` are theirs.
pub(super) fn run(peers: &[&Peer], samples: &[Sample], rounds: usize) -> Result<Vec<Vec<f64>>> {
    let mut servers = Vec::new();
    for (peer, sample) in peers.iter().zip(samples) {
        let mut server = Server::start(&peer.program, sample)?;
        // Not counted: what is made once is made now.
        server.ask(peer.contender)?;
        servers.push(server);
    }
    let mut times = Vec::new();
    for _ in 0..rounds {
        let mut round = Vec::new();
        for ((server, peer), sample) in servers.iter_mut().zip(peers).zip(samples) {
            round.push(server.ask(peer.contender)? / sample.requests as f64);
        }
        times.push(round);
    }
    servers.into_iter().try_for_each(Server::stop)?;
    Ok(times)
}

/// The one in the middle.
pub(super) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match numbers.len() % 2 {
        0 if middle > 0 => (numbers[middle - 1] + numbers[middle]) / 2.0,
        _ => numbers.get(middle).copied().unwrap_or(f64::NAN),
    }
}

/// How much two threads of `program` read in the time of one: by the clock, and by the processor time
/// of each, which does not depend on who else runs.
pub(super) fn two_threads(program: &Path, sample: &Sample, rounds: usize) -> Result<(f64, f64)> {
    let mut command = Command::new(program);
    command.arg("threads").arg(&sample.file).arg(rounds.to_string());
    let (mut by_clock, mut by_processor) = (Vec::new(), Vec::new());
    for line in process::output(&mut command)?.lines() {
        let times = line.split(' ').map(str::parse).collect::<std::result::Result<Vec<f64>, _>>()?;
        let [alone, together, alone_processor, together_processor] = times[..] else {
            return Err("a line of other numbers".into());
        };
        by_clock.push(2.0 * alone / together);
        by_processor.push(2.0 * alone_processor / together_processor);
    }
    Ok((median(by_clock), median(by_processor)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(Vec::new()).is_nan());
    }
}
