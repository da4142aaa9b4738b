//! Calls of operators and of functions of the module.
//!
//! A call prints as the operator's script function if that function rebuilds the same call from the arguments.
//! Otherwise, if it would fold, convert an argument or infer another type, the call prints as `T.Call(dtype, name,
//! [args])`.

use smallvec::SmallVec;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyError, DocsifyResult};
use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::{Array, DataType, PathId, Ref, field};
use tvmscript_prim::Op;
use tvmscript_prim::{Call, Expr, IntImm, intrinsic};

use super::binary::with_types;
use super::expr::{items, list};
use super::forms::{Forms, WideLiterals};
use super::state::TirDocsifier;
use crate::op::{self, Operator, ResultType};

/// `T.exp(x)`, `T.call_extern("int32", "f", x)`, `Module.f(x)`
pub(crate) fn call(node: &Ref<Call>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let Call { span: _, dtype, op, args } = &**node;
    let operator_of = d.tir().syntax.operator_of;
    let Some(operator) = operator_of(op).or_else(|| op::of_callee(op)) else {
        return match op.as_node::<Op>() {
            Some(op) => strict(&op.name, *dtype, args, path, d),
            None if op.is::<GlobalVar>() => {
                if d.tir().syntax.print.typed_calls {
                    return call_of_function(node, path, d);
                }
                let callee = d.part(op, path, field!(Call, op))?;
                arguments(callee, *dtype, ResultType::Fixed(*dtype), args, path, d)
            }
            None => {
                let key = node.object().info().key();
                let reason = format!("it calls a `{}`", op.object().info().key());
                Err(DocsifyError::Unwritable { key, reason }.into())
            }
        };
    };
    let is_link = std::mem::take(&mut d.tir().is_link);
    if d.tir().syntax.print.infix_bits
        && let Some(doc) = super::bits::infix(node, operator, path, d)?
    {
        return Ok(doc);
    }
    if let Some(doc) = wide_literal(node, operator, path, d) {
        return Ok(doc);
    }
    let own_form = d.tir().syntax.print.call;
    if let Some(doc) = own_form(node, operator, path, d)? {
        return Ok(doc);
    }
    let made = d.tir().syntax.print.makes;
    if !operator.makes(node) && !made(node, operator) {
        return strict(operator.name(), *dtype, args, path, d);
    }
    if is_link || is_long_chain(node) {
        return conditional(args, path, d);
    }
    let doc = match d.tracks_paths_at(path) {
        // A doc of its own, because it maps to the operator of this call.
        true => {
            let name = d.successor(operator.text);
            let doc = d.t(name);
            d.at_field(doc, path, field!(Call, op))
        }
        false => d.t_callee(op.object().address(), operator),
    };
    let is_condition = usize::from(intrinsic::IF_THEN_ELSE.is_called_by(node));
    with_types(args.iter().skip(is_condition), d, |d| arguments(doc, *dtype, operator.result, args, path, d))
}

/// Tests for calls that are no calls in the release: operations on bits, and literals.
pub(super) fn is_value(call: &Call, forms: &Forms) -> bool {
    let is_bits =
        |operator: &Operator| op::bits::STRICT.iter().any(|(_, bits)| std::ptr::eq(*bits, operator));
    op::of_callee(&call.op).is_some_and(|operator| {
        (forms.infix_bits && is_bits(operator))
            || (forms.wide_literals != WideLiterals::Halves
                && std::ptr::eq(operator, &op::bits::LARGE_UINT_IMM))
    })
}

/// `T.uint64(18446744073709551615)`, `T.IntImm("uint64", 18446744073709551615)`, in releases that have literals of all
/// unsigned numbers.
fn wide_literal(node: &Call, operator: &Operator, path: PathId, d: &mut Docsifier<'_>) -> Option<ExprDoc> {
    let form = d.tir().syntax.print.wide_literals;
    if form == WideLiterals::Halves || !std::ptr::eq(operator, &op::bits::LARGE_UINT_IMM) {
        return None;
    }
    let half = |index: usize| u64::try_from(node.args.get(index)?.as_node::<IntImm>()?.value).ok();
    let value = (half(1)? << 32) | half(0)?;
    // A number of Python's, which is longer than those that docs hold.
    let number = d.docs.id(value.to_string().as_str());
    let at = d.field(path, field!(Call, args));
    let number = d.at(number, at);
    let dtype = node.dtype.to_string();
    Some(match form {
        WideLiterals::Node => {
            let dtype = d.docs.str(dtype.as_str());
            d.call_t("IntImm", &[dtype, number])
        }
        WideLiterals::Typed | WideLiterals::Halves => d.call_t(&dtype, &[number]),
    })
}

/// Maximum length of a chain of conditionals that prints as nested calls, as in TVM; longer ones use Python's
/// conditional expression. CPython parses at most 200 nested brackets, some of which belong to the context.
const LONGEST_NESTED_CHAIN: usize = 190;

fn is_conditional(call: &Call) -> bool {
    intrinsic::IF_THEN_ELSE.is_called_by(call) && call.args.len() == 3
}

/// The conditional in the last argument of a conditional.
fn next_link(call: &Call) -> Option<&Ref<Call>> {
    let last = call.args.last().filter(|_| is_conditional(call))?;
    last.downcast_ref::<Call>().filter(|c| is_conditional(c))
}

/// Returns `true` if the chain of conditionals from here is too long to nest.
fn is_long_chain(call: &Call) -> bool {
    std::iter::successors(next_link(call), |c| next_link(c)).nth(LONGEST_NESTED_CHAIN - 1).is_some()
}

/// `a if p else b`, where `b` may continue the chain
fn conditional(args: &Array<Expr>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let path = d.field(path, field!(Call, args));
    let at = d.item(path, 0);
    let condition = d.expr(&args[0], at)?;
    let at = d.item(path, 1);
    let then_value = d.expr(&args[1], at)?;
    let at = d.item(path, 2);
    d.tir().is_link = args[2].as_node::<Call>().is_some_and(is_conditional);
    let else_value = d.expr(&args[2], at)?;
    Ok(d.docs.chained_conditional(condition, then_value, else_value))
}

/// `callee(args)`, with the type where the operator takes it.
fn arguments(
    callee: ExprDoc,
    dtype: DataType,
    result: ResultType,
    args: &Array<Expr>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let mut docs: SmallVec<[ExprDoc; 6]> = SmallVec::new();
    let dtype_argument = d.tir().syntax.print.dtype_argument;
    let is_typed = d.tir().syntax.print.typed_calls;
    if is_typed && matches!(result, ResultType::First | ResultType::Last) {
        let at = d.field(path, field!(Call, args));
        let docs = items(args, at, d)?;
        let ty = type_keyword(dtype, path, d);
        return Ok(d.docs.call(callee, &docs, &[ty]));
    }
    if result == ResultType::First {
        let dtype = dtype_argument(dtype, d);
        docs.push(d.at_field(dtype, path, field!(Call, dtype)));
    }
    let at = d.field(path, field!(Call, args));
    docs.extend(items(args, at, d)?);
    if result == ResultType::Last {
        let dtype = dtype_argument(dtype, d);
        docs.push(d.at_field(dtype, path, field!(Call, dtype)));
    }
    Ok(d.docs.call_args(callee, &docs))
}

/// `T.Call(Module.f, [x], ty=T.int32)`
fn call_of_function(node: &Call, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let callee = d.part(&node.op, path, field!(Call, op))?;
    let at = d.field(path, field!(Call, args));
    let args = list(&node.args, at, d)?;
    let ty = type_keyword(node.dtype, path, d);
    Ok(d.call_t_with("Call", &[callee, args], &[ty]))
}

/// `ty=T.int32`
fn type_keyword(dtype: DataType, path: PathId, d: &mut Docsifier<'_>) -> (&'static str, ExprDoc) {
    let prim_type = d.tir().syntax.print.prim_type;
    let doc = prim_type(dtype, d);
    ("ty", d.at_field(doc, path, field!(Call, dtype)))
}

/// `T.Call("float32", "tir.exp", [x])`
fn strict(
    op: &str,
    dtype: DataType,
    args: &Array<Expr>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let op = &*d.release().renames.operators.name(op);
    if d.tir().syntax.print.typed_calls {
        let op = d.docs.str(op);
        let op = d.at_field(op, path, field!(Call, op));
        let at = d.field(path, field!(Call, args));
        let args = list(args, at, d)?;
        let ty = type_keyword(dtype, path, d);
        return Ok(d.call_t_with("Call", &[op, args], &[ty]));
    }
    let dtype = d.dtype(dtype);
    let dtype = d.at_field(dtype, path, field!(Call, dtype));
    let op = d.docs.str(op);
    let op = d.at_field(op, path, field!(Call, op));
    let at = d.field(path, field!(Call, args));
    let args = list(args, at, d)?;
    Ok(d.call_t("Call", &[dtype, op, args]))
}
