//! `itertools`.

use tvmscript_script_value::{CallArgs, ScriptValue};

use super::Library;
use crate::Host;
use crate::errors::HostError;
use crate::eval::{Iter, IterObject};
use crate::python::builtins::{linear, no_keywords};
use crate::python::{Outcome, cost};

pub(super) static ITERTOOLS: Library = Library {
    path: "itertools",
    functions: &[linear("product").any(product), linear("chain").any(chain)],
    missing: "accumulate combinations combinations_with_replacement compress count cycle dropwhile filterfalse groupby \
        islice pairwise permutations repeat starmap takewhile tee zip_longest",
    ..Library::EMPTY
};

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
