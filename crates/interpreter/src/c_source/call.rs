//! Calls of operators and functions.

use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::arithmetic::{Comparison, Operator};
use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_prim::{BaseExpr, Expr, Op, PrimExprExt as _};

use super::expr::{lane_of, literal};
use super::helpers::Helper;
use super::types::value_type;
use super::value::{Level, Value};
use super::{Lanes, Writer};
use crate::compile::{Arguments, lane_count};
use crate::error::{Result, RunErrorKind, unsupported, unsupported_type};
use crate::functions::{PURE_BINARY, PURE_UNARY};
use crate::intrinsics::{Intrinsic, intrinsic};
use crate::scalar::is_float;

impl Writer<'_> {
    pub(super) fn call(
        &mut self,
        callee: &Ref<BaseExpr>,
        args: &Array<Expr>,
        dtype: DataType,
    ) -> Result<Lanes> {
        if let Some(global) = callee.as_node::<GlobalVar>() {
            return self.call_function(global.name_hint.as_str(), args);
        }
        let Some(found) = intrinsic(callee) else {
            return match callee.as_node::<Op>() {
                Some(op) => unsupported(format!("the operator `{}`", op.name)),
                None => unsupported("a call of a function"),
            };
        };
        let zero = vec![literal(DataType::INT32, 0)];
        let arg = Arguments(args);
        let whole = dtype;
        let dtype = dtype.element();
        let operator_name = || callee.as_node::<Op>().map_or(String::new(), |op| op.name.to_string());
        Ok(match found {
            Intrinsic::Unary(_) => {
                let value = self.expr(arg.get(0)?)?;
                match is_float(dtype) {
                    true => self.functions_of_floats(&operator_name(), dtype, &[value])?,
                    // Integers have no fraction, so rounding keeps them.
                    false => value,
                }
            }
            Intrinsic::Binary(_) => {
                let (a, b) = (self.expr(arg.get(0)?)?, self.expr(arg.get(1)?)?);
                self.functions_of_floats(&operator_name(), dtype, &[a, b])?
            }
            Intrinsic::Bits(operator) => {
                let (a, b) = (self.expr(arg.get(0)?)?, self.expr(arg.get(1)?)?);
                self.zip(&a, &b, |this, a, b| this.operate(operator, dtype, a, b))?
            }
            Intrinsic::Argument(at) => self.expr(arg.get(at)?)?,
            Intrinsic::Nothing => zero,
            Intrinsic::IfThenElse => {
                let condition = self.expr(arg.get(0)?)?;
                let a = self.lazy(|this| this.expr(arg.get(1)?))?;
                let b = self.lazy(|this| this.expr(arg.get(2)?))?;
                self.select(&condition, &a, &b, dtype)?
            }
            Intrinsic::Absolute => {
                let value = self.expr(arg.get(0)?)?;
                self.absolute(&value, dtype)?
            }
            Intrinsic::Classify(_) => {
                let name = operator_name();
                let name = name.rsplit('.').next().unwrap_or_default().to_owned();
                let value = self.expr(arg.get(0)?)?;
                let test = |value: Value| {
                    Value::new(format!("{name}({}) != 0", value.text), Level::Other, DataType::BOOL)
                };
                value.into_iter().map(test).collect()
            }
            Intrinsic::Fma => {
                let (a, b, c) = (self.expr(arg.get(0)?)?, self.expr(arg.get(1)?)?, self.expr(arg.get(2)?)?);
                let mut out = Lanes::new();
                for lane in 0..a.len() {
                    let (a, b, c) = (lane_of(&a, lane)?, lane_of(&b, lane)?, lane_of(&c, lane)?);
                    let text = format!(
                        "(double){} * {} + {}",
                        a.at(Level::Unary),
                        b.at(Level::Unary),
                        c.at(Level::Mul)
                    );
                    let exact = Value::new(text, Level::Add, DataType::float(64));
                    out.push(self.cast(exact, DataType::float(64), dtype)?);
                }
                out
            }
            Intrinsic::Ldexp => {
                let (a, b) = (self.expr(arg.get(0)?)?, self.expr(arg.get(1)?)?);
                self.zip(&a, &b, |this, a, b| this.apply("ldexp", dtype, &[a, b]))?
            }
            Intrinsic::Not => {
                let value = self.expr(arg.get(0)?)?;
                let ones = vec![literal(dtype, -1)];
                self.zip(&value, &ones, |this, a, b| this.operate(Operator::BitXor, dtype, a, b))?
            }
            Intrinsic::Popcount => self.count_bits(arg.get(0)?, dtype, false)?,
            Intrinsic::LeadingZeros => self.count_bits(arg.get(0)?, dtype, true)?,
            Intrinsic::Reinterpret => {
                let value = self.expr(arg.get(0)?)?;
                let from = arg.get(0)?.dtype().element();
                match from.is_handle() && dtype.is_handle() {
                    true => value,
                    false => self.reinterpret(&value, from, dtype)?,
                }
            }
            Intrinsic::LargeUnsigned => {
                let (low, high) = (self.scalar(arg.get(0)?)?.known(), self.scalar(arg.get(1)?)?.known());
                let (Some(low), Some(high)) = (low, high) else {
                    return Err(RunErrorKind::Kind { expected: "two integers" }.into());
                };
                vec![literal(dtype, (low & 0xFFFF_FFFF | high << 32) as i64)]
            }
            Intrinsic::MultiplyShift => {
                let mut parts = Vec::new();
                for value in args.iter() {
                    parts.push(self.scalar(value)?.text);
                }
                let name = self.helper(Helper::MultiplyShift);
                vec![Value::atom(format!("{name}({})", parts.join(", ")), DataType::INT32)]
            }
            Intrinsic::VectorLow => {
                let value = self.expr(arg.get(0)?)?;
                value.iter().take(value.len() / 2).cloned().collect()
            }
            Intrinsic::VectorHigh => {
                let value = self.expr(arg.get(0)?)?;
                value.iter().skip(value.len() / 2).cloned().collect()
            }
            Intrinsic::VectorCombine => {
                let mut value = self.expr(arg.get(0)?)?;
                value.extend(self.expr(arg.get(1)?)?);
                value
            }
            Intrinsic::ActiveLanes => {
                let own = arg.get(0)?.dtype().element();
                let (base, limit) = (self.scalar(arg.get(0)?)?, self.scalar(arg.get(1)?)?);
                let mut out = Lanes::new();
                for lane in 0..lane_count(whole)? {
                    let at = base.index_add(&Value::count(lane as i64));
                    out.push(self.compare(Comparison::Lt, (own, &at), (own, &limit))?);
                }
                out
            }
            Intrinsic::DotProduct4 => {
                let (a, b) = (self.expr(arg.get(0)?)?, self.expr(arg.get(1)?)?);
                let mut total = self.scalar(arg.get(2)?)?;
                for lane in 0..a.len().max(b.len()) {
                    let (from, other) = (arg.get(0)?.dtype().element(), arg.get(1)?.dtype().element());
                    let a = self.cast(lane_of(&a, lane)?.clone(), from, dtype)?;
                    let b = self.cast(lane_of(&b, lane)?.clone(), other, dtype)?;
                    let product = self.operate(Operator::Mul, dtype, &a, &b)?;
                    total = self.operate(Operator::Add, dtype, &total, &product)?;
                }
                vec![total]
            }
            Intrinsic::Clamp => {
                let (a, low) = (self.expr(arg.get(0)?)?, self.expr(arg.get(1)?)?);
                let high = self.expr(arg.get(2)?)?;
                let raised = self.zip(&low, &a, |this, a, b| this.operate(Operator::Max, dtype, a, b))?;
                self.zip(&high, &raised, |this, a, b| this.operate(Operator::Min, dtype, a, b))?
            }
            Intrinsic::Infinity => vec![Value::atom("INFINITY", dtype)],
            Intrinsic::Pack { bits } => {
                let mut parts = Lanes::new();
                for value in args.iter() {
                    let from = value.dtype().element();
                    for lane in self.expr(value)? {
                        parts.push(self.bits_of(&lane, from)?);
                    }
                }
                self.value_of_parts(&parts, bits.into(), dtype)?
            }
            Intrinsic::Return => {
                self.return_value(args.first())?;
                zero
            }
            Intrinsic::ThreadReturn => {
                self.return_value(None)?;
                zero
            }
            Intrinsic::Break | Intrinsic::Continue => {
                self.leave_loop(if matches!(found, Intrinsic::Break) { "break" } else { "continue" })?;
                zero
            }
            Intrinsic::Extern => self.call_extern(&arg, dtype)?,
            Intrinsic::Packed => {
                let name = arg.text(0)?;
                return unsupported(format!("a call of the packed function `{name}`"));
            }
            Intrinsic::Record(_) => return unsupported(format!("the operator `{}`", operator_name())),
            Intrinsic::IsNull => {
                let pointer = self.scalar(arg.get(0)?)?;
                let text = format!("{} == NULL", pointer.at(Level::Add));
                vec![Value::new(text, Level::Other, DataType::BOOL)]
            }
            Intrinsic::TypeAnnotation => zero,
            Intrinsic::Assert => {
                let condition = self.scalar(arg.get(0)?)?;
                let message = arg.text(1).unwrap_or_default().to_owned();
                self.assertion(&condition, &message)?;
                zero
            }
            Intrinsic::Pointer(operator) => self.pointer_call(operator, &arg, whole)?,
            Intrinsic::Thread(operator) => self.thread_call(operator, &arg, &operator_name())?,
            Intrinsic::Tile(_) => return unsupported(format!("the operator on tiles `{}`", operator_name())),
        })
    }

    /// A function of the C library on each lane.
    fn functions_of_floats(&mut self, operator: &str, dtype: DataType, args: &[Lanes]) -> Result<Lanes> {
        let name = operator.rsplit('.').next().unwrap_or_default().trim_start_matches("__");
        if name == "fmul" {
            let [a, b] = args else { return unsupported(format!("the operator `{operator}`")) };
            return self.zip(a, b, |this, a, b| this.operate(Operator::Mul, dtype, a, b));
        }
        let name = match name {
            "exp10" => self.helper(Helper::Exp10),
            "rsqrt" => self.helper(Helper::Rsqrt),
            "sigmoid" => self.helper(Helper::Sigmoid),
            "fast_rcp" => self.helper(Helper::Reciprocal),
            name => name.to_owned(),
        };
        let count = args.iter().map(Vec::len).max().unwrap_or(1);
        let mut out = Lanes::new();
        for lane in 0..count {
            let of_lane = args.iter().map(|lanes| lane_of(lanes, lane)).collect::<Result<Vec<&Value>>>()?;
            out.push(self.apply(&name, dtype, &of_lane)?);
        }
        Ok(out)
    }

    fn absolute(&mut self, value: &Lanes, dtype: DataType) -> Result<Lanes> {
        if is_float(dtype) {
            return self.functions_of_floats("fabs", dtype, std::slice::from_ref(value));
        }
        if dtype.is_uint() || dtype.is_bool() {
            return Ok(value.clone());
        }
        value_type(dtype)?;
        let name = self.helper(Helper::Absolute(dtype));
        Ok(value.iter().map(|value| Value::atom(format!("{name}({})", value.text), dtype)).collect())
    }

    fn count_bits(&mut self, value: &Expr, dtype: DataType, leading: bool) -> Result<Lanes> {
        let own = value.dtype().element();
        let mut out = Lanes::new();
        for lane in self.expr(value)? {
            let bits = self.bits_of(&lane, own)?;
            let text = match leading {
                true => format!("{}({}, {})", self.helper(Helper::LeadingZeros), bits.text, own.bits),
                false => format!("{}({})", self.helper(Helper::Popcount), bits.text),
            };
            let count = Value::atom(text, DataType::INT32).with_bounds((0, 64));
            out.push(self.cast(count, DataType::INT32, dtype)?);
        }
        Ok(out)
    }

    /// The bits of a value of a type, as an unsigned integer.
    fn bits_of(&mut self, value: &Value, dtype: DataType) -> Result<Value> {
        let unsigned = DataType::uint(dtype.bits.max(8));
        if dtype.is_handle() {
            return self.cast(value.clone(), dtype, DataType::uint(64));
        }
        let text = match is_float(dtype) {
            false => return self.cast(value.clone(), dtype, unsigned),
            true if super::types::is_rounded(dtype) => self.helper(Helper::Encode(dtype)),
            true if dtype.bits == 64 => self.helper(Helper::DoubleBits),
            true => self.helper(Helper::FloatBits),
        };
        Ok(Value::atom(format!("{text}({})", value.text), unsigned))
    }

    /// The value of a type with some bits.
    fn value_of_bits(&mut self, bits: &Value, dtype: DataType) -> Result<Value> {
        if dtype.is_handle() || !is_float(dtype) {
            return self.cast(bits.clone(), DataType::uint(64), dtype);
        }
        let name = if super::types::is_rounded(dtype) {
            self.helper(Helper::Decode(dtype))
        } else if dtype.bits == 64 {
            self.helper(Helper::DoubleOfBits)
        } else {
            self.helper(Helper::FloatOfBits)
        };
        let narrow = value_type(DataType::uint(dtype.bits.max(8)))?;
        Ok(Value::atom(format!("{name}({})", bits.cast_to(narrow)), dtype))
    }

    /// The bits of a value as another type.
    fn reinterpret(&mut self, value: &Lanes, from: DataType, to: DataType) -> Result<Lanes> {
        let bits = value.iter().map(|value| self.bits_of(value, from)).collect::<Result<Lanes>>()?;
        self.value_of_parts(&bits, from.bits.into(), to)
    }

    /// The values of a type whose bits are those of parts of a width, or are parts of them.
    fn value_of_parts(&mut self, bits: &Lanes, width: u32, to: DataType) -> Result<Lanes> {
        let size = u32::from(to.bits);
        if width == 0 || size == 0 {
            return unsupported_type(to);
        }
        let mut out = Lanes::new();
        let word = DataType::uint(64);
        if width == size {
            out = bits.clone();
        } else if width > size {
            for whole in bits {
                for part in 0..width / size {
                    let text = format!("{} >> {}", whole.cast_to("uint64_t"), part * size);
                    out.push(Value::new(text, Level::Other, word));
                }
            }
        } else {
            for parts in bits.chunks((size / width) as usize) {
                let moved = parts.iter().enumerate().map(|(place, part)| match place {
                    0 => part.cast_to("uint64_t"),
                    _ => format!("({} << {})", part.cast_to("uint64_t"), place as u32 * width),
                });
                out.push(Value::new(moved.collect::<Vec<_>>().join(" | "), Level::Other, word));
            }
        }
        out.iter().map(|bits| self.value_of_bits(bits, to)).collect()
    }

    /// A function of the C library, by its name: `expf`, `std::max` or `__expf`.
    fn call_extern(&mut self, arg: &Arguments<'_>, dtype: DataType) -> Result<Lanes> {
        let name = arg.text(0)?;
        let plain = name.trim_start_matches("std::").trim_start_matches("__").trim_start_matches("nv_");
        let short = plain.strip_suffix(['f', 'l']).unwrap_or(plain);
        // Functions of half precision have a prefix.
        let half = plain.strip_prefix('h').filter(|_| dtype.bits == 16).unwrap_or(plain);
        let count = |known: &str| match () {
            () if PURE_UNARY.iter().any(|(name, _)| *name == known) => Some(1),
            () if PURE_BINARY.iter().any(|(name, _)| *name == known) => Some(2),
            () => None,
        };
        for known in [plain, short, half] {
            let Some(count) = count(known).filter(|_| is_float(dtype)) else { continue };
            let args = (1..=count).map(|at| self.expr(arg.get(at)?)).collect::<Result<Vec<Lanes>>>()?;
            return self.functions_of_floats(known, dtype, &args);
        }
        let operator = match plain {
            "min" => Operator::Min,
            "max" => Operator::Max,
            "abs" | "labs" | "llabs" => {
                let value = self.expr(arg.get(1)?)?;
                return self.absolute(&value, dtype);
            }
            // Output of a program for its reader.
            "printf" | "puts" | "debug_print_var" | "debug_print_msg" | "debug_print_buffer_value" => {
                return Ok(vec![literal(DataType::INT32, 0)]);
            }
            _ => return unsupported(format!("the external function `{name}`")),
        };
        let (a, b) = (self.expr(arg.get(1)?)?, self.expr(arg.get(2)?)?);
        self.zip(&a, &b, |this, a, b| this.operate(operator, dtype, a, b))
    }
}
