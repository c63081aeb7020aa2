//! Any text, read as a document.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tamiz_fuzz::properties::check_parse;

fuzz_target!(|text: &str| {
    if let Ok(document) = check_parse(text) {
        assert_eq!(check_parse(document.as_str()).as_ref(), Ok(&document));
    }
});
