//! See `tvmscript_fuzz::json`.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| tvmscript_fuzz::json(text));
