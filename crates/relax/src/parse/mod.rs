//! Parsers: from scripts to builder calls.

mod bind;
mod expr;
mod fragment;
mod function;
mod inspect;
mod macros;
mod python;
mod python_function;
mod rewriter;
mod signature;
mod statements;
mod unknown;

use tvmscript_ir::build::{field, field_names};
use tvmscript_ir::{BaseFunc, GlobalVar, RelaxExpr};
use tvmscript_ir_core::{Dialect, TextRules};
use tvmscript_irbuilder::BuildDialect;
use tvmscript_python_syntax::ast::{self, StmtKind};
use tvmscript_script_parser::DecoratorRule;
use tvmscript_script_parser::ParseDialect;

use crate::build::{ALIASES, functions};
use crate::node::StructInfo;
use crate::op::Families;

pub(crate) use expr::call as call_function;

/// Registers the parsers, and the functions of operators beside those of all releases.
pub(crate) fn register(dialect: Dialect, operators: &Families) -> Dialect {
    dialect
        .namespace(&["R", "relax"])
        .functions(&functions())
        .functions(&operators.functions().collect::<Vec<_>>())
        .function_aliases(ALIASES)
        .name_fallback(crate::build::operators, Vec::new)
        .absent_names(python::ABSENT)
        .unknown_functions(unknown::call)
        .python_modules(python::MODULES)
        .decorator(
            "function",
            DecoratorRule::Function { define: function::define, declare: Some(function::declare) },
        )
        .decorator("macro", DecoratorRule::Macro { expand: macros::expand })
        .decorator("rewriter", DecoratorRule::Class { define: rewriter::define })
        .decorator_in(
            "ir",
            "pyfunc",
            DecoratorRule::Function {
                define: python_function::define,
                declare: Some(python_function::declare),
            },
        )
        .decorator_scope("function", |args| crate::build::function::FUNCTION.call(args))
        .fragments(fragment::read)
        // Relax has its own rules for the types of numbers.
        .text_rules(|around| TextRules { int: None, float: None, ..around })
        .parse::<ast::Assign>(statements::assign)
        .parse::<ast::AnnAssign>(statements::ann_assign)
        .parse::<ast::If>(statements::conditional)
        .parse::<ast::With>(statements::dataflow)
        .parse::<ast::Return>(statements::return_value)
        .parse::<ast::ExprStmt>(statements::expression)
        .parse::<ast::FunctionDef>(function::nested)
        .parse_kind(StmtKind::Pass, statements::pass)
        .on::<RelaxExpr>()
        .operator(expr::operator)
        .attribute(expr::attribute, expr::attribute_names)
        .subscript(expr::subscript)
        .call(expr::call)
        .items(expr::items)
        .on::<StructInfo>()
        .attribute(field, field_names)
        .on::<GlobalVar>()
        .call_here(expr::call)
        .on::<BaseFunc>()
        .call_here(expr::call)
        .finish()
}
