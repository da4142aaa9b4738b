//! `string`.

use tvmscript_script_value::ScriptValue;

use super::{Constant, Library};
use crate::Eval;
use crate::eval::Raise;
use crate::python::builtins::{Table, linear, not_none};
use crate::python::{Outcome, cost, unicode};

static FUNCTIONS: Table = &[linear("capwords").one_or_two(capwords).with_keywords(&["s", "sep"])];

/// Capitalizes each word. Without a separator, words are between white space and joined by single spaces.
fn capwords(p: &mut Eval<'_>, _: &ScriptValue, text: ScriptValue, separator: Option<ScriptValue>) -> Outcome {
    let text_of = |value: &ScriptValue| -> Result<String, Raise> {
        match value.as_str() {
            Some(text) => Ok(text.to_owned()),
            None => Err(wrong_type!("'{}' object is not a string", value).into()),
        }
    };
    let text = text_of(&text)?;
    cost::text_bytes(p.state, 2 * text.len())?;
    let out = match not_none(separator) {
        None => {
            let words = text.split(unicode::is_space).filter(|word| !word.is_empty());
            words.map(unicode::capitalize).collect::<Vec<_>>().join(" ")
        }
        Some(separator) => {
            let separator = text_of(&separator)?;
            if separator.is_empty() {
                raise!(Value, "empty separator");
            }
            text.split(&separator).map(unicode::capitalize).collect::<Vec<_>>().join(&separator)
        }
    };
    cost::text(p.state, &out)
}

pub(super) static STRING: Library = Library {
    path: "string",
    functions: FUNCTIONS,
    constants: &[
        ("ascii_letters", Constant::Str("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")),
        ("ascii_lowercase", Constant::Str("abcdefghijklmnopqrstuvwxyz")),
        ("ascii_uppercase", Constant::Str("ABCDEFGHIJKLMNOPQRSTUVWXYZ")),
        ("digits", Constant::Str("0123456789")),
        ("hexdigits", Constant::Str("0123456789abcdefABCDEF")),
        ("octdigits", Constant::Str("01234567")),
        ("punctuation", Constant::Str("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")),
        (
            "printable",
            Constant::Str(
                "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n\r\x0b\x0c",
            ),
        ),
        ("whitespace", Constant::Str(" \t\n\r\x0b\x0c")),
    ],
    missing: "Formatter Template",
    ..Library::EMPTY
};
