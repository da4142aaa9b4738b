//! Uses of variables, and removal of those that nothing uses.
//!
//! Upstream counterparts: `src/relax/analysis/udchain.cc`, `RemoveAllUnused` in `src/relax/ir/binding_rewrite.cc`.

use tvmscript_ir_core::{PtrMap, PtrSet, Ref, Visitor, Walk, with_stack};
use tvmscript_relax::analysis::contains_impure_call;
use tvmscript_relax::{Binding, Expr, Function, SeqExpr, Var, VarBinding, binding_parts};

use super::rewrite::{Region, Rewriter, Rules, rewrite};
use crate::Result;

/// Removes the bindings of a function whose variables have no effect on its result. A binding with effects stays, except
/// in a dataflow block.
pub(super) fn remove_unused(function: &Ref<Function>) -> Result<Ref<Function>> {
    let mut uses = Uses::default();
    uses.sequence(&function.body);
    let live = uses.live();
    rewrite(function, &mut RemoveUnused { live, dataflow: vec![false] })
}

/// The variables that each variable's value uses.
#[derive(Default)]
struct Uses {
    /// Used variables, by identity of the user.
    operands: PtrMap<Vec<Ref<Var>>>,
    /// Variables that are used outside of bindings, or whose values have effects.
    roots: Vec<Ref<Var>>,
    user: Option<Ref<Var>>,
}

impl Uses {
    fn sequence(&mut self, seq: &Ref<SeqExpr>) {
        for binding in seq.blocks.iter().flat_map(|block| block.bindings.iter()) {
            let Some((var, value)) = binding_parts(binding) else { continue };
            if !binding.is::<VarBinding>() {
                self.expr(value);
                continue;
            }
            if contains_impure_call(value) {
                self.roots.push(var.clone());
            }
            let outer = self.user.replace(var.clone());
            self.expr(value);
            self.user = outer;
        }
        self.expr(&seq.body);
    }

    /// Records the variables of an expression; bindings inside it are users themselves.
    fn expr(&mut self, expr: &Expr) {
        let _ = Visitor::new().pre_order(expr.object(), |node| {
            if let Some(seq) = node.downcast_ref::<SeqExpr>() {
                with_stack(|| self.sequence(seq));
                return Walk::Skip;
            }
            if let Some(function) = node.downcast_ref::<Function>() {
                let outer = self.user.take();
                with_stack(|| self.sequence(&function.body));
                self.user = outer;
                return Walk::Skip;
            }
            let Some(var) = node.downcast_ref::<Var>() else { return Walk::Advance };
            match &self.user {
                Some(user) => {
                    self.operands.entry(user.vid.object().clone()).or_default().push(var.clone());
                }
                None => self.roots.push(var.clone()),
            }
            // The shape of a tensor may be a variable.
            Walk::Advance
        });
    }

    /// The identities of the variables that the result depends on.
    fn live(mut self) -> PtrSet {
        let mut live = PtrSet::default();
        let mut work = self.roots;
        while let Some(var) = work.pop() {
            if live.insert(var.vid.object().clone()) {
                work.extend(self.operands.remove(var.vid.object()).unwrap_or_default());
            }
        }
        live
    }
}

struct RemoveUnused {
    live: PtrSet,
    /// For each open region, `true` for a dataflow block.
    dataflow: Vec<bool>,
}

impl Rules for RemoveUnused {
    fn enter(&mut self, region: Region) {
        // Functions and branches inside a dataflow block are part of it.
        let inside = region == Region::Dataflow || self.dataflow.last() == Some(&true);
        self.dataflow.push(inside);
    }

    fn leave(&mut self, _: Region) {
        self.dataflow.pop();
    }

    fn keeps(&mut self, binding: &Ref<Binding>, _: &mut Rewriter) -> Result<bool> {
        let Some(node) = binding.as_node::<VarBinding>() else { return Ok(true) };
        let in_dataflow = self.dataflow.last() == Some(&true);
        Ok(self.live.contains(node.var.vid.object()) || (!in_dataflow && contains_impure_call(&node.value)))
    }
}
