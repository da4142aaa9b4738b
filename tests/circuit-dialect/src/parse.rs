//! Syntax of scripts that is not a call of a function.

use std::ptr;

use tvmscript_ir_core::Ref;
use tvmscript_irbuilder::{Builder, IntoScript as _, ScriptValue, try_name};
use tvmscript_python_syntax::ast::{
    Assign, Expr, ExprId, ExprStmt, FunctionDef, Name, ParamKind, Parameter, StmtId, StmtKind, With,
};
use tvmscript_script_parser::{Definition, ParseErrorKind, Parser, Result, Shadowing};

use crate::build;
use crate::node::Wire;

/// `@C.circuit def name(wire: C.Wire, ..): ..`.
pub(crate) fn circuit(p: &mut Parser, definition: &Definition<FunctionDef>) -> Result<Option<ScriptValue>> {
    if Builder::depth() > 0 {
        let kind = ParseErrorKind::unsupported_statement(StmtKind::FunctionDef, "inside a circuit");
        return Err(p.error(definition.id, kind));
    }
    let [] = p.decorator_flags(definition, [])?;
    let FunctionDef { name, params, returns, body, .. } = definition.stmt;
    if let Some(returns) = returns {
        return Err(p.error(returns, ParseErrorKind::expected("`C.output(..)`", "a return type")));
    }
    let ast = p.ast();
    let params = ast.list(params);
    for parameter in params {
        check_parameter(p, parameter)?;
    }
    let frame = build::circuit(p.name_text(name)).into_script();
    p.in_frame(&frame, definition.id, |p, _| {
        p.with_scope(|p| {
            for Parameter { name, place, .. } in params {
                let wire = Wire { name: p.name_str(*name).into(), span: p.span(*place) };
                let added = build::add_input(Ref::new(wire));
                let wire = p.checked(*place, added)?;
                p.define(*name, wire.into_script(), *place, Shadowing::OuterFrames)?;
            }
            p.visit_all(body)
        })
    })?;
    Ok(None)
}

/// Checks that a parameter is `name: C.Wire`.
fn check_parameter(p: &mut Parser, parameter: &Parameter) -> Result<()> {
    let found = match parameter.annotation {
        None => "a parameter without type",
        Some(annotation) => match p.eval(annotation)? {
            ScriptValue::Function(function) if ptr::eq(function, &build::WIRE) => match parameter.default {
                None if parameter.kind == ParamKind::Normal => return Ok(()),
                None => "a parameter of another kind",
                Some(_) => "a parameter with a default",
            },
            _ => "a parameter of another type",
        },
    };
    let expected = format!("`{}: C.Wire`", p.name_text(parameter.name));
    Err(p.error(parameter.place, ParseErrorKind::expected(expected, found)))
}

/// `name = value`.
pub(crate) fn assign(p: &mut Parser, _: StmtId, stmt: &Assign) -> Result<()> {
    let value = p.eval_assigned(stmt.value)?;
    for target in p.ast().list(stmt.targets) {
        p.unpack(*target, value.clone(), bind)?;
    }
    Ok(())
}

/// Names a wire that has no name yet. Another name for a wire is only known to the parser.
fn bind(p: &mut Parser, name: Name, at: ExprId, value: ScriptValue) -> Result<()> {
    if let Some(wire) = value.as_node::<Wire>()
        && wire.name.text().is_empty()
    {
        let named = try_name(p.name_text(name), wire.object());
        p.checked(at, named)?;
    }
    p.define(name, value, at, Shadowing::SameFrame)
}

/// A call: of a function without result, or of a gate whose output is not used.
pub(crate) fn expression(p: &mut Parser, _: StmtId, stmt: &ExprStmt) -> Result<()> {
    let is_call = matches!(p.expr(stmt.value), Expr::Call { .. });
    let value = p.eval(stmt.value)?;
    if is_call && (matches!(value, ScriptValue::None) || value.as_node::<Wire>().is_some()) {
        return Ok(());
    }
    let found = p.describe(&value);
    Err(p.error(stmt.value, ParseErrorKind::expected("a call such as `C.output(..)`", found)))
}

/// `with C.clocked(..):`. Names defined inside are known afterwards, as in Python. After an error in its head, the
/// body is read all the same, so that the names are known.
pub(crate) fn with(p: &mut Parser, _: StmtId, stmt: &With) -> Result<()> {
    let mut result = Ok(());
    let mut open = Vec::new();
    for item in p.ast().list(stmt.items) {
        if let Some(target) = item.target {
            result = Err(
                p.error(target, ParseErrorKind::expected("`with C.clocked(..):`", "a name for the scope"))
            );
        }
        let entered = p.eval(item.context).and_then(|scope| p.enter_frame(&scope, item.context));
        let (_, frame) = match entered {
            Ok(entered) => entered,
            Err(reported) => {
                result = Err(reported);
                p.enter_frame(&build::any_clock().into_script(), item.context)?
            }
        };
        open.push((frame, item.context));
    }
    result = result.and(p.visit_all(stmt.body));
    while let Some((frame, at)) = open.pop() {
        result = result.and(p.leave_frame(frame, at));
    }
    result
}

/// Statements outside any circuit.
pub(crate) fn fragment(p: &mut Parser, stmts: &[StmtId]) -> Result<()> {
    p.visit_fragment(stmts, |p, last| p.visit(last))
}
