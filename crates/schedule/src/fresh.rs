//! Copies of variables, iterators and loops with variables of their own.

use tvmscript_ir_core::{Object, PtrMap, Ref, Span};
use tvmscript_prim::Var;
use tvmscript_tir::{For, IterVar, StmtRef};

/// A variable of the same type and name.
pub(crate) fn copied(var: &Ref<Var>) -> Ref<Var> {
    renamed(var, "")
}

/// A variable of the same type, with a longer name.
pub(crate) fn renamed(var: &Ref<Var>, suffix: &str) -> Ref<Var> {
    Var::with_type(format!("{}{suffix}", var.name.text()), var.type_annotation.clone())
}

/// An iterator with a variable of its own, which the map has for the old one.
pub(crate) fn copied_axis(axis: &IterVar, map: &mut PtrMap<Object>) -> Ref<IterVar> {
    let var = copied(&axis.var);
    map.insert(axis.var.object().clone(), var.object().clone());
    Ref::new(IterVar { var, ..axis.clone() })
}

/// The loop with another variable and body. A thread gets a variable of its own.
pub(crate) fn copied_loop(found: &For, loop_var: Ref<Var>, body: StmtRef) -> StmtRef {
    let thread_binding = found.thread_binding.as_ref().map(|thread| {
        let var = copied(&thread.var);
        Ref::new(IterVar { var, ..(**thread).clone() })
    });
    Ref::new(For { span: Span::current(), loop_var, body, thread_binding, ..found.clone() }).upcast()
}
