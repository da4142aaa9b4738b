//! The parser of `@I.ir_module` classes.

mod builder;
mod global;
mod metadata;
mod module;
mod python;
mod target;

use tvmscript_ir_core::{Dialect, ObjectLike as _};
use tvmscript_irbuilder::{BuildDialect, ScriptValue};
use tvmscript_python_syntax::ast;
use tvmscript_script_parser::ParseDialect;
use tvmscript_script_parser::{DecoratorRule, Definition, Parser};

use crate::build::{field, field_names};
use crate::node::{IRModule, Omitted, Target, TargetKind};

/// Parses a module into the open builder, for the namespaces of dialects with the words of modules.
///
/// # Errors
/// If the module is invalid.
pub fn define_module(
    p: &mut Parser<'_>,
    definition: &Definition<ast::ClassDef>,
) -> tvmscript_script_parser::EvalResult<Option<ScriptValue>> {
    match p.token_of("ir") {
        Some(token) => p.with_token(token, |p| module::define(p, definition)),
        None => module::define(p, definition),
    }
}

/// Registers the parsers of this dialect.
pub(crate) fn register(dialect: Dialect) -> Dialect {
    #[cfg(feature = "print")]
    let dialect = dialect
        .node_text(|object, registry| Ok(tvmscript_docsifier::print(object, registry, &Default::default())?));
    dialect
        .omitted(|key, index| Omitted::new(key, index).into_object())
        .namespace(&["I", "ir"])
        .functions(crate::build::FUNCTIONS)
        .predefined_modules(&["tvm"])
        .python_modules(python::MODULES)
        .python_modules(builder::MODULES)
        .parser_function("load_json", metadata::load_json)
        .parser_function("get_global_func", global::get_global_func)
        .global_function(global::SCRIPT, global::script)
        .global_function(global::PRE_POST_ORDER_VISIT, global::pre_post_order_visit)
        .decorator("ir_module", DecoratorRule::Class { define: module::define })
        .decorator_scope("ir_module", |_| Ok(crate::build::ModuleFrame::default().into()))
        .parse::<ast::Assign>(module::assign)
        .parse::<ast::ExprStmt>(module::expression)
        .on::<IRModule>()
        .attribute(module::attribute, field_names)
        .subscript(module::item)
        .on::<Target>()
        .attribute(target::attribute, target::attribute_names)
        .on::<TargetKind>()
        .attribute(field, field_names)
        .finish()
}
