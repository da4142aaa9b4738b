//! Builds that apply schedules to the functions of a module, and keep the schedule of each function for those who ask
//! afterwards: by the name of the function, or by the number of a call in the Relax graph.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tvmscript_ir::{BaseFunc, DictAttrs, GlobalVar, IRModule};
use tvmscript_ir_core::{Map, Object, Ref, Span, Str, post_order_visit};
use tvmscript_pass::{Pass, PassContext, PassError, PassInfo};
use tvmscript_python_syntax::{PythonOptions, parse_python};
use tvmscript_relax::{Call, Function};
use tvmscript_script_parser::ParseError;
use tvmscript_tir::PrimFunc;

use crate::error::{Refusal, ScheduleError};
use crate::registry::registry;
use crate::schedule::Schedule;
use crate::script::functions;

/// The schedules of a build by the name of their function.
type Schedules = BTreeMap<String, Schedule>;

/// A build that applies traces: functions of Python, each of which has the name of the function of TIR that it schedules.
///
/// ```
/// # use tvmscript_schedule::TracedBuild;
/// let traces = "\
/// def add_one(sch):
///     i, j = sch.get_loops(\"B\")
///     sch.parallel(i)
/// ";
/// let build = TracedBuild::new("schedules.py", traces);
/// assert_eq!(build.names(), ["add_one"]);
/// ```
#[derive(Debug, Clone)]
pub struct TracedBuild {
    name: String,
    text: String,
    names: Vec<String>,
    schedules: Arc<Mutex<Schedules>>,
}

impl TracedBuild {
    /// A build with the functions of a text. Functions that begin with `_` are helpers.
    pub fn new(name: &str, text: &str) -> TracedBuild {
        let parsed = parse_python(text, &PythonOptions::default());
        let names = functions(&parsed.ast).into_iter().filter(|name| !name.starts_with('_')).collect();
        TracedBuild { name: name.to_owned(), text: text.to_owned(), names, schedules: Arc::default() }
    }

    /// The names of the functions that have a trace.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Applies the traces to the functions of a module and keeps their schedules, each with its record.
    ///
    /// # Errors
    /// All errors of the traces, and refused primitives.
    pub fn apply(&self, module: Ref<IRModule>) -> Result<Ref<IRModule>, BuildFailure> {
        let mut failure = BuildFailure::default();
        let mut changed = Vec::new();
        let mut is_same = true;
        for (var, function) in module.functions.iter() {
            let name = var.name_hint.to_string();
            let scheduled = match function.object().downcast_ref::<PrimFunc>() {
                Some(body) if self.names.contains(&name) => self.schedule(var, body),
                _ => Ok(None),
            };
            let new = match scheduled {
                Ok(Some(new)) => {
                    is_same = false;
                    new
                }
                Ok(None) => function.clone(),
                Err(found) => {
                    failure.errors.extend(found.errors);
                    failure.refusals.extend(found.refusals);
                    function.clone()
                }
            };
            changed.push((var.clone(), new));
        }
        if !failure.errors.is_empty() || !failure.refusals.is_empty() {
            return Err(failure);
        }
        let mut module = module;
        if !is_same {
            module.make_mut().functions = Map::new(changed);
        }
        Ok(module)
    }

    /// The function after its trace.
    fn schedule(
        &self,
        var: &Ref<GlobalVar>,
        function: &Ref<PrimFunc>,
    ) -> Result<Option<Ref<BaseFunc>>, BuildFailure> {
        let alone = [(var.clone(), function.clone().upcast())];
        let module = IRModule::new(alone, DictAttrs::new([]), Map::default());
        let plain = |error: ScheduleError| {
            let refusal =
                Refusal { primitive: "schedule", error, module: module.clone(), span: Span::UNKNOWN };
            BuildFailure { errors: Vec::new(), refusals: vec![refusal] }
        };
        let registry = registry().map_err(plain)?;
        let mut schedule = Schedule::new(module.clone()).map_err(plain)?;
        schedule.keep_schedule_record();
        let name = var.name_hint.as_str();
        if let Err(errors) = schedule.apply_function(&self.name, &self.text, name, registry) {
            return Err(BuildFailure { errors, refusals: schedule.refusals().to_vec() });
        }
        let new = schedule.module().functions.iter().next().map(|(_, function)| function.clone());
        self.lock().insert(name.to_owned(), schedule);
        Ok(new)
    }

    fn lock(&self) -> MutexGuard<'_, Schedules> {
        self.schedules.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The schedule that made a function.
    pub fn function_schedule(&self, name: &str) -> Option<Schedule> {
        self.lock().get(name).cloned()
    }

    /// The schedule that made the function of the n-th node of a module, counted from 0 ([`graph_nodes`]).
    pub fn node_schedule(&self, module: &Ref<IRModule>, node: usize) -> Option<Schedule> {
        let nodes = graph_nodes(module);
        self.function_schedule(nodes.get(node)?.function.as_str())
    }
}

impl Pass<IRModule> for TracedBuild {
    fn info(&self) -> PassInfo {
        PassInfo::new("schedule", "Applies the traces of a file to the functions of TIR with the same names.")
    }

    fn transform(
        &self,
        root: Ref<IRModule>,
        _: &PassContext<'_, IRModule>,
    ) -> Result<Ref<IRModule>, PassError> {
        self.apply(root).map_err(|failure| match (failure.refusals.first(), failure.errors.first()) {
            (Some(refusal), _) => PassError::from_diagnostic(&refusal.diagnostic()),
            (None, Some(error)) => PassError::unsupported(format!("{}: {error}", self.name)),
            (None, None) => PassError::unsupported("the traces cannot be applied"),
        })
    }
}

/// Traces that cannot be applied.
#[derive(Debug, Clone, Default)]
pub struct BuildFailure {
    /// Mistakes in the text, refused primitives among them.
    pub errors: Vec<ParseError>,
    /// The refused primitives.
    pub refusals: Vec<Refusal>,
}

/// A node of the Relax graph: a call of a function of TIR.
#[derive(Debug, Clone)]
pub struct GraphNode {
    /// The call.
    pub call: Object,
    /// The name of the function of TIR.
    pub function: Str,
}

/// The nodes of a module's graph: the calls `R.call_tir` and the like, in topological order. That is the order of the
/// functions in the module, and in a function the order of the bindings.
pub fn graph_nodes(module: &Ref<IRModule>) -> Vec<GraphNode> {
    let mut nodes = Vec::new();
    for (_, function) in module.functions.iter().filter(|(_, function)| function.object().is::<Function>()) {
        post_order_visit(function.object(), |node| {
            let Some(call) = node.as_node::<Call>() else { return };
            let is_of_tir = call.op_name().is_some_and(|name| name.starts_with("relax.call_tir"));
            let callee = call.args.first().and_then(|callee| callee.as_node::<GlobalVar>());
            if let Some(callee) = callee.filter(|_| is_of_tir) {
                nodes.push(GraphNode { call: node.clone(), function: callee.name_hint.clone() });
            }
        });
    }
    nodes
}
