//! Arrays of statements, bindings and functions, and the map of a module's functions, alone.

use tvmscript::ir::{BaseFunc, GlobalVar, IRModule};
use tvmscript::ir_core::equal::StructuralEqual;
use tvmscript::ir_core::{Array, Map, ObjectLike as _};
use tvmscript::relax::{BindingBlock, SeqExpr};
use tvmscript::tir::{PrimFunc, SeqStmt};
use tvmscript::{Object, PrinterConfig, Ref, Value, assert_structural_eq, print, registry};
use tvmscript_tests::fragments::read;
use tvmscript_tests::parse_ok;

const MODULE: &str = "\
from tvm.script import ir as I, relax as R, tir as T

@I.ir_module
class Module:
    @T.prim_func
    def double(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\")):
        for i in range(4):
            B[i] = A[i] + A[i]
        for j in range(4):
            A[j] = B[j]
        T.evaluate(0)

    @R.function
    def main(x: R.Tensor((4,), dtype=\"float32\")) -> R.Tensor((4,), dtype=\"float32\"):
        cls = Module
        y: R.Tensor((4,), dtype=\"float32\") = R.add(x, x)
        z = R.call_tir(cls.double, (y,), out_sinfo=R.Tensor((4,), dtype=\"float32\"))
        with R.dataflow():
            v: R.Tensor((4,), dtype=\"float32\") = R.multiply(z, x)
            w: R.Tensor((4,), dtype=\"float32\") = R.add(v, v)
            R.output(w)
        return w

    @R.function
    def plain(x: R.Tensor((4,), dtype=\"float32\")) -> R.Tensor((4,), dtype=\"float32\"):
        return x
";

fn module() -> Object {
    parse_ok("module.py", MODULE).expect("a module").remove(0)
}

fn function(name: &str) -> Ref<BaseFunc> {
    let module = module();
    let module = module.downcast_ref::<IRModule>().expect("a module");
    module.function(name).expect("a function of this name").1.clone()
}

/// The statements of `double`.
fn statements() -> Array<Object> {
    let function = function("double");
    let function = function.object().downcast_ref::<PrimFunc>().expect("a PrimFunc");
    let body = function.body.object().downcast_ref::<SeqStmt>().expect("several statements");
    Array::new(body.seq.iter().map(|stmt| stmt.object().clone()))
}

/// The blocks of bindings of `main`.
fn blocks() -> Vec<Ref<BindingBlock>> {
    let function = function("main");
    let function =
        function.object().downcast_ref::<tvmscript::relax::Function>().expect("a function of Relax");
    let body = function.body.object().downcast_ref::<SeqExpr>().expect("a sequence");
    body.blocks.iter().cloned().collect()
}

fn text(object: &Object) -> String {
    print(object, registry(), &PrinterConfig::default()).expect("it prints")
}

/// Compares arrays whose variables are free.
#[track_caller]
fn check_equal(a: &Object, b: &Object) {
    let equal = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
    assert!(equal.compare(a, b), "{}\n\n{}", text(a), text(b));
}

/// The text of an array and that with the options of text that is read again.
fn texts(array: &Object) -> [String; 2] {
    let explicit = PrinterConfig { verbose_expr: true, show_meta: true, ..PrinterConfig::default() };
    [text(array), print(array, registry(), &explicit).expect("it prints")]
}

#[test]
fn p74_04_an_array_of_statements_prints_and_reads_back() {
    let array = statements().into_object();
    for printed in texts(&array) {
        assert_eq!(
            printed,
            "B = T.Buffer((4,))\nA = T.Buffer((4,))\nfor i in range(4):\n    B[i] = A[i] + A[i]\n\
             for j in range(4):\n    A[j] = B[j]\nT.evaluate(0)"
        );
        let again = read("tir", &printed).expect("it reads back");
        let again = again.downcast_ref::<SeqStmt>().expect("several statements");
        check_equal(again.seq.as_object(), &array);
    }
}

#[test]
fn p74_04_an_array_of_bindings_prints_and_reads_back() {
    let block = blocks().pop().expect("a block");
    let array = block.bindings.as_object();
    for printed in texts(array) {
        assert!(printed.contains("v: R.DataflowVar("), "{printed}");
        let again = read("relax", &printed).expect("it reads back");
        check_equal(again.downcast_ref::<BindingBlock>().expect("a block").bindings.as_object(), array);
    }
}

#[test]
fn p74_04_an_array_of_blocks_prints_and_reads_back() {
    let array = Array::new(blocks()).into_object();
    for printed in texts(&array) {
        assert!(printed.contains("with R.dataflow():\n") && printed.contains("R.output(w)"), "{printed}");
        let again = read("relax", &format!("{printed}\nw")).expect("it reads back");
        check_equal(again.downcast_ref::<SeqExpr>().expect("a sequence").blocks.as_object(), &array);
    }
}

#[test]
fn p74_04_the_map_of_a_modules_functions_prints_as_a_module_and_reads_back() {
    let module = module();
    let functions = &module.downcast_ref::<IRModule>().expect("a module").functions;
    let printed = text(functions.as_object());
    assert_eq!(printed, text(&module), "the module has nothing else");
    let again = parse_ok("again.py", &printed).expect("it reads back").remove(0);
    // Keys are compared by name in modules only.
    assert_structural_eq!(again, module);
    let none: Map<Ref<GlobalVar>, Ref<BaseFunc>> = Map::default();
    assert_eq!(text(none.as_object()), "{}");
}

#[test]
fn p74_04_expressions_in_an_array_stay_a_list() {
    let array: Array<Object> = Array::new([function("double")
        .object()
        .downcast_ref::<PrimFunc>()
        .expect("one")
        .params
        .as_object()
        .clone()]);
    assert!(text(array.as_object()).ends_with("[[A_handle, B_handle]]"), "{}", text(array.as_object()));
}

#[test]
fn p74_34_fragments_of_both_dialects_are_one_print() {
    let statement = statements().iter().next().expect("a statement").clone();
    let binding = blocks().remove(0).bindings.iter().next().expect("a binding").object().clone();
    let list = Array::<Object>::new([statement.clone(), binding.clone()]);
    let expected = "x: R.Tensor((4,), dtype=\"float32\")\nfor i in range(4):\n    B = T.Buffer((4,))\n    A = T.Buffer((4,))\n\
                    \x20   B[i] = A[i] + A[i]\ny: R.Tensor((4,), dtype=\"float32\") = R.add(x, x)";
    assert_eq!(text(list.as_object()), expected);
    // In the other order, each under its own token again.
    let reversed = text(Array::<Object>::new([binding, statement]).as_object());
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(lines(&reversed), lines(expected));
    assert!(reversed.ends_with("B[i] = A[i] + A[i]"), "{reversed}");
}

#[test]
fn p74_34_functions_of_both_dialects_are_one_print_with_one_header() {
    let list =
        Array::<Object>::new([function("double").object().clone(), function("plain").object().clone()]);
    let printed = text(list.as_object());
    assert_eq!(printed.matches("# from tvm.script import tir as T\n").count(), 1, "{printed}");
    assert_eq!(printed.matches("# from tvm.script import relax as R\n").count(), 1, "{printed}");
    let again = parse_ok("again.py", &printed).expect("it reads back");
    let found = Array::<Value>::of_values(again.into_iter().map(Value::Node));
    check_equal(found.as_object(), list.as_object());
}

#[test]
fn p74_34_one_print_with_its_options_renames_the_prefixes_of_all() {
    let list = Array::<Object>::new([function("double").object().clone(), function("main").object().clone()]);
    let prefixes = [("tir", "X"), ("relax", "Y")].map(|(dialect, prefix)| (dialect.into(), prefix.into()));
    let config = PrinterConfig { prefixes: prefixes.into(), ..PrinterConfig::default() };
    let printed = print(list.as_object(), registry(), &config).expect("it prints");
    assert!(printed.contains("@X.prim_func\n") && printed.contains("@Y.function\n"), "{printed}");
}
