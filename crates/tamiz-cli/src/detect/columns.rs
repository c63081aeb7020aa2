//! Scores as a file of Parquet: what the feature `columns` adds to `tamiz score`.
//!
//! `no_columns.rs` stands for this file without the feature.

use std::fs::File;

use tamiz_columns::{Kind, ScoreBuilder, ScoreRow, Writer, score_schema};

use super::score::Scored;
use crate::batch::Client;
use crate::batch::origin;
use crate::failure::Failure;

/// Rows that wait for the file to be written.
#[derive(Default)]
pub(super) struct Columns(ScoreBuilder);

impl Columns {
    /// Makes sure that there can be columns.
    #[allow(clippy::unnecessary_wraps, reason = "it fails without the feature")]
    pub(super) fn check() -> Result<(), Failure> {
        Ok(())
    }

    pub(super) fn push(&mut self, scored: &Scored, verdict: Option<&str>) {
        let (explained, score) = (&scored.explained, scored.explained.score());
        self.0.push(&ScoreRow {
            origin: origin(&scored.place, scored.stream, None, Client::default()),
            id: scored.id.as_deref(),
            label: scored.label.as_deref(),
            source: scored.source,
            endpoint: explained.endpoint(),
            score: score.value(),
            p_value: score.p_value(),
            novelty: score.novelty(),
            flags: score.flags(),
            new: score.new_tokens(),
            verdict,
            reasons: explained.reasons().iter().map(|reason| (reason.token(), reason.to_string())).collect(),
        });
    }

    /// Writes the rows.
    pub(super) fn write(mut self, file: File) -> std::io::Result<()> {
        let written = Writer::new(file, Kind::Parquet, score_schema()).and_then(|mut writer| {
            writer.write(&self.0.finish())?;
            writer.finish()
        });
        written.map_err(std::io::Error::other)
    }
}
