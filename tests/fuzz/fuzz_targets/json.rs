//! Any JSON: the reader gives a program or an error; a program saves and loads to an equal one.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(loaded) = tvmscript::from_tvm_json(text, tvmscript::registry()) else { return };
    let again = tvmscript::from_tvm_json(&tvmscript::to_tvm_json(&loaded), tvmscript::registry());
    assert!(again.is_ok_and(|again| tvmscript::structural_equal(&loaded, &again)));
});
