//! Blocks as TVM 0.8 wrote them: `with T.block([16, T.reduce_axis(0, 16)], "C") as [vi, vk]:`.

use std::rc::Rc;

use tvmscript::diagnostics::{TextEdit, apply};
use tvmscript::python_syntax::ast::{Ast, Constant, Expr, ExprId, List, Stmt, StmtId, TextRange, With};
use tvmscript::python_syntax::{PythonOptions, parse_python};

/// Functions of axes with start and end, each with the kind that blocks of today name.
const AXES: [(&str, &str); 4] =
    [("range", "spatial"), ("reduce_axis", "reduce"), ("scan_axis", "scan"), ("opaque_axis", "opaque")];

/// The words for blocks and axes, with those of today.
pub(crate) fn words() -> Vec<(&'static str, String, String)> {
    let block =
        ("blocks", "with T.block([n], \"C\") as [vi]:", "with T.block(\"C\"):, vi = T.axis.spatial(n, i)");
    let axes = AXES
        .iter()
        .filter(|(old, _)| *old != "range")
        .map(|(old, new)| ("axes", format!("T.{old}(0, n)"), format!("T.axis.{new}(n, k)")));
    [(block.0, block.1.to_owned(), block.2.to_owned())].into_iter().chain(axes).collect()
}

/// The text with today's blocks; `None` if it has no earlier ones, or one that cannot be written so.
pub(crate) fn renewed(text: &str) -> Option<String> {
    // The parse costs more than this search.
    text.contains(".block([").then_some(())?;
    let parsed = parse_python(text, &PythonOptions::default());
    let blocks = Blocks { text, ast: &parsed.ast };
    let mut edits = Vec::new();
    // Statements with the variables of the loops around them.
    let none: Rc<[&str]> = Rc::from([]);
    let mut work: Vec<(StmtId, Rc<[&str]>)> =
        parsed.ast.module_body().iter().map(|id| (*id, none.clone())).collect();
    while let Some((id, loops)) = work.pop() {
        let mut add = |body: List<StmtId>, loops: Rc<[_]>| {
            work.extend(parsed.ast.list(body).iter().map(|id| (*id, loops.clone())));
        };
        match *parsed.ast.stmt(id) {
            Stmt::FunctionDef(def) => add(def.body, none.clone()),
            Stmt::ClassDef(def) => add(def.body, none.clone()),
            Stmt::For(stmt) => {
                let names = blocks.names(stmt.target)?;
                add(stmt.body, loops.iter().copied().chain(names).collect());
            }
            Stmt::While(stmt) => add(stmt.body, loops),
            Stmt::If(stmt) => {
                for clause in parsed.ast.list(stmt.clauses) {
                    add(clause.body, loops.clone());
                }
                add(stmt.orelse, loops);
            }
            Stmt::With(stmt) => {
                // Loops around a block are not axes of the blocks in it.
                let is_block = blocks.block(stmt, &loops, &mut edits)?;
                add(stmt.body, if is_block { none.clone() } else { loops });
            }
            _ => {}
        }
    }
    (!edits.is_empty()).then(|| apply(text, &edits).ok())?
}

/// A text with its tree.
struct Blocks<'t> {
    text: &'t str,
    ast: &'t Ast,
}

impl<'t> Blocks<'t> {
    fn text_of(&self, id: ExprId) -> &'t str {
        self.text.get(self.ast.range(id).to_usize()).unwrap_or_default()
    }

    /// The names of a target; `None` for another target.
    fn names(&self, target: ExprId) -> Option<Vec<&'t str>> {
        match *self.ast.expr(target) {
            Expr::Name(name) => Some(vec![self.ast.name(name)]),
            Expr::Tuple { elts } | Expr::List { elts } => {
                let names = self.ast.exprs(elts).iter().map(|id| match *self.ast.expr(*id) {
                    Expr::Name(name) => Some(self.ast.name(name)),
                    _ => None,
                });
                names.collect()
            }
            _ => None,
        }
    }

    /// The namespace, the function and the arguments of `T.name(..)`.
    fn call(&self, id: ExprId) -> Option<(&'t str, &'t str, &'t [ExprId])> {
        let Expr::Call { func, args, .. } = *self.ast.expr(id) else { return None };
        let Expr::Attribute { value, attr } = *self.ast.expr(func) else { return None };
        Some((self.text_of(value), self.ast.name(attr), self.ast.exprs(args)))
    }

    /// Adds the edits of a block of the earlier form, and returns `true` for one. `None` if it cannot be written anew.
    fn block(&self, stmt: With, loops: &[&str], edits: &mut Vec<TextEdit>) -> Option<bool> {
        let [item] = self.ast.list(stmt.items) else { return Some(false) };
        let Some((namespace, "block", [extents, name @ ..])) = self.call(item.context) else {
            return Some(false);
        };
        let Expr::List { elts } = *self.ast.expr(*extents) else { return Some(false) };
        let axes = self.ast.exprs(elts);
        let variables = match item.target {
            Some(target) => self.names(target)?,
            None => Vec::new(),
        };
        let name = match name {
            [] => "",
            [name] if matches!(self.ast.expr(*name), Expr::Constant(Constant::Str(_))) => self.text_of(*name),
            _ => return None,
        };
        let context = self.ast.range(item.context);
        let end = item.target.map_or(context.end, |target| self.ast.range(target).end);
        edits.push(edit(TextRange::new(context.start, end), format!("{namespace}.block({name})")));
        if variables.len() != axes.len() {
            return None;
        }
        let axis = |index: usize, value: &str| {
            let (variable, axis) = (variables.get(index)?, *axes.get(index)?);
            let (kind, extent) = match self.call(axis) {
                Some((_, function, [start, end])) => {
                    let (_, kind) = AXES.iter().find(|(own, _)| *own == function)?;
                    let (start, end) = (self.text_of(*start), self.text_of(*end));
                    (*kind, if start == "0" { end.to_owned() } else { format!("({start}, {end})") })
                }
                _ => ("spatial", self.text_of(axis).to_owned()),
            };
            Some(format!("{variable} = {namespace}.axis.{kind}({extent}, {value})"))
        };
        let mut bound = 0;
        for id in self.ast.list(stmt.body) {
            let Stmt::Expr(statement) = *self.ast.stmt(*id) else { continue };
            let Some((_, "bind", [variable, value])) = self.call(statement.value) else { continue };
            let variable = self.text_of(*variable);
            let index = variables.iter().position(|own| *own == variable)?;
            edits.push(edit(self.ast.range(*id), axis(index, self.text_of(*value))?));
            bound += 1;
        }
        if bound == variables.len() {
            return Some(true);
        }
        // Without bindings, the loops around the block are its axes.
        if bound > 0 || loops.len() != variables.len() {
            return None;
        }
        let first = self.ast.list(stmt.body).first()?;
        let at = self.ast.range(*first).start;
        let line = self.text.get(..at as usize)?.rfind('\n').map_or(0, |at| at + 1);
        let indent = self.text.get(line..at as usize)?;
        let mut lines = String::new();
        for (index, variable) in loops.iter().enumerate() {
            lines.push_str(&axis(index, variable)?);
            lines.push('\n');
            lines.push_str(indent);
        }
        edits.push(edit(TextRange::at(at), lines));
        Some(true)
    }
}

fn edit(range: TextRange, replacement: String) -> TextEdit {
    TextEdit { range: range.into(), replacement }
}

#[cfg(test)]
mod tests {
    use super::renewed;

    #[test]
    fn blocks_with_and_without_bindings() {
        let old = "\
for i, j in T.grid(16, 16):
    for k in range(4, 8):
        with T.block([16, T.range(0, 16), T.reduce_axis(4, 8)], \"C\") as [vi, vj, vk]:
            C[vi, vj] = C[vi, vj] + A[vi, vk]
with T.block([8]) as vi:
    T.bind(vi, 3)
    with T.block([], \"root\"):
        T.reads([])
";
        let new = "\
for i, j in T.grid(16, 16):
    for k in range(4, 8):
        with T.block(\"C\"):
            vi = T.axis.spatial(16, i)
            vj = T.axis.spatial(16, j)
            vk = T.axis.reduce((4, 8), k)
            C[vi, vj] = C[vi, vj] + A[vi, vk]
with T.block():
    vi = T.axis.spatial(8, 3)
    with T.block(\"root\"):
        T.reads([])
";
        assert_eq!(renewed(old).as_deref(), Some(new));
        assert_eq!(renewed(new), None);
        assert_eq!(renewed("with T.block([16, 16]) as [vi]:\n    pass\n"), None);
    }
}
