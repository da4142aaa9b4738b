//! The budget of an evaluation: steps, memory, nodes and call depth.
//!
//! Steps bound the time and bytes the memory; neither is refunded. Explored bodies get a slice of the steps, so that
//! one of them cannot use up the steps of the rest of the text.

use std::cell::Cell;

use tvmscript_ir_core::{node_bytes_made, session};

use crate::errors::EvalErrorKind;
use crate::eval::Raise;

/// Number of steps between two checks of the size of the nodes.
const STEPS_PER_CHECK: u64 = 64;

/// Maximum number of times that the budget is refilled.
const MAX_REFILLS: u32 = 6;

/// Maximum number of values that pass one operation on to each other: iterators over iterators, methods of methods.
/// CPython's native stack ends after some times as many.
const MAX_VALUE_DEPTH: u32 = 20_000;

/// Depth from which one more level takes new pages of the native stack, and the steps that this is worth.
const DEEP_VALUES: u32 = 1_000;
const DEEP_VALUE_STEPS: u64 = 8;

/// The limits of an evaluation.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum number of steps, beyond two per expression of the text.
    pub max_steps: u64,
    /// Maximum size of all values of host code in bytes, including freed ones.
    pub max_memory_bytes: u64,
    /// Maximum size of all nodes that the text builds in bytes, including freed ones.
    pub max_node_bytes: u64,
    /// Maximum nesting of calls of host functions.
    pub max_call_depth: u32,
    /// Number of errors after which the evaluation stops.
    pub max_errors: usize,
}

impl From<&session::Limits> for Limits {
    fn from(limits: &session::Limits) -> Limits {
        Limits {
            max_steps: limits.max_steps,
            max_memory_bytes: limits.max_memory_bytes,
            max_node_bytes: limits.max_node_bytes,
            max_call_depth: limits.max_call_depth,
            max_errors: limits.max_errors,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits::from(&session::Limits::DEFAULT)
    }
}

/// The limits of an evaluation and what is left of them.
pub struct Budget {
    limits: Limits,
    /// Steps that the limit does not count: two per expression of the text.
    free_steps: u64,
    steps: Cell<u64>,
    exhausted: Cell<bool>,
    memory: Cell<u64>,
    call_depth: Cell<u32>,
    /// Number of values that are passing one operation on to each other.
    value_depth: Cell<u32>,
    /// Number of open `try` statements.
    tries: Cell<u32>,
    /// Number of times that the budget was refilled.
    refills: Cell<u32>,
    /// Size of the nodes that this thread had built before the evaluation.
    node_bytes_before: u64,
}

impl Budget {
    pub(crate) fn new(limits: Limits, expressions: usize) -> Budget {
        let free_steps = 2 * expressions as u64;
        let limits = Limits {
            max_steps: limits.max_steps.saturating_add(free_steps),
            max_errors: limits.max_errors.max(1),
            ..limits
        };
        Budget {
            limits,
            free_steps,
            steps: Cell::new(limits.max_steps),
            exhausted: Cell::new(false),
            memory: Cell::new(limits.max_memory_bytes),
            call_depth: Cell::new(0),
            value_depth: Cell::new(0),
            tries: Cell::new(0),
            refills: Cell::new(0),
            node_bytes_before: node_bytes_made(),
        }
    }

    pub(crate) fn max_errors(&self) -> usize {
        self.limits.max_errors
    }

    /// Charges steps.
    ///
    /// # Errors
    /// Fails if the limit is exceeded.
    #[inline]
    pub fn step(&self, count: u64) -> Result<(), Raise> {
        let before = self.steps.get();
        match before.checked_sub(count) {
            Some(left) => {
                self.steps.set(left);
                if left / STEPS_PER_CHECK == before / STEPS_PER_CHECK { Ok(()) } else { self.check_nodes() }
            }
            None => Err(self.no_steps()),
        }
    }

    /// Charges steps of work that cannot fail; returns `false` if none are left, so that the next operation fails.
    pub(crate) fn spend(&self, count: u64) -> bool {
        self.steps.set(self.steps.get().saturating_sub(count));
        self.steps.get() > 0
    }

    /// Checks the size of the nodes that were built.
    ///
    /// # Errors
    /// Fails if they are too large. Only the first failure carries an error kind; later ones are [`Raise::Reported`].
    #[inline]
    pub fn check_nodes(&self) -> Result<(), Raise> {
        let made = node_bytes_made().wrapping_sub(self.node_bytes_before);
        if made <= self.limits.max_node_bytes { Ok(()) } else { Err(self.too_large()) }
    }

    #[cold]
    fn too_large(&self) -> Raise {
        // Reported once: nothing can be built after it.
        if self.exhausted.replace(true) {
            return Raise::Reported;
        }
        Raise::Kind(EvalErrorKind::TooLargeProgram { limit: self.limits.max_node_bytes })
    }

    #[cold]
    fn no_steps(&self) -> Raise {
        // Reported once: nothing can be evaluated after it.
        if self.exhausted.get() {
            return Raise::Reported;
        }
        self.exhausted.set(self.steps.get() < 1000);
        Raise::Kind(EvalErrorKind::TooManySteps { limit: self.limits.max_steps })
    }

    /// Limits the steps until [`Budget::end_slice`] and returns the reserve to pass to it.
    pub(crate) fn begin_slice(&self, steps: u64) -> u64 {
        let slice = self.steps.get().min(steps.saturating_add(self.free_steps));
        let reserve = self.steps.get() - slice;
        self.steps.set(slice);
        reserve
    }

    /// Tests whether no step is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.steps.get() == 0 || self.exhausted.get()
    }

    /// Refunds the reserve of [`Budget::begin_slice`].
    pub(crate) fn end_slice(&self, reserve: u64) {
        self.steps.set(self.steps.get().saturating_add(reserve));
        if reserve > 0 {
            self.exhausted.set(false);
        }
    }

    /// Grants more steps and memory after a statement exceeded its limit: each time half of what the last one got.
    /// Returns `false` if too little is left to grant.
    pub(crate) fn refill(&self) -> bool {
        let refills = self.refills.get() + 1;
        if refills > MAX_REFILLS {
            return false;
        }
        let (steps, memory) = (self.limits.max_steps, self.limits.max_memory_bytes);
        let is_short = self.steps.get() < steps >> refills || self.memory.get() < memory >> refills;
        if is_short {
            self.refills.set(refills);
            self.steps.set(self.steps.get().max(steps >> refills));
            self.memory.set(self.memory.get().max(memory >> refills));
        }
        self.exhausted.set(false);
        true
    }

    /// Number of open calls of host functions.
    pub(crate) fn calls(&self) -> u32 {
        self.call_depth.get()
    }

    /// Number of open `try` statements.
    pub(crate) fn open_tries(&self) -> u32 {
        self.tries.get()
    }

    /// Charges bytes. Freed memory is not refunded, so that the sum bounds the time too.
    pub(crate) fn allocate(&self, bytes: u64) -> Result<(), EvalErrorKind> {
        match self.memory.get().checked_sub(bytes) {
            Some(left) => {
                self.memory.set(left);
                Ok(())
            }
            None => Err(EvalErrorKind::TooMuchMemory { limit: self.limits.max_memory_bytes }),
        }
    }

    pub(crate) fn enter_call(&self) -> Result<(), EvalErrorKind> {
        if self.call_depth.get() >= self.limits.max_call_depth {
            return Err(EvalErrorKind::CallsTooDeep { limit: self.limits.max_call_depth });
        }
        self.call_depth.set(self.call_depth.get() + 1);
        Ok(())
    }

    pub(crate) fn leave_call(&self) {
        self.call_depth.set(self.call_depth.get().saturating_sub(1));
    }

    /// Enters a value that may pass the operation on to another one, which needs native stack.
    ///
    /// # Errors
    /// Fails if too many values do so.
    pub(crate) fn enter_value(&self) -> Result<(), Raise> {
        let depth = self.value_depth.get();
        if depth >= MAX_VALUE_DEPTH {
            raise!(Recursion, "iterators or functions are nested deeper than {MAX_VALUE_DEPTH} levels");
        }
        if depth >= DEEP_VALUES {
            self.step(DEEP_VALUE_STEPS)?;
        }
        self.value_depth.set(depth + 1);
        Ok(())
    }

    pub(crate) fn leave_value(&self) {
        self.value_depth.set(self.value_depth.get().saturating_sub(1));
    }

    /// Tests whether the first error ends the evaluation, as in Python: inside host functions, where a recursive
    /// function would repeat the error at each level, and inside `try`.
    pub(crate) fn stops_at_first_error(&self) -> bool {
        self.call_depth.get() > 0 || self.tries.get() > 0
    }

    /// Runs `f` as the body of a `try` statement.
    pub(crate) fn tries<R>(&self, f: impl FnOnce() -> R) -> R {
        self.enter_try();
        let result = f();
        self.leave_try();
        result
    }

    pub(crate) fn enter_try(&self) {
        self.tries.set(self.tries.get() + 1);
    }

    pub(crate) fn leave_try(&self) {
        self.tries.set(self.tries.get().saturating_sub(1));
    }

    /// Restores the number of open `try` statements.
    pub(crate) fn set_tries(&self, count: u32) {
        self.tries.set(count);
    }
}
