//! What the targets share. The properties themselves are those of the library's own tests.

use std::cell::RefCell;
use std::sync::LazyLock;

use tamiz::{Canonicalizer, Config, Limits, Profile, Scratch, View};
use tamiz_reference::Options;

#[path = "../../crates/tamiz/tests/common/grammar.rs"]
pub mod grammar;
#[path = "../../crates/tamiz/tests/common/properties.rs"]
pub mod properties;

/// Both views in every profile, then the same with limits so small that every input meets them.
/// The first read less of a body than by default: a few bytes of a coding may stand for a megabyte,
/// and the fuzzer would do little else than read that.
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
    all
});

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

/// The canonicalizer that a byte of the input chooses.
pub fn canonicalizer(choice: u8) -> &'static Canonicalizer {
    &CANONICALIZERS[usize::from(choice) % CANONICALIZERS.len()]
}

/// The same as the reference says it.
fn options(choice: u8) -> Options {
    let config = canonicalizer(choice).config();
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

/// The document of a request by the reference, configured as `canonicalizer(choice)` is.
pub fn reference(choice: u8, request: &[u8]) -> String {
    tamiz_reference::canonicalize(request, &options(choice))
}

thread_local! {
    /// One for each canonicalizer, which would not remember what another made.
    static SCRATCHES: RefCell<Vec<Scratch>> =
        RefCell::new(CANONICALIZERS.iter().map(|_| Scratch::default()).collect());
}

/// Checks a request with memory that all requests before it have used.
pub fn check_request(choice: u8, request: &[u8]) {
    SCRATCHES.with_borrow_mut(|scratches| {
        let scratch = &mut scratches[usize::from(choice) % CANONICALIZERS.len()];
        if let Err(broken) = properties::check(canonicalizer(choice), scratch, request) {
            panic!("{broken}");
        }
    });
}
