//! Values that the text leaves out.

use tvmscript_ir_core::{Node, Object, Ref, Span, Str};
use tvmscript_prim::BaseExpr;

use super::RelaxExpr;

/// A value of the metadata section of a text that does not contain the section: the place where it would be.
///
/// It is equal to another one of the same place, and prints as the reference that it was.
#[derive(Debug, Clone, Node)]
#[node(key = "script.Omitted", parent = RelaxExpr, ancestors(BaseExpr))]
pub struct Omitted {
    /// Source span.
    pub span: Span,
    /// Struct info; it is unknown.
    #[node(skip_eq, derived)]
    pub struct_info_: Option<Object>,
    /// Key of the list in the section, such as `relax.expr.Constant`.
    pub type_key: Str,
    /// Index in the list.
    pub index: i64,
}

impl Omitted {
    /// Makes the value of a place.
    pub fn new(type_key: Str, index: i64) -> Ref<Omitted> {
        Ref::new(Omitted { span: Span::current(), struct_info_: None, type_key, index })
    }

    /// Tests whether the value is a constant, a tensor.
    pub fn is_constant(&self) -> bool {
        self.type_key.as_str().ends_with("Constant")
    }
}
