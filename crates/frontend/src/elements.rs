//! Tensors from the bytes of a model.

use bytes::Bytes;
use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::tensor::byte_count;
use tvmscript_ir_core::{DataType, Ref, TensorData};

use crate::error::ImportError;

/// Tensors of at least this size stay in the buffer of the model.
const SHARED_BYTES: usize = 1 << 12;

/// The elements of a tensor.
#[derive(Debug, Clone)]
pub enum Elements {
    /// A part of the buffer of a model.
    Shared(Bytes),
    /// Bytes of their own.
    Own(Vec<u8>),
}

impl Elements {
    fn len(&self) -> usize {
        match self {
            Elements::Shared(bytes) => bytes.len(),
            Elements::Own(bytes) => bytes.len(),
        }
    }
}

impl From<Bytes> for Elements {
    fn from(bytes: Bytes) -> Elements {
        Elements::Shared(bytes)
    }
}

impl From<Vec<u8>> for Elements {
    fn from(bytes: Vec<u8>) -> Elements {
        Elements::Own(bytes)
    }
}

impl From<&[u8]> for Elements {
    fn from(bytes: &[u8]) -> Elements {
        Elements::Own(bytes.to_vec())
    }
}

/// Makes a tensor from row-major little-endian elements. Nothing is allocated unless the number of bytes is right.
///
/// # Errors
/// Fails for negative dimensions, and if the bytes are not as many as shape and type need.
pub fn tensor(
    name: &str,
    dtype: DataType,
    dims: &[i64],
    bytes: impl Into<Elements>,
) -> Result<Ref<TensorNode>, ImportError> {
    let bytes = bytes.into();
    let failed = |reason| Err(ImportError::Tensor { name: name.to_owned(), reason });
    if let Some(dim) = dims.iter().find(|dim| **dim < 0) {
        return failed(format!("has a dimension of {dim}"));
    }
    match byte_count(dims, dtype) {
        Some(needed) if needed == bytes.len() => {
            let data = match bytes {
                // A copy of a small part would keep nothing else of the file alive.
                Elements::Shared(bytes) if bytes.len() >= SHARED_BYTES => TensorData::shared(bytes),
                Elements::Shared(bytes) => bytes.as_ref().into(),
                Elements::Own(bytes) => bytes.into(),
            };
            Ok(Ref::new(TensorNode { dtype, shape: dims.into(), data }))
        }
        needed => {
            let needed =
                needed.map_or_else(|| "more than can be counted".to_owned(), |count| count.to_string());
            let shape = dims.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
            let found = bytes.len();
            failed(format!(
                "of `{dtype}` and shape ({shape}) needs {needed} bytes of elements, found {found}"
            ))
        }
    }
}

/// The bytes of numbers, little-endian.
pub fn little_endian<const N: usize, T: Copy>(values: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|value| bytes(*value)).collect()
}
