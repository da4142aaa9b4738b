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
    check_size(name, dtype, dims, bytes)?;
    Ok(Ref::new(TensorNode { dtype, shape: dims.into(), data: bytes.into() }))
}

/// Checks that there are as many bytes as shape and type need.
fn check_size(name: &str, dtype: DataType, dims: &[i64], bytes: &[u8]) -> Result<(), ImportError> {
    let failed = |reason| Err(ImportError::Tensor { name: name.to_owned(), reason });
    if let Some(dim) = dims.iter().find(|dim| **dim < 0) {
        return failed(format!("has a dimension of {dim}"));
    }
    match byte_count(dims, dtype) {
        Some(needed) if needed == bytes.len() => Ok(()),
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

/// Makes a tensor from row-major little-endian elements, with its axes in another order.
///
/// # Errors
/// Fails as [`tensor`] does, and for axes that are not a permutation.
pub fn permuted(
    name: &str,
    dtype: DataType,
    dims: &[i64],
    bytes: &[u8],
    axes: &[usize],
) -> Result<Ref<TensorNode>, ImportError> {
    check_size(name, dtype, dims, bytes)?;
    let failed = || {
        let reason = format!("of {} axes cannot have them in the order {axes:?}", dims.len());
        ImportError::Tensor { name: name.to_owned(), reason }
    };
    let mut strides = vec![1usize; dims.len()];
    let mut step = 1usize;
    for (stride, dim) in strides.iter_mut().zip(dims).rev() {
        *stride = step;
        step = step.saturating_mul(usize::try_from(*dim).map_err(|_| failed())?);
    }
    let mut sorted = axes.to_vec();
    sorted.sort_unstable();
    let lengths: Option<Vec<i64>> = axes.iter().map(|axis| dims.get(*axis).copied()).collect();
    let steps: Option<Vec<usize>> = axes.iter().map(|axis| strides.get(*axis).copied()).collect();
    let (Some(lengths), Some(steps)) = (lengths, steps) else { return Err(failed()) };
    if !sorted.into_iter().eq(0..dims.len()) {
        return Err(failed());
    }
    let width = usize::from(dtype.bits / 8).max(1);
    let mut moved = Vec::with_capacity(bytes.len());
    let mut index = vec![0i64; lengths.len()];
    let mut place = 0usize;
    for _ in 0..bytes.len() / width {
        let element = bytes.get(place * width..(place + 1) * width).ok_or_else(failed)?;
        moved.extend_from_slice(element);
        // The next index: the last axis that is not at its end moves on, those after it start again.
        for ((index, length), step) in index.iter_mut().zip(&lengths).zip(&steps).rev() {
            *index += 1;
            place += step;
            if *index < *length {
                break;
            }
            place = place.saturating_sub(step.saturating_mul(usize::try_from(*index).unwrap_or(0)));
            *index = 0;
        }
    }
    let shape = lengths.as_slice().into();
    Ok(Ref::new(TensorNode { dtype, shape, data: moved.as_slice().into() }))
}

/// The bytes of numbers, little-endian.
pub fn little_endian<const N: usize, T: Copy>(values: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|value| bytes(*value)).collect()
}
