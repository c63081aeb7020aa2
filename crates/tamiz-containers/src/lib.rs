//! Requests out of whatever they are kept in: files of one request, concatenated requests, JSON
//! lines, HAR, Burp exports, packet captures, access logs; also compressed with gzip or zstd.
//!
//! ```
//! use tamiz::{Canonicalizer, Config, Scratch};
//! use tamiz_containers::{Container, Options};
//!
//! let log: &[u8] = b"192.0.2.7 - - [10/Oct/2026:13:55:36 +0000] \"GET /a//b HTTP/1.1\" 200 5\nnonsense\n";
//! let container = Container::read("access.log", log, &Options::default()).unwrap();
//! let tamiz = Canonicalizer::new(Config::default());
//! let (mut scratch, mut text) = (Scratch::default(), Vec::new());
//! for record in container {
//!     match record {
//!         Ok(record) => record.request.write_document(&tamiz, &mut scratch, &mut text),
//!         Err(unreadable) => assert_eq!(unreadable.to_string(), "access.log: line 2: not a known form of log line"),
//!     }
//! }
//! assert!(text.starts_with(b"M:GET"));
//! ```
//!
//! A [`Container`] is read once, from its start to its end, with memory that does not depend on its
//! size: what is held is one record, of at most [`Options::record_limit`] bytes, and what a capture
//! needs to put its streams in order. What cannot be read is an [`Unreadable`], which names where it
//! is and why, never what it holds; whatever comes after it is read all the same, where that can be
//! told apart. Whoever has several threads takes [`Chunk`]s from the container in one of them and
//! their records in the others.

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

mod access_log;
mod ahead;
mod archive;
mod burp;
mod chunk;
mod compressed;
mod concatenated;
mod container;
mod csv;
mod curl;
mod detect;
mod elements;
mod escapes;
mod eve;
mod fields;
mod format;
mod har;
mod http;
mod http_file;
mod id;
mod identity;
mod input;
mod json;
mod jsonl;
mod lines;
mod mapping;
mod markup;
mod memory;
mod mitmproxy;
mod modsecurity;
mod names;
mod openapi;
#[cfg(feature = "parquet")]
mod parquet;
mod pcap;
mod postman;
mod record;
mod request_line;
mod seekable;
mod shell_words;
mod table;
mod time;
mod url;
mod urls;
mod variables;
mod w3c;
mod warc;
mod whole;
mod window;
mod yaml;
mod zap;
mod zeek;

pub use chunk::Chunk;
pub use container::{Container, Options, Records};
pub use format::{Format, UnknownFormat};
pub use id::Id;
pub use identity::FileIdentity;
pub use input::Input;
pub use mapping::{InvalidMapping, Mapping};
pub use record::{At, Parts, Place, Record, Request, Unreadable};
pub use time::Time;
