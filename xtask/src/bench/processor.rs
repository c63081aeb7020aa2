//! The processor time of a program: what a busy machine does not change.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Result;

/// The time of a run, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spent {
    /// By the clock.
    pub(super) clock: f64,
    /// Of all processors; `None` where the system does not tell.
    pub(super) total: Option<f64>,
    /// Of the thread that worked most, about: threads are looked at while they run.
    pub(super) busiest: f64,
}

impl Spent {
    /// Runs a command that has to go well.
    pub(super) fn of(command: &mut Command) -> Result<Spent> {
        let before = children_seconds();
        let started = Instant::now();
        let mut child = command.stdin(Stdio::null()).spawn()?;
        let tasks = PathBuf::from(format!("/proc/{}/task", child.id()));
        let mut threads = BTreeMap::new();
        let status = loop {
            note_threads(&tasks, &mut threads);
            if let Some(status) = child.try_wait()? {
                break status;
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        let clock = started.elapsed().as_secs_f64();
        if !status.success() {
            return Err(format!("the command failed: {status}").into());
        }
        let total = children_seconds().zip(before).map(|(after, before)| after - before);
        Ok(Spent { clock, total, busiest: threads.into_values().fold(0.0, f64::max) })
    }

    /// The less of each of two runs: all else is the machine's.
    pub(super) fn least(self, other: Spent) -> Spent {
        let total = self.total.zip(other.total).map(|(one, other)| one.min(other));
        Spent {
            clock: self.clock.min(other.clock),
            total: total.or(self.total).or(other.total),
            busiest: self.busiest.min(other.busiest),
        }
    }

    /// The processor time, or the clock where the system does not tell it.
    pub(super) fn processor(&self) -> f64 {
        self.total.unwrap_or(self.clock)
    }

    /// How long it would take on so many processors of its own: none can do more than its share, and no thread can be in
    /// two places.
    pub(super) fn on_own(&self, processors: usize) -> f64 {
        (self.processor() / processors as f64).max(self.busiest)
    }
}

/// Takes note of what each thread has spent so far.
fn note_threads(tasks: &Path, threads: &mut BTreeMap<std::ffi::OsString, f64>) {
    for task in std::fs::read_dir(tasks).into_iter().flatten().flatten() {
        if let Some([user, system]) = seconds_in(&task.path().join("stat"), 11) {
            threads.insert(task.file_name(), user + system);
        }
    }
}

/// The processor time of all children that have ended, in seconds, where the system tells it.
pub(super) fn children_seconds() -> Option<f64> {
    seconds_in(Path::new("/proc/self/stat"), 13).map(|[user, system]| user + system)
}

/// Two times of a file `stat`, the first of which has so many fields before it, counted behind the name.
fn seconds_in(stat: &Path, first: usize) -> Option<[f64; 2]> {
    /// The unit of the fields: `sysconf(_SC_CLK_TCK)` is 100 on every Linux there is.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string(stat).ok()?;
    // The name before the bracket may hold anything.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ').skip(first);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some([ticks()? / TICKS, ticks()? / TICKS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_system_tells_times() {
        let spent = Spent::of(&mut Command::new("true")).unwrap();
        assert!(spent.total.is_some_and(f64::is_finite) && spent.clock > 0.0);
        assert!(Spent::of(&mut Command::new("false")).is_err());
        let one = Spent { clock: 3.0, total: Some(4.0), busiest: 3.0 };
        let other = Spent { clock: 5.0, total: Some(2.0), busiest: 1.0 };
        let least = one.least(other);
        assert_eq!((least.clock, least.processor(), least.busiest), (3.0, 2.0, 1.0));
        assert_eq!((one.on_own(1), one.on_own(2)), (4.0, 3.0));
    }
}
