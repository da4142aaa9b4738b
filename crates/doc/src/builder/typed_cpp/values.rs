//! Values of a program, and their texts where a type is expected.

use std::collections::BTreeSet;

use super::table::{ANY, Form, Parameter, Template, Type, TypedApi};
use super::text::{Text, Texts};

/// A value. Literals have the type that their place wants.
#[derive(Debug, Clone)]
pub(super) enum Value {
    None,
    /// The kind of a literal, with its text.
    Literal(&'static str, String),
    List(Vec<Value>),
    Map(Vec<(Value, Value)>),
    /// A function: the names of its parameters in C++, and its result.
    Lambda(Vec<String>, Box<Value>),
    Typed(Typed),
}

/// A value of known type.
#[derive(Debug, Clone)]
pub(super) struct Typed {
    pub(super) text: Text,
    pub(super) ty: Type,
    /// The strength with which its text binds.
    pub(super) level: Precedence,
}

impl Value {
    /// The kind of the value, for messages.
    pub(super) fn kind(&self) -> String {
        match self {
            Value::None => NONE.to_owned(),
            Value::Literal(kind, _) => (*kind).to_owned(),
            Value::List(items) => format!("[{}]", items.first().map(Value::shallow_kind).unwrap_or_default()),
            Value::Map(_) => "{..}".to_owned(),
            Value::Lambda(..) => LAMBDA.to_owned(),
            Value::Typed(typed) => typed.ty.to_string(),
        }
    }

    fn shallow_kind(&self) -> String {
        match self {
            Value::List(_) => "[..]".to_owned(),
            other => other.kind(),
        }
    }
}

/// The kinds of literals, which are types of parameters too.
pub(super) const INT: &str = "int";
pub(super) const LONG: &str = "long";
pub(super) const FLOAT: &str = "float";
pub(super) const BOOL: &str = "bool";
pub(super) const STRING: &str = "str";
const NONE: &str = "none";
const LAMBDA: &str = "lambda";

/// Conversions that may stand in each other: a literal becomes an element, which becomes part of a container.
const MAX_CONVERSIONS: usize = 12;

/// Strength with which an expression binds its operands.
pub(super) type Precedence = u8;

/// Of an argument.
pub(super) const ANY_LEVEL: Precedence = 0;
/// Of the operand of an unary operator.
const UNARY: Precedence = 11;
/// Of a call.
pub(super) const CALL: Precedence = 12;

/// The precedence of a binary operator.
fn level(operator: &str) -> Option<Precedence> {
    Some(match operator {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | "<=" | ">" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

/// An argument of a form: one value, or those that are left.
#[derive(Debug, Clone, Copy)]
enum Argument<'v> {
    One(&'v Value),
    Rest(&'v [Value]),
    Default,
}

/// Writes values by a table.
pub(super) struct Values<'t> {
    pub(super) api: &'t TypedApi,
    pub(super) texts: Texts,
    /// The numbers of the helpers that the text calls.
    pub(super) helpers: BTreeSet<usize>,
}

impl<'t> Values<'t> {
    /// Applies the first form of a name that accepts the arguments.
    pub(super) fn apply(&mut self, name: &str, args: &[Value], keywords: &[(&str, Value)]) -> Option<Typed> {
        let api = self.api;
        for form in api.forms.get(name)? {
            if let Some(arguments) = self.arguments(form, args, keywords) {
                return self.form(form, &arguments);
            }
        }
        None
    }

    /// The arguments of the parameters, if they are accepted.
    fn arguments<'v>(
        &self,
        form: &Form,
        args: &'v [Value],
        keywords: &'v [(&str, Value)],
    ) -> Option<Vec<Argument<'v>>> {
        let mut positional = args;
        let mut named = 0;
        let mut arguments = Vec::with_capacity(form.parameters.len());
        for parameter in &form.parameters {
            if parameter.is_rest {
                if !positional.iter().all(|value| self.accepts(value, &parameter.ty, MAX_CONVERSIONS)) {
                    return None;
                }
                arguments.push(Argument::Rest(positional));
                positional = &[];
                continue;
            }
            let value = match positional.split_first() {
                Some((first, rest)) => {
                    positional = rest;
                    Some(first)
                }
                None => {
                    let keyword = keywords.iter().find(|(name, _)| *name == parameter.name);
                    named += usize::from(keyword.is_some());
                    keyword.map(|(_, value)| value)
                }
            };
            arguments.push(match value {
                Some(Value::None) if parameter.is_optional => Argument::Default,
                Some(value) if self.accepts(value, &parameter.ty, MAX_CONVERSIONS) => Argument::One(value),
                None if parameter.default.is_some() => Argument::Default,
                _ => return None,
            });
        }
        (positional.is_empty() && named == keywords.len()).then_some(arguments)
    }

    fn form(&mut self, form: &Form, arguments: &[Argument<'_>]) -> Option<Typed> {
        let ty = match &form.result {
            Ok(ty) => ty.clone(),
            Err(of) => {
                let index = form.parameters.iter().position(|parameter| parameter.name == *of)?;
                match (arguments.get(index)?, form.parameters.get(index)?) {
                    (Argument::One(Value::Typed(typed)), _) => typed.ty.clone(),
                    (_, parameter) => parameter.ty.clone(),
                }
            }
        };
        let level = match &form.template.operator {
            Some(operator) => level(operator)?,
            None => CALL,
        };
        self.helpers.extend(&form.template.helpers);
        let mut parts = Vec::new();
        let mut is_left = true;
        for hole in &form.template.pieces {
            parts.push(self.texts.leaf(hole.text.as_str()));
            let Some(name) = &hole.argument else { continue };
            let Some(index) = form.parameters.iter().position(|parameter| parameter.name == *name) else {
                parts.push(self.texts.leaf(format!("{{{name}}}")));
                continue;
            };
            let wanted = match (&form.template.operator, hole.is_base) {
                (Some(_), _) if is_left => level,
                (Some(_), _) => level + 1,
                (None, true) => CALL,
                (None, false) => ANY_LEVEL,
            };
            is_left = false;
            let text = self.argument(form.parameters.get(index)?, arguments.get(index)?, wanted)?;
            parts.push(text);
        }
        Some(Typed { text: self.texts.joined(parts), ty, level })
    }

    fn argument(
        &mut self,
        parameter: &Parameter,
        argument: &Argument<'_>,
        level: Precedence,
    ) -> Option<Text> {
        match argument {
            Argument::One(value) => self.text(value, &parameter.ty, level),
            Argument::Rest(values) => {
                let mut texts = Vec::with_capacity(values.len());
                for value in *values {
                    texts.push(self.text(value, &parameter.ty, ANY_LEVEL)?);
                }
                Some(self.texts.list(texts))
            }
            Argument::Default => Some(self.texts.leaf(parameter.default.as_deref().unwrap_or("{}"))),
        }
    }

    /// Returns `true` if a value may stand in the place of a type, after at most this many conversions.
    fn accepts(&self, value: &Value, wanted: &Type, conversions: usize) -> bool {
        let is_direct = match (value, wanted) {
            (Value::Typed(typed), _) => self.api.is_a(&typed.ty, wanted),
            (Value::List(items), Type::List(element)) => {
                items.iter().all(|item| self.accepts(item, element, conversions))
            }
            (Value::Map(entries), Type::Map(entry)) => entries.iter().all(|(key, value)| {
                self.accepts(key, &entry.0, conversions) && self.accepts(value, &entry.1, conversions)
            }),
            (Value::Literal(kind, _), Type::Name(name)) => kind == name,
            (Value::None, Type::Name(name)) => name == NONE,
            (Value::Lambda(_, body), Type::Name(name)) if name == LAMBDA => {
                self.api.lambda.as_ref().is_some_and(|(_, result)| self.accepts(body, result, conversions))
            }
            _ => false,
        };
        is_direct || self.conversion(value, wanted, conversions).is_some()
    }

    fn conversion(&self, value: &Value, wanted: &Type, conversions: usize) -> Option<&'t (Type, Template)> {
        let conversions = conversions.checked_sub(1)?;
        self.api.conversions.get(wanted)?.iter().find(|(from, _)| self.accepts(value, from, conversions))
    }

    /// The text of a value where a type is expected.
    pub(super) fn text(&mut self, value: &Value, wanted: &Type, level: Precedence) -> Option<Text> {
        self.converted(value, wanted, level, MAX_CONVERSIONS)
    }

    fn converted(
        &mut self,
        value: &Value,
        wanted: &Type,
        level: Precedence,
        conversions: usize,
    ) -> Option<Text> {
        match (value, wanted) {
            (Value::Typed(typed), _) if self.api.is_a(&typed.ty, wanted) => {
                return Some(self.parenthesized(typed.text, typed.level, level));
            }
            (Value::List(items), Type::List(element))
                if items.iter().all(|item| self.accepts(item, element, conversions)) =>
            {
                let mut texts = Vec::with_capacity(items.len());
                for item in items {
                    texts.push(self.converted(item, element, ANY_LEVEL, conversions)?);
                }
                return Some(self.container(wanted, texts));
            }
            (Value::Map(entries), Type::Map(entry)) => {
                let mut texts = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    let key = self.converted(key, &entry.0, ANY_LEVEL, conversions)?;
                    let value = self.converted(value, &entry.1, ANY_LEVEL, conversions)?;
                    let pair = self.texts.list([key, value]);
                    texts.push(self.braces(pair));
                }
                return Some(self.container(wanted, texts));
            }
            (Value::Literal(kind, text), Type::Name(name)) if kind == name => {
                let own = if text.starts_with('-') { UNARY } else { CALL };
                let text = self.texts.leaf(text.as_str());
                return Some(self.parenthesized(text, own, level));
            }
            (Value::Lambda(names, body), Type::Name(name)) if name == LAMBDA => {
                return self.lambda(names, body, conversions);
            }
            (Value::None, Type::Name(name)) if name == NONE => return Some(self.texts.leaf("nullptr")),
            _ => {}
        }
        let (from, template) = self.conversion(value, wanted, conversions)?;
        let conversions = conversions.checked_sub(1)?;
        self.helpers.extend(&template.helpers);
        let mut parts = Vec::new();
        for hole in &template.pieces {
            parts.push(self.texts.leaf(hole.text.as_str()));
            if hole.argument.is_some() {
                let level = if hole.is_base { CALL } else { ANY_LEVEL };
                parts.push(self.converted(value, from, level, conversions)?);
            }
        }
        Some(self.texts.joined(parts))
    }

    /// A function whose parameters are the items of a list.
    fn lambda(&mut self, names: &[String], body: &Value, conversions: usize) -> Option<Text> {
        let (parameter, result) = self.api.lambda.as_ref()?;
        let list = self.api.spelling(&Type::List(Box::new(parameter.clone())));
        let mut begin = format!("[&](const {list} &parameters) {{ ");
        for (index, name) in names.iter().enumerate() {
            begin.push_str(&format!("auto {name} = parameters[{index}]; "));
        }
        begin.push_str("return ");
        let result = self.converted(body, result, ANY_LEVEL, conversions)?;
        let [begin, end] = [self.texts.leaf(begin), self.texts.leaf("; }")];
        Some(self.texts.joined(vec![begin, result, end]))
    }

    fn container(&mut self, ty: &Type, items: Vec<Text>) -> Text {
        let items = self.texts.list(items);
        let items = self.braces(items);
        let name = self.texts.leaf(self.api.spelling(ty));
        self.texts.joined(vec![name, items])
    }

    fn braces(&mut self, text: Text) -> Text {
        let [open, close] = [self.texts.leaf("{"), self.texts.leaf("}")];
        self.texts.joined(vec![open, text, close])
    }

    fn parenthesized(&mut self, text: Text, own: Precedence, wanted: Precedence) -> Text {
        if own >= wanted {
            return text;
        }
        let [open, close] = [self.texts.leaf("("), self.texts.leaf(")")];
        self.texts.joined(vec![open, text, close])
    }

    /// The text of a value where any type may stand.
    pub(super) fn any(&mut self, value: &Value) -> Option<Text> {
        self.text(value, &Type::Name(ANY.to_owned()), ANY_LEVEL)
    }
}
