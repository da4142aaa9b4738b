//! Syntactic queries: which names occur and which are bound.

use std::collections::HashSet;

use crate::ast::{Ast, Expr, ExprId, FunctionDef, List, Name, Stmt, StmtId};

/// An expression and its descendants, in unspecified order.
pub fn exprs_in(ast: &Ast, root: ExprId) -> Vec<ExprId> {
    let (mut found, mut work) = (Vec::new(), vec![root]);
    while let Some(id) = work.pop() {
        found.push(id);
        ast.children(id, &mut work);
    }
    found
}

/// The names that an expression mentions, each with its place, with duplicates.
fn places_in(ast: &Ast, root: ExprId) -> impl Iterator<Item = (Name, ExprId)> {
    exprs_in(ast, root).into_iter().filter_map(|id| match *ast.expr(id) {
        Expr::Name(name) => Some((name, id)),
        _ => None,
    })
}

/// The names that an expression mentions, with duplicates.
pub fn names_in(ast: &Ast, root: ExprId) -> Vec<Name> {
    places_in(ast, root).map(|(name, _)| name).collect()
}

/// Adds the names in an assignment target.
pub fn target_names(ast: &Ast, target: ExprId, names: &mut Vec<Name>) {
    let mut work = vec![target];
    while let Some(id) = work.pop() {
        match *ast.expr(id) {
            Expr::Name(name) => names.push(name),
            Expr::Tuple { elts } | Expr::List { elts } => work.extend(ast.list(elts)),
            Expr::Starred { value } => work.push(value),
            _ => {}
        }
    }
}

/// The names that statements bind in their function, without nested functions and names declared `global` or
/// `nonlocal`.
pub fn bound_names(ast: &Ast, body: List<StmtId>) -> Vec<Name> {
    let mut names = Vec::new();
    let mut outer = Vec::new();
    let mut work: Vec<StmtId> = ast.list(body).to_vec();
    let mut exprs: Vec<ExprId> = Vec::new();
    while let Some(id) = work.pop() {
        stmt_names(ast, id, &mut names, &mut outer, &mut work, &mut exprs);
    }
    walrus_names(ast, exprs, &mut names);
    if !outer.is_empty() {
        names.retain(|name| !outer.contains(name));
    }
    names
}

/// The names that assignment expressions bind in the function around them: also those in comprehensions, but not those
/// in lambdas.
pub fn walrus_names(ast: &Ast, mut work: Vec<ExprId>, names: &mut Vec<Name>) {
    while let Some(id) = work.pop() {
        match *ast.expr(id) {
            Expr::NamedExpr { target, value } => {
                target_names(ast, target, names);
                work.push(value);
            }
            Expr::Lambda { params, .. } => work.extend(ast.list(params).iter().filter_map(|p| p.default)),
            _ => ast.children(id, &mut work),
        }
    }
}

/// Adds the names that a statement binds and those that it declares to be of an outer scope, the statements in it that
/// belong to the same function, and its expressions.
fn stmt_names(
    ast: &Ast,
    id: StmtId,
    names: &mut Vec<Name>,
    outer: &mut Vec<Name>,
    work: &mut Vec<StmtId>,
    exprs: &mut Vec<ExprId>,
) {
    ast.own_exprs(id, exprs);
    match *ast.stmt(id) {
        Stmt::FunctionDef(def) => return names.push(def.name),
        Stmt::ClassDef(def) => return names.push(def.name),
        Stmt::Assign(s) => ast.list(s.targets).iter().for_each(|t| target_names(ast, *t, names)),
        Stmt::AugAssign(s) => target_names(ast, s.target, names),
        Stmt::AnnAssign(s) => target_names(ast, s.target, names),
        Stmt::For(s) => target_names(ast, s.target, names),
        Stmt::With(s) => {
            let targets = ast.list(s.items).iter().filter_map(|item| item.target);
            targets.for_each(|target| target_names(ast, target, names));
        }
        Stmt::Try(s) => names.extend(ast.list(s.handlers).iter().filter_map(|handler| handler.name)),
        Stmt::Match(s) => names.extend(ast.list(s.cases).iter().flat_map(|case| ast.list(case.names))),
        Stmt::Import(s) => names.extend(ast.list(s.names).iter().filter_map(|a| match a.asname {
            Some(name) => Some(name),
            None => ast.find_name(ast.name(a.name).split('.').next().unwrap_or("")),
        })),
        Stmt::ImportFrom(s) => names.extend(ast.list(s.names).iter().map(|a| a.asname.unwrap_or(a.name))),
        Stmt::Global(s) => outer.extend(ast.list(s.names)),
        Stmt::Nonlocal(s) => outer.extend(ast.list(s.names)),
        Stmt::Delete(s) => ast.list(s.targets).iter().for_each(|t| target_names(ast, *t, names)),
        _ => {}
    }
    ast.inner_stmts(id, work);
}

/// The names that statements mention, each with its place: also in annotations, targets, decorators and nested
/// functions, with duplicates.
pub fn mentions(ast: &Ast, body: List<StmtId>) -> Vec<(Name, ExprId)> {
    mentions_in(ast, ast.list(body).to_vec())
}

/// [`mentions`] of one statement, without their places.
pub fn mentions_of(ast: &Ast, id: StmtId) -> Vec<Name> {
    mentions_in(ast, vec![id]).into_iter().map(|(name, _)| name).collect()
}

fn mentions_in(ast: &Ast, mut work: Vec<StmtId>) -> Vec<(Name, ExprId)> {
    let mut roots: Vec<ExprId> = Vec::new();
    while let Some(id) = work.pop() {
        ast.own_exprs(id, &mut roots);
        annotations(ast, id, &mut roots);
        ast.inner_stmts(id, &mut work);
    }
    roots.into_iter().flat_map(|root| places_in(ast, root)).collect()
}

/// The names of a function.
#[derive(Debug, Default)]
pub struct FunctionMentions {
    /// Names that the function mentions in its signature and body, each with its place, with duplicates.
    pub used: Vec<(Name, ExprId)>,
    /// Names that it binds: parameters, targets, and those of lambdas and comprehensions in it.
    pub bound: Vec<Name>,
}

/// The names that a function mentions and binds.
pub fn function_mentions(ast: &Ast, def: &FunctionDef) -> FunctionMentions {
    let mut used = Vec::new();
    let mut bound: Vec<Name> = ast.list(def.params).iter().map(|param| param.name).collect();
    let type_params = ast.list(def.type_params).iter();
    bound.extend(type_params.clone().map(|param| param.name));
    bound.extend(bound_names(ast, def.body));
    let mut roots: Vec<ExprId> = def.returns.into_iter().collect();
    let params = type_params.chain(ast.list(def.params));
    roots.extend(params.flat_map(|param| param.annotation.into_iter().chain(param.default)));
    used.extend(roots.into_iter().flat_map(|root| places_in(ast, root)));
    let mut work: Vec<StmtId> = ast.list(def.body).to_vec();
    while let Some(id) = work.pop() {
        if let Stmt::FunctionDef(inner) = *ast.stmt(id) {
            bound.extend(ast.list(inner.params).iter().map(|param| param.name));
            bound.extend(bound_names(ast, inner.body));
        }
        let mut exprs = Vec::new();
        ast.own_exprs(id, &mut exprs);
        for id in exprs.into_iter().flat_map(|root| exprs_in(ast, root)) {
            match *ast.expr(id) {
                Expr::Lambda { params, .. } => bound.extend(ast.list(params).iter().map(|param| param.name)),
                Expr::ListComp { generators, .. }
                | Expr::SetComp { generators, .. }
                | Expr::DictComp { generators, .. }
                | Expr::GeneratorExp { generators, .. } => {
                    ast.list(generators).iter().for_each(|part| target_names(ast, part.target, &mut bound));
                }
                _ => {}
            }
        }
        ast.inner_stmts(id, &mut work);
    }
    used.extend(mentions(ast, def.body));
    used.sort_unstable_by_key(|(_, at)| ast.range(*at).start);
    FunctionMentions { used, bound }
}

/// Adds the annotations of a statement, which host code does not evaluate.
pub fn annotations(ast: &Ast, id: StmtId, out: &mut Vec<ExprId>) {
    match *ast.stmt(id) {
        Stmt::FunctionDef(s) => {
            out.extend(s.returns);
            out.extend(ast.list(s.params).iter().filter_map(|param| param.annotation));
        }
        Stmt::AnnAssign(s) => out.push(s.annotation),
        _ => {}
    }
}

/// The names that a file binds at module level, including `global` declarations in functions.
pub fn module_names(ast: &Ast) -> HashSet<Name> {
    names_of_module(ast, ast.module_body())
}

/// The names that statements bind at module level, including `global` declarations in functions.
pub fn names_of_module(ast: &Ast, body: &[StmtId]) -> HashSet<Name> {
    let mut names = HashSet::new();
    let mut work: Vec<StmtId> = body.to_vec();
    while let Some(id) = work.pop() {
        names.extend(names_bound_by(ast, id));
    }
    let mut work: Vec<StmtId> = body.to_vec();
    while let Some(id) = work.pop() {
        if let Stmt::Global(s) = *ast.stmt(id) {
            names.extend(ast.list(s.names));
        }
        ast.inner_stmts(id, &mut work);
    }
    names
}

/// The names of all called functions and methods.
pub fn called_names(ast: &Ast) -> HashSet<Name> {
    let name = |expr: &Expr| match *expr {
        Expr::Call { func, .. } => match *ast.expr(func) {
            Expr::Name(name) | Expr::Attribute { attr: name, .. } => Some(name),
            _ => None,
        },
        _ => None,
    };
    ast.all_exprs().filter_map(name).collect()
}

/// The names that a function declares `global`.
pub fn global_names(ast: &Ast, body: List<StmtId>) -> Vec<Name> {
    let mut names = Vec::new();
    let mut work: Vec<StmtId> = ast.list(body).to_vec();
    while let Some(id) = work.pop() {
        match *ast.stmt(id) {
            Stmt::Global(s) => names.extend(ast.list(s.names)),
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            _ => ast.inner_stmts(id, &mut work),
        }
    }
    names
}

/// The names that a statement binds.
pub fn names_bound_by(ast: &Ast, id: StmtId) -> Vec<Name> {
    let mut names = Vec::new();
    let (mut outer, mut work, mut exprs) = (Vec::new(), vec![id], Vec::new());
    while let Some(id) = work.pop() {
        stmt_names(ast, id, &mut names, &mut outer, &mut work, &mut exprs);
    }
    names
}

/// Tests whether statements, including nested functions, use a name that they do not bind.
pub fn uses_free(ast: &Ast, body: List<StmtId>, name: Name) -> bool {
    let (mut names, mut outer) = (Vec::new(), Vec::new());
    let mut work: Vec<StmtId> = ast.list(body).to_vec();
    let mut exprs: Vec<ExprId> = Vec::new();
    while let Some(id) = work.pop() {
        stmt_names(ast, id, &mut names, &mut outer, &mut work, &mut exprs);
        if let Stmt::FunctionDef(def) = ast.stmt(id) {
            work.extend(ast.list(def.body));
        }
    }
    !names.contains(&name) && exprs.into_iter().any(|root| names_in(ast, root).contains(&name))
}
