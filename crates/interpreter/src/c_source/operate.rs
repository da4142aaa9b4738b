//! Operators on scalars of a type, and casts between types.
//!
//! Integers wrap at their width as in the interpreter. Where the ranges of the operands show that nothing wraps, the text is
//! the plain operator of C; elsewhere signed integers are computed as unsigned ones and converted back.

use tvmscript_ir_core::arithmetic::Operator;
use tvmscript_ir_core::{DataType, TypeCode};

use super::Writer;
use super::helpers::{Division, Helper};
use super::types::{is_integer, is_rounded, unsigned_type, value_type};
use super::value::{Bounds, Level, Value, corners, is_within, range_of};
use crate::error::{Result, unsupported, unsupported_type};
use crate::scalar::is_float;

impl Writer<'_> {
    /// An operator on scalars of a type.
    pub(super) fn operate(
        &mut self,
        operator: Operator,
        dtype: DataType,
        a: &Value,
        b: &Value,
    ) -> Result<Value> {
        let dtype = dtype.element();
        if is_float(dtype) {
            return self.operate_floats(operator, dtype, a, b);
        }
        if dtype.is_handle() {
            return unsupported("arithmetic on pointers");
        }
        value_type(dtype)?;
        if let (Some(x), Some(y)) = (a.known(), b.known())
            && let Some(value) = crate::scalar::operate(operator, dtype, x as u64, y as u64)
        {
            return Ok(Value::int(crate::scalar::wide(dtype, value), dtype));
        }
        match operator {
            Operator::Add => {
                Ok(wrapping(dtype, a, b, "+", Level::Add, corners(a.bounds, b.bounds, |a, b| a + b)))
            }
            Operator::Sub => {
                Ok(wrapping(dtype, a, b, "-", Level::Add, corners(a.bounds, b.bounds, |a, b| a - b)))
            }
            Operator::Mul => {
                Ok(wrapping(dtype, a, b, "*", Level::Mul, corners(a.bounds, b.bounds, i128::wrapping_mul)))
            }
            Operator::Div => self.divide(Division::Div, dtype, a, b),
            Operator::Mod => self.divide(Division::Mod, dtype, a, b),
            Operator::FloorDiv => self.divide(Division::FloorDiv, dtype, a, b),
            Operator::FloorMod => self.divide(Division::FloorMod, dtype, a, b),
            Operator::Min | Operator::Max => Ok(self.extremum(operator == Operator::Min, dtype, a, b)),
            Operator::BitAnd | Operator::BitOr | Operator::BitXor => Ok(bits(operator, dtype, a, b)),
            Operator::ShiftLeft | Operator::ShiftRight => self.shift(operator, dtype, a, b),
        }
    }

    fn extremum(&mut self, is_min: bool, dtype: DataType, a: &Value, b: &Value) -> Value {
        let name = self.helper(if is_min { Helper::Min(dtype) } else { Helper::Max(dtype) });
        let bounds = match is_min {
            true => (a.bounds.0.min(b.bounds.0), a.bounds.1.min(b.bounds.1)),
            false => (a.bounds.0.max(b.bounds.0), a.bounds.1.max(b.bounds.1)),
        };
        Value::atom(format!("{name}({}, {})", a.text, b.text), dtype).with_bounds(bounds)
    }

    /// Rounding is that of C where neither operand can be negative and the divisor is known.
    fn divide(&mut self, division: Division, dtype: DataType, a: &Value, b: &Value) -> Result<Value> {
        let is_quotient = matches!(division, Division::Div | Division::FloorDiv);
        if dtype.is_bool() {
            return unsupported_type(dtype);
        }
        let floors = matches!(division, Division::FloorDiv | Division::FloorMod);
        if b.bounds.0 > 0 && (a.bounds.0 >= 0 || !floors) {
            let sign = if is_quotient { "/" } else { "%" };
            let text = format!("{} {sign} {}", a.at(Level::Mul), b.at(Level::Unary));
            let bounds = match is_quotient {
                true => corners(a.bounds, b.bounds, |a, b| if b == 0 { a } else { a / b }),
                false if a.bounds.0 >= 0 => (0, a.bounds.1.min(b.bounds.1 - 1)),
                false => (1 - b.bounds.1, b.bounds.1 - 1),
            };
            return Ok(Value::new(text, Level::Mul, dtype).with_bounds(bounds));
        }
        let name = self.helper(Helper::Divide(division, dtype));
        let bounds = match (division, b.known()) {
            (Division::FloorMod, Some(divisor)) if divisor > 0 => (0, divisor - 1),
            (Division::FloorDiv, Some(divisor)) if divisor > 0 => {
                (a.bounds.0.div_euclid(divisor), a.bounds.1.div_euclid(divisor))
            }
            _ => range_of(dtype),
        };
        Ok(Value::atom(format!("{name}({}, {})", a.text, b.text), dtype).with_bounds(bounds))
    }

    fn shift(&mut self, operator: Operator, dtype: DataType, a: &Value, b: &Value) -> Result<Value> {
        let width = i128::from(dtype.bits);
        let count = match is_within(b.bounds, (0, width - 1)) {
            true => b.at(Level::Mul),
            false if b.is_literal => {
                return unsupported(format!("a shift by {} of {width} bits", b.bounds.0));
            }
            false => format!("{}({}, {width})", self.helper(Helper::ShiftCount), b.text),
        };
        let ctype = value_type(dtype)?;
        if operator == Operator::ShiftRight {
            let bounds = (a.bounds.0.min(0), a.bounds.1.max(0));
            let wide = if dtype.bits == 64 { a.cast_to(ctype) } else { a.at(Level::Mul) };
            return Ok(Value::new(format!("{wide} >> {count}"), Level::Other, dtype).with_bounds(bounds));
        }
        let text = format!("({ctype})({} << {count})", a.cast_to(unsigned_type(dtype)));
        Ok(Value::new(text, Level::Unary, dtype))
    }

    fn operate_floats(&mut self, operator: Operator, dtype: DataType, a: &Value, b: &Value) -> Result<Value> {
        let (sign, level) = match operator {
            Operator::Add => ("+", Level::Add),
            Operator::Sub => ("-", Level::Add),
            Operator::Mul => ("*", Level::Mul),
            Operator::Div => ("/", Level::Mul),
            Operator::Mod => return self.apply("fmod", dtype, &[a, b]),
            Operator::FloorDiv => {
                let quotient = self.operate_floats(Operator::Div, dtype, a, b)?;
                return self.apply("floor", dtype, &[&quotient]);
            }
            Operator::FloorMod => {
                let name = self.helper(Helper::FloatFloorMod(dtype));
                return Ok(Value::atom(format!("{name}({}, {})", a.text, b.text), dtype));
            }
            Operator::Min | Operator::Max => {
                return Ok(self.extremum(operator == Operator::Min, dtype, a, b));
            }
            _ => return unsupported(format!("an operator on bits of the type {dtype}")),
        };
        let right = if level == Level::Mul { Level::Unary } else { Level::Mul };
        let text = format!("{} {sign} {}", a.at(level), b.at(right));
        Ok(self.rounded(Value::new(text, level, dtype), dtype))
    }

    /// Rounds a value of C's `float` to a narrower type.
    pub(super) fn rounded(&mut self, value: Value, dtype: DataType) -> Value {
        if !is_rounded(dtype) {
            return value;
        }
        let name = self.helper(Helper::Round(dtype));
        Value::atom(format!("{name}({})", value.text), dtype)
    }

    /// A value of `double`, rounded once to a type of 16 bits.
    fn narrowed(&mut self, value: &str, dtype: DataType) -> Value {
        let narrow = self.helper(Helper::Narrow);
        self.rounded(Value::atom(format!("{narrow}({value})"), dtype), dtype)
    }

    /// A function of `double`, whose result is rounded to a type.
    pub(super) fn apply(&mut self, function: &str, dtype: DataType, args: &[&Value]) -> Result<Value> {
        let args: Vec<&str> = args.iter().map(|value| value.text.as_str()).collect();
        let call = format!("{function}({})", args.join(", "));
        if dtype.bits == 64 {
            return Ok(Value::atom(call, dtype));
        }
        Ok(match is_rounded(dtype) {
            true => self.narrowed(&call, dtype),
            false => Value::new(format!("(float){call}"), Level::Unary, dtype),
        })
    }

    /// Converts a value between types.
    pub(super) fn cast(&mut self, value: Value, from: DataType, to: DataType) -> Result<Value> {
        if from == to {
            return Ok(value);
        }
        let ctype = value_type(to)?;
        let new = |text: String| Value::new(text, Level::Unary, to);
        if to.is_handle() || from.is_handle() {
            return match (from.is_handle(), to.is_handle()) {
                (true, true) => Ok(value),
                (true, false) if is_integer(to) => {
                    Ok(new(format!("({ctype}){}", value.cast_to("uintptr_t"))))
                }
                (false, true) if is_integer(from) => {
                    Ok(new(format!("(void *){}", value.cast_to("uintptr_t"))))
                }
                _ => unsupported_type(to),
            };
        }
        Ok(match (is_float(from), is_float(to)) {
            // More digits than those of `float`.
            (is_from_float, true) if is_rounded(to) && from.bits > if is_from_float { 32 } else { 16 } => {
                self.narrowed(&value.text, to)
            }
            (_, true) => {
                // Every value of a narrow float is one of `float`.
                let is_exact = is_float(from) && from.bits < 64 && to.bits == 32;
                let same = is_exact || value_type(from)? == ctype;
                let cast =
                    if same { Value { is_wide: to.bits == 64, ..value } } else { new(value.cast_to(ctype)) };
                self.rounded(cast, to)
            }
            (true, false) if to.is_bool() => {
                Value::new(format!("{} != 0", value.at(Level::Add)), Level::Other, to)
            }
            (true, false) => {
                let is_large = to.code == TypeCode::UInt && to.bits == 64;
                let name = self.helper(if is_large { Helper::ToUInt } else { Helper::ToInt });
                let call = format!("{name}({})", value.text);
                if to.bits == 64 { Value::atom(call, to) } else { new(format!("({ctype}){call}")) }
            }
            (false, false) if to.is_bool() => {
                Value::new(format!("{} != 0", value.at(Level::Add)), Level::Other, to)
            }
            (false, false) => match value.known() {
                Some(known) => super::expr::literal(to, known as i64),
                None if is_within(value.bounds, range_of(to)) => {
                    let bounds = value.bounds;
                    new(value.cast_to(ctype)).with_bounds(bounds)
                }
                None => new(value.cast_to(ctype)),
            },
        })
    }
}

/// An operator of C on integers whose exact results are in a range.
fn wrapping(dtype: DataType, a: &Value, b: &Value, sign: &str, level: Level, bounds: Bounds) -> Value {
    let right = if level == Level::Mul { Level::Unary } else { Level::Mul };
    let fits = is_within(bounds, range_of(dtype));
    let is_unsigned = dtype.code == TypeCode::UInt && dtype.bits >= 32;
    if fits || is_unsigned {
        // A literal among wide values has the type `int`.
        let text = format!("{} {sign} {}", a.at(level), b.at(right));
        let value = Value::new(text, level, dtype);
        return if fits { value.with_bounds(bounds) } else { value };
    }
    let ctype = value_type(dtype).unwrap_or("int64_t");
    if dtype.is_bool() {
        let text = format!("({ctype})({} {sign} {})", a.at(level), b.at(right));
        return Value::new(text, Level::Unary, dtype);
    }
    let unsigned = unsigned_type(dtype);
    let text = format!("({ctype})({} {sign} {})", a.cast_to(unsigned), b.cast_to(unsigned));
    Value::new(text, Level::Unary, dtype)
}

fn bits(operator: Operator, dtype: DataType, a: &Value, b: &Value) -> Value {
    let sign = match operator {
        Operator::BitAnd => "&",
        Operator::BitOr => "|",
        _ => "^",
    };
    let text = format!("{} {sign} {}", a.at(Level::Unary), b.at(Level::Unary));
    let is_natural = a.bounds.0 >= 0 && b.bounds.0 >= 0;
    let bounds = match operator {
        Operator::BitAnd if is_natural => (0, a.bounds.1.min(b.bounds.1)),
        _ => range_of(dtype),
    };
    Value::new(text, Level::Other, dtype).with_bounds(bounds)
}
