//! Removal of unused bindings and functions.
//!
//! Upstream counterpart: `src/relax/transform/dead_code_elimination.cc`.

use tvmscript_ir::{BaseFunc, GlobalVar, IRModule, function_attrs, global_symbol};
use tvmscript_ir_core::{PtrMap, PtrSet, Ref, visit_nodes};
use tvmscript_relax::{ExternFunc, Function};

use super::usage::remove_unused;
use crate::Result;
use tvmscript_pass::{map_parts, pass};

pass! {
    /// Removes bindings whose variables nothing uses, and private functions that nothing calls. Calls with effects stay.
    pub DeadCodeElimination = "relax.DeadCodeElimination", opt_level = 1 for IRModule |module, _context| {
        eliminate(module)
    }
}

pub(super) fn eliminate(module: Ref<IRModule>) -> Result<Ref<IRModule>> {
    let module = without_unreachable(module);
    let module = map_parts::<Function, _>(module, |function| remove_unused(&function))?;
    Ok(without_unreachable(module))
}

/// Removes functions that no public function leads to. Keeps all if a reachable function is not part of the module.
fn without_unreachable(module: Ref<IRModule>) -> Ref<IRModule> {
    let mut callees: PtrMap<Vec<Ref<GlobalVar>>> = PtrMap::default();
    let mut work: Vec<Ref<GlobalVar>> = Vec::new();
    for (var, function) in module.functions.iter() {
        let mut called = Vec::new();
        visit_nodes::<GlobalVar>(function, |callee| called.push(callee.clone()));
        callees.insert(var.object().clone(), called);
        if function.is::<ExternFunc>() || is_public(function) {
            work.push(var.clone());
        }
    }
    let mut reachable = PtrSet::default();
    while let Some(var) = work.pop() {
        if !reachable.insert(var.object().clone()) {
            continue;
        }
        match callees.get(var.object()) {
            Some(called) => work.extend(called.iter().cloned()),
            None => return module,
        }
    }
    if reachable.len() == module.functions.len() {
        return module;
    }
    let kept = module.functions.iter().filter(|(var, _)| reachable.contains(var.object()));
    with_functions(&module, kept.map(|(var, function)| (var.clone(), function.clone())))
}

/// A module with other functions.
pub(super) fn with_functions(
    module: &Ref<IRModule>,
    functions: impl IntoIterator<Item = (Ref<GlobalVar>, Ref<BaseFunc>)>,
) -> Ref<IRModule> {
    let new = IRModule::new(functions, module.attrs.clone(), module.global_infos.clone());
    let mut result = module.clone();
    let node = result.make_mut();
    node.functions = new.functions.clone();
    node.global_var_map_ = new.global_var_map_.clone();
    result
}

/// Returns `true` if a function of any dialect has a global symbol.
pub(super) fn is_public(function: &Ref<BaseFunc>) -> bool {
    function_attrs(function).and_then(global_symbol).is_some()
}
