//! Calls of operators and functions.

use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::arithmetic::{Comparison, Operator};
use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_prim::{BaseExpr, Expr, Op, PrimExprExt as _, StringImm};
use tvmscript_tir::node::PrimFunc;

use super::buffer::lane_of;
use super::entry::{buffer_of, warp_of};
use super::{Callee, Compiler, Lanes, MAX_CALLS};
use crate::device::{GroupReduction, RunningTotals};
use crate::error::{Result, RunErrorKind, unsupported, unsupported_type};
use crate::functions::{PURE_BINARY, PURE_UNARY};
use crate::intrinsics::{Intrinsic, intrinsic};
use crate::program::{Instruction as I, Register};
use crate::scalar::is_float;

/// The arguments of a call.
pub(crate) struct Arguments<'a>(pub(crate) &'a Array<Expr>);

impl<'a> Arguments<'a> {
    pub(crate) fn get(&self, at: usize) -> Result<&'a Expr> {
        self.0.get(at).ok_or_else(|| RunErrorKind::Kind { expected: "one more argument" }.into())
    }

    pub(crate) fn text(&self, at: usize) -> Result<&'a str> {
        match self.get(at)?.as_node::<StringImm>() {
            Some(text) => Ok(text.value.as_str()),
            None => Err(RunErrorKind::Kind { expected: "a string" }.into()),
        }
    }
}

impl Compiler<'_> {
    pub(super) fn call(
        &mut self,
        callee: &Ref<BaseExpr>,
        args: &Array<Expr>,
        dtype: DataType,
    ) -> Result<Lanes> {
        if let Some(global) = callee.as_node::<GlobalVar>() {
            return match self.functions.of_global(global) {
                Some(function) => self.inline(&function, args),
                None => unsupported(format!(
                    "a call of `{}`, which is not a function of the module,",
                    global.name_hint
                )),
            };
        }
        let Some(found) = intrinsic(callee) else {
            return match callee.as_node::<Op>() {
                Some(op) => unsupported(format!("the operator `{}`", op.name)),
                None => unsupported("a call of a function"),
            };
        };
        let zero = vec![self.int(0)];
        let arg = Arguments(args);
        let whole = dtype;
        let dtype = dtype.element();
        Ok(match found {
            Intrinsic::Unary(f) => {
                let value = self.expr(arg.get(0)?)?;
                // Integers have no fraction, so rounding keeps them.
                match is_float(dtype) {
                    true => self.each(&value, |d, a| I::Apply { f, dtype, d, a }),
                    false => value,
                }
            }
            Intrinsic::Binary(f) => self.with_two(&arg, |this, a, b| this.apply2(f, dtype, a, b))?,
            Intrinsic::Bits(operator) => {
                let (a, b) = (self.expr(arg.get(0)?)?, self.expr(arg.get(1)?)?);
                self.zip(&a, &b, |this, a, b| this.operate(operator, dtype, a, b))?
            }
            Intrinsic::Argument(at) => self.expr(arg.get(at)?)?,
            Intrinsic::Nothing => zero,
            Intrinsic::IfThenElse => self.if_then_else(&arg)?,
            Intrinsic::Absolute => {
                let value = self.expr(arg.get(0)?)?;
                match is_float(dtype) {
                    true => self.each(&value, |d, a| I::Apply { f: f64::abs, dtype, d, a }),
                    false => {
                        let minus = self.int(-1);
                        let negative = self.each(&value, |d, a| I::Operate {
                            operator: Operator::Mul,
                            dtype,
                            d,
                            a,
                            b: minus,
                        });
                        self.zip(&value, &negative, |this, a, b| this.operate(Operator::Max, dtype, a, b))?
                    }
                }
            }
            Intrinsic::Classify(f) => {
                let value = self.expr(arg.get(0)?)?;
                let wide = DataType::float(64);
                let found = self.each(&value, |d, a| I::Apply { f, dtype: wide, d, a });
                self.cast(&found, wide, DataType::BOOL)
            }
            Intrinsic::Fma => {
                let (a, b, c) = (self.expr(arg.get(0)?)?, self.expr(arg.get(1)?)?, self.expr(arg.get(2)?)?);
                let mut out = Lanes::new();
                for lane in 0..a.len() {
                    let (a, b, c) = (lane_of(&a, lane)?, lane_of(&b, lane)?, lane_of(&c, lane)?);
                    let d = self.fresh();
                    self.emit(I::Fused { dtype, d, a, b, c });
                    out.push(d);
                }
                out
            }
            Intrinsic::Ldexp => self.with_two(&arg, |this, a, b| {
                let d = this.fresh();
                this.emit(I::Ldexp { dtype, d, a, b });
                Ok(d)
            })?,
            Intrinsic::Not => {
                let value = self.expr(arg.get(0)?)?;
                let ones = self.constant(crate::scalar::wrap(dtype, -1));
                self.each(&value, |d, a| I::Operate { operator: Operator::BitXor, dtype, d, a, b: ones })
            }
            Intrinsic::Popcount => {
                let value = self.expr(arg.get(0)?)?;
                let bits = arg.get(0)?.dtype().bits.clamp(1, 64);
                self.each(&value, |d, a| I::Popcount { bits, d, a })
            }
            Intrinsic::LeadingZeros => {
                let value = self.expr(arg.get(0)?)?;
                let bits = arg.get(0)?.dtype().bits.clamp(1, 64);
                self.each(&value, |d, a| I::LeadingZeros { bits, d, a })
            }
            Intrinsic::Reinterpret => {
                let value = self.expr(arg.get(0)?)?;
                self.reinterpret(&value, arg.get(0)?.dtype().element(), dtype)?
            }
            Intrinsic::LargeUnsigned => {
                let (low, high) = (self.scalar(arg.get(0)?)?, self.scalar(arg.get(1)?)?);
                let (mask, shift) = (self.int(0xFFFF_FFFF), self.int(1 << 32));
                let (d, high) = (self.fresh(), self.mul(high, shift));
                let low = self.and(low, mask);
                self.emit(I::OrInt { d, a: low, b: high });
                vec![d]
            }
            Intrinsic::MultiplyShift => {
                let parts = self.scalars(args.iter())?;
                let &[a, b, c, s] = parts.as_slice() else {
                    return Err(RunErrorKind::Kind { expected: "four integers" }.into());
                };
                let d = self.fresh();
                self.emit(I::Quantized { d, a, b, c, s });
                vec![d]
            }
            Intrinsic::VectorLow => {
                let value = self.expr(arg.get(0)?)?;
                value.iter().take(value.len() / 2).copied().collect()
            }
            Intrinsic::VectorHigh => {
                let value = self.expr(arg.get(0)?)?;
                value.iter().skip(value.len() / 2).copied().collect()
            }
            Intrinsic::VectorCombine => {
                let mut value = self.expr(arg.get(0)?)?;
                value.extend(self.expr(arg.get(1)?)?);
                value
            }
            Intrinsic::ActiveLanes => {
                let (base, limit) = (self.scalar(arg.get(0)?)?, self.scalar(arg.get(1)?)?);
                let own = arg.get(0)?.dtype();
                let mut out = Lanes::new();
                for lane in 0..super::expr::lane_count(whole)? {
                    let step = self.int(lane as i64);
                    let at = self.add(base, step);
                    out.push(self.compare(Comparison::Lt, own, at, limit));
                }
                out
            }
            Intrinsic::DotProduct4 => {
                let (a, b) = (self.expr(arg.get(0)?)?, self.expr(arg.get(1)?)?);
                let sum = self.scalar(arg.get(2)?)?;
                let products = self.zip(&a, &b, |this, a, b| this.operate(Operator::Mul, dtype, a, b))?;
                let mut total = sum;
                for product in products {
                    total = self.operate(Operator::Add, dtype, total, product)?;
                }
                vec![total]
            }
            Intrinsic::Clamp => {
                let (a, low) = (self.expr(arg.get(0)?)?, self.expr(arg.get(1)?)?);
                let high = self.expr(arg.get(2)?)?;
                let raised = self.zip(&low, &a, |this, a, b| this.operate(Operator::Max, dtype, a, b))?;
                self.zip(&high, &raised, |this, a, b| this.operate(Operator::Min, dtype, a, b))?
            }
            Intrinsic::Infinity => vec![self.float(f64::INFINITY)],
            Intrinsic::Pack { bits } => self.pack(&arg, bits, dtype)?,
            Intrinsic::Return => {
                self.return_value(args.first())?;
                zero
            }
            Intrinsic::ThreadReturn => {
                self.return_value(None)?;
                zero
            }
            Intrinsic::Break => {
                self.break_loop()?;
                zero
            }
            Intrinsic::Continue => {
                self.continue_loop()?;
                zero
            }
            Intrinsic::Extern => self.call_extern(&arg, dtype)?,
            Intrinsic::Packed => self.call_packed(arg.text(0)?, args)?,
            Intrinsic::Record(operator) => self.record_call(operator, &arg, whole)?,
            Intrinsic::IsNull => {
                let a = self.scalar(arg.get(0)?)?;
                let d = self.fresh();
                self.emit(I::Not { d, a });
                vec![d]
            }
            Intrinsic::TypeAnnotation => zero,
            Intrinsic::Assert => {
                let condition = self.scalar(arg.get(0)?)?;
                let holds = self.jump_if(condition);
                let message = arg.text(1).unwrap_or_default().to_owned();
                self.fail(RunErrorKind::Assertion { message });
                self.land(holds);
                zero
            }
            Intrinsic::Pointer(operator) => self.pointer_call(operator, &arg, whole)?,
            Intrinsic::Thread(operator) => self.thread_call(operator, &arg, dtype)?,
            Intrinsic::Tile(operator) => {
                self.once(|this| this.tile(operator, &arg))?;
                zero
            }
        })
    }

    fn with_two(
        &mut self,
        arg: &Arguments<'_>,
        f: impl FnMut(&mut Self, Register, Register) -> Result<Register>,
    ) -> Result<Lanes> {
        let (a, b) = (self.expr(arg.get(0)?)?, self.expr(arg.get(1)?)?);
        self.zip(&a, &b, f)
    }

    fn apply2(
        &mut self,
        f: fn(f64, f64) -> f64,
        dtype: DataType,
        a: Register,
        b: Register,
    ) -> Result<Register> {
        let d = self.fresh();
        self.emit(I::Apply2 { f, dtype, d, a, b });
        Ok(d)
    }

    fn if_then_else(&mut self, arg: &Arguments<'_>) -> Result<Lanes> {
        let condition = self.expr(arg.get(0)?)?;
        let [condition] = condition.as_slice() else {
            let (a, b) = (self.expr(arg.get(1)?)?, self.expr(arg.get(2)?)?);
            return self.select(&condition, &a, &b);
        };
        let otherwise = self.jump_unless(*condition);
        let chosen = self.lazy(arg.get(1)?);
        let out: Lanes = chosen.iter().map(|_| self.fresh()).collect();
        for (d, a) in out.iter().zip(&chosen) {
            self.emit(I::Move { d: *d, a: *a });
        }
        let end = self.jump();
        self.land(otherwise);
        let chosen = self.lazy(arg.get(2)?);
        for (lane, d) in out.iter().enumerate() {
            let a = lane_of(&chosen, lane)?;
            self.emit(I::Move { d: *d, a });
        }
        self.land(end);
        Ok(out)
    }

    /// The bits of a value as another type of the same size.
    pub(super) fn reinterpret(&mut self, value: &Lanes, from: DataType, to: DataType) -> Result<Lanes> {
        let bits = self.each(value, |d, a| I::ToBits { dtype: from, d, a });
        let (width, size) = (u32::from(from.bits), u32::from(to.bits));
        if width == 0 || size == 0 {
            return unsupported_type(to);
        }
        let word = DataType::uint(64);
        let mut out = Lanes::new();
        if width == size {
            out = bits;
        } else if width > size {
            for whole in bits {
                for part in 0..width / size {
                    let shift = self.int(i64::from(part * size));
                    out.push(self.operate(Operator::ShiftRight, word, whole, shift)?);
                }
            }
        } else {
            for parts in bits.chunks((size / width) as usize) {
                let mut whole = self.int(0);
                for (place, part) in parts.iter().enumerate() {
                    let shift = self.int(i64::from(place as u32 * width));
                    let moved = self.operate(Operator::ShiftLeft, word, *part, shift)?;
                    whole = self.operate(Operator::BitOr, word, whole, moved)?;
                }
                out.push(whole);
            }
        }
        Ok(self.each(&out, |d, a| I::FromBits { dtype: to, d, a }))
    }

    fn pack(&mut self, arg: &Arguments<'_>, bits: u8, dtype: DataType) -> Result<Lanes> {
        let mut parts = Lanes::new();
        for value in arg.0.iter() {
            let lanes = self.expr(value)?;
            let from = value.dtype().element();
            parts.extend(self.each(&lanes, |d, a| I::ToBits { dtype: from, d, a }));
        }
        self.reinterpret(&parts, DataType::uint(bits), dtype)
    }

    /// A function of the C library, by its name: `expf`, `std::max` or `__expf`.
    fn call_extern(&mut self, arg: &Arguments<'_>, dtype: DataType) -> Result<Lanes> {
        let name = arg.text(0)?;
        if name.starts_with("tl::AllReduce<tl::") {
            let value = self.scalar(arg.get(1)?)?;
            return Ok(vec![self.reduce_group(&GroupReduction::of(name)?, value, dtype)?]);
        }
        if name.starts_with("tl::Cum") {
            self.scan_lines(&RunningTotals::of(name)?, arg)?;
            return Ok(vec![self.int(0)]);
        }
        let plain = name.trim_start_matches("std::").trim_start_matches("__").trim_start_matches("nv_");
        let short = plain.strip_suffix(['f', 'l']).unwrap_or(plain);
        // Functions of half precision have a prefix.
        let half = plain.strip_prefix('h').filter(|_| dtype.bits == 16).unwrap_or(plain);
        let value = |this: &mut Self, at: usize| -> Result<Lanes> {
            let value = this.expr(arg.get(at)?)?;
            let from = arg.get(at)?.dtype().element();
            Ok(if is_float(from) { value } else { this.cast(&value, from, DataType::float(64)) })
        };
        for known in [plain, short, half] {
            if let Some((_, f)) = PURE_UNARY.iter().find(|(name, _)| *name == known)
                && is_float(dtype)
            {
                let value = value(self, 1)?;
                return Ok(self.each(&value, |d, a| I::Apply { f: *f, dtype, d, a }));
            }
            if let Some((_, f)) = PURE_BINARY.iter().find(|(name, _)| *name == known)
                && is_float(dtype)
            {
                let (a, b) = (value(self, 1)?, value(self, 2)?);
                return self.zip(&a, &b, |this, a, b| this.apply2(*f, dtype, a, b));
            }
        }
        let operator = match plain {
            "min" => Operator::Min,
            "max" => Operator::Max,
            "abs" | "labs" | "llabs" => {
                let value = self.expr(arg.get(1)?)?;
                let zero = self.int(0);
                let negative =
                    self.each(&value, |d, b| I::Operate { operator: Operator::Sub, dtype, d, a: zero, b });
                return self.zip(&value, &negative, |this, a, b| this.operate(Operator::Max, dtype, a, b));
            }
            // Output of a program for its reader.
            "printf" | "puts" | "debug_print_var" | "debug_print_msg" | "debug_print_buffer_value" => {
                return Ok(vec![self.int(0)]);
            }
            _ => return unsupported(format!("the external function `{name}`")),
        };
        let (a, b) = (self.expr(arg.get(1)?)?, self.expr(arg.get(2)?)?);
        self.zip(&a, &b, |this, a, b| this.operate(operator, dtype, a, b))
    }

    /// Compiles the body of a called function in place of the call.
    pub(super) fn inline(&mut self, function: &Ref<PrimFunc>, args: &Array<Expr>) -> Result<Lanes> {
        let values = args.iter().map(|value| self.expr(value)).collect::<Result<Vec<Lanes>>>()?;
        self.inline_values(function, values)
    }

    pub(super) fn inline_values(&mut self, function: &Ref<PrimFunc>, values: Vec<Lanes>) -> Result<Lanes> {
        if self.callees.len() >= MAX_CALLS {
            return unsupported(format!("more than {MAX_CALLS} calls inside each other"));
        }
        self.open_scope();
        for (param, lanes) in function.params.iter().zip(values) {
            self.bind(param, lanes.clone());
            let Some(buffer) = buffer_of(function, param) else { continue };
            self.bind(&buffer.data, lanes);
        }
        // A function that returns nothing has not failed.
        let (result, zero) = (self.fresh(), self.int(0));
        self.emit(I::Move { d: result, a: zero });
        self.callees.push(Callee { returns: Vec::new(), result });
        let loops = std::mem::take(&mut self.loops);
        let warp = self.warp;
        self.warp = warp_of(function).unwrap_or(warp);
        self.stmt(&function.body);
        self.warp = warp;
        self.loops = loops;
        if let Some(callee) = self.callees.pop() {
            callee.returns.into_iter().for_each(|jump| self.land(jump));
        }
        self.merge_scope();
        Ok(vec![result])
    }
}
