//! `functools`.

use tvmscript_script_value::{CallArgs, HostObject, ScriptValue, release};

use super::Library;
use crate::Host;
use crate::python::Outcome;
use crate::python::builtins::linear;

pub(super) static FUNCTOOLS: Library = Library {
    path: "functools",
    functions: &[linear("partial").any(partial), linear("reduce").two_or_three(reduce)],
    missing: "GenericAlias cache cached_property cmp_to_key get_cache_token lru_cache namedtuple partialmethod \
        recursive_repr singledispatch singledispatchmethod total_ordering update_wrapper wraps \
        WRAPPER_ASSIGNMENTS WRAPPER_UPDATES RLock",
    ..Library::EMPTY
};

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
