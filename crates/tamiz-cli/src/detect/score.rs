//! `tamiz score`: how unusual the requests of any container are, and why.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::Value;
use tamiz::Canonicalizer;
use tamiz_containers::{Chunk, Id, Place, Record, Request, Unreadable};
use tamiz_detector::{Detector, Explanation, Observation};
use tamiz_explain::visible::harmless;

use super::args::{ScoreArgs, ScoreFormat};
use super::columns::Columns;
use super::drift::Drift;
use super::{detector, show};
use crate::batch::SOME_UNREADABLE;
use crate::batch::errors::Errors;
use crate::batch::inputs::Inputs;
use crate::batch::pipeline::{self, Go};
use crate::batch::progress::Progress;
use crate::failure::{Failure, complain};
use crate::survey::limited;
use crate::whole_file::WholeFile;
use crate::{config, output};

/// A request that was scored.
pub(super) struct Scored {
    pub(super) place: Place,
    pub(super) id: Option<Id>,
    pub(super) label: Option<String>,
    pub(super) stream: Option<u64>,
    pub(super) source: &'static str,
    pub(super) explained: Explanation,
}

/// The result for a chunk.
#[derive(Default)]
struct Part {
    scored: Vec<Scored>,
    unreadable: Vec<Unreadable>,
}

/// Runs the command.
pub(crate) fn run(args: &ScoreArgs) -> Result<ExitCode, Failure> {
    if args.format == ScoreFormat::Parquet {
        Columns::check()?;
        if args.out.is_none() {
            return Err(Failure::Usage(
                "Parquet is not for standard output: name a file with '--out'".to_owned(),
            ));
        }
    }
    let canonicalizer = config::canonicalizer(&args.read)?;
    let detector = match &args.model {
        Some(path) => detector(path, &canonicalizer)?,
        None => {
            complain("no model: flags alone score; 'tamiz learn' makes one");
            Detector::without_model()
        }
    };
    Observation::of(&canonicalizer.canonicalize(b"")).map_err(|error| Failure::Usage(error.to_string()))?;
    let file = args.out.as_deref().map(|out| WholeFile::begin(out, args.force)).transpose()?;
    let mut written: Vec<&Path> = args.errors.as_deref().into_iter().chain(args.out.as_deref()).collect();
    written.extend(file.as_ref().map(WholeFile::partial));
    let inputs = Inputs::of(&args.inputs, &written)?;
    let mut errors = Errors::open(args.errors.as_deref(), 0, args.force)?;
    let options = args.containers.options();
    let progress = Progress::new(inputs.total(), Arc::clone(&options.progress));
    let mut room = args.limit.unwrap_or(u64::MAX);
    let chunks = inputs.chunks(options).map_while(|chunk| limited(chunk, &mut room));
    let mut to = Output::new(args, file.is_some());
    let mut unknown: BTreeSet<&'static str> = BTreeSet::new();
    let (mut requests, mut unreadable) = (0, 0);
    let done = pipeline::run(
        chunks,
        args.containers.jobs(),
        || (),
        |(), chunk| part(chunk, &detector, &canonicalizer, args.fpr),
        |part: Part| {
            for record in &part.unreadable {
                unreadable += 1;
                errors.tell(record, unreadable, &progress)?;
            }
            for scored in part.scored {
                requests += 1;
                let learned =
                    detector.model().is_none_or(|model| model.sources().contains_key(scored.source));
                if !learned && unknown.insert(scored.source) {
                    progress.complain(&format!(
                        "the model has learned no requests of source '{}': scores may be too high",
                        scored.source
                    ));
                }
                to.take(scored)?;
            }
            progress.requests(requests);
            Ok::<_, Failure>(Go::On)
        },
    );
    progress.end();
    done?;
    errors.checkpoint()?;
    let (content, columns) = to.finish(&detector)?;
    match file {
        Some(file) if args.format == ScoreFormat::Parquet => file.finish_by(|file| columns.write(file))?,
        Some(file) => file.finish(&content)?,
        None => {}
    }
    Ok(if unreadable > 0 { ExitCode::from(SOME_UNREADABLE) } else { ExitCode::SUCCESS })
}

fn part(chunk: Chunk, detector: &Detector, canonicalizer: &Canonicalizer, fpr: f64) -> Part {
    let mut part = Part::default();
    for record in chunk {
        match record {
            Ok(record) => part.scored.extend(scored(record, detector, canonicalizer, fpr)),
            Err(unreadable) => part.unreadable.push(unreadable),
        }
    }
    part
}

/// Scores a record; a fresh document of the model's fingerprint is never refused.
fn scored(record: Record, detector: &Detector, canonicalizer: &Canonicalizer, fpr: f64) -> Option<Scored> {
    let mut explained = detector.explain(&record.document(canonicalizer)).ok()?;
    // Few are looked at: only for these is the request read again for where its reasons are.
    let is_looked_at =
        explained.score().p_value().is_none_or(|p| p <= fpr) && !explained.reasons().is_empty();
    if let (Request::Raw(bytes), true) = (&record.request, is_looked_at) {
        explained.locate(bytes, &canonicalizer.canonicalize_with_evidence(bytes));
    }
    Some(Scored {
        source: record.source_for(canonicalizer).as_str(),
        place: record.place,
        id: record.id,
        label: record.label,
        stream: record.stream,
        explained,
    })
}

/// Where scores go.
struct Output<'a> {
    args: &'a ScoreArgs,
    /// Standard output, unless a file is written, which gets everything at the end.
    out: Box<dyn Write>,
    is_file: bool,
    buffer: Vec<u8>,
    top: Vec<Scored>,
    drift: Drift,
    columns: Columns,
}

impl<'a> Output<'a> {
    fn new(args: &'a ScoreArgs, is_file: bool) -> Self {
        let out: Box<dyn Write> = Box::new(output::coloured(args.color.when));
        let (drift, columns) = (Drift::default(), Columns::default());
        Output { args, out, is_file, buffer: Vec::new(), top: Vec::new(), drift, columns }
    }

    fn take(&mut self, scored: Scored) -> Result<(), Failure> {
        if self.args.drift {
            self.drift.add(scored.explained.endpoint(), scored.explained.score());
            return Ok(());
        }
        let Some(top) = self.args.top else { return self.write(&scored) };
        self.top.push(scored);
        if self.top.len() >= top.saturating_mul(2).max(1024) {
            self.keep(top);
        }
        Ok(())
    }

    /// Keeps the highest scores; of equal ones, those that came first.
    fn keep(&mut self, top: usize) {
        self.top.sort_by(|a, b| b.explained.score().value().total_cmp(&a.explained.score().value()));
        self.top.truncate(top);
    }

    fn finish(mut self, detector: &Detector) -> Result<(Vec<u8>, Columns), Failure> {
        if self.args.drift {
            self.drift.write(&mut self.buffer, detector)?;
            self.pass_on()?;
        }
        if let Some(top) = self.args.top {
            self.keep(top);
            for scored in std::mem::take(&mut self.top) {
                self.write(&scored)?;
            }
        }
        self.out.flush()?;
        Ok((self.buffer, self.columns))
    }

    fn write(&mut self, scored: &Scored) -> Result<(), Failure> {
        let is_alert = scored.explained.score().p_value().map(|p| p <= self.args.fpr);
        match self.args.format {
            ScoreFormat::Jsonl => self.json(scored, is_alert)?,
            ScoreFormat::Table => self.row(scored, is_alert)?,
            ScoreFormat::Parquet => self.columns.push(scored, verdict(is_alert)),
        }
        self.pass_on()
    }

    /// Writes to standard output what need not wait for the end.
    fn pass_on(&mut self) -> Result<(), Failure> {
        if !self.is_file {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    fn row(&mut self, scored: &Scored, is_alert: Option<bool>) -> Result<(), Failure> {
        let verdict = match is_alert {
            Some(true) => "ALERT ",
            Some(false) => "usual ",
            None => "",
        };
        let name = scored.id.as_ref().map_or_else(|| scored.place.to_string(), Id::to_string);
        writeln!(
            self.buffer,
            "{verdict}{}  {}  {}",
            show::headline(scored.explained.score()),
            harmless(&name),
            harmless(scored.explained.endpoint())
        )?;
        if is_alert != Some(false) || self.args.top.is_some() {
            show::reasons(&mut self.buffer, &scored.explained)?;
        }
        Ok(())
    }

    fn json(&mut self, scored: &Scored, is_alert: Option<bool>) -> Result<(), Failure> {
        let mut line = serde_json::to_value(&scored.explained).map_err(std::io::Error::from)?;
        if let Some(object) = line.as_object_mut() {
            object.insert("place".to_owned(), scored.place.to_string().into());
            object.insert("endpoint".to_owned(), scored.explained.endpoint().into());
            object.insert("source".to_owned(), scored.source.into());
            object.insert("verdict".to_owned(), verdict(is_alert).map_or(Value::Null, Value::from));
            if let Some(stream) = scored.stream {
                object.insert("stream".to_owned(), stream.into());
            }
            if let Some(id) = &scored.id {
                object.insert("id".to_owned(), serde_json::to_value(id).map_err(std::io::Error::from)?);
            }
            if let Some(label) = &scored.label {
                object.insert("label".to_owned(), label.clone().into());
            }
        }
        Ok(writeln!(self.buffer, "{line}")?)
    }
}

fn verdict(is_alert: Option<bool>) -> Option<&'static str> {
    is_alert.map(|is_alert| if is_alert { "alert" } else { "usual" })
}

/// Orders by a number, the highest first.
pub(crate) fn highest_first<T>(list: &mut [T], key: impl Fn(&T) -> u64) {
    list.sort_by_key(|item| Reverse(key(item)));
}
