//! Methods of text.

mod parts;

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use tvmscript_python_syntax::is_identifier;
use tvmscript_script_value::{Dict, DictKey, ScriptValue};

use crate::errors::HostError;
use crate::eval::Raise;
use crate::python::builtins::{Table, instead_of_type_error, linear, not_none, own};
use crate::python::number::word;
use crate::python::text_index::Chars;
use crate::python::{Outcome, builtins, codec, cost, dict_class, subscript, template, unicode};
use crate::{Eval, EvalState};

pub(super) static STR: Table = &[
    linear("upper").zero(|p, v| map_text(p.state, v, |s| s.to_uppercase())),
    linear("lower").zero(|p, v| map_text(p.state, v, |s| s.to_lowercase())),
    linear("capitalize").zero(|p, v| map_text(p.state, v, unicode::capitalize)),
    linear("title").zero(|p, v| map_text(p.state, v, unicode::title)),
    linear("casefold").zero(|p, v| map_text(p.state, v, unicode::casefold)),
    own("format_map").one(|p, v, mapping| {
        let text = template::expand_map(p, text(v), &mapping)?;
        cost::text(p.state, &text)
    }),
    linear("translate").one(translate),
    linear("swapcase").zero(|p, v| map_text(p.state, v, unicode::swap_case)),
    linear("strip").zero_or_one(|p, v, chars| strip(p.state, v, chars, "strip", true, true)),
    linear("lstrip").zero_or_one(|p, v, chars| strip(p.state, v, chars, "lstrip", true, false)),
    linear("rstrip").zero_or_one(|p, v, chars| strip(p.state, v, chars, "rstrip", false, true)),
    linear("split").zero_to_two(parts::split).with_keywords(&["sep", "maxsplit"]),
    linear("rsplit").zero_to_two(parts::rsplit).with_keywords(&["sep", "maxsplit"]),
    linear("splitlines").zero_or_one(parts::splitlines).with_keywords(&["keepends"]),
    linear("partition").one(|p, v, x| parts::three(p.state, v, &x, |s, x| s.split_once(x), |s| [s, "", ""])),
    linear("rpartition")
        .one(|p, v, x| parts::three(p.state, v, &x, |s, x| s.rsplit_once(x), |s| ["", "", s])),
    own("join").one(join),
    linear("replace").two_or_three(parts::replace),
    own("startswith").one_to_three(|p, v, x, start, stop| {
        parts::affix(p.state, "startswith", v, &x, [start, stop], |s, x| s.starts_with(x))
    }),
    own("endswith").one_to_three(|p, v, x, start, stop| {
        parts::affix(p.state, "endswith", v, &x, [start, stop], |s, x| s.ends_with(x))
    }),
    linear("removeprefix").one(|p, v, x| {
        let x = needs_text("removeprefix() argument must be str", &x)?;
        cost::text(p.state, text(v).strip_prefix(x).unwrap_or(text(v)))
    }),
    linear("removesuffix").one(|p, v, x| {
        let x = needs_text("removesuffix() argument must be str", &x)?;
        cost::text(p.state, text(v).strip_suffix(x).unwrap_or(text(v)))
    }),
    linear("find")
        .one_to_three(|p, v, x, start, stop| parts::find(p.state, v, &x, [start, stop], false, false)),
    linear("rfind")
        .one_to_three(|p, v, x, start, stop| parts::find(p.state, v, &x, [start, stop], true, false)),
    linear("index")
        .one_to_three(|p, v, x, start, stop| parts::find(p.state, v, &x, [start, stop], false, true)),
    linear("rindex")
        .one_to_three(|p, v, x, start, stop| parts::find(p.state, v, &x, [start, stop], true, true)),
    linear("count").one_to_three(parts::count),
    own("format").any(|p, v, a| {
        let text = template::expand(p, text(v), &a)?;
        cost::text(p.state, &text)
    }),
    linear("zfill").one(|p, v, width| {
        let s = text(v);
        let (sign, digits) = s.split_at(usize::from(s.starts_with(['+', '-'])));
        let missing = missing(p.state, v, word(&width)?)?;
        cost::text_bytes(p.state, missing.saturating_add(s.len()))?;
        Ok(ScriptValue::str(&format!("{sign}{}{digits}", "0".repeat(missing))))
    }),
    linear("ljust").one_or_two(|p, v, width, fill| justify(p.state, v, &width, fill, |_, _| 0)),
    linear("rjust").one_or_two(|p, v, width, fill| justify(p.state, v, &width, fill, |missing, _| missing)),
    // CPython's rule for an odd number of missing characters.
    linear("center").one_or_two(|p, v, width, fill| {
        justify(p.state, v, &width, fill, |missing, width| missing / 2 + (missing & width & 1))
    }),
    linear("isascii").zero(|_, v| Ok(ScriptValue::Bool(text(v).is_ascii()))),
    linear("isdigit").zero(|_, v| all_chars(v, unicode::is_digit)),
    linear("isdecimal").zero(|_, v| all_chars(v, unicode::is_decimal)),
    linear("isnumeric").zero(|_, v| all_chars(v, unicode::is_numeric)),
    linear("isalpha").zero(|_, v| all_chars(v, unicode::is_alpha)),
    linear("isalnum").zero(|_, v| all_chars(v, unicode::is_alnum)),
    linear("isspace").zero(|_, v| all_chars(v, unicode::is_space)),
    linear("isprintable").zero(|_, v| Ok(ScriptValue::Bool(text(v).chars().all(unicode::is_printable)))),
    linear("isupper")
        .zero(|_, v| has_case(v, char::is_uppercase, |c| c.is_lowercase() || unicode::is_title(c))),
    linear("islower")
        .zero(|_, v| has_case(v, char::is_lowercase, |c| c.is_uppercase() || unicode::is_title(c))),
    linear("istitle").zero(|_, v| Ok(ScriptValue::Bool(unicode::is_title_case(text(v))))),
    linear("isidentifier").zero(|_, v| Ok(ScriptValue::Bool(is_identifier(text(v))))),
    linear("expandtabs").zero_or_one(expandtabs).with_keywords(&["tabsize"]),
    linear("encode")
        .zero_to_two(|p, v, encoding, errors| {
            cost::text_bytes(p.state, text(v).len())?;
            cost::bytes(p.state, codec::encode(text(v), encoding.as_ref(), errors.as_ref())?)
        })
        .with_keywords(&["encoding", "errors"]),
];

/// `str.maketrans`.
pub(crate) fn make_translation(
    p: &mut Eval<'_>,
    _: &ScriptValue,
    x: ScriptValue,
    y: Option<ScriptValue>,
    z: Option<ScriptValue>,
) -> Outcome {
    let mut table = Dict::new();
    let code = |c: char| DictKey::new(ScriptValue::Int(i64::from(c as u32))).ok();
    let Some(y) = y else {
        let ScriptValue::Dict(dict) = &x else {
            raise!(Type, "if you give only one argument to maketrans it must be a dict");
        };
        cost::entries(p.state, dict.borrow().len())?;
        for (key, value) in dict.borrow().iter() {
            match &key.0 {
                ScriptValue::Str(text) => {
                    let mut chars = text.as_str().chars();
                    let (Some(c), None) = (chars.next(), chars.next()) else {
                        raise!(Value, "string keys in translate table must be of length 1");
                    };
                    code(c).map(|key| table.insert(key, value.clone()));
                }
                ScriptValue::Int(_) | ScriptValue::Bool(_) => {
                    table.insert(key.clone(), value.clone());
                }
                _ => raise!(Type, "keys in translate table must be strings or integers"),
            }
        }
        return Ok(ScriptValue::Dict(Rc::new(RefCell::new(table))));
    };
    let Some(from) = x.as_str() else {
        raise!(Type, "first maketrans argument must be a string if there is a second argument");
    };
    let to = needs_text("maketrans() argument 2 must be str", &y)?;
    cost::entries(p.state, from.len())?;
    if from.chars().count() != to.chars().count() {
        raise!(Value, "the first two maketrans arguments must have equal length");
    }
    for (c, other) in from.chars().zip(to.chars()) {
        code(c).map(|key| table.insert(key, ScriptValue::Int(i64::from(other as u32))));
    }
    if let Some(z) = z {
        let removed = needs_text("maketrans() argument 3 must be str", &z)?;
        cost::entries(p.state, removed.len())?;
        for c in removed.chars() {
            code(c).map(|key| table.insert(key, ScriptValue::None));
        }
    }
    Ok(ScriptValue::Dict(Rc::new(RefCell::new(table))))
}

fn translate(p: &mut Eval<'_>, v: &ScriptValue, table: ScriptValue) -> Outcome {
    let mut out = String::new();
    for c in text(v).chars() {
        p.state.program.budget.step(1)?;
        let code = ScriptValue::Int(i64::from(c as u32));
        let found = match &table {
            ScriptValue::Dict(dict) => {
                let key = p.hashable(code.clone())?;
                let found = dict.borrow().get(&key).cloned();
                match found {
                    Some(found) => Some(found),
                    None => dict_class::missing(p, &table, &code)?,
                }
            }
            other => {
                let is_sequence =
                    matches!(other, ScriptValue::Str(_) | ScriptValue::List(_) | ScriptValue::Tuple(_));
                let len = if is_sequence { builtins::len(p, other)? } else { ScriptValue::Int(0) };
                match (is_sequence, len) {
                    (true, ScriptValue::Int(len)) if i64::from(c as u32) < len => {
                        Some(subscript::get(p, other, &code)?)
                    }
                    (true, _) => None,
                    (false, _) => return Err(wrong_type!("'{}' object is not subscriptable", other).into()),
                }
            }
        };
        match &found {
            None => out.push(c),
            Some(ScriptValue::None) => {}
            Some(ScriptValue::Str(text)) => {
                p.state.program.budget.allocate(text.as_str().len() as u64)?;
                out.push_str(text.as_str());
            }
            Some(other) => match crate::python::number::index(other) {
                Some(code) => match u32::try_from(&*code).ok().and_then(char::from_u32) {
                    Some(c) => out.push(c),
                    None => raise!(Value, "character mapping must be in range(0x110000)"),
                },
                None => raise!(Type, "character mapping must return integer, None or str"),
            },
        }
    }
    cost::text(p.state, &out)
}

fn text(value: &ScriptValue) -> &str {
    value.as_str().unwrap_or("")
}

fn needs_text<'a>(what: &str, value: &'a ScriptValue) -> Result<&'a str, HostError> {
    value.as_str().ok_or_else(|| match value {
        // CPython's checks of arguments write the value.
        ScriptValue::None if what.contains("() argument ") => {
            HostError::type_error(format!("{what}, not None"))
        }
        _ => wrong_type!("{what}, not {}", value),
    })
}

fn chars<'a>(p: &EvalState, value: &'a ScriptValue) -> Result<Option<Chars<'a>>, Raise> {
    match value {
        ScriptValue::Str(text) => Chars::of(p, text).map(Some),
        _ => Ok(None),
    }
}

fn map_text(p: &EvalState, v: &ScriptValue, f: fn(&str) -> String) -> Outcome {
    cost::text_bytes(p, text(v).len())?;
    Ok(ScriptValue::str(&f(text(v))))
}

fn all_chars(v: &ScriptValue, f: fn(char) -> bool) -> Outcome {
    Ok(ScriptValue::Bool(!text(v).is_empty() && text(v).chars().all(f)))
}

fn has_case(v: &ScriptValue, wanted: fn(char) -> bool, other: fn(char) -> bool) -> Outcome {
    let s = text(v);
    Ok(ScriptValue::Bool(s.chars().any(wanted) && !s.chars().any(other)))
}

fn strip(
    p: &EvalState,
    v: &ScriptValue,
    chars: Option<ScriptValue>,
    name: &str,
    left: bool,
    right: bool,
) -> Outcome {
    let cut = match &not_none(chars) {
        None => trim(text(v), unicode::is_space, left, right),
        Some(chars) => {
            let Some(chars) = chars.as_str() else { raise!(Type, "{name} arg must be None or str") };
            let chars: HashSet<char> = chars.chars().collect();
            trim(text(v), |c| chars.contains(&c), left, right)
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

fn join(p: &mut Eval<'_>, v: &ScriptValue, items: ScriptValue) -> Outcome {
    let items = p.collect_values(&items).map_err(|raise| {
        instead_of_type_error(raise, || HostError::type_error("can only join an iterable"))
    })?;
    let separator = text(v);
    let mut out = String::new();
    for (index, item) in items.iter().enumerate() {
        let Some(part) = item.as_str() else {
            return Err(wrong_type!("sequence item {index}: expected str instance, {} found", item).into());
        };
        p.state.program.budget.allocate((separator.len() + part.len()) as u64)?;
        cost::scan(p.state, separator.len() + part.len())?;
        if index > 0 {
            out.push_str(separator);
        }
        out.push_str(part);
    }
    p.state.program.budget.allocate(cost::OBJECT_BYTES)?;
    Ok(ScriptValue::str(&out))
}

/// Number of characters that the text lacks to a width.
fn missing(p: &EvalState, v: &ScriptValue, width: i64) -> Result<usize, Raise> {
    let count = chars(p, v)?.map_or(0, |chars| chars.count());
    Ok(usize::try_from(width).unwrap_or(0).saturating_sub(count))
}

/// Pads text to a width; `left` returns how many of the missing characters go before the text.
fn justify(
    p: &EvalState,
    v: &ScriptValue,
    width: &ScriptValue,
    fill: Option<ScriptValue>,
    left: fn(usize, usize) -> usize,
) -> Outcome {
    let width = word(width)?;
    let fill = fill.unwrap_or_else(|| ScriptValue::str(" "));
    let fill = needs_text("The fill character must be a unicode character", &fill)?;
    if fill.chars().count() != 1 {
        raise!(Type, "The fill character must be exactly one character long");
    }
    let s = text(v);
    let missing = missing(p, v, width)?;
    cost::text_bytes(p, missing.saturating_mul(fill.len()).saturating_add(s.len()))?;
    let left = left(missing, usize::try_from(width).unwrap_or(0));
    Ok(ScriptValue::str(&format!("{}{s}{}", fill.repeat(left), fill.repeat(missing - left))))
}

fn expandtabs(p: &mut Eval<'_>, v: &ScriptValue, size: Option<ScriptValue>) -> Outcome {
    let size = size.map_or(Ok(8), |size| word(&size))?;
    if size > i64::from(i32::MAX) {
        raise!(Overflow, "Python int too large to convert to C int");
    }
    let size = usize::try_from(size).unwrap_or(0);
    let mut out = String::new();
    let mut column = 0usize;
    for c in text(v).chars() {
        match c {
            '\t' => {
                let blanks = column.checked_rem(size).map_or(0, |rest| size - rest);
                cost::text_bytes(p.state, blanks)?;
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
    cost::text(p.state, &out)
}
