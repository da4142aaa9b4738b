//! Built-in functions and types, and what all functions of the host language share.

mod functions;
mod types;

pub(crate) use functions::{ascii, sort};
pub(crate) use types::fill;

use std::any::Any;

use tvmscript_script_value::{BuildError, CallArgs, Hashing, HostObject, ScriptValue, release};

use super::cost::{self, Cost};
use super::methods::{NamedMethod, of_type};
use super::type_name;
use crate::Host;
use crate::errors::HostError;
use crate::eval::Raise;

/// What a built-in function runs.
pub(crate) type BuiltinFn = fn(&mut dyn Host, CallArgs) -> Result<ScriptValue, Raise>;
/// What a method runs.
pub(crate) type MethodFn = fn(&mut dyn Host, &ScriptValue, CallArgs) -> Result<ScriptValue, Raise>;

/// Functions by name, with what a call costs.
pub(crate) type Table = &'static [(&'static str, Cost, BuiltinFn)];

/// A built-in function or type.
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    cost: Cost,
    call: BuiltinFn,
    pub(crate) is_type: bool,
}

impl Builtin {
    pub(crate) fn function(name: &'static str, cost: Cost, call: BuiltinFn) -> ScriptValue {
        ScriptValue::host(Builtin { name, cost, call, is_type: false })
    }

    /// Charges the call and runs it.
    pub(crate) fn run(&self, p: &mut dyn Host, args: CallArgs) -> Result<ScriptValue, Raise> {
        cost::call(p, self.cost, None, &args)?;
        (self.call)(p, args)
    }
}

/// A method of a value.
pub(crate) struct Method {
    pub(crate) name: &'static str,
    pub(crate) receiver: ScriptValue,
    pub(crate) cost: Cost,
    pub(crate) call: MethodFn,
}

impl Method {
    /// Charges the call and runs it.
    pub(crate) fn run(&self, p: &mut dyn Host, args: CallArgs) -> Result<ScriptValue, Raise> {
        cost::call(p, self.cost, Some(&self.receiver), &args)?;
        (self.call)(p, &self.receiver, args)
    }
}

/// A method of a type, whose first argument is the receiver: `str.lower`.
pub(crate) struct Unbound {
    type_name: &'static str,
    method: NamedMethod,
}

impl Unbound {
    /// Charges the call and runs it.
    pub(crate) fn run(&self, p: &mut dyn Host, mut args: CallArgs) -> Result<ScriptValue, Raise> {
        let (name, cost, call) = *self.method;
        if args.positional.is_empty() {
            let message = format!("unbound method {}.{name}() needs an argument", self.type_name);
            return Err(HostError::type_error(message).into());
        }
        let receiver = args.positional.remove(0);
        let own = type_name(&receiver);
        if own != self.type_name && !(self.type_name == "int" && own == "bool") {
            let message = format!(
                "descriptor '{name}' for '{}' objects doesn't apply to a '{own}' object",
                self.type_name
            );
            return Err(HostError::type_error(message).into());
        }
        cost::call(p, cost, Some(&receiver), &args)?;
        call(p, &receiver, args)
    }
}

impl HostObject for Unbound {
    fn type_name(&self) -> &str {
        "method_descriptor"
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, _: CallArgs) -> Result<ScriptValue, BuildError> {
        Err(needs_the_parser(self.method.0))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A function of the host language is called where no parser is at hand, which it needs.
fn needs_the_parser(name: &str) -> BuildError {
    BuildError::message(format!("`{name}` cannot be called from here")).with_help("wrap it in a lambda")
}

impl HostObject for Builtin {
    fn type_name(&self) -> &str {
        self.name
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, _: CallArgs) -> Result<ScriptValue, BuildError> {
        Err(needs_the_parser(self.name))
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        if name == "__name__" {
            return Some(ScriptValue::str(self.name));
        }
        if !self.is_type {
            return None;
        }
        if let Some((name, cost, call)) = types::class_method(self.name, name) {
            return Some(Builtin::function(name, *cost, *call));
        }
        let method = of_type(self.name, name)?;
        Some(ScriptValue::host(Unbound { type_name: self.name, method }))
    }
    fn hashing(&self) -> Hashing {
        Hashing::Value { hash: self.name.len() as u64, weight: 1 }
    }
    fn same_key(&self, other: &dyn HostObject) -> bool {
        other.as_any().downcast_ref::<Builtin>().is_some_and(|other| self.name == other.name)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for Method {
    fn drop(&mut self) {
        release([std::mem::take(&mut self.receiver)]);
    }
}

impl HostObject for Method {
    fn type_name(&self) -> &str {
        self.name
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, _: CallArgs) -> Result<ScriptValue, BuildError> {
        Err(needs_the_parser(self.name))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The positional arguments of a function that takes just so many, and no keywords.
pub(crate) fn args<const N: usize>(name: &str, a: CallArgs) -> Result<[ScriptValue; N], HostError> {
    no_keywords(name, &a)?;
    let found = a.positional.len();
    let values: Vec<ScriptValue> = a.positional.into_vec();
    values.try_into().map_err(|_| {
        let what = match N {
            0 => "no arguments".to_owned(),
            1 => "exactly one argument".to_owned(),
            n => return HostError::type_error(format!("{name} expected {n} arguments, got {found}")),
        };
        HostError::type_error(format!("{name}() takes {what} ({found} given)"))
    })
}

pub(crate) fn no_keywords(name: &str, a: &CallArgs) -> Result<(), HostError> {
    match a.keywords.is_empty() {
        true => Ok(()),
        false => Err(HostError::type_error(format!("{name}() takes no keyword arguments"))),
    }
}

/// From `least` to `most` positional arguments; those not given are nothing.
pub(crate) fn optional<const N: usize>(
    name: &str,
    a: CallArgs,
    least: usize,
) -> Result<[Option<ScriptValue>; N], HostError> {
    no_keywords(name, &a)?;
    let found = a.positional.len();
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    if found < least {
        let bound = if least == N { "" } else { "at least " };
        return Err(HostError::type_error(format!(
            "{name} expected {bound}{least} argument{}, got {found}",
            plural(least)
        )));
    }
    if found > N {
        return Err(HostError::type_error(format!(
            "{name} expected at most {N} argument{}, got {found}",
            plural(N)
        )));
    }
    let mut values = a.positional.into_iter();
    Ok(std::array::from_fn(|_| values.next()))
}

/// The names of all.
pub(crate) const NAMES: &[&str] = &[
    "abs",
    "all",
    "any",
    "ascii",
    "bin",
    "bool",
    "bytes",
    "callable",
    "chr",
    "dict",
    "divmod",
    "enumerate",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "hasattr",
    "hash",
    "hex",
    "id",
    "int",
    "isinstance",
    "iter",
    "len",
    "list",
    "map",
    "max",
    "min",
    "next",
    "object",
    "oct",
    "ord",
    "pow",
    "print",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "slice",
    "sorted",
    "str",
    "sum",
    "tuple",
    "type",
    "zip",
];

/// Whether a value is one of Python's built-in functions or types.
pub fn is_python_builtin(value: &ScriptValue) -> bool {
    value.as_host::<Builtin>().is_some()
}

/// The built-in of this name.
pub(crate) fn value(name: &str) -> Option<ScriptValue> {
    let found = |list: Table, is_type: bool| {
        let (name, cost, call) = list.iter().find(|(n, ..)| *n == name)?;
        Some(ScriptValue::host(Builtin { name, cost: *cost, call: *call, is_type }))
    };
    found(functions::FUNCTIONS, false).or_else(|| found(types::TYPES, true))
}
