//! The nodes of a loaded dialect: how each is made from arguments and what its text is.
//!
//! Loading leaks them: script functions and types live as long as the process. A dialect that is loaded again from the same
//! text is not made again.

use tvmscript_ir_core::{DataType, Object, ObjectLike as _, TypeInfo, Value};
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
    Node,
    Class(&'static TypeInfo),
    List(Box<Convert>),
    Optional(Box<Convert>),
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
    /// The dtype of the result; checks that operands agree.
    pub(crate) fn infer(&self, values: &[Value]) -> BuildResult<Option<(usize, DataType)>> {
        let mut bound: Vec<Option<(DataType, &'static str)>> = vec![None; self.variables.len()];
        for argument in &self.arguments {
            let Some(index) = argument.variable else { continue };
            let (Some(variable), Some(bound)) = (self.variables.get(index), bound.get_mut(index)) else {
                continue;
            };
            let Some(Value::Node(node)) = values.get(argument.field) else { continue };
            match node.as_node::<tvmscript_ir_core::containers::ArrayNode>() {
                Some(items) => {
                    for item in items.items() {
                        if let Some(item) = item.as_object() {
                            self.bind(argument, variable, item, bound)?;
                        }
                    }
                }
                None => self.bind(argument, variable, node, bound)?,
            }
        }
        let Some((field, rule)) = &self.result else { return Ok(None) };
        let field = *field;
        let dtype = match rule {
            ResultRule::DType(dtype) => Some(*dtype),
            ResultRule::Variable(index) => bound.get(*index).copied().flatten().map(|(dtype, _)| dtype),
            ResultRule::Rule(rule) => Some(self.evaluate(rule, values, &bound)?),
        };
        match dtype {
            Some(dtype) => Ok(Some((field, dtype))),
            None => {
                let message = format!("the result of `{}` has no dtype: no operand has one", self.full);
                Err(BuildError::message(message).with_help("pass at least one element"))
            }
        }
    }

    /// The dtype that a rule gives.
    fn evaluate(
        &self,
        rule: &'static Rule,
        values: &[Value],
        bound: &[Option<(DataType, &'static str)>],
    ) -> BuildResult<DataType> {
        let value = rule.evaluate(|name| {
            if let Some(at) = self.variables.iter().position(|variable| variable.name == name) {
                let dtype = bound.get(at).copied().flatten();
                return dtype.map_or(ScriptValue::None, |(dtype, _)| ScriptValue::str(&dtype.to_string()));
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

    fn bind(
        &self,
        argument: &Argument,
        variable: &Variable,
        node: &Object,
        bound: &mut Option<(DataType, &'static str)>,
    ) -> BuildResult<()> {
        let dtype = node.dtype();
        let expected = match *bound {
            Some((first, of)) if first != dtype => {
                format!("an expression of dtype `{first}`, as `{of}` is")
            }
            Some(_) => return Ok(()),
            None if variable.any_of.is_empty() || variable.any_of.contains(&dtype) => {
                *bound = Some((dtype, argument.name));
                return Ok(());
            }
            None => {
                let names: Vec<String> = variable.any_of.iter().map(|dtype| format!("`{dtype}`")).collect();
                format!("an expression of dtype {}", names.join(" or "))
            }
        };
        let kind = BuildErrorKind::ArgumentType {
            function: self.full.to_owned(),
            name: argument.name,
            expected,
            found: format!("`{dtype}`"),
        };
        Err(BuildError::from(kind).at(ArgumentRef::Keyword(argument.name.into())))
    }
}
