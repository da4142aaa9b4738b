//! `R.emit_te`: a call of a new function of the module, which computes what a function of tensor expressions returns.
//!
//! The tensor expressions belong to another dialect, which registers [`TensorExpressions`]; here are only the conversions of
//! arguments and results. Dimensions of the caller are other variables in the new function.
//!
//! Upstream counterpart: `gen_call_tir_inputs`, `python/tvm/relax/utils.py`.

use std::rc::Rc;
use std::sync::Arc;

use tvmscript_ir::build::{TensorExpressions, decl_function, def_function};
use tvmscript_ir::{RelaxExpr, VDevice, function_type};
use tvmscript_ir_core::{
    Array, Map, Object, PtrMap, PtrSet, Ref, Str, Value, free_variables, substitute, with_stack,
};
use tvmscript_irbuilder::record::{paused, record_syntax, record_syntax_as};
use tvmscript_irbuilder::{
    ArgumentRef, BuildError, BuildResult, Builder, CallArgs, FromScript, ScriptValue, script_fn,
};
use tvmscript_prim::{self as prim, PrimExpr};

use super::args::InfosArg;
use crate::node::*;
use crate::op::call::CALL_TIR;
use crate::syntax::RelaxSyntax;

/// Maximum number of arguments, with those in lists and dictionaries.
const MAX_ARGUMENTS: usize = 4096;

/// Calls a function with tensor expressions in place of the arguments. The tensors that it returns become a private function
/// of the module, and the result is a call of that function.
#[script_fn]
pub fn emit_te(
    func: ScriptValue,
    #[args] args: Vec<ScriptValue>,
    #[kwargs] kwargs: Vec<(Str, ScriptValue)>,
) -> BuildResult<Ref<Call>> {
    let Some(dialect) = Builder::context::<TensorExpressions>() else {
        let error = BuildError::message("the open registry has no dialect with tensor expressions");
        return Err(error.with_help("add the dialect `te` to the registry"));
    };
    let mut hint = None;
    let mut attrs = Map::default();
    let mut stated = None;
    let mut inputs = Inputs::new(&dialect);
    let mut keywords = Vec::with_capacity(kwargs.len());
    let mut positional = Vec::with_capacity(args.len());
    for (at, arg) in args.into_iter().enumerate() {
        positional.push(inputs.convert(arg).map_err(|error| error.at_position(at + 1))?);
    }
    for (name, value) in kwargs {
        match name.as_str() {
            "primfunc_name_hint" => hint = Option::<Str>::from_script(value)?,
            "primfunc_attrs" => attrs = Option::<Map<Str, Value>>::from_script(value)?.unwrap_or_default(),
            "sinfo_args" => stated = Some(InfosArg::from_script(value)?.0),
            _ => {
                let value = inputs.convert(value)?;
                keywords.push((name, value));
            }
        }
    }
    let name = match hint.filter(|name| !name.as_str().is_empty()) {
        Some(name) => name,
        None => name_of(&func)?,
    };
    let count = positional.len();
    let args = CallArgs { positional: positional.into(), keywords: keywords.into() };
    let result = paused(|| call(&func, args)).map_err(|error| at_own_argument(error, count))?;
    let outputs = Outputs::new(&dialect, &result)?;
    let unbound = inputs.unbound(&outputs);
    let old = |expr: &prim::Expr| {
        substitute(expr.clone(), &inputs.old).map_err(|error| BuildError::message(error.to_string()))
    };
    // Scalars beside the tensors: their own argument of the call, or its last arguments where scalars are expressions.
    let scalars = unbound.iter().map(|var| old(&var.clone().upcast())).collect::<BuildResult<Vec<_>>>()?;
    let vars = unbound.into_iter().map(ScriptValue::from);
    let mut call_args = inputs.call_args.clone();
    let mut params = inputs.values.clone();
    let mut tir_vars = None;
    if RelaxSyntax::open().has_bare_scalars {
        call_args.extend(scalars.into_iter().map(PrimValue::or_variable));
        params.extend(vars.chain(outputs.values));
    } else {
        params.extend(outputs.values.into_iter().chain(vars));
        if !scalars.is_empty() {
            tir_vars = Some(ShapeExpr::try_new(scalars)?.upcast());
        }
    }
    let infos = match stated {
        Some(infos) if infos.len() == 1 => infos,
        _ => {
            let info = |(shape, dtype): &(Array<prim::Expr>, _)| {
                let shape = ShapeExpr::try_new(shape.iter().map(old).collect::<BuildResult<Vec<_>>>()?)?;
                Ok(TensorStructInfo::of_shape(shape, *dtype, inputs.vdevice.clone()).upcast())
            };
            outputs.types.iter().map(info).collect::<BuildResult<Vec<_>>>()?
        }
    };
    let function = (dialect.function)(params, attrs)?;
    let var = decl_function(&name, function_type(&function))?;
    // A program has the function that was made, not the one that was called.
    record_syntax_as("I.decl_function", || vec![ScriptValue::Str(name.clone())], || var.clone().into());
    record_syntax("I.def_function", || vec![ScriptValue::Str(name.clone()), function.clone().into()]);
    def_function(&name, function)?;
    let operands = [var.upcast(), Tuple::new(call_args).upcast()].into_iter().chain(tir_vars);
    Ok(CALL_TIR.call_stated(None, operands, [InfosArg(infos).into_one()]))
}

fn call(function: &ScriptValue, args: CallArgs) -> BuildResult<ScriptValue> {
    match function {
        ScriptValue::Function(function) => function.call(args),
        ScriptValue::Host(host) if host.is_callable() => host.call(args),
        other => {
            let error = BuildError::expected("a function of tensor expressions", other.type_name());
            Err(error.at_position(0))
        }
    }
}

/// The error of a function that got `count` arguments by position, at the argument of the call of `R.emit_te`.
fn at_own_argument(mut error: BuildError, count: usize) -> BuildError {
    error.argument = error.argument.map(|argument| match argument {
        ArgumentRef::Parameter { name, index } if index as usize >= count => {
            ArgumentRef::Keyword(Str::new(name))
        }
        ArgumentRef::Parameter { index, .. } => ArgumentRef::Position(index as usize + 1),
        ArgumentRef::Position(index) => ArgumentRef::Position(index + 1),
        keyword => keyword,
    });
    error
}

/// The name of a Python function, `<lambda>` for one without a name.
fn name_of(function: &ScriptValue) -> BuildResult<Str> {
    let name = match function {
        ScriptValue::Function(function) => Some(function.name.into()),
        ScriptValue::Host(host) => host.attribute("__name__").and_then(|name| name.as_str().map(Str::from)),
        _ => None,
    };
    name.ok_or_else(|| {
        let error =
            BuildError::message("the function has no name").with_help("add `primfunc_name_hint=\"..\"`");
        error.at_position(0)
    })
}

/// The arguments of the new function.
struct Inputs {
    dialect: Arc<TensorExpressions>,
    /// Variables of the caller, with those of the function, and the inverse.
    new: PtrMap<Object>,
    old: PtrMap<Object>,
    call_args: Vec<Expr>,
    /// Tensors and variables, one per argument of the call.
    values: Vec<ScriptValue>,
    /// Variables that are used, in order, and those that arguments define.
    used: Vec<Object>,
    bound: PtrSet,
    vdevice: Option<Ref<VDevice>>,
    /// Arguments that were converted.
    count: usize,
    /// Containers that are being converted.
    open: Vec<*const ()>,
}

impl Inputs {
    fn new(dialect: &Arc<TensorExpressions>) -> Inputs {
        Inputs {
            dialect: dialect.clone(),
            new: PtrMap::default(),
            old: PtrMap::default(),
            call_args: Vec::new(),
            values: Vec::new(),
            used: Vec::new(),
            bound: PtrSet::default(),
            vdevice: None,
            count: 0,
            open: Vec::new(),
        }
    }

    /// The value that the function gets for an argument.
    fn convert(&mut self, value: ScriptValue) -> BuildResult<ScriptValue> {
        self.count += 1;
        if self.count > MAX_ARGUMENTS {
            return Err(BuildError::message(format!("more than {MAX_ARGUMENTS} arguments")));
        }
        let place: *const () = match &value {
            ScriptValue::Tuple(items) => Rc::as_ptr(items).cast(),
            ScriptValue::List(items) => Rc::as_ptr(items).cast(),
            ScriptValue::Dict(dict) => Rc::as_ptr(dict).cast(),
            _ => return self.convert_leaf(value),
        };
        if self.open.contains(&place) {
            return Err(BuildError::message("a container cannot contain itself"));
        }
        self.open.push(place);
        let result = with_stack(|| self.convert_container(&value));
        self.open.pop();
        result
    }

    fn convert_container(&mut self, value: &ScriptValue) -> BuildResult<ScriptValue> {
        if let ScriptValue::Dict(dict) = value {
            let mut new = dict.borrow().clone();
            for (key, item) in new.iter_mut() {
                if key.0.as_str().is_none() {
                    return Err(BuildError::expected("a dictionary with strings as keys", key.0.type_name()));
                }
                *item = self.convert(std::mem::take(item))?;
            }
            return Ok(ScriptValue::Dict(Rc::new(new.into())));
        }
        let items = value.items().unwrap_or_default().into_iter().enumerate();
        let items = items.map(|(at, item)| self.convert(item).map_err(|error| error.at_item(at)));
        let items = items.collect::<BuildResult<Vec<_>>>()?;
        Ok(match value {
            ScriptValue::Tuple(_) => ScriptValue::tuple(items),
            _ => ScriptValue::list(items),
        })
    }

    fn convert_leaf(&mut self, value: ScriptValue) -> BuildResult<ScriptValue> {
        if let Some(used) = value.as_node::<ScalarUse>() {
            return self.expr(&used.var.clone().upcast());
        }
        if let Some(expr) = value.as_node::<RelaxExpr>() {
            return self.expr(&expr.clone().upcast());
        }
        if let Some(scalar) = value.as_node::<PrimExpr>() {
            return self.scalar(scalar);
        }
        if let Some(items) = value.items() {
            let items = items.into_iter().map(|item| self.convert(item));
            return Ok(ScriptValue::list(items.collect::<BuildResult<Vec<_>>>()?));
        }
        Ok(value)
    }

    fn expr(&mut self, expr: &Expr) -> BuildResult<ScriptValue> {
        let Some(info) = struct_info_of(expr) else {
            let error = BuildError::message("the type of the argument is not known yet");
            return Err(error.with_help("assign it to a variable first"));
        };
        let var_name = expr.as_node::<Var>().map(|var| var.vid.name_hint.get());
        let count = self.values.len();
        let letter =
            |first: u8| u8::try_from(count).ok().filter(|at| *at < 26).map(|at| char::from(first + at));
        let name = |first: u8, kind: &str| {
            let letter = letter(first).map(|letter| Str::from(letter.to_string()));
            var_name.clone().or(letter).unwrap_or_else(|| format!("{kind}_input_{count}").into())
        };
        if let Some(tensor) = info.as_node::<TensorStructInfo>() {
            let Some(dims) = tensor.dims() else {
                let found = format!("`{}`", crate::describe::struct_info(&info));
                return Err(BuildError::expected("a tensor with known dimensions", found));
            };
            let dims = dims.iter().map(|dim| self.renamed(dim)).collect::<BuildResult<Array<_>>>()?;
            self.bound
                .extend(dims.iter().filter(|dim| dim.is::<prim::Var>()).map(|dim| dim.object().clone()));
            if self.vdevice.is_none() {
                self.vdevice = tensor.vdevice.clone();
            }
            let value = (self.dialect.placeholder)(dims, tensor.dtype, name(b'A', "tensor"));
            self.call_args.push(expr.clone());
            self.values.push(value.clone());
            return Ok(value);
        }
        if info.is::<ShapeStructInfo>() {
            let Some(shape) = expr.as_node::<ShapeExpr>() else {
                let error = BuildError::expected("a shape literal", "a variable that holds a shape");
                return Err(error.with_help("write the dimensions: `R.shape([n, 4])`"));
            };
            let dims = shape.values.iter().map(|dim| self.scalar(dim));
            return Ok(ScriptValue::list(dims.collect::<BuildResult<Vec<_>>>()?));
        }
        if let Some(scalar) = info.as_node::<PrimStructInfo>() {
            if let Some(value) = &scalar.value {
                return self.scalar(value);
            }
            let var = prim::Var::new(name(b'a', "scalar"), scalar.dtype);
            self.bound.insert(var.object().clone());
            self.call_args.push(expr.clone());
            self.values.push(var.clone().into());
            return Ok(var.into());
        }
        let found = format!("`{}`", crate::describe::struct_info(&info));
        Err(BuildError::expected("a tensor, a shape or a scalar", found))
    }

    fn scalar(&mut self, scalar: &prim::Expr) -> BuildResult<ScriptValue> {
        self.renamed(scalar).map(ScriptValue::from)
    }

    /// The expression with the variables of the function.
    fn renamed(&mut self, expr: &prim::Expr) -> BuildResult<prim::Expr> {
        for object in free_variables(expr.object()) {
            let Some(var) = object.as_node::<prim::Var>() else { continue };
            if !self.new.contains_key(&object) {
                let new = prim::Var::new(var.name.get(), var.dtype);
                self.old.insert(new.object().clone(), object.clone());
                self.used.push(new.object().clone());
                self.new.insert(object.clone(), new.into());
            }
        }
        substitute(expr.clone(), &self.new).map_err(|error| BuildError::message(error.to_string()))
    }

    /// The variables that no dimension and no argument defines.
    fn unbound(&self, outputs: &Outputs) -> Vec<Ref<prim::Var>> {
        let mut used = self.used.clone();
        let mut bound = self.bound.clone();
        for dim in outputs.types.iter().flat_map(|(shape, _)| shape.iter()) {
            if dim.is::<prim::Var>() {
                bound.insert(dim.object().clone());
            }
            used.extend(free_variables(dim.object()));
        }
        let mut found: Vec<Ref<prim::Var>> = Vec::new();
        for object in used {
            if let Some(var) = object.downcast_ref::<prim::Var>()
                && bound.insert(object.clone())
            {
                found.push(var.clone());
            }
        }
        found
    }
}

/// The tensors that the function returns, and their types.
struct Outputs {
    values: Vec<ScriptValue>,
    types: Vec<(Array<prim::Expr>, tvmscript_ir_core::DataType)>,
}

impl Outputs {
    fn new(dialect: &TensorExpressions, result: &ScriptValue) -> BuildResult<Outputs> {
        let values = result.items().unwrap_or_else(|| vec![result.clone()]);
        let types = values.iter().map(|value| {
            (dialect.tensor)(value).ok_or_else(|| {
                let expected = "a function that returns a tensor, or a list or tuple of them";
                BuildError::expected(expected, value.type_name()).at_position(0)
            })
        });
        let types = types.collect::<BuildResult<Vec<_>>>()?;
        if types.is_empty() {
            let error = BuildError::expected("a function that returns a tensor", "one that returns none");
            return Err(error.at_position(0));
        }
        Ok(Outputs { values, types })
    }
}
