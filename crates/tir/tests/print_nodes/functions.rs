//! Functions and modules.

use tvmscript_docsifier::PrinterConfig;
use tvmscript_ir::DictAttrs;
use tvmscript_ir::{GlobalVar, IRModule};
use tvmscript_ir_core::{Map, Ref, Str, Value};
use tvmscript_tir::*;

use crate::support::*;

#[test]
fn a_module_prints_its_functions_in_order_and_main_last() {
    let member = |name: &str| -> (Ref<GlobalVar>, Ref<tvmscript_ir::BaseFunc>) {
        let f = PrimFunc {
            attrs: DictAttrs::new([(Str::new("global_symbol"), Value::str(name))]),
            ..(*func(vec![], vec![], evaluate(int(0)))).clone()
        };
        (GlobalVar::new(name), Ref::new(f).upcast())
    };
    let module = IRModule::new(
        [member("main"), member("b"), member("a")],
        DictAttrs::new([(Str::new("k"), Value::Int(1))]),
        Map::default(),
    );
    assert_eq!(
        text(module),
        "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n@I.ir_module\nclass Module:\n    \
         I.module_attrs({\"k\": 1})\n    @T.prim_func\n    def a():\n        T.evaluate(0)\n\n    @T.prim_func\n    \
         def b():\n        T.evaluate(0)\n\n    @T.prim_func\n    def main():\n        T.evaluate(0)"
    );
}

#[test]
fn prefixes_are_options() {
    let config = PrinterConfig {
        prefixes: [("tir".to_owned(), "TT".to_owned())].into(),
        name: Some("g".to_owned()),
        ..PrinterConfig::default()
    };
    let text = text_with(func(vec![], vec![], evaluate(int(0))), &config);
    assert_eq!(
        text,
        "# from tvm.script import tir as TT\n\n@TT.prim_func\ndef g():\n    TT.func_attr({\"global_symbol\": \"f\"})\n    \
         TT.evaluate(0)"
    );
}

#[test]
fn nodes_are_underlined_and_annotated() {
    let a = buffer("A", [int(4)]);
    let [first, second] = [0, 1].map(|i| store(&a, float(0.0), [int(i)]));
    let f = func(vec![], vec![], seq([first.clone(), second.clone()]));
    let config = PrinterConfig {
        obj_to_underline: vec![first.clone().into()],
        obj_to_annotate: vec![(second.into(), "note".to_owned())],
        ..PrinterConfig::default()
    };
    let text = text_with(f, &config);
    assert!(text.contains("    A[0] = T.float32(0.0)\n    ^^^^^^^^^^^^^^^^^^^^^\n"), "{text}");
    assert!(text.contains("    A[1] = T.float32(0.0)  # note"), "{text}");
}
