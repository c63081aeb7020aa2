//! Replaces `serve/` in a program built without the feature `serve`: says how to get it.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Args;

use crate::failure::Failure;

/// Run the HTTP service, with a page for the browser; this program was built without it
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct ServeArgs {
    /// Whatever the service would be told
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _options: Vec<OsString>,
}

/// Says how to get the service.
pub(crate) fn run(_: &ServeArgs) -> Result<ExitCode, Failure> {
    Err(Failure::without("the service", "serve"))
}
