//! Schedules and stages as values of scripts.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tvmscript_ir_core::{Ref, Str};
use tvmscript_irbuilder::{
    BuildError, BuildResult, Builder, FromScript, HostFunction, HostObject, ScriptValue, Signature, script_fn,
};
use tvmscript_prim::{Expr, IntImm};
use tvmscript_tir::IterVar;
use tvmscript_tir::build::args::ExprArg;

use super::tensor::{OperationValue, operation};
use crate::{Record, Schedule, StageId, Tensor};

/// The schedules that a file makes, for the program that runs it: a context of the builder around the run.
#[derive(Debug, Clone, Default)]
pub struct Schedules {
    made: Arc<Mutex<Vec<Shared>>>,
    /// Schedules keep a record, as with TVM's option `te.keep_schedule_record`.
    pub keep_record: bool,
}

impl Schedules {
    /// Schedules that keep a record.
    pub fn recording() -> Schedules {
        Schedules { keep_record: true, ..Schedules::default() }
    }

    /// The schedules, in the order of their creation, as they are now.
    pub fn made(&self) -> Vec<Schedule> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.iter().map(|schedule| schedule.lock().clone()).collect()
    }

    /// The schedule that a value of the file is.
    pub fn of_value(value: &ScriptValue) -> Option<Schedule> {
        value.as_host::<Shared>().map(|schedule| schedule.lock().clone())
    }
}

/// The plain schedule of operations and of those that they read.
#[script_fn]
pub fn create_schedule(ops: ScriptValue) -> BuildResult<ScriptValue> {
    let ops = match ops.items() {
        Some(items) => items.iter().map(operation).collect::<BuildResult<Vec<_>>>()?,
        None => vec![operation(&ops)?],
    };
    let schedule = Schedule::new(&ops);
    let context = Builder::context::<Schedules>();
    let schedule = match context.as_ref().is_some_and(|schedules| schedules.keep_record) {
        true => schedule.keep_record(),
        false => schedule,
    };
    let shared = Shared(Arc::new(Mutex::new(schedule)));
    if let Some(schedules) = context {
        schedules.made.lock().unwrap_or_else(PoisonError::into_inner).push(shared.clone());
    }
    Ok(ScriptValue::host(shared))
}

/// A schedule as a value.
#[derive(Debug, Clone)]
struct Shared(Arc<Mutex<Schedule>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Schedule> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stage(&self, id: StageId) -> ScriptValue {
        ScriptValue::host(StageValue { schedule: self.clone(), id })
    }

    /// The stage of an operation, tensor or stage.
    fn stage_of(&self, value: &ScriptValue) -> BuildResult<StageId> {
        match value.as_host::<StageValue>() {
            Some(stage) => Ok(stage.id),
            None => Ok(self.lock().stage_of(&operation(value)?)?),
        }
    }
}

const SCHEDULE_NAMES: &[&str] =
    &["stages", "outputs", "schedule_record", "primitive_record", "normalize", "cache_read", "cache_write"];

impl HostObject for Shared {
    fn type_name(&self) -> &str {
        "te.Schedule"
    }

    fn subscript(&self, index: &ScriptValue) -> Option<BuildResult<ScriptValue>> {
        Some(self.stage_of(index).map(|id| self.stage(id)))
    }

    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        let schedule = self.clone();
        let list = |values: Vec<ScriptValue>| Some(ScriptValue::list(values));
        match name {
            "stages" => list(self.lock().stages().map(|(id, _)| self.stage(id)).collect()),
            "outputs" => list(
                self.lock()
                    .outputs()
                    .iter()
                    .map(|op| ScriptValue::host(OperationValue(op.clone())))
                    .collect(),
            ),
            "schedule_record" => list(self.lock().record().iter().map(value_of_record).collect()),
            "primitive_record" => {
                list(self.lock().record().iter().map(|record| ScriptValue::str(record.primitive)).collect())
            }
            "normalize" => Some(HostFunction::value("normalize", move |_| {
                let normal = schedule.lock().normalize()?;
                Ok(ScriptValue::host(Shared(Arc::new(Mutex::new(normal)))))
            })),
            "cache_read" => Some(method(
                Signature::new("cache_read", &["tensor", "scope", "readers"]),
                move |mut args| {
                    let tensor = args.required(0, tensor)?;
                    let scope = args.required(1, Str::from_script)?;
                    let readers = args.required(2, |value| match value.items() {
                        Some(items) => items.iter().map(|item| schedule.stage_of(item)).collect(),
                        None => Ok(vec![schedule.stage_of(&value)?]),
                    })?;
                    Ok(schedule.lock().cache_read(&tensor, scope.as_str(), &readers)?.into())
                },
            )),
            "cache_write" => {
                Some(method(Signature::new("cache_write", &["tensor", "scope"]), move |mut args| {
                    let tensor = args.required(0, tensor)?;
                    let scope = args.required(1, Str::from_script)?;
                    Ok(schedule.lock().cache_write(&tensor, scope.as_str())?.into())
                }))
            }
            _ => None,
        }
    }

    fn attribute_names(&self) -> Vec<String> {
        SCHEDULE_NAMES.iter().map(|name| (*name).to_owned()).collect()
    }
}

fn value_of_record(record: &Record) -> ScriptValue {
    ScriptValue::host(Shared(Arc::new(Mutex::new(record.schedule.clone()))))
}

type Bound = tvmscript_irbuilder::Arguments;

fn method(signature: Signature, body: impl Fn(Bound) -> BuildResult<ScriptValue> + 'static) -> ScriptValue {
    HostFunction::value(signature.function, move |args| body(signature.bind(args)?))
}

/// A stage as a value.
struct StageValue {
    schedule: Shared,
    id: StageId,
}

/// A primitive of stages: how a script calls it.
struct StagePrimitive {
    signature: Signature,
    run: fn(&Shared, StageId, Bound) -> BuildResult<ScriptValue>,
}

const fn primitive(
    name: &'static str,
    params: &'static [&'static str],
    required: usize,
    run: fn(&Shared, StageId, Bound) -> BuildResult<ScriptValue>,
) -> StagePrimitive {
    StagePrimitive { signature: Signature::new(name, params).with_required(required), run }
}

/// The primitives. `fuse` and `reorder` take any number of loops.
static PRIMITIVES: &[StagePrimitive] = &[
    primitive("split", &["parent", "factor", "nparts"], 1, |schedule, stage, mut args| {
        let parent = args.required(0, axis)?;
        let (factor, nparts) = (args.optional(1, optional_expr)?, args.optional(2, optional_expr)?);
        let mut schedule = schedule.lock();
        let (outer, inner) = match (factor.flatten(), nparts.flatten()) {
            (Some(factor), None) => schedule.split(stage, &parent, factor)?,
            (None, Some(nparts)) => schedule.split_by_nparts(stage, &parent, nparts)?,
            _ => return Err(crate::TeError::Factor.into()),
        };
        Ok(ScriptValue::tuple([outer.into(), inner.into()]))
    }),
    primitive("tile", &["x_parent", "y_parent", "x_factor", "y_factor"], 4, |schedule, stage, mut args| {
        let (x, y) = (args.required(0, axis)?, args.required(1, axis)?);
        let factors = (args.required(2, ExprArg::index)?, args.required(3, ExprArg::index)?);
        let parts = schedule.lock().tile(stage, (&x, &y), factors)?;
        Ok(ScriptValue::tuple(parts.map(ScriptValue::from)))
    }),
    rest("fuse", |schedule, stage, args| Ok(schedule.lock().fuse(stage, &args.all(axis)?)?.into())),
    rest("reorder", |schedule, stage, args| {
        schedule.lock().reorder(stage, &args.all(axis)?)?;
        Ok(ScriptValue::None)
    }),
    primitive("vectorize", &["var"], 1, |schedule, stage, mut args| {
        schedule.lock().vectorize(stage, &args.required(0, axis)?)?;
        Ok(ScriptValue::None)
    }),
    primitive("parallel", &["var"], 1, |schedule, stage, mut args| {
        schedule.lock().parallel(stage, &args.required(0, axis)?)?;
        Ok(ScriptValue::None)
    }),
    primitive("unroll", &["var"], 1, |schedule, stage, mut args| {
        schedule.lock().unroll(stage, &args.required(0, axis)?)?;
        Ok(ScriptValue::None)
    }),
    primitive("bind", &["ivar", "thread_ivar"], 2, |schedule, stage, mut args| {
        let (iter, thread) = (args.required(0, axis)?, args.required(1, axis)?);
        schedule.lock().bind(stage, &iter, &thread)?;
        Ok(ScriptValue::None)
    }),
    primitive("pragma", &["var", "pragma_type", "pragma_value"], 2, |schedule, stage, mut args| {
        let (iter, key) = (args.required(0, axis)?, args.required(1, Str::from_script)?);
        let value = args.optional(2, optional_expr)?.flatten().unwrap_or_else(|| IntImm::int32(1));
        schedule.lock().pragma(stage, &iter, key, value)?;
        Ok(ScriptValue::None)
    }),
    primitive("compute_at", &["parent", "scope"], 2, |schedule, stage, mut args| {
        let parent = args.required(0, |value| schedule.stage_of(&value))?;
        let iter = args.required(1, axis)?;
        schedule.lock().compute_at(stage, parent, &iter)?;
        Ok(ScriptValue::None)
    }),
    primitive("compute_inline", &[], 0, |schedule, stage, _| {
        schedule.lock().compute_inline(stage)?;
        Ok(ScriptValue::None)
    }),
    primitive("compute_root", &[], 0, |schedule, stage, _| {
        schedule.lock().compute_root(stage)?;
        Ok(ScriptValue::None)
    }),
    primitive("set_scope", &["scope"], 1, |schedule, stage, mut args| {
        let scope = args.required(0, Str::from_script)?;
        schedule.lock().set_scope(stage, scope)?;
        Ok(ScriptValue::None)
    }),
];

const fn rest(
    name: &'static str,
    run: fn(&Shared, StageId, Bound) -> BuildResult<ScriptValue>,
) -> StagePrimitive {
    let signature = Signature { takes_rest: true, ..Signature::new(name, &[]) };
    StagePrimitive { signature, run }
}

impl HostObject for StageValue {
    fn type_name(&self) -> &str {
        "te.Stage"
    }

    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        let list = |iters: &[Ref<IterVar>]| {
            Some(ScriptValue::list(iters.iter().map(|iter| iter.clone().into()).collect()))
        };
        let (schedule, id) = (self.schedule.clone(), self.id);
        let locked = self.schedule.lock();
        let stage = locked.stage(id)?;
        match name {
            "op" => Some(ScriptValue::host(OperationValue(stage.op.clone()))),
            "scope" => Some(ScriptValue::Str(stage.scope.clone())),
            "all_iter_vars" => list(&stage.all_iters),
            "leaf_iter_vars" => list(&stage.leaf_iters),
            _ => {
                let found = PRIMITIVES.iter().find(|primitive| primitive.signature.function == name)?;
                Some(method(found.signature, move |args| (found.run)(&schedule, id, args)))
            }
        }
    }

    fn attribute_names(&self) -> Vec<String> {
        let data = ["op", "scope", "all_iter_vars", "leaf_iter_vars"];
        data.into_iter()
            .chain(PRIMITIVES.iter().map(|primitive| primitive.signature.function))
            .map(str::to_owned)
            .collect()
    }
}

fn tensor(value: ScriptValue) -> BuildResult<Ref<Tensor>> {
    let found = match &value {
        ScriptValue::Node(node) => node.downcast_ref::<Tensor>().cloned(),
        _ => None,
    };
    found.ok_or_else(|| BuildError::expected("a tensor", value.type_name()))
}

fn axis(value: ScriptValue) -> BuildResult<Ref<IterVar>> {
    let found = value.as_node::<IterVar>().cloned();
    found.ok_or_else(|| {
        BuildError::expected("an iteration variable such as `C.op.axis[0]`", value.type_name())
    })
}

fn optional_expr(value: ScriptValue) -> BuildResult<Option<Expr>> {
    match value {
        ScriptValue::None => Ok(None),
        value => ExprArg::index(value).map(Some),
    }
}
