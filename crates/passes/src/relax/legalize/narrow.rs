//! Axes that TVM's library counts in `int32` beside indices of 64 bits.
//!
//! TVM converts such an axis wherever it meets an index, simplifies, and widens it afterwards. The conversions then change
//! nothing; TVM leaves them out in indices and conditions, whose numbers of 32 bits it widens too, and keeps them elsewhere.
//! Templates state the axis with 64 bits ([`super::tensor::Stage::with_narrow_axes`]); [`with_casts`] adds the conversions
//! that are kept.
//!
//! Upstream counterpart: `IndexDataTypeNormalizer`, `src/tir/ir/data_type_rewriter.cc`.

use tvmscript_ir_core::{
    Array, DataType, Map, Object, PtrSet, Ref, Str, Value, post_order_mutate, try_post_order_mutate,
};
use tvmscript_prim::intrinsic::IF_THEN_ELSE;
use tvmscript_prim::{Call, Cast, Expr, Select, Var};
use tvmscript_te::{TeError, with_wide_numbers};
use tvmscript_tir::node::PrimFunc;
use tvmscript_tir::{Block, BufferLoad, BufferStore};

use super::tensor::Answer;

/// The annotation of a block with the number of its axes before the narrow ones.
pub(super) const NARROW_AXES: &str = "legalize.narrow_axes";

/// The function with the conversions of narrow axes.
pub(super) fn with_casts(function: Ref<PrimFunc>) -> Answer<Ref<PrimFunc>> {
    try_post_order_mutate(function, |node| {
        let Some(block) = node.as_node::<Block>() else { return Ok(None) };
        let Some(Value::Int(first)) = block.annotations.get_str(NARROW_AXES) else { return Ok(None) };
        let narrow = block.iter_vars.iter().skip(usize::try_from(*first).unwrap_or_default());
        let narrow: PtrSet = narrow.map(|axis| axis.var.object().clone()).collect();
        let others = block.annotations.iter().filter(|(key, _)| key.as_str() != NARROW_AXES);
        let annotations: Vec<(Str, Value)> =
            others.map(|(key, value)| (key.clone(), value.clone())).collect();
        let body = try_post_order_mutate(block.body.clone(), |node| converted(node, &narrow))?;
        let annotations = Map::new(annotations);
        Ok::<_, TeError>(Some(Ref::new(Block { body, annotations, ..block.clone() }).into()))
    })
}

/// A node with a conversion in place of a narrow axis. Indices and conditions have none.
fn converted(node: &Object, narrow: &PtrSet) -> Answer<Option<Object>> {
    if narrow.contains(node) {
        let Some(var) = node.downcast_ref::<Var>() else { return Ok(None) };
        return Ok(Some(Cast::try_new(DataType::INT64, var.clone().upcast())?.into()));
    }
    let plain = |expr: &Expr| -> Answer<Expr> {
        Ok(post_order_mutate(expr.clone(), |node| {
            let cast = node.as_node::<Cast>().filter(|cast| cast.dtype == DataType::INT64)?;
            narrow.contains(cast.value.object()).then(|| cast.value.object().clone())
        })?)
    };
    let condition = |expr: &Expr| -> Answer<Expr> { with_wide_numbers(&plain(expr)?, DataType::INT64) };
    let all = |indices: &Array<Expr>| indices.iter().map(plain).collect::<Answer<Array<Expr>>>();
    if let Some(load) = node.as_node::<BufferLoad>() {
        return Ok(Some(BufferLoad::try_new(load.buffer.clone(), all(&load.indices)?, None)?.into()));
    }
    if let Some(store) = node.as_node::<BufferStore>() {
        let indices = all(&store.indices)?;
        return Ok(Some(Ref::new(BufferStore { indices, ..store.clone() }).into()));
    }
    if let Some(select) = node.as_node::<Select>() {
        let condition = condition(&select.condition)?;
        return Ok(Some(Ref::new(Select { condition, ..select.clone() }).into()));
    }
    let Some(call) = node.as_node::<Call>().filter(|call| IF_THEN_ELSE.is_called_by(call)) else {
        return Ok(None);
    };
    let args = call.args.iter().enumerate();
    let args = args.map(|(at, arg)| if at == 0 { condition(arg) } else { Ok(arg.clone()) });
    Ok(Some(Ref::new(Call { args: args.collect::<Answer<_>>()?, ..call.clone() }).into()))
}
