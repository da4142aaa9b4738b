//! Tensors: the values of buffer parameters.

use tvmscript_ir_core::DataType;

use crate::Scalar;
use crate::error::{Result, RunError, RunErrorKind, unsupported_type};
use crate::memory::{from_bits, to_bits};
use crate::scalar::{is_float, storage_bytes};

/// A compact, row-major array. Elements of a vector type are stored lane by lane.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    dtype: DataType,
    shape: Vec<i64>,
    bytes: Vec<u8>,
}

impl Tensor {
    /// Creates a tensor of zeros.
    ///
    /// # Errors
    /// Fails if elements of the type cannot be stored, or if the shape is negative or too large.
    pub fn zeros(dtype: DataType, shape: &[i64]) -> std::result::Result<Tensor, RunError> {
        let bytes = vec![0; byte_count(dtype, shape, usize::MAX)?];
        Ok(Tensor { dtype, shape: shape.to_vec(), bytes })
    }

    /// Creates a tensor from its little-endian bytes.
    ///
    /// # Errors
    /// Fails as [`Tensor::zeros`] does, and if the number of bytes is wrong.
    pub fn from_bytes(
        dtype: DataType,
        shape: &[i64],
        bytes: Vec<u8>,
    ) -> std::result::Result<Tensor, RunError> {
        match byte_count(dtype, shape, usize::MAX)? == bytes.len() {
            true => Ok(Tensor { dtype, shape: shape.to_vec(), bytes }),
            false => Err(RunErrorKind::Shape { shape: shape.to_vec() }.into()),
        }
    }

    /// Returns the type of the elements.
    pub fn dtype(&self) -> DataType {
        self.dtype
    }

    /// Returns the shape.
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// Returns the little-endian bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the number of scalars, lanes counted one by one.
    pub fn len(&self) -> usize {
        storage_bytes(self.dtype.element()).map_or(0, |size| self.bytes.len() / size)
    }

    /// Returns `true` if the tensor has no elements.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the scalar at a position, lanes counted one by one.
    pub fn get(&self, index: usize) -> Option<Scalar> {
        let size = storage_bytes(self.dtype.element())?;
        let bytes = self.bytes.get(index.checked_mul(size)?..)?.get(..size)?;
        let mut word = [0; 8];
        word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        let dtype = self.dtype.element();
        Some(Scalar::of_bits(is_float(dtype), from_bits(dtype, u64::from_le_bytes(word))))
    }

    /// Sets the scalar at a position. Returns `false` if there is none or the value is of another kind.
    pub fn set(&mut self, index: usize, value: Scalar) -> bool {
        let dtype = self.dtype.element();
        let mut set = || -> Option<()> {
            let size = storage_bytes(self.dtype.element())?;
            let bytes = self.bytes.get_mut(index.checked_mul(size)?..)?.get_mut(..size)?;
            if is_float(dtype) != value.as_float().is_some() {
                return None;
            }
            let new = to_bits(dtype, value.bits()).to_le_bytes();
            bytes.iter_mut().zip(new).for_each(|(to, from)| *to = from);
            Some(())
        };
        set().is_some()
    }

    pub(crate) fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    pub(crate) fn put_bytes(&mut self, bytes: Vec<u8>) {
        self.bytes = bytes;
    }
}

/// Returns the size of an array.
pub(crate) fn byte_count(dtype: DataType, shape: &[i64], limit: usize) -> Result<usize> {
    let Some(size) = storage_bytes(dtype.element()) else { return unsupported_type(dtype) };
    let lanes = usize::try_from(dtype.lanes).ok().filter(|lanes| *lanes > 0);
    let Some(lanes) = lanes else { return unsupported_type(dtype) };
    let extents = shape.iter().map(|extent| usize::try_from(*extent).ok());
    let bytes = extents.fold(size.checked_mul(lanes), |all, extent| all?.checked_mul(extent?));
    match bytes.filter(|bytes| *bytes <= isize::MAX as usize) {
        None => Err(RunErrorKind::Shape { shape: shape.to_vec() }.into()),
        Some(bytes) if bytes > limit => Err(RunErrorKind::Memory { limit }.into()),
        Some(bytes) => Ok(bytes),
    }
}
