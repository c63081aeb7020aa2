//! `tamiz serve`: what the feature `serve` adds. `no_serve.rs` stands for it without.

mod args;
mod probe;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use tamiz_serve::{Deny, Limits, Settings, log};

use crate::failure::{Failure, reason};
use crate::{config, output};
pub(crate) use args::ServeArgs;
use tamiz_explain::visible::harmless;

/// Runs the service until it is told to stop.
pub(crate) fn run(args: &ServeArgs) -> Result<ExitCode, Failure> {
    if let Some(address) = args.probe {
        return probe::run(address);
    }
    #[cfg(not(feature = "ext-proc"))]
    if !args.ext_proc.is_empty() {
        return Err(Failure::without("Envoy's ext_proc", "ext-proc"));
    }
    let config = config::effective(&args.read)?;
    let log = log::start(args.log_format, args.log_level);
    let done = tamiz_serve::run(config, &settings(args), |places| {
        let mut out = output::raw();
        // Whoever started it may not listen.
        let _ = places.iter().try_for_each(|place| writeln!(out, "{}", harmless(&place.to_string())));
        let _ = out.flush();
    });
    drop(log);
    done.map_err(|error| Failure::Input(reason(&error)))?;
    Ok(ExitCode::SUCCESS)
}

fn settings(args: &ServeArgs) -> Settings {
    let seconds = Duration::from_secs_f64;
    let count = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
    let mut limits = Limits::default();
    limits.body = args.max_body;
    limits.connections = count(args.max_connections);
    limits.large = count(args.max_large);
    limits.streams = count(args.max_batches);
    limits.head_time = seconds(args.head_timeout);
    limits.body_time = seconds(args.body_timeout);
    limits.write_time = seconds(args.write_timeout);
    limits.grace_time = seconds(args.grace);
    let mut settings = Settings::default();
    settings.listen.clone_from(&args.listen);
    settings.socket_mode = args.socket_mode;
    settings.threads = args.threads.map(usize::from);
    settings.spoe.clone_from(&args.spoe);
    #[cfg(feature = "ext-proc")]
    settings.ext_proc.clone_from(&args.ext_proc);
    settings.sink.clone_from(&args.sink);
    settings.deny = Deny::all(args.deny.iter().cloned());
    settings.deny_p = args.deny_p;
    settings.model.clone_from(&args.model);
    settings.limits = limits;
    settings
}
