//! Modules with functions of TIR and of Relax: one text, one parse.

use tvmscript::relax::{Function, ShapeExpr, TensorStructInfo};
use tvmscript::tir::PrimFunc;
use tvmscript::{Object, PrinterConfig, assert_structural_eq, ir, parse, print, registry};
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
