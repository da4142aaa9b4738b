//! Parts of text: where they are, how many, and what takes their place.

use tvmscript_script_value::{CallArgs, ScriptValue};

use super::{chars, needs_text, text};
use crate::errors::HostError;
use crate::eval::Raise;
use crate::python::builtins::optional;
use crate::python::cost;
use crate::python::number::{small_index, word};
use crate::{Evaluator, Host};

/// The part of the text between two indices, with the number of its first character; nothing when the first index is
/// behind the second or behind the text.
fn section<'a>(
    p: &Evaluator,
    v: &'a ScriptValue,
    start: Option<ScriptValue>,
    stop: Option<ScriptValue>,
) -> Result<Option<(usize, &'a str)>, Raise> {
    if start.is_none() && stop.is_none() {
        return Ok(Some((0, text(v))));
    }
    let Some(chars) = chars(p, v)? else { return Ok(None) };
    let count = chars.count() as i64;
    let index = |value: Option<ScriptValue>, default: i64| match value {
        None | Some(ScriptValue::None) => Ok(default),
        Some(value) => {
            let value = small_index(&value).ok_or_else(|| {
                HostError::type_error("slice indices must be integers or None or have an __index__ method")
            })?;
            Ok::<i64, HostError>(if value < 0 { value.saturating_add(count).max(0) } else { value })
        }
    };
    let (from, to) = (index(start, 0)?, index(stop, count)?.min(count));
    Ok((from <= to).then(|| (from as usize, chars.slice(from as usize, to as usize))))
}

/// `startswith` and `endswith`, with one text or several.
pub(super) fn affix(
    p: &mut dyn Host,
    name: &str,
    v: &ScriptValue,
    a: CallArgs,
    f: impl Fn(&str, &str) -> bool,
) -> Result<ScriptValue, Raise> {
    let [x, start, stop] = optional(name, a, 1)?;
    let x = x.unwrap_or_default();
    let options = match &x {
        ScriptValue::Tuple(items) => items.as_slice(),
        x => std::slice::from_ref(x),
    };
    let part = section(p, v, start, stop)?;
    for option in options {
        let option = match option {
            ScriptValue::Str(option) => option.as_str(),
            other => {
                let of = crate::python::type_name(other);
                let message = match &x {
                    ScriptValue::Tuple(_) => format!("tuple for {name} must only contain str, not {of}"),
                    _ => format!("{name} first arg must be str or a tuple of str, not {of}"),
                };
                return Err(HostError::type_error(message).into());
            }
        };
        p.program.budget.step(1)?;
        cost::scan(p, option.len())?;
        if part.is_some_and(|(_, part)| f(part, option)) {
            return Ok(ScriptValue::Bool(true));
        }
    }
    Ok(ScriptValue::Bool(false))
}

/// `find`, `rfind`, `index`, `rindex`.
pub(super) fn find(
    p: &mut dyn Host,
    v: &ScriptValue,
    a: CallArgs,
    last: bool,
    must: bool,
) -> Result<ScriptValue, Raise> {
    let [x, start, stop] = optional("find", a, 1)?;
    let x = x.unwrap_or_default();
    let x = needs_text("must be str", &x)?;
    let found = match section(p, v, start, stop)? {
        None => None,
        Some((first, part)) => {
            let at = if last { part.rfind(x) } else { part.find(x) };
            at.map(|at| first + part[..at].chars().count())
        }
    };
    match found {
        None if must => Err(HostError::value_error("substring not found").into()),
        None => Ok(ScriptValue::Int(-1)),
        Some(at) => Ok(ScriptValue::Int(at as i64)),
    }
}

/// How often a part stands in the text, without overlaps.
pub(super) fn count(p: &mut dyn Host, v: &ScriptValue, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x, start, stop] = optional("count", a, 1)?;
    let x = x.unwrap_or_default();
    let x = needs_text("must be str", &x)?;
    let count = match section(p, v, start, stop)? {
        None => 0,
        Some((_, part)) if x.is_empty() => part.chars().count() + 1,
        Some((_, part)) => part.matches(x).count(),
    };
    Ok(ScriptValue::Int(count as i64))
}

/// `replace`
pub(super) fn replace(p: &mut dyn Host, v: &ScriptValue, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [from, to, count] = optional("replace", a, 2)?;
    let (from, to) = (from.unwrap_or_default(), to.unwrap_or_default());
    let from = needs_text("replace() argument 1 must be str", &from)?;
    let to = needs_text("replace() argument 2 must be str", &to)?;
    let limit = count.map(|count| word(&count)).transpose()?.filter(|count| *count >= 0);
    let s = text(v);
    let found = if from.is_empty() { s.chars().count() + 1 } else { s.matches(from).count() };
    let found = limit.map_or(found, |limit| found.min(limit as usize));
    cost::text_bytes(p, s.len().saturating_add(found.saturating_mul(to.len())))?;
    Ok(ScriptValue::str(&s.replacen(from, to, found)))
}
