//! Dataflow blocks: made from pure bindings, or removed.
//!
//! Upstream counterparts: `src/relax/transform/{convert_dataflow,to_non_dataflow,normalize}.cc`.

use tvmscript_ir::IRModule;
use tvmscript_ir_core::{Array, Object, ObjectLike, Ref, post_order_mutate};
use tvmscript_relax::analysis::is_impure_call;
use tvmscript_relax::{
    Binding, BindingBlock, Call, Expr, Function, If, SeqExpr, Var, binding_parts, is_dataflow_block,
    is_dataflow_var,
};

use super::canonicalize::canonicalize;
use super::rewrite::{Rules, rewrite};
use crate::Result;
use tvmscript_pass::{OptionDecl, OptionValue, pass};

/// Option that sets the smallest dataflow block to make.
pub(super) const MIN_SIZE: OptionDecl = OptionDecl {
    key: "relax.ConvertToDataflow.min_size",
    default: OptionValue::Int(2),
    doc: "the smallest number of bindings that become a dataflow block",
};

pass! {
    /// Gathers consecutive bindings without effects and branches in dataflow blocks, and canonicalizes bindings.
    pub ConvertToDataflow = "relax.ConvertToDataflow" for Function in IRModule |function, context| {
        let min_size = usize::try_from(context.integer(MIN_SIZE.key).unwrap_or(2)).unwrap_or(0);
        let gathered = post_order_mutate(function, |node| {
            let seq = node.downcast_ref::<SeqExpr>()?;
            gathered(seq, min_size).map(ObjectLike::into_object)
        })?;
        canonicalize(&normal(&gathered)?)
    }
}

pass! {
    /// Turns dataflow blocks into ordinary blocks and dataflow variables into ordinary variables.
    pub ToNonDataflow = "relax.ToNonDataflow" for Function in IRModule |function, _context| {
        normal(&post_order_mutate(function, without_dataflow)?)
    }
}

pass! {
    /// Brings functions into normal form: operands are variables, constants or tuples, and adjacent blocks of a kind are
    /// one.
    pub Normalize = "relax.Normalize", opt_level = 1 for Function in IRModule |function, _context| {
        normal(&function)
    }
}

struct Nothing;

impl Rules for Nothing {}

/// Normalizes a function.
fn normal(function: &Ref<Function>) -> Result<Ref<Function>> {
    rewrite(function, &mut Nothing)
}

fn without_dataflow(node: &Object) -> Option<Object> {
    if let Some(var) = node.downcast_ref::<Var>() {
        return is_dataflow_var(var).then(|| Ref::new((**var).clone()).into());
    }
    let block = node.downcast_ref::<BindingBlock>()?;
    is_dataflow_block(block).then(|| Ref::new((**block).clone()).into())
}

/// Returns `true` if a dataflow block may contain the value.
fn is_pure(value: &Expr) -> bool {
    !value.is::<If>() && !value.as_node::<Call>().is_some_and(is_impure_call)
}

/// Moves bindings into dataflow blocks; `None` if there are none to move.
fn gathered(seq: &Ref<SeqExpr>, min_size: usize) -> Option<Ref<SeqExpr>> {
    let mut blocks = Vec::new();
    let mut plain: Vec<Ref<Binding>> = Vec::new();
    let mut pure: Vec<Ref<Binding>> = Vec::new();
    // A dataflow block that is part of `pure` stays one, however small.
    let mut has_block = false;
    let mut finish = |plain: &mut Vec<Ref<Binding>>, pure: &mut Vec<Ref<Binding>>, has_block: &mut bool| {
        if pure.len() < min_size && !*has_block {
            plain.append(pure);
        } else if !pure.is_empty() {
            blocks.extend(
                (!plain.is_empty()).then(|| BindingBlock::new(plain.drain(..), false).with_span(seq.span)),
            );
            blocks.push(BindingBlock::new(pure.drain(..), true).with_span(seq.span));
        }
        *has_block = false;
    };
    for block in seq.blocks.iter() {
        if is_dataflow_block(block) {
            pure.extend(block.bindings.iter().cloned());
            has_block = true;
            continue;
        }
        for binding in block.bindings.iter() {
            if binding_parts(binding).is_some_and(|(_, value)| is_pure(value)) {
                pure.push(binding.clone());
            } else {
                finish(&mut plain, &mut pure, &mut has_block);
                plain.push(binding.clone());
            }
        }
    }
    finish(&mut plain, &mut pure, &mut has_block);
    blocks.extend((!plain.is_empty()).then(|| BindingBlock::new(plain, false).with_span(seq.span)));
    let blocks: Array<Ref<BindingBlock>> = blocks.into_iter().collect();
    let is_same = |(new, old): (&Ref<BindingBlock>, &Ref<BindingBlock>)| {
        is_dataflow_block(new) == is_dataflow_block(old) && new.bindings.len() == old.bindings.len()
    };
    if blocks.len() == seq.blocks.len() && blocks.iter().zip(seq.blocks.iter()).all(is_same) {
        return None;
    }
    Some(Ref::new(SeqExpr { blocks, ..(**seq).clone() }))
}
