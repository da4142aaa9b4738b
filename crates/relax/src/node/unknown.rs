//! Calls of functions that the dialect does not declare.

use tvmscript_ir::RelaxExpr;
use tvmscript_ir_core::{Array, Node, Object, Ref, Span, Str, Value};
use tvmscript_prim::{BaseExpr, WrittenTuple};

use super::{StructInfo, TupleStructInfo};

/// A call of a function that the dialect does not declare, kept as it was written.
///
/// Its struct info is the annotation of the variable that it is bound to, else what the call itself tells
/// ([`UnknownCall::stated`]).
#[derive(Debug, Clone, Node)]
#[node(key = "script.relax.UnknownCall", parent = RelaxExpr, ancestors(BaseExpr))]
pub struct UnknownCall {
    /// Source span.
    pub span: Span,
    /// Struct info.
    #[node(skip_eq, derived, class = StructInfo)]
    pub struct_info_: Option<Object>,
    /// Dotted name without the prefix of the dialect, such as `nn.swish`.
    pub name: Str,
    /// All arguments in order.
    pub args: Array<Value>,
    /// Names of the last arguments.
    pub keywords: Array<Str>,
    /// `true` if the variable that the call is bound to has no annotation in the text.
    #[node(skip_eq)]
    pub is_bare: bool,
}

impl UnknownCall {
    /// Makes a call without struct info.
    pub fn new(name: Str, args: Array<Value>, keywords: Array<Str>) -> Ref<UnknownCall> {
        Ref::new(UnknownCall {
            span: Span::current(),
            struct_info_: None,
            name,
            args,
            keywords,
            is_bare: false,
        })
    }

    /// The struct info that the call tells: that of the last keyword argument that is struct info or a list of it, as in
    /// `out_sinfo=R.Tensor((2, 3), "float32")`.
    pub fn stated(&self) -> Option<Ref<StructInfo>> {
        let named = self.args.values().iter().rev().take(self.keywords.len());
        named.filter_map(Value::as_object).find_map(|node| {
            if let Some(info) = node.downcast_ref::<StructInfo>() {
                return Some(info.clone());
            }
            let items = match node.as_node::<WrittenTuple>() {
                Some(tuple) => tuple.items.values(),
                None => node.array_items(),
            };
            let infos: Option<Vec<Ref<StructInfo>>> =
                items.iter().map(|item| item.as_object()?.downcast_ref::<StructInfo>().cloned()).collect();
            infos.filter(|infos| !infos.is_empty()).map(TupleStructInfo::new)
        })
    }
}
