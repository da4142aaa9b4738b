//! Default handlers of statements, for dialects that read them as Python does.
//!
//! A dialect chooses each with one line of its table, and may write its own for the rest:
//!
//! ```
//! # use tvmscript_ir_core::{Class, Dialect, Object};
//! # use tvmscript_python_syntax::ast;
//! # use tvmscript_script_parser::{ParseDialect as _, defaults};
//! #[derive(Class)]
//! #[class(key = "doc.Stmt")]
//! struct Stmt(());
//!
//! let dialect = Dialect::new("doc")
//!     .namespace(&["D"])
//!     .parse::<ast::Assign>(defaults::assign)
//!     .parse::<ast::ExprStmt>(defaults::expression::<Stmt>)
//!     .parse::<ast::For>(defaults::for_frame)
//!     .parse::<ast::With>(defaults::with)
//!     .fragments(defaults::fragment);
//! ```
//!
//! A decorated function is read by [`function`], an `if` by [`branch`] with the frames of the dialect.

use tvmscript_ir_core::{Class, Span};
use tvmscript_irbuilder::{self as irbuilder, Builder, OpenFrame, ScriptValue, try_name};
use tvmscript_python_syntax::ast::{
    Assign, Expr, ExprId, ExprStmt, For, FunctionDef, HasRange, If, Name, ParamKind, StmtId, StmtKind, With,
};

use crate::{Definition, EvalResult, ParseErrorKind, Parser, Shadowing};

/// `target = value`: evaluates the value and binds the names of each target with [`bind`].
///
/// # Errors
/// If the evaluation fails or the value does not fit the target.
pub fn assign(p: &mut Parser, _: StmtId, stmt: &Assign) -> EvalResult<()> {
    let value = p.eval_assigned(stmt.value)?;
    for target in p.ast().list(stmt.targets) {
        p.unpack(*target, value.clone(), bind)?;
    }
    Ok(())
}

/// Binds a name. A node whose name hint is empty gets the name; another name for a node is only known to the parser.
///
/// # Errors
/// If the name cannot be given or defined.
pub fn bind(p: &mut Parser, name: Name, at: ExprId, value: ScriptValue) -> EvalResult<()> {
    if let ScriptValue::Node(node) = &value
        && node.name_cell().is_some_and(|hint| hint.text().is_empty())
    {
        let named = try_name(p.name_text(name), node);
        p.checked(at, named)?;
    }
    p.define(name, value, at, Shadowing::SameFrame)
}

/// An expression as a statement: adds a node of class `S` to the innermost frame. Of a call, any node or `None` may be
/// the value, which is not used.
///
/// # Errors
/// If the evaluation fails, the value is neither, or no frame takes the statement.
pub fn expression<S: Class>(p: &mut Parser, id: StmtId, stmt: &ExprStmt) -> EvalResult<()> {
    let is_call = matches!(p.expr(stmt.value), Expr::Call { .. });
    let value = p.eval(stmt.value)?;
    match value {
        ScriptValue::Node(node) if node.is::<S>() => {
            let added = Builder::add_stmt(node);
            p.checked(id, added)
        }
        ScriptValue::Node(_) | ScriptValue::None if is_call => Ok(()),
        other => {
            let found = p.describe(&other);
            Err(p.error(stmt.value, ParseErrorKind::expected("a statement", found)))
        }
    }
}

/// `with scope as target, ..:`. Names defined inside are known afterwards, as in Python. After an error in the head the
/// body is visited all the same, so that its names are known.
///
/// # Errors
/// If a scope cannot be entered or left, or a statement fails.
pub fn with(p: &mut Parser, _: StmtId, stmt: &With) -> EvalResult<()> {
    let mut open = Vec::new();
    let mut result = Ok(());
    for item in p.ast().list(stmt.items) {
        let entered = p.eval(item.context).and_then(|scope| p.enter_frame(&scope, item.context));
        result = entered.and_then(|(value, frame)| {
            open.push((frame, item.context));
            match (item.target, value) {
                (None, _) => Ok(()),
                (Some(target), ScriptValue::None) => Err(p.error(
                    target,
                    ParseErrorKind::expected("`with scope:`", "a name for a scope without value"),
                )),
                (Some(target), value) => p.unpack(target, value, bind),
            }
        });
        if result.is_err() {
            item.target.into_iter().for_each(|target| p.poison_target(target));
            break;
        }
    }
    match result {
        Ok(()) => result = p.visit_all(stmt.body),
        Err(_) => p.visit_unentered(stmt.body),
    }
    leave(p, open, result)
}

/// Leaves frames, the last one first.
fn leave(p: &mut Parser, open: Vec<(OpenFrame, ExprId)>, mut result: EvalResult<()>) -> EvalResult<()> {
    for (frame, at) in open.into_iter().rev() {
        result = result.and(p.leave_frame(frame, at));
    }
    result
}

/// `for target in scope:`: enters a frame, whose value the target gets. Names end with the loop.
///
/// # Errors
/// If the scope cannot be entered or left, a statement fails, or there is an `else`.
pub fn for_frame(p: &mut Parser, id: StmtId, stmt: &For) -> EvalResult<()> {
    if !stmt.orelse.is_empty() {
        return Err(p.error(id, ParseErrorKind::unsupported_statement(StmtKind::For, "with `else`")));
    }
    let scope = p.eval(stmt.iter)?;
    p.in_frame(&scope, stmt.iter, |p, value| {
        p.with_scope(|p| {
            p.unpack(stmt.target, value, bind)?;
            p.visit_all(stmt.body)
        })
    })
}

/// The frames of an `if`. Each function returns a frame that is not entered yet, as [`ScriptValue`].
pub trait Branches {
    /// The frame of the whole statement.
    ///
    /// # Errors
    /// If the value is not a condition.
    fn open(condition: ScriptValue) -> irbuilder::BuildResult<ScriptValue>;

    /// The frame of the statements under the condition, inside of the first one.
    ///
    /// # Errors
    /// Errors of the dialect.
    fn then() -> irbuilder::BuildResult<ScriptValue>;

    /// The frame of the other statements, inside of the first one.
    ///
    /// # Errors
    /// Errors of the dialect.
    fn otherwise() -> irbuilder::BuildResult<ScriptValue>;
}

/// `if .. elif .. else`: the frames of a dialect, nested for each `elif`. Names end with their branch.
///
/// # Errors
/// If a frame cannot be made, entered or left, or a statement fails.
pub fn branch<B: Branches>(p: &mut Parser, _: StmtId, stmt: &If) -> EvalResult<()> {
    let ast = p.ast();
    let clauses = ast.list(stmt.clauses);
    let mut open = Vec::new();
    let mut result = Ok(());
    for (index, clause) in clauses.iter().enumerate() {
        result = result.and_then(|()| {
            if index > 0 {
                open.push((made(p, clause.test, B::otherwise())?, clause.test));
            }
            let condition = p.eval(clause.test)?;
            open.push((made(p, clause.test, B::open(condition))?, clause.test));
            let then = made(p, clause.test, B::then())?;
            let body = p.with_scope(|p| p.visit_all(clause.body));
            body.and(p.leave_frame(then, clause.test))
        });
    }
    if let (true, Some(last)) = (!stmt.orelse.is_empty(), clauses.last()) {
        result = result.and_then(|()| {
            let frame = made(p, last.test, B::otherwise())?;
            let body = p.with_scope(|p| p.visit_all(stmt.orelse));
            body.and(p.leave_frame(frame, last.test))
        });
    }
    leave(p, open, result)
}

/// Enters a frame that a dialect made.
fn made(p: &mut Parser, at: ExprId, frame: irbuilder::BuildResult<ScriptValue>) -> EvalResult<OpenFrame> {
    let frame = p.checked(at, frame)?;
    Ok(p.enter_frame(&frame, at)?.1)
}

/// A decorated function whose parameters have no defaults: enters its frame, adds the parameters and visits the body.
/// `frame` makes the frame from the function's name. It may not be inside another function and has no return type.
/// `parameter` adds a parameter to the open function: from its name and the value of its annotation to the value of the
/// name. The current source position is that of the parameter.
///
/// # Errors
/// If the definition has another form, a parameter is refused, or a statement fails.
pub fn function(
    p: &mut Parser,
    definition: &Definition<FunctionDef>,
    frame: impl FnOnce(&str) -> ScriptValue,
    parameter: impl Fn(&str, Option<ScriptValue>) -> irbuilder::BuildResult<ScriptValue>,
) -> EvalResult<Option<ScriptValue>> {
    let [] = p.decorator_flags(definition, [])?;
    if let Some(returns) = definition.stmt.returns {
        return Err(p.error(returns, ParseErrorKind::expected("no return type", "one")));
    }
    function_of(p, definition, frame, parameter, |_| Ok(()))
}

/// As [`function`], for a caller that reads the arguments of the decorator, and in `returns`, behind the parameters, the
/// return type.
///
/// # Errors
/// As [`function`].
pub fn function_of(
    p: &mut Parser,
    definition: &Definition<FunctionDef>,
    frame: impl FnOnce(&str) -> ScriptValue,
    parameter: impl Fn(&str, Option<ScriptValue>) -> irbuilder::BuildResult<ScriptValue>,
    returns: impl FnOnce(&mut Parser) -> EvalResult<()>,
) -> EvalResult<Option<ScriptValue>> {
    if Builder::depth() > 0 {
        let kind = ParseErrorKind::unsupported_statement(StmtKind::FunctionDef, "inside a function");
        return Err(p.error(definition.id, kind));
    }
    let frame = frame(p.name_text(definition.stmt.name));
    p.in_frame(&frame, definition.id, |p, _| {
        p.with_scope(|p| {
            parameters(p, definition, parameter)?;
            returns(p)?;
            p.visit_all(definition.stmt.body)
        })
    })?;
    Ok(None)
}

/// Adds the parameters of a function to its open frame and defines their names.
///
/// # Errors
/// If a parameter has a default or a star, or is refused.
pub fn parameters(
    p: &mut Parser,
    definition: &Definition<FunctionDef>,
    add: impl Fn(&str, Option<ScriptValue>) -> irbuilder::BuildResult<ScriptValue>,
) -> EvalResult<()> {
    let ast = p.ast();
    for parameter in ast.list(definition.stmt.params) {
        let (name, place) = (parameter.name, parameter.place);
        let annotation = parameter.annotation.map(|annotation| p.eval(annotation)).transpose()?;
        let added = match (parameter.kind, parameter.default) {
            (ParamKind::Normal, None) => at_span(p, place, |p| add(p.name_text(name), annotation)),
            (_, Some(_)) => Err(expected(p, name, "one with a default")),
            (_, None) => Err(expected(p, name, "one of another kind")),
        };
        let value = p.checked(place, added)?;
        p.define(name, value, place, Shadowing::OuterFrames)?;
    }
    Ok(())
}

fn expected(p: &Parser, name: Name, found: &str) -> irbuilder::BuildError {
    irbuilder::BuildError::expected(
        format!("a parameter `{}` without default and star", p.name_text(name)),
        found,
    )
}

/// Runs `f` with the source position of a part of the text.
fn at_span<R>(p: &mut Parser, at: impl HasRange, f: impl FnOnce(&Parser) -> R) -> R {
    let before = Span::set_current(p.span(at));
    let result = f(p);
    Span::set_current(before);
    result
}

/// Statements outside of any function: visits them in a scope.
///
/// # Errors
/// If a statement fails.
pub fn fragment(p: &mut Parser, stmts: &[StmtId]) -> EvalResult<()> {
    p.visit_fragment(stmts, |p, last| p.visit(last))
}
