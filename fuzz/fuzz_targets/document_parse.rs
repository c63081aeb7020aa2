//! Any text, read as a document.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tamiz_fuzz::properties::check_parse;

fuzz_target!(|text: &str| {
    check_parse(text).unwrap();
});
