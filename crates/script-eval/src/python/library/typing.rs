//! `typing` and `collections.abc`: names for annotations, which can be subscripted.

use tvmscript_python_syntax::ast::{BinOp, CmpOp};
use tvmscript_script_value::{CallArgs, Hashing, ScriptValue};

use super::{Constant, Library, abstract_classes};
use crate::Eval;
use crate::eval::Raise;
use crate::eval::class::ClassObject;
use crate::host::Operator;
use crate::python::builtins::{Builtin, Table, own};
use crate::python::object::{LibraryObject, Protocol, cast};
use crate::python::{Outcome, repr};

pub(super) static TYPING: Library = Library {
    path: "typing",
    functions: FUNCTIONS,
    constants: &[("TYPE_CHECKING", Constant::Bool(false))],
    forms: "AbstractSet Annotated Any AnyStr AsyncContextManager AsyncGenerator AsyncIterable AsyncIterator Awaitable \
        BinaryIO ByteString Callable ChainMap ClassVar Collection Concatenate Container ContextManager Coroutine \
        Counter DefaultDict Deque Dict Final FrozenSet Generator Hashable IO ItemsView Iterable Iterator KeysView \
        List Literal LiteralString Mapping MappingView Match MutableMapping MutableSequence MutableSet Never \
        NoReturn NotRequired Optional OrderedDict ParamSpecArgs ParamSpecKwargs Pattern Required Reversible Self \
        Sequence Set Sized SupportsAbs SupportsBytes SupportsComplex SupportsFloat SupportsIndex SupportsInt \
        SupportsRound Text TextIO Tuple Type TypeAlias TypeGuard Union Unpack ValuesView",
    missing: "ForwardRef Generic NamedTuple Protocol TypedDict get_args get_origin get_type_hints get_overloads \
        clear_overloads is_typeddict dataclass_transform assert_type assert_never reveal_type",
    ..Library::EMPTY
};

pub(super) static TYPING_EXTENSIONS: Library = Library {
    path: "typing_extensions",
    functions: FUNCTIONS,
    constants: &[("TYPE_CHECKING", Constant::Bool(false))],
    forms: "Annotated Any Callable ClassVar Concatenate Final Literal LiteralString Never NotRequired Required Self \
        TypeAlias TypeGuard Unpack override",
    missing: "NamedTuple Protocol TypedDict Generic Buffer ReadOnly TypeAliasType deprecated get_type_hints Sentinel \
        runtime TypeIs TypeForm get_args get_origin Doc NoDefault evaluate_forward_ref SupportsIndex",
    ..Library::EMPTY
};

pub(super) static ABSTRACT: Library = Library {
    path: "collections.abc",
    forms: "AsyncGenerator AsyncIterable AsyncIterator Awaitable ByteString Callable Collection Container Coroutine \
        Generator Hashable ItemsView Iterable Iterator KeysView Mapping MappingView MutableMapping MutableSequence \
        MutableSet Reversible Sequence Set Sized ValuesView",
    ..Library::EMPTY
};

static FUNCTIONS: Table = &[
    own("cast").two(|_, _, _, value| Ok(value)).with_keywords(&["typ", "val"]),
    own("overload").one(|_, _, function| Ok(function)),
    own("no_type_check").one(|_, _, function| Ok(function)),
    own("final").one(|_, _, function| Ok(function)),
    own("runtime_checkable").one(|_, _, class| Ok(class)),
    own("NewType")
        .two(|_, _, name, base| Ok(LibraryObject::value(NewType { name, base })))
        .with_keywords(&["name", "tp"]),
    own("TypeVar").any(variable),
    own("ParamSpec").any(variable),
    own("TypeVarTuple").any(variable),
];

/// A name of the module, such as `Optional`, or a parameterized one.
struct Form {
    module: &'static str,
    name: &'static str,
    args: Option<ScriptValue>,
}

/// The value of a name for annotations.
pub(super) fn form(module: &'static str, name: &'static str) -> ScriptValue {
    LibraryObject::value(Form { module, name, args: None })
}

impl Form {
    /// Names of built-in types whose instances are instances of the form.
    fn classes(&self) -> Option<&'static [&'static str]> {
        Some(match self.name {
            "List" => &["list"],
            "Dict" => &["dict"],
            "Tuple" => &["tuple"],
            "Set" if self.module == "typing" => &["set"],
            "FrozenSet" => &["frozenset"],
            "Text" => &["str"],
            _ => return None,
        })
    }
}

impl Protocol for Form {
    fn class(&self) -> &'static str {
        "typing._SpecialForm"
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.extend(self.args.take());
    }
    fn get(
        &self,
        p: &mut Eval<'_>,
        _: &ScriptValue,
        key: &ScriptValue,
    ) -> Result<Option<ScriptValue>, Raise> {
        p.state.program.budget.step(1)?;
        Ok(Some(LibraryObject::value(Form { args: Some(key.clone()), ..*self })))
    }
    fn operate(
        &self,
        _: &mut Eval<'_>,
        operator: Operator,
        operands: &[ScriptValue],
    ) -> Result<Option<ScriptValue>, Raise> {
        Ok(union(operator, operands))
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        match name {
            "__name__" | "_name" => Some(ScriptValue::str(self.name)),
            "__module__" => Some(ScriptValue::str(self.module)),
            "__args__" => Some(match &self.args {
                Some(args @ ScriptValue::Tuple(_)) => args.clone(),
                args => ScriptValue::tuple(args.clone()),
            }),
            _ => None,
        }
    }
    fn is_class_of(&self, p: &mut Eval<'_>, value: &ScriptValue) -> Option<Result<bool, Raise>> {
        match self.name {
            "Any" => return None,
            "Callable" => return Some(Ok(crate::python::builtins::is_callable(p, value))),
            _ => {}
        }
        if let Some(name) = abstract_name_of(self) {
            return is_abstract_instance(p, value, name).map(Ok);
        }
        let own = crate::python::type_name(value);
        Some(Ok(self.classes()?.contains(&own.as_str())))
    }
    fn write(&self, p: &mut Eval<'_>, out: &mut String, open: &mut Vec<*const ()>) -> Result<(), Raise> {
        let name = format!("{}.{}", self.module, self.name);
        let Some(args) = &self.args else {
            let is_class = self.module == ABSTRACT.path;
            out.push_str(&if is_class { format!("<class '{name}'>") } else { name });
            return Ok(());
        };
        out.push_str(&name);
        out.push('[');
        match args {
            ScriptValue::Tuple(items) => {
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { ", " } else { "" });
                    argument(p, item, out, open)?;
                }
            }
            other => argument(p, other, out, open)?,
        }
        out.push(']');
        Ok(())
    }
}

/// The abstract class of `collections.abc` that a form stands for.
fn abstract_name_of(form: &Form) -> Option<&'static str> {
    match form.name {
        "Set" if form.module == "typing" => None,
        "AbstractSet" => Some("Set"),
        name => abstract_classes::is_known(name).then_some(name),
    }
}

/// The abstract class that a value is.
fn abstract_name(value: &ScriptValue) -> Option<&'static str> {
    cast::<Form>(value).and_then(abstract_name_of)
}

/// Tests whether a class is a subclass of an abstract one; `None` if `of` is none, or that is not known.
pub(crate) fn is_abstract_subclass(class: &ScriptValue, of: &ScriptValue) -> Option<bool> {
    abstract_classes::is_subclass(class, abstract_name(of)?)
}

/// Tests whether a value is an instance of the abstract class of a name; `None` if that is not known.
pub(crate) fn is_abstract_instance(p: &mut Eval<'_>, value: &ScriptValue, name: &str) -> Option<bool> {
    if name == "Callable" {
        return Some(crate::python::builtins::is_callable(p, value));
    }
    match p.class_of(value).filter(|class| class.as_host::<ClassObject>().is_some()) {
        Some(class) => abstract_classes::is_subclass(&class, name),
        None => Some(abstract_classes::is_builtin_of(&crate::python::type_name(value), name)),
    }
}

/// Tests for the classes of `collections.abc`, under any of their names.
pub(crate) fn is_abstract_class(value: &ScriptValue) -> bool {
    abstract_name(value).is_some()
}

/// The class that a form stands for as a base class: `typing.List[int]`.
pub(crate) fn class_of_form(form: &ScriptValue) -> Option<ScriptValue> {
    match cast::<Form>(form)?.classes() {
        Some([name]) => crate::python::builtins::class(name),
        _ => None,
    }
}

/// Writes an argument of a parameterized form: a type is its name.
fn argument(
    p: &mut Eval<'_>,
    value: &ScriptValue,
    out: &mut String,
    open: &mut Vec<*const ()>,
) -> Result<(), Raise> {
    if let Some(name) = type_name_of(value) {
        out.push_str(name);
        return Ok(());
    }
    match value {
        ScriptValue::Ellipsis => {
            out.push_str("...");
            Ok(())
        }
        ScriptValue::None => {
            out.push_str("NoneType");
            Ok(())
        }
        ScriptValue::List(items) => {
            let items = items.borrow().to_vec();
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                tvmscript_ir_core::with_stack(|| argument(p, item, out, open))?;
            }
            out.push(']');
            Ok(())
        }
        other => repr::write(p, other, out, open),
    }
}

fn type_name_of(value: &ScriptValue) -> Option<&'static str> {
    let builtin = value.as_host::<Builtin>().filter(|builtin| builtin.is_type())?;
    Some(builtin.native.name)
}

/// `A | B` of forms.
fn union(operator: Operator, operands: &[ScriptValue]) -> Option<ScriptValue> {
    match operator {
        Operator::Binary(BinOp::BitOr) => {
            let args = Some(ScriptValue::tuple(operands.iter().cloned()));
            Some(LibraryObject::value(Form { module: "typing", name: "Union", args }))
        }
        Operator::Compare(op @ (CmpOp::Eq | CmpOp::NotEq)) => {
            let [a, b] = operands else { return None };
            let (Some(x), Some(y)) = (cast::<Form>(a), cast::<Form>(b)) else { return None };
            let keys = [&x.args, &y.args]
                .map(|args| tvmscript_script_value::DictKey::new(args.clone().unwrap_or_default()).ok());
            let [Some(first), Some(second)] = keys else { return None };
            let is_equal = x.name == y.name && x.module == y.module && first == second;
            Some(ScriptValue::Bool(is_equal == (op == CmpOp::Eq)))
        }
        _ => None,
    }
}

/// `TypeVar("T")`
struct Variable {
    name: ScriptValue,
}

/// A type variable, as `TypeVar("T")` makes it.
pub fn type_variable(name: &str) -> ScriptValue {
    LibraryObject::value(Variable { name: ScriptValue::Str(name.into()) })
}

fn variable(_: &mut Eval<'_>, _: &ScriptValue, a: CallArgs) -> Outcome {
    match a.positional.first() {
        Some(name @ ScriptValue::Str(_)) => Ok(LibraryObject::value(Variable { name: name.clone() })),
        _ => raise!(Type, "TypeVar() missing 1 required positional argument: 'name'"),
    }
}

impl Protocol for Variable {
    fn class(&self) -> &'static str {
        "TypeVar"
    }
    fn get(
        &self,
        _: &mut Eval<'_>,
        this: &ScriptValue,
        _: &ScriptValue,
    ) -> Result<Option<ScriptValue>, Raise> {
        Ok(Some(this.clone()))
    }
    fn operate(
        &self,
        _: &mut Eval<'_>,
        operator: Operator,
        operands: &[ScriptValue],
    ) -> Result<Option<ScriptValue>, Raise> {
        Ok(union(operator, operands))
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        matches!(name, "__name__" | "args" | "kwargs").then(|| self.name.clone())
    }
    fn write(&self, _: &mut Eval<'_>, out: &mut String, _: &mut Vec<*const ()>) -> Result<(), Raise> {
        out.push_str(&format!("~{}", self.name.as_str().unwrap_or_default()));
        Ok(())
    }
}

/// `NewType("Name", base)`: calling it returns the argument.
struct NewType {
    name: ScriptValue,
    base: ScriptValue,
}

impl Protocol for NewType {
    fn class(&self) -> &'static str {
        "NewType"
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.push(std::mem::take(&mut self.base));
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        match name {
            "__name__" => Some(self.name.clone()),
            "__supertype__" => Some(self.base.clone()),
            _ => None,
        }
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, _: &mut Eval<'_>, _: &ScriptValue, args: CallArgs) -> Outcome {
        match args.positional.into_vec().into_iter().next() {
            Some(value) => Ok(value),
            None => raise!(Type, "NewType.__call__() missing 1 required positional argument: 'x'"),
        }
    }
    fn hashing(&self) -> Hashing {
        Hashing::Identity
    }
}
