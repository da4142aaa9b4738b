//! Forms of scripts that tell releases apart, found in one walk over the expressions.

use tvmscript_ir_core::release::{Form, Sign, Strength};
use tvmscript_python_syntax::ParsedPython;
use tvmscript_python_syntax::ast::{Ast, Constant, Expr, ExprId, Keyword, List, Name, Stmt};

use super::Candidate;
use super::imports::Imports;

/// The text whose forms are searched.
pub(super) struct Forms<'t> {
    pub(super) text: &'t str,
    pub(super) parsed: &'t ParsedPython,
    pub(super) imports: &'t Imports,
}

/// A form to look for: its sign, by the positions of the candidate and of the sign.
type Sought = (usize, usize);

/// Forms by the name in the text that they contain.
#[derive(Default)]
struct ByName<T> {
    /// `true` for the names of `entries`, by index.
    is_sought: Vec<bool>,
    entries: Vec<(Name, T, Sought)>,
}

impl<T: Copy> ByName<T> {
    fn add(&mut self, ast: &Ast, text: &str, value: T, sought: Sought) {
        let Some(name) = ast.find_name(text) else { return };
        self.is_sought.resize(self.is_sought.len().max(name.index() + 1), false);
        if let Some(flag) = self.is_sought.get_mut(name.index()) {
            *flag = true;
        }
        self.entries.push((name, value, sought));
    }

    fn contains(&self, name: Name) -> bool {
        self.is_sought.get(name.index()).is_some_and(|flag| *flag)
    }

    fn of(&self, name: Name) -> impl Iterator<Item = (T, Sought)> {
        let entries = if self.contains(name) { self.entries.as_slice() } else { &[] };
        entries.iter().filter(move |(own, ..)| *own == name).map(|(_, value, sought)| (*value, *sought))
    }
}

/// The forms of all candidates, by the place where a walk meets them.
#[derive(Default)]
struct Search {
    /// Names of namespaces, by dialect.
    attributes: ByName<&'static str>,
    /// Names of groups, by dialect and group.
    members: ByName<(&'static str, &'static str)>,
    /// Keywords by dialect, and whether the value is `None`.
    keywords: ByName<(&'static str, bool)>,
    /// Functions of namespaces whose first argument is a name, by dialect.
    name_arguments: ByName<&'static str>,
    /// Functions of Python.
    calls: ByName<()>,
    /// Dialects whose first arguments are tuples with strings.
    tuples: Vec<(&'static str, Sought)>,
    /// Starts of keys.
    keys: Vec<(&'static str, Sought)>,
    dotted: Vec<Sought>,
    /// Keywords whose absence is sought.
    absent: ByName<()>,
    /// Signs of which such a keyword was found.
    refuted: Vec<Sought>,
    /// Forms of the text.
    found: Vec<Sought>,
}

impl Forms<'_> {
    /// The signs of each candidate that the text has, in the order of the release.
    pub(super) fn find(&self, candidates: &[Candidate<'_>]) -> Vec<Vec<&'static Sign>> {
        let mut search = Search::default();
        for (at, candidate) in candidates.iter().enumerate() {
            for (index, sign) in candidate.release.syntax.signs.iter().enumerate() {
                if sign.strength == Strength::Printed && !self.imports.is_printed {
                    continue;
                }
                self.seek(&mut search, candidate, sign.form, (at, index));
            }
        }
        self.walk(&mut search);
        let Search { mut found, refuted, .. } = search;
        found.sort_unstable();
        found.dedup();
        found.retain(|sought| !refuted.contains(sought));
        let signs_of = |(at, candidate): (usize, &Candidate<'_>)| {
            let of = found.iter().filter(|(own, _)| *own == at);
            of.filter_map(|(_, index)| candidate.release.syntax.signs.get(*index)).collect()
        };
        candidates.iter().enumerate().map(signs_of).collect()
    }

    /// Adds a form to the search, or finds it at once.
    fn seek(&self, search: &mut Search, candidate: &Candidate<'_>, form: Form, sought: Sought) {
        let ast = &self.parsed.ast;
        let imports = self.imports;
        let has_line = |line: &str| imports.is_printed && imports.header.iter().any(|own| own == line);
        match form {
            Form::Import(path) if imports.has(path) => search.found.push(sought),
            Form::Header(line) if has_line(line) => search.found.push(sought),
            Form::HeaderWithout(dialect, line) if imports.is_printed && !has_line(line) => {
                let syntax = &candidate.release.syntax;
                let import = format!(
                    "from {} import {} as ",
                    syntax.python.script_module,
                    syntax.import_name(dialect)
                );
                if imports.header.iter().any(|own| own.starts_with(&import)) {
                    search.found.push(sought);
                }
            }
            Form::Import(_) | Form::Header(_) | Form::HeaderWithout(..) => {}
            Form::Names(dialect, names) => {
                names.iter().for_each(|name| search.attributes.add(ast, name, dialect, sought));
            }
            Form::Members(dialect, group, names) => {
                names.iter().for_each(|name| search.members.add(ast, name, (dialect, group), sought));
            }
            Form::NamesWithout(dialect, names, keyword) => {
                names.iter().for_each(|name| search.attributes.add(ast, name, dialect, sought));
                search.absent.add(ast, keyword, (), sought);
            }
            Form::Keyword(dialect, keyword) => {
                search.keywords.add(ast, keyword, (dialect, false), sought);
            }
            Form::AbsentKeyword(dialect, keyword) => {
                search.keywords.add(ast, keyword, (dialect, true), sought);
            }
            Form::NameArgument(dialect, name) => search.name_arguments.add(ast, name, dialect, sought),
            Form::Annotation(dialect, name) if self.annotates(dialect, name) => search.found.push(sought),
            Form::Annotation(..) => {}
            Form::Call(name) => search.calls.add(ast, name, (), sought),
            Form::TextInTuple(dialect) => search.tuples.push((dialect, sought)),
            Form::Key(start) => search.keys.push((start, sought)),
            Form::DottedKeyword => search.dotted.push(sought),
            Form::TypeParameters => {
                let has = |stmt: &_| matches!(stmt, Stmt::FunctionDef(stmt) if !stmt.type_params.is_empty());
                if ast.all_stmts().any(has) {
                    search.found.push(sought);
                }
            }
        }
    }

    /// Returns `true` if a call of the dialect's function annotates a value.
    fn annotates(&self, dialect: &str, name: &str) -> bool {
        let ast = &self.parsed.ast;
        let Some(name) = ast.find_name(name) else { return false };
        let is_call = |id: ExprId| match ast.expr(id) {
            Expr::Call { func, .. } => match ast.expr(*func) {
                Expr::Attribute { value, attr } => {
                    *attr == name && self.imports.namespace(ast, *value) == Some(dialect)
                }
                _ => false,
            },
            _ => false,
        };
        ast.all_stmts().any(
            |stmt| matches!(stmt, Stmt::AnnAssign(stmt) if stmt.value.is_some() && is_call(stmt.annotation)),
        )
    }

    fn walk(&self, search: &mut Search) {
        let ast = &self.parsed.ast;
        // The tree of a text with parts goes on after it.
        let end = self.text.len();
        for id in ast.expr_ids() {
            let is_here = || (ast.range(id).start as usize) < end;
            match ast.expr(id) {
                Expr::Attribute { value, attr } if search.members.contains(*attr) && is_here() => {
                    let Expr::Attribute { value, attr: group } = ast.expr(*value) else { continue };
                    let (dialect, group) = (self.imports.namespace(ast, *value), ast.name(*group));
                    let of = search
                        .members
                        .of(*attr)
                        .filter(|((own, of), _)| Some(*own) == dialect && *of == group);
                    search.found.extend(of.map(|(_, sought)| sought));
                }
                Expr::Attribute { value, attr } if search.attributes.contains(*attr) && is_here() => {
                    let Some(dialect) = self.imports.namespace(ast, *value) else { continue };
                    let of = search.attributes.of(*attr).filter(|(own, _)| *own == dialect);
                    search.found.extend(of.map(|(_, sought)| sought));
                }
                Expr::Call { func, args, keywords } => {
                    if !keywords.is_empty() {
                        self.keywords(search, *func, *keywords);
                    }
                    if let Some(first) = ast.exprs(*args).first() {
                        self.arguments(search, *func, *first, ast.exprs(*args));
                    }
                }
                Expr::Dict { items } if !search.keys.is_empty() => {
                    for item in ast.list(*items) {
                        item.key.into_iter().for_each(|key| self.key(search, key));
                    }
                }
                Expr::Subscript { index, .. } if !search.keys.is_empty() => self.key(search, *index),
                _ => {}
            }
        }
    }

    fn keywords(&self, search: &mut Search, function: ExprId, keywords: List<Keyword>) {
        let ast = &self.parsed.ast;
        for keyword in ast.list(keywords) {
            let Some(name) = keyword.arg else { continue };
            if !search.dotted.is_empty() && ast.name(name).contains('.') {
                search.found.extend(search.dotted.iter().copied());
            }
            if !search.keywords.contains(name) && !search.absent.contains(name) {
                continue;
            }
            let Some(dialect) = self.imports.owner(ast, function) else { continue };
            let is_none = matches!(ast.expr(keyword.value), Expr::Constant(Constant::None));
            let of =
                search.keywords.of(name).filter(|((own, none), _)| *own == dialect && (!none || is_none));
            search.found.extend(of.map(|(_, sought)| sought));
            search.refuted.extend(search.absent.of(name).map(|(_, sought)| sought));
        }
    }

    fn arguments(&self, search: &mut Search, function: ExprId, first: ExprId, all: &[ExprId]) {
        let ast = &self.parsed.ast;
        match ast.expr(function) {
            Expr::Name(name) => search.found.extend(search.calls.of(*name).map(|(_, sought)| sought)),
            Expr::Attribute { value, attr } => {
                if matches!(ast.expr(first), Expr::Name(_)) && search.name_arguments.contains(*attr) {
                    let dialect = self.imports.namespace(ast, *value);
                    let of = search.name_arguments.of(*attr).filter(|(own, _)| Some(*own) == dialect);
                    search.found.extend(of.map(|(_, sought)| sought));
                }
                if !search.tuples.is_empty() && self.is_text_in_tuple(first) {
                    let dialect = self.imports.namespace(ast, *value);
                    let of = search.tuples.iter().filter(|(own, _)| Some(*own) == dialect);
                    search.found.extend(of.map(|(_, sought)| *sought));
                }
                if !search.keys.is_empty() {
                    all.iter().for_each(|argument| self.key(search, *argument));
                }
            }
            _ => {}
        }
    }

    fn is_text_in_tuple(&self, id: ExprId) -> bool {
        let ast = &self.parsed.ast;
        let is_text = |id: &ExprId| matches!(ast.expr(*id), Expr::Constant(Constant::Str(_)));
        matches!(ast.expr(id), Expr::Tuple { elts } if ast.exprs(*elts).iter().any(is_text))
    }

    fn key(&self, search: &mut Search, id: ExprId) {
        let Expr::Constant(Constant::Str(text)) = self.parsed.ast.expr(id) else { return };
        let text = self.parsed.ast.name(*text);
        let of = search.keys.iter().filter(|(start, _)| text.starts_with(start));
        search.found.extend(of.map(|(_, sought)| *sought));
    }
}
