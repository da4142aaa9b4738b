//! Tensors from the bytes of a model.

use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::tensor::byte_count;
use tvmscript_ir_core::{DataType, Ref};

use crate::error::ImportError;

/// Makes a tensor from row-major little-endian elements. Nothing is allocated unless the number of bytes is right.
///
/// # Errors
/// Fails for negative dimensions, and if the bytes are not as many as shape and type need.
pub fn tensor(
    name: &str,
    dtype: DataType,
    dims: &[i64],
    bytes: &[u8],
) -> Result<Ref<TensorNode>, ImportError> {
    let failed = |reason| Err(ImportError::Tensor { name: name.to_owned(), reason });
    if let Some(dim) = dims.iter().find(|dim| **dim < 0) {
        return failed(format!("has a dimension of {dim}"));
    }
    match byte_count(dims, dtype) {
        Some(needed) if needed == bytes.len() => {
            Ok(Ref::new(TensorNode { dtype, shape: dims.into(), data: bytes.into() }))
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
