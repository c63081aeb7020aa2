//! Learns which tokens the requests of a site have, and scores how far another request is from that, with reasons.
//!
//! ```
//! use tamiz::{Canonicalizer, Config};
//! use tamiz_detector::{Detector, Model};
//!
//! let tamiz = Canonicalizer::new(Config::default());
//! let mut model = Model::new(tamiz.fingerprint())?;
//! for id in 0..500 {
//!     let request = format!("GET /item?id={id} HTTP/1.1\r\nHost: ex.com\r\n\r\n");
//!     model.learn(&tamiz.canonicalize(request.as_bytes()))?;
//! }
//! let detector = Detector::new(model);
//! let usual = tamiz.canonicalize(b"GET /item?id=77 HTTP/1.1\r\nHost: ex.com\r\n\r\n");
//! let odd = tamiz.canonicalize(b"GET /item?id=7'-- HTTP/1.1\r\nHost: ex.com\r\n\r\n");
//! assert!(detector.score(&odd)?.value() > detector.score(&usual)?.value());
//! # Ok::<(), tamiz_detector::Error>(())
//! ```
//!
//! # The model
//!
//! A [`Model`] counts in how many requests each token was seen: at each endpoint (method and path template, see
//! `endpoint.rs`) and over all. Counts are integers, so that the model of two halves, merged, is the model of the whole,
//! and the order of requests does not matter. Beside the counts it keeps a bounded sample: the token sets with the lowest
//! hashes, and how many requests had each.
//!
//! Memory is bounded. A table with too many tokens raises its level, and keeps the tokens whose hash has that many zero
//! bits at its end; what it let go is not counted again and is passed over when requests are scored. The survivors have
//! exact counts, and they too depend on the set of requests alone.
//!
//! # The score
//!
//! *Novelty* (`novelty.rs`). A token belongs to a family: what can be told of one place, such as the shapes of `q.id`. How
//! surprising a token is, is the probability that its family gives a token that is as rare or rarer: the mass of its
//! tokens with at most twice that count, since a difference of that size is chance, divided by how often the place was
//! seen. For a token that is new this is the Good–Turing estimate, the share of singletons. Families with few observations lean on the same family over all
//! endpoints, and those on the mean of their kind. Surprise below a threshold counts nothing. Of
//! the tokens of one place the most surprising counts most; places are added up.
//!
//! *Flags* (`prior.rs`). A flag weighs by the logarithm of how much more often attacks raise it at such a place than this
//! traffic does. The first rate comes from a table that is shipped, `spec/prior.tsv`, counted over public requests. The
//! second is how often this very place raised the flag, at the endpoint, leaning on all endpoints, leaning on all places of
//! the kind, leaning on the table. Since a place raises a flag often or never, a few requests that did not raise it there
//! tell much, however usual the flag is elsewhere. The place with most weight counts, less the logarithm of how many places
//! the request has beside the usual number: a request with more values has more chances to raise a flag.
//!
//! The score is the larger of `log2(1 + novelty / scale)` and `weight × flags`, and a 1024th of the smaller. Their sum would
//! count one finding twice: a flag that is new at its place is a new token too, and so is the sign that raised it. The scale
//! is the novelty that one in a hundred requests of the sample exceeds: on a site whose requests always have something new,
//! novelty says little.
//!
//! *Calibration* (`calibrate.rs`). The sample is scored with each request taken out of the counts (leave one out), so that
//! a score has a p-value: the share of learned requests that score as high.
//!
//! All arithmetic is on integers, with a logarithm of this crate (`log.rs`), so that scores are equal to the bit
//! everywhere.

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

mod calibrate;
mod detector;
mod endpoint;
mod error;
mod evidence;
mod file;
mod hash;
mod lines;
mod log;
mod model;
mod names;
mod novelty;
mod observation;
mod pieces;
mod prior;
mod reason;
mod score;
mod stream;
mod table;
mod token;

pub use calibrate::Threshold;
pub use detector::Detector;
pub use endpoint::template;
pub use error::Error;
pub use model::{Bounds, Model};
pub use observation::Observation;
pub use prior::Prior;
pub use reason::Reason;
pub use score::{Explanation, Score};
