//! The host: what the evaluator does not know.
//!
//! The evaluator knows Python: its syntax, its values, its scopes. It knows no dialect of IR, no registry and no parser.
//! Where code leaves Python, the evaluator asks its [`Host`]:
//!
//! - what a name means inside a script body ([`Host::local`]) and how an assignment expression binds one there;
//! - what operators, attributes, subscripts and calls do with IR nodes ([`Host::rules`]);
//! - what its own values do: namespaces, decorators, functions that need the host ([`Host::call_own`]);
//! - what a module holds ([`Host::modules`]);
//! - how a decorated definition is read as a script ([`Host::read_script`]).
//!
//! Every method has a default that says "nothing": a host without any IR implements `Deref` to its [`Evaluator`] and
//! nothing else. The methods of the evaluator that need a host are methods of `dyn Host`; those that work on its state
//! alone are methods of [`Evaluator`], and reach a host through `Deref`.
//!
//! Nothing here recurses into the host without going through `dyn Host`, so a host may call the evaluator from any of its
//! methods.

use std::ops::{Deref, DerefMut};

use tvmscript_ir_core::Object;
use tvmscript_python_syntax::ast::{ExprId, Name, StmtId, TextRange};
use tvmscript_script_value::{CallArgs, HostObject, ScriptFn, ScriptValue};

use crate::binding::Binding;
use crate::errors::{ParseErrorKind, Reported, Result};
use crate::eval::Raise;
use crate::evaluator::Evaluator;
use crate::rules::{CallFn, NodeRules};

/// An owner of an [`Evaluator`], which answers what the evaluator does not know.
pub trait Host: Deref<Target = Evaluator> + DerefMut {
    // ---- names of script bodies ----

    /// Whether a script body is being read, with names of its own.
    fn in_script(&self) -> bool {
        false
    }

    /// The meaning of a name in the script body; unbound when the body does not define it.
    fn local(&self, _name: Name) -> Binding {
        Binding::Unbound
    }

    /// The meaning of a name in the script body, unless the host itself defined it there: what a lambda captures.
    fn captured(&self, _name: Name) -> Option<Binding> {
        None
    }

    /// Binds a name in the script body, for `name := value`.
    ///
    /// # Errors
    /// When the name cannot be bound again.
    fn bind(&mut self, _name: Name, _value: ScriptValue, at: ExprId) -> Result<()> {
        Err(self.error(at, ParseErrorKind::UnsupportedExpression { what: "`:=` here" }))
    }

    /// The names that the script body defines, for suggestions.
    fn local_names(&self) -> Vec<Name> {
        Vec::new()
    }

    /// The definition of a name in a scope of the script body that has ended, and how to make it visible further on.
    fn ended(&self, _name: Name) -> Option<(TextRange, Option<&'static str>)> {
        None
    }

    /// Help for an undefined name that the host knows under another one (`X.grid` for `grid`).
    fn suggestion(&self, _name: &str) -> Option<String> {
        None
    }

    // ---- nodes ----

    /// The operations that a node supports.
    fn rules(&mut self, _node: &Object) -> NodeRules {
        NodeRules::default()
    }

    /// How a node is called here.
    fn call_rule(&mut self, node: &Object) -> Option<CallFn> {
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

    /// The attribute of a namespace of the host's; nothing when the value is none, `Some(None)` when it has no such
    /// attribute.
    fn namespace_attribute(&mut self, _value: &dyn HostObject, _attr: Name) -> Option<Option<ScriptValue>> {
        None
    }

    /// Whether a value is a namespace of the host's: what annotations of scripts begin with.
    fn is_namespace(&self, _value: &ScriptValue) -> bool {
        false
    }

    /// What a missing attribute of a namespace means; nothing when the value is none.
    fn missing_attribute(&self, _value: &dyn HostObject, _name: &str) -> Option<MissingAttribute> {
        None
    }

    /// Calls a value of the host's own; nothing, and the arguments are left alone, when the value is none.
    fn call_own(
        &mut self,
        _callee: &dyn HostObject,
        _args: &mut CallArgs,
    ) -> Option<Result<ScriptValue, Raise>> {
        None
    }

    /// Whether slices among the arguments of a function stay as they are.
    fn takes_regions(&self, _function: &'static ScriptFn) -> bool {
        false
    }

    // ---- modules ----

    /// The modules that can be imported, besides those of Python's library that are evaluated.
    fn modules(&self) -> &dyn Modules {
        &NoModules
    }

    // ---- scripts ----

    /// Whether a value is a decorator that makes a script of what it decorates.
    fn is_decorator(&self, _value: &ScriptValue) -> bool {
        false
    }

    /// Reads a decorated definition as a script, in a builder of its own. `at` is the decorator in the text.
    ///
    /// # Errors
    /// When there is a mistake in it.
    fn read_script(&mut self, _id: StmtId, _at: ExprId, _decorator: &ScriptValue) -> Result<ScriptValue> {
        Err(Reported::already())
    }

    /// Whether a line of text is a decorator of scripts: of definitions whose syntax was not kept.
    fn is_script_decorator(&self, _text: &str) -> bool {
        false
    }

    /// Classes whose bare methods are scripts, if there are such.
    fn bare_scripts(&self) -> Option<BareScripts> {
        None
    }

    /// A statement of host code assigned names: scripts that functions built may have got a name.
    fn assigned(&mut self, _id: StmtId) {}

    /// A function that nothing calls was run to its end.
    fn explored(&mut self) {}
}

/// A missing attribute of a namespace.
#[derive(Debug, Clone)]
pub struct MissingAttribute {
    /// The namespace, in words.
    pub what: String,
    /// Whether the attribute exists, but is left out here: then it is no mistake of the text.
    pub is_left_out: bool,
    /// What to use instead.
    pub help: Option<String>,
}

/// Classes that compare scripts: their bare methods are scripts, since the base class decorates them.
#[derive(Debug, Clone)]
pub struct BareScripts {
    /// How the names of the base classes end.
    pub base_suffix: &'static str,
    /// The methods that are scripts.
    pub methods: &'static [&'static str],
    /// The decorator that the base class applies.
    pub decorator: ScriptValue,
}

/// Modules that a host declares. The defaults declare none.
pub trait Modules {
    /// Whether a dotted path is a declared module.
    fn contains(&self, _path: &str) -> bool {
        false
    }

    /// The member of a declared module.
    fn member(&self, _path: &str, _name: &str) -> Option<ScriptValue> {
        None
    }

    /// What to do instead of using a member that scripts cannot use.
    fn instead_of(&self, _path: &str, _name: &str) -> Option<&'static str> {
        None
    }

    /// The members of a module, for suggestions.
    fn names(&self, _path: &str) -> Vec<String> {
        Vec::new()
    }

    /// All names that `from path import *` binds; nothing when they are not known.
    fn star_names(&self, _path: &str) -> Option<Vec<String>> {
        None
    }

    /// Whether all members of a module are declared, so that another one is a mistake.
    fn is_complete(&self, _path: &str) -> bool {
        false
    }

    /// Whether a reader may expect a member of an undeclared module to be evaluated, so that calling it is worth a warning.
    fn is_expected(&self, _path: &str) -> bool {
        false
    }

    /// Whether a decorator by this path leaves the results of what it decorates as they are.
    fn is_transparent(&self, _path: &str) -> bool {
        false
    }

    /// The functions that declare parameters of tests, `n = parameter(4, 8)` and `n, m = parameters((4, 2), (8, 3))`.
    fn parameter_functions(&self) -> Option<(&'static str, &'static str)> {
        None
    }
}

/// No modules.
struct NoModules;

impl Modules for NoModules {}
