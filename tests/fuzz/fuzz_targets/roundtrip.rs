//! Any text that parses: its print reads back structurally equal and prints again to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let registry = tvmscript::registry();
    let options = tvmscript::PrinterConfig { show_meta: true, ..tvmscript::PrinterConfig::default() };
    let read = |text: &str| tvmscript::script_parser::parse_script("fuzz", text, registry, &tvmscript::script_parser::ParseOptions::default());
    let parsed = read(text);
    if !parsed.errors.is_empty() {
        return;
    }
    for script in &parsed.scripts {
        // A print may meet the budget of its output.
        let Ok(print) = tvmscript::print(&script.node, registry, &options) else { continue };
        let again = read(&print);
        assert!(again.errors.is_empty(), "the print does not parse:\n{print}");
        assert!(tvmscript::structural_equal(&script.node, &again.scripts[0].node), "another program:\n{print}");
        let second = tvmscript::print(&again.scripts[0].node, registry, &options);
        assert_eq!(second.ok().as_deref(), Some(print.as_str()));
    }
});
