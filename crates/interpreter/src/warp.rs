//! Exchanges of values between the lanes of a warp.

use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::Operator;

use crate::error::Result;
use crate::machine::{Machine, Thread};
use crate::program::{Instruction, Register};
use crate::scalar::operate;

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
                let warp = Warp { lanes, first, width: self.warp };
                let results: Vec<u64> = lanes
                    .iter()
                    .map(|lane| exchanged(*exchange, *dtype, *lane, &warp, [*a, *b, *c], &read))
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
}

/// The lanes of a warp that take part.
struct Warp<'l> {
    lanes: &'l [usize],
    /// The first thread of the warp.
    first: usize,
    /// The number of its threads.
    width: usize,
}

fn exchanged(
    exchange: Exchange,
    dtype: DataType,
    lane: usize,
    warp: &Warp<'_>,
    [a, b, c]: [Register; 3],
    read: &dyn Fn(usize, Register) -> u64,
) -> u64 {
    let Warp { lanes, first, width } = *warp;
    let own = lane - first;
    let mask = |holds: &dyn Fn(usize) -> bool| {
        lanes.iter().filter(|lane| holds(**lane)).fold(0u64, |mask, lane| mask | 1 << (lane - first))
    };
    let shuffle = || {
        let width = (read(lane, c) as usize).clamp(1, width);
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
