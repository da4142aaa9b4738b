//! Built-in functions, types and methods.
//!
//! Each is one row of a table, a [`Native`]: its name, what a call costs, the arguments that it takes, and the Rust
//! function behind it. Calls are charged and their arguments bound in one place, [`Native::call`].

mod classes;
mod functions;
mod numeric;
mod types;

pub(crate) use functions::{abs, ascii, hash, is_callable, len, sort};
pub(crate) use types::{class_method, fill, fill_from_mapping, is_little_endian, parse_float};

use tvmscript_script_value::{BuildError, CallArgs, Hashing, HostObject, ScriptValue, release};

use super::cost::{self, Cost};
use super::methods::of_type;
use super::{Outcome, exceptions, type_name};
use crate::Eval;
use crate::errors::HostError;
use crate::eval::class::natives;
use crate::eval::{Raise, exception};

/// A built-in function, type or method.
pub(crate) struct Native {
    pub(crate) name: &'static str,
    cost: Cost,
    body: Body,
    /// Names of the parameters that keywords can give; empty for positional-only ones.
    keywords: &'static [&'static str],
    /// Number of parameters, from the last, that only keywords can give.
    keyword_only: usize,
}

/// The type or module that qualifies the name of a built-in in messages.
#[derive(Clone, Copy)]
enum Owner<'a> {
    /// Its name; empty for functions that need none.
    Name(&'a str),
    /// The type of a value.
    TypeOf(&'a ScriptValue),
}

impl std::fmt::Display for Owner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Owner::Name("") => Ok(()),
            Owner::Name(name) => write!(f, "{name}."),
            Owner::TypeOf(value) => write!(f, "{}.", type_name(value)),
        }
    }
}

/// Rows of built-ins.
pub(crate) type Table = &'static [Native];

/// A built-in whose function charges what depends on the sizes of its arguments.
pub(crate) const fn own(name: &'static str) -> NativeName {
    NativeName { name, cost: Cost::Own }
}

/// A built-in whose cost is linear in the sizes of its receiver and arguments.
pub(crate) const fn linear(name: &'static str) -> NativeName {
    NativeName { name, cost: Cost::Linear }
}

/// The first half of a row: name and cost. A method named after the number of arguments adds the function.
pub(crate) struct NativeName {
    name: &'static str,
    cost: Cost,
}

macro_rules! bodies {
    ($($method:ident $variant:ident($($arg:ty),*);)*) => {
        /// The Rust function behind a built-in, by the arguments it takes. The second parameter is the receiver of a
        /// method; functions get `None` there.
        #[derive(Clone, Copy)]
        enum Body {
            $($variant(fn(&mut Eval<'_>, &ScriptValue, $($arg),*) -> Outcome),)*
        }

        impl NativeName {
            $(pub(crate) const fn $method(
                self,
                body: fn(&mut Eval<'_>, &ScriptValue, $($arg),*) -> Outcome,
            ) -> Native {
                let NativeName { name, cost } = self;
                Native { name, cost, body: Body::$variant(body), keywords: &[], keyword_only: 0 }
            })*
        }
    };
}
type Optional = Option<ScriptValue>;
bodies! {
    zero Zero();
    one One(ScriptValue);
    two Two(ScriptValue, ScriptValue);
    zero_or_one ZeroOrOne(Optional);
    zero_to_two ZeroToTwo(Optional, Optional);
    zero_to_three ZeroToThree([Optional; 3]);
    one_or_two OneOrTwo(ScriptValue, Optional);
    one_to_three OneToThree(ScriptValue, Optional, Optional);
    two_or_three TwoOrThree(ScriptValue, ScriptValue, Optional);
    any Any(CallArgs);
}

impl Native {
    /// Lets keywords give the parameters of these names. Positional-only parameters before them are named `""`.
    pub(crate) const fn with_keywords(self, keywords: &'static [&'static str]) -> Native {
        Native { keywords, ..self }
    }

    /// Lets only keywords give the last `count` parameters.
    pub(crate) const fn with_keyword_only(self, count: usize) -> Native {
        Native { keyword_only: count, ..self }
    }

    /// Calls the method of a value of a built-in type.
    pub(crate) fn call_method(&self, p: &mut Eval<'_>, receiver: &ScriptValue, args: CallArgs) -> Outcome {
        self.call(p, Owner::TypeOf(receiver), receiver, args)
    }

    /// Charges a call, binds its arguments and runs it. `owner` is the type or module that qualifies the name in messages.
    fn call(&self, p: &mut Eval<'_>, owner: Owner, receiver: &ScriptValue, mut args: CallArgs) -> Outcome {
        cost::call(p.state, self.cost, receiver, &args)?;
        if args.keywords.is_empty() && self.keyword_only == 0 {
            // The most common calls, without binding.
            match (self.body, args.positional.as_mut_slice()) {
                (Body::Zero(f), []) => return f(p, receiver),
                (Body::One(f), [x]) => return f(p, receiver, std::mem::take(x)),
                (Body::Two(f), [x, y]) => {
                    let (x, y) = (std::mem::take(x), std::mem::take(y));
                    return f(p, receiver, x, y);
                }
                (Body::ZeroOrOne(f), []) => return f(p, receiver, None),
                (Body::ZeroOrOne(f), [x]) => return f(p, receiver, Some(std::mem::take(x))),
                (Body::OneOrTwo(f), [x]) => return f(p, receiver, std::mem::take(x), None),
                (Body::OneOrTwo(f), [x, y]) => {
                    let (x, y) = (std::mem::take(x), std::mem::take(y));
                    return f(p, receiver, x, Some(y));
                }
                _ => {}
            }
        }
        self.call_bound(p, owner, receiver, args)
    }

    /// Binds the arguments of a call that was charged and runs it.
    fn call_bound(&self, p: &mut Eval<'_>, owner: Owner, receiver: &ScriptValue, args: CallArgs) -> Outcome {
        let (least, most) = match self.body {
            Body::Any(f) => return f(p, receiver, args),
            Body::Zero(_) => (0, 0),
            Body::One(_) => (1, 1),
            Body::Two(_) => (2, 2),
            Body::ZeroOrOne(_) => (0, 1),
            Body::ZeroToTwo(_) => (0, 2),
            Body::ZeroToThree(_) => (0, 3),
            Body::OneOrTwo(_) => (1, 2),
            Body::OneToThree(_) => (1, 3),
            Body::TwoOrThree(_) => (2, 3),
        };
        let [x, y, z] = self.bind(owner, args, least, most)?;
        let required = Option::unwrap_or_default;
        match self.body {
            Body::Zero(f) => f(p, receiver),
            Body::One(f) => f(p, receiver, required(x)),
            Body::Two(f) => f(p, receiver, required(x), required(y)),
            Body::ZeroOrOne(f) => f(p, receiver, x),
            Body::ZeroToTwo(f) => f(p, receiver, x, y),
            Body::ZeroToThree(f) => f(p, receiver, [x, y, z]),
            Body::OneOrTwo(f) => f(p, receiver, required(x), y),
            Body::OneToThree(f) => f(p, receiver, required(x), y, z),
            Body::TwoOrThree(f) => f(p, receiver, required(x), required(y), z),
            Body::Any(_) => Ok(ScriptValue::None),
        }
    }

    /// Binds from `least` to `most` arguments, with CPython's messages.
    fn bind(
        &self,
        owner: Owner,
        args: CallArgs,
        least: usize,
        most: usize,
    ) -> Result<[Option<ScriptValue>; 3], HostError> {
        let name = self.name;
        let found = args.positional.len();
        let mut values = args.positional.into_iter();
        let mut bound = std::array::from_fn(|_| values.next());
        for (key, value) in args.keywords {
            let slot = self.keywords.iter().position(|known| *known == key.as_str());
            match slot.and_then(|slot| bound.get_mut(slot)) {
                Some(slot @ None) => *slot = Some(value),
                Some(Some(_)) => raise!(Type, "argument for {name}() given by name ('{key}') and position"),
                None if self.keywords.is_empty() => {
                    raise!(Type, "{owner}{name}() takes no keyword arguments")
                }
                None => raise!(Type, "'{key}' is an invalid keyword argument for {name}()"),
            }
        }
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        let most = most - self.keyword_only;
        let lacking = bound.iter().take(least).position(Option::is_none);
        if found > most || lacking.is_some() {
            let at = lacking.unwrap_or_default();
            match (least, most) {
                (0, 0) if self.keyword_only > 0 => raise!(Type, "{name}() takes no positional arguments"),
                (1, 1) if self.keyword_only > 0 => raise!(Type, "{name} expected 1 argument, got {found}"),
                _ if let Some(missing) =
                    self.keywords.get(at).filter(|missing| found <= most && !missing.is_empty()) =>
                {
                    raise!(Type, "{name}() missing required argument '{missing}' (pos {})", at + 1)
                }
                _ if !self.keywords.is_empty() && found > most => {
                    let amount = if least == most { "exactly" } else { "at most" };
                    raise!(Type, "{name}() takes {amount} {most} argument{} ({found} given)", plural(most))
                }
                (0, 0) => raise!(Type, "{owner}{name}() takes no arguments ({found} given)"),
                (1, 1) => raise!(Type, "{owner}{name}() takes exactly one argument ({found} given)"),
                (2, 2) => raise!(Type, "{name} expected 2 arguments, got {found}"),
                _ if found > most => {
                    raise!(Type, "{name} expected at most {most} argument{}, got {found}", plural(most))
                }
                _ => raise!(Type, "{name} expected at least {least} argument{}, got {found}", plural(least)),
            }
        }
        Ok(bound)
    }
}

/// Kind of callable of a [`Builtin`].
pub(crate) enum BuiltinKind {
    /// A function of this module; empty for the built-in ones.
    Function(&'static str),
    /// A type.
    Type,
    /// An exception class.
    Exception,
    /// A method bound to a value.
    Method(ScriptValue),
    /// A method of the type of this name, which takes the receiver as its first argument: `str.lower`.
    Unbound(&'static str),
    /// A special method of the type of this name, which takes the receiver as its first argument: `object.__eq__`.
    Slot(&'static str),
}

/// A built-in function, type or method as a value.
pub(crate) struct Builtin {
    pub(crate) native: &'static Native,
    pub(crate) kind: BuiltinKind,
}

impl Builtin {
    pub(crate) fn value(native: &'static Native, kind: BuiltinKind) -> ScriptValue {
        ScriptValue::host(Builtin { native, kind })
    }

    pub(crate) fn is_type(&self) -> bool {
        matches!(self.kind, BuiltinKind::Type | BuiltinKind::Exception)
    }

    /// The name of its type in Python.
    pub(crate) fn class(&self) -> &'static str {
        match self.kind {
            BuiltinKind::Type | BuiltinKind::Exception => "type",
            BuiltinKind::Unbound(_) => "method_descriptor",
            BuiltinKind::Slot(_) => "wrapper_descriptor",
            BuiltinKind::Function(_) | BuiltinKind::Method(_) => "builtin_function_or_method",
        }
    }

    fn qualified_name(&self) -> ScriptValue {
        let name = self.native.name;
        match &self.kind {
            BuiltinKind::Method(receiver) => ScriptValue::str(&format!("{}.{name}", type_name(receiver))),
            BuiltinKind::Unbound(owner) | BuiltinKind::Slot(owner) => {
                ScriptValue::str(&format!("{owner}.{name}"))
            }
            BuiltinKind::Function(owner) if class_method(owner, name).is_some() => {
                ScriptValue::str(&format!("{owner}.{name}"))
            }
            BuiltinKind::Function(_) | BuiltinKind::Type | BuiltinKind::Exception => ScriptValue::str(name),
        }
    }

    /// The name of its module; `None` if it has no such attribute.
    fn module(&self) -> Option<ScriptValue> {
        match self.kind {
            BuiltinKind::Function("") => Some(ScriptValue::str("builtins")),
            BuiltinKind::Function(owner) if class_method(owner, self.native.name).is_none() => {
                Some(ScriptValue::str(owner))
            }
            BuiltinKind::Exception => Some(ScriptValue::str("builtins")),
            BuiltinKind::Type if types::TYPES.iter().any(|native| std::ptr::eq(native, self.native)) => {
                Some(ScriptValue::str("builtins"))
            }
            BuiltinKind::Method(_) | BuiltinKind::Function(_) => Some(ScriptValue::None),
            BuiltinKind::Type | BuiltinKind::Unbound(_) | BuiltinKind::Slot(_) => None,
        }
    }

    /// Charges a call and runs it.
    pub(crate) fn run(&self, p: &mut Eval<'_>, mut args: CallArgs) -> Outcome {
        let (native, name) = (self.native, self.native.name);
        match &self.kind {
            BuiltinKind::Function(module) => native.call(p, Owner::Name(module), &ScriptValue::None, args),
            BuiltinKind::Type => native.call(p, Owner::Name(""), &ScriptValue::None, args),
            BuiltinKind::Exception => {
                let class = Builtin::value(native, BuiltinKind::Exception);
                native.call(p, Owner::Name(""), &class, args)
            }
            BuiltinKind::Method(receiver) => native.call_method(p, receiver, args),
            BuiltinKind::Unbound(owner) => {
                if args.positional.is_empty() {
                    raise!(Type, "unbound method {owner}.{name}() needs an argument");
                }
                let receiver = args.positional.remove(0);
                // A copy of a property with another function is of the same class.
                let receiver = if *owner == "property" { receiver } else { receiver.plain().clone() };
                let own = type_name(receiver.plain());
                let fits = unqualified(&own) == *owner
                    || *owner == "int" && own == "bool"
                    || *owner == "dict" && matches!(receiver.plain(), ScriptValue::Dict(_))
                    || exception::is_of(&receiver, owner);
                if !fits {
                    return Err(wrong_type!(
                        "descriptor '{name}' for '{owner}' objects doesn't apply to a '{}' object",
                        &receiver
                    )
                    .into());
                }
                native.call(p, Owner::Name(owner), &receiver, args)
            }
            BuiltinKind::Slot(owner) => {
                if args.positional.is_empty() {
                    raise!(Type, "unbound method {owner}.{name}() needs an argument");
                }
                let receiver = args.positional.remove(0);
                // A special method may call itself: `__repr__ = object.__str__`.
                p.state.program.budget.enter_call()?;
                let result =
                    tvmscript_ir_core::with_stack(|| native.call(p, Owner::Name(owner), &receiver, args));
                p.state.program.budget.leave_call();
                result
            }
        }
    }
}

impl HostObject for Builtin {
    fn type_name(&self) -> &str {
        self.native.name
    }
    fn is_callable(&self) -> bool {
        true
    }
    /// Fails: a built-in needs an evaluator, and Rust code that calls a function has none at hand.
    fn call(&self, _: CallArgs) -> Result<ScriptValue, BuildError> {
        let message = format!("`{}` cannot be called from here", self.native.name);
        Err(BuildError::message(message).with_help("wrap it in a lambda"))
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        match name {
            "__name__" => return Some(ScriptValue::str(self.native.name)),
            "__qualname__" => return Some(self.qualified_name()),
            "__module__" => return self.module(),
            _ => {}
        }
        if !self.is_type() {
            return None;
        }
        let owner = self.native.name;
        if let Some(method) = bound_class_method(owner, name) {
            return Some(method);
        }
        match of_type(owner, name) {
            Some(method) => Some(Builtin::value(method, BuiltinKind::Unbound(owner))),
            None => natives::member(owner, name).or_else(|| natives::member("object", name)),
        }
    }
    fn hashing(&self) -> Hashing {
        match self.kind {
            BuiltinKind::Method(_) => Hashing::Identity,
            _ => Hashing::Value { hash: self.native.name.len() as u64, weight: 1 },
        }
    }
    fn same_key(&self, other: &dyn HostObject) -> bool {
        other.as_any().downcast_ref::<Builtin>().is_some_and(|other| same_builtin(self, other))
    }
}

impl Drop for Builtin {
    fn drop(&mut self) {
        if let BuiltinKind::Method(receiver) = &mut self.kind {
            release([std::mem::take(receiver)]);
        }
    }
}

/// Methods of all exceptions.
static EXCEPTION_METHODS: &[Native] = &[
    own("__init__").any(exception::init),
    own("add_note").one(exception::add_note),
    own("with_traceback").one(|_, value, _| Ok(value.clone())),
];

/// A method of an exception.
pub(crate) fn exception_method(value: &ScriptValue, name: &str) -> Option<ScriptValue> {
    let native = EXCEPTION_METHODS.iter().find(|native| native.name == name)?;
    Some(Builtin::value(native, BuiltinKind::Method(value.clone())))
}

/// Tests whether both are the same function or type.
pub(crate) fn same_builtin(a: &Builtin, b: &Builtin) -> bool {
    let is_method = |builtin: &Builtin| matches!(builtin.kind, BuiltinKind::Method(_));
    std::ptr::eq(a.native, b.native) && !is_method(a) && !is_method(b)
}

pub(crate) fn no_keywords(name: &str, a: &CallArgs) -> Result<(), HostError> {
    if !a.keywords.is_empty() {
        raise!(Type, "{name}() takes no keyword arguments");
    }
    Ok(())
}

/// Drops an argument that is `None`.
pub(crate) fn not_none(value: Option<ScriptValue>) -> Option<ScriptValue> {
    value.filter(|value| !matches!(value, ScriptValue::None))
}

/// Replaces a `TypeError` of a conversion by another message.
pub(crate) fn instead_of_type_error(raise: Raise, message: impl FnOnce() -> HostError) -> Raise {
    match raise {
        Raise::Kind(crate::EvalErrorKind::Host(error)) if error.kind == crate::HostErrorKind::Type => {
            message().into()
        }
        other => other,
    }
}

/// The names of all built-in functions and types.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let own = tables().into_iter().flatten().map(|native| native.name);
    own.chain(["NotImplemented", "Ellipsis"]).chain(exceptions::names())
}

/// Tests whether a value is one of Python's built-in functions or types.
pub fn is_python_builtin(value: &ScriptValue) -> bool {
    let kind = value.as_host::<Builtin>().map(|builtin| &builtin.kind);
    matches!(kind, Some(BuiltinKind::Function(_) | BuiltinKind::Type | BuiltinKind::Exception))
}

/// The built-in function or type of this name.
pub fn value(name: &str) -> Option<ScriptValue> {
    let mut functions = functions::FUNCTIONS.iter().chain(classes::FUNCTIONS);
    match functions.find(|native| native.name == name) {
        Some(function) => Some(Builtin::value(function, BuiltinKind::Function(""))),
        None if name == "NotImplemented" => Some(natives::not_implemented()),
        None if name == "Ellipsis" => Some(ScriptValue::Ellipsis),
        None => match types::TYPES.iter().chain(classes::TYPES).find(|native| native.name == name) {
            Some(class) => Some(Builtin::value(class, BuiltinKind::Type)),
            None => exceptions::class(name),
        },
    }
}

/// All tables of functions and types.
fn tables() -> [Table; 4] {
    [functions::FUNCTIONS, types::TYPES, classes::FUNCTIONS, classes::TYPES]
}

/// The class method of a built-in type: `dict.fromkeys`.
pub(crate) fn bound_class_method(owner: &'static str, name: &str) -> Option<ScriptValue> {
    let method = class_method(owner, name)?;
    Some(Builtin::value(method, BuiltinKind::Function(owner)))
}

/// The built-in type of this name.
pub(crate) fn class(name: &str) -> Option<ScriptValue> {
    let name = unqualified(name);
    let own = types::TYPES.iter().chain(classes::TYPES).chain(classes::LIBRARY);
    let mut all = own.chain(super::library::types());
    Some(Builtin::value(all.find(|native| native.name == name)?, BuiltinKind::Type))
}

/// The name of a class without its module.
pub(crate) fn unqualified(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
