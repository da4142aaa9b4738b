//! Properties of random well-typed programs.

use proptest::prelude::*;
use tvmscript_tests::generate::{function, function_text, module_text};
use tvmscript_tests::{canonical_options, check_roundtrip, equal, from_json, hash, parse_ok, to_json};

/// Parsing, printing and JSON preserve the program; equality and hash agree.
fn check(text: &str) -> Result<(), TestCaseError> {
    let fail = |what: String| TestCaseError::fail(format!("{what}\n{text}"));
    let objects = parse_ok("random", text).map_err(fail)?;
    let print = check_roundtrip(&objects, &canonical_options()).map_err(fail)?;
    let again = parse_ok("print", &print).map_err(fail)?;
    prop_assert!(equal(&objects, &again));
    for (a, b) in objects.iter().zip(&again) {
        prop_assert_eq!(hash(a), hash(b));
        let loaded = from_json(&to_json(a)).map_err(fail)?;
        prop_assert!(equal(std::slice::from_ref(a), std::slice::from_ref(&loaded)));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_functions_read_back(f in function()) {
        check(&function_text("main", &f))?;
    }

    #[test]
    fn random_modules_read_back(text in module_text()) {
        check(&text)?;
    }
}
