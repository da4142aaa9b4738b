//! The type of a function as the rest of the module sees it.

use tvmscript_ir::signature::{FunctionTyper, Signature};
use tvmscript_ir_core::{Object, Ref};
use tvmscript_irbuilder::Builder;

use crate::node::PrimFunc;

/// The function with its type, if the builder knows a dialect that writes types of functions.
pub(crate) fn with_struct_info(mut function: Ref<PrimFunc>) -> Ref<PrimFunc> {
    if let Some(typer) = Builder::context::<FunctionTyper>() {
        let function_type = typer.0(&crate::signature::signature(&function));
        function.make_mut().struct_info_ = Some(function_type);
    }
    function
}

/// The type that a declaration without body gives the function's name; such a function counts as impure.
pub(crate) fn declared_type(function: &PrimFunc) -> Option<Object> {
    let typer = Builder::context::<FunctionTyper>()?;
    let signature = Signature { is_pure: false, ..crate::signature::signature(function) };
    Some(typer.0(&signature))
}
