//! Bit operations as infix operators, in releases whose text has them.

use tvmscript_docsifier::doc::{BinaryOp, ExprDoc, UnaryOp};
use tvmscript_docsifier::{Docsifier, DocsifyResult};
use tvmscript_ir_core::{PathId, field};
use tvmscript_prim::{Call, PrimExprExt as _};

use super::binary::is_number;
use super::state::TirDocsifier as _;
use crate::op::Operator;
use crate::op::bits::STRICT;

const BINARY: [BinaryOp; 5] =
    [BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor, BinaryOp::LShift, BinaryOp::RShift];

/// `x & y`, or `T.BitwiseAnd(x, y)` if the operator would fold or Python would compute it; `None` for other calls.
pub(crate) fn infix(
    node: &Call,
    operator: &Operator,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Option<ExprDoc>> {
    let index = STRICT.iter().position(|(_, other)| std::ptr::eq(operator, *other));
    let Some((index, (strict, _))) = index.and_then(|index| Some((index, STRICT.get(index)?))) else {
        return Ok(None);
    };
    let binary = BINARY.get(index);
    let is_typed = node.args.iter().all(|operand| operand.dtype() == node.dtype);
    if node.args.len() != 1 + usize::from(binary.is_some()) || !is_typed {
        return Ok(None);
    }
    let at = d.field(path, field!(Call, args));
    let operands = super::expr::items(&node.args, at, d)?;
    let is_python = operands.iter().all(|operand| is_number(*operand, d));
    if is_python || !operator.makes(node) {
        return Ok(Some(d.call_t(strict, &operands)));
    }
    Ok(match (&operands[..], binary) {
        ([left, right], Some(op)) => Some(d.docs.binary(*op, *left, *right)),
        ([operand], None) => Some(d.docs.unary(UnaryOp::Invert, *operand)),
        _ => None,
    })
}
