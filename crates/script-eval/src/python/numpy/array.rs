//! Arrays: elements in shared storage, with shape and strides, so that slices are views.

use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::{DataType, Object, Ref};
use tvmscript_script_value::{Hashing, HostObject, ScriptValue};

use super::dtype;
use crate::Eval;
use crate::errors::HostError;
use crate::eval::{Iter, Raise};
use crate::host::Operator;
use crate::python::builtins::Table;
use crate::python::cost;
use crate::python::object::{Advance, LibraryObject, Protocol, cast};

/// An element. Integers of 64 bits without sign are stored as the bits of one with sign.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Num {
    Int(i64),
    Float(f64),
}

/// An array, or with `is_scalar` one of numpy's numbers.
#[derive(Debug, Clone)]
pub(crate) struct Array {
    pub(crate) dtype: DataType,
    pub(super) shape: Vec<usize>,
    /// In elements.
    pub(super) strides: Vec<isize>,
    pub(super) offset: usize,
    pub(super) data: Rc<RefCell<Vec<Num>>>,
    pub(super) is_scalar: bool,
}

/// Largest number of dimensions, as in numpy.
pub(super) const MAX_DIMENSIONS: usize = 64;

/// The number of elements of a shape.
pub(super) fn count_of(shape: &[usize]) -> usize {
    shape.iter().fold(1, |count, dim| count.saturating_mul(*dim))
}

/// Charges the storage of an array and the time to fill it.
pub(super) fn charge(p: &Eval<'_>, count: usize) -> Result<(), Raise> {
    p.state.program.budget.allocate((count as u64).saturating_mul(16).saturating_add(cost::OBJECT_BYTES))?;
    p.state.program.budget.step(1 + count as u64 / 8)
}

/// Strides of a contiguous array.
pub(super) fn contiguous(shape: &[usize]) -> Vec<isize> {
    let mut strides: Vec<isize> = Vec::with_capacity(shape.len());
    let mut stride = 1_isize;
    for len in shape.iter().rev() {
        strides.push(stride);
        stride = stride.saturating_mul(*len as isize);
    }
    strides.reverse();
    strides
}

impl Array {
    /// A contiguous array. The caller has charged it.
    pub(super) fn new(dtype: DataType, shape: Vec<usize>, data: Vec<Num>) -> Array {
        let strides = contiguous(&shape);
        Array { dtype, shape, strides, offset: 0, data: Rc::new(RefCell::new(data)), is_scalar: false }
    }

    pub(crate) fn scalar(dtype: DataType, value: Num) -> Array {
        Array { is_scalar: true, ..Array::new(dtype, Vec::new(), vec![value]) }
    }

    /// The array as a value.
    pub(crate) fn value(self) -> ScriptValue {
        LibraryObject::value(self)
    }

    /// A result: an array without dimensions is a number.
    pub(super) fn result(mut self) -> ScriptValue {
        self.is_scalar = self.shape.is_empty();
        self.value()
    }

    pub(crate) fn of(value: &ScriptValue) -> Option<&Array> {
        cast::<Array>(value)
    }

    pub(super) fn size(&self) -> usize {
        count_of(&self.shape)
    }

    /// The storage positions of all elements in row-major order.
    pub(super) fn positions(&self) -> Positions {
        Positions {
            shape: self.shape.clone(),
            strides: self.strides.clone(),
            index: vec![0; self.shape.len()],
            at: self.offset as isize,
            left: self.size(),
        }
    }

    /// All elements in row-major order. The caller charges them.
    pub(super) fn elements(&self) -> Vec<Num> {
        let data = self.data.borrow();
        self.positions().filter_map(|at| data.get(at).copied()).collect()
    }

    /// A contiguous copy, charged.
    pub(super) fn copied(&self, p: &Eval<'_>) -> Result<Array, Raise> {
        charge(p, self.size())?;
        Ok(Array::new(self.dtype, self.shape.clone(), self.elements()))
    }

    /// The only element.
    pub(crate) fn only(&self) -> Option<Num> {
        if self.size() != 1 {
            return None;
        }
        self.elements().first().copied()
    }

    /// The same elements with another shape; a view where the array is contiguous.
    pub(super) fn reshaped(&self, p: &Eval<'_>, shape: Vec<usize>) -> Result<Array, Raise> {
        if shape.len() > MAX_DIMENSIONS {
            raise!(
                Value,
                "maximum supported dimension for an ndarray is currently 64, found {}",
                shape.len()
            );
        }
        let base = if self.strides == contiguous(&self.shape) { self.clone() } else { self.copied(p)? };
        let strides = contiguous(&shape);
        Ok(Array { shape, strides, is_scalar: false, ..base })
    }

    /// A view with the axes in another order.
    pub(super) fn permuted(&self, axes: &[usize]) -> Array {
        let pick = |at: &usize| {
            (self.shape.get(*at).copied().unwrap_or(1), self.strides.get(*at).copied().unwrap_or(0))
        };
        let (shape, strides) = axes.iter().map(pick).unzip();
        Array { shape, strides, is_scalar: false, ..self.clone() }
    }

    /// A view that repeats dimensions of extent one to get this shape.
    pub(super) fn broadcast(&self, shape: &[usize]) -> Array {
        let missing = shape.len().saturating_sub(self.shape.len());
        let mut strides = vec![0; missing];
        for (at, dim) in self.shape.iter().enumerate() {
            let is_repeated = *dim == 1 && shape.get(missing + at) != Some(&1);
            strides.push(if is_repeated { 0 } else { self.strides.get(at).copied().unwrap_or(0) });
        }
        Array { shape: shape.to_vec(), strides, ..self.clone() }
    }

    /// Writes elements to all positions.
    pub(super) fn assign(&self, values: impl Iterator<Item = Num>) {
        let mut data = self.data.borrow_mut();
        for (at, value) in self.positions().zip(values) {
            if let Some(slot) = data.get_mut(at) {
                *slot = value;
            }
        }
    }

    /// The part at an index of the first dimension.
    pub(super) fn row(&self, index: usize) -> Array {
        let stride = self.strides.first().copied().unwrap_or(0);
        let offset = (self.offset as isize).wrapping_add(stride.wrapping_mul(index as isize));
        Array {
            shape: self.shape.iter().skip(1).copied().collect(),
            strides: self.strides.iter().skip(1).copied().collect(),
            offset: offset.max(0) as usize,
            ..self.clone()
        }
    }

    /// A part of an array as a value: a number is copied out of the storage.
    pub(super) fn part(self) -> ScriptValue {
        match self.only().filter(|_| self.shape.is_empty()) {
            Some(value) => Array::scalar(self.dtype, value).value(),
            None => self.value(),
        }
    }

    /// Nested lists of Python's numbers, charged.
    pub(super) fn to_list(&self, p: &Eval<'_>) -> Result<ScriptValue, Raise> {
        charge(p, 2 * self.size())?;
        Ok(self.list_of())
    }

    fn list_of(&self) -> ScriptValue {
        match self.shape.first() {
            None => self.only().map_or(ScriptValue::None, |value| dtype::python(value, self.dtype)),
            Some(len) => ScriptValue::list((0..*len).map(|index| self.row(index).list_of()).collect()),
        }
    }

    /// The bytes of the elements, little-endian.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for value in self.elements() {
            dtype::encode(value, self.dtype, &mut bytes);
        }
        bytes
    }
}

/// Iterator over the positions of elements.
pub(super) struct Positions {
    shape: Vec<usize>,
    strides: Vec<isize>,
    index: Vec<usize>,
    at: isize,
    left: usize,
}

impl Iterator for Positions {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let found = self.at;
        let axes = self.index.iter_mut().zip(&self.strides).zip(&self.shape);
        for ((index, stride), len) in axes.rev() {
            *index += 1;
            self.at += stride;
            if *index < *len {
                break;
            }
            self.at -= stride * *len as isize;
            *index = 0;
        }
        Some(found.max(0) as usize)
    }
}

struct Rows {
    array: Array,
    at: usize,
}

impl Advance for Rows {
    fn next(&mut self, p: &mut Eval<'_>) -> Result<Option<ScriptValue>, Raise> {
        if self.at >= self.array.shape.first().copied().unwrap_or(0) {
            return Ok(None);
        }
        p.state.program.budget.allocate(cost::OBJECT_BYTES)?;
        self.at += 1;
        Ok(Some(self.array.row(self.at - 1).part()))
    }
    fn parts(&mut self, _: &mut Vec<ScriptValue>) {}
}

impl Protocol for Array {
    fn class(&self) -> &'static str {
        if self.is_scalar { dtype::scalar_class(self.dtype) } else { "numpy.ndarray" }
    }
    fn methods(&self) -> Table {
        super::METHODS
    }
    fn len(&self) -> Option<Result<usize, Raise>> {
        if self.is_scalar {
            return None;
        }
        let unsized_array = || HostError::type_error("len() of unsized object").into();
        Some(self.shape.first().copied().ok_or_else(unsized_array))
    }
    fn truth(&self, _: &mut Eval<'_>) -> Result<bool, Raise> {
        match self.only() {
            Some(Num::Int(i)) => Ok(i != 0),
            Some(Num::Float(f)) => Ok(f != 0.0),
            None if self.size() == 0 => raise!(
                Value,
                "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty."
            ),
            None => raise!(
                Value,
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            ),
        }
    }
    fn iterate(&self, _: &mut Eval<'_>, _: &Rc<dyn HostObject>) -> Result<Option<Iter>, Raise> {
        if self.is_scalar {
            return Ok(None);
        }
        if self.shape.is_empty() {
            raise!(Type, "iteration over a 0-d array");
        }
        Ok(Some(Iter::Library(Box::new(Rows { array: self.clone(), at: 0 }))))
    }
    fn get(
        &self,
        p: &mut Eval<'_>,
        _: &ScriptValue,
        key: &ScriptValue,
    ) -> Result<Option<ScriptValue>, Raise> {
        super::index::get(p, self, key).map(Some)
    }
    fn set(
        &self,
        p: &mut Eval<'_>,
        _: &ScriptValue,
        key: &ScriptValue,
        new: ScriptValue,
    ) -> Result<bool, Raise> {
        if self.is_scalar {
            return Ok(false);
        }
        super::index::set(p, self, key, &new).map(|()| true)
    }
    fn operate(
        &self,
        p: &mut Eval<'_>,
        operator: Operator,
        operands: &[ScriptValue],
    ) -> Result<Option<ScriptValue>, Raise> {
        super::operate::operator(p, operator, operands)
    }
    fn in_place(
        &self,
        p: &mut Eval<'_>,
        operator: Operator,
        this: &ScriptValue,
        other: &ScriptValue,
    ) -> Result<bool, Raise> {
        if self.is_scalar {
            return Ok(false);
        }
        super::operate::in_place(p, operator, self, this, other)
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        Some(match name {
            "shape" => ScriptValue::tuple(self.shape.iter().map(|dim| ScriptValue::Int(*dim as i64))),
            "ndim" => ScriptValue::Int(self.shape.len() as i64),
            "size" => ScriptValue::Int(self.size() as i64),
            "dtype" => ScriptValue::DType(self.dtype),
            "itemsize" => ScriptValue::Int(i64::from(self.dtype.bits / 8)),
            "nbytes" => ScriptValue::Int((self.size() as i64).saturating_mul(i64::from(self.dtype.bits / 8))),
            "real" => self.clone().value(),
            "strides" => {
                let size = isize::from(self.dtype.bits / 8);
                ScriptValue::tuple(
                    self.strides.iter().map(|stride| ScriptValue::Int(stride.saturating_mul(size) as i64)),
                )
            }
            "T" => {
                let axes: Vec<usize> = (0..self.shape.len()).rev().collect();
                let view = self.permuted(&axes);
                Array { is_scalar: self.is_scalar, ..view }.value()
            }
            _ => return None,
        })
    }
    fn attribute_names(&self) -> Vec<String> {
        ["shape", "ndim", "size", "dtype", "itemsize", "nbytes", "real", "strides", "T"]
            .map(str::to_owned)
            .to_vec()
    }
    fn copy(&self, p: &mut Eval<'_>) -> Result<Option<ScriptValue>, Raise> {
        if self.is_scalar { Ok(None) } else { Ok(Some(self.copied(p)?.value())) }
    }
    fn write(&self, p: &mut Eval<'_>, out: &mut String, _: &mut Vec<*const ()>) -> Result<(), Raise> {
        super::text::write(p, self, out)
    }
    fn text(&self, p: &mut Eval<'_>) -> Result<Option<String>, Raise> {
        super::text::plain(p, self).map(Some)
    }
    fn number(&self) -> Option<ScriptValue> {
        let is_number = self.is_scalar || self.size() == 1 && self.shape.is_empty();
        let value = self.only().filter(|_| is_number)?;
        Some(dtype::python(value, self.dtype))
    }
    fn hashing(&self) -> Hashing {
        if !self.is_scalar {
            return Hashing::Unhashable;
        }
        // Equal numbers of numpy and Python are different keys here.
        let bits = match self.only() {
            Some(Num::Int(i)) => i as u64,
            Some(Num::Float(f)) => f.to_bits(),
            None => 0,
        };
        Hashing::Value { hash: bits, weight: 1 }
    }
    fn same_key(&self, other: &dyn Protocol) -> bool {
        let other: Option<&Array> = other.as_any().downcast_ref();
        other.is_some_and(|other| self.is_scalar && other.is_scalar && self.only() == other.only())
    }
    fn node(&self) -> Option<Object> {
        let shape: Vec<i64> = self.shape.iter().map(|dim| *dim as i64).collect();
        let tensor = TensorNode { dtype: self.dtype, shape: shape.into(), data: self.bytes().into() };
        Some(Ref::new(tensor).into())
    }
}
