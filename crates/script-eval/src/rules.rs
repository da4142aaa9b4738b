//! Operations that a host defines on its nodes.

use smallvec::SmallVec;
use tvmscript_ir_core::Object;
use tvmscript_python_syntax::ast::{BinOp, BoolOp, CmpOp, UnaryOp};
use tvmscript_script_value::{BuildError, CallArgs, ScriptValue};

/// Rules for operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Python's: module level, plain functions, lambdas, comprehensions, values of keyword arguments.
    Host,
    /// The dialect's: bodies of decorated functions.
    Script,
}

/// An operator with at least one node among its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `a + b`
    Binary(BinOp),
    /// `-a`, `not a`
    Unary(UnaryOp),
    /// `a < b`; not `is` and `in`, which are Python's.
    Compare(CmpOp),
    /// `a and b`
    Bool(BoolOp),
    /// `b if a else c`. Operands: condition, value if true, value if false.
    Conditional,
}

/// Applies an operator. Operands are in source order; at least one is of the class that the handler is registered for.
/// `None` passes on to the handler of the next operand, then to Python's rule.
pub type OperatorFn = fn(Operator, &[ScriptValue], Mode) -> Result<Option<ScriptValue>, BuildError>;
/// Looks up an attribute of a node.
pub type AttributeFn = fn(&Object, &str) -> Result<Option<ScriptValue>, BuildError>;
/// Attribute names for suggestions.
pub type NamesFn = fn(&Object) -> Vec<String>;
/// Subscripts a node.
pub type SubscriptFn = fn(&Object, &Indices) -> Result<ScriptValue, BuildError>;
/// Calls a node.
pub type CallFn = fn(&Object, CallArgs) -> Result<ScriptValue, BuildError>;
/// The truth of a node in host code; an error if it is unknown.
pub type TruthFn = fn(&Object) -> Result<bool, BuildError>;
/// The elements of a node, for unpacking and iteration.
pub type ItemsFn = fn(&Object) -> Result<Vec<ScriptValue>, BuildError>;

/// The indices of a subscript.
#[derive(Debug, Clone)]
pub struct Indices {
    /// Indices; slices are [`ScriptValue::Slice`].
    pub items: SmallVec<[ScriptValue; 4]>,
    /// `true` if the subscript is a tuple: `a[1,]` has one index and is a tuple.
    pub is_tuple: bool,
}

/// The operations of a class of nodes. Without a rule, nodes behave like plain Python objects.
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
