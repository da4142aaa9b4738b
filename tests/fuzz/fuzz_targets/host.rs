//! See `tvmscript_fuzz::host`.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| tvmscript_fuzz::host(text));
