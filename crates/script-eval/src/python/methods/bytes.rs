//! Methods of `bytes` that work like those of `str` on ASCII.
//!
//! The bytes become a text, the method of `str` runs, and its result becomes bytes again. Bytes that `str` would treat as
//! letters, digits or spaces of Unicode become characters of a private area.

use tvmscript_script_value::{CallArgs, ScriptValue};

use super::of_type;
use crate::Host;
use crate::errors::{HostError, HostErrorKind, ParseErrorKind};
use crate::eval::Raise;
use crate::python::builtins::{Builtin, BuiltinKind, Table, linear};
use crate::python::{Outcome, cost, type_name};

/// First character for bytes without a meaning in ASCII, and for the separators that `str` takes for spaces.
const PRIVATE: u32 = 0xE000;

fn decoded(bytes: &[u8]) -> ScriptValue {
    let char_of = |byte: &u8| match byte {
        0x1c..=0x1f | 0x80.. => char::from_u32(PRIVATE + u32::from(*byte)).unwrap_or('\u{fffd}'),
        byte => char::from(*byte),
    };
    ScriptValue::str(&bytes.iter().map(char_of).collect::<String>())
}

fn encoded(text: &str) -> ScriptValue {
    let byte_of =
        |c: char| u8::try_from(u32::from(c).checked_sub(PRIVATE).unwrap_or(c as u32)).unwrap_or(b'?');
    ScriptValue::Bytes(text.chars().map(byte_of).collect::<Vec<u8>>().into())
}

/// Converts an argument. In methods that search, an integer is a byte.
fn argument(p: &mut dyn Host, name: &str, index: usize, value: ScriptValue) -> Outcome {
    let searches = matches!(name, "find" | "rfind" | "index" | "rindex" | "count");
    match value.plain() {
        ScriptValue::Bytes(bytes) => {
            cost::text_bytes(p, 3 * bytes.len())?;
            Ok(decoded(bytes))
        }
        ScriptValue::Tuple(items) if matches!(name, "startswith" | "endswith") => {
            let items: Vec<ScriptValue> = items.to_vec();
            let converted: Result<Vec<ScriptValue>, Raise> =
                items.into_iter().map(|item| argument(p, name, index, item)).collect();
            Ok(ScriptValue::tuple(converted?))
        }
        ScriptValue::Int(byte) if searches && index == 0 => match u8::try_from(*byte) {
            Ok(byte) => Ok(decoded(&[byte])),
            Err(_) => raise!(Value, "byte must be in range(0, 256)"),
        },
        ScriptValue::Str(_) if matches!(name, "startswith" | "endswith") => {
            raise!(Type, "{name} first arg must be bytes or a tuple of bytes, not str")
        }
        ScriptValue::Str(_) if searches => {
            raise!(Type, "argument should be integer or bytes-like object, not 'str'")
        }
        ScriptValue::Str(_) if matches!(name, "center" | "ljust" | "rjust") => {
            raise!(Type, "{name}() argument 2 must be a byte string of length 1, not str")
        }
        ScriptValue::Str(_) => raise!(Type, "a bytes-like object is required, not 'str'"),
        _ => Ok(value),
    }
}

/// Runs the method of `str` of this name.
fn through(p: &mut dyn Host, name: &'static str, receiver: &ScriptValue, mut args: CallArgs) -> Outcome {
    let ScriptValue::Bytes(bytes) = receiver.plain() else { return Ok(ScriptValue::None) };
    cost::text_bytes(p, 3 * bytes.len())?;
    let text = decoded(bytes);
    if name == "join" {
        let [items] = args.positional.as_slice() else {
            raise!(Type, "bytes.join() takes exactly one argument ({} given)", args.positional.len());
        };
        let mut texts = Vec::new();
        for (index, item) in p.collect_values(items)?.into_iter().enumerate() {
            if !matches!(item.plain(), ScriptValue::Bytes(_)) {
                let found = type_name(&item);
                raise!(Type, "sequence item {index}: expected a bytes-like object, {found} found");
            }
            texts.push(argument(p, name, index, item)?);
        }
        args.positional = [ScriptValue::list(texts)].into_iter().collect();
    } else {
        let given = std::mem::take(&mut args.positional);
        for (index, value) in given.into_iter().enumerate() {
            args.positional.push(argument(p, name, index, value)?);
        }
        let keywords = std::mem::take(&mut args.keywords);
        for (key, value) in keywords {
            args.keywords.push((key, argument(p, name, 1, value)?));
        }
    }
    let Some(native) = of_type("str", name) else { return Ok(ScriptValue::None) };
    let method = Builtin::value(native, BuiltinKind::Method(text));
    let result = p.call_value(&method, args).map_err(|raise| match raise {
        Raise::Kind(ParseErrorKind::Host(error))
            if error.kind == HostErrorKind::Value && error.message == "substring not found" =>
        {
            HostError::value_error("subsection not found").into()
        }
        other => other,
    })?;
    let back = |value: &ScriptValue| value.as_str().map_or_else(|| value.clone(), encoded);
    Ok(match &result {
        ScriptValue::List(items) => ScriptValue::list(items.borrow().iter().map(back).collect()),
        ScriptValue::Tuple(items) => ScriptValue::tuple(items.iter().map(back)),
        other => back(other),
    })
}

macro_rules! methods {
    ($($name:literal)*) => {
        /// The methods.
        pub(super) static BYTES: Table = &[
            $(linear($name).any(|p, x, a| through(p, $name, x, a)),)*
            linear("isascii").zero(|_, x| {
                Ok(ScriptValue::Bool(matches!(x.plain(), ScriptValue::Bytes(bytes) if bytes.is_ascii())))
            }),
            linear("splitlines").zero_or_one(split_lines).with_keywords(&["keepends"]),
            linear("translate").one_or_two(translate).with_keywords(&["", "delete"]),
        ];
    };
}
methods! {
    "capitalize" "center" "count" "endswith" "expandtabs" "find" "index" "isalnum" "isalpha" "isdigit" "islower" "isspace"
    "istitle" "isupper" "join" "ljust" "lower" "lstrip" "partition" "removeprefix" "removesuffix" "replace" "rfind" "rindex"
    "rjust" "rpartition" "rsplit" "rstrip" "split" "startswith" "strip" "swapcase" "title" "upper" "zfill"
}

/// `bytes.splitlines(keepends=False)`: lines end with `\n`, `\r` or `\r\n`.
fn split_lines(p: &mut dyn Host, x: &ScriptValue, keep: Option<ScriptValue>) -> Outcome {
    let ScriptValue::Bytes(bytes) = x.plain() else { return Ok(ScriptValue::None) };
    let keep = keep.map_or(Ok(false), |keep| p.truth(&keep))?;
    let (mut lines, mut start, mut at) = (Vec::new(), 0, 0);
    while let Some(byte) = bytes.get(at) {
        at += 1;
        if !matches!(byte, b'\n' | b'\r') {
            continue;
        }
        let end = at - 1;
        if *byte == b'\r' && bytes.get(at) == Some(&b'\n') {
            at += 1;
        }
        let line = bytes.get(start..if keep { at } else { end }).unwrap_or_default();
        lines.push(ScriptValue::Bytes(line.into()));
        start = at;
    }
    if let Some(rest) = bytes.get(start..).filter(|rest| !rest.is_empty()) {
        lines.push(ScriptValue::Bytes(rest.into()));
    }
    cost::values(p, lines.len())?;
    Ok(ScriptValue::list(lines))
}

/// `bytes.translate(table, delete=b"")`
fn translate(p: &mut dyn Host, x: &ScriptValue, table: ScriptValue, delete: Option<ScriptValue>) -> Outcome {
    let ScriptValue::Bytes(bytes) = x.plain() else { return Ok(ScriptValue::None) };
    let of = |value: &ScriptValue| match value.plain() {
        ScriptValue::Bytes(bytes) => Ok(bytes.to_vec()),
        other => Err(wrong_type!("a bytes-like object is required, not '{}'", other)),
    };
    let table = match &table {
        ScriptValue::None => None,
        table => Some(of(table)?),
    };
    if table.as_ref().is_some_and(|table| table.len() != 256) {
        raise!(Value, "translation table must be 256 characters long");
    }
    let delete = delete.as_ref().map(of).transpose()?.unwrap_or_default();
    p.program.budget.step((bytes.len() as u64).saturating_mul(delete.len().min(256) as u64) / 16)?;
    let mapped =
        |byte: &u8| table.as_ref().and_then(|table| table.get(usize::from(*byte)).copied()).unwrap_or(*byte);
    let result = bytes.iter().filter(|byte| !delete.contains(byte)).map(mapped).collect();
    cost::bytes(p, result)
}
