//! Files of columns, one behind the other, as one.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::column::writer::ColumnCloseResult;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaDataReader};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;

use crate::file::{Error, Kind, Reader, Writer};

/// Writes one file of the rows of several that have the same columns, in their order. Groups of rows of
/// Parquet are copied as they are.
///
/// # Errors
/// When one cannot be read, or the whole cannot be written.
pub fn join<P: AsRef<Path>>(parts: &[P], out: File, kind: Kind) -> Result<(), Error> {
    match kind {
        Kind::Parquet => join_parquet(parts, out),
        Kind::Arrow => join_batches(parts, out, kind),
    }
}

fn join_batches<P: AsRef<Path>>(parts: &[P], out: File, kind: Kind) -> Result<(), Error> {
    let schema = match parts.first() {
        Some(first) => Reader::open(first.as_ref(), kind)?.schema(),
        None => crate::schema(),
    };
    let mut writer = Writer::new(out, kind, schema)?;
    for part in parts {
        for batch in Reader::open(part.as_ref(), kind)? {
            writer.write(&batch?)?;
        }
    }
    writer.finish()
}

fn join_parquet<P: AsRef<Path>>(parts: &[P], out: File) -> Result<(), Error> {
    let mut writer: Option<SerializedFileWriter<File>> = None;
    for part in parts {
        let file = File::open(part)?;
        let metadata = ParquetMetaDataReader::new()
            .with_page_index_policy(PageIndexPolicy::Optional)
            .parse_and_finish(&file)?;
        let writer = match &mut writer {
            Some(writer) => writer,
            None => {
                // The Arrow schema is among the metadata: types that Parquet lacks come back by it.
                let properties = WriterProperties::builder()
                    .set_key_value_metadata(metadata.file_metadata().key_value_metadata().cloned())
                    .set_created_by(concat!("tamiz ", env!("CARGO_PKG_VERSION")).to_owned())
                    .build();
                let schema = metadata.file_metadata().schema_descr().root_schema_ptr();
                writer.insert(SerializedFileWriter::new(out.try_clone()?, schema, Arc::new(properties))?)
            }
        };
        for (group, row_group) in metadata.row_groups().iter().enumerate() {
            let column_indexes = metadata.column_index().and_then(|all| all.get(group));
            let offset_indexes = metadata.offset_index().and_then(|all| all.get(group));
            let mut group_out = writer.next_row_group()?;
            for (at, column) in row_group.columns().iter().enumerate() {
                let closed = ColumnCloseResult {
                    bytes_written: u64::try_from(column.compressed_size()).unwrap_or(0),
                    rows_written: u64::try_from(row_group.num_rows()).unwrap_or(0),
                    metadata: column.clone(),
                    bloom_filter: None,
                    column_index: column_indexes.and_then(|all| all.get(at)).cloned(),
                    offset_index: offset_indexes.and_then(|all| all.get(at)).cloned(),
                };
                group_out.append_column(&file, closed)?;
            }
            group_out.close()?;
        }
    }
    if let Some(writer) = writer {
        writer.close()?;
    }
    Ok(out.sync_all()?)
}
