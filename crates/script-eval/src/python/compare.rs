//! Comparisons.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;

use tvmscript_script_value::{Items, ScriptValue};

use super::Outcome;
use super::builtins::same_builtin;
use super::number::{Number, compare_big_float};
#[cfg(feature = "numpy")]
use super::{builtins::Builtin, numpy};
use super::{cost, dict_class, object, set, view};
use crate::eval::Raise;
use crate::eval::class::enumeration;
use crate::eval::class::natives::is_not_implemented;
use crate::eval::class::{BoundMethod, Special, is_instance, removes, same_sentinel};
use crate::host::Operator;
use crate::{Eval, EvalState};
use tvmscript_python_syntax::ast::CmpOp;

/// `a op b`, where no operand has an operator of a dialect; `is` and `in` for any operands.
pub(crate) fn compare(p: &mut Eval<'_>, op: CmpOp, a: &ScriptValue, b: &ScriptValue) -> Outcome {
    let is_rich = !matches!(op, CmpOp::Is | CmpOp::IsNot | CmpOp::In | CmpOp::NotIn);
    if is_rich
        && matches!((a, b), (ScriptValue::Host(_), _) | (_, ScriptValue::Host(_)))
        && let Some(value) = object::operate(p, Operator::Compare(op), &[a.clone(), b.clone()])?
    {
        return Ok(value);
    }
    let truth = match op {
        CmpOp::Eq => equal(p, a, b)?,
        CmpOp::NotEq => !equal(p, a, b)?,
        CmpOp::Is => {
            charge(p.state, a, b)?;
            identical(a, b)
        }
        CmpOp::IsNot => {
            charge(p.state, a, b)?;
            !identical(a, b)
        }
        CmpOp::In => contains(p, b, a)?,
        CmpOp::NotIn => !contains(p, b, a)?,
        CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE => ordered(p, op, a, b)?,
    };
    Ok(ScriptValue::Bool(truth))
}

/// Charges the comparison of two values without their elements.
fn charge(p: &EvalState, a: &ScriptValue, b: &ScriptValue) -> Result<(), Raise> {
    match (a, b) {
        (ScriptValue::Str(a), ScriptValue::Str(b)) => {
            let (a, b) = (a.as_str(), b.as_str());
            if a.as_ptr() == b.as_ptr() { Ok(()) } else { cost::scan(p, a.len().min(b.len())) }
        }
        (ScriptValue::Bytes(a), ScriptValue::Bytes(b)) => cost::scan(p, a.len().min(b.len())),
        (ScriptValue::BigInt(a), ScriptValue::BigInt(b)) => cost::words(p, a.bits().min(b.bits())),
        _ => Ok(()),
    }
}

/// Tests identity. Numbers and text have no identity here: equal ones of a type are identical.
pub(crate) fn identical(left: &ScriptValue, right: &ScriptValue) -> bool {
    match (left, right) {
        (ScriptValue::None, ScriptValue::None) | (ScriptValue::Ellipsis, ScriptValue::Ellipsis) => true,
        (ScriptValue::Bool(a), ScriptValue::Bool(b)) => a == b,
        (ScriptValue::Int(a), ScriptValue::Int(b)) => a == b,
        (ScriptValue::Float(a), ScriptValue::Float(b)) => a.to_bits() == b.to_bits(),
        (ScriptValue::Str(a), ScriptValue::Str(b)) => a.as_str().as_ptr() == b.as_str().as_ptr() || a == b,
        (ScriptValue::DType(a), ScriptValue::DType(b)) => a == b,
        (ScriptValue::Node(a), ScriptValue::Node(b)) => a.ptr_eq(b),
        (ScriptValue::Tuple(a), ScriptValue::Tuple(b)) => Rc::ptr_eq(a, b),
        (ScriptValue::List(a), ScriptValue::List(b)) => Rc::ptr_eq(a, b),
        (ScriptValue::Dict(a), ScriptValue::Dict(b)) => Rc::ptr_eq(a, b),
        (ScriptValue::Function(a), ScriptValue::Function(b)) => std::ptr::eq(*a, *b),
        (ScriptValue::Host(a), ScriptValue::Host(b)) => {
            let builtins = (a.as_any().downcast_ref(), b.as_any().downcast_ref());
            Rc::ptr_eq(a, b)
                || is_not_implemented(left) && is_not_implemented(right)
                || same_sentinel(left, right)
                || matches!(builtins, (Some(a), Some(b)) if same_builtin(a, b))
        }
        _ => false,
    }
}

fn order_of_numbers(a: &Number, b: &Number) -> Option<Ordering> {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => Some(a.cmp(b)),
        (Number::Float(a), Number::Float(b)) => a.partial_cmp(b),
        (Number::Float(a), b) => compare_big_float(b.to_big()?.as_ref(), *a).map(Ordering::reverse),
        (a, Number::Float(b)) => compare_big_float(a.to_big()?.as_ref(), *b),
        (a, b) => Some(a.to_big()?.cmp(&b.to_big()?)),
    }
}

/// `a == b`
pub(crate) fn equal(p: &mut Eval<'_>, a: &ScriptValue, b: &ScriptValue) -> Result<bool, Raise> {
    if is_instance(a) || is_instance(b) {
        let value = p.special_compare(CmpOp::Eq, a, b)?;
        return p.truth(&value);
    }
    charge(p.state, a, b)?;
    if let (Some(a), Some(b)) = (Number::of(a), Number::of(b)) {
        return Ok(order_of_numbers(&a, &b) == Some(Ordering::Equal));
    }
    match (a, b) {
        (ScriptValue::Tuple(x), ScriptValue::Tuple(y)) => Ok(Rc::ptr_eq(x, y)
            || x.len() == y.len() && first_difference(p, Sequence::Tuple(x), Sequence::Tuple(y))?.is_none()),
        (ScriptValue::List(x), ScriptValue::List(y)) => {
            if Rc::ptr_eq(x, y) {
                return Ok(true);
            }
            let same_len = x.borrow().len() == y.borrow().len();
            Ok(same_len && first_difference(p, Sequence::List(x), Sequence::List(y))?.is_none())
        }
        (ScriptValue::Dict(a), ScriptValue::Dict(b)) => {
            if Rc::ptr_eq(a, b) {
                return Ok(true);
            }
            if let Some(equal) = dict_class::equal(p, a, b)? {
                return Ok(equal);
            }
            if a.borrow().len() != b.borrow().len() {
                return Ok(false);
            }
            let mut at = 0;
            loop {
                let entry = a.borrow().get_index(at).map(|(key, value)| (key.clone(), value.clone()));
                let Some((key, value)) = entry else { return Ok(true) };
                p.state.program.budget.step(u64::from(key.weight()))?;
                let other = b.borrow().get(&key).cloned();
                match other {
                    Some(other) if same(p, &value, &other)? => {}
                    _ => return Ok(false),
                }
                at += 1;
            }
        }
        (ScriptValue::Slice(a), ScriptValue::Slice(b)) => {
            Ok(same(p, &a.start, &b.start)? && same(p, &a.stop, &b.stop)? && same(p, &a.step, &b.step)?)
        }
        (ScriptValue::Str(x), ScriptValue::Str(y)) => Ok(x == y),
        (ScriptValue::Bytes(a), ScriptValue::Bytes(b)) => Ok(a == b),
        #[cfg(feature = "numpy")]
        (ScriptValue::DType(dtype), ScriptValue::Host(host))
        | (ScriptValue::Host(host), ScriptValue::DType(dtype)) => {
            let class = host.as_any().downcast_ref::<Builtin>().filter(|builtin| builtin.is_type());
            Ok(class.and_then(|class| numpy::dtype::named(class.native.name)) == Some(*dtype))
        }
        (ScriptValue::DType(dtype), ScriptValue::Str(text))
        | (ScriptValue::Str(text), ScriptValue::DType(dtype)) => Ok(dtype.to_string() == text.as_str()),
        (ScriptValue::Host(_), ScriptValue::Host(_)) if BoundMethod::same(a, b) => Ok(true),
        (ScriptValue::Host(_), _) | (_, ScriptValue::Host(_))
            if object::of(a).is_some() || object::of(b).is_some() =>
        {
            let operands = [a.clone(), b.clone()];
            match object::operate(p, Operator::Compare(CmpOp::Eq), &operands)? {
                Some(value) => p.truth(&value),
                None => Ok(identical(a, b)),
            }
        }
        (ScriptValue::Host(_), ScriptValue::Host(_)) => match (super::range::of(a), super::range::of(b)) {
            (Some(a), Some(b)) => Ok(a.same_numbers(b)),
            _ if identical(a, b) => Ok(true),
            _ => Ok(set::equal(p, a, b)?.unwrap_or(false)),
        },
        _ => Ok(identical(a, b)),
    }
}

/// A list or tuple being compared. A list may change during the comparison.
#[derive(Clone, Copy)]
enum Sequence<'a> {
    Tuple(&'a Rc<Items>),
    List(&'a Rc<RefCell<Items>>),
}

impl Sequence<'_> {
    fn len(self) -> usize {
        match self {
            Sequence::Tuple(items) => items.len(),
            Sequence::List(items) => items.borrow().len(),
        }
    }

    fn get(self, at: usize) -> Option<ScriptValue> {
        match self {
            Sequence::Tuple(items) => items.get(at).cloned(),
            Sequence::List(items) => items.borrow().get(at).cloned(),
        }
    }
}

/// `a is b or a == b`, with a dialect's `==` on nodes.
pub(crate) fn same(p: &mut Eval<'_>, a: &ScriptValue, b: &ScriptValue) -> Result<bool, Raise> {
    p.state.program.budget.step(1)?;
    charge(p.state, a, b)?;
    if identical(a, b) && !matches!(a, ScriptValue::Float(_)) {
        return Ok(true);
    }
    tvmscript_ir_core::with_stack(|| {
        if matches!(a, ScriptValue::Node(_)) || matches!(b, ScriptValue::Node(_)) {
            let value = p.apply(Operator::Compare(CmpOp::Eq), &[a.clone(), b.clone()])?;
            return p.truth(&value);
        }
        p.state.program.budget.enter_call()?;
        let result = equal(p, a, b);
        p.state.program.budget.leave_call();
        result
    })
}

/// Index of the first difference of two sequences.
fn first_difference(p: &mut Eval<'_>, a: Sequence, b: Sequence) -> Result<Option<usize>, Raise> {
    let mut at = 0;
    while let (Some(x), Some(y)) = (a.get(at), b.get(at)) {
        if !same(p, &x, &y)? {
            return Ok(Some(at));
        }
        at += 1;
    }
    Ok(if a.len() == b.len() { None } else { Some(at) })
}

fn ordered(p: &mut Eval<'_>, op: CmpOp, a: &ScriptValue, b: &ScriptValue) -> Result<bool, Raise> {
    charge(p.state, a, b)?;
    let order = if let (Some(a), Some(b)) = (Number::of(a), Number::of(b)) {
        order_of_numbers(&a, &b)
    } else {
        match (a, b) {
            (ScriptValue::Str(a), ScriptValue::Str(b)) => Some(a.as_str().cmp(b.as_str())),
            (ScriptValue::Bytes(a), ScriptValue::Bytes(b)) => Some(a.cmp(b)),
            (ScriptValue::Tuple(a), ScriptValue::Tuple(b)) => {
                return sequences(p, op, Sequence::Tuple(a), Sequence::Tuple(b));
            }
            (ScriptValue::List(a), ScriptValue::List(b)) => {
                return sequences(p, op, Sequence::List(a), Sequence::List(b));
            }
            (ScriptValue::Dict(_), ScriptValue::Dict(_)) if dict_class::is_counter(a) => {
                return Err(dict_class::unsupported_operator());
            }
            (ScriptValue::Host(_), _) | (_, ScriptValue::Host(_))
                if object::of(a).is_some() || object::of(b).is_some() =>
            {
                let operands = [a.clone(), b.clone()];
                return match object::operate(p, Operator::Compare(op), &operands)? {
                    Some(value) => p.truth(&value),
                    None => Err(not_ordered(op, a, b)),
                };
            }
            _ => match set::order(p, op, a, b)? {
                Some(truth) => return Ok(truth),
                None => return Err(not_ordered(op, a, b)),
            },
        }
    };
    Ok(order.is_some_and(|order| fits(op, order)))
}

fn not_ordered(op: CmpOp, a: &ScriptValue, b: &ScriptValue) -> Raise {
    let op = op.as_str();
    wrong_type!("'{op}' not supported between instances of '{}' and '{}'", a, b).into()
}

fn fits(op: CmpOp, order: Ordering) -> bool {
    match op {
        CmpOp::Lt => order.is_lt(),
        CmpOp::LtE => order.is_le(),
        CmpOp::Gt => order.is_gt(),
        _ => order.is_ge(),
    }
}

fn sequences(p: &mut Eval<'_>, op: CmpOp, a: Sequence, b: Sequence) -> Result<bool, Raise> {
    match first_difference(p, a, b)? {
        Some(index) => match (a.get(index), b.get(index)) {
            (Some(a), Some(b)) => {
                p.state.program.budget.enter_call()?;
                let result = tvmscript_ir_core::with_stack(|| {
                    let value = p.apply(Operator::Compare(op), &[a, b])?;
                    p.truth(&value)
                });
                p.state.program.budget.leave_call();
                result
            }
            _ => Ok(fits(op, a.len().cmp(&b.len()))),
        },
        None => Ok(fits(op, Ordering::Equal)),
    }
}

/// `item in container`
pub(crate) fn contains(p: &mut Eval<'_>, container: &ScriptValue, item: &ScriptValue) -> Result<bool, Raise> {
    if let Some(object) = object::of(container)
        && let Some(found) = object.contains(p, item)?
    {
        return Ok(found);
    }
    if removes(container, "__contains__") {
        return Err(wrong_type!("'{}' object is not a container", container).into());
    }
    if is_instance(container)
        && let Special::Value(found) = p.call_special(container, "__contains__", [item.clone()])?
    {
        return p.truth(&found);
    }
    if enumeration::is_enumeration(container) {
        return enumeration::contains(p, container, item);
    }
    let own = container;
    // An `__iter__` of the class comes before the payload.
    let container = if p.iterates_itself(own) { own } else { own.plain() };
    match container {
        ScriptValue::Str(text) => match item.plain() {
            ScriptValue::Str(part) => {
                cost::scan(p.state, text.as_str().len() + part.as_str().len())?;
                Ok(text.as_str().contains(part.as_str()))
            }
            _ => Err(wrong_type!("'in <string>' requires string as left operand, not {}", item).into()),
        },
        ScriptValue::Bytes(bytes) => {
            // The naive search is quadratic on repetitive data.
            cost::scan(p.state, bytes.len().saturating_mul(1 + cost::size(item) as usize))?;
            match (item, super::number::small_index(item)) {
                (ScriptValue::Bytes(part), _) => Ok(find_bytes(bytes, part)),
                (_, Some(byte)) => match u8::try_from(byte) {
                    Ok(byte) => Ok(bytes.contains(&byte)),
                    Err(_) => raise!(Value, "byte must be in range(0, 256)"),
                },
                _ => Err(wrong_type!("a bytes-like object is required, not '{}'", item).into()),
            }
        }
        ScriptValue::Dict(dict) => {
            let key = p.hashable(item.clone())?;
            Ok(dict.borrow().contains_key(&key))
        }
        ScriptValue::Host(_) if set::len(container).is_some() => {
            // `set in set` compares the set as a frozen one.
            let key = match item.as_host::<set::Set>() {
                Some(items) if !items.frozen => {
                    let items = items.items.borrow();
                    cost::entries(p.state, items.len())?;
                    set::charge_keys(p.state, items.iter())?;
                    set::value(items.clone(), true)
                }
                _ => item.clone(),
            };
            let key = p.hashable(key)?;
            Ok(set::contains(container, &key))
        }
        ScriptValue::Host(_) if super::range::of(container).is_some() => {
            let range = super::range::of(container).cloned();
            Ok(range.is_some_and(|range| range.contains(item)))
        }
        ScriptValue::Host(_) if view::of(container).is_some() => {
            view::of(container).map_or(Ok(false), |view| view::contains(p, view, item))
        }
        _ => {
            let mut iter = p.iterate(container).map_err(|raise| match raise {
                Raise::Kind(crate::EvalErrorKind::Host(_)) => {
                    wrong_type!("argument of type '{}' is not iterable", own).into()
                }
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

fn find_bytes(bytes: &[u8], part: &[u8]) -> bool {
    part.is_empty() || bytes.windows(part.len()).any(|window| window == part)
}
