//! Members of `functools`, `operator`, `itertools` and `dataclasses` that files of scripts use to make values.
//!
//! What is not here stays a placeholder, as anything of other modules.

use std::any::Any;

use tvmscript_script_value::{CallArgs, HostObject, ScriptValue, release};

use super::builtins::{Builtin, BuiltinFn, args, no_keywords};
use super::cost::{self, Cost};
use crate::Host;
use crate::errors::HostError;
use crate::eval::{Iter, IterObject, Raise};
use crate::rules::Operator;
use tvmscript_python_syntax::ast::{BinOp, CmpOp, UnaryOp};

/// The member of a module, if it is evaluated.
pub(crate) fn member(module: &str, name: &str) -> Option<ScriptValue> {
    let (_, members) = MODULES.iter().find(|(path, _)| *path == module)?;
    let (name, call) = members.iter().find(|(known, _)| *known == name)?;
    Some(Builtin::function(name, Cost::Linear, *call))
}

type Members = &'static [(&'static str, BuiltinFn)];

const MODULES: &[(&str, Members)] = &[
    ("functools", &[("partial", partial), ("reduce", reduce)]),
    ("itertools", &[("product", product), ("chain", chain)]),
    ("dataclasses", &[("asdict", asdict), ("astuple", astuple), ("replace", replace)]),
    ("operator", OPERATORS),
];

/// `functools.partial(function, ..)`: a function with some of its arguments.
pub(crate) struct Partial {
    pub(crate) function: ScriptValue,
    args: CallArgs,
}

impl HostObject for Partial {
    fn type_name(&self) -> &str {
        "a partial function"
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn as_any(&self) -> &dyn Any {
        self
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
    /// Its arguments and those of a call together.
    pub(crate) fn arguments(&self, args: CallArgs) -> CallArgs {
        let CallArgs { mut positional, mut keywords } = self.args.clone();
        positional.extend(args.positional);
        keywords.retain(|(key, _)| !args.keywords.iter().any(|(new, _)| new == key));
        keywords.extend(args.keywords);
        CallArgs { positional, keywords }
    }
}

fn partial(_: &mut dyn Host, mut a: CallArgs) -> Result<ScriptValue, Raise> {
    if a.positional.is_empty() {
        return Err(HostError::type_error("type 'partial' takes at least one argument").into());
    }
    let function = a.positional.remove(0);
    // As in Python, a partial function of a partial function is one.
    if let Some(inner) = function.as_host::<Partial>() {
        let args = inner.arguments(a);
        return Ok(ScriptValue::host(Partial { function: inner.function.clone(), args }));
    }
    Ok(ScriptValue::host(Partial { function, args: a }))
}

fn reduce(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    no_keywords("reduce", &a)?;
    let (function, items, initial) = match a.positional.as_slice() {
        [function, items] => (function, items, None),
        [function, items, initial] => (function, items, Some(initial.clone())),
        [] | [_] => {
            let message = format!("reduce expected at least 2 arguments, got {}", a.positional.len());
            return Err(HostError::type_error(message).into());
        }
        more => {
            let message = format!("reduce expected at most 3 arguments, got {}", more.len());
            return Err(HostError::type_error(message).into());
        }
    };
    let mut iter = p.iterate(items)?;
    let mut value = match initial {
        Some(initial) => initial,
        None => match p.next(&mut iter)? {
            Some(first) => first,
            None => {
                let message = "reduce() of empty iterable with no initial value";
                return Err(HostError::type_error(message).into());
            }
        },
    };
    while let Some(next) = p.next(&mut iter)? {
        value = p.call_value(function, CallArgs::positional([value, next]))?;
    }
    Ok(value)
}

fn product(p: &mut dyn Host, mut a: CallArgs) -> Result<ScriptValue, Raise> {
    let repeat = match a.take_keyword("repeat") {
        Some(ScriptValue::Int(repeat)) => usize::try_from(repeat)
            .map_err(|_| HostError::value_error("repeat argument cannot be negative"))?,
        Some(_) => return Err(HostError::type_error("'repeat' has to be an integer").into()),
        None => 1,
    };
    no_keywords("product", &a)?;
    let mut pools = Vec::new();
    for items in &a.positional {
        pools.push(p.collect_values(items)?);
    }
    let width = pools.len().saturating_mul(repeat);
    let one = pools.iter().fold(1_usize, |count, pool| count.saturating_mul(pool.len()));
    let count = if one <= 1 { one } else { one.saturating_pow(u32::try_from(repeat).unwrap_or(u32::MAX)) };
    // Everything is made at once.
    cost::values(p, count.saturating_mul(width.saturating_add(4)))?;
    let mut tuples: Vec<Vec<ScriptValue>> = vec![Vec::with_capacity(width)];
    for pool in pools.iter().cycle().take(width) {
        let extended = tuples.iter().flat_map(|tuple| {
            pool.iter().map(move |value| tuple.iter().chain([value]).cloned().collect::<Vec<_>>())
        });
        tuples = extended.collect();
    }
    let tuples: Vec<ScriptValue> = tuples.into_iter().map(ScriptValue::tuple).collect();
    Ok(IterObject::value("itertools.product", Iter::Items(tuples.into_iter())))
}

fn chain(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    no_keywords("chain", &a)?;
    let mut values = Vec::new();
    for items in &a.positional {
        values.extend(p.collect_values(items)?);
    }
    Ok(IterObject::value("itertools.chain", Iter::Items(values.into_iter())))
}

/// The dataclass instance that is the only argument, and its fields.
fn fields(p: &mut dyn Host, name: &str, a: CallArgs) -> Result<Vec<(String, ScriptValue)>, Raise> {
    let [instance] = args(name, a)?;
    match p.record_fields(&instance)? {
        Some(fields) => Ok(fields),
        None => {
            let message = format!("{name}() should be called on dataclass instances");
            Err(HostError::type_error(message).into())
        }
    }
}

fn asdict(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    let fields = fields(p, "asdict", a)?;
    let mut dict = tvmscript_script_value::Dict::with_capacity(fields.len());
    for (name, value) in fields {
        dict.insert(p.hashable(ScriptValue::str(&name))?, value);
    }
    Ok(ScriptValue::Dict(std::rc::Rc::new(std::cell::RefCell::new(dict))))
}

fn astuple(p: &mut dyn Host, a: CallArgs) -> Result<ScriptValue, Raise> {
    Ok(ScriptValue::tuple(fields(p, "astuple", a)?.into_iter().map(|(_, value)| value)))
}

fn replace(p: &mut dyn Host, mut a: CallArgs) -> Result<ScriptValue, Raise> {
    let changes = std::mem::take(&mut a.keywords);
    let [instance] = args("replace", a)?;
    p.replaced(&instance, changes)
}

fn binary(p: &mut dyn Host, name: &str, op: BinOp, a: CallArgs) -> Result<ScriptValue, Raise> {
    let operands: [ScriptValue; 2] = args(name, a)?;
    p.apply(Operator::Binary(op), &operands)
}

fn compare(p: &mut dyn Host, name: &str, op: CmpOp, a: CallArgs) -> Result<ScriptValue, Raise> {
    let operands: [ScriptValue; 2] = args(name, a)?;
    p.apply(Operator::Compare(op), &operands)
}

fn unary(p: &mut dyn Host, name: &str, op: UnaryOp, a: CallArgs) -> Result<ScriptValue, Raise> {
    let operands: [ScriptValue; 1] = args(name, a)?;
    p.apply(Operator::Unary(op), &operands)
}

const OPERATORS: Members = &[
    ("add", |p, a| binary(p, "add", BinOp::Add, a)),
    ("sub", |p, a| binary(p, "sub", BinOp::Sub, a)),
    ("mul", |p, a| binary(p, "mul", BinOp::Mult, a)),
    ("truediv", |p, a| binary(p, "truediv", BinOp::Div, a)),
    ("floordiv", |p, a| binary(p, "floordiv", BinOp::FloorDiv, a)),
    ("mod", |p, a| binary(p, "mod", BinOp::Mod, a)),
    ("pow", |p, a| binary(p, "pow", BinOp::Pow, a)),
    ("and_", |p, a| binary(p, "and_", BinOp::BitAnd, a)),
    ("or_", |p, a| binary(p, "or_", BinOp::BitOr, a)),
    ("xor", |p, a| binary(p, "xor", BinOp::BitXor, a)),
    ("lshift", |p, a| binary(p, "lshift", BinOp::LShift, a)),
    ("rshift", |p, a| binary(p, "rshift", BinOp::RShift, a)),
    ("lt", |p, a| compare(p, "lt", CmpOp::Lt, a)),
    ("le", |p, a| compare(p, "le", CmpOp::LtE, a)),
    ("eq", |p, a| compare(p, "eq", CmpOp::Eq, a)),
    ("ne", |p, a| compare(p, "ne", CmpOp::NotEq, a)),
    ("gt", |p, a| compare(p, "gt", CmpOp::Gt, a)),
    ("ge", |p, a| compare(p, "ge", CmpOp::GtE, a)),
    ("neg", |p, a| unary(p, "neg", UnaryOp::USub, a)),
    ("pos", |p, a| unary(p, "pos", UnaryOp::UAdd, a)),
    ("invert", |p, a| unary(p, "invert", UnaryOp::Invert, a)),
    ("not_", |p, a| unary(p, "not_", UnaryOp::Not, a)),
];
