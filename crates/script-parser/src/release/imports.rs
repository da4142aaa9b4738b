//! Imports of a text: the modules and namespaces that it names, and what its names stand for.

use hashbrown::{HashMap, HashSet};
use tvmscript_ir_core::release::Reason;
use tvmscript_python_syntax::ParsedPython;
use tvmscript_python_syntax::ast::{Ast, Expr, ExprId, Name, Stmt};
use tvmscript_python_syntax::prescan::Comment;

use super::Candidate;

/// Longest dotted path that is followed.
const MAX_PARTS: usize = 8;

/// The imports of a text.
pub(super) struct Imports {
    /// Modules and members, each once.
    paths: Vec<ImportPath>,
    /// Dialects by the names of their namespaces in the text.
    namespaces: HashMap<Name, &'static str>,
    /// Comments of the header, without the mark.
    pub(super) header: Vec<String>,
    /// `true` if header comments are the imports of the text.
    pub(super) is_printed: bool,
}

/// The path that an import names.
struct ImportPath {
    module: String,
    /// The member; empty for the module itself.
    name: String,
    /// Both, with a dot between them.
    whole: String,
}

/// An import: the dotted path, and the name that it binds.
struct Import {
    module: String,
    name: String,
    bound: Option<Name>,
}

impl Imports {
    pub(super) fn of(text: &str, parsed: &ParsedPython, candidates: &[Candidate<'_>]) -> Imports {
        let ast = &parsed.ast;
        let mut found = statements(ast, text.len());
        let knows = |import: &Import| {
            candidates.iter().any(|candidate| candidate.namespace(&import.module, &import.name).is_some())
        };
        let mut namespaces = HashMap::new();
        for (prefix, dialect) in candidates.iter().flat_map(|candidate| candidate.table.prefixes.iter()) {
            if let Some(name) = ast.find_name(prefix) {
                namespaces.entry(name).or_insert(*dialect);
            }
        }
        let header: Vec<String> = header(text, &parsed.comments).collect();
        let is_printed = !found.iter().any(knows);
        if is_printed {
            found.extend(header.iter().filter_map(|line| of_comment(ast, line)));
        }
        let mut imports = Imports { paths: Vec::new(), namespaces, header, is_printed };
        let mut seen = HashSet::new();
        for Import { module, name, bound } in found {
            let dialect = candidates.iter().find_map(|candidate| candidate.namespace(&module, &name));
            if let Some(bound) = bound {
                match dialect {
                    Some((_, _, dialect)) => imports.namespaces.insert(bound, dialect),
                    None => imports.namespaces.remove(&bound),
                };
            }
            let whole = format!("{module}.{name}");
            if seen.insert(whole.clone()) {
                imports.paths.push(ImportPath { module, name, whole });
            }
        }
        imports
    }

    /// The imports that a release has, each with its weight.
    pub(super) fn evidence(&self, candidate: &Candidate<'_>) -> Vec<(u32, Reason)> {
        let modules = &candidate.table.modules;
        let mut evidence = Vec::new();
        for ImportPath { module, name, whole } in &self.paths {
            if candidate.lacks(module) || candidate.lacks(whole) {
                continue;
            }
            if let Some((module, name, _)) = candidate.namespace(module, name) {
                evidence.push((2, Reason::Import(module, name)));
            } else if !name.is_empty()
                && let Some(module) = modules.path(whole)
            {
                evidence.push((1, Reason::Import(module, "")));
            }
            if let Some(module) = modules.path(module) {
                evidence.push((1, Reason::Import(module, "")));
            }
        }
        evidence
    }

    /// The dialect whose namespace an expression names.
    pub(super) fn namespace(&self, ast: &Ast, id: ExprId) -> Option<&'static str> {
        match ast.expr(id) {
            Expr::Name(name) => self.namespaces.get(name).copied(),
            _ => None,
        }
    }

    /// The dialect of a function by its dotted name, `P.name` or `P.group.name`.
    pub(super) fn owner(&self, ast: &Ast, mut id: ExprId) -> Option<&'static str> {
        for _ in 0..MAX_PARTS {
            match ast.expr(id) {
                Expr::Attribute { value, .. } => id = *value,
                Expr::Name(name) => return self.namespaces.get(name).copied(),
                _ => return None,
            }
        }
        None
    }

    /// Returns `true` if the text imports a module, one below it, or a member.
    pub(super) fn has(&self, path: &str) -> bool {
        let is_below = |module: &str| {
            module.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.paths.iter().any(|path| is_below(&path.module) || is_below(&path.whole))
    }
}

impl Candidate<'_> {
    /// The namespace that an import names: module, name and dialect.
    pub(super) fn namespace(
        &self,
        module: &str,
        name: &str,
    ) -> Option<(&'static str, &'static str, &'static str)> {
        let syntax = &self.release.syntax;
        if module == syntax.python.script_module {
            let dialects = self.registry.dialects().iter();
            let own = dialects.map(|dialect| (syntax.import_name(dialect), *dialect));
            if let Some((name, dialect)) = own.into_iter().find(|(import, _)| *import == name) {
                return Some((syntax.python.script_module, name, dialect));
            }
        }
        let (module, name, dialect) = self.table.modules.namespace(module, name)?;
        // The dialect may be written for several releases, under the name of the first.
        let is_other_name = name == dialect && syntax.import_name(dialect) != name;
        (!is_other_name).then_some((module, name, dialect))
    }

    /// Returns `true` for a module that has another name in the release, and for those below it.
    fn lacks(&self, path: &str) -> bool {
        let is_below = |module: &str| {
            path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.release.renames.modules.iter().any(|(module, _)| is_below(module))
    }
}

/// The comments that may be a header: alone on lines, at their beginning.
fn header<'t>(text: &'t str, comments: &'t [Comment]) -> impl Iterator<Item = String> + 't {
    let at_line_start = |start: u32| start == 0 || text.as_bytes().get(start as usize - 1) == Some(&b'\n');
    comments
        .iter()
        .take_while(|comment| (comment.range.start as usize) < text.len())
        .filter(move |comment| comment.own_line && at_line_start(comment.range.start))
        .filter_map(|comment| Some(text.get(comment.range.to_usize())?.strip_prefix('#')?.trim().to_owned()))
        .filter(|line| line.starts_with("from ") || line.starts_with("import "))
}

/// `from MODULE import NAME as P` in a comment.
fn of_comment(ast: &Ast, line: &str) -> Option<Import> {
    let (module, name) = line.strip_prefix("from ")?.split_once(" import ")?;
    let (name, bound) = name.split_once(" as ").unwrap_or((name, name));
    let bound = ast.find_name(bound.trim());
    Some(Import { module: module.trim().to_owned(), name: name.trim().to_owned(), bound })
}

/// The imports of the statements that begin before `end`, wherever they are nested, and the dotted paths that assignments
/// name.
fn statements(ast: &Ast, end: usize) -> Vec<Import> {
    let mut imports = Vec::new();
    // Modules by the names that imports bind.
    let mut roots: HashMap<Name, String> = HashMap::new();
    let is_here = |id| (ast.range(id).start as usize) < end;
    for id in ast.stmt_ids() {
        match ast.stmt(id) {
            Stmt::Import(stmt) if is_here(id) => {
                for alias in ast.list(stmt.names) {
                    let path = ast.name(alias.name);
                    match alias.asname {
                        Some(bound) => {
                            imports.push(split(path, Some(bound)));
                            roots.insert(bound, path.to_owned());
                        }
                        None => {
                            imports.push(split(path, None));
                            let root = path.split('.').next().unwrap_or(path);
                            if let Some(name) = ast.find_name(root) {
                                roots.insert(name, root.to_owned());
                            }
                        }
                    }
                }
            }
            Stmt::ImportFrom(stmt) if stmt.level == 0 && is_here(id) => {
                let module = stmt.module.map_or("", |module| ast.name(module));
                if module == "__future__" {
                    continue;
                }
                for alias in ast.list(stmt.names) {
                    let bound = alias.asname.unwrap_or(alias.name);
                    let name = ast.name(alias.name).to_owned();
                    roots.insert(bound, format!("{module}.{name}"));
                    imports.push(Import { module: module.to_owned(), name, bound: Some(bound) });
                }
            }
            _ => {}
        }
    }
    if roots.is_empty() {
        return imports;
    }
    for id in ast.stmt_ids() {
        if let Stmt::Assign(assign) = ast.stmt(id)
            && is_here(id)
            && let [target] = ast.exprs(assign.targets)
            && let Expr::Name(bound) = ast.expr(*target)
            && let Some(path) = dotted(ast, &roots, assign.value)
        {
            imports.push(split(&path, Some(*bound)));
        }
    }
    // Decorators and calls by their whole path name modules, too.
    let decorators = ast.stmt_ids().filter(|id| is_here(*id)).flat_map(|id| match ast.stmt(id) {
        Stmt::FunctionDef(stmt) => ast.exprs(stmt.decorators),
        Stmt::ClassDef(stmt) => ast.exprs(stmt.decorators),
        _ => &[],
    });
    for decorator in decorators {
        let function = match ast.expr(*decorator) {
            Expr::Call { func, .. } => *func,
            _ => *decorator,
        };
        if let Some((path, _)) =
            dotted(ast, &roots, function).as_deref().and_then(|path| path.rsplit_once('.'))
        {
            imports.push(split(path, None));
        }
    }
    imports
}

fn split(path: &str, bound: Option<Name>) -> Import {
    let (module, name) = path.rsplit_once('.').unwrap_or((path, ""));
    Import { module: module.to_owned(), name: name.to_owned(), bound }
}

/// The path that a chain of attributes names, `m.a.b` where an import binds `m`.
fn dotted(ast: &Ast, roots: &HashMap<Name, String>, mut id: ExprId) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for _ in 0..MAX_PARTS {
        match ast.expr(id) {
            Expr::Attribute { value, attr } => {
                parts.push(ast.name(*attr));
                id = *value;
            }
            Expr::Name(name) if !parts.is_empty() => {
                let root = roots.get(name)?;
                parts.push(root);
                parts.reverse();
                return Some(parts.join("."));
            }
            _ => return None,
        }
    }
    None
}
