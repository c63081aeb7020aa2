//! Tamiz turns an HTTP request into the one text that says what it is: the same request gives the
//! same text, another spelling gives the same text apart from the flags that record the spelling,
//! and no recognised secret is left in it. It never fails, whatever the bytes.
//!
//! ```
//! use tamiz::{Canonicalizer, Config};
//!
//! let tamiz = Canonicalizer::new(Config::default());
//! let document = tamiz.canonicalize(b"GET /%61dmin?token=abc HTTP/1.1\r\nHost: ex.com\r\n\r\n");
//! assert_eq!(document.url(), Some("http://ex.com/admin?token=<SECRET:alpha:3>"));
//! let flags: Vec<String> = document.flags().map(|raised| raised.to_string()).collect();
//! assert_eq!(flags, ["PCTUNRES"]);
//! ```
//!
//! The form is specified in `spec/canonical-form.md`; `ARCHITECTURE.md` shows how the modules
//! follow it. The flow is bytes → `message` → `target`, `headers` → `request` → `document`;
//! `flags` and `decode` are leaves that every stage uses.

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

mod address;
mod body;
mod buckets;
mod bytes;
mod canonicalizer;
mod common_lines;
mod config;
mod context;
mod decode;
mod distinct;
mod document;
mod echo;
mod families;
mod fingerprint;
mod finished;
mod flags;
mod formats;
mod framing;
mod hash;
mod headers;
mod hidden;
mod index;
mod inspect;
mod json;
mod keywords;
mod known_headers;
mod lists;
mod swar;
mod walk;

mod message;
mod names;
mod needles;
mod request;
mod scan;
mod secrets;
mod settings;
mod shape;
mod show;
mod steps;
mod target;
mod text;

pub use buckets::{Buckets, BucketsError};
pub use canonicalizer::{Canonicalizer, Scratch};
#[cfg(feature = "toml")]
pub use config::ConfigError;
pub use config::{
    Config, HeaderOptions, Limits, Lines, PathOptions, Profile, Scheme, Secrets, Source, UnknownWord,
    Unlisted, View,
};
pub use document::{BodyLine, Document, HeaderLine, ParseError, Place, Raised, TokenOptions};
#[doc(hidden)]
pub use document::{TokenSink, push_token_piece};
pub use fingerprint::Fingerprint;
pub use flags::{Family, Flag, Weight};
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub use index::forms_agree;
pub use message::parts::Parts;
pub use shape::Shape;

/// The version of the form that this library writes.
pub const FORM_VERSION: u32 = 2;
