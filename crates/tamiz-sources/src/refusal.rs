//! Why a request is not handed over.

use std::fmt;

/// Why a proxy hands a request to nobody: in words of this library, with nothing of the request in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Refusal(&'static str);

impl Refusal {
    pub(crate) const fn new(reason: &'static str) -> Self {
        Refusal(reason)
    }

    /// The reason.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Refusal {}

/// Refuses.
pub(crate) fn refuse<T>(reason: &'static str) -> Result<T, Refusal> {
    Err(Refusal::new(reason))
}

/// Refuses where something does not hold.
pub(crate) fn require(holds: bool, reason: &'static str) -> Result<(), Refusal> {
    if holds { Ok(()) } else { refuse(reason) }
}
