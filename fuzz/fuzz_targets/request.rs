//! A byte that chooses view, profile and limits, then the wire bytes of a request.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Some((&choice, request)) = input.split_first() {
        tamiz_fuzz::check_request(choice, request);
    }
});
