//! `@R.rewriter`: a class of the functions `pattern` and `replacement`. The script is the module that the rewriter is made
//! from.

use tvmscript_python_syntax::ast::ClassDef;
use tvmscript_script_parser::{Definition, EvalResult, Parser};

/// Parses the module into the open builder.
pub(super) fn define(
    p: &mut Parser<'_>,
    definition: &Definition<ClassDef>,
) -> EvalResult<Option<tvmscript_irbuilder::ScriptValue>> {
    // Patterns need not be well-formed on their own.
    p.skip_check(definition);
    tvmscript_ir::parse::define_module(p, definition)
}
