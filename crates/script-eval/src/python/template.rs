//! `str.format`

use tvmscript_script_value::{CallArgs, ScriptValue};

use super::Outcome;
use super::{builtins, cost, format, repr, subscript, type_name};
use crate::errors::{HostError, HostErrorKind};
use crate::eval::Raise;
use crate::eval::exception;
use crate::{Eval, EvalState};

/// Maximum nesting of fields in format specifications.
const MAX_DEPTH: u32 = 2;

/// Numbering of fields without an index.
#[derive(Default)]
struct Numbering {
    next: usize,
    automatic: Option<bool>,
}

struct Field<'a> {
    name: &'a str,
    conversion: Option<char>,
    spec: &'a str,
}

/// The values of a template's fields.
#[derive(Clone, Copy)]
enum Source<'a> {
    Args(&'a CallArgs),
    Map(&'a ScriptValue),
}

/// `template.format(*positional, **keywords)`
pub(crate) fn expand(p: &mut Eval<'_>, template: &str, args: &CallArgs) -> Result<String, Raise> {
    write(p, template, Source::Args(args), &mut Numbering::default(), MAX_DEPTH)
}

/// `template.format_map(mapping)`
pub(crate) fn expand_map(p: &mut Eval<'_>, template: &str, mapping: &ScriptValue) -> Result<String, Raise> {
    write(p, template, Source::Map(mapping), &mut Numbering::default(), MAX_DEPTH)
}

fn write(
    p: &mut Eval<'_>,
    template: &str,
    args: Source,
    numbering: &mut Numbering,
    depth: u32,
) -> Result<String, Raise> {
    if depth == 0 {
        raise!(Value, "Max string recursion exceeded");
    }
    cost::scan(p.state, template.len())?;
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at]);
        let brace = if rest[at..].starts_with('{') { b'{' } else { b'}' };
        rest = &rest[at + 1..];
        if rest.as_bytes().first() == Some(&brace) {
            out.push(char::from(brace));
            rest = &rest[1..];
            continue;
        }
        if brace == b'}' || rest.is_empty() {
            raise!(Value, "Single '{}' encountered in format string", char::from(brace));
        }
        let field;
        (field, rest) = split_field(rest)?;
        p.state.program.budget.step(1)?;
        let mut value = find(p, field.name, args, numbering)?;
        match field.conversion {
            None => {}
            Some('r') => value = ScriptValue::str(&repr::repr(p, &value)?),
            Some('a') => value = ScriptValue::str(&builtins::ascii(&repr::repr(p, &value)?)),
            Some('s') => value = ScriptValue::str(&repr::str(p, &value)?),
            Some(other) => {
                raise!(Value, "Unknown conversion specifier {other}");
            }
        }
        let text = match field.spec.contains(['{', '}']) {
            true => {
                let spec = write(p, field.spec, args, numbering, depth - 1)?;
                format::format(p, &value, &spec)?
            }
            false => format::format(p, &value, field.spec)?,
        };
        cost::text_bytes(p.state, text.len())?;
        out.push_str(&text);
    }
    out.push_str(rest);
    Ok(out)
}

/// Parses a field after its `{`; returns the rest of the template.
fn split_field(text: &str) -> Result<(Field<'_>, &str), HostError> {
    let unfinished = || HostError::value_error("expected '}' before end of string");
    let bytes = text.as_bytes();
    let mut at = 0;
    let (end, delimiter) = loop {
        match bytes.get(at) {
            None => return Err(unfinished()),
            Some(b'{') => raise!(Value, "unexpected '{{' in field name"),
            Some(b'[') => {
                while bytes.get(at).is_some_and(|b| *b != b']') {
                    at += 1;
                }
            }
            Some(delimiter @ (b'}' | b':' | b'!')) => break (at, *delimiter),
            Some(_) => at += 1,
        }
    };
    let name = &text[..end];
    let mut rest = &text[end + 1..];
    let mut conversion = None;
    match delimiter {
        b'}' => return Ok((Field { name, conversion, spec: "" }, rest)),
        b'!' => {
            let mut chars = rest.chars();
            let Some(c) = chars.next() else {
                raise!(Value, "end of string while looking for conversion specifier");
            };
            conversion = Some(c);
            rest = chars.as_str();
            match chars.next() {
                Some('}') => return Ok((Field { name, conversion, spec: "" }, &rest[1..])),
                Some(':') => rest = &rest[1..],
                Some(_) => {
                    raise!(Value, "expected ':' after conversion specifier");
                }
                None => raise!(Value, "unmatched '{{' in format spec"),
            }
        }
        _ => {}
    }
    let mut depth = 1;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok((Field { name, conversion, spec: &rest[..at] }, &rest[at + 1..]));
        }
    }
    Err(if rest.is_empty() { unfinished() } else { HostError::value_error("unmatched '{' in format spec") })
}

/// Resolves a field name: `0`, `name`, `0.attribute`, `name[key]`.
fn find(p: &mut Eval<'_>, name: &str, args: Source, numbering: &mut Numbering) -> Outcome {
    let end = name.find(['.', '[']).unwrap_or(name.len());
    let (first, mut rest) = name.split_at(end);
    let index = match first.is_empty() {
        true => {
            numbering.switch(true)?;
            numbering.next += 1;
            Some(numbering.next - 1)
        }
        false => number(first)?,
    };
    let mut value = match index {
        Some(index) => {
            if !first.is_empty() {
                numbering.switch(false)?;
            }
            let Source::Args(args) = args else {
                raise!(Value, "Format string contains positional fields");
            };
            args.positional.get(index).cloned().ok_or_else(|| {
                HostError::index(format!("Replacement index {index} out of range for positional args tuple"))
            })?
        }
        None => match args {
            Source::Map(mapping) => subscript::get(p, mapping, &ScriptValue::str(first))?,
            Source::Args(args) => match named(p.state, args)?.iter().find(|(key, _)| key.as_str() == first) {
                Some((_, value)) => value.clone(),
                None => return Err(exception::key_error(ScriptValue::str(first))),
            },
        },
    };
    while !rest.is_empty() {
        p.state.program.budget.step(1)?;
        if let Some(behind) = rest.strip_prefix('.') {
            let end = behind.find(['.', '[']).unwrap_or(behind.len());
            let attribute = &behind[..end];
            if attribute.is_empty() {
                raise!(Value, "Empty attribute in format string");
            }
            value = p.find_attribute(&value, attribute)?.ok_or_else(|| {
                HostError::new(
                    HostErrorKind::Attribute,
                    format!("'{}' object has no attribute '{attribute}'", type_name(&value)),
                )
            })?;
            rest = &behind[end..];
            continue;
        }
        let Some(behind) = rest.strip_prefix('[') else {
            raise!(Value, "Only '.' or '[' may follow ']' in format field specifier");
        };
        let Some(end) = behind.find(']') else {
            raise!(Value, "Missing ']' in format string");
        };
        let key = &behind[..end];
        if key.is_empty() {
            raise!(Value, "Empty attribute in format string");
        }
        let key = number(key)?.map_or_else(|| ScriptValue::str(key), |index| ScriptValue::Int(index as i64));
        value = subscript::get(p, &value, &key)?;
        rest = &behind[end + 1..];
    }
    Ok(value)
}

/// The keyword arguments; the search is charged.
fn named<'a>(
    p: &EvalState,
    args: &'a CallArgs,
) -> Result<&'a [(tvmscript_ir_core::Str, ScriptValue)], Raise> {
    p.program.budget.step(args.keywords.len() as u64 / 16)?;
    Ok(&args.keywords)
}

/// Parses an index; `None` for a name.
fn number(text: &str) -> Result<Option<usize>, HostError> {
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return Ok(None);
    }
    let too_many = || HostError::value_error("Too many decimal digits in format string");
    let value: i64 = text.parse().map_err(|_| too_many())?;
    usize::try_from(value).map(Some).map_err(|_| too_many())
}

impl Numbering {
    fn switch(&mut self, automatic: bool) -> Result<(), HostError> {
        match self.automatic.replace(automatic) {
            Some(before) if before != automatic => Err(HostError::value_error(match automatic {
                true => "cannot switch from manual field specification to automatic field numbering",
                false => "cannot switch from automatic field numbering to manual field specification",
            })),
            _ => Ok(()),
        }
    }
}
