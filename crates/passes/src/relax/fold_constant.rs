//! Constant folding.
//!
//! Upstream counterpart: `src/relax/transform/fold_constant.cc`. Unlike it, conditionals with a constant condition are
//! folded.

use tvmscript_interpreter::{self as interpreter, Argument, Limits};
use tvmscript_ir::{GlobalVar, IRModule};
use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::tensor::element_count;
use tvmscript_ir_core::{Ref, Span, Value, structural_equal};
use tvmscript_prim::{self as prim, IntImm};
use tvmscript_relax::{
    BindingBlock, Call, Constant, Expr, Function, If, SeqExpr, ShapeExpr, TensorStructInfo, Tuple, Var,
    VarBinding, is_dataflow_block,
};
use tvmscript_si_builder::SIBuilder;
use tvmscript_tir::node::PrimFunc;

use super::rewrite::{Rewriter, Rules, rewrite};
use super::usage::remove_unused;
use crate::Result;
use tvmscript_pass::{PassError, map_parts, pass};
use tvmscript_relax::evaluate::{MAX_ELEMENTS, Tensor, evaluate};

pass! {
    /// Replaces uses of constants by the constants, computes operators of dataflow blocks and calls of `PrimFunc`s on
    /// constants, replaces a conditional with a constant condition by the branch that is taken, and removes what is unused
    /// then.
    pub FoldConstant = "relax.FoldConstant" for IRModule |module, context| {
        let (functions, fills_spans) = (module.clone(), context.fills_spans()?);
        map_parts::<Function, _>(module, |function| {
            remove_unused(&rewrite(&function, &mut Folder { module: &functions, fills_spans })?)
        })
    }
}

/// Reason of merged spans.
const REASON: &str = "relax.FoldConstant";
/// Maximum number of spans of a folded constant; a longer list is replaced by the span of the call.
const MAX_SPANS: usize = 16;

/// Limits of the interpreter for one call.
const LIMITS: Limits = Limits { steps: 1 << 22, bytes: 1 << 26 };

struct Folder<'m> {
    module: &'m IRModule,
    fills_spans: bool,
}

impl Rules for Folder<'_> {
    fn usage(&mut self, var: &Ref<Var>, cx: &mut Rewriter) -> Option<Expr> {
        cx.value_of(var).filter(|value| value.is::<Constant>())
    }

    fn expression(&mut self, _: &Expr, new: Expr, cx: &mut Rewriter) -> Result<Expr> {
        if let Some(node) = new.as_node::<If>() {
            return Ok(match truth(&node.cond) {
                Some(true) => taken(&node.true_branch, node.span),
                Some(false) => taken(&node.false_branch, node.span),
                None => new,
            });
        }
        let Some(call) = new.as_node::<Call>() else { return Ok(new) };
        match call.op_name() {
            None => Ok(new),
            Some("relax.call_tir") => {
                let result = self.call_tir(call);
                Ok(result.map_or_else(|| new.clone(), |folded| folded.with_span(self.merged_span(&new))))
            }
            Some(_) => fold(self, &new, call, cx),
        }
    }
}

impl Folder<'_> {
    /// Runs a `PrimFunc` on constants. `None` if it fails or takes too long.
    fn call_tir(&self, call: &Call) -> Option<Expr> {
        let [callee, inputs] = &call.args.iter().collect::<Vec<_>>()[..] else { return None };
        let callee = Value::Node(callee.as_node::<GlobalVar>().map(|_| callee.object().clone())?);
        let function = self.module.functions.get(&callee)?.downcast_ref::<PrimFunc>()?;
        let [result] = &call.sinfo_args.iter().collect::<Vec<_>>()[..] else { return None };
        let result = result.as_node::<TensorStructInfo>()?;
        let shape: Option<Vec<i64>> =
            result.dims()?.iter().map(|dim| dim.as_node::<IntImm>().map(|int| int.value)).collect();
        let shape = shape?;
        if element_count(&shape) > MAX_ELEMENTS as u64 {
            return None;
        }
        let input = |input: &Expr| {
            let tensor = &input.as_node::<Constant>()?.data;
            let bytes = tensor.bytes()?.to_vec();
            interpreter::Tensor::from_bytes(tensor.dtype, &tensor.shape, bytes).ok().map(Argument::Tensor)
        };
        let mut arguments: Vec<Argument> =
            inputs.as_node::<Tuple>()?.fields.iter().map(input).collect::<Option<_>>()?;
        arguments.push(Argument::Tensor(interpreter::Tensor::zeros(result.dtype, &shape).ok()?));
        interpreter::run(function, &mut arguments, LIMITS).ok()?;
        let bytes = arguments.last()?.tensor()?.bytes().to_vec();
        let node = TensorNode { dtype: result.dtype, shape: shape.into(), data: bytes.into() };
        Some(Constant::new(Ref::new(node)).upcast())
    }
}

impl Folder<'_> {
    /// The spans of a call and its constants, or of the call alone if these are many or spans are not filled.
    fn merged_span(&self, call: &Expr) -> Span {
        if !self.fills_spans {
            return call.span();
        }
        let span = SIBuilder::from_subgraph(call, &[] as &[Expr]).create_span();
        if span.part_count() > MAX_SPANS || !span.is_known() { call.span() } else { span }
    }
}

/// The value of a constant condition.
fn truth(cond: &Expr) -> Option<bool> {
    let tensor = Tensor::decode(&cond.as_node::<Constant>()?.data)?;
    tensor.ints()?.first().map(|value| *value != 0)
}

/// A branch in place of its conditional. Its value has the spans of the value and of the conditional.
fn taken(branch: &Ref<SeqExpr>, conditional: Span) -> Expr {
    let merged = |value: &Expr| Span::sequence([value.span(), conditional], REASON);
    let mut branch = branch.clone();
    let last = branch
        .blocks
        .values()
        .last()
        .and_then(|block| block.as_object()?.downcast_ref::<BindingBlock>().cloned());
    let binding = last.as_ref().and_then(|block| block.bindings.iter().last().cloned());
    if let (Some(last), Some(result)) =
        (&last, binding.as_ref().and_then(|binding| binding.as_node::<VarBinding>()))
        && branch.body.ptr_eq(&result.var)
        && !is_dataflow_block(last)
    {
        let before = last.bindings.iter().take(last.bindings.len() - 1).cloned();
        let shortened = BindingBlock::new(before, false).with_span(last.span);
        let blocks = branch.blocks.iter().take(branch.blocks.len() - 1).cloned().chain([shortened]).collect();
        let body = with_span(&result.value, merged(&result.value));
        let node = branch.make_mut();
        node.blocks = blocks;
        node.body = body;
    } else {
        let span = merged(&branch.body);
        branch.make_mut().span = span;
    }
    branch.upcast()
}

/// A copy of an expression with another span. Variables keep theirs.
fn with_span(expr: &Expr, span: Span) -> Expr {
    if expr.is::<Var>() { expr.clone() } else { expr.clone().with_span(span) }
}

/// Folds a call of an operator.
fn fold(folder: &Folder<'_>, expr: &Expr, call: &Call, cx: &mut Rewriter) -> Result<Expr> {
    let shape_of = |arg: &Expr| {
        let value = arg.downcast_ref::<Var>().and_then(|var| cx.value_of(var));
        value.filter(|value| value.is::<ShapeExpr>()).unwrap_or_else(|| arg.clone())
    };
    let args: Vec<Expr> = call.args.iter().map(shape_of).collect();
    let is_same = args.iter().zip(call.args.iter()).all(|(new, old)| new.ptr_eq(old));
    let args = args.into_iter().collect();
    let inferred: Expr = Ref::new(Call { args, struct_info_: None, ..call.clone() }).upcast();
    // A call of types that inference refuses has a stated result, which stays.
    let Ok(inferred) = cx.blocks.normalize(inferred) else { return Ok(expr.clone()) };
    let Some(new) = inferred.as_node::<Call>() else { return Ok(inferred) };
    if cx.blocks.in_dataflow()
        && let Some(folded) = folded(new)?
    {
        return Ok(folded.with_span(folder.merged_span(&inferred)));
    }
    let keeps_info = match (&call.struct_info_, &new.struct_info_) {
        (Some(old), Some(new)) => structural_equal(old, new),
        _ => false,
    };
    Ok(if is_same && keeps_info { expr.clone() } else { inferred })
}

/// The value of a call of a dataflow block.
fn folded(call: &Call) -> Result<Option<Expr>> {
    match call.op_name() {
        Some("relax.tensor_to_shape") => {
            let tensor = call.args.values().first().and_then(|arg| arg.as_object()?.as_node::<Constant>());
            let Some(tensor) = tensor.and_then(|constant| Tensor::decode(&constant.data)) else {
                return Ok(None);
            };
            let lengths =
                tensor.ints().map(|lengths| lengths.iter().map(|length| IntImm::int64(*length as i64)));
            let Some(lengths) = lengths else { return Ok(None) };
            let shape = ShapeExpr::try_new(lengths);
            Ok(Some(shape.map_err(|error| PassError::unsupported(error.to_string()))?.upcast()))
        }
        Some("relax.shape_to_tensor") => {
            let shape = call.args.values().first().and_then(|arg| arg.as_object()?.as_node::<ShapeExpr>());
            let lengths = |shape: &ShapeExpr| shape.values.iter().map(length).collect::<Option<Vec<_>>>();
            let Some(lengths) = shape.and_then(lengths) else { return Ok(None) };
            let dtype = tvmscript_ir_core::DataType::INT64;
            let tensor = Tensor::of_ints(dtype, vec![lengths.len()], lengths);
            Ok(Some(Constant::new(tensor.encode()).upcast()))
        }
        _ => Ok(evaluate(call).map(|tensor| Constant::new(tensor.encode()).upcast())),
    }
}

fn length(value: &prim::Expr) -> Option<i128> {
    value.as_node::<IntImm>().map(|int| int.value.into())
}
