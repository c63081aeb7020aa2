//! The `tamiz` command: canonical HTTP requests from the shell.
//!
//! Each command is a module that writes to one [`output`]; what goes wrong is a [`Failure`], told in
//! one line. Nothing a request holds reaches the terminal but through
//! [`tamiz_explain::visible`].

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::string_slice
)]
#![cfg_attr(
    test,
    allow(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::string_slice,
        reason = "a test may fail loudly"
    )
)]

mod args;
mod batch;
mod canon;
mod config;
mod detect;
mod diff;
mod documents;
mod explain;
mod failure;
mod fingerprint;
mod flags;
mod generate;
mod input;
mod limits;
mod output;
mod report;
#[cfg(feature = "serve")]
mod serve;
#[cfg(not(feature = "serve"))]
#[path = "no_serve.rs"]
mod serve;
mod survey;
mod tokens;
mod usage;
mod whole_file;

use std::process::ExitCode;

use args::Command;
use failure::Failure;

/// Memory that is given back is kept for the next chunk of a batch: getting it anew from the system costs more than what
/// is written to it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Lets a write beyond a limit of file sizes fail like one to a full disk, where the signal would end the process without a
/// word. Threads that are started later inherit this.
fn survive_file_size_limits() {
    #[cfg(unix)]
    {
        use nix::sys::signal::{SigSet, Signal};
        // Where it cannot be blocked, the process ends as before.
        let _ = SigSet::from_iter([Signal::SIGXFSZ]).thread_block();
    }
}

fn main() -> ExitCode {
    survive_file_size_limits();
    let command = match usage::parse() {
        Ok(command) => command,
        Err(code) => return code,
    };
    let done = match command {
        Command::Canon(args) => canon::run(&args),
        Command::Batch(args) => batch::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Learn(args) => detect::learn::run(&args),
        Command::Score(args) => detect::score::run(&args),
        Command::Model(args) => detect::model::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Flags(args) => flags::run(&args),
        Command::Fingerprint(args) => fingerprint::run(&args),
        Command::Completions(args) => generate::completions(&args),
        Command::Man(args) => generate::man(&args),
    };
    done.unwrap_or_else(|failure: Failure| failure.report())
}
