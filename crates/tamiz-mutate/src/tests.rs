//! Runs tests with a mutant on.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::Result;
use crate::copy::Copy;

/// Seconds of processor time that a test may take with a mutant on, besides so many times what it takes without: a mutant
/// that takes more is noticed.
const MORE_SECONDS: f64 = 20.0;
const MOST_TIMES: f64 = 3.0;
/// Without a mutant no test takes more, however busy the machine is.
const MOST_SECONDS: f64 = 600.0;
/// Kilobytes of memory likewise.
const MOST_MEMORY: u64 = 8 << 20;
/// The programs whose tests run first, in this order.
const FIRST: [&str; 2] = ["vectors-", "digests-"];
/// The number of no mutant, for which the switch writes down what is reached.
const NOTES: &str = "4294967295";

/// The outcome of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// A test failed.
    Noticed,
    /// All tests that reach it passed.
    Survived,
    /// No test reaches it.
    Unreached,
}

/// One test of one program.
pub(crate) struct Test {
    program: PathBuf,
    name: String,
    seconds: f64,
    reaches: BTreeSet<usize>,
}

/// Runs every test without a mutant, and notes which mutants it reaches; the most telling first.
///
/// # Errors
/// When one fails.
pub(crate) fn measure(programs: &[PathBuf], copy: &Copy, count: usize) -> Result<Vec<Test>> {
    let mut names = Vec::new();
    for program in programs {
        let output = Command::new(program).args(["--list", "--format", "terse"]).output()?;
        let list = String::from_utf8(output.stdout)?;
        let tests = list.lines().filter_map(|line| line.strip_suffix(": test"));
        names.extend(tests.map(|name| (program.clone(), name.to_owned())));
    }
    let measured = in_parallel(names.len(), |at| {
        let (program, name) = names.get(at).ok_or("there is such a test")?;
        let notes = copy.notes(at);
        let times = notes.with_extension("times");
        let mut command = command(program, name, MOST_SECONDS, copy);
        command.env("TAMIZ_MUTANT", NOTES).env("TAMIZ_MUTANTS_REACHED", &notes).env("TIMES", &times);
        if !command.status()?.success() {
            return Err(format!("{name} fails without a mutant").into());
        }
        let seconds = seconds(&fs::read_to_string(&times)?).ok_or("the shell does not tell times")?;
        let text = fs::read_to_string(&notes).unwrap_or_default();
        let reaches = text.lines().filter_map(|line| line.parse().ok()).filter(|number| *number <= count);
        Ok(Test { program: program.clone(), name: name.clone(), seconds, reaches: reaches.collect() })
    });
    let mut tests = measured.into_iter().collect::<Result<Vec<Test>>>()?;
    // The vectors notice most; of the others the quickest come first.
    let rank = |test: &Test| {
        let name = test.program.file_name().unwrap_or_default().to_string_lossy();
        FIRST.iter().position(|first| name.starts_with(first)).unwrap_or(FIRST.len())
    };
    tests.sort_by(|one, other| rank(one).cmp(&rank(other)).then(one.seconds.total_cmp(&other.seconds)));
    Ok(tests)
}

/// Tries each mutant, from one to `count`, and tells what comes of it. The tests that reach a mutant may take `most`
/// seconds of processor time together, by what they take without it: dearer ones are not run.
pub(crate) fn try_all(
    tests: &[Test],
    copy: &Copy,
    (count, most): (usize, f64),
    tell: impl Fn(usize, Fate) + Sync,
) -> Result<Vec<Fate>> {
    let fates = in_parallel(count, |at| {
        let fate = fate(tests, at + 1, most, copy)?;
        tell(at, fate);
        Ok(fate)
    });
    fates.into_iter().collect()
}

fn fate(tests: &[Test], number: usize, most: f64, copy: &Copy) -> Result<Fate> {
    let mut seconds = 0.0;
    let mut fate = Fate::Unreached;
    for test in tests.iter().filter(|test| test.reaches.contains(&number)) {
        seconds += test.seconds;
        if seconds > most && fate == Fate::Survived {
            break;
        }
        let most = MORE_SECONDS + MOST_TIMES * test.seconds;
        let mut command = command(&test.program, &test.name, most, copy);
        if !command.env("TAMIZ_MUTANT", number.to_string()).status()?.success() {
            return Ok(Fate::Noticed);
        }
        fate = Fate::Survived;
    }
    Ok(fate)
}

/// Runs one test, for at most so many seconds of processor time, and with a bound on its memory.
fn command(program: &Path, name: &str, seconds: f64, copy: &Copy) -> Command {
    let mut command = Command::new("sh");
    let script = format!(
        "ulimit -t {seconds:.0}; ulimit -v {MOST_MEMORY}; \"$@\"; code=$?; times > \"${{TIMES:-/dev/null}}\"; exit $code"
    );
    command.args(["-c", &script, "sh"]);
    command.arg(program).args(["--exact", name, "--test-threads", "1", "--quiet"]);
    command.current_dir(copy.package()).env("RUST_BACKTRACE", "0").env_remove("TAMIZ_CORPUS");
    command.env("CARGO_MANIFEST_DIR", copy.package());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The processor time of children, as `times` of a shell tells it: `0m1.25s 0m0.01s`, in its second line.
fn seconds(times: &str) -> Option<f64> {
    let of = |time: &str| {
        let (minutes, seconds) = time.strip_suffix('s')?.split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    };
    times.lines().nth(1)?.split_whitespace().map(of).sum()
}

/// Calls `work` for each number below `count`, on all cores.
fn in_parallel<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new((0..count).map(|_| None).collect::<Vec<Option<T>>>());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        break;
                    }
                    let result = work(at);
                    if let Some(place) = results.lock().unwrap_or_else(PoisonError::into_inner).get_mut(at) {
                        *place = Some(result);
                    }
                }
            });
        }
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect()
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn times_of_a_shell_are_read() {
        assert_eq!(seconds("0m0.00s 0m0.00s\n1m1.25s 0m0.50s\n"), Some(61.75));
        assert_eq!(seconds("0m0.00s"), None);
    }

    #[test]
    fn results_are_in_order() {
        assert_eq!(in_parallel(100, |at| at * 2), (0..100).map(|at| at * 2).collect::<Vec<_>>());
        assert!(in_parallel(0, |at| at).is_empty());
    }
}
