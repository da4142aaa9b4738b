//! Functions with parameters that are fixed while the text is read: `n: D.constexpr`.
//!
//! Such a function is a value until `f.specialize(n=128)` or `f(n=128)` fixes them and reads the function.

use std::rc::Rc;

use tvmscript_irbuilder::{BuildError, BuildErrorKind, CallArgs, HostObject, ScriptValue};
use tvmscript_python_syntax::ast::{ExprId, FunctionDef, Name, Parameter};
use tvmscript_script_eval::errors::EvalResult;
use tvmscript_script_eval::{Raise, Template};

use super::{Decorator, Parser};
use crate::table::Definition;

/// A function that waits for the values of its constant parameters.
#[derive(Clone)]
pub(crate) struct Specializable(Rc<Waiting>);

struct Waiting {
    template: Template,
    at: ExprId,
    decorator: Decorator,
    /// Parameters to fix.
    constants: Vec<Parameter>,
}

impl HostObject for Specializable {
    fn type_name(&self) -> &str {
        "a function to specialize"
    }

    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        (name == "specialize").then(|| ScriptValue::host(self.clone()))
    }

    fn attribute_names(&self) -> Vec<String> {
        vec!["specialize".to_owned()]
    }

    fn is_callable(&self) -> bool {
        true
    }
}

impl Parser<'_> {
    /// The value of a parameter that is being fixed; `None` outside of a specialization.
    pub fn constant(&self, name: Name) -> Option<ScriptValue> {
        let constants = self.script.constants.as_ref()?;
        constants.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
    }

    /// Makes a function that is read when its constant parameters have values; see [`Parser::constant`].
    ///
    /// # Errors
    /// If a default value cannot be evaluated.
    pub fn specializable(
        &mut self,
        definition: &Definition<FunctionDef>,
        constants: Vec<Parameter>,
    ) -> EvalResult<ScriptValue> {
        let decorator = self.eval_host(definition.decorator)?;
        let Some(decorator) = decorator.as_host::<Decorator>().cloned() else {
            return Err(crate::Reported::already());
        };
        let template = self.evaluate(|e| e.template(definition.id, definition.stmt))?;
        let at = definition.decorator;
        Ok(ScriptValue::host(Specializable(Rc::new(Waiting { template, at, decorator, constants }))))
    }

    /// Reads a function with values for its constant parameters.
    pub(super) fn specialize(
        &mut self,
        called: &Specializable,
        args: CallArgs,
    ) -> Result<ScriptValue, Raise> {
        let Waiting { template, at, decorator, constants } = &*called.0;
        let values = self.constants_of(template, constants, args)?;
        let before = self.script.constants.replace(values);
        let result = match self.evaluate(|e| e.enter_definition(template)) {
            Ok(open) => {
                let result = self.build_definition(template.id, *at, decorator);
                self.evaluate(|e| e.leave_template(open));
                result.map_err(Raise::from)
            }
            Err(raise) => Err(raise),
        };
        self.script.constants = before;
        result
    }

    /// Binds the arguments of a specialization, by name or in order.
    fn constants_of(
        &mut self,
        template: &Template,
        constants: &[Parameter],
        args: CallArgs,
    ) -> Result<Vec<(Name, ScriptValue)>, Raise> {
        let function = self.name_text(template.def.name).to_owned();
        let found = args.positional.len();
        if found > constants.len() {
            let limit = constants.len();
            let kind = BuildErrorKind::TooManyArguments { function, limit, found };
            return Err(BuildError::from(kind).at_position(limit).into());
        }
        let mut values: Vec<Option<ScriptValue>> = args.positional.into_iter().map(Some).collect();
        values.resize(constants.len(), None);
        for (key, value) in args.keywords {
            let index = constants.iter().position(|param| self.name_text(param.name) == key.as_str());
            match index.and_then(|index| values.get_mut(index)) {
                Some(slot @ None) => *slot = Some(value),
                Some(Some(_)) => {
                    let name = key.to_string();
                    return Err(BuildError::from(BuildErrorKind::RepeatedArgument { function, name }).into());
                }
                None => {
                    let message = format!("`{function}` has no constant parameter `{key}`");
                    return Err(BuildError::message(message).into());
                }
            }
        }
        let mut bound = Vec::with_capacity(constants.len());
        for (param, value) in constants.iter().zip(values) {
            let value = match (value, param.default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.eval_host(default)?,
                (None, None) => {
                    let name = self.name_text(param.name);
                    let message = format!("`{function}` is missing the constant `{name}`");
                    let help = format!("give it: `{function}.specialize({name}=..)`");
                    return Err(BuildError::message(message).with_help(help).into());
                }
            };
            bound.push((param.name, value));
        }
        Ok(bound)
    }
}
