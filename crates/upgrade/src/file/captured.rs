//! Names of the code around scripts, and the scripts that use them.

use std::collections::{BTreeMap, HashSet};

use tvmscript_diagnostics::{TextEdit, apply};
use tvmscript_python_syntax::ast::{Ast, Expr, Stmt, TextRange};
use tvmscript_python_syntax::walk::target_names;
use tvmscript_python_syntax::{PythonOptions, parse_python};

use super::Replacement;
use super::definitions::at_sign;

/// The first decorator of each definition.
pub(super) struct Decorated(BTreeMap<u32, u32>);

impl Decorated {
    pub(super) fn of(ast: &Ast) -> Decorated {
        let definitions = ast.all_stmts().filter_map(|stmt| match stmt {
            Stmt::FunctionDef(def) => Some((def.name_place, def.decorators)),
            Stmt::ClassDef(class) => Some((class.name_place, class.decorators)),
            _ => None,
        });
        let places = definitions.filter_map(|(name, decorators)| {
            let first = ast.exprs(decorators).first()?;
            Some((ast.range(name).start, ast.range(*first).start))
        });
        Decorated(places.collect())
    }

    /// The range of a definition with its decorators.
    fn range(&self, text: &str, definition: TextRange) -> TextRange {
        let next = self.0.range(definition.start..).next();
        let Some((_, decorator)) =
            next.filter(|(name, at)| **name < definition.end && **at < definition.start)
        else {
            return definition;
        };
        TextRange::new(at_sign(text, *decorator).unwrap_or(definition.start), definition.end)
    }
}

/// Names that statements of the file define outside its scripts.
pub(super) fn names_outside(text: &str, new: &[Replacement<'_>], decorated: &Decorated) -> HashSet<String> {
    let mut edits: Vec<TextEdit> = Vec::new();
    for replacement in new {
        let range = decorated.range(text, replacement.definition);
        let edit = TextEdit { range: range.into(), replacement: "pass".to_owned() };
        if !edit.range.is_empty()
            && edits
                .iter()
                .all(|other| other.range.end <= edit.range.start || edit.range.end <= other.range.start)
        {
            edits.push(edit);
        }
    }
    let rest = apply(text, &edits).unwrap_or_else(|_| text.to_owned());
    let mut names = bound(&parse_python(&rest, &PythonOptions::default()).ast);
    // A script is known to the others by its name.
    names.extend(new.iter().filter_map(|new| Some(new.name?.rsplit('.').next()?.to_owned())));
    names
}

/// A name of the code around a script that it uses.
pub(super) fn captured(code: &str, outside: &HashSet<String>) -> Option<String> {
    let code = dedented(code);
    let parsed = parse_python(&code, &PythonOptions::default());
    let own = bound(&parsed.ast);
    let mut used = parsed.ast.all_exprs().filter_map(|expr| match expr {
        Expr::Name(name) => Some(parsed.ast.name(*name)),
        _ => None,
    });
    used.find(|name| outside.contains(*name) && !own.contains(*name)).map(str::to_owned)
}

/// The definition at the left margin; its first line is there already.
fn dedented(code: &str) -> String {
    let def = code.lines().find(|line| !line.trim_start().starts_with('@') || line.starts_with(' '));
    let is_def = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("def ") || line.starts_with("class ")
    };
    let indent = def.filter(is_def).or_else(|| code.lines().find(|line| is_def(line)));
    let indent = indent.map_or(0, |line| line.len() - line.trim_start().len());
    let line =
        |line: &str| line.get(indent.min(line.len() - line.trim_start().len())..).unwrap_or(line).to_owned();
    code.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Names that the statements of a tree bind, except by imports.
fn bound(ast: &Ast) -> HashSet<String> {
    let mut names = Vec::new();
    for stmt in ast.all_stmts() {
        match stmt {
            Stmt::FunctionDef(def) => {
                names.push(def.name);
                names.extend(ast.list(def.params).iter().map(|param| param.name));
            }
            Stmt::ClassDef(class) => names.push(class.name),
            Stmt::Assign(assign) => {
                ast.exprs(assign.targets).iter().for_each(|target| target_names(ast, *target, &mut names));
            }
            Stmt::AnnAssign(assign) => target_names(ast, assign.target, &mut names),
            Stmt::For(each) => target_names(ast, each.target, &mut names),
            Stmt::With(with) => {
                let targets = ast.list(with.items).iter().filter_map(|item| item.target);
                targets.for_each(|target| target_names(ast, target, &mut names));
            }
            _ => {}
        }
    }
    names.into_iter().map(|name| ast.name(name).to_owned()).collect()
}
