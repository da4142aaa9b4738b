//! Operators on tiles, as loops over their elements.
//!
//! Reads beyond a buffer in global memory are zero, writes there are dropped.

use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::Operator;
use tvmscript_prim::{Expr, PrimExprExt as _};
use tvmscript_tir::node::BufferLoad;
use tvmscript_tirx::BufferArgument;

use super::call::Arguments;
use super::pointer::call_of;
use super::{Compiler, View};
use crate::error::{Result, unsupported};
use crate::intrinsics::{TileOperator, intrinsic};
use crate::memory::Element;
use crate::program::{Instruction as I, Register};

/// A part of a buffer.
#[derive(Debug, Clone)]
pub(super) struct Region {
    view: View,
    starts: Vec<Register>,
    pub(super) extents: Vec<Register>,
    pub(super) dtype: DataType,
    element: Element,
    is_guarded: bool,
}

impl Compiler<'_> {
    pub(super) fn tile(&mut self, operator: TileOperator, arg: &Arguments<'_>) -> Result<()> {
        match operator {
            TileOperator::Copy => {
                let (source, target) = (self.region(arg.get(0)?)?, self.region(arg.get(1)?)?);
                self.copy_tile(&source, &target, None)
            }
            TileOperator::Fill => {
                let target = self.region(arg.get(0)?)?;
                let value = self.scalar(arg.get(1)?)?;
                let value = self.cast_one(value, arg.get(1)?.dtype(), target.dtype);
                let extents = target.extents.clone();
                self.nest(&extents, &mut |this, indices| this.put(&target, indices, value))
            }
            TileOperator::Gemm => self.gemm(arg),
            TileOperator::Reduce => self.reduce(arg),
            TileOperator::Cumulate(operator) => self.cumulate(operator, arg),
            TileOperator::Im2col => self.im2col(arg),
            TileOperator::Transpose => {
                let (source, target) = (self.region(arg.get(0)?)?, self.region(arg.get(1)?)?);
                let extents = target.extents.clone();
                self.nest(&extents, &mut |this, indices| {
                    let turned: Vec<Register> = indices.iter().rev().copied().collect();
                    let value = this.take(&source, &turned)?;
                    let value = this.cast_one(value, source.dtype, target.dtype);
                    this.put(&target, indices, value)
                })
            }
            TileOperator::Atomic(operator) => {
                let target = self.region(arg.get(1)?)?;
                if let Ok(source) = self.region(arg.get(0)?) {
                    return self.copy_tile(&source, &target, Some(operator));
                }
                let value = self.scalar(arg.get(0)?)?;
                let value = self.cast_one(value, arg.get(0)?.dtype(), target.dtype);
                let extents = target.extents.clone();
                self.nest(&extents, &mut |this, indices| this.combine(operator, &target, indices, value))
            }
        }
    }

    /// The region that an operand names: a call of `region`, a buffer, or an element.
    pub(super) fn region(&mut self, expr: &Expr) -> Result<Region> {
        if let Some(argument) = expr.as_node::<BufferArgument>() {
            let view = self.view(&argument.buffer)?;
            let zero = self.int(0);
            let extents = view.shape.clone();
            return self.region_of(&argument.buffer, view, vec![zero; extents.len()], extents);
        }
        let (load, extents) = match call_of(expr) {
            Some((_, args)) => (args.first().and_then(|base| base.as_node::<BufferLoad>()), Some(args)),
            None => (expr.as_node::<BufferLoad>(), None),
        };
        let Some(load) = load else { return unsupported("a tile that is not a region of a buffer") };
        let view = self.view(&load.buffer)?;
        let starts = self.scalars(load.indices.iter())?;
        let one = self.int(1);
        let is_pointer = call_of(expr).and_then(|(op, _)| intrinsic(op)).is_some();
        let extents = match extents {
            // An element pointer has one extent, that of the last dimension.
            Some(args) if is_pointer => self.scalars(args.iter().skip(1).take(1))?,
            Some(args) => self.scalars(args.iter().skip(2))?,
            None => vec![one; starts.len()],
        };
        let mut all = vec![one; starts.len().saturating_sub(extents.len())];
        all.extend(extents);
        self.region_of(&load.buffer, view, starts, all)
    }

    fn region_of(
        &mut self,
        buffer: &tvmscript_tir::Buffer,
        view: View,
        starts: Vec<Register>,
        extents: Vec<Register>,
    ) -> Result<Region> {
        let (element, lanes) = super::buffer::scalars_of(buffer.dtype)?;
        if lanes != 1 || extents.len() != starts.len() {
            return unsupported("a tile of vectors");
        }
        let is_guarded = buffer.scope().as_str() == "global";
        Ok(Region { view, starts, extents, dtype: buffer.dtype, element, is_guarded })
    }

    /// Loops over some extents.
    pub(super) fn nest(
        &mut self,
        extents: &[Register],
        body: &mut dyn FnMut(&mut Self, &[Register]) -> Result<()>,
    ) -> Result<()> {
        self.nest_from(extents, &mut Vec::new(), body)
    }

    fn nest_from(
        &mut self,
        extents: &[Register],
        indices: &mut Vec<Register>,
        body: &mut dyn FnMut(&mut Self, &[Register]) -> Result<()>,
    ) -> Result<()> {
        let Some((extent, rest)) = extents.split_first() else {
            return self.scoped(|this| body(this, indices));
        };
        self.counted(*extent, |this, index| {
            indices.push(index);
            let result = this.nest_from(rest, indices, body);
            indices.pop();
            result
        })
    }

    /// The offset of an element of a region, and whether it is inside of the buffer.
    fn place(&mut self, region: &Region, indices: &[Register]) -> (Register, Option<Register>) {
        let mut sum = region.view.offset;
        let mut inside = None;
        for (dimension, (start, index)) in region.starts.iter().zip(indices).enumerate() {
            let (Some(&extent), Some(&stride)) =
                (region.view.shape.get(dimension), region.view.strides.get(dimension))
            else {
                continue;
            };
            let at = self.add(*start, *index);
            if region.is_guarded {
                let d = self.within(at, extent);
                inside = Some(inside.map_or(d, |known| self.and(known, d)));
            }
            let part = self.mul(at, stride);
            sum = self.add(sum, part);
        }
        (sum, inside)
    }

    /// Reads an element of a region.
    pub(super) fn take(&mut self, region: &Region, indices: &[Register]) -> Result<Register> {
        let (index, inside) = self.place(region, indices);
        let zero = self.int(0);
        let d = self.fresh();
        let skip = inside.map(|inside| {
            self.emit(I::Move { d, a: zero });
            self.jump_unless(inside)
        });
        self.emit(I::Load { element: region.element, d, p: region.view.pointer, index });
        skip.into_iter().for_each(|skip| self.land(skip));
        Ok(d)
    }

    /// Writes an element of a region.
    pub(super) fn put(&mut self, region: &Region, indices: &[Register], a: Register) -> Result<()> {
        let (index, inside) = self.place(region, indices);
        let skip = inside.map(|inside| self.jump_unless(inside));
        self.emit(I::Store { element: region.element, p: region.view.pointer, index, a });
        skip.into_iter().for_each(|skip| self.land(skip));
        Ok(())
    }

    fn combine(
        &mut self,
        operator: Operator,
        region: &Region,
        indices: &[Register],
        value: Register,
    ) -> Result<()> {
        let old = self.take(region, indices)?;
        let new = self.operate(operator, region.dtype, old, value)?;
        self.put(region, indices, new)
    }

    pub(super) fn cast_one(&mut self, value: Register, from: DataType, to: DataType) -> Register {
        let cast = self.cast(&vec![value], from.element(), to.element());
        cast.first().copied().unwrap_or(value)
    }

    /// Copies a region to another one, whose dimensions of one element may be elsewhere.
    fn copy_tile(&mut self, source: &Region, target: &Region, operator: Option<Operator>) -> Result<()> {
        let long = |this: &Self, region: &Region| -> Vec<usize> {
            let extents = region.extents.iter().enumerate();
            extents.filter(|(_, extent)| this.known(**extent) != Some(1)).map(|(at, _)| at).collect()
        };
        let (from, to) = (long(self, source), long(self, target));
        // Between a compact tile and another one of the same size, the last dimensions correspond.
        if from.len() != to.len() {
            return unsupported("a copy between tiles of different ranks");
        }
        let extents: Vec<Register> = to.iter().filter_map(|at| target.extents.get(*at).copied()).collect();
        let zero = self.int(0);
        self.nest(&extents, &mut |this, indices| {
            let spread = |places: &[usize], rank: usize| -> Vec<Register> {
                let index = |at: usize| places.iter().position(|place| *place == at);
                (0..rank)
                    .map(|at| index(at).and_then(|at| indices.get(at).copied()).unwrap_or(zero))
                    .collect()
            };
            let value = this.take(source, &spread(&from, source.extents.len()))?;
            let value = this.cast_one(value, source.dtype, target.dtype);
            let places = spread(&to, target.extents.len());
            match operator {
                Some(operator) => this.combine(operator, target, &places, value),
                None => this.put(target, &places, value),
            }
        })
    }

    /// Reduces a dimension: source, target, kind, dimension, whether to start anew.
    fn reduce(&mut self, arg: &Arguments<'_>) -> Result<()> {
        let (source, target) = (self.region(arg.get(0)?)?, self.region(arg.get(1)?)?);
        let kind = arg.text(2)?;
        let (operator, is_absolute) = match kind {
            "sum" => (Operator::Add, false),
            "max" => (Operator::Max, false),
            "min" => (Operator::Min, false),
            "prod" => (Operator::Mul, false),
            "abssum" => (Operator::Add, true),
            "absmax" => (Operator::Max, true),
            "bitand" => (Operator::BitAnd, false),
            "bitor" => (Operator::BitOr, false),
            "bitxor" => (Operator::BitXor, false),
            _ => return unsupported(format!("a reduction by `{kind}`")),
        };
        let dimension = self.dimension(arg.get(3)?, source.extents.len())?;
        let clear = arg.0.get(4).map(|clear| self.scalar(clear)).transpose()?.unwrap_or_else(|| self.int(1));
        let dtype = target.dtype.element();
        let start = self.neutral(operator, dtype, is_absolute);
        let mut outer = source.extents.clone();
        let extent = outer.remove(dimension);
        self.nest(&outer, &mut |this, indices| {
            let mut whole = indices.to_vec();
            if target.extents.len() == source.extents.len() {
                let zero = this.int(0);
                whole.insert(dimension.min(whole.len()), zero);
            }
            let old = this.take(&target, &whole)?;
            let total = this.fresh();
            this.emit(I::Select { d: total, c: clear, a: start, b: old });
            this.counted(extent, |this, index| {
                let mut from = indices.to_vec();
                from.insert(dimension.min(from.len()), index);
                let value = this.take(&source, &from)?;
                let mut value = this.cast_one(value, source.dtype, dtype);
                if is_absolute {
                    value = this.absolute(value, dtype)?;
                }
                let a = this.operate(operator, dtype, total, value)?;
                this.emit(I::Move { d: total, a });
                Ok(())
            })?;
            this.put(&target, &whole, total)
        })
    }

    fn absolute(&mut self, value: Register, dtype: DataType) -> Result<Register> {
        let zero = self.int(0);
        let negative = self.operate(Operator::Sub, dtype, zero, value)?;
        self.operate(Operator::Max, dtype, value, negative)
    }

    /// The value that changes no other one.
    pub(super) fn neutral(&mut self, operator: Operator, dtype: DataType, is_absolute: bool) -> Register {
        self.constant(match operator {
            // No absolute value is smaller.
            Operator::Max if is_absolute => 0,
            _ => crate::device::neutral(operator, dtype).bits(),
        })
    }

    fn dimension(&mut self, expr: &Expr, rank: usize) -> Result<usize> {
        let dimension = self.scalar(expr)?;
        let dimension = self.known(dimension).unwrap_or(-1);
        let dimension = if dimension < 0 { dimension + rank as i64 } else { dimension };
        match usize::try_from(dimension).ok().filter(|dimension| *dimension < rank) {
            Some(dimension) => Ok(dimension),
            None => unsupported("a dimension that the tile does not have"),
        }
    }

    /// Running totals along a dimension: source, target, dimension, whether from the end.
    fn cumulate(&mut self, operator: Operator, arg: &Arguments<'_>) -> Result<()> {
        let (source, target) = (self.region(arg.get(0)?)?, self.region(arg.get(1)?)?);
        let dimension = self.dimension(arg.get(2)?, source.extents.len())?;
        let reverse = self.scalar(arg.get(3)?)?;
        let dtype = target.dtype.element();
        let start = self.neutral(operator, dtype, false);
        let mut outer = source.extents.clone();
        let extent = outer.remove(dimension);
        self.nest(&outer, &mut |this, indices| {
            let total = this.fresh();
            this.emit(I::Move { d: total, a: start });
            this.counted(extent, |this, index| {
                let minus = this.int(-1);
                let last = this.add(extent, minus);
                let mirrored = this.fresh();
                this.emit(I::SubInt { d: mirrored, a: last, b: index });
                let at = this.fresh();
                this.emit(I::Select { d: at, c: reverse, a: mirrored, b: index });
                let mut place = indices.to_vec();
                place.insert(dimension.min(place.len()), at);
                let value = this.take(&source, &place)?;
                let value = this.cast_one(value, source.dtype, dtype);
                let a = this.operate(operator, dtype, total, value)?;
                this.emit(I::Move { d: total, a });
                this.put(&target, &place, a)
            })
        })
    }
}
