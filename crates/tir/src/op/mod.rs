//! The operators of TIR, each declared by one entry of `tir_operators!` in the file of its family.
//!
//! An entry generates the typed function (`op::math::exp(x)`), the [`Operator`] that printing and purity analysis
//! use, and the script function with its Rust counterpart ([`crate::build::script`]). An operator without an entry
//! prints under its full name and counts as opaque.
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

/// Entries of `operators!` with the header of this dialect.
macro_rules! tir_operators {
    ($($entries:tt)*) => {
        ::tvmscript_ir_macros::operators! {
            prefix = "tir.";
            result = Expr;
            error = ::tvmscript_prim::PrimError;
            script = crate::build::operator;
            around = DTYPE_CONVENTION;
            poison = true;

            $($entries)*
        }
    };
}

pub mod bits;
pub mod call;
pub mod control;
pub mod fold;
pub mod math;
pub mod memory;
pub mod tensor_core;
pub mod thread;
pub mod vector;

use std::sync::LazyLock;

use hashbrown::HashMap;
use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::{Array, Ref};
#[cfg(feature = "build")]
use tvmscript_irbuilder::ScriptFn;
use tvmscript_prim::BaseExpr;
pub use tvmscript_prim::Effect;
use tvmscript_prim::error::{PrimError, PrimResult};
use tvmscript_prim::intrinsic::NamedOp;
use tvmscript_prim::{Call, DataType, Expr, PrimExprExt};

const BOOL: DataType = DataType::BOOL;
const HANDLE: DataType = DataType::HANDLE;
const INT32: DataType = DataType::INT32;
const UINT32: DataType = DataType::uint(32);
const UINT64: DataType = DataType::uint(64);
const VOID: DataType = DataType::VOID;

/// A buffer element; scripts may pass the buffer for its first element.
pub type Element = Expr;

/// The name or number of an LLVM intrinsic.
pub type LlvmName = Expr;

/// An argument of a packed call; scripts may pass a buffer, which becomes an array on the stack.
pub type Packed = Expr;

/// The rule for the type of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultType {
    /// The first argument in text, `dtype`.
    First,
    /// The last argument in text, `dtype`.
    Last,
    /// The type of the operand at an index.
    SameAs(usize),
    /// A fixed type.
    Fixed(DataType),
}

/// Rebuilds a call from its type and operands; `None` if the number of operands is wrong.
pub type MakeFn = fn(DataType, &Array<Expr>) -> Option<PrimResult<Expr>>;

/// An operator, declared by an entry of `tir_operators!`.
#[derive(Debug)]
#[non_exhaustive]
pub struct Operator {
    /// The operator's node, e.g. `tir.exp`, with its effect.
    pub op: NamedOp,
    /// The name after `T.` in text; the full name if TVM exports none.
    pub text: &'static str,
    /// The rule for the type of a call.
    pub result: ResultType,
    /// Minimum number of operands.
    pub min_operands: usize,
    /// Maximum number of operands.
    pub max_operands: usize,
    /// `true` if TVM's script language has a function of this name.
    pub is_exported: bool,
    /// `true` if keywords of a call are annotations.
    pub is_annotated: bool,
    /// Builds calls instead of the plain rule, which may fold, convert or check.
    pub make: Option<MakeFn>,
    /// The script function.
    #[cfg(feature = "build")]
    pub function: Option<&'static ScriptFn>,
}

impl Operator {
    /// Creates a pure, exported operator without operands.
    pub const fn new(name: &'static str, text: &'static str, result: ResultType) -> Operator {
        Operator {
            op: NamedOp::new(name),
            text,
            result,
            min_operands: 0,
            max_operands: 0,
            is_exported: true,
            is_annotated: false,
            make: None,
            #[cfg(feature = "build")]
            function: None,
        }
    }

    /// Sets the number of operands.
    #[must_use]
    pub const fn with_operands(mut self, min_operands: usize, max_operands: usize) -> Operator {
        (self.min_operands, self.max_operands) = (min_operands, max_operands);
        self
    }

    /// Sets the effect.
    #[must_use]
    pub const fn with_effect(mut self, effect: Effect) -> Operator {
        self.op.set_effect(effect);
        self
    }

    /// Declares that the place of a call determines the type of its result.
    #[must_use]
    pub const fn with_open_result(mut self) -> Operator {
        self.op.set_open_result();
        self
    }

    /// Marks the operator as absent from TVM's script language.
    #[must_use]
    pub const fn hidden(mut self) -> Operator {
        self.is_exported = false;
        self
    }

    /// Marks the keywords of a call as annotations.
    #[must_use]
    pub const fn annotated(mut self) -> Operator {
        self.is_annotated = true;
        self
    }

    /// Sets the function that builds calls.
    #[must_use]
    pub const fn made_by(mut self, make: MakeFn) -> Operator {
        self.make = Some(make);
        self
    }

    /// Sets the script function.
    #[cfg(feature = "build")]
    #[must_use]
    pub const fn with_function(mut self, function: &'static ScriptFn) -> Operator {
        self.function = Some(function);
        self
    }

    /// The full name, e.g. `tir.exp`.
    pub const fn name(&self) -> &'static str {
        self.op.name()
    }

    /// Creates a call without folding or checks.
    pub fn call(&self, dtype: DataType, operands: impl IntoIterator<Item = Expr>) -> Expr {
        Call::new(dtype, self.op.get().clone(), operands)
    }

    /// Creates a call with the type of the operand at `index`.
    ///
    /// # Errors
    /// [`PrimError::MissingOperand`] if there are fewer operands.
    fn call_same_as(&self, index: usize, operands: impl IntoIterator<Item = Expr>) -> PrimResult<Expr> {
        let operands: Vec<Expr> = operands.into_iter().collect();
        match operands.get(index) {
            Some(operand) => Ok(self.call(operand.dtype(), operands)),
            None => Err(PrimError::MissingOperand { op: self.text, index }),
        }
    }

    /// Tests whether the operator takes so many operands, and a call of them has this type.
    pub fn fits(&self, dtype: DataType, args: &Array<Expr>) -> bool {
        (self.min_operands..=self.max_operands).contains(&args.len())
            && match self.result {
                ResultType::First | ResultType::Last => true,
                ResultType::Fixed(fixed) => dtype == fixed || self.op.has_open_result(),
                ResultType::SameAs(index) => {
                    args.get(index).map_or(DataType::VOID, |arg| arg.dtype()) == dtype
                }
            }
    }

    /// The call of these operands without folding, if its type follows from theirs and none needs a conversion.
    pub fn plain_call(&self, operands: Vec<Expr>) -> Option<Expr> {
        let dtype = self.plain_type(&operands)?;
        (self.min_operands..=self.max_operands).contains(&operands.len()).then(|| self.call(dtype, operands))
    }

    /// The type of a call of these operands.
    fn plain_type(&self, operands: &[Expr]) -> Option<DataType> {
        match self.result {
            ResultType::First | ResultType::Last => None,
            ResultType::Fixed(dtype) => Some(dtype),
            ResultType::SameAs(index) => {
                let dtype = operands.get(index)?.dtype();
                let others = operands.get(index..)?;
                others.iter().all(|operand| operand.dtype() == dtype).then_some(dtype)
            }
        }
    }

    /// Tests whether [`Operator::plain_call`] makes this call of its operands.
    pub fn is_plain(&self, call: &Call) -> bool {
        let operands: Vec<Expr> = call.args.iter().cloned().collect();
        (self.min_operands..=self.max_operands).contains(&operands.len())
            && self.plain_type(&operands) == Some(call.dtype)
    }

    /// Tests whether the operator's function builds exactly this call from its operands.
    pub fn makes(&self, call: &Call) -> bool {
        let Call { span: _, dtype, op: _, args } = call;
        let Some(make) = self.make else {
            return self.fits(*dtype, args);
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

/// The script functions of all families, including those without an operator.
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

/// Declares the effects of all operators to the scalar analyses.
pub(crate) fn declare() {
    for operator in operators() {
        operator.op.get();
    }
}

/// All operators.
pub fn operators() -> impl Iterator<Item = &'static Operator> {
    FAMILIES.iter().flat_map(|family| family.iter()).copied()
}

/// The operator with this full name.
pub fn find(name: &str) -> Option<&'static Operator> {
    static MAP: LazyLock<HashMap<&'static str, &'static Operator>> =
        LazyLock::new(|| operators().map(|operator| (operator.name(), operator)).collect());
    MAP.get(name).copied()
}

/// The operator that a callee refers to, if it is declared.
pub fn of_callee(callee: &Ref<BaseExpr>) -> Option<&'static Operator> {
    // Interned operators live as long as the process, so their addresses identify them.
    static MAP: LazyLock<AddressMap<&'static Operator>> =
        LazyLock::new(|| operators().map(|op| (op.op.get().object().address(), op)).collect());
    MAP.get(&callee.object().address()).copied()
}
