//! Running passes on single functions.

use tvmscript_ir::{BaseFunc, DictAttrs, GlobalVar, IRModule, function_attrs, global_symbol};
use tvmscript_ir_core::{Map, Object, ObjectLike as _, Ref};

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
    let form = ProgramForm::of(&node);
    let class = node.info().display_key();
    let module = form.module(node).ok_or_else(|| {
        PassError::unsupported(format!("a pass needs a module or a function, not a `{class}`"))
    })?;
    Ok(form.restore(f(module)?.object()))
}

/// The form of a program: a module, or a single function, which passes see as a module.
#[derive(Debug, Clone, Default)]
pub struct ProgramForm {
    /// Name of the single function.
    function: Option<String>,
}

impl ProgramForm {
    /// The form of a node. All nodes but functions are as modules.
    pub fn of(node: &Object) -> ProgramForm {
        let function = Ref::<BaseFunc>::try_from_object(node.clone()).ok();
        let name = |function| function_attrs(&function).and_then(global_symbol).unwrap_or(MAIN).to_owned();
        ProgramForm { function: function.map(name) }
    }

    /// A program of this form as a module: itself, or one with the function alone, under its global symbol or `main`. Nothing
    /// for other nodes.
    pub fn module(&self, node: Object) -> Option<Ref<IRModule>> {
        let node = match node.downcast::<IRModule>() {
            Ok(module) => return Some(module),
            Err(node) => node,
        };
        let name = self.function.as_deref()?;
        let function = Ref::<BaseFunc>::try_from_object(node).ok()?;
        let var = GlobalVar::new(name).with_span(function.span());
        Some(IRModule::new([(var, function)], Ref::new(DictAttrs::default()), Map::default()))
    }

    /// The program that a module stands for: its function, if the program is a single function and the module consists of
    /// it alone.
    #[must_use]
    pub fn restore(&self, module: &Object) -> Object {
        let alone = self.function.as_ref().and_then(|name| {
            let module = module.downcast_ref::<IRModule>().filter(|module| module.functions.len() == 1)?;
            Some(module.function(name)?.1.object().clone())
        });
        alone.unwrap_or_else(|| module.clone())
    }
}
