//! The loop that executes instructions.

use tvmscript_ir_core::arithmetic::floor_div;

use crate::error::{Result, RunErrorKind};
use crate::machine::{Machine, Thread};
use crate::memory::{advance, from_bits, to_bits};
use crate::program::Instruction as I;
use crate::scalar::{cast, operate, round, wide};

/// Why a thread stopped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Outcome {
    /// At the end of the program or of its group.
    Ended,
    Returned(Option<u64>),
    /// Before an instruction that waits for other threads.
    Waiting,
}

impl Machine<'_> {
    /// Executes a thread until it ends or waits. `thread.at` is then the instruction that waits.
    pub(crate) fn execute(&mut self, thread: &mut Thread) -> Result<Outcome> {
        let program = self.program;
        let code = program.code.as_slice();
        let Thread { registers, at } = thread;
        let registers = registers.as_mut_slice();
        let mut next = *at;
        let mut steps = self.steps;
        macro_rules! read {
            ($register:expr) => {
                match registers.get($register as usize) {
                    Some(value) => *value,
                    None => 0,
                }
            };
        }
        macro_rules! int {
            ($register:expr) => {
                (read!($register) as i64)
            };
        }
        macro_rules! float {
            ($register:expr) => {
                f64::from_bits(read!($register))
            };
        }
        macro_rules! write {
            ($register:expr, $value:expr) => {{
                let value: u64 = $value;
                if let Some(slot) = registers.get_mut($register as usize) {
                    *slot = value;
                }
            }};
        }
        macro_rules! put_int {
            ($register:expr, $value:expr) => {{
                let value: i64 = $value;
                write!($register, value as u64)
            }};
        }
        macro_rules! put_float {
            ($register:expr, $value:expr) => {{
                let value: f64 = $value;
                write!($register, value.to_bits())
            }};
        }
        macro_rules! put_float32 {
            ($register:expr, $value:expr) => {{
                let value: f64 = $value;
                write!($register, f64::from(value as f32).to_bits())
            }};
        }
        macro_rules! throw {
            ($kind:expr) => {{
                self.steps = steps;
                return Err(self.fail(next - 1, $kind));
            }};
        }
        macro_rules! attempt {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(error) => {
                        self.steps = steps;
                        let span = program.spans.get(next - 1).copied().unwrap_or_default();
                        return Err(error.at(span));
                    }
                }
            };
        }
        macro_rules! checked {
            () => {
                if steps >= self.next_check {
                    self.steps = steps;
                    attempt!(self.check());
                }
            };
        }
        loop {
            let Some(instruction) = code.get(next) else {
                self.steps = steps;
                *at = next;
                return Ok(Outcome::Ended);
            };
            next += 1;
            steps += 1;
            match *instruction {
                I::Move { d, a } => write!(d, read!(a)),
                I::AddInt { d, a, b } => put_int!(d, int!(a).wrapping_add(int!(b))),
                I::SubInt { d, a, b } => put_int!(d, int!(a).wrapping_sub(int!(b))),
                I::MulInt { d, a, b } => put_int!(d, int!(a).wrapping_mul(int!(b))),
                I::AddInt32 { d, a, b } => put_int!(d, i64::from(int!(a).wrapping_add(int!(b)) as i32)),
                I::SubInt32 { d, a, b } => put_int!(d, i64::from(int!(a).wrapping_sub(int!(b)) as i32)),
                I::MulInt32 { d, a, b } => put_int!(d, i64::from(int!(a).wrapping_mul(int!(b)) as i32)),
                I::FloorDivInt32 { d, a, b } => {
                    let (a, b) = (int!(a), int!(b));
                    if b == 0 {
                        throw!(RunErrorKind::DivisionByZero);
                    }
                    // Unsigned division of 32 bits is several times faster.
                    let quotient = match (u32::try_from(a), u32::try_from(b)) {
                        (Ok(a), Ok(b)) if b != 0 => i64::from(a / b),
                        _ => i64::from(floor_div(a, b) as i32),
                    };
                    put_int!(d, quotient)
                }
                I::FloorModInt32 { d, a, b } => {
                    let (a, b) = (int!(a), int!(b));
                    if b == 0 {
                        throw!(RunErrorKind::DivisionByZero);
                    }
                    let rest = match (u32::try_from(a), u32::try_from(b)) {
                        (Ok(a), Ok(b)) if b != 0 => i64::from(a % b),
                        _ => tvmscript_ir_core::arithmetic::floor_mod(a, b),
                    };
                    put_int!(d, rest)
                }
                I::MinInt { d, a, b } => put_int!(d, int!(a).min(int!(b))),
                I::MaxInt { d, a, b } => put_int!(d, int!(a).max(int!(b))),
                I::AndInt { d, a, b } => write!(d, read!(a) & read!(b)),
                I::OrInt { d, a, b } => write!(d, read!(a) | read!(b)),
                I::LtInt { d, a, b } => write!(d, u64::from(int!(a) < int!(b))),
                I::LeInt { d, a, b } => write!(d, u64::from(int!(a) <= int!(b))),
                I::EqInt { d, a, b } => write!(d, u64::from(read!(a) == read!(b))),
                I::NeInt { d, a, b } => write!(d, u64::from(read!(a) != read!(b))),
                I::AddFloat { d, a, b } => put_float!(d, float!(a) + float!(b)),
                I::SubFloat { d, a, b } => put_float!(d, float!(a) - float!(b)),
                I::MulFloat { d, a, b } => put_float!(d, float!(a) * float!(b)),
                I::DivFloat { d, a, b } => put_float!(d, float!(a) / float!(b)),
                I::AddFloat32 { d, a, b } => put_float32!(d, float!(a) + float!(b)),
                I::SubFloat32 { d, a, b } => put_float32!(d, float!(a) - float!(b)),
                I::MulFloat32 { d, a, b } => put_float32!(d, float!(a) * float!(b)),
                I::DivFloat32 { d, a, b } => put_float32!(d, float!(a) / float!(b)),
                I::MinFloat { d, a, b } => {
                    let (a, b) = (float!(a), float!(b));
                    put_float!(d, if a < b { a } else { b })
                }
                I::MaxFloat { d, a, b } => {
                    let (a, b) = (float!(a), float!(b));
                    put_float!(d, if a > b { a } else { b })
                }
                I::LtFloat { d, a, b } => write!(d, u64::from(float!(a) < float!(b))),
                I::LeFloat { d, a, b } => write!(d, u64::from(float!(a) <= float!(b))),
                I::EqFloat { d, a, b } => write!(d, u64::from(float!(a) == float!(b))),
                I::NeFloat { d, a, b } => write!(d, u64::from(float!(a) != float!(b))),
                I::Not { d, a } => write!(d, u64::from(read!(a) == 0)),
                I::Operate { operator, dtype, d, a, b } => match operate(operator, dtype, read!(a), read!(b))
                {
                    Some(value) => write!(d, value),
                    None => throw!(crate::error::undefined(operator, dtype, int!(b))),
                },
                I::Compare { comparison, dtype, d, a, b } => {
                    let holds = match crate::scalar::is_float(dtype) {
                        true => comparison.holds(float!(a), float!(b)),
                        false => comparison.holds(wide(dtype, read!(a)), wide(dtype, read!(b))),
                    };
                    write!(d, u64::from(holds))
                }
                I::Cast { from, to, d, a } => write!(d, cast(from, to, read!(a))),
                I::Select { d, c, a, b } => write!(d, if read!(c) != 0 { read!(a) } else { read!(b) }),
                I::Apply { f, dtype, d, a } => put_float!(d, round(dtype, f(float!(a))).unwrap_or_default()),
                I::Apply2 { f, dtype, d, a, b } => {
                    put_float!(d, round(dtype, f(float!(a), float!(b))).unwrap_or_default())
                }
                I::Fused { dtype, d, a, b, c } => {
                    put_float!(d, round(dtype, float!(a) * float!(b) + float!(c)).unwrap_or_default())
                }
                I::Ldexp { dtype, d, a, b } => {
                    let exponent = int!(b).clamp(-5000, 5000) as i32;
                    put_float!(d, round(dtype, libm::ldexp(float!(a), exponent)).unwrap_or_default())
                }
                I::Popcount { bits, d, a } => {
                    let mask = u64::MAX >> (64 - u32::from(bits));
                    write!(d, (read!(a) & mask).count_ones().into())
                }
                I::LeadingZeros { bits, d, a } => {
                    let bits = u32::from(bits);
                    write!(d, (read!(a) << (64 - bits)).leading_zeros().min(bits).into())
                }
                I::Quantized { d, a, b, c, s } => {
                    match crate::intrinsics::quantized(int!(a), int!(b), int!(c), int!(s)) {
                        Some(value) => put_int!(d, value),
                        None => throw!(RunErrorKind::Unsupported {
                            construct: format!("a fixed-point shift by {}", int!(c) - int!(s))
                        }),
                    }
                }
                I::ToBits { dtype, d, a } => write!(d, to_bits(dtype, read!(a))),
                I::FromBits { dtype, d, a } => write!(d, from_bits(dtype, read!(a))),
                I::Index { d, sum, index, extent, stride } => {
                    let (index, extent) = (int!(index), int!(extent));
                    if index < 0 || index >= extent {
                        self.steps = steps;
                        return Err(self.out_of_bounds(next - 1, index, extent));
                    }
                    put_int!(d, int!(sum).wrapping_add(index.wrapping_mul(int!(stride))))
                }
                I::Load { element, d, p, index } => match self.memory.load(element, read!(p), int!(index)) {
                    Some(value) => write!(d, value),
                    None => {
                        self.steps = steps;
                        return Err(self.outside(next - 1, read!(p), int!(index), element.bytes()));
                    }
                },
                I::Store { element, p, index, a } => {
                    if self.memory.store(element, read!(p), int!(index), read!(a)).is_none() {
                        self.steps = steps;
                        return Err(self.outside(next - 1, read!(p), int!(index), element.bytes()));
                    }
                }
                I::Offset { d, p, bytes } => write!(d, advance(read!(p), int!(bytes))),
                I::Allocate { bytes, d, count } => {
                    let value = attempt!(self.allocate(read!(d), bytes, int!(count)));
                    write!(d, value)
                }
                I::AllocateShared { bytes, d, count } => {
                    let value = attempt!(self.allocate_shared(d, bytes, int!(count)));
                    write!(d, value)
                }
                I::Free { a } => {
                    self.memory.release(read!(a));
                    write!(a, 0)
                }
                I::Fill { data, p } => {
                    let data = program.data.get(data as usize).map(Vec::as_slice).unwrap_or_default();
                    if let Some(bytes) = self.memory.bytes_mut(read!(p), data.len()) {
                        bytes.copy_from_slice(data);
                    }
                }
                I::CheckExtent { argument, dimension, a } => {
                    attempt!(self.check_extent(argument as usize, dimension as usize, int!(a)))
                }
                I::Jump { to } => {
                    let is_back = (to as usize) < next;
                    next = to as usize;
                    if is_back {
                        checked!();
                    }
                }
                I::JumpIf { a, to } => {
                    if read!(a) != 0 {
                        next = to as usize;
                    }
                }
                I::JumpUnless { a, to } => {
                    if read!(a) == 0 {
                        next = to as usize;
                    }
                }
                I::Next { a, step, end, to } => {
                    let value = int!(a).wrapping_add(int!(step));
                    put_int!(a, value);
                    if value < int!(end) {
                        next = to as usize;
                        checked!();
                    }
                }
                I::Return { a } => {
                    self.steps = steps;
                    return Ok(Outcome::Returned(Some(read!(a))));
                }
                I::End => {
                    self.steps = steps;
                    return Ok(Outcome::Ended);
                }
                I::Fork { group } => {
                    let Some(group) = program.groups.get(group as usize) else { continue };
                    self.steps = steps;
                    attempt!(self.run_group(group, registers, next));
                    steps = self.steps;
                    next = group.end as usize;
                }
                I::Arrive { p, count } => self.barriers.arrive(read!(p), int!(count)),
                I::ExpectBytes { p, bytes } => self.barriers.expect(read!(p), int!(bytes)),
                I::ReceiveBytes { p, bytes } => self.barriers.receive(read!(p), int!(bytes)),
                I::CopyBox { copy } => {
                    if let Some(copy) = program.copies.get(copy as usize) {
                        self.steps = steps;
                        attempt!(self.copy_box(next - 1, copy, registers));
                        steps = self.steps;
                    }
                }
                I::Scan { scan } => {
                    if let Some(scan) = program.scans.get(scan as usize) {
                        self.steps = steps;
                        attempt!(self.scan(next - 1, scan, registers));
                        steps = self.steps;
                    }
                }
                I::Descriptor { d, p, layout, leading, stride } => {
                    let value = attempt!(crate::warpgroup::descriptor(read!(p), layout, leading, stride));
                    write!(d, value)
                }
                I::CopyBytes { to, from, bytes } => {
                    let (to, from, bytes) = (read!(to), read!(from), int!(bytes));
                    let count = usize::try_from(bytes).unwrap_or(usize::MAX);
                    let Some(copied) = self.memory.bytes(from, count).map(<[u8]>::to_vec) else {
                        self.steps = steps;
                        return Err(self.outside(next - 1, from, bytes, 1));
                    };
                    let Some(target) = self.memory.bytes_mut(to, count) else {
                        self.steps = steps;
                        return Err(self.outside(next - 1, to, bytes, 1));
                    };
                    target.copy_from_slice(&copied);
                    steps += copied.len() as u64;
                }
                I::InitBarrier { p, count } => self.barriers.init(read!(p), int!(count)),
                I::WaitBarrier { p, parity } => {
                    if self.barriers.is_pending(read!(p), int!(parity)) {
                        self.steps = steps;
                        *at = next - 1;
                        return Ok(Outcome::Waiting);
                    }
                }
                I::Meet { .. } | I::Exchange { .. } | I::Matrix { .. } => {
                    self.steps = steps;
                    *at = next - 1;
                    return Ok(Outcome::Waiting);
                }
                I::CallLibrary { function, values, count } => {
                    attempt!(crate::library::call(function, self, read!(values), int!(count)))
                }
                I::Fail { error } => {
                    let kind = program.errors.get(error as usize).cloned();
                    throw!(kind.unwrap_or(RunErrorKind::Kind { expected: "a program" }))
                }
            }
        }
    }
}
