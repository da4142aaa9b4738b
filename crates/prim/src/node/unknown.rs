//! Calls of functions that no dialect declares.

use tvmscript_ir_core::{Array, DataType, Node, Ref, Span, Str, Value};

use crate::class::{Expr, PrimExpr};

/// A call of a function that no dialect declares, kept as it was written.
///
/// The text does not tell the type of the result. It is [`DataType::VOID`] until the call meets an operand, a buffer or
/// a variable of a known type ([`ops::undetermined`](crate::ops::undetermined)).
#[derive(Debug, Clone, Node)]
#[node(key = "script.UnknownCall", parent = PrimExpr)]
pub struct UnknownCall {
    /// Source span.
    pub span: Span,
    /// The type of the result; `void` if nothing tells.
    pub dtype: DataType,
    /// Dotted name without the prefix of the dialect, such as `ptx.fence`.
    pub name: Str,
    /// All arguments in order.
    pub args: Array<Value>,
    /// Names of the last arguments.
    pub keywords: Array<Str>,
}

impl UnknownCall {
    /// Makes a call whose type is undetermined.
    pub fn new(name: Str, args: Array<Value>, keywords: Array<Str>) -> Expr {
        Ref::new(UnknownCall { span: Span::current(), dtype: DataType::VOID, name, args, keywords }).upcast()
    }
}

/// A Python tuple among the arguments of an [`UnknownCall`]; a list is an [`Array`].
#[derive(Debug, Clone, Node)]
#[node(key = "script.Tuple")]
pub struct WrittenTuple {
    /// The items.
    pub items: Array<Value>,
}
