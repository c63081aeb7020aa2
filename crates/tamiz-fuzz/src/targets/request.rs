use super::Checks;
use crate::common::properties;
use crate::settings::{canonicalizer, with_scratch};

/// Checks a request: a byte that chooses view, profile and limits, then its wire bytes.
pub fn request(input: &[u8], checks: Checks) {
    if let Some((&choice, request)) = input.split_first() {
        check(choice, request, checks.are_all(input));
    }
}

/// Checks wire bytes under the configuration that `choice` names.
pub(super) fn check(choice: u8, request: &[u8], all: bool) {
    let tamiz = canonicalizer(choice);
    let result = with_scratch(choice, |scratch| {
        if all {
            properties::check(tamiz, scratch, request).map(drop)
        } else {
            properties::check_text(tamiz, scratch, request)
        }
    });
    if let Err(broken) = result {
        panic!("{broken}");
    }
}
