//! Functions that a text calls by the namespaces of dialects, and how many of them a release lacks.

use hashbrown::HashSet;
use tvmscript_irbuilder::{Declaration, HostObject, Param, ParamKind, ScriptValue};
use tvmscript_python_syntax::ParsedPython;
use tvmscript_python_syntax::ast::{Expr, ExprId, Name};

use super::Candidate;
use super::imports::Imports;
use crate::parser::Tables;

/// A function that a text names: dialect, group and name, and a keyword of a call.
type Used = (&'static str, Option<Name>, Name, Option<Name>);

/// For each candidate, the number of names of dialects and of their keywords that the text uses and the release lacks.
pub(super) fn missing(
    text: &str,
    parsed: &ParsedPython,
    imports: &Imports,
    candidates: &[Candidate<'_>],
) -> Vec<usize> {
    let used = used(text, parsed, imports);
    let ast = &parsed.ast;
    let lacks = |tables: &Tables, (dialect, group, name, keyword): Used| {
        let Some(namespace) = tables.namespace(dialect) else { return true };
        let value = match group {
            None => namespace.attribute(ast.name(name)),
            Some(group) => match namespace.attribute(ast.name(group)) {
                Some(ScriptValue::Host(group)) => group.attribute(ast.name(name)),
                // A group that is missing counts itself; attributes of other values are not functions of the dialect.
                _ => return false,
            },
        };
        let Some(keyword) = keyword else { return value.is_none() };
        let declaration = match &value {
            Some(ScriptValue::Function(function)) => Some(function.declaration()),
            Some(ScriptValue::Host(function)) => function.declaration(),
            _ => None,
        };
        declaration.is_some_and(|declared| !takes_keyword(&declared, ast.name(keyword)))
    };
    let count = |candidate: &Candidate<'_>| {
        let tables = Tables::new(candidate.registry, false);
        used.iter().filter(|used| lacks(&tables, **used)).count()
    };
    candidates.iter().map(count).collect()
}

/// Returns `true` if a form of the function's calls has the keyword.
fn takes_keyword(declared: &Declaration, name: &str) -> bool {
    let takes = |param: &Param| param.name == name || param.kind == ParamKind::Kwargs;
    declared.params.iter().any(takes) || declared.other_forms().iter().flatten().any(takes)
}

/// The functions that the text names, each once.
fn used(text: &str, parsed: &ParsedPython, imports: &Imports) -> HashSet<Used> {
    let ast = &parsed.ast;
    let mut used = HashSet::new();
    let function = |id: ExprId| match *ast.expr(id) {
        Expr::Attribute { value, attr } => match *ast.expr(value) {
            Expr::Attribute { value, attr: group } => {
                Some((imports.namespace(ast, value)?, Some(group), attr))
            }
            _ => Some((imports.namespace(ast, value)?, None, attr)),
        },
        _ => None,
    };
    // The tree of a text with parts goes on after it.
    for id in ast.expr_ids().filter(|id| (ast.range(*id).start as usize) < text.len()) {
        match *ast.expr(id) {
            Expr::Attribute { .. } => {
                used.extend(function(id).map(|(dialect, group, name)| (dialect, group, name, None)));
            }
            Expr::Call { func, keywords, .. } if !keywords.is_empty() => {
                if let Some((dialect, group, name)) = function(func) {
                    let keywords = ast.list(keywords).iter().filter_map(|keyword| keyword.arg);
                    used.extend(keywords.map(|keyword| (dialect, group, name, Some(keyword))));
                }
            }
            _ => {}
        }
    }
    used
}
