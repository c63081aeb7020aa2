//! Files of columns: Parquet and Arrow IPC, written and read back batch by batch.

use std::fmt;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;

/// A group of rows is written when it has this many bytes: less would cost readers, more is memory.
const GROUP_BYTES: usize = 32 << 20;
/// Rows that are read back at once.
const READ_ROWS: usize = 4096;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Parquet, compressed with Snappy.
    Parquet,
    /// An Arrow IPC file, also known as Feather; not compressed, so that it can be mapped into memory.
    Arrow,
}

/// Why a file cannot be written or read.
#[derive(Debug)]
pub struct Error(Box<dyn std::error::Error + Send + Sync>);

impl Error {
    /// The system's error, if that is the reason.
    pub fn io(&self) -> Option<&std::io::Error> {
        let mut error: Option<&(dyn std::error::Error + 'static)> = Some(&*self.0);
        while let Some(present) = error {
            if let Some(io) = present.downcast_ref::<std::io::Error>() {
                return Some(io);
            }
            if let Some(arrow_schema::ArrowError::IoError(_, io)) = present.downcast_ref() {
                return Some(io);
            }
            error = present.source();
        }
        None
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Error(error.into())
    }
}

impl From<parquet::errors::ParquetError> for Error {
    fn from(error: parquet::errors::ParquetError) -> Self {
        Error(error.into())
    }
}

impl From<arrow_schema::ArrowError> for Error {
    fn from(error: arrow_schema::ArrowError) -> Self {
        Error(error.into())
    }
}

/// Writes batches to a file.
pub struct Writer(Inner);

enum Inner {
    Parquet(Box<ArrowWriter<File>>),
    /// With how many bytes the batches so far have in memory, which is about what they have in the file.
    Arrow(Box<FileWriter<BufWriter<File>>>, u64),
}

impl Writer {
    /// Begins a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(file: File, kind: Kind, schema: SchemaRef) -> Result<Writer, Error> {
        Ok(Writer(match kind {
            Kind::Parquet => {
                let properties = WriterProperties::builder()
                    .set_compression(Compression::SNAPPY)
                    // Most documents are there once: a dictionary of them would only take time.
                    .set_column_dictionary_enabled(ColumnPath::from("tamiz.text"), false)
                    .set_created_by(concat!("tamiz ", env!("CARGO_PKG_VERSION")).to_owned())
                    .build();
                Inner::Parquet(Box::new(ArrowWriter::try_new(file, schema, Some(properties))?))
            }
            Kind::Arrow => Inner::Arrow(Box::new(FileWriter::try_new(BufWriter::new(file), &schema)?), 0),
        }))
    }

    /// Adds a batch.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        match &mut self.0 {
            Inner::Parquet(writer) => {
                writer.write(batch)?;
                if writer.in_progress_size() > GROUP_BYTES {
                    writer.flush()?;
                }
            }
            Inner::Arrow(writer, len) => {
                writer.write(batch)?;
                *len = len.saturating_add(batch.get_array_memory_size() as u64);
            }
        }
        Ok(())
    }

    /// About how many bytes the file has so far.
    pub fn len(&self) -> u64 {
        match &self.0 {
            Inner::Parquet(writer) => writer.bytes_written().saturating_add(writer.in_progress_size()) as u64,
            Inner::Arrow(_, len) => *len,
        }
    }

    /// Returns whether nothing is written yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Ends the file and makes sure that it is on the disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> Result<(), Error> {
        let file = match self.0 {
            Inner::Parquet(writer) => writer.into_inner()?,
            Inner::Arrow(writer, _) => {
                let mut buffered = writer.into_inner()?;
                buffered.flush()?;
                buffered.into_inner().map_err(|error| error.into_error())?
            }
        };
        Ok(file.sync_all()?)
    }
}

/// Reads batches back.
pub struct Reader(Back);

enum Back {
    Parquet(Box<ParquetRecordBatchReader>),
    Arrow(Box<FileReader<BufReader<File>>>),
}

impl Reader {
    /// Opens a file.
    ///
    /// # Errors
    /// When it cannot be read, or is not of this kind.
    pub fn open(path: &Path, kind: Kind) -> Result<Reader, Error> {
        let file = File::open(path)?;
        Ok(Reader(match kind {
            Kind::Parquet => {
                let builder = ParquetRecordBatchReaderBuilder::try_new(file)?;
                Back::Parquet(Box::new(builder.with_batch_size(READ_ROWS).build()?))
            }
            Kind::Arrow => Back::Arrow(Box::new(FileReader::try_new(BufReader::new(file), None)?)),
        }))
    }

    /// The columns of the file.
    pub fn schema(&self) -> SchemaRef {
        match &self.0 {
            Back::Parquet(reader) => reader.schema(),
            Back::Arrow(reader) => reader.schema(),
        }
    }
}

impl Iterator for Reader {
    type Item = Result<RecordBatch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = match &mut self.0 {
            Back::Parquet(reader) => reader.next()?,
            Back::Arrow(reader) => reader.next()?,
        };
        Some(batch.map_err(Error::from))
    }
}
