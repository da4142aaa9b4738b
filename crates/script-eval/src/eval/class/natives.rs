//! Special methods of built-in types as attributes (`object.__setattr__`, `list.__getitem__`), which classes call
//! through `super()`; functions that decorators generate; and `NotImplemented`.

use tvmscript_ir_core::Str;
use tvmscript_python_syntax::ast::{BinOp, CmpOp, UnaryOp};
use tvmscript_script_value::{CallArgs, Hashing, HostObject, ScriptValue};

use super::access::missing;
use super::{BoundMethod, ClassObject, Instance, lookup, mro_of, unknown};
use crate::Eval;
use crate::HostErrorKind;
use crate::errors::EvalErrorKind;
use crate::eval::exception::{self, ExceptionState};
use crate::eval::{IterObject, Raise};
use crate::host::Operator;
use crate::python::builtins::{self, Builtin, BuiltinKind, Native, Table, linear, own};
use crate::python::{Outcome, compare, cost, format, methods, repr, subscript, type_name};

/// `NotImplemented`
struct NotImplementedObject;

impl HostObject for NotImplementedObject {
    fn type_name(&self) -> &str {
        "NotImplementedType"
    }
    fn hashing(&self) -> Hashing {
        Hashing::Value { hash: 0, weight: 1 }
    }
    fn same_key(&self, other: &dyn HostObject) -> bool {
        other.as_any().is::<NotImplementedObject>()
    }
}

/// `NotImplemented`, by which an operator leaves the operation to the other operand.
pub(crate) fn not_implemented() -> ScriptValue {
    ScriptValue::host(NotImplementedObject)
}

pub(crate) fn is_not_implemented(value: &ScriptValue) -> bool {
    value.as_host::<NotImplementedObject>().is_some()
}

type Run = dyn Fn(&mut Eval<'_>, CallArgs) -> Outcome;

/// A function that a decorator such as `dataclass` generates. In a class it is a method.
pub(crate) struct Generated {
    pub(crate) name: Str,
    run: Box<Run>,
}

impl Generated {
    pub(crate) fn value(
        name: &str,
        run: impl Fn(&mut Eval<'_>, CallArgs) -> Outcome + 'static,
    ) -> ScriptValue {
        ScriptValue::host(Generated { name: Str::new(name), run: Box::new(run) })
    }

    /// Calls the function.
    pub(crate) fn run(&self, p: &mut Eval<'_>, args: CallArgs) -> Outcome {
        p.state.program.budget.step(1)?;
        p.state.program.budget.enter_call()?;
        let result = tvmscript_ir_core::with_stack(|| (self.run)(p, args));
        p.state.program.budget.leave_call();
        result
    }
}

impl HostObject for Generated {
    fn type_name(&self) -> &str {
        "a function"
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        matches!(name, "__name__" | "__qualname__").then(|| ScriptValue::Str(self.name.clone()))
    }
}

/// A method of a built-in type, special ones included.
pub(crate) fn member(type_name: &'static str, name: &str) -> Option<ScriptValue> {
    if let Some(method) = builtins::bound_class_method(type_name, name) {
        return Some(method);
    }
    if let Some(method) = methods::of_type(type_name, name) {
        return Some(Builtin::value(method, BuiltinKind::Unbound(method_owner(type_name))));
    }
    let (native, owner) = slot(type_name, name)?;
    Some(Builtin::value(native, BuiltinKind::Slot(owner)))
}

fn method_owner(type_name: &str) -> &'static str {
    TYPES.iter().find(|known| **known == type_name).copied().unwrap_or("object")
}

/// A method of `type` as an attribute of a class: `C.mro`.
pub(crate) fn type_method(class: &ScriptValue, name: &str) -> Option<ScriptValue> {
    let native = TYPE.iter().find(|native| native.name == name)?;
    Some(BoundMethod::value(Builtin::value(native, BuiltinKind::Slot("type")), class))
}

static TYPE: Table = &[own("mro").zero(|p, class| cost::list(p.state, mro_of(class)))];

/// The special method of a built-in type.
fn slot(type_name: &str, name: &str) -> Option<(&'static Native, &'static str)> {
    let find = |table: Table| table.iter().find(|native| native.name == name);
    if type_name == "object" {
        return Some((find(OBJECT)?, "object"));
    }
    if type_name == "BaseException" {
        return Some((find(EXCEPTION)?, "BaseException"));
    }
    let owner = TYPES.iter().find(|known| **known == type_name)?;
    let tables: &[Table] = match type_name {
        "int" | "bool" => &[NUMBER, REAL, INTEGER, INTEGER_ONLY, ORDER],
        "float" => &[NUMBER, REAL, ORDER],
        "str" | "tuple" | "bytes" => &[SEQUENCE, CONTAINER, ORDER],
        "range" => &[CONTAINER, REVERSIBLE],
        "list" => &[SEQUENCE, GROWING, CONTAINER, MUTABLE, REVERSIBLE, ORDER],
        "dict" | "OrderedDict" | "Counter" | "defaultdict" => &[UNION, CONTAINER, MUTABLE, REVERSIBLE],
        "dict_keys" | "dict_items" => &[SET, CONTAINER, REVERSIBLE, ORDER],
        "dict_values" => &[CONTAINER, REVERSIBLE],
        "set" => &[SET, SET_IN_PLACE, CONTAINER, ORDER],
        "frozenset" => &[SET, CONTAINER, ORDER],
        _ => &[],
    };
    let own = tables.iter().find_map(|table| find(table)).or_else(|| find(TEXT))?;
    Some((own, owner))
}

/// Built-in types that classes can extend.
const TYPES: &[&str] = &[
    "Counter",
    "OrderedDict",
    "defaultdict",
    "bool",
    "bytes",
    "cached_property",
    "classmethod",
    "dict",
    "dict_items",
    "dict_keys",
    "dict_values",
    "float",
    "frozenset",
    "int",
    "list",
    "property",
    "range",
    "set",
    "staticmethod",
    "str",
    "tuple",
];

/// Runs an operator; a `TypeError` means that the operands do not support it.
fn operate(p: &mut Eval<'_>, operator: Operator, a: &ScriptValue, b: ScriptValue) -> Outcome {
    match p.apply(operator, &[a.plain().clone(), b.plain().clone()]) {
        Err(Raise::Kind(EvalErrorKind::Host(error))) if error.kind == HostErrorKind::Type => {
            Ok(not_implemented())
        }
        other => other,
    }
}

macro_rules! operators {
    ($($name:literal $reflected:literal $op:ident;)*) => {
        &[$(
            linear($name).one(|p, a, b| operate(p, Operator::Binary(BinOp::$op), a, b)),
            linear($reflected).one(|p, a, b| {
                operate(p, Operator::Binary(BinOp::$op), &b, a.plain().clone())
            }),
        )*]
    };
}

macro_rules! comparisons {
    ($($name:literal $op:ident;)*) => {
        &[$(linear($name).one(|p, a, b| operate(p, Operator::Compare(CmpOp::$op), a, b)),)*]
    };
}

static ORDER: Table = comparisons! { "__lt__" Lt; "__le__" LtE; "__gt__" Gt; "__ge__" GtE; };

static NUMBER: Table = operators! {
    "__add__" "__radd__" Add;
    "__sub__" "__rsub__" Sub;
    "__mul__" "__rmul__" Mult;
    "__truediv__" "__rtruediv__" Div;
    "__floordiv__" "__rfloordiv__" FloorDiv;
    "__mod__" "__rmod__" Mod;
    "__pow__" "__rpow__" Pow;
};

/// Conversions of numbers.
static REAL: Table = &[
    linear("__int__").zero(|p, x| call_type(p, "int", x)),
    linear("__trunc__").zero(|p, x| call_type(p, "int", x)),
    linear("__float__").zero(|p, x| call_type(p, "float", x)),
    linear("__floor__").zero(|p, x| call_library(p, "floor", x)),
    linear("__ceil__").zero(|p, x| call_library(p, "ceil", x)),
    linear("__round__").zero_or_one(|p, x, digits| {
        let round = builtins::value("round").unwrap_or_default();
        p.call_value(&round, CallArgs::positional([x.plain().clone()].into_iter().chain(digits)))
    }),
    linear("__divmod__").one(|p, x, y| divide(p, x.plain().clone(), y)),
    linear("__rdivmod__").one(|p, x, y| divide(p, y, x.plain().clone())),
];

fn call_type(p: &mut Eval<'_>, class: &str, x: &ScriptValue) -> Outcome {
    let class = builtins::class(class).unwrap_or_default();
    p.call_value(&class, CallArgs::positional([x.plain().clone()]))
}

/// Calls a function of `math`.
fn call_library(p: &mut Eval<'_>, name: &str, x: &ScriptValue) -> Outcome {
    let function = crate::python::library::member("math", name).unwrap_or_default();
    p.call_value(&function, CallArgs::positional([x.plain().clone()]))
}

fn divide(p: &mut Eval<'_>, x: ScriptValue, y: ScriptValue) -> Outcome {
    let function = builtins::value("divmod").unwrap_or_default();
    match p.call_value(&function, CallArgs::positional([x, y])) {
        Err(Raise::Kind(EvalErrorKind::Host(error))) if error.kind == HostErrorKind::Type => {
            Ok(not_implemented())
        }
        other => other,
    }
}

/// Changes a container in place.
fn in_place(p: &mut Eval<'_>, op: BinOp, x: &ScriptValue, other: &ScriptValue) -> Outcome {
    match crate::python::arith::in_place(p, op, x.plain(), other)? {
        true => Ok(x.clone()),
        false => Ok(not_implemented()),
    }
}

static GROWING: Table = &[
    linear("__iadd__").one(|p, x, other| in_place(p, BinOp::Add, x, &other)),
    linear("__imul__").one(|p, x, other| {
        let count = p.as_index(other)?;
        in_place(p, BinOp::Mult, x, &count)
    }),
];

static UNION: Table = &[
    linear("__or__").one(|p, a, b| operate(p, Operator::Binary(BinOp::BitOr), a, b)),
    linear("__ror__").one(|p, a, b| operate(p, Operator::Binary(BinOp::BitOr), &b, a.plain().clone())),
    linear("__ior__").one(|p, x, other| in_place(p, BinOp::BitOr, x, &other)),
];

static SET_IN_PLACE: Table = &[
    linear("__ior__").one(|p, x, other| in_place(p, BinOp::BitOr, x, &other)),
    linear("__iand__").one(|p, x, other| in_place(p, BinOp::BitAnd, x, &other)),
    linear("__ixor__").one(|p, x, other| in_place(p, BinOp::BitXor, x, &other)),
    linear("__isub__").one(|p, x, other| in_place(p, BinOp::Sub, x, &other)),
];

static REVERSIBLE: Table = &[own("__reversed__").zero(|p, x| call_type(p, "reversed", x))];

/// Adds `__index__` and `__invert__` to the operators of integers.
static INTEGER_ONLY: Table = &[
    linear("__index__").zero(|p, x| call_type(p, "int", x)),
    linear("__invert__").zero(|p, x| p.apply(Operator::Unary(UnaryOp::Invert), &[x.plain().clone()])),
];

static INTEGER: Table = operators! {
    "__and__" "__rand__" BitAnd;
    "__or__" "__ror__" BitOr;
    "__xor__" "__rxor__" BitXor;
    "__lshift__" "__rlshift__" LShift;
    "__rshift__" "__rrshift__" RShift;
};

static SET: Table = operators! {
    "__and__" "__rand__" BitAnd;
    "__or__" "__ror__" BitOr;
    "__xor__" "__rxor__" BitXor;
    "__sub__" "__rsub__" Sub;
};

static SEQUENCE: Table = operators! {
    "__add__" "__radd__" Add;
    "__mul__" "__rmul__" Mult;
    "__mod__" "__rmod__" Mod;
};

static CONTAINER: Table = &[
    own("__len__").zero(|p, x| builtins::len(p, x.plain())),
    own("__contains__").one(|p, x, item| Ok(ScriptValue::Bool(compare::contains(p, x.plain(), &item)?))),
    own("__iter__").zero(|p, x| Ok(IterObject::value("iterator", p.iterate(x.plain())?))),
    own("__getitem__").one(|p, x, key| subscript::get(p, x.plain(), &key)),
];

static MUTABLE: Table = &[
    own("__setitem__").two(|p, x, key, value| {
        subscript::set(p, x.plain(), key, value)?;
        Ok(ScriptValue::None)
    }),
    own("__delitem__").one(|p, x, key| {
        subscript::delete(p, x.plain(), &key)?;
        Ok(ScriptValue::None)
    }),
];

/// Methods of all built-in types that classes can extend.
static TEXT: Table = &[
    own("__new__").any(object_new),
    own("__init__").any(native_init),
    own("__eq__").one(|p, x, other| operate(p, Operator::Compare(CmpOp::Eq), x, other)),
    own("__ne__").one(|p, x, other| operate(p, Operator::Compare(CmpOp::NotEq), x, other)),
    own("__repr__").zero(|p, x| {
        let text = repr::repr(p, x.plain())?;
        cost::text(p.state, &text)
    }),
    own("__str__").zero(|p, x| {
        let text = repr::str(p, x.plain())?;
        cost::text(p.state, &text)
    }),
    own("__format__").one(|p, x, spec| {
        let text = format::format(p, x.plain(), spec.as_str().unwrap_or_default())?;
        cost::text(p.state, &text)
    }),
    own("__hash__").zero(|p, x| builtins::hash(p, x.plain().clone())),
    own("__bool__").zero(|p, x| Ok(ScriptValue::Bool(p.truth(x.plain())?))),
    own("__neg__").zero(|p, x| p.apply(Operator::Unary(UnaryOp::USub), &[x.plain().clone()])),
    own("__pos__").zero(|p, x| p.apply(Operator::Unary(UnaryOp::UAdd), &[x.plain().clone()])),
    own("__abs__").zero(|p, x| builtins::abs(p, x.plain())),
];

static EXCEPTION: Table = &[
    own("__init__").any(exception::init),
    own("__str__").zero(|p, x| {
        let text = exception::text(p, x)?.unwrap_or_default();
        cost::text(p.state, &text)
    }),
    own("__repr__").zero(|p, x| {
        let text = repr::repr_of_exception(p, x)?;
        cost::text(p.state, &text)
    }),
];

static OBJECT: Table = &[
    own("__new__").any(object_new),
    own("__init__").any(object_init),
    own("__init_subclass__").any(init_subclass),
    own("__getattribute__").one(|p, x, name| {
        let Some(instance) = x.as_host::<Instance>() else { return Err(missing(x, "__getattribute__")) };
        let name = attribute_name(&name)?;
        match p.plain_attribute(x, instance, &name)? {
            Some(value) => Ok(value),
            None => Err(missing(x, &name)),
        }
    }),
    own("__setattr__").two(|p, x, name, value| {
        let Some(instance) = x.as_host::<Instance>() else { return Err(missing(x, "__setattr__")) };
        p.set_plain(x, instance, &attribute_name(&name)?, value)?;
        Ok(ScriptValue::None)
    }),
    own("__delattr__").one(|p, x, name| {
        let Some(instance) = x.as_host::<Instance>() else { return Err(missing(x, "__delattr__")) };
        p.delete_plain(x, instance, &attribute_name(&name)?)?;
        Ok(ScriptValue::None)
    }),
    own("__eq__").one(|_, x, other| {
        Ok(match compare::identical(x, &other) {
            true => ScriptValue::Bool(true),
            false => not_implemented(),
        })
    }),
    own("__ne__").one(|p, x, other| match p.special_compare(CmpOp::Eq, x, &other)? {
        ScriptValue::Bool(equal) => Ok(ScriptValue::Bool(!equal)),
        other => Ok(ScriptValue::Bool(!p.truth(&other)?)),
    }),
    own("__hash__").zero(|p, x| builtins::hash(p, x.clone())),
    own("__repr__").zero(|p, x| cost::text(p.state, &default_repr(x))),
    own("__str__").zero(|p, x| {
        let text = repr::repr(p, x)?;
        cost::text(p.state, &text)
    }),
    own("__format__").one(|p, x, spec| {
        if spec.as_str().is_some_and(|spec| !spec.is_empty()) {
            return Err(wrong_type!("unsupported format string passed to {}.__format__", x).into());
        }
        let text = repr::str(p, x)?;
        cost::text(p.state, &text)
    }),
];

fn attribute_name(name: &ScriptValue) -> Result<Str, Raise> {
    match name.plain() {
        ScriptValue::Str(name) => Ok(name.clone()),
        other => Err(wrong_type!("attribute name must be string, not '{}'", other).into()),
    }
}

/// The text of an instance whose class does not define `__repr__`. CPython adds the address.
pub(crate) fn default_repr(value: &ScriptValue) -> String {
    match value.as_host::<Instance>().and_then(Instance::class) {
        Some(class) => format!("<{}.{} object>", module_of(class), class.qualified_name()),
        None => format!("<{} object>", type_name(value)),
    }
}

pub(crate) fn module_of(class: &ClassObject) -> String {
    match class.own("__module__") {
        Some(ScriptValue::Str(module)) => module.to_string(),
        _ => "__main__".to_owned(),
    }
}

/// `object.__new__(cls)`, and `__new__` of built-in types, which also takes the value.
fn object_new(p: &mut Eval<'_>, class: &ScriptValue, args: CallArgs) -> Outcome {
    let Some(object) = class.as_host::<ClassObject>() else {
        return match class.as_host::<Builtin>() {
            Some(builtin) if builtin.is_type() => p.call_value(class, args),
            _ => Err(wrong_type!("object.__new__(X): X is not a type object ({})", class).into()),
        };
    };
    if !object.abstracts.is_empty() {
        let plural = if object.abstracts.len() == 1 { "" } else { "s" };
        let mut names: Vec<&str> = object.abstracts.iter().map(Str::as_str).collect();
        names.sort_unstable();
        raise!(
            Type,
            "Can't instantiate abstract class {} with abstract method{plural} {}",
            object.name,
            names.join(", ")
        );
    }
    p.state.program.budget.allocate(2 * cost::OBJECT_BYTES)?;
    if exception::is_class(class) {
        return Ok(Instance::exception(class.clone(), ExceptionState::new(args.positional)));
    }
    let payload = match object.layout {
        // Mutable values are filled by `__init__`.
        Some(layout @ ("list" | "set")) => match builtins::class(layout) {
            Some(builtin) => Some(p.call_value(&builtin, CallArgs::default())?),
            None => None,
        },
        Some(layout) => match builtins::class(layout) {
            Some(builtin) => Some(p.call_value(&builtin, args)?),
            None => None,
        },
        None => {
            let has_args = !args.positional.is_empty() || !args.keywords.is_empty();
            let is_native =
                |name: &str| lookup(class, name).is_some_and(|method| method.as_host::<Builtin>().is_some());
            if has_args && !object.is_known() {
                return Err(unknown(p.state, object));
            }
            if has_args && is_native("__init__") {
                raise!(Type, "{}() takes no arguments", object.name);
            }
            if has_args && !is_native("__new__") {
                raise!(Type, "object.__new__() takes exactly one argument (the type to instantiate)");
            }
            None
        }
    };
    let instance = Instance::new(class.clone(), payload);
    Ok(ScriptValue::host(instance))
}

/// `object.__init__(self)`
fn object_init(_: &mut Eval<'_>, instance: &ScriptValue, args: CallArgs) -> Outcome {
    let Some(own) = instance.as_host::<Instance>() else { return Ok(ScriptValue::None) };
    if own.payload().is_some() {
        // `__new__` of the built-in type took the arguments.
        return Ok(ScriptValue::None);
    }
    let is_native =
        |name: &str| lookup(&own.class, name).is_some_and(|method| method.as_host::<Builtin>().is_some());
    if (!args.positional.is_empty() || !args.keywords.is_empty())
        && (!is_native("__init__") || is_native("__new__"))
    {
        match is_native("__init__") {
            true => raise!(Type, "{}() takes no arguments", type_name(instance)),
            false => {
                raise!(Type, "object.__init__() takes exactly one argument (the instance to initialize)")
            }
        }
    }
    Ok(ScriptValue::None)
}

/// `__init__` of built-in types: fills mutable values.
fn native_init(p: &mut Eval<'_>, instance: &ScriptValue, args: CallArgs) -> Outcome {
    match instance.plain() {
        payload @ ScriptValue::List(items) => {
            let new = match args.positional.as_slice() {
                [] => Vec::new(),
                [one] => p.collect_values(one)?,
                more => raise!(Type, "list expected at most 1 argument, got {}", more.len()),
            };
            new.iter().try_for_each(|item| p.state.program.keep_container(payload, item))?;
            **items.borrow_mut() = new;
        }
        payload => {
            if let (Some(set), [items]) =
                (payload.as_host::<crate::python::set::Set>(), args.positional.as_slice())
                && !set.frozen
            {
                let items = p.collect_values(items)?;
                let keys = crate::python::set::keys(p, items)?;
                *set.items.borrow_mut() = keys;
            }
        }
    }
    Ok(ScriptValue::None)
}

fn init_subclass(_: &mut Eval<'_>, class: &ScriptValue, args: CallArgs) -> Outcome {
    if args.positional.is_empty() && args.keywords.is_empty() {
        return Ok(ScriptValue::None);
    }
    let name = class.as_host::<ClassObject>().map_or("object", |class| class.name.as_str());
    raise!(Type, "{name}.__init_subclass__() takes no keyword arguments")
}
