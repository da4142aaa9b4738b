//! Element types and constant tensors of TensorFlow.

use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::tensor::byte_count;
use tvmscript_ir_core::{DataType, Ref, TypeCode};

use super::proto::{TensorProto, TensorShapeProto};
use crate::elements::{little_endian, tensor};
use crate::error::ImportError;

/// The number of the type of texts.
pub(super) const STRING: i32 = 7;
/// Added to the number of a type for references to variables.
const REFERENCE: i32 = 100;

/// The data type with a number of TensorFlow; `None` for texts, complex and quantized numbers, handles and unknown types.
pub(super) fn element_type(number: i32) -> Option<DataType> {
    let of = |code, bits| DataType { code, bits, lanes: 1 };
    let number = if number > REFERENCE { number - REFERENCE } else { number };
    Some(match number {
        1 => DataType::FLOAT32,
        2 => DataType::float(64),
        3 => DataType::INT32,
        4 => DataType::uint(8),
        5 => DataType::int(16),
        6 => DataType::int(8),
        9 => DataType::INT64,
        10 => DataType::BOOL,
        14 => of(TypeCode::BFloat, 16),
        17 => DataType::uint(16),
        19 => DataType::float(16),
        22 => DataType::uint(32),
        23 => DataType::uint(64),
        24 => of(TypeCode::Float8E5M2, 8),
        25 => of(TypeCode::Float8E4M3Fn, 8),
        26 => of(TypeCode::Float8E4M3Fnuz, 8),
        28 => of(TypeCode::Float8E5M2Fnuz, 8),
        _ => return None,
    })
}

/// The lengths of a shape; `None` if the rank is unknown.
pub(super) fn lengths(shape: Option<&TensorShapeProto>) -> Option<Vec<i64>> {
    let shape = shape?;
    (!shape.unknown_rank).then(|| shape.dim.iter().map(|dim| dim.size).collect())
}

/// A constant tensor. Elements in the field of their type may be fewer than the shape says: the last one repeats, up to
/// `max_bytes`.
pub(super) fn constant(
    name: &str,
    proto: &TensorProto,
    max_bytes: usize,
) -> Result<Ref<TensorNode>, ImportError> {
    let failed = |reason: String| ImportError::Tensor { name: name.to_owned(), reason };
    if proto.dtype == STRING {
        return Err(failed("holds texts, which are not supported".to_owned()));
    }
    let dtype = element_type(proto.dtype)
        .ok_or_else(|| failed(format!("has the element type {}, which is not supported", proto.dtype)))?;
    let dims = lengths(proto.tensor_shape.as_ref()).unwrap_or_default();
    if !proto.tensor_content.is_empty() {
        return tensor(name, dtype, &dims, proto.tensor_content.clone());
    }
    let mut bytes = typed_bytes(proto, dtype);
    let width = usize::from(dtype.bits / 8);
    if let Some(needed) = byte_count(&dims, dtype).filter(|needed| *needed > bytes.len()) {
        if needed > max_bytes {
            let found = bytes.len();
            return Err(failed(format!(
                "repeats {found} bytes of elements to {needed}, more than the limit of {max_bytes}"
            )));
        }
        let last = bytes.len().checked_sub(width).and_then(|start| bytes.get(start..));
        let last = last.map_or_else(|| vec![0; width], <[u8]>::to_vec);
        bytes.extend(last.iter().cycle().take(needed - bytes.len()).copied().collect::<Vec<_>>());
    }
    tensor(name, dtype, &dims, bytes)
}

/// The elements in the field of their type.
fn typed_bytes(proto: &TensorProto, dtype: DataType) -> Vec<u8> {
    match (dtype.code, dtype.bits) {
        (TypeCode::Float, 32) => little_endian(&proto.float_val, f32::to_le_bytes),
        (TypeCode::Float, 64) => little_endian(&proto.double_val, f64::to_le_bytes),
        (TypeCode::Int, 64) => little_endian(&proto.int64_val, i64::to_le_bytes),
        (TypeCode::UInt, 64) => little_endian(&proto.uint64_val, u64::to_le_bytes),
        (TypeCode::UInt, 32) => little_endian(&proto.uint32_val, u32::to_le_bytes),
        (TypeCode::Int, 32) => little_endian(&proto.int_val, i32::to_le_bytes),
        (TypeCode::Bool, _) => proto.bool_val.iter().map(|value| u8::from(*value)).collect(),
        (TypeCode::Float | TypeCode::BFloat, 16) => {
            little_endian(&proto.half_val, |bits| (bits as u16).to_le_bytes())
        }
        (_, 16) => little_endian(&proto.int_val, |value| (value as u16).to_le_bytes()),
        (TypeCode::Int | TypeCode::UInt, _) => little_endian(&proto.int_val, |value| [value as u8]),
        _ => proto.float8_val.to_vec(),
    }
}
