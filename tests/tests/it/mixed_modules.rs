//! Modules with functions of TIR and of Relax: one text, one parse.

use std::collections::BTreeMap;

use tvmscript::relax::{Function, ShapeExpr, TensorStructInfo};
use tvmscript::script_parser::Header;
use tvmscript::tir::PrimFunc;
use tvmscript::{Object, ParseOptions, PrinterConfig, assert_structural_eq, ir, parse, print, registry};
use tvmscript_tests::parse_ok;

const MODULE: &str = "# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def double(A: T.Buffer((T.int64(4),), \"float32\"), B: T.Buffer((T.int64(4),), \"float32\")):
        # with T.block(\"root\"):
        for i in range(4):
            with T.block(\"B\"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi])
                T.writes(B[vi])
                B[vi] = A[vi] + A[vi]

    @R.function
    def main(x: R.Tensor((4,), dtype=\"float32\"), y: R.Tensor((\"n\",), dtype=\"float32\")) -> \
                      R.Tuple(R.Tensor((4,), dtype=\"float32\"), R.Shape([\"n * 2\"])):
        n = T.int64()
        cls = Module
        z = R.call_tir(cls.double, (x,), out_sinfo=R.Tensor((4,), dtype=\"float32\"))
        return (z, R.shape([n * 2]))";

fn module() -> Object {
    parse_ok("module.py", MODULE).expect("a module").remove(0)
}

/// The functions of each dialect.
fn functions(node: &Object) -> (usize, usize) {
    let (mut of_tir, mut of_relax) = (0, 0);
    tvmscript::visit_nodes::<PrimFunc>(node, |_| of_tir += 1);
    tvmscript::visit_nodes::<Function>(node, |_| of_relax += 1);
    (of_tir, of_relax)
}

#[test]
fn p74_01_functions_of_both_dialects_are_one_text() {
    let module = module();
    assert!(module.is::<ir::IRModule>());
    assert_eq!(functions(&module), (1, 1));
    let mut shapes = 0;
    tvmscript::visit_nodes::<ShapeExpr>(&module, |shape| {
        shapes += usize::from(shape.values.iter().any(|value| value.object().is::<tvmscript::prim::Mul>()));
    });
    assert!(shapes > 0, "a shape with a product");
    let text = print(&module, registry(), &PrinterConfig::default()).expect("it prints");
    for part in ["@T.prim_func", "@R.function", "R.call_tir(cls.double, (x,)", "R.shape([n * 2])"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert_structural_eq!(parse_ok("again.py", &text).expect("it reads back").remove(0), module);
}

#[test]
fn p74_22_prefixes_are_renamed_and_read_from_the_header() {
    let module = module();
    let prefixes = [("tir", "X"), ("relax", "Y")].map(|(dialect, prefix)| (dialect.into(), prefix.into()));
    let config = PrinterConfig { prefixes: prefixes.into(), ..PrinterConfig::default() };
    let text = print(&module, registry(), &config).expect("it prints");
    assert!(text.contains("@X.prim_func") && text.contains("@Y.function"), "{text}");
    assert!(!text.contains("T.prim_func") && !text.contains("R.function"), "{text}");
    assert_structural_eq!(parse_ok("again.py", &text).expect("it reads back").remove(0), module);
}

/// Prints with a map of prefixes, takes off the header, and parses with the same map.
#[track_caller]
fn check_prefixes(prefixes: &[(&str, &str)]) -> String {
    let module = module();
    let map: BTreeMap<String, String> = prefixes.iter().map(|(d, p)| ((*d).into(), (*p).into())).collect();
    let config = PrinterConfig { prefixes: map.clone(), ..PrinterConfig::default() };
    let printed = print(&module, registry(), &config).expect("it prints");
    let is_header = |line: &&str| line.starts_with("# from ");
    let bare: String = printed.lines().skip_while(is_header).flat_map(|line| [line, "\n"]).collect();
    let mut options = ParseOptions::default();
    options.header = Header::of_prefixes(&map);
    // With the prefixes of another dialect, the text may look like one of another release.
    options.release = Some(registry().release());
    options.header.check(registry()).expect("dialects with prefixes");
    let parsed = parse("bare.py", &bare, registry(), &options);
    assert!(parsed.errors.is_empty(), "{:?}\n{bare}", parsed.errors);
    assert_structural_eq!(parsed.scripts[0].node, module);
    bare
}

#[test]
fn p74_22_one_map_of_prefixes_prints_and_parses() {
    let bare = check_prefixes(&[("tir", "X"), ("relax", "Y"), ("ir", "module")]);
    assert!(bare.contains("@module.ir_module") && bare.contains("@X.prim_func"), "{bare}");
    // Without the map the text has unknown names.
    let parsed = parse("bare.py", &bare, registry(), &ParseOptions::default());
    assert!(!parsed.errors.is_empty(), "the names are unknown");
    check_prefixes(&[]);
    check_prefixes(&[("relax", "Y")]);
    // Each has the prefix that the other one has by default.
    let swapped = check_prefixes(&[("tir", "R"), ("relax", "T")]);
    assert!(swapped.contains("@R.prim_func") && swapped.contains("@T.function"), "{swapped}");
}

#[test]
fn p74_22_invalid_prefixes_are_errors_of_both() {
    for (prefixes, reason) in [
        ([("tir", "X"), ("relax", "X")].as_slice(), "`X`"),
        (&[("tir", "in")], "`in`"),
        (&[("tir", "range")], "`range`"),
    ] {
        let map: BTreeMap<String, String> =
            prefixes.iter().map(|(d, p)| ((*d).into(), (*p).into())).collect();
        let config = PrinterConfig { prefixes: map, ..PrinterConfig::default() };
        let error = print(&module(), registry(), &config).expect_err("a clash").to_string();
        assert!(error.contains(reason), "{error}");
    }
    let error = Header::of_prefixes([("tir", "not a name")]).check(registry()).expect_err("no identifier");
    assert!(error.to_string().contains("`tir_prefix` of a header cannot be `not a name`"), "{error}");
    let error = Header::of_prefixes([("sass", "S")]).check(registry()).expect_err("no dialect");
    assert!(error.to_string().contains("unknown option `sass_prefix`"), "{error}");
}

/// Ranges are printed by the crate of modules and, under its token, by that of TIR.
#[test]
fn p74_11_printers_of_two_crates_print_ranges_in_one_print() {
    let text = "# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({\"r\": I.Range(0, 4)})
    @T.prim_func
    def main():
        T.func_attr({\"r\": T.Range(0, 4)})
        T.evaluate(0)";
    let module = parse_ok("module.py", text).expect("a module").remove(0);
    assert_eq!(print(&module, registry(), &PrinterConfig::default()).expect("it prints"), text);
}

#[test]
fn p74_34_a_function_of_tir_calls_one_of_relax() {
    let text = "# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def helper(x: R.Prim(\"int32\")) -> R.Prim(\"int32\"):
        return x

    @T.prim_func
    def main(n: T.int32, A: T.Buffer((4,), \"int32\")):
        Module.helper(n)
        A[0] = Module.helper(n + 1)";
    let module = parse_ok("module.py", text).expect("a module").remove(0);
    assert_eq!(print(&module, registry(), &PrinterConfig::default()).expect("it prints"), text);
    assert_eq!(registry().check(&module), [], "it is well-formed");
    let module = module.downcast_ref::<ir::IRModule>().expect("a module");
    let helper = module.function("helper").expect("the function of Relax").0;
    let mut calls = Vec::new();
    tvmscript::visit_nodes::<tvmscript::prim::Call>(module, |call| {
        if call.op.object().ptr_eq(helper.object()) {
            calls.push(call.dtype.to_string());
        }
    });
    assert_eq!(calls, ["int32", "int32"], "of the type that the function returns");
    // Both directions in one module.
    let both = text.replace(
        "return x",
        "y = R.call_tir(Module.main, (x,), out_sinfo=R.Tensor((4,), \"int32\"))\n        return x",
    );
    let both = parse_ok("both.py", &both).expect("a module").remove(0);
    let printed = print(&both, registry(), &PrinterConfig::default()).expect("it prints");
    assert!(
        printed.contains("R.call_tir(cls.main,") && printed.contains("A[0] = Module.helper(n + 1)"),
        "{printed}"
    );
    assert_structural_eq!(parse_ok("again.py", &printed).expect("it reads back").remove(0), both);
    let wrong = text.replace("Module.helper(n)", "Module.nothing(n)");
    let error = parse_ok("wrong.py", &wrong).expect_err("there is no such function");
    assert!(error.contains("the module `Module` has no attribute `nothing`"), "{error}");
}

#[test]
fn p74_31_one_parse_reads_functions_and_modules_of_all_dialects() {
    let text = format!(
        "from tvm.script import ir as I, relax as R, tir as T\n\n\
         @T.prim_func\ndef first(A: T.Buffer((4,), \"float32\")):\n    A[0] = T.float32(1)\n\n\
         @R.function\ndef second(x: R.Tensor((4,), \"float32\")):\n    return x\n\n{MODULE}\n"
    );
    let parsed = parse("all.py", &text, registry(), &Default::default());
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let found: Vec<_> = parsed.scripts.iter().map(|script| functions(&script.node)).collect();
    assert_eq!(found, [(1, 0), (0, 1), (1, 1)]);
    let second = parsed.scripts[1].node.downcast_ref::<Function>().expect("a Relax function");
    let info = second.params[0].struct_info_.clone().expect("a type");
    assert!(info.is::<TensorStructInfo>());
}
