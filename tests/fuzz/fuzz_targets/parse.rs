//! See `tvmscript_fuzz::parse`.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| tvmscript_fuzz::parse(text));
