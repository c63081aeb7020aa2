//! How far a run is, where standard error is a terminal; silence otherwise.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::complain;

/// The bar, which may be hidden.
pub(crate) struct Progress {
    bar: ProgressBar,
    read: Arc<AtomicU64>,
    started: Instant,
}

impl Progress {
    /// Of inputs that have so many bytes together, if that is known; `read` is how many were read.
    pub(crate) fn new(total: Option<u64>, read: Arc<AtomicU64>) -> Self {
        let bar = match total {
            _ if !std::io::stderr().is_terminal() => ProgressBar::hidden(),
            Some(total) => ProgressBar::new(total),
            None => ProgressBar::no_length(),
        };
        let template = match total {
            Some(_) => "{bar:30} {percent:>3} %  {bytes_per_sec}, {msg}  {eta} left",
            None => "{spinner} {bytes}  {bytes_per_sec}, {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress { bar, read, started: Instant::now() }
    }

    /// So many requests are done.
    pub(crate) fn requests(&self, count: u64) {
        if !self.bar.is_hidden() {
            self.bar.set_position(self.read.load(Ordering::Relaxed));
            self.bar.set_message(format!("{} requests/s", self.rate(count)));
        }
    }

    /// Requests a second since the start.
    pub(crate) fn rate(&self, count: u64) -> u64 {
        (count as f64 / self.started.elapsed().as_secs_f64().max(1e-6)) as u64
    }

    /// How long it has been going on.
    pub(crate) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Says something on standard error without harming the bar.
    pub(crate) fn complain(&self, message: &str) {
        self.bar.suspend(|| complain(message));
    }

    /// Takes the bar away.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
