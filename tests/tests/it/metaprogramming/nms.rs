//! A complete kernel: non-maximum suppression (79-20).

use tvmscript::{assert_structural_eq, parse, print, registry};

/// The kernel with helpers, macros and a factory.
const KERNEL: &str = include_str!("nms/nms.py");
/// The same kernel without any of them.
const EXPANDED: &str = include_str!("nms/expanded.py");

#[test]
fn p79_20_nms_kernel() {
    let read = |name: &str, text: &str| {
        let mut parsed = parse(name, text, registry(), &Default::default());
        let shown = tvmscript::render_errors(&parsed.errors, name, text, false);
        assert!(parsed.errors.is_empty() && parsed.warnings.is_empty(), "{shown} {:?}", parsed.warnings);
        parsed.scripts.pop().expect("a kernel").node
    };
    let kernel = read("nms.py", KERNEL);
    let printed = print(&kernel, registry(), &Default::default()).expect("it prints");
    if std::env::var_os("TVMSCRIPT_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/metaprogramming/nms/expanded.py");
        std::fs::write(path, format!("{printed}\n")).expect("the file is writable");
        return;
    }
    assert_structural_eq!(kernel, read("expanded.py", EXPANDED));
    assert_eq!(printed.trim_end(), EXPANDED.trim_end());
}
