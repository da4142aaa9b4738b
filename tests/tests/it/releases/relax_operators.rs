//! Relax operators of single releases.

use tvmscript::{ParseOptions, PrinterConfig, Release, parse, print, registry};

/// Calls with the struct info that TVM 0.27 infers for them.
const INFERRED: &str = include_str!("../../../fixtures/tvm_0_27/relax_operators.txt");

/// A function that binds `gv` to a call. Words in dimensions of parameters are type variables.
fn function(call: &str, params: &str) -> String {
    let mut text = "# from typing import TypeVar\n# from tvm.script import tirx as T\n\
                    # from tvm.tirx.layout import Axis\n# from tvm.script import relax as R\n\n"
        .to_owned();
    for name in ["n", "m", "c"] {
        if params.split(|c: char| !c.is_alphanumeric() && c != '.' && c != ':').any(|word| word == name) {
            text += &format!("{name} = TypeVar(\"{name}\")\n");
        }
    }
    text + &format!("@R.function\ndef main({params}):\n    gv = {call}\n    return gv\n")
}

fn options_of(release: &'static Release) -> ParseOptions {
    let mut options = ParseOptions::default();
    options.release = Some(release);
    options
}

/// The struct info of `gv`; `error` if the call is wrong.
fn inferred(call: &str, params: &str, release: &'static Release) -> String {
    let parsed = parse("text.py", &function(call, params), registry(), &options_of(release));
    if !parsed.errors.is_empty() {
        return "error".to_owned();
    }
    let config = PrinterConfig { release: Some(release), ..PrinterConfig::default() };
    let printed = print(&parsed.scripts[0].node, registry(), &config).expect("prints");
    let bound = printed.lines().find_map(|line| line.trim_start().strip_prefix("gv: "));
    match bound.and_then(|bound| bound.split_once(" = R.")) {
        Some((info, _)) => info.to_owned(),
        // TVM leaves out the annotation of a tensor without rank and type.
        None => "R.Tensor".to_owned(),
    }
}

#[test]
fn tvm_0_27_infers_struct_info_of_its_operators() {
    let release = registry().find_release("tvm-0.27").expect("a release");
    let mut different = String::new();
    for line in INFERRED.lines().filter(|line| !line.starts_with('#')) {
        let parts: Vec<&str> = line.split(" | ").collect();
        let [call, params, expected] = parts[..] else { panic!("{line}") };
        let found = inferred(call, params, release);
        if found != expected {
            different += &format!("{line}\n    found {found}\n");
        }
    }
    assert_eq!(different, "");
}

#[test]
fn operators_of_tvm_0_27_print_as_tvm_prints_them() {
    super::reads_and_prints(include_str!("../../../fixtures/tvm_0_27/relax_operators.py"), "tvm-0.27");
}

#[test]
fn operators_of_tvm_0_27_are_unknown_to_tvm_0_23() {
    let text = "# from tvm.script import relax as R\n\n@R.function\ndef main(a: R.Tensor((2,), dtype=\"float32\")):\n    gv = R.atan2(a)\n    return gv\n";
    let errors = |release: &str| {
        let release = registry().find_release(release).expect("a release");
        parse("text.py", text, registry(), &options_of(release)).errors.len()
    };
    // A call of an unknown function is kept as it is.
    assert_eq!((errors("tvm-0.23"), errors("tvm-0.27")), (0, 1));
}
