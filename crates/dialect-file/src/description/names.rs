//! Names, editions and rules in a file, and the mistakes in them.

use tvmscript_ir_core::diagnostic::Label;
use tvmscript_python_syntax::{is_identifier, is_keyword};

use crate::edition::Edition;
use crate::error::DescriptionErrorKind;
use crate::kind::WORDS;
use crate::rule::{self, RuleMistake};
use crate::source::{Mistakes, Place, Section, Text};

/// Checks a rule over names; returns those that it uses.
pub(super) fn read_rule(
    text: &Text,
    what: &str,
    names: &[&str],
    mistakes: &mut Mistakes,
) -> Option<Vec<String>> {
    match rule::check(&text.text, names) {
        Ok(used) => Some(used.into_iter().map(str::to_owned).collect()),
        Err(RuleMistake::Syntax(message, range)) => {
            let kind = DescriptionErrorKind::Expression { what: what.to_owned(), message };
            mistakes.add(kind, &text.part(range));
            None
        }
        Err(RuleMistake::Name(name, range)) => {
            let name = Text::implied(name, &text.part(range));
            unknown(what, &name, "a field or a built-in name of Python", mistakes);
            None
        }
    }
}

pub(super) fn wrong_edition(what: &str, text: &Text, mistakes: &mut Mistakes) {
    let kind = DescriptionErrorKind::Value {
        what: what.to_owned(),
        expected: "an edition such as `1.2`".to_owned(),
        found: format!("`{}`", text.text),
    };
    mistakes.add(kind, &text.at);
}

pub(super) fn read_edition(section: &Section<'_>, key: &str, mistakes: &mut Mistakes) -> Option<Edition> {
    let text = section.text(key, mistakes)?;
    let edition = Edition::parse(&text.text);
    if edition.is_none() {
        wrong_edition(&format!("`{key}` of {}", section.what), &text, mistakes);
    }
    edition
}

pub(super) fn what_any_of(name: &Text, entry: &str) -> String {
    format!("the variable `{}` of {entry}", name.text)
}

pub(super) fn label(at: &Place, text: &str) -> Label {
    Label::new(at.clone(), text)
}

pub(crate) fn unknown(what: &str, name: &Text, expected: &str, mistakes: &mut Mistakes) {
    let kind = DescriptionErrorKind::Unknown {
        what: what.to_owned(),
        name: name.text.clone(),
        expected: expected.to_owned(),
    };
    mistakes.add(kind, &name.at);
}

pub(super) fn unknown_kind(what: &str, name: &Text, expected: &str, mistakes: &mut Mistakes) {
    unknown(what, name, expected, mistakes);
    if let Some(error) = mistakes.0.last_mut() {
        error.help = Some(format!("kinds are {WORDS}"));
    }
}

/// Reports a name that scripts cannot write.
pub(super) fn check_name(name: &Text, what: &str, mistakes: &mut Mistakes) {
    let is_ascii = name.text.is_ascii() && is_identifier(&name.text);
    let reason = match is_ascii {
        false => "it is not a name of ASCII letters, digits and underscores",
        true if is_keyword(&name.text) => "it is a word of Python",
        true => return,
    };
    let kind = DescriptionErrorKind::Name { what: what.to_owned(), name: name.text.clone(), reason };
    mistakes.with_help(kind, &name.at, "choose another name");
}

/// `fused_add` and `mem.copy` as names of nodes: `FusedAdd`, `MemCopy`.
pub(super) fn camel_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for part in name.split(['_', '.']) {
        let mut chars = part.chars();
        out.extend(chars.next().into_iter().flat_map(char::to_uppercase));
        out.push_str(chars.as_str());
    }
    out
}
