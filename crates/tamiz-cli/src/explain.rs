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
    let mut explained = match &detector {
        None => None,
        Some(detector) => Some(
            detector.explain(&document).map_err(|error| detect::unusable(args.model.as_deref(), &error))?,
        ),
    };
    if let Some(explained) = &mut explained {
        explained.locate(&request, &document);
    }
    let reasons = explained.iter().flat_map(|explained| explained.reasons()).zip(1..);
    let pointed: Vec<_> =
        reasons.map(|(reason, nth)| (detect::show::number(nth), reason.evidence().to_vec())).collect();
    let name = source.to_string();
    tamiz_explain::write_pointed(&mut out, &name, &request, &document, &pointed, output::columns())?;
    if let Some(explained) = &explained {
        detect::show::explained(&mut out, explained)?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
