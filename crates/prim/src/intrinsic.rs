//! Operators that the functions of this crate and the scalar analyses refer to.
//!
//! Folding `x << y` or scaling a scalable vector ends in a call, and simplification knows the meaning of a few operators. This
//! table is the only place below the dialects that names any; everyone else asks for [`Intrinsic::of`] a call or for
//! [`Op::effect`]. Operators are interned by name, so the dialect that declares them in full (types, effects, text) shares
//! these nodes without either side registering anything.

use std::sync::{LazyLock, OnceLock};

use tvmscript_ir_core::Ref;
use tvmscript_ir_core::ptr_map::AddressMap;

use crate::node::Call;
use crate::op::{Effect, Op};

/// An operator by name, interned and declared on first use.
#[derive(Debug)]
pub struct NamedOp {
    name: &'static str,
    effect: Effect,
    has_open_result: bool,
    op: OnceLock<Ref<Op>>,
}

impl NamedOp {
    /// A pure operator with this full name.
    pub const fn new(name: &'static str) -> NamedOp {
        NamedOp { name, effect: Effect::Pure, has_open_result: false, op: OnceLock::new() }
    }

    /// Declares another effect.
    pub const fn set_effect(&mut self, effect: Effect) {
        self.effect = effect;
    }

    /// Declares that the place of a call determines the type of its result.
    pub const fn set_open_result(&mut self) {
        self.has_open_result = true;
    }

    /// Tests whether the place of a call determines the type of its result.
    pub const fn has_open_result(&self) -> bool {
        self.has_open_result
    }

    /// The full name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The effect of a call.
    pub const fn effect(&self) -> Effect {
        self.effect
    }

    /// The operator's node.
    pub fn get(&self) -> &Ref<Op> {
        self.op.get_or_init(|| match self.has_open_result {
            true => Op::declare_with_open_result(self.name, self.effect),
            false => Op::declare(self.name, self.effect),
        })
    }

    /// Returns `true` if the call is one of this operator.
    pub fn is_called_by(&self, call: &Call) -> bool {
        call.is_op(self.get())
    }
}

macro_rules! intrinsics {
    ($($constant:ident $variant:ident = $name:literal $(, $effect:ident)?;)*) => {
        $(
            #[doc = concat!("`", $name, "`.")]
            pub static $constant: NamedOp = {
                #[allow(unused_mut)]
                let mut op = NamedOp::new($name);
                $(op.set_effect(Effect::$effect);)?
                op
            };
        )*

        /// All operators of this table.
        pub static ALL: &[&NamedOp] = &[$(&$constant),*];

        /// The meaning of an operator of this table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Intrinsic {
            $(#[doc = concat!("`", $name, "`.")] $variant,)*
        }

        static INTRINSICS: LazyLock<AddressMap<Intrinsic>> = LazyLock::new(|| {
            // Interned operators live as long as the process, so their addresses identify them.
            AddressMap::from_iter([$(($constant.get().object().address(), Intrinsic::$variant),)*])
        });
    };
}

intrinsics! {
    BITWISE_AND BitwiseAnd = "tir.bitwise_and";
    BITWISE_NOT BitwiseNot = "tir.bitwise_not";
    BITWISE_OR BitwiseOr = "tir.bitwise_or";
    BITWISE_XOR BitwiseXor = "tir.bitwise_xor";
    CEIL Ceil = "tir.ceil";
    CLZ CountLeadingZeros = "tir.clz";
    IF_THEN_ELSE IfThenElse = "tir.if_then_else";
    LARGE_UINT_IMM LargeUintImm = "tir.large_uint_imm";
    LIKELY Likely = "tir.likely", Annotation;
    LOG2 Log2 = "tir.log2";
    REINTERPRET Reinterpret = "tir.reinterpret";
    SHIFT_LEFT ShiftLeft = "tir.shift_left";
    SHIFT_RIGHT ShiftRight = "tir.shift_right";
    VSCALE VScale = "tir.vscale";
}

impl Intrinsic {
    /// Returns the operator that a call calls, if it is one of this table.
    pub fn of(call: &Call) -> Option<Intrinsic> {
        INTRINSICS.get(&call.op.object().address()).copied()
    }
}
