//! Complete kernels: non-maximum suppression (79-20).

use tvmscript::{Object, assert_structural_eq, parse, print, registry};

/// The kernel with helpers, macros and a factory.
const KERNEL: &str = include_str!("nms/nms.py");
/// The same kernel without any of them.
const EXPANDED: &str = include_str!("nms/expanded.py");

/// The kernels of TVM's library by one factory.
const LIBRARY: &str = include_str!("nms/vision.py");
/// The text that TVM 0.27 prints for `te.create_prim_func` of `topi.vision.non_max_suppression(data, valid_count, indices)`.
const HARD: &str = include_str!("nms/vision_hard.txt");
/// The same with `return_indices=False, soft_nms_sigma=0.5`.
const SOFT: &str = include_str!("nms/vision_soft.txt");

/// The scripts of a text.
fn read_all(name: &str, text: &str) -> Vec<Object> {
    let parsed = parse(name, text, registry(), &Default::default());
    let shown = tvmscript::render_errors(&parsed.errors, name, text, false);
    assert!(parsed.errors.is_empty() && parsed.warnings.is_empty(), "{shown} {:?}", parsed.warnings);
    parsed.scripts.into_iter().map(|script| script.node).collect()
}

/// The last script of a text.
fn read(name: &str, text: &str) -> Object {
    read_all(name, text).pop().expect("a kernel")
}

/// The lines with code, and the characters in them without indentation.
fn size(text: &str) -> (usize, usize) {
    let code = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    code.fold((0, 0), |(lines, characters), line| (lines + 1, characters + line.len()))
}

#[test]
fn p79_20_kernels_of_the_library_with_helpers() {
    let kernels = read_all("vision.py", LIBRARY);
    let [hard, soft] = &kernels[..] else { panic!("{} kernels", kernels.len()) };
    assert_structural_eq!(hard.clone(), read("vision_hard.txt", HARD));
    assert_structural_eq!(soft.clone(), read("vision_soft.txt", SOFT));
    // The numbers of the documentation.
    assert_eq!([HARD, SOFT, LIBRARY].map(size), [(59, 4709), (68, 13138), (181, 6112)]);
}

#[test]
fn p79_20_nms_kernel() {
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
