//! Traces: what a schedule did, as text and as JSON.

mod json;
mod text;

use crate::argument::{Argument, Rv};
use crate::primitive::Primitive;

pub use json::TraceError;

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

    /// The trace without instructions that change nothing and whose results no later one uses.
    #[must_use]
    pub fn simplified(&self) -> Trace {
        let mut used: Vec<Rv> = Vec::new();
        let mut kept = Vec::new();
        for instruction in self.instructions.iter().rev() {
            let is_needed = instruction.outputs.iter().any(|output| used.contains(output));
            if instruction.primitive.is_pure && !is_needed {
                continue;
            }
            instruction.arguments.iter().for_each(|argument| argument.for_each_rv(&mut |rv| used.push(rv)));
            kept.push(instruction.clone());
        }
        kept.reverse();
        Trace { instructions: kept }
    }
}
