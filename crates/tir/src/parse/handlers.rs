//! Handlers of statements that differ between releases.

use tvmscript_ir_core::Object;
use tvmscript_irbuilder::{CallArgs, ScriptValue};
use tvmscript_python_syntax::ast::{AnnAssign, ExprId, FunctionDef, Name, StmtId};
use tvmscript_script_parser::{Binder, DeclareFn, DefineFn, EvalResult, Parser};

use super::{attributes, bind, function, statements};

/// Handlers of a release.
#[derive(Debug, Clone, Copy)]
pub struct Handlers {
    /// Defines a function.
    pub define: DefineFn<FunctionDef>,
    /// Declares a function of a module.
    pub declare: DeclareFn,
    /// Binds a name that is assigned to.
    pub assign: Binder,
    /// Handles `x: T.int32 = value`.
    pub ann_assign: fn(&mut Parser, StmtId, &AnnAssign) -> EvalResult<()>,
    /// The value of an attribute of an expression.
    pub expr_attribute: fn(&Object, &str) -> tvmscript_irbuilder::BuildResult<Option<ScriptValue>>,
    /// The value of an attribute of a buffer.
    pub buffer_attribute: fn(&Object, &str) -> tvmscript_irbuilder::BuildResult<Option<ScriptValue>>,
    /// Reads a call of a function that the dialect does not have.
    pub unknown_call: fn(&str, CallArgs) -> tvmscript_irbuilder::BuildResult<ScriptValue>,
}

/// TVM 0.23.
pub const TVM_0_23: Handlers = Handlers {
    define: function::define,
    declare: function::declare,
    assign: bind::assign,
    ann_assign: statements::ann_assign,
    expr_attribute: attributes::expr,
    buffer_attribute: attributes::buffer,
    unknown_call: super::unknown_call,
};

/// The binder of the parser's release.
pub(super) fn assign(p: &mut Parser<'_>, name: Name, at: ExprId, value: ScriptValue) -> EvalResult<()> {
    let assign = bind::syntax(p).parse.assign;
    assign(p, name, at, value)
}
