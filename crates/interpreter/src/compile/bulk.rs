//! Copies of boxes and of bytes that run beside the threads.

use tvmscript_prim::{Expr, PrimExprExt as _, Var};

use super::Compiler;
use super::call::Arguments;
use super::pointer::call_of;
use crate::error::{Result, unsupported};
use crate::intrinsics::{Intrinsic, PointerOperator, intrinsic};
use crate::program::{Instruction as I, Register};
use crate::tensor_map::{BoxCopy, Direction};

impl Compiler<'_> {
    /// To shared memory: a descriptor, a barrier, a pointer, coordinates, a hint for the cache; or two pointers, a barrier, the
    /// number of bytes, a hint.
    pub(super) fn bulk_load(&mut self, arg: &Arguments<'_>) -> Result<()> {
        if !is_descriptor(arg.get(0)?) {
            let (to, from) = (self.address_of(arg.get(0)?)?, self.address_of(arg.get(1)?)?);
            let (p, bytes) = (self.address_of(arg.get(2)?)?, self.scalar(arg.get(3)?)?);
            self.emit(I::CopyBytes { to, from, bytes });
            self.emit(I::ReceiveBytes { p, bytes });
            return Ok(());
        }
        let coordinates = self.numbers(arg, 3, 1)?;
        let barrier = Some(self.address_of(arg.get(1)?)?);
        self.copy_box(
            arg,
            2,
            BoxCopy {
                descriptor: 0,
                shared: 0,
                coordinates,
                offsets: Vec::new(),
                direction: Direction::Load,
                barrier,
            },
        )
    }

    /// To shared memory: a descriptor, a barrier, a pointer, coordinates, two places in a patch, a hint.
    pub(super) fn load_patches(&mut self, arg: &Arguments<'_>) -> Result<()> {
        let mut coordinates = self.numbers(arg, 3, 1)?;
        let offsets = coordinates.split_off(coordinates.len().saturating_sub(2));
        let barrier = Some(self.address_of(arg.get(1)?)?);
        self.copy_box(
            arg,
            2,
            BoxCopy { descriptor: 0, shared: 0, coordinates, offsets, direction: Direction::Load, barrier },
        )
    }

    /// From shared memory: a descriptor, a pointer, coordinates, whether to add, a hint; or two pointers, the number of bytes,
    /// whether to add, a hint.
    pub(super) fn bulk_store(&mut self, arg: &Arguments<'_>) -> Result<()> {
        let last = arg.0.len().saturating_sub(2);
        let adds = self.scalar(arg.get(last)?)?;
        let Some(adds) = self.known(adds) else { return unsupported("a copy that may be an addition") };
        if !is_descriptor(arg.get(0)?) {
            if adds != 0 {
                return unsupported("an addition of bytes");
            }
            let (to, from) = (self.address_of(arg.get(0)?)?, self.address_of(arg.get(1)?)?);
            let bytes = self.scalar(arg.get(2)?)?;
            self.emit(I::CopyBytes { to, from, bytes });
            return Ok(());
        }
        let coordinates = self.numbers(arg, 2, 2)?;
        let direction = if adds == 0 { Direction::Store } else { Direction::Add };
        self.copy_box(
            arg,
            1,
            BoxCopy { descriptor: 0, shared: 0, coordinates, offsets: Vec::new(), direction, barrier: None },
        )
    }

    /// The arguments from a place on, without some at the end.
    fn numbers(&mut self, arg: &Arguments<'_>, from: usize, at_end: usize) -> Result<Vec<Register>> {
        let count = arg.0.len().saturating_sub(from + at_end);
        self.scalars(arg.0.iter().skip(from).take(count))
    }

    fn copy_box(&mut self, arg: &Arguments<'_>, shared: usize, copy: BoxCopy) -> Result<()> {
        let descriptor = self.scalar(arg.get(0)?)?;
        let shared = self.address_of(arg.get(shared)?)?;
        if !arg.get(0)?.dtype().is_handle() {
            return unsupported("a copy without a descriptor");
        }
        self.program.copies.push(BoxCopy { descriptor, shared, ..copy });
        let copy = self.program.copies.len() as u32 - 1;
        self.emit(I::CopyBox { copy });
        Ok(())
    }
}

/// Tests whether an operand is a descriptor: one that is made there, or a variable. A pointer to memory is an access of it.
fn is_descriptor(expr: &Expr) -> bool {
    match call_of(expr).and_then(|(op, _)| intrinsic(op)) {
        Some(Intrinsic::Pointer(PointerOperator::TensorMap(_))) => true,
        _ => expr.as_node::<Var>().is_some(),
    }
}
