//! Calls of the functions of a loaded dialect: arguments become the fields of a node.

use tvmscript_ir_core::{FieldError, Object, Span, TypeInfo, Value};
use tvmscript_irbuilder::{
    Binding, BuildError, BuildResult, Builder, CallArgs, Frame, PendingFrame, ScriptFn, ScriptValue,
};

use crate::node::{Argument, Convert, Gives, NodeText, Passing, list};
use crate::template::Form;

/// The body of all functions: finds the node in the data of the function.
pub(crate) fn call(function: &'static ScriptFn, args: CallArgs) -> BuildResult<ScriptValue> {
    let Some(node) = function.data.and_then(|data| data.downcast_ref::<NodeText>()) else {
        return Err(BuildError::not_callable(function.name));
    };
    let values = node.bind_arguments(function, args)?;
    match node.form {
        Form::Call | Form::Subscript if node.gives == Gives::Value => {
            Ok(ScriptValue::Node(node.make(values)?))
        }
        Form::Call => {
            Builder::add_stmt(node.make(values)?)?;
            Ok(ScriptValue::None)
        }
        Form::Assign { .. } => {
            let (values, variable) = node.with_target(values)?;
            Builder::add_stmt(node.make(values)?)?;
            Ok(ScriptValue::Node(variable))
        }
        Form::With { .. } | Form::For { .. } => {
            Ok(PendingFrame::value(NodeFrame { node, values, body: Vec::new() }))
        }
        _ => Err(BuildError::message(format!("`{}` is a decorator", node.full))
            .with_help(format!("write `@{}` in front of a function", node.full))),
    }
}

/// The body of the functions that are values of enums.
pub(crate) fn call_value(function: &'static ScriptFn, _: CallArgs) -> BuildResult<ScriptValue> {
    Err(BuildError::not_callable(function.name))
}

/// Makes a node at the current position.
pub(crate) fn construct(info: &'static TypeInfo, values: Vec<Value>) -> BuildResult<Object> {
    let mut object = info.construct(values).map_err(|error| match error {
        FieldError::Invalid { field, reason, .. } => BuildError::message(reason).at_parameter(field),
        other => BuildError::from(other),
    })?;
    object.set_span(Span::current());
    Ok(object)
}

impl NodeText {
    pub(crate) fn bind_arguments(
        &self,
        function: &'static ScriptFn,
        args: CallArgs,
    ) -> BuildResult<Vec<Value>> {
        let args = if self.form == Form::Subscript { self.indices(args) } else { args };
        let mut binding = Binding::new(function, args)?;
        self.fill(|index, argument| {
            let convert = |value| argument.convert.value(value);
            Ok(match (argument.passing, &argument.default) {
                (Passing::Star, _) => list(binding.rest_by(index, convert)?),
                (_, None) => binding.required_by(index, convert)?,
                (_, Some(default)) => binding.optional_by(index, convert)?.unwrap_or_else(|| default.clone()),
            })
        })
    }

    /// The arguments in brackets: several are one tuple, and of a list alone its items are the arguments.
    fn indices(&self, args: CallArgs) -> CallArgs {
        if !args.keywords.is_empty() {
            return args;
        }
        match self.arguments.as_slice() {
            [only] if matches!(only.convert, Convert::List(_)) => {
                let is_list = matches!(args.positional.first(), Some(first) if first.items().is_some());
                match args.positional.len() {
                    1 if is_list => args,
                    _ => {
                        let items: Vec<ScriptValue> = args.positional.into_iter().collect();
                        CallArgs::positional([ScriptValue::tuple(items)])
                    }
                }
            }
            [_] => args,
            _ => match args.positional.first() {
                Some(ScriptValue::Tuple(items)) if args.positional.len() == 1 => {
                    CallArgs::positional(items.iter().cloned())
                }
                _ => args,
            },
        }
    }

    /// The fields of a node, with the values of its arguments.
    pub(crate) fn fill(
        &self,
        mut argument_value: impl FnMut(usize, &Argument) -> BuildResult<Value>,
    ) -> BuildResult<Vec<Value>> {
        let mut values = vec![Value::None; self.info.fields().len()];
        let mut set = |field: usize, value: Value| {
            if let Some(slot) = values.get_mut(field) {
                *slot = value;
            }
        };
        for (index, argument) in self.arguments.iter().enumerate() {
            set(argument.field, argument_value(index, argument)?);
        }
        for (field, value) in &self.constants {
            set(*field, value.clone());
        }
        if self.is_variable {
            set(1, Value::str(""));
        }
        if let Some((field, ty)) = self.infer(&values)?
            && let Some(slot) = values.get_mut(field)
        {
            *slot = ty;
        }
        Ok(values)
    }

    pub(crate) fn make(&self, values: Vec<Value>) -> BuildResult<Object> {
        construct(self.info, values)
    }

    /// Sets the field of the target to a new variable.
    fn with_target(&self, mut values: Vec<Value>) -> BuildResult<(Vec<Value>, Object)> {
        let Some(target) = &self.target else {
            return Err(BuildError::message(format!("`{}` binds no variable", self.full)));
        };
        let variable = self.variable(target, None)?;
        if let Some(slot) = values.get_mut(target.field) {
            *slot = Value::Node(variable.clone());
        }
        Ok((values, variable))
    }
}

/// The scope of `with` and `for`.
struct NodeFrame {
    node: &'static NodeText,
    values: Vec<Value>,
    body: Vec<Value>,
}

impl Frame for NodeFrame {
    fn name(&self) -> &'static str {
        self.node.full
    }

    fn enter(&mut self) -> BuildResult<ScriptValue> {
        if self.node.target.is_none() {
            return Ok(ScriptValue::None);
        }
        let (values, variable) = self.node.with_target(std::mem::take(&mut self.values))?;
        self.values = values;
        Ok(ScriptValue::Node(variable))
    }

    fn close(self: Box<Self>) -> BuildResult<()> {
        let NodeFrame { node, mut values, body } = *self;
        if let Some(place) = &node.body
            && let Some(slot) = values.get_mut(place.field)
        {
            *slot = list(body);
        }
        Builder::add_stmt(node.make(values)?)
    }

    fn take_stmt(&mut self, stmt: Object) -> Option<Object> {
        self.node.take_stmt(stmt, &mut self.body)
    }
}
