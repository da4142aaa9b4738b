//! See `tvmscript_fuzz::import`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    tvmscript_fuzz::import(tvmscript::frontend::Format::Tflite, bytes)
});
