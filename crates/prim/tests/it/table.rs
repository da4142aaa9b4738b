//! The table of operators.

use std::collections::HashSet;

use tvmscript_prim::Op;
use tvmscript_prim::ops::function_table::{self, FUNCTIONS};
use tvmscript_prim::ops::op_table::{Effect, OPS, TypeFrom, entry, entry_by_name};

#[test]
fn names_are_unique_and_found_by_name_and_by_pointer() {
    let names: HashSet<&str> = OPS.iter().map(|op| op.name).collect();
    assert_eq!(names.len(), OPS.len());
    for op in OPS {
        assert!(std::ptr::eq(entry(&Op::get(op.name)).unwrap(), op));
        assert!(std::ptr::eq(entry_by_name(op.name).unwrap(), op));
    }
    assert!(entry(&Op::get("tir.not_registered")).is_none());
}

#[test]
fn printed_names_types_and_effects() {
    let of = |name: &str| entry_by_name(name).unwrap();
    assert_eq!(of("tir.tvm_call_packed").printed, "call_packed");
    assert_eq!(of("tir.tvm_struct_get").dtype, TypeFrom::Last);
    assert_eq!(of("tir.reinterpret").dtype, TypeFrom::First);
    assert_eq!(of("tir.ret").effect, Effect::Jump);
    assert!(!of("tir.prefetch").exported && of("tir.exp").exported);
}

#[test]
fn functions_are_found_by_name_and_agree_with_the_operators() {
    let names: HashSet<&str> = FUNCTIONS.iter().map(|f| f.name).collect();
    assert_eq!(names.len(), FUNCTIONS.len());
    for function in FUNCTIONS {
        assert!(std::ptr::eq(function_table::by_name(function.name).unwrap(), function));
        if let Some(op) = OPS.iter().find(|op| op.printed == function.name) {
            assert_eq!(op.params, function.params, "{}", function.name);
        }
    }
}

#[test]
fn a_type_that_the_text_gives_is_a_parameter() {
    for op in OPS.iter().filter(|op| op.name != "tir.dp4a") {
        let given = matches!(op.dtype, TypeFrom::First | TypeFrom::Last);
        assert_eq!(op.params.split(", ").any(|p| p == "dtype"), given, "{}", op.name);
    }
}
