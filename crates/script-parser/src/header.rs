//! Headers: comments before a script that record how it was printed.
//!
//! A printer writes two kinds of header lines. `# from dialects import toy as Toy` names the prefix of a dialect; `#
//! options: int_dtype=int64, buffer_dtype=float16` sets the options that change the meaning of the text. The module
//! and the label are those of the release's [syntax](Syntax). Header lines start at the beginning of a line, between
//! module-level statements, and apply up to the end of the next function or class; in a fragment, to the whole text.
//! All other comments are ignored, as are imports of names that are no dialects of the registry. A definition in the
//! text takes precedence over a prefix.
//!
//! [`ParseOptions::header`](crate::ParseOptions::header) applies to texts without a header.

use std::str::FromStr;

use tvmscript_ir_core::visit::{Visitor, Walk};
use tvmscript_ir_core::{FieldRef, Object, Registry, Syntax, TextRules};

use crate::table::{ParseTable, Parsers};
use tvmscript_python_syntax::ast::TextRange;
use tvmscript_python_syntax::is_identifier;
use tvmscript_python_syntax::prescan::Comment;

/// Options of a header and their values, such as `int_dtype=int64` and `toy_prefix=X`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    entries: Vec<(String, String)>,
}

/// Invalid header.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// The text is not a list of options.
    #[error("`{text}` is not of the form `option=value, ..`")]
    Malformed {
        /// The text.
        text: String,
    },
    /// No dialect registers the option.
    #[error("unknown option `{name}` in the header of a script")]
    UnknownOption {
        /// Option.
        name: String,
        /// Registered options.
        known: Vec<String>,
    },
    /// The value is invalid for the option.
    #[error("the option `{name}` of a header cannot be `{value}`: {reason}")]
    BadValue {
        /// Option.
        name: String,
        /// Value.
        value: String,
        /// Reason.
        reason: String,
    },
}

impl FromStr for Header {
    type Err = HeaderError;

    fn from_str(text: &str) -> Result<Header, HeaderError> {
        let entries = entries(text).ok_or_else(|| HeaderError::Malformed { text: text.to_owned() })?;
        Ok(Header { entries: entries.into_iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect() })
    }
}

impl Header {
    /// The header that names the prefixes of dialects, as `PrinterConfig::prefixes` of the printer does: a text that was
    /// printed with a map is read with the same map.
    pub fn of_prefixes<D: AsRef<str>, P: Into<String>>(prefixes: impl IntoIterator<Item = (D, P)>) -> Header {
        let entry = |(dialect, prefix): (D, P)| (format!("{}{PREFIX}", dialect.as_ref()), prefix.into());
        Header { entries: prefixes.into_iter().map(entry).collect() }
    }

    /// Options and values in order.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns `true` if the header sets no option.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Checks that the dialects of a registry have the options and accept the values.
    ///
    /// # Errors
    /// The first invalid option.
    pub fn check(&self, registry: &Registry) -> Result<(), HeaderError> {
        let table = registry.slot::<Parsers>().map(|p| p.table().clone()).unwrap_or_default();
        let mut rules = TextRules::PLAIN;
        self.entries().try_for_each(|(name, value)| {
            match Setting::find(name, value, &table, registry.dialects())? {
                Setting::Option { option, value } => set(option, value, &mut rules),
                Setting::Prefix { .. } | Setting::Addresses(_) => Ok(()),
            }
        })
    }
}

pub(crate) fn set(option: ReaderOption, value: &str, rules: &mut TextRules) -> Result<(), HeaderError> {
    (option.set)(rules, value).map_err(|reason| bad_value(option.name, value, reason))
}

fn bad_value(name: &str, value: &str, reason: impl Into<String>) -> HeaderError {
    HeaderError::BadValue { name: name.to_owned(), value: value.to_owned(), reason: reason.into() }
}

/// Parser option of a dialect that a header can set.
#[derive(Debug, Clone, Copy)]
pub struct ReaderOption {
    /// Name in headers, in snake case (`int_dtype`).
    pub name: &'static str,
    /// Sets the option. Fails with a reason if the value is invalid.
    pub set: fn(&mut TextRules, &str) -> Result<(), String>,
}

/// Effect of one header option.
pub(crate) enum Setting<'a> {
    /// Prefix of a dialect.
    Prefix { dialect: &'static str, prefix: &'a str },
    /// `true` if names of variables end in an address.
    Addresses(bool),
    /// Option of a dialect.
    Option { option: ReaderOption, value: &'a str },
}

/// Header option that is `True` if names of variables end in an address.
const ADDRESSES: &str = "show_object_address";

/// End of the header options that name the prefix of a dialect.
const PREFIX: &str = "_prefix";

impl<'a> Setting<'a> {
    pub(crate) fn find(
        name: &str,
        value: &'a str,
        table: &ParseTable,
        dialects: &[&'static str],
    ) -> Result<Setting<'a>, HeaderError> {
        if name == ADDRESSES {
            return match value {
                "True" => Ok(Setting::Addresses(true)),
                "False" => Ok(Setting::Addresses(false)),
                _ => Err(bad_value(name, value, "it is `True` or `False`")),
            };
        }
        if let Some(option) = table.option(name) {
            return Ok(Setting::Option { option, value });
        }
        let of_dialect = |dialect: &str| table.prefixes.iter().any(|(_, known)| *known == dialect);
        let dialect = dialects.iter().find(|d| Some(**d) == name.strip_suffix(PREFIX) && of_dialect(d));
        match dialect {
            Some(dialect) if is_identifier(value) => Ok(Setting::Prefix { dialect, prefix: value }),
            Some(_) => Err(bad_value(name, value, "it is not an identifier")),
            None => {
                let options = table.options().map(|option| option.name.to_owned());
                let prefixes = dialects.iter().filter(|d| of_dialect(d)).map(|d| format!("{d}{PREFIX}"));
                let known = options.chain(prefixes).chain([ADDRESSES.to_owned()]).collect();
                Err(HeaderError::UnknownOption { name: name.to_owned(), known })
            }
        }
    }
}

/// A header line of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeaderLine {
    pub(crate) range: TextRange,
    pub(crate) entries: Vec<(String, String)>,
    /// `true` for an import, which may name something other than a dialect.
    pub(crate) is_import: bool,
}

/// The header lines among the comments of a text, in source order.
pub(crate) fn lines(text: &str, comments: &[Comment], syntax: &Syntax) -> Vec<HeaderLine> {
    let at_line_start = |start: u32| start == 0 || text.as_bytes().get(start as usize - 1) == Some(&b'\n');
    comments
        .iter()
        .filter(|comment| comment.own_line && at_line_start(comment.range.start))
        .filter_map(|comment| line(text.get(comment.range.to_usize())?, comment.range, syntax))
        .collect()
}

fn line(comment: &str, range: TextRange, syntax: &Syntax) -> Option<HeaderLine> {
    let content = comment.strip_prefix('#')?.trim();
    let module = syntax.python.script_module;
    let import = content.strip_prefix("from ").and_then(|rest| rest.strip_prefix(module));
    if let Some(import) = import.and_then(|rest| rest.strip_prefix(" import ")) {
        let (dialect, prefix) = import.split_once(" as ")?;
        let (dialect, prefix) = (syntax.dialect_of_import(dialect.trim()), prefix.trim());
        let entries = vec![(format!("{dialect}{PREFIX}"), prefix.to_owned())];
        return is_identifier(prefix).then_some(HeaderLine { range, entries, is_import: true });
    }
    let entries = entries(content.strip_prefix(syntax.option_label)?.strip_prefix(':')?)?;
    let entries = entries.into_iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
    Some(HeaderLine { range, entries, is_import: false })
}

/// Returns `true` for a comment that the printer does not write itself.
pub(crate) fn is_comment(content: &str, syntax: &Syntax) -> bool {
    let module = syntax.python.script_module;
    let import = content.strip_prefix("from ").and_then(|rest| rest.strip_prefix(module));
    let is_import = import.is_some_and(|rest| rest.starts_with(" import "));
    let is_header = content.strip_prefix(syntax.option_label).is_some_and(|rest| rest.starts_with(':'));
    let is_line = syntax.import_lines.iter().any(|(_, line)| *line == content);
    !is_import && !is_header && !is_line && content != syntax.metadata.omitted
}

/// Parses `option=value, option=value`.
fn entries(text: &str) -> Option<Vec<(&str, &str)>> {
    let entry = |part: &'_ str| -> Option<(usize, usize)> {
        let at = part.find('=')?;
        let value = part[at + 1..].trim();
        let fits = is_identifier(part[..at].trim()) && !value.is_empty() && !value.contains(['=', ' ', '\t']);
        fits.then_some((at, at + 1))
    };
    text.split(',')
        .map(|part| entry(part).map(|(end, start)| (part[..end].trim(), part[start..].trim())))
        .collect()
}

/// Removes the address from a name: `i_0x5581f3` becomes `i`. In names derived from another name, the address is in
/// the middle (`A_0x5581f3_s0`).
fn without_address(name: &str) -> Option<String> {
    let at = name.rfind("_0x")?;
    let (hint, rest) = (&name[..at], &name[at + 3..]);
    let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
    let behind = &rest[digits..];
    (digits > 0 && (behind.is_empty() || behind.starts_with('_'))).then(|| format!("{hint}{behind}"))
}

/// Removes the addresses from the names in a node.
pub(crate) fn rename_without_addresses(root: &Object) {
    let _ = Visitor::new().pre_order(root, |object| {
        for index in 0..object.info().fields().len() {
            let FieldRef::Name(cell) = object.field(index) else { continue };
            let Some(written) = without_address(cell.written()) else { continue };
            let hint = without_address(cell.text()).map_or_else(|| cell.get(), Into::into);
            cell.set(written.into());
            cell.set_alias(hint);
        }
        Walk::Advance
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries_of(comment: &str) -> Option<Vec<(String, String)>> {
        line(comment, TextRange::at(0), &Syntax::PLAIN).map(|line| line.entries)
    }

    #[test]
    fn both_kinds_of_lines_are_read() {
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(entries_of("# from dialects import tir as X"), Some(vec![pair("tir_prefix", "X")]));
        assert_eq!(
            entries_of("# options: int_dtype=int64, float_dtype=float16"),
            Some(vec![pair("int_dtype", "int64"), pair("float_dtype", "float16")])
        );
    }

    #[test]
    fn other_comments_are_comments() {
        for comment in
            ["# options: see the docs", "# options:", "# from dialects import tir", "# int_dtype=int64", "#"]
        {
            assert_eq!(entries_of(comment), None, "{comment}");
        }
    }

    #[test]
    fn one_address_is_taken_off() {
        let without = |name| without_address(name).unwrap_or_else(|| format!("still {name}"));
        assert_eq!(without("i_0x5581f3"), "i");
        assert_eq!(without("i_0x1_0xab"), "i_0x1");
        assert_eq!(without("A_0x1f_s0"), "A_s0");
        assert_eq!(without("i_0xyz"), "still i_0xyz");
        assert_eq!(without("i"), "still i");
    }
}
