//! Matrices that are spread over the lanes of a warp.

use tvmscript_ir_core::DataType;

use crate::error::Result;
use crate::machine::{Machine, Thread};
use crate::memory::Element;
use crate::program::Register;
use crate::threads::WARP;
use crate::warpgroup::{Operand, WarpgroupProduct};
use crate::wavefront::WavefrontProduct;

/// An operation on matrices.
#[derive(Debug, Clone)]
pub(crate) enum Matrix {
    /// Loads `count` matrices of 8 rows with 16 bytes; the lanes point to the rows.
    Load {
        is_transposed: bool,
        count: usize,
        source: Register,
        target: Register,
    },
    /// The inverse of [`Matrix::Load`]; each value is a word of 32 bits.
    Store {
        is_transposed: bool,
        values: Vec<Register>,
        target: Register,
    },
    /// `c += a * b`, with 16 rows of `a` and 8 columns of `b`.
    Multiply {
        depth: usize,
        a: (Register, Element, usize),
        b: (Register, Element, usize),
        c: (Register, Element, DataType),
    },
    Warpgroup(WarpgroupProduct),
    Wavefront(WavefrontProduct),
}

/// The registers of the lanes that take part.
pub(crate) struct Lanes<'t> {
    pub(crate) threads: &'t [Thread],
    pub(crate) lanes: &'t [usize],
    /// The first thread of the warp.
    pub(crate) first: usize,
}

impl Lanes<'_> {
    /// The register of a thread; 0 if it takes no part.
    pub(crate) fn read(&self, thread: usize, register: Register) -> u64 {
        let thread = self.threads.get(thread).filter(|_| self.lanes.contains(&thread));
        thread.and_then(|thread| thread.registers.get(register as usize).copied()).unwrap_or_default()
    }
}

/// The elements of a row of `left` with those of a row of `right`; rows have `depth` elements.
pub(crate) fn pairs(
    left: &[u64],
    row: usize,
    right: &[u64],
    other: usize,
    depth: usize,
) -> impl Iterator<Item = (u64, u64)> {
    let left = left.iter().skip(row * depth).copied();
    left.zip(right.iter().skip(other * depth).copied()).take(depth)
}

/// `sum + old`, rounded once; sums of floats are exact as far as a 64-bit float is.
pub(crate) fn accumulate(dtype: DataType, old: u64, pairs: impl Iterator<Item = (u64, u64)>) -> u64 {
    match crate::scalar::is_float(dtype) {
        true => {
            let sum: f64 = pairs.map(|(a, b)| f64::from_bits(a) * f64::from_bits(b)).sum();
            crate::scalar::round(dtype, f64::from_bits(old) + sum).unwrap_or_default().to_bits()
        }
        false => {
            let sum =
                pairs.fold(old as i64, |sum, (a, b)| sum.wrapping_add((a as i64).wrapping_mul(b as i64)));
            crate::scalar::wrap(dtype, sum)
        }
    }
}

impl Machine<'_> {
    /// Executes an operation on matrices for some lanes of the warp that begins at a thread.
    pub(crate) fn matrix(
        &mut self,
        place: usize,
        matrix: &Matrix,
        threads: &[Thread],
        lanes: &[usize],
        first: usize,
    ) -> Result<()> {
        let own = Lanes { threads, lanes, first };
        let read = |lane: usize, register: Register| own.read(lane, register);
        match matrix {
            Matrix::Warpgroup(product) => return self.warpgroup(place, product, &own),
            Matrix::Wavefront(product) => return self.wavefront(place, product, &own),
            Matrix::Load { is_transposed, count, source, target } => {
                for number in 0..*count {
                    let mut rows = [[0u8; 16]; 8];
                    for (index, row) in rows.iter_mut().enumerate() {
                        let pointer = read(first + number * 8 + index, *source);
                        match self.memory.bytes(pointer, 16) {
                            Some(bytes) => row.copy_from_slice(bytes),
                            None => return Err(self.outside(place, pointer, 0, 16)),
                        }
                    }
                    for lane in lanes {
                        let word = matrix_word(&rows, lane - first, *is_transposed);
                        let pointer = crate::memory::advance(read(*lane, *target), 4 * number as i64);
                        match self.memory.bytes_mut(pointer, 4) {
                            Some(bytes) => bytes.copy_from_slice(&word),
                            None => return Err(self.outside(place, pointer, 0, 4)),
                        }
                    }
                }
            }
            Matrix::Store { is_transposed, values, target } => {
                for (number, register) in values.iter().enumerate() {
                    let mut rows = [[0u8; 16]; 8];
                    for lane in lanes {
                        let word = (read(*lane, *register) as u32).to_le_bytes();
                        set_matrix_word(&mut rows, lane - first, *is_transposed, word);
                    }
                    for (index, row) in rows.iter().enumerate() {
                        let pointer = read(first + number * 8 + index, *target);
                        match self.memory.bytes_mut(pointer, 16) {
                            Some(bytes) => bytes.copy_from_slice(row),
                            None => return Err(self.outside(place, pointer, 0, 16)),
                        }
                    }
                }
            }
            Matrix::Multiply { depth, a, b, c } => {
                let rows = Operand::Lanes { p: a.0, parts: a.2 };
                let left = self.operand(place, rows, a.1, [16, *depth], 0, (first, &own))?;
                let mut right = vec![0u64; 8 * depth];
                let b_parts = b.2;
                for lane in lanes {
                    let (group, inner) = ((lane - first) / 4, (lane - first) % 4);
                    for index in 0..8 * depth / WARP {
                        let row = inner * b_parts + index % b_parts + 4 * b_parts * (index / b_parts);
                        let value = self.element(place, b.1, read(*lane, b.0), index)?;
                        if let Some(slot) = right.get_mut(group * depth + row) {
                            *slot = value;
                        }
                    }
                }
                for lane in lanes {
                    let (group, inner) = ((lane - first) / 4, (lane - first) % 4);
                    for index in 0..4 {
                        let row = group + 8 * (index / 2);
                        let column = inner * 2 + index % 2;
                        let old = self.element(place, c.1, read(*lane, c.0), index)?;
                        let new = accumulate(c.2, old, pairs(&left, row, &right, column, *depth));
                        self.set_element(place, c.1, read(*lane, c.0), index, new)?;
                    }
                }
            }
        }
        Ok(())
    }

    pub(crate) fn element(&self, place: usize, element: Element, pointer: u64, index: usize) -> Result<u64> {
        match self.memory.load(element, pointer, index as i64) {
            Some(value) => Ok(value),
            None => Err(self.outside(place, pointer, index as i64, element.bytes())),
        }
    }

    pub(crate) fn set_element(
        &mut self,
        place: usize,
        element: Element,
        pointer: u64,
        index: usize,
        value: u64,
    ) -> Result<()> {
        match self.memory.store(element, pointer, index as i64, value) {
            Some(()) => Ok(()),
            None => Err(self.outside(place, pointer, index as i64, element.bytes())),
        }
    }
}

/// The two elements of a matrix that a lane holds.
fn matrix_word(rows: &[[u8; 16]; 8], lane: usize, is_transposed: bool) -> [u8; 4] {
    let half = |row: usize, column: usize| -> [u8; 2] {
        let row = rows.get(row).map(|row| row.as_slice()).unwrap_or_default();
        let pair = row.get(2 * column..).and_then(|rest| rest.first_chunk::<2>()).copied();
        pair.unwrap_or_default()
    };
    let (group, inner) = (lane / 4, lane % 4 * 2);
    let [[a, b], [c, d]] = match is_transposed {
        false => [half(group, inner), half(group, inner + 1)],
        true => [half(inner, group), half(inner + 1, group)],
    };
    [a, b, c, d]
}

fn set_matrix_word(rows: &mut [[u8; 16]; 8], lane: usize, is_transposed: bool, word: [u8; 4]) {
    let [a, b, c, d] = word;
    let (group, inner) = (lane / 4, lane % 4 * 2);
    let places = match is_transposed {
        false => [(group, inner, [a, b]), (group, inner + 1, [c, d])],
        true => [(inner, group, [a, b]), (inner + 1, group, [c, d])],
    };
    for (row, column, pair) in places {
        let slot = rows.get_mut(row).and_then(|row| row.get_mut(2 * column..)?.first_chunk_mut::<2>());
        if let Some(slot) = slot {
            *slot = pair;
        }
    }
}
