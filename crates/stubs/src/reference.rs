//! The functions of all dialects as data, for hover texts, completion and reference pages.

use std::fmt::Write as _;

use serde::Serialize;
use tvmscript_ir_core::Registry;
use tvmscript_irbuilder::{Declaration, Param, ParamKind};
use tvmscript_script_parser::{DecoratorRule, Parsers};

use crate::function::parameters;
use crate::item::{Item, Items, dialects, namespace};

/// A name that scripts can use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Name with the prefix of its dialect: `Toy.trace`.
    pub name: String,
    /// Dialect.
    pub dialect: &'static str,
    /// Kind.
    pub kind: EntryKind,
    /// The call syntax with types; the bare name if it is not declared.
    pub signature: String,
    /// Call syntax of the other forms of calls.
    pub other_forms: Vec<String>,
    /// Documentation.
    pub doc: String,
    /// Parameters in order.
    pub parameters: Vec<Parameter>,
    /// Result type, if it is declared.
    pub returns: Option<String>,
}

/// Kind of an [`Entry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// A function.
    Function,
    /// A function whose name is also a type in annotations.
    Annotation,
    /// A decorator.
    Decorator,
    /// A value without parameters.
    Value,
}

/// A parameter of an [`Entry`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// Name.
    pub name: &'static str,
    /// Passing mode: `plain`, `keyword`, `args` or `kwargs`.
    pub kind: &'static str,
    /// Type.
    #[serde(rename = "type")]
    pub py_type: String,
    /// The default as text; `None` for a required parameter.
    pub default: Option<&'static str>,
}

/// The names of all dialects of a registry, by dialect and name.
pub fn reference(registry: &Registry) -> Vec<Entry> {
    let mut out = Vec::new();
    for dialect in dialects(registry) {
        let parsers = registry.slot::<Parsers>();
        let prefix = parsers.and_then(|parsers| parsers.prefixes().find(|(_, of)| *of == dialect));
        let prefix = prefix.map_or(dialect, |(prefix, _)| prefix);
        let items = namespace(registry, dialect);
        add(&mut out, dialect, prefix, &items, &items);
    }
    out
}

fn add(out: &mut Vec<Entry>, dialect: &'static str, prefix: &str, items: &Items, all: &Items) {
    for (name, item) in items {
        let name = format!("{prefix}.{name}");
        let bare = |kind, doc: &str| Entry {
            name: name.clone(),
            dialect,
            kind,
            signature: name.clone(),
            other_forms: Vec::new(),
            doc: doc.to_owned(),
            parameters: Vec::new(),
            returns: None,
        };
        let target = match item {
            Item::Alias(of) => all.get(*of).unwrap_or(item),
            other => other,
        };
        match target {
            Item::Function { declaration, members } => {
                out.push(declared(dialect, name.clone(), declaration));
                add(out, dialect, &name, members, all);
            }
            Item::Decorator { function: Some(function), .. } => {
                out.push(Entry { kind: EntryKind::Decorator, ..declared(dialect, name, function) });
            }
            Item::Decorator { rule, function: None, .. } => out.push(bare(
                EntryKind::Decorator,
                match rule {
                    DecoratorRule::Function { .. } | DecoratorRule::Described { .. } => {
                        "Decorator of a function of the dialect."
                    }
                    DecoratorRule::Macro { .. } => {
                        "Decorator of a macro, which is expanded where it is called."
                    }
                    DecoratorRule::Class { .. } => "Decorator of a class.",
                },
            )),
            Item::Class(inner) => {
                out.push(bare(EntryKind::Function, ""));
                add(out, dialect, &name, inner, all);
            }
            Item::Callable => out.push(bare(EntryKind::Function, "")),
            Item::Namespace(inner) => add(out, dialect, &name, inner, all),
            Item::Object | Item::Value | Item::Alias(_) => out.push(bare(EntryKind::Value, "")),
        }
    }
}

fn declared(dialect: &'static str, name: String, declaration: &Declaration) -> Entry {
    let returns = declaration.returns.to_string();
    let signature = |params: &[Param]| {
        format!("{name}({}) -> {returns}", parameters(params, ToString::to_string).join(", "))
    };
    let (first, other_forms) = (signature(&declaration.params), declaration.other_forms());
    let other_forms = other_forms.iter().map(|params| signature(params)).collect();
    let parameters = declaration.params.iter().map(|param| Parameter {
        name: param.name,
        kind: match param.kind {
            ParamKind::Plain => "plain",
            ParamKind::KeywordOnly => "keyword",
            ParamKind::Args => "args",
            ParamKind::Kwargs => "kwargs",
        },
        py_type: param.py_type.to_string(),
        default: param.default,
    });
    Entry {
        signature: first,
        other_forms,
        name,
        dialect,
        kind: if declaration.is_annotation { EntryKind::Annotation } else { EntryKind::Function },
        doc: declaration.doc.trim().to_owned(),
        parameters: parameters.collect(),
        returns: Some(returns),
    }
}

/// The entries as a JSON array, one entry per line.
pub fn to_json(entries: &[Entry]) -> String {
    let lines: Vec<String> =
        entries.iter().map(|entry| serde_json::to_string(entry).unwrap_or_default()).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

/// The entries as a page of Markdown, a section per dialect.
pub fn to_markdown(entries: &[Entry]) -> String {
    let mut out = HEADING.to_owned();
    add_sections(&mut out, entries, "");
    out
}

/// The names of all releases as a page of Markdown: those of the first one, and those that each further one adds or
/// changes.
pub fn page(registry: &Registry) -> String {
    let first = reference(registry);
    let mut out = HEADING.to_owned();
    add_sections(&mut out, &first, "");
    for release in registry.releases().skip(1) {
        let Some(registry) = registry.of_release(release) else { continue };
        let mut entries = reference(registry);
        entries.retain(|entry| !first.contains(entry));
        add_sections(&mut out, &entries, &format!(" of {}", release.id()));
    }
    out
}

const HEADING: &str = "# Functions of scripts\n\nThis file is generated: `tvmscript stubs --format markdown`. Types are \
                       those of the stubs.\n";

/// Adds a section per dialect, with a title that ends in `suffix`.
fn add_sections(out: &mut String, entries: &[Entry], suffix: &str) {
    let mut dialect = "";
    for entry in entries {
        if entry.dialect != dialect {
            dialect = entry.dialect;
            let _ = write!(out, "\n## `{dialect}`{suffix}\n\n");
        }
        let doc = entry.doc.split_whitespace().collect::<Vec<_>>().join(" ");
        let separator = if doc.is_empty() { "" } else { ": " };
        let _ = writeln!(out, "- `{}`{separator}{doc}", entry.signature);
    }
}
