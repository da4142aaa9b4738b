//! The view of an operator that converters have: operands, options, the function under construction.

use tvmscript_ir_core::DataType;
use tvmscript_relax::evaluate::Tensor as Values;
use tvmscript_relax::op::quantize;
use tvmscript_relax::{Constant, Expr, Tuple};

use super::flatbuffer::Scalar;
use super::importer::{Form, Importer, element};
use super::model::{Operator, Quantization, Tensor};
use super::operators::Elements;
use crate::error::{ImportWarning, Reason};
use crate::graph::Graph;
use crate::ops::{self, IntoExpr, number};

/// The result of a converter.
#[derive(Debug, Clone)]
pub(super) enum Output {
    /// One value. If the operator has several results, they are its fields.
    One(Expr),
    /// The results of the operator.
    Many(Vec<Expr>),
    /// No value: the operator only changes a variable of the model.
    Nothing,
}

/// An output, or the reason for which the operator cannot be converted.
pub(super) type Converted = Result<Output, Reason>;

crate::operators::outputs!(Output);

/// An operator under conversion.
pub(super) struct Node<'a, 'm> {
    pub(super) importer: &'a mut Importer<'m>,
    pub(super) operator: &'m Operator<'m>,
    /// Its name.
    pub(super) layer: &'a str,
    /// The elements that the converter works on.
    pub(super) elements: Elements,
}

impl<'m> Node<'_, 'm> {
    // --- operands --------------------------------------------------------------------------------------------

    /// The tensor of the operand at a position.
    pub(super) fn index(&self, at: usize) -> Result<usize, Reason> {
        let index = self.operator.inputs.get(at).copied().flatten();
        index.ok_or_else(|| Reason(format!("operand {at} is missing")))
    }

    /// Returns `true` if the operand at a position is not left out.
    pub(super) fn has(&self, at: usize) -> bool {
        self.index(at).is_ok()
    }

    /// The tensor of the operand at a position.
    pub(super) fn tensor(&self, at: usize) -> Result<&'m Tensor<'m>, Reason> {
        self.importer.tensor(self.index(at)?)
    }

    /// The tensor of a result.
    pub(super) fn output(&self, at: usize) -> Result<&'m Tensor<'m>, Reason> {
        let index = self.operator.outputs.get(at).copied();
        self.importer.tensor(index.ok_or_else(|| Reason(format!("result {at} is missing")))?)
    }

    /// The element type of a result.
    pub(super) fn output_dtype(&self, at: usize) -> Result<DataType, Reason> {
        dtype_of(self.output(at)?)
    }

    /// The operand at a position. Quantized elements become real ones, unless the converter works on what is stored.
    pub(super) fn input(&mut self, at: usize) -> Result<Expr, Reason> {
        match self.elements {
            Elements::Real => self.real(at),
            _ => self.stored(at),
        }
    }

    /// The operand at a position with its elements as they are stored.
    pub(super) fn stored(&mut self, at: usize) -> Result<Expr, Reason> {
        let index = self.index(at)?;
        self.importer.value(index)
    }

    /// The operand at a position with real elements.
    pub(super) fn real(&mut self, at: usize) -> Result<Expr, Reason> {
        let value = self.stored(at)?;
        match quantization(self.tensor(at)?) {
            Some(quantization) => self.dequantized(value, quantization, quantization.axis),
            None => Ok(value),
        }
    }

    /// All operands that are not left out.
    pub(super) fn all(&mut self) -> Result<Vec<Expr>, Reason> {
        let present: Vec<usize> = (0..self.operator.inputs.len()).filter(|at| self.has(*at)).collect();
        present.into_iter().map(|at| self.input(at)).collect()
    }

    /// Returns `true` if the operand at a position is a constant of the model.
    pub(super) fn is_constant(&self, at: usize) -> bool {
        self.index(at).is_ok_and(|index| match self.importer.known(index) {
            Some(value) => value.is::<Constant>(),
            None => self.importer.data(index).is_some(),
        })
    }

    /// The value of a constant operand, also of one that a parameter stands for.
    fn constant(&mut self, at: usize, what: &str) -> Result<Expr, Reason> {
        let index = self.index(at)?;
        if let Some(value) = self.importer.known(index).filter(|value| value.is::<Constant>()) {
            return Ok(value);
        }
        match self.importer.data(index) {
            Some(_) => self.importer.constant(index, Form::Stored),
            None => Err(Reason(format!("{what} must be constant"))),
        }
    }

    /// The integers of a constant operand.
    pub(super) fn ints(&mut self, at: usize, what: &str) -> Result<Vec<i64>, Reason> {
        let constant = self.constant(at, what)?;
        ops::integers(&constant).ok_or_else(|| Reason(format!("{what} must be integers")))
    }

    /// The only integer of a constant operand.
    pub(super) fn single_int(&mut self, at: usize, what: &str) -> Result<i64, Reason> {
        match self.ints(at, what)?.as_slice() {
            [value] => Ok(*value),
            _ => Err(Reason(format!("{what} must be one integer"))),
        }
    }

    /// The only number of a constant operand.
    pub(super) fn single_number(&mut self, at: usize, what: &str) -> Result<f64, Reason> {
        let constant = self.constant(at, what)?;
        match ops::numbers(&constant).as_deref() {
            Some([value]) => Ok(*value),
            _ => Err(Reason(format!("{what} must be one number"))),
        }
    }

    /// A constant operand in a form, or the value that `otherwise` makes of one at run time.
    pub(super) fn formed<T: IntoExpr>(
        &mut self,
        at: usize,
        form: Form,
        otherwise: impl FnOnce(Expr) -> Result<T, Reason>,
    ) -> Result<Expr, Reason> {
        let index = self.index(at)?;
        if self.importer.known(index).is_none() && !self.importer.options.keeps_params {
            return self.importer.constant(index, form);
        }
        let value = self.stored(at)?;
        Ok(otherwise(value)?.into_expr())
    }

    /// The lengths of the operand at a position, as the model states them.
    pub(super) fn shape(&mut self, at: usize) -> Result<Vec<i64>, Reason> {
        let index = self.index(at)?;
        if let Some(lengths) = self.importer.known(index).and_then(|value| ops::lengths_of(&value)) {
            return Ok(lengths);
        }
        Ok(self.tensor(at)?.dims())
    }

    /// The lengths of the operand at a position, which has `N` axes.
    pub(super) fn lengths<const N: usize>(&mut self, at: usize) -> Result<[i64; N], Reason> {
        let shape = self.shape(at)?;
        let rank = shape.len();
        shape.try_into().map_err(|_| Reason(format!("operand {at} must have {N} axes, found {rank}")))
    }

    // --- options ---------------------------------------------------------------------------------------------

    fn option<T: Scalar>(&self, field: impl Into<u16>, default: T) -> Result<T, Reason> {
        match self.operator.options {
            Some(options) => Ok(options.scalar(field, default)?),
            None => Ok(default),
        }
    }

    /// An integer of the options.
    pub(super) fn int(&self, field: impl Into<u16>, default: i32) -> Result<i64, Reason> {
        self.option(field, default).map(i64::from)
    }

    /// An integer of the options that is stored in 64 bits.
    pub(super) fn long(&self, field: impl Into<u16>, default: i64) -> Result<i64, Reason> {
        self.option(field, default)
    }

    /// A member of an enumeration, as its number.
    pub(super) fn choice(&self, field: impl Into<u16>) -> Result<i8, Reason> {
        self.option(field, 0)
    }

    /// A flag of the options.
    pub(super) fn flag(&self, field: impl Into<u16>) -> Result<bool, Reason> {
        self.flag_or(field, false)
    }

    /// A flag of the options with a default.
    pub(super) fn flag_or(&self, field: impl Into<u16>, default: bool) -> Result<bool, Reason> {
        Ok(self.option(field, u8::from(default))? != 0)
    }

    /// A number of the options.
    pub(super) fn float(&self, field: impl Into<u16>, default: f32) -> Result<f64, Reason> {
        self.option(field, default).map(f64::from)
    }

    /// A list of the options; `None` if it is left out.
    pub(super) fn list<T: Scalar + Into<i64>>(
        &self,
        field: impl Into<u16>,
    ) -> Result<Option<Vec<i64>>, Reason> {
        let Some(options) = self.operator.options else { return Ok(None) };
        let numbers: Option<Vec<T>> = options.numbers(field)?;
        Ok(numbers.map(|numbers| numbers.into_iter().map(Into::into).collect()))
    }

    /// A list of numbers of the options.
    pub(super) fn floats(&self, field: impl Into<u16>) -> Result<Vec<f64>, Reason> {
        let Some(options) = self.operator.options else { return Ok(Vec::new()) };
        let numbers: Option<Vec<f32>> = options.numbers(field)?;
        Ok(numbers.unwrap_or_default().into_iter().map(f64::from).collect())
    }

    /// A text of the options.
    pub(super) fn text(&self, field: impl Into<u16>) -> Result<String, Reason> {
        let Some(options) = self.operator.options else { return Ok(String::new()) };
        Ok(String::from_utf8_lossy(options.bytes(field)?).into_owned())
    }

    /// A subgraph that the options name.
    pub(super) fn subgraph(&self, field: impl Into<u16>) -> Result<usize, Reason> {
        let index = self.int(field, -1)?;
        usize::try_from(index).map_err(|_| Reason::from("names no subgraph"))
    }

    // --- quantization ----------------------------------------------------------------------------------------

    /// The scale and zero point of a tensor as constants: one, or one per index along the axis.
    pub(super) fn parameters(&mut self, quantization: &Quantization) -> (Expr, Expr) {
        let floats = |values: &[f32]| {
            let values = values.iter().map(|value| f64::from(*value));
            Values::of_floats(DataType::FLOAT32, vec![quantization.scales.len()], values)
        };
        let scale = match quantization.scales.as_slice() {
            [scale] => number(DataType::FLOAT32, f64::from(*scale)),
            scales => {
                let name = format!("{}.scale", self.layer);
                self.graph().named(&name, Constant::new(floats(scales).encode()))
            }
        };
        let points = &quantization.zero_points;
        let zero_point = match points.first() {
            Some(first) if points.iter().all(|point| point == first) => {
                number(DataType::INT32, *first as f64)
            }
            _ => {
                let values = points.iter().map(|point| i128::from(*point));
                let tensor = Values::of_ints(DataType::INT32, vec![points.len()], values);
                let name = format!("{}.zero_point", self.layer);
                self.graph().named(&name, Constant::new(tensor.encode()))
            }
        };
        (scale, zero_point)
    }

    /// Real elements from stored ones; `axis` is that along which the scales lie.
    pub(super) fn dequantized(
        &mut self,
        value: Expr,
        quantization: &Quantization,
        axis: i64,
    ) -> Result<Expr, Reason> {
        let (scale, zero_point) = self.parameters(quantization);
        Ok(quantize::dequantize(value, scale, zero_point, axis, DataType::FLOAT32).upcast())
    }

    /// Stored elements from real ones, if the result at a position is quantized.
    pub(super) fn quantized(&mut self, at: usize, value: Expr) -> Result<Expr, Reason> {
        let tensor = self.output(at)?;
        let Some(quantization) = quantization(tensor) else { return Ok(value) };
        let (scale, zero_point) = self.parameters(quantization);
        let dtype = dtype_of(tensor)?;
        Ok(quantize::quantize(value, scale, zero_point, quantization.axis, dtype).upcast())
    }

    /// The result at a position as it is stored: converters that work on real elements leave the rest to this.
    pub(super) fn stored_result(&mut self, at: usize, value: Expr) -> Result<Expr, Reason> {
        match self.elements {
            Elements::Real => self.quantized(at, value),
            _ => Ok(value),
        }
    }

    /// Normalizes what a converter made: one value per output.
    pub(super) fn finished(&mut self, output: Output) -> Result<Vec<Expr>, Reason> {
        let count = self.operator.outputs.len();
        let values = match output {
            Output::Nothing => return Ok(Vec::new()),
            Output::One(value) if count == 1 => {
                let value = self.stored_result(0, value)?;
                vec![self.normalize(value)?]
            }
            Output::One(value) => {
                let tuple = self.normalize(value)?;
                (0..count).map(|at| self.stored_result(at, element(&tuple, at))).collect::<Result<_, _>>()?
            }
            Output::Many(values) => {
                let stored = values.into_iter().enumerate().map(|(at, value)| self.stored_result(at, value));
                let stored = stored.collect::<Result<Vec<_>, _>>()?;
                let tuple = self.normalize(Tuple::new(stored))?;
                let fields = tuple.as_node::<Tuple>().map(|tuple| &tuple.fields);
                fields.into_iter().flat_map(|fields| fields.iter()).cloned().collect()
            }
        };
        match values.len() < count {
            true => Err(Reason(format!("has {} results here, and the model uses {count}", values.len()))),
            false => Ok(values),
        }
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

    /// Warns that the result may differ from that of TFLite.
    pub(super) fn warn(&mut self, what: impl Into<String>) {
        let (layer, operator) = (self.layer.to_owned(), self.operator.name.clone().into_owned());
        self.graph().warnings.push(ImportWarning::Approximate { layer, operator, what: what.into() });
    }
}

/// The element type of a tensor.
pub(super) fn dtype_of(tensor: &Tensor<'_>) -> Result<DataType, Reason> {
    let failed = || Reason(format!("has the element type {}, which is not supported", tensor.kind.name()));
    tensor.kind.dtype().ok_or_else(failed)
}

/// The quantization of a tensor whose elements are integers.
pub(super) fn quantization<'m>(tensor: &'m Tensor<'m>) -> Option<&'m Quantization> {
    let is_integer = tensor.kind.dtype().is_some_and(|dtype| !tvmscript_ir_core::arithmetic::is_float(dtype));
    tensor.quantization.as_ref().filter(|_| is_integer)
}
