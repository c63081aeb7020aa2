//! Summarises many requests from their documents: a [`Summary`] counts them, with memory that does
//! not grow, [`page`](fn@page) shows it in a browser and [`table`] in a terminal; a [`Diff`] tells two of them apart.
//!
//! ```
//! use tamiz::{Canonicalizer, Config};
//! use tamiz_report::{About, Item, Summary};
//!
//! let tamiz = Canonicalizer::new(Config::default());
//! let mut summary = Summary::default();
//! for (label, request) in [("valid", "GET /a?id=1 HTTP/1.1\r\n\r\n"), ("attack", "GET /a?id=1' HTTP/1.1\r\n\r\n")] {
//!     let document = tamiz.canonicalize(request.as_bytes());
//!     let mut item = Item::new(document.as_str());
//!     item.label = Some(label);
//!     summary.add(&item);
//! }
//! let about = About { fingerprint: tamiz.fingerprint().to_string(), ..About::default() };
//! let page = tamiz_report::page(&summary, &about);
//! assert!(page.starts_with("<!doctype html>") && page.contains("QUOTE"));
//! ```
//!
//! Everything shown comes from the text of documents, which hides secrets; names of labels and files come from whoever
//! made the input. All of it is escaped in one place: `markup` for pages, `tamiz_explain::visible` for terminals.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::string_slice
)]
#![cfg_attr(
    test,
    allow(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::string_slice,
        reason = "a test may fail loudly"
    )
)]

mod about;
mod count;
mod diff;
mod figures;
mod markup;
mod page;
mod ratio;
mod series;
mod summary;
mod table;

pub use about::{About, AboutModel, Item};
pub use count::scores::Scored;
pub use diff::{Diff, Paired, Side};
pub use page::page;
pub use summary::Summary;
pub use table::{diff_table, table};
