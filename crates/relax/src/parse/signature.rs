//! Signatures: parameters, result, and the scalar variables that they define.

use hashbrown::HashSet;
use tvmscript_ir_core::{DataType, Ref, Str};
use tvmscript_irbuilder::ScriptValue;
use tvmscript_prim as prim;
use tvmscript_python_syntax::ast::{Expr, ExprId, FunctionDef, Name, ParamKind, PieceRange, Stmt};
use tvmscript_script_parser::{EvalErrorKind, EvalResult, ParseErrorKind, Parser, Reported, Shadowing};

use crate::build::args::{convert, dimension_of};
use crate::build::struct_info::StructInfoProxy;
use crate::node::StructInfo;

/// A parameter whose annotation is not resolved yet.
pub(super) struct Param {
    pub(super) name: Name,
    pub(super) place: PieceRange,
    at: ExprId,
    info: StructInfoProxy,
}

/// A signature whose variables are defined in the current scope.
pub(super) struct Signature {
    pub(super) params: Vec<std::result::Result<Param, Reported>>,
}

/// The name of a scalar variable, and the first annotation with it.
type Named = (Str, ExprId);

/// Evaluates the annotations of the parameters and defines the scalar variables in them.
pub(super) fn read(p: &mut Parser<'_>, node: &FunctionDef) -> Signature {
    let mut params = Vec::with_capacity(node.params.len());
    let mut names: Vec<Named> = Vec::new();
    let mut visited = HashSet::new();
    for index in 0..node.params.len() {
        let Some(param) = p.item(node.params, index) else { break };
        if matches!(param.kind, ParamKind::VarArgs | ParamKind::KwArgs) {
            let kind = EvalErrorKind::UnsupportedExpression { what: "a starred parameter" };
            let help = "a Relax function takes a fixed number of values; a tuple holds several";
            params.push(Err(p.error_with_help(param.place, kind, help)));
            p.poison(param.name, param.place);
            continue;
        }
        let Some(at) = param.annotation else {
            let text = p.name_text(param.name).to_owned();
            let kind = ParseErrorKind::expected("a type annotation", format!("the bare parameter `{text}`"));
            let help = format!("write `{text}: R.Tensor((2, 3), \"float32\")`");
            let reported = p.error_with_help(param.place, kind, help);
            p.poison(param.name, param.place);
            params.push(Err(reported));
            continue;
        };
        let info = p.eval(at).and_then(|value| {
            let info = StructInfoProxy::of(&value);
            p.checked(at, info)
        });
        params.push(match info {
            Ok(info) => {
                let mut found = Vec::new();
                info.defined_names(&mut found);
                for name in found {
                    if visited.insert(name.clone()) {
                        names.push((name, at));
                    }
                }
                Ok(Param { name: param.name, place: param.place, at, info })
            }
            Err(reported) => {
                p.poison(param.name, param.place);
                Err(reported)
            }
        });
    }
    define_variables(p, node, &names, &visited, true);
    Signature { params }
}

/// Defines the named variables: as declared in the body (`n = T.int64()`), `int64` by default, if there is one.
fn define_variables(
    p: &mut Parser<'_>,
    node: &FunctionDef,
    names: &[Named],
    known: &HashSet<Str>,
    has_default: bool,
) {
    if names.is_empty() {
        return;
    }
    let mut declared: Vec<(Str, ScriptValue)> = Vec::new();
    for index in 0..node.body.len() {
        let Some(id) = p.item(node.body, index) else { break };
        let Stmt::Assign(assign) = p.stmt(id) else { continue };
        let (1, Some(target)) = (assign.targets.len(), p.item(assign.targets, 0)) else { continue };
        let Expr::Name(name) = p.expr(target) else { continue };
        let text = p.name_str(name);
        if !known.contains(&text) || !is_declaration(p, assign.value) {
            continue;
        }
        if let Ok(value) = p.eval(assign.value)
            && let Some(var) = value.as_node::<prim::Var>()
        {
            var.name.set(text.clone());
            declared.push((text, value));
        }
    }
    for (name, at) in names {
        let value = match declared.iter().rev().find(|(known, _)| known == name) {
            Some((_, value)) => value.clone(),
            None if !has_default => continue,
            None => prim::Var::new(name.clone(), DataType::INT64).into(),
        };
        p.define_text(name, value, *at);
    }
}

/// Returns `true` for expressions of the form `T.int64()`.
fn is_declaration(p: &Parser<'_>, value: ExprId) -> bool {
    match p.expr(value) {
        Expr::Call { func, args, .. } => args.is_empty() && matches!(p.expr(func), Expr::Attribute { .. }),
        _ => false,
    }
}

impl Param {
    /// Resolves the struct info in the current scope.
    pub(super) fn resolve(&self, p: &mut Parser<'_>) -> EvalResult<Ref<StructInfo>> {
        resolve(p, self.at, &self.info)
    }

    pub(super) fn define(&self, p: &mut Parser<'_>, value: ScriptValue) -> EvalResult<()> {
        p.define(self.name, value, self.place, Shadowing::OuterFrames)
    }
}

/// The struct info of the result. TVM prints the variables of an inner function that is returned as if the outer one
/// declared them, and its signature uses them before that.
pub(super) fn result(p: &mut Parser<'_>, node: &FunctionDef, at: ExprId) -> EvalResult<Ref<StructInfo>> {
    let value = p.eval(at)?;
    let info = StructInfoProxy::of(&value);
    let info = p.checked_value(at, info)?;
    let mut found = Vec::new();
    info.names_of_callables(&mut found);
    found.retain(|name| !p.is_text_defined(name));
    let known: HashSet<Str> = found.iter().cloned().collect();
    let names: Vec<Named> = found.into_iter().map(|name| (name, at)).collect();
    define_variables(p, node, &names, &known, false);
    resolve(p, at, &info)
}

fn resolve(p: &mut Parser<'_>, at: ExprId, info: &StructInfoProxy) -> EvalResult<Ref<StructInfo>> {
    let mut reported = None;
    let resolved = info.resolve(Some(&mut |text: &Str| {
        let value = p.eval_text(text, at).map_err(|error| {
            reported = Some(error);
            tvmscript_irbuilder::BuildError::message("invalid dimension")
        })?;
        dimension_of(&value)
    }));
    match (resolved, reported) {
        (Ok(info), _) => Ok(info),
        (Err(_), Some(reported)) => Err(reported),
        (Err(error), None) => p.checked(at, Err(error)),
    }
}

/// Converts a value to an expression; errors are reported at `at`.
pub(super) fn expr_at(p: &mut Parser<'_>, at: ExprId, value: &ScriptValue) -> EvalResult<crate::node::Expr> {
    let expr = convert(value);
    p.checked(at, expr)
}
