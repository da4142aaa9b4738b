//! Operators and built-in functions on instances, by the methods that their classes define.

use tvmscript_python_syntax::ast::{BinOp, CmpOp, UnaryOp};
use tvmscript_script_value::ScriptValue;

use super::{ClassObject, Instance, is_subclass, mro_of};
use crate::errors::EvalErrorKind;
use crate::eval::{Placeholder, Raise, exception};
use crate::python::{Outcome, arith, compare, type_name};
use crate::{Eval, HostErrorKind};

/// The outcome of a special method.
pub(crate) enum Special {
    /// Its result.
    Value(ScriptValue),
    /// It returned `NotImplemented`.
    NotImplemented,
    /// The class does not define it.
    Missing,
}

/// The method that a class or one of its bases defines in Python; those of built-in types are left out.
pub(super) fn find(class: &ScriptValue, name: &str) -> Option<ScriptValue> {
    let is_defined = |class: &ScriptValue| class.as_host::<ClassObject>().and_then(|class| class.own(name));
    match is_defined(class) {
        Some(member) => Some(member),
        None => class.as_host::<ClassObject>()?.mro.iter().find_map(is_defined),
    }
}

/// Tests whether an operand may define operators.
#[inline]
pub(crate) fn is_instance(value: &ScriptValue) -> bool {
    matches!(value, ScriptValue::Host(_)) && value.as_host::<Instance>().is_some()
}

/// The class whose methods define the operations of a value.
pub(super) fn definer(value: &ScriptValue) -> Option<&ScriptValue> {
    value.as_host::<Instance>().map(|instance| &instance.class)
}

/// Tests whether the class of a value takes a special method away: `__iter__ = None`.
pub(crate) fn removes(value: &ScriptValue, name: &str) -> bool {
    let class = value.as_host::<Instance>().map(|instance| &instance.class);
    class.and_then(|class| find(class, name)).is_some_and(|member| matches!(member, ScriptValue::None))
}

/// The methods of a binary operator: plain, reflected, in place.
fn binary_names(op: BinOp) -> [&'static str; 3] {
    match op {
        BinOp::Add => ["__add__", "__radd__", "__iadd__"],
        BinOp::Sub => ["__sub__", "__rsub__", "__isub__"],
        BinOp::Mult => ["__mul__", "__rmul__", "__imul__"],
        BinOp::MatMult => ["__matmul__", "__rmatmul__", "__imatmul__"],
        BinOp::Div => ["__truediv__", "__rtruediv__", "__itruediv__"],
        BinOp::FloorDiv => ["__floordiv__", "__rfloordiv__", "__ifloordiv__"],
        BinOp::Mod => ["__mod__", "__rmod__", "__imod__"],
        BinOp::Pow => ["__pow__", "__rpow__", "__ipow__"],
        BinOp::LShift => ["__lshift__", "__rlshift__", "__ilshift__"],
        BinOp::RShift => ["__rshift__", "__rrshift__", "__irshift__"],
        BinOp::BitOr => ["__or__", "__ror__", "__ior__"],
        BinOp::BitXor => ["__xor__", "__rxor__", "__ixor__"],
        BinOp::BitAnd => ["__and__", "__rand__", "__iand__"],
    }
}

/// The methods of a comparison: plain and with swapped operands.
fn compare_names(op: CmpOp) -> [&'static str; 2] {
    match op {
        CmpOp::Lt => ["__lt__", "__gt__"],
        CmpOp::LtE => ["__le__", "__ge__"],
        CmpOp::Gt => ["__gt__", "__lt__"],
        CmpOp::GtE => ["__ge__", "__le__"],
        CmpOp::NotEq => ["__ne__", "__ne__"],
        _ => ["__eq__", "__eq__"],
    }
}

impl Eval<'_> {
    /// Tests whether the class of `b` is a subclass of that of `a`, so that its reflected method comes first.
    fn reflects_first(&self, a: &ScriptValue, b: &ScriptValue) -> bool {
        match (self.class_of(a), self.class_of(b)) {
            (Some(a), Some(b)) => !compare::identical(&a, &b) && is_subclass(&b, &a),
            _ => false,
        }
    }

    /// Tests whether the class of `b` has another method of this name than that of `a`.
    fn is_overloaded(&self, a: &ScriptValue, b: &ScriptValue, name: &str) -> bool {
        let method = |value: &ScriptValue| value.as_host::<Instance>().and_then(|x| find(&x.class, name));
        match (method(a), method(b)) {
            (Some(own), Some(other)) => !compare::identical(&own, &other),
            _ => true,
        }
    }

    fn same_class(&self, a: &ScriptValue, b: &ScriptValue) -> bool {
        match (self.class_of(a), self.class_of(b)) {
            (Some(a), Some(b)) => compare::identical(&a, &b),
            _ => false,
        }
    }

    /// `a op b`, where an operand is an instance.
    pub(crate) fn special_binary(&mut self, op: BinOp, a: &ScriptValue, b: &ScriptValue) -> Outcome {
        let [plain, reflected, _] = binary_names(op);
        if op == BinOp::Mult {
            // A sequence is repeated as often as `__index__` says.
            let is_sequence = |x: &ScriptValue| {
                matches!(
                    x.plain(),
                    ScriptValue::Str(_)
                        | ScriptValue::List(_)
                        | ScriptValue::Tuple(_)
                        | ScriptValue::Bytes(_)
                )
            };
            let has_index = |x: &ScriptValue| {
                x.as_host::<Instance>().is_some_and(|x| find(&x.class, "__index__").is_some())
            };
            if is_sequence(a) && has_index(b) {
                let count = self.as_index(b.clone())?;
                return arith::binary(self, op, a.plain(), &count);
            }
            if is_sequence(b) && has_index(a) && definer(a).is_none_or(|a| find(a, plain).is_none()) {
                let count = self.as_index(a.clone())?;
                return arith::binary(self, op, &count, b.plain());
            }
        }
        // Text formats any operand, and never leaves the operation to it.
        if op == BinOp::Mod && matches!(a, ScriptValue::Str(_)) && !matches!(b.plain(), ScriptValue::Str(_)) {
            return arith::binary(self, op, a, b);
        }
        self.special_pair(a, b, plain, reflected, |p, a, b| arith::binary(p, op, a, b))
    }

    fn special_pair(
        &mut self,
        a: &ScriptValue,
        b: &ScriptValue,
        plain: &str,
        reflected: &str,
        native: impl FnOnce(&mut Self, &ScriptValue, &ScriptValue) -> Outcome,
    ) -> Outcome {
        let is_defined =
            |x: &ScriptValue, name: &str| definer(x).is_some_and(|class| find(class, name).is_some());
        // An overridden operator hides that of the payload.
        let (hides_a, hides_b) = (is_defined(a, plain), is_defined(b, reflected));
        let first = hides_b && self.reflects_first(a, b) && self.is_overloaded(a, b, reflected);
        if first && let Special::Value(value) = self.call_special(b, reflected, [a.clone()])? {
            return Ok(value);
        }
        if let Special::Value(value) = self.call_special(a, plain, [b.clone()])? {
            return Ok(value);
        }
        if !first
            && !self.same_class(a, b)
            && let Special::Value(value) = self.call_special(b, reflected, [a.clone()])?
        {
            return Ok(value);
        }
        let opaque = |x: &ScriptValue, hides: bool| hides && x.as_host::<Instance>().is_some();
        let (x, y) = (
            if opaque(a, hides_a) { a } else { a.plain() },
            if opaque(b, hides_b && !hides_a) { b } else { b.plain() },
        );
        // Messages name the classes of the operands.
        native(self, x, y).map_err(|raise| renamed(raise, &[(x, a), (y, b)]))
    }

    /// `a op= b` by a method of `a`; `None` if its class does not define it.
    pub(crate) fn special_in_place(
        &mut self,
        op: BinOp,
        a: &ScriptValue,
        b: &ScriptValue,
    ) -> Result<Option<ScriptValue>, Raise> {
        let [_, _, in_place] = binary_names(op);
        match self.call_special(a, in_place, [b.clone()])? {
            Special::Value(value) => Ok(Some(value)),
            _ => Ok(None),
        }
    }

    /// `a op b` of a comparison other than `is` and `in`, where an operand is an instance.
    pub(crate) fn special_compare(&mut self, op: CmpOp, a: &ScriptValue, b: &ScriptValue) -> Outcome {
        let [plain, swapped] = compare_names(op);
        let first = is_instance(b) && self.reflects_first(a, b);
        if first && let Special::Value(value) = self.compare_method(b, swapped, a)? {
            return Ok(value);
        }
        if let Special::Value(value) = self.compare_method(a, plain, b)? {
            return Ok(value);
        }
        if !first && let Special::Value(value) = self.compare_method(b, swapped, a)? {
            return Ok(value);
        }
        let (x, y) = (a.plain(), b.plain());
        if is_instance(x) || is_instance(y) {
            return match op {
                CmpOp::Eq => Ok(ScriptValue::Bool(compare::identical(a, b))),
                CmpOp::NotEq => Ok(ScriptValue::Bool(!compare::identical(a, b))),
                _ => {
                    let op = op.as_str();
                    let error = wrong_type!("'{op}' not supported between instances of '{}' and '{}'", a, b);
                    Err(error.into())
                }
            };
        }
        compare::compare(self, op, x, y).map_err(|raise| renamed(raise, &[(x, a), (y, b)]))
    }

    /// Calls a comparison method. `!=` without a method of its own inverts `==`.
    fn compare_method(&mut self, a: &ScriptValue, name: &str, b: &ScriptValue) -> Result<Special, Raise> {
        match self.call_special(a, name, [b.clone()])? {
            Special::Missing if name == "__ne__" => match self.call_special(a, "__eq__", [b.clone()])? {
                Special::Value(value) => Ok(Special::Value(ScriptValue::Bool(!self.truth(&value)?))),
                other => Ok(other),
            },
            other => Ok(other),
        }
    }

    /// `op a`, where the operand is an instance.
    pub(crate) fn special_unary(&mut self, op: UnaryOp, a: &ScriptValue) -> Outcome {
        let name = match op {
            UnaryOp::USub => "__neg__",
            UnaryOp::UAdd => "__pos__",
            UnaryOp::Invert => "__invert__",
            UnaryOp::Not => return Ok(ScriptValue::Bool(!self.truth(a)?)),
        };
        match self.call_special(a, name, [])? {
            Special::Value(value) => Ok(value),
            _ => arith::unary(self, op, a.plain()),
        }
    }

    /// The truth of an instance.
    pub(crate) fn special_truth(&mut self, value: &ScriptValue) -> Result<bool, Raise> {
        match self.call_special(value, "__bool__", [])? {
            Special::Value(ScriptValue::Bool(truth)) => Ok(truth),
            Special::Value(other) => {
                Err(wrong_type!("__bool__ should return bool, returned {}", &other).into())
            }
            _ => match self.special_len(value)? {
                Some(len) => Ok(len > 0),
                None if is_instance(value.plain()) => Ok(true),
                None => Ok(crate::python::truth(value.plain())),
            },
        }
    }

    /// `len(value)` by a method of its class.
    pub(crate) fn special_len(&mut self, value: &ScriptValue) -> Result<Option<i64>, Raise> {
        let Special::Value(len) = self.call_special(value, "__len__", [])? else { return Ok(None) };
        let len = self.as_index(len)?;
        match crate::python::number::small_index(&len) {
            Some(len) if len >= 0 => Ok(Some(len)),
            Some(_) => raise!(Value, "__len__() should return >= 0"),
            None => Err(wrong_type!("'{}' object cannot be interpreted as an integer", &len).into()),
        }
    }

    /// The integer that an instance stands for as an index; other values stay.
    pub(crate) fn as_index(&mut self, value: ScriptValue) -> Outcome {
        if !is_instance(&value) {
            return Ok(value);
        }
        if let payload @ (ScriptValue::Int(_) | ScriptValue::BigInt(_)) = value.plain() {
            return Ok(payload.clone());
        }
        match self.call_special(&value, "__index__", [])? {
            Special::Value(index @ (ScriptValue::Int(_) | ScriptValue::BigInt(_) | ScriptValue::Bool(_))) => {
                Ok(index)
            }
            Special::Value(other) => Err(wrong_type!("__index__ returned non-int (type {})", &other).into()),
            _ => Ok(value.plain().clone()),
        }
    }

    /// The text that `__str__` or `__repr__` returns.
    pub(crate) fn special_text(&mut self, value: &ScriptValue, name: &str) -> Result<Option<String>, Raise> {
        match self.call_special(value, name, [])? {
            Special::Value(text) => match text.as_str() {
                Some(text) => Ok(Some(text.to_owned())),
                None => Err(wrong_type!("{name} returned non-string (type {})", &text).into()),
            },
            _ => Ok(None),
        }
    }

    /// Runs `f`; returns `None` if it raises an exception of this class.
    pub(crate) fn catching<T>(
        &mut self,
        class: &str,
        f: impl FnOnce(&mut Self) -> Result<T, Raise>,
    ) -> Result<Option<T>, Raise> {
        match self.attempt(f)? {
            Ok(value) => Ok(Some(value)),
            Err(exception) if exception::is_of(&exception, class) => Ok(None),
            Err(exception) => Err(Raise::Exception(exception)),
        }
    }

    /// Tests `isinstance(value, class)` for a single class; `None` if that is unknown.
    pub(crate) fn is_of_class(
        &mut self,
        value: &ScriptValue,
        class: &ScriptValue,
    ) -> Result<Option<bool>, Placeholder> {
        let Some(own) = self.class_of(value) else { return Ok(None) };
        if is_subclass(&own, class) {
            return Ok(Some(true));
        }
        match own.as_host::<ClassObject>() {
            Some(object) if mro_of(&own).iter().any(|c| !super::is_class(c)) => {
                Err(self.state.unknown_instance(object))
            }
            _ => Ok(Some(false)),
        }
    }
}

/// Replaces the types of payloads in the message of a `TypeError` by the classes of the operands.
fn renamed(raise: Raise, operands: &[(&ScriptValue, &ScriptValue)]) -> Raise {
    let Raise::Kind(EvalErrorKind::Host(error)) = raise else { return raise };
    if error.kind != HostErrorKind::Type {
        return error.into();
    }
    let mut message = error.message.clone();
    for (plain, own) in operands {
        if is_instance(own) && !is_instance(plain) {
            let (from, to) = (format!("'{}'", type_name(plain)), format!("'{}'", type_name(own)));
            message = message.replacen(&from, &to, 1);
        }
    }
    error.with_message(message).into()
}
