//! The names of a text: functions, and the scopes that define them.

use std::collections::{HashMap, HashSet};

use tvmscript_python_syntax::ast::{Alias, Ast, Expr, ExprId, FunctionDef, List, Name, Stmt, StmtId};
use tvmscript_python_syntax::walk::names_bound_by;
use tvmscript_script_eval::absolute_module;

/// The kind of a function, by its decorators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A function of TIR.
    Tir,
    /// A function of Relax.
    Relax,
    /// A macro; `hygienic` if its names are those of its definition.
    Macro { hygienic: bool },
    /// A Python function without decorators.
    Host,
    /// A function with another decorator.
    Decorated,
}

impl Kind {
    fn of(ast: &Ast, def: FunctionDef) -> Kind {
        let Some(decorator) = ast.list(def.decorators).last() else { return Kind::Host };
        let (path, keywords) = match *ast.expr(*decorator) {
            Expr::Call { func, keywords, .. } => (func, keywords),
            _ => (*decorator, List::EMPTY),
        };
        let Expr::Attribute { attr, .. } = *ast.expr(path) else { return Kind::Decorated };
        match ast.name(attr) {
            "prim_func" | "jit" => Kind::Tir,
            "function" => Kind::Relax,
            "macro" | "inline" => Kind::Macro { hygienic: keywords.is_empty() },
            _ => Kind::Decorated,
        }
    }

    pub(super) fn is_script(self) -> bool {
        matches!(self, Kind::Tir | Kind::Relax)
    }
}

/// A function, a class or the module.
#[derive(Debug)]
struct Scope {
    parent: Option<usize>,
    is_class: bool,
    kind: Option<Kind>,
    /// The names bound here, with the function or import if that is the only binding.
    names: HashMap<Name, Option<StmtId>>,
}

/// A function that is a script.
#[derive(Debug)]
pub(super) struct ScriptFunction {
    pub(super) def: FunctionDef,
    pub(super) is_tir: bool,
    pub(super) scope: usize,
}

/// All scopes of a text.
#[derive(Debug)]
pub(super) struct Scopes {
    scopes: Vec<Scope>,
    pub(super) scripts: Vec<ScriptFunction>,
    /// The names of methods.
    pub(super) methods: HashSet<Name>,
}

/// A function found by name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) def: FunctionDef,
    pub(super) kind: Kind,
    pub(super) scope: usize,
}

impl Scopes {
    pub(super) fn new(ast: &Ast) -> Scopes {
        let mut all = Scopes { scopes: Vec::new(), scripts: Vec::new(), methods: HashSet::new() };
        let module = all.open(ast, None, false, None, ast.module_body(), &[]);
        let mut work: Vec<(StmtId, usize)> = ast.module_body().iter().map(|id| (*id, module)).collect();
        while let Some((id, scope)) = work.pop() {
            match *ast.stmt(id) {
                Stmt::FunctionDef(def) => {
                    let kind = Kind::of(ast, def);
                    let params: Vec<Name> = ast.list(def.params).iter().map(|param| param.name).collect();
                    if all.scopes.get(scope).is_some_and(|scope| scope.is_class) && !kind.is_script() {
                        all.methods.insert(def.name);
                    }
                    let inner = all.open(ast, Some(scope), false, Some(kind), ast.list(def.body), &params);
                    if kind.is_script() {
                        let is_tir = kind == Kind::Tir;
                        all.scripts.push(ScriptFunction { def, is_tir, scope: inner });
                    }
                    work.extend(ast.list(def.body).iter().map(|id| (*id, inner)));
                }
                Stmt::ClassDef(def) => {
                    let inner = all.open(ast, Some(scope), true, None, ast.list(def.body), &[]);
                    work.extend(ast.list(def.body).iter().map(|id| (*id, inner)));
                }
                _ => work.extend(
                    blocks(ast, id).into_iter().flat_map(|body| ast.list(body)).map(|id| (*id, scope)),
                ),
            }
        }
        all.scripts.sort_by_key(|script| ast.range(script.def.name_place).start);
        all
    }

    fn open(
        &mut self,
        ast: &Ast,
        parent: Option<usize>,
        is_class: bool,
        kind: Option<Kind>,
        body: &[StmtId],
        params: &[Name],
    ) -> usize {
        let mut names: HashMap<Name, Option<StmtId>> = params.iter().map(|name| (*name, None)).collect();
        for id in body {
            let is_source =
                matches!(ast.stmt(*id), Stmt::FunctionDef(_) | Stmt::Import(_) | Stmt::ImportFrom(_));
            for name in names_bound_by(ast, *id) {
                names.entry(name).and_modify(|bound| *bound = None).or_insert(is_source.then_some(*id));
            }
        }
        self.scopes.push(Scope { parent, is_class, kind, names });
        self.scopes.len() - 1
    }

    /// The scopes that a name is searched in, from the innermost.
    fn chain(&self, from: usize) -> impl Iterator<Item = (usize, &Scope)> {
        let get = |index: usize| self.scopes.get(index).map(|scope| (index, scope));
        std::iter::successors(get(from), move |(_, scope)| scope.parent.and_then(get))
            .filter(|(_, scope)| !scope.is_class)
    }

    /// The scope that defines a name.
    fn defining(&self, name: Name, from: usize) -> Option<(usize, &Scope)> {
        self.chain(from).find(|(_, scope)| scope.names.contains_key(&name))
    }

    /// The function that a name stands for, outside of scripts.
    pub(super) fn function(&self, ast: &Ast, name: Name, from: usize) -> Option<Found> {
        let (scope, found) = self.defining(name, from)?;
        if found.kind.is_some_and(Kind::is_script) {
            return None;
        }
        let id = (*found.names.get(&name)?)?;
        match *ast.stmt(id) {
            Stmt::FunctionDef(def) => Some(Found { def, kind: Kind::of(ast, def), scope }),
            _ => None,
        }
    }

    /// The absolute dotted path of what an import binds a name to.
    pub(super) fn imported(&self, ast: &Ast, package: &str, name: Name, from: usize) -> Option<String> {
        let (_, found) = self.defining(name, from)?;
        let id = (*found.names.get(&name)?)?;
        match *ast.stmt(id) {
            Stmt::Import(import) => {
                let renamed = ast.list(import.names).iter().find(|alias| alias.asname == Some(name));
                Some(ast.name(renamed.map_or(name, |alias| alias.name)).to_owned())
            }
            Stmt::ImportFrom(import) => {
                let bound = |alias: &&Alias| alias.asname.unwrap_or(alias.name) == name;
                let alias = ast.list(import.names).iter().find(bound)?;
                let module = import.module.map_or("", |module| ast.name(module));
                let module = absolute_module(package, import.level, module)?;
                let name = ast.name(alias.name);
                Some(if module.is_empty() { name.to_owned() } else { format!("{module}.{name}") })
            }
            _ => None,
        }
    }

    /// Tests whether a name means the same in two scopes.
    pub(super) fn is_same(&self, name: Name, a: usize, b: usize) -> bool {
        self.defining(name, a).map(|found| found.0) == self.defining(name, b).map(|found| found.0)
    }

    /// Tests whether no scope of the text defines a name.
    pub(super) fn is_builtin(&self, name: Name, from: usize) -> bool {
        self.defining(name, from).is_none()
    }

    /// The names that are bound in a scope or around it.
    pub(super) fn visible(&self, ast: &Ast, from: usize) -> HashSet<String> {
        self.chain(from)
            .flat_map(|(_, scope)| scope.names.keys())
            .map(|name| ast.name(*name).to_owned())
            .collect()
    }
}

/// The blocks of a statement that are not scopes of their own.
pub(super) fn blocks(ast: &Ast, id: StmtId) -> Vec<List<StmtId>> {
    match *ast.stmt(id) {
        Stmt::For(s) => vec![s.body, s.orelse],
        Stmt::While(s) => vec![s.body, s.orelse],
        Stmt::With(s) => vec![s.body],
        Stmt::If(s) => {
            ast.list(s.clauses).iter().map(|clause| clause.body).chain(std::iter::once(s.orelse)).collect()
        }
        Stmt::Try(s) => {
            let handlers = ast.list(s.handlers).iter().map(|handler| handler.body);
            std::iter::once(s.body).chain(handlers).chain([s.orelse, s.finalbody]).collect()
        }
        Stmt::Match(s) => ast.list(s.cases).iter().map(|case| case.body).collect(),
        _ => Vec::new(),
    }
}

/// The name and the attributes of a dotted path such as `a.b.c`.
pub(super) fn dotted(ast: &Ast, mut id: ExprId) -> Option<(Name, Vec<Name>)> {
    let mut attributes = Vec::new();
    loop {
        match *ast.expr(id) {
            Expr::Attribute { value, attr } => {
                attributes.push(attr);
                id = value;
            }
            Expr::Name(name) => {
                attributes.reverse();
                return Some((name, attributes));
            }
            _ => return None,
        }
    }
}

/// The function of a call, if it is a name.
pub(super) fn called_name(ast: &Ast, id: ExprId) -> Option<Name> {
    let Expr::Call { func, .. } = *ast.expr(id) else { return None };
    match *ast.expr(func) {
        Expr::Name(name) => Some(name),
        _ => None,
    }
}
