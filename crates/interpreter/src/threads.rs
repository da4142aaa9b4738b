//! Threads of a block: each has its registers, and runs until it waits for others.
//!
//! Threads run one after the other, each as far as it can. A barrier opens when no thread can go on otherwise, so threads
//! that ended early, or wait elsewhere, never block the others. Where no barrier is written yet, threads take their steps
//! on shared memory together: of those that wait so, the ones at the earliest instruction go on.

use std::collections::HashMap;

use crate::error::{Result, RunErrorKind};
use crate::execute::Outcome;
use crate::machine::{Machine, Thread};
use crate::program::{Group, Instruction, Register};

/// Number of lanes of a warp.
pub(crate) const WARP: usize = 32;

/// Maximum number of threads of a block.
pub(crate) const MAX_THREADS: i64 = 4096;

/// Barriers in memory, each with the number of arrivals and of bytes that it waits for.
#[derive(Debug, Default)]
pub(crate) struct Barriers(HashMap<u64, Barrier>);

#[derive(Debug, Clone, Copy, Default)]
struct Barrier {
    count: i64,
    arrived: i64,
    /// Bytes that are announced and not there yet.
    bytes: i64,
    phase: u64,
}

impl Barriers {
    pub(crate) fn init(&mut self, at: u64, count: i64) {
        self.0.insert(at, Barrier { count, ..Barrier::default() });
    }

    pub(crate) fn arrive(&mut self, at: u64, count: i64) {
        self.change(at, |barrier| barrier.arrived = barrier.arrived.wrapping_add(count));
    }

    /// Announces bytes, which the phase has to wait for.
    pub(crate) fn expect(&mut self, at: u64, bytes: i64) {
        self.change(at, |barrier| barrier.bytes = barrier.bytes.wrapping_add(bytes));
    }

    /// Takes note of bytes that were copied.
    pub(crate) fn receive(&mut self, at: u64, bytes: i64) {
        self.change(at, |barrier| barrier.bytes = barrier.bytes.wrapping_sub(bytes));
    }

    fn change(&mut self, at: u64, change: impl FnOnce(&mut Barrier)) {
        let barrier = self.0.entry(at).or_insert(Barrier { count: 1, ..Barrier::default() });
        change(barrier);
        if barrier.arrived >= barrier.count && barrier.bytes == 0 {
            barrier.arrived = 0;
            barrier.phase += 1;
        }
    }

    /// Tests whether the phase with a parity has not ended.
    pub(crate) fn is_pending(&self, at: u64, parity: i64) -> bool {
        self.0.get(&at).is_some_and(|barrier| (barrier.phase & 1) as i64 == parity & 1)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Ready,
    Waiting,
    Ended,
}

impl Machine<'_> {
    /// Runs the threads of a group from `start` on.
    pub(crate) fn run_group(&mut self, group: &Group, registers: &[u64], start: usize) -> Result<()> {
        if self.in_group {
            return Err(
                RunErrorKind::Unsupported { construct: "a launch inside of a launch".to_owned() }.into()
            );
        }
        let read = |register: Register| registers.get(register as usize).copied().unwrap_or_default();
        let [x, y, z] = group.extents.map(|register| read(register) as i64);
        let count = x.saturating_mul(y).saturating_mul(z);
        if count > MAX_THREADS || x < 0 || y < 0 {
            return Err(RunErrorKind::Unsupported { construct: format!("a block of {count} threads") }.into());
        }
        let thread = |linear: i64| {
            let mut thread = Thread::new(registers.to_vec(), start);
            let indices = [linear % x, linear / x % y, linear / (x * y)];
            for (register, value) in group.indices.iter().zip(indices).chain([(&group.linear, linear)]) {
                if let Some(slot) = thread.registers.get_mut(*register as usize) {
                    *slot = value as u64;
                }
            }
            thread
        };
        let mut threads: Vec<Thread> = (0..count).map(thread).collect();
        self.in_group = true;
        self.warp = group.warp.max(1);
        let result = self.schedule(&mut threads);
        self.in_group = false;
        for pointer in std::mem::take(&mut self.owned) {
            self.memory.release(pointer);
        }
        for (_, pointer) in std::mem::take(&mut self.shared) {
            self.memory.release(pointer);
        }
        self.barriers = Barriers::default();
        result
    }

    fn schedule(&mut self, threads: &mut [Thread]) -> Result<()> {
        let mut states = vec![State::Ready; threads.len()];
        loop {
            for (thread, state) in threads.iter_mut().zip(&mut states) {
                while *state == State::Ready {
                    *state = match self.execute(thread)? {
                        Outcome::Waiting => State::Waiting,
                        Outcome::Ended | Outcome::Returned(_) => State::Ended,
                    };
                }
            }
            if states.iter().all(|state| *state == State::Ended) {
                return Ok(());
            }
            self.steps += 1;
            if self.steps >= self.next_check {
                self.check()?;
            }
            if !self.release(threads, &mut states)? {
                let at = threads.iter().zip(&states).find(|(_, state)| **state == State::Waiting);
                let at = at.map_or(0, |(thread, _)| thread.at);
                return Err(self.fail(at, RunErrorKind::Deadlock));
            }
        }
    }

    /// Lets threads go on that wait: those whose barrier in memory is open, else whole warps, else all at a barrier.
    fn release(&mut self, threads: &mut [Thread], states: &mut [State]) -> Result<bool> {
        let mut is_released = false;
        for (thread, state) in threads.iter_mut().zip(states.iter_mut()) {
            if *state == State::Waiting
                && let Some(Instruction::WaitBarrier { p, parity }) = self.instruction(thread.at)
            {
                let read = |register: Register| thread.registers.get(register as usize).copied();
                let at = read(p).unwrap_or_default();
                if !self.barriers.is_pending(at, read(parity).unwrap_or_default() as i64) {
                    *state = State::Ready;
                    is_released = true;
                }
            }
        }
        for first in (0..threads.len()).step_by(self.warp) {
            is_released |= self.release_warp(threads, states, first)?;
        }
        if is_released {
            return Ok(true);
        }
        // Threads that are behind catch up with the others, so those that took different branches come together again.
        let is_step =
            |at: usize| matches!(self.instruction(at), Some(Instruction::Meet { is_barrier: false, .. }));
        let waiting = threads.iter().zip(states.iter()).filter(|(_, state)| **state == State::Waiting);
        let step = waiting.map(|(thread, _)| thread.at).filter(|at| is_step(*at)).min();
        // Threads at one barrier are those at one instruction.
        let mut leaders: HashMap<usize, ()> = HashMap::new();
        for (thread, state) in threads.iter_mut().zip(states.iter_mut()) {
            if *state != State::Waiting || step.is_some_and(|step| thread.at != step) {
                continue;
            }
            if let Some(Instruction::Meet { d, .. }) = self.instruction(thread.at) {
                let is_first = leaders.insert(thread.at, ()).is_none();
                if let Some(slot) = thread.registers.get_mut(d as usize) {
                    *slot = u64::from(is_first);
                }
                thread.at += 1;
                *state = State::Ready;
                is_released = true;
            }
        }
        Ok(is_released)
    }

    /// Exchanges values between the lanes of a warp that wait at the earliest instruction.
    fn release_warp(&mut self, threads: &mut [Thread], states: &mut [State], first: usize) -> Result<bool> {
        let program = self.program;
        let is_exchange = |at: usize| {
            matches!(program.code.get(at), Some(Instruction::Exchange { .. } | Instruction::Matrix { .. }))
        };
        let lanes: Vec<usize> = (first..threads.len().min(first + self.warp)).collect();
        let waits = |lane: &usize| states.get(*lane) == Some(&State::Waiting);
        let at = |lane: &usize| threads.get(*lane).map_or(0, |thread| thread.at);
        let Some(place) = lanes.iter().filter(|lane| waits(lane)).map(at).filter(|at| is_exchange(*at)).min()
        else {
            return Ok(false);
        };
        let together: Vec<usize> =
            lanes.into_iter().filter(|lane| waits(lane) && at(lane) == place).collect();
        self.exchange(place, threads, &together, first)?;
        for lane in together {
            if let (Some(thread), Some(state)) = (threads.get_mut(lane), states.get_mut(lane)) {
                thread.at += 1;
                *state = State::Ready;
            }
        }
        Ok(true)
    }

    pub(crate) fn instruction(&self, at: usize) -> Option<Instruction> {
        self.program.code.get(at).copied()
    }

    /// Allocates the memory of a register, which holds the pointer of an earlier allocation or 0.
    pub(crate) fn allocate(&mut self, old: u64, bytes: u32, count: i64) -> Result<u64> {
        let size = self.size(bytes, count)?;
        if old != 0 && self.memory.renew(old, size) {
            return Ok(old);
        }
        let pointer = self.memory.allocate(size)?;
        if self.in_group {
            self.owned.push(pointer);
        }
        Ok(pointer)
    }

    /// Allocates memory that the threads of a group share.
    pub(crate) fn allocate_shared(&mut self, register: Register, bytes: u32, count: i64) -> Result<u64> {
        if let Some((_, pointer)) = self.shared.iter().find(|(known, _)| *known == register) {
            return Ok(*pointer);
        }
        let size = self.size(bytes, count)?;
        let pointer = self.memory.allocate(size)?;
        self.shared.push((register, pointer));
        Ok(pointer)
    }

    fn size(&self, bytes: u32, count: i64) -> Result<usize> {
        let count = usize::try_from(count).ok();
        let size = count.and_then(|count| count.checked_mul(bytes as usize));
        match size.filter(|size| *size <= isize::MAX as usize) {
            Some(size) => Ok(size),
            None => Err(RunErrorKind::Shape { shape: vec![count.map_or(-1, |count| count as i64)] }.into()),
        }
    }
}
