//! Registers, constants and instructions.

use super::{Compiler, MAX_INSTRUCTIONS};
use crate::error::{Result, unsupported};
use crate::program::{Instruction as I, Position, Register};

impl Compiler<'_> {
    /// A register that lives as long as the scope.
    pub(super) fn fresh(&mut self) -> Register {
        let register = self.free.pop().unwrap_or_else(|| self.permanent(0));
        if let Some(scope) = self.scopes.last_mut() {
            scope.temporaries.push(register);
        }
        register
    }

    /// A register of its own, with a value before the first instruction.
    pub(super) fn permanent(&mut self, value: u64) -> Register {
        self.program.registers.push(value);
        self.program.registers.len() as Register - 1
    }

    pub(super) fn constant(&mut self, bits: u64) -> Register {
        if let Some(register) = self.constants.get(&bits) {
            return *register;
        }
        let register = self.permanent(bits);
        self.constants.insert(bits, register);
        register
    }

    pub(super) fn int(&mut self, value: i64) -> Register {
        self.constant(value as u64)
    }

    pub(super) fn float(&mut self, value: f64) -> Register {
        self.constant(value.to_bits())
    }

    /// The value of a register that holds a constant.
    pub(super) fn known(&self, register: Register) -> Option<i64> {
        let value = *self.program.registers.get(register as usize)?;
        (self.constants.get(&value) == Some(&register)).then_some(value as i64)
    }

    pub(super) fn emit(&mut self, instruction: I) -> Position {
        self.program.code.push(instruction);
        self.program.spans.push(self.span);
        self.program.code.len() as Position - 1
    }

    /// Fails if the program has become too large.
    pub(super) fn check_size(&self) -> Result<()> {
        match self.program.code.len() > MAX_INSTRUCTIONS {
            true => unsupported(format!("a function of more than {MAX_INSTRUCTIONS} instructions")),
            false => Ok(()),
        }
    }

    pub(super) fn here(&self) -> Position {
        self.program.code.len() as Position
    }

    /// Lets a jump go to the next instruction.
    pub(super) fn land(&mut self, jump: Position) {
        let here = self.here();
        let jump = self.program.code.get_mut(jump as usize);
        if let Some(I::Jump { to } | I::JumpIf { to, .. } | I::JumpUnless { to, .. }) = jump {
            *to = here;
        }
    }

    pub(super) fn jump(&mut self) -> Position {
        self.emit(I::Jump { to: Position::MAX })
    }

    pub(super) fn jump_unless(&mut self, a: Register) -> Position {
        self.emit(I::JumpUnless { a, to: Position::MAX })
    }

    pub(super) fn jump_if(&mut self, a: Register) -> Position {
        self.emit(I::JumpIf { a, to: Position::MAX })
    }

    /// `a + b` of 64-bit integers, computed now if both are known.
    pub(super) fn add(&mut self, a: Register, b: Register) -> Register {
        match (self.known(a), self.known(b)) {
            (Some(a), Some(b)) => self.int(a.wrapping_add(b)),
            (Some(0), _) => b,
            (_, Some(0)) => a,
            _ => {
                let d = self.fresh();
                self.emit(I::AddInt { d, a, b });
                d
            }
        }
    }

    /// `a * b` of 64-bit integers, computed now if both are known.
    pub(super) fn mul(&mut self, a: Register, b: Register) -> Register {
        match (self.known(a), self.known(b)) {
            (Some(a), Some(b)) => self.int(a.wrapping_mul(b)),
            (Some(1), _) => b,
            (_, Some(1)) => a,
            _ => {
                let d = self.fresh();
                self.emit(I::MulInt { d, a, b });
                d
            }
        }
    }

    pub(super) fn product(&mut self, factors: &[Register]) -> Register {
        let one = self.int(1);
        factors.iter().fold(one, |product, factor| self.mul(product, *factor))
    }

    pub(super) fn compact_strides(&mut self, shape: &[Register]) -> Vec<Register> {
        let mut strides = Vec::new();
        let mut stride = self.int(1);
        for extent in shape.iter().rev() {
            strides.push(stride);
            stride = self.mul(stride, *extent);
        }
        strides.reverse();
        strides
    }

    /// Counts from 0 to an extent around some instructions.
    pub(super) fn counted(
        &mut self,
        extent: Register,
        body: impl FnOnce(&mut Self, Register) -> Result<()>,
    ) -> Result<()> {
        self.scoped(|this| {
            let (zero, one) = (this.int(0), this.int(1));
            let index = this.fresh();
            this.emit(I::Move { d: index, a: zero });
            let is_empty = this.fresh();
            this.emit(I::LtInt { d: is_empty, a: zero, b: extent });
            let out = this.jump_unless(is_empty);
            let to = this.here();
            let result = body(this, index);
            this.emit(I::Next { a: index, step: one, end: extent, to });
            this.land(out);
            result
        })
    }
}
