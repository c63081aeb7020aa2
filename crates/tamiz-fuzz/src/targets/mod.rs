//! The targets: each takes an input, which may be any bytes, and panics where a property does not hold.

mod body;
mod containers;
mod document_parse;
mod fast_vs_reference;
mod index;
mod parts;
mod request;

pub use body::body;
pub use containers::containers;
pub use document_parse::document_parse;
pub use fast_vs_reference::fast_vs_reference;
pub use index::index;
pub use parts::parts;
pub use request::request;

#[cfg(test)]
pub(crate) use body::TYPES;
pub(crate) use body::type_index;
pub(crate) use parts::encode as encode_parts;

/// One input in this many gets all checks while exploring.
const SAMPLE: u64 = 16;

/// How much is checked of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// Everything, for inputs of a fixed number.
    All,
    /// Cheap checks, and all of them for one input in 16. Which inputs these are depends on their bytes alone, so
    /// an input that fails fails again.
    Sampled,
}

impl Checks {
    /// Returns whether this input gets all checks.
    fn are_all(self, input: &[u8]) -> bool {
        self == Checks::All || hash(input).is_multiple_of(SAMPLE)
    }
}

/// FNV-1a with 64 bits.
fn hash(input: &[u8]) -> u64 {
    let hash = input.iter().fold(0xCBF2_9CE4_8422_2325, |hash: u64, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    // The low bits of FNV-1a depend on the low bits of the input only.
    hash ^ (hash >> 32)
}

/// A target by name.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name: that of its program in `fuzz/`, and of its folders of seeds and kept inputs.
    pub name: &'static str,
    /// Runs it.
    pub run: fn(&[u8], Checks),
}

impl Target {
    /// Every target.
    pub const ALL: &[Target] = &[
        Target { name: "request", run: request },
        Target { name: "document_parse", run: document_parse },
        Target { name: "parts", run: parts },
        Target { name: "body", run: body },
        Target { name: "containers", run: containers },
        Target { name: "fast_vs_reference", run: fast_vs_reference },
        Target { name: "index", run: index },
    ];

    /// Returns the target of a name.
    pub fn by_name(name: &str) -> Option<Target> {
        Target::ALL.iter().find(|target| target.name == name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_near_its_rate() {
        let chosen = (0..64_000_u32).filter(|n| Checks::Sampled.are_all(&n.to_le_bytes())).count();
        assert!((3_200..4_800).contains(&chosen), "{chosen} of 64,000");
        assert!((0..100_u8).all(|n| Checks::All.are_all(&[n])));
    }
}
