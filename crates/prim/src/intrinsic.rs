//! Operators that the functions of this crate make calls of.
//!
//! Folding `x << y` or scaling a scalable vector ends in a call, so a few operators have to be known here by name. This table
//! is the only place of the crate that names any; operators are interned by name, so the dialect that declares them in full
//! (types, effects, text) shares these nodes without either side registering anything.

use std::sync::OnceLock;

use crate::Op;
use tvmscript_ir_core::Ref;

use crate::node::Call;

/// An operator by name, interned on first use.
#[derive(Debug)]
pub struct NamedOp {
    name: &'static str,
    op: OnceLock<Ref<Op>>,
}

impl NamedOp {
    /// The operator with this full name.
    pub const fn new(name: &'static str) -> NamedOp {
        NamedOp { name, op: OnceLock::new() }
    }

    /// The full name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The operator's node.
    pub fn get(&self) -> &Ref<Op> {
        self.op.get_or_init(|| Op::get(self.name))
    }

    /// Whether the call is one of this operator.
    pub fn is_called_by(&self, call: &Call) -> bool {
        call.is_op(self.get())
    }
}

macro_rules! intrinsics {
    ($($constant:ident = $name:literal;)*) => {$(
        #[doc = concat!("`", $name, "`.")]
        pub static $constant: NamedOp = NamedOp::new($name);
    )*};
}

intrinsics! {
    BITWISE_AND = "tir.bitwise_and";
    BITWISE_NOT = "tir.bitwise_not";
    BITWISE_OR = "tir.bitwise_or";
    BITWISE_XOR = "tir.bitwise_xor";
    CEIL = "tir.ceil";
    IF_THEN_ELSE = "tir.if_then_else";
    LARGE_UINT_IMM = "tir.large_uint_imm";
    LIKELY = "tir.likely";
    REINTERPRET = "tir.reinterpret";
    SHIFT_LEFT = "tir.shift_left";
    SHIFT_RIGHT = "tir.shift_right";
    VSCALE = "tir.vscale";
}
