//! The nodes of a loaded dialect: how each is made from arguments and what its text is.
//!
//! Loading leaks them: script functions and types live as long as the process. A dialect that is loaded again from the same
//! text is not made again.

use tvmscript_ir_core::containers::ArrayNode;
use tvmscript_ir_core::{DataType, FieldRef, Object, ObjectLike as _, TypeInfo, Value, structural_equal};
use tvmscript_irbuilder::{ArgumentRef, BuildError, BuildErrorKind, BuildResult, FromScript, ScriptValue};

use crate::lower::Lowering;
use crate::rule::{Rule, value_in_rule};
use crate::template::Form;

/// Conversion of an argument to the value of a field.
#[derive(Debug, Clone)]
pub(crate) enum Convert {
    Any,
    Bool,
    Int,
    Float,
    DType,
    Str,
    Expr,
    /// A value with a type: an expression, or a node with a field `type`.
    Typed,
    Node,
    Class(&'static TypeInfo),
    Enum(&'static Enumeration),
    List(Box<Convert>),
    Optional(Box<Convert>),
    /// The first conversion that succeeds.
    Either(Vec<Convert>),
}

/// An `[enum]` of a file. Its values are strings in nodes, and names in text.
#[derive(Debug)]
pub(crate) struct Enumeration {
    pub(crate) dialect: &'static str,
    pub(crate) name: &'static str,
    /// The text in front of a value, such as `Mem.`; `None` for names without the prefix of the dialect.
    pub(crate) path: Option<&'static str>,
    pub(crate) values: Vec<String>,
    /// The values, as words of text.
    pub(crate) words: Vec<&'static str>,
}

/// A value of an enum, which is a function of scripts that cannot be called.
#[derive(Debug)]
pub(crate) struct EnumValue {
    pub(crate) of: &'static Enumeration,
    pub(crate) value: &'static str,
}

impl Convert {
    /// Converts an argument.
    pub(crate) fn value(&self, value: ScriptValue) -> BuildResult<Value> {
        Ok(match self {
            Convert::Any => Value::from_script(value)?,
            Convert::Bool => Value::Bool(bool::from_script(value)?),
            Convert::Int => Value::Int(i64::from_script(value)?),
            Convert::Float => Value::Float(f64::from_script(value)?),
            Convert::DType => Value::DType(DataType::from_script(value)?),
            Convert::Str => Value::Node(tvmscript_ir_core::Str::from_script(value)?.into_object()),
            Convert::Expr => match value {
                ScriptValue::Node(node) if node.dtype() != DataType::VOID => Value::Node(node),
                other => return Err(BuildError::expected("an expression", other.type_name())),
            },
            Convert::Typed => match value {
                ScriptValue::Node(node)
                    if node.dtype() != DataType::VOID || node.info().field_index(TYPE).is_some() =>
                {
                    Value::Node(node)
                }
                other => return Err(BuildError::expected("a value with a type", other.type_name())),
            },
            Convert::Node => match value {
                ScriptValue::Node(node) => Value::Node(node),
                other => return Err(BuildError::expected("an IR node", other.type_name())),
            },
            Convert::Class(class) => match value {
                ScriptValue::Node(node) if node.info().is_a(class) => Value::Node(node),
                other => {
                    return Err(BuildError::expected(
                        format!("a `{}`", class.display_key()),
                        other.type_name(),
                    ));
                }
            },
            Convert::Enum(wanted) => {
                let found = match &value {
                    ScriptValue::Function(function) => {
                        function.data.and_then(|data| data.downcast_ref::<EnumValue>())
                    }
                    _ => None,
                };
                match found.filter(|found| std::ptr::eq(found.of, *wanted)) {
                    Some(found) => Value::str(found.value),
                    None => {
                        let expected = format!("a value of `{}`", wanted.name);
                        return Err(BuildError::expected(expected, value.type_name()));
                    }
                }
            }
            Convert::Either(all) => {
                // A bool is an int of Python, and an int a float.
                let exact = all.iter().find(|one| {
                    matches!(
                        (one, &value),
                        (Convert::Bool, ScriptValue::Bool(_))
                            | (Convert::Int, ScriptValue::Int(_))
                            | (Convert::Float, ScriptValue::Float(_))
                    )
                });
                for one in exact.into_iter().chain(all) {
                    if let Ok(value) = one.value(value.clone()) {
                        return Ok(value);
                    }
                }
                let expected: Vec<String> = all.iter().map(Convert::expected).collect();
                return Err(BuildError::expected(expected.join(" or "), value.type_name()));
            }
            Convert::List(item) => {
                let Some(items) = value.items() else {
                    return Err(BuildError::expected("a list or tuple", value.type_name()));
                };
                let convert = |(at, value)| item.value(value).map_err(|error| error.at_item(at));
                list(items.into_iter().enumerate().map(convert).collect::<BuildResult<_>>()?)
            }
            Convert::Optional(inner) => match value {
                ScriptValue::None => Value::None,
                other => inner.value(other)?,
            },
        })
    }
}

impl Convert {
    /// Describes the accepted values in messages.
    fn expected(&self) -> String {
        match self {
            Convert::Any => "any value".to_owned(),
            Convert::Bool => "a bool".to_owned(),
            Convert::Int => "an int".to_owned(),
            Convert::Float => "a float".to_owned(),
            Convert::DType => "a dtype".to_owned(),
            Convert::Str => "a string".to_owned(),
            Convert::Expr => "an expression".to_owned(),
            Convert::Typed => "a value with a type".to_owned(),
            Convert::Node => "an IR node".to_owned(),
            Convert::Class(class) => format!("a `{}`", class.display_key()),
            Convert::Enum(of) => format!("a value of `{}`", of.name),
            Convert::List(_) => "a list".to_owned(),
            Convert::Optional(inner) => format!("{} or None", inner.expected()),
            Convert::Either(all) => all.iter().map(Convert::expected).collect::<Vec<_>>().join(" or "),
        }
    }

    /// Returns `true` if a field holds a value of this kind.
    pub(crate) fn fits(&self, value: FieldRef<'_>) -> bool {
        match (self, value) {
            (Convert::Any, _) | (Convert::Optional(_), FieldRef::None) => true,
            (Convert::Optional(inner), value) => inner.fits(value),
            (Convert::Either(all), value) => all.iter().any(|one| one.fits(value)),
            (Convert::Bool, value) => matches!(value, FieldRef::Bool(_)),
            (Convert::Int, value) => matches!(value, FieldRef::Int(_)),
            (Convert::Float, value) => matches!(value, FieldRef::Float(_)),
            (Convert::DType, value) => matches!(value, FieldRef::DType(_)),
            (_, FieldRef::Node(node)) => {
                let text = tvmscript_docsifier::text_of(node);
                match self {
                    Convert::Str => text.is_some(),
                    Convert::Enum(of) => text.is_some_and(|text| of.values.iter().any(|value| value == text)),
                    Convert::List(_) => node.is::<ArrayNode>(),
                    Convert::Class(class) => node.info().is_a(class),
                    _ => text.is_none(),
                }
            }
            _ => false,
        }
    }
}

/// An array.
pub(crate) fn list(items: Vec<Value>) -> Value {
    Value::Node(tvmscript_ir_core::Array::of_values(items).into_object())
}

/// Passing of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passing {
    Position,
    Keyword,
    Star,
}

/// An argument of the text of a node.
#[derive(Debug)]
pub(crate) struct Argument {
    /// Index of the field.
    pub(crate) field: usize,
    /// Name of the field.
    pub(crate) field_name: &'static str,
    /// Name in calls.
    pub(crate) name: &'static str,
    pub(crate) passing: Passing,
    /// Conversion of the argument; of a starred one, of each element.
    pub(crate) convert: Convert,
    pub(crate) default: Option<Value>,
    /// The constraint variable that is the type of the argument.
    pub(crate) variable: Option<usize>,
}

/// A constraint variable.
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: &'static str,
    /// The dtypes that it can stand for; any if empty.
    pub(crate) any_of: Vec<DataType>,
    /// The type that it stands for, in place of a dtype.
    pub(crate) pattern: Option<Pattern>,
}

/// A type with its parameters.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) info: &'static TypeInfo,
    /// Indices of the fields, with what they hold.
    pub(crate) parameters: Vec<(usize, Parameter)>,
}

/// A parameter of a type.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Parameter {
    Variable(usize),
    DType(DataType),
}

/// The type that a constraint variable stands for, and the argument that it was found at.
type Bound = Option<(Value, &'static str)>;

/// The field of the type of a value that has no dtype.
const TYPE: &str = "type";

/// The type of a value: its field `type`, or its dtype.
fn type_of(node: &Object) -> Value {
    match node.info().field_index(TYPE).map(|index| node.field(index)) {
        Some(FieldRef::Node(ty)) => Value::Node(ty.clone()),
        _ => Value::DType(node.dtype()),
    }
}

/// A type in messages.
fn shown(ty: &Value) -> String {
    let Value::Node(node) = ty else { return format!("`{ty:?}`") };
    let fields = node.info().fields().iter().enumerate().filter(|(_, field)| field.name != "span");
    let parameters: Vec<String> =
        fields.map(|(index, _)| format!("{:?}", node.field(index).to_value())).collect();
    format!("`{}<{}>`", node.info().display_key(), parameters.join(", "))
}

/// Rule of the dtype of an operator's result.
#[derive(Debug, Clone)]
pub(crate) enum ResultRule {
    Variable(usize),
    DType(DataType),
    /// An expression over fields and constraint variables.
    Rule(&'static Rule),
}

/// What the call of a node's function gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gives {
    /// The node.
    Value,
    /// Nothing: the node is added to the scope around.
    Statement,
}

/// A field that a body, a target or a name stands for.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) field: usize,
    pub(crate) name: &'static str,
    /// The class of nodes or elements, if the field has one.
    pub(crate) class: Option<&'static TypeInfo>,
    /// The fields of a new node of the class, if it is a variable of the file.
    pub(crate) fresh: Vec<Value>,
    /// Conversion of values of the field.
    pub(crate) convert: Convert,
}

/// The annotation of variables: a field of theirs.
#[derive(Debug)]
pub(crate) struct Annotation {
    /// Index of the field in the variable.
    pub(crate) field: usize,
    pub(crate) name: &'static str,
    pub(crate) convert: Convert,
}

/// A node that has a text.
#[derive(Debug)]
pub(crate) struct NodeText {
    /// Name of the dialect.
    pub(crate) dialect: &'static str,
    /// Name of the function, without the prefix.
    pub(crate) function: &'static str,
    /// Name of the function with the prefix.
    pub(crate) full: &'static str,
    pub(crate) info: &'static TypeInfo,
    pub(crate) gives: Gives,
    pub(crate) is_variable: bool,
    pub(crate) form: Form,
    /// Number of fields in front of those that the file declares.
    pub(crate) hidden: usize,
    pub(crate) lower: Option<Lowering>,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) target: Option<Place>,
    pub(crate) body: Option<Place>,
    /// The statements after `else`.
    pub(crate) otherwise: Option<Place>,
    /// The value of a binding or `return`, or a condition.
    pub(crate) value: Option<Place>,
    /// The annotation of the variables that it binds.
    pub(crate) annotation: Option<Annotation>,
    /// The statements that begin a text.
    pub(crate) lines: &'static [&'static str],
    /// The type of a function's result.
    pub(crate) returns: Option<Place>,
    /// The name of a function.
    pub(crate) name: Option<Place>,
    /// The parameters of a function.
    pub(crate) params: Option<Place>,
    /// Values of fields that the text does not have.
    pub(crate) constants: Vec<(usize, Value)>,
    pub(crate) variables: Vec<Variable>,
    /// Index of the field of the dtype, and its rule.
    pub(crate) result: Option<(usize, ResultRule)>,
}

impl NodeText {
    /// Adds a statement to the body; returns one that the body does not take.
    pub(crate) fn take_stmt(&self, stmt: Object, body: &mut Vec<Value>) -> Option<Object> {
        let class = self.body.as_ref().and_then(|body| body.class);
        if class.is_some_and(|class| !stmt.info().is_a(class)) {
            return Some(stmt);
        }
        body.push(Value::Node(stmt));
        None
    }

    /// The type of the result; checks that operands agree.
    pub(crate) fn infer(&self, values: &[Value]) -> BuildResult<Option<(usize, Value)>> {
        let mut bound: Vec<Bound> = vec![None; self.variables.len()];
        for argument in &self.arguments {
            let Some(index) = argument.variable else { continue };
            let Some(Value::Node(node)) = values.get(argument.field) else { continue };
            match node.as_node::<ArrayNode>() {
                Some(items) => {
                    for item in items.items().iter().filter_map(Value::as_object) {
                        self.bind(argument, index, &type_of(item), &mut bound)?;
                    }
                }
                None => self.bind(argument, index, &type_of(node), &mut bound)?,
            }
        }
        let Some((field, rule)) = &self.result else { return Ok(None) };
        let ty = match rule {
            ResultRule::DType(dtype) => Some(Value::DType(*dtype)),
            ResultRule::Variable(index) => self.bound_type(*index, &bound)?,
            ResultRule::Rule(rule) => Some(Value::DType(self.evaluate(rule, values, &bound)?)),
        };
        match ty {
            Some(ty) => Ok(Some((*field, ty))),
            None => {
                let message = format!("the result of `{}` has no type: no operand has one", self.full);
                Err(BuildError::message(message).with_help("pass at least one element"))
            }
        }
    }

    /// The type that a variable stands for; of a type with parameters, made of what its parameters stand for.
    fn bound_type(&self, index: usize, bound: &[Bound]) -> BuildResult<Option<Value>> {
        if let Some((ty, _)) = bound.get(index).and_then(Option::as_ref) {
            return Ok(Some(ty.clone()));
        }
        let Some(pattern) = self.variables.get(index).and_then(|variable| variable.pattern.as_ref()) else {
            return Ok(None);
        };
        let mut values = vec![Value::None; pattern.info.fields().len()];
        for (field, parameter) in &pattern.parameters {
            let value = match parameter {
                Parameter::DType(dtype) => Some(Value::DType(*dtype)),
                Parameter::Variable(of) => bound.get(*of).and_then(Option::as_ref).map(|(ty, _)| ty.clone()),
            };
            match (values.get_mut(*field), value) {
                (Some(slot), Some(value)) => *slot = value,
                _ => return Ok(None),
            }
        }
        Ok(Some(Value::Node(pattern.info.construct(values)?)))
    }

    /// The dtype that a rule gives.
    fn evaluate(&self, rule: &'static Rule, values: &[Value], bound: &[Bound]) -> BuildResult<DataType> {
        let value = rule.evaluate(|name| {
            if let Some(at) = self.variables.iter().position(|variable| variable.name == name) {
                let ty = bound.get(at).and_then(Option::as_ref);
                return ty.map_or(ScriptValue::None, |(ty, _)| value_in_rule(ty));
            }
            let index = self.info.field_index(name).and_then(|index| values.get(index));
            index.map_or(ScriptValue::None, value_in_rule)
        });
        let found = match value {
            Ok(ScriptValue::Str(text)) => match text.as_str().parse::<DataType>() {
                Ok(dtype) => return Ok(dtype),
                Err(_) => format!("the text `{text}`"),
            },
            Ok(other) => other.type_name().to_owned(),
            Err(message) => format!("an error: {message}"),
        };
        let message =
            format!("the result of `{}`, `{}`, must be a dtype, not {found}", self.full, rule.text());
        Err(BuildError::message(message).with_help("correct the rule in the description of the dialect"))
    }

    /// Binds a variable to the type of an argument, and the variables in its parameters.
    fn bind(&self, argument: &Argument, index: usize, ty: &Value, bound: &mut [Bound]) -> BuildResult<()> {
        let Some(variable) = self.variables.get(index) else { return Ok(()) };
        let fail = |expected: String| {
            let kind = BuildErrorKind::ArgumentType {
                function: self.full.to_owned(),
                name: argument.name,
                expected,
                found: shown(ty),
            };
            Err(BuildError::from(kind).at(ArgumentRef::Keyword(argument.name.into())))
        };
        if let Some((first, of)) = bound.get(index).and_then(Option::as_ref) {
            return match is_same_type(first, ty) {
                true => Ok(()),
                false => fail(format!("of the type {}, as `{of}` is", shown(first))),
            };
        }
        match (&variable.pattern, ty) {
            (None, Value::DType(dtype)) if variable.any_of.is_empty() || variable.any_of.contains(dtype) => {}
            (None, _) => {
                let names: Vec<String> = variable.any_of.iter().map(|dtype| format!("`{dtype}`")).collect();
                let names = if names.is_empty() { "a dtype".to_owned() } else { names.join(" or ") };
                return fail(format!("of the type {names}"));
            }
            (Some(pattern), Value::Node(node)) if node.info().is_a(pattern.info) => {
                for (field, parameter) in &pattern.parameters {
                    let found = node.field(*field).to_value();
                    match parameter {
                        Parameter::Variable(of) => self.bind(argument, *of, &found, bound)?,
                        Parameter::DType(dtype) if is_same_type(&Value::DType(*dtype), &found) => {}
                        Parameter::DType(dtype) => return fail(format!("with the parameter `{dtype}`")),
                    }
                }
            }
            (Some(pattern), _) => return fail(format!("of the type `{}`", pattern.info.display_key())),
        }
        if let Some(slot) = bound.get_mut(index) {
            *slot = Some((ty.clone(), argument.name));
        }
        Ok(())
    }
}

fn is_same_type(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::DType(a), Value::DType(b)) => a == b,
        (Value::Node(a), Value::Node(b)) => structural_equal(a, b),
        _ => false,
    }
}
