//! The description of a dialect, read from its file: everything that can be checked without a registry.

use toml::Spanned;
use toml::de::DeValue;
use tvmscript_ir_core::{DataType, Value};
use tvmscript_python_syntax::{is_identifier, is_keyword};

use crate::edition::{Edition, Editions};
use crate::error::DescriptionErrorKind;
use crate::kind::{Kind, Role, WORDS};
use crate::lower;
use crate::rule::{self, RuleMistake};
use crate::source::{Mistakes, Place, Section, Text, kind_of, place};
use crate::template::{self, Form, Pass, Template};
use crate::traits::{self, Traits};

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
    fn parse(text: &Text) -> Option<Pattern> {
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
        root.only(&["dialect", "type", "node", "op", "statement"], mistakes);
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
            &["name", "prefix", "edition", "doc", "expressions", "statements", "types", "lowers_to"],
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
        let mut description =
            Description { name, prefix, edition, doc, lowers_to, entries: Vec::new(), absent: Vec::new() };
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
    fn key_of(&self, name: &str) -> String {
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
            Table::Type => &["node", "parent", "doc", "parameters", "checks"],
            Table::Op => &["node", "parent", "doc", "parameters", "variables", "result", "checks", "lower"],
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
                entry.template = Some(entry.call());
            }
            Table::Type => entry.template = Some(entry.call()),
            Table::Node if entry.is_variable => entry.template = Some(entry.call()),
            Table::Node => {}
            Table::Statement => entry.read_assembly(&self.prefix.text, section, mistakes),
        }
        Some(entry)
    }

    /// Keeps the entries of the chosen edition.
    fn select(&mut self, editions: Editions<'_>, mistakes: &mut Mistakes) {
        let has_editions = |entry: &Entry| entry.since.is_some() || entry.until.is_some();
        let newest = self.edition.as_ref().and_then(|edition| Edition::parse(&edition.text));
        if let Some(edition) = self.edition.as_ref().filter(|_| newest.is_none()) {
            wrong_edition("`edition` of `[dialect]`", edition, mistakes);
        } else if let (None, Some(entry)) = (&newest, self.entries.iter().find(|entry| has_editions(entry))) {
            let kind = DescriptionErrorKind::MissingKey {
                table: "`[dialect]`".to_owned(),
                key: "edition".to_owned(),
            };
            mistakes.with_help(kind, &entry.name.at, "name the edition that the file describes");
        }
        let chosen = match editions {
            Editions::All => return,
            Editions::Newest => newest,
            Editions::One(text) => match Edition::parse(text) {
                Some(edition) => {
                    self.edition = self.edition.take().map(|newest| Text::implied(text, &newest.at));
                    Some(edition)
                }
                None => {
                    wrong_edition("the chosen edition", &Text::implied(text, &self.name.at), mistakes);
                    return;
                }
            },
        };
        let Some(chosen) = chosen else { return };
        let prefix = &self.prefix.text;
        for entry in std::mem::take(&mut self.entries) {
            let is_late = entry.since.as_ref().is_some_and(|since| chosen < *since);
            let is_gone = entry.until.as_ref().is_some_and(|until| chosen >= *until);
            if !is_late && !is_gone {
                self.entries.push(entry);
                continue;
            }
            let name = entry.name.text.clone();
            let advice = match (&entry.instead, &entry.until, &entry.since) {
                (Some(instead), Some(until), _) if is_gone => {
                    format!("edition {until} has `{prefix}.{}` in place of it", instead.text)
                }
                (None, Some(until), _) if is_gone => format!("it is in editions before {until} only"),
                (_, _, Some(since)) => format!("it is in edition {since} and later ones"),
                _ => continue,
            };
            self.absent.push((name, advice));
        }
    }

    /// Checks the types of constraint variables and their parameters.
    fn check_patterns(&self, mistakes: &mut Mistakes) {
        for entry in &self.entries {
            for variable in &entry.variables {
                let Some(pattern) = &variable.pattern else { continue };
                let what = what_any_of(&variable.name, &entry.what);
                let ty = self.entries.iter().find(|ty| ty.table == Table::Type && ty.name.text == pattern.ty);
                let Some(ty) = ty else {
                    let name = Text::implied(pattern.ty.clone(), &pattern.at);
                    unknown(&what, &name, "a dtype or a `[type]` of the file", mistakes);
                    continue;
                };
                if ty.fields.len() != pattern.parameters.len() {
                    let kind = DescriptionErrorKind::Value {
                        what: what.clone(),
                        expected: format!("`{}` with {} parameters", pattern.ty, ty.fields.len()),
                        found: pattern.parameters.len().to_string(),
                    };
                    mistakes.add(kind, &pattern.at);
                }
                for parameter in &pattern.parameters {
                    let is_variable =
                        entry.variables.iter().any(|v| v.name.text == *parameter && v.pattern.is_none());
                    if !is_variable && parse_dtype(parameter).is_none() {
                        let name = Text::implied(parameter.clone(), &pattern.at);
                        unknown(
                            &what,
                            &name,
                            "a constraint variable that stands for dtypes, or a dtype",
                            mistakes,
                        );
                    }
                }
            }
        }
    }

    /// Checks that each entry with a replacement can become it: fields of the same names and kinds.
    fn check_replacements(&self, mistakes: &mut Mistakes) {
        for entry in &self.entries {
            let Some(instead) = &entry.instead else { continue };
            let what = format!("`instead` of {}", entry.what);
            let Some(new) = self.entries.iter().find(|new| new.name.text == instead.text) else {
                unknown(&what, instead, "an entry of the file", mistakes);
                continue;
            };
            let fits = |field: &Field| {
                let old = entry.fields.iter().find(|old| old.name.text == field.name.text);
                old.map_or(field.default.is_some(), |old| old.kind == field.kind)
            };
            if let Some(field) = new.fields.iter().find(|field| !fits(field)) {
                let kind = DescriptionErrorKind::Value {
                    what,
                    expected: format!(
                        "an entry whose field `{}` is a field here or has a default",
                        field.name.text
                    ),
                    found: format!("`{}`", instead.text),
                };
                mistakes.add(kind, &instead.at);
            }
        }
    }

    fn read_lower(
        &self,
        entry: &mut Entry,
        section: &Section<'_>,
        files: ReadFile<'_>,
        mistakes: &mut Mistakes,
    ) {
        let Some(lower) = section.text("lower", mistakes) else { return };
        let what = format!("`lower` of {}", entry.what);
        if self.lowers_to.is_none() {
            let kind = DescriptionErrorKind::MissingKey {
                table: "`[dialect]`".to_owned(),
                key: "lowers_to".to_owned(),
            };
            mistakes.with_help(kind, &lower.at, "name the dialect whose nodes the function makes");
            return;
        }
        let Some((file, function)) = lower.text.split_once('#') else {
            let kind = DescriptionErrorKind::Value {
                what,
                expected: "a file and a function".to_owned(),
                found: format!("`{}`", lower.text),
            };
            mistakes.with_help(kind, &lower.at, "write `lower = \"file.py#function\"`");
            return;
        };
        let is_beside =
            !file.starts_with('/') && !file.contains('\\') && file.split('/').all(|part| part != "..");
        let Some(text) = is_beside.then(|| files(file)).flatten() else {
            unknown(&what, &Text::implied(file, &lower.at), "a file beside the description", mistakes);
            return;
        };
        let Some(parameters) = lower::parameters(&text, function) else {
            unknown(&what, &Text::implied(function, &lower.at), &format!("a function of {file}"), mistakes);
            return;
        };
        let fields: Vec<&str> = entry.field_names().collect();
        if parameters != fields {
            let kind = DescriptionErrorKind::Value {
                what: format!("the parameters of `{function}` in {file}"),
                expected: format!("the fields `{}`", fields.join("`, `")),
                found: format!("`{}`", parameters.join("`, `")),
            };
            mistakes.add(kind, &lower.at);
        }
        let (file, function) = (file.to_owned(), function.to_owned());
        entry.lower = Some(LowerTo { file, text, function });
    }

    /// Reports functions of one name, nodes of one key, and names that the prefix hides.
    fn check_names(&self, mistakes: &mut Mistakes) {
        let mut keys: std::collections::HashMap<&str, &Entry> = std::collections::HashMap::new();
        let mut functions: std::collections::HashMap<&str, &Entry> = std::collections::HashMap::new();
        for entry in &self.entries {
            if let Some(first) = keys.insert(&entry.key, entry) {
                let kind = DescriptionErrorKind::Duplicate { what: format!("the node `{}`", entry.key) };
                let error = mistakes.add(kind, &entry.name.at);
                error.labels.push(label(&first.name.at, "first here"));
                error.help = Some(format!("give {} another name of its node: `node = \"..\"`", entry.what));
            }
            let Some(template) = &entry.template else { continue };
            if let Some(first) = functions.insert(&template.function, entry) {
                let what = format!("the text `{}.{}(..)`", self.prefix.text, template.function);
                let kind = DescriptionErrorKind::Duplicate { what };
                let error = mistakes.add(kind, &entry.name.at);
                error.labels.push(label(&first.name.at, "first here"));
                error.help = Some("a text can be read as one node only: rename one function".to_owned());
            }
        }
    }

    /// Replaces names of own nodes by type keys, and reports names that the file does not declare.
    fn resolve_own_names(&mut self, mistakes: &mut Mistakes) {
        let own: Vec<(String, bool)> =
            self.entries.iter().map(|entry| (entry.key.clone(), entry.is_variable)).collect();
        let find = |key: &str| own.iter().find(|(own, _)| own == key);
        let mut entries = std::mem::take(&mut self.entries);
        for entry in &mut entries {
            let Entry { fields, variables, what, parent, .. } = entry;
            if let Some(parent) = parent {
                let key = self.key_of(&parent.text);
                if !parent.text.contains('.') && find(&key).is_none() {
                    unknown(
                        &format!("`parent` of {what}"),
                        parent,
                        "a node of the file or a type key",
                        mistakes,
                    );
                }
                parent.text = key;
            }
            for field in fields {
                let place = format!("`{}` of {what}", field.name.text);
                if let Some(class) = field.kind.class_mut()
                    && let Kind::Class(name) = class
                {
                    if variables.iter().any(|variable| variable.name.text == *name) {
                        *class = Kind::Variable(std::mem::take(name));
                    } else {
                        let key = self.key_of(name);
                        if !name.contains('.') && find(&key).is_none() {
                            let text = Text::implied(name.clone(), &field.at);
                            let expected = "a node of the file, a constraint variable or another kind";
                            unknown_kind(&place, &text, expected, mistakes);
                        }
                        *name = key;
                    }
                }
            }
        }
        self.entries = entries;
    }
}

/// The parents of nodes that do not name one.
struct Parents {
    op: Option<Text>,
    statement: Option<Text>,
    ty: Option<Text>,
}

impl Entry {
    /// Index of a field.
    fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name.text == name)
    }

    /// The call of an operator, a type or a variable: parameters with a default are passed by keyword.
    fn call(&self) -> Template {
        let fields = self.fields.iter().enumerate().map(|(index, field)| match field.default {
            Some(_) => (index, Pass::Keyword(field.name.text.clone())),
            None => (index, Pass::Position),
        });
        Template::call(&self.name.text, fields)
    }

    fn read_fields(&mut self, key: &str, section: &Section<'_>, mistakes: &mut Mistakes) {
        let Some(fields) = section.section(key, mistakes) else { return };
        for (name, value) in fields.keys() {
            let what = format!("`{}` of {}", name.text, self.what);
            check_name(&name, &what, mistakes);
            let hidden = match name.text.as_str() {
                "span" => true,
                "dtype" | "type" => self.table == Table::Op,
                "name" => self.is_variable,
                _ => false,
            };
            if hidden {
                let reason = "the node has a field of this name already";
                let kind = DescriptionErrorKind::Name { what, name: name.text.clone(), reason };
                mistakes.with_help(kind, &name.at, "choose another name");
                continue;
            }
            if let Some(field) = Field::read(name, value, &fields, &what, mistakes) {
                self.fields.push(field);
            }
        }
        let first_default = self.fields.iter().position(|field| field.default.is_some());
        let late = self.fields.iter().enumerate().find(|(index, field)| {
            field.default.is_none() && first_default.is_some_and(|first| first < *index)
        });
        if let (Table::Op | Table::Type, Some((_, field))) = (self.table, late) {
            let kind = DescriptionErrorKind::Value {
                what: format!("`{}` of {}", field.name.text, self.what),
                expected: "a parameter with a default".to_owned(),
                found: "one without, after one with a default".to_owned(),
            };
            mistakes.with_help(kind, &field.name.at, "move parameters without a default to the front");
        }
    }

    fn read_variables(&mut self, section: &Section<'_>, mistakes: &mut Mistakes) {
        let Some(variables) = section.section("variables", mistakes) else { return };
        for (name, value) in variables.keys() {
            let what = format!("the variable `{}` of {}", name.text, self.what);
            check_name(&name, &what, mistakes);
            let any_of = match value.get_ref() {
                DeValue::String(text) if text == "any" => Vec::new(),
                DeValue::String(text) if parse_dtype(text).is_none() => {
                    let text = variables.text_of(value);
                    let pattern = Pattern::parse(&text);
                    if pattern.is_none() {
                        unknown(&what, &text, "a dtype or a type such as `complex<E>`", mistakes);
                    }
                    self.variables.push(Variable { name, any_of: Vec::new(), pattern });
                    continue;
                }
                DeValue::String(_) => vec![variables.text_of(value)],
                DeValue::Table(_) => {
                    let inner = variables.section_of(value, what.clone(), name.at.clone(), mistakes);
                    let Some(inner) = inner else { continue };
                    inner.only(&["any_of"], mistakes);
                    if inner.value("any_of").is_none() {
                        let kind = DescriptionErrorKind::MissingKey { table: what, key: "any_of".to_owned() };
                        mistakes.with_help(kind, &name.at, "write `{ any_of = [\"float16\", \"float32\"] }`");
                        continue;
                    }
                    inner.texts("any_of", mistakes)
                }
                other => {
                    let expected = "\"any\", a type, or `{ any_of = [..] }`".to_owned();
                    let kind =
                        DescriptionErrorKind::Value { what, expected, found: kind_of(other).to_owned() };
                    mistakes.add(kind, &place(value));
                    continue;
                }
            };
            for ty in &any_of {
                if parse_dtype(&ty.text).is_none() {
                    unknown(&what_any_of(&name, &self.what), ty, "a dtype such as `float32`", mistakes);
                }
            }
            self.variables.push(Variable { name, any_of, pattern: None });
        }
    }

    fn read_result(&mut self, section: &Section<'_>, mistakes: &mut Mistakes) {
        let help = "add `result = \"float32\"`, or the name of a constraint variable";
        let Some(text) = section.required_text("result", help, mistakes) else { return };
        let variable = self.variables.iter().position(|variable| variable.name.text == text.text);
        self.result = Some(match (variable, parse_dtype(&text.text)) {
            (Some(variable), _) => {
                let name = &self.variables.get(variable).map(|v| v.name.text.clone()).unwrap_or_default();
                let is_used = self.fields.iter().any(|field| field.kind.names(name));
                // A type with parameters is made of those of the operands.
                let is_made = self.variables.iter().any(|other| match &other.pattern {
                    Some(pattern) => other.name.text == *name || pattern.parameters.contains(name),
                    None => false,
                });
                if !is_used && !is_made {
                    let what = format!("`result` of {}", self.what);
                    let expected = "the type of an operand: no parameter has this kind";
                    unknown(&what, &text, expected, mistakes);
                }
                Rule::Variable(variable)
            }
            (None, Some(dtype)) => Rule::DType(dtype),
            (None, None) => {
                if is_identifier(&text.text) && self.field(&text.text).is_none() {
                    let what = format!("`result` of {}", self.what);
                    let expected = "a dtype, a constraint variable or an expression over the parameters";
                    unknown(&what, &text, expected, mistakes);
                    return;
                }
                let what = format!("`result` of {}", self.what);
                let variables = self.variables.iter().map(|variable| variable.name.text.as_str());
                let names: Vec<&str> = self.field_names().chain(variables).collect();
                let Some(used) = read_rule(&text, &what, &names, mistakes) else { return };
                Rule::Expression(text, used)
            }
        });
    }

    fn field_names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| field.name.text.as_str())
    }

    fn read_traits(&mut self, section: &Section<'_>, mistakes: &mut Mistakes) {
        let what = format!("`traits` of {}", self.what);
        for name in section.texts("traits", mistakes) {
            if !self.traits.add(&name.text) {
                unknown(&what, &name, &format!("one of `{}`", traits::NAMES.join("`, `")), mistakes);
            }
            let operands: Vec<&Field> =
                self.fields.iter().filter(|field| !field.kind.is_attribute()).collect();
            let reason = match name.text.as_str() {
                "commutative" => match operands.as_slice() {
                    [a, b] if a.kind == b.kind => continue,
                    _ => "an entry with two operands of one kind",
                },
                "terminator" | "scope" if self.table != Table::Statement => "a statement",
                "pure" if self.table != Table::Op => "an operator",
                _ => continue,
            };
            let kind = DescriptionErrorKind::Value {
                what: what.clone(),
                expected: format!("those of {reason}"),
                found: format!("`{}`", name.text),
            };
            mistakes.add(kind, &name.at);
        }
    }

    fn read_checks(&mut self, section: &Section<'_>, mistakes: &mut Mistakes) {
        let Some(value) = section.value("checks") else { return };
        let what = format!("`checks` of {}", self.what);
        let items: Vec<&Spanned<DeValue<'_>>> = match value.get_ref() {
            DeValue::Array(items) => items.iter().collect(),
            _ => vec![value],
        };
        for item in items {
            let check = match item.get_ref() {
                DeValue::String(_) => self.check(section.text_of(item), None, None, &what, mistakes),
                DeValue::Table(_) => {
                    let inner = section.section_of(item, what.clone(), place(item), mistakes);
                    let Some(inner) = inner else { continue };
                    inner.only(&["rule", "message", "at"], mistakes);
                    let help = "write `{ rule = \"low <= high\", message = \"..\" }`";
                    let Some(rule) = inner.required_text("rule", help, mistakes) else { continue };
                    let message = inner.text("message", mistakes);
                    let at = inner.text("at", mistakes);
                    self.check(rule, message, at, &what, mistakes)
                }
                other => {
                    let expected = "a string or a table with `rule`".to_owned();
                    let found = kind_of(other).to_owned();
                    mistakes.add(
                        DescriptionErrorKind::Value { what: what.clone(), expected, found },
                        &place(item),
                    );
                    continue;
                }
            };
            self.checks.extend(check);
        }
    }

    fn check(
        &self,
        rule: Text,
        message: Option<Text>,
        at: Option<Text>,
        what: &str,
        mistakes: &mut Mistakes,
    ) -> Option<Check> {
        let names: Vec<&str> = self.field_names().collect();
        let fields = read_rule(&rule, what, &names, mistakes)?;
        if let Some(at) = at.as_ref().filter(|at| self.field(&at.text).is_none()) {
            unknown(&format!("`at` of {what}"), at, "a field", mistakes);
        }
        if let Some(message) = &message {
            for name in
                message.text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name)
            {
                if self.field(name).is_none() {
                    let start = message.text.find(&format!("{{{name}}}")).unwrap_or_default();
                    let at = message.part(start..start + name.len() + 2);
                    unknown(
                        &format!("the message of {what}"),
                        &Text::implied(name, &at),
                        "a field",
                        mistakes,
                    );
                }
            }
        }
        let first = fields.first().cloned();
        let Some(at) = at.map(|at| at.text).or(first) else {
            let kind = DescriptionErrorKind::Expression {
                what: what.to_owned(),
                message: "it names no field of the node".to_owned(),
            };
            mistakes.add(kind, &rule.at);
            return None;
        };
        Some(Check { rule, fields, message: message.map(|message| message.text), at })
    }

    fn read_assembly(&mut self, prefix: &str, section: &Section<'_>, mistakes: &mut Mistakes) {
        let help = format!("add `assembly = \"{prefix}.{}({{x}})\"`", self.name.text);
        let Some(text) = section.required_text("assembly", &help, mistakes) else { return };
        let names: Vec<&str> = self.fields.iter().map(|field| field.name.text.as_str()).collect();
        let Some(template) = template::parse(&text, &self.name.text, prefix, &names, mistakes) else {
            return;
        };
        let refuse = |reason: String, at: &Place, help: &str, mistakes: &mut Mistakes| {
            let kind = DescriptionErrorKind::Assembly { entry: self.name.text.clone(), reason };
            mistakes.with_help(kind, at, help);
        };
        if template.function != self.name.text {
            let reason = format!("calls `{prefix}.{}`", template.function);
            let help = format!("call `{prefix}.{}`, or rename the statement", self.name.text);
            refuse(reason, &text.at, &help, mistakes);
        }
        let used = template.fields();
        for (index, field) in self.fields.iter().enumerate() {
            let name = &field.name.text;
            if used.contains(&index) {
                continue;
            }
            if field.default.is_none() || field.role != Role::Ignored {
                let reason = format!("lacks the field `{name}`");
                let help = format!("add `{{{name}}}`, or make it `ignored` with a default");
                refuse(reason, &field.name.at, &help, mistakes);
            }
        }
        let field = |index: usize| self.fields.get(index);
        let body = match template.form {
            Form::With { body, .. } | Form::For { body, .. } | Form::Function { body, .. } => Some(body),
            Form::Call | Form::Assign { .. } => None,
        };
        if let Some(field) = body.and_then(field) {
            let holds_nodes = matches!(&field.kind, Kind::List(item) if !item.is_attribute());
            if !holds_nodes {
                let reason = format!("has `{{{}}}` as a body, which is not a list of nodes", field.name.text);
                refuse(reason, &field.at, "a body has the kind `list of node`", mistakes);
            }
        }
        let target = match template.form {
            Form::Assign { target } | Form::For { target, .. } => Some(target),
            Form::With { target, .. } => target,
            Form::Call | Form::Function { .. } => None,
        };
        for field in target.into_iter().filter_map(field) {
            if field.role != Role::Definition || !matches!(field.kind, Kind::Class(_)) {
                let reason = format!("binds `{{{}}}`, which does not define a variable", field.name.text);
                refuse(
                    reason,
                    &field.at,
                    "its kind is `definition` and the name of a variable node",
                    mistakes,
                );
            }
        }
        if let Form::Function { name, params, .. } = template.form {
            if let Some(field) = field(name).filter(|field| field.kind != Kind::Str) {
                let reason = format!("has `{{{}}}` as a name, which is not a string", field.name.text);
                refuse(reason, &field.at, "its kind is `str`", mistakes);
            }
            let is_params = |field: &&Field| {
                let is_list = matches!(&field.kind, Kind::List(item) if matches!(**item, Kind::Class(_)));
                is_list && field.role == Role::Definition
            };
            if let Some(field) = params.and_then(field).filter(|field| !is_params(field)) {
                let reason =
                    format!("has `{{{}}}` as parameters, which defines no variables", field.name.text);
                let help = "its kind is `definition list of` a variable node";
                refuse(reason, &field.at, help, mistakes);
            }
            if !template.arguments.is_empty() {
                let reason = "passes arguments to a decorator".to_owned();
                refuse(reason, &text.at, "write the decorator without parentheses", mistakes);
            }
        }
        for argument in &template.arguments {
            let Some(field) = field(argument.field) else { continue };
            let is_list = matches!(field.kind, Kind::List(_));
            if argument.pass == Pass::Star && !is_list {
                let reason = format!("passes `*{{{}}}`, which is not a list", field.name.text);
                refuse(reason, &field.at, "its kind is `list of` something", mistakes);
            }
        }
        self.template = Some(template);
    }
}

impl Field {
    fn read(
        name: Text,
        value: &Spanned<DeValue<'_>>,
        around: &Section<'_>,
        what: &str,
        mistakes: &mut Mistakes,
    ) -> Option<Field> {
        let (text, default) = match value.get_ref() {
            DeValue::String(_) => (around.text_of(value), None),
            DeValue::Table(table) => {
                let known = ["kind", "default", "doc"];
                for key in table.keys().filter(|key| !known.contains(&key.get_ref().as_ref())) {
                    let kind = DescriptionErrorKind::UnknownKey {
                        table: what.to_owned(),
                        key: key.get_ref().to_string(),
                    };
                    mistakes.with_help(kind, &place(key), "known keys: kind, default, doc");
                }
                match table.get("kind") {
                    Some(kind) if matches!(kind.get_ref(), DeValue::String(_)) => {
                        (around.text_of(kind), table.get("default"))
                    }
                    _ => {
                        let kind = DescriptionErrorKind::MissingKey {
                            table: what.to_owned(),
                            key: "kind".to_owned(),
                        };
                        mistakes.with_help(kind, &place(value), "write `{ kind = \"int\", default = 0 }`");
                        return None;
                    }
                }
            }
            other => {
                let kind = DescriptionErrorKind::Value {
                    what: what.to_owned(),
                    expected: "a kind of field or `{ kind = \"..\" }`".to_owned(),
                    found: kind_of(other).to_owned(),
                };
                mistakes.with_help(kind, &place(value), format!("kinds are {WORDS}"));
                return None;
            }
        };
        let (role, kind) = Kind::parse(&text, what, mistakes)?;
        let default = match default {
            Some(value) => Some(read_default(value, &kind, what, mistakes)?),
            None if matches!(kind, Kind::Optional(_)) => Some(Value::None),
            None => None,
        };
        Some(Field { name, role, kind, at: text.at, default })
    }
}

/// The default of a field: a number, string or boolean of its kind.
fn read_default(
    value: &Spanned<DeValue<'_>>,
    kind: &Kind,
    what: &str,
    mistakes: &mut Mistakes,
) -> Option<Value> {
    let (inner, expected) = match kind {
        Kind::Optional(inner) => (&**inner, "a value of the kind"),
        other => (other, "a value of the kind"),
    };
    let read = match (inner, value.get_ref()) {
        (Kind::Int | Kind::Any, DeValue::Integer(number)) => {
            i64::from_str_radix(number.as_str(), number.radix()).ok().map(Value::Int)
        }
        (Kind::Float, DeValue::Integer(number)) => i64::from_str_radix(number.as_str(), number.radix())
            .ok()
            .map(|number| Value::Float(number as f64)),
        (Kind::Float | Kind::Any, DeValue::Float(number)) => number.as_str().parse().ok().map(Value::Float),
        (Kind::Bool | Kind::Any, DeValue::Boolean(flag)) => Some(Value::Bool(*flag)),
        (Kind::Str | Kind::Any, DeValue::String(text)) => Some(Value::str(text)),
        (Kind::DType, DeValue::String(text)) => parse_dtype(text).map(Value::DType),
        _ => None,
    };
    if read.is_none() {
        let kind = DescriptionErrorKind::Value {
            what: format!("the default of {what}"),
            expected: expected.to_owned(),
            found: kind_of(value.get_ref()).to_owned(),
        };
        mistakes.with_help(kind, &place(value), "defaults are numbers, strings, booleans and dtypes");
    }
    read
}

/// Checks a rule over names; returns those that it uses.
fn read_rule(text: &Text, what: &str, names: &[&str], mistakes: &mut Mistakes) -> Option<Vec<String>> {
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

fn wrong_edition(what: &str, text: &Text, mistakes: &mut Mistakes) {
    let kind = DescriptionErrorKind::Value {
        what: what.to_owned(),
        expected: "an edition such as `1.2`".to_owned(),
        found: format!("`{}`", text.text),
    };
    mistakes.add(kind, &text.at);
}

fn read_edition(section: &Section<'_>, key: &str, mistakes: &mut Mistakes) -> Option<Edition> {
    let text = section.text(key, mistakes)?;
    let edition = Edition::parse(&text.text);
    if edition.is_none() {
        wrong_edition(&format!("`{key}` of {}", section.what), &text, mistakes);
    }
    edition
}

/// A dtype by its name.
pub(crate) fn parse_dtype(text: &str) -> Option<DataType> {
    text.parse::<DataType>().ok().filter(|dtype| dtype.is_valid() && dtype.to_string() == text)
}

fn what_any_of(name: &Text, entry: &str) -> String {
    format!("the variable `{}` of {entry}", name.text)
}

fn label(at: &Place, text: &str) -> tvmscript_ir_core::diagnostic::Label {
    tvmscript_ir_core::diagnostic::Label::new(at.clone(), text)
}

pub(crate) fn unknown(what: &str, name: &Text, expected: &str, mistakes: &mut Mistakes) {
    let kind = DescriptionErrorKind::Unknown {
        what: what.to_owned(),
        name: name.text.clone(),
        expected: expected.to_owned(),
    };
    mistakes.add(kind, &name.at);
}

fn unknown_kind(what: &str, name: &Text, expected: &str, mistakes: &mut Mistakes) {
    unknown(what, name, expected, mistakes);
    if let Some(error) = mistakes.0.last_mut() {
        error.help = Some(format!("kinds are {WORDS}"));
    }
}

/// Reports a name that scripts cannot write.
fn check_name(name: &Text, what: &str, mistakes: &mut Mistakes) {
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
fn camel_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for part in name.split(['_', '.']) {
        let mut chars = part.chars();
        out.extend(chars.next().into_iter().flat_map(char::to_uppercase));
        out.push_str(chars.as_str());
    }
    out
}
