//! `repr` and `str`.

use tvmscript_irbuilder::ScriptValue;

use super::{builtins::Builtin, range, set, type_name};
use crate::errors::HostError;
use crate::eval::Raise;
use crate::parser::Parser;

/// How deep containers are shown.
const MAX_DEPTH: u32 = 200;

/// `str(value)`
pub(crate) fn str(p: &mut Parser, value: &ScriptValue) -> Result<String, Raise> {
    match value {
        ScriptValue::Str(text) => {
            p.shared.allocate(text.as_str().len() as u64)?;
            Ok(text.as_str().to_owned())
        }
        other => repr(p, other),
    }
}

/// `repr(value)`
pub(crate) fn repr(p: &mut Parser, value: &ScriptValue) -> Result<String, Raise> {
    let mut out = String::new();
    write(p, value, &mut out, 0)?;
    Ok(out)
}

fn write(p: &mut Parser, value: &ScriptValue, out: &mut String, depth: u32) -> Result<(), Raise> {
    if depth > MAX_DEPTH {
        out.push_str("...");
        return Ok(());
    }
    p.shared.step(1)?;
    let before = out.len();
    match value {
        ScriptValue::None => out.push_str("None"),
        ScriptValue::Bool(true) => out.push_str("True"),
        ScriptValue::Bool(false) => out.push_str("False"),
        ScriptValue::Int(i) => out.push_str(&i.to_string()),
        ScriptValue::BigInt(i) => out.push_str(&big(p, i)?),
        ScriptValue::Float(f) => out.push_str(&float(*f)),
        ScriptValue::Str(text) => quote(text.as_str(), out),
        ScriptValue::Bytes(bytes) => quote_bytes(bytes, out),
        ScriptValue::DType(dtype) => {
            out.push_str(&dtype.to_string());
        }
        ScriptValue::Tuple(items) => {
            list(p, "(", items, out, depth)?;
            out.push_str(if items.len() == 1 { ",)" } else { ")" });
        }
        ScriptValue::List(items) => {
            let items = items.borrow().clone();
            list(p, "[", &items, out, depth)?;
            out.push(']');
        }
        ScriptValue::Dict(dict) => {
            out.push('{');
            let dict = dict.borrow().clone();
            for (index, (key, value)) in dict.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                write(p, &key.0, out, depth + 1)?;
                out.push_str(": ");
                write(p, value, out, depth + 1)?;
            }
            out.push('}');
        }
        ScriptValue::Slice(slice) => {
            list(p, "slice(", &[slice.start.clone(), slice.stop.clone(), slice.step.clone()], out, depth)?;
            out.push(')');
        }
        ScriptValue::Ellipsis => out.push_str("Ellipsis"),
        ScriptValue::Host(host) => {
            if let Some(items) = set::items(value) {
                let frozen = host.type_name() == "frozenset";
                match (items.is_empty(), frozen) {
                    (true, _) => out.push_str(&format!("{}()", host.type_name())),
                    (false, true) => {
                        list(p, "frozenset({", &items, out, depth)?;
                        out.push_str("})");
                    }
                    (false, false) => {
                        list(p, "{", &items, out, depth)?;
                        out.push('}');
                    }
                }
            } else if let Some(range) = range::of(value) {
                match range.step {
                    1 => out.push_str(&format!("range({}, {})", range.start, range.stop)),
                    step => out.push_str(&format!("range({}, {}, {step})", range.start, range.stop)),
                }
            } else if let Some(builtin) = value.as_host::<Builtin>() {
                match builtin.is_type {
                    true => out.push_str(&format!("<class '{}'>", builtin.name)),
                    false => out.push_str(&format!("<built-in function {}>", builtin.name)),
                }
            } else {
                out.push_str(&format!("<{} object>", type_name(value)));
            }
        }
        ScriptValue::Function(function) => out.push_str(&format!("<function {}>", function.name)),
        ScriptValue::Node(object) => match super::node_items(object) {
            Some(items) => {
                list(p, "[", &items, out, depth)?;
                out.push(']');
            }
            None => out.push_str(&format!("<{} object>", object.info().key())),
        },
        ScriptValue::Frame(frame) => out.push_str(&format!("<{} frame>", frame.name())),
    }
    p.shared.allocate((out.len() - before) as u64)?;
    Ok(())
}

fn list(
    p: &mut Parser,
    open: &str,
    items: &[ScriptValue],
    out: &mut String,
    depth: u32,
) -> Result<(), Raise> {
    out.push_str(open);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write(p, item, out, depth + 1)?;
    }
    Ok(())
}

/// The digits of a large integer. CPython, too, refuses to write very long ones.
pub(crate) fn big(p: &Parser, value: &num_bigint::BigInt) -> Result<String, Raise> {
    if value.bits() > 14_300 && value.to_string().trim_start_matches('-').len() > 4300
        || value.bits() > 20_000
    {
        let message = "Exceeds the limit (4300 digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit";
        return Err(HostError::value_error(message).into());
    }
    p.shared.step(value.bits() / 64)?;
    Ok(value.to_string())
}

/// The shortest digits that read back, as Python lays them out.
pub(crate) fn float(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if value == 0.0 || (-4..16).contains(&exponent) {
        let text = format!("{value}");
        return if text.contains('.') { text } else { text + ".0" };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// A string in quotes, as Python chooses and escapes them.
pub(crate) fn quote(text: &str, out: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if (c as u32) < 0x20 || c as u32 == 0x7f => out.push_str(&format!("\\x{:02x}", c as u32)),
            c if is_printable(c) => out.push(c),
            c if (c as u32) < 0x100 => out.push_str(&format!("\\x{:02x}", c as u32)),
            c if (c as u32) < 0x10000 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push_str(&format!("\\U{:08x}", c as u32)),
        }
    }
    out.push(quote);
}

/// Close to Python's rule: separators, controls, private and unassigned characters are not printable.
fn is_printable(c: char) -> bool {
    let code = c as u32;
    match code {
        0x20..=0x7e => true,
        0x80..=0xa0 | 0xad => false,
        0x1680 | 0x2000..=0x200f | 0x2028..=0x202f | 0x205f..=0x206f | 0x3000 | 0xfeff => false,
        0xd800..=0xf8ff | 0xfff0..=0xfffb | 0xfffe..=0xffff | 0xe0000..=0x10ffff => false,
        _ => true,
    }
}

fn quote_bytes(bytes: &[u8], out: &mut String) {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { b'"' } else { b'\'' };
    out.push('b');
    out.push(char::from(quote));
    for b in bytes {
        match *b {
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b if b == quote => {
                out.push('\\');
                out.push(char::from(b));
            }
            b @ 0x20..=0x7e => out.push(char::from(b)),
            b => out.push_str(&format!("\\x{b:02x}")),
        }
    }
    out.push(char::from(quote));
}
