//! The library against the slow reference: a byte that chooses view, profile and limits, then the
//! wire bytes of a request.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Some((&choice, request)) = input.split_first() {
        let document = tamiz_fuzz::canonicalizer(choice).canonicalize(request);
        assert_eq!(document.as_str(), tamiz_fuzz::reference(choice, request));
    }
});
