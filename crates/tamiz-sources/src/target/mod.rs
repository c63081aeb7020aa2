//! The step of the target: taken or not, and what is told of it.

mod envoy;
mod go;
mod haproxy;
mod nginx;

use crate::refusal::Refusal;
use crate::request_line::Cut;
use crate::rules::Target;

/// The target that is passed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) target: Vec<u8>,
    /// The value that replaces `Host`.
    pub(crate) host: Option<Vec<u8>>,
}

impl Told {
    /// The target as it came.
    fn kept(target: &[u8]) -> Self {
        Told { target: target.to_vec(), host: None }
    }
}

/// Reads a target; `host` is what `Host` says.
pub(crate) fn read(cut: &Cut<'_>, host: Option<&[u8]>, by: Target) -> Result<Told, Refusal> {
    match by {
        Target::Nginx => nginx::read(cut.target),
        Target::Go => go::read(cut),
        Target::Envoy => envoy::read(cut.target),
        Target::Haproxy => haproxy::read(cut, host),
    }
}
