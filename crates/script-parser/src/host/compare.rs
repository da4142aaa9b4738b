//! Comparisons.

use std::cmp::Ordering;
use std::rc::Rc;

use tvmscript_irbuilder::ScriptValue;

use super::number::{Number, compare_big_float};
use super::{set, type_name};
use crate::ast::CmpOp;
use crate::errors::HostError;
use crate::eval::Raise;
use crate::parser::Parser;
use crate::table::Operator;

/// `a op b` of values of which none has a dialect's operator; `is` and `in` of any.
pub(crate) fn compare(
    p: &mut Parser,
    op: CmpOp,
    a: &ScriptValue,
    b: &ScriptValue,
) -> Result<ScriptValue, Raise> {
    let truth = match op {
        CmpOp::Eq => equal(p, a, b)?,
        CmpOp::NotEq => !equal(p, a, b)?,
        CmpOp::Is => identical(a, b),
        CmpOp::IsNot => !identical(a, b),
        CmpOp::In => contains(p, b, a)?,
        CmpOp::NotIn => !contains(p, b, a)?,
        CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE => ordered(p, op, a, b)?,
    };
    Ok(ScriptValue::Bool(truth))
}

/// Whether both are one object. Numbers and text have no identity of their own here: equal ones of a kind are one.
fn identical(a: &ScriptValue, b: &ScriptValue) -> bool {
    match (a, b) {
        (ScriptValue::None, ScriptValue::None) | (ScriptValue::Ellipsis, ScriptValue::Ellipsis) => true,
        (ScriptValue::Bool(a), ScriptValue::Bool(b)) => a == b,
        (ScriptValue::Int(a), ScriptValue::Int(b)) => a == b,
        (ScriptValue::Float(a), ScriptValue::Float(b)) => a.to_bits() == b.to_bits(),
        (ScriptValue::Str(a), ScriptValue::Str(b)) => a == b,
        (ScriptValue::DType(a), ScriptValue::DType(b)) => a == b,
        (ScriptValue::Node(a), ScriptValue::Node(b)) => a.ptr_eq(b),
        (ScriptValue::Tuple(a), ScriptValue::Tuple(b)) => Rc::ptr_eq(a, b),
        (ScriptValue::List(a), ScriptValue::List(b)) => Rc::ptr_eq(a, b),
        (ScriptValue::Dict(a), ScriptValue::Dict(b)) => Rc::ptr_eq(a, b),
        (ScriptValue::Function(a), ScriptValue::Function(b)) => std::ptr::eq(*a, *b),
        (ScriptValue::Host(a), ScriptValue::Host(b)) => Rc::ptr_eq(a, b) || same_builtin(a, b),
        _ => false,
    }
}

fn same_builtin(
    a: &Rc<dyn tvmscript_irbuilder::HostObject>,
    b: &Rc<dyn tvmscript_irbuilder::HostObject>,
) -> bool {
    use super::builtins::Builtin;
    match (a.as_any().downcast_ref::<Builtin>(), b.as_any().downcast_ref::<Builtin>()) {
        (Some(a), Some(b)) => a.name == b.name,
        _ => false,
    }
}

fn order_of_numbers(a: &Number, b: &Number) -> Option<Ordering> {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => Some(a.cmp(b)),
        (Number::Float(a), Number::Float(b)) => a.partial_cmp(b),
        (Number::Float(a), b) => compare_big_float(&b.to_big()?, *a).map(Ordering::reverse),
        (a, Number::Float(b)) => compare_big_float(&a.to_big()?, *b),
        (a, b) => Some(a.to_big()?.cmp(&b.to_big()?)),
    }
}

/// `a == b`
pub(crate) fn equal(p: &mut Parser, a: &ScriptValue, b: &ScriptValue) -> Result<bool, Raise> {
    if let (Some(a), Some(b)) = (Number::of(a), Number::of(b)) {
        return Ok(order_of_numbers(&a, &b) == Some(Ordering::Equal));
    }
    match (a, b) {
        (ScriptValue::Tuple(a), ScriptValue::Tuple(b)) => {
            Ok(Rc::ptr_eq(a, b) || first_difference(p, a, b)?.is_none())
        }
        (ScriptValue::List(a), ScriptValue::List(b)) => {
            if Rc::ptr_eq(a, b) {
                return Ok(true);
            }
            let (a, b) = (a.borrow().clone(), b.borrow().clone());
            Ok(first_difference(p, &a, &b)?.is_none())
        }
        (ScriptValue::Dict(a), ScriptValue::Dict(b)) => {
            if Rc::ptr_eq(a, b) {
                return Ok(true);
            }
            let (a, b) = (a.borrow().clone(), b.borrow().clone());
            if a.len() != b.len() {
                return Ok(false);
            }
            for (key, value) in &a {
                match b.get(key) {
                    Some(other) if same(p, value, other)? => {}
                    _ => return Ok(false),
                }
            }
            Ok(true)
        }
        (ScriptValue::Str(a), ScriptValue::Str(b)) => Ok(a == b),
        (ScriptValue::Bytes(a), ScriptValue::Bytes(b)) => Ok(a == b),
        (ScriptValue::DType(dtype), ScriptValue::Str(text))
        | (ScriptValue::Str(text), ScriptValue::DType(dtype)) => Ok(dtype.to_string() == text.as_str()),
        (ScriptValue::Host(_), ScriptValue::Host(_)) => match (super::range::of(a), super::range::of(b)) {
            (Some(a), Some(b)) => Ok(a.same_numbers(b)),
            _ => Ok(set::equal(a, b).unwrap_or_else(|| identical(a, b))),
        },
        _ => Ok(identical(a, b)),
    }
}

/// `a is b or a == b`, with the dialects' own `==` on nodes.
fn same(p: &mut Parser, a: &ScriptValue, b: &ScriptValue) -> Result<bool, Raise> {
    if identical(a, b) && !matches!(a, ScriptValue::Float(_)) {
        return Ok(true);
    }
    p.shared.step(1)?;
    tvmscript_ir_core::with_stack(|| {
        if matches!(a, ScriptValue::Node(_)) || matches!(b, ScriptValue::Node(_)) {
            let value = p.apply(Operator::Compare(CmpOp::Eq), &[a.clone(), b.clone()])?;
            return p.truth(&value);
        }
        p.shared.enter_call()?;
        let result = equal(p, a, b);
        p.shared.leave_call();
        result
    })
}

/// The first place where two sequences differ.
fn first_difference(p: &mut Parser, a: &[ScriptValue], b: &[ScriptValue]) -> Result<Option<usize>, Raise> {
    for (index, (a, b)) in a.iter().zip(b).enumerate() {
        if !same(p, a, b)? {
            return Ok(Some(index));
        }
    }
    Ok(if a.len() == b.len() { None } else { Some(a.len().min(b.len())) })
}

fn ordered(p: &mut Parser, op: CmpOp, a: &ScriptValue, b: &ScriptValue) -> Result<bool, Raise> {
    let order = if let (Some(a), Some(b)) = (Number::of(a), Number::of(b)) {
        order_of_numbers(&a, &b)
    } else {
        match (a, b) {
            (ScriptValue::Str(a), ScriptValue::Str(b)) => Some(a.as_str().cmp(b.as_str())),
            (ScriptValue::Bytes(a), ScriptValue::Bytes(b)) => Some(a.cmp(b)),
            (ScriptValue::Tuple(a), ScriptValue::Tuple(b)) => return sequences(p, op, a, b),
            (ScriptValue::List(a), ScriptValue::List(b)) => {
                let (a, b) = (a.borrow().clone(), b.borrow().clone());
                return sequences(p, op, &a, &b);
            }
            _ => match set::order(op, a, b) {
                Some(truth) => return Ok(truth),
                None => {
                    let message = format!(
                        "'{}' not supported between instances of '{}' and '{}'",
                        op.as_str(),
                        type_name(a),
                        type_name(b)
                    );
                    return Err(HostError::type_error(message).into());
                }
            },
        }
    };
    Ok(order.is_some_and(|order| fits(op, order)))
}

fn fits(op: CmpOp, order: Ordering) -> bool {
    match op {
        CmpOp::Lt => order.is_lt(),
        CmpOp::LtE => order.is_le(),
        CmpOp::Gt => order.is_gt(),
        _ => order.is_ge(),
    }
}

fn sequences(p: &mut Parser, op: CmpOp, a: &[ScriptValue], b: &[ScriptValue]) -> Result<bool, Raise> {
    match first_difference(p, a, b)? {
        Some(index) => match (a.get(index), b.get(index)) {
            (Some(a), Some(b)) => {
                p.shared.enter_call()?;
                let result = tvmscript_ir_core::with_stack(|| {
                    let value = p.apply(Operator::Compare(op), &[a.clone(), b.clone()])?;
                    p.truth(&value)
                });
                p.shared.leave_call();
                result
            }
            _ => Ok(fits(op, a.len().cmp(&b.len()))),
        },
        None => Ok(fits(op, Ordering::Equal)),
    }
}

/// `item in container`
pub(crate) fn contains(p: &mut Parser, container: &ScriptValue, item: &ScriptValue) -> Result<bool, Raise> {
    match container {
        ScriptValue::Str(text) => match item {
            ScriptValue::Str(part) => Ok(text.as_str().contains(part.as_str())),
            _ => {
                let message =
                    format!("'in <string>' requires string as left operand, not {}", type_name(item));
                Err(HostError::type_error(message).into())
            }
        },
        ScriptValue::Dict(dict) => {
            let key = p.hashable(item.clone())?;
            Ok(dict.borrow().contains_key(&key))
        }
        ScriptValue::Host(_) if set::len(container).is_some() => {
            let key = p.hashable(item.clone())?;
            Ok(set::contains(container, &key))
        }
        ScriptValue::Host(_) if super::range::of(container).is_some() => {
            let range = super::range::of(container).cloned();
            Ok(range.is_some_and(|range| range.contains(item)))
        }
        _ => {
            let mut iter = p.iterate(container).map_err(|raise| match raise {
                Raise::Kind(crate::ParseErrorKind::Host(_)) => HostError::type_error(format!(
                    "argument of type '{}' is not iterable",
                    type_name(container)
                ))
                .into(),
                other => other,
            })?;
            while let Some(value) = p.next(&mut iter)? {
                if same(p, &value, item)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
    }
}
