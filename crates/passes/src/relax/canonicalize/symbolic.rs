//! Symbolic variables with known values.

use tvmscript_ir_core::{Object, PtrMap, Ref, Span, structural_equal, substitute};
use tvmscript_prim::{self as prim, ops};
use tvmscript_relax::{
    Binding, BindingBlock, Expr, Function, If, MatchCast, PrimStructInfo, SeqExpr, ShapeStructInfo,
    StructInfo, TensorStructInfo, TupleStructInfo, Var, is_dataflow_block,
};

use crate::Result;
use crate::relax::rewrite::{Region, Rewriter, Rules, info_of, rewrite};
use tvmscript_pass::PassError;

/// Replaces symbolic variables that a cast defines by the dimensions of the value.
pub(super) fn inline(function: &Ref<Function>) -> Result<Ref<Function>> {
    rewrite(function, &mut Symbolic::default())
}

#[derive(Default)]
struct Symbolic {
    known: PtrMap<Object>,
    /// Variables in the order of their first cast, and for each open region their number at its start.
    order: Vec<Object>,
    starts: Vec<usize>,
}

impl Symbolic {
    fn value_of(&self, value: &prim::Expr) -> Result<prim::Expr> {
        Ok(substitute(value.clone(), &self.known)?)
    }
}

impl Rules for Symbolic {
    const REWRITES_SCALARS: bool = true;

    fn enter(&mut self, region: Region) {
        if region != Region::Dataflow {
            self.starts.push(self.order.len());
        }
    }

    fn leave(&mut self, region: Region) {
        if region != Region::Dataflow {
            let start = self.starts.pop().unwrap_or(0);
            for var in self.order.drain(start..) {
                self.known.remove(&var);
            }
        }
    }

    fn keeps(&mut self, binding: &Ref<Binding>, cx: &mut Rewriter) -> Result<bool> {
        let Some(cast) = binding.as_node::<MatchCast>() else { return Ok(true) };
        let mut pairs = Vec::new();
        dimensions(&info_of(&cast.var.clone().upcast()), &info_of(&cast.value), &mut pairs);
        for (stated, actual) in pairs {
            let Some(var) = stated.downcast_ref::<prim::Var>() else { continue };
            let actual = self.value_of(&actual)?;
            match self.known.get(var.object()) {
                Some(known) => {
                    let known =
                        known.downcast_ref::<prim::PrimExpr>().cloned().unwrap_or_else(|| stated.clone());
                    let differ = ops::ne(known, actual)?;
                    if cx.blocks.analyzer().can_prove(&differ) {
                        return Err(PassError::unsupported(format!(
                            "the cast of `{}` contradicts the known value of `{}`",
                            cast.var.vid.name_hint.get(),
                            var.name.get()
                        )));
                    }
                }
                None if actual.ptr_eq(&stated) => {}
                None => {
                    self.known.insert(var.object().clone(), actual.into());
                    self.order.push(var.object().clone());
                }
            }
        }
        Ok(true)
    }

    fn scalar(&mut self, value: &prim::Expr, cx: &mut Rewriter) -> prim::Expr {
        if self.known.is_empty() {
            return value.clone();
        }
        match self.value_of(value) {
            Ok(new) if !new.ptr_eq(value) => cx.blocks.analyzer().simplify(&new),
            _ => value.clone(),
        }
    }

    /// Restores the common struct info of both branches, in which other variables may be known.
    fn expression(&mut self, old: &Expr, new: Expr, cx: &mut Rewriter) -> Result<Expr> {
        if new.ptr_eq(old) {
            return Ok(new);
        }
        let Some(node) = new.as_node::<If>() else { return Ok(new) };
        let info = cx.info(&info_of(old), self)?;
        let mut node = node.clone();
        node.true_branch = with_cast(&node.true_branch, &info, "then_branch_with_dyn");
        node.false_branch = with_cast(&node.false_branch, &info, "else_branch_with_dyn");
        Ok(Ref::new(node).upcast())
    }
}

/// Casts the value of a branch unless it has the struct info already.
fn with_cast(seq: &Ref<SeqExpr>, info: &Ref<StructInfo>, name: &str) -> Ref<SeqExpr> {
    let found = info_of(&seq.clone().upcast());
    if structural_equal(found.object(), info.object()) {
        return seq.clone();
    }
    let var = Var::new(name, Some(info.clone()));
    let cast = MatchCast {
        span: Span::current(),
        var: var.clone(),
        value: seq.body.clone(),
        struct_info: info.clone(),
    };
    let cast: Ref<Binding> = Ref::new(cast).upcast();
    let mut blocks: Vec<_> = seq.blocks.iter().cloned().collect();
    match blocks.pop() {
        Some(last) if !is_dataflow_block(&last) => {
            blocks.push(BindingBlock::new(last.bindings.iter().cloned().chain([cast]), false));
        }
        last => {
            blocks.extend(last);
            blocks.push(BindingBlock::new([cast], false));
        }
    }
    let struct_info_ = Some(info.clone().into());
    Ref::new(SeqExpr {
        span: seq.span,
        struct_info_,
        blocks: blocks.into_iter().collect(),
        body: var.upcast(),
    })
}

/// Pairs the dimensions and scalar values of a stated struct info with those of the value.
fn dimensions(stated: &Ref<StructInfo>, actual: &Ref<StructInfo>, pairs: &mut Vec<(prim::Expr, prim::Expr)>) {
    let mut work = vec![(stated.clone(), actual.clone())];
    while let Some((stated, actual)) = work.pop() {
        if let (Some(a), Some(b)) =
            (stated.as_node::<TensorStructInfo>(), actual.as_node::<TensorStructInfo>())
        {
            if let (Some(a), Some(b)) = (a.known_dims(), b.known_dims())
                && a.len() == b.len()
            {
                pairs.extend(a.iter().cloned().zip(b.iter().cloned()));
            }
        } else if let (Some(a), Some(b)) =
            (stated.as_node::<ShapeStructInfo>(), actual.as_node::<ShapeStructInfo>())
        {
            if let (Some(a), Some(b)) = (&a.values, &b.values)
                && a.len() == b.len()
            {
                pairs.extend(a.iter().cloned().zip(b.iter().cloned()));
            }
        } else if let (Some(a), Some(b)) =
            (stated.as_node::<PrimStructInfo>(), actual.as_node::<PrimStructInfo>())
        {
            pairs.extend(a.value.clone().zip(b.value.clone()));
        } else if let (Some(a), Some(b)) =
            (stated.as_node::<TupleStructInfo>(), actual.as_node::<TupleStructInfo>())
            && a.fields.len() == b.fields.len()
        {
            work.extend(a.fields.iter().cloned().zip(b.fields.iter().cloned()).rev());
        }
    }
}
