//! Elimination of common subexpressions.
//!
//! Upstream counterpart: `src/relax/transform/eliminate_common_subexpr.cc`.

use std::collections::HashMap;
use tvmscript_ir::IRModule;

use tvmscript_ir_core::ptr_map::Structural;
use tvmscript_ir_core::{EqKind, Object, PtrMap, Ref, any_node, free_variables};
use tvmscript_relax::analysis::contains_impure_call;
use tvmscript_relax::{
    Binding, Call, Expr, Function, MatchCast, SeqExpr, Var, VarBinding, binding_parts, is_dataflow_var,
};

use super::rewrite::{Region, Rewriter, Rules, rewrite};
use tvmscript_pass::{OptionDecl, OptionValue, pass};

/// Option that restricts the pass to calls.
pub(super) const CALL_ONLY: OptionDecl = OptionDecl {
    key: "relax.EliminateCommonSubexpr.call_only",
    default: OptionValue::Bool(false),
    doc: "eliminate equal calls only",
};

pass! {
    /// Binds a variable to an earlier one with an equal value, and uses the earlier one instead. Calls with effects and
    /// allocations stay.
    pub EliminateCommonSubexpr = "relax.EliminateCommonSubexpr", opt_level = 1 for Function in IRModule |function, context| {
        let call_only = context.flag(CALL_ONLY.key).unwrap_or(false);
        rewrite(&function, &mut Eliminator { call_only, scope: Scope::default(), outer: Vec::new() })
    }
}

/// Operators whose results differ although the calls are equal.
const ALLOCATORS: [&str; 5] = [
    "relax.builtin.alloc_tensor",
    "relax.memory.alloc_storage",
    "relax.memory.alloc_tensor",
    "relax.vm.alloc_storage",
    "relax.vm.alloc_tensor",
];

/// A value and the struct info of a cast, which defines variables and thus must be compared apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    /// Addresses of the free variables in the value, which structural hashes do not distinguish; none if the value has
    /// bindings.
    variables: Vec<usize>,
    value: Structural,
    cast: Option<Structural>,
}

impl Key {
    fn new(binding: &Ref<Binding>, value: &Expr) -> Key {
        let mut variables = Vec::new();
        let mut defines = false;
        let has_bindings = any_node(value, |node| {
            if node.info().eq_kind() == EqKind::FreeVar {
                variables.push(node.address());
            }
            defines |= node.info().fields().iter().any(|field| field.def);
            node.is::<SeqExpr>()
        });
        if has_bindings {
            variables.clear();
        } else if defines {
            variables = free_variables(value.object()).iter().map(Object::address).collect();
        }
        let cast =
            binding.as_node::<MatchCast>().map(|cast| Structural::new(cast.struct_info.clone().into()));
        Key { variables, value: Structural::new(value.clone().into()), cast }
    }
}

/// The values of a function.
#[derive(Default)]
struct Scope {
    /// Variables in scope with the same value, first definition first.
    bound: HashMap<Key, Vec<Ref<Var>>>,
    /// Replaced variables, by identity.
    replaced: PtrMap<Ref<Var>>,
    /// Keys and identities that were added, and for each open region their number at its start.
    added: Vec<(Key, Ref<Var>)>,
    starts: Vec<usize>,
}

struct Eliminator {
    call_only: bool,
    scope: Scope,
    /// Values of enclosing functions, which a nested function must not use.
    outer: Vec<Scope>,
}

impl Eliminator {
    fn may_merge(&self, value: &Expr) -> bool {
        match value.as_node::<Call>() {
            Some(call) if call.op_name().is_some_and(|name| ALLOCATORS.contains(&name)) => false,
            None if self.call_only => false,
            _ => !contains_impure_call(value),
        }
    }
}

impl Rules for Eliminator {
    fn enter(&mut self, region: Region) {
        match region {
            Region::Function => self.outer.push(std::mem::take(&mut self.scope)),
            Region::Branch | Region::Dataflow => self.scope.starts.push(self.scope.added.len()),
        }
    }

    fn leave(&mut self, region: Region) {
        if region == Region::Function {
            self.scope = self.outer.pop().unwrap_or_default();
            return;
        }
        let start = self.scope.starts.pop().unwrap_or(0);
        // Outputs of a dataflow block stay visible, under their own names.
        let is_visible = |var: &Ref<Var>| region == Region::Dataflow && !is_dataflow_var(var);
        let added = self.scope.added.split_off(start);
        for (key, var) in added {
            self.scope.replaced.remove(var.vid.object());
            if is_visible(&var) {
                self.scope.added.push((key, var));
            } else if let Some(vars) = self.scope.bound.get_mut(&key) {
                vars.retain(|other| !other.ptr_eq(&var));
            }
        }
    }

    fn usage(&mut self, var: &Ref<Var>, _: &mut Rewriter) -> Option<Expr> {
        self.scope.replaced.get(var.vid.object()).map(|var| var.clone().upcast())
    }

    fn binding(&mut self, binding: &Ref<Binding>, value: &Expr) -> Option<Ref<Binding>> {
        let (var, old) = binding_parts(binding)?;
        let mut new_value = None;
        if self.may_merge(value) {
            let key = Key::new(binding, value);
            let vars = self.scope.bound.entry(key.clone()).or_default();
            if let Some(first) = vars.first() {
                self.scope.replaced.insert(var.vid.object().clone(), first.clone());
                new_value = Some(first.clone());
            }
            vars.push(var.clone());
            self.scope.added.push((key, var.clone()));
        }
        let span = binding.span();
        Some(match (new_value, binding.as_node::<MatchCast>()) {
            (Some(first), _) => {
                Ref::new(VarBinding { span, var: var.clone(), value: first.upcast() }).upcast()
            }
            (None, _) if value.ptr_eq(old) => binding.clone(),
            (None, Some(cast)) => Ref::new(MatchCast { value: value.clone(), ..cast.clone() }).upcast(),
            (None, None) => Ref::new(VarBinding { span, var: var.clone(), value: value.clone() }).upcast(),
        })
    }
}
