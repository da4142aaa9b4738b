//! Kinds of fields and parameters, as words: `int`, `list of expr`, `optional str`, `definition Value`, `ignored str`.

use crate::error::DescriptionErrorKind;
use crate::source::{Mistakes, Text};

/// Kind of a field's values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Any,
    Bool,
    Int,
    Float,
    DType,
    Str,
    /// An expression of any dialect: a node with a dtype.
    Expr,
    /// Any node.
    Node,
    /// A node of a class, by its type key or by its name in the file.
    Class(String),
    /// A constraint variable of an operator.
    Variable(String),
    /// One of the values of an `[enum]`, by its name in the file.
    Enum(String),
    List(Box<Kind>),
    Optional(Box<Kind>),
    /// The first kind that a value fits.
    Either(Vec<Kind>),
}

/// Role of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A child or an attribute.
    Plain,
    /// It defines variables.
    Definition,
    /// Equality and hash ignore it.
    Ignored,
}

/// Words of kinds, for messages.
pub(crate) const WORDS: &str = "`int`, `float`, `bool`, `str`, `dtype`, `any`, `expr`, `node`, the name of a node or an enum, several \
                                of them with `or` between them, and all this after `list of`, `optional`, `definition` or \
                                `ignored`";

impl Kind {
    /// Reads a kind with its role. Names of classes and variables are checked later.
    pub(crate) fn parse(text: &Text, what: &str, mistakes: &mut Mistakes) -> Option<(Role, Kind)> {
        let mut rest = text.text.trim();
        let mut role = Role::Plain;
        for (word, meant) in [("definition ", Role::Definition), ("ignored ", Role::Ignored)] {
            if let Some(after) = rest.strip_prefix(word) {
                (role, rest) = (meant, after.trim_start());
                break;
            }
        }
        match Kind::words(rest, 0) {
            Some(kind) => Some((role, kind)),
            None => {
                let kind = DescriptionErrorKind::Value {
                    what: what.to_owned(),
                    expected: "a kind of field".to_owned(),
                    found: format!("`{}`", text.text),
                };
                mistakes.with_help(kind, &text.at, format!("kinds are {WORDS}"));
                None
            }
        }
    }

    fn words(text: &str, depth: usize) -> Option<Kind> {
        if depth > 8 {
            return None;
        }
        if let Some(item) = text.strip_prefix("list of ") {
            return Some(Kind::List(Box::new(Kind::words(item.trim_start(), depth + 1)?)));
        }
        if let Some(inner) = text.strip_prefix("optional ") {
            return Some(Kind::Optional(Box::new(Kind::words(inner.trim_start(), depth + 1)?)));
        }
        if text.contains(" or ") {
            let all = text.split(" or ").map(|part| Kind::words(part.trim(), depth + 1));
            return Some(Kind::Either(all.collect::<Option<_>>()?));
        }
        Some(match text {
            "any" => Kind::Any,
            "bool" => Kind::Bool,
            "int" => Kind::Int,
            "float" => Kind::Float,
            "dtype" => Kind::DType,
            "str" => Kind::Str,
            "expr" => Kind::Expr,
            "node" => Kind::Node,
            name if is_key(name) => Kind::Class(name.to_owned()),
            _ => return None,
        })
    }

    /// Returns `true` for kinds whose values are no nodes.
    pub(crate) fn is_attribute(&self) -> bool {
        match self {
            Kind::Bool | Kind::Int | Kind::Float | Kind::DType | Kind::Str | Kind::Any | Kind::Enum(_) => {
                true
            }
            Kind::Either(all) => all.iter().all(Kind::is_attribute),
            Kind::Expr | Kind::Node | Kind::Class(_) | Kind::Variable(_) => false,
            Kind::List(inner) | Kind::Optional(inner) => inner.is_attribute(),
        }
    }

    /// Returns `true` if a class or variable of this name is the innermost kind.
    pub(crate) fn names(&self, name: &str) -> bool {
        match self {
            Kind::Class(found) | Kind::Variable(found) => found == name,
            Kind::List(inner) | Kind::Optional(inner) => inner.names(name),
            Kind::Either(all) => all.iter().any(|one| one.names(name)),
            _ => false,
        }
    }

    /// The kinds that name a class, to resolve them.
    pub(crate) fn classes_mut(&mut self) -> Vec<&mut Kind> {
        match self {
            Kind::Class(_) => vec![self],
            Kind::List(inner) | Kind::Optional(inner) => inner.classes_mut(),
            Kind::Either(all) => all.iter_mut().flat_map(Kind::classes_mut).collect(),
            _ => Vec::new(),
        }
    }

    /// The type keys or names of classes in the kind.
    pub(crate) fn classes(&self) -> Vec<&str> {
        match self {
            Kind::Class(key) => vec![key],
            Kind::List(inner) | Kind::Optional(inner) => inner.classes(),
            Kind::Either(all) => all.iter().flat_map(Kind::classes).collect(),
            _ => Vec::new(),
        }
    }
}

/// Returns `true` for names with dots, such as type keys.
fn is_key(text: &str) -> bool {
    !text.is_empty()
        && text.split('.').all(|part| {
            part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        })
}
