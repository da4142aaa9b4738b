//! Methods of `bytes`, which `bytearray` has, too. Results have the type of the receiver.

use std::rc::Rc;

use tvmscript_script_value::ScriptValue;

use crate::Eval;
use crate::errors::HostError;
use crate::eval::Raise;
use crate::python::builtins::{Table, instead_of_type_error, linear, not_none, own};
use crate::python::bytearray::{ByteArray, content};
use crate::python::number::{small_index, word};
use crate::python::{Outcome, codec, cost, subscript, type_name};

pub(super) static BYTES: Table = &[
    linear("capitalize").zero(|p, v| {
        map(p, v, |bytes| {
            let mut out = bytes.to_ascii_lowercase();
            out.iter_mut().take(1).for_each(u8::make_ascii_uppercase);
            out
        })
    }),
    linear("center").one_or_two(|p, v, width, fill| {
        // CPython's rule for an odd number of missing bytes.
        justify(p, v, "center", &width, fill, |missing, width| missing / 2 + (missing & width & 1))
    }),
    linear("count").one_to_three(|p, v, part, start, stop| {
        let (bytes, part) = (own_bytes(p, v)?, needle(p, &part)?);
        let Some((_, section)) = section(&bytes, [start, stop])? else { return Ok(ScriptValue::Int(0)) };
        search_cost(p, section.len(), part.len())?;
        let found = if part.is_empty() { section.len() + 1 } else { places(section, &part).len() };
        Ok(ScriptValue::Int(found as i64))
    }),
    linear("decode")
        .zero_to_two(|p, v, encoding, errors| {
            let bytes = own_bytes(p, v)?;
            cost::text_bytes(p.state, bytes.len())?;
            cost::text(p.state, &codec::decode(&bytes, encoding.as_ref(), errors.as_ref())?)
        })
        .with_keywords(&["encoding", "errors"]),
    own("endswith").one_to_three(|p, v, x, start, stop| {
        affix(p, "endswith", v, &x, [start, stop], |bytes, part| bytes.ends_with(part))
    }),
    linear("expandtabs").zero_or_one(expandtabs).with_keywords(&["tabsize"]),
    linear("find").one_to_three(|p, v, x, start, stop| find(p, v, &x, [start, stop], false, false)),
    linear("hex").zero_or_one(hex).with_keywords(&["sep"]),
    linear("index").one_to_three(|p, v, x, start, stop| find(p, v, &x, [start, stop], false, true)),
    linear("isalnum").zero(|p, v| all(p, v, |byte| byte.is_ascii_alphanumeric())),
    linear("isalpha").zero(|p, v| all(p, v, |byte| byte.is_ascii_alphabetic())),
    linear("isascii").zero(|p, v| Ok(ScriptValue::Bool(own_bytes(p, v)?.is_ascii()))),
    linear("isdigit").zero(|p, v| all(p, v, |byte| byte.is_ascii_digit())),
    linear("islower")
        .zero(|p, v| has_case(p, v, |byte| byte.is_ascii_lowercase(), |byte| byte.is_ascii_uppercase())),
    linear("isspace").zero(|p, v| all(p, v, is_space)),
    linear("istitle").zero(|p, v| {
        let bytes = own_bytes(p, v)?;
        let is_cased = bytes.iter().any(u8::is_ascii_alphabetic);
        Ok(ScriptValue::Bool(is_cased && title(&bytes) == *bytes))
    }),
    linear("isupper")
        .zero(|p, v| has_case(p, v, |byte| byte.is_ascii_uppercase(), |byte| byte.is_ascii_lowercase())),
    own("join").one(join),
    linear("ljust").one_or_two(|p, v, width, fill| justify(p, v, "ljust", &width, fill, |_, _| 0)),
    linear("lower").zero(|p, v| map(p, v, <[u8]>::to_ascii_lowercase)),
    linear("lstrip").zero_or_one(|p, v, bytes| strip(p, v, bytes, true, false)),
    linear("partition").one(|p, v, x| partition(p, v, &x, false)),
    linear("removeprefix").one(|p, v, x| {
        let (bytes, x) = (own_bytes(p, v)?, bytes_like(p, &x)?);
        like(p, v, bytes.strip_prefix(&*x).unwrap_or(&bytes).to_vec())
    }),
    linear("removesuffix").one(|p, v, x| {
        let (bytes, x) = (own_bytes(p, v)?, bytes_like(p, &x)?);
        like(p, v, bytes.strip_suffix(&*x).unwrap_or(&bytes).to_vec())
    }),
    linear("replace").two_or_three(replace),
    linear("rfind").one_to_three(|p, v, x, start, stop| find(p, v, &x, [start, stop], true, false)),
    linear("rindex").one_to_three(|p, v, x, start, stop| find(p, v, &x, [start, stop], true, true)),
    linear("rjust")
        .one_or_two(|p, v, width, fill| justify(p, v, "rjust", &width, fill, |missing, _| missing)),
    linear("rpartition").one(|p, v, x| partition(p, v, &x, true)),
    linear("rsplit")
        .zero_to_two(|p, v, sep, limit| split(p, v, sep, limit, true))
        .with_keywords(&["sep", "maxsplit"]),
    linear("rstrip").zero_or_one(|p, v, bytes| strip(p, v, bytes, false, true)),
    linear("split")
        .zero_to_two(|p, v, sep, limit| split(p, v, sep, limit, false))
        .with_keywords(&["sep", "maxsplit"]),
    linear("splitlines").zero_or_one(splitlines).with_keywords(&["keepends"]),
    own("startswith").one_to_three(|p, v, x, start, stop| {
        affix(p, "startswith", v, &x, [start, stop], |bytes, part| bytes.starts_with(part))
    }),
    linear("strip").zero_or_one(|p, v, bytes| strip(p, v, bytes, true, true)),
    linear("swapcase").zero(|p, v| {
        map(p, v, |bytes| {
            bytes.iter().map(|byte| if byte.is_ascii_alphabetic() { byte ^ 0x20 } else { *byte }).collect()
        })
    }),
    linear("title").zero(|p, v| map(p, v, title)),
    linear("translate").one_or_two(translate).with_keywords(&["", "delete"]),
    linear("upper").zero(|p, v| map(p, v, <[u8]>::to_ascii_uppercase)),
    linear("zfill").one(|p, v, width| {
        let bytes = own_bytes(p, v)?;
        let (sign, digits) = bytes.split_at(usize::from(bytes.starts_with(b"+") || bytes.starts_with(b"-")));
        let missing = usize::try_from(word(&width)?).unwrap_or(0).saturating_sub(bytes.len());
        cost::text_bytes(p.state, missing.saturating_add(bytes.len()))?;
        like(p, v, [sign, &vec![b'0'; missing], digits].concat())
    }),
];

/// `bytes.maketrans`
pub(crate) fn make_translation(
    p: &mut Eval<'_>,
    _: &ScriptValue,
    from: ScriptValue,
    to: ScriptValue,
) -> Outcome {
    let (from, to) = (bytes_like(p, &from)?, bytes_like(p, &to)?);
    if from.len() != to.len() {
        raise!(Value, "maketrans arguments must have same length");
    }
    let mut table: Vec<u8> = (0..=u8::MAX).collect();
    for (byte, other) in from.iter().zip(to.iter()) {
        if let Some(slot) = table.get_mut(usize::from(*byte)) {
            *slot = *other;
        }
    }
    cost::bytes(p.state, table)
}

fn own_bytes(p: &Eval<'_>, v: &ScriptValue) -> Result<Rc<[u8]>, Raise> {
    Ok(content(p, v)?.unwrap_or_default())
}

/// The bytes of an argument.
fn bytes_like(p: &Eval<'_>, value: &ScriptValue) -> Result<Rc<[u8]>, Raise> {
    content(p, value)?.ok_or_else(|| wrong_type!("a bytes-like object is required, not '{}'", value).into())
}

/// The bytes that a search looks for: a number is a single one.
fn needle(p: &Eval<'_>, value: &ScriptValue) -> Result<Rc<[u8]>, Raise> {
    if let Some(bytes) = content(p, value)? {
        return Ok(bytes);
    }
    match small_index(value).map(u8::try_from) {
        Some(Ok(byte)) => Ok(Rc::from([byte])),
        Some(Err(_)) => raise!(Value, "byte must be in range(0, 256)"),
        None => Err(wrong_type!("argument should be integer or bytes-like object, not '{}'", value).into()),
    }
}

/// A value of the type of the receiver.
fn like(p: &mut Eval<'_>, v: &ScriptValue, bytes: Vec<u8>) -> Outcome {
    match v {
        ScriptValue::Bytes(_) => cost::bytes(p.state, bytes),
        _ => ByteArray::charged(p, bytes),
    }
}

fn map(p: &mut Eval<'_>, v: &ScriptValue, f: fn(&[u8]) -> Vec<u8>) -> Outcome {
    let bytes = own_bytes(p, v)?;
    cost::text_bytes(p.state, bytes.len())?;
    like(p, v, f(&bytes))
}

fn all(p: &Eval<'_>, v: &ScriptValue, f: fn(u8) -> bool) -> Outcome {
    let bytes = own_bytes(p, v)?;
    Ok(ScriptValue::Bool(!bytes.is_empty() && bytes.iter().all(|byte| f(*byte))))
}

fn has_case(p: &Eval<'_>, v: &ScriptValue, wanted: fn(&u8) -> bool, other: fn(&u8) -> bool) -> Outcome {
    let bytes = own_bytes(p, v)?;
    Ok(ScriptValue::Bool(bytes.iter().any(wanted) && !bytes.iter().any(other)))
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

fn title(bytes: &[u8]) -> Vec<u8> {
    let mut is_inside = false;
    let one = |byte: &u8| {
        let new = if is_inside { byte.to_ascii_lowercase() } else { byte.to_ascii_uppercase() };
        is_inside = byte.is_ascii_alphabetic();
        new
    };
    bytes.iter().map(one).collect()
}

/// The bytes between two optional indices, and the index of the first; `None` if the first is after the second or the end.
fn section(bytes: &[u8], bounds: [Option<ScriptValue>; 2]) -> Result<Option<(usize, &[u8])>, Raise> {
    let Some(range) = subscript::section(bounds, bytes.len())? else { return Ok(None) };
    let from = range.start;
    Ok(bytes.get(range).map(|part| (from, part)))
}

/// Charges a naive search.
fn search_cost(p: &Eval<'_>, len: usize, part: usize) -> Result<(), Raise> {
    cost::scan(p.state, len.saturating_mul(1 + part / 32))
}

/// Indices where a part that is not empty begins, without overlaps.
fn places(bytes: &[u8], part: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = bytes.get(at..)
        && let Some(next) = first(rest, part)
    {
        found.push(at + next);
        at += next + part.len();
    }
    found
}

fn first(bytes: &[u8], part: &[u8]) -> Option<usize> {
    if part.is_empty() { Some(0) } else { bytes.windows(part.len()).position(|window| window == part) }
}

fn last(bytes: &[u8], part: &[u8]) -> Option<usize> {
    if part.is_empty() {
        Some(bytes.len())
    } else {
        bytes.windows(part.len()).rposition(|window| window == part)
    }
}

fn find(
    p: &mut Eval<'_>,
    v: &ScriptValue,
    x: &ScriptValue,
    bounds: [Option<ScriptValue>; 2],
    from_end: bool,
    must: bool,
) -> Outcome {
    let (bytes, part) = (own_bytes(p, v)?, needle(p, x)?);
    let found = match section(&bytes, bounds)? {
        None => None,
        Some((from, section)) => {
            search_cost(p, section.len(), part.len())?;
            let at = if from_end { last(section, &part) } else { first(section, &part) };
            at.map(|at| from + at)
        }
    };
    match found {
        Some(at) => Ok(ScriptValue::Int(at as i64)),
        None if must => raise!(Value, "subsection not found"),
        None => Ok(ScriptValue::Int(-1)),
    }
}

fn affix(
    p: &mut Eval<'_>,
    name: &str,
    v: &ScriptValue,
    x: &ScriptValue,
    bounds: [Option<ScriptValue>; 2],
    f: fn(&[u8], &[u8]) -> bool,
) -> Outcome {
    let bytes = own_bytes(p, v)?;
    let part = section(&bytes, bounds)?.map(|(_, part)| part);
    let options = match x {
        ScriptValue::Tuple(items) => items.as_slice(),
        x => std::slice::from_ref(x),
    };
    for option in options {
        p.state.program.budget.step(1)?;
        let Some(option) = content(p, option)? else {
            return Err(match x {
                ScriptValue::Tuple(_) => {
                    wrong_type!("a bytes-like object is required, not '{}'", option).into()
                }
                _ => wrong_type!("{name} first arg must be bytes or a tuple of bytes, not {}", option).into(),
            });
        };
        cost::scan(p.state, option.len())?;
        if part.is_some_and(|part| f(part, &option)) {
            return Ok(ScriptValue::Bool(true));
        }
    }
    Ok(ScriptValue::Bool(false))
}

fn justify(
    p: &mut Eval<'_>,
    v: &ScriptValue,
    name: &str,
    width: &ScriptValue,
    fill: Option<ScriptValue>,
    left: fn(usize, usize) -> usize,
) -> Outcome {
    let width = word(width)?;
    let fill = match &fill {
        None => b' ',
        Some(fill) => match content(p, fill)?.as_deref() {
            Some([byte]) => *byte,
            _ => {
                raise!(
                    Type,
                    "{name}() argument 2 must be a byte string of length 1, not {}",
                    type_name(fill)
                );
            }
        },
    };
    let bytes = own_bytes(p, v)?;
    let width = usize::try_from(width).unwrap_or(0);
    let missing = width.saturating_sub(bytes.len());
    cost::text_bytes(p.state, missing.saturating_add(bytes.len()))?;
    let before = left(missing, width);
    like(p, v, [&vec![fill; before][..], &bytes, &vec![fill; missing - before]].concat())
}

fn strip(p: &mut Eval<'_>, v: &ScriptValue, cut: Option<ScriptValue>, left: bool, right: bool) -> Outcome {
    let bytes = own_bytes(p, v)?;
    let mut is_cut = [false; 256];
    match not_none(cut) {
        None => is_cut.iter_mut().zip(0..=u8::MAX).for_each(|(slot, byte)| *slot = is_space(byte)),
        Some(cut) => {
            for byte in bytes_like(p, &cut)?.iter() {
                is_cut.iter_mut().skip(usize::from(*byte)).take(1).for_each(|slot| *slot = true);
            }
        }
    }
    let stays = |byte: &u8| !is_cut.get(usize::from(*byte)).copied().unwrap_or(false);
    let start = if left { bytes.iter().position(stays).unwrap_or(bytes.len()) } else { 0 };
    let end = if right { bytes.iter().rposition(stays).map_or(start, |at| at + 1) } else { bytes.len() };
    like(p, v, bytes.get(start..end.max(start)).unwrap_or_default().to_vec())
}

fn separator(p: &Eval<'_>, x: &ScriptValue) -> Result<Rc<[u8]>, Raise> {
    let x = bytes_like(p, x)?;
    if x.is_empty() {
        raise!(Value, "empty separator");
    }
    Ok(x)
}

fn partition(p: &mut Eval<'_>, v: &ScriptValue, x: &ScriptValue, from_end: bool) -> Outcome {
    let (bytes, x) = (own_bytes(p, v)?, separator(p, x)?);
    search_cost(p, bytes.len(), x.len())?;
    let at = if from_end { last(&bytes, &x) } else { first(&bytes, &x) };
    let parts: [&[u8]; 3] = match at.and_then(|at| Some((bytes.get(..at)?, bytes.get(at + x.len()..)?))) {
        Some((before, behind)) => [before, &x, behind],
        None if from_end => [&[], &[], &bytes],
        None => [&bytes, &[], &[]],
    };
    let mut out = Vec::with_capacity(3);
    for part in parts {
        out.push(like(p, v, part.to_vec())?);
    }
    Ok(ScriptValue::tuple(out))
}

fn replace(
    p: &mut Eval<'_>,
    v: &ScriptValue,
    from: ScriptValue,
    to: ScriptValue,
    count: Option<ScriptValue>,
) -> Outcome {
    let (bytes, from, to) = (own_bytes(p, v)?, bytes_like(p, &from)?, bytes_like(p, &to)?);
    let limit = count.map(|count| word(&count)).transpose()?.and_then(|count| usize::try_from(count).ok());
    search_cost(p, bytes.len(), from.len())?;
    let mut found = if from.is_empty() { (0..=bytes.len()).collect() } else { places(&bytes, &from) };
    found.truncate(limit.unwrap_or(usize::MAX));
    cost::text_bytes(p.state, bytes.len().saturating_add(found.len().saturating_mul(to.len())))?;
    let mut out = Vec::new();
    let mut at = 0;
    for place in found {
        out.extend_from_slice(bytes.get(at..place).unwrap_or_default());
        out.extend_from_slice(&to);
        at = place + from.len();
    }
    out.extend_from_slice(bytes.get(at..).unwrap_or_default());
    like(p, v, out)
}

fn split(
    p: &mut Eval<'_>,
    v: &ScriptValue,
    sep: Option<ScriptValue>,
    limit: Option<ScriptValue>,
    from_end: bool,
) -> Outcome {
    let limit = limit.map(|limit| word(&limit)).transpose()?.and_then(|limit| usize::try_from(limit).ok());
    let limit = limit.unwrap_or(usize::MAX);
    let bytes = own_bytes(p, v)?;
    let mut parts: Vec<&[u8]> = match not_none(sep) {
        Some(sep) => {
            let sep = separator(p, &sep)?;
            search_cost(p, bytes.len(), sep.len())?;
            let mut rest: &[u8] = &bytes;
            let mut parts = Vec::new();
            while parts.len() < limit {
                let at = if from_end { last(rest, &sep) } else { first(rest, &sep) };
                let Some(at) = at else { break };
                let (before, behind) = rest.split_at(at);
                let behind = behind.get(sep.len()..).unwrap_or_default();
                let (part, next) = if from_end { (behind, before) } else { (before, behind) };
                parts.push(part);
                rest = next;
            }
            parts.push(rest);
            parts
        }
        None => words(&bytes, limit, from_end),
    };
    if from_end {
        parts.reverse();
    }
    collected(p, v, parts)
}

/// Words between white space; from the end in reverse order.
fn words(bytes: &[u8], limit: usize, from_end: bool) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let mut rest = bytes;
    loop {
        let (start, end) =
            match (rest.iter().position(|b| !is_space(*b)), rest.iter().rposition(|b| !is_space(*b))) {
                (Some(start), Some(end)) => (start, end + 1),
                _ => return parts,
            };
        if parts.len() == limit {
            let last = if from_end { rest.get(..end) } else { rest.get(start..) };
            parts.extend(last);
            return parts;
        }
        let trimmed = rest.get(start..end).unwrap_or_default();
        let (part, next) = match from_end {
            false => {
                let behind = trimmed.iter().position(|b| is_space(*b)).unwrap_or(trimmed.len());
                (trimmed.get(..behind), rest.get(start + behind..))
            }
            true => {
                let before = trimmed.iter().rposition(|b| is_space(*b)).map_or(0, |at| at + 1);
                (trimmed.get(before..), rest.get(..start + before))
            }
        };
        parts.extend(part);
        rest = next.unwrap_or_default();
    }
}

fn collected(p: &mut Eval<'_>, v: &ScriptValue, parts: Vec<&[u8]>) -> Outcome {
    let mut out = Vec::new();
    for part in parts {
        p.state.program.budget.step(1)?;
        out.push(like(p, v, part.to_vec())?);
    }
    cost::list(p.state, out)
}

fn splitlines(p: &mut Eval<'_>, v: &ScriptValue, keep: Option<ScriptValue>) -> Outcome {
    let keep = match keep {
        Some(keep) => p.truth(&keep)?,
        None => false,
    };
    let bytes = own_bytes(p, v)?;
    let mut parts = Vec::new();
    let mut rest: &[u8] = &bytes;
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        let behind = end + if rest.get(end..).is_some_and(|rest| rest.starts_with(b"\r\n")) { 2 } else { 1 };
        let behind = behind.min(rest.len());
        parts.extend(rest.get(..if keep { behind } else { end }));
        rest = rest.get(behind..).unwrap_or_default();
    }
    collected(p, v, parts)
}

fn join(p: &mut Eval<'_>, v: &ScriptValue, items: ScriptValue) -> Outcome {
    let separator = own_bytes(p, v)?;
    let items = p.collect_values(&items).map_err(|raise| {
        instead_of_type_error(raise, || HostError::type_error("can only join an iterable"))
    })?;
    let mut out = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let Some(part) = content(p, item)? else {
            return Err(
                wrong_type!("sequence item {index}: expected a bytes-like object, {} found", item).into()
            );
        };
        p.state.program.budget.allocate((separator.len() + part.len()) as u64)?;
        cost::scan(p.state, separator.len() + part.len())?;
        if index > 0 {
            out.extend_from_slice(&separator);
        }
        out.extend_from_slice(&part);
    }
    like(p, v, out)
}

fn hex(p: &mut Eval<'_>, v: &ScriptValue, sep: Option<ScriptValue>) -> Outcome {
    let bytes = own_bytes(p, v)?;
    let sep = match &sep {
        None => String::new(),
        Some(sep) => match (sep.as_str().map(str::to_owned), content(p, sep)?) {
            (Some(text), _) if text.len() == 1 => text,
            (_, Some(bytes)) if bytes.len() == 1 && bytes.is_ascii() => {
                String::from_utf8_lossy(&bytes).into_owned()
            }
            (None, None) => raise!(Type, "sep must be str or bytes."),
            _ => raise!(Value, "sep must be length 1."),
        },
    };
    cost::text_bytes(p.state, 3 * bytes.len())?;
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(ScriptValue::str(&digits.join(&sep)))
}

fn expandtabs(p: &mut Eval<'_>, v: &ScriptValue, size: Option<ScriptValue>) -> Outcome {
    let size = usize::try_from(size.map_or(Ok(8), |size| word(&size))?).unwrap_or(0);
    let mut out = Vec::new();
    let mut column = 0usize;
    for byte in own_bytes(p, v)?.iter() {
        match byte {
            b'\t' => {
                let blanks = column.checked_rem(size).map_or(0, |rest| size - rest);
                cost::text_bytes(p.state, blanks)?;
                out.resize(out.len() + blanks, b' ');
                column += blanks;
            }
            b'\n' | b'\r' => {
                out.push(*byte);
                column = 0;
            }
            byte => {
                out.push(*byte);
                column += 1;
            }
        }
    }
    like(p, v, out)
}

fn translate(p: &mut Eval<'_>, v: &ScriptValue, table: ScriptValue, delete: Option<ScriptValue>) -> Outcome {
    let bytes = own_bytes(p, v)?;
    let table = match not_none(Some(table)) {
        None => None,
        Some(table) => {
            let table = bytes_like(p, &table)?;
            if table.len() != 256 {
                raise!(Value, "translation table must be 256 characters long");
            }
            Some(table)
        }
    };
    let delete = match &delete {
        Some(delete) => bytes_like(p, delete)?,
        None => Rc::from([]),
    };
    cost::scan(p.state, bytes.len().saturating_mul(1 + delete.len().min(256)))?;
    let new =
        |byte: &u8| table.as_ref().and_then(|table| table.get(usize::from(*byte)).copied()).unwrap_or(*byte);
    let out = bytes.iter().filter(|byte| !delete.contains(byte)).map(new).collect();
    like(p, v, out)
}
