//! Signatures of functions, for the dialect that provides function types.

use tvmscript_ir::signature::{ParamType, ResultType, Signature};
use tvmscript_ir_core::{Object, PtrSet, Ref, Value, Visitor, Walk};
use tvmscript_prim::{Call, PrimType, TupleType, Var};

use crate::node::*;
use crate::op::{self, Effect};

/// The effects of nodes of other crates, which a release's dialect registers as a context of the builder.
#[derive(Debug, Clone, Copy)]
pub struct Effects {
    /// The data pointer of the memory that a node allocates.
    pub allocated: fn(&Object) -> Option<Object>,
    /// Returns `true` for a node that may do anything.
    pub is_opaque: fn(&Object) -> bool,
}

/// Returns the function's signature.
///
/// # Source
/// `InferStructInfo`, `src/tir/ir/function.cc`.
pub fn signature(function: &PrimFunc, effects: Option<&Effects>) -> Signature {
    let param = |var: &Ref<Var>| match function.buffer_map.get(&Value::from(var.clone())) {
        Some(buffer) => {
            ParamType::Tensor { shape: buffer.shape.iter().cloned().collect(), dtype: buffer.dtype }
        }
        None => match var.type_annotation.as_node::<PrimType>() {
            Some(prim) if prim.dtype.is_handle() => ParamType::Object,
            _ => ParamType::Scalar(var.dtype),
        },
    };
    let result = match function.ret_type.as_node::<PrimType>() {
        Some(prim) => ResultType::Scalar(prim.dtype),
        None if function.ret_type.as_node::<TupleType>().is_some_and(|t| t.fields.is_empty()) => {
            ResultType::Void
        }
        None => ResultType::Object,
    };
    let params = function.params.iter().map(param).collect();
    Signature { params, result, is_pure: is_pure(function, effects) }
}

/// Returns `true` if calls of the function have no effect outside it: it stores only to memory that it allocates and
/// calls only operators without effects. As in TVM, buffers allocated by blocks count as outside.
///
/// # Source
/// `IsPureFunction`, `src/tir/analysis/is_pure_function.cc`.
pub fn is_pure(function: &PrimFunc, effects: Option<&Effects>) -> bool {
    let mut own = PtrSet::default();
    let walk = Visitor::new().pre_order(function.body.object(), |node| {
        if let Some(store) = node.as_node::<BufferStore>() {
            if !own.contains(store.buffer.data.object()) {
                return Walk::Stop;
            }
        } else if let Some(call) = node.as_node::<Call>() {
            let effect = op::of_callee(&call.op).map_or(Effect::Opaque, |operator| operator.op.effect());
            if matches!(effect, Effect::Update | Effect::Opaque | Effect::Unknown) {
                return Walk::Stop;
            }
        } else if let Some(allocate) = node.as_node::<Allocate>() {
            own.insert(allocate.buffer_var.object().clone());
        } else if let Some(Effects { allocated, is_opaque }) = effects {
            if is_opaque(node) {
                return Walk::Stop;
            }
            if let Some(pointer) = allocated(node) {
                own.insert(pointer);
            }
        }
        Walk::Advance
    });
    walk.is_continue()
}
