//! `cargo x bench batch`: how fast `tamiz batch` is beside the library, and how much memory it takes.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::processor::Spent;
use super::programs::{self, Folder, Served};
use crate::Result;
use crate::process;

/// The corpora that are measured: what browsers send, and CSIC's forms.
const CORPORA: [&str; 2] = ["browser", "csic"];
/// How often the requests of a corpus are in the file.
const REPEATS: usize = 20;
/// How often everything is measured; the best counts, since all else is the machine's.
const ROUNDS: usize = 5;
/// How many threads work.
const JOBS: usize = 2;
/// The required share of so many times the library's rate.
const LEAST: f64 = 0.7;
/// The other formats, and the most that each may cost of what Parquet costs.
const FORMATS: [(&str, Option<f64>); 4] =
    [("parquet", None), ("arrow", None), ("jsonl", Some(1.5)), ("tokens", Some(1.3))];
/// How much faster so many jobs have to be than one.
const LEAST_OF_JOBS: f64 = 1.8;
/// How much is read when memory is measured, and the most that it may take.
const LARGE: u64 = 5 << 30;
const MOST_MEMORY: u64 = 300 << 20;

/// Measures; fails if it is too slow or takes too much.
pub(crate) fn run(root: &Path) -> Result<()> {
    let library = programs::main_program(root)?;
    let command = programs::command(root)?;
    let folder = Folder::new()?;
    let mut faults = Vec::new();
    println!(
        "| corpus | library, one core | batch to text | of {JOBS} times the library, by the clock | by processor time | Parquet | Arrow | JSON lines | tokens | JSON lines to Parquet | tokens to Parquet | {JOBS} jobs to one, by the clock | by processor time |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for corpus in CORPORA {
        let measured = Measured::of(&library, &command, &folder, corpus)?;
        println!("| {corpus} | {measured}");
        faults.extend(measured.faults().into_iter().map(|fault| format!("{corpus}: {fault}")));
    }
    println!(
        "\nRequests a second, the best of {ROUNDS} rounds, of formats by processor time on {JOBS} cores. {} of a core may be \
         busy with something else.\n",
        load()
    );
    let memory = memory(&command, &folder)?;
    if let Some(peak) = memory.filter(|peak| *peak > MOST_MEMORY) {
        faults.push(format!("{peak} bytes of memory are too much"));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ").into()) }
}

/// The load of the machine, as the system tells it.
fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().map_or_else(|| "some".to_owned(), str::to_owned)
}

/// The measurements of a corpus.
struct Measured {
    requests: f64,
    /// Requests a second.
    library: f64,
    text: Spent,
    /// Text again, with one job.
    alone: Spent,
    /// In the order of [`FORMATS`].
    formats: Vec<Spent>,
}

impl Measured {
    fn of(library: &Path, command: &Path, folder: &Folder, corpus: &str) -> Result<Self> {
        let requests = folder.path("requests");
        let most = u32::MAX.to_string();
        process::run(Command::new(library).args(["corpus", corpus, &most]).arg(&requests))?;
        let lines = folder.path("requests.jsonl");
        let count = write_lines(&std::fs::read(&requests)?, &lines)?;
        let mut served = Served::library(library, &requests)?;
        let out = folder.path("out");
        let mut rate: f64 = 0.0;
        let mut spent: Vec<Option<Spent>> = vec![None; 2 + FORMATS.len()];
        let runs = [("text", JOBS), ("text", 1)].into_iter().chain(FORMATS.map(|(format, _)| (format, JOBS)));
        for _ in 0..ROUNDS {
            rate = rate.max(count as f64 / REPEATS as f64 * 1e9 / served.nanoseconds("tamiz")?);
            // In turns, so that what the machine does beside it falls on all alike.
            for (best, (format, jobs)) in spent.iter_mut().zip(runs.clone()) {
                let out = ["parquet", "arrow"].contains(&format).then_some(out.as_path());
                let now = batch(command, &lines, format, jobs, out)?;
                *best = Some(best.map_or(now, |best| best.least(now)));
            }
        }
        let mut spent = spent.into_iter().flatten();
        let (text, alone) = spent.next().zip(spent.next()).ok_or("every run is measured")?;
        Ok(Measured { requests: count as f64, library: rate, text, alone, formats: spent.collect() })
    }

    /// The rate of batch as a share of the library's on as many cores: by the clock, and by processor time, which
    /// is what it would be if the cores were idle.
    fn shares(&self) -> [f64; 2] {
        let share = |seconds: f64| self.requests / seconds / (JOBS as f64 * self.library);
        [share(self.text.clock), share(self.text.processor() / JOBS as f64)]
    }

    /// The cost of formats with a bound, relative to Parquet.
    fn ratios(&self) -> impl Iterator<Item = (&'static str, f64, f64)> {
        let parquet = self.formats.first().map_or(f64::NAN, Spent::processor);
        let all = FORMATS.into_iter().zip(&self.formats);
        all.filter_map(move |((format, most), spent)| Some((format, spent.processor() / parquet, most?)))
    }

    /// How many times faster so many jobs are than one: by the clock, and on processors of their own.
    fn gains(&self) -> [f64; 2] {
        [self.alone.clock / self.text.clock, self.alone.on_own(1) / self.text.on_own(JOBS)]
    }

    /// Lists the bounds that are not met. On a busy machine the clock tells of others; on an idle one the two are the
    /// same.
    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let best = |pair: [f64; 2]| pair.into_iter().fold(0.0, f64::max);
        if best(self.shares()) < LEAST {
            faults.push(format!("less than {LEAST} of what it should do"));
        }
        for (format, ratio, most) in self.ratios().filter(|(_, ratio, most)| ratio > most) {
            faults.push(format!(
                "{format} costs {ratio:.2} times what Parquet costs, which is more than {most}"
            ));
        }
        if best(self.gains()) < LEAST_OF_JOBS {
            faults.push(format!("{JOBS} jobs are less than {LEAST_OF_JOBS} times as fast as one"));
        }
        faults
    }
}

impl std::fmt::Display for Measured {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [share, share_by_processor] = self.shares();
        let text = self.requests / self.text.clock;
        write!(f, "{:.0} | {text:.0} | {share:.2} | {share_by_processor:.2} |", self.library)?;
        for spent in &self.formats {
            write!(f, " {:.0} |", self.requests * JOBS as f64 / spent.processor())?;
        }
        for (_, ratio, _) in self.ratios() {
            write!(f, " {ratio:.2} |")?;
        }
        let [gain, gain_by_processor] = self.gains();
        write!(f, " {gain:.2} | {gain_by_processor:.2} |")
    }
}

/// JSON lines of the requests of a file, repeated; how many lines.
fn write_lines(requests: &[u8], path: &Path) -> Result<usize> {
    let mut block = Vec::new();
    let mut count = 0;
    let mut rest = requests;
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length) as usize;
        let (request, after) = after.split_at_checked(length).ok_or("a request is cut off")?;
        let encoded = data_encoding::BASE64.encode(request);
        writeln!(
            block,
            "{{\"id\": \"request-{count:08}\", \"label\": \"valid\", \"raw_b64\": \"{encoded}\"}}"
        )?;
        (rest, count) = (after, count + 1);
    }
    let mut file = std::fs::File::create(path)?;
    for _ in 0..REPEATS {
        file.write_all(&block)?;
    }
    Ok(count * REPEATS)
}

/// Runs the command once. What is no file of columns is thrown away as it comes.
fn batch(command: &Path, input: &Path, format: &str, jobs: usize, out: Option<&Path>) -> Result<Spent> {
    let jobs = jobs.to_string();
    let mut command = Command::new(command);
    command.arg("batch").arg(input).args(["--quiet", "--force", "--jobs", &jobs, "--format", format]);
    command.arg("-o").arg(out.unwrap_or(Path::new("-"))).stdout(Stdio::null());
    Spent::of(&mut command)
}

/// The peak of memory while five gigabytes of JSON lines become Parquet; `None` where the system does not tell.
fn memory(command: &Path, folder: &Folder) -> Result<Option<u64>> {
    let block = std::fs::read(folder.path("requests.jsonl"))?;
    let out = folder.path("large.parquet");
    let mut child = Command::new(command)
        .args(["batch", "-", "-o"])
        .arg(&out)
        .args(["--jobs", &JOBS.to_string()])
        .stdin(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().ok_or("a pipe was asked for")?;
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let is_over = AtomicBool::new(false);
    let (written, peak, ended) = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut peak = None;
            while !is_over.load(Ordering::Relaxed) {
                peak = peak.max(peak_of(&status));
                std::thread::sleep(Duration::from_millis(50));
            }
            peak
        });
        let written = write_large(&mut stdin, &block);
        drop(stdin);
        let ended = child.wait();
        is_over.store(true, Ordering::Relaxed);
        (written, watcher.join().unwrap_or(None), ended)
    });
    let (written, ended) = (written?, ended?);
    if !ended.success() {
        return Err(format!("the command failed: {ended}").into());
    }
    match peak {
        Some(peak) => {
            println!("{written} bytes of JSON lines to Parquet: at most {} MB of memory", peak >> 20)
        }
        None => println!("WARNING: the system does not tell how much memory was taken"),
    }
    Ok(peak)
}

/// Writes a block again and again until there is enough of it.
fn write_large(out: &mut impl Write, block: &[u8]) -> Result<u64> {
    let mut written = 0;
    while written < LARGE {
        out.write_all(block)?;
        written += block.len() as u64;
    }
    Ok(written)
}

/// The most memory that a process has had so far.
fn peak_of(status: &Path) -> Option<u64> {
    let status = std::fs::read_to_string(status).ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    kilobytes.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_made_of_requests() {
        let path = std::env::temp_dir().join(format!("tamiz-bench-lines-{}", std::process::id()));
        let requests = [&5_u32.to_le_bytes()[..], b"GET /", &0_u32.to_le_bytes()].concat();
        assert_eq!(write_lines(&requests, &path).unwrap(), 2 * REPEATS);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(text.starts_with(
            "{\"id\": \"request-00000000\", \"label\": \"valid\", \"raw_b64\": \"R0VUIC8=\"}\n"
        ));
        assert_eq!(text.lines().count(), 2 * REPEATS);
        assert!(write_lines(&requests[..7], &path).is_err());
    }

    #[test]
    fn what_is_too_slow_is_told() {
        let spent = |total: f64| Spent { clock: total, total: Some(total), busiest: total / 4.0 };
        let mut measured = Measured {
            requests: 100.0,
            library: 10.0,
            text: spent(11.0),
            alone: spent(11.0),
            formats: [10.0, 10.0, 14.0, 12.0].map(spent).to_vec(),
        };
        assert_eq!(measured.faults(), Vec::<String>::new());
        (measured.formats[2], measured.formats[3]) = (spent(16.0), spent(14.0));
        measured.text.busiest = 8.0;
        measured.library = 20.0;
        assert_eq!(measured.faults().len(), 4, "{:?}", measured.faults());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_system_tells_memory() {
        assert!(peak_of(Path::new("/proc/self/status")).is_some_and(|peak| peak > 1 << 20));
    }
}
