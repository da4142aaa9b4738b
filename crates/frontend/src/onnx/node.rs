//! The view of a node that converters have: operands, attributes, the function under construction.

use tvmscript_ir_core::{DataType, Ref, Str};
use tvmscript_relax::{Call, Constant, Expr, StructInfo};

use super::importer::Importer;
use super::name::text;
use super::operators::as_tensor;
use super::proto::{AttributeProto, GraphProto, NodeProto, TensorProto};
use super::tensor;
use crate::error::{ImportWarning, Reason};
use crate::graph::Graph;
use crate::ops::{self, IntoExpr};

/// The result of a converter.
#[derive(Debug, Clone)]
pub(super) enum Output {
    /// One value. If its type is a tuple, its fields are the results of the node.
    One(Expr),
    /// The results of the node.
    Many(Vec<Expr>),
    /// One value; if its type is a tuple, the tuple as a whole, a sequence.
    Whole(Expr),
    /// An optional value that is absent.
    Empty,
}

/// An output, or the reason for which the node cannot be converted.
pub(super) type Converted = Result<Output, Reason>;

crate::operators::outputs!(Output);

/// A node under conversion.
pub(super) struct Node<'a, 'm> {
    pub(super) importer: &'a mut Importer<'m>,
    pub(super) proto: &'m NodeProto,
    /// Version of the operator set.
    pub(super) opset: i64,
    pub(super) inputs: Vec<Option<Expr>>,
}

impl<'m> Node<'_, 'm> {
    // --- operands --------------------------------------------------------------------------------------------

    /// The operand at a position.
    pub(super) fn input(&self, index: usize) -> Result<Expr, Reason> {
        self.optional(index).ok_or_else(|| Reason(format!("operand {index} is missing")))
    }

    /// The operand at a position, unless it is left out.
    pub(super) fn optional(&self, index: usize) -> Option<Expr> {
        self.inputs.get(index)?.clone()
    }

    /// All operands that are not left out.
    pub(super) fn all(&self) -> Vec<Expr> {
        self.inputs.iter().flatten().cloned().collect()
    }

    /// The operand at a position as a tensor: a shape or a scalar of numbers becomes a constant, another one is computed at
    /// run time.
    pub(super) fn tensor(&self, index: usize) -> Result<Expr, Reason> {
        as_tensor(self.input(index)?)
    }

    /// The constant or shape at a position, if it is one; with parameters kept, also the constant of a parameter.
    pub(super) fn constant(&mut self, index: usize) -> Option<Expr> {
        let value = self.optional(index)?;
        let name = text(self.proto.input.get(index)?);
        self.importer.constant_of(&name, &value)
    }

    /// The constant at a position, or the operand itself if it is none.
    pub(super) fn constant_or_value(&mut self, index: usize) -> Option<Expr> {
        self.constant(index).or_else(|| self.optional(index))
    }

    /// Like [`Self::constant`], but later nodes still use the parameter.
    pub(super) fn peek_constant(&self, index: usize) -> Option<Expr> {
        self.importer.peek_constant(&self.optional(index)?)
    }

    /// The integers of a constant operand; `None` if it is left out.
    pub(super) fn constant_ints(&mut self, index: usize, what: &str) -> Result<Option<Vec<i64>>, Reason> {
        if self.optional(index).is_none() {
            return Ok(None);
        }
        let value = self.constant(index).and_then(|value| ops::integers(&value));
        value.map(Some).ok_or_else(|| Reason(format!("{what} must be constant")))
    }

    /// The numbers of a constant operand; `None` if it is left out.
    pub(super) fn constant_numbers(&mut self, index: usize, what: &str) -> Result<Option<Vec<f64>>, Reason> {
        if self.optional(index).is_none() {
            return Ok(None);
        }
        let of_ints = |ints: Vec<i64>| ints.into_iter().map(|int| int as f64).collect();
        let value = self.constant(index);
        let value =
            value.and_then(|value| ops::numbers(&value).or_else(|| ops::integers(&value).map(of_ints)));
        value.map(Some).ok_or_else(|| Reason(format!("{what} must be constant")))
    }

    /// The only number of a constant operand; `None` if it is left out.
    pub(super) fn constant_number(&mut self, index: usize, what: &str) -> Result<Option<f64>, Reason> {
        let value = self.constant_numbers(index, what)?;
        if value.is_none() {
            return Ok(None);
        }
        match value.as_deref() {
            Some([number]) => Ok(Some(*number)),
            _ => Err(Reason(format!("{what} must be a constant of one number"))),
        }
    }

    /// Returns `true` if an operand is a constant.
    pub(super) fn is_constant(&self, index: usize) -> bool {
        self.optional(index).is_some_and(|value| value.is::<Constant>())
    }

    /// Returns `true` if the model has a name for this result.
    pub(super) fn has_output(&self, index: usize) -> bool {
        self.proto.output.get(index).is_some_and(|name| !name.is_empty())
    }

    /// Number of results that the model uses, also trailing ones without a name.
    pub(super) fn output_count(&self) -> usize {
        self.proto.output.len()
    }

    // --- attributes ------------------------------------------------------------------------------------------

    fn attribute(&self, name: &str) -> Option<&'m AttributeProto> {
        self.proto.attribute.iter().find(|attribute| attribute.name.as_ref() == name.as_bytes())
    }

    /// Returns `true` if the node states an attribute.
    pub(super) fn has_attribute(&self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    /// An integer attribute.
    pub(super) fn int(&self, name: &str) -> Option<i64> {
        self.attribute(name)?.i
    }

    /// A flag: an integer other than 0.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.int(name).unwrap_or(0) != 0
    }

    /// A list of integers.
    pub(super) fn ints(&self, name: &str) -> Option<Vec<i64>> {
        Some(self.attribute(name)?.ints.clone())
    }

    /// A number.
    pub(super) fn float(&self, name: &str) -> Option<f64> {
        self.attribute(name)?.f.map(f64::from)
    }

    /// A list of numbers.
    pub(super) fn floats(&self, name: &str) -> Option<Vec<f64>> {
        Some(self.attribute(name)?.floats.iter().map(|value| f64::from(*value)).collect())
    }

    /// A text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        Some(text(self.attribute(name)?.s.as_ref()?).into_owned())
    }

    /// A text that is one of those which ONNX lists.
    pub(super) fn word(
        &self,
        name: &str,
        default: &'static str,
        all: &[&'static str],
    ) -> Result<&'static str, Reason> {
        let Some(stated) = self.text(name) else { return Ok(default) };
        let known = all.iter().find(|known| **known == stated);
        known.copied().ok_or_else(|| Reason(format!("`{name}` is {stated:?}, not one of {}", all.join(", "))))
    }

    /// An element type, as its number.
    pub(super) fn dtype(&self, name: &str) -> Result<Option<DataType>, Reason> {
        let Some(number) = self.int(name).filter(|number| *number != 0) else { return Ok(None) };
        let dtype = i32::try_from(number).ok().and_then(tensor::element_type);
        dtype.map(Some).ok_or_else(|| Reason(format!("`{name}`: the element type {number} is not supported")))
    }

    /// A tensor.
    pub(super) fn tensor_attribute(&self, name: &str) -> Option<&'m TensorProto> {
        self.attribute(name)?.t.as_deref()
    }

    /// A tensor as a constant.
    pub(super) fn constant_attribute(&self, name: &str) -> Result<Option<Ref<Constant>>, Reason> {
        let Some(proto) = self.tensor_attribute(name) else { return Ok(None) };
        Ok(Some(Constant::new(tensor::constant(self.layer(), proto, None, &self.importer.files)?)))
    }

    /// A graph.
    pub(super) fn subgraph(&self, name: &str) -> Result<&'m GraphProto, Reason> {
        self.attribute(name)
            .and_then(|attribute| attribute.g.as_deref())
            .ok_or_else(|| Reason(format!("the attribute `{name}` is missing")))
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

    /// Binds a value at once.
    pub(super) fn emit(&mut self, value: impl IntoExpr) -> Result<Expr, Reason> {
        Ok(self.graph().emit(value)?)
    }

    /// The value of a call on constants; the call itself if it has other operands.
    pub(super) fn fold(&mut self, call: Ref<Call>) -> Converted {
        Ok(Output::One(self.folded(call)?))
    }

    /// Like [`Self::fold`], for a value that is not the result yet. A folded constant has the name of the node's output.
    pub(super) fn folded(&mut self, call: Ref<Call>) -> Result<Expr, Reason> {
        let value = self.graph().fold(call)?;
        Ok(match value.downcast::<Constant>() {
            Ok(constant) => self.named(constant),
            Err(value) => value,
        })
    }

    /// Gives a constant that the conversion makes the name of the node's first output.
    pub(super) fn named(&mut self, constant: Ref<Constant>) -> Expr {
        let name = self.proto.output.first().map(|name| text(name).into_owned()).unwrap_or_default();
        self.graph().named(&name, constant)
    }

    /// The type that the model states for a result.
    pub(super) fn declared(&self, index: usize) -> Ref<StructInfo> {
        self.importer.declared(self.proto.output.get(index))
    }

    /// The name of the node.
    pub(super) fn layer(&self) -> &str {
        self.importer.layer(self.proto)
    }

    /// Warns that the result may differ from that of ONNX.
    pub(super) fn warn(&mut self, what: impl Into<String>) {
        let (layer, operator) = (self.layer().to_owned(), text(&self.proto.op_type).into_owned());
        self.graph().warnings.push(ImportWarning::Approximate { layer, operator, what: what.into() });
    }
}

/// The text of a layout or mode as an attribute.
pub(super) fn str(text: &str) -> Str {
    Str::from(text)
}
