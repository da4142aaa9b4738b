//! The parts of an entry.

use toml::Spanned;
use toml::de::DeValue;
use tvmscript_python_syntax::is_identifier;

use super::names::{check_name, read_rule, unknown, what_any_of};
use super::{Check, Entry, Field, Pattern, Rule, Table, Variable, parse_dtype};
use crate::error::DescriptionErrorKind;
use crate::source::{Mistakes, Section, Text, kind_of, place};
use crate::template::{Pass, Template};
use crate::traits;

impl Entry {
    /// Index of a field.
    pub(super) fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name.text == name)
    }

    /// The call of an operator, a type or a variable: parameters with a default are passed by keyword.
    pub(super) fn call(&self) -> Template {
        let fields = self.fields.iter().enumerate().map(|(index, field)| match field.default {
            Some(_) => (index, Pass::Keyword(field.name.text.clone())),
            None => (index, Pass::Position),
        });
        Template::call(&self.name.text, fields)
    }

    pub(super) fn read_fields(&mut self, key: &str, section: &Section<'_>, mistakes: &mut Mistakes) {
        let Some(fields) = section.section(key, mistakes) else { return };
        let has_no_result = section
            .value("result")
            .is_some_and(|result| matches!(result.get_ref(), DeValue::String(text) if text == "none"));
        for (name, value) in fields.keys() {
            let what = format!("`{}` of {}", name.text, self.what);
            check_name(&name, &what, mistakes);
            let hidden = match name.text.as_str() {
                "span" => true,
                "dtype" | "type" => self.table == Table::Op && !has_no_result,
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
        let has_call = matches!(self.table, Table::Op | Table::Type) && section.value("assembly").is_none();
        if let (true, Some((_, field))) = (has_call, late) {
            let kind = DescriptionErrorKind::Value {
                what: format!("`{}` of {}", field.name.text, self.what),
                expected: "a parameter with a default".to_owned(),
                found: "one without, after one with a default".to_owned(),
            };
            mistakes.with_help(kind, &field.name.at, "move parameters without a default to the front");
        }
    }

    pub(super) fn read_variables(&mut self, section: &Section<'_>, mistakes: &mut Mistakes) {
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

    pub(super) fn read_result(&mut self, section: &Section<'_>, mistakes: &mut Mistakes) {
        let help = "add `result = \"float32\"`, the name of a constraint variable, or `\"none\"` for a value without a dtype";
        let Some(text) = section.required_text("result", help, mistakes) else { return };
        if text.text == "none" {
            return;
        }
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

    pub(super) fn field_names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| field.name.text.as_str())
    }

    pub(super) fn read_traits(&mut self, section: &Section<'_>, mistakes: &mut Mistakes) {
        let what = format!("`traits` of {}", self.what);
        for name in section.texts("traits", mistakes) {
            if !self.traits.add(&name.text) {
                unknown(&what, &name, &format!("one of `{}`", traits::NAMES.join("`, `")), mistakes);
            }
            let reason = match name.text.as_str() {
                "terminator" if self.table != Table::Statement => "a statement",
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

    pub(super) fn read_checks(&mut self, section: &Section<'_>, mistakes: &mut Mistakes) {
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

    pub(super) fn check(
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
}
