//! Decoding of tensor elements.

use half::f16;

use crate::containers::TensorNode;
use crate::dtype::{DataType, TypeCode};
use crate::vectors::padded;

/// An element of a tensor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Element {
    /// `bool`.
    Bool(bool),
    /// An integer that fits into `i64`.
    Int(i64),
    /// An integer above `i64::MAX`.
    UInt(u64),
    /// A floating-point number.
    Float(f64),
}

impl TensorNode {
    /// Decodes the elements in row-major order. Returns `None` if they are left out, or are not numbers of 8, 16, 32 or
    /// 64 bits.
    pub fn elements(&self) -> Option<impl ExactSizeIterator<Item = Element> + '_> {
        self.elements_as(self.dtype)
    }

    /// Decodes the bytes as elements of another type; see [`TensorNode::elements`].
    pub fn elements_as(&self, dtype: DataType) -> Option<impl ExactSizeIterator<Item = Element> + '_> {
        let decode = decoder(dtype)?;
        let width = usize::from(dtype.bits / 8);
        Some(self.bytes()?.chunks_exact(width).map(move |bytes| decode(u64::from_le_bytes(padded(bytes)))))
    }
}

/// Returns the decoder of an element, whose bits are the low ones of the argument.
fn decoder(dtype: DataType) -> Option<fn(u64) -> Element> {
    if !dtype.is_scalar() {
        return None;
    }
    Some(match (dtype.code, dtype.bits) {
        (TypeCode::Bool, 8) => |bits| Element::Bool(bits != 0),
        (TypeCode::Int, 8) => |bits| Element::Int((bits as i8).into()),
        (TypeCode::Int, 16) => |bits| Element::Int((bits as i16).into()),
        (TypeCode::Int, 32) => |bits| Element::Int((bits as i32).into()),
        (TypeCode::Int, 64) => |bits| Element::Int(bits as i64),
        (TypeCode::UInt, 8 | 16 | 32 | 64) => |bits| match i64::try_from(bits) {
            Ok(value) => Element::Int(value),
            Err(_) => Element::UInt(bits),
        },
        (TypeCode::Float, 16) => |bits| Element::Float(f16::from_bits(bits as u16).to_f64()),
        (TypeCode::Float, 32) => |bits| Element::Float(f32::from_bits(bits as u32).into()),
        (TypeCode::Float, 64) => |bits| Element::Float(f64::from_bits(bits)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(dtype: DataType, data: &[u8]) -> Option<Vec<Element>> {
        let tensor = TensorNode { dtype, shape: Box::new([1]), data: data.into() };
        tensor.elements().map(Iterator::collect)
    }

    #[test]
    fn every_width_is_read() {
        assert_eq!(elements(DataType::int(8), &[0xff, 2]), Some(vec![Element::Int(-1), Element::Int(2)]));
        assert_eq!(elements(DataType::int(16), &[0xfe, 0xff]), Some(vec![Element::Int(-2)]));
        assert_eq!(elements(DataType::uint(64), &[0xff; 8]), Some(vec![Element::UInt(u64::MAX)]));
        assert_eq!(elements(DataType::FLOAT32, &1.5f32.to_le_bytes()), Some(vec![Element::Float(1.5)]));
        assert_eq!(elements(DataType::float(16), &[0x00, 0xc0]), Some(vec![Element::Float(-2.0)]));
        assert_eq!(elements(DataType::float(16), &[0x55, 0x35]), Some(vec![Element::Float(1365.0 / 4096.0)]));
        assert_eq!(
            elements(DataType::float(16), &[0x03, 0x80]),
            Some(vec![Element::Float(-3.0 / 16_777_216.0)])
        );
        assert_eq!(
            elements(DataType::float(16), &[0x00, 0xfc]),
            Some(vec![Element::Float(f64::NEG_INFINITY)])
        );
        assert_eq!(elements(DataType::BOOL, &[1, 0]), Some(vec![Element::Bool(true), Element::Bool(false)]));
        assert_eq!(elements(DataType::HANDLE, &[0; 8]), None);
    }
}
