//! Heads of functions: the arguments of the decorator, and symbolic dimensions.

use tvmscript_ir_core::DataType;
use tvmscript_irbuilder::FromScript as _;
use tvmscript_prim::Var;
use tvmscript_python_syntax::ast::{FunctionDef, Name, Parameter};
use tvmscript_script_parser::{Definition, EvalResult, Parser, Shadowing, is_type_variable};
use tvmscript_tir::build::function::Flags;
use tvmscript_tir::build::types::{TypeArg, call_annotation};
use tvmscript_tir::parse::function::{Head, declare_with, define_with};
use tvmscript_tir::parse::handlers::{Handlers, TVM_0_23};

use super::FOLDING;
use super::build::{Dynamic, dtype_of};
use crate::tvm_0_27::{assign, view};

/// The handlers of the release.
pub(super) const HANDLERS: Handlers = Handlers {
    define: |p, definition| FOLDING.with(|| define_with(p, definition, &HEAD)),
    declare: |p, definition| FOLDING.with(|| declare_with(p, definition, &HEAD)),
    assign: assign::assign,
    ann_assign: assign::ann_assign,
    expr_attribute: view::expr_attribute,
    buffer_attribute: view::attribute,
    unknown_call: TVM_0_23.unknown_call,
};

pub(super) const HEAD: Head = Head {
    flags,
    begin,
    annotation: |p, _, Parameter { annotation, .. }| match annotation {
        Some(at) => {
            let value = p.eval(at)?;
            let value = call_annotation(value);
            p.checked(at, value)
        }
        None => Ok(tvmscript_irbuilder::ScriptValue::None),
    },
};

fn flags(p: &mut Parser<'_>, definition: &Definition<FunctionDef>) -> EvalResult<Flags> {
    let [is_private, is_checked] =
        p.decorator_flags(definition, [("private", false), ("check_well_formed", true)])?;
    if !is_checked {
        p.skip_check(definition);
    }
    Ok(Flags { is_private, ..Flags::default() })
}

/// The type of a type parameter: its bound, `n: T.int64`, or `int32`.
fn dtype_of_parameter(p: &mut Parser<'_>, node: &FunctionDef, name: Name) -> EvalResult<DataType> {
    let mut params = (0..node.type_params.len()).filter_map(|index| p.item(node.type_params, index));
    let Some(at) = params.find(|param| param.name == name).and_then(|param| param.annotation) else {
        return Ok(DataType::INT32);
    };
    let bound = p.eval(at)?;
    let dtype = TypeArg::from_script(bound).and_then(|ty| dtype_of(&ty));
    p.checked(at, dtype)
}

/// Defines the symbolic dimensions that the function mentions.
fn begin(p: &mut Parser<'_>, node: &FunctionDef) -> EvalResult<()> {
    for (name, at) in p.names_of(node) {
        let Some(value) = p.value_of(name).filter(is_type_variable) else { continue };
        let variable = match value.as_host::<Dynamic>() {
            Some(dynamic) => dynamic.0.clone(),
            None => Var::new(p.name_str(name), dtype_of_parameter(p, node, name)?),
        };
        p.define(name, variable.into(), at, Shadowing::OuterFrames)?;
    }
    Ok(())
}
