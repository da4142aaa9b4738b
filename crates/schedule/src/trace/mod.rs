//! Traces: what a schedule did, as text, as JSON and as a program of Rust.

mod json;
mod rust;
mod text;

use hashbrown::HashSet;

use crate::argument::{Argument, Rv};
use crate::primitive::Primitive;

pub use json::TraceError;
pub use rust::RustTraceError;

/// A primitive that was applied.
#[derive(Debug, Clone)]
pub struct Instruction {
    /// The primitive.
    pub primitive: &'static Primitive,
    /// One argument per parameter.
    pub arguments: Vec<Argument>,
    /// Its results.
    pub outputs: Vec<Rv>,
    /// The sampled value, of primitives that sample.
    pub decision: Option<Argument>,
}

/// The instructions of a schedule.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    instructions: Vec<Instruction>,
}

impl Trace {
    /// The instructions, in order.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    pub(crate) fn push(&mut self, instruction: Instruction) {
        self.instructions.push(instruction);
    }

    /// The trace up to `enter_postproc`, where a tuner's postprocessors take over.
    #[must_use]
    pub fn without_postproc(&self) -> Trace {
        let before = |instruction: &&Instruction| instruction.primitive.kind != "EnterPostproc";
        Trace { instructions: self.instructions.iter().take_while(before).cloned().collect() }
    }

    /// The trace without instructions that change nothing and whose results no later one uses.
    #[must_use]
    pub fn simplified(&self) -> Trace {
        let mut used: HashSet<Rv> = HashSet::new();
        let mut kept = Vec::new();
        for instruction in self.instructions.iter().rev() {
            let is_needed = instruction.outputs.iter().any(|output| used.contains(output));
            if instruction.primitive.is_pure && !is_needed {
                continue;
            }
            instruction.arguments.iter().for_each(|argument| {
                argument.for_each_rv(&mut |rv| {
                    used.insert(rv);
                })
            });
            kept.push(instruction.clone());
        }
        kept.reverse();
        Trace { instructions: kept }
    }
}
