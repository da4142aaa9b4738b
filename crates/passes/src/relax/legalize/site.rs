//! A call that is replaced, as templates see it: operands become tensors and scalars, and results a call of `R.call_tir`.
//!
//! Upstream counterpart: `gen_call_tir_inputs`, `python/tvm/relax/utils.py`.

use hashbrown::HashSet;
use tvmscript_ir_core::{Array, DataType, Object, PtrMap, Ref, free_variables, substitute};
use tvmscript_prim::{self as prim, FloatImm, IntImm, ops};
use tvmscript_relax::{
    Call, Constant, Expr, PrimValue, ShapeExpr, ShapeStructInfo, StructInfo, TensorStructInfo, Tuple,
    TupleStructInfo, Var,
};
use tvmscript_te::{Argument, IndexTypes, TeError, create_indexed_prim_func, placeholder, post_order};
use tvmscript_tir::node::PrimFunc;

use super::super::rewrite::info_of;
use super::narrow::{NARROW_AXES, with_casts};
use super::scalar::{Scalar, Scalars};
use super::tensor::{Answer, Tensor};
use tvmscript_relax::evaluate;

/// A call under legalization.
pub(super) struct Site<'c> {
    call: &'c Call,
    /// Operands, with the values of variables that hold shapes and tuples.
    operands: Vec<Expr>,
    /// Arguments of the new call.
    args: Vec<Expr>,
    params: Vec<Argument>,
    /// From the variables of the caller to those of the new function, and back.
    inner: PtrMap<Object>,
    outer: PtrMap<Object>,
    /// Scalars that the template uses apart from shapes of tensors.
    scalars: Vec<prim::Expr>,
}

/// A function with the call that stands for the operator.
pub(super) struct Legalized {
    pub(super) function: Ref<PrimFunc>,
    pub(super) args: Vec<Expr>,
    pub(super) result: Ref<StructInfo>,
    /// Variables of shapes that no tensor defines.
    pub(super) scalars: Vec<prim::Expr>,
}

fn missing(index: usize) -> TeError {
    TeError::Node(format!("the call has no operand {index}"))
}

impl<'c> Site<'c> {
    pub(super) fn new(call: &'c Call, operands: Vec<Expr>) -> Site<'c> {
        Site {
            call,
            operands,
            args: Vec::new(),
            params: Vec::new(),
            inner: PtrMap::default(),
            outer: PtrMap::default(),
            scalars: Vec::new(),
        }
    }

    /// The same call with a function that does not read its operands.
    pub(super) fn without_operands(self) -> Site<'c> {
        Site { args: Vec::new(), params: Vec::new(), ..self }
    }

    /// The same call, none of whose operands is used yet.
    pub(super) fn again(&self) -> Site<'c> {
        Site::new(self.call, self.operands.clone())
    }

    /// The attributes of the call.
    pub(super) fn attrs<N: tvmscript_ir_core::Node>(&self) -> Answer<&'c N> {
        let attrs = self.call.attrs.as_ref().and_then(|attrs| attrs.as_node::<N>());
        attrs.ok_or_else(|| TeError::Node("the call has attributes of another operator".to_owned()))
    }

    pub(super) fn count(&self) -> usize {
        self.operands.len()
    }

    fn operand(&self, index: usize) -> Answer<Expr> {
        self.operands.get(index).cloned().ok_or_else(|| missing(index))
    }

    /// A tensor operand.
    pub(super) fn tensor(&mut self, index: usize) -> Answer<Tensor> {
        let operand = self.operand(index)?;
        self.tensor_of(&operand)
    }

    /// The fields of a tuple operand, or an operand that is a tensor.
    pub(super) fn tensors(&mut self, index: usize) -> Answer<Vec<Tensor>> {
        let operand = self.operand(index)?;
        match operand.as_node::<Tuple>() {
            Some(tuple) => tuple.fields.iter().map(|field| self.tensor_of(field)).collect(),
            None => Ok(vec![self.tensor_of(&operand)?]),
        }
    }

    fn tensor_of(&mut self, operand: &Expr) -> Answer<Tensor> {
        let info = info_of(operand);
        let info = info.as_node::<TensorStructInfo>();
        let (Some(dims), Some(info)) = (info.and_then(TensorStructInfo::dims), info) else {
            return Err(TeError::Node("an operand is not a tensor of known shape".to_owned()));
        };
        if info.dtype.is_void() {
            return Err(TeError::Node("the element type of an operand is unknown".to_owned()));
        }
        let name = match operand.as_node::<Var>() {
            Some(var) => var.vid.name_hint.get(),
            None => match u8::try_from(self.params.len()).ok().filter(|count| *count < 26) {
                Some(count) => char::from(b'A' + count).to_string().into(),
                None => format!("tensor_input_{}", self.params.len()).into(),
            },
        };
        let shape: Array<prim::Expr> = dims.iter().map(|dim| self.inside(dim)).collect::<Answer<_>>()?;
        let tensor = placeholder(shape, info.dtype, name);
        self.args.push(operand.clone());
        self.params.push(Argument::Tensor(tensor.clone()));
        Ok(Tensor(tensor))
    }

    /// An expression of the caller, with the variables of the new function.
    fn inside(&mut self, expr: &prim::Expr) -> Answer<prim::Expr> {
        for var in free_variables(expr.object()) {
            let Some(old) = var.downcast_ref::<prim::Var>() else { continue };
            if !self.inner.contains_key(&var) {
                let new = prim::Var::new(old.name.get(), old.dtype);
                self.inner.insert(var.clone(), new.object().clone());
                self.outer.insert(new.object().clone(), var.clone());
            }
        }
        Ok(substitute(expr.clone(), &self.inner)?)
    }

    /// A scalar of the caller that the function uses.
    pub(super) fn used(&mut self, expr: &prim::Expr) -> Answer<Scalar> {
        let new = self.inside(expr)?;
        self.scalars.push(new.clone());
        Ok(Scalar::from(new))
    }

    /// A scalar operand.
    pub(super) fn scalar(&mut self, index: usize) -> Answer<Scalar> {
        let operand = self.operand(index)?;
        let value = operand.as_node::<PrimValue>().ok_or_else(|| missing(index))?;
        self.used(&value.value)
    }

    /// The fields of a tuple of scalars.
    pub(super) fn scalar_tuple(&mut self, index: usize) -> Answer<Vec<Scalar>> {
        let operand = self.operand(index)?;
        let tuple = operand.as_node::<Tuple>().ok_or_else(|| missing(index))?;
        let value = |field: &Expr| field.as_node::<PrimValue>().map(|field| field.value.clone());
        let values = tuple.fields.iter().map(value).collect::<Option<Vec<_>>>();
        values.ok_or_else(|| missing(index))?.iter().map(|value| self.used(value)).collect()
    }

    /// The lengths of a shape operand.
    pub(super) fn shape(&mut self, index: usize) -> Answer<Vec<Scalar>> {
        let operand = self.operand(index)?;
        let shape = operand.as_node::<ShapeExpr>();
        let shape = shape.ok_or_else(|| TeError::Node("the target shape is not known".to_owned()))?;
        shape.values.iter().map(|length| self.used(length)).collect()
    }

    /// The lengths of a shape operand whose type states them.
    pub(super) fn known_shape(&mut self, index: usize) -> Answer<Vec<Scalar>> {
        let info = info_of(&self.operand(index)?);
        let lengths = info.as_node::<ShapeStructInfo>().and_then(|info| info.values.clone());
        let lengths =
            lengths.ok_or_else(|| TeError::Node("the lengths of the shape are not known".to_owned()))?;
        lengths.iter().map(|length| self.used(length)).collect()
    }

    /// The result, if all operands are constants.
    pub(super) fn evaluated(&self) -> Option<Expr> {
        Some(Constant::new(evaluate::evaluate(self.call)?.encode()).upcast())
    }

    /// `true` if an operand is a constant.
    pub(super) fn is_constant(&self, index: usize) -> bool {
        self.operands.get(index).is_some_and(|operand| operand.is::<Constant>())
    }

    /// The value of an operand that is a constant without dimensions.
    pub(super) fn literal(&self, index: usize) -> Option<Scalar> {
        let data = &self.operands.get(index)?.as_node::<Constant>()?.data;
        if !data.shape.is_empty() {
            return None;
        }
        let tensor = evaluate::Tensor::decode(data)?;
        let expr = match &tensor.data {
            evaluate::Data::Int(values) => {
                IntImm::try_new(tensor.dtype, i64::try_from(*values.first()?).ok()?)
            }
            evaluate::Data::Float(values) => FloatImm::try_new(tensor.dtype, *values.first()?),
        };
        expr.ok().map(Scalar::from)
    }

    /// A tensor operand, or its value if it is a constant without dimensions.
    pub(super) fn tensor_or_literal(&mut self, index: usize) -> Answer<Value> {
        match self.literal(index) {
            Some(value) => Ok(Value::Scalar(value)),
            None => self.tensor(index).map(Value::Tensor),
        }
    }

    /// `true` if an operand is a scalar, not a tensor.
    pub(super) fn is_scalar(&self, index: usize) -> bool {
        self.operands.get(index).is_some_and(|operand| operand.is::<PrimValue>())
    }

    fn result(&self) -> Option<&TensorStructInfo> {
        self.call.struct_info_.as_ref()?.as_node::<TensorStructInfo>()
    }

    /// The struct info of the result.
    pub(super) fn result_info(&self) -> Answer<Ref<StructInfo>> {
        let info = self.call.struct_info_.as_ref().and_then(|info| info.downcast_ref::<StructInfo>());
        info.cloned().ok_or_else(|| TeError::Node("the call has no struct info".to_owned()))
    }

    /// The element type of the result.
    pub(super) fn result_dtype(&self) -> Answer<DataType> {
        let unknown = || TeError::Node("the element type of the result is unknown".to_owned());
        self.result().map(|info| info.dtype).filter(|dtype| !dtype.is_void()).ok_or_else(unknown)
    }

    /// The lengths of the result, as the operator infers them.
    pub(super) fn result_dims(&mut self) -> Answer<Vec<Scalar>> {
        let dims = self.result().and_then(TensorStructInfo::dims).cloned();
        let dims = dims.ok_or_else(|| TeError::Node("the shape of the result is unknown".to_owned()))?;
        dims.iter().map(|length| self.inside(length).map(Scalar::from)).collect()
    }

    /// The function that computes the tensors, and the call of it.
    pub(super) fn finish(self, outputs: Vec<Tensor>, scalars_first: bool) -> Answer<Legalized> {
        let unbound = self.unbound(&outputs);
        let mut params = self.params;
        let scalars = unbound.iter().cloned().map(Argument::Var);
        let results = outputs.iter().map(|output| Argument::Tensor(output.0.clone()));
        match scalars_first {
            true => params.extend(scalars.chain(results)),
            false => params.extend(results.chain(scalars)),
        }
        let mut function = create_indexed_prim_func(
            &params,
            IndexTypes { unit: Some(DataType::INT64), ..IndexTypes::default() },
        )?;
        let results: Vec<_> = outputs.iter().filter_map(|output| output.0.op().cloned()).collect();
        if post_order(&results).iter().any(|op| op.attrs.get_str(NARROW_AXES).is_some()) {
            function = with_casts(function)?;
        }
        let attrs = &function.attrs.dict;
        let kept = attrs.iter().filter(|(key, _)| key.as_str() != "global_symbol");
        let attrs = tvmscript_ir::DictAttrs::new(kept.map(|(key, value)| (key.clone(), value.clone())));
        function.make_mut().attrs = attrs;
        let vdevice = self.operands.iter().find_map(|operand| {
            info_of(operand).as_node::<TensorStructInfo>().and_then(|info| info.vdevice.clone())
        });
        let outside =
            |expr: &prim::Expr| -> Answer<prim::Expr> { Ok(substitute(expr.clone(), &self.outer)?) };
        let mut infos = Vec::with_capacity(outputs.len());
        for output in &outputs {
            let dims = output.0.shape.iter().map(outside).collect::<Answer<Vec<_>>>()?;
            let shape = ShapeExpr::try_new(dims).map_err(|error| TeError::Node(error.to_string()))?;
            infos.push(TensorStructInfo::of_shape(shape, output.dtype(), vdevice.clone()).upcast());
        }
        let result = match infos.len() {
            1 => infos.pop(),
            _ => Some(TupleStructInfo::new(infos)),
        };
        let result = result.ok_or_else(|| TeError::Node("the function has no result".to_owned()))?;
        let scalars = unbound.iter().map(|var| outside(&var.clone().upcast())).collect::<Answer<_>>()?;
        Ok(Legalized { function, args: self.args, result, scalars })
    }

    /// Variables that are used and are no length of a parameter.
    fn unbound(&self, outputs: &[Tensor]) -> Vec<Ref<prim::Var>> {
        let inputs = self.params.iter().filter_map(|param| match param {
            Argument::Tensor(tensor) => Some(tensor),
            Argument::Var(_) => None,
        });
        let tensors: Vec<_> = inputs.chain(outputs.iter().map(|output| &output.0)).collect();
        let lengths = || tensors.iter().flat_map(|tensor| tensor.shape.iter());
        let mut known: HashSet<usize> = lengths()
            .filter(|length| length.is::<prim::Var>())
            .map(|length| length.object().address())
            .collect();
        let used = lengths().chain(&self.scalars).flat_map(|expr| free_variables(expr.object()));
        let new = used.filter(|var| known.insert(var.address()));
        new.filter_map(|var| var.downcast_ref::<prim::Var>().cloned()).collect()
    }
}

/// An operand of an elementwise operator.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Tensor(Tensor),
    Scalar(Scalar),
}

impl Value {
    pub(super) fn dims(&self) -> Vec<Scalar> {
        match self {
            Value::Tensor(tensor) => tensor.dims(),
            Value::Scalar(_) => Vec::new(),
        }
    }
}

/// The literal integers of a list of scalars; `None` if one is not a literal.
pub(super) fn literals(values: &[Scalar]) -> Option<Vec<i64>> {
    values.iter().map(Scalar::known).collect()
}

/// `true` if two lengths are the same literal or the same expression.
pub(super) fn same_length(a: &Scalar, b: &Scalar) -> bool {
    match (&a.0, &b.0) {
        (Ok(a), Ok(b)) => match (ops::int_value(a), ops::int_value(b)) {
            (Some(a), Some(b)) => a == b,
            (None, None) => tvmscript_arith::Analyzer::new().can_prove_equal(a, b),
            _ => false,
        },
        _ => false,
    }
}

/// The lengths of a result without some axes, or with length 1 there.
pub(super) fn reduced_dims(dims: &[Scalar], axes: &[usize], keepdims: bool) -> Vec<Scalar> {
    match keepdims {
        true => axes.iter().fold(dims.to_vec(), |dims, axis| dims.with_at(*axis, super::scalar::int(1))),
        false => dims.without(axes),
    }
}
