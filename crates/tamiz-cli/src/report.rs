//! `tamiz report`: what the requests of any container are, as a page or a table.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use tamiz::Canonicalizer;
use tamiz_detector::Detector;
use tamiz_report::{About, AboutModel, Summary, page, table};

use crate::args::ReportArgs;
use crate::batch::SOME_UNREADABLE;
use crate::batch::errors::Errors;
use crate::batch::outputs::{self, Written};
use crate::failure::{Failure, complain, things};
use crate::survey::{Survey, Surveyed, fingerprints};
use crate::whole_file::WholeFile;
use crate::{config, detect, output};

/// Runs the command.
pub(crate) fn run(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let canonicalizer = config::canonicalizer(&args.read)?;
    let detector = args.model.as_deref().map(|path| detect::detector(path, &canonicalizer)).transpose()?;
    let out = args.out.as_deref().filter(|out| out.as_os_str() != "-");
    outputs::check(&args.inputs, &to_write(args, out), None)?;
    let file = out.map(|out| WholeFile::begin(out, args.force)).transpose()?;
    let errors = Errors::open(args.errors.as_deref(), 0, args.force)?;
    let mut written: Vec<&Path> = args.errors.as_deref().into_iter().chain(out).collect();
    written.extend(file.as_ref().map(WholeFile::partial));
    let (inputs, containers) = (&args.inputs, &args.containers);
    let survey = Survey { inputs, written, containers, detector: detector.as_ref(), limit: args.limit };
    let surveyed = survey.run(&canonicalizer, None, errors)?;
    if let Some(label) = args.baseline.as_deref().filter(|label| !surveyed.summary.has_label(label)) {
        return Err(Failure::Usage(format!("no request has the label '{label}' of '--baseline'")));
    }
    let model = detector.as_ref().and_then(|detector| about_model(detector, &surveyed.summary));
    write(args, &canonicalizer, &surveyed, model, file)?;
    if !args.quiet {
        summary(args, &surveyed);
    }
    let is_whole = surveyed.summary.unreadable() == 0;
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(SOME_UNREADABLE) })
}

/// The files that the arguments name to be written.
fn to_write<'a>(args: &'a ReportArgs, out: Option<&'a Path>) -> Vec<Written<'a>> {
    let named = [(out, "--out", true), (args.errors.as_deref(), "--errors", false)];
    let written = named.into_iter().filter_map(|(path, option, is_replaced)| {
        Some(Written { path: path?, option, is_replaced, is_left_over: false })
    });
    written.collect()
}

/// The report's words about its model.
fn about_model(detector: &Detector, summary: &Summary) -> Option<AboutModel> {
    let model = detector.model()?;
    let mut unknown_sources = summary.sources();
    unknown_sources.retain(|source| !model.sources().contains_key(source));
    Some(AboutModel {
        requests: model.requests(),
        share_with_new: detector.share_with_new(),
        least_p_value: detector.least_p_value(),
        unknown_sources,
    })
}

fn write(
    args: &ReportArgs,
    canonicalizer: &Canonicalizer,
    surveyed: &Surveyed,
    model: Option<AboutModel>,
    file: Option<WholeFile>,
) -> Result<(), Failure> {
    let settings = canonicalizer.config();
    let about = About {
        title: args.title.clone(),
        fingerprint: fingerprints(canonicalizer, &surveyed.summary),
        program: concat!("tamiz ", env!("CARGO_PKG_VERSION")).to_owned(),
        view: settings.view.to_string(),
        profile: settings.profile.to_string(),
        baseline: args.baseline.clone(),
        model,
    };
    match (file, &args.out) {
        (Some(file), _) => file.finish(page(&surveyed.summary, &about).as_bytes()),
        (None, Some(_)) => {
            let mut out = output::raw();
            out.write_all(page(&surveyed.summary, &about).as_bytes())?;
            Ok(out.flush()?)
        }
        (None, None) => {
            let mut out = output::coloured(args.color.when);
            table(&mut out, &surveyed.summary, &about, output::columns())?;
            Ok(out.flush()?)
        }
    }
}

/// Says what was done, in one line.
fn summary(args: &ReportArgs, surveyed: &Surveyed) {
    let Some(out) = &args.out else { return };
    let out = if out.as_os_str() == "-" { "standard output".into() } else { out.display().to_string() };
    let requests = surveyed.summary.requests();
    complain(&format!(
        "{}, {} unreadable, to {out} in {:.1} s ({} requests/s)",
        things(requests, "request"),
        surveyed.summary.unreadable(),
        surveyed.progress.seconds(),
        surveyed.progress.rate(requests),
    ));
}
