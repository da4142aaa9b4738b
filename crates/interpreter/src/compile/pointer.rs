//! Pointers, and accesses through them.

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_prim::{Expr, PrimExprExt as _, Var};
use tvmscript_tir::node::BufferLoad;
use tvmscript_tirx::BufferArgument;

use super::buffer::{lane_of, scalars_of};
use super::call::Arguments;
use super::{Compiler, Lanes};
use crate::error::{Result, unsupported};
use crate::intrinsics::{Intrinsic, PointerOperator};
use crate::memory::Element;
use crate::program::{Instruction as I, Register};

impl Compiler<'_> {
    pub(super) fn pointer_call(
        &mut self,
        operator: PointerOperator,
        arg: &Arguments<'_>,
        dtype: DataType,
    ) -> Result<Lanes> {
        let zero = self.int(0);
        Ok(match operator {
            PointerOperator::AddressOf | PointerOperator::ElementPointer => {
                vec![self.address_of(arg.get(0)?)?]
            }
            PointerOperator::AccessPointer => {
                let element = arg.get(0)?.dtype();
                let (pointer, offset) = (self.scalar(arg.get(1)?)?, self.scalar(arg.get(2)?)?);
                vec![self.element_at(pointer, offset, element)?]
            }
            PointerOperator::AddOffset => {
                let (p, bytes) = (self.scalar(arg.get(0)?)?, self.scalar(arg.get(1)?)?);
                let d = self.fresh();
                self.emit(I::Offset { d, p, bytes });
                vec![d]
            }
            PointerOperator::LoadWords => {
                let (p, index) = self.word_pointer(arg.get(0)?)?;
                let mut out = Lanes::new();
                let count = super::expr::lane_count(dtype)?;
                for lane in 0..count {
                    let step = self.int(lane as i64);
                    let index = self.add(index, step);
                    let d = self.fresh();
                    self.emit(I::Load { element: Element::UInt32, d, p, index });
                    out.push(d);
                }
                out
            }
            PointerOperator::StoreWords => {
                let (p, index) = self.word_pointer(arg.get(0)?)?;
                for (lane, a) in self.expr(arg.get(1)?)?.into_iter().enumerate() {
                    let step = self.int(lane as i64);
                    let index = self.add(index, step);
                    self.emit(I::Store { element: Element::UInt32, p, index, a });
                }
                vec![zero]
            }
            PointerOperator::Atomic { operator, returns } => {
                let (pointer, element_type) = self.typed_pointer(arg.get(0)?)?;
                let value = arg.get(1)?;
                let own = value.dtype().element();
                let values = self.expr(value)?;
                let values = self.cast(&values, own, element_type);
                let element = Element::of(element_type)?;
                let mut old = Lanes::new();
                for (lane, value) in values.into_iter().enumerate() {
                    let index = self.int(lane as i64);
                    let d = self.fresh();
                    self.emit(I::Load { element, d, p: pointer, index });
                    let a = match operator {
                        Some(operator) => self.operate(operator, element_type, d, value)?,
                        None => value,
                    };
                    self.emit(I::Store { element, p: pointer, index, a });
                    old.push(d);
                }
                if returns { old } else { vec![zero] }
            }
            PointerOperator::AtomicLoad => {
                let (p, element_type) = self.typed_pointer(arg.get(0)?)?;
                let d = self.fresh();
                self.emit(I::Load { element: Element::of(element_type)?, d, p, index: zero });
                vec![d]
            }
            PointerOperator::AsyncCopy => {
                self.async_copy(arg)?;
                vec![zero]
            }
            PointerOperator::TensorMap(name) => vec![self.tensor_map(name, arg)?],
            PointerOperator::BulkLoad => {
                self.bulk_load(arg)?;
                vec![zero]
            }
            PointerOperator::BulkStore => {
                self.bulk_store(arg)?;
                vec![zero]
            }
            PointerOperator::LoadPatches => {
                self.load_patches(arg)?;
                vec![zero]
            }
        })
    }

    /// The pointer to an element of a buffer, which may be one past the end.
    pub(super) fn address_of(&mut self, expr: &Expr) -> Result<Register> {
        if let Some(argument) = expr.as_node::<BufferArgument>() {
            return Ok(self.view(&argument.buffer)?.pointer);
        }
        let Some(load) = expr.as_node::<BufferLoad>() else {
            return match expr.dtype().is_handle() {
                true => self.scalar(expr),
                false => unsupported("the address of a value"),
            };
        };
        let view = self.view(&load.buffer)?;
        let mut sum = view.offset;
        for (index, stride) in load.indices.iter().zip(&view.strides) {
            let lanes = self.expr(index)?;
            let part = self.mul(lane_of(&lanes, 0)?, *stride);
            sum = self.add(sum, part);
        }
        self.element_at(view.pointer, sum, load.buffer.dtype)
    }

    /// The pointer to an element, counted from another pointer.
    pub(super) fn element_at(&mut self, p: Register, index: Register, dtype: DataType) -> Result<Register> {
        let (element, lanes) = scalars_of(dtype)?;
        let size = self.int((element.bytes() * lanes) as i64);
        let bytes = self.mul(index, size);
        let d = self.fresh();
        self.emit(I::Offset { d, p, bytes });
        Ok(d)
    }

    fn word_pointer(&mut self, expr: &Expr) -> Result<(Register, Register)> {
        let zero = self.int(0);
        Ok((self.address_of(expr)?, zero))
    }

    /// A pointer with the type of its elements.
    pub(super) fn typed_pointer(&mut self, expr: &Expr) -> Result<(Register, DataType)> {
        match pointee(expr) {
            Some(dtype) => Ok((self.address_of(expr)?, dtype.element())),
            None => unsupported("an access through a pointer without a type"),
        }
    }

    /// Copies elements to shared memory: `dst`, `src`, the number of elements, a predicate; or TVM's older form, with the
    /// number of bytes last.
    fn async_copy(&mut self, arg: &Arguments<'_>) -> Result<()> {
        let (dst, src, count, predicate, element) = if arg.get(1)?.dtype().is_handle() {
            let (dst, dtype) = self.typed_pointer(arg.get(0)?)?;
            let src = self.address_of(arg.get(1)?)?;
            (dst, src, arg.get(2)?, arg.get(3).ok(), dtype)
        } else {
            let (dst_base, dst_offset) = (self.scalar(arg.get(0)?)?, self.scalar(arg.get(1)?)?);
            let (src_base, src_offset) = (self.scalar(arg.get(2)?)?, self.scalar(arg.get(3)?)?);
            let dtype = pointee(arg.get(0)?).unwrap_or(DataType::int(8));
            let dst = self.element_at(dst_base, dst_offset, dtype)?;
            let src = self.element_at(src_base, src_offset, dtype)?;
            (dst, src, arg.get(4)?, arg.get(5).ok(), DataType::int(8))
        };
        let element = Element::of(element)?;
        let count = self.scalar(count)?;
        let predicate = predicate.map(|predicate| self.scalar(predicate)).transpose()?;
        self.counted(count, |this, index| {
            let d = this.fresh();
            let zero = this.int(0);
            this.emit(I::Move { d, a: zero });
            let skip = predicate.map(|predicate| this.jump_unless(predicate));
            this.emit(I::Load { element, d, p: src, index });
            skip.into_iter().for_each(|skip| this.land(skip));
            this.emit(I::Store { element, p: dst, index, a: d });
            Ok(())
        })
    }
}

/// The type of the elements that a pointer points to.
pub(crate) fn pointee(expr: &Expr) -> Option<DataType> {
    if let Some(load) = expr.as_node::<BufferLoad>() {
        return Some(load.buffer.dtype);
    }
    if let Some(argument) = expr.as_node::<BufferArgument>() {
        return Some(argument.buffer.dtype);
    }
    if let Some(variable) = expr.as_node::<Var>() {
        let pointer = variable.type_annotation.as_node::<tvmscript_prim::PointerType>()?;
        let element = pointer.element_type.as_node::<tvmscript_prim::PrimType>()?.dtype;
        return Some(element).filter(|dtype| !dtype.is_void());
    }
    let (op, args) = call_of(expr)?;
    match crate::intrinsics::intrinsic(op)? {
        Intrinsic::Pointer(PointerOperator::AddressOf | PointerOperator::ElementPointer) => {
            pointee(args.first()?)
        }
        Intrinsic::Pointer(PointerOperator::AccessPointer) => Some(args.first()?.dtype()),
        _ => None,
    }
}

/// The callee and arguments of a call of any form.
pub(crate) fn call_of(
    expr: &Expr,
) -> Option<(&Ref<tvmscript_prim::BaseExpr>, &tvmscript_ir_core::Array<Expr>)> {
    if let Some(call) = expr.as_node::<tvmscript_prim::Call>() {
        Some((&call.op, &call.args))
    } else if let Some(call) = expr.as_node::<tvmscript_tirx::AnnotatedCall>() {
        Some((&call.op, &call.args))
    } else {
        expr.as_node::<tvmscript_tirx::TypedCall>().map(|call| (&call.op, &call.args))
    }
}
