//! Columns on their way to the output: parts, each a file of its own, that become one file or a folder of files.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tamiz_columns::{Kind, Reader, SchemaRef, Writer};

use super::columns::{Batch, Columns};
use super::counts::Counts;
use super::partial::{Partial, State};
use super::sink::WHOLE;
use crate::failure::Failure;

/// Parts of columns, each a file of its own until the end: a file of columns cannot be gone on with.
pub(crate) struct ColumnSink<'a> {
    kind: Kind,
    /// The most bytes of a file, where the output is a folder of several.
    split: Option<u64>,
    schema: SchemaRef,
    /// True if nobody else may read the files.
    is_private: bool,
    partial: &'a Partial,
    /// How many parts are whole.
    parts: u64,
    /// The part that is under way.
    writer: Option<Writer>,
}

impl<'a> ColumnSink<'a> {
    /// Goes on after the parts that `state` has. `split` is the most bytes of a file, where the output is a folder.
    pub(super) fn open(columns: Columns, partial: &'a Partial, state: &State, split: Option<u64>) -> Self {
        let is_private = columns.are_requests();
        let schema = if is_private {
            tamiz_columns::request_schema()
        } else {
            tamiz_columns::with_origins(&tamiz_columns::schema())
        };
        let (kind, parts) = (columns.kind(), state.parts);
        ColumnSink { kind, split, schema, is_private, partial, parts, writer: None }
    }

    /// Writes the rows that are kept, or all of them; returns their number.
    pub(super) fn write_kept(&mut self, batch: Batch, kept: Option<Vec<bool>>) -> Result<u64, Failure> {
        let batch = match kept {
            Some(kept) => {
                tamiz_columns::with_rows(&batch, kept).map_err(|error| self.failure(error.into()))?
            }
            None => batch,
        };
        self.write(&batch)?;
        Ok(batch.num_rows() as u64)
    }

    fn part(&self, number: u64) -> PathBuf {
        self.partial.file(&part_name(number))
    }

    fn failure(&self, error: tamiz_columns::Error) -> Failure {
        match error.io() {
            Some(io) => self.partial.failure(io),
            None => self.partial.failure(&io::Error::other(error.to_string())),
        }
    }

    fn write(&mut self, batch: &Batch) -> Result<(), Failure> {
        if self.writer.is_none() {
            let file = self.create(&self.part(self.parts + 1))?;
            let writer = Writer::new(file, self.kind, batch.schema());
            self.writer = Some(writer.map_err(|error| self.failure(error))?);
        }
        let written = self.writer.as_mut().map_or(Ok(()), |writer| writer.write(batch));
        written.map_err(|error| self.failure(error))?;
        let len = self.writer.as_ref().map_or(0, Writer::len);
        if self.split.is_some_and(|most| len >= most) {
            self.end_part()?;
        }
        Ok(())
    }

    fn create(&self, path: &Path) -> Result<File, Failure> {
        let mut options = File::options();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        if self.is_private {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        options.open(path).map_err(|error| self.partial.failure(&error))
    }

    /// Ends the part that is under way; how many there are.
    pub(super) fn end_part(&mut self) -> Result<u64, Failure> {
        if let Some(writer) = self.writer.take() {
            writer.finish().map_err(|error| self.failure(error))?;
            self.parts += 1;
        }
        Ok(self.parts)
    }

    /// Makes the output of the parts, with counts if there are some.
    pub(super) fn finish(mut self, counts: Option<&Counts>, forces: bool) -> Result<(), Failure> {
        if self.parts == 0 && self.writer.is_none() {
            self.write(&Batch::new_empty(SchemaRef::clone(&self.schema)))?;
        }
        self.end_part()?;
        if let Some(most) = self.split {
            return self.finish_folder(most, forces);
        }
        if counts.is_none() && self.parts == 1 {
            return self.partial.finish(&part_name(1), forces);
        }
        let parts: Vec<PathBuf> = (1..=self.parts).map(|number| self.part(number)).collect();
        let whole = self.create(&self.partial.file(WHOLE))?;
        let joined = match counts {
            Some(counts) => with_counts(&parts, whole, self.kind, counts),
            None => tamiz_columns::join(&parts, whole, self.kind),
        };
        joined.map_err(|error| self.failure(error))?;
        self.partial.finish(WHOLE, forces)
    }

    /// Makes a folder of files, each of as many parts as fit into `most` bytes. The parts stay until it is in its
    /// place, so that a run that is killed here can go on.
    fn finish_folder(&self, most: u64, forces: bool) -> Result<(), Failure> {
        let io = |error: io::Error| self.partial.failure(&error);
        let folder = self.partial.new_folder(WHOLE, self.is_private).map_err(io)?;
        let mut files: Vec<(u64, Vec<PathBuf>)> = Vec::new();
        for part in (1..=self.parts).map(|number| self.part(number)) {
            let len = fs::metadata(&part).map_err(io)?.len();
            match files.last_mut() {
                Some((total, parts)) if total.saturating_add(len) <= most => {
                    *total += len;
                    parts.push(part);
                }
                _ => files.push((len, vec![part])),
            }
        }
        let extension = if self.kind == Kind::Arrow { "arrow" } else { "parquet" };
        for (number, (_, parts)) in (1..).zip(&files) {
            let path = folder.join(format!("{}.{extension}", part_name(number)));
            match &parts[..] {
                [part] if fs::hard_link(part, &path).is_ok() => {}
                parts => {
                    let joined = tamiz_columns::join(parts, self.create(&path)?, self.kind);
                    joined.map_err(|error| self.failure(error))?;
                }
            }
        }
        self.partial.finish_folder(WHOLE, forces)
    }
}

fn part_name(number: u64) -> String {
    format!("part-{number:06}")
}

/// Every part again, with counts.
fn with_counts(
    parts: &[PathBuf],
    whole: File,
    kind: Kind,
    counts: &Counts,
) -> Result<(), tamiz_columns::Error> {
    let mut counts = counts.iter();
    let mut whole = Some(whole);
    let mut writer = None;
    let mut add = |batch: &Batch, counted: Vec<u64>| {
        let batch = tamiz_columns::with_counts(batch, counted)?;
        if let Some(file) = whole.take() {
            writer = Some(Writer::new(file, kind, batch.schema())?);
        }
        writer.as_mut().map_or(Ok(()), |writer| writer.write(&batch))
    };
    // So that there is a column of counts even if there are no rows.
    let schema = tamiz_columns::with_origins(&tamiz_columns::schema());
    add(&Batch::new_empty(schema), Vec::new())?;
    for part in parts {
        for batch in Reader::open(part, kind)? {
            let batch = batch?;
            let counted = counts.by_ref().take(batch.num_rows()).collect();
            add(&batch, counted)?;
        }
    }
    writer.map_or(Ok(()), Writer::finish)
}
