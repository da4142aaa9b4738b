//! `range`.

use tvmscript_script_value::{Hashing, HostObject, ScriptValue};

/// The numbers from `start` up to `stop`, exclusive, in steps of `step`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Range {
    pub(crate) start: i64,
    pub(crate) stop: i64,
    pub(crate) step: i64,
}

pub(crate) fn of(value: &ScriptValue) -> Option<&Range> {
    value.as_host::<Range>()
}

impl Range {
    pub(crate) fn len(&self) -> usize {
        let (start, stop, step) = (i128::from(self.start), i128::from(self.stop), i128::from(self.step));
        let distance = if step > 0 { stop - start } else { start - stop };
        let count = (distance + step.abs() - 1).div_euclid(step.abs().max(1)).max(0);
        usize::try_from(count).unwrap_or(usize::MAX)
    }

    /// The number at an index, which must be below the length.
    pub(crate) fn at(&self, index: usize) -> i64 {
        (i128::from(self.start) + i128::from(self.step) * index as i128) as i64
    }

    pub(crate) fn next(&mut self) -> Option<ScriptValue> {
        self.advance().map(ScriptValue::Int)
    }

    /// The next number.
    #[inline]
    pub(crate) fn advance(&mut self) -> Option<i64> {
        if self.start == self.stop || (self.start < self.stop) != (self.step > 0) {
            return None;
        }
        let value = self.start;
        match self.start.checked_add(self.step) {
            Some(next) => self.start = next,
            None => self.stop = self.start,
        }
        Some(value)
    }

    pub(crate) fn contains(&self, value: &ScriptValue) -> bool {
        let value = match value {
            ScriptValue::Int(i) => *i,
            ScriptValue::Bool(b) => i64::from(*b),
            ScriptValue::Float(f) if f.fract() == 0.0 && f.abs() < 9e18 => *f as i64,
            _ => return false,
        };
        let inside = match self.step > 0 {
            true => self.start <= value && value < self.stop,
            false => self.stop < value && value <= self.start,
        };
        inside && (i128::from(value) - i128::from(self.start)) % i128::from(self.step) == 0
    }

    /// Tests whether both contain the same numbers.
    pub(crate) fn same_numbers(&self, other: &Range) -> bool {
        let len = self.len();
        len == other.len() && (len == 0 || self.start == other.start && (len == 1 || self.step == other.step))
    }
}

impl HostObject for Range {
    fn type_name(&self) -> &str {
        "a range"
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        match name {
            "start" => Some(ScriptValue::Int(self.start)),
            "stop" => Some(ScriptValue::Int(self.stop)),
            "step" => Some(ScriptValue::Int(self.step)),
            _ => None,
        }
    }
    fn hashing(&self) -> Hashing {
        use std::hash::BuildHasher;
        let scatter = std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default();
        let step = if self.len() > 1 { self.step } else { 0 };
        let hash = scatter.hash_one((self.len(), if self.len() == 0 { 0 } else { self.start }, step));
        Hashing::Value { hash, weight: 1 }
    }
    fn same_key(&self, other: &dyn HostObject) -> bool {
        other.as_any().downcast_ref::<Range>().is_some_and(|other| self.same_numbers(other))
    }
}
