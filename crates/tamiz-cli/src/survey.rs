//! Counting the requests of containers, with several threads: what `report` and `diff` have in common.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tamiz::{Canonicalizer, Scratch, Source};
use tamiz_containers::{Chunk, Record, Unreadable};
use tamiz_detector::Detector;
use tamiz_report::{Item, Paired, Scored, Summary};

use crate::args::ContainerOptions;
use crate::batch::errors::Errors;
use crate::batch::inputs::Inputs;
use crate::batch::pipeline::{self, Go};
use crate::batch::progress::Progress;
use crate::failure::Failure;

/// The inputs, and the limits of a survey.
pub(crate) struct Survey<'a> {
    pub(crate) inputs: &'a [PathBuf],
    /// Output files, which are not read as input.
    pub(crate) written: Vec<&'a Path>,
    pub(crate) containers: &'a ContainerOptions,
    /// Scores the requests of the first reading, where there is a model.
    pub(crate) detector: Option<&'a Detector>,
    pub(crate) limit: Option<u64>,
}

/// The result.
pub(crate) struct Surveyed {
    pub(crate) summary: Summary,
    /// The second reading, and how it differs from the first, if there was one.
    pub(crate) second: Option<(Summary, Paired)>,
    pub(crate) progress: Progress,
}

/// The result for a chunk.
#[derive(Default)]
struct Part {
    summary: Summary,
    second: Option<(Summary, Paired)>,
    unreadable: Vec<Unreadable>,
}

impl Survey<'_> {
    /// Reads everything, and once more with the second canonicalizer if there is one and requests are not scored.
    ///
    /// # Errors
    /// When an input is not there, or errors cannot be written.
    pub(crate) fn run(
        &self,
        first: &Canonicalizer,
        second: Option<&Canonicalizer>,
        mut errors: Errors,
    ) -> Result<Surveyed, Failure> {
        let inputs = Inputs::of(self.inputs, &self.written)?;
        let options = self.containers.options();
        let progress = Progress::new(inputs.total(), Arc::clone(&options.progress));
        let mut whole = Summary::default();
        let mut twice = second.map(|_| (Summary::default(), Paired::default()));
        let mut room = self.limit.unwrap_or(u64::MAX);
        let mut notices = 0;
        let chunks = inputs.chunks(options).map_while(|chunk| limited(chunk, &mut room));
        let done = pipeline::run(
            chunks,
            self.containers.jobs(),
            Reader::default,
            |reader, chunk| reader.part(chunk, first, second, self.detector),
            |part| {
                for unreadable in &part.unreadable {
                    if unreadable.is_notice {
                        notices += 1;
                        errors.tell(unreadable, notices, &progress)?;
                        continue;
                    }
                    errors.tell(unreadable, whole.unreadable() + 1, &progress)?;
                    for summary in
                        [Some(&mut whole), twice.as_mut().map(|(summary, _)| summary)].into_iter().flatten()
                    {
                        let (file, place) = (&unreadable.place.file, unreadable.place.to_string());
                        summary.add_unreadable(file, &place, &unreadable.reason);
                    }
                }
                whole.absorb(part.summary);
                if let (Some((summary, paired)), Some((more, pairs))) = (&mut twice, part.second) {
                    summary.absorb(more);
                    paired.absorb(pairs);
                }
                progress.requests(whole.requests());
                Ok::<_, Failure>(Go::On)
            },
        );
        progress.end();
        done?;
        errors.checkpoint()?;
        Ok(Surveyed { summary: whole, second: twice, progress })
    }
}

/// The fingerprint of the documents of a summary: one for each source, sorted by that.
pub(crate) fn fingerprints(canonicalizer: &Canonicalizer, summary: &Summary) -> String {
    let own = canonicalizer.fingerprint();
    let sources = summary.sources();
    let of_sources = sources.iter().filter_map(|source| source.parse::<Source>().ok());
    let fingerprints: Vec<String> = of_sources.map(|source| own.with_source(source).to_string()).collect();
    if fingerprints.is_empty() { own.to_string() } else { fingerprints.join(", ") }
}

/// A chunk without the requests for which there is no room; `None` when there is none at all.
pub(crate) fn limited(chunk: Chunk, room: &mut u64) -> Option<Chunk> {
    if *room == u64::MAX {
        return Some(chunk);
    }
    if *room == 0 {
        return None;
    }
    let mut records: Vec<Result<Record, Unreadable>> = Vec::new();
    for record in chunk {
        if *room == 0 {
            break;
        }
        *room -= u64::from(record.is_ok());
        records.push(record);
    }
    Some(records.into_iter().collect())
}

/// The memory that a thread reuses.
#[derive(Default)]
struct Reader {
    scratch: Scratch,
    first: Vec<u8>,
    second: Vec<u8>,
}

impl Reader {
    fn part(
        &mut self,
        chunk: Chunk,
        first: &Canonicalizer,
        second: Option<&Canonicalizer>,
        detector: Option<&Detector>,
    ) -> Part {
        let mut part = Part { second: second.map(|_| Default::default()), ..Part::default() };
        for record in chunk {
            match record {
                Ok(record) => match detector {
                    Some(detector) => add_scored(&mut part, &record, first, detector),
                    None => self.add(&mut part, &record, first, second),
                },
                Err(unreadable) => part.unreadable.push(unreadable),
            }
        }
        part
    }

    fn add(
        &mut self,
        part: &mut Part,
        record: &Record,
        first: &Canonicalizer,
        second: Option<&Canonicalizer>,
    ) {
        self.first.clear();
        record.request.write_document(first, &mut self.scratch, &mut self.first);
        let before = text(&self.first);
        part.summary.add(&item(record, first, before));
        if let (Some(second), Some((summary, paired))) = (second, &mut part.second) {
            self.second.clear();
            record.request.write_document(second, &mut self.scratch, &mut self.second);
            let after = text(&self.second);
            summary.add(&item(record, second, after));
            paired.add(before, after);
        }
    }
}

/// Adds a record and its score. A document of the model's fingerprint is never refused.
fn add_scored(part: &mut Part, record: &Record, canonicalizer: &Canonicalizer, detector: &Detector) {
    let document = record.document(canonicalizer);
    let explained = detector.explain(&document).ok();
    let place = record.place.to_string();
    let mut item = item(record, canonicalizer, document.as_str());
    item.scored = explained.as_ref().map(|explained| Scored::new(explained, &place));
    part.summary.add(&item);
}

/// Documents are UTF-8; were one not, nothing may leak from it.
fn text(document: &[u8]) -> &str {
    std::str::from_utf8(document).unwrap_or_default()
}

fn item<'a>(record: &'a Record, canonicalizer: &Canonicalizer, text: &'a str) -> Item<'a> {
    let mut item = Item::new(text);
    item.label = record.label.as_deref();
    item.time = record.time.map(|time| time.micros());
    item.source = record.source_for(canonicalizer).as_str();
    item
}
