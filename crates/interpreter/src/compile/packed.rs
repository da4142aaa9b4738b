//! Packed calls, and the records that they pass.

use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_prim::{Expr, PrimExprExt as _, StringImm};
use tvmscript_tir::node::PrimFunc;

use super::call::Arguments;
use super::pointer::call_of;
use super::{Compiler, Lanes};
use crate::error::{Result, RunErrorKind, unsupported};
use crate::intrinsics::{Intrinsic, RecordOperator, intrinsic};
use crate::library;
use crate::memory::Element;
use crate::program::{Instruction as I, Register};
use crate::records::{self, ANY_BYTES, AnyType};
use crate::scalar::is_float;
use crate::signature::is_packed;

impl Compiler<'_> {
    pub(super) fn record_call(
        &mut self,
        operator: RecordOperator,
        arg: &Arguments<'_>,
        dtype: DataType,
    ) -> Result<Lanes> {
        let zero = self.int(0);
        Ok(vec![match operator {
            RecordOperator::Get => {
                let (p, index, number) = self.field_of(arg)?;
                let Some(field) = records::field(number) else {
                    return unsupported(format!("the field {number} of a record"));
                };
                let p = self.record_field(p, index, field);
                if number == records::ADDRESS {
                    return Ok(vec![p]);
                }
                let element = field.element.map_or_else(|| Element::of(dtype), Ok)?;
                let d = self.fresh();
                self.emit(I::Load { element, d, p, index: zero });
                d
            }
            RecordOperator::Set => {
                let (p, index, number) = self.field_of(arg)?;
                let Some(field) = records::field(number).filter(|_| number != records::ADDRESS) else {
                    return unsupported(format!("a change of the field {number} of a record"));
                };
                let value = arg.get(3)?;
                let a = self.content(value)?;
                let element = field.element.unwrap_or(Element::Word);
                let p = self.record_field(p, index, field);
                self.emit(I::Store { element, p, index: zero, a });
                zero
            }
            RecordOperator::Stack => {
                let kind = arg.text(0)?;
                let Some(bytes) = records::stack_bytes(kind) else {
                    return unsupported(format!("stack memory for `{kind}`"));
                };
                let count = self.scalar(arg.get(1)?)?;
                self.stack(bytes, count)
            }
            RecordOperator::Shape => {
                let count = self.int(arg.0.len() as i64);
                let p = self.stack(8, count);
                for (at, extent) in arg.0.iter().enumerate() {
                    let (a, index) = (self.scalar(extent)?, self.int(at as i64));
                    self.emit(I::Store { element: Element::Word, p, index, a });
                }
                p
            }
            RecordOperator::Array => self.tensor_record(arg)?,
            RecordOperator::Workspace => {
                let bytes = self.scalar(arg.get(2)?)?;
                self.stack(1, bytes)
            }
            RecordOperator::Call => {
                let name = arg.text(0)?;
                let stack = self.scalar(arg.get(1)?)?;
                let (begin, end) = (self.scalar(arg.get(2)?)?, self.scalar(arg.get(3)?)?);
                let (Some(begin), Some(end)) = (self.known(begin), self.known(end)) else {
                    return unsupported("a packed call with an unknown number of arguments");
                };
                let bytes = self.int(begin.saturating_mul(ANY_BYTES));
                let first = self.fresh();
                self.emit(I::Offset { d: first, p: stack, bytes });
                return self.call_with_values(name, first, end.saturating_sub(begin));
            }
        }])
    }

    fn field_of(&mut self, arg: &Arguments<'_>) -> Result<(Register, Register, i64)> {
        let (p, index) = (self.address_of(arg.get(0)?)?, self.scalar(arg.get(1)?)?);
        let number = self.scalar(arg.get(2)?)?;
        match self.known(number) {
            Some(number) => Ok((p, index, number)),
            None => unsupported("a field of a record that is not known"),
        }
    }

    fn record_field(&mut self, p: Register, index: Register, field: records::Field) -> Register {
        let (size, offset) = (self.int(field.record), self.int(field.offset));
        let start = self.mul(index, size);
        let bytes = self.add(start, offset);
        let d = self.fresh();
        self.emit(I::Offset { d, p, bytes });
        d
    }

    /// Memory until the end of the scope.
    fn stack(&mut self, bytes: u32, count: Register) -> Register {
        let d = self.permanent(0);
        self.emit(I::Allocate { bytes, d, count });
        if let Some(scope) = self.scopes.last_mut() {
            scope.allocations.push(d);
        }
        d
    }

    /// The content of a value of any type; that of a text is a pointer.
    fn content(&mut self, value: &Expr) -> Result<Register> {
        let Some(text) = value.as_node::<StringImm>() else { return self.scalar(value) };
        let mut bytes = text.value.as_bytes().to_vec();
        bytes.push(0);
        let count = self.int(bytes.len() as i64);
        let p = self.stack(1, count);
        self.program.data.push(bytes);
        let data = self.program.data.len() as u32 - 1;
        self.emit(I::Fill { data, p });
        Ok(p)
    }

    /// A record of a tensor: data, shape, strides, rank, a value of the type, the offset in elements.
    fn tensor_record(&mut self, arg: &Arguments<'_>) -> Result<Register> {
        let (zero, one) = (self.int(0), self.int(1));
        let p = self.stack(records::TENSOR_BYTES as u32, one);
        let dtype = arg.get(4)?.dtype();
        let size = crate::scalar::storage_bytes(dtype.element()).unwrap_or_default() as i64;
        let (offset, size) = (self.scalar(arg.get(5)?)?, self.int(size * i64::from(dtype.lanes)));
        let fields = [
            (records::DATA, self.scalar(arg.get(0)?)?),
            (records::SHAPE, self.scalar(arg.get(1)?)?),
            (records::STRIDES, self.scalar(arg.get(2)?)?),
            (records::RANK, self.scalar(arg.get(3)?)?),
            (records::TYPE_CODE, self.int(dtype.code as i64)),
            (records::TYPE_BITS, self.int(dtype.bits.into())),
            (records::TYPE_LANES, self.int(dtype.lanes.into())),
            (records::BYTE_OFFSET, self.mul(offset, size)),
            (records::DEVICE_TYPE, one),
        ];
        for (number, a) in fields {
            self.set_field(p, zero, number, a);
        }
        Ok(p)
    }

    /// A packed call with its arguments written out.
    pub(super) fn call_packed(&mut self, name: &str, args: &Array<Expr>) -> Result<Lanes> {
        if let Some(function) = self.functions.get(name).filter(|function| !is_packed(function)) {
            // A kernel of the module, to which the launch passes its extents after the arguments.
            return self.inline(&function, &args.iter().skip(1).cloned().collect());
        }
        let count = args.len() as i64 - 1;
        let places = self.int(count.saturating_add(1));
        let values = self.stack(ANY_BYTES as u32, places);
        for (at, value) in args.iter().skip(1).enumerate() {
            let dtype = value.dtype();
            let is_record = call_of(value).and_then(|(op, _)| intrinsic(op));
            let kind = match is_record {
                Some(Intrinsic::Record(RecordOperator::Array)) => AnyType::Tensor,
                _ if value.as_node::<StringImm>().is_some() => AnyType::Text,
                _ if dtype.is_handle() => AnyType::Pointer,
                _ if dtype.is_bool() => AnyType::Bool,
                _ if is_float(dtype) => AnyType::Float,
                _ => AnyType::Int,
            };
            let (kind, content) = (self.int(kind as i64), self.content(value)?);
            let index = self.int(at as i64);
            self.set_field(values, index, records::ANY_TYPE, kind);
            self.set_field(values, index, records::ANY_CONTENT, content);
        }
        self.call_with_values(name, values, count)
    }

    /// A descriptor of a tensor that a function of the library makes from numbers.
    pub(super) fn tensor_map(&mut self, function: &str, arg: &Arguments<'_>) -> Result<Register> {
        let bytes = self.int(128);
        let place = self.stack(1, bytes);
        let mut contents = vec![place];
        for value in arg.0.iter() {
            contents.push(self.address_or_number(value)?);
        }
        let count = contents.len() as i64;
        let places = self.int(count.saturating_add(1));
        let values = self.stack(ANY_BYTES as u32, places);
        for (at, a) in contents.into_iter().enumerate() {
            let index = self.int(at as i64);
            self.set_field(values, index, records::ANY_CONTENT, a);
        }
        self.call_with_values(function, values, count)?;
        Ok(place)
    }

    fn address_or_number(&mut self, value: &Expr) -> Result<Register> {
        match value.dtype().is_handle() {
            true => self.address_of(value),
            false => self.scalar(value),
        }
    }

    fn set_field(&mut self, record: Register, index: Register, number: i64, a: Register) {
        let Some(field) = records::field(number) else { return };
        let zero = self.int(0);
        let p = self.record_field(record, index, field);
        self.emit(I::Store { element: field.element.unwrap_or(Element::Word), p, index: zero, a });
    }

    /// A packed call of a function of the module or of the library. The value after the arguments is its result.
    fn call_with_values(&mut self, name: &str, values: Register, count: i64) -> Result<Lanes> {
        if let Some(function) = self.functions.get(name) {
            let lanes = match is_packed(&function) {
                true => {
                    let bytes = self.int(count.saturating_mul(ANY_BYTES));
                    let result = self.fresh();
                    self.emit(I::Offset { d: result, p: values, bytes });
                    [self.int(0), values, self.int(count), result].map(|register| vec![register]).to_vec()
                }
                false => self.unpack(&function, values)?,
            };
            return self.inline_values(&function, lanes);
        }
        let Some(function) = library::find(name) else {
            return unsupported(format!("the packed function `{name}`"));
        };
        let count = self.int(count);
        self.emit(I::CallLibrary { function, values, count });
        Ok(vec![self.int(0)])
    }

    fn unpack(&mut self, function: &Ref<PrimFunc>, values: Register) -> Result<Vec<Lanes>> {
        let Some(field) = records::field(records::ANY_CONTENT) else {
            return Err(RunErrorKind::Kind { expected: "a record" }.into());
        };
        let zero = self.int(0);
        let mut lanes = Vec::new();
        for (at, param) in function.params.iter().enumerate() {
            let index = self.int(at as i64);
            let p = self.record_field(values, index, field);
            let d = self.fresh();
            self.emit(I::Load { element: Element::Word, d, p, index: zero });
            let wide = if is_float(param.dtype) { DataType::float(64) } else { DataType::INT64 };
            let value = match param.dtype.is_handle() {
                true => d,
                false => self.cast_one(d, wide, param.dtype),
            };
            lanes.push(vec![value]);
        }
        Ok(lanes)
    }
}
