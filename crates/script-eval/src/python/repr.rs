//! `repr` and `str`.

use std::rc::Rc;

use tvmscript_ir_core::operators::is_poison;
use tvmscript_ir_core::{tree_size, with_stack};
use tvmscript_script_value::{HostObject, ScriptValue};

use super::number::MAX_DIGITS;
use super::unicode::is_printable;
use super::{builtins::Builtin, cost, dict_class, object, range, set, type_name, view};
use crate::errors::HostError;
use crate::eval::class::enumeration;
use crate::eval::class::natives::{default_repr, is_not_implemented, module_of};
use crate::eval::class::{ClassObject, is_instance};
use crate::eval::{Raise, exception};
use crate::{Eval, EvalState};

/// Maximum nesting of containers; CPython's recursion limit is similar.
const MAX_DEPTH: usize = 900;

/// `str(value)`
pub(crate) fn str(p: &mut Eval<'_>, value: &ScriptValue) -> Result<String, Raise> {
    if is_instance(value) {
        if let Some(text) = p.special_text(value, "__str__")? {
            return Ok(text);
        }
        if !exception::is_exception(value)
            && let Some(text) = p.special_text(value, "__repr__")?
        {
            return Ok(text);
        }
    }
    match value.plain() {
        ScriptValue::Str(text) => {
            cost::text_bytes(p.state, text.as_str().len())?;
            Ok(text.as_str().to_owned())
        }
        other => match text_of(p, other)? {
            Some(text) => Ok(text),
            None => repr(p, value),
        },
    }
}

/// The text of a value whose `str` is not its `repr`.
fn text_of(p: &mut Eval<'_>, value: &ScriptValue) -> Result<Option<String>, Raise> {
    match object::of(value) {
        Some(object) => object.text(p),
        None => exception::text(p, value),
    }
}

/// `repr(value)`
pub(crate) fn repr(p: &mut Eval<'_>, value: &ScriptValue) -> Result<String, Raise> {
    let mut out = String::new();
    write(p, value, &mut out, &mut Vec::new())?;
    Ok(out)
}

/// `repr(value)` of an exception, without a `__repr__` of its class.
pub(crate) fn repr_of_exception(p: &mut Eval<'_>, value: &ScriptValue) -> Result<String, Raise> {
    let (name, args) = exception::name_and_args(value).unwrap_or_default();
    let mut out = String::new();
    list(p, &format!("{name}("), &args, &mut out, &mut Vec::new())?;
    out.push(')');
    Ok(out)
}

/// The identity of a value that may contain itself.
fn identity(value: &ScriptValue) -> Option<*const ()> {
    Some(match value {
        ScriptValue::Tuple(items) => Rc::as_ptr(items).cast(),
        ScriptValue::List(items) => Rc::as_ptr(items).cast(),
        ScriptValue::Dict(dict) => Rc::as_ptr(dict).cast(),
        ScriptValue::Slice(slice) => Rc::as_ptr(slice).cast(),
        ScriptValue::Host(host) => match view::of(value) {
            Some(view) => Rc::as_ptr(&view.dict).cast(),
            None => Rc::as_ptr(host).cast(),
        },
        ScriptValue::Node(object) => std::ptr::without_provenance(object.address()),
        _ => return None,
    })
}

/// Writes the `repr` of a value; `open` contains the enclosing containers.
pub(crate) fn write(
    p: &mut Eval<'_>,
    value: &ScriptValue,
    out: &mut String,
    open: &mut Vec<*const ()>,
) -> Result<(), Raise> {
    p.state.program.budget.step(1)?;
    let before = out.len();
    let Some(identity) = identity(value) else {
        leaf(p, value, out)?;
        return cost::text_bytes(p.state, out.len() - before);
    };
    if open.contains(&identity) {
        out.push_str(match value {
            ScriptValue::Tuple(_) => "(...)",
            ScriptValue::Dict(_) => "{...}",
            ScriptValue::List(_) => "[...]",
            _ => "...",
        });
        return Ok(());
    }
    if open.len() >= MAX_DEPTH {
        raise!(Recursion, "maximum recursion depth exceeded while getting the repr of an object");
    }
    open.push(identity);
    with_stack(|| container(p, value, out, open))?;
    open.pop();
    cost::text_bytes(p.state, out.len() - before)
}

fn leaf(p: &mut Eval<'_>, value: &ScriptValue, out: &mut String) -> Result<(), Raise> {
    match value {
        ScriptValue::None => out.push_str("None"),
        ScriptValue::Bool(true) => out.push_str("True"),
        ScriptValue::Bool(false) => out.push_str("False"),
        ScriptValue::Int(i) => out.push_str(&i.to_string()),
        ScriptValue::BigInt(i) => out.push_str(&big(p.state, i)?),
        ScriptValue::Float(f) => out.push_str(&float(*f)),
        ScriptValue::Str(text) => {
            cost::scan(p.state, text.as_str().len())?;
            quote(text.as_str(), out);
        }
        ScriptValue::Bytes(bytes) => {
            cost::scan(p.state, bytes.len())?;
            quote_bytes(bytes, out);
        }
        ScriptValue::DType(dtype) => out.push_str(&dtype.to_string()),
        ScriptValue::Ellipsis => out.push_str("Ellipsis"),
        ScriptValue::Function(function) => out.push_str(&format!("<function {}>", function.name)),
        ScriptValue::Frame(frame) => out.push_str(&format!("<{} frame>", frame.name())),
        _ => {}
    }
    Ok(())
}

fn container(
    p: &mut Eval<'_>,
    value: &ScriptValue,
    out: &mut String,
    open: &mut Vec<*const ()>,
) -> Result<(), Raise> {
    match value {
        ScriptValue::Tuple(items) => {
            list(p, "(", items, out, open)?;
            out.push_str(if items.len() == 1 { ",)" } else { ")" });
        }
        ScriptValue::List(items) => {
            cost::values(p.state, items.borrow().len())?;
            let items = items.borrow().clone();
            list(p, "[", &items, out, open)?;
            out.push(']');
        }
        ScriptValue::Dict(dict) => {
            if let Some(class) = dict_class::of(&dict.borrow()) {
                return dict_class::write(p, class, value, out, open);
            }
            out.push('{');
            let mut at = 0;
            loop {
                let entry = dict.borrow().get_index(at).map(|(key, value)| (key.0.clone(), value.clone()));
                let Some((key, value)) = entry else { break };
                if at > 0 {
                    out.push_str(", ");
                }
                write(p, &key, out, open)?;
                out.push_str(": ");
                write(p, &value, out, open)?;
                at += 1;
            }
            out.push('}');
        }
        ScriptValue::Slice(slice) => {
            list(p, "slice(", &[slice.start.clone(), slice.stop.clone(), slice.step.clone()], out, open)?;
            out.push(')');
        }
        ScriptValue::Host(host) => {
            if value.as_host::<ClassObject>().is_some()
                && let Some(text) = p.special_text(value, "__repr__")?
            {
                out.push_str(&text);
            } else if is_instance(value) {
                instance(p, value, out, open)?;
            } else if let Some(text) = enumeration::class_repr(p, value) {
                out.push_str(&text);
            } else if let Some(class) = value.as_host::<ClassObject>() {
                out.push_str(&class_text(class));
            } else if is_not_implemented(value) {
                out.push_str("NotImplemented");
            } else if let Some(len) = set::len(value) {
                cost::values(p.state, len)?;
                let items = set::items(value).unwrap_or_default();
                match (items.is_empty(), host.type_name()) {
                    (true, name) => out.push_str(&format!("{name}()")),
                    (false, "frozenset") => {
                        list(p, "frozenset({", &items, out, open)?;
                        out.push_str("})");
                    }
                    (false, _) => {
                        list(p, "{", &items, out, open)?;
                        out.push('}');
                    }
                }
            } else if let Some(view) = view::of(value) {
                cost::values(p.state, 3 * view.dict.borrow().len())?;
                let items = view.items().unwrap_or_default();
                list(p, &format!("{}([", view.type_name()), &items, out, open)?;
                out.push_str("])");
            } else if let Some(range) = range::of(value) {
                match range.step {
                    1 => out.push_str(&format!("range({}, {})", range.start, range.stop)),
                    step => out.push_str(&format!("range({}, {}, {step})", range.start, range.stop)),
                }
            } else if let Some(object) = object::of(value) {
                object.write(p, out, open)?;
            } else if let Some(builtin) = value.as_host::<Builtin>() {
                let kind = if builtin.is_type() { "class '" } else { "built-in function " };
                let end = if builtin.is_type() { "'>" } else { ">" };
                out.push_str(&format!("<{kind}{}{end}", builtin.native.name));
            } else {
                out.push_str(&format!("<{} object>", type_name(value)));
            }
        }
        ScriptValue::Node(object) => match super::node_len(object) {
            _ if !is_poison(object) && p.host.prints_nodes() => {
                // Printing a node costs about as much as eight steps.
                p.state.program.budget.step(tree_size(object).unfolded.saturating_mul(8))?;
                out.push_str(&p.host.node_text(object)?);
            }
            Some(len) => {
                cost::values(p.state, len)?;
                let items = super::node_items(object).unwrap_or_default();
                list(p, "[", &items, out, open)?;
                out.push(']');
            }
            None => out.push_str(&format!("<{} object>", object.info().display_key())),
        },
        _ => {}
    }
    Ok(())
}

/// The `repr` of a class.
pub(crate) fn class_text(class: &ClassObject) -> String {
    format!("<class '{}.{}'>", module_of(class), class.qualified_name())
}

/// Writes an instance: by its `__repr__`, as its payload, or as CPython does without its address.
fn instance(
    p: &mut Eval<'_>,
    value: &ScriptValue,
    out: &mut String,
    open: &mut Vec<*const ()>,
) -> Result<(), Raise> {
    if let Some(text) = p.special_text(value, "__repr__")? {
        out.push_str(&text);
        return Ok(());
    }
    if let Some((name, args)) = exception::name_and_args(value) {
        list(p, &format!("{name}("), &args, out, open)?;
        out.push(')');
        return Ok(());
    }
    let payload = value.plain();
    if is_instance(payload) {
        out.push_str(&default_repr(value));
        return Ok(());
    }
    if set::len(payload).is_some() {
        let items = set::items(payload).unwrap_or_default();
        let name = type_name(value);
        if items.is_empty() {
            out.push_str(&format!("{name}()"));
            return Ok(());
        }
        list(p, &format!("{name}({{"), &items, out, open)?;
        out.push_str("})");
        return Ok(());
    }
    write(p, payload, out, open)
}

/// Writes values, separated by commas, after `before`.
pub(crate) fn list(
    p: &mut Eval<'_>,
    before: &str,
    items: &[ScriptValue],
    out: &mut String,
    open: &mut Vec<*const ()>,
) -> Result<(), Raise> {
    out.push_str(before);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write(p, item, out, open)?;
    }
    Ok(())
}

/// The digits of a large integer. CPython limits their number as well.
pub(crate) fn big(p: &EvalState, value: &num_bigint::BigInt) -> Result<String, Raise> {
    let too_long = || {
        HostError::value_error(format!(
            "Exceeds the limit ({MAX_DIGITS} digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit"
        ))
    };
    // 4300 digits have at most 14285 bits.
    if value.bits() > 14_285 {
        return Err(too_long().into());
    }
    p.program.budget.step(value.bits() / 64)?;
    let text = value.to_string();
    if text.len() - usize::from(text.starts_with('-')) > MAX_DIGITS {
        return Err(too_long().into());
    }
    Ok(text)
}

/// The shortest digits that round-trip, in Python's layout.
pub(crate) fn float(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let mut scientific = format!("{value:e}");
    let digits = scientific.bytes().take_while(|b| *b != b'e').filter(u8::is_ascii_digit).count();
    if digits >= 15 {
        // Of two equally near shortest forms CPython takes the even one.
        let exact = format!("{value:.*e}", digits - 1);
        if exact.parse() == Ok(value) {
            scientific = exact;
        }
    }
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if value == 0.0 || (-4..16).contains(&exponent) {
        let behind = digits as i32 - 1 - exponent;
        let text = format!("{value:.*}", behind.max(0) as usize);
        return if text.contains('.') { text } else { text + ".0" };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// Quotes and escapes a string as Python does.
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

pub(crate) fn quote_bytes(bytes: &[u8], out: &mut String) {
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
