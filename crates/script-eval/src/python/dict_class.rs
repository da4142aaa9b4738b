//! Subclasses of `dict` from `collections`: `OrderedDict`, `defaultdict` and `Counter`.
//!
//! Their values are dictionaries with a class ([`Dict::class`]), so that everything that takes a dictionary takes them.

use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_python_syntax::ast::BinOp;
use tvmscript_script_value::{CallArgs, Dict, DictKey, HostObject, ScriptValue, release};

use super::builtins::{self, Table, linear, not_none, own};
use super::number::word;
use super::{compare, cost, repr, set, sort};
use crate::Eval;
use crate::errors::EvalErrorKind;
use crate::eval::{Raise, exception};
use crate::host::Operator;

type DictRef = Rc<RefCell<Dict>>;

/// A subclass of `dict`.
#[derive(Clone)]
pub(crate) enum DictClass {
    Ordered,
    Counter,
    /// The function that makes missing values, or `None`.
    Default(ScriptValue),
}

impl HostObject for DictClass {
    fn type_name(&self) -> &str {
        match self {
            DictClass::Ordered => "collections.OrderedDict",
            DictClass::Counter => "Counter",
            DictClass::Default(_) => "collections.defaultdict",
        }
    }
}

impl Drop for DictClass {
    fn drop(&mut self) {
        if let DictClass::Default(factory) = self {
            release([std::mem::take(factory)]);
        }
    }
}

/// The class of a dictionary; `None` for plain ones.
pub(crate) fn of(dict: &Dict) -> Option<DictClass> {
    dict.class()?.as_any().downcast_ref::<DictClass>().cloned()
}

fn classed(dict: Dict, class: DictClass) -> ScriptValue {
    ScriptValue::Dict(Rc::new(RefCell::new(dict.with_class(Some(Rc::new(class))))))
}

pub(crate) fn is_counter(value: &ScriptValue) -> bool {
    matches!(value, ScriptValue::Dict(dict) if matches!(of(&dict.borrow()), Some(DictClass::Counter)))
}

/// The methods that a class adds to those of `dict`, or replaces.
pub(crate) fn methods(dict: &Dict) -> Table {
    match of(dict) {
        Some(DictClass::Ordered) => ORDERED,
        Some(DictClass::Counter) => COUNTER,
        Some(DictClass::Default(_)) | None => &[],
    }
}

/// An attribute that is not a method.
pub(crate) fn attribute(dict: &Dict, name: &str) -> Option<ScriptValue> {
    match &of(dict)? {
        DictClass::Default(factory) if name == "default_factory" => Some(factory.clone()),
        _ => None,
    }
}

/// The value for a missing key.
pub(crate) fn missing(
    p: &mut Eval<'_>,
    base: &ScriptValue,
    key: &ScriptValue,
) -> Result<Option<ScriptValue>, Raise> {
    let ScriptValue::Dict(dict) = base else { return Ok(None) };
    let class = of(&dict.borrow());
    match class {
        Some(DictClass::Counter) => Ok(Some(ScriptValue::Int(0))),
        Some(DictClass::Default(ref factory)) if !matches!(factory, ScriptValue::None) => {
            let value = p.call_value(factory, CallArgs::default())?;
            super::subscript::set(p, base, key.clone(), value.clone())?;
            Ok(Some(value))
        }
        _ => Ok(None),
    }
}

/// The classes as types of `collections`.
pub(crate) static TYPES: Table = &[
    own("OrderedDict").any(|p, _, a| {
        let mut dict = Dict::new();
        updated(p, "OrderedDict", &mut dict, a)?;
        Ok(classed(dict, DictClass::Ordered))
    }),
    own("defaultdict").any(|p, _, mut a| {
        let factory = if a.positional.is_empty() { ScriptValue::None } else { a.positional.remove(0) };
        let is_callable = builtins::is_callable(p, &factory);
        if !matches!(factory, ScriptValue::None) && !is_callable {
            raise!(Type, "first argument must be callable or None");
        }
        let mut dict = Dict::new();
        updated(p, "defaultdict", &mut dict, a)?;
        Ok(classed(dict, DictClass::Default(factory)))
    }),
    own("Counter").any(|p, _, a| {
        let counter = classed(Dict::new(), DictClass::Counter);
        count(p, &counter, a)?;
        Ok(counter)
    }),
];

/// Inserts the entries of `dict(..)`.
fn updated(p: &mut Eval<'_>, name: &str, dict: &mut Dict, a: CallArgs) -> Result<(), Raise> {
    if a.positional.len() > 1 {
        raise!(Type, "{name} expected at most 1 argument, got {}", a.positional.len());
    }
    for from in &a.positional {
        builtins::fill(p, dict, from)?;
    }
    for (key, value) in a.keywords {
        dict.insert(p.hashable(ScriptValue::Str(key))?, value);
    }
    Ok(())
}

/// Writes the `repr`.
pub(crate) fn write(
    p: &mut Eval<'_>,
    class: DictClass,
    value: &ScriptValue,
    out: &mut String,
    open: &mut Vec<*const ()>,
) -> Result<(), Raise> {
    let ScriptValue::Dict(dict) = value else { return Ok(()) };
    cost::entries(p.state, dict.borrow().len())?;
    let plain = match &class {
        DictClass::Counter => {
            let mut plain = Dict::new();
            for (key, value) in sorted_counts(p, dict)? {
                plain.insert(key, value);
            }
            plain
        }
        _ => dict.borrow().clone().with_class(None),
    };
    let is_empty = plain.is_empty();
    match &class {
        DictClass::Ordered => {
            let pairs = plain.iter().map(|(key, value)| ScriptValue::tuple([key.0.clone(), value.clone()]));
            let pairs: Vec<ScriptValue> = pairs.collect();
            repr::list(p, if is_empty { "OrderedDict(" } else { "OrderedDict([" }, &pairs, out, open)?;
            out.push_str(if is_empty { ")" } else { "])" });
            return Ok(());
        }
        DictClass::Counter if is_empty => {
            out.push_str("Counter()");
            return Ok(());
        }
        DictClass::Counter => out.push_str("Counter("),
        DictClass::Default(factory) => {
            out.push_str("defaultdict(");
            repr::write(p, factory, out, open)?;
            out.push_str(", ");
        }
    }
    repr::write(p, &ScriptValue::Dict(Rc::new(RefCell::new(plain))), out, open)?;
    out.push(')');
    Ok(())
}

/// `a == b` where the class has its own rule: the order of ordered dictionaries, missing counts as zero.
pub(crate) fn equal(p: &mut Eval<'_>, a: &DictRef, b: &DictRef) -> Result<Option<bool>, Raise> {
    let classes = (of(&a.borrow()), of(&b.borrow()));
    match classes {
        (Some(DictClass::Ordered), Some(DictClass::Ordered)) => {
            if a.borrow().len() != b.borrow().len() {
                return Ok(Some(false));
            }
            let mut at = 0;
            loop {
                let entry = |dict: &DictRef| dict.borrow().get_index(at).map(|(k, v)| (k.clone(), v.clone()));
                let (Some((x, value)), Some((y, other))) = (entry(a), entry(b)) else {
                    return Ok(Some(true));
                };
                p.state.program.budget.step(u64::from(x.weight()))?;
                if x != y || !compare::same(p, &value, &other)? {
                    return Ok(Some(false));
                }
                at += 1;
            }
        }
        (Some(DictClass::Counter), Some(DictClass::Counter)) => same_counts(p, a, b).map(Some),
        _ => Ok(None),
    }
}

/// Tests whether two counters have the same counts.
fn same_counts(p: &mut Eval<'_>, a: &DictRef, b: &DictRef) -> Result<bool, Raise> {
    let mut keys = set::keys(p, a.borrow().keys().map(|key| key.0.clone()))?;
    keys.extend(set::keys(p, b.borrow().keys().map(|key| key.0.clone()))?);
    for key in keys {
        if !compare::same(p, &count_of(a, &key), &count_of(b, &key))? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn count_of(dict: &DictRef, key: &DictKey) -> ScriptValue {
    dict.borrow().get(key).cloned().unwrap_or(ScriptValue::Int(0))
}

/// Operators that a class defines itself.
pub(crate) fn binary(
    p: &mut Eval<'_>,
    op: BinOp,
    a: &DictRef,
    b: &DictRef,
) -> Result<Option<ScriptValue>, Raise> {
    let classes = (of(&a.borrow()), of(&b.borrow()));
    if let (Some(DictClass::Counter), Some(DictClass::Counter)) = classes {
        return Err(unsupported_operator());
    }
    // `|` gives a value of the class of its left operand, or of its right one.
    let class = match classes {
        (Some(class), _) | (None, Some(class)) if op == BinOp::BitOr => class,
        _ => return Ok(None),
    };
    cost::entries(p.state, a.borrow().len() + b.borrow().len())?;
    set::charge_keys(p.state, b.borrow().keys())?;
    let mut dict = a.borrow().clone();
    dict.extend(b.borrow().iter().map(|(k, v)| (k.clone(), v.clone())));
    Ok(Some(classed(dict, class)))
}

/// The error of an operator on counters.
pub(crate) fn unsupported_operator() -> Raise {
    EvalErrorKind::UnsupportedExpression { what: "this operator of `Counter`" }.into()
}

/// Adds to the counts of a counter: the counts of a mapping, or the elements of an iterable.
pub(crate) fn count(p: &mut Eval<'_>, counter: &ScriptValue, a: CallArgs) -> Result<(), Raise> {
    let ScriptValue::Dict(dict) = counter else { return Ok(()) };
    let change = |p: &mut Eval<'_>, key: DictKey, by: ScriptValue| {
        let before = dict.borrow().get(&key).cloned();
        let after = match before {
            None => by,
            Some(before) => p.apply(Operator::Binary(BinOp::Add), &[before, by])?,
        };
        p.state.program.budget.allocate(cost::ENTRY_BYTES)?;
        dict.borrow_mut().insert(key, after);
        Ok::<(), Raise>(())
    };
    if a.positional.len() > 1 {
        raise!(
            Type,
            "Counter.__init__() takes from 1 to 2 positional arguments but {} were given",
            a.positional.len() + 1
        );
    }
    for from in &a.positional {
        match from {
            ScriptValue::None => {}
            ScriptValue::Dict(from) => {
                cost::entries(p.state, from.borrow().len())?;
                let entries: Vec<_> = from.borrow().iter().map(|(k, v)| (k.clone(), v.clone())).collect();
                for (key, by) in entries {
                    change(p, key, by)?;
                }
            }
            items => {
                let mut iter = p.iterate(items)?;
                while let Some(item) = p.next(&mut iter)? {
                    let key = p.hashable(item)?;
                    change(p, key, ScriptValue::Int(1))?;
                }
            }
        }
    }
    for (key, by) in a.keywords {
        let key = p.hashable(ScriptValue::Str(key))?;
        change(p, key, by)?;
    }
    Ok(())
}

/// The entries of a counter from the largest count to the smallest.
fn sorted_counts(p: &mut Eval<'_>, dict: &DictRef) -> Result<Vec<(DictKey, ScriptValue)>, Raise> {
    let entries: Vec<_> = dict.borrow().iter().map(|(k, v)| (k.clone(), v.clone())).collect();
    let counts = entries.iter().map(|(_, count)| count.clone()).collect();
    sort::sort_by(p, entries, counts, true)
}

pub(crate) static ORDERED: Table = &[
    own("move_to_end")
        .one_or_two(|p, v, key, last| {
            let ScriptValue::Dict(dict) = v else { return Ok(ScriptValue::None) };
            let last = last.map_or(Ok(true), |last| p.truth(&last))?;
            let hashed = p.hashable(key.clone())?;
            cost::removal(p.state, dict.borrow().len())?;
            let Some(from) = dict.borrow().get_index_of(&hashed) else {
                return Err(exception::key_error(key));
            };
            let to = if last { dict.borrow().len() - 1 } else { 0 };
            dict.borrow_mut().move_index(from, to);
            Ok(ScriptValue::None)
        })
        .with_keywords(&["key", "last"]),
    own("popitem")
        .zero_or_one(|p, v, last| {
            let ScriptValue::Dict(dict) = v else { return Ok(ScriptValue::None) };
            let last = last.map_or(Ok(true), |last| p.truth(&last))?;
            cost::removal(p.state, dict.borrow().len())?;
            let entry = match last {
                true => dict.borrow_mut().pop(),
                false => dict.borrow_mut().shift_remove_index(0),
            };
            match entry {
                Some((key, value)) => Ok(ScriptValue::tuple([key.0, value])),
                None => Err(exception::key_error(ScriptValue::str("dictionary is empty"))),
            }
        })
        .with_keywords(&["last"]),
];

pub(crate) static COUNTER: Table = &[
    own("most_common")
        .zero_or_one(|p, v, n| {
            let ScriptValue::Dict(dict) = v else { return Ok(ScriptValue::None) };
            let mut entries = sorted_counts(p, dict)?;
            if let Some(n) = not_none(n) {
                entries.truncate(usize::try_from(word(&n)?).unwrap_or(0));
            }
            cost::values(p.state, 4 * entries.len())?;
            let pairs = entries.into_iter().map(|(key, value)| ScriptValue::tuple([key.0, value]));
            Ok(ScriptValue::list(pairs.collect()))
        })
        .with_keywords(&["n"]),
    linear("update").any(|p, v, a| {
        count(p, v, a)?;
        Ok(ScriptValue::None)
    }),
];

/// Methods of counters that are not evaluated, separated by spaces.
pub(crate) const MISSING: &str = "elements subtract total";
