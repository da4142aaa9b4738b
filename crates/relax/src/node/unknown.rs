//! Calls of functions that the dialect does not declare.

use tvmscript_ir::RelaxExpr;
use tvmscript_ir_core::{Array, Node, Object, Ref, Span, Str, Value};
use tvmscript_prim::BaseExpr;

use super::StructInfo;

/// A call of a function that the dialect does not declare, kept as it was written.
///
/// Its struct info is the annotation of the variable that it is bound to, else `R.Object`.
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
}

impl UnknownCall {
    /// Makes a call without struct info.
    pub fn new(name: Str, args: Array<Value>, keywords: Array<Str>) -> Ref<UnknownCall> {
        Ref::new(UnknownCall { span: Span::current(), struct_info_: None, name, args, keywords })
    }
}
