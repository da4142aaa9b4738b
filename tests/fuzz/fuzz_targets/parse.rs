//! Any text: the parser gives scripts or errors, and every error lies inside the text.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let parsed = tvmscript::script_parser::parse_script("fuzz", text, tvmscript::registry(), &tvmscript::script_parser::ParseOptions::default());
    for error in &parsed.errors {
        assert!(error.range().start as usize <= text.len());
    }
});
