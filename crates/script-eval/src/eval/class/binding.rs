//! Binding of arguments to the parameters of generated functions, with CPython's messages.

use tvmscript_ir_core::Str;
use tvmscript_script_value::{CallArgs, ScriptValue};

use crate::errors::HostError;

/// A parameter of a generated function, after `self` or `cls`.
pub(super) struct Param {
    pub(super) name: Str,
    pub(super) is_required: bool,
    pub(super) is_keyword_only: bool,
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// `'a'`, `'a' and 'b'`, `'a', 'b', and 'c'`
pub(super) fn enumeration(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one} and {other}"),
        [first @ .., last] => format!("{}, and {last}", first.join(", ")),
    }
}

/// Binds the arguments after the receiver; absent ones are `None`.
pub(super) fn bind(
    function: &str,
    params: &[Param],
    args: CallArgs,
) -> Result<Vec<Option<ScriptValue>>, HostError> {
    let positional: Vec<usize> =
        params.iter().enumerate().filter(|(_, p)| !p.is_keyword_only).map(|(index, _)| index).collect();
    let mut bound: Vec<Option<ScriptValue>> = vec![None; params.len()];
    let given = args.positional.len();
    if given > positional.len() {
        let required =
            positional.iter().filter(|index| params.get(**index).is_some_and(|p| p.is_required)).count();
        // Both counts include the receiver.
        let (least, most) = (required + 1, positional.len() + 1);
        let takes = match least == most {
            true => format!("{most} positional argument{}", plural(most)),
            false => format!("from {least} to {most} positional arguments"),
        };
        raise!(Type, "{function}() takes {takes} but {} were given", given + 1);
    }
    for (slot, value) in positional.iter().zip(args.positional) {
        if let Some(slot) = bound.get_mut(*slot) {
            *slot = Some(value);
        }
    }
    for (key, value) in args.keywords {
        let index = params.iter().position(|p| p.name == key);
        match index.and_then(|index| bound.get_mut(index)) {
            Some(slot @ None) => *slot = Some(value),
            Some(Some(_)) => raise!(Type, "{function}() got multiple values for argument '{key}'"),
            None => raise!(Type, "{function}() got an unexpected keyword argument '{key}'"),
        }
    }
    for is_keyword_only in [false, true] {
        let missing: Vec<&str> = params
            .iter()
            .zip(&bound)
            .filter(|(p, value)| p.is_required && value.is_none() && p.is_keyword_only == is_keyword_only)
            .map(|(p, _)| p.name.as_str())
            .collect();
        if !missing.is_empty() {
            let kind = if is_keyword_only { "keyword-only" } else { "positional" };
            let count = missing.len();
            raise!(
                Type,
                "{function}() missing {count} required {kind} argument{}: {}",
                plural(count),
                enumeration(&missing)
            );
        }
    }
    Ok(bound)
}
