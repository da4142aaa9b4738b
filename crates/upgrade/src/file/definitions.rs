//! The definitions of scripts and macros in a file, by their decorators.

use tvmscript_python_syntax::ast::{Ast, ExprId, FunctionDef, List, Stmt, StmtId, TextRange};
use tvmscript_python_syntax::walk::{annotations, exprs_in};

use super::names::Names;

/// The kind of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Module,
    Tir,
    TirMacro,
    Relax,
    RelaxMacro,
}

impl Kind {
    /// The kind of a definition with decorators.
    pub(super) fn of(ast: &Ast, decorators: List<ExprId>, names: &Names) -> Option<Kind> {
        ast.exprs(decorators).iter().find_map(|decorator| Kind::of_decorator(ast, *decorator, names))
    }

    pub(super) fn of_decorator(ast: &Ast, decorator: ExprId, names: &Names) -> Option<Kind> {
        let path = names.path(ast, decorator).or_else(|| names.callee(ast, decorator))?;
        Some(match path.as_str() {
            "tvm.script.tir.prim_func" => Kind::Tir,
            "tvm.script.tir.macro" | "tvm.script.tir.inline" => Kind::TirMacro,
            "tvm.script.relax.function" => Kind::Relax,
            "tvm.script.relax.macro" => Kind::RelaxMacro,
            "tvm.script.ir.ir_module" | "tvm.script.ir_module" => Kind::Module,
            _ => return None,
        })
    }

    /// The definition is called by scripts, and no script itself.
    pub(super) fn is_macro(self) -> bool {
        matches!(self, Kind::TirMacro | Kind::RelaxMacro)
    }
}

/// A definition that no other one contains.
#[derive(Debug, Clone, Copy)]
pub(super) struct Definition {
    pub(super) stmt: StmtId,
    pub(super) kind: Kind,
    /// From `def` or `class`.
    pub(super) start: u32,
    /// With the decorators.
    pub(super) range: TextRange,
}

/// The outermost definitions in source order.
pub(super) fn definitions(ast: &Ast, text: &str, names: &Names) -> Vec<Definition> {
    let mut found = Vec::new();
    let mut work: Vec<StmtId> = ast.module_body().to_vec();
    while let Some(id) = work.pop() {
        let (decorators, body) = match *ast.stmt(id) {
            Stmt::FunctionDef(FunctionDef { decorators, body, .. }) => (decorators, body),
            Stmt::ClassDef(class) => (class.decorators, class.body),
            _ => {
                work.extend(blocks(ast, id));
                continue;
            }
        };
        match Kind::of(ast, decorators, names) {
            Some(kind) => {
                let range = ast.range(id);
                let first =
                    ast.exprs(decorators).first().map_or(range.start, |first| ast.range(*first).start);
                let start = at_sign(text, first).unwrap_or(range.start);
                found.push(Definition {
                    stmt: id,
                    kind,
                    start: range.start,
                    range: TextRange::new(start, range.end),
                });
            }
            None => work.extend(ast.stmts(body)),
        }
    }
    found.sort_by_key(|definition| definition.start);
    found
}

/// The place of the `@` before a decorator.
pub(super) fn at_sign(text: &str, decorator: u32) -> Option<u32> {
    text.get(..decorator as usize)?.rfind('@').and_then(|at| u32::try_from(at).ok())
}

/// The statements in the blocks of a statement that is not a definition.
pub(super) fn blocks(ast: &Ast, id: StmtId) -> Vec<StmtId> {
    let mut inner = Vec::new();
    if !matches!(ast.stmt(id), Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
        ast.inner_stmts(id, &mut inner);
    }
    inner
}

/// The expressions of a statement in source order, without those of statements in it.
pub(super) fn own_roots(ast: &Ast, id: StmtId) -> Vec<ExprId> {
    let mut roots = Vec::new();
    ast.own_exprs(id, &mut roots);
    annotations(ast, id, &mut roots);
    roots.sort_by_key(|root| ast.range(*root).start);
    roots
}

/// The expressions of all statements outside the definitions, and of the statements in them.
pub(super) fn exprs_outside(ast: &Ast, definitions: &[Definition]) -> Vec<ExprId> {
    let mut exprs = Vec::new();
    let mut work: Vec<StmtId> = ast.module_body().to_vec();
    while let Some(id) = work.pop() {
        if definitions.iter().any(|definition| definition.stmt == id) {
            continue;
        }
        exprs.extend(own_roots(ast, id).into_iter().flat_map(|root| exprs_in(ast, root)));
        ast.inner_stmts(id, &mut work);
    }
    exprs
}
