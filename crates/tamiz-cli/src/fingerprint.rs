//! `tamiz fingerprint`.

use std::io::Write;
use std::process::ExitCode;

use crate::args::FingerprintArgs;
use crate::failure::Failure;
use crate::{config, output};
use tamiz_explain::visible::harmless;

/// Runs the command.
pub(crate) fn run(args: &FingerprintArgs) -> Result<ExitCode, Failure> {
    let canonicalizer = config::canonicalizer(&args.read)?;
    let fingerprint = canonicalizer.fingerprint();
    let mut out = output::raw();
    if args.components {
        for (name, value) in fingerprint.components() {
            writeln!(out, "{name}={}", harmless(value))?;
        }
    } else {
        writeln!(out, "{fingerprint}")?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
