//! Operators on pointers and what they point to.

use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::Operator;
use tvmscript_prim::{Expr, PrimExprExt as _};

use super::expr::literal;
use super::types::storage_type;
use super::value::Value;
use super::{Lanes, Writer};
use crate::compile::{Arguments, lane_count, pointee};
use crate::error::{Result, unsupported};
use crate::intrinsics::PointerOperator;

impl Writer<'_> {
    pub(super) fn pointer_call(
        &mut self,
        operator: PointerOperator,
        arg: &Arguments<'_>,
        dtype: DataType,
    ) -> Result<Lanes> {
        let zero = literal(DataType::INT32, 0);
        let word = DataType::uint(32);
        Ok(match operator {
            PointerOperator::AddressOf | PointerOperator::ElementPointer => {
                vec![self.address_of(arg.get(0)?)?]
            }
            PointerOperator::AccessPointer => {
                let element = arg.get(0)?.dtype();
                let (pointer, offset) = (self.scalar(arg.get(1)?)?, self.index(arg.get(2)?)?);
                vec![self.element_at(&pointer, &offset, element)?]
            }
            PointerOperator::AddOffset => {
                let (pointer, bytes) = (self.scalar(arg.get(0)?)?, self.index(arg.get(1)?)?);
                vec![self.byte_offset(&pointer, &bytes)]
            }
            PointerOperator::LoadWords => {
                let pointer = self.address_of(arg.get(0)?)?;
                let lanes = 0..lane_count(dtype)?;
                lanes
                    .map(|lane| self.read(&pointer, &Value::count(lane as i64), word))
                    .collect::<Result<Lanes>>()?
            }
            PointerOperator::StoreWords => {
                let pointer = self.address_of(arg.get(0)?)?;
                for (lane, value) in self.expr(arg.get(1)?)?.into_iter().enumerate() {
                    let value = self.hoisted("word", value, word)?;
                    let text = self.write(&pointer, &Value::count(lane as i64), &value, word)?;
                    self.effect(text)?;
                }
                vec![zero]
            }
            PointerOperator::Atomic { operator, returns } => self.atomic(operator, returns, arg)?,
            PointerOperator::AtomicLoad => {
                let (pointer, element) = self.typed_pointer(arg.get(0)?)?;
                vec![self.read(&pointer, &zero, element)?]
            }
            PointerOperator::AsyncCopy => {
                self.async_copy(arg)?;
                vec![zero]
            }
            PointerOperator::TensorMap(_)
            | PointerOperator::BulkLoad
            | PointerOperator::BulkStore
            | PointerOperator::LoadPatches => return unsupported("a copy of a box of a tensor"),
        })
    }

    /// An operation on elements in memory, which no other thread can interrupt here.
    fn atomic(&mut self, operator: Option<Operator>, returns: bool, arg: &Arguments<'_>) -> Result<Lanes> {
        let (pointer, element) = self.typed_pointer(arg.get(0)?)?;
        let value = arg.get(1)?;
        let own = value.dtype().element();
        let mut old = Lanes::new();
        for (lane, value) in self.expr(value)?.into_iter().enumerate() {
            let index = Value::count(lane as i64);
            let value = self.cast(value, own, element)?;
            let mut before = self.read(&pointer, &index, element)?;
            if returns {
                if self.lazy > 0 {
                    return unsupported("an operation on memory inside of a condition");
                }
                before = self.constant("old", before, element)?;
            }
            let new = match operator {
                Some(operator) => self.operate(operator, element, &before, &value)?,
                None => value,
            };
            let text = self.write(&pointer, &index, &new, element)?;
            self.effect(text)?;
            old.push(before);
        }
        Ok(if returns { old } else { vec![literal(DataType::INT32, 0)] })
    }

    /// A pointer with the type of its elements.
    pub(super) fn typed_pointer(&mut self, expr: &Expr) -> Result<(Value, DataType)> {
        match pointee(expr) {
            Some(dtype) => Ok((self.address_of(expr)?, dtype.element())),
            None => unsupported("an access through a pointer without a type"),
        }
    }

    /// Copies elements: `dst`, `src`, the number of elements, a predicate; or TVM's older form, with the number of bytes last.
    fn async_copy(&mut self, arg: &Arguments<'_>) -> Result<()> {
        let (dst, src, count, predicate, bytes) = if arg.get(1)?.dtype().is_handle() {
            let (dst, dtype) = self.typed_pointer(arg.get(0)?)?;
            let src = self.address_of(arg.get(1)?)?;
            storage_type(dtype)?;
            let bytes = crate::scalar::storage_bytes(dtype).unwrap_or(1) as i64;
            (dst, src, arg.get(2)?, arg.get(3).ok(), bytes)
        } else {
            let (dst, dst_offset) = (self.scalar(arg.get(0)?)?, self.index(arg.get(1)?)?);
            let (src, src_offset) = (self.scalar(arg.get(2)?)?, self.index(arg.get(3)?)?);
            let dtype = pointee(arg.get(0)?).unwrap_or(DataType::int(8));
            let dst = self.element_at(&dst, &dst_offset, dtype)?;
            let src = self.element_at(&src, &src_offset, dtype)?;
            (dst, src, arg.get(4)?, arg.get(5).ok(), 1)
        };
        let count = self.index(count)?.index_mul(&Value::count(bytes));
        let Some(predicate) = predicate else {
            return self.effect(format!("memmove({}, {}, {})", dst.text, src.text, count.cast_to("size_t")));
        };
        let predicate = self.scalar(predicate)?;
        let size = count.cast_to("size_t");
        self.effect(format!(
            "{} ? memmove({}, {}, {size}) : memset({}, 0, {size})",
            predicate.at(super::value::Level::Other),
            dst.text,
            src.text,
            dst.text
        ))
    }
}
