//! Tensors from the bytes of a model.

use std::sync::Arc;

use bytes::Bytes;
use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::tensor::{ElementSource, byte_count};
use tvmscript_ir_core::{DataType, Ref, TensorData, TypeCode};

use crate::error::ImportError;

/// Tensors of at least this size stay in the buffer of the model.
const SHARED_BYTES: usize = 1 << 12;

/// The elements of a tensor.
#[derive(Clone)]
pub enum Elements {
    /// A part of the buffer of a model.
    Shared(Bytes),
    /// Bytes of their own.
    Own(Vec<u8>),
    /// Bytes that are read when they are needed.
    Source(Arc<dyn ElementSource>),
}

impl Elements {
    /// Elements that are 0 or 1: all else than 0 counts as true. What is read later stays as it is.
    fn into_bools(self) -> Elements {
        let bytes: &[u8] = match &self {
            Elements::Shared(bytes) => bytes,
            Elements::Own(bytes) => bytes,
            Elements::Source(_) => &[],
        };
        match bytes.iter().any(|byte| *byte > 1) {
            true => Elements::Own(bytes.iter().map(|byte| u8::from(*byte != 0)).collect()),
            false => self,
        }
    }

    fn len(&self) -> usize {
        match self {
            Elements::Shared(bytes) => bytes.len(),
            Elements::Own(bytes) => bytes.len(),
            Elements::Source(source) => source.byte_count(),
        }
    }
}

impl From<Bytes> for Elements {
    fn from(bytes: Bytes) -> Elements {
        Elements::Shared(bytes)
    }
}

impl<S: ElementSource + 'static> From<Arc<S>> for Elements {
    fn from(source: Arc<S>) -> Elements {
        Elements::Source(source)
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
    let mut bytes = bytes.into();
    if dtype.code == TypeCode::Bool {
        bytes = bytes.into_bools();
    }
    check_size(name, dtype, dims, bytes.len())?;
    let data = match bytes {
        // A copy of a small part keeps nothing else of the file alive.
        Elements::Shared(bytes) if bytes.len() >= SHARED_BYTES => TensorData::shared(bytes),
        Elements::Shared(bytes) => bytes.as_ref().into(),
        Elements::Own(bytes) => bytes.into(),
        Elements::Source(source) => TensorData::from_source(source),
    };
    Ok(Ref::new(TensorNode { dtype, shape: dims.into(), data }))
}

/// Checks that there are as many bytes as shape and type need.
fn check_size(name: &str, dtype: DataType, dims: &[i64], found: usize) -> Result<(), ImportError> {
    let failed = |reason| Err(ImportError::Tensor { name: name.to_owned(), reason });
    if let Some(dim) = dims.iter().find(|dim| **dim < 0) {
        return failed(format!("has a dimension of {dim}"));
    }
    match byte_count(dims, dtype) {
        Some(needed) if needed == found => Ok(()),
        needed => {
            let needed =
                needed.map_or_else(|| "more than can be counted".to_owned(), |count| count.to_string());
            let shape = dims.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
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
    check_size(name, dtype, dims, bytes.len())?;
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
