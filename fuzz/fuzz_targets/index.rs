#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| tamiz_fuzz::targets::index(input, tamiz_fuzz::Checks::Sampled));
