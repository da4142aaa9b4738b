//! Functions that a text calls by the namespaces of dialects, and how many of them a release lacks.

use hashbrown::HashMap;
use tvmscript_irbuilder::{Declaration, HostObject, Param, ParamKind, ScriptValue};
use tvmscript_python_syntax::ParsedPython;
use tvmscript_python_syntax::ast::{Ast, Expr, ExprId, Name};

use super::Candidate;
use super::imports::Imports;
use crate::parser::Tables;

/// Number of names below a namespace that are followed: `P.group.kind.name`.
const MAX_NAMES: usize = 3;

/// A function by the namespace and the names below it.
type Function = (Name, [Option<Name>; MAX_NAMES]);

/// The functions that a text names, and the keywords of their calls, each once, with the dialect.
type Used = HashMap<(Function, Option<Name>), &'static str>;

/// The functions that a text names.
pub(super) struct UsedNames<'p> {
    ast: &'p Ast,
    used: Used,
}

impl<'p> UsedNames<'p> {
    pub(super) fn new(text: &str, parsed: &'p ParsedPython, imports: &Imports) -> UsedNames<'p> {
        UsedNames { ast: &parsed.ast, used: used(text, &parsed.ast, imports) }
    }

    /// The number of names of dialects and of their keywords that the text uses and the release lacks.
    pub(super) fn missing_in(&self, candidate: &Candidate<'_>) -> usize {
        let tables = Tables::new(candidate.registry, false);
        let missing = |(((_, names), keyword), dialect): (&(Function, Option<Name>), &&'static str)| {
            self.is_missing(&tables, dialect, names, *keyword)
        };
        self.used.iter().filter(|used| missing(*used)).count()
    }

    fn is_missing(
        &self,
        tables: &Tables,
        dialect: &str,
        names: &[Option<Name>],
        keyword: Option<Name>,
    ) -> bool {
        let ast = self.ast;
        let Some(namespace) = tables.namespace(dialect) else { return true };
        let mut names = names.iter().flatten().map(|name| ast.name(*name));
        let mut value = names.next().and_then(|name| namespace.attribute(name));
        for name in names {
            value = match value {
                Some(ScriptValue::Host(group)) => group.attribute(name),
                // A group that is missing counts itself; attributes of other values are not functions of the dialect.
                _ => return false,
            };
        }
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
fn used(text: &str, ast: &Ast, imports: &Imports) -> Used {
    let mut used = Used::new();
    // The tree of a text with parts goes on after it.
    let is_inside = |id: ExprId| (ast.range(id).start as usize) < text.len();
    for id in ast.expr_ids() {
        match *ast.expr(id) {
            Expr::Attribute { .. } => {
                if let Some((function, dialect)) = function(ast, id, imports)
                    && is_inside(id)
                {
                    used.insert((function, None), dialect);
                }
            }
            Expr::Call { func, keywords, .. } if !keywords.is_empty() => {
                if let Some((function, dialect)) = function(ast, func, imports)
                    && is_inside(id)
                {
                    let keywords = ast.list(keywords).iter().filter_map(|keyword| keyword.arg);
                    used.extend(keywords.map(|keyword| ((function, Some(keyword)), dialect)));
                }
            }
            _ => {}
        }
    }
    used
}

/// The function that an expression names, with its dialect.
fn function(ast: &Ast, mut id: ExprId, imports: &Imports) -> Option<(Function, &'static str)> {
    let mut names = [None; MAX_NAMES];
    while let Expr::Attribute { value, attr } = *ast.expr(id) {
        if names.last().is_some_and(Option::is_some) {
            return None;
        }
        names.rotate_right(1);
        *names.first_mut()? = Some(attr);
        id = value;
    }
    match *ast.expr(id) {
        Expr::Name(namespace) if names.first().is_some_and(Option::is_some) => {
            Some(((namespace, names), imports.namespace(ast, id)?))
        }
        _ => None,
    }
}
