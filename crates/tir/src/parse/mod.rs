//! Parser of the dialect: statements, operators, subscripts and attributes as builder calls.

mod attributes;
pub mod bind;
mod fragment;
pub mod function;
pub mod handlers;
mod late;
mod llvm;
mod macros;
pub mod operators;
pub mod python;
pub mod statements;
mod subscript;

use tvmscript_ir::GlobalVar;
use tvmscript_ir::build::{FunctionCaller, arguments_as_written, field, field_names};
use tvmscript_ir_core::{Array, DataType, Dialect, Object};
use tvmscript_irbuilder::{BuildDialect, BuildResult, Builder, CallArgs, ScriptValue, script_fn};
use tvmscript_prim::{Call, Expr, FloatImm, IntImm, PrimExpr, Range, UnknownCall};
use tvmscript_python_syntax::ast::{self, StmtKind};
use tvmscript_script_parser::DecoratorRule;
use tvmscript_script_parser::{ParseDialect, ReaderOption};

use crate::bare::{bare_buffer, bare_float, bare_int};
use crate::build::args::ExprArg;
use crate::build::{ALIASES, FUNCTIONS, REGION_FUNCTIONS, find_name, other_names};
use crate::node::*;
use crate::syntax::TirSyntax;

/// Marks a value that an assignment binds without a let.
#[script_fn]
pub fn meta_var(value: ScriptValue) -> BuildResult<ScriptValue> {
    Ok(ScriptValue::host(bind::MetaVar(value)))
}

/// Default types that headers may set.
static OPTIONS: &[ReaderOption] = &[
    ReaderOption { name: "int_dtype", set: |rules, text| set(&mut rules.int, text, bare_int) },
    ReaderOption { name: "float_dtype", set: |rules, text| set(&mut rules.float, text, bare_float) },
    ReaderOption { name: "buffer_dtype", set: |rules, text| set(&mut rules.storage, text, bare_buffer) },
];

/// Sets the type that a header gives, if `check` accepts it; `void` disables the default.
fn set(
    rule: &mut Option<DataType>,
    text: &str,
    check: fn(DataType) -> std::result::Result<(), String>,
) -> std::result::Result<(), String> {
    let dtype = text.parse::<DataType>().map_err(|error| error.to_string())?;
    check(dtype)?;
    *rule = Some(dtype).filter(|dtype| *dtype != DataType::VOID);
    Ok(())
}

/// Registers the parsers of the dialect.
pub(crate) fn register(dialect: Dialect, syntax: &'static TirSyntax) -> Dialect {
    let functions: Vec<_> =
        FUNCTIONS.iter().copied().filter(|function| !syntax.without.contains(&function.name)).collect();
    dialect
        .namespace(&["T", "tir"])
        .functions(&functions)
        .functions(&[&META_VAR])
        .function_aliases(ALIASES)
        // TVM has no `T.sum`: files that import all names of the module mean Python's.
        .unexported(&["sum"])
        .name_fallback(find_name, other_names)
        .parser_function("llvm_lookup_intrinsic_id", llvm::lookup_intrinsic_id)
        .absent_names(python::ABSENT)
        .unevaluated_names(python::UNEVALUATED)
        .unknown_functions(syntax.parse.unknown_call)
        .python_modules(python::MODULES)
        .region_functions(REGION_FUNCTIONS)
        .bare_decorator("prim_func")
        .around_local_functions(function::refuse_nested, |_, _| Ok(()))
        .decorator(
            "prim_func",
            DecoratorRule::Function { define: syntax.parse.define, declare: Some(syntax.parse.declare) },
        )
        .decorator("jit", DecoratorRule::Function { define: syntax.parse.define, declare: None })
        .decorator("macro", DecoratorRule::Macro { expand: macros::expand })
        .decorator("inline", DecoratorRule::Macro { expand: macros::expand })
        .decorator_scope("prim_func", function::scope)
        .fragments(fragment::read)
        .reader_options(OPTIONS)
        .parse::<ast::Assign>(statements::assign)
        .parse::<ast::AnnAssign>(syntax.parse.ann_assign)
        .parse::<ast::AugAssign>(statements::aug_assign)
        .parse::<ast::For>(statements::for_loop)
        .parse::<ast::While>(statements::while_loop)
        .parse::<ast::If>(statements::if_chain)
        .parse::<ast::With>(statements::with_scopes)
        .parse::<ast::Assert>(statements::assertion)
        .parse::<ast::Return>(statements::return_value)
        .parse::<ast::ExprStmt>(statements::expression)
        .parse_kind(StmtKind::Break, statements::break_loop)
        .parse_kind(StmtKind::Continue, statements::continue_loop)
        .on::<PrimExpr>()
        .operator(operators::apply)
        .attribute(syntax.parse.expr_attribute, attributes::expr_names)
        .number(constant)
        .on::<IterVar>()
        .operator(operators::apply)
        .attribute(field, field_names)
        .on::<BufferRegion>()
        .operator(operators::apply)
        .attribute(field, field_names)
        .on::<Range>()
        .attribute(field, field_names)
        .on::<Buffer>()
        .attribute(syntax.parse.buffer_attribute, attributes::buffer_names)
        .subscript(subscript::buffer)
        .on::<GlobalVar>()
        .call(call_function)
        .finish()
}

/// The value of a constant: `int` takes integers, `float` takes floats.
fn constant(object: &Object) -> Option<ScriptValue> {
    if let Some(constant) = object.downcast_ref::<IntImm>() {
        return Some(ScriptValue::Int(constant.value));
    }
    object.downcast_ref::<FloatImm>().map(|constant| ScriptValue::Float(constant.value))
}

/// A call of a function that the dialect does not have.
pub fn unknown_call(name: &str, args: CallArgs) -> BuildResult<ScriptValue> {
    let (args, keywords) = arguments_as_written(args)?;
    Ok(UnknownCall::new(name.into(), args, keywords).into())
}

/// `Module.f(x)`: calls a function of the module.
fn call_function(object: &Object, args: CallArgs) -> BuildResult<ScriptValue> {
    // `GlobalVar.__call__` of TVM looks at the arguments, too.
    let is_relax = |arg: &ScriptValue| arg.as_node::<tvmscript_ir::RelaxExpr>().is_some();
    if args.positional.iter().any(is_relax)
        && let Some(caller) = Builder::context::<FunctionCaller>()
    {
        return (caller.0)(object, args);
    }
    let exprs = args.positional.into_iter().enumerate();
    let exprs = exprs.map(|(i, v)| ExprArg::convert(v).map_err(|e| e.at_position(i)));
    let exprs: Array<Expr> = exprs.collect::<BuildResult<_>>()?;
    let Some(var) = object.downcast_ref::<GlobalVar>() else { return Ok(ScriptValue::None) };
    let dtype = crate::build::result_dtype(var.struct_info_.as_ref());
    Ok(Call::with_callee(dtype, var.clone().upcast::<tvmscript_ir::RelaxExpr>().upcast(), exprs).into())
}
