//! `tamiz batch`: from any container of requests to text, JSON lines, tokens or columns.
//!
//! ```text
//! inputs ──► chunks ──► rows, by several threads ──► sink, in order ──► output
//!            (pipeline) (rows)                       (sink, partial)    by renaming
//! ```

mod client;
#[cfg(feature = "columns")]
mod column_sink;
#[cfg(feature = "columns")]
mod columns;
#[cfg(not(feature = "columns"))]
#[path = "no_columns.rs"]
mod columns;
mod counts;
pub(crate) mod errors;
mod format;
pub(crate) mod inputs;
pub(crate) mod outputs;
pub(crate) mod partial;
pub(crate) mod pipeline;
pub(crate) mod progress;
mod rows;
mod sample;
mod sink;
mod stop;

use std::path::Path;
use std::process::ExitCode;

use tamiz::Canonicalizer;
use tamiz_containers::{Chunk, Record, Unreadable};

use crate::args::BatchArgs;
use crate::failure::{Failure, complain, things};
use crate::{config, tokens};
pub(crate) use client::Client;
#[cfg(feature = "columns")]
pub(crate) use columns::origin;
use counts::Counts;
use errors::Errors;
pub(crate) use format::{BatchFormat, Separator};
use format::{Output, RowFormat};
use inputs::Inputs;
use outputs::Written;
use partial::{Partial, RUN_BEGINS, State};
use pipeline::Go;
use progress::Progress;
use rows::{RowMaker, Rows};
use sample::Sample;
use sink::Sink;

/// The exit code of a run that made its output, but could not read everything.
pub(crate) const SOME_UNREADABLE: u8 = 3;

/// Runs the command.
pub(crate) fn run(args: &BatchArgs) -> Result<ExitCode, Failure> {
    let output = Output::of(args.format, args.separator, &args.out)?;
    if output.holds_requests() && args.dedup {
        return Err(Failure::Usage("requests are written as they are: leave out '--dedup'".to_owned()));
    }
    if args.split.is_some() && matches!(output, Output::Bytes(..)) {
        return Err(Failure::Usage("only columns and requests are split: leave out '--split'".to_owned()));
    }
    let canonicalizer = config::canonicalizer_for(&args.read, args.as_seen_by)?;
    let is_stdout = args.out.as_os_str() == "-";
    let mut partial = Partial::of(&args.out, args.sample.is_none()).with_folder(args.split.is_some());
    let mut written: Vec<&Path> = vec![&args.out, partial.folder()];
    written.extend(args.errors.as_deref());
    let inputs = Inputs::of(&args.inputs, &written)?;
    outputs::check(&args.inputs, &to_write(args), (!is_stdout).then(|| partial.folder()))?;
    if args.split.is_some() {
        outputs::check_folder(&args.inputs, &args.out)?;
    }
    let (state, sink) = if is_stdout {
        let sink = Sink::stdout(output).ok_or_else(|| {
            Failure::Usage("columns cannot be written to standard output: name a file".to_owned())
        })?;
        (State::default(), sink)
    } else {
        let state = partial.begin(&description(args, &canonicalizer, &inputs), args.resume, args.force)?;
        let sink = Sink::open(output, &partial, &state, args.split)?;
        (state, sink)
    };
    let counts = match (args.dedup, is_stdout) {
        (false, _) => None,
        (true, true) => Some(Counts::default()),
        (true, false) => Some(partial.counts(&state)?),
    };
    let errors = Errors::open(args.errors.as_deref(), state.error_bytes, args.force || args.resume)
        .inspect_err(|_| partial.give_up(args.resume))?;
    stop::on_interrupt((!is_stdout).then(|| partial.stopped_message()));
    if output.holds_requests() {
        complain(&format!("{} will hold requests as they are, with their secrets", args.out.display()));
    }
    let options = args.containers.options();
    let progress = Progress::new(inputs.total(), std::sync::Arc::clone(&options.progress));
    let partial = (!is_stdout).then_some(&partial);
    let before = state.requests;
    let saved = state.chunks;
    let run =
        Run { args, progress: &progress, partial, state, sink, counts, errors, since_checkpoint: 0, saved };
    let chunks = inputs.chunks(options);
    let done = run.run(chunks, &canonicalizer, output);
    progress.end();
    let (state, sink, counts) = done?;
    sink.finish(counts.as_ref(), state.forces)?;
    if !args.quiet {
        summary(args, &state, before, &progress);
    }
    Ok(if state.unreadable > 0 { ExitCode::from(SOME_UNREADABLE) } else { ExitCode::SUCCESS })
}

/// The files that the arguments name to be written.
fn to_write(args: &BatchArgs) -> Vec<Written<'_>> {
    let is_replaced = args.out.as_os_str() != "-";
    let out = if is_replaced { args.out.as_path() } else { Path::new("/dev/stdout") };
    let mut written = vec![Written { path: out, option: "--out", is_replaced, is_left_over: false }];
    let errors = args.errors.as_deref();
    written.extend(errors.map(|path| Written {
        path,
        option: "--errors",
        is_replaced: false,
        is_left_over: args.resume,
    }));
    written
}

/// Describes the run, for `--resume`: everything that affects the output.
fn description(args: &BatchArgs, canonicalizer: &Canonicalizer, inputs: &Inputs) -> String {
    format!(
        "{RUN_BEGINS}{} fingerprint {} inputs {} from {:?} format {:?} separator {:?} limit {:?} record-limit {} dedup {} as-seen-by {:?} token-lengths {} errors {:?} map {:?} client {:?} split {:?}",
        env!("CARGO_PKG_VERSION"),
        canonicalizer.fingerprint(),
        inputs.identity(),
        args.containers.from,
        args.format,
        args.separator,
        args.limit,
        args.containers.record_limit,
        args.dedup,
        args.as_seen_by,
        args.token_lengths,
        args.errors,
        args.containers.map,
        args.client,
        args.split,
    )
}

/// Says what was done, in one line.
fn summary(args: &BatchArgs, state: &State, before: u64, progress: &Progress) {
    let out =
        if args.out.as_os_str() == "-" { "standard output".into() } else { args.out.display().to_string() };
    if let (Some(source), false) = (args.as_seen_by, state.refused.is_empty()) {
        let total: u64 = state.refused.values().sum();
        let reasons: Vec<String> =
            state.refused.iter().map(|(reason, count)| format!("{count} for {reason}")).collect();
        let total = things(total, "more request");
        complain(&format!("{total} that {source} would refuse: {}", reasons.join(", ")));
    }
    let notices = match state.notices {
        0 => String::new(),
        count => format!(", {}", things(count, "notice")),
    };
    complain(&format!(
        "{}, {} unreadable{notices}, {} to {out} in {:.1} s ({} requests/s)",
        things(state.requests, "request"),
        state.unreadable,
        things(state.rows, "row"),
        progress.seconds(),
        progress.rate(state.requests - before),
    ));
}

/// A run under way.
struct Run<'a> {
    args: &'a BatchArgs,
    progress: &'a Progress,
    /// Where state is kept; standard output has none.
    partial: Option<&'a Partial>,
    state: State,
    sink: Sink<'a>,
    counts: Option<Counts>,
    errors: Errors,
    since_checkpoint: u64,
    /// How many chunks the state that was kept last has.
    saved: u64,
}

impl<'a> Run<'a> {
    fn run(
        mut self,
        chunks: impl Iterator<Item = Chunk> + Send,
        canonicalizer: &Canonicalizer,
        output: Output,
    ) -> Result<(State, Sink<'a>, Option<Counts>), Failure> {
        let jobs = self.args.containers.jobs();
        let wants_identities = self.args.dedup;
        let as_seen = self.args.as_seen_by.is_some();
        let client = self.args.client;
        let options = tokens::options(self.args.token_lengths, output.rows() == RowFormat::Tokens)?;
        let state =
            || RowMaker::new(canonicalizer, output.rows(), wants_identities, as_seen, options, client);
        let work = |maker: &mut RowMaker<'_>, chunk: Chunk| maker.rows(chunk);
        if let Some(size) = self.args.sample {
            let sample = self.sample(chunks, jobs, size)?;
            let seen = self.state.requests;
            pipeline::run(sample.chunks(), jobs, state, work, |rows| self.rows(rows))?;
            // What was read, not what was drawn.
            self.state.requests = seen;
        } else {
            // What is done already is read again, since only that tells where the next begins.
            let done = usize::try_from(self.state.chunks).unwrap_or(usize::MAX);
            pipeline::run(chunks.skip(done), jobs, state, work, |rows| self.rows(rows))?;
        }
        self.errors.checkpoint()?;
        Ok((self.state, self.sink, self.counts))
    }

    /// Draws a sample of everything.
    fn sample(
        &mut self,
        chunks: impl Iterator<Item = Chunk> + Send,
        jobs: usize,
        size: usize,
    ) -> Result<Sample, Failure> {
        let mut sample = Sample::new(size, self.args.seed);
        let work = |(): &mut (), chunk: Chunk| chunk.into_iter().collect::<Vec<Result<Record, Unreadable>>>();
        pipeline::run(
            chunks,
            jobs,
            || (),
            work,
            |records| {
                for record in records {
                    match record {
                        Ok(record) => {
                            if self.args.limit.is_some_and(|limit| self.state.requests >= limit) {
                                return Ok(Go::Stop);
                            }
                            self.state.requests += 1;
                            sample.add(record);
                        }
                        Err(unreadable) => self.unreadable(&unreadable)?,
                    }
                }
                self.progress.requests(self.state.requests);
                Ok::<_, Failure>(Go::On)
            },
        )?;
        Ok(sample)
    }

    /// Takes the rows of the next chunk.
    fn rows(&mut self, rows: Rows) -> Result<Go, Failure> {
        let Rows { content, identities, unreadable, refused } = rows;
        for (reason, count) in refused {
            *self.state.refused.entry(reason.to_owned()).or_default() += count;
        }
        for unreadable in &unreadable {
            self.unreadable(unreadable)?;
        }
        let len = content.len() as u64;
        let limit = self.args.limit.filter(|_| self.args.sample.is_none());
        let room = limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.state.requests));
        let taken = len.min(room);
        let kept = match &mut self.counts {
            Some(counts) => {
                let kept = identities
                    .iter()
                    .enumerate()
                    .map(|(at, identity)| (at as u64) < taken && counts.add(*identity));
                Some(kept.collect())
            }
            None if taken < len => Some((0..len).map(|at| at < taken).collect()),
            None => None,
        };
        if len > 0 {
            self.state.rows += self.sink.write(content, kept)?;
        }
        self.state.requests += taken;
        self.state.chunks += 1;
        self.since_checkpoint += taken + unreadable.len() as u64;
        self.progress.requests(self.state.requests);
        if self.since_checkpoint >= self.args.checkpoint {
            self.checkpoint()?;
        }
        Ok(if taken == room { Go::Stop } else { Go::On })
    }

    fn unreadable(&mut self, unreadable: &Unreadable) -> Result<(), Failure> {
        let count = if unreadable.is_notice { &mut self.state.notices } else { &mut self.state.unreadable };
        *count += 1;
        self.errors.tell(unreadable, *count, self.progress)
    }

    /// Makes what is written safe, so that a run that is stopped can go on from here.
    fn checkpoint(&mut self) -> Result<(), Failure> {
        self.since_checkpoint = 0;
        let Some(partial) = self.partial.filter(|_| self.args.sample.is_none()) else { return Ok(()) };
        let before = std::mem::replace(&mut self.saved, self.state.chunks);
        self.sink.checkpoint(&mut self.state)?;
        self.state.error_bytes = self.errors.checkpoint()?;
        if let Some(counts) = &self.counts {
            partial.save_counts(counts, &self.state)?;
        }
        partial.save(&self.state)?;
        if self.counts.is_some() {
            partial.remove_counts(before);
        }
        Ok(())
    }
}
