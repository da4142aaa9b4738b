//! Products of tiles, and patches of images.

use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::Operator;

use super::Compiler;
use super::call::Arguments;
use crate::error::{Result, unsupported};
use crate::program::{Instruction as I, Register};
use crate::scalar::is_float;

impl Compiler<'_> {
    /// `C += A @ B`: the tiles, whether A and B are transposed, M, N, K, a policy, whether C starts at 0.
    pub(super) fn gemm(&mut self, arg: &Arguments<'_>) -> Result<()> {
        let a = self.region(arg.get(0)?)?;
        let b = self.region(arg.get(1)?)?;
        let c = self.region(arg.get(2)?)?;
        let transposed = [self.scalar(arg.get(3)?)?, self.scalar(arg.get(4)?)?];
        let [is_a_transposed, is_b_transposed] = transposed.map(|register| self.known(register) == Some(1));
        let [m, n, k] = [self.scalar(arg.get(5)?)?, self.scalar(arg.get(6)?)?, self.scalar(arg.get(7)?)?];
        let clear = self.scalar(arg.get(9)?)?;
        let zero = self.int(0);
        let dtype = c.dtype.element();
        self.nest(&[m, n], &mut |this, indices| {
            let &[row, column] = indices else { return Ok(()) };
            let place = |rank: usize, first: Register, second: Register| -> Vec<Register> {
                let mut place = vec![zero; rank.saturating_sub(2)];
                place.extend([first, second]);
                place
            };
            let target = place(c.extents.len(), row, column);
            let old = this.take(&c, &target)?;
            let total = this.fresh();
            this.emit(I::Select { d: total, c: clear, a: zero, b: old });
            this.counted(k, |this, inner| {
                let (first, second) = if is_a_transposed { (inner, row) } else { (row, inner) };
                let x = this.take(&a, &place(a.extents.len(), first, second))?;
                let (first, second) = if is_b_transposed { (column, inner) } else { (inner, column) };
                let y = this.take(&b, &place(b.extents.len(), first, second))?;
                if is_float(dtype) {
                    this.emit(I::Fused { dtype, d: total, a: x, b: y, c: total });
                } else {
                    let product = this.operate(Operator::Mul, dtype, x, y)?;
                    let sum = this.operate(Operator::Add, dtype, total, product)?;
                    this.emit(I::Move { d: total, a: sum });
                }
                Ok(())
            })?;
            this.put(&c, &target, total)
        })
    }

    /// The patches of an image as rows of a matrix: image, matrix, steps of rows and channels, kernel, stride, dilation,
    /// padding. The image has its channels last.
    pub(super) fn im2col(&mut self, arg: &Arguments<'_>) -> Result<()> {
        let (image, matrix) = (self.region(arg.get(0)?)?, self.region(arg.get(1)?)?);
        let parts = (2..8).map(|at| self.scalar(arg.get(at)?)).collect::<Result<Vec<Register>>>()?;
        let &[row_step, column_step, kernel, stride, dilation, padding] = parts.as_slice() else {
            return Ok(());
        };
        let (&[_, height, width, channels], &[ref outer @ .., rows, columns]) =
            (image.extents.as_slice(), matrix.extents.as_slice())
        else {
            return unsupported("patches of a tensor that is not an image");
        };
        let int = DataType::INT64;
        // Number of places of the kernel along a dimension.
        let places = |this: &mut Self, extent: Register| -> Result<Register> {
            let (one, minus) = (this.int(1), this.int(-1));
            let border = this.add(padding, padding);
            let last = this.add(kernel, minus);
            let reach = this.mul(last, dilation);
            let extent = this.add(extent, border);
            let free = this.operate(Operator::Sub, int, extent, reach)?;
            let free = this.add(free, minus);
            let steps = this.operate(Operator::FloorDiv, int, free, stride)?;
            Ok(this.add(steps, one))
        };
        let (high, wide) = (places(self, height)?, places(self, width)?);
        self.nest(&[rows, columns], &mut |this, indices| {
            let &[row, column] = indices else { return Ok(()) };
            let above = this.mul(row_step, rows);
            let at = this.add(above, row);
            let before = this.mul(column_step, columns);
            let inner = this.add(before, column);
            let plane = this.mul(high, wide);
            let number = this.operate(Operator::FloorDiv, int, at, plane)?;
            let rest = this.operate(Operator::FloorMod, int, at, plane)?;
            let position = |this: &mut Self, place: Register, tap: Register| -> Result<Register> {
                let start = this.mul(place, stride);
                let step = this.mul(tap, dilation);
                let sum = this.add(start, step);
                this.operate(Operator::Sub, int, sum, padding)
            };
            let (line, in_line) = (
                this.operate(Operator::FloorDiv, int, rest, wide)?,
                this.operate(Operator::FloorMod, int, rest, wide)?,
            );
            let channel = this.operate(Operator::FloorMod, int, inner, channels)?;
            let tap = this.operate(Operator::FloorDiv, int, inner, channels)?;
            let (tap_row, tap_column) = (
                this.operate(Operator::FloorDiv, int, tap, kernel)?,
                this.operate(Operator::FloorMod, int, tap, kernel)?,
            );
            let y = position(this, line, tap_row)?;
            let x = position(this, in_line, tap_column)?;
            let value = this.take(&image, &[number, y, x, channel])?;
            let mut target = vec![this.int(0); outer.len()];
            target.extend([row, column]);
            this.put(&matrix, &target, value)
        })
    }
}
