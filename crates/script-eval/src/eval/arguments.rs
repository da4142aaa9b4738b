//! Binding of arguments to the parameters of functions of the text, with CPython's messages.

use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_python_syntax::ast::{ParamKind, Parameter};
use tvmscript_script_value::{CallArgs, ScriptValue};

use super::{Closure, Env, Raise};
use crate::binding::Binding;
use crate::errors::HostError;
use crate::{Eval, EvalState};

impl Eval<'_> {
    pub(super) fn bind_arguments(&mut self, closure: &Closure, mut args: CallArgs) -> Result<Rc<Env>, Raise> {
        if args.keywords.is_empty()
            && let Some(env) = Env::of_positional(closure, &mut args.positional)
        {
            return Ok(env);
        }
        let ast = self.state.ast.clone();
        let params = ast.list(closure.params);
        let name = &closure.qualified;
        let (qualified, parent) = (closure.qualified.clone(), closure.env.clone());
        let env = Env::of_call(closure.locals.clone(), parent, Some(qualified));
        let positional =
            params.iter().filter(|p| matches!(p.kind, ParamKind::PositionalOnly | ParamKind::Normal)).count();
        self.state.check_keywords(closure, &args)?;
        let takes_rest = params.iter().any(|p| p.kind == ParamKind::VarArgs);
        if args.positional.len() > positional && !takes_rest {
            return Err(too_many_positional(closure, params, &args, |p| ast.name(p.name)).into());
        }
        let mut values = args.positional.into_iter();
        let mut keywords = args.keywords;
        let mut missing = Vec::new();
        for (index, param) in params.iter().enumerate() {
            let text = ast.name(param.name);
            let default = || closure.default_of(&ast, index);
            let by_name = keywords.iter().position(|(key, _)| key.as_str() == text);
            let value = match param.kind {
                ParamKind::PositionalOnly => values.next().or_else(default),
                ParamKind::Normal => match (values.next(), by_name) {
                    (Some(value), _) => Some(value),
                    (None, Some(at)) => Some(keywords.remove(at).1),
                    (None, None) => default(),
                },
                ParamKind::KeywordOnly => match by_name {
                    Some(at) => Some(keywords.remove(at).1),
                    None => default(),
                },
                ParamKind::VarArgs => Some(ScriptValue::tuple(values.by_ref())),
                ParamKind::KwArgs => continue,
            };
            match value {
                Some(value) => {
                    env.set(param.name, Binding::of_argument(value, closure, param));
                }
                None => missing.push((text, param.kind)),
            }
        }
        if !missing.is_empty() {
            let keyword_only = missing.iter().all(|(_, kind)| *kind == ParamKind::KeywordOnly);
            missing.retain(|(_, kind)| keyword_only || *kind != ParamKind::KeywordOnly);
            let kind = if keyword_only { "keyword-only" } else { "positional" };
            let names: Vec<String> = missing.iter().map(|(text, _)| format!("'{text}'")).collect();
            let count = names.len();
            let names = match names.as_slice() {
                [one] => one.clone(),
                [one, other] => format!("{one} and {other}"),
                [first @ .., last] => format!("{}, and {last}", first.join(", ")),
                [] => String::new(),
            };
            raise!(Type, "{name}() missing {count} required {kind} argument{}: {names}", plural(count));
        }
        if let Some(param) = params.iter().find(|p| p.kind == ParamKind::KwArgs) {
            let mut dict = tvmscript_script_value::Dict::with_capacity(keywords.len());
            for (key, value) in keywords {
                dict.insert(self.hashable(ScriptValue::Str(key))?, value);
            }
            env.set(param.name, Binding::Value(ScriptValue::Dict(Rc::new(RefCell::new(dict)))));
        }
        Ok(env)
    }
}

impl EvalState {
    /// Checks that each keyword argument has a parameter without a value.
    fn check_keywords(&self, closure: &Closure, args: &CallArgs) -> Result<(), Raise> {
        let ast = &self.ast;
        let (params, name) = (ast.list(closure.params), &closure.qualified);
        // Each keyword is searched among the parameters.
        self.program.budget.step(params.len() as u64 * args.keywords.len() as u64 / 16)?;
        let takes_any = params.iter().any(|p| p.kind == ParamKind::KwArgs);
        for (key, _) in &args.keywords {
            let has_name = |p: &Parameter| ast.name(p.name) == key.as_str();
            let takes_keyword = |p: &Parameter| matches!(p.kind, ParamKind::Normal | ParamKind::KeywordOnly);
            match params.iter().position(|p| takes_keyword(p) && has_name(p)) {
                Some(at) => {
                    if at < args.positional.len() && params.get(at).is_some_and(is_positional) {
                        raise!(Type, "{name}() got multiple values for argument '{key}'");
                    }
                }
                None if takes_any => {}
                None => {
                    let given = |p: &&Parameter| {
                        p.kind == ParamKind::PositionalOnly
                            && args.keywords.iter().any(|(key, _)| key.as_str() == ast.name(p.name))
                    };
                    let given: Vec<&str> = params.iter().filter(given).map(|p| ast.name(p.name)).collect();
                    if !given.is_empty() {
                        let given = given.join(", ");
                        raise!(
                            Type,
                            "{name}() got some positional-only arguments passed as keyword arguments: '{given}'"
                        );
                    }
                    raise!(Type, "{name}() got an unexpected keyword argument '{key}'");
                }
            }
        }
        Ok(())
    }
}

/// The error of more positional arguments than parameters.
fn too_many_positional<'a>(
    closure: &Closure,
    params: &[Parameter],
    args: &CallArgs,
    text: impl Fn(&Parameter) -> &'a str,
) -> HostError {
    let name = &closure.qualified;
    let positional = params.iter().filter(|p| is_positional(p)).count();
    let has_no_default = |(i, p): &(usize, &Parameter)| {
        is_positional(p) && closure.defaults.get(*i).is_none_or(Option::is_none)
    };
    let least = params.iter().enumerate().filter(has_no_default).count();
    let takes = match least == positional {
        true => format!("{positional} positional argument{}", plural(positional)),
        false => format!("from {least} to {positional} positional arguments"),
    };
    let given = args.positional.len();
    let is_given = |p: &&Parameter| {
        p.kind == ParamKind::KeywordOnly && args.keywords.iter().any(|(key, _)| key.as_str() == text(p))
    };
    let message = match params.iter().filter(is_given).count() {
        0 => {
            let was = if given == 1 { "was" } else { "were" };
            format!("{name}() takes {takes} but {given} {was} given")
        }
        keywords => format!(
            "{name}() takes {takes} but {given} positional argument{} (and {keywords} keyword-only argument{}) \
             were given",
            plural(given),
            plural(keywords)
        ),
    };
    HostError::type_error(message)
}

pub(super) fn is_positional(param: &Parameter) -> bool {
    matches!(param.kind, ParamKind::PositionalOnly | ParamKind::Normal)
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
