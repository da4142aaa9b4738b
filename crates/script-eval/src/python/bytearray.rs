//! `bytearray`, the mutable `bytes`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use tvmscript_python_syntax::ast::{BinOp, CmpOp};
use tvmscript_script_value::{Hashing, HostObject, ScriptValue};

use super::builtins::{Table, bytes_of_value, own};
use super::object::{Advance, LibraryObject, Protocol, cast};
use super::{Outcome, arith, compare, cost, number, percent, repr, subscript};
use crate::Eval;
use crate::eval::{Iter, Raise};
use crate::host::Operator;

/// A `bytearray`.
pub(crate) struct ByteArray {
    bytes: RefCell<Vec<u8>>,
}

/// The bytes of a `bytes` or `bytearray`; `None` for other values. Those of a `bytearray` are a copy, which is charged.
pub(crate) fn content(p: &Eval<'_>, value: &ScriptValue) -> Result<Option<Rc<[u8]>>, Raise> {
    Ok(match (value.plain(), cast::<ByteArray>(value)) {
        (ScriptValue::Bytes(bytes), _) => Some(bytes.clone()),
        (_, Some(array)) => {
            cost::scan(p.state, 8 * array.bytes.borrow().len())?;
            Some(array.bytes.borrow().as_slice().into())
        }
        _ => None,
    })
}

/// Methods that change the array; [`Protocol::methods`] has them beside those of `bytes`.
pub(crate) static METHODS: Table = &[
    own("append").one(|p, v, byte| {
        let byte = byte_of(&byte)?;
        p.state.program.budget.allocate(2)?;
        change(v, |bytes| bytes.push(byte))
    }),
    own("clear").zero(|_, v| change(v, Vec::clear)),
    own("copy").zero(|p, v| {
        let bytes = content(p, v)?.unwrap_or_default();
        ByteArray::charged(p, bytes.to_vec())
    }),
    own("extend").one(|p, v, items| {
        let more = bytes_of_value(p, &items)?;
        p.state.program.budget.allocate(2 * more.len() as u64)?;
        change(v, |bytes| bytes.extend(more))
    }),
    own("insert").two(|p, v, at, byte| {
        let at = number::word(&at)?;
        let byte = byte_of(&byte)?;
        p.state.program.budget.allocate(2)?;
        let Some(array) = cast::<ByteArray>(v) else { return Ok(ScriptValue::None) };
        let len = array.bytes.borrow().len();
        cost::scan(p.state, len)?;
        let at = subscript::place_to_insert(at, len);
        change(v, |bytes| bytes.insert(at, byte))
    }),
    own("pop").zero_or_one(|p, v, at| {
        let Some(array) = cast::<ByteArray>(v) else { return Ok(ScriptValue::None) };
        let at = at.map_or(Ok(-1), |at| number::word(&at))?;
        let len = array.bytes.borrow().len();
        if len == 0 {
            raise!(Index, "pop from empty bytearray");
        }
        cost::scan(p.state, len)?;
        match subscript::place_of(at, len) {
            Some(at) => Ok(ScriptValue::Int(i64::from(array.bytes.borrow_mut().remove(at)))),
            None => raise!(Index, "pop index out of range"),
        }
    }),
    own("remove").one(|p, v, byte| {
        let byte = byte_of(&byte)?;
        let Some(array) = cast::<ByteArray>(v) else { return Ok(ScriptValue::None) };
        cost::scan(p.state, array.bytes.borrow().len())?;
        let at = array.bytes.borrow().iter().position(|other| *other == byte);
        match at {
            Some(at) => drop(array.bytes.borrow_mut().remove(at)),
            None => raise!(Value, "value not found in bytearray"),
        }
        Ok(ScriptValue::None)
    }),
    own("reverse").zero(|p, v| {
        drop(content(p, v)?);
        change(v, |bytes| bytes.reverse())
    }),
];

fn change(v: &ScriptValue, f: impl FnOnce(&mut Vec<u8>)) -> Outcome {
    if let Some(array) = cast::<ByteArray>(v) {
        f(&mut array.bytes.borrow_mut());
    }
    Ok(ScriptValue::None)
}

fn byte_of(value: &ScriptValue) -> Result<u8, Raise> {
    let byte = number::integer(value)?;
    match u8::try_from(&*byte) {
        Ok(byte) => Ok(byte),
        Err(_) => raise!(Value, "byte must be in range(0, 256)"),
    }
}

impl ByteArray {
    /// A new array, which is charged.
    pub(crate) fn charged(p: &Eval<'_>, bytes: Vec<u8>) -> Outcome {
        cost::text_bytes(p.state, bytes.len())?;
        Ok(LibraryObject::value(ByteArray { bytes: RefCell::new(bytes) }))
    }

    /// The bytes as a list of numbers, on which slices are assigned and deleted.
    fn list(&self, p: &Eval<'_>) -> Result<ScriptValue, Raise> {
        let bytes = self.bytes.borrow();
        cost::values(p.state, bytes.len())?;
        Ok(ScriptValue::list(bytes.iter().map(|byte| ScriptValue::Int(i64::from(*byte))).collect()))
    }

    fn take_list(&self, p: &mut Eval<'_>, list: &ScriptValue) -> Result<(), Raise> {
        let bytes = bytes_of_value(p, list)?;
        *self.bytes.borrow_mut() = bytes;
        Ok(())
    }

    /// The index of a byte; `None` for slices.
    fn index(&self, key: &ScriptValue) -> Result<Option<usize>, Raise> {
        if matches!(key, ScriptValue::Slice(_)) {
            return Ok(None);
        }
        let len = self.bytes.borrow().len();
        let Some(at) = number::small_index(key) else {
            return Err(wrong_type!("bytearray indices must be integers or slices, not {}", key).into());
        };
        match subscript::place_of(at, len) {
            Some(at) => Ok(Some(at)),
            None => raise!(Index, "bytearray index out of range"),
        }
    }
}

/// Iterates over an array, which may change meanwhile.
struct ByteIter {
    array: ScriptValue,
    at: Cell<usize>,
}

impl Advance for ByteIter {
    fn next(&mut self, _: &mut Eval<'_>) -> Result<Option<ScriptValue>, Raise> {
        let Some(array) = cast::<ByteArray>(&self.array) else { return Ok(None) };
        let byte = array.bytes.borrow().get(self.at.get()).copied();
        self.at.set(self.at.get() + 1);
        Ok(byte.map(|byte| ScriptValue::Int(i64::from(byte))))
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.push(std::mem::take(&mut self.array));
    }
}

impl Protocol for ByteArray {
    fn class(&self) -> &'static str {
        "bytearray"
    }

    fn methods(&self) -> Table {
        METHODS
    }

    fn len(&self) -> Option<Result<usize, Raise>> {
        Some(Ok(self.bytes.borrow().len()))
    }

    fn iterate(&self, _: &mut Eval<'_>, this: &Rc<dyn HostObject>) -> Result<Option<Iter>, Raise> {
        let iter = ByteIter { array: ScriptValue::Host(this.clone()), at: Cell::new(0) };
        Ok(Some(Iter::Library(Box::new(iter))))
    }

    fn copy(&self, p: &mut Eval<'_>) -> Result<Option<ScriptValue>, Raise> {
        ByteArray::charged(p, self.bytes.borrow().clone()).map(Some)
    }

    fn get(
        &self,
        p: &mut Eval<'_>,
        this: &ScriptValue,
        key: &ScriptValue,
    ) -> Result<Option<ScriptValue>, Raise> {
        if let Some(at) = self.index(key)? {
            let byte = self.bytes.borrow().get(at).copied().unwrap_or_default();
            return Ok(Some(ScriptValue::Int(i64::from(byte))));
        }
        let bytes = ScriptValue::Bytes(content(p, this)?.unwrap_or_default());
        match subscript::get(p, &bytes, key)? {
            ScriptValue::Bytes(part) => ByteArray::charged(p, part.to_vec()).map(Some),
            other => Ok(Some(other)),
        }
    }

    fn set(
        &self,
        p: &mut Eval<'_>,
        _: &ScriptValue,
        key: &ScriptValue,
        new: ScriptValue,
    ) -> Result<bool, Raise> {
        match self.index(key)? {
            Some(at) => {
                let byte = byte_of(&new)?;
                if let Some(slot) = self.bytes.borrow_mut().get_mut(at) {
                    *slot = byte;
                }
            }
            None => {
                let new = bytes_of_value(p, &new)?;
                p.state.program.budget.allocate(2 * new.len() as u64)?;
                let new = new.iter().map(|byte| ScriptValue::Int(i64::from(*byte)));
                let list = self.list(p)?;
                subscript::set(p, &list, key.clone(), ScriptValue::list(new.collect()))?;
                self.take_list(p, &list)?;
            }
        }
        Ok(true)
    }

    fn delete(&self, p: &mut Eval<'_>, key: &ScriptValue) -> Result<bool, Raise> {
        match self.index(key)? {
            Some(at) => {
                cost::scan(p.state, self.bytes.borrow().len())?;
                self.bytes.borrow_mut().remove(at);
            }
            None => {
                let list = self.list(p)?;
                subscript::delete(p, &list, key)?;
                self.take_list(p, &list)?;
            }
        }
        Ok(true)
    }

    fn contains(&self, p: &mut Eval<'_>, item: &ScriptValue) -> Result<Option<bool>, Raise> {
        let bytes = ScriptValue::Bytes(self.bytes.borrow().as_slice().into());
        cost::scan(p.state, 8 * self.bytes.borrow().len())?;
        let item = content(p, item)?.map_or_else(|| item.clone(), ScriptValue::Bytes);
        compare::contains(p, &bytes, &item).map(Some)
    }

    fn operate(
        &self,
        p: &mut Eval<'_>,
        operator: Operator,
        operands: &[ScriptValue],
    ) -> Result<Option<ScriptValue>, Raise> {
        let [a, b] = operands else { return Ok(None) };
        let plain = |p: &mut Eval<'_>, value: &ScriptValue| -> Result<ScriptValue, Raise> {
            Ok(content(p, value)?.map_or_else(|| value.clone(), ScriptValue::Bytes))
        };
        match operator {
            Operator::Compare(
                op @ (CmpOp::Eq | CmpOp::NotEq | CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE),
            ) => {
                let (Some(x), Some(y)) = (content(p, a)?, content(p, b)?) else {
                    return Ok(match op {
                        CmpOp::Eq => Some(ScriptValue::Bool(false)),
                        CmpOp::NotEq => Some(ScriptValue::Bool(true)),
                        _ => None,
                    });
                };
                compare::compare(p, op, &ScriptValue::Bytes(x), &ScriptValue::Bytes(y)).map(Some)
            }
            Operator::Binary(BinOp::Mod) if cast::<ByteArray>(a).is_some() => {
                let format = content(p, a)?.unwrap_or_default();
                let bytes = percent::percent_bytes(p, &format, b)?;
                ByteArray::charged(p, bytes).map(Some)
            }
            Operator::Binary(op @ (BinOp::Add | BinOp::Mult)) => {
                if op == BinOp::Add && cast::<ByteArray>(a).is_some() && content(p, b)?.is_none() {
                    return Err(wrong_type!("can't concat {} to bytearray", b).into());
                }
                let (x, y) = (plain(p, a)?, plain(p, b)?);
                let result = arith::binary(p, op, &x, &y)?;
                // The first operand decides about the type of a sum.
                match result {
                    ScriptValue::Bytes(bytes) if op == BinOp::Mult || cast::<ByteArray>(a).is_some() => {
                        ByteArray::charged(p, bytes.to_vec()).map(Some)
                    }
                    other => Ok(Some(other)),
                }
            }
            _ => Ok(None),
        }
    }

    fn in_place(
        &self,
        p: &mut Eval<'_>,
        operator: Operator,
        this: &ScriptValue,
        other: &ScriptValue,
    ) -> Result<bool, Raise> {
        match operator {
            Operator::Binary(BinOp::Add) => {
                let Some(more) = content(p, other)? else {
                    return Err(wrong_type!("can't concat {} to bytearray", other).into());
                };
                p.state.program.budget.allocate(2 * more.len() as u64)?;
                self.bytes.borrow_mut().extend_from_slice(&more);
                Ok(true)
            }
            Operator::Binary(op @ BinOp::Mult) => {
                let bytes = ScriptValue::Bytes(content(p, this)?.unwrap_or_default());
                if let ScriptValue::Bytes(result) = arith::binary(p, op, &bytes, other)? {
                    *self.bytes.borrow_mut() = result.to_vec();
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn write(&self, p: &mut Eval<'_>, out: &mut String, _: &mut Vec<*const ()>) -> Result<(), Raise> {
        cost::scan(p.state, self.bytes.borrow().len())?;
        out.push_str("bytearray(");
        repr::quote_bytes(&self.bytes.borrow(), out);
        out.push(')');
        Ok(())
    }

    fn hashing(&self) -> Hashing {
        Hashing::Unhashable
    }
}
