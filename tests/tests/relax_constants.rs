//! Constants without the metadata section: their text reads back.

use tvmscript::ir_core::equal::structural_equal;
use tvmscript::{PrinterConfig, print, registry};

#[test]
fn constants_print_as_lists_where_there_is_no_metadata() {
    let text = std::fs::read_to_string(tvmscript_tests::folder("ok").join("relax_constants.py"))
        .expect("the fixture is there");
    let read = |text: &str| {
        let scripts = tvmscript_tests::parse("constants", text).unwrap_or_else(|e| panic!("{e:?}"));
        scripts.into_iter().next().expect("one function")
    };
    let function = read(&text);
    let plain = print(&function, registry(), &PrinterConfig::default()).expect("it prints");
    assert!(plain.contains("R.const([[1.0, -0.0], [\"nan\", \"inf\"]], \"float32\")"), "{plain}");
    assert!(!plain.contains("metadata"), "{plain}");
    assert!(structural_equal(&read(&plain), &function), "{plain}");
}
