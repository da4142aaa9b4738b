//! Operations of a warp: exchanges of values between lanes, and matrices that are spread over lanes.

use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::Operator;

use crate::error::Result;
use crate::machine::{Machine, Thread};
use crate::memory::Element;
use crate::program::{Instruction, Register};
use crate::scalar::operate;
use crate::threads::WARP;

/// An exchange of values between lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exchange {
    /// The value of a lane, counted in groups of some lanes.
    Lane,
    Up,
    Down,
    Xor,
    Any,
    All,
    Ballot,
    Active,
    Match,
    Reduce(Operator),
}

/// An operation on matrices.
#[derive(Debug, Clone)]
pub(crate) enum Matrix {
    /// Loads `count` matrices of 8 rows with 16 bytes; the lanes point to the rows.
    Load { is_transposed: bool, count: usize, source: Register, target: Register },
    /// The inverse of [`Matrix::Load`]; each value is a word of 32 bits.
    Store { is_transposed: bool, values: Vec<Register>, target: Register },
    /// `c += a * b`, with 16 rows of `a` and 8 columns of `b`.
    Multiply {
        depth: usize,
        a: (Register, Element, usize),
        b: (Register, Element, usize),
        c: (Register, Element, DataType),
    },
}

impl Machine<'_> {
    /// Executes the instruction at a place for some lanes of the warp that begins at a thread.
    pub(crate) fn exchange(
        &mut self,
        place: usize,
        threads: &mut [Thread],
        lanes: &[usize],
        first: usize,
    ) -> Result<()> {
        let program = self.program;
        match program.code.get(place) {
            Some(Instruction::Exchange { exchange, dtype, d, a, b, c }) => {
                let read = |lane: usize, register: Register| {
                    let thread = threads.get(lane);
                    thread
                        .and_then(|thread| thread.registers.get(register as usize).copied())
                        .unwrap_or_default()
                };
                let results: Vec<u64> = lanes
                    .iter()
                    .map(|lane| exchanged(*exchange, *dtype, *lane, lanes, first, [*a, *b, *c], &read))
                    .collect();
                for (lane, result) in lanes.iter().zip(results) {
                    if let Some(slot) =
                        threads.get_mut(*lane).and_then(|thread| thread.registers.get_mut(*d as usize))
                    {
                        *slot = result;
                    }
                }
                Ok(())
            }
            Some(Instruction::Matrix { operation }) => match program.matrices.get(*operation as usize) {
                Some(matrix) => self.matrix(place, matrix, threads, lanes, first),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn matrix(
        &mut self,
        place: usize,
        matrix: &Matrix,
        threads: &[Thread],
        lanes: &[usize],
        first: usize,
    ) -> Result<()> {
        let read = |lane: usize, register: Register| {
            let thread = threads.get(lane).filter(|_| lanes.contains(&lane));
            thread.and_then(|thread| thread.registers.get(register as usize).copied()).unwrap_or_default()
        };
        match matrix {
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
                let (mut left, mut right) = (vec![0u64; 16 * depth], vec![0u64; 8 * depth]);
                let (a_parts, b_parts) = (a.2, b.2);
                for lane in lanes {
                    let (group, inner) = ((lane - first) / 4, (lane - first) % 4);
                    for index in 0..16 * depth / WARP {
                        let part = index / a_parts;
                        let row = group + 8 * (part % 2);
                        let column = inner * a_parts + index % a_parts + 4 * a_parts * (part / 2);
                        let value = self.element(place, a.1, read(*lane, a.0), index)?;
                        if let Some(slot) = left.get_mut(row * depth + column) {
                            *slot = value;
                        }
                    }
                    for index in 0..8 * depth / WARP {
                        let row = inner * b_parts + index % b_parts + 4 * b_parts * (index / b_parts);
                        let value = self.element(place, b.1, read(*lane, b.0), index)?;
                        if let Some(slot) = right.get_mut(group * depth + row) {
                            *slot = value;
                        }
                    }
                }
                let is_float = crate::scalar::is_float(c.2);
                for lane in lanes {
                    let (group, inner) = ((lane - first) / 4, (lane - first) % 4);
                    for index in 0..4 {
                        let row = group + 8 * (index / 2);
                        let column = inner * 2 + index % 2;
                        let pairs =
                            left.iter().skip(row * depth).zip(right.iter().skip(column * depth)).take(*depth);
                        let pointer = read(*lane, c.0);
                        let old = self.element(place, c.1, pointer, index)?;
                        let new = match is_float {
                            true => {
                                let sum: f64 =
                                    pairs.map(|(a, b)| f64::from_bits(*a) * f64::from_bits(*b)).sum();
                                let total = f64::from_bits(old) + sum;
                                crate::scalar::round(c.2, total).unwrap_or_default().to_bits()
                            }
                            false => {
                                let sum = pairs.fold(old as i64, |sum, (a, b)| {
                                    sum.wrapping_add((*a as i64).wrapping_mul(*b as i64))
                                });
                                crate::scalar::wrap(c.2, sum)
                            }
                        };
                        if self.memory.store(c.1, pointer, index as i64, new).is_none() {
                            return Err(self.outside(place, pointer, index as i64, c.1.bytes()));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn element(&self, place: usize, element: Element, pointer: u64, index: usize) -> Result<u64> {
        match self.memory.load(element, pointer, index as i64) {
            Some(value) => Ok(value),
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

fn exchanged(
    exchange: Exchange,
    dtype: DataType,
    lane: usize,
    lanes: &[usize],
    first: usize,
    [a, b, c]: [Register; 3],
    read: &dyn Fn(usize, Register) -> u64,
) -> u64 {
    let own = lane - first;
    let mask = |holds: &dyn Fn(usize) -> bool| {
        lanes.iter().filter(|lane| holds(**lane)).fold(0u64, |mask, lane| mask | 1 << (lane - first))
    };
    let shuffle = || {
        let width = (read(lane, c) as usize).clamp(1, WARP);
        let by = read(lane, b) as i64;
        let start = (own / width * width) as i64;
        let at = own as i64 - start;
        let from = match exchange {
            Exchange::Up => at - by,
            Exchange::Down => at + by,
            Exchange::Xor => at ^ by,
            _ => by.rem_euclid(width as i64),
        };
        let from = if (0..width as i64).contains(&from) { start + from } else { own as i64 };
        let from = first + from as usize;
        // The value of a lane that takes no part is not defined; it is that of the reader.
        read(if lanes.contains(&from) { from } else { lane }, a)
    };
    match exchange {
        Exchange::Lane | Exchange::Up | Exchange::Down | Exchange::Xor => shuffle(),
        Exchange::Any => u64::from(lanes.iter().any(|lane| read(*lane, a) != 0)),
        Exchange::All => u64::from(lanes.iter().all(|lane| read(*lane, a) != 0)),
        Exchange::Ballot => mask(&|lane| read(lane, a) != 0),
        Exchange::Active => mask(&|_| true),
        Exchange::Match => mask(&|other| read(other, a) == read(lane, a)),
        Exchange::Reduce(operator) => {
            let mut values = lanes.iter().map(|lane| read(*lane, a));
            let start = values.next().unwrap_or_default();
            values.fold(start, |total, value| operate(operator, dtype, total, value).unwrap_or(total))
        }
    }
}
