//! Methods of text and bytes.

mod bytes;
mod case;
mod search;
mod split;

use tvmscript_python_syntax::is_identifier;
use tvmscript_script_value::{CallArgs, ScriptValue};

use super::Table;
use crate::errors::HostError;
use crate::eval::Raise;
use crate::python::builtins::{args, optional};
use crate::python::cost::{self, Cost};
use crate::python::number::word;
use crate::python::text_index::Chars;
use crate::python::{template, type_name, unicode};
use crate::{Evaluator, Host};

pub(super) use bytes::BYTES;

pub(super) const STR: Table = &[
    ("upper", Cost::Linear, |p, v, a| map_text(p, "upper", v, a, |s| s.to_uppercase())),
    ("lower", Cost::Linear, |p, v, a| map_text(p, "lower", v, a, |s| s.to_lowercase())),
    ("capitalize", Cost::Linear, |p, v, a| map_text(p, "capitalize", v, a, case::capitalize)),
    ("title", Cost::Linear, |p, v, a| map_text(p, "title", v, a, case::title)),
    ("swapcase", Cost::Linear, |p, v, a| map_text(p, "swapcase", v, a, case::swap)),
    ("strip", Cost::Linear, |p, v, a| strip(p, v, a, "strip", true, true)),
    ("lstrip", Cost::Linear, |p, v, a| strip(p, v, a, "lstrip", true, false)),
    ("rstrip", Cost::Linear, |p, v, a| strip(p, v, a, "rstrip", false, true)),
    ("split", Cost::Linear, split::split),
    ("rsplit", Cost::Linear, split::rsplit),
    ("splitlines", Cost::Linear, split::splitlines),
    ("partition", Cost::Linear, split::partition),
    ("rpartition", Cost::Linear, split::rpartition),
    ("join", Cost::Own, join),
    ("replace", Cost::Linear, search::replace),
    ("startswith", Cost::Own, |p, v, a| search::affix(p, "startswith", v, a, |s, x| s.starts_with(x))),
    ("endswith", Cost::Own, |p, v, a| search::affix(p, "endswith", v, a, |s, x| s.ends_with(x))),
    ("removeprefix", Cost::Linear, |p, v, a| {
        with_text(p, "removeprefix", v, a, |s, x| s.strip_prefix(x).unwrap_or(s))
    }),
    ("removesuffix", Cost::Linear, |p, v, a| {
        with_text(p, "removesuffix", v, a, |s, x| s.strip_suffix(x).unwrap_or(s))
    }),
    ("find", Cost::Linear, |p, v, a| search::find(p, v, a, false, false)),
    ("rfind", Cost::Linear, |p, v, a| search::find(p, v, a, true, false)),
    ("index", Cost::Linear, |p, v, a| search::find(p, v, a, false, true)),
    ("rindex", Cost::Linear, |p, v, a| search::find(p, v, a, true, true)),
    ("count", Cost::Linear, search::count),
    ("format", Cost::Own, |p, v, a| {
        let text = template::expand(p, text(v), &a)?;
        cost::text(p, &text)
    }),
    ("zfill", Cost::Linear, |p, v, a| {
        let [width] = args("str.zfill", a)?;
        let width = word(&width)?;
        let s = text(v);
        let (sign, digits) = match s.strip_prefix(['+', '-']) {
            Some(rest) => s.split_at(s.len() - rest.len()),
            None => ("", s),
        };
        let missing = missing(p, v, width)?;
        cost::text_bytes(p, missing.saturating_add(s.len()))?;
        Ok(ScriptValue::str(&format!("{sign}{}{digits}", "0".repeat(missing))))
    }),
    ("ljust", Cost::Linear, |p, v, a| justify(p, "ljust", v, a, |_, _| 0)),
    ("rjust", Cost::Linear, |p, v, a| justify(p, "rjust", v, a, |missing, _| missing)),
    // CPython's rule for what cannot be halved.
    ("center", Cost::Linear, |p, v, a| {
        justify(p, "center", v, a, |missing, width| missing / 2 + (missing & width & 1))
    }),
    ("isascii", Cost::Linear, |_, v, a| {
        let [] = args("str.isascii", a)?;
        Ok(ScriptValue::Bool(text(v).is_ascii()))
    }),
    ("isdigit", Cost::Linear, |_, v, a| test_text("str.isdigit", v, a, unicode::is_digit)),
    ("isdecimal", Cost::Linear, |_, v, a| test_text("str.isdecimal", v, a, unicode::is_decimal)),
    ("isnumeric", Cost::Linear, |_, v, a| test_text("str.isnumeric", v, a, unicode::is_numeric)),
    ("isalpha", Cost::Linear, |_, v, a| test_text("str.isalpha", v, a, unicode::is_alpha)),
    ("isalnum", Cost::Linear, |_, v, a| test_text("str.isalnum", v, a, unicode::is_alnum)),
    ("isspace", Cost::Linear, |_, v, a| test_text("str.isspace", v, a, unicode::is_space)),
    ("isprintable", Cost::Linear, |_, v, a| {
        let [] = args("str.isprintable", a)?;
        Ok(ScriptValue::Bool(text(v).chars().all(unicode::is_printable)))
    }),
    ("isupper", Cost::Linear, |_, v, a| {
        cased("str.isupper", v, a, char::is_uppercase, |c| c.is_lowercase() || unicode::is_title(c))
    }),
    ("islower", Cost::Linear, |_, v, a| {
        cased("str.islower", v, a, char::is_lowercase, |c| c.is_uppercase() || unicode::is_title(c))
    }),
    ("istitle", Cost::Linear, |_, v, a| {
        let [] = args("str.istitle", a)?;
        Ok(ScriptValue::Bool(case::is_title(text(v))))
    }),
    ("isidentifier", Cost::Linear, |_, v, a| {
        let [] = args("str.isidentifier", a)?;
        Ok(ScriptValue::Bool(is_identifier(text(v))))
    }),
    ("expandtabs", Cost::Linear, expandtabs),
    ("encode", Cost::Linear, |p, v, mut a| {
        if let Some(encoding) = a.take_keyword("encoding") {
            a.positional.push(encoding);
        }
        let [encoding, errors] = optional("encode", a, 0)?;
        bytes::check_encoding(encoding.as_ref(), errors.as_ref())?;
        cost::bytes(p, text(v).as_bytes().to_vec())
    }),
];

fn text(value: &ScriptValue) -> &str {
    value.as_str().unwrap_or("")
}

fn needs_text<'a>(what: &str, value: &'a ScriptValue) -> Result<&'a str, HostError> {
    match value {
        ScriptValue::Str(s) => Ok(s.as_str()),
        other => Err(HostError::type_error(format!("{what}, not {}", type_name(other)))),
    }
}

/// The characters of the text itself.
fn chars<'a>(p: &Evaluator, value: &'a ScriptValue) -> Result<Option<Chars<'a>>, Raise> {
    match value {
        ScriptValue::Str(text) => Chars::of(p, text).map(Some),
        _ => Ok(None),
    }
}

fn map_text(
    p: &mut dyn Host,
    name: &str,
    v: &ScriptValue,
    a: CallArgs,
    f: impl Fn(&str) -> String,
) -> Result<ScriptValue, Raise> {
    let [] = args(name, a)?;
    cost::text_bytes(p, text(v).len())?;
    Ok(ScriptValue::str(&f(text(v))))
}

fn with_text(
    p: &mut dyn Host,
    name: &str,
    v: &ScriptValue,
    a: CallArgs,
    f: impl for<'a> Fn(&'a str, &str) -> &'a str,
) -> Result<ScriptValue, Raise> {
    let [x] = args(name, a)?;
    let x = needs_text(&format!("{name}() argument must be str"), &x)?;
    cost::text(p, f(text(v), x))
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

fn strip(
    p: &mut dyn Host,
    v: &ScriptValue,
    a: CallArgs,
    name: &str,
    left: bool,
    right: bool,
) -> Result<ScriptValue, Raise> {
    let [chars] = optional(name, a, 0)?;
    let chars = chars.filter(|chars| !matches!(chars, ScriptValue::None));
    let s = text(v);
    let cut = match &chars {
        None => trim(s, unicode::is_space, left, right),
        Some(chars) => {
            let chars = needs_text(&format!("{name} arg must be None or str"), chars)?;
            let chars: std::collections::HashSet<char> = chars.chars().collect();
            trim(s, |c| chars.contains(&c), left, right)
        }
    };
    cost::text(p, cut)
}

fn trim(mut s: &str, cut: impl Fn(char) -> bool, left: bool, right: bool) -> &str {
    if left {
        s = s.trim_start_matches(&cut);
    }
    if right {
        s = s.trim_end_matches(&cut);
    }
    s
}

fn join(p: &mut dyn Host, v: &ScriptValue, a: CallArgs) -> Result<ScriptValue, Raise> {
    let [items] = args("str.join", a)?;
    let items = p.collect_values(&items).map_err(|raise| match raise {
        Raise::Kind(crate::ParseErrorKind::Host(error))
            if error.kind == crate::HostErrorKind::Type && error.message.ends_with("not iterable") =>
        {
            HostError::type_error("can only join an iterable").into()
        }
        other => other,
    })?;
    let separator = text(v);
    let mut out = String::new();
    for (index, item) in items.iter().enumerate() {
        let Some(part) = item.as_str() else {
            let message = format!("sequence item {index}: expected str instance, {} found", type_name(item));
            return Err(HostError::type_error(message).into());
        };
        p.program.budget.allocate((separator.len() + part.len()) as u64)?;
        cost::scan(p, separator.len() + part.len())?;
        if index > 0 {
            out.push_str(separator);
        }
        out.push_str(part);
    }
    p.program.budget.allocate(cost::OBJECT_BYTES)?;
    Ok(ScriptValue::str(&out))
}

/// The characters that the text lacks to this width.
fn missing(p: &Evaluator, v: &ScriptValue, width: i64) -> Result<usize, Raise> {
    let count = chars(p, v)?.map_or(0, |chars| chars.count());
    Ok(usize::try_from(width).unwrap_or(0).saturating_sub(count))
}

/// `left` says how many of the missing characters stand before the text.
fn justify(
    p: &mut dyn Host,
    name: &str,
    v: &ScriptValue,
    a: CallArgs,
    left: impl Fn(usize, usize) -> usize,
) -> Result<ScriptValue, Raise> {
    let [width, fill] = optional(name, a, 1)?;
    let width = word(&width.unwrap_or_default())?;
    let fill = fill.unwrap_or_else(|| ScriptValue::str(" "));
    let fill = needs_text("The fill character must be a unicode character", &fill)?;
    if fill.chars().count() != 1 {
        return Err(HostError::type_error("The fill character must be exactly one character long").into());
    }
    let s = text(v);
    let missing = missing(p, v, width)?;
    cost::text_bytes(p, missing.saturating_mul(fill.len()).saturating_add(s.len()))?;
    let left = left(missing, usize::try_from(width).unwrap_or(0));
    Ok(ScriptValue::str(&format!("{}{s}{}", fill.repeat(left), fill.repeat(missing - left))))
}

fn expandtabs(p: &mut dyn Host, v: &ScriptValue, mut a: CallArgs) -> Result<ScriptValue, Raise> {
    if let Some(size) = a.take_keyword("tabsize") {
        a.positional.push(size);
    }
    let [size] = optional("expandtabs", a, 0)?;
    let size = size.map_or(Ok(8), |size| word(&size))?;
    if size > i64::from(i32::MAX) {
        return Err(HostError::overflow("Python int too large to convert to C int").into());
    }
    let size = usize::try_from(size).unwrap_or(0);
    let mut out = String::new();
    let mut column = 0usize;
    for c in text(v).chars() {
        match c {
            '\t' => {
                let blanks = column.checked_rem(size).map_or(0, |rest| size - rest);
                cost::text_bytes(p, blanks)?;
                out.extend(std::iter::repeat_n(' ', blanks));
                column += blanks;
            }
            '\n' | '\r' => {
                out.push(c);
                column = 0;
            }
            c => {
                out.push(c);
                column += 1;
            }
        }
    }
    cost::text(p, &out)
}
