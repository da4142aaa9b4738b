//! `functools`.

use std::cell::RefCell;

use indexmap::IndexMap;
use tvmscript_python_syntax::ast::CmpOp;
use tvmscript_script_value::{CallArgs, DictKey, HostObject, ScriptValue, release};

use super::{Constant, Library};
use crate::Eval;
use crate::errors::HostError;
use crate::eval::Raise;
use crate::host::Operator;
use crate::python::builtins::{Table, is_callable, linear, own};
use crate::python::number::small_index;
use crate::python::object::{LibraryObject, Protocol, cast};
use crate::python::{Outcome, cost, repr, type_name};

pub(super) static FUNCTOOLS: Library = Library {
    path: "functools",
    functions: FUNCTIONS,
    types: &[&[linear("partial").any(partial)]],
    constants: &[
        (
            "WRAPPER_ASSIGNMENTS",
            Constant::Names(&["__module__", "__name__", "__qualname__", "__doc__", "__annotations__"]),
        ),
        ("WRAPPER_UPDATES", Constant::Names(&["__dict__"])),
    ],
    missing: "GenericAlias RLock cached_property get_cache_token namedtuple partialmethod recursive_repr singledispatch singledispatchmethod \
        total_ordering",
    ..Library::EMPTY
};

static FUNCTIONS: Table = &[
    own("cache").one(|p, _, function| cached(p, function, None, false)).with_keywords(&["user_function"]),
    own("cmp_to_key")
        .one(|_, _, function| Ok(LibraryObject::value(CompareKey { function })))
        .with_keywords(&["mycmp"]),
    own("lru_cache").zero_to_two(lru_cache).with_keywords(&["maxsize", "typed"]),
    linear("reduce").two_or_three(reduce),
    own("update_wrapper").any(|p, _, a| match a.positional.as_slice() {
        [wrapper, wrapped, ..] => update_wrapper(p, wrapper, wrapped),
        other => raise!(Type, "update_wrapper() missing {} required positional arguments", 2 - other.len()),
    }),
    own("wraps").any(|_, _, a| match a.positional.as_slice() {
        [wrapped, ..] => Ok(LibraryObject::value(Wraps { wrapped: wrapped.clone() })),
        [] => raise!(Type, "wraps() missing 1 required positional argument: 'wrapped'"),
    }),
];

/// `functools.partial(function, ..)`.
pub(crate) struct Partial {
    pub(crate) function: ScriptValue,
    args: CallArgs,
}

impl HostObject for Partial {
    fn type_name(&self) -> &str {
        "functools.partial"
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        partial_attribute(name, &self.function, &self.args)
    }
    fn attribute_names(&self) -> Vec<String> {
        ["args", "func", "keywords"].map(str::to_owned).to_vec()
    }
}

/// An attribute of a function with arguments that are given already.
pub(super) fn partial_attribute(name: &str, function: &ScriptValue, args: &CallArgs) -> Option<ScriptValue> {
    match name {
        "func" => Some(function.clone()),
        "args" => Some(ScriptValue::tuple(args.positional.iter().cloned())),
        "keywords" => {
            let entries = args.keywords.iter();
            let entries = entries.map(|(key, value)| (DictKey::text(key.clone()), value.clone()));
            Some(ScriptValue::dict(entries))
        }
        _ => None,
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        let CallArgs { positional, keywords } = std::mem::take(&mut self.args);
        let values = positional.into_iter().chain(keywords.into_iter().map(|(_, value)| value));
        release(values.chain([std::mem::take(&mut self.function)]));
    }
}

impl Partial {
    /// Its arguments combined with those of a call.
    pub(crate) fn arguments(&self, args: CallArgs) -> CallArgs {
        let CallArgs { mut positional, mut keywords } = self.args.clone();
        positional.extend(args.positional);
        for (key, value) in args.keywords {
            match keywords.iter_mut().find(|(known, _)| *known == key) {
                Some((_, known)) => *known = value,
                None => keywords.push((key, value)),
            }
        }
        CallArgs { positional, keywords }
    }
}

pub(super) fn partial(p: &mut Eval<'_>, _: &ScriptValue, mut a: CallArgs) -> Outcome {
    if a.positional.is_empty() {
        raise!(Type, "type 'partial' takes at least one argument");
    }
    let function = a.positional.remove(0);
    if !is_callable(p, &function) {
        raise!(Type, "the first argument must be callable");
    }
    // As in Python, nested partial functions are flattened.
    if let Some(inner) = function.as_host::<Partial>() {
        cost::values(p.state, inner.args.positional.len() + 2 * inner.args.keywords.len())?;
        let args = inner.arguments(a);
        return Ok(ScriptValue::host(Partial { function: inner.function.clone(), args }));
    }
    Ok(ScriptValue::host(Partial { function, args: a }))
}

fn reduce(
    p: &mut Eval<'_>,
    _: &ScriptValue,
    function: ScriptValue,
    items: ScriptValue,
    initial: Option<ScriptValue>,
) -> Outcome {
    let mut iter = p.iterate(&items).map_err(|raise| {
        crate::python::builtins::instead_of_type_error(raise, || {
            HostError::type_error("reduce() arg 2 must support iteration")
        })
    })?;
    let mut value = match initial {
        Some(initial) => initial,
        None => match p.next(&mut iter)? {
            Some(first) => first,
            None => {
                raise!(Type, "reduce() of empty iterable with no initial value");
            }
        },
    };
    while let Some(next) = p.next(&mut iter)? {
        value = p.call_value(&function, CallArgs::positional([value, next]))?;
    }
    Ok(value)
}

/// The function that `lru_cache(..)` returns.
struct CacheDecorator {
    limit: Option<usize>,
    typed: bool,
}

impl Protocol for CacheDecorator {
    fn class(&self) -> &'static str {
        "function"
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, p: &mut Eval<'_>, _: &ScriptValue, args: CallArgs) -> Outcome {
        match args.positional.as_slice() {
            [function] => cached(p, function.clone(), self.limit, self.typed),
            _ => raise!(Type, "lru_cache.<locals>.decorating_function() takes 1 positional argument"),
        }
    }
}

fn lru_cache(
    p: &mut Eval<'_>,
    _: &ScriptValue,
    limit: Option<ScriptValue>,
    typed: Option<ScriptValue>,
) -> Outcome {
    let typed = typed.map_or(Ok(false), |typed| p.truth(&typed))?;
    let limit = match limit {
        None => Some(128),
        Some(ScriptValue::None) => None,
        Some(limit) => match small_index(&limit) {
            Some(limit) => Some(usize::try_from(limit).unwrap_or(0)),
            None if is_callable(p, &limit) => return cached(p, limit, Some(128), typed),
            None => raise!(Type, "Expected first argument to be an integer, a callable, or None"),
        },
    };
    Ok(LibraryObject::value(CacheDecorator { limit, typed }))
}

/// A function with a cache of its results, the least recently used first.
struct Cached {
    function: ScriptValue,
    limit: Option<usize>,
    typed: bool,
    results: RefCell<IndexMap<DictKey, ScriptValue>>,
}

fn cached(p: &mut Eval<'_>, function: ScriptValue, limit: Option<usize>, typed: bool) -> Outcome {
    if !is_callable(p, &function) {
        raise!(Type, "the first argument must be callable");
    }
    let results = RefCell::default();
    Ok(LibraryObject::value(Cached { function, limit, typed, results }))
}

impl Protocol for Cached {
    fn class(&self) -> &'static str {
        "functools._lru_cache_wrapper"
    }
    fn methods(&self) -> Table {
        CACHED
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.push(std::mem::take(&mut self.function));
        out.extend(
            std::mem::take(self.results.get_mut()).into_iter().flat_map(|(key, value)| [key.0, value]),
        );
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        match (name, &self.function) {
            ("__wrapped__", function) => Some(function.clone()),
            ("__name__" | "__qualname__" | "__doc__" | "__module__", ScriptValue::Host(host)) => {
                host.attribute(name)
            }
            _ => None,
        }
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, p: &mut Eval<'_>, _: &ScriptValue, args: CallArgs) -> Outcome {
        let mut parts: Vec<ScriptValue> = args.positional.to_vec();
        if !args.keywords.is_empty() {
            parts.push(ScriptValue::Ellipsis);
            parts.extend(
                args.keywords.iter().flat_map(|(key, value)| [ScriptValue::Str(key.clone()), value.clone()]),
            );
        }
        if self.typed {
            let types: Vec<ScriptValue> =
                parts.iter().map(|part| ScriptValue::str(&type_name(part))).collect();
            parts.extend(types);
        }
        let key = p.hashable(ScriptValue::tuple(parts))?;
        let found = self.results.borrow().get_full(&key).map(|(at, _, value)| (at, value.clone()));
        if let Some((at, value)) = found {
            if self.limit.is_some() {
                let mut results = self.results.borrow_mut();
                cost::removal(p.state, results.len())?;
                let last = results.len() - 1;
                results.move_index(at, last);
            }
            return Ok(value);
        }
        let value = p.call_value(&self.function, args)?;
        if self.limit != Some(0) {
            p.state.program.budget.allocate(cost::ENTRY_BYTES)?;
            let mut results = self.results.borrow_mut();
            results.insert(key, value.clone());
            if self.limit.is_some_and(|limit| results.len() > limit) {
                cost::removal(p.state, results.len())?;
                let old = results.shift_remove_index(0);
                drop(results);
                drop(old);
            }
        }
        Ok(value)
    }
    fn write(&self, p: &mut Eval<'_>, out: &mut String, open: &mut Vec<*const ()>) -> Result<(), Raise> {
        repr::write(p, &self.function, out, open)
    }
}

static CACHED: Table = &[own("cache_clear").zero(|_, v| {
    let Some(cached) = cast::<Cached>(v) else { return Ok(ScriptValue::None) };
    let old = std::mem::take(&mut *cached.results.borrow_mut());
    drop(old);
    Ok(ScriptValue::None)
})];

/// The function that `cmp_to_key` returns.
struct CompareKey {
    function: ScriptValue,
}

impl Protocol for CompareKey {
    fn class(&self) -> &'static str {
        "functools.KeyWrapper"
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.push(std::mem::take(&mut self.function));
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, _: &mut Eval<'_>, _: &ScriptValue, args: CallArgs) -> Outcome {
        match args.positional.into_vec().as_slice() {
            [value] => {
                Ok(LibraryObject::value(Compared { function: self.function.clone(), value: value.clone() }))
            }
            _ => raise!(Type, "K() missing required argument 'obj' (pos 1)"),
        }
    }
}

/// A key that compares by a function.
struct Compared {
    function: ScriptValue,
    value: ScriptValue,
}

impl Protocol for Compared {
    fn class(&self) -> &'static str {
        "functools.KeyWrapper"
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.extend([&mut self.function, &mut self.value].map(std::mem::take));
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        (name == "obj").then(|| self.value.clone())
    }
    fn operate(
        &self,
        p: &mut Eval<'_>,
        operator: Operator,
        operands: &[ScriptValue],
    ) -> Result<Option<ScriptValue>, Raise> {
        let (Operator::Compare(op), [a, b]) = (operator, operands) else { return Ok(None) };
        if matches!(op, CmpOp::Is | CmpOp::IsNot | CmpOp::In | CmpOp::NotIn) {
            return Ok(None);
        }
        let (Some(a), Some(b)) = (cast::<Compared>(a), cast::<Compared>(b)) else {
            raise!(Type, "other argument must be K instance");
        };
        let order = p.call_value(&self.function, CallArgs::positional([a.value.clone(), b.value.clone()]))?;
        p.apply(operator, &[order, ScriptValue::Int(0)]).map(Some)
    }
}

/// The function that `wraps(..)` returns.
struct Wraps {
    wrapped: ScriptValue,
}

impl Protocol for Wraps {
    fn class(&self) -> &'static str {
        "functools.partial"
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.push(std::mem::take(&mut self.wrapped));
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, p: &mut Eval<'_>, _: &ScriptValue, args: CallArgs) -> Outcome {
        match args.positional.as_slice() {
            [wrapper] => update_wrapper(p, wrapper, &self.wrapped),
            _ => raise!(Type, "update_wrapper() missing 1 required positional argument: 'wrapper'"),
        }
    }
}

/// Copies the name and documentation of a function to its wrapper.
fn update_wrapper(p: &mut Eval<'_>, wrapper: &ScriptValue, wrapped: &ScriptValue) -> Outcome {
    for name in ["__module__", "__name__", "__qualname__", "__doc__"] {
        if let Some(value) = p.find_attribute(wrapped, name)? {
            p.set_function_attribute(wrapper, name, Some(value))?;
        }
    }
    p.set_function_attribute(wrapper, "__wrapped__", Some(wrapped.clone()))?;
    Ok(wrapper.clone())
}
