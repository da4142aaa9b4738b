//! Variables that are declared after their first use.
//!
//! TVM's printer declares a free variable in the frame of the innermost node that contains all uses. If that node is
//! a loop whose bounds use the variable, the declaration is in the body of the loop, after the bounds, and TVM cannot
//! parse its own text. This parser evaluates such declarations before the bounds.

use tvmscript_ir_core::DataType;
use tvmscript_python_syntax::ast::{self, Expr, ExprId, Name, Stmt};
use tvmscript_script_parser::Parser;

/// Number of statements at the start of a loop body to evaluate before the bounds: the declarations up to the last
/// one of a name that the bounds use and that is not defined yet.
pub(super) fn declarations(p: &Parser<'_>, node: &ast::For) -> usize {
    let mut missing: Option<Vec<Name>> = None;
    let mut count = 0;
    for index in 0..node.body.len() {
        let Some(Stmt::Assign(assign)) = p.item(node.body, index).map(|id| p.stmt(id)) else { break };
        let Some(target) = p.item(assign.targets, 0) else { break };
        if !is_declaration(p, assign.value) {
            break;
        }
        let missing = missing.get_or_insert_with(|| {
            let mut names = p.names_in(node.iter);
            names.retain(|name| !p.is_known(*name));
            names
        });
        if p.names_in(target).iter().any(|name| missing.contains(name)) {
            count = index + 1;
        }
    }
    count
}

/// Returns `true` if the value only creates variables or buffers: `T.int32()`, `T.handle("float32")`, or a tuple of
/// these.
fn is_declaration(p: &Parser<'_>, value: ExprId) -> bool {
    match p.expr(value) {
        Expr::Tuple { elts } => {
            !elts.is_empty() && (0..elts.len()).all(|i| p.item(elts, i).is_some_and(|item| is_call(p, item)))
        }
        _ => is_call(p, value),
    }
}

fn is_call(p: &Parser<'_>, value: ExprId) -> bool {
    let Expr::Call { func, args, .. } = p.expr(value) else { return false };
    let Expr::Attribute { attr, .. } = p.expr(func) else { return false };
    match p.name_text(attr) {
        "handle" | "Buffer" => true,
        dtype => args.is_empty() && dtype.parse::<DataType>().is_ok(),
    }
}
