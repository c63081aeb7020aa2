//! `tamiz model`: shows, joins and corrects models.

use std::io::Write;
use std::process::ExitCode;

use tamiz_detector::Detector;
use tamiz_explain::visible::harmless;

use super::args::{AcceptArgs, MergeArgs, ModelArgs, ModelCommand, ShowArgs};
use super::score::highest_first;
use super::{read, read_for, show, unusable};
use crate::args::Format;
use crate::failure::Failure;
use crate::input::Source;
use crate::whole_file::WholeFile;
use crate::{config, output};

/// Runs the command.
pub(crate) fn run(args: &ModelArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        ModelCommand::Show(args) => show_model(args),
        ModelCommand::Merge(args) => merge(args),
        ModelCommand::Accept(args) => accept(args),
    }
}

fn show_model(args: &ShowArgs) -> Result<ExitCode, Failure> {
    let model = read(&args.model)?;
    let mut out = output::raw();
    if let Some(endpoint) = &args.endpoint {
        let tokens = model.tokens_of(endpoint);
        if tokens.is_empty() {
            return Err(Failure::Usage(
                "the model has no such endpoint; 'tamiz model show' lists them".to_owned(),
            ));
        }
        for (token, count) in tokens {
            match args.format {
                Format::Text => writeln!(out, "{count:>8}  {}", harmless(token))?,
                Format::Json => {
                    writeln!(out, "{}", serde_json::json!({"token": token, "requests": count}))?;
                }
            }
        }
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    let detector = Detector::new(model);
    match (args.format, detector.model()) {
        (Format::Text, Some(model)) => {
            writeln!(out, "fingerprint {}", model.fingerprint())?;
            show::learned(&mut out, &detector)?;
            writeln!(out, "\nrequests  tokens  endpoint")?;
            let mut endpoints: Vec<_> = model.endpoints().collect();
            highest_first(&mut endpoints, |(_, requests, _)| *requests);
            for (endpoint, requests, tokens) in endpoints {
                writeln!(out, "{requests:>8}  {tokens:>6}  {}", harmless(endpoint))?;
            }
        }
        _ => writeln!(out, "{}", show::learned_json(&detector))?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn merge(args: &MergeArgs) -> Result<ExitCode, Failure> {
    let mut models = args.models.iter();
    let Some(first) = models.next() else {
        return Err(Failure::Usage("name the models to join".to_owned()));
    };
    let mut model = read(first)?;
    for path in models {
        let other = read(path)?;
        model.merge(&other).map_err(|error| unusable(Some(path), &error))?;
    }
    WholeFile::begin(&args.out, args.force)?.finish(&model.to_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn accept(args: &AcceptArgs) -> Result<ExitCode, Failure> {
    let canonicalizer = config::canonicalizer(&args.read)?;
    let mut model = read_for(&args.model, &canonicalizer)?;
    for source in Source::all(&args.files)? {
        let document = canonicalizer.canonicalize(&source.read()?);
        model.accept(&document).map_err(|error| unusable(Some(&args.model), &error))?;
    }
    WholeFile::begin(&args.model, true)?.finish(&model.to_bytes())?;
    Ok(ExitCode::SUCCESS)
}
