//! What a host says about its nodes, and the operations it says it of.

use smallvec::SmallVec;
use tvmscript_ir_core::Object;
use tvmscript_python_syntax::ast::{BinOp, BoolOp, CmpOp, UnaryOp};
use tvmscript_script_value::{BuildError, CallArgs, ScriptValue};

/// Which rules operators follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Python's: module level, plain functions, lambdas, comprehensions, values of keyword arguments.
    Host,
    /// The script's: bodies of decorated functions.
    Script,
}

/// An operator applied to values of which at least one is a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `a + b`
    Binary(BinOp),
    /// `-a`, `not a`
    Unary(UnaryOp),
    /// `a < b`. Never `is` and `in`, which are Python's.
    Compare(CmpOp),
    /// `a and b`
    Bool(BoolOp),
    /// `b if a else c`: the operands are the test, the value if it holds, the other value.
    Conditional,
}

/// Applies an operator; the operands are in the order they are written, at least one is of the class the handler was
/// registered for. Nothing is "not mine": the next operand's handler is asked, then Python's own rule applies.
pub type OperatorFn = fn(Operator, &[ScriptValue], Mode) -> Result<Option<ScriptValue>, BuildError>;
/// The attribute of a node; nothing when it has none of this name.
pub type AttributeFn = fn(&Object, &str) -> Result<Option<ScriptValue>, BuildError>;
/// The attributes worth suggesting.
pub type NamesFn = fn(&Object) -> Vec<String>;
/// Subscripts a node.
pub type SubscriptFn = fn(&Object, &Indices) -> Result<ScriptValue, BuildError>;
/// Calls a node.
pub type CallFn = fn(&Object, CallArgs) -> Result<ScriptValue, BuildError>;
/// The truth of a node in host code; an error when it is not known.
pub type TruthFn = fn(&Object) -> Result<bool, BuildError>;
/// The elements of a node that can be unpacked and iterated over.
pub type ItemsFn = fn(&Object) -> Result<Vec<ScriptValue>, BuildError>;

/// The parts between the brackets of a subscript.
#[derive(Debug, Clone)]
pub struct Indices {
    /// The parts between the commas; slices are [`ScriptValue::Slice`].
    pub items: SmallVec<[ScriptValue; 4]>,
    /// Whether a comma, or a tuple, stands between the brackets: `a[1,]` has one item and is a tuple.
    pub is_tuple: bool,
}

/// The operations that nodes of one class support. Where a rule is missing, nodes behave as Python's plain objects do.
#[derive(Clone, Copy, Default)]
pub struct NodeRules {
    /// Operators.
    pub operator: Option<OperatorFn>,
    /// Attributes.
    pub attribute: Option<AttributeFn>,
    /// Names of attributes, for suggestions.
    pub names: Option<NamesFn>,
    /// Subscripts.
    pub subscript: Option<SubscriptFn>,
    /// Calls.
    pub call: Option<CallFn>,
    /// Truth in conditions of host code.
    pub truth: Option<TruthFn>,
    /// Elements for iteration and unpacking.
    pub items: Option<ItemsFn>,
}
