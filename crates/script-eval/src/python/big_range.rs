//! Ranges with bounds, or a length, beyond a machine word: `range(2**70)`.
//!
//! All other ranges are [`Range`]; [`value`] chooses.

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};
use tvmscript_script_value::{Hashing, HostObject, ScriptValue, Slice};

use super::Outcome;
use super::builtins::{Table, own};
use super::number::{self, Number, int, integer};
use super::object::{self, Advance, Protocol};
use super::range::{self, Range};
use super::{cost, repr, type_name};
use crate::Eval;
use crate::eval::{Iter, Raise};
use crate::host::Operator;
use tvmscript_python_syntax::ast::CmpOp;

/// The numbers from `start` up to `stop`, exclusive, in steps of `step`, which is not zero.
#[derive(Debug, Clone)]
pub(crate) struct BigRange {
    start: BigInt,
    stop: BigInt,
    step: BigInt,
    len: BigInt,
}

/// A range as a value. The step must not be zero.
pub(crate) fn value(start: BigInt, stop: BigInt, step: BigInt) -> ScriptValue {
    let range = BigRange::new(start, stop, step);
    match range.small() {
        Some(small) => ScriptValue::host(small),
        None => object::LibraryObject::value(range),
    }
}

impl BigRange {
    fn new(start: BigInt, stop: BigInt, step: BigInt) -> BigRange {
        let distance = if step.is_positive() { &stop - &start } else { &start - &stop };
        let size = step.abs();
        let len = if distance.is_positive() { (distance + &size - 1) / size } else { BigInt::zero() };
        BigRange { start, stop, step, len }
    }

    fn of_small(range: &Range) -> BigRange {
        BigRange::new(range.start.into(), range.stop.into(), range.step.into())
    }

    /// The same range in machine words, if they can hold it and its length.
    fn small(&self) -> Option<Range> {
        self.len.to_i64()?;
        Some(Range { start: self.start.to_i64()?, stop: self.stop.to_i64()?, step: self.step.to_i64()? })
    }

    /// The number at an index.
    fn at(&self, index: &BigInt) -> BigInt {
        &self.start + &self.step * index
    }

    /// The index of a value.
    fn place(&self, value: &ScriptValue) -> Option<BigInt> {
        let value = match Number::of(value)? {
            Number::Float(f) if f.is_finite() && f.fract() == 0.0 => number::float_to_big(f),
            Number::Float(_) => return None,
            whole => whole.to_big()?.into_owned(),
        };
        let distance = value - &self.start;
        let place = &distance / &self.step;
        let is_in = !place.is_negative() && place < self.len && &place * &self.step == distance;
        is_in.then_some(place)
    }

    /// Charges one operation on its numbers.
    fn charge(&self, p: &Eval<'_>) -> Result<(), Raise> {
        let bits = self.start.bits().max(self.stop.bits()).max(self.step.bits());
        cost::words(p.state, bits)?;
        Ok(cost::integer(p.state, bits)?)
    }

    /// The part that a slice selects.
    fn slice(&self, slice: &Slice) -> Result<ScriptValue, Raise> {
        let part = |value: &ScriptValue| -> Result<Option<BigInt>, Raise> {
            match value {
                ScriptValue::None => Ok(None),
                value => match number::index(value) {
                    Some(index) => Ok(Some(index.into_owned())),
                    None => {
                        raise!(Type, "slice indices must be integers or None or have an __index__ method")
                    }
                },
            }
        };
        let step = part(&slice.step)?.unwrap_or_else(BigInt::one);
        if step.is_zero() {
            raise!(Value, "slice step cannot be zero");
        }
        let (low, high) = match step.is_positive() {
            true => (BigInt::zero(), self.len.clone()),
            false => (BigInt::from(-1), &self.len - 1),
        };
        let (first, last) = if step.is_positive() { (&low, &high) } else { (&high, &low) };
        let clip = |value: Option<BigInt>, default: &BigInt| match value {
            None => default.clone(),
            Some(value) if value.is_negative() => (value + &self.len).clamp(low.clone(), high.clone()),
            Some(value) => value.clamp(low.clone(), high.clone()),
        };
        let (start, stop) = (clip(part(&slice.start)?, first), clip(part(&slice.stop)?, last));
        Ok(value(self.at(&start), self.at(&stop), &self.step * step))
    }

    /// The same for all ranges of the same numbers.
    fn key(&self) -> (&BigInt, Option<&BigInt>, Option<&BigInt>) {
        let (has_start, has_step) = (!self.len.is_zero(), self.len > BigInt::one());
        (&self.len, has_start.then_some(&self.start), has_step.then_some(&self.step))
    }
}

/// Elements of a range that are left.
struct Numbers {
    next: BigInt,
    step: BigInt,
    left: BigInt,
}

impl Advance for Numbers {
    fn next(&mut self, p: &mut Eval<'_>) -> Result<Option<ScriptValue>, Raise> {
        if self.left.is_zero() {
            return Ok(None);
        }
        self.left -= 1;
        cost::words(p.state, self.next.bits())?;
        cost::integer(p.state, self.next.bits())?;
        let next = &self.next + &self.step;
        Ok(Some(int(std::mem::replace(&mut self.next, next))))
    }
    fn parts(&mut self, _: &mut Vec<ScriptValue>) {}
}

/// An iterator over the numbers from the last to the first.
pub(crate) fn reversed(range: &Range) -> Iter {
    BigRange::of_small(range).backwards()
}

impl BigRange {
    fn backwards(&self) -> Iter {
        let next = self.at(&(&self.len - 1));
        if let Some(small) = BigRange::new(next.clone(), &self.start - &self.step, -&self.step).small() {
            return Iter::Range(small);
        }
        Iter::Library(Box::new(Numbers { next, step: -&self.step, left: self.len.clone() }))
    }
}

impl Protocol for BigRange {
    fn class(&self) -> &'static str {
        "range"
    }
    fn methods(&self) -> Table {
        METHODS
    }
    fn len(&self) -> Option<Result<usize, Raise>> {
        let len = number::word(&int(self.len.clone()));
        Some(len.map(|len| len as usize).map_err(Raise::from))
    }
    fn truth(&self, _: &mut Eval<'_>) -> Result<bool, Raise> {
        Ok(!self.len.is_zero())
    }
    fn iterate(&self, p: &mut Eval<'_>, _: &Rc<dyn HostObject>) -> Result<Option<Iter>, Raise> {
        self.charge(p)?;
        let numbers = Numbers { next: self.start.clone(), step: self.step.clone(), left: self.len.clone() };
        Ok(Some(Iter::Library(Box::new(numbers))))
    }
    fn reversed(&self, _: &ScriptValue) -> Option<Iter> {
        Some(self.backwards())
    }
    fn get(
        &self,
        p: &mut Eval<'_>,
        _: &ScriptValue,
        key: &ScriptValue,
    ) -> Result<Option<ScriptValue>, Raise> {
        self.charge(p)?;
        if let ScriptValue::Slice(slice) = key {
            return self.slice(slice).map(Some);
        }
        let key = p.as_index(key.clone())?;
        let Some(index) = number::index(&key) else {
            raise!(Type, "range indices must be integers or slices, not {}", type_name(&key));
        };
        let index = if index.is_negative() { index.into_owned() + &self.len } else { index.into_owned() };
        if index.is_negative() || index >= self.len {
            raise!(Index, "range object index out of range");
        }
        Ok(Some(int(self.at(&index))))
    }
    fn contains(&self, p: &mut Eval<'_>, item: &ScriptValue) -> Result<Option<bool>, Raise> {
        self.charge(p)?;
        Ok(Some(self.place(item).is_some()))
    }
    fn operate(
        &self,
        p: &mut Eval<'_>,
        operator: Operator,
        operands: &[ScriptValue],
    ) -> Result<Option<ScriptValue>, Raise> {
        let (Operator::Compare(CmpOp::Eq), [a, b]) = (operator, operands) else { return Ok(None) };
        self.charge(p)?;
        let big = |value: &ScriptValue| match (object::cast::<BigRange>(value), range::of(value)) {
            (Some(big), _) => Some(big.clone()),
            (None, Some(small)) => Some(BigRange::of_small(small)),
            (None, None) => None,
        };
        let (Some(a), Some(b)) = (big(a), big(b)) else { return Ok(None) };
        Ok(Some(ScriptValue::Bool(a.key() == b.key())))
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        match name {
            "start" => Some(int(self.start.clone())),
            "stop" => Some(int(self.stop.clone())),
            "step" => Some(int(self.step.clone())),
            _ => None,
        }
    }
    fn write(&self, p: &mut Eval<'_>, out: &mut String, _: &mut Vec<*const ()>) -> Result<(), Raise> {
        out.push_str(&format!(
            "range({}, {}",
            repr::big(p.state, &self.start)?,
            repr::big(p.state, &self.stop)?
        ));
        if !self.step.is_one() {
            out.push_str(&format!(", {}", repr::big(p.state, &self.step)?));
        }
        out.push(')');
        Ok(())
    }
    fn hashing(&self) -> Hashing {
        use std::hash::BuildHasher;
        let scatter = std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default();
        Hashing::Value { hash: scatter.hash_one(self.key()), weight: 1 }
    }
    fn same_key(&self, other: &dyn Protocol) -> bool {
        other.as_any().downcast_ref::<BigRange>().is_some_and(|other| self.key() == other.key())
    }
}

static METHODS: Table = &[
    own("index").one(|p, v, x| match object::cast::<BigRange>(v).and_then(|range| range.place(&x)) {
        Some(place) => Ok(int(place)),
        None => raise!(Value, "{} is not in range", repr::repr(p, &x)?),
    }),
    own("count").one(|_, v, x| {
        let found = object::cast::<BigRange>(v).is_some_and(|range| range.place(&x).is_some());
        Ok(ScriptValue::Int(i64::from(found)))
    }),
];

/// `range(..)` of arguments that `__index__` has converted.
pub(crate) fn of_arguments(start: &ScriptValue, stop: &ScriptValue, step: &ScriptValue) -> Outcome {
    let (start, stop, step) = (integer(start)?, integer(stop)?, integer(step)?);
    if step.is_zero() {
        raise!(Value, "range() arg 3 must not be zero");
    }
    Ok(value(start.into_owned(), stop.into_owned(), step.into_owned()))
}
