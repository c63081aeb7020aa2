//! `cargo x bench batch`: how fast `tamiz batch` is beside the library, and how much memory it takes.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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
/// What has to be reached of so many times the library's rate.
const LEAST: f64 = 0.7;
/// How much is read when memory is measured, and the most that it may take.
const LARGE: u64 = 5 << 30;
const MOST_MEMORY: u64 = 300 << 20;

/// Measures; fails if it is too slow or takes too much.
pub(crate) fn run(root: &Path) -> Result<()> {
    let library = programs::main_program(root)?;
    let command = programs::command(root)?;
    let folder = Folder::new()?;
    let mut too_slow = Vec::new();
    println!(
        "| corpus | library, one core | batch to text, {JOBS} threads | of {JOBS} times the library | by processor time | JSON lines | tokens | Parquet | Arrow |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for corpus in CORPORA {
        let measured = Measured::of(&library, &command, &folder, corpus)?;
        println!("| {corpus} | {measured}");
        // On a busy machine the clock tells of others; on an idle one the two are the same.
        if measured.share().max(measured.share_by_processor()) < LEAST {
            too_slow.push(corpus);
        }
    }
    println!(
        "\nRequests a second, the best of {ROUNDS} rounds. {} of a core may be busy with something else.\n",
        load()
    );
    let memory = memory(&command, &folder)?;
    if !too_slow.is_empty() {
        return Err(format!("less than {LEAST} of what it should be: {}", too_slow.join(", ")).into());
    }
    match memory {
        Some(peak) if peak > MOST_MEMORY => Err(format!("{peak} bytes of memory are too much").into()),
        _ => Ok(()),
    }
}

/// The load of the machine, as the system tells it.
fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().map_or_else(|| "some".to_owned(), str::to_owned)
}

/// Requests a second.
struct Measured {
    library: f64,
    text: f64,
    /// What two cores would do with the processor time that a request took.
    by_processor: f64,
    others: Vec<f64>,
}

impl Measured {
    fn of(library: &Path, command: &Path, folder: &Folder, corpus: &str) -> Result<Self> {
        let requests = folder.path("requests");
        let most = u32::MAX.to_string();
        process::run(Command::new(library).args(["corpus", corpus, &most]).arg(&requests))?;
        let lines = folder.path("requests.jsonl");
        let count = write_lines(&std::fs::read(&requests)?, &lines)?;
        let mut served = Served::library(library, &requests)?;
        let mut measured = Measured { library: 0.0, text: 0.0, by_processor: 0.0, others: vec![0.0; 4] };
        let (per_pass, all) = (count as f64 / REPEATS as f64, count as f64);
        for _ in 0..ROUNDS {
            measured.library = measured.library.max(per_pass * 1e9 / served.nanoseconds("tamiz")?);
            let before = children_seconds();
            measured.text = measured.text.max(all / batch(command, &lines, "text", None)?);
            let spent =
                children_seconds().zip(before).map_or(f64::INFINITY, |(after, before)| after - before);
            measured.by_processor = measured.by_processor.max(JOBS as f64 * all / spent);
        }
        for (rate, format) in measured.others.iter_mut().zip(["jsonl", "tokens", "parquet", "arrow"]) {
            let out = ["parquet", "arrow"].contains(&format).then(|| folder.path("out"));
            *rate = all / batch(command, &lines, format, out.as_deref())?;
        }
        Ok(measured)
    }

    /// What batch does of what as many cores would do with the library alone, by the clock.
    fn share(&self) -> f64 {
        self.text / (JOBS as f64 * self.library)
    }

    /// The same by processor time: what it would do if the cores were its own.
    fn share_by_processor(&self) -> f64 {
        self.by_processor / (JOBS as f64 * self.library)
    }
}

impl std::fmt::Display for Measured {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Measured { library, text, others, .. } = self;
        let (share, by_processor) = (self.share(), self.share_by_processor());
        write!(f, "{library:.0} | {text:.0} | {share:.2} | {by_processor:.2} |")?;
        others.iter().try_for_each(|rate| write!(f, " {rate:.0} |"))
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

/// Runs the command once; how many seconds it took. What is no file of columns is thrown away as it comes.
fn batch(command: &Path, input: &Path, format: &str, out: Option<&Path>) -> Result<f64> {
    let mut command = Command::new(command);
    command.arg("batch").arg(input).args([
        "--quiet",
        "--force",
        "--jobs",
        &JOBS.to_string(),
        "--format",
        format,
    ]);
    command.arg("-o").arg(out.unwrap_or(Path::new("-"))).stdout(Stdio::null());
    let started = Instant::now();
    process::run(&mut command)?;
    Ok(started.elapsed().as_secs_f64())
}

/// The processor time of all children that have ended, in seconds, where the system tells it.
fn children_seconds() -> Option<f64> {
    /// What the fields count in: `sysconf(_SC_CLK_TCK)` is 100 on every Linux there is.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name before the bracket may hold anything.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ').skip(13);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS)
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
    #[cfg(target_os = "linux")]
    fn the_system_tells_time_and_memory() {
        process::run(Command::new("true").stdout(Stdio::null())).unwrap();
        assert!(children_seconds().is_some_and(f64::is_finite));
        assert!(peak_of(Path::new("/proc/self/status")).is_some_and(|peak| peak > 1 << 20));
    }
}
