//! `tamiz explain`: a request, the evidence of its flags beneath it, and what they mean.

use std::io::Write;
use std::process::ExitCode;

use crate::args::ExplainArgs;
use crate::failure::Failure;
use crate::input::Source;
use crate::{config, detect, output};

/// Runs the command.
pub(crate) fn run(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let canonicalizer = config::canonicalizer(&args.read)?;
    let detector = args.model.as_deref().map(|path| detect::detector(path, &canonicalizer)).transpose()?;
    let source = Source::of(&args.file);
    let request = source.read()?;
    let document = canonicalizer.canonicalize_with_evidence(&request);
    let mut out = output::coloured(args.color.when);
    tamiz_explain::write(&mut out, &source.to_string(), &request, &document, output::columns())?;
    if let Some(detector) = &detector {
        let score =
            detector.score(&document).map_err(|error| detect::unusable(args.model.as_deref(), &error))?;
        detect::show::explained(&mut out, &score)?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
