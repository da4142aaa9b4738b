//! Expressions of C as text, with what is known about them.

use tvmscript_ir_core::{DataType, TypeCode};

/// The strength with which the operators of a text bind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Conditional,
    /// Comparisons, logic and bits: operands of other operators get parentheses.
    Other,
    Add,
    Mul,
    Unary,
    Atom,
}

/// The least and the greatest integer that a value can be.
pub(super) type Bounds = (i128, i128);

/// A scalar of C.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub(super) text: String,
    pub(super) level: Level,
    pub(super) bounds: Bounds,
    pub(super) is_literal: bool,
    /// The text has a C type of 64 bits.
    pub(super) is_wide: bool,
    /// The elements that a pointer points to, if it has a type.
    pub(super) points_to: Option<&'static str>,
    /// The pointer and the number of elements that a pointer is the sum of.
    pub(super) base: Option<Box<(Value, Value)>>,
}

/// The range of a type.
pub(super) fn range_of(dtype: DataType) -> Bounds {
    let bits = u32::from(dtype.bits.clamp(1, 64));
    match dtype.code {
        TypeCode::Bool => (0, 1),
        TypeCode::UInt => (0, (1 << bits) - 1),
        _ => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
    }
}

/// Tests whether all integers of one range are in another.
pub(super) fn is_within(inner: Bounds, outer: Bounds) -> bool {
    inner.0 >= outer.0 && inner.1 <= outer.1
}

const INT: Bounds = (i32::MIN as i128, i32::MAX as i128);

impl Value {
    /// A value of a type.
    pub(super) fn new(text: impl Into<String>, level: Level, dtype: DataType) -> Value {
        Value {
            text: text.into(),
            level,
            bounds: range_of(dtype),
            is_literal: false,
            is_wide: dtype.bits == 64,
            points_to: None,
            base: None,
        }
    }

    pub(super) fn atom(text: impl Into<String>, dtype: DataType) -> Value {
        Value::new(text, Level::Atom, dtype)
    }

    /// A pointer to elements.
    pub(super) fn pointer(text: impl Into<String>, level: Level, points_to: Option<&'static str>) -> Value {
        Value { points_to, ..Value::new(text, level, DataType::HANDLE) }
    }

    /// A number of an integer type.
    pub(super) fn int(value: i128, dtype: DataType) -> Value {
        let (text, is_wide) = match (dtype.code, dtype.bits) {
            (TypeCode::Bool, _) => ((if value == 0 { "false" } else { "true" }).to_owned(), false),
            (TypeCode::UInt, 64) if value > u32::MAX.into() => (format!("{value}ULL"), true),
            (TypeCode::UInt, 32 | 64) => (format!("{value}u"), false),
            _ if value == i64::MIN.into() => (format!("(-{}LL - 1)", i64::MAX), true),
            _ if value == i32::MIN.into() => (format!("(-{} - 1)", i32::MAX), false),
            _ if !is_within((value, value), INT) => (format!("{value}LL"), true),
            _ => (value.to_string(), false),
        };
        let level = if text.starts_with('-') { Level::Unary } else { Level::Atom };
        let bounds = (value, value);
        Value { text, level, bounds, is_literal: true, is_wide, points_to: None, base: None }
    }

    /// A number of elements or bytes.
    pub(super) fn count(value: i64) -> Value {
        Value::int(value.into(), DataType::INT64)
    }

    pub(super) fn with_bounds(self, bounds: Bounds) -> Value {
        Value { bounds, ..self }
    }

    /// The integer of a literal.
    pub(super) fn known(&self) -> Option<i128> {
        self.is_literal.then_some(self.bounds.0)
    }

    /// The text as an operand of an operator that binds with a strength.
    pub(super) fn at(&self, level: Level) -> String {
        if self.level < level { format!("({})", self.text) } else { self.text.clone() }
    }

    /// The text without a need for parentheses around it.
    pub(super) fn atomic(&self) -> String {
        self.at(Level::Atom)
    }

    /// A cast of the text to a C type.
    pub(super) fn cast_to(&self, ctype: &str) -> String {
        format!("({ctype}){}", self.at(Level::Unary))
    }

    /// The value as an index of 64 bits.
    fn widened(&self) -> Value {
        match self.is_wide || self.is_literal {
            true => self.clone(),
            false => {
                Value { text: self.cast_to("int64_t"), level: Level::Unary, is_wide: true, ..self.clone() }
            }
        }
    }

    /// The sum of two indices.
    pub(super) fn index_add(&self, other: &Value) -> Value {
        match (self.known(), other.known()) {
            (Some(0), _) => other.clone(),
            (_, Some(0)) => self.clone(),
            _ => self.index_operate(other, "+", Level::Add, i128::wrapping_add),
        }
    }

    /// The product of two indices.
    pub(super) fn index_mul(&self, other: &Value) -> Value {
        match (self.known(), other.known()) {
            (Some(1), _) => other.clone(),
            (_, Some(1)) => self.clone(),
            (Some(0), _) | (_, Some(0)) => Value::count(0),
            _ => self.index_operate(other, "*", Level::Mul, i128::wrapping_mul),
        }
    }

    fn index_operate(&self, other: &Value, sign: &str, level: Level, f: fn(i128, i128) -> i128) -> Value {
        let bounds = corners(self.bounds, other.bounds, f);
        if let (Some(a), Some(b)) = (self.known(), other.known()) {
            return Value::count(f(a, b) as i64);
        }
        let is_narrow = !self.is_wide && !other.is_wide && is_within(bounds, INT);
        let (a, b) = match is_narrow {
            true => (self.clone(), other.clone()),
            false if other.is_wide && !other.is_literal => (self.clone(), other.clone()),
            false => (self.widened(), other.clone()),
        };
        // The right operand of a product keeps its parentheses.
        let right = if sign == "*" { Level::Unary } else { Level::Mul };
        let text = format!("{} {sign} {}", a.at(level), b.at(right));
        Value { text, level, bounds, is_literal: false, is_wide: !is_narrow, points_to: None, base: None }
    }

    /// An index of a dimension from a value of an integer type: unsigned ones of 32 bits or more become signed.
    pub(super) fn index_of(self, dtype: DataType) -> Value {
        match dtype.code == TypeCode::UInt && dtype.bits >= 32 && !self.is_literal {
            true => Value { text: self.cast_to("int64_t"), level: Level::Unary, is_wide: true, ..self },
            false => match self.known() {
                Some(value) => Value::count(value as i64),
                None => self,
            },
        }
    }
}

/// The range of the results of an operator that is monotonic in each operand.
pub(super) fn corners(a: Bounds, b: Bounds, f: fn(i128, i128) -> i128) -> Bounds {
    let all = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
    let (least, greatest) = (all.iter().min(), all.iter().max());
    (least.copied().unwrap_or(i128::MIN), greatest.copied().unwrap_or(i128::MAX))
}
