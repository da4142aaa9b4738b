//! Members of `functools`, `operator`, and `itertools`. Other members are placeholders.

use tvmscript_python_syntax::ast::{BinOp, CmpOp, UnaryOp};
use tvmscript_script_value::{CallArgs, HostObject, ScriptValue, release};

use super::builtins::{Builtin, BuiltinKind, Table, linear, no_keywords};
use super::{Outcome, cost};
use crate::Host;
use crate::errors::HostError;
use crate::eval::{Iter, IterObject};
use crate::host::Operator;

/// The evaluated member of a module.
pub(crate) fn member(module: &str, name: &str) -> Option<ScriptValue> {
    let (module, members) = MODULES.iter().find(|(path, _)| *path == module)?;
    let native = members.iter().find(|native| native.name == name)?;
    Some(Builtin::value(native, BuiltinKind::Function(module)))
}

static MODULES: &[(&str, Table)] = &[
    ("functools", &[linear("partial").any(partial), linear("reduce").two_or_three(reduce)]),
    ("itertools", &[linear("product").any(product), linear("chain").any(chain)]),
    ("operator", OPERATORS),
];

/// `functools.partial(function, ..)`.
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
        keywords.retain(|(key, _)| !args.keywords.iter().any(|(new, _)| new == key));
        keywords.extend(args.keywords);
        CallArgs { positional, keywords }
    }
}

fn partial(_: &mut dyn Host, _: &ScriptValue, mut a: CallArgs) -> Outcome {
    if a.positional.is_empty() {
        raise!(Type, "type 'partial' takes at least one argument");
    }
    let function = a.positional.remove(0);
    // As in Python, nested partial functions are flattened.
    if let Some(inner) = function.as_host::<Partial>() {
        let args = inner.arguments(a);
        return Ok(ScriptValue::host(Partial { function: inner.function.clone(), args }));
    }
    Ok(ScriptValue::host(Partial { function, args: a }))
}

fn reduce(
    p: &mut dyn Host,
    _: &ScriptValue,
    function: ScriptValue,
    items: ScriptValue,
    initial: Option<ScriptValue>,
) -> Outcome {
    let mut iter = p.iterate(&items)?;
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

fn product(p: &mut dyn Host, _: &ScriptValue, mut a: CallArgs) -> Outcome {
    let repeat = match a.take_keyword("repeat") {
        Some(ScriptValue::Int(repeat)) => usize::try_from(repeat)
            .map_err(|_| HostError::value_error("repeat argument cannot be negative"))?,
        Some(_) => raise!(Type, "'repeat' has to be an integer"),
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
    // All tuples are computed at once.
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

fn chain(p: &mut dyn Host, _: &ScriptValue, a: CallArgs) -> Outcome {
    no_keywords("chain", &a)?;
    let mut values = Vec::new();
    for items in &a.positional {
        values.extend(p.collect_values(items)?);
    }
    Ok(IterObject::value("itertools.chain", Iter::Items(values.into_iter())))
}

static OPERATORS: Table = &[
    linear("add").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::Add), &[x, y])),
    linear("sub").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::Sub), &[x, y])),
    linear("mul").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::Mult), &[x, y])),
    linear("truediv").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::Div), &[x, y])),
    linear("floordiv").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::FloorDiv), &[x, y])),
    linear("mod").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::Mod), &[x, y])),
    linear("pow").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::Pow), &[x, y])),
    linear("and_").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::BitAnd), &[x, y])),
    linear("or_").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::BitOr), &[x, y])),
    linear("xor").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::BitXor), &[x, y])),
    linear("lshift").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::LShift), &[x, y])),
    linear("rshift").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::RShift), &[x, y])),
    linear("lt").two(|p, _, x, y| p.apply(Operator::Compare(CmpOp::Lt), &[x, y])),
    linear("le").two(|p, _, x, y| p.apply(Operator::Compare(CmpOp::LtE), &[x, y])),
    linear("eq").two(|p, _, x, y| p.apply(Operator::Compare(CmpOp::Eq), &[x, y])),
    linear("ne").two(|p, _, x, y| p.apply(Operator::Compare(CmpOp::NotEq), &[x, y])),
    linear("gt").two(|p, _, x, y| p.apply(Operator::Compare(CmpOp::Gt), &[x, y])),
    linear("ge").two(|p, _, x, y| p.apply(Operator::Compare(CmpOp::GtE), &[x, y])),
    linear("neg").one(|p, _, x| p.apply(Operator::Unary(UnaryOp::USub), &[x])),
    linear("pos").one(|p, _, x| p.apply(Operator::Unary(UnaryOp::UAdd), &[x])),
    linear("invert").one(|p, _, x| p.apply(Operator::Unary(UnaryOp::Invert), &[x])),
    linear("not_").one(|p, _, x| p.apply(Operator::Unary(UnaryOp::Not), &[x])),
];
