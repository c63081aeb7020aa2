//! `tamiz diff`: what differs between two sets of requests, or between two ways to read one.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use tamiz::Canonicalizer;
use tamiz_report::{Diff, Side, Summary, diff_table};

use crate::args::{DiffArgs, Format, ReadOptions};
use crate::batch::SOME_UNREADABLE;
use crate::batch::errors::Errors;
use crate::failure::Failure;
use crate::survey::{Survey, Surveyed, fingerprints};
use crate::{config, output};

/// The exit code of a difference, if one is asked for.
const DIFFERENT: u8 = 4;

/// Runs the command.
pub(crate) fn run(args: &DiffArgs) -> Result<ExitCode, Failure> {
    let reads_otherwise = args.with_view.is_some()
        || args.with_profile.is_some()
        || args.with_scheme.is_some()
        || args.with_config.is_some();
    if args.b.is_none() && !reads_otherwise {
        return Err(Failure::Usage(
            "there is nothing to compare A with: name B, or read A otherwise the second time, with '--with-view', \
             '--with-profile', '--with-scheme' or '--with-config'"
                .to_owned(),
        ));
    }
    let first = config::canonicalizer(&args.read)?;
    let second = config::canonicalizer(&second_options(args))?;
    if args.b.as_deref().is_some_and(|b| b.as_os_str() == "-") && args.a.as_os_str() == "-" {
        return Err(Failure::Usage("standard input can be read only once: give '-' once".to_owned()));
    }
    let (a, b, paired) = match &args.b {
        Some(b) => {
            let (a_read, b_read) = (survey(args, &args.a, &first, None)?, survey(args, b, &second, None)?);
            (side(&args.a, &first, a_read.summary), side(b, &second, b_read.summary), None)
        }
        None => {
            let read = survey(args, &args.a, &first, Some(&second))?;
            let (again, paired) = read.second.unwrap_or_default();
            (side(&args.a, &first, read.summary), side(&args.a, &second, again), Some(paired))
        }
    };
    let unreadable = a.summary.unreadable() + b.summary.unreadable();
    let diff = Diff::new(&a, &b, paired.as_ref());
    write(args, &diff)?;
    Ok(if unreadable > 0 {
        ExitCode::from(SOME_UNREADABLE)
    } else if args.exit_code && diff.differs() {
        ExitCode::from(DIFFERENT)
    } else {
        ExitCode::SUCCESS
    })
}

/// The options of the second reading: those of the first, but for what is said of it.
fn second_options(args: &DiffArgs) -> ReadOptions {
    let first = &args.read;
    ReadOptions {
        view: args.with_view.or(first.view),
        profile: args.with_profile.or(first.profile),
        scheme: args.with_scheme.or(first.scheme),
        config: args.with_config.clone().or_else(|| first.config.clone()),
    }
}

fn survey(
    args: &DiffArgs,
    input: &Path,
    first: &Canonicalizer,
    second: Option<&Canonicalizer>,
) -> Result<Surveyed, Failure> {
    let inputs = [input.to_owned()];
    let (written, containers) = (Vec::new(), &args.containers);
    let survey = Survey { inputs: &inputs, written, containers, detector: None, limit: None };
    survey.run(first, second, Errors::open(None, 0, false)?)
}

fn side(input: &Path, canonicalizer: &Canonicalizer, summary: Summary) -> Side {
    let name = if input.as_os_str() == "-" { "standard input".into() } else { input.display().to_string() };
    Side { name, fingerprint: fingerprints(canonicalizer, &summary), summary }
}

fn write(args: &DiffArgs, diff: &Diff) -> Result<(), Failure> {
    match args.format {
        Format::Text => {
            let mut out = output::coloured(args.color.when);
            diff_table(&mut out, diff, output::columns(), args.top)?;
            Ok(out.flush()?)
        }
        Format::Json => {
            let mut out = output::raw();
            serde_json::to_writer(&mut out, diff).map_err(std::io::Error::from)?;
            out.write_all(b"\n")?;
            Ok(out.flush()?)
        }
    }
}
