//! The texts of nodes, of the templates of their entries.

use std::sync::Arc;

use tvmscript_ir_core::{DynamicCheck, TypeInfo, Value};

use super::check::{Checked, Terminators};
use super::{Loader, leak};
use crate::description::{Check, Entry, Field, LowerTo, Pattern as TypePattern, Rule, Table, parse_dtype};
use crate::kind::Kind;
use crate::lower::Lowering;
use crate::node::{
    Annotation, Argument, Convert, Gives, NodeText, Parameter, Passing, Pattern, Place, ResultRule, Variable,
};
use crate::rule::Rule as RuleText;
use crate::template::{Form, Pass, Template};

impl Loader {
    /// The type of a constraint variable. Names were checked before.
    fn pattern(&self, entry: &Entry, pattern: &TypePattern) -> Option<Pattern> {
        let entries = &self.description.entries;
        let at = entries.iter().position(|ty| ty.table == Table::Type && ty.name.text == pattern.ty)?;
        let info = *self.cells.get(at)?.get()?;
        let hidden = info.fields().len().saturating_sub(pattern.parameters.len());
        let parameter = |name: &String| match parse_dtype(name) {
            Some(dtype) => Some(Parameter::DType(dtype)),
            None => {
                let at = entry.variables.iter().position(|variable| variable.name.text == *name)?;
                Some(Parameter::Variable(at))
            }
        };
        let parameters: Option<Vec<Parameter>> = pattern.parameters.iter().map(parameter).collect();
        let parameters = parameters?.into_iter().enumerate().map(|(at, found)| (hidden + at, found));
        Some(Pattern { info, parameters: parameters.collect() })
    }

    /// The checks of a node, as one function.
    pub(super) fn checks(&self, entry: &Entry) -> Option<DynamicCheck> {
        let leaked = |check: &Check| Checked {
            rule: Box::leak(Box::new(RuleText::new(
                &check.rule.text,
                check.fields.iter().map(|name| leak(name)).collect(),
            ))),
            message: check.message.clone(),
            at: leak(&check.at),
        };
        let checks: Vec<Checked> = entry.checks.iter().map(leaked).collect();
        let terminators = self.terminators(entry);
        if checks.is_empty() && terminators.is_none() {
            return None;
        }
        Some(Arc::new(move |node| {
            terminators.iter().try_for_each(|terminators| terminators.run(node))?;
            checks.iter().try_for_each(|check| check.run(node))
        }))
    }

    /// The statements that end the body of a node, if it has one.
    fn terminators(&self, entry: &Entry) -> Option<Terminators> {
        let bodies: Vec<usize> = entry.template.as_ref()?.form.bodies().collect();
        let all = self.description.entries.iter().zip(&self.cells);
        let cells: Vec<_> =
            all.filter(|(entry, _)| entry.traits.terminator).map(|(_, cell)| Arc::clone(cell)).collect();
        let fields: Vec<&'static str> =
            bodies.iter().filter_map(|body| Some(leak(&entry.fields.get(*body)?.name.text))).collect();
        (!cells.is_empty() && !fields.is_empty()).then_some(Terminators { fields, cells })
    }

    fn lowering(&self, lower: &LowerTo) -> Lowering {
        Lowering {
            target: leak(self.description.lowers_to.as_ref().map_or("", |target| target.text.as_str())),
            file: leak(&lower.file),
            text: leak(&lower.text),
            function: leak(&lower.function),
        }
    }

    pub(super) fn text(
        &self,
        entry: &Entry,
        template: &Template,
        info: &'static TypeInfo,
        dialect: &'static str,
        prefix: &'static str,
    ) -> NodeText {
        let hidden = info.fields().len().saturating_sub(entry.fields.len());
        let name_of = |index: usize| info.fields().get(index).map_or("", |field| field.name);
        let place = |index: usize| {
            let field: Option<&Field> = entry.fields.get(index);
            let classes = field.map(|field| field.kind.classes()).unwrap_or_default();
            // Nodes of several classes are told apart by the field's check.
            let class = match classes.as_slice() {
                [key] => self.info(key),
                _ => None,
            };
            let own = classes
                .first()
                .and_then(|key| self.own.get(*key))
                .and_then(|at| self.description.entries.get(*at));
            let fresh = own.filter(|own| own.is_variable).map(|own| {
                let fields = own.fields.iter().map(|field| field.default.clone().unwrap_or_default());
                [Value::None, Value::str("")].into_iter().chain(fields).collect()
            });
            let convert = field.map_or(Convert::Any, |field| self.convert(&field.kind));
            Place {
                field: hidden + index,
                name: name_of(hidden + index),
                class,
                fresh: fresh.unwrap_or_default(),
                convert,
            }
        };
        let target = template.form.target().map(place);
        let mut bodies = template.form.bodies().map(place);
        let (body, otherwise) = (bodies.next(), bodies.next());
        let (name, params, returns) = match template.form {
            Form::Function { name, params, result, .. } => {
                (Some(place(name)), params.map(place), result.map(place))
            }
            _ => (None, None, None),
        };
        let value = match template.form {
            Form::Bind { value, .. } | Form::Return { value } => Some(place(value)),
            Form::If { condition, .. } => Some(place(condition)),
            _ => None,
        };
        let annotation = template.annotation.as_ref().and_then(|name| {
            let class = target.as_ref().or(params.as_ref())?.class?;
            let own = self.description.entries.iter().find(|own| own.key == class.key())?;
            let field = own.fields.iter().find(|field| field.name.text == name.text)?;
            let index = class.field_index(&name.text)?;
            let name = class.fields().get(index)?.name;
            Some(Annotation { field: index, name, convert: self.convert(&field.kind) })
        });
        let mut arguments = Vec::with_capacity(template.arguments.len());
        for argument in &template.arguments {
            let Some(field) = entry.fields.get(argument.field) else { continue };
            let field_name = name_of(hidden + argument.field);
            let (passing, name) = match &argument.pass {
                Pass::Position => (Passing::Position, field_name),
                Pass::Star => (Passing::Star, field_name),
                Pass::Keyword(name) => (Passing::Keyword, leak(name)),
            };
            let inner = match &field.kind {
                Kind::List(item) => &**item,
                kind => kind,
            };
            let variable = match inner {
                Kind::Variable(name) => entry.variables.iter().position(|v| v.name.text == *name),
                _ => None,
            };
            let mut convert = self.convert(&field.kind);
            if let (Passing::Star, Convert::List(item)) = (passing, &convert) {
                convert = (**item).clone();
            }
            let default = field.default.clone();
            arguments.push(Argument {
                field: hidden + argument.field,
                field_name,
                name,
                passing,
                convert,
                default,
                variable,
            });
        }
        let used = template.fields();
        let outside = entry.fields.iter().enumerate().filter(|(index, _)| !used.contains(index));
        let constants =
            outside.filter_map(|(index, field)| Some((hidden + index, field.default.clone()?))).collect();
        let result = entry.result.as_ref().map(|rule| match rule {
            Rule::DType(dtype) => (1, ResultRule::DType(*dtype)),
            Rule::Variable(index) => (1, ResultRule::Variable(*index)),
            Rule::Expression(text, names) => {
                let names = names.iter().map(|name| leak(name)).collect();
                (1, ResultRule::Rule(Box::leak(Box::new(RuleText::new(&text.text, names)))))
            }
        });
        let variables = entry.variables.iter().map(|variable| Variable {
            name: leak(&variable.name.text),
            any_of: variable.any_of.iter().filter_map(|ty| parse_dtype(&ty.text)).collect(),
            pattern: variable.pattern.as_ref().and_then(|pattern| self.pattern(entry, pattern)),
        });
        NodeText {
            dialect,
            function: leak(&template.function),
            full: leak(&format!("{prefix}.{}", template.function)),
            info,
            gives: if entry.table == Table::Statement { Gives::Statement } else { Gives::Value },
            is_variable: entry.is_variable,
            form: template.form,
            hidden,
            lower: entry.lower.as_ref().map(|lower| self.lowering(lower)),
            arguments,
            target,
            body,
            otherwise,
            value,
            annotation,
            lines: template.lines.iter().map(|line| leak(line)).collect::<Vec<_>>().leak(),
            returns,
            name,
            params,
            constants,
            variables: variables.collect(),
            result,
        }
    }
}
