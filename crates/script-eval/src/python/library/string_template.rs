//! `string.Template`.

use tvmscript_script_value::{CallArgs, ScriptValue};

use crate::Eval;
use crate::eval::Raise;
use crate::eval::class::natives::Generated;
use crate::eval::class::{Instance, missing};
use crate::python::{Outcome, cost, repr, subscript};

/// A part of a template.
enum Piece<'a> {
    Text(&'a str),
    /// Two delimiters.
    Escaped,
    /// A placeholder as it is written, and its name.
    Named(&'a str, &'a str),
    /// A delimiter that begins no placeholder, at a byte of the template.
    Invalid(usize),
}

/// The identifier at the start of a text.
fn identifier(text: &str) -> &str {
    let is_part = |c: char| c == '_' || c.is_ascii_alphanumeric();
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    if text.starts_with(|c: char| c.is_ascii_digit()) { "" } else { text.get(..end).unwrap_or_default() }
}

/// Splits a template at its placeholders.
fn pieces<'a>(template: &'a str, delimiter: &str) -> Vec<Piece<'a>> {
    let mut out = Vec::new();
    let mut rest = template;
    while let Some((text, behind)) = rest.split_once(delimiter) {
        out.push(Piece::Text(text));
        let start = template.len() - behind.len();
        let written = |end: usize| template.get(start - delimiter.len()..end).unwrap_or_default();
        if let Some(behind) = behind.strip_prefix(delimiter) {
            out.push(Piece::Escaped);
            rest = behind;
            continue;
        }
        let in_braces = behind.strip_prefix('{').and_then(|inner| {
            let name = identifier(inner);
            Some((name, inner.strip_prefix(name)?.strip_prefix('}')?))
        });
        let plain = identifier(behind);
        match (in_braces, behind.strip_prefix(plain)) {
            (_, Some(left)) if !plain.is_empty() => {
                out.push(Piece::Named(written(template.len() - left.len()), plain));
                rest = left;
            }
            (Some((name, left)), _) if !name.is_empty() => {
                out.push(Piece::Named(written(template.len() - left.len()), name));
                rest = left;
            }
            _ => {
                out.push(Piece::Invalid(start));
                rest = behind;
            }
        }
    }
    out.push(Piece::Text(rest));
    out
}

/// The class. Each program has its own.
pub(crate) fn class(p: &Eval<'_>) -> ScriptValue {
    let members = vec![
        ("delimiter", ScriptValue::str("$")),
        (
            "__init__",
            Generated::value("__init__", |p, args| match args.positional.as_slice() {
                [own, template] => {
                    if let Some(instance) = own.as_host::<Instance>() {
                        p.set_field(instance, "template", template.clone())?;
                    }
                    Ok(ScriptValue::None)
                }
                other => raise!(
                    Type,
                    "Template.__init__() takes 2 positional arguments but {} were given",
                    other.len()
                ),
            }),
        ),
        ("substitute", Generated::value("substitute", |p, args| substitute(p, args, true))),
        ("safe_substitute", Generated::value("safe_substitute", |p, args| substitute(p, args, false))),
        (
            "is_valid",
            Generated::value("is_valid", |p, args| {
                let (template, delimiter) = parts(p, args.positional.first())?;
                let is_invalid = |piece: &Piece| matches!(piece, Piece::Invalid(_));
                Ok(ScriptValue::Bool(!pieces(&template, &delimiter).iter().any(is_invalid)))
            }),
        ),
        (
            "get_identifiers",
            Generated::value("get_identifiers", |p, args| {
                let (template, delimiter) = parts(p, args.positional.first())?;
                let mut names = indexmap::IndexSet::new();
                names.extend(pieces(&template, &delimiter).iter().filter_map(|piece| match piece {
                    Piece::Named(_, name) => Some((*name).to_owned()),
                    _ => None,
                }));
                cost::text_bytes(p.state, template.len())?;
                cost::list(p.state, names.iter().map(|name| ScriptValue::str(name)).collect())
            }),
        ),
    ];
    p.native_class("string", "Template", &[], members)
}

/// The template and the delimiter of an instance.
fn parts(p: &mut Eval<'_>, own: Option<&ScriptValue>) -> Result<(String, String), Raise> {
    let Some(own) = own else { raise!(Type, "missing 1 required positional argument: 'self'") };
    let mut text = |name: &str| match p.find_attribute(own, name)? {
        Some(value) => match value.plain().as_str() {
            Some(text) => Ok(text.to_owned()),
            None => Err(wrong_type!("expected string, got '{}'", &value).into()),
        },
        None => Err(missing(own, name)),
    };
    let (template, delimiter) = (text("template")?, text("delimiter")?);
    if delimiter.is_empty() {
        raise!(Value, "empty delimiter");
    }
    cost::scan(p.state, template.len())?;
    Ok((template, delimiter))
}

/// Replaces placeholders by values of a mapping and of keywords, which come first.
fn substitute(p: &mut Eval<'_>, args: CallArgs, is_strict: bool) -> Outcome {
    let (template, delimiter) = parts(p, args.positional.first())?;
    if args.positional.len() > 2 {
        let given = args.positional.len();
        raise!(Type, "Template.substitute() takes from 1 to 2 positional arguments but {given} were given");
    }
    let mapping = args.positional.get(1).cloned();
    let mut out = String::new();
    for piece in pieces(&template, &delimiter) {
        p.state.program.budget.step(1 + args.keywords.len() as u64)?;
        let text = match piece {
            Piece::Text(text) => text.to_owned(),
            Piece::Escaped => delimiter.clone(),
            Piece::Named(written, name) => {
                let known = args.keywords.iter().find(|(key, _)| key.as_str() == name);
                let key = ScriptValue::str(name);
                let get = |p: &mut Eval<'_>| match (known, &mapping) {
                    (Some((_, value)), _) => Ok(value.clone()),
                    (None, Some(mapping)) => subscript::get(p, mapping, &key),
                    (None, None) => Err(crate::eval::exception::key_error(key.clone())),
                };
                let value = match is_strict {
                    true => Some(get(p)?),
                    false => p.catching("KeyError", get)?,
                };
                match value {
                    Some(value) => repr::str(p, &value)?,
                    None => written.to_owned(),
                }
            }
            Piece::Invalid(at) if is_strict => {
                let before = template.get(..at).unwrap_or_default();
                let line = before.matches('\n').count() + 1;
                let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count());
                raise!(Value, "Invalid placeholder in string: line {line}, col {column}");
            }
            Piece::Invalid(_) => delimiter.clone(),
        };
        cost::text_bytes(p.state, text.len())?;
        out.push_str(&text);
    }
    cost::text(p.state, &out)
}
