//! Documents as columns: one row a document, with OpenTelemetry's names for what it shows of a
//! request and `tamiz.*` for the rest. Everything in a row is cut from the document's text, so no
//! column can show what the document hides.
//!
//! ```
//! use tamiz::{Canonicalizer, Config};
//! use tamiz_columns::{Builder, Row};
//!
//! let tamiz = Canonicalizer::new(Config::default());
//! let document = tamiz.canonicalize(b"GET /a//b?id=7 HTTP/1.1\r\nHost: ex.com\r\n\r\n");
//! let mut builder = Builder::default();
//! let row = Row::new(document.as_str(), "wire", tamiz.fingerprint().as_str());
//! builder.push(&Row { label: Some("valid"), ..row });
//! let batch = builder.finish();
//! assert_eq!((batch.num_rows(), batch.schema()), (1, tamiz_columns::schema()));
//! ```

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::string_slice,
    clippy::arithmetic_side_effects
)]
#![cfg_attr(
    test,
    allow(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::string_slice,
        clippy::arithmetic_side_effects,
        reason = "a test may fail loudly"
    )
)]

mod batch;
mod counts;
#[cfg(feature = "files")]
mod file;
#[cfg(feature = "files")]
mod join;
mod origin;
mod read_requests;
mod requests;
mod scores;
mod shown;

pub use arrow_array::RecordBatch;
pub use arrow_schema::SchemaRef;
pub use batch::{Builder, Row, schema};
pub use counts::{with_counts, with_rows};
#[cfg(feature = "files")]
pub use file::{Error, Kind, Reader, Writer};
#[cfg(feature = "files")]
pub use join::join;
pub use origin::{Begins, Origin, OriginBuilder, with_origins};
pub use read_requests::Requests;
pub use requests::{RequestBuilder, RequestParts, RequestRow, request_schema};
pub use scores::{ScoreBuilder, ScoreRow, score_schema};
pub use shown::Shown;
