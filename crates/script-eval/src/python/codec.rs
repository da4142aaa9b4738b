//! Text encodings: UTF-8, ASCII and Latin-1, with the error handlers `strict`, `ignore` and `replace`.

use tvmscript_script_value::ScriptValue;

use super::type_name;
use crate::errors::HostError;
use crate::eval::{Raise, exception};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Codec {
    Utf8,
    Ascii,
    Latin1,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Handler {
    Strict,
    Ignore,
    Replace,
}

impl Codec {
    /// CPython's name in messages.
    fn name(self) -> &'static str {
        match self {
            Codec::Utf8 => "utf-8",
            Codec::Ascii => "ascii",
            Codec::Latin1 => "latin-1",
        }
    }

    /// The first code point that it cannot encode.
    fn limit(self) -> u32 {
        match self {
            Codec::Utf8 => u32::MAX,
            Codec::Ascii => 0x80,
            Codec::Latin1 => 0x100,
        }
    }

    fn of(value: Option<&ScriptValue>, function: &str) -> Result<Codec, HostError> {
        let Some(value) = value else { return Ok(Codec::Utf8) };
        let Some(name) = value.as_str() else {
            return Err(argument_error(function, "encoding", value));
        };
        match name.to_ascii_lowercase().replace(['_', ' '], "-").as_str() {
            "utf-8" | "utf8" | "u8" | "cp65001" => Ok(Codec::Utf8),
            "ascii" | "us-ascii" | "646" => Ok(Codec::Ascii),
            "latin-1" | "latin1" | "iso-8859-1" | "iso8859-1" | "8859" | "l1" => Ok(Codec::Latin1),
            _ => raise!(Lookup, "unknown encoding: {name}"),
        }
    }
}

fn argument_error(function: &str, parameter: &str, value: &ScriptValue) -> HostError {
    let found = match value {
        ScriptValue::None => "None".to_owned(),
        other => type_name(other),
    };
    HostError::type_error(format!("{function}() argument '{parameter}' must be str, not {found}"))
}

fn handler_of(value: Option<&ScriptValue>, function: &str) -> Result<Option<Handler>, HostError> {
    let Some(value) = value else { return Ok(Some(Handler::Strict)) };
    let Some(name) = value.as_str() else { return Err(argument_error(function, "errors", value)) };
    Ok(match name {
        "strict" => Some(Handler::Strict),
        "ignore" => Some(Handler::Ignore),
        "replace" => Some(Handler::Replace),
        _ => None,
    })
}

/// An unknown handler is an error only if it is needed.
fn known(handler: Option<Handler>, value: Option<&ScriptValue>) -> Result<Handler, HostError> {
    let name = value.and_then(ScriptValue::as_str).unwrap_or_default();
    handler.ok_or_else(|| HostError::of_class("LookupError", format!("unknown error handler name '{name}'")))
}

/// `text.encode(encoding, errors)`
pub(crate) fn encode(
    text: &str,
    encoding: Option<&ScriptValue>,
    errors: Option<&ScriptValue>,
) -> Result<Vec<u8>, Raise> {
    let codec = Codec::of(encoding, "encode")?;
    let handler = handler_of(errors, "encode")?;
    if codec == Codec::Utf8 {
        return Ok(text.as_bytes().to_vec());
    }
    let mut out = Vec::with_capacity(text.len());
    for (at, c) in text.chars().enumerate() {
        if u32::from(c) < codec.limit() {
            out.push(u32::from(c) as u8);
            continue;
        }
        match known(handler, errors)? {
            Handler::Ignore => {}
            Handler::Replace => out.push(b'?'),
            Handler::Strict => {
                let wrong = text.chars().skip(at).take_while(|c| u32::from(*c) >= codec.limit()).count();
                let reason = format!("ordinal not in range({})", codec.limit());
                let object = ScriptValue::str(text);
                return Err(error("UnicodeEncodeError", codec, object, at, at + wrong, &reason));
            }
        }
    }
    Ok(out)
}

/// `bytes.decode(encoding, errors)`
pub(crate) fn decode(
    bytes: &[u8],
    encoding: Option<&ScriptValue>,
    errors: Option<&ScriptValue>,
) -> Result<String, Raise> {
    let codec = Codec::of(encoding, "decode")?;
    let handler = handler_of(errors, "decode")?;
    let object = || ScriptValue::Bytes(bytes.into());
    if codec != Codec::Utf8 {
        let mut out = String::with_capacity(bytes.len());
        for (at, byte) in bytes.iter().enumerate() {
            if u32::from(*byte) < codec.limit() {
                out.push(char::from(*byte));
                continue;
            }
            match known(handler, errors)? {
                Handler::Ignore => {}
                Handler::Replace => out.push(char::REPLACEMENT_CHARACTER),
                Handler::Strict => {
                    let reason = "ordinal not in range(128)";
                    return Err(error("UnicodeDecodeError", codec, object(), at, at + 1, reason));
                }
            }
        }
        return Ok(out);
    }
    let wrong = match std::str::from_utf8(bytes) {
        Ok(text) => return Ok(text.to_owned()),
        Err(wrong) => wrong,
    };
    match known(handler, errors)? {
        Handler::Replace => Ok(String::from_utf8_lossy(bytes).into_owned()),
        Handler::Ignore => Ok(bytes.utf8_chunks().map(|chunk| chunk.valid()).collect()),
        Handler::Strict => {
            let start = wrong.valid_up_to();
            let first = bytes.get(start).copied().unwrap_or_default();
            let (length, reason) = match wrong.error_len() {
                None => (bytes.len() - start, "unexpected end of data"),
                Some(length) if matches!(first, 0xc2..=0xf4) => (length, "invalid continuation byte"),
                Some(length) => (length, "invalid start byte"),
            };
            Err(error("UnicodeDecodeError", codec, object(), start, start + length, reason))
        }
    }
}

fn error(class: &str, codec: Codec, object: ScriptValue, start: usize, end: usize, reason: &str) -> Raise {
    let args = [
        ScriptValue::str(codec.name()),
        object,
        ScriptValue::Int(start as i64),
        ScriptValue::Int(end as i64),
        ScriptValue::str(reason),
    ];
    Raise::Exception(exception::of_builtin(class, args))
}

/// `str` of a `UnicodeDecodeError` or `UnicodeEncodeError` with these arguments; `None` for other arguments.
pub(crate) fn error_text(args: &[ScriptValue]) -> Option<String> {
    let [
        ScriptValue::Str(codec),
        object,
        ScriptValue::Int(start),
        ScriptValue::Int(end),
        ScriptValue::Str(reason),
    ] = args
    else {
        return None;
    };
    let at = usize::try_from(*start).ok()?;
    let (verb, what, one) = match object {
        ScriptValue::Bytes(bytes) => {
            ("decode", "byte", bytes.get(at).map(|byte| format!(" 0x{byte:02x} in")))
        }
        ScriptValue::Str(text) => {
            let shown = text.as_str().chars().nth(at).map(|c| match u32::from(c) {
                code @ 0..=0xff => format!(" '\\x{code:02x}' in"),
                code @ 0..=0xffff => format!(" '\\u{code:04x}' in"),
                code => format!(" '\\U{code:08x}' in"),
            });
            ("encode", "character", shown)
        }
        _ => return None,
    };
    Some(match one {
        Some(one) if end - start == 1 => {
            format!("'{codec}' codec can't {verb} {what}{one} position {start}: {reason}")
        }
        _ => format!("'{codec}' codec can't {verb} {what}s in position {start}-{}: {reason}", end - 1),
    })
}
