//! Constant folding.
//!
//! Upstream counterpart: `src/relax/transform/fold_constant.cc`. Unlike it, conditionals with a constant condition are
//! folded; calls of `PrimFunc`s are not.

use tvmscript_ir_core::{Ref, Span, structural_equal};
use tvmscript_prim::{self as prim, IntImm};
use tvmscript_relax::{
    BindingBlock, Call, Constant, Expr, Function, If, SeqExpr, ShapeExpr, Var, VarBinding, is_dataflow_block,
};
use tvmscript_si_builder::SIBuilder;

use super::evaluate::{Tensor, evaluate};
use super::rewrite::{Result, Rewriter, Rules, relax_error, rewrite};
use super::usage::remove_unused;
use crate::{PassError, pass};

pass! {
    /// Replaces uses of constants by the constants, computes operators of dataflow blocks on constants, replaces a
    /// conditional with a constant condition by the branch that is taken, and removes what is unused then.
    pub FoldConstant = "relax.FoldConstant" for Function |function, _context| {
        remove_unused(&rewrite(&function, &mut Folder)?)
    }
}

/// Reason of merged spans.
const REASON: &str = "relax.FoldConstant";
/// Maximum number of spans of a folded constant; a longer list is replaced by the span of the call.
const MAX_SPANS: usize = 16;

struct Folder;

impl Rules for Folder {
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
        match new.as_node::<Call>() {
            Some(call) if call.op_name().is_some_and(|name| name != "relax.call_tir") => fold(&new, call, cx),
            _ => Ok(new),
        }
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
fn fold(expr: &Expr, call: &Call, cx: &mut Rewriter) -> Result<Expr> {
    let shape_of = |arg: &Expr| {
        let value = arg.downcast_ref::<Var>().and_then(|var| cx.value_of(var));
        value.filter(|value| value.is::<ShapeExpr>()).unwrap_or_else(|| arg.clone())
    };
    let args: Vec<Expr> = call.args.iter().map(shape_of).collect();
    let is_same = args.iter().zip(call.args.iter()).all(|(new, old)| new.ptr_eq(old));
    let args = args.into_iter().collect();
    let inferred: Expr = Ref::new(Call { args, struct_info_: None, ..call.clone() }).upcast();
    let inferred = cx.blocks.normalize(inferred).map_err(relax_error)?;
    let Some(new) = inferred.as_node::<Call>() else { return Ok(inferred) };
    if cx.blocks.in_dataflow()
        && let Some(folded) = folded(new)?
    {
        let span = SIBuilder::from_subgraph(&inferred, &[] as &[Expr]).create_span();
        let span = if span.part_count() > MAX_SPANS || !span.is_known() { new.span } else { span };
        return Ok(folded.with_span(span));
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
