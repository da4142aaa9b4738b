//! See `tvmscript_fuzz::roundtrip`.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| tvmscript_fuzz::roundtrip(text));
