//! Literals, operators, calls.

use tvmscript_docsifier::{DocsifyError, PrinterConfig};
use tvmscript_ir_core::{DataType, Object};
use tvmscript_prim::Op;
use tvmscript_prim::*;
use tvmscript_tir::print::TirOptions;

use crate::support::*;

#[test]
fn integers_say_their_type_unless_int32() {
    assert_eq!(text(int(-5)), "-5");
    assert_eq!(text(IntImm::int64(5)), "T.int64(5)");
    assert_eq!(text(IntImm::bool(true)), "T.bool(True)");
    assert_eq!(text(IntImm::try_new(DataType::int(4), 3).expect("fits")), "T.int4(3)");
}

#[test]
fn floats_always_say_their_type() {
    assert_eq!(text(float(1.0)), "T.float32(1.0)");
    assert_eq!(text(float(f64::INFINITY)), "T.float32(\"inf\")");
    let double = |value| FloatImm::try_new(DataType::float(64), value).expect("fits");
    assert_eq!(text(double(0.1)), "T.float64(0.10000000000000001)");
    assert_eq!(text(double(1e300)), format!("T.float64({:.1})", 1e300));
}

#[test]
fn options_say_which_types_go_without_saying() {
    let options = TirOptions {
        int_dtype: DataType::INT64,
        float_dtype: DataType::FLOAT32,
        buffer_dtype: DataType::INT32,
    };
    let config = PrinterConfig { verbose_expr: true, ..PrinterConfig::default() }.with_part(options);
    // The header names what would be read otherwise; `float32` is the type of plain floats.
    fn text(node: impl Into<Object>, config: &PrinterConfig) -> String {
        let text = text_with(node, config);
        let header = "# tvmscript: int_dtype=int64, buffer_dtype=int32\n\n";
        text.strip_prefix(header).expect("a header").to_owned()
    }
    assert_eq!(text(int(5), &config), "T.int32(5)");
    assert_eq!(text(IntImm::int64(5), &config), "5");
    assert_eq!(text(float(1.5), &config), "1.5");
    assert_eq!(text(float(f64::INFINITY), &config), "T.float32(\"inf\")");
    assert_eq!(text(buffer("A", [IntImm::int64(4)]), &config), "A = T.Buffer((4,), \"float32\")\nA");
}

#[test]
fn types_that_no_literal_can_have_are_refused() {
    let bad = [
        TirOptions { int_dtype: DataType::FLOAT32, ..TirOptions::default() },
        TirOptions { int_dtype: DataType::BOOL, ..TirOptions::default() },
        TirOptions { int_dtype: DataType::INT32.with_lanes(4), ..TirOptions::default() },
        TirOptions { float_dtype: DataType::INT32, ..TirOptions::default() },
    ];
    for options in bad {
        let config = PrinterConfig::default().with_part(options.clone());
        let refused = config.check(&registry()).expect_err("no text reads back");
        assert!(matches!(*refused, DocsifyError::BadOption { .. }), "{options:?}: {refused}");
    }
}

#[test]
fn names_that_clash_are_refused() {
    let prefix = |name: &str| PrinterConfig {
        prefixes: [("tir".to_owned(), name.to_owned())].into(),
        ..PrinterConfig::default()
    };
    let alias = |name: &str| PrinterConfig { module_alias: name.to_owned(), ..PrinterConfig::default() };
    for config in [prefix("I"), prefix("range"), prefix("cls"), alias("T"), alias("metadata")] {
        let refused = config.check(&registry()).expect_err("the name is taken");
        assert!(matches!(*refused, DocsifyError::NameClash { .. }), "{refused}");
    }
    assert!(matches!(*prefix("1x").check(&registry()).expect_err("no name"), DocsifyError::BadName { .. }));
}

#[test]
fn strings_of_several_lines_stand_in_the_metadata() {
    assert_eq!(text(StringImm::new("a\"b")), "\"a\\\"b\"");
    let text = text(StringImm::new("a\nb"));
    assert!(text.starts_with("metadata[\"tir.StringImm\"][0]\n# Metadata omitted."), "{text}");
    let config = PrinterConfig { show_meta: true, ..PrinterConfig::default() };
    let text = text_with(StringImm::new("a\nb"), &config);
    assert!(text.starts_with("metadata = tvm.ir.load_json(\"\"\"{\n"), "{text}");
    assert!(text.ends_with("\"\"\")\nmetadata[\"tir.StringImm\"][0]"), "{text}");
}

#[test]
fn operators_that_would_fold_print_as_calls() {
    let (x, y) = (x(), y());
    assert_eq!(text(Add::try_new(x.clone(), y.clone()).expect("fits")), "x + y");
    assert_eq!(text(Add::try_new(int(1), int(2)).expect("fits")), "T.Add(1, 2)");
    assert_eq!(text(Mul::try_new(x.clone(), int(1)).expect("fits")), "T.Mul(x, 1)");
    assert_eq!(text(Min::try_new(x.clone(), x.clone()).expect("fits")), "T.Min(x, x)");
    assert_eq!(text(Max::try_new(x.clone(), y.clone()).expect("fits")), "T.max(x, y)");
    assert_eq!(text(Mod::try_new(int(7), int(2)).expect("fits")), "T.Mod(7, 2)");
    assert_eq!(text(FloorDiv::try_new(x.clone(), int(0)).expect("fits")), "T.FloorDiv(x, 0)");
    assert_eq!(text(Div::try_new(x, y).expect("fits")), "T.Div(x, y)");
}

#[test]
fn logic_on_vectors_prints_as_calls() {
    let boolean = Broadcast::try_new(IntImm::bool(true), &int(4)).expect("fits");
    let and = And::try_new(boolean.clone(), boolean).expect("fits");
    assert_eq!(text(and), "T.And(T.Broadcast(T.bool(True), 4), T.Broadcast(T.bool(True), 4))");
}

#[test]
fn a_number_on_the_left_of_a_comparison_in_a_keyword_prints_as_a_call() {
    let t = Var::new("t", DataType::BOOL);
    let value = LT::try_new(int(3), x()).expect("fits");
    let node = Let::try_new(t.clone(), value.clone(), t.upcast()).expect("fits");
    assert_eq!(text(value), "3 < x");
    assert_eq!(text(node), "T.Let(t, where={t: T.LT(3, x)})");
}

#[test]
fn calls_that_their_function_would_not_make_print_strictly() {
    let call = |dtype, name, args: Vec<Expr>| Call::new(dtype, Op::get(name), args);
    assert_eq!(text(call(DataType::FLOAT32, "tir.exp", vec![float(1.0)])), "T.exp(T.float32(1.0))");
    assert_eq!(text(call(DataType::INT32, "tir.exp", vec![int(1)])), "T.Call(\"int32\", \"tir.exp\", [1])");
    assert_eq!(
        text(call(DataType::INT32, "tir.shift_left", vec![int(1), int(2)])),
        "T.Call(\"int32\", \"tir.shift_left\", [1, 2])"
    );
    assert_eq!(
        text(call(DataType::INT32, "tir.tvm_throw_last_error", vec![])),
        "T.Call(\"int32\", \"tir.tvm_throw_last_error\", [])"
    );
    assert_eq!(text(call(DataType::INT32, "my.op", vec![])), "T.Call(\"int32\", \"my.op\", [])");
    let extern_args = vec![StringImm::new("f"), int(1)];
    assert_eq!(
        text(call(DataType::INT32, "tir.call_extern", extern_args)),
        "T.call_extern(\"int32\", \"f\", 1)"
    );
}
