//! The table of operators.

use std::collections::HashSet;

use tvmscript_ir_core::Op;
use tvmscript_prim::ops::op_table::{DtypeArg, Effect, OPS, entry, entry_by_name};

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
    assert_eq!(of("tir.tvm_struct_get").dtype_arg, DtypeArg::Last);
    assert_eq!(of("tir.reinterpret").dtype_arg, DtypeArg::First);
    assert_eq!(of("tir.ret").effect, Effect::Jump);
    assert!(!of("tir.prefetch").exported && of("tir.exp").exported);
}
