//! The configurations that the first byte of an input chooses from.

use std::cell::RefCell;
use std::sync::LazyLock;

use tamiz::{Canonicalizer, Config, Limits, Profile, Scratch, View};
use tamiz_reference::Options;

/// How many configurations there are: two views, three profiles, two sets of limits.
pub(crate) const COUNT: usize = 12;

/// Every view and profile with ordinary limits, then with limits that almost every input meets.
static CANONICALIZERS: LazyLock<Vec<Canonicalizer>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for limits in [ordinary_limits(), tiny_limits()] {
        for &view in View::ALL {
            for &profile in Profile::ALL {
                let mut config = Config::default();
                (config.view, config.profile, config.limits) = (view, profile, limits.clone());
                all.push(Canonicalizer::new(config));
            }
        }
    }
    assert_eq!(all.len(), COUNT);
    all
});

/// The default limits, but that 8 KiB of a body are read and not 1 MiB: a few bytes of a compressed body may stand
/// for a megabyte, and a fuzzer would do little else than read that.
fn ordinary_limits() -> Limits {
    let mut limits = Limits::default();
    limits.body_bytes = 8 << 10;
    limits
}

fn tiny_limits() -> Limits {
    let mut limits = Limits::default();
    limits.long_value = 8;
    limits.pairs = 2;
    limits.segments = 2;
    limits.headers = 2;
    limits.body_keys = 2;
    limits.flag_parameters = 1;
    limits.body_bytes = 64;
    limits.depth = 2;
    limits.parts = 2;
    limits.entities = 1;
    limits
}

fn index(choice: u8) -> usize {
    usize::from(choice) % COUNT
}

/// Returns the canonicalizer that a byte of the input chooses.
pub(crate) fn canonicalizer(choice: u8) -> &'static Canonicalizer {
    &CANONICALIZERS[index(choice)]
}

thread_local! {
    /// One for each configuration: memory made under one configuration is of no use to another.
    static SCRATCHES: RefCell<Vec<Scratch>> =
        RefCell::new(CANONICALIZERS.iter().map(|_| Scratch::default()).collect());
}

/// Calls `run` with the memory that all inputs before this one, of this configuration and thread, have used.
pub(crate) fn with_scratch<R>(choice: u8, run: impl FnOnce(&mut Scratch) -> R) -> R {
    SCRATCHES.with_borrow_mut(|scratches| run(&mut scratches[index(choice)]))
}

/// Returns the document that the reference makes of a request, configured as `canonicalizer(choice)` is.
pub(crate) fn reference(choice: u8, request: &[u8]) -> String {
    tamiz_reference::canonicalize(request, &options(canonicalizer(choice).config()))
}

fn options(config: &Config) -> Options {
    let limits = &config.limits;
    Options {
        view: match config.view {
            View::Shape => tamiz_reference::View::Shape,
            _ => tamiz_reference::View::Literal,
        },
        profile: match config.profile {
            Profile::Core => tamiz_reference::Profile::Core,
            Profile::Full => tamiz_reference::Profile::Full,
            _ => tamiz_reference::Profile::Standard,
        },
        limits: tamiz_reference::Limits {
            long_value: limits.long_value,
            pairs: limits.pairs,
            segments: limits.segments,
            headers: limits.headers,
            values: limits.body_keys,
            parameters: limits.flag_parameters,
            body: limits.body_bytes,
            depth: limits.depth,
            parts: limits.parts,
            entities: limits.entities,
            ..tamiz_reference::Limits::default()
        },
        ..Options::default()
    }
}
