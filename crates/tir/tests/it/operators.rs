//! The declared operators.

use std::collections::HashSet;

use tvmscript_irbuilder::ScriptValue;
use tvmscript_prim::Op;
use tvmscript_prim::{DataType, IntImm, PrimExprExt, Var, intrinsic};
use tvmscript_tir::build::operator;
use tvmscript_tir::op::{self, Effect, ResultType};

#[test]
fn names_are_unique_and_found_by_name_and_by_pointer() {
    let names: HashSet<&str> = op::operators().map(|op| op.name()).collect();
    assert_eq!(names.len(), op::operators().count());
    for operator in op::operators() {
        assert!(std::ptr::eq(op::find(operator.name()).unwrap(), operator));
        assert!(std::ptr::eq(op::of_callee(&operator.op.get().clone().upcast()).unwrap(), operator));
    }
    assert!(op::of_callee(&Op::get("tir.not_registered").upcast()).is_none());
}

#[test]
fn text_result_types_and_effects() {
    let of = |name: &str| op::find(name).unwrap();
    assert_eq!(of("tir.tvm_call_packed").text, "call_packed");
    assert_eq!(of("tir.tvm_struct_get").result, ResultType::Last);
    assert_eq!(of("tir.reinterpret").result, ResultType::First);
    assert_eq!(of("tir.tvm_warp_shuffle").result, ResultType::SameAs(1));
    assert_eq!(of("tir.ret").op.effect(), Effect::Jump);
    assert!(!of("tir.prefetch").is_exported && of("tir.exp").is_exported);
    assert_eq!((of("tir.ptx_mma").min_operands, of("tir.ptx_mma").max_operands), (13, 14));
}

#[test]
fn every_operator_that_prim_calls_is_declared() {
    for named in intrinsic::ALL {
        let declared = op::find(named.name()).unwrap_or_else(|| panic!("{} is not declared", named.name()));
        assert_eq!(declared.op.effect(), named.effect(), "{}", named.name());
    }
}

#[test]
fn registering_the_dialect_declares_effects() {
    let _ = tvmscript_tir::nodes();
    assert_eq!(Op::get("tir.exp").effect(), Effect::Pure);
    assert_eq!(Op::get("tir.tvm_struct_get").effect(), Effect::Read);
    assert_eq!(Op::get("tir.not_an_operator").effect(), Effect::Opaque);
}

#[test]
fn script_functions_show_their_parameters() {
    for (name, usage) in [
        ("exp", "exp(x)"),
        ("call_packed", "call_packed(*args)"),
        ("tvm_call_packed", "call_packed(*args)"),
        ("dp4a", "dp4a(vec1, vec2, acc=0, *, dtype=\"int32\")"),
        ("simdgroup_load", "simdgroup_load(d, index, ptr, stride, col=8, row=8, transpose_matrix=False)"),
        ("tir.cuda.__shfl_sync", "tir.cuda.__shfl_sync(*args)"),
    ] {
        let Some(ScriptValue::Function(function)) = operator::find(name) else { panic!("no `{name}`") };
        assert_eq!(function.usage(), usage);
        assert!(!function.doc.is_empty(), "{name}");
    }
}

#[test]
fn typed_functions_take_types_and_rest_operands() {
    let x = Var::new("x", DataType::INT32).upcast();
    let call = op::call::call_extern(DataType::FLOAT32, x.clone(), [x.clone(), x.clone()]);
    assert_eq!(call.dtype(), DataType::FLOAT32);
    let fma = op::math::fma([x.clone(), x.clone(), x]).unwrap();
    assert_eq!(fma.dtype(), DataType::INT32);
    let error = op::math::fma([]).unwrap_err();
    assert_eq!(error.to_string(), "`fma` has the type of operand 0, which is not given");
    let shifted = op::bits::shift_left(2_i64.into(), IntImm::int64(3).into()).unwrap();
    assert_eq!(shifted.dtype(), DataType::INT64);
}
