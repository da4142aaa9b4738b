//! The description of a dialect, read from its file: everything that can be checked without a registry.

mod assembly;
mod entry;
mod enumeration;
mod field;
mod names;
mod whole;

use tvmscript_ir_core::{DataType, Value};

use crate::edition::{Edition, Editions};
use crate::error::DescriptionErrorKind;
use crate::kind::{Kind, Role};
use crate::source::{Mistakes, Place, Section, Text};
use crate::template::Template;
use crate::traits::Traits;
use names::{camel_case, check_name, read_edition};

pub(crate) use enumeration::EnumEntry;
pub(crate) use field::parse_dtype;
pub(crate) use names::unknown;

/// Maximum number of nodes of a file.
pub(crate) const MAX_ENTRIES: usize = 2000;

/// A dialect as its file describes it.
#[derive(Debug)]
pub(crate) struct Description {
    pub(crate) name: Text,
    pub(crate) prefix: Text,
    pub(crate) edition: Option<Text>,
    pub(crate) doc: String,
    /// The dialect that nodes are lowered to.
    pub(crate) lowers_to: Option<Text>,
    /// `true` if functions have the lines that import prefixes in front of them.
    pub(crate) has_header: bool,
    /// Python modules whose members are those of the dialect.
    pub(crate) modules: Vec<Text>,
    pub(crate) enums: Vec<EnumEntry>,
    pub(crate) entries: Vec<Entry>,
    /// Functions of other editions, each with what to use in place of it.
    pub(crate) absent: Vec<(String, String)>,
}

/// The table that declares an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    /// `[node.X]`
    Node,
    /// `[type.x]`
    Type,
    /// `[op.x]`
    Op,
    /// `[statement.x]`
    Statement,
}

impl Table {
    fn name(self) -> &'static str {
        match self {
            Table::Node => "node",
            Table::Type => "type",
            Table::Op => "op",
            Table::Statement => "statement",
        }
    }
}

/// A node with its text.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) table: Table,
    /// The table in messages, with backticks.
    pub(crate) what: String,
    pub(crate) name: Text,
    /// Type key.
    pub(crate) key: String,
    pub(crate) doc: String,
    pub(crate) parent: Option<Text>,
    pub(crate) is_abstract: bool,
    pub(crate) is_variable: bool,
    pub(crate) fields: Vec<Field>,
    /// Constraint variables.
    pub(crate) variables: Vec<Variable>,
    pub(crate) result: Option<Rule>,
    pub(crate) checks: Vec<Check>,
    pub(crate) lower: Option<LowerTo>,
    pub(crate) traits: Traits,
    /// First edition that has the entry.
    since: Option<Edition>,
    /// First edition that does not have it any more.
    until: Option<Edition>,
    /// Name of the entry that replaces it.
    pub(crate) instead: Option<Text>,
    pub(crate) template: Option<Template>,
}

/// A field or parameter.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: Text,
    pub(crate) role: Role,
    pub(crate) kind: Kind,
    /// Place of the kind.
    pub(crate) at: Place,
    pub(crate) default: Option<Value>,
}

/// The function that a node is lowered by.
#[derive(Debug)]
pub(crate) struct LowerTo {
    pub(crate) file: String,
    pub(crate) text: String,
    pub(crate) function: String,
}

/// Reads a file beside the description.
pub(crate) type ReadFile<'r> = &'r dyn Fn(&str) -> Option<String>;

/// An expression that has to hold for each node.
#[derive(Debug)]
pub(crate) struct Check {
    pub(crate) rule: Text,
    /// The fields that it names.
    pub(crate) fields: Vec<String>,
    /// The message of nodes for which it does not hold, with `{field}` for values.
    pub(crate) message: Option<String>,
    /// The field that the message is about.
    pub(crate) at: String,
}

/// A constraint variable of an operator: the type that several operands share.
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: Text,
    /// The dtypes that it can stand for; any if empty.
    pub(crate) any_of: Vec<Text>,
    /// The type of the file that it stands for, in place of a dtype.
    pub(crate) pattern: Option<Pattern>,
}

/// A type with its parameters: `complex<E>`.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// Name of the type's table.
    pub(crate) ty: String,
    /// Constraint variables or dtypes.
    pub(crate) parameters: Vec<String>,
    at: Place,
}

impl Pattern {
    pub(super) fn parse(text: &Text) -> Option<Pattern> {
        let (ty, parameters) = match text.text.split_once('<') {
            Some((ty, rest)) => {
                let parameters = rest.strip_suffix('>')?;
                (ty.trim(), parameters.split(',').map(|part| part.trim().to_owned()).collect())
            }
            None => (text.text.trim(), Vec::new()),
        };
        Some(Pattern { ty: ty.to_owned(), parameters, at: text.at.clone() })
    }
}

/// The type of the result of an operator.
#[derive(Debug)]
pub(crate) enum Rule {
    /// The type that a constraint variable stands for.
    Variable(usize),
    /// A dtype.
    DType(DataType),
    /// The value of a Python expression, with the fields and variables that it names.
    Expression(Text, Vec<String>),
}

impl Description {
    /// Reads the tables of a file.
    pub(crate) fn read(
        root: &Section<'_>,
        files: ReadFile<'_>,
        editions: Editions<'_>,
        mistakes: &mut Mistakes,
    ) -> Option<Description> {
        root.only(&["dialect", "enum", "type", "node", "op", "statement"], mistakes);
        let Some(head) = root.section("dialect", mistakes) else {
            if root.value("dialect").is_none() {
                let kind = DescriptionErrorKind::MissingKey {
                    table: "the file".to_owned(),
                    key: "[dialect]".to_owned(),
                };
                let help = "begin with `[dialect]`, `name = \"toy\"` and `prefix = \"Toy\"`";
                mistakes.with_help(kind, &root.at, help);
            }
            return None;
        };
        head.only(
            &[
                "name",
                "prefix",
                "edition",
                "doc",
                "expressions",
                "statements",
                "types",
                "lowers_to",
                "header",
                "modules",
            ],
            mistakes,
        );
        let name = head.required_text("name", "add `name = \"toy\"`, with which type keys begin", mistakes);
        let prefix = head.required_text(
            "prefix",
            "add `prefix = \"Toy\"`, with which names in scripts begin",
            mistakes,
        );
        let (name, prefix) = (name?, prefix?);
        check_name(&name, &format!("`name` of {}", head.what), mistakes);
        check_name(&prefix, &format!("`prefix` of {}", head.what), mistakes);
        let edition = head.text("edition", mistakes);
        let doc = head.text("doc", mistakes).map(|doc| doc.text).unwrap_or_default();
        let parents = Parents {
            op: head.text("expressions", mistakes),
            statement: head.text("statements", mistakes),
            ty: head.text("types", mistakes),
        };
        let lowers_to = head.text("lowers_to", mistakes);
        let has_header = head.value("header").is_none() || head.flag("header", mistakes);
        let modules = head.texts("modules", mistakes);
        let enums = EnumEntry::read_all(root, &prefix.text, mistakes);
        let mut description = Description {
            name,
            prefix,
            edition,
            doc,
            lowers_to,
            has_header,
            modules,
            enums,
            entries: Vec::new(),
            absent: Vec::new(),
        };
        for table in [Table::Type, Table::Node, Table::Op, Table::Statement] {
            for (name, section) in root.sections(table.name(), mistakes) {
                if description.entries.len() >= MAX_ENTRIES {
                    let kind = DescriptionErrorKind::TooMany { what: "nodes", limit: MAX_ENTRIES };
                    mistakes.add(kind, &name.at);
                    return None;
                }
                if let Some(entry) = description.entry(table, name, &section, &parents, mistakes) {
                    let mut entry = entry;
                    description.read_lower(&mut entry, &section, files, mistakes);
                    description.entries.push(entry);
                }
            }
        }
        description.check_replacements(mistakes);
        description.select(editions, mistakes);
        description.check_names(mistakes);
        description.resolve_own_names(mistakes);
        description.check_patterns(mistakes);
        Some(description)
    }

    /// The type key that a name in the file means: its own node, or a key of another dialect.
    pub(super) fn key_of(&self, name: &str) -> String {
        if name.contains('.') { name.to_owned() } else { format!("{}.{name}", self.name.text) }
    }

    fn entry(
        &self,
        table: Table,
        name: Text,
        section: &Section<'_>,
        parents: &Parents,
        mistakes: &mut Mistakes,
    ) -> Option<Entry> {
        let known: &[&str] = match table {
            Table::Node => &["parent", "doc", "fields", "abstract", "variable", "checks"],
            Table::Type => &["node", "parent", "doc", "parameters", "assembly", "checks"],
            Table::Op => {
                &["node", "parent", "doc", "parameters", "variables", "result", "assembly", "checks", "lower"]
            }
            Table::Statement => {
                &["node", "parent", "doc", "fields", "variables", "assembly", "checks", "lower"]
            }
        };
        let known: Vec<&str> =
            known.iter().chain(&["since", "until", "instead", "traits"]).copied().collect();
        section.only(&known, mistakes);
        let what = section.what.clone();
        for part in name.text.split('.') {
            check_name(&Text::implied(part, &name.at), &what, mistakes);
        }
        let node = match section.text("node", mistakes) {
            Some(node) => {
                check_name(&node, &format!("`node` of {what}"), mistakes);
                node.text
            }
            None if table == Table::Node => name.text.clone(),
            None => camel_case(&name.text),
        };
        let default_parent = match table {
            Table::Op => parents.op.clone(),
            Table::Statement => parents.statement.clone(),
            Table::Type => parents.ty.clone(),
            Table::Node => None,
        };
        let mut entry = Entry {
            table,
            key: format!("{}.{node}", self.name.text),
            doc: section.text("doc", mistakes).map(|doc| doc.text).unwrap_or_default(),
            parent: section.text("parent", mistakes).or(default_parent),
            is_abstract: section.flag("abstract", mistakes),
            is_variable: section.flag("variable", mistakes),
            fields: Vec::new(),
            variables: Vec::new(),
            result: None,
            checks: Vec::new(),
            lower: None,
            traits: Traits::default(),
            since: read_edition(section, "since", mistakes),
            until: read_edition(section, "until", mistakes),
            instead: section.text("instead", mistakes),
            template: None,
            what,
            name,
        };
        entry.read_variables(section, mistakes);
        let fields = if matches!(table, Table::Op | Table::Type) { "parameters" } else { "fields" };
        entry.read_fields(fields, section, mistakes);
        if entry.is_abstract && !entry.fields.is_empty() {
            let kind = DescriptionErrorKind::UnknownKey { table: entry.what.clone(), key: fields.to_owned() };
            let help = "an abstract node has no fields: declare them in the nodes below it";
            mistakes.with_help(kind, &section.at, help);
        }
        entry.read_checks(section, mistakes);
        entry.read_traits(section, mistakes);
        match table {
            Table::Op => {
                entry.read_result(section, mistakes);
                entry.read_value_text(&self.prefix.text, section, mistakes);
            }
            Table::Type => entry.read_value_text(&self.prefix.text, section, mistakes),
            Table::Node if entry.is_variable => entry.template = Some(entry.call()),
            Table::Node => {}
            Table::Statement => entry.read_assembly(&self.prefix.text, section, mistakes),
        }
        Some(entry)
    }
}

/// The parents of nodes that do not name one.
struct Parents {
    op: Option<Text>,
    statement: Option<Text>,
    ty: Option<Text>,
}
