//! Built-in functions and types, and what all functions of the host language share.

mod functions;
mod types;

pub(crate) use functions::{ascii, sort};
pub(crate) use types::fill;

use std::any::Any;

use tvmscript_irbuilder::{BuildError, CallArgs, HostObject, ScriptValue, release};

use crate::ast::CmpOp;
use crate::errors::HostError;
use crate::eval::Raise;
use crate::host::VALUE_BYTES;
use crate::parser::Parser;
use crate::table::Operator;

/// What a built-in function runs.
pub(crate) type BuiltinFn = fn(&mut Parser, CallArgs) -> Result<ScriptValue, Raise>;
/// What a method runs.
pub(crate) type MethodFn = fn(&mut Parser, &ScriptValue, CallArgs) -> Result<ScriptValue, Raise>;

/// A built-in function or type.
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    pub(crate) call: BuiltinFn,
    pub(crate) is_type: bool,
}

impl Builtin {
    pub(crate) fn function(name: &'static str, call: BuiltinFn) -> ScriptValue {
        ScriptValue::host(Builtin { name, call, is_type: false })
    }
}

/// A method of a value.
pub(crate) struct Method {
    pub(crate) name: &'static str,
    pub(crate) receiver: ScriptValue,
    pub(crate) call: MethodFn,
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
        (name == "__name__").then(|| ScriptValue::str(self.name))
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

/// The built-in of this name.
pub(crate) fn value(name: &str) -> Option<ScriptValue> {
    let found = |list: &'static [(&'static str, BuiltinFn)], is_type: bool| {
        let (name, call) = list.iter().find(|(n, _)| *n == name)?;
        Some(ScriptValue::host(Builtin { name, call: *call, is_type }))
    };
    found(functions::FUNCTIONS, false).or_else(|| found(types::TYPES, true))
}

/// Whether two values are equal, for methods.
pub(crate) fn equal(p: &mut Parser, a: &ScriptValue, b: &ScriptValue) -> Result<bool, Raise> {
    let value = p.apply(Operator::Compare(CmpOp::Eq), &[a.clone(), b.clone()])?;
    p.truth(&value)
}

/// Takes the memory of so many values off the budget.
pub(crate) fn charge(p: &Parser, values: usize) -> Result<(), Raise> {
    Ok(p.shared.allocate(VALUE_BYTES * values as u64)?)
}
