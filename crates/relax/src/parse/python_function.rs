//! `@I.pyfunc`: a function of a module that Python runs. Its body is not read.

use tvmscript_ir::DictAttrs;
use tvmscript_ir_core::{Ref, Str, Value};
use tvmscript_python_syntax::ast::FunctionDef;
use tvmscript_script_parser::{Definition, EvalResult, ParseErrorKind, Parser};

use crate::node::ExternFunc;

/// Declares and defines the function in the open module.
pub(super) fn declare(p: &mut Parser<'_>, definition: &Definition<FunctionDef>) -> EvalResult<()> {
    let name = p.name_str(definition.stmt.name);
    let text = |text: &str| Value::from(Str::new(text));
    let attrs = DictAttrs::new([
        (Str::new("is_pyfunc"), Value::from(true)),
        (Str::new("function_type"), text("python")),
        (Str::new("python_function_name"), Value::from(name.clone())),
        (Str::new("python_source"), Value::from(Str::new(format!("# Source for {name}")))),
        (Str::new("python_packed_func"), Value::None),
    ]);
    let plain = ExternFunc::new(name.clone(), None);
    let function = Ref::new(ExternFunc { attrs, ..(*plain).clone() });
    let defined = tvmscript_ir::build::def_function(&name, function.upcast());
    p.checked(definition.stmt.name_place, defined)
}

/// The function is in its module already.
pub(super) fn define(
    p: &mut Parser<'_>,
    definition: &Definition<FunctionDef>,
) -> EvalResult<Option<tvmscript_irbuilder::ScriptValue>> {
    let name = p.name_str(definition.stmt.name);
    if tvmscript_ir::build::lookup(&name).is_some() {
        return Ok(None);
    }
    let kind = ParseErrorKind::expected("a class that inherits from `BasePyModule` around it", "none");
    Err(p.error(definition.stmt.name_place, kind))
}
