//! The operators of TIR, each declared once: one entry of `operators!` in the file of its family.
//!
//! From an entry follow the typed function (`op::math::exp(x)`), the [`Operator`] that printing and purity ask, and the script
//! function with its Rust counterpart ([`crate::build::script`]). An operator without an entry prints under its full name and
//! counts as opaque.
//!
//! Upstream counterparts: `src/tir/op/builtin.cc`, `src/tir/op/op.cc`, `python/tvm/tir/op.py`, and the exports of
//! `python/tvm/script/ir_builder/tir/ir.py`.
//!
//! ```
//! use tvmscript_prim::{DataType, PrimExprExt, Var};
//! use tvmscript_tir::op;
//!
//! let x = Var::new("x", DataType::FLOAT32).upcast();
//! assert_eq!(op::math::sin(x.clone()).dtype(), DataType::FLOAT32);
//! assert_eq!(op::find("tir.sin").map(|operator| operator.op.effect()), Some(op::Effect::Pure));
//! ```

pub mod bits;
pub mod call;
pub mod control;
pub mod fold;
pub mod math;
pub mod memory;
pub mod tensor_core;
pub mod thread;
pub mod vector;

use std::collections::HashMap;
use std::sync::LazyLock;

use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::{Array, Ref};
#[cfg(feature = "build")]
use tvmscript_irbuilder::ScriptFn;
use tvmscript_prim::BaseExpr;
pub use tvmscript_prim::Effect;
use tvmscript_prim::error::{PrimError, Result};
use tvmscript_prim::intrinsic::NamedOp;
use tvmscript_prim::{Call, DataType, Expr, PrimExprExt};

const BOOL: DataType = DataType::BOOL;
const HANDLE: DataType = DataType::HANDLE;
const INT32: DataType = DataType::INT32;
const UINT32: DataType = DataType::uint(32);
const UINT64: DataType = DataType::uint(64);
const VOID: DataType = DataType::VOID;

/// An element of a buffer; scripts may give the buffer, which stands for its first element.
pub type Element = Expr;

/// The name or number of an intrinsic of LLVM.
pub type LlvmName = Expr;

/// An argument of a packed call; scripts may give a buffer, which becomes an array on the stack.
pub type Packed = Expr;

/// Where the type of a call comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultType {
    /// The text gives it as the first argument, `dtype`.
    First,
    /// The text gives it as the last argument, `dtype`.
    Last,
    /// The type of an operand, by its index.
    SameAs(usize),
    /// Always this type.
    Fixed(DataType),
}

/// Makes a call again from its type and operands; nothing where the operands are of another number.
pub type MakeFn = fn(DataType, &Array<Expr>) -> Option<Result<Expr>>;

/// An operator, declared by an entry of `operators!`.
#[derive(Debug)]
#[non_exhaustive]
pub struct Operator {
    /// The operator's node, by its full name: `tir.exp`.
    pub op: NamedOp,
    /// The name after `T.` in text; the full name where TVM has none.
    pub text: &'static str,
    /// Where the type of a call comes from.
    pub result: ResultType,
    /// Least number of operands.
    pub least: usize,
    /// Greatest number of operands.
    pub most: usize,
    /// Whether TVM's script language has a function of the name in text.
    pub is_exported: bool,
    /// Makes calls in place of the plain rule: it may fold, convert or check.
    pub make: Option<MakeFn>,
    /// The function of scripts.
    #[cfg(feature = "build")]
    pub function: Option<&'static ScriptFn>,
}

impl Operator {
    /// A pure operator that TVM exports, without operands.
    pub const fn new(name: &'static str, text: &'static str, result: ResultType) -> Operator {
        Operator {
            op: NamedOp::new(name),
            text,
            result,
            least: 0,
            most: 0,
            is_exported: true,
            make: None,
            #[cfg(feature = "build")]
            function: None,
        }
    }

    /// The operator, with `least` to `most` operands.
    #[must_use]
    pub const fn with_operands(mut self, least: usize, most: usize) -> Operator {
        (self.least, self.most) = (least, most);
        self
    }

    /// The operator, with an effect.
    #[must_use]
    pub const fn with_effect(mut self, effect: Effect) -> Operator {
        self.op.set_effect(effect);
        self
    }

    /// The operator, without a function in TVM's script language.
    #[must_use]
    pub const fn hidden(mut self) -> Operator {
        self.is_exported = false;
        self
    }

    /// The operator, with calls made by a function.
    #[must_use]
    pub const fn made_by(mut self, make: MakeFn) -> Operator {
        self.make = Some(make);
        self
    }

    /// The operator, with its function of scripts.
    #[cfg(feature = "build")]
    #[must_use]
    pub const fn with_function(mut self, function: &'static ScriptFn) -> Operator {
        self.function = Some(function);
        self
    }

    /// The full name: `tir.exp`.
    pub const fn name(&self) -> &'static str {
        self.op.name()
    }

    /// A call, without folding or checks.
    pub fn call(&self, dtype: DataType, operands: impl IntoIterator<Item = Expr>) -> Expr {
        Call::new(dtype, self.op.get().clone(), operands)
    }

    /// A call of the type of the operand at `index`.
    ///
    /// # Errors
    /// [`PrimError::MissingOperand`] when there are fewer operands.
    fn call_same_as(&self, index: usize, operands: impl IntoIterator<Item = Expr>) -> Result<Expr> {
        let operands: Vec<Expr> = operands.into_iter().collect();
        match operands.get(index) {
            Some(operand) => Ok(self.call(operand.dtype(), operands)),
            None => Err(PrimError::MissingOperand { op: self.text, index }),
        }
    }

    /// Whether the operator's function makes this very call from its operands.
    pub fn makes(&self, call: &Call) -> bool {
        let Call { span: _, dtype, op: _, args } = call;
        let Some(make) = self.make else {
            return (self.least..=self.most).contains(&args.len())
                && match self.result {
                    ResultType::First | ResultType::Last => true,
                    ResultType::Fixed(fixed) => *dtype == fixed,
                    ResultType::SameAs(index) => args.get(index).is_some_and(|arg| arg.dtype() == *dtype),
                };
        };
        let Some(Ok(made)) = make(*dtype, args) else { return false };
        made.as_node::<Call>().is_some_and(|made| {
            made.dtype == *dtype
                && made.op.ptr_eq(&call.op)
                && made.args.len() == args.len()
                && made.args.iter().zip(args.iter()).all(|(a, b)| a.ptr_eq(b))
        })
    }
}

/// The families, one per file.
static FAMILIES: &[&[&Operator]] = &[
    bits::OPERATORS,
    call::OPERATORS,
    control::OPERATORS,
    math::OPERATORS,
    memory::OPERATORS,
    tensor_core::OPERATORS,
    thread::OPERATORS,
    vector::OPERATORS,
];

/// The script functions of all families, those without an operator among them.
#[cfg(feature = "build")]
pub fn functions() -> impl Iterator<Item = &'static ScriptFn> {
    let families = [
        bits::FUNCTIONS,
        call::FUNCTIONS,
        control::FUNCTIONS,
        math::FUNCTIONS,
        memory::FUNCTIONS,
        tensor_core::FUNCTIONS,
        thread::FUNCTIONS,
        vector::FUNCTIONS,
    ];
    families.into_iter().flatten().copied()
}

/// Declares all operators to the scalar analyses, which ask an operator for its effect.
pub(crate) fn declare() {
    for operator in operators() {
        operator.op.get();
    }
}

/// All operators.
pub fn operators() -> impl Iterator<Item = &'static Operator> {
    FAMILIES.iter().flat_map(|family| family.iter()).copied()
}

/// The operator of this full name.
pub fn find(name: &str) -> Option<&'static Operator> {
    static MAP: LazyLock<HashMap<&'static str, &'static Operator>> =
        LazyLock::new(|| operators().map(|operator| (operator.name(), operator)).collect());
    MAP.get(name).copied()
}

/// The declared operator that a call's callee is, if it is one.
pub fn of_callee(callee: &Ref<BaseExpr>) -> Option<&'static Operator> {
    // Interned operators live as long as the process, so their addresses identify them.
    static MAP: LazyLock<AddressMap<&'static Operator>> =
        LazyLock::new(|| operators().map(|op| (op.op.get().object().address(), op)).collect());
    MAP.get(&callee.object().address()).copied()
}
