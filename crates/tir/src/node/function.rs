//! Functions.

use tvmscript_ir::BaseFunc;
use tvmscript_ir::DictAttrs;
use tvmscript_ir_core::fresh::Definitions;
use tvmscript_ir_core::{Array, Map, Node, Object, Ref, Span};
use tvmscript_prim::{Type, Var};

use super::buffer::DefineBuffer as _;
use super::{Buffer, StmtRef};

/// A function over scalars and buffers.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.PrimFunc", parent = BaseFunc, defines = PrimFunc::defines)]
pub struct PrimFunc {
    /// Source span.
    pub span: Span,
    /// The function's type in Relax; set by that dialect.
    #[node(skip_eq, derived, class = Type)]
    pub struct_info_: Option<Object>,
    /// Attributes.
    pub attrs: Ref<DictAttrs>,
    /// The parameters.
    #[node(def)]
    pub params: Array<Ref<Var>>,
    /// The return type.
    pub ret_type: Ref<Type>,
    /// The buffers behind handle parameters.
    pub buffer_map: Map<Ref<Var>, Ref<Buffer>>,
    /// The body.
    pub body: StmtRef,
}

impl PrimFunc {
    /// A function defines its parameters, and the buffers behind them with the variables of their layout.
    fn defines(&self, definitions: &mut Definitions) {
        self.params.iter().for_each(|param| definitions.define(param.object()));
        self.buffer_map.iter().for_each(|(_, buffer)| buffer.define_matched(definitions));
    }
}
