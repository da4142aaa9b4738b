//! Products of tiles, and operations of warps on matrices.

use tvmscript_ir_core::arithmetic::Operator;
use tvmscript_ir_core::{DataType, TypeCode};

use super::Compiler;
use super::call::Arguments;
use crate::error::{Result, unsupported};
use crate::intrinsics::MatrixOperator;
use crate::memory::Element;
use crate::program::{Instruction as I, Register};
use crate::scalar::is_float;
use crate::warp::Matrix;

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

    /// An operation of a warp on matrices.
    pub(super) fn matrix(&mut self, operator: MatrixOperator, arg: &Arguments<'_>) -> Result<()> {
        if self.kernel.is_none() {
            return unsupported("an operation of a warp outside of a launch");
        }
        let matrix = match operator {
            MatrixOperator::Load => {
                let is_transposed = self.scalar(arg.get(0)?)?;
                let is_transposed = self.known(is_transposed) == Some(1);
                let count = self.scalar(arg.get(1)?)?;
                let count = self.known(count).and_then(|count| usize::try_from(count).ok()).unwrap_or(1);
                let (source, target) = match arg.text(2) {
                    // The older form: a type, then pointers with offsets.
                    Ok(_) => {
                        let dtype = super::pointer::pointee(arg.get(3)?).unwrap_or(DataType::float(16));
                        let (p, offset) = (self.scalar(arg.get(3)?)?, self.scalar(arg.get(4)?)?);
                        let target = self.element_at(p, offset, dtype)?;
                        let (p, offset) = (self.address_of(arg.get(5)?)?, self.scalar(arg.get(6)?)?);
                        (self.element_at(p, offset, dtype)?, target)
                    }
                    Err(_) => (self.address_of(arg.get(2)?)?, self.address_of(arg.get(3)?)?),
                };
                Matrix::Load { is_transposed, count: count.min(4), source, target }
            }
            MatrixOperator::Store => {
                let is_transposed = self.scalar(arg.get(0)?)?;
                let is_transposed = self.known(is_transposed) == Some(1);
                let target = self.address_of(arg.get(2)?)?;
                let values = self.scalars(arg.0.iter().skip(3))?;
                Matrix::Store { is_transposed, values, target }
            }
            MatrixOperator::Multiply => self.multiply(arg)?,
        };
        self.program.matrices.push(matrix);
        let operation = self.program.matrices.len() as u32 - 1;
        self.emit(I::Matrix { operation });
        Ok(())
    }

    /// A shape such as `m16n8k16`, two layouts, three types, then three pointers with offsets.
    fn multiply(&mut self, arg: &Arguments<'_>) -> Result<Matrix> {
        let is_shape = |at: &usize| arg.text(*at).is_ok_and(|text| text.starts_with("m16n8k"));
        let Some(first) = (0..arg.0.len()).find(is_shape) else {
            return unsupported("a product of matrices of another shape than 16 x 8");
        };
        let depth = arg.text(first)?.trim_start_matches("m16n8k").parse::<usize>().unwrap_or_default();
        if (arg.text(first + 1)?, arg.text(first + 2)?) != ("row", "col") {
            return unsupported("a product of matrices of another layout than rows by columns");
        }
        let dtypes = [
            named_type(arg.text(first + 3)?)?,
            named_type(arg.text(first + 4)?)?,
            named_type(arg.text(first + 5)?)?,
        ];
        let mut pointers = Vec::new();
        for (index, dtype) in dtypes.iter().enumerate() {
            let at = first + 6 + 2 * index;
            let (p, offset) = (self.scalar(arg.get(at)?)?, self.scalar(arg.get(at + 1)?)?);
            let own = super::pointer::pointee(arg.get(at)?).unwrap_or(*dtype);
            pointers.push(self.element_at(p, offset, own)?);
        }
        let (&[a, b, c], [a_type, b_type, c_type]) = (pointers.as_slice(), dtypes) else {
            return unsupported("a product of matrices without operands");
        };
        let parts = |dtype: DataType| (32 / usize::from(dtype.bits.max(1))).max(1);
        if depth == 0 || depth % (4 * parts(a_type)) != 0 || depth > 256 || a_type.bits > 32 {
            return unsupported("a product of matrices of this shape and type");
        }
        Ok(Matrix::Multiply {
            depth,
            a: (a, Element::of(a_type)?, parts(a_type)),
            b: (b, Element::of(b_type)?, parts(b_type)),
            c: (c, Element::of(c_type)?, c_type),
        })
    }
}

/// The type that an abbreviation of the instruction set names.
fn named_type(name: &str) -> Result<DataType> {
    let small = |code: TypeCode| DataType { code, bits: 8, lanes: 1 };
    Ok(match name {
        "fp16" | "float16" => DataType::float(16),
        "bf16" | "bfloat16" => DataType { code: TypeCode::BFloat, bits: 16, lanes: 1 },
        "fp32" | "tf32" | "float32" => DataType::FLOAT32,
        "fp64" | "float64" => DataType::float(64),
        "int8" | "s8" => DataType::int(8),
        "uint8" | "u8" => DataType::uint(8),
        "int32" | "s32" => DataType::INT32,
        "e4m3" | "float8_e4m3" | "float8_e4m3fn" => small(TypeCode::Float8E4M3Fn),
        "e5m2" | "float8_e5m2" => small(TypeCode::Float8E5M2),
        _ => return unsupported(format!("a product of matrices of `{name}`")),
    })
}
