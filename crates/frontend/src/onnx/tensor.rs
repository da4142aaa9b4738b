//! Element types and constant tensors of ONNX.

use std::sync::Arc;

use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::tensor::byte_count;
use tvmscript_ir_core::{DataType, Ref, TypeCode};

use super::name::text;
use super::proto::TensorProto;
use crate::elements::{Elements, little_endian, tensor};
use crate::error::ImportError;
use crate::external::Files;
use crate::file_part::FilePart;

/// The number of the type of texts.
const STRING: i32 = 8;
/// `data_location` of tensors in other files.
const EXTERNAL: i32 = 1;

/// The data type with a number of ONNX; `None` for texts, complex numbers and unknown types.
pub(super) fn element_type(number: i32) -> Option<DataType> {
    let of = |code, bits| DataType { code, bits, lanes: 1 };
    Some(match number {
        1 => DataType::FLOAT32,
        2 => DataType::uint(8),
        3 => DataType::int(8),
        4 => DataType::uint(16),
        5 => DataType::int(16),
        6 => DataType::INT32,
        7 => DataType::INT64,
        9 => DataType::BOOL,
        10 => DataType::float(16),
        11 => DataType::float(64),
        12 => DataType::uint(32),
        13 => DataType::uint(64),
        16 => of(TypeCode::BFloat, 16),
        17 => of(TypeCode::Float8E4M3Fn, 8),
        18 => of(TypeCode::Float8E4M3Fnuz, 8),
        19 => of(TypeCode::Float8E5M2, 8),
        20 => of(TypeCode::Float8E5M2Fnuz, 8),
        21 => DataType::uint(4),
        22 => DataType::int(4),
        23 => of(TypeCode::Float4E2M1Fn, 4),
        24 => of(TypeCode::Float8E8M0Fnu, 8),
        25 => DataType::uint(2),
        26 => DataType::int(2),
        _ => return None,
    })
}

/// A constant tensor. Its elements may be a part of the model's file, or in another file of its folder.
pub(super) fn constant(
    name: &str,
    proto: &TensorProto,
    part: Option<&Arc<FilePart>>,
    files: &Files,
) -> Result<Ref<TensorNode>, ImportError> {
    let failed = |reason: String| ImportError::Tensor { name: name.to_owned(), reason };
    if proto.data_type == STRING {
        return Err(failed("holds texts, which are not supported".to_owned()));
    }
    let dtype = element_type(proto.data_type)
        .ok_or_else(|| failed(format!("has the element type {}, which is not supported", proto.data_type)))?;
    if proto.data_location == EXTERNAL {
        let bytes = external(name, proto, byte_count(&proto.dims, dtype), files)?;
        return tensor(name, dtype, &proto.dims, bytes);
    }
    match (part, &proto.raw_data) {
        (Some(part), _) => tensor(name, dtype, &proto.dims, part.clone()),
        (None, Some(raw)) => tensor(name, dtype, &proto.dims, raw.clone()),
        (None, None) => tensor(name, dtype, &proto.dims, typed_bytes(proto, dtype)),
    }
}

/// The elements in the field of their type.
fn typed_bytes(proto: &TensorProto, dtype: DataType) -> Vec<u8> {
    let words = &proto.int32_data[..];
    match (dtype.code, dtype.bits) {
        (TypeCode::Float, 32) => little_endian(&proto.float_data, f32::to_le_bytes),
        (TypeCode::Float, 64) => little_endian(&proto.double_data, f64::to_le_bytes),
        (TypeCode::Int, 64) => little_endian(&proto.int64_data, i64::to_le_bytes),
        (TypeCode::UInt, 64) => little_endian(&proto.uint64_data, u64::to_le_bytes),
        (TypeCode::UInt, 32) => little_endian(&proto.uint64_data, |word| (word as u32).to_le_bytes()),
        (TypeCode::Int, 32) => little_endian(words, i32::to_le_bytes),
        (_, 16) => little_endian(words, |word| (word as u16).to_le_bytes()),
        // Smaller ones are packed: a word holds one byte of them.
        _ => little_endian(words, |word| [word as u8]),
    }
}

/// The elements from another file, which is inside the folder of the model.
fn external(
    name: &str,
    proto: &TensorProto,
    needed: Option<usize>,
    files: &Files,
) -> Result<Elements, ImportError> {
    let entry = |key: &str| {
        let entry = proto.external_data.iter().find(|entry| entry.key.as_ref() == key.as_bytes())?;
        Some(text(&entry.value).into_owned())
    };
    let path = entry("location").unwrap_or_default();
    let file = files.find(name, &path)?;
    let number = |key: &str| match entry(key) {
        Some(number) => number.trim().parse::<u64>().map(Some),
        None => Ok(None),
    };
    let (Ok(offset), Ok(count)) = (number("offset"), number("length")) else {
        return Err(file.refused("is used at an offset or length that is no number"));
    };
    let offset = offset.unwrap_or(0);
    let count = count.unwrap_or(file.length().saturating_sub(offset));
    if needed.and_then(|needed| u64::try_from(needed).ok()) != Some(count) {
        let needed =
            needed.map_or_else(|| "more bytes than can be counted".to_owned(), |n| format!("{n} bytes"));
        return Err(file.refused(&format!(
            "holds {count} bytes of elements, and the type of the tensor needs {needed}"
        )));
    }
    file.elements(offset, count)
}
