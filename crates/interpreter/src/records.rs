//! Records of TVM's runtime, as they lie in memory: tensors (`DLTensor`), values of any type (`TVMFFIAny`), and the
//! arrays of them that packed functions take.

use tvmscript_ir_core::DataType;

use crate::machine::compact_strides;
use crate::memory::{Element, Memory, advance};
use crate::scalar::Scalar;

/// Bytes of a tensor record.
pub(crate) const TENSOR_BYTES: i64 = 48;
/// Bytes of a value of any type.
pub(crate) const ANY_BYTES: i64 = 16;

/// Number of the field with the address of the tensor record itself.
pub(crate) const ADDRESS: i64 = 0;
pub(crate) const DATA: i64 = 1;
pub(crate) const SHAPE: i64 = 2;
pub(crate) const STRIDES: i64 = 3;
pub(crate) const RANK: i64 = 4;
pub(crate) const TYPE_CODE: i64 = 5;
pub(crate) const TYPE_BITS: i64 = 6;
pub(crate) const TYPE_LANES: i64 = 7;
pub(crate) const BYTE_OFFSET: i64 = 8;
pub(crate) const DEVICE_ID: i64 = 9;
pub(crate) const DEVICE_TYPE: i64 = 10;
pub(crate) const VALUE_CONTENT: i64 = 12;
pub(crate) const ANY_TYPE: i64 = 13;
pub(crate) const ANY_PADDING: i64 = 14;
pub(crate) const ANY_CONTENT: i64 = 15;
pub(crate) const INTEGER: i64 = 17;

/// A field of a record: the size of the record, the place in it, and its element; `None` if the access says it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) record: i64,
    pub(crate) offset: i64,
    pub(crate) element: Option<Element>,
}

/// By number.
const FIELDS: &[(i64, i64, i64, Option<Element>)] = &[
    (ADDRESS, TENSOR_BYTES, 0, None),
    (DATA, TENSOR_BYTES, 0, Some(Element::Word)),
    (DEVICE_TYPE, TENSOR_BYTES, 8, Some(Element::Int32)),
    (DEVICE_ID, TENSOR_BYTES, 12, Some(Element::Int32)),
    (RANK, TENSOR_BYTES, 16, Some(Element::Int32)),
    (TYPE_CODE, TENSOR_BYTES, 20, Some(Element::UInt8)),
    (TYPE_BITS, TENSOR_BYTES, 21, Some(Element::UInt8)),
    (TYPE_LANES, TENSOR_BYTES, 22, Some(Element::UInt16)),
    (SHAPE, TENSOR_BYTES, 24, Some(Element::Word)),
    (STRIDES, TENSOR_BYTES, 32, Some(Element::Word)),
    (BYTE_OFFSET, TENSOR_BYTES, 40, Some(Element::Word)),
    (VALUE_CONTENT, 8, 0, None),
    (ANY_TYPE, ANY_BYTES, 0, Some(Element::Int32)),
    (ANY_PADDING, ANY_BYTES, 4, Some(Element::Int32)),
    (ANY_CONTENT, ANY_BYTES, 8, None),
    (INTEGER, 8, 0, Some(Element::Word)),
];

/// The field with a number.
pub(crate) fn field(number: i64) -> Option<Field> {
    let row = FIELDS.iter().find(|(known, ..)| *known == number);
    row.map(|(_, record, offset, element)| Field { record: *record, offset: *offset, element: *element })
}

/// Bytes of the elements of stack memory, by the name of their kind.
pub(crate) fn stack_bytes(kind: &str) -> Option<u32> {
    Some(match kind {
        "shape" | "arg_value" => 8,
        "arg_tcode" => 4,
        "array" => TENSOR_BYTES as u32,
        "tvm_ffi_any" => ANY_BYTES as u32,
        "tensormap" | "tvm_ffi_tensormap" => 128,
        _ => return None,
    })
}

/// The content of a value of any type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnyType {
    None = 0,
    Int = 1,
    Bool = 2,
    Float = 3,
    Pointer = 4,
    Tensor = 7,
    Text = 8,
}

/// The type of a packed argument.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PackedKind {
    Int,
    Float,
    /// Memory without a record.
    Pointer,
    /// A tensor on a device. Its strides are given to functions that declare a list of them; a compact one needs none.
    Tensor {
        device: i64,
        has_strides: bool,
    },
}

/// Writes fields of records to memory.
pub(crate) struct Writer<'m>(pub(crate) &'m mut Memory);

impl Writer<'_> {
    pub(crate) fn set(&mut self, record: u64, index: i64, number: i64, value: u64) {
        if let Some(field) = field(number) {
            let at = advance(record, index * field.record + field.offset);
            let _ = self.0.store(field.element.unwrap_or(Element::Word), at, 0, value);
        }
    }

    /// Writes a value of any type.
    pub(crate) fn set_any(&mut self, array: u64, index: i64, kind: AnyType, content: u64) {
        self.set(array, index, ANY_TYPE, kind as u64);
        self.set(array, index, ANY_PADDING, 0);
        self.set(array, index, ANY_CONTENT, content);
    }

    /// Adds the record of a compact tensor.
    pub(crate) fn tensor(
        &mut self,
        data: u64,
        dtype: DataType,
        shape: &[i64],
        device: i64,
        has_strides: bool,
    ) -> u64 {
        let mut list =
            |values: &[i64]| self.0.add(values.iter().flat_map(|value| value.to_le_bytes()).collect());
        let (extents, strides) = (list(shape), list(&compact_strides(shape)));
        let record = self.0.add(vec![0; TENSOR_BYTES as usize]);
        let fields = [
            (DATA, data),
            (SHAPE, extents),
            (STRIDES, if has_strides { strides } else { 0 }),
            (RANK, shape.len() as u64),
            (TYPE_CODE, dtype.code as u64),
            (TYPE_BITS, dtype.bits.into()),
            (TYPE_LANES, dtype.lanes as u64),
            (DEVICE_TYPE, device as u64),
        ];
        for (number, value) in fields {
            self.set(record, 0, number, value);
        }
        record
    }
}

/// Reads a field of a record.
pub(crate) fn read(memory: &Memory, record: u64, index: i64, number: i64) -> Option<u64> {
    let field = field(number)?;
    let at = advance(record, index * field.record + field.offset);
    memory.load(field.element.unwrap_or(Element::Word), at, 0)
}

/// The number that a value of any type holds.
pub(crate) fn read_number(memory: &Memory, any: u64) -> Option<Scalar> {
    let content = read(memory, any, 0, ANY_CONTENT)?;
    let kind = read(memory, any, 0, ANY_TYPE)?;
    if kind == AnyType::Int as u64 || kind == AnyType::Bool as u64 {
        Some(Scalar::Int(content as i64))
    } else if kind == AnyType::Float as u64 {
        Some(Scalar::Float(f64::from_bits(content)))
    } else {
        None
    }
}
