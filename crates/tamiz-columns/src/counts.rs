//! Rows chosen and counted: for whoever leaves out documents that were there before.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema};

/// The column of counts.
const COUNT: &str = "tamiz.count";

/// The rows of a batch for which `is_kept` says so.
///
/// # Errors
/// When there are not as many answers as rows.
pub fn with_rows(batch: &RecordBatch, is_kept: Vec<bool>) -> Result<RecordBatch, ArrowError> {
    arrow_select::filter::filter_record_batch(batch, &BooleanArray::from(is_kept))
}

/// A batch with one more column, `tamiz.count`: how often each document was there.
///
/// # Errors
/// When there are not as many counts as rows.
pub fn with_counts(batch: &RecordBatch, counts: Vec<u64>) -> Result<RecordBatch, ArrowError> {
    let schema = batch.schema();
    let mut fields: Vec<Arc<Field>> = schema.fields().iter().map(Arc::clone).collect();
    fields.push(Arc::new(Field::new(COUNT, DataType::Int64, false)));
    let mut columns: Vec<ArrayRef> = batch.columns().to_vec();
    let counts = counts.into_iter().map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    columns.push(Arc::new(Int64Array::from_iter_values(counts)));
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Row};
    use arrow_array::cast::AsArray;

    #[test]
    fn rows_are_chosen_and_counted() {
        let mut builder = Builder::default();
        for text in ["M:A\n", "M:B\n", "M:C\n"] {
            builder.push(&Row::new(text, "wire", "v2-x"));
        }
        let batch = with_rows(&builder.finish(), vec![true, false, true]).unwrap();
        let batch = with_counts(&batch, vec![5, 1]).unwrap();
        let texts: Vec<_> =
            batch.column_by_name("tamiz.text").unwrap().as_string::<i32>().iter().flatten().collect();
        assert_eq!(texts, ["M:A\n", "M:C\n"]);
        assert_eq!(batch.schema().fields().last().unwrap().name(), "tamiz.count");
        assert!(with_counts(&batch, vec![1]).is_err());
    }
}
