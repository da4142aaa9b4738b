//! Functions that a host expands where they are called: macros and specialized kernels.
//!
//! A [`Template`] has the signature of a host function and the variables around its definition. The host visits the body
//! itself.

use std::rc::Rc;

use tvmscript_script_value::{CallArgs, ScriptValue};

use super::class::MethodKind;
use super::closure::Closure;
use super::{Env, Locals, Raise};
use crate::binding::Binding;
use crate::errors::EvalResult;
use crate::program::Helper;
use crate::{Eval, Position};
use tvmscript_python_syntax::ast::{FunctionDef, Name, StmtId};
use tvmscript_python_syntax::walk;

/// A function whose body its host visits at each call.
pub struct Template {
    /// Id of the definition.
    pub id: StmtId,
    /// The definition.
    pub def: FunctionDef,
    /// Signature and defaults.
    function: ScriptValue,
    /// The variables that the body mentions, with the values at its definition.
    env: Rc<Env>,
}

impl Eval<'_> {
    /// Makes a template of a definition. It keeps the values that the names in its body have now; names
    /// without one are looked up when it is expanded, so that a template may call itself.
    ///
    /// # Errors
    /// Fails if a default value cannot be evaluated.
    pub fn template(&mut self, id: StmtId, def: FunctionDef) -> EvalResult<Template> {
        let function = self.host_function(id, def, MethodKind::Plain)?;
        let ast = self.state.ast.clone();
        let mut names: Vec<Name> = walk::mentions(&ast, def.body).into_iter().map(|(name, _)| name).collect();
        self.at_definition(id, names.len())?;
        names.sort_unstable();
        names.dedup();
        let found: Vec<(Name, Binding)> = names
            .into_iter()
            .map(|name| (name, self.captured_value(name)))
            .filter(|(_, binding)| !matches!(binding, Binding::Unbound))
            .collect();
        let names: Vec<Name> = found.iter().map(|(name, _)| *name).collect();
        let env = Env::new(Locals::new(names), self.state.env.clone());
        for (name, binding) in found {
            env.set(name, binding);
        }
        self.state.program.keep_environment(&env);
        Ok(Template { id, def, function, env })
    }

    fn at_definition(&mut self, id: StmtId, mentioned: usize) -> EvalResult<()> {
        let charged = self.state.program.budget.step(mentioned as u64);
        charged.map_err(|raise| {
            let range = self.state.ast.range(id);
            self.raise(range, None, raise)
        })
    }

    /// The binding of a name that a definition here captures.
    fn captured_value(&self, name: Name) -> Binding {
        if !self.state.is_local()
            && self.host.in_script()
            && let Some(binding) = self.host.captured(name)
        {
            return binding;
        }
        self.state.host_binding(name)
    }

    /// Binds the arguments of a call to the parameters of a template.
    ///
    /// # Errors
    /// Fails if they do not fit, as Python's call does.
    pub fn bind_template(
        &mut self,
        template: &Template,
        args: CallArgs,
    ) -> Result<Vec<(Name, ScriptValue)>, Raise> {
        let Some(closure) = template.function.as_host::<Closure>() else { return Ok(Vec::new()) };
        let env = self.bind_arguments(closure, args)?;
        let ast = self.state.ast.clone();
        let params = ast.list(template.def.params).iter();
        let value = |name: Name| match env.own(name) {
            Some(Binding::Value(value)) => Ok(value),
            Some(Binding::Unknown(placeholder)) => Err(Raise::Unknown((*placeholder).clone())),
            Some(Binding::Unbound | Binding::Poison) | None => Err(Raise::Reported),
        };
        params.map(|param| Ok((param.name, value(param.name)?))).collect()
    }

    /// Enters the body of a template, whose statements the host visits next. Nodes that they build carry the call. With
    /// `is_hygienic`, names outside of the script's own variables are those around the definition.
    ///
    /// # Errors
    /// Fails if calls are nested too deeply.
    pub fn enter_template(&mut self, template: &Template, is_hygienic: bool) -> Result<OpenTemplate, Raise> {
        self.state.program.budget.step(1)?;
        self.state.program.budget.enter_call()?;
        let env = if is_hygienic { Some(template.env.clone()) } else { self.state.env.clone() };
        let body = self.state.ast.range(template.id);
        Ok(OpenTemplate {
            env: std::mem::replace(&mut self.state.env, env),
            position: self.state.move_by(Position::script),
            helper: self.state.program.enter_helper(body),
        })
    }

    /// Enters a template that the host reads as a definition of its own, not as a part of its caller.
    ///
    /// # Errors
    /// Fails if calls are nested too deeply.
    pub fn enter_definition(&mut self, template: &Template) -> Result<OpenTemplate, Raise> {
        self.state.program.budget.step(1)?;
        self.state.program.budget.enter_call()?;
        Ok(OpenTemplate {
            env: self.state.env.replace(template.env.clone()),
            position: self.state.move_by(Position::script),
            helper: None,
        })
    }

    /// Leaves the body of a template.
    pub fn leave_template(&mut self, open: OpenTemplate) {
        self.state.program.leave_helper(open.helper);
        self.state.env = open.env;
        self.state.move_to(open.position);
        self.state.program.budget.leave_call();
    }
}

/// The state around the body of a template; see [`Template`].
#[must_use = "the state is restored by `leave_template`"]
pub struct OpenTemplate {
    env: Option<Rc<Env>>,
    position: Position,
    helper: Option<Helper>,
}
