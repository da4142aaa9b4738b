//! Calls of PrimFuncs: compares the arguments and stated results with the function's parameters.
//!
//! A PrimFunc takes the arguments, then the results it writes, then scalars.
//!
//! Upstream counterpart: `ValidateCallTIR`, `NormalizeCallTIRInPlace`, `src/relax/op/op.cc`.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::visit::{Visitor, Walk};
use tvmscript_ir_core::{Array, DataType, PathStep, Ref, Span, Str, error_codes};
use tvmscript_prim::IntImm;

use crate::analysis::{BaseCheck, CallMismatch, base_check, call_result, same_dims};
use crate::describe;
use crate::node::attrs::CallTIRInplaceAttrs;
use crate::node::*;
use crate::op::MAX_NDIM;
use crate::op::call::{InPlaceError, check_in_place};

/// A mistake in a call of a PrimFunc.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallTirError {
    /// The parameters of the callee are unknown.
    #[error("the parameters of `{callee}` are unknown")]
    Callee {
        /// Callee.
        callee: Str,
    },
    /// The arguments are not a tuple literal.
    #[error("the arguments of `{op}` must be a tuple literal")]
    NotInline {
        /// Operator.
        op: Str,
    },
    /// The numbers of arguments and results do not match the parameters.
    #[error(
        "`{callee}` has {params}, but the call has {found}: {args}{} and {results}",
        if *scalars == 0 { String::new() } else { format!(", {scalars} in `tir_vars`") },
        params = count(*params, "parameter"),
        found = args + scalars + results,
        args = count(*args, "argument"),
        results = count(*results, "result")
    )]
    Count {
        /// Callee.
        callee: Str,
        /// Number of parameters.
        params: usize,
        /// Number of arguments.
        args: usize,
        /// Number of scalars.
        scalars: usize,
        /// Number of results in `out_sinfo` that do not overwrite arguments.
        results: usize,
    },
    /// An argument does not match its parameter.
    #[error("`{callee}` expects `{expected}` as argument {}, found `{found}`", index + 1)]
    Argument {
        /// Callee.
        callee: Str,
        /// Index of the argument, from 0.
        index: usize,
        /// Parameters.
        expected: String,
        /// Found.
        found: String,
    },
    /// The stated results do not match the inferred ones.
    #[error("`out_sinfo` does not match the result of `{callee}`: expected `{inferred}`, found `{stated}`")]
    Results {
        /// Callee.
        callee: Str,
        /// Stated results.
        stated: String,
        /// Inferred results.
        inferred: String,
    },
    /// The numbers of indices and results differ.
    #[error("expected {expected} entries in `inplace_indices`, one per result, found {found}")]
    Indices {
        /// Expected.
        expected: usize,
        /// Found.
        found: usize,
    },
    /// The indices are invalid.
    #[error("`inplace_indices` {0}")]
    InPlace(#[from] InPlaceError),
    /// A result cannot overwrite the argument.
    #[error(
        "the result `{result}` cannot overwrite the argument `{argument}`: their shapes and types must be equal"
    )]
    Place {
        /// Result.
        result: String,
        /// Argument.
        argument: String,
    },
}

error_codes! {
    CallTirError {
        CallTirError::Callee { .. } => "E0640" "ill-formed"
            "A call of a PrimFunc names a function whose parameters are unknown, because it is not a PrimFunc.";
        CallTirError::NotInline { .. } => "E0641" "ill-formed"
            "The arguments of a call of a PrimFunc are a variable, where a tuple literal is required.";
        CallTirError::Count { .. } => "E0642" "ill-formed"
            "A call of a PrimFunc has more or fewer arguments and results than the function has parameters.";
        CallTirError::Argument { .. } => "E0643" "ill-formed"
            "An argument of a call of a PrimFunc differs in rank, shape or type from the parameter.";
        CallTirError::Results { .. } => "E0644" "ill-formed"
            "`out_sinfo` of a call of a PrimFunc differs from the last parameters of the function.";
        CallTirError::Indices { .. } => "E0645" "ill-formed"
            "`inplace_indices` needs one entry per result: the index of the argument that it overwrites, or -1.";
        CallTirError::InPlace(_) => "E0646" "ill-formed"
            "`inplace_indices` names no argument, or one argument twice.";
        CallTirError::Place { .. } => "E0647" "ill-formed"
            "A result cannot overwrite an argument of another shape or type.";
    }
}

/// `1 argument`, `2 arguments`
fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// An error with its path relative to the call, and its span.
pub(super) struct Mistake {
    pub(super) error: CallTirError,
    pub(super) steps: Vec<PathStep>,
    pub(super) span: Span,
}

impl Mistake {
    fn of_call(error: CallTirError, call: &Call) -> Mistake {
        Mistake { error, steps: Vec::new(), span: call.span }
    }

    /// An error at an argument. A variable has the span of its definition, so its use is reported at the call.
    fn at(error: CallTirError, index: usize, argument: &Expr, call: &Call) -> Mistake {
        let args = [PathStep::Field("args"), PathStep::Index(1), PathStep::Field("fields")];
        let steps = args.into_iter().chain([PathStep::Index(index as u32)]).collect();
        let span = if argument.is::<Var>() { call.span } else { argument.span() };
        Mistake { error, steps, span }
    }
}

/// Returns `true` for calls of PrimFuncs that the check covers.
pub(super) fn is_call_tir(call: &Call) -> bool {
    matches!(call.op_name(), Some("relax.call_tir" | "relax.call_tir_inplace" | "relax.call_tir_with_grad"))
}

fn text(info: &Ref<StructInfo>) -> String {
    describe::struct_info(info).to_string()
}

/// Checks a call of a PrimFunc.
pub(super) fn check(call: &Call, analyzer: &mut Analyzer) -> Vec<Mistake> {
    let (Some(callee), Some(args), Some(stated)) =
        (call.args.first(), call.args.get(1), call.sinfo_args.only())
    else {
        // Type inference reports these.
        return Vec::new();
    };
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

/// Compares arguments and results with the parameters.
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
        // Their local shapes are unknown before lowering.
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
        Err(CallMismatch::Argument { index, expected, found }) => {
            let (expected, found) = (text(&expected), text(&found));
            let error = CallTirError::Argument { callee: name, index, expected, found };
            return Err(match args.fields.get(index) {
                Some(argument) => Mistake::at(error, index, argument, call),
                None => Mistake::of_call(error, call),
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

/// The struct info of the scalar arguments.
fn scalars(call: &Call) -> Vec<Ref<StructInfo>> {
    let info = call.args.iter().nth(2).and_then(struct_info_of);
    let Some(shape) = info.as_ref().and_then(|info| info.as_node::<ShapeStructInfo>()) else {
        return Vec::new();
    };
    match &shape.values {
        Some(values) => values.iter().map(|value| PrimStructInfo::of_value(value.clone())).collect(),
        // A count above the limit cannot match.
        None => (0..shape.ndim.min(MAX_NDIM)).map(|_| PrimStructInfo::new(DataType::INT64)).collect(),
    }
}

/// Compares each result with the argument that it overwrites.
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
    if let Err(error) = check_in_place(indices, args.fields.len()) {
        mistakes.push(Mistake::of_call(error.into(), call));
        return;
    }
    for (result, index) in results.iter().zip(indices.iter()) {
        // The index of a new result is negative.
        let Ok(index) = usize::try_from(index.value) else { continue };
        let Some(argument) = args.fields.get(index) else { continue };
        let info = struct_info_of(argument).unwrap_or_else(ObjectStructInfo::new);
        if !have_one_place(result, &info, analyzer) {
            let error = CallTirError::Place { result: text(result), argument: text(&info) };
            mistakes.push(Mistake::at(error, index, argument, call));
        }
    }
}

/// Returns `true` if both are tensors of the same known shape and type.
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
