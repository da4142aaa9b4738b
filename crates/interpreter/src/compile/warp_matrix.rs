//! Operations of warps on matrices.

use tvmscript_ir_core::arithmetic::Operator;
use tvmscript_ir_core::{DataType, TypeCode};

use super::Compiler;
use super::call::Arguments;
use crate::device::{Pointer, WarpProduct, loaded, parts_of, stored};
use crate::error::{Result, unsupported};
use crate::intrinsics::MatrixOperator;
use crate::matrix::Matrix;
use crate::memory::Element;
use crate::program::{Instruction as I, Register};
use crate::warpgroup::{Operand, WarpgroupProduct};
use crate::wavefront::{WAVEFRONT, WavefrontProduct};

impl Compiler<'_> {
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
                let [source, target] = loaded(arg)?;
                let (source, target) = (self.pointer(source)?, self.pointer(target)?);
                Matrix::Load { is_transposed, count: count.min(4), source, target }
            }
            MatrixOperator::Store => {
                let is_transposed = self.scalar(arg.get(0)?)?;
                let is_transposed = self.known(is_transposed) == Some(1);
                let target = self.address_of(arg.get(2)?)?;
                let values = self.scalars(stored(arg)?)?;
                Matrix::Store { is_transposed, values, target }
            }
            MatrixOperator::Multiply => self.multiply(arg)?,
            MatrixOperator::InitDescriptor => return self.init_descriptor(arg),
            MatrixOperator::MoveDescriptor => return self.move_descriptor(arg),
            MatrixOperator::Warpgroup { is_shared } => {
                Matrix::Warpgroup(self.warpgroup_product(is_shared, arg)?)
            }
            MatrixOperator::Wavefront => Matrix::Wavefront(self.wavefront_product(arg)?),
        };
        self.program.matrices.push(matrix);
        let operation = self.program.matrices.len() as u32 - 1;
        self.emit(I::Matrix { operation });
        Ok(())
    }

    /// The place of a descriptor, a pointer, the layout, two strides in units of 16 bytes.
    fn init_descriptor(&mut self, arg: &Arguments<'_>) -> Result<()> {
        let (place, p) = (self.address_of(arg.get(0)?)?, self.address_of(arg.get(1)?)?);
        let mut numbers = Vec::new();
        for at in 2..5 {
            let register = self.scalar(arg.get(at)?)?;
            numbers.push(self.known(register).and_then(|number| u16::try_from(number).ok()));
        }
        let &[Some(layout), Some(leading), Some(stride)] = numbers.as_slice() else {
            return unsupported("a descriptor whose layout is not known");
        };
        let d = self.fresh();
        self.emit(I::Descriptor { d, p, layout: u8::try_from(layout).unwrap_or(u8::MAX), leading, stride });
        let index = self.int(0);
        self.emit(I::Store { element: Element::Word, p: place, index, a: d });
        Ok(())
    }

    /// The place of a descriptor, and bytes.
    fn move_descriptor(&mut self, arg: &Arguments<'_>) -> Result<()> {
        let (p, bytes) = (self.address_of(arg.get(0)?)?, self.scalar(arg.get(1)?)?);
        let (index, shift) = (self.int(0), self.int(4));
        let d = self.fresh();
        self.emit(I::Load { element: Element::Word, d, p, index });
        let units = self.operate(Operator::ShiftRight, DataType::INT64, bytes, shift)?;
        let a = self.add(d, units);
        self.emit(I::Store { element: Element::Word, p, index, a });
        Ok(())
    }

    /// A shape such as `m64n64k16`, whether operands in shared memory have the depth innermost, three types, descriptors
    /// and a pointer, each with an offset, whether C is added, two signs.
    fn warpgroup_product(&mut self, is_shared: bool, arg: &Arguments<'_>) -> Result<WarpgroupProduct> {
        let shape = arg.text(0)?.strip_prefix("m64n").and_then(|rest| rest.split_once('k'));
        let shape = shape.and_then(|(columns, depth)| Some((columns.parse().ok()?, depth.parse().ok()?)));
        let Some((columns, depth)) = shape.filter(|(columns, depth): &(usize, usize)| {
            (8..=256).contains(columns) && columns.is_multiple_of(8) && (8..=256).contains(depth)
        }) else {
            return unsupported(format!("a product of matrices of the shape `{}`", arg.text(0)?));
        };
        let mut at = 1;
        let mut flag = |this: &mut Self| -> Result<bool> {
            let register = this.scalar(arg.get(at)?)?;
            at += 1;
            match this.known(register) {
                Some(value) => Ok(value != 0),
                None => unsupported("a product of matrices whose layout is not known"),
            }
        };
        let is_a_depth_major = !is_shared || flag(self)?;
        let is_b_depth_major = flag(self)?;
        let [a_type, b_type, c_type] =
            [named_type(arg.text(at)?)?, named_type(arg.text(at + 1)?)?, named_type(arg.text(at + 2)?)?];
        at += 3;
        let zero = self.int(0);
        let shared = |this: &mut Self, at: usize, is_depth_major: bool| -> Result<Operand> {
            let (p, offset) = (this.address_of(arg.get(at)?)?, this.scalar(arg.get(at + 1)?)?);
            let descriptor = this.fresh();
            this.emit(I::Load { element: Element::Word, d: descriptor, p, index: zero });
            Ok(Operand::Shared { descriptor, offset, is_depth_major })
        };
        let b = shared(self, at + 2, is_b_depth_major)?;
        let a = match is_shared {
            true => shared(self, at, is_a_depth_major)?,
            false => {
                let p = self.operand_pointer(arg, at, a_type)?;
                Operand::Lanes { p, parts: parts_of(a_type) }
            }
        };
        let c = self.operand_pointer(arg, at + 4, c_type)?;
        let scale_out = self.scalar(arg.get(at + 6)?)?;
        for at in [at + 7, at + 8] {
            let sign = self.scalar(arg.get(at)?)?;
            if self.known(sign) != Some(1) {
                return unsupported("a product of matrices with a changed sign");
            }
        }
        Ok(WarpgroupProduct {
            columns,
            depth,
            a,
            a_element: Element::of(a_type)?,
            b,
            b_element: Element::of(b_type)?,
            c,
            c_type,
            scale_out,
        })
    }

    /// A pointer, moved by its offset.
    fn pointer(&mut self, (pointer, offset): Pointer<'_>) -> Result<Register> {
        let p = self.address_of(pointer)?;
        let Some((offset, dtype)) = offset else { return Ok(p) };
        let offset = self.scalar(offset)?;
        self.element_at(p, offset, dtype)
    }

    /// A pointer with an offset in elements.
    fn operand_pointer(&mut self, arg: &Arguments<'_>, at: usize, dtype: DataType) -> Result<Register> {
        let pointer = arg.get(at)?;
        let own = super::pointer::pointee(pointer).unwrap_or(dtype);
        self.pointer((pointer, Some((arg.get(at + 1)?, own))))
    }

    /// A shape and types such as `f32_16x16x16f16`, two layouts, three vector types, then three pointers with offsets in
    /// vectors. The operands are those of the instruction.
    fn wavefront_product(&mut self, arg: &Arguments<'_>) -> Result<WavefrontProduct> {
        let name = arg.text(0)?;
        let unknown = || unsupported(format!("the product of matrices `{name}`"));
        let numbers = name.split_once('_').map_or("", |(_, rest)| rest);
        let mut numbers = numbers.split('x').map(|part| {
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            part.get(..digits).and_then(|part| part.parse::<usize>().ok()).unwrap_or_default()
        });
        let (Some(extent @ (16 | 32)), Some(columns), Some(depth)) =
            (numbers.next(), numbers.next(), numbers.next())
        else {
            return unknown();
        };
        let groups = WAVEFRONT / extent;
        let is_rest = numbers.next().is_none();
        if columns != extent || depth == 0 || !depth.is_multiple_of(groups) || depth > 64 || !is_rest {
            return unknown();
        }
        let mut operands = Vec::new();
        for (index, lanes) in
            [depth / groups, depth / groups, extent * extent / WAVEFRONT].into_iter().enumerate()
        {
            let written = arg.text(3 + index)?;
            let base = written.strip_suffix(&format!("x{lanes}")).filter(|_| lanes > 1).unwrap_or(written);
            let dtype = named_type(base)?;
            // What these instructions take for a small float is another format than that of the type.
            if crate::scalar::storage_bytes(dtype) == Some(1) && crate::scalar::is_float(dtype) {
                return unknown();
            }
            let (p, offset) =
                (self.address_of(arg.get(6 + 2 * index)?)?, self.scalar(arg.get(7 + 2 * index)?)?);
            let lanes = self.int(lanes as i64);
            let offset = self.mul(offset, lanes);
            operands.push((self.element_at(p, offset, dtype)?, dtype));
        }
        let &[(a, a_type), (b, b_type), (c, c_type)] = operands.as_slice() else { return unknown() };
        Ok(WavefrontProduct {
            extent,
            depth,
            a: (a, Element::of(a_type)?),
            b: (b, Element::of(b_type)?),
            c,
            c_type,
        })
    }

    fn multiply(&mut self, arg: &Arguments<'_>) -> Result<Matrix> {
        let WarpProduct { depth, dtypes: [a_type, b_type, c_type], operands } = WarpProduct::of(arg)?;
        let mut element = |(pointer, offset, own)| -> Result<Register> {
            let (p, offset) = (self.scalar(pointer)?, self.scalar(offset)?);
            self.element_at(p, offset, own)
        };
        let [a, b, c] = operands;
        let (a, b, c) = (element(a)?, element(b)?, element(c)?);
        Ok(Matrix::Multiply {
            depth,
            a: (a, Element::of(a_type)?, parts_of(a_type)),
            b: (b, Element::of(b_type)?, parts_of(b_type)),
            c: (c, Element::of(c_type)?, c_type),
        })
    }
}

/// The type that an abbreviation of the instruction set names.
pub(crate) fn named_type(name: &str) -> Result<DataType> {
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
