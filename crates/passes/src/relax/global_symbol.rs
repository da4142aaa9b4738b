//! Names of functions as attributes.
//!
//! Upstream counterpart: `src/relax/transform/attach_global_symbol.cc`.

use tvmscript_ir::{BaseFunc, DictAttrs, GLOBAL_SYMBOL, GlobalVar, IRModule};
use tvmscript_ir_core::{Map, Object, ObjectLike, PtrMap, Ref, Str, Value, substitute};
use tvmscript_relax::Function;
use tvmscript_tir::node::PrimFunc;

use super::dead_code::with_functions;
use crate::Result;
use tvmscript_pass::pass;

/// Attribute of a module: a prefix of the symbols of its `PrimFunc`s.
const PREFIX: &str = "system_lib_prefix";

pass! {
    /// Sets the global symbol of each function to its name in the module.
    pub AttachGlobalSymbol = "relax.AttachGlobalSymbol" for IRModule |module, _context| {
        attach(module)
    }
}

fn attach(module: Ref<IRModule>) -> Result<Ref<IRModule>> {
    let prefix = module.attrs.dict.get_str(PREFIX).and_then(Value::as_str).unwrap_or("").to_owned();
    let mut changed = false;
    let mut renamed: PtrMap<Object> = PtrMap::default();
    let mut functions = Vec::with_capacity(module.functions.len());
    for (var, function) in module.functions.iter() {
        let (name, new) = if let Some(function) = function.downcast_ref::<PrimFunc>() {
            let name = format!("{prefix}{}", var.name_hint);
            (
                name.clone(),
                with_symbol(&function.attrs, &name).map(|attrs| {
                    let mut function = function.clone();
                    function.make_mut().attrs = attrs;
                    function.upcast::<BaseFunc>()
                }),
            )
        } else if let Some(function) = function.downcast_ref::<Function>() {
            let name = var.name_hint.as_str().to_owned();
            (
                name.clone(),
                with_symbol(&function.attrs, &name).map(|attrs| {
                    let mut function = function.clone();
                    function.make_mut().attrs = attrs;
                    function.upcast::<BaseFunc>()
                }),
            )
        } else {
            (var.name_hint.as_str().to_owned(), None)
        };
        if new.is_some() && name != var.name_hint.as_str() {
            let new = Ref::new(GlobalVar { name_hint: name.into(), ..(**var).clone() });
            renamed.insert(var.object().clone(), new.into_object());
        }
        changed |= new.is_some();
        functions.push((var.clone(), new.unwrap_or_else(|| function.clone())));
    }
    if !changed {
        return Ok(module);
    }
    if renamed.is_empty() {
        return Ok(with_functions(&module, functions));
    }
    let mut all = Vec::with_capacity(functions.len());
    for (var, function) in functions {
        all.push((substitute(var, &renamed)?, substitute(function, &renamed)?));
    }
    Ok(with_functions(&module, all))
}

/// Attributes with a symbol; `None` if they have it already.
fn with_symbol(attrs: &DictAttrs, name: &str) -> Option<Ref<DictAttrs>> {
    if attrs.dict.get_str(GLOBAL_SYMBOL).and_then(Value::as_str) == Some(name) {
        return None;
    }
    let old = attrs.dict.iter().filter(|(key, _)| key.as_str() != GLOBAL_SYMBOL);
    let old: Vec<(Str, Value)> = old.map(|(key, value)| (key.clone(), value.clone())).collect();
    let new = [(Str::from(GLOBAL_SYMBOL), Value::Node(Str::new(name).into_object()))];
    Some(Ref::new(DictAttrs { dict: Map::new(old.into_iter().chain(new)) }))
}
