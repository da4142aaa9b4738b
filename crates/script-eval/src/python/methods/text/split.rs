//! Text cut into parts.

use tvmscript_script_value::{CallArgs, ScriptValue};

use super::{needs_text, text};
use crate::errors::HostError;
use crate::eval::Raise;
use crate::python::builtins::{args, optional};
use crate::python::cost;
use crate::python::number::word;
use crate::python::unicode::{is_line_break, is_space};
use crate::{Evaluator, Host};

/// The separator (nothing: any space) and how many parts there are at most.
fn split_args(name: &str, mut a: CallArgs) -> Result<(Option<String>, usize), Raise> {
    let sep = a.take_keyword("sep");
    let limit = a.take_keyword("maxsplit");
    let [first, second] = optional(name, a, 0)?;
    let sep = match sep.or(first) {
        None | Some(ScriptValue::None) => None,
        Some(sep) => Some(needs_text("must be str or None", &sep)?.to_owned()),
    };
    let limit = limit.or(second).map(|limit| word(&limit)).transpose()?.filter(|limit| *limit >= 0);
    if sep.as_deref() == Some("") {
        return Err(HostError::value_error("empty separator").into());
    }
    Ok((sep, limit.map_or(usize::MAX, |limit| (limit as usize).saturating_add(1))))
}

pub(super) fn split(p: &mut dyn Host, v: &ScriptValue, a: CallArgs) -> Result<ScriptValue, Raise> {
    let (sep, count) = split_args("split", a)?;
    let s = text(v);
    let Some(sep) = sep else {
        let mut parts = Parts::default();
        let mut rest = s.trim_start_matches(is_space);
        while !rest.is_empty() {
            if parts.0.len() + 1 == count {
                parts.push(p, rest)?;
                break;
            }
            let end = rest.find(is_space).unwrap_or(rest.len());
            parts.push(p, &rest[..end])?;
            rest = rest[end..].trim_start_matches(is_space);
        }
        return cost::list(p, parts.0);
    };
    let mut parts = Parts::default();
    for part in s.splitn(count, sep.as_str()) {
        parts.push(p, part)?;
    }
    cost::list(p, parts.0)
}

pub(super) fn rsplit(p: &mut dyn Host, v: &ScriptValue, a: CallArgs) -> Result<ScriptValue, Raise> {
    let (sep, count) = split_args("rsplit", a)?;
    let s = text(v);
    let mut parts = Parts::default();
    match sep {
        Some(sep) => {
            for part in s.rsplitn(count, sep.as_str()) {
                parts.push(p, part)?;
            }
        }
        None => {
            let mut rest = s.trim_end_matches(is_space);
            while !rest.is_empty() {
                if parts.0.len() + 1 == count {
                    parts.push(p, rest)?;
                    break;
                }
                let space = rest.char_indices().rev().find(|(_, c)| is_space(*c));
                let start = space.map_or(0, |(at, c)| at + c.len_utf8());
                parts.push(p, &rest[start..])?;
                rest = rest[..start].trim_end_matches(is_space);
            }
        }
    }
    parts.0.reverse();
    cost::list(p, parts.0)
}

/// Parts of a text, each charged.
#[derive(Default)]
struct Parts(Vec<ScriptValue>);

impl Parts {
    fn push(&mut self, p: &Evaluator, part: &str) -> Result<(), Raise> {
        p.program.budget.step(1)?;
        self.0.push(cost::text(p, part)?);
        Ok(())
    }
}

pub(super) fn splitlines(p: &mut dyn Host, v: &ScriptValue, mut a: CallArgs) -> Result<ScriptValue, Raise> {
    if let Some(keep) = a.take_keyword("keepends") {
        a.positional.push(keep);
    }
    let [keep] = optional("splitlines", a, 0)?;
    let keep = match keep {
        Some(keep) => p.truth(&keep)?,
        None => false,
    };
    let mut parts = Parts::default();
    let mut rest = text(v);
    while !rest.is_empty() {
        let end = rest.find(is_line_break).unwrap_or(rest.len());
        let behind = match rest[end..].strip_prefix("\r\n") {
            Some(_) => end + 2,
            None => end + rest[end..].chars().next().map_or(0, char::len_utf8),
        };
        parts.push(p, &rest[..if keep { behind } else { end }])?;
        rest = &rest[behind..];
    }
    cost::list(p, parts.0)
}

pub(super) fn partition(p: &mut dyn Host, v: &ScriptValue, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("str.partition", a)?;
    three(p, v, &x, |s, x| s.split_once(x), |s| [s, "", ""])
}

pub(super) fn rpartition(p: &mut dyn Host, v: &ScriptValue, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [x] = args("str.rpartition", a)?;
    three(p, v, &x, |s, x| s.rsplit_once(x), |s| ["", "", s])
}

/// What stands before the separator, the separator, and what stands behind it.
fn three(
    p: &mut dyn Host,
    v: &ScriptValue,
    x: &ScriptValue,
    split: impl for<'a> Fn(&'a str, &str) -> Option<(&'a str, &'a str)>,
    whole: impl for<'a> Fn(&'a str) -> [&'a str; 3],
) -> Result<ScriptValue, Raise> {
    let x = needs_text("must be str", x)?;
    if x.is_empty() {
        return Err(HostError::value_error("empty separator").into());
    }
    let parts = match split(text(v), x) {
        Some((before, after)) => [before, x, after],
        None => whole(text(v)),
    };
    cost::text_bytes(p, 2 * (text(v).len() + x.len()))?;
    Ok(ScriptValue::tuple(parts.map(ScriptValue::str)))
}
