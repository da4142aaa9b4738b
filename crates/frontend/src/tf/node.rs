//! The view of a node that converters have: operands, attributes, the function under construction.

use tvmscript_ir_core::{DataType, structural_equal};
use tvmscript_prim::ops::int_value;
use tvmscript_relax::{Constant, Expr};

use super::dims::Dims;
use super::importer::{Importer, Value, silent};
use super::names::text;
use super::proto::{AttrValue, NodeDef};
use super::tensor;
use crate::error::Reason;
use crate::graph::Graph;
use crate::ops::{self, IntoExpr};

/// The result of a converter.
#[derive(Debug, Clone)]
pub(super) enum Output {
    /// One value. If its type is a tuple, its fields are the results of the node.
    One(Expr),
    /// The results of the node.
    Many(Vec<Expr>),
    /// The results of the node, which need no further work.
    Values(Vec<Value>),
}

/// An output, or the reason for which the node cannot be converted.
pub(super) type Converted = Result<Output, Reason>;

crate::operators::outputs!(Output);

impl From<Value> for Output {
    fn from(value: Value) -> Output {
        Output::Values(vec![value])
    }
}

impl From<Dims> for Value {
    /// Integers of shapes; a constant if all are known.
    fn from(dims: Dims) -> Value {
        dims.as_constant().map_or(Value::Dims(dims), Value::Tensor)
    }
}

impl From<Dims> for Output {
    /// Integers of shapes; a constant if all are known.
    fn from(dims: Dims) -> Output {
        match dims.as_constant() {
            Some(constant) => Output::One(constant),
            None => Output::Values(vec![Value::Dims(dims)]),
        }
    }
}

/// An attribute of a node.
pub(super) fn attribute<'m>(node: &'m NodeDef, key: &str) -> Option<&'m AttrValue> {
    node.attr.iter().find(|entry| entry.key.as_ref() == key.as_bytes())?.value.as_ref()
}

/// A node under conversion.
pub(super) struct Node<'a, 'm> {
    pub(super) importer: &'a mut Importer<'m>,
    pub(super) proto: &'m NodeDef,
    pub(super) operands: Vec<Value>,
    /// Name of the node.
    pub(super) layer: String,
}

impl<'m> Node<'_, 'm> {
    // --- operands --------------------------------------------------------------------------------------------

    /// Number of operands.
    pub(super) fn count(&self) -> usize {
        self.operands.len()
    }

    /// The operand at a position, as it is.
    pub(super) fn value(&self, index: usize) -> Result<Value, Reason> {
        match self.operands.get(index) {
            Some(Value::Failed) => Err(silent()),
            Some(value) => Ok(value.clone()),
            None => Err(Reason(format!("operand {index} is missing"))),
        }
    }

    /// The operand at a position as a tensor.
    pub(super) fn input(&mut self, index: usize) -> Result<Expr, Reason> {
        let value = self.value(index)?;
        self.importer.tensor(&value)
    }

    /// Operands at positions as tensors.
    pub(super) fn inputs(&mut self, indices: std::ops::Range<usize>) -> Result<Vec<Expr>, Reason> {
        indices.map(|index| self.input(index)).collect()
    }

    /// The constant at a position, if the operand is one.
    pub(super) fn constant(&self, index: usize) -> Option<Expr> {
        match self.operands.get(index)? {
            Value::Tensor(value) => value.is::<Constant>().then(|| value.clone()),
            Value::Dims(dims) => dims.as_constant(),
            Value::Resource(_) | Value::List(_) | Value::Failed => None,
        }
    }

    /// Integers at a position that are known or symbolic, if the operand is a constant or comes from shapes.
    pub(super) fn known_dims(&self, index: usize) -> Option<Dims> {
        self.importer.known_dims(self.operands.get(index)?)
    }

    /// Like [`Self::known_dims`], but an error for other operands.
    pub(super) fn dims(&self, index: usize, what: &str) -> Result<Dims, Reason> {
        self.known_dims(index).ok_or_else(|| Reason(format!("{what} must be constant, or come from shapes")))
    }

    /// Returns `true` if an operand comes from shapes and is symbolic.
    pub(super) fn is_symbolic(&self, index: usize) -> bool {
        matches!(self.operands.get(index), Some(Value::Dims(_)))
    }

    /// The integers of a constant operand.
    pub(super) fn ints(&self, index: usize, what: &str) -> Result<Vec<i64>, Reason> {
        let value = self.constant(index).and_then(|value| ops::integers(&value));
        value.ok_or_else(|| Reason(format!("{what} must be constant")))
    }

    /// The only integer of a constant operand.
    pub(super) fn int(&self, index: usize, what: &str) -> Result<i64, Reason> {
        match self.ints(index, what)?.as_slice() {
            [value] => Ok(*value),
            _ => Err(Reason(format!("{what} must be one number"))),
        }
    }

    /// The only number of a constant operand.
    pub(super) fn number(&self, index: usize, what: &str) -> Result<f64, Reason> {
        let value = self.constant(index).and_then(|value| ops::numbers(&value));
        match value.as_deref() {
            Some([number]) => Ok(*number),
            _ => Err(Reason(format!("{what} must be a constant of one number"))),
        }
    }

    /// The first two operands as tensors that can be broadcast; see [`Self::agree`].
    pub(super) fn pair(&mut self) -> Result<[Expr; 2], Reason> {
        let [a, b] = [self.input(0)?, self.input(1)?];
        let b = self.broadcast_with(&a, b)?;
        let a = self.broadcast_with(&b, a)?;
        Ok([a, b])
    }

    /// Another tensor as one that is broadcast together with the first; see [`Self::agree`].
    pub(super) fn broadcast_with(&mut self, first: &Expr, other: Expr) -> Result<Expr, Reason> {
        let (Some(of_first), Some(of_other)) = (ops::rank_of(first), ops::rank_of(&other)) else {
            return Ok(other);
        };
        self.agree(first, other, |axis| (axis + of_first).checked_sub(of_other))
    }

    /// [`Self::agree`] at the first axes of both.
    pub(super) fn agree_first(&mut self, first: &Expr, other: Expr, count: usize) -> Result<Expr, Reason> {
        self.agree(first, other, |axis| (axis < count).then_some(axis))
    }

    /// Another tensor whose unknown dimensions are taken to be those of the first, unless these are 1, at the axes that
    /// `axis_of_first` gives.
    ///
    /// The dimensions of two inputs have names of their own, though an operator needs the same length. TVM does not compile
    /// an operator whose shape depends on the question if a dimension is 1.
    pub(super) fn agree(
        &mut self,
        first: &Expr,
        other: Expr,
        axis_of_first: impl Fn(usize) -> Option<usize>,
    ) -> Result<Expr, Reason> {
        let (Some(of_first), Some(mut dims)) = (ops::dims_of(first), ops::dims_of(&other)) else {
            return Ok(other);
        };
        let mut has_changed = false;
        for (axis, dim) in dims.iter_mut().enumerate() {
            let expected = axis_of_first(axis).and_then(|axis| of_first.get(axis));
            let Some(expected) = expected.filter(|expected| int_value(expected) != Some(1)) else { continue };
            if int_value(dim).is_none() && !structural_equal(dim.object(), expected.object()) {
                *dim = expected.clone();
                has_changed = true;
            }
        }
        if !has_changed {
            return Ok(other);
        }
        let info = ops::tensor_of(dims, ops::dtype_of(&other));
        Ok(self.graph().match_cast(other, info)?)
    }

    // --- attributes ------------------------------------------------------------------------------------------

    fn attribute(&self, name: &str) -> Option<&'m AttrValue> {
        attribute(self.proto, name)
    }

    /// An integer.
    pub(super) fn int_attr(&self, name: &str) -> Option<i64> {
        self.attribute(name)?.i
    }

    /// A list of integers; `None` if it is empty.
    pub(super) fn ints_attr(&self, name: &str) -> Option<Vec<i64>> {
        let list = self.attribute(name)?.list.as_ref()?;
        (!list.i.is_empty()).then(|| list.i.clone())
    }

    /// A flag.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.flag_or(name, false)
    }

    /// A flag with this default.
    pub(super) fn flag_or(&self, name: &str, default: bool) -> bool {
        self.attribute(name).and_then(|value| value.b).unwrap_or(default)
    }

    /// A number.
    pub(super) fn float_attr(&self, name: &str) -> Option<f64> {
        self.attribute(name)?.f.map(f64::from)
    }

    /// A text.
    pub(super) fn text_attr(&self, name: &str) -> Option<String> {
        Some(text(self.attribute(name)?.s.as_ref()?).into_owned())
    }

    /// An element type.
    pub(super) fn dtype_attr(&self, name: &str) -> Result<Option<DataType>, Reason> {
        let Some(number) = self.attribute(name).and_then(|value| value.r#type) else { return Ok(None) };
        let dtype = tensor::element_type(number);
        dtype.map(Some).ok_or_else(|| Reason(format!("`{name}`: the element type {number} is not supported")))
    }

    /// The element type of integers that a node makes; `int32` by default.
    pub(super) fn out_type(&self) -> Result<DataType, Reason> {
        Ok(self.dtype_attr("out_type")?.unwrap_or(DataType::INT32))
    }

    /// A tensor.
    pub(super) fn tensor_attr(&self, name: &str) -> Option<&'m super::proto::TensorProto> {
        self.attribute(name)?.tensor.as_ref()
    }

    /// The name of a function.
    pub(super) fn function_attr(&self, name: &str) -> Result<&'m [u8], Reason> {
        let function = self.attribute(name).and_then(|value| value.func.as_ref());
        let function = function.ok_or_else(|| Reason(format!("the attribute `{name}` is missing")))?;
        Ok(function.name.as_ref())
    }

    // --- the function ----------------------------------------------------------------------------------------

    /// The function under construction.
    pub(super) fn graph(&mut self) -> &mut Graph {
        &mut self.importer.graph
    }

    /// Binds the operands of a value and infers its type.
    pub(super) fn normalize(&mut self, value: impl IntoExpr) -> Result<Expr, Reason> {
        Ok(self.graph().normalize(value)?)
    }

    /// A value that is not the result yet: in normal form, computed if its operands are constants.
    pub(super) fn step(&mut self, value: impl IntoExpr) -> Result<Expr, Reason> {
        let layer = self.layer.clone();
        self.importer.folded(&layer, value.into_expr())
    }
}
