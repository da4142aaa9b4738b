//! The interface between the evaluator and its host.
//!
//! The evaluator knows Python: syntax, values, scopes. It knows no dialect, no registry and no parser of scripts. It
//! asks its [`Host`] for the rest:
//!
//! - names of script bodies ([`Host::local`]) and assignment expressions there;
//! - operators, attributes, subscripts and calls of IR nodes ([`Host::rules`]), and their text ([`Host::node_text`]);
//! - the host's own values: namespaces, decorators, functions that need the host ([`Host::call_own`]);
//! - modules ([`Host::modules`]);
//! - decorated definitions that are scripts ([`Host::read_script`]).
//!
//! All methods have defaults; [`Plain`] is the host that keeps them all. A method that evaluates, or records errors,
//! gets the [`EvalState`]; with itself it makes the [`Eval`](crate::Eval) to continue with.

use std::any::Any;

use smallvec::SmallVec;
use tvmscript_ir_core::{Object, Token};
use tvmscript_python_syntax::ast::{BinOp, BoolOp, CmpOp, ExprId, Name, StmtId, TextRange, UnaryOp};
use tvmscript_script_value::{BuildError, CallArgs, HostObject, ScriptFn, ScriptValue};

use crate::binding::Binding;
use crate::errors::{EvalErrorKind, EvalResult, Reported};
use crate::eval::Raise;
use crate::state::EvalState;

/// The provider of everything that is not Python.
pub trait Host {
    // ---- names of script bodies ----

    /// Tests whether a script body with its own names is being read.
    fn in_script(&self) -> bool {
        false
    }

    /// The binding of a name in the script body.
    fn local(&self, _name: Name) -> Binding {
        Binding::Unbound
    }

    /// The binding of a name that a lambda captures from the script body; `None` for names that the host defined.
    fn captured(&self, _name: Name) -> Option<Binding> {
        None
    }

    /// Binds a name in the script body, for `name := value`.
    ///
    /// # Errors
    /// Fails if the name cannot be rebound.
    fn bind(
        &mut self,
        state: &mut EvalState,
        _name: Name,
        _value: ScriptValue,
        at: ExprId,
    ) -> EvalResult<()> {
        Err(state.error(at, EvalErrorKind::UnsupportedExpression { what: "`:=` here" }))
    }

    /// The names that the script body binds, for suggestions.
    fn local_names(&self) -> Vec<Name> {
        Vec::new()
    }

    /// The definition site of a name in a closed scope of the script body, with a hint for using the name afterwards.
    fn ended(&self, _name: Name) -> Option<(TextRange, Option<&'static str>)> {
        None
    }

    /// A suggestion for an undefined name that the host knows under another one (`X.grid` for `grid`).
    fn suggestion(&self, _name: &str) -> Option<String> {
        None
    }

    // ---- nodes ----

    /// The operations that a node supports.
    fn rules(&mut self, _node: &Object) -> NodeRules {
        NodeRules::default()
    }

    /// The call rule of a node under a dispatch token.
    fn call_rule(&mut self, node: &Object, _token: Token) -> Option<CallFn> {
        self.rules(node).call
    }

    /// Tests whether [`Host::node_text`] prints nodes. Otherwise `str` and `repr` of a node name its type.
    fn prints_nodes(&self) -> bool {
        false
    }

    /// The text of a node for `str` and `repr`. The evaluator charges the size of the node before the call.
    ///
    /// # Errors
    /// Fails if the node cannot be printed.
    fn node_text(&mut self, _node: &Object) -> Result<String, Raise> {
        Ok(String::new())
    }

    // ---- values of the host's own ----

    /// Looks up an attribute in a namespace of the host: `None` if the value is not a namespace, [`Binding::Unbound`] if
    /// it lacks the attribute.
    fn namespace_attribute(
        &mut self,
        _state: &EvalState,
        _value: &dyn HostObject,
        _attr: Name,
    ) -> Option<Binding> {
        None
    }

    /// Tests whether a value is a namespace of the host, as annotations of scripts start with.
    fn is_namespace(&self, _value: &ScriptValue) -> bool {
        false
    }

    /// Explains a missing attribute of a namespace; `None` for other values.
    fn missing_attribute(&self, _value: &dyn HostObject, _name: &str) -> Option<MissingAttribute> {
        None
    }

    /// Calls a value of the host's own; for other values returns `None` and leaves the arguments.
    fn call_own(
        &mut self,
        _state: &mut EvalState,
        _callee: &dyn HostObject,
        _args: &mut CallArgs,
    ) -> Option<Result<ScriptValue, Raise>> {
        None
    }

    /// Tests whether slices among the arguments of a function stay slices.
    fn takes_regions(&self, _function: &'static ScriptFn) -> bool {
        false
    }

    /// The name of a function in scripts of the release.
    fn function_name(&self, function: &'static ScriptFn) -> &'static str {
        function.name
    }

    /// Enters a scope of the host's own, for `with` or an `ExitStack` in host code: the value that it gives, and a handle for
    /// [`Host::leave_scope`]. Dropping the handle discards the scope. `None` for other values.
    fn enter_scope(
        &mut self,
        _state: &mut EvalState,
        _value: &ScriptValue,
        _at: TextRange,
    ) -> Option<EvalResult<(ScriptValue, Box<dyn Any>)>> {
        None
    }

    /// Leaves a scope after its body.
    ///
    /// # Errors
    /// Fails if what the body built is wrong.
    fn leave_scope(
        &mut self,
        _state: &mut EvalState,
        _scope: Box<dyn Any>,
        _at: TextRange,
    ) -> EvalResult<()> {
        Ok(())
    }

    // ---- modules ----

    /// The modules that can be imported, besides the evaluated ones of Python's library.
    fn modules(&self) -> &dyn Modules {
        &NoModules
    }

    // ---- scripts ----

    /// Tests whether a value is a decorator that makes scripts.
    fn is_decorator(&self, _value: &ScriptValue) -> bool {
        false
    }

    /// Reads a decorated definition as a script, in a builder of its own. `at` is the decorator.
    ///
    /// # Errors
    /// Fails if the definition has errors.
    fn read_script(
        &mut self,
        _state: &mut EvalState,
        _id: StmtId,
        _at: ExprId,
        _decorator: &ScriptValue,
    ) -> EvalResult<ScriptValue> {
        Err(Reported::already())
    }

    /// Tests whether a line of text is a decorator of scripts, for definitions without a syntax tree.
    fn is_script_decorator(&self, _text: &str) -> bool {
        false
    }

    /// Test classes whose bare methods are scripts.
    fn bare_scripts(&self) -> Option<BareScripts> {
        None
    }

    /// Called after host code assigned names: scripts built by functions may have got a name.
    fn assigned(&mut self, _state: &mut EvalState, _id: StmtId) {}

    /// Called after exploring a function or block.
    fn explored(&mut self) {}
}

/// The host that adds nothing to Python.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plain;

impl Host for Plain {}

/// A missing attribute of a namespace.
#[derive(Debug, Clone)]
pub struct MissingAttribute {
    /// Description of the namespace.
    pub what: String,
    /// `true` if the attribute exists but is left out here, so that its use is not an error.
    pub is_left_out: bool,
    /// A replacement.
    pub help: Option<String>,
}

/// Test classes that compare scripts. Their bare methods are scripts, since the base class decorates them.
#[derive(Debug, Clone)]
pub struct BareScripts {
    /// Suffix of the names of the base classes.
    pub base_suffix: &'static str,
    /// The methods that are scripts.
    pub methods: &'static [&'static str],
    /// The decorator applied by the base class.
    pub decorator: ScriptValue,
    /// The attribute of the class that, if false, turns the check of the scripts off.
    pub checked: &'static str,
    /// The decorator that turns it off.
    pub unchecked: ScriptValue,
}

/// Modules that a host declares. The defaults declare none.
pub trait Modules {
    /// Tests whether a dotted path is a declared module.
    fn contains(&self, _path: &str) -> bool {
        false
    }

    /// The member of a declared module.
    fn member(&self, _path: &str, _name: &str) -> Option<ScriptValue> {
        None
    }

    /// A replacement for a member that scripts cannot use.
    fn instead_of(&self, _path: &str, _name: &str) -> Option<&'static str> {
        None
    }

    /// The members of a module, for suggestions.
    fn names(&self, _path: &str) -> Vec<String> {
        Vec::new()
    }

    /// The names that `from path import *` binds; `None` if they are not known.
    fn star_names(&self, _path: &str) -> Option<Vec<String>> {
        None
    }

    /// Tests whether all members of a module are declared, so that any other one is an error.
    fn is_complete(&self, _path: &str) -> bool {
        false
    }

    /// Tests whether users may expect a member of an undeclared module to be evaluated, so that calling it deserves a
    /// warning.
    fn is_expected(&self, _path: &str) -> bool {
        false
    }

    /// Tests whether a decorator keeps the results of the decorated function.
    fn is_transparent(&self, _path: &str) -> bool {
        false
    }

    /// The functions that declare test parameters, `n = parameter(4, 8)` and `n, m = parameters((4, 2), (8, 3))`.
    fn parameter_functions(&self) -> Option<(&'static str, &'static str)> {
        None
    }
}

struct NoModules;

impl Modules for NoModules {}

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
/// The number that `int` and `float` make of a node; `None` if it is not constant.
pub type NumberFn = fn(&Object) -> Option<ScriptValue>;
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
    /// Values of constants.
    pub number: Option<NumberFn>,
    /// Elements for iteration and unpacking.
    pub items: Option<ItemsFn>,
}
