//! Open and ended definitions of variables.

use tvmscript_ir_core::{Object, PathId, PtrMap, PtrSet, Ref, Span};
use tvmscript_prim::Var;

#[derive(Debug, Clone, Copy)]
pub(super) struct Definition {
    /// Index of the function.
    pub(super) function: usize,
    pub(super) path: PathId,
    pub(super) span: Span,
}

/// A conflict between definitions of one variable.
pub(super) enum Conflict {
    /// The earlier definition is still open.
    Nested(Definition),
    /// The earlier definition has ended.
    Repeated(Definition),
}

#[derive(Debug, Default)]
pub(super) struct Scopes {
    /// Open definitions, with the number of nested ones of the same variable.
    current: PtrMap<(Definition, u32)>,
    ended: PtrMap<Definition>,
    /// Thread variables, which a function may define again.
    repeatable: PtrSet,
    /// Open definitions in order; `marks` are lengths of it.
    open: Vec<Object>,
    marks: Vec<usize>,
    /// Changes whenever a definition ends.
    pub(super) epoch: u64,
}

impl Scopes {
    pub(super) fn is_defined(&self, var: &Object) -> bool {
        self.current.contains_key(var)
    }

    pub(super) fn ended(&self, var: &Object) -> Option<Definition> {
        self.ended.get(var).copied()
    }

    /// Defines a variable until the innermost scope ends. Returns the conflict with an earlier definition.
    pub(super) fn define(&mut self, var: &Ref<Var>, definition: Definition) -> Option<Conflict> {
        let object = var.object();
        let may_repeat = self.repeatable.contains(object);
        let conflict = match (self.current.get_mut(object), self.ended.get(object)) {
            _ if may_repeat => None,
            (Some((first, _)), _) => Some(Conflict::Nested(*first)),
            (None, Some(first)) => Some(Conflict::Repeated(*first)),
            (None, None) => None,
        };
        self.current.entry(object.clone()).or_insert((definition, 0)).1 += 1;
        self.open.push(object.clone());
        conflict
    }

    /// Permits further definitions of a thread variable in this function.
    pub(super) fn allow_repeats(&mut self, var: &Ref<Var>) {
        self.repeatable.insert(var.object().clone());
    }

    pub(super) fn enter(&mut self) {
        self.marks.push(self.open.len());
    }

    pub(super) fn leave(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        self.epoch += 1;
        for var in self.open.drain(mark.min(self.open.len())..) {
            let Some((definition, nested)) = self.current.get_mut(&var) else { continue };
            *nested -= 1;
            if *nested == 0 {
                let definition = *definition;
                self.current.remove(&var);
                self.ended.entry(var).or_insert(definition);
            }
        }
    }

    pub(super) fn end_function(&mut self) {
        self.repeatable.clear();
    }
}
