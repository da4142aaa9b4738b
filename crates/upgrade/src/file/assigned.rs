//! The variables that assignments in a TIR function bind: an expression gets one of its own, a buffer only a name.

use std::collections::HashMap;

use tvmscript_python_syntax::ast::{Ast, Constant, Expr, ExprId, Stmt, StmtId};
use tvmscript_python_syntax::walk::exprs_in;

use super::definitions::blocks;
use super::names::{Names, TIR, in_tir};

/// The kind of value that a name of a script has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// A buffer.
    Buffer,
    /// A variable or another expression.
    Expr,
    /// A frame, an axis, a variable without value: a name for something that exists.
    Other,
}

/// The names that a script has bound so far.
#[derive(Clone)]
pub(super) struct Bound<'a> {
    names: HashMap<String, Known>,
    /// Results of functions of the file.
    helpers: &'a HashMap<String, Known>,
}

/// The kinds of results of the functions of a file, as far as their text tells.
pub(super) fn helpers(ast: &Ast, names: &Names) -> HashMap<String, Known> {
    let none = HashMap::new();
    let mut found: HashMap<String, Option<Known>> = HashMap::new();
    for stmt in ast.all_stmts() {
        let Stmt::FunctionDef(def) = stmt else { continue };
        let mut results: Vec<Option<Known>> = Vec::new();
        let mut work: Vec<StmtId> = ast.stmts(def.body).to_vec();
        while let Some(id) = work.pop() {
            match *ast.stmt(id) {
                Stmt::Return(returned) => {
                    let value = returned.value;
                    results.push(value.and_then(|value| Bound::new(&none).of_value(ast, value, names)));
                }
                _ => work.extend(blocks(ast, id)),
            }
        }
        let is_plain = def.decorators.is_empty();
        let first = results.first().copied().flatten().filter(|_| is_plain);
        let result = first.filter(|first| results.iter().all(|result| *result == Some(*first)));
        // Of several functions with a name, the text does not tell which one is called.
        let known = found.entry(ast.name(def.name).to_owned()).or_insert(result);
        if *known != result {
            *known = None;
        }
    }
    found.into_iter().filter_map(|(name, known)| Some((name, known?))).collect()
}

/// Functions of TIR whose results are not expressions.
const NO_EXPRESSIONS: [&str; 19] = [
    "allocate",
    "allocate_const",
    "arg",
    "axis",
    "comm_reducer",
    "env_thread",
    "frozen",
    "func_name",
    "handle",
    "index_map",
    "iter_var",
    "launch_thread",
    "meta_var",
    "Ptr",
    "ptr",
    "SizeVar",
    "target",
    "var",
    "Var",
];

/// Functions of TIR that make buffers.
const BUFFERS: [&str; 6] =
    ["alloc_buffer", "Buffer", "buffer_decl", "decl_buffer", "match_buffer", "sblock_alloc_buffer"];

impl<'a> Bound<'a> {
    pub(super) fn new(helpers: &'a HashMap<String, Known>) -> Bound<'a> {
        Bound { names: HashMap::new(), helpers }
    }

    pub(super) fn insert(&mut self, name: &str, known: Known) {
        self.names.insert(name.to_owned(), known);
    }

    /// Returns `true` for the name of a buffer.
    pub(super) fn is_buffer(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|known| *known == Known::Buffer)
    }

    /// The kind of a value, if its text tells.
    pub(super) fn of_value(&self, ast: &Ast, value: ExprId, names: &Names) -> Option<Known> {
        match *ast.expr(value) {
            Expr::Constant(
                Constant::Int(_) | Constant::Float(_) | Constant::Bool(_) | Constant::BigInt(_),
            ) => Some(Known::Expr),
            Expr::BinOp { .. } | Expr::UnaryOp { .. } | Expr::Compare { .. } | Expr::BoolOp { .. } => {
                // Of numbers of the code around, too: a number becomes an expression. Of no other values.
                let is_other = |id: ExprId| {
                    matches!(
                        ast.expr(id),
                        Expr::Constant(Constant::Str(_))
                            | Expr::JoinedStr { .. }
                            | Expr::List { .. }
                            | Expr::Dict { .. }
                    )
                };
                let of_call = |id: ExprId| names.callee(ast, id).is_some_and(|path| path.starts_with(TIR));
                let exprs = exprs_in(ast, value);
                let is_arithmetic = exprs.iter().any(|id| {
                    matches!(ast.expr(*id), Expr::Constant(Constant::Int(_) | Constant::Float(_)))
                        || self.of_name(ast, *id).is_some()
                        || of_call(*id)
                });
                // A tuple is only the index of a subscript.
                (is_arithmetic && !exprs.into_iter().any(is_other)).then_some(Known::Expr)
            }
            Expr::Name(_) => self.of_name(ast, value),
            Expr::Subscript { value: base, index } => {
                let is_slice = |id: ExprId| matches!(ast.expr(id), Expr::Slice { .. });
                let has_slices = exprs_in(ast, index).into_iter().any(is_slice);
                let is_element = self.of_name(ast, base) == Some(Known::Buffer) && !has_slices;
                is_element.then_some(Known::Expr)
            }
            Expr::Call { func, args, keywords } => {
                if let Some(path) = names.path(ast, func) {
                    let name = in_tir(&path)?;
                    let first = name.split('.').next().unwrap_or(name);
                    if BUFFERS.contains(&first) {
                        return Some(Known::Buffer);
                    }
                    let declares = args.is_empty()
                        && ast
                            .list(keywords)
                            .iter()
                            .all(|keyword| keyword.arg.is_some_and(|arg| ast.name(arg) == "is_size_var"));
                    let is_other = NO_EXPRESSIONS.contains(&first) || declares;
                    return Some(if is_other { Known::Other } else { Known::Expr });
                }
                match *ast.expr(func) {
                    Expr::Name(name) => self.helpers.get(ast.name(name)).copied(),
                    Expr::Attribute { value: object, attr } => {
                        let is_access = matches!(ast.name(attr), "vload" | "astype" | "access_ptr");
                        (is_access && self.of_value(ast, object, names).is_some()).then_some(Known::Expr)
                    }
                    _ => None,
                }
            }
            Expr::IfExp { body, orelse, .. } => {
                let known = self.of_value(ast, body, names);
                known.filter(|_| known == self.of_value(ast, orelse, names))
            }
            _ => None,
        }
    }

    fn of_name(&self, ast: &Ast, id: ExprId) -> Option<Known> {
        match ast.expr(id) {
            Expr::Name(name) => self.names.get(ast.name(*name)).copied(),
            _ => None,
        }
    }
}
