//! `tamiz learn`: counts the requests of any container into a model.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use tamiz::Canonicalizer;
use tamiz_containers::{Chunk, Unreadable};
use tamiz_detector::{Detector, Model};

use super::args::LearnArgs;
use super::{read_for, show, unusable};
use crate::batch::SOME_UNREADABLE;
use crate::batch::errors::Errors;
use crate::batch::inputs::Inputs;
use crate::batch::outputs::{self, Written};
use crate::batch::partial::{Partial, State};
use crate::batch::pipeline::{self, Go};
use crate::batch::progress::Progress;
use crate::failure::{Failure, complain, things};
use crate::survey::limited;
use crate::{config, output};

/// The result for a chunk.
struct Part {
    model: Model,
    unreadable: Vec<Unreadable>,
}

/// Runs the command.
pub(crate) fn run(args: &LearnArgs) -> Result<ExitCode, Failure> {
    let canonicalizer = config::canonicalizer(&args.read)?;
    let empty = Model::new(canonicalizer.fingerprint()).map_err(|error| unusable(None, &error))?;
    let mut model = if args.update { read_for(&args.out, &canonicalizer)? } else { empty.clone() };
    if let Some(percent) = args.decay {
        model.decay(percent.into());
    }
    let mut partial = Partial::of(&args.out, true);
    let mut written: Vec<&Path> = vec![&args.out, partial.folder()];
    written.extend(args.errors.as_deref());
    let inputs = Inputs::of(&args.inputs, &written)?;
    outputs::check(&args.inputs, &to_write(args), Some(partial.folder()))?;
    let description = description(args, &canonicalizer, &inputs);
    let mut state = partial.begin(&description, args.resume, args.force || args.update)?;
    if state.chunks > 0 {
        model = read_for(&partial.file(&name(state.chunks)), &canonicalizer)?;
    }
    let mut errors =
        Errors::open(args.errors.as_deref(), state.error_bytes, args.force || args.resume || args.update)
            .inspect_err(|_| partial.give_up(args.resume))?;
    let options = args.containers.options();
    let progress = Progress::new(inputs.total(), Arc::clone(&options.progress));
    let mut room = args.limit.map_or(u64::MAX, |limit| limit.saturating_sub(state.requests));
    // What is done already is read again, since only that tells where the next begins.
    let done = usize::try_from(state.chunks).unwrap_or(usize::MAX);
    let chunks = inputs.chunks(options).skip(done).map_while(|chunk| limited(chunk, &mut room));
    let mut since = 0;
    let learned = pipeline::run(
        chunks,
        args.containers.jobs(),
        || empty.clone(),
        |model, chunk| part(chunk, model, &canonicalizer),
        |part: Part| {
            for unreadable in &part.unreadable {
                state.unreadable += 1;
                errors.tell(unreadable, state.unreadable, &progress)?;
            }
            model.merge(&part.model).map_err(|error| unusable(None, &error))?;
            state.requests += part.model.requests();
            state.chunks += 1;
            since += part.model.requests();
            progress.requests(state.requests);
            if since >= args.checkpoint {
                since = 0;
                checkpoint(&partial, &mut state, &model, &mut errors)?;
            }
            Ok::<_, Failure>(Go::On)
        },
    );
    progress.end();
    learned?;
    errors.checkpoint()?;
    if state.requests == 0 {
        partial.remove();
        return Err(Failure::Usage("there is no request in the input: nothing to learn".to_owned()));
    }
    partial.replace("model", &model.to_bytes())?;
    partial.finish("model", args.force || args.update)?;
    if !args.quiet {
        let mut out = output::raw();
        show::learned(&mut out, &Detector::new(model))?;
        out.flush()?;
        complain(&format!(
            "{}, {} unreadable, to {} in {:.1} s ({} requests/s)",
            things(state.requests, "request"),
            state.unreadable,
            args.out.display(),
            progress.seconds(),
            progress.rate(state.requests),
        ));
    }
    Ok(if state.unreadable > 0 { ExitCode::from(SOME_UNREADABLE) } else { ExitCode::SUCCESS })
}

/// Learns a chunk with a model that has no requests, but knows the lines of those before.
fn part(chunk: Chunk, model: &mut Model, canonicalizer: &Canonicalizer) -> Part {
    let mut unreadable = Vec::new();
    for record in chunk {
        match record {
            // A fresh document of the view that the model was made for is never refused.
            Ok(record) => drop(model.learn(&record.document(canonicalizer))),
            Err(error) => unreadable.push(error),
        }
    }
    Part { model: model.take(), unreadable }
}

/// Makes what is learned safe, so that a run that is stopped can go on from here.
fn checkpoint(
    partial: &Partial,
    state: &mut State,
    model: &Model,
    errors: &mut Errors,
) -> Result<(), Failure> {
    state.error_bytes = errors.checkpoint()?;
    let before = std::mem::replace(&mut state.parts, state.chunks);
    partial.replace(&name(state.chunks), &model.to_bytes())?;
    partial.save(state)?;
    // If that cannot be done, it is in nobody's way.
    let _ = fs::remove_file(partial.file(&name(before)));
    Ok(())
}

/// The name of the model that belongs to a state of so many chunks.
fn name(chunks: u64) -> String {
    format!("model-{chunks}")
}

/// The files that are written.
fn to_write(args: &LearnArgs) -> Vec<Written<'_>> {
    let mut written =
        vec![Written { path: &args.out, option: "--out", is_replaced: true, is_left_over: args.update }];
    let errors = args.errors.as_deref();
    written.extend(errors.map(|path| Written {
        path,
        option: "--errors",
        is_replaced: false,
        is_left_over: args.resume,
    }));
    written
}

/// Describes the run, for `--resume`.
fn description(args: &LearnArgs, canonicalizer: &Canonicalizer, inputs: &Inputs) -> String {
    format!(
        "tamiz {} learn fingerprint {} inputs {} from {:?} limit {:?} record-limit {} map {:?} update {} decay {:?} errors {:?}",
        env!("CARGO_PKG_VERSION"),
        canonicalizer.fingerprint(),
        inputs.identity(),
        args.containers.from,
        args.limit,
        args.containers.record_limit,
        args.containers.map,
        args.update,
        args.decay,
        args.errors,
    )
}
