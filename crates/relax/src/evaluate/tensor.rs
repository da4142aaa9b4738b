//! Tensors in memory.

use tvmscript_ir_core::arithmetic::{float_from_bits, float_to_bits, is_float, round, wrap};
use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::{DataType, Ref, TypeCode};

/// The elements of a tensor, row-major.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// Integers of any type, and 0 and 1 for bools.
    Int(Vec<i128>),
    /// Floating-point numbers of any type.
    Float(Vec<f64>),
}

/// A tensor with its elements.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// The element type.
    pub dtype: DataType,
    /// Number of elements along each axis.
    pub shape: Vec<usize>,
    /// The elements.
    pub data: Data,
}

/// Returns `true` for the element types of numbers with 8, 16, 32 or 64 bits.
pub fn is_supported(dtype: DataType) -> bool {
    dtype.is_scalar()
        && matches!(
            (dtype.code, dtype.bits),
            (TypeCode::Bool, 8)
                | (TypeCode::Int | TypeCode::UInt, 8 | 16 | 32 | 64)
                | (TypeCode::Float, 16 | 32 | 64)
                | (TypeCode::BFloat, 16)
        )
}

/// Rounds a number to the precision of a supported type.
pub(crate) fn rounded(dtype: DataType, value: f64) -> f64 {
    round(dtype, value).unwrap_or(value)
}

/// Elements of less than a byte, one after the other from the lowest bit on.
fn packed(words: &[u64], bits: usize) -> Vec<u8> {
    let mut bytes = vec![0; (words.len() * bits).div_ceil(8)];
    for (at, word) in words.iter().enumerate() {
        for bit in (0..bits).filter(|bit| word >> bit & 1 == 1) {
            let place = at * bits + bit;
            if let Some(byte) = bytes.get_mut(place / 8) {
                *byte |= 1 << (place % 8);
            }
        }
    }
    bytes
}

impl Tensor {
    /// Makes a tensor of integers; wraps them.
    pub fn of_ints(dtype: DataType, shape: Vec<usize>, data: impl IntoIterator<Item = i128>) -> Tensor {
        let data = Data::Int(data.into_iter().map(|value| wrap(dtype, value)).collect());
        Tensor { dtype, shape, data }
    }

    /// Makes a tensor of floating-point numbers; rounds them.
    pub fn of_floats(dtype: DataType, shape: Vec<usize>, data: impl IntoIterator<Item = f64>) -> Tensor {
        let data = Data::Float(data.into_iter().map(|value| rounded(dtype, value)).collect());
        Tensor { dtype, shape, data }
    }

    /// Decodes the elements of a tensor; `None` if they are left out or of another type.
    pub fn decode(node: &TensorNode) -> Option<Tensor> {
        let dtype = node.dtype;
        if !is_supported(dtype) {
            return None;
        }
        let bytes = node.bytes()?;
        let width = usize::from(dtype.bits / 8);
        let bits = bytes
            .chunks_exact(width)
            .map(|bytes| bytes.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte)));
        let data = match is_float(dtype) {
            true => Data::Float(bits.map(|bits| float_from_bits(dtype, bits)).collect::<Option<_>>()?),
            false => Data::Int(bits.map(|bits| wrap(dtype, bits.into())).collect()),
        };
        let shape = node.shape.iter().map(|dim| usize::try_from(*dim)).collect::<Result<_, _>>().ok()?;
        Some(Tensor { dtype, shape, data })
    }

    /// Encodes the elements.
    pub fn encode(&self) -> Ref<TensorNode> {
        let dtype = self.dtype;
        let words: Vec<u64> = match &self.data {
            Data::Int(values) => values.iter().map(|value| *value as u64).collect(),
            Data::Float(values) => {
                values.iter().map(|value| float_to_bits(dtype, *value).unwrap_or(0)).collect()
            }
        };
        let width = usize::from(dtype.bits / 8);
        let bytes: Vec<u8> = match dtype.bits {
            bits @ 1..8 => packed(&words, bits.into()),
            _ => words.iter().flat_map(|word| word.to_le_bytes().into_iter().take(width)).collect(),
        };
        let shape: Vec<i64> = self.shape.iter().map(|dim| *dim as i64).collect();
        Ref::new(TensorNode { dtype, shape: shape.into(), data: bytes.into() })
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        match &self.data {
            Data::Int(values) => values.len(),
            Data::Float(values) => values.len(),
        }
    }

    /// Returns `true` for a tensor without elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes a tensor from the elements at positions in this one; `None` if one does not exist.
    pub fn gather(&self, shape: &[usize], positions: impl Iterator<Item = usize>) -> Option<Tensor> {
        let data = match &self.data {
            Data::Int(values) => {
                Data::Int(positions.map(|at| values.get(at).copied()).collect::<Option<_>>()?)
            }
            Data::Float(values) => {
                Data::Float(positions.map(|at| values.get(at).copied()).collect::<Option<_>>()?)
            }
        };
        Some(Tensor { dtype: self.dtype, shape: shape.to_vec(), data })
    }

    /// The tensor with one of its axes, or flattened with its only axis if `axis` is absent.
    pub fn along(self, axis: Option<i64>) -> Option<(Tensor, usize)> {
        match axis {
            Some(axis) => {
                let axis = super::axis_of(axis, self.shape.len())?;
                Some((self, axis))
            }
            None => {
                let len = self.len();
                Some((self.reshaped(&[len])?, 0))
            }
        }
    }

    /// The same elements in another shape.
    pub fn reshaped(self, shape: &[usize]) -> Option<Tensor> {
        (self.len() == count(shape)).then(|| Tensor { shape: shape.to_vec(), ..self })
    }

    /// Repeats the tensor along axes of length 1 and new leading axes.
    pub fn broadcast(&self, shape: &[usize]) -> Option<Tensor> {
        if self.shape == shape {
            return Some(self.clone());
        }
        let missing = shape.len().checked_sub(self.shape.len())?;
        let own = strides(&self.shape);
        let steps: Vec<usize> = (0..shape.len())
            .map(|axis| match axis.checked_sub(missing) {
                Some(at) if self.shape.get(at) != Some(&1) => own.get(at).copied().unwrap_or(0),
                _ => 0,
            })
            .collect();
        self.gather(shape, Indices::new(shape).map(|index| dot(&index, &steps)))
    }

    /// Elements as floating-point numbers.
    pub fn floats(&self) -> Option<&[f64]> {
        match &self.data {
            Data::Float(values) => Some(values),
            Data::Int(_) => None,
        }
    }

    /// Elements as integers.
    pub fn ints(&self) -> Option<&[i128]> {
        match &self.data {
            Data::Int(values) => Some(values),
            Data::Float(_) => None,
        }
    }
}

/// Number of elements of a shape.
pub(crate) fn count(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// Distance of consecutive elements along each axis.
pub(crate) fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    let mut step = 1usize;
    for (stride, dim) in strides.iter_mut().zip(shape).rev() {
        *stride = step;
        step = step.saturating_mul(*dim);
    }
    strides
}

pub(crate) fn dot(index: &[usize], steps: &[usize]) -> usize {
    index.iter().zip(steps).map(|(index, step)| index * step).sum()
}

/// The indices of all elements of a shape, in row-major order.
pub(crate) struct Indices {
    shape: Vec<usize>,
    next: Option<Vec<usize>>,
}

impl Indices {
    pub fn new(shape: &[usize]) -> Indices {
        let next = (!shape.contains(&0)).then(|| vec![0; shape.len()]);
        Indices { shape: shape.to_vec(), next }
    }
}

impl Iterator for Indices {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let current = self.next.take()?;
        let mut following = current.clone();
        for (index, dim) in following.iter_mut().zip(&self.shape).rev() {
            *index += 1;
            if *index < *dim {
                self.next = Some(following);
                break;
            }
            *index = 0;
        }
        Some(current)
    }
}
