//! Scores as columns: one row a request, with where it is from.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::origin::{Origin, OriginBuilder, with_origins};

/// A request that was scored.
#[derive(Clone, Debug)]
pub struct ScoreRow<'a> {
    /// Where it is from.
    pub origin: Origin<'a>,
    /// Its name, where it has one.
    pub id: Option<&'a str>,
    /// The class that it is known to be of.
    pub label: Option<&'a str>,
    /// Who handed it over.
    pub source: &'a str,
    /// The method and the path template.
    pub endpoint: &'a str,
    /// How far it is from what was learned.
    pub score: f64,
    /// The share of learned requests that score as high.
    pub p_value: Option<f64>,
    /// The weight of new and rare tokens, in bits.
    pub novelty: f64,
    /// The weight of the flags, in bits.
    pub flags: f64,
    /// How many tokens are new.
    pub new: u64,
    /// `alert` or `usual`.
    pub verdict: Option<&'a str>,
    /// The tokens that weigh most, and why, in words.
    pub reasons: Vec<(&'a str, String)>,
}

/// The columns, those of [`with_origins`] behind them.
pub fn score_schema() -> SchemaRef {
    let text = |name: &str, nullable| Field::new(name, DataType::Utf8, nullable);
    let number = |name: &str, nullable| Field::new(name, DataType::Float64, nullable);
    let list = |name: &str| {
        let items = Arc::new(Field::new("item", DataType::Utf8, true));
        Field::new(name, DataType::List(items), false)
    };
    with_origins(&Arc::new(Schema::new(vec![
        text("id", true),
        text("label", true),
        text("source", false),
        text("endpoint", false),
        number("score", false),
        number("p_value", true),
        number("novelty", false),
        number("flags", false),
        Field::new("new", DataType::Int64, false),
        text("verdict", true),
        list("reasons"),
        list("tokens"),
    ])))
}

/// Makes batches of scores.
#[derive(Debug, Default)]
pub struct ScoreBuilder {
    /// Id, label, source, endpoint, verdict.
    texts: [StringBuilder; 5],
    /// Score, p-value, novelty, flags.
    numbers: [Float64Builder; 4],
    new: Int64Builder,
    /// Reasons, tokens.
    lists: [ListBuilder<StringBuilder>; 2],
    origins: OriginBuilder,
}

impl ScoreBuilder {
    /// Adds a row.
    pub fn push(&mut self, row: &ScoreRow<'_>) {
        let texts = [row.id, row.label, Some(row.source), Some(row.endpoint), row.verdict];
        self.texts.iter_mut().zip(texts).for_each(|(column, text)| column.append_option(text));
        let numbers = [Some(row.score), row.p_value, Some(row.novelty), Some(row.flags)];
        self.numbers.iter_mut().zip(numbers).for_each(|(column, number)| column.append_option(number));
        self.new.append_value(i64::try_from(row.new).unwrap_or(i64::MAX));
        let [reasons, tokens] = &mut self.lists;
        for (token, reason) in &row.reasons {
            reasons.values().append_value(reason);
            tokens.values().append_value(token);
        }
        reasons.append(true);
        tokens.append(true);
        self.origins.push(&row.origin);
    }

    /// The rows so far; the next batch begins without any.
    pub fn finish(&mut self) -> RecordBatch {
        let [id, label, source, endpoint, verdict] =
            self.texts.each_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        let [score, p_value, novelty, flags] =
            self.numbers.each_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        let [reasons, tokens] = self.lists.each_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        let new: ArrayRef = Arc::new(self.new.finish());
        let mut columns =
            vec![id, label, source, endpoint, score, p_value, novelty, flags, new, verdict, reasons, tokens];
        columns.extend(self.origins.finish());
        let schema = score_schema();
        // Every column got a value of its type with each row.
        RecordBatch::try_new(Arc::clone(&schema), columns).unwrap_or_else(|_| RecordBatch::new_empty(schema))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float64Type;

    #[test]
    fn a_row_for_each_score() {
        let mut builder = ScoreBuilder::default();
        let row = |p_value, reasons| ScoreRow {
            origin: Origin::new("a.log", 7),
            id: None,
            label: Some("valid"),
            source: "wire",
            endpoint: "GET /",
            score: 1.5,
            p_value,
            novelty: 2.0,
            flags: 0.0,
            new: 3,
            verdict: p_value.map(|_| "usual"),
            reasons,
        };
        builder.push(&row(Some(0.25), vec![("q.id~'", "`id` never held `'`".to_owned())]));
        builder.push(&row(None, Vec::new()));
        let batch = builder.finish();
        assert_eq!((batch.num_rows(), batch.schema()), (2, score_schema()));
        let column = |name: &str| batch.column_by_name(name).unwrap();
        let p_values: Vec<_> = column("p_value").as_primitive::<Float64Type>().iter().collect();
        assert_eq!(p_values, [Some(0.25), None]);
        assert_eq!(column("tokens").as_list::<i32>().value(0).as_string::<i32>().value(0), "q.id~'");
        assert!(column("reasons").as_list::<i32>().value(1).is_empty());
        assert_eq!(builder.finish().num_rows(), 0);
    }
}
