//! The view of a node that converters have: arguments, the function under construction.

use tvmscript_ir_core::{Array, DataType, Ref, arithmetic::is_float};
use tvmscript_prim::{self as prim, IntImm, ops::int_value};
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::shape::{shape_to_tensor, squeeze};
use tvmscript_relax::{Expr, PrimValue, Tuple};

use super::argument::Argument;
use super::importer::Importer;
use super::program::{NodeProto, Results, element_type};
use super::value::{Converted, Number, Value};
use crate::error::{ImportWarning, Reason};
use crate::graph::Graph;
use crate::ops::{self, IntoExpr, dtype_of};

/// The element type of numbers that state none.
pub(super) const DEFAULT_FLOAT: DataType = DataType::FLOAT32;

/// A node under conversion. An argument has a position and a name; it is taken by position if it is there, else by name.
pub(super) struct Node<'a, 'm> {
    pub(super) importer: &'a mut Importer<'m>,
    pub(super) proto: &'m NodeProto,
}

impl<'m> Node<'_, 'm> {
    // --- arguments -------------------------------------------------------------------------------------------

    /// An argument; `None` if it is left out or no value.
    fn argument(&self, index: usize, name: &str) -> Option<&'m Argument> {
        let mut positional = self.proto.inputs.iter().filter(|input| !input.is_keyword());
        let by_name = || self.proto.inputs.iter().find(|input| !name.is_empty() && input.name == name);
        let input = positional.nth(index).or_else(by_name)?;
        Some(&input.arg).filter(|argument| !matches!(argument, Argument::None))
    }

    /// Returns `true` if an argument is stated.
    pub(super) fn has(&self, index: usize, name: &str) -> bool {
        self.argument(index, name).is_some()
    }

    /// The number of arguments by position.
    pub(super) fn positional_count(&self) -> usize {
        self.proto.inputs.iter().filter(|input| !input.is_keyword()).count()
    }

    fn wrong(&self, name: &str, index: usize, expected: &str) -> Reason {
        let name = self.proto.inputs.get(index).map_or(name, |input| input.name.as_str());
        Reason(format!("the argument `{name}` must be {expected}"))
    }

    /// The value of an argument; `None` if it is left out.
    pub(super) fn value(&mut self, index: usize, name: &str) -> Result<Option<Value>, Reason> {
        let Some(argument) = self.argument(index, name) else { return Ok(None) };
        self.importer.resolved(argument).map(Some)
    }

    /// An argument that must be stated.
    pub(super) fn needed(&mut self, index: usize, name: &str) -> Result<Value, Reason> {
        self.value(index, name)?.ok_or_else(|| self.wrong(name, index, "stated"))
    }

    /// A tensor.
    pub(super) fn tensor(&mut self, index: usize) -> Result<Expr, Reason> {
        match self.value(index, "")? {
            Some(Value::Known(value)) => Ok(value),
            _ => Err(self.wrong("", index, "a tensor")),
        }
    }

    /// A tensor, unless it is left out.
    pub(super) fn optional(&mut self, index: usize, name: &str) -> Result<Option<Expr>, Reason> {
        match self.value(index, name)? {
            Some(Value::Known(value)) => Ok(Some(value)),
            None | Some(Value::None) => Ok(None),
            Some(_) => Err(self.wrong(name, index, "a tensor")),
        }
    }

    /// Tensors, some of which may be left out.
    pub(super) fn optional_tensors(&mut self, index: usize, name: &str) -> Result<Vec<Option<Expr>>, Reason> {
        let Value::List(items) = self.needed(index, name)? else {
            return Err(self.wrong(name, index, "a list of tensors"));
        };
        let item = |item| match item {
            Value::Known(value) => Ok(Some(value)),
            Value::None => Ok(None),
            _ => Err(self.wrong(name, index, "a list of tensors")),
        };
        items.into_iter().map(item).collect()
    }

    /// Tensors.
    pub(super) fn tensors(&mut self, index: usize, name: &str) -> Result<Vec<Expr>, Reason> {
        let tensors = self.optional_tensors(index, name)?;
        let all: Option<Vec<Expr>> = tensors.into_iter().collect();
        all.ok_or_else(|| self.wrong(name, index, "a list of tensors"))
    }

    /// A number, unless it is left out.
    pub(super) fn number(&mut self, index: usize, name: &str) -> Result<Option<Number>, Reason> {
        match self.value(index, name)? {
            Some(Value::Number(number)) => Ok(Some(number)),
            None | Some(Value::None) => Ok(None),
            Some(_) => Err(self.wrong(name, index, "a number that is known")),
        }
    }

    /// A number, with the value of one that is left out.
    pub(super) fn number_or(&mut self, index: usize, name: &str, default: Number) -> Result<Number, Reason> {
        Ok(self.number(index, name)?.unwrap_or(default))
    }

    /// A number as a float.
    pub(super) fn float(&mut self, index: usize, name: &str, default: f64) -> Result<f64, Reason> {
        Ok(self.number(index, name)?.map_or(default, Number::as_f64))
    }

    /// An integer, unless it is left out.
    pub(super) fn optional_int(&mut self, index: usize, name: &str) -> Result<Option<i64>, Reason> {
        match self.value(index, name)? {
            Some(Value::Number(Number::Int(value))) => Ok(Some(value)),
            None | Some(Value::None) => Ok(None),
            Some(Value::Dim(dim)) if int_value(&dim).is_some() => Ok(int_value(&dim)),
            Some(_) => Err(self.wrong(name, index, "an integer that is known")),
        }
    }

    /// An integer.
    pub(super) fn int(&mut self, index: usize, name: &str, default: i64) -> Result<i64, Reason> {
        Ok(self.optional_int(index, name)?.unwrap_or(default))
    }

    /// An integer that must be stated.
    pub(super) fn needed_int(&mut self, index: usize, name: &str) -> Result<i64, Reason> {
        self.optional_int(index, name)?.ok_or_else(|| self.wrong(name, index, "an integer"))
    }

    /// A flag.
    pub(super) fn flag(&mut self, index: usize, name: &str, default: bool) -> Result<bool, Reason> {
        Ok(self.number(index, name)?.map_or(default, |number| number.as_f64() != 0.0))
    }

    /// Lengths, known and symbolic: a list, or one; `None` if they are left out.
    pub(super) fn dims(&mut self, index: usize, name: &str) -> Result<Option<Vec<prim::Expr>>, Reason> {
        let dims = match self.value(index, name)? {
            None | Some(Value::None) => return Ok(None),
            Some(Value::List(items)) => items.iter().map(Value::dim).collect::<Option<Vec<_>>>(),
            Some(one) => one.dim().map(|dim| vec![dim]),
        };
        dims.map(Some).ok_or_else(|| self.wrong(name, index, "integers"))
    }

    /// A shape that must be stated.
    pub(super) fn shape(&mut self, index: usize, name: &str) -> Result<Vec<prim::Expr>, Reason> {
        self.dims(index, name)?.ok_or_else(|| self.wrong(name, index, "a shape"))
    }

    /// Integers: a list, or one; `None` if they are left out.
    pub(super) fn ints(&mut self, index: usize, name: &str) -> Result<Option<Vec<i64>>, Reason> {
        let Some(dims) = self.dims(index, name)? else { return Ok(None) };
        let ints: Option<Vec<i64>> = dims.iter().map(int_value).collect();
        ints.map(Some).ok_or_else(|| self.wrong(name, index, "integers that are known"))
    }

    /// Integers that must be stated.
    pub(super) fn needed_ints(&mut self, index: usize, name: &str) -> Result<Vec<i64>, Reason> {
        self.ints(index, name)?.ok_or_else(|| self.wrong(name, index, "integers"))
    }

    /// Axes as an attribute; `None` for all, which an empty list means as well.
    pub(super) fn axes(&mut self, index: usize, name: &str) -> Result<Option<Array<Ref<IntImm>>>, Reason> {
        Ok(self.ints(index, name)?.filter(|axes| !axes.is_empty()).map(|axes| ops::ints(&axes)))
    }

    /// A text.
    pub(super) fn text(&self, index: usize, name: &str, default: &str) -> Result<String, Reason> {
        match self.argument(index, name) {
            None => Ok(default.to_owned()),
            Some(Argument::Text(text)) => Ok(text.clone()),
            Some(_) => Err(self.wrong(name, index, "a text")),
        }
    }

    /// An element type, unless it is left out.
    pub(super) fn dtype(&self, index: usize, name: &str) -> Result<Option<DataType>, Reason> {
        match self.argument(index, name) {
            Some(Argument::Dtype(number)) => Ok(Some(element_type(*number)?)),
            None => Ok(None),
            Some(_) => Err(self.wrong(name, index, "an element type")),
        }
    }

    // --- results ---------------------------------------------------------------------------------------------

    /// Returns `true` if the program uses the result at a position.
    pub(super) fn uses_result(&self, index: usize) -> bool {
        let Results::Fields(fields) = self.proto.results() else { return index == 0 };
        matches!(fields.get(index), Some(Argument::Name(name)) if self.importer.is_used(name))
    }

    /// The element type that the program states for its first result.
    pub(super) fn result_dtype(&self) -> Option<DataType> {
        match self.proto.results() {
            Results::One(Argument::Name(name)) => self.importer.stated_dtype(name),
            _ => None,
        }
    }

    // --- the function ----------------------------------------------------------------------------------------

    /// The function under construction.
    pub(super) fn graph(&mut self) -> &mut Graph {
        &mut self.importer.graph
    }

    /// Binds a value at once.
    pub(super) fn emit(&mut self, value: impl IntoExpr) -> Result<Expr, Reason> {
        Ok(self.graph().emit(value)?)
    }

    /// Binds a value at once, which is the result.
    pub(super) fn result(&mut self, value: impl IntoExpr) -> Converted {
        Ok(Value::Known(self.emit(value)?))
    }

    /// Binds the operands of a value, which itself is bound where it is used first.
    pub(super) fn late(&mut self, value: impl IntoExpr) -> Converted {
        Ok(Value::Known(self.graph().normalize(value)?))
    }

    /// Binds a tuple of values.
    pub(super) fn tuple(&mut self, values: Vec<Expr>) -> Converted {
        self.result(Tuple::new(values))
    }

    /// Converts the elements of a tensor, unless they have the type.
    pub(super) fn cast(&mut self, value: Expr, dtype: DataType) -> Result<Expr, Reason> {
        if dtype_of(&value) == dtype {
            return Ok(value);
        }
        self.emit(astype(value, dtype))
    }

    /// A tensor of floating-point numbers.
    pub(super) fn float_tensor(&mut self, index: usize) -> Result<Expr, Reason> {
        let x = self.tensor(index)?;
        let dtype = dtype_of(&x);
        let target = if is_float(dtype) || dtype.is_void() { dtype } else { DEFAULT_FLOAT };
        self.cast(x, target)
    }

    /// A symbolic length as a tensor of rank 0.
    pub(super) fn length_tensor(&mut self, dim: prim::Expr, dtype: DataType) -> Result<Expr, Reason> {
        let value = self.emit(shape_to_tensor(ops::shape_of([dim])))?;
        let value = self.cast(value, dtype)?;
        self.emit(squeeze(value, Some(ops::ints(&[0]))))
    }

    /// A value as a tensor of rank 0 with elements of a type.
    pub(super) fn point(&mut self, value: Value, dtype: DataType) -> Result<Expr, Reason> {
        match value {
            Value::Known(value) => Ok(value),
            Value::Number(number) => Ok(number.constant(dtype)),
            Value::Dim(dim) => self.length_tensor(dim, dtype),
            _ => Err("a value must be a number".into()),
        }
    }

    /// Warns that the result may differ from that of PyTorch.
    pub(super) fn warn(&mut self, what: impl Into<String>) {
        let layer = self.importer.layer(self.proto).to_owned();
        let operator = self.proto.operator().to_owned();
        self.graph().warnings.push(ImportWarning::Approximate { layer, operator, what: what.into() });
    }
}

/// A scalar operand of a length.
pub(super) fn scalar_of(dim: prim::Expr) -> Expr {
    PrimValue::new(dim).upcast()
}
