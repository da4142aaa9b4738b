//! Functions that a text calls by the namespaces of dialects, and how many of them a release lacks.

use hashbrown::HashSet;
use tvmscript_irbuilder::{Declaration, HostObject, Param, ParamKind, ScriptValue};
use tvmscript_python_syntax::ParsedPython;
use tvmscript_python_syntax::ast::{Ast, Expr, ExprId, Name};

use super::Candidate;
use super::imports::Imports;
use crate::parser::Tables;

/// A function that a text names: dialect, group and name, and a keyword of a call.
type Used = (&'static str, Option<Name>, Name, Option<Name>);

/// The functions that a text names, each once.
pub(super) struct UsedNames<'p> {
    ast: &'p Ast,
    used: HashSet<Used>,
}

impl<'p> UsedNames<'p> {
    pub(super) fn new(text: &str, parsed: &'p ParsedPython, imports: &Imports) -> UsedNames<'p> {
        UsedNames { ast: &parsed.ast, used: used(text, &parsed.ast, imports) }
    }

    /// The number of names of dialects and of their keywords that the text uses and the release lacks.
    pub(super) fn missing_in(&self, candidate: &Candidate<'_>) -> usize {
        let tables = Tables::new(candidate.registry, false);
        self.used.iter().filter(|used| self.is_missing(&tables, **used)).count()
    }

    fn is_missing(&self, tables: &Tables, (dialect, group, name, keyword): Used) -> bool {
        let ast = self.ast;
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
    }
}

/// Returns `true` if a form of the function's calls has the keyword.
fn takes_keyword(declared: &Declaration, name: &str) -> bool {
    let takes = |param: &Param| param.name == name || param.kind == ParamKind::Kwargs;
    declared.params.iter().any(takes) || declared.other_forms().iter().flatten().any(takes)
}

/// The functions that the text names, each once.
fn used(text: &str, ast: &Ast, imports: &Imports) -> HashSet<Used> {
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
    let is_inside = |id: ExprId| (ast.range(id).start as usize) < text.len();
    for id in ast.expr_ids() {
        match *ast.expr(id) {
            Expr::Attribute { .. } => {
                let named = function(id).filter(|_| is_inside(id));
                used.extend(named.map(|(dialect, group, name)| (dialect, group, name, None)));
            }
            Expr::Call { func, keywords, .. } if !keywords.is_empty() => {
                if let Some((dialect, group, name)) = function(func)
                    && is_inside(id)
                {
                    let keywords = ast.list(keywords).iter().filter_map(|keyword| keyword.arg);
                    used.extend(keywords.map(|keyword| (dialect, group, name, Some(keyword))));
                }
            }
            _ => {}
        }
    }
    used
}
