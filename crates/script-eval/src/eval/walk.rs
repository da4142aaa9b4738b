//! Syntactic queries: which names occur and which are bound.

use std::collections::HashSet;

use crate::id_hash::IdSet;
use tvmscript_python_syntax::ast::{
    Ast, Expr, ExprId, For, FunctionDef, List, Name, Stmt, StmtId, UnsupportedStmt, While,
};

use super::closure::target_names;

/// Calls `f` for an expression and its descendants, in unspecified order.
pub(crate) fn expr(ast: &Ast, root: ExprId, f: &mut dyn FnMut(ExprId)) {
    let mut work = vec![root];
    while let Some(id) = work.pop() {
        f(id);
        children(ast, id, &mut work);
    }
}

/// The names that an expression mentions, with duplicates.
pub fn names_in(ast: &Ast, root: ExprId) -> Vec<Name> {
    let mut names = Vec::new();
    expr(ast, root, &mut |id| {
        if let Expr::Name(name) = *ast.expr(id) {
            names.push(name);
        }
    });
    names
}

/// An expression and its descendants, in unspecified order.
pub fn exprs_in(ast: &Ast, root: ExprId) -> Vec<ExprId> {
    let mut found = Vec::new();
    expr(ast, root, &mut |id| found.push(id));
    found
}

fn children(ast: &Ast, id: ExprId, out: &mut Vec<ExprId>) {
    match *ast.expr(id) {
        Expr::BoolOp { values, .. } | Expr::JoinedStr { values } => out.extend(ast.list(values)),
        Expr::BinOp { left, right, .. } => out.extend([left, right]),
        Expr::UnaryOp { operand, .. } => out.push(operand),
        Expr::Lambda { params, body } => {
            out.push(body);
            out.extend(ast.list(params).iter().filter_map(|p| p.default));
        }
        Expr::IfExp { test, body, orelse } => out.extend([test, body, orelse]),
        Expr::Dict { items } => {
            for item in ast.list(items) {
                out.extend(item.key);
                out.push(item.value);
            }
        }
        Expr::Set { elts } | Expr::List { elts } | Expr::Tuple { elts } => out.extend(ast.list(elts)),
        Expr::ListComp { elt, generators }
        | Expr::SetComp { elt, generators }
        | Expr::GeneratorExp { elt, generators } => {
            out.push(elt);
            comprehensions(ast, generators, out);
        }
        Expr::DictComp { key, value, generators } => {
            out.extend([key, value]);
            comprehensions(ast, generators, out);
        }
        Expr::Await { value } | Expr::YieldFrom { value } | Expr::Starred { value } => out.push(value),
        Expr::Yield { value } => out.extend(value),
        Expr::Compare { left, rest } => {
            out.push(left);
            out.extend(ast.list(rest).iter().map(|c| c.right));
        }
        Expr::Call { func, args, keywords } => {
            out.push(func);
            out.extend(ast.list(args));
            out.extend(ast.list(keywords).iter().map(|k| k.value));
        }
        Expr::FormattedValue { value, spec, .. } => {
            out.push(value);
            out.extend(spec);
        }
        Expr::NamedExpr { target, value } => out.extend([target, value]),
        Expr::Attribute { value, .. } => out.push(value),
        Expr::Subscript { value, index } => out.extend([value, index]),
        Expr::Slice { lower, upper, step } => out.extend([lower, upper, step].into_iter().flatten()),
        Expr::Constant(_) | Expr::Name(_) => {}
    }
}

fn comprehensions(
    ast: &Ast,
    generators: List<tvmscript_python_syntax::ast::Comprehension>,
    out: &mut Vec<ExprId>,
) {
    for part in ast.list(generators) {
        out.extend([part.target, part.iter]);
        out.extend(ast.list(part.ifs));
    }
}

/// The names that statements bind in their function, without nested functions and names declared `global` or
/// `nonlocal`.
pub(crate) fn bound_names(ast: &Ast, body: List<StmtId>) -> Vec<Name> {
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
fn walrus_names(ast: &Ast, mut work: Vec<ExprId>, names: &mut Vec<Name>) {
    while let Some(id) = work.pop() {
        match *ast.expr(id) {
            Expr::NamedExpr { target, value } => {
                target_names(ast, target, names);
                work.push(value);
            }
            Expr::Lambda { params, .. } => work.extend(ast.list(params).iter().filter_map(|p| p.default)),
            _ => children(ast, id, &mut work),
        }
    }
}

fn stmt_names(
    ast: &Ast,
    id: StmtId,
    names: &mut Vec<Name>,
    outer: &mut Vec<Name>,
    work: &mut Vec<StmtId>,
    exprs: &mut Vec<ExprId>,
) {
    match *ast.stmt(id) {
        Stmt::FunctionDef(def) => names.push(def.name),
        Stmt::ClassDef(def) => names.push(def.name),
        Stmt::Assign(s) => {
            ast.list(s.targets).iter().for_each(|t| target_names(ast, *t, names));
            exprs.push(s.value);
        }
        Stmt::AugAssign(s) => {
            target_names(ast, s.target, names);
            exprs.push(s.value);
        }
        Stmt::AnnAssign(s) => {
            target_names(ast, s.target, names);
            exprs.extend(s.value);
        }
        Stmt::For(s) => {
            target_names(ast, s.target, names);
            exprs.push(s.iter);
            work.extend(ast.list(s.body));
            work.extend(ast.list(s.orelse));
        }
        Stmt::While(s) => {
            exprs.push(s.test);
            work.extend(ast.list(s.body));
            work.extend(ast.list(s.orelse));
        }
        Stmt::If(s) => {
            for clause in ast.list(s.clauses) {
                exprs.push(clause.test);
                work.extend(ast.list(clause.body));
            }
            work.extend(ast.list(s.orelse));
        }
        Stmt::With(s) => {
            for item in ast.list(s.items) {
                exprs.push(item.context);
                item.target.iter().for_each(|t| target_names(ast, *t, names));
            }
            work.extend(ast.list(s.body));
        }
        Stmt::Try(s) => {
            for handler in ast.list(s.handlers) {
                names.extend(handler.name);
                work.extend(ast.list(handler.body));
            }
            for body in [s.body, s.orelse, s.finalbody] {
                work.extend(ast.list(body));
            }
        }
        Stmt::Match(s) => {
            exprs.push(s.subject);
            for case in ast.list(s.cases) {
                names.extend(ast.list(case.names));
                exprs.extend(case.guard);
                work.extend(ast.list(case.body));
            }
        }
        Stmt::Unsupported(s) => work.extend(s.plain),
        Stmt::Import(s) => names.extend(ast.list(s.names).iter().filter_map(|a| match a.asname {
            Some(name) => Some(name),
            None => ast.find_name(ast.name(a.name).split('.').next().unwrap_or("")),
        })),
        Stmt::ImportFrom(s) => names.extend(ast.list(s.names).iter().map(|a| a.asname.unwrap_or(a.name))),
        Stmt::Global(s) => outer.extend(ast.list(s.names)),
        Stmt::Nonlocal(s) => outer.extend(ast.list(s.names)),
        Stmt::Expr(s) => exprs.push(s.value),
        Stmt::Return(s) => exprs.extend(s.value),
        Stmt::Assert(s) => exprs.extend([Some(s.test), s.msg].into_iter().flatten()),
        Stmt::Delete(s) => ast.list(s.targets).iter().for_each(|t| target_names(ast, *t, names)),
        Stmt::Raise(s) => exprs.extend([s.exc, s.cause].into_iter().flatten()),
        Stmt::Pass | Stmt::Break | Stmt::Continue | Stmt::Invalid => {}
    }
}

/// The names that statements mention, each with its place: also in annotations, targets, decorators and nested
/// functions, with duplicates.
pub fn mentions(ast: &Ast, body: List<StmtId>) -> Vec<(Name, ExprId)> {
    let mut work: Vec<StmtId> = ast.list(body).to_vec();
    let mut roots: Vec<ExprId> = Vec::new();
    while let Some(id) = work.pop() {
        own_exprs(ast, id, &mut roots);
        annotations(ast, id, &mut roots);
        bodies(ast, id, &mut |body| work.extend(ast.list(body)));
    }
    let mut found = Vec::new();
    for root in roots {
        expr(ast, root, &mut |id| {
            if let Expr::Name(name) = *ast.expr(id) {
                found.push((name, id));
            }
        });
    }
    found
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
    for root in roots {
        expr(ast, root, &mut |id| {
            if let Expr::Name(name) = *ast.expr(id) {
                used.push((name, id));
            }
        });
    }
    let mut work: Vec<StmtId> = ast.list(def.body).to_vec();
    while let Some(id) = work.pop() {
        if let Stmt::FunctionDef(inner) = *ast.stmt(id) {
            bound.extend(ast.list(inner.params).iter().map(|param| param.name));
            bound.extend(bound_names(ast, inner.body));
        }
        let mut exprs = Vec::new();
        own_exprs(ast, id, &mut exprs);
        for root in exprs {
            expr(ast, root, &mut |id| match *ast.expr(id) {
                Expr::Lambda { params, .. } => bound.extend(ast.list(params).iter().map(|param| param.name)),
                Expr::ListComp { generators, .. }
                | Expr::SetComp { generators, .. }
                | Expr::DictComp { generators, .. }
                | Expr::GeneratorExp { generators, .. } => {
                    ast.list(generators).iter().for_each(|part| target_names(ast, part.target, &mut bound));
                }
                _ => {}
            });
        }
        bodies(ast, id, &mut |body| work.extend(ast.list(body)));
    }
    used.extend(mentions(ast, def.body));
    used.sort_unstable_by_key(|(_, at)| ast.range(*at).start);
    FunctionMentions { used, bound }
}

/// The annotations of a statement, which host code does not evaluate.
fn annotations(ast: &Ast, id: StmtId, out: &mut Vec<ExprId>) {
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
pub(crate) fn module_names(ast: &Ast) -> HashSet<Name> {
    names_of_module(ast, ast.module_body())
}

/// The names that statements bind at module level, including `global` declarations in functions.
pub(crate) fn names_of_module(ast: &Ast, body: &[StmtId]) -> HashSet<Name> {
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
        bodies(ast, id, &mut |body| work.extend(ast.list(body)));
    }
    names
}

/// The names of all called functions and methods.
pub(crate) fn called_names(ast: &Ast) -> HashSet<Name> {
    let name = |expr: &Expr| match *expr {
        Expr::Call { func, .. } => match *ast.expr(func) {
            Expr::Name(name) | Expr::Attribute { attr: name, .. } => Some(name),
            _ => None,
        },
        _ => None,
    };
    ast.all_exprs().filter_map(name).collect()
}

pub(crate) fn name_of(ast: &Ast, def: StmtId) -> Option<Name> {
    match ast.stmt(def) {
        Stmt::FunctionDef(def) => Some(def.name),
        _ => None,
    }
}

/// Calls `f` for each list of statements inside a statement.
pub(crate) fn bodies(ast: &Ast, id: StmtId, f: &mut dyn FnMut(List<StmtId>)) {
    match *ast.stmt(id) {
        Stmt::FunctionDef(s) => f(s.body),
        Stmt::ClassDef(s) => f(s.body),
        Stmt::For(For { body, orelse, .. }) | Stmt::While(While { body, orelse, .. }) => {
            f(body);
            f(orelse);
        }
        Stmt::If(s) => {
            ast.list(s.clauses).iter().for_each(|clause| f(clause.body));
            f(s.orelse);
        }
        Stmt::With(s) => f(s.body),
        Stmt::Match(s) => ast.list(s.cases).iter().for_each(|case| f(case.body)),
        // Recursion depth is one: the plain statement is never unsupported.
        Stmt::Unsupported(UnsupportedStmt { plain: Some(plain), .. }) => bodies(ast, plain, f),
        Stmt::Try(s) => {
            f(s.body);
            ast.list(s.handlers).iter().for_each(|handler| f(handler.body));
            f(s.orelse);
            f(s.finalbody);
        }
        _ => {}
    }
}

/// Tests whether these statements contain, at any depth, a decorated definition that is not in `read`.
pub(crate) fn has_unread(ast: &Ast, body: List<StmtId>, read: &IdSet<StmtId>) -> bool {
    let mut work: Vec<StmtId> = ast.list(body).to_vec();
    while let Some(id) = work.pop() {
        let id = match *ast.stmt(id) {
            Stmt::Unsupported(UnsupportedStmt { plain: Some(plain), .. }) => plain,
            _ => id,
        };
        let decorators = match ast.stmt(id) {
            Stmt::FunctionDef(s) => s.decorators,
            Stmt::ClassDef(s) => s.decorators,
            _ => List::default(),
        };
        if !decorators.is_empty() {
            // Definitions inside a script are not scripts of their own.
            if !read.contains(&id) {
                return true;
            }
            continue;
        }
        bodies(ast, id, &mut |body| work.extend(ast.list(body)));
    }
    false
}

/// The names that a function declares `global`.
pub(crate) fn global_names(ast: &Ast, body: List<StmtId>) -> Vec<Name> {
    let mut names = Vec::new();
    let mut work: Vec<StmtId> = ast.list(body).to_vec();
    while let Some(id) = work.pop() {
        match *ast.stmt(id) {
            Stmt::Global(s) => names.extend(ast.list(s.names)),
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            _ => bodies(ast, id, &mut |body| work.extend(ast.list(body))),
        }
    }
    names
}

/// The statements of a function body, at any depth, that contain a `yield` of the function itself.
pub(crate) fn yielding(ast: &Ast, body: List<StmtId>) -> IdSet<StmtId> {
    // Statements with the index of the enclosing one, outer ones first.
    let mut stmts: Vec<(StmtId, Option<usize>)> = ast.list(body).iter().map(|id| (*id, None)).collect();
    let mut found = vec![false; stmts.len()];
    let mut exprs = Vec::new();
    let mut at = 0;
    while let Some((id, _)) = stmts.get(at).copied() {
        own_exprs(ast, id, &mut exprs);
        let yields = exprs.drain(..).any(|root| has_yield(ast, root));
        if let Some(found) = found.get_mut(at) {
            *found = yields;
        }
        if !matches!(ast.stmt(id), Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            bodies(ast, id, &mut |body| stmts.extend(ast.list(body).iter().map(|id| (*id, Some(at)))));
        }
        found.resize(stmts.len(), false);
        at += 1;
    }
    for (index, (_, around)) in stmts.iter().enumerate().rev() {
        if found.get(index) == Some(&true)
            && let Some(around) = around.and_then(|around| found.get_mut(around))
        {
            *around = true;
        }
    }
    stmts.into_iter().zip(found).filter(|(_, found)| *found).map(|((id, _), _)| id).collect()
}

/// Tests whether an expression contains a `yield` of the function that it is in.
pub(crate) fn has_yield(ast: &Ast, root: ExprId) -> bool {
    let mut work = vec![root];
    while let Some(id) = work.pop() {
        match *ast.expr(id) {
            Expr::Yield { .. } | Expr::YieldFrom { .. } => return true,
            // A lambda with a `yield` is a generator function of its own.
            Expr::Lambda { params, .. } => work.extend(ast.list(params).iter().filter_map(|p| p.default)),
            _ => children(ast, id, &mut work),
        }
    }
    false
}

/// The expressions of a statement, without those of the statements in it.
pub fn own_exprs(ast: &Ast, id: StmtId, out: &mut Vec<ExprId>) {
    match *ast.stmt(id) {
        Stmt::FunctionDef(s) => {
            out.extend(ast.list(s.decorators));
            out.extend(ast.list(s.params).iter().filter_map(|p| p.default));
        }
        Stmt::ClassDef(s) => {
            out.extend(ast.list(s.decorators));
            out.extend(ast.list(s.bases));
            out.extend(ast.list(s.keywords).iter().map(|k| k.value));
        }
        Stmt::Expr(s) => out.push(s.value),
        Stmt::Return(s) => out.extend(s.value),
        Stmt::Assign(s) => {
            out.push(s.value);
            out.extend(ast.list(s.targets));
        }
        Stmt::AugAssign(s) => out.extend([s.target, s.value]),
        Stmt::AnnAssign(s) => {
            out.push(s.target);
            out.extend(s.value);
        }
        Stmt::For(s) => out.extend([s.target, s.iter]),
        Stmt::While(s) => out.push(s.test),
        Stmt::If(s) => out.extend(ast.list(s.clauses).iter().map(|clause| clause.test)),
        Stmt::With(s) => {
            for item in ast.list(s.items) {
                out.push(item.context);
                out.extend(item.target);
            }
        }
        Stmt::Match(s) => {
            out.push(s.subject);
            out.extend(ast.list(s.cases).iter().filter_map(|case| case.guard));
        }
        Stmt::Raise(s) => out.extend(s.exc.into_iter().chain(s.cause)),
        Stmt::Try(s) => out.extend(ast.list(s.handlers).iter().filter_map(|handler| handler.exc)),
        Stmt::Assert(s) => {
            out.push(s.test);
            out.extend(s.msg);
        }
        Stmt::Delete(s) => out.extend(ast.list(s.targets)),
        // Recursion depth is one: the plain statement is never unsupported.
        Stmt::Unsupported(UnsupportedStmt { plain: Some(plain), .. }) => own_exprs(ast, plain, out),
        Stmt::Unsupported(_)
        | Stmt::Import(_)
        | Stmt::ImportFrom(_)
        | Stmt::Global(_)
        | Stmt::Nonlocal(_)
        | Stmt::Pass
        | Stmt::Break
        | Stmt::Continue
        | Stmt::Invalid => {}
    }
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
    let mut is_used = false;
    for root in exprs {
        expr(ast, root, &mut |id| is_used |= matches!(*ast.expr(id), Expr::Name(used) if used == name));
    }
    is_used && !names.contains(&name)
}
