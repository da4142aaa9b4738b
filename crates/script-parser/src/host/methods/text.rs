//! Methods of text.

use tvmscript_irbuilder::{CallArgs, ScriptValue};

use super::Table;
use crate::errors::{HostError, HostErrorKind};
use crate::eval::Raise;
use crate::host::builtins::{args, charge, optional};
use crate::host::number::small_index;
use crate::host::{repr, subscript, type_name};
use crate::parser::Parser;

pub(super) const STR: Table = &[
    ("upper", |_, v, a| map_text("upper", v, a, |s| s.to_uppercase())),
    ("lower", |_, v, a| map_text("lower", v, a, |s| s.to_lowercase())),
    ("capitalize", |_, v, a| map_text("capitalize", v, a, capitalize)),
    ("title", |_, v, a| map_text("title", v, a, title)),
    ("swapcase", |_, v, a| map_text("swapcase", v, a, swapcase)),
    ("strip", |_, v, a| strip(v, a, "strip", true, true)),
    ("lstrip", |_, v, a| strip(v, a, "lstrip", true, false)),
    ("rstrip", |_, v, a| strip(v, a, "rstrip", false, true)),
    ("split", split),
    ("rsplit", rsplit),
    ("splitlines", splitlines),
    ("join", join),
    ("replace", replace),
    ("startswith", |_, v, a| affix("startswith", v, a, |s, x| s.starts_with(x))),
    ("endswith", |_, v, a| affix("endswith", v, a, |s, x| s.ends_with(x))),
    ("removeprefix", |_, v, a| {
        with_text("removeprefix", v, a, |s, x| s.strip_prefix(x).unwrap_or(s).to_owned())
    }),
    ("removesuffix", |_, v, a| {
        with_text("removesuffix", v, a, |s, x| s.strip_suffix(x).unwrap_or(s).to_owned())
    }),
    ("find", |p, v, a| find(p, v, a, false, false)),
    ("rfind", |p, v, a| find(p, v, a, true, false)),
    ("index", |p, v, a| find(p, v, a, false, true)),
    ("rindex", |p, v, a| find(p, v, a, true, true)),
    ("count", |_, v, a| {
        let [x] = args("count", a)?;
        let (s, x) = (text(v), needs_text("must be str", &x)?);
        let count = if x.is_empty() { s.chars().count() + 1 } else { s.matches(x.as_str()).count() };
        Ok(ScriptValue::Int(count as i64))
    }),
    ("format", format),
    ("zfill", |p, v, a| {
        let [width] = args("zfill", a)?;
        let width = width_of(p, &width)?;
        let s = text(v);
        let (sign, digits) = match s.strip_prefix(['+', '-']) {
            Some(rest) => s.split_at(s.len() - rest.len()),
            None => ("", s),
        };
        let missing = width.saturating_sub(s.chars().count());
        Ok(ScriptValue::str(&format!("{sign}{}{digits}", "0".repeat(missing))))
    }),
    ("ljust", |p, v, a| justify(p, "ljust", v, a, |missing| (0, missing))),
    ("rjust", |p, v, a| justify(p, "rjust", v, a, |missing| (missing, 0))),
    ("center", |p, v, a| justify(p, "center", v, a, |missing| (missing / 2, missing - missing / 2))),
    ("isdigit", |_, v, a| test_text("isdigit", v, a, |c| c.is_ascii_digit())),
    ("isdecimal", |_, v, a| test_text("isdecimal", v, a, |c| c.is_ascii_digit())),
    ("isnumeric", |_, v, a| test_text("isnumeric", v, a, char::is_numeric)),
    ("isalpha", |_, v, a| test_text("isalpha", v, a, char::is_alphabetic)),
    ("isalnum", |_, v, a| test_text("isalnum", v, a, char::is_alphanumeric)),
    ("isspace", |_, v, a| test_text("isspace", v, a, char::is_whitespace)),
    ("isupper", |_, v, a| cased("isupper", v, a, char::is_uppercase, char::is_lowercase)),
    ("islower", |_, v, a| cased("islower", v, a, char::is_lowercase, char::is_uppercase)),
    ("isidentifier", |_, v, a| {
        let [] = args("isidentifier", a)?;
        let mut chars = text(v).chars();
        let first = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_');
        Ok(ScriptValue::Bool(first && chars.all(|c| c.is_alphanumeric() || c == '_')))
    }),
    ("partition", |_, v, a| {
        let [x] = args("partition", a)?;
        let x = needs_text("must be str", &x)?;
        let parts = match text(v).split_once(x.as_str()) {
            Some((before, after)) => [before, &x, after],
            None => [text(v), "", ""],
        };
        Ok(ScriptValue::tuple(parts.map(ScriptValue::str)))
    }),
    ("rpartition", |_, v, a| {
        let [x] = args("rpartition", a)?;
        let x = needs_text("must be str", &x)?;
        let parts = match text(v).rsplit_once(x.as_str()) {
            Some((before, after)) => [before, &x, after],
            None => ["", "", text(v)],
        };
        Ok(ScriptValue::tuple(parts.map(ScriptValue::str)))
    }),
];

fn text(value: &ScriptValue) -> &str {
    value.as_str().unwrap_or("")
}

fn needs_text(what: &str, value: &ScriptValue) -> Result<String, HostError> {
    match value {
        ScriptValue::Str(s) => Ok(s.to_string()),
        other => Err(HostError::type_error(format!("{what}, not {}", type_name(other)))),
    }
}

fn map_text(
    name: &str,
    v: &ScriptValue,
    a: CallArgs,
    f: impl Fn(&str) -> String,
) -> Result<ScriptValue, Raise> {
    let [] = args(name, a)?;
    Ok(ScriptValue::str(&f(text(v))))
}

fn with_text(
    name: &str,
    v: &ScriptValue,
    a: CallArgs,
    f: impl Fn(&str, &str) -> String,
) -> Result<ScriptValue, Raise> {
    let [x] = args(name, a)?;
    let x = needs_text(&format!("{name}() argument must be str"), &x)?;
    Ok(ScriptValue::str(&f(text(v), &x)))
}

fn capitalize(s: &str) -> String {
    let mut chars = s.chars();
    chars
        .next()
        .map_or(String::new(), |c| c.to_uppercase().chain(chars.flat_map(char::to_lowercase)).collect())
}

fn title(s: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in s.chars() {
        if inside {
            out.extend(c.to_lowercase())
        } else {
            out.extend(c.to_uppercase())
        }
        inside = c.is_alphabetic();
    }
    out
}

fn swapcase(s: &str) -> String {
    let swap = |c: char| -> String {
        if c.is_uppercase() { c.to_lowercase().collect() } else { c.to_uppercase().collect() }
    };
    s.chars().map(swap).collect()
}

fn test_text(
    name: &str,
    v: &ScriptValue,
    a: CallArgs,
    f: impl Fn(char) -> bool,
) -> Result<ScriptValue, Raise> {
    let [] = args(name, a)?;
    Ok(ScriptValue::Bool(!text(v).is_empty() && text(v).chars().all(f)))
}

fn cased(
    name: &str,
    v: &ScriptValue,
    a: CallArgs,
    wanted: impl Fn(char) -> bool,
    other: impl Fn(char) -> bool,
) -> Result<ScriptValue, Raise> {
    let [] = args(name, a)?;
    let s = text(v);
    Ok(ScriptValue::Bool(s.chars().any(wanted) && !s.chars().any(other)))
}

fn strip(v: &ScriptValue, a: CallArgs, name: &str, left: bool, right: bool) -> Result<ScriptValue, Raise> {
    let [chars] = optional(name, a, 0)?;
    let chars = match chars {
        None | Some(ScriptValue::None) => None,
        Some(chars) => Some(needs_text(&format!("{name} arg must be None or str"), &chars)?),
    };
    let cut = |c: char| chars.as_ref().map_or(c.is_whitespace(), |chars| chars.contains(c));
    let mut s = text(v);
    if left {
        s = s.trim_start_matches(cut);
    }
    if right {
        s = s.trim_end_matches(cut);
    }
    Ok(ScriptValue::str(s))
}

fn split_args(name: &str, mut a: CallArgs) -> Result<(Option<String>, Option<usize>), Raise> {
    let sep = a.take_keyword("sep");
    let limit = a.take_keyword("maxsplit");
    let [first, second] = optional(name, a, 0)?;
    let sep = match sep.or(first) {
        None | Some(ScriptValue::None) => None,
        Some(sep) => Some(needs_text("must be str or None", &sep)?),
    };
    if sep.as_deref() == Some("") {
        return Err(HostError::value_error("empty separator").into());
    }
    let limit = limit.or(second).and_then(|limit| small_index(&limit)).filter(|limit| *limit >= 0);
    Ok((sep, limit.map(|limit| limit as usize)))
}

fn split(p: &mut Parser, v: &ScriptValue, a: CallArgs) -> Result<ScriptValue, Raise> {
    let (sep, limit) = split_args("split", a)?;
    let s = text(v);
    let count = limit.map_or(usize::MAX, |limit| limit.saturating_add(1));
    let parts: Vec<&str> = match &sep {
        Some(sep) => s.splitn(count, sep.as_str()).collect(),
        None => {
            let mut parts = Vec::new();
            let mut rest = s.trim_start();
            while !rest.is_empty() {
                if parts.len() + 1 == count {
                    parts.push(rest);
                    break;
                }
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                parts.push(&rest[..end]);
                rest = rest[end..].trim_start();
            }
            parts
        }
    };
    texts(p, parts)
}

fn rsplit(p: &mut Parser, v: &ScriptValue, a: CallArgs) -> Result<ScriptValue, Raise> {
    let (sep, limit) = split_args("rsplit", a)?;
    let s = text(v);
    let count = limit.map_or(usize::MAX, |limit| limit.saturating_add(1));
    let mut parts: Vec<&str> = match &sep {
        Some(sep) => s.rsplitn(count, sep.as_str()).collect(),
        None => {
            let mut parts = Vec::new();
            let mut rest = s.trim_end();
            while !rest.is_empty() {
                if parts.len() + 1 == count {
                    parts.push(rest);
                    break;
                }
                let space = rest.char_indices().rev().find(|(_, c)| c.is_whitespace());
                let start = space.map_or(0, |(at, c)| at + c.len_utf8());
                parts.push(&rest[start..]);
                rest = rest[..start].trim_end();
            }
            parts
        }
    };
    parts.reverse();
    texts(p, parts)
}

fn texts(p: &Parser, parts: Vec<&str>) -> Result<ScriptValue, Raise> {
    charge(p, parts.len())?;
    Ok(ScriptValue::list(parts.into_iter().map(ScriptValue::str).collect()))
}

fn splitlines(p: &mut Parser, v: &ScriptValue, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [] = args("splitlines", a)?;
    let text = text(v).replace("\r\n", "\n").replace('\r', "\n");
    texts(p, text.lines().collect())
}

fn join(p: &mut Parser, v: &ScriptValue, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [items] = args("join", a)?;
    let items = p.collect_values(&items)?;
    let separator = text(v);
    let mut out = String::new();
    for (index, item) in items.iter().enumerate() {
        let Some(part) = item.as_str() else {
            let message = format!("sequence item {index}: expected str instance, {} found", type_name(item));
            return Err(HostError::type_error(message).into());
        };
        p.shared.allocate((separator.len() + part.len()) as u64)?;
        if index > 0 {
            out.push_str(separator);
        }
        out.push_str(part);
    }
    Ok(ScriptValue::str(&out))
}

fn replace(p: &mut Parser, v: &ScriptValue, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [from, to, count] = optional("replace", a, 2)?;
    let from = needs_text("replace() argument 1 must be str", &from.unwrap_or_default())?;
    let to = needs_text("replace() argument 2 must be str", &to.unwrap_or_default())?;
    let limit = count.and_then(|count| small_index(&count)).filter(|count| *count >= 0);
    let s = text(v);
    let found = if from.is_empty() { s.chars().count() + 1 } else { s.matches(from.as_str()).count() };
    let found = limit.map_or(found, |limit| found.min(limit as usize));
    p.shared.allocate((s.len() + found.saturating_mul(to.len())) as u64)?;
    Ok(ScriptValue::str(&s.replacen(from.as_str(), &to, found)))
}

fn affix(
    name: &str,
    v: &ScriptValue,
    a: CallArgs,
    f: impl Fn(&str, &str) -> bool,
) -> Result<ScriptValue, Raise> {
    let [x] = args(name, a)?;
    let options = match &x {
        ScriptValue::Tuple(items) => items.to_vec(),
        _ => vec![x],
    };
    for option in &options {
        let option = needs_text(&format!("{name} first arg must be str or a tuple of str"), option)?;
        if f(text(v), &option) {
            return Ok(ScriptValue::Bool(true));
        }
    }
    Ok(ScriptValue::Bool(false))
}

fn find(_: &mut Parser, v: &ScriptValue, a: CallArgs, last: bool, must: bool) -> Result<ScriptValue, Raise> {
    let [x, start, stop] = optional("find", a, 1)?;
    let x = needs_text("must be str", &x.unwrap_or_default())?;
    let s = text(v);
    let slice = tvmscript_irbuilder::Slice {
        start: start.unwrap_or_default(),
        stop: stop.unwrap_or_default(),
        step: ScriptValue::None,
    };
    let count = s.chars().count();
    let (from, to, _) = subscript::bounds(&slice, count)?;
    let byte = |at: i64| s.char_indices().nth(at as usize).map_or(s.len(), |(byte, _)| byte);
    let found = if from > to {
        None
    } else {
        let part = &s[byte(from)..byte(to)];
        let at = if last { part.rfind(x.as_str()) } else { part.find(x.as_str()) };
        at.map(|at| from + part[..at].chars().count() as i64)
    };
    match found {
        None if must => Err(HostError::value_error("substring not found").into()),
        found => Ok(ScriptValue::Int(found.unwrap_or(-1))),
    }
}

fn width_of(p: &Parser, width: &ScriptValue) -> Result<usize, Raise> {
    let Some(width) = small_index(width) else {
        let message = format!("'{}' object cannot be interpreted as an integer", type_name(width));
        return Err(HostError::type_error(message).into());
    };
    let width = width.max(0) as u64;
    p.shared.allocate(width)?;
    Ok(width as usize)
}

fn justify(
    p: &mut Parser,
    name: &str,
    v: &ScriptValue,
    a: CallArgs,
    sides: impl Fn(usize) -> (usize, usize),
) -> Result<ScriptValue, Raise> {
    let [width, fill] = optional(name, a, 1)?;
    let width = width_of(p, &width.unwrap_or_default())?;
    let fill = fill.map_or(Ok(" ".to_owned()), |fill| {
        needs_text("The fill character must be a unicode character", &fill)
    })?;
    if fill.chars().count() != 1 {
        return Err(HostError::type_error("The fill character must be exactly one character long").into());
    }
    let s = text(v);
    let (left, right) = sides(width.saturating_sub(s.chars().count()));
    Ok(ScriptValue::str(&format!("{}{s}{}", fill.repeat(left), fill.repeat(right))))
}

/// `"{} {name:>8}".format(..)`
fn format(p: &mut Parser, v: &ScriptValue, a: CallArgs) -> Result<ScriptValue, Raise> {
    let mut out = String::new();
    let mut rest = text(v);
    let mut next = 0;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at]);
        let brace = rest.as_bytes()[at];
        rest = &rest[at + 1..];
        if rest.as_bytes().first() == Some(&brace) {
            out.push(char::from(brace));
            rest = &rest[1..];
            continue;
        }
        if brace == b'}' {
            return Err(HostError::value_error("Single '}' encountered in format string").into());
        }
        let Some(end) = rest.find('}') else {
            return Err(HostError::value_error("expected '}' before end of string").into());
        };
        let field = &rest[..end];
        rest = &rest[end + 1..];
        let (name, spec) = field.split_once(':').unwrap_or((field, ""));
        let (name, conversion) = name.split_once('!').map_or((name, None), |(n, c)| (n, Some(c)));
        let mut value = if name.is_empty() {
            next += 1;
            positional(&a, next - 1)?
        } else if let Ok(index) = name.parse::<usize>() {
            positional(&a, index)?
        } else {
            match a.keywords.iter().find(|(key, _)| key.as_str() == name) {
                Some((_, value)) => value.clone(),
                None => return Err(HostError::new(HostErrorKind::Key, format!("'{name}'")).into()),
            }
        };
        match conversion {
            Some("r" | "a") => value = ScriptValue::str(&repr::repr(p, &value)?),
            Some("s") => value = ScriptValue::str(&repr::str(p, &value)?),
            _ => {}
        }
        out.push_str(&crate::host::format::format(p, &value, spec)?);
    }
    out.push_str(rest);
    p.shared.allocate(out.len() as u64)?;
    Ok(ScriptValue::str(&out))
}

fn positional(a: &CallArgs, index: usize) -> Result<ScriptValue, HostError> {
    a.positional.get(index).cloned().ok_or_else(|| {
        let message = format!("Replacement index {index} out of range for positional args tuple");
        HostError::index(message)
    })
}
