//! Documents over HTTP: what `tamiz serve` runs.
//!
//! An `App` is what everybody who asks shares: canonicalizers, limits, counters. A [`Server`] has the
//! sockets and hands connections to it. [`run`] is both, until the process is told to stop.
//!
//! What a request holds is in the answer to it and nowhere else: counters have names of this crate alone, errors have
//! fixed texts, and the log tells routes, not targets.

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

mod accept;
mod answers;
mod app;
mod body;
mod choices;
mod connection;
mod edge;
mod front;
mod listen;
pub mod log;
mod metrics;
mod openapi;
mod page;
mod problem;
mod query;
mod routes;
mod server;
mod settings;
mod sink;
mod stamp;
mod wire;
mod work;

pub use edge::{Deny, NotADeny};
pub use listen::{Listen, NotAListen, Place, Protocol};
pub use server::{Server, run};
pub use settings::{Limits, Settings};
pub use sink::{NotASink, SinkTo};
