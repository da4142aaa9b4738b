//! Checks of a file as a whole: editions, names, replacements, types of constraint variables.

use std::collections::HashMap;

use super::names::{label, unknown, unknown_kind, what_any_of, wrong_edition};
use super::{Description, Entry, Field, LowerTo, ReadFile, Table, parse_dtype};
use crate::edition::{Edition, Editions};
use crate::error::DescriptionErrorKind;
use crate::kind::Kind;
use crate::lower;
use crate::source::{Mistakes, Section, Text};

impl Description {
    /// Keeps the entries of the chosen edition.
    pub(super) fn select(&mut self, editions: Editions<'_>, mistakes: &mut Mistakes) {
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
    pub(super) fn check_patterns(&self, mistakes: &mut Mistakes) {
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
    pub(super) fn check_replacements(&self, mistakes: &mut Mistakes) {
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

    /// Reports functions of one name, nodes of one key, and names that the prefix hides.
    pub(super) fn check_names(&self, mistakes: &mut Mistakes) {
        let mut keys: HashMap<&str, &Entry> = HashMap::new();
        let mut functions: HashMap<&str, &Entry> = HashMap::new();
        let mut enums: HashMap<&str, &Text> = HashMap::new();
        for found in &self.enums {
            let clash =
                self.entries.iter().map(|entry| &entry.name).find(|name| name.text == found.name.text);
            if let Some(first) = enums.insert(&found.name.text, &found.name).or(clash) {
                let kind =
                    DescriptionErrorKind::Duplicate { what: format!("the name `{}`", found.name.text) };
                let error = mistakes.add(kind, &found.name.at);
                error.labels.push(label(&first.at, "first here"));
            }
        }
        for entry in &self.entries {
            if let Some(first) = keys.insert(&entry.key, entry) {
                let kind = DescriptionErrorKind::Duplicate { what: format!("the node `{}`", entry.key) };
                let error = mistakes.add(kind, &entry.name.at);
                error.labels.push(label(&first.name.at, "first here"));
                error.help = Some(format!("give {} another name of its node: `node = \"..\"`", entry.what));
            }
            let Some(template) = &entry.template else { continue };
            if let Some(first) = functions.insert(&template.function, entry) {
                let what = template.shown(&self.prefix.text);
                let kind = DescriptionErrorKind::Duplicate { what };
                let error = mistakes.add(kind, &entry.name.at);
                error.labels.push(label(&first.name.at, "first here"));
                error.help = Some("a text can be read as one node only: rename one function".to_owned());
            }
        }
    }

    /// Replaces names of own nodes by type keys, and reports names that the file does not declare.
    pub(super) fn resolve_own_names(&mut self, mistakes: &mut Mistakes) {
        let own: Vec<(String, bool)> =
            self.entries.iter().map(|entry| (entry.key.clone(), entry.is_variable)).collect();
        let find = |key: &str| own.iter().find(|(own, _)| own == key);
        let mut entries = std::mem::take(&mut self.entries);
        let enums = &self.enums;
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
                let (role, default) = (&field.at, &field.default);
                let mut is_enum = false;
                for class in field.kind.classes_mut() {
                    let Kind::Class(name) = class else { continue };
                    if variables.iter().any(|variable| variable.name.text == *name) {
                        *class = Kind::Variable(std::mem::take(name));
                    } else if let Some(found) = enums.iter().find(|found| found.name.text == *name) {
                        is_enum = true;
                        let default = default.as_ref().and_then(|default| default.as_str());
                        if let Some(default) = default
                            && found.values.iter().all(|value| value.text != default)
                        {
                            let text = Text::implied(default, role);
                            unknown(
                                &format!("the default of {place}"),
                                &text,
                                "a value of the enum",
                                mistakes,
                            );
                        }
                        *class = Kind::Enum(std::mem::take(name));
                    } else {
                        let key = self.key_of(name);
                        if !name.contains('.') && find(&key).is_none() {
                            let text = Text::implied(name.clone(), role);
                            let expected =
                                "a node or enum of the file, a constraint variable or another kind";
                            unknown_kind(&place, &text, expected, mistakes);
                        }
                        *name = key;
                    }
                }
                let is_text = default.as_ref().is_some_and(|default| default.as_str().is_some());
                if is_text && !is_enum && !field.kind.classes().is_empty() {
                    let kind = DescriptionErrorKind::Value {
                        what: format!("the default of {place}"),
                        expected: "a value of the kind".to_owned(),
                        found: "a string".to_owned(),
                    };
                    mistakes.add(kind, &field.at);
                }
            }
        }
        self.entries = entries;
    }

    pub(super) fn read_lower(
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
}
