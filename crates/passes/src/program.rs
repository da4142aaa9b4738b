//! Running passes on single functions.

use tvmscript_ir::{BaseFunc, DictAttrs, GlobalVar, IRModule, function_attrs, global_symbol};
use tvmscript_ir_core::{Map, Object, ObjectLike, Ref};

use tvmscript_pass::PassError;

/// Name of a function without a global symbol.
const MAIN: &str = "main";

/// Calls `f` with a module: the node itself, or a module with the node as its only function, under its global symbol or
/// `main`. The result is the function again if the new module consists of it alone.
///
/// # Errors
/// Fails with the error of `f`, and if the node is neither a module nor a function.
pub fn on_module(
    node: Object,
    f: impl FnOnce(Ref<IRModule>) -> Result<Ref<IRModule>, PassError>,
) -> Result<Object, PassError> {
    let function = match node.downcast::<IRModule>() {
        Ok(module) => return f(module).map(ObjectLike::into_object),
        Err(node) => Ref::<BaseFunc>::try_from_object(node).map_err(|node: Object| {
            let class = node.info().display_key();
            PassError::unsupported(format!("a pass needs a module or a function, not a `{class}`"))
        })?,
    };
    let symbol = function_attrs(&function).and_then(global_symbol);
    let name = symbol.unwrap_or(MAIN).to_owned();
    let var = GlobalVar::new(name).with_span(function.span());
    let module = f(IRModule::new([(var.clone(), function)], Ref::new(DictAttrs::default()), Map::default()))?;
    match module.function(var.name_hint.as_str()) {
        Some((_, function)) if module.functions.len() == 1 => Ok(function.object().clone()),
        _ => Ok(module.into_object()),
    }
}
