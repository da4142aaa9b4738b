//! Containers that stand alone and whose items are statements or definitions: the items print one after the other.
//!
//! The items may be of several dialects. Each prints under the token of its dialect, in one scope, so that all refer to the
//! same variables; the frames of all dialects are open around it.

use tvmscript_doc::{Doc, ExprDoc};
use tvmscript_ir_core::containers::{ArrayNode, MapNode};
use tvmscript_ir_core::{Object, PathId, Token, Value};

use crate::docsifier::Docsifier;
use crate::error::DocsifyResult;
use crate::table::PrinterTable;

/// Prints a container into the innermost frame; `None` for one that is an expression.
pub(crate) fn print(object: &Object, d: &mut Docsifier<'_>) -> DocsifyResult<Option<()>> {
    let table = d.table();
    if object.as_node::<MapNode>().is_some()
        && let Some(print) = table.map()
        && let Some(doc) = print(object, d)?
    {
        d.push_doc(doc);
        return Ok(Some(()));
    }
    let Some(array) = object.as_node::<ArrayNode>() else { return Ok(None) };
    let is_statement = |item: &Value| item.as_object().is_some_and(|node| table.opens_scope(node.info()));
    if !array.items().iter().any(is_statement) {
        return Ok(None);
    }
    d.lists_scripts = true;
    let frames = frames(array, d.token(), table);
    in_frames(&frames, object, d, &|d| push_items(array, d))?;
    Ok(Some(()))
}

/// The tokens of the items with a root frame, each once and without the one whose frame is open.
fn frames(array: &ArrayNode, open: Token, table: &PrinterTable) -> Vec<Token> {
    let mut tokens = Vec::new();
    for node in array.items().iter().filter_map(Value::as_object) {
        let token = table.root_token(node);
        if token != open && table.root_frame(token).is_some() && !tokens.contains(&token) {
            tokens.push(token);
        }
    }
    tokens
}

/// Runs `f` in the root frames of these tokens, and adds the statements to the frame around them.
fn in_frames(
    tokens: &[Token],
    object: &Object,
    d: &mut Docsifier<'_>,
    f: &dyn Fn(&mut Docsifier<'_>) -> DocsifyResult<()>,
) -> DocsifyResult<()> {
    let Some((token, rest)) = tokens.split_first() else { return f(d) };
    let Some(make) = d.table().root_frame(*token) else { return in_frames(rest, object, d, f) };
    let ((), stmts) = d.with_open_frame(make(object), |d| in_frames(rest, object, d, f))?;
    d.frame_mut().stmts.append(stmts);
    Ok(())
}

fn push_items(array: &ArrayNode, d: &mut Docsifier<'_>) -> DocsifyResult<()> {
    // Expressions so far; once a statement follows they are statements, too.
    let mut exprs: Vec<ExprDoc> = Vec::new();
    let mut is_list = true;
    for (index, item) in array.items().iter().enumerate() {
        let path = d.item(PathId::ROOT, index);
        let doc = match item {
            Value::Node(node) => {
                let token = d.table().root_token(node);
                d.item = Some(node.address());
                d.with_token_id(token, |d| d.doc(node, path))?
            }
            plain => Doc::Expr(d.value(plain, path)?),
        };
        match doc {
            Doc::Expr(doc) if is_list => exprs.push(doc),
            doc => {
                for expr in exprs.drain(..) {
                    let stmt = d.docs.expr_stmt(expr);
                    d.push_stmt(stmt);
                }
                is_list = false;
                d.push_doc(doc);
            }
        }
    }
    if is_list {
        let list = d.docs.list(&exprs);
        d.push_doc(list.into());
    }
    Ok(())
}
