//! Operators, attributes, subscripts and calls on expressions.

use tvmscript_ir_core::{Object, Ref};
use tvmscript_irbuilder::{BuildError, BuildResult, CallArgs, ScriptValue};
use tvmscript_prim::BaseExpr;
use tvmscript_prim::PrimExpr;
use tvmscript_python_syntax::ast::{BinOp, CmpOp, UnaryOp};
use tvmscript_script_parser::{Indices, Mode, Operator};

use crate::build::args::{bare_scalar, convert};
use crate::build::expr::item_of;
use crate::node::{Call, Expr, ShapeExpr, TupleStructInfo, struct_info_of};

fn expr_of(object: &Object) -> Option<&Ref<BaseExpr>> {
    object.downcast_ref::<BaseExpr>().filter(|expr| !expr.is::<PrimExpr>())
}

/// The Relax operator of a Python operator.
fn operator_name(op: Operator) -> Option<&'static str> {
    Some(match op {
        Operator::Binary(BinOp::Add) => "relax.add",
        Operator::Binary(BinOp::Sub) => "relax.subtract",
        Operator::Binary(BinOp::Mult) => "relax.multiply",
        Operator::Binary(BinOp::Div) => "relax.divide",
        Operator::Binary(BinOp::FloorDiv) => "relax.floor_divide",
        Operator::Binary(BinOp::Mod) => "relax.mod",
        Operator::Binary(BinOp::Pow) => "relax.power",
        Operator::Compare(CmpOp::Lt) => "relax.less",
        Operator::Compare(CmpOp::Gt) => "relax.greater",
        Operator::Compare(CmpOp::LtE) => "relax.less_equal",
        Operator::Compare(CmpOp::GtE) => "relax.greater_equal",
        Operator::Unary(UnaryOp::USub) => "relax.negative",
        _ => return None,
    })
}

/// A Python operator without a Relax operator, and the function to call instead.
fn function_for(op: Operator) -> Option<(&'static str, &'static str)> {
    Some(match op {
        Operator::Binary(BinOp::MatMult) => ("@", "`R.matmul`"),
        Operator::Binary(BinOp::BitAnd) => ("&", "`R.bitwise_and` or `R.logical_and`"),
        Operator::Binary(BinOp::BitOr) => ("|", "`R.bitwise_or` or `R.logical_or`"),
        Operator::Binary(BinOp::BitXor) => ("^", "`R.bitwise_xor` or `R.logical_xor`"),
        Operator::Binary(BinOp::LShift) => ("<<", "`R.left_shift`"),
        Operator::Binary(BinOp::RShift) => (">>", "`R.right_shift`"),
        Operator::Unary(UnaryOp::Invert) => ("~", "`R.bitwise_not` or `R.logical_not`"),
        _ => return None,
    })
}

/// Applies a Python operator to expressions.
pub(super) fn operator(op: Operator, operands: &[ScriptValue], _: Mode) -> BuildResult<Option<ScriptValue>> {
    if let (Operator::Compare(CmpOp::Eq | CmpOp::NotEq), [a, b]) = (op, operands) {
        // Expressions compare by identity: their values are not known yet.
        let (ScriptValue::Node(a), ScriptValue::Node(b)) = (a, b) else { return Ok(None) };
        return Ok(Some(ScriptValue::Bool(a.ptr_eq(b) == (op == Operator::Compare(CmpOp::Eq)))));
    }
    let Some(name) = operator_name(op) else {
        let is_ours =
            |value: &ScriptValue| matches!(value, ScriptValue::Node(object) if expr_of(object).is_some());
        return match function_for(op) {
            Some((sign, function)) if operands.iter().all(is_ours) => {
                let error =
                    BuildError::message(format!("Relax expressions do not support the operator `{sign}`"));
                Err(error.with_help(format!("call {function}")))
            }
            _ if op == Operator::Conditional && operands.first().is_some_and(is_ours) => {
                let error = BuildError::message(
                    "the condition is only known at run time, so it cannot choose a value here",
                );
                Err(error.with_help("write `if` and `else` as statements, or call `R.where`"))
            }
            _ => Ok(None),
        };
    };
    let mut exprs: Vec<Expr> = Vec::with_capacity(operands.len());
    for (index, operand) in operands.iter().enumerate() {
        match operand {
            ScriptValue::Node(object) => match expr_of(object) {
                Some(expr) => exprs.push(expr.clone()),
                None => return Ok(None),
            },
            ScriptValue::Int(_) | ScriptValue::Float(_) | ScriptValue::Bool(_) => {
                let error = BuildError::expected("a Relax expression on both sides", operand.type_name());
                let error = error.with_help("write the number as a constant: `R.const(2.0, \"float32\")`");
                return Err(error.at_position(index));
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(Call::of_op(name, exprs, None).into()))
}

/// `t[0]`.
pub(super) fn subscript(object: &Object, indices: &Indices) -> BuildResult<ScriptValue> {
    let (Some(expr), [ScriptValue::Int(index)]) = (expr_of(object), indices.items.as_slice()) else {
        return Err(BuildError::message("a tuple index must be an integer"));
    };
    let from_end = |count: usize| if *index < 0 { index.saturating_add(count as i64) } else { *index };
    if let Some(shape) = expr.as_node::<ShapeExpr>() {
        let value = usize::try_from(from_end(shape.values.len())).ok().and_then(|at| shape.values.get(at));
        return match value {
            Some(value) => Ok(value.clone().into()),
            None => {
                let message =
                    format!("index {index} is out of range for a shape of {} values", shape.values.len());
                Err(BuildError::message(message))
            }
        };
    }
    let fields = fields_of(expr)?;
    Ok(item_of(expr.clone(), from_end(fields))?.into())
}

/// The number of fields of a tuple.
fn fields_of(expr: &Expr) -> BuildResult<usize> {
    let info = struct_info_of(expr);
    match info.as_ref().and_then(|info| info.as_node::<TupleStructInfo>()) {
        Some(tuple) => Ok(tuple.fields.len()),
        None => {
            let found = match &info {
                Some(info) => format!("`{}`", crate::describe::struct_info(info)),
                None => "a call without struct info".to_owned(),
            };
            let error = BuildError::expected("a tuple", found);
            Err(if info.is_none() { error.with_help("bind the call to a name first") } else { error })
        }
    }
}

/// The fields of a tuple, for unpacking.
pub(super) fn items(object: &Object) -> BuildResult<Vec<ScriptValue>> {
    let Some(expr) = expr_of(object) else {
        return Err(BuildError::expected("a tuple", object.info().key()));
    };
    if let Some(shape) = expr.as_node::<ShapeExpr>() {
        return Ok(shape.values.iter().map(|value| value.clone().into()).collect());
    }
    let count = fields_of(expr)?;
    (0..count as i64).map(|index| Ok(item_of(expr.clone(), index)?.into())).collect()
}

/// `f(x)`: calls a function of the module, or the value of a variable.
pub(crate) fn call(object: &Object, args: CallArgs) -> BuildResult<ScriptValue> {
    let Some(callee) = expr_of(object) else {
        return Err(BuildError::not_callable(object.info().key()));
    };
    if let Some((name, _)) = args.keywords.first() {
        return Err(BuildError::message(format!(
            "calls of functions take no keyword arguments, found `{name}`"
        )));
    }
    let exprs = args.positional.iter().enumerate().map(|(i, value)| {
        let is_expr = match value {
            ScriptValue::Node(object) => expr_of(object).is_some() || bare_scalar(value).is_some(),
            ScriptValue::Tuple(_) => true,
            _ => false,
        };
        match is_expr {
            true => convert(value).map_err(|e| e.at_position(i)),
            false => {
                Err(BuildError::expected("a Relax expression", crate::describe::value(value)).at_position(i))
            }
        }
    });
    Ok(Call::new(callee.clone(), exprs.collect::<BuildResult<Vec<_>>>()?, None, []).into())
}

/// `x.struct_info`.
pub(super) fn attribute(object: &Object, name: &str) -> BuildResult<Option<ScriptValue>> {
    let Some(expr) = expr_of(object) else { return Ok(None) };
    Ok(match name {
        "struct_info" | "struct_info_" => struct_info_of(expr).map(Into::into),
        _ => super::inspect::attribute(expr, name)?,
    })
}

/// The attributes, for suggestions.
pub(super) fn attribute_names(_: &Object) -> Vec<String> {
    super::inspect::NAMES.into_iter().chain(["struct_info"]).map(str::to_owned).collect()
}
