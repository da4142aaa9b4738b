//! Calls of functions of buffers: whether the arguments and the stated results fit the function's parameters.
//!
//! Such a function takes the arguments, then what it writes, then scalars. Its struct info says what it takes in all; from the
//! arguments follows what the results are.
//!
//! Upstream counterpart: `ValidateCallTIR`, `NormalizeCallTIRInPlace`, `src/relax/op/op.cc`.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::visit::{Visitor, Walk};
use tvmscript_ir_core::{Array, DataType, PathStep, Ref, Span, Str};
use tvmscript_prim::IntImm;

use crate::analysis::{BaseCheck, CallMismatch, base_check, call_result, same_dims};
use crate::describe;
use crate::node::attrs::CallTIRInplaceAttrs;
use crate::node::*;
use crate::op::MAX_NDIM;
use crate::op::in_place::{self, InPlaceError};

/// What is wrong with a call of a function of buffers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallTirError {
    /// Nothing is known of what is called.
    #[error("`{callee}` is no function whose parameters are known")]
    Callee {
        /// What is called.
        callee: Str,
    },
    /// The arguments are no tuple that is written out.
    #[error("the arguments of `{op}` stand in the call as a tuple")]
    NotInline {
        /// The operator.
        op: Str,
    },
    /// Arguments and results are not as many as the parameters.
    #[error(
        "`{callee}` takes {params}, but the call has {found}: {args}{} and {results}",
        if *scalars == 0 { String::new() } else { format!(", {scalars} in `tir_vars`") },
        params = count(*params, "parameter"),
        found = args + scalars + results,
        args = count(*args, "argument"),
        results = count(*results, "result")
    )]
    Count {
        /// What is called.
        callee: Str,
        /// How many parameters it has.
        params: usize,
        /// How many arguments there are.
        args: usize,
        /// How many scalars stand behind them.
        scalars: usize,
        /// How many results `out_sinfo` says, without those that take the place of arguments.
        results: usize,
    },
    /// An argument does not fit.
    #[error("`{callee}` takes `{expected}` as argument {}, not `{found}`", index + 1)]
    Argument {
        /// What is called.
        callee: Str,
        /// Which, from 0.
        index: usize,
        /// What it takes.
        expected: String,
        /// What there is.
        found: String,
    },
    /// The results are others.
    #[error("`{callee}` makes `{inferred}` of these arguments, not `{stated}` as `out_sinfo` says")]
    Results {
        /// What is called.
        callee: Str,
        /// What `out_sinfo` says.
        stated: String,
        /// What follows from the arguments.
        inferred: String,
    },
    /// Not each result has its index.
    #[error("`inplace_indices` has {found} entries, and the call makes {expected} results")]
    Indices {
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// The indices are wrong.
    #[error("`inplace_indices` {0}")]
    InPlace(#[from] InPlaceError),
    /// A result cannot take the place of an argument.
    #[error(
        "the result `{result}` cannot take the place of the argument `{argument}`: both have one shape and type"
    )]
    Place {
        /// The result.
        result: String,
        /// The argument.
        argument: String,
    },
}

/// A number of things, in words.
fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A mistake with the route from the call to it, and its place.
pub(super) struct Mistake {
    pub(super) error: CallTirError,
    pub(super) steps: Vec<PathStep>,
    pub(super) span: Span,
}

impl Mistake {
    fn of_call(error: CallTirError, call: &Call) -> Mistake {
        Mistake { error, steps: Vec::new(), span: call.span }
    }

    /// At an argument of the function. Variables have the place of their definition: their use has that of the call.
    fn at(error: CallTirError, index: usize, argument: &Expr, call: &Call) -> Mistake {
        let args = [PathStep::Field("args"), PathStep::Index(1), PathStep::Field("fields")];
        let steps = args.into_iter().chain([PathStep::Index(index as u32)]).collect();
        let span = if argument.is::<Var>() { call.span } else { argument.span() };
        Mistake { error, steps, span }
    }
}

/// Whether the call is one of a function of buffers.
pub(super) fn is_call_tir(call: &Call) -> bool {
    matches!(call.op_name(), Some("relax.call_tir" | "relax.call_tir_inplace" | "relax.call_tir_with_grad"))
}

fn text(info: &Ref<StructInfo>) -> String {
    describe::struct_info(info).to_string()
}

/// What is wrong with the call.
pub(super) fn check(call: &Call, analyzer: &mut Analyzer) -> Vec<Mistake> {
    if call.args.len() < 2 || call.sinfo_args.len() != 1 {
        // Inference says what is missing.
        return Vec::new();
    }
    let (callee, args, stated) = (&call.args[0], &call.args[1], &call.sinfo_args[0]);
    let Some(tuple) = args.as_node::<Tuple>() else {
        let op = Str::from(call.op_name().unwrap_or_default().replacen("relax.", "R.", 1));
        return vec![Mistake::of_call(CallTirError::NotInline { op }, call)];
    };
    let indices = call.attrs.as_ref().and_then(|attrs| attrs.as_node::<CallTIRInplaceAttrs>());
    let indices = indices.map(|attrs| &attrs.inplace_indices);
    let mut mistakes = Vec::new();
    if let Some(indices) = indices {
        places(call, tuple, stated, indices, analyzer, &mut mistakes);
    }
    if mistakes.is_empty()
        && let Err(mistake) = results(call, callee, tuple, stated, indices, analyzer)
    {
        mistakes.push(mistake);
    }
    mistakes
}

/// Compares arguments and results with the parameters of the function.
fn results(
    call: &Call,
    callee: &Expr,
    args: &Tuple,
    stated: &Ref<StructInfo>,
    indices: Option<&Array<Ref<IntImm>>>,
    analyzer: &mut Analyzer,
) -> Result<(), Mistake> {
    let Some(name) = callee.as_node::<tvmscript_ir::GlobalVar>().map(|name| name.name_hint.clone()) else {
        return Ok(());
    };
    let Some(info) = struct_info_of(callee) else { return Ok(()) };
    let params = info.as_node::<FuncStructInfo>().and_then(|function| function.params.as_ref());
    let Some(params) = params.map(|params| params.iter().cloned().collect::<Vec<_>>()) else {
        return Err(Mistake::of_call(CallTirError::Callee { callee: name }, call));
    };
    let mut infos: Vec<Ref<StructInfo>> =
        args.fields.iter().map(|arg| struct_info_of(arg).unwrap_or_else(ObjectStructInfo::new)).collect();
    if infos.iter().any(is_distributed) {
        // How these are cut is not known before they are lowered.
        return Ok(());
    }
    let inputs = infos.len();
    infos.extend(scalars(call));
    let stated_count = stated.as_node::<TupleStructInfo>().map_or(1, |tuple| tuple.fields.len());
    let in_place = indices.into_iter().flat_map(Array::iter).filter(|index| index.value >= 0).count();
    let scalars = infos.len() - inputs;
    let count = || CallTirError::Count {
        callee: name.clone(),
        params: params.len(),
        args: inputs,
        scalars,
        results: stated_count.saturating_sub(in_place),
    };
    let outputs = params.len().checked_sub(infos.len());
    let Some(outputs) = outputs.filter(|outputs| outputs + in_place == stated_count) else {
        return Err(Mistake::of_call(count(), call));
    };
    let (first, rest) = params.split_at(inputs);
    let (outputs, last) = rest.split_at(outputs);
    let mut outputs = outputs.to_vec();
    for (i, index) in indices.into_iter().flat_map(Array::iter).enumerate() {
        if let Some(param) = usize::try_from(index.value).ok().and_then(|index| params.get(index)) {
            outputs.insert(i.min(outputs.len()), param.clone());
        }
    }
    let ret = match <[Ref<StructInfo>; 1]>::try_from(outputs) {
        Ok([only]) => only,
        Err(all) => TupleStructInfo::new(all),
    };
    let function = FuncStructInfo {
        span: Span::UNKNOWN,
        params: Some(first.iter().chain(last).cloned().collect()),
        ret,
        derive_func: None,
        purity: true,
    };
    let infos: Array<Ref<StructInfo>> = infos.into_iter().collect();
    let inferred = match call_result(&function, &infos, analyzer) {
        Ok(inferred) => inferred,
        Err(CallMismatch::Count { .. }) => return Err(Mistake::of_call(count(), call)),
        Err(CallMismatch::Argument { index, expected }) => {
            let (expected, found) = (text(&expected), text(&infos[index]));
            let error = CallTirError::Argument { callee: name, index, expected, found };
            return Err(match index < args.fields.len() {
                true => Mistake::at(error, index, &args.fields[index], call),
                false => Mistake::of_call(error, call),
            });
        }
    };
    if base_check(&inferred, stated, analyzer) == BaseCheck::Pass {
        return Ok(());
    }
    let (stated, inferred) = (text(stated), text(&inferred));
    Err(Mistake::of_call(CallTirError::Results { callee: name, stated, inferred }, call))
}

fn is_distributed(info: &Ref<StructInfo>) -> bool {
    let mut found = false;
    let _ = Visitor::new().pre_order(info.object(), |object| {
        found |= object.is::<DTensorStructInfo>();
        match object.is::<TupleStructInfo>() {
            _ if found => Walk::Stop,
            true => Walk::Advance,
            false => Walk::Skip,
        }
    });
    found
}

/// The scalars behind the arguments.
fn scalars(call: &Call) -> Vec<Ref<StructInfo>> {
    let info = call.args.iter().nth(2).and_then(struct_info_of);
    let Some(shape) = info.as_ref().and_then(|info| info.as_node::<ShapeStructInfo>()) else {
        return Vec::new();
    };
    match &shape.values {
        Some(values) => values.iter().map(|value| PrimStructInfo::of_value(value.clone())).collect(),
        // Nobody gives so many arguments; the count alone shows that they do not fit.
        None => (0..shape.ndim.min(MAX_NDIM)).map(|_| PrimStructInfo::new(DataType::INT64)).collect(),
    }
}

/// Compares each result with the argument that it takes the place of.
fn places(
    call: &Call,
    args: &Tuple,
    stated: &Ref<StructInfo>,
    indices: &Array<Ref<IntImm>>,
    analyzer: &mut Analyzer,
    mistakes: &mut Vec<Mistake>,
) {
    let results: Vec<_> = match stated.as_node::<TupleStructInfo>() {
        Some(tuple) => tuple.fields.iter().cloned().collect(),
        None => vec![stated.clone()],
    };
    if results.len() != indices.len() {
        let error = CallTirError::Indices { expected: results.len(), found: indices.len() };
        mistakes.push(Mistake::of_call(error, call));
        return;
    }
    if let Err(error) = in_place::check(indices, args.fields.len()) {
        mistakes.push(Mistake::of_call(error.into(), call));
        return;
    }
    for (result, index) in results.iter().zip(indices.iter()) {
        let Ok(index) = usize::try_from(index.value) else { continue };
        let argument = &args.fields[index];
        let info = struct_info_of(argument).unwrap_or_else(ObjectStructInfo::new);
        if !have_one_place(result, &info, analyzer) {
            let error = CallTirError::Place { result: text(result), argument: text(&info) };
            mistakes.push(Mistake::at(error, index, argument, call));
        }
    }
}

/// Whether both are tensors of one type whose shapes are known to be the same.
fn have_one_place(a: &Ref<StructInfo>, b: &Ref<StructInfo>, analyzer: &mut Analyzer) -> bool {
    let (Some(a), Some(b)) = (a.as_node::<TensorStructInfo>(), b.as_node::<TensorStructInfo>()) else {
        return false;
    };
    let is_one_shape = match (a.dims(), b.dims()) {
        (Some(a), Some(b)) => same_dims(a, b, analyzer),
        _ => false,
    };
    is_one_shape && !a.is_unknown_dtype() && a.dtype == b.dtype
}
