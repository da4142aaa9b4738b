//! Searching, replacing and splitting text.

use tvmscript_script_value::ScriptValue;

use super::{chars, needs_text, text};
use crate::errors::HostError;
use crate::eval::Raise;
use crate::python::number::word;
use crate::python::unicode::{is_line_break, is_space};
use crate::python::{Outcome, cost, subscript};
use crate::{Eval, EvalState};

/// The text between two optional indices, and the index of its first character; `None` if the first index is after the
/// second or after the text.
fn section<'a>(
    p: &EvalState,
    v: &'a ScriptValue,
    bounds: [Option<ScriptValue>; 2],
) -> Result<Option<(usize, &'a str)>, Raise> {
    if bounds.iter().all(Option::is_none) {
        return Ok(Some((0, text(v))));
    }
    let Some(chars) = chars(p, v)? else { return Ok(None) };
    let range = subscript::section(bounds, chars.count())?;
    Ok(range.map(|range| (range.start, chars.slice(range.start, range.end))))
}

/// `startswith` and `endswith`, with one text or a tuple of them.
pub(super) fn affix(
    p: &EvalState,
    name: &str,
    v: &ScriptValue,
    x: &ScriptValue,
    bounds: [Option<ScriptValue>; 2],
    f: fn(&str, &str) -> bool,
) -> Outcome {
    let options = match x {
        ScriptValue::Tuple(items) => items.as_slice(),
        x => std::slice::from_ref(x),
    };
    let part = section(p, v, bounds)?;
    for option in options {
        let option = match (option, x) {
            (ScriptValue::Str(option), _) => option.as_str(),
            (other, ScriptValue::Tuple(_)) => {
                return Err(wrong_type!("tuple for {name} must only contain str, not {}", other).into());
            }
            (other, _) => {
                return Err(
                    wrong_type!("{name} first arg must be str or a tuple of str, not {}", other).into()
                );
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
    p: &EvalState,
    v: &ScriptValue,
    x: &ScriptValue,
    bounds: [Option<ScriptValue>; 2],
    last: bool,
    must: bool,
) -> Outcome {
    let x = needs_text("must be str", x)?;
    let found = match section(p, v, bounds)? {
        None => None,
        Some((first, part)) => {
            let at = if last { part.rfind(x) } else { part.find(x) };
            at.map(|at| first + part[..at].chars().count())
        }
    };
    match found {
        None if must => raise!(Value, "substring not found"),
        None => Ok(ScriptValue::Int(-1)),
        Some(at) => Ok(ScriptValue::Int(at as i64)),
    }
}

/// Counts the occurrences of a text, without overlaps.
pub(super) fn count(
    p: &mut Eval<'_>,
    v: &ScriptValue,
    x: ScriptValue,
    start: Option<ScriptValue>,
    stop: Option<ScriptValue>,
) -> Outcome {
    let x = needs_text("must be str", &x)?;
    let count = match section(p.state, v, [start, stop])? {
        None => 0,
        Some((_, part)) if x.is_empty() => part.chars().count() + 1,
        Some((_, part)) => part.matches(x).count(),
    };
    Ok(ScriptValue::Int(count as i64))
}

/// `replace`
pub(super) fn replace(
    p: &mut Eval<'_>,
    v: &ScriptValue,
    from: ScriptValue,
    to: ScriptValue,
    count: Option<ScriptValue>,
) -> Outcome {
    let from = needs_text("replace() argument 1 must be str", &from)?;
    let to = needs_text("replace() argument 2 must be str", &to)?;
    let limit = count.map(|count| word(&count)).transpose()?.filter(|count| *count >= 0);
    let s = text(v);
    let found = if from.is_empty() { s.chars().count() + 1 } else { s.matches(from).count() };
    let found = limit.map_or(found, |limit| found.min(limit as usize));
    cost::text_bytes(p.state, s.len().saturating_add(found.saturating_mul(to.len())))?;
    Ok(ScriptValue::str(&s.replacen(from, to, found)))
}

/// The separator, `None` for any white space, and the maximum number of parts.
fn split_args(
    sep: Option<ScriptValue>,
    limit: Option<ScriptValue>,
) -> Result<(Option<String>, usize), HostError> {
    let sep = match sep {
        None | Some(ScriptValue::None) => None,
        Some(sep) => Some(needs_text("must be str or None", &sep)?.to_owned()),
    };
    let limit = limit.map(|limit| word(&limit)).transpose()?.filter(|limit| *limit >= 0);
    if sep.as_deref() == Some("") {
        raise!(Value, "empty separator");
    }
    Ok((sep, limit.map_or(usize::MAX, |limit| (limit as usize).saturating_add(1))))
}

pub(super) fn split(
    p: &mut Eval<'_>,
    v: &ScriptValue,
    sep: Option<ScriptValue>,
    limit: Option<ScriptValue>,
) -> Outcome {
    let (sep, count) = split_args(sep, limit)?;
    let s = text(v);
    let Some(sep) = sep else {
        let mut parts = Pieces::default();
        let mut rest = s.trim_start_matches(is_space);
        while !rest.is_empty() {
            if parts.0.len() + 1 == count {
                parts.push(p.state, rest)?;
                break;
            }
            let end = rest.find(is_space).unwrap_or(rest.len());
            parts.push(p.state, &rest[..end])?;
            rest = rest[end..].trim_start_matches(is_space);
        }
        return cost::list(p.state, parts.0);
    };
    let mut parts = Pieces::default();
    for part in s.splitn(count, sep.as_str()) {
        parts.push(p.state, part)?;
    }
    cost::list(p.state, parts.0)
}

pub(super) fn rsplit(
    p: &mut Eval<'_>,
    v: &ScriptValue,
    sep: Option<ScriptValue>,
    limit: Option<ScriptValue>,
) -> Outcome {
    let (sep, count) = split_args(sep, limit)?;
    let s = text(v);
    let mut parts = Pieces::default();
    match sep {
        Some(sep) => {
            for part in s.rsplitn(count, sep.as_str()) {
                parts.push(p.state, part)?;
            }
        }
        None => {
            let mut rest = s.trim_end_matches(is_space);
            while !rest.is_empty() {
                if parts.0.len() + 1 == count {
                    parts.push(p.state, rest)?;
                    break;
                }
                let space = rest.char_indices().rev().find(|(_, c)| is_space(*c));
                let start = space.map_or(0, |(at, c)| at + c.len_utf8());
                parts.push(p.state, &rest[start..])?;
                rest = rest[..start].trim_end_matches(is_space);
            }
        }
    }
    parts.0.reverse();
    cost::list(p.state, parts.0)
}

/// Pieces of a text; each is charged.
#[derive(Default)]
struct Pieces(Vec<ScriptValue>);

impl Pieces {
    fn push(&mut self, p: &EvalState, part: &str) -> Result<(), Raise> {
        p.program.budget.step(1)?;
        self.0.push(cost::text(p, part)?);
        Ok(())
    }
}

pub(super) fn splitlines(p: &mut Eval<'_>, v: &ScriptValue, keep: Option<ScriptValue>) -> Outcome {
    let keep = match keep {
        Some(keep) => p.truth(&keep)?,
        None => false,
    };
    let mut parts = Pieces::default();
    let mut rest = text(v);
    while !rest.is_empty() {
        let end = rest.find(is_line_break).unwrap_or(rest.len());
        let behind = match rest[end..].strip_prefix("\r\n") {
            Some(_) => end + 2,
            None => end + rest[end..].chars().next().map_or(0, char::len_utf8),
        };
        parts.push(p.state, &rest[..if keep { behind } else { end }])?;
        rest = &rest[behind..];
    }
    cost::list(p.state, parts.0)
}

/// The text before a separator, the separator, and the text after it; `whole` if there is no separator.
pub(super) fn three(
    p: &EvalState,
    v: &ScriptValue,
    x: &ScriptValue,
    split: impl for<'a> Fn(&'a str, &str) -> Option<(&'a str, &'a str)>,
    whole: impl for<'a> Fn(&'a str) -> [&'a str; 3],
) -> Outcome {
    let x = needs_text("must be str", x)?;
    if x.is_empty() {
        raise!(Value, "empty separator");
    }
    let parts = match split(text(v), x) {
        Some((before, after)) => [before, x, after],
        None => whole(text(v)),
    };
    cost::text_bytes(p, 2 * (text(v).len() + x.len()))?;
    Ok(ScriptValue::tuple(parts.map(ScriptValue::str)))
}
