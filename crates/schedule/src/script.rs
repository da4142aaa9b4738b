//! Schedules in Python files: the functions that TVM prints for traces, and those that people write.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tvmscript_ir::build::{index_map_of, parameter_names};
use tvmscript_ir_core::{Array, DataType, ObjectLike as _, Ref, Registry, Str};
use tvmscript_prim::{FloatImm, IndexMap, IntImm, Var, ops};
use tvmscript_python_syntax::ast::{Ast, Expr, Stmt};
use tvmscript_python_syntax::{PythonOptions, parse_python};
use tvmscript_script_parser::{ParseError, ParseErrorKind, ParseOptions, parse_script};
use tvmscript_script_value::{BuildError, BuildResult, CallArgs, HostFunction, HostObject, ScriptValue};
use tvmscript_tir::build::args::ExprArg;

use crate::argument::{Argument, Rv};
use crate::error::ScheduleError;
use crate::index_map;
use crate::primitive::{Place, Primitive, Results};
use crate::schedule::Schedule;

/// The name of the schedule in the text that calls the function of a file.
const SCHEDULE: &str = "sch";

impl Schedule {
    /// Applies a trace in Python: calls the last function of the text with the schedule, or runs a text without functions, in
    /// which the schedule is `sch`.
    ///
    /// # Errors
    /// All errors of the text, with their places: mistakes of Python and refused primitives. The schedule then has the
    /// primitives before the first one.
    pub fn apply_text(&mut self, name: &str, text: &str, registry: &Registry) -> Result<(), Vec<ParseError>> {
        let parsed = parse_python(text, &PythonOptions::default());
        let last = functions(&parsed.ast).pop();
        self.apply_parsed(name, text, &parsed.ast, last, registry)
    }

    /// Calls a function of a text with the schedule.
    ///
    /// # Errors
    /// See [`Schedule::apply_text`].
    pub fn apply_function(
        &mut self,
        name: &str,
        text: &str,
        function: &str,
        registry: &Registry,
    ) -> Result<(), Vec<ParseError>> {
        let parsed = parse_python(text, &PythonOptions::default());
        self.apply_parsed(name, text, &parsed.ast, Some(function.to_owned()), registry)
    }

    fn apply_parsed(
        &mut self,
        name: &str,
        text: &str,
        ast: &Ast,
        function: Option<String>,
        registry: &Registry,
    ) -> Result<(), Vec<ParseError>> {
        let shared = Shared(Arc::new(Mutex::new(self.clone())));
        let mut options = ParseOptions::default();
        let host = shared.clone();
        options.globals.value(SCHEDULE, move || ScriptValue::host(host.clone()));
        for word in bare_words(ast) {
            let text = Str::from(word.as_str());
            options.globals.value(word, move || ScriptValue::Str(text.clone()));
        }
        let call = function.map(|function| format!("\n{function}({SCHEDULE})\n"));
        let whole = format!("{text}{}", call.unwrap_or_default());
        let read = parse_script(name, &whole, registry, &options);
        *self = shared.lock().clone();
        // A trace builds no script.
        let is_mistake = |error: &ParseError| !matches!(error.kind, ParseErrorKind::NoScript);
        let errors: Vec<ParseError> = read.errors.into_iter().filter(is_mistake).collect();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

/// The names of the functions that a text defines.
pub(crate) fn functions(ast: &Ast) -> Vec<String> {
    let names = ast.module_body().iter().filter_map(|stmt| match ast.stmt(*stmt) {
        Stmt::FunctionDef(function) => Some(ast.name(function.name).to_owned()),
        _ => None,
    });
    names.collect()
}

/// The names that are values of dictionaries: TVM prints strings there without quotes. Variables come first.
fn bare_words(ast: &Ast) -> Vec<String> {
    let mut words = Vec::new();
    for expr in ast.all_exprs() {
        let Expr::Dict { items } = expr else { continue };
        for item in ast.list(*items) {
            if let Expr::Name(name) = ast.expr(item.value) {
                words.push(ast.name(*name).to_owned());
            }
        }
    }
    words
}

/// The schedule as a value of a script.
#[derive(Clone)]
struct Shared(Arc<Mutex<Schedule>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Schedule> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HostObject for Shared {
    fn type_name(&self) -> &str {
        "tir.Schedule"
    }

    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        let found = self.lock().primitives().iter().copied().find(|primitive| primitive.name == name);
        let Some(primitive) = found else {
            let known = self.attribute_names();
            let message = format!("there is no primitive `{name}`");
            let missing = move |_| {
                Err(BuildError::message(message.clone())
                    .with_help(format!("there are `{}`", known.join("`, `"))))
            };
            return Some(HostFunction::value(name, missing));
        };
        let shared = self.clone();
        Some(HostFunction::value(name, move |args| shared.call(primitive, args)))
    }

    fn attribute_names(&self) -> Vec<String> {
        self.lock().primitives().iter().map(|primitive| primitive.name.to_owned()).collect()
    }
}

/// A random variable as a value of a script.
struct RvValue(Rv);

impl HostObject for RvValue {
    fn type_name(&self) -> &str {
        "a random variable"
    }
}

fn refused(error: ScheduleError) -> BuildError {
    BuildError::message(error.to_string())
}

impl Shared {
    fn call(&self, primitive: &'static Primitive, args: CallArgs) -> BuildResult<ScriptValue> {
        let mut schedule = self.lock();
        let arguments = bind(&mut schedule, primitive, args)?;
        let outputs = schedule.run_in_trace(primitive, arguments).map_err(refused)?;
        let value = |rv| match schedule.value(rv) {
            Ok(crate::argument::RvValue::Absent) => ScriptValue::None,
            // Index maps compute with sampled values.
            Ok(crate::argument::RvValue::Int(_)) => {
                ScriptValue::Node(index_map::variable_of(rv, DataType::INT32).into_object())
            }
            _ => ScriptValue::host(RvValue(rv)),
        };
        let mut outputs = outputs.into_iter().map(value);
        Ok(match primitive.results {
            Results::None => ScriptValue::None,
            Results::One => outputs.next().unwrap_or(ScriptValue::None),
            Results::List => ScriptValue::list(outputs.collect()),
        })
    }
}

/// One argument per parameter.
fn bind(
    schedule: &mut Schedule,
    primitive: &'static Primitive,
    mut args: CallArgs,
) -> BuildResult<Vec<Argument>> {
    let mut positional = std::mem::take(&mut args.positional).into_iter();
    let mut bound = Vec::with_capacity(primitive.parameters.len());
    for parameter in primitive.parameters {
        let keyword = args.take_keyword(parameter.name);
        // TVM prints another name than its function has.
        let keyword =
            keyword.or_else(|| args.take_keyword("scope_block").filter(|_| parameter.name == "block"));
        let value = match (keyword, parameter.place) {
            (None, Place::Variadic) => Some(ScriptValue::list(positional.by_ref().collect())),
            (None, _) => positional.next(),
            (value, _) => value,
        };
        let given = match value {
            Some(value) if parameter.place == Place::Ranges => Some(ranges_of(schedule, &bound, &value)?),
            Some(value) if is_function(&value) => Some(map_of(schedule, primitive, &bound, &value)?),
            value => value.map(argument).transpose()?,
        };
        let given = given.or_else(|| parameter.default.map(Argument::from)).ok_or_else(|| {
            BuildError::message(format!("`{}` needs the argument `{}`", primitive.name, parameter.name))
        })?;
        let is_handle = matches!(parameter.place, Place::Input | Place::Positional);
        bound.push(match given {
            // A block by its name.
            Argument::Str(name) if is_handle && parameter.name.contains("block") => {
                Argument::Rv(schedule.get_block(name.as_str(), None).map_err(refused)?)
            }
            Argument::List(items) if is_handle && parameter.name.contains("block") => {
                let block = |item| match item {
                    Argument::Str(name) => {
                        schedule.get_block(name.as_str(), None).map(Argument::Rv).map_err(refused)
                    }
                    other => Ok(other),
                };
                Argument::List(items.into_iter().map(block).collect::<BuildResult<_>>()?)
            }
            given => given,
        });
    }
    if let Some((name, _)) = args.keywords.first() {
        let message = format!("`{}` has no argument `{}`", primitive.name, name.as_str());
        return Err(BuildError::message(message));
    }
    match positional.next() {
        None => Ok(bound),
        Some(_) => Err(BuildError::message(format!("too many arguments for `{}`", primitive.name))),
    }
}

fn is_function(value: &ScriptValue) -> bool {
    match value {
        ScriptValue::Function(_) => true,
        ScriptValue::Host(host) => host.is_callable(),
        _ => false,
    }
}

/// The index map of a function: its variables and literals are of the type of the block's iterators, and results that fill
/// a buffer of the type of its elements.
fn map_of(
    schedule: &Schedule,
    primitive: &Primitive,
    bound: &[Argument],
    function: &ScriptValue,
) -> BuildResult<Argument> {
    let dtype = index_map::index_dtype(schedule, bound).map_err(refused)?;
    let filled = index_map::filled(schedule, primitive, bound).map_err(refused)?;
    let literals = filled.map_or(dtype, |(dtype, _)| dtype);
    let expr = |value| match value {
        ScriptValue::Int(value) => ops::make_const(literals, value).map_err(|error| refused(error.into())),
        ScriptValue::Float(value) if literals.is_float() => {
            ops::make_const(literals, value).map_err(|error| refused(error.into()))
        }
        value => ExprArg::convert(value),
    };
    Ok(index_map_of(function, dtype, expr)?.into())
}

/// The index map of a function whose results are ranges: pairs of begins and ends, or expressions that are both.
fn ranges_of(schedule: &Schedule, bound: &[Argument], function: &ScriptValue) -> BuildResult<Argument> {
    let dtype = index_map::index_dtype(schedule, bound).map_err(refused)?;
    let vars: Vec<Ref<Var>> =
        parameter_names(function).into_iter().map(|name| Var::new(name, dtype)).collect();
    let args = CallArgs::positional(vars.iter().map(|var| var.clone().into()));
    let result = match function {
        ScriptValue::Function(function) => function.call(args)?,
        ScriptValue::Host(host) if host.is_callable() => host.call(args)?,
        other => return Err(BuildError::expected("a function", other.type_name())),
    };
    let expr = |value: &ScriptValue| match value {
        ScriptValue::Int(value) => ops::make_const(dtype, *value).map_err(|error| refused(error.into())),
        value => ExprArg::convert(value.clone()),
    };
    let mut bounds = Vec::new();
    for range in result.items().unwrap_or_else(|| vec![result.clone()]) {
        match range.items().as_deref() {
            Some([begin, end]) => bounds.extend([expr(begin)?, expr(end)?]),
            Some(_) => return Err(BuildError::message("expected a begin and an end")),
            None => {
                let both = expr(&range)?;
                bounds.extend([both.clone(), both]);
            }
        }
    }
    let map = IndexMap {
        initial_indices: Array::new(vars),
        final_indices: Array::new(bounds),
        inverse_index_map: None,
    };
    Ok(Ref::new(map).into())
}

fn argument(value: ScriptValue) -> BuildResult<Argument> {
    Ok(match value {
        ScriptValue::None => Argument::None,
        ScriptValue::Bool(value) => Argument::Bool(value),
        ScriptValue::Int(value) => Argument::Int(value),
        ScriptValue::Float(value) => Argument::Float(value),
        ScriptValue::Str(text) => Argument::Str(text),
        ScriptValue::Tuple(items) => {
            Argument::List(items.iter().cloned().map(argument).collect::<BuildResult<_>>()?)
        }
        ScriptValue::List(items) => {
            Argument::List(items.borrow().iter().cloned().map(argument).collect::<BuildResult<_>>()?)
        }
        ScriptValue::Dict(entries) => {
            let mut items = Vec::new();
            for (key, value) in entries.borrow().iter() {
                let ScriptValue::Str(key) = &key.0 else {
                    return Err(BuildError::expected("a string as key", key.0.type_name()));
                };
                items.push((key.clone(), argument(value.clone())?));
            }
            items.sort_by(|(one, _): &(Str, Argument), (other, _)| one.as_str().cmp(other.as_str()));
            Argument::Dict(items)
        }
        ScriptValue::Node(node) => match (node.as_node::<IntImm>(), node.as_node::<FloatImm>()) {
            (Some(literal), _) => Argument::Int(literal.value),
            (_, Some(literal)) => Argument::Float(literal.value),
            _ => match node.as_node::<Var>().and_then(index_map::rv_of) {
                Some(rv) => Argument::Rv(rv),
                None => Argument::Node(node),
            },
        },
        ScriptValue::Host(host) => match host.as_any().downcast_ref::<RvValue>() {
            Some(rv) => Argument::Rv(rv.0),
            None => return Err(BuildError::expected("an argument of a primitive", host.type_name())),
        },
        other => return Err(BuildError::expected("an argument of a primitive", other.type_name())),
    })
}
