//! See `tvmscript_fuzz::from_json`.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| tvmscript_fuzz::from_json(text));
