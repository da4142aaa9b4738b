//! Running totals over lines of memory, in the order in which a warp computes them.
//!
//! A warp takes as many elements as it has lanes at a time: values are combined over doubling distances, and with the total
//! of the elements before.

use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::Operator;

use crate::error::Result;
use crate::machine::Machine;
use crate::memory::Element;
use crate::program::Register;
use crate::scalar::operate;

/// Running totals of lines: pointers to the first elements, counts and strides in elements.
#[derive(Debug, Clone)]
pub(crate) struct Scan {
    pub(crate) operator: Operator,
    pub(crate) is_reverse: bool,
    pub(crate) dtype: DataType,
    pub(crate) neutral: Register,
    pub(crate) source: Register,
    pub(crate) target: Register,
    pub(crate) lines: Register,
    pub(crate) extent: Register,
    /// From a line to the next one, in source and target.
    pub(crate) line_strides: [Register; 2],
    /// From an element of a line to the next one.
    pub(crate) strides: [Register; 2],
}

impl Machine<'_> {
    /// Executes a scan.
    pub(crate) fn scan(&mut self, at: usize, scan: &Scan, registers: &[u64]) -> Result<()> {
        let read = |register: Register| registers.get(register as usize).copied().unwrap_or_default();
        let int = |register: Register| read(register) as i64;
        let element = Element::of(scan.dtype)?;
        let combine = |a: u64, b: u64| operate(scan.operator, scan.dtype, a, b).unwrap_or(a);
        let [from_line, to_line] = scan.line_strides.map(int);
        let [from_step, to_step] = scan.strides.map(int);
        let (extent, neutral, warp) = (int(scan.extent), read(scan.neutral), self.warp as i64);
        let (source, target) = (read(scan.source), read(scan.target));
        for line in 0..int(scan.lines) {
            let mut carry = neutral;
            let segments = (extent.max(0) as u64).div_ceil(warp as u64) as i64;
            for number in 0..segments {
                let segment = if scan.is_reverse { segments - 1 - number } else { number };
                let mut values = vec![neutral; warp as usize];
                // In the order of the scan.
                let place = |lane: i64| segment * warp + if scan.is_reverse { warp - 1 - lane } else { lane };
                for (lane, value) in values.iter_mut().enumerate() {
                    let index = place(lane as i64);
                    if index < extent {
                        let offset = line * from_line + index * from_step;
                        *value = match self.memory.load(element, source, offset) {
                            Some(value) => value,
                            None => return Err(self.outside(at, source, offset, element.bytes())),
                        };
                    }
                }
                let mut distance = 1;
                while distance < values.len() {
                    let old = values.clone();
                    for (value, other) in values.iter_mut().skip(distance).zip(&old) {
                        *value = combine(*value, *other);
                    }
                    distance *= 2;
                }
                for (lane, value) in values.iter_mut().enumerate() {
                    *value = combine(*value, carry);
                    let index = place(lane as i64);
                    let offset = line * to_line + index * to_step;
                    if index < extent && self.memory.store(element, target, offset, *value).is_none() {
                        return Err(self.outside(at, target, offset, element.bytes()));
                    }
                }
                carry = values.last().copied().unwrap_or(carry);
                self.steps += warp as u64;
                if self.steps >= self.next_check {
                    self.check()?;
                }
            }
        }
        Ok(())
    }
}
