//! Changes an HTTP request as proxies and logs do before they pass it on (section 10 of the form): the same
//! request, as it is handed over by nginx, Caddy, Envoy, HAProxy or an access log. So training data can be made to
//! equal what will be served.
//!
//! ```
//! use tamiz::Source;
//! use tamiz_sources::{Seen, as_seen_by};
//!
//! let request = b"GET /a HTTP/1.1\r\nHost: ex.com\r\nX_Id: 7\r\nAccept: */*\r\n\r\n";
//! let Seen::Parts(parts) = as_seen_by(Source::Nginx, request) else { panic!("nginx takes it") };
//! assert_eq!(parts.headers, [(b"Host".to_vec(), b"ex.com".to_vec()), (b"Accept".to_vec(), b"*/*".to_vec())]);
//!
//! let folded = b"GET /a HTTP/1.1\r\nHost: ex.com\r\nX-Id:\r\n 7\r\n\r\n";
//! assert!(matches!(as_seen_by(Source::Nginx, folded), Seen::Refused(_)));
//! ```
//!
//! The rules are data, `spec/sources.toml`: each was measured with the proxy that it names, and tests send the same
//! requests through these to hold them to it. What a rule says is done by one step, in this
//! order: the request line, the target, the header lines, hosts, framing, the body.
//!
//! A proxy that would wait for more is told of as one that refuses: it hands nothing over.

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

use tamiz::Source;

mod access_log;
mod body;
mod bytes;
mod framing;
mod head;
mod headers;
mod host;
mod parts;
mod refusal;
mod request_line;
mod rules;
mod steps;
mod target;

pub use access_log::cut_logged_line;
pub use parts::OwnedParts;
pub use refusal::Refusal;
pub use rules::{Rules, never, rules};
/// The sources of which it is known what they make of a request.
pub const KNOWN: &[Source] = &[
    Source::Wire,
    Source::HaproxySpoe,
    Source::EnvoyExtProc,
    Source::EnvoyExtAuthz,
    Source::Nginx,
    Source::Caddy,
    Source::AccessLog,
];

pub use steps::{Seen, as_seen_by, document, write_document};
