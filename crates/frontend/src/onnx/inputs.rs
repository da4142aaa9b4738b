//! The types of a graph's inputs.

use std::collections::HashMap;

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_prim::{self as prim, IntImm, ops};
use tvmscript_relax::{ObjectStructInfo, StructInfo, TensorStructInfo};

use super::name::text;
use super::proto::{DimensionProto, TypeProto, ValueInfoProto};
use super::tensor::element_type;
use crate::error::ImportError;
use crate::ops::tensor_of;

/// Maximum number of operators in the text of a dimension.
const MAX_OPERATORS: usize = 64;

/// The variables of dimensions, shared by all inputs of a model.
#[derive(Debug, Default)]
pub(super) struct Dimensions {
    variables: HashMap<String, prim::Expr>,
    /// The input of each dimension that has neither length nor name.
    pub(super) unnamed: Vec<String>,
}

impl Dimensions {
    /// The type of an input.
    pub(super) fn type_of(&mut self, input: &ValueInfoProto) -> Result<Ref<StructInfo>, ImportError> {
        let name = text(&input.name);
        match &input.r#type {
            Some(found) => self.convert(&name, found),
            None => Ok(TensorStructInfo::of_rank(-1, DataType::VOID, None).upcast()),
        }
    }

    fn convert(&mut self, name: &str, found: &TypeProto) -> Result<Ref<StructInfo>, ImportError> {
        let failed = |reason: String| ImportError::Input { name: name.to_owned(), reason };
        if let Some(tensor) = &found.tensor_type {
            let dtype = match tensor.elem_type {
                0 => DataType::VOID,
                number => element_type(number).ok_or_else(|| {
                    failed(format!("has the element type {number}, which is not supported"))
                })?,
            };
            let Some(shape) = &tensor.shape else {
                return Ok(TensorStructInfo::of_rank(-1, dtype, None).upcast());
            };
            let dims = shape.dim.iter().map(|dim| self.dimension(name, dim));
            let dims = dims.collect::<Result<Vec<_>, _>>().map_err(failed)?;
            return Ok(tensor_of(dims, dtype));
        }
        // Upstream takes sequences and optional values for tensors about which nothing is known.
        Ok(TensorStructInfo::of_rank(-1, DataType::VOID, None).upcast())
    }

    /// A type stated for a value inside the graph. Dimensions must be numbers or variables of inputs, since nothing else
    /// defines them.
    pub(super) fn declared(&self, info: Option<&ValueInfoProto>) -> Ref<StructInfo> {
        let tensor = info.and_then(|info| info.r#type.as_ref()).and_then(|found| found.tensor_type.as_ref());
        let Some(tensor) = tensor else { return ObjectStructInfo::new() };
        let dtype = element_type(tensor.elem_type).unwrap_or(DataType::VOID);
        let dims = tensor.shape.as_ref().map(|shape| &shape.dim);
        let known = |dim: &DimensionProto| match dim.dim_value {
            Some(length @ 1..) => Some(IntImm::int64(length)),
            _ => self.variables.get(text(dim.dim_param.as_deref()?).as_ref()).cloned(),
        };
        match dims.map(|dims| (dims.len(), dims.iter().map(known).collect::<Option<Vec<_>>>())) {
            Some((_, Some(dims))) => tensor_of(dims, dtype),
            Some((rank, None)) => TensorStructInfo::of_rank(rank as i64, dtype, None).upcast(),
            None => TensorStructInfo::of_rank(-1, dtype, None).upcast(),
        }
    }

    fn dimension(&mut self, input: &str, dim: &DimensionProto) -> Result<prim::Expr, String> {
        if let Some(length @ 1..) = dim.dim_value {
            return Ok(IntImm::int64(length));
        }
        let name = dim.dim_param.as_deref().map(text).unwrap_or_default();
        if name.trim().is_empty() {
            self.unnamed.push(input.to_owned());
        }
        self.expression(&name)
    }

    fn variable(&mut self, name: &str) -> prim::Expr {
        if name == "?" {
            return prim::Var::new("v", DataType::INT64).upcast();
        }
        let new = || prim::Var::new(name, DataType::INT64).upcast();
        self.variables.entry(name.to_owned()).or_insert_with(new).clone()
    }

    /// Evaluates the text of a dimension: names and integers joined by `+`, `-`, `*` and `/`, from left to right.
    fn expression(&mut self, text: &str) -> Result<prim::Expr, String> {
        let is_operator = |c: char| matches!(c, '+' | '-' | '*' | '/');
        if text.matches(is_operator).count() > MAX_OPERATORS {
            return Err(format!("has a dimension with more than {MAX_OPERATORS} operators"));
        }
        let mut value: Option<prim::Expr> = None;
        let mut operator = String::new();
        let mut rest = text;
        loop {
            let end = rest.find(is_operator).unwrap_or(rest.len());
            let (operand, after) = rest.split_at(end);
            let operand = operand.trim();
            let operand = match operand.parse::<i64>() {
                Ok(number) => IntImm::int64(number),
                Err(_) => self.variable(operand),
            };
            let made = match (value, operator.as_str()) {
                (None, _) => Ok(operand),
                (Some(value), "+") => ops::add(value, operand),
                (Some(value), "-") => ops::sub(value, operand),
                (Some(value), "*") => ops::mul(value, operand),
                (Some(value), _) => ops::floordiv(value, operand),
            };
            let made = made.map_err(|error| format!("has the dimension `{text}`: {error}"))?;
            if after.is_empty() {
                return Ok(made);
            }
            let end = after.find(|c| !is_operator(c)).unwrap_or(after.len());
            let (found, after) = after.split_at(end);
            value = Some(made);
            operator = found.to_owned();
            rest = after;
        }
    }
}
