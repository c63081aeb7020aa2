//! Stands for `columns.rs` in a program that was built without the feature `columns`.
//!
//! [`Columns::of`] says how to get it. [`Columns`] has no value, so that the rest is never called.

use std::marker::PhantomData;

use tamiz::Canonicalizer;
use tamiz_containers::Record;

use super::client::Client;
use super::counts::Counts;
use super::format::BatchFormat;
use super::partial::{Partial, State};
use crate::failure::Failure;

/// A format of columns: there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Columns {}

impl Columns {
    /// `None` for formats of bytes.
    ///
    /// # Errors
    /// For formats of columns: how to get a program that has them.
    pub(crate) fn of(format: BatchFormat) -> Result<Option<Self>, Failure> {
        match format {
            BatchFormat::Parquet | BatchFormat::Arrow | BatchFormat::Requests => {
                Err(Failure::without("Parquet and Arrow", "columns"))
            }
            BatchFormat::Text | BatchFormat::Jsonl | BatchFormat::Tokens => Ok(None),
        }
    }

    pub(crate) fn are_requests(self) -> bool {
        match self {}
    }
}

/// Rows of one chunk.
pub(crate) struct Batch(Columns);

impl Batch {
    pub(crate) fn num_rows(&self) -> usize {
        match self.0 {}
    }
}

/// Makes rows of columns.
pub(super) struct ColumnRows(Columns);

impl ColumnRows {
    pub(super) fn new(columns: Columns) -> Self {
        match columns {}
    }

    pub(super) fn hold_documents(&self) -> bool {
        match self.0 {}
    }

    pub(super) fn push(&mut self, _: &Record, _: &str, _: &Canonicalizer, _: Client) {
        match self.0 {}
    }

    pub(super) fn finish(&mut self) -> Batch {
        match self.0 {}
    }
}

/// A file of columns.
pub(crate) struct ColumnSink<'a>(Columns, PhantomData<&'a Partial>);

impl<'a> ColumnSink<'a> {
    pub(super) fn open(columns: Columns, _: &'a Partial, _: &State, _: Option<u64>) -> Self {
        match columns {}
    }

    pub(super) fn write_kept(&mut self, _: Batch, _: Option<Vec<bool>>) -> Result<u64, Failure> {
        match self.0 {}
    }

    pub(super) fn end_part(&mut self) -> Result<u64, Failure> {
        match self.0 {}
    }

    pub(super) fn finish(self, _: Option<&Counts>, _: bool) -> Result<(), Failure> {
        match self.0 {}
    }
}
