//! Damage of compressed data, and where it is.

use std::error::Error;
use std::fmt;
use std::io;

use crate::container::Options;
use crate::record::Reason;

/// Why an input ended before its end.
pub(crate) fn reason(error: &io::Error) -> Reason {
    if let Some(damage) = error.get_ref().and_then(|inner| inner.downcast_ref::<Damage>()) {
        return damage.to_string().into();
    }
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "the compressed data ends early; what came before it was read".into(),
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            "the compressed data is damaged; what came before the damage was read".into()
        }
        io::ErrorKind::OutOfMemory => crate::memory::REASON.into(),
        kind => format!("the input fails: {kind}").into(),
    }
}

/// A fault of compressed data, and at which byte of the file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Damage {
    EndsEarly(u64),
    /// The archive around it does.
    ArchiveEnds,
    Damaged(u64),
    Checksum(u64),
    Garbage(u64),
    Bomb,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::ArchiveEnds => f.write_str("the archive ends early; what came before it was read"),
            Damage::EndsEarly(at) => {
                write!(f, "the compressed data ends early, at byte {at}; what came before it was read")
            }
            Damage::Damaged(at) => {
                write!(
                    f,
                    "the compressed data is damaged near byte {at}; what came before the damage was read"
                )
            }
            Damage::Checksum(at) => {
                write!(
                    f,
                    "the checksum of the compressed data before byte {at} is wrong; what was read may be, too"
                )
            }
            Damage::Bomb => {
                write!(
                    f,
                    "the data expands to more than {} times its size, as only bombs do; the rest is not read",
                    Options::MOST_EXPANSION
                )
            }
            Damage::Garbage(at) => {
                write!(
                    f,
                    "what follows the compressed data from byte {at} on is not compressed; it was not read"
                )
            }
        }
    }
}

impl Error for Damage {}
