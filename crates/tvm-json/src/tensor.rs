//! Tensors as DLPack data in base64.
//!
//! u64 magic, u64 zero, i32 device type, i32 device id, i32 dimensions, u8 dtype code, u8 bits, u16 lanes, i64 per
//! dimension, i64 byte count, bytes; all little-endian.
//! Upstream counterpart: `SaveDLTensor` in `include/tvm/runtime/tensor.h`.

use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::dtype::{DataType, TypeCode};
use tvmscript_ir_core::json::base64;

const MAGIC: u64 = 0xDD5E_40F0_96B4_A13F;
const CPU: i32 = 1;
const MAX_DIMENSIONS: i32 = 1024;

/// Encodes a tensor; `None` if its elements are left out.
pub(super) fn encode(tensor: &TensorNode) -> Option<String> {
    let elements = tensor.bytes()?;
    let mut bytes = Vec::with_capacity(48 + 8 * tensor.shape.len() + elements.len());
    bytes.extend(MAGIC.to_le_bytes());
    bytes.extend(0u64.to_le_bytes());
    bytes.extend(CPU.to_le_bytes());
    bytes.extend(0i32.to_le_bytes());
    bytes.extend((tensor.shape.len() as i32).to_le_bytes());
    bytes.extend([tensor.dtype.code as u8, tensor.dtype.bits]);
    bytes.extend(tensor.dtype.lanes.to_le_bytes());
    tensor.shape.iter().for_each(|d| bytes.extend(d.to_le_bytes()));
    bytes.extend((elements.len() as i64).to_le_bytes());
    bytes.extend(elements);
    Some(base64::encode(&bytes))
}

/// Decodes a tensor.
pub(super) fn decode(text: &str) -> Result<TensorNode, &'static str> {
    let bytes = base64::decode(text).ok_or("not base64")?;
    let mut rest = &bytes[..];
    if u64::from_le_bytes(take(&mut rest)?) != MAGIC {
        return Err("wrong magic number");
    }
    let _reserved: [u8; 8] = take(&mut rest)?;
    let _device_type: [u8; 4] = take(&mut rest)?;
    let _device_id: [u8; 4] = take(&mut rest)?;
    let dimensions = i32::from_le_bytes(take(&mut rest)?);
    let [code, bits] = take(&mut rest)?;
    let lanes = i16::from_le_bytes(take(&mut rest)?);
    let code = TypeCode::from_number(code).ok_or("unknown dtype code")?;
    if !(0..=MAX_DIMENSIONS).contains(&dimensions) {
        return Err("number of dimensions out of range");
    }
    let mut shape = Vec::with_capacity(dimensions as usize);
    for _ in 0..dimensions {
        shape.push(i64::from_le_bytes(take(&mut rest)?));
    }
    let count = i64::from_le_bytes(take(&mut rest)?);
    if usize::try_from(count) != Ok(rest.len()) {
        return Err("the byte count does not match the data");
    }
    let dtype = DataType { code, bits, lanes };
    if !dtype.is_valid() {
        return Err("invalid dtype");
    }
    Ok(TensorNode { dtype, shape: shape.into(), data: rest.into() })
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], &'static str> {
    let (head, rest) = bytes.split_first_chunk::<N>().ok_or("too short")?;
    *bytes = rest;
    Ok(*head)
}
