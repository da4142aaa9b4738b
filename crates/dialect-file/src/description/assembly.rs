//! The assembly of a statement: its template, and the fields that the places of the template need.

use super::{Entry, Field, Table};
use crate::error::DescriptionErrorKind;
use crate::kind::{Kind, Role};
use crate::source::{Mistakes, Place, Section};
use crate::template::{self, Form, Pass};

impl Entry {
    /// Reads the text of an operator or type: that of its assembly, or a call.
    pub(super) fn read_value_text(&mut self, prefix: &str, section: &Section<'_>, mistakes: &mut Mistakes) {
        match section.value("assembly") {
            Some(_) => self.read_assembly(prefix, section, mistakes),
            None => self.template = Some(self.call()),
        }
    }

    pub(super) fn read_assembly(&mut self, prefix: &str, section: &Section<'_>, mistakes: &mut Mistakes) {
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
        let is_value = matches!(template.form, Form::Subscript | Form::Operation(_));
        if self.table != Table::Statement && !is_value && template.form != Form::Call {
            let reason = "is a statement".to_owned();
            let help =
                format!("write a call, `{prefix}.F[{{a}}]` or an operator, or move it to `[statement]`");
            refuse(reason, &text.at, &help, mistakes);
        } else if self.table == Table::Statement && is_value {
            let help = "move it to `[op]` or `[type]`";
            refuse("is an expression".to_owned(), &text.at, help, mistakes);
        }
        let has_name = template.form.is_called() || matches!(template.form, Form::Function { .. });
        if has_name && template.function != self.name.text {
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
        for field in template.form.bodies().filter_map(field) {
            let holds_nodes = matches!(&field.kind, Kind::List(item) if !item.is_attribute());
            if !holds_nodes {
                let reason = format!("has `{{{}}}` as a body, which is not a list of nodes", field.name.text);
                refuse(reason, &field.at, "a body has the kind `list of node`", mistakes);
            }
        }
        for field in template.form.target().into_iter().filter_map(field) {
            if field.role != Role::Definition || !matches!(field.kind, Kind::Class(_)) {
                let reason = format!("binds `{{{}}}`, which does not define a variable", field.name.text);
                let help = "its kind is `definition` and the name of a variable node";
                refuse(reason, &field.at, help, mistakes);
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
