//! Schedules: a module, its random variables and the trace of what was done.

use tvmscript_ir::IRModule;
use tvmscript_ir_core::{Object, Ref, Registry, SourceId, Span, Str};

use crate::argument::{Argument, Rv, RvValue};
use crate::buffers;
use crate::error::{Refusal, Result, ScheduleError};
use crate::index_map;
use crate::intrinsic::TensorIntrinsics;
use crate::primitive::{Default, PRIMITIVES, Primitive, Results, primitives};
use crate::random::Random;
use crate::record::{Record, Recorder};
use crate::state::{Item, State};
use crate::trace::{Instruction, Trace};

/// The reason of the spans of what primitives make.
const REASON: &str = "schedule";

/// A module under work.
///
/// Each method is a primitive, with TVM's name and parameters. A refused primitive changes nothing.
#[derive(Debug, Clone)]
pub struct Schedule {
    state: State,
    values: Vec<RvValue>,
    trace: Trace,
    function: Option<Str>,
    random: Random,
    /// The choice of the primitive that runs.
    decision: Option<Argument>,
    intrinsics: TensorIntrinsics,
    pub(crate) record: Option<Vec<Record>>,
    /// Refused primitives of traces.
    refusals: Vec<Refusal>,
    keeps_going: bool,
    /// The primitives of traces.
    primitives: Vec<&'static Primitive>,
}

impl Schedule {
    /// A schedule of a module. The function worked on is `main`, or the only function.
    ///
    /// # Errors
    /// If the body of a function is not one root block.
    pub fn new(module: Ref<IRModule>) -> Result<Schedule> {
        let state = State::new(module)?;
        let names: Vec<&Str> = state.function_names().collect();
        let function = match names[..] {
            [only] => Some(only.clone()),
            _ => names.iter().find(|name| name.as_str() == "main").copied().cloned(),
        };
        Ok(Schedule {
            state,
            values: Vec::new(),
            trace: Trace::default(),
            function,
            intrinsics: TensorIntrinsics::default(),
            random: Random::default(),
            decision: None,
            record: None,
            refusals: Vec::new(),
            keeps_going: false,
            primitives: PRIMITIVES.to_vec(),
        })
    }

    /// The same schedule without tests whether the blocks of a loop are complete or reductions, as TVM's `enable_check=False`.
    #[must_use]
    pub fn without_checks(mut self) -> Schedule {
        self.state.set_checked(false);
        self
    }

    /// The same schedule, with values drawn from a seed where a primitive samples without a decision. The distributions are
    /// TVM's, the values are not.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Schedule {
        Schedule { random: Random::new(seed), ..self }
    }

    /// The same schedule; the traces that it applies have the primitives of the dialects of a registry, too.
    #[must_use]
    pub fn with_primitives_of(self, registry: &Registry) -> Schedule {
        Schedule { primitives: primitives(registry), ..self }
    }

    /// The primitives of the traces that it applies.
    pub fn primitives(&self) -> &[&'static Primitive] {
        &self.primitives
    }

    /// The same schedule; of traces that it applies, refused primitives and those that need their results are left out.
    #[must_use]
    pub fn keep_going(self) -> Schedule {
        Schedule { keeps_going: true, ..self }
    }

    /// The refused primitives of the traces that were applied.
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }

    /// The module as it is now.
    pub fn module(&self) -> Ref<IRModule> {
        self.state.module()
    }

    /// The intrinsics that `tensorize` finds by name, besides those of TVM.
    pub fn intrinsics(&self) -> &TensorIntrinsics {
        &self.intrinsics
    }

    /// The same, to add intrinsics.
    pub fn intrinsics_mut(&mut self) -> &mut TensorIntrinsics {
        &mut self.intrinsics
    }

    /// The instructions so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The loops and blocks.
    pub fn state(&self) -> &State {
        &self.state
    }

    pub(crate) fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    /// Keeps what a sampling primitive chose for the trace.
    pub(crate) fn decide(&mut self, decision: Argument) {
        self.decision = Some(decision);
    }

    /// The loops and blocks, to replace some of them.
    pub fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    /// The name of the function worked on.
    pub fn function(&self) -> Option<&Str> {
        self.function.as_ref()
    }

    /// The value of a random variable.
    ///
    /// # Errors
    /// If it is of another schedule.
    pub fn value(&self, rv: Rv) -> Result<RvValue> {
        let value = usize::try_from(rv.0).ok().and_then(|at| self.values.get(at));
        value.copied().ok_or_else(|| ScheduleError::plain("the random variable is of another schedule"))
    }

    /// The loop or block of an argument.
    ///
    /// # Errors
    /// If it is something else.
    pub fn item(&self, argument: &Argument) -> Result<Item> {
        match self.value(argument.rv()?)? {
            RvValue::Block(item) | RvValue::Loop(item) => {
                self.state.stmt(item)?;
                Ok(item)
            }
            RvValue::Inline | RvValue::Root => {
                Err(ScheduleError::plain("expected a loop, found a mark of `compute_at`"))
            }
            RvValue::Int(_) | RvValue::Absent | RvValue::Skipped => {
                Err(ScheduleError::plain("expected a block or loop"))
            }
        }
    }

    /// The loop of an argument.
    ///
    /// # Errors
    /// If it is something else.
    pub fn loop_item(&self, argument: &Argument) -> Result<Item> {
        let item = self.item(argument)?;
        self.state.loop_of(item)?;
        Ok(item)
    }

    /// The block of an argument.
    ///
    /// # Errors
    /// If it is something else.
    pub(crate) fn block_item(&self, argument: &Argument) -> Result<Item> {
        let item = self.item(argument)?;
        self.state.block_of(item)?;
        Ok(item)
    }

    /// The integer of an argument: a literal or a sampled value.
    ///
    /// # Errors
    /// If it is something else.
    pub fn int(&self, argument: &Argument) -> Result<i64> {
        match argument {
            Argument::Rv(rv) => match self.value(*rv)? {
                RvValue::Int(value) => Ok(value),
                _ => Err(ScheduleError::plain("expected an integer, found a block or loop")),
            },
            other => other.int(),
        }
    }

    /// The node that errors show for a loop or block.
    pub(crate) fn node(&self, item: Item) -> Option<Object> {
        self.state.node(item)
    }

    /// Applies a primitive to one argument per parameter, and records it.
    ///
    /// # Errors
    /// If the primitive does not apply.
    pub fn run(&mut self, primitive: &'static Primitive, mut arguments: Vec<Argument>) -> Result<Vec<Rv>> {
        for (index, parameter) in primitive.parameters.iter().enumerate() {
            match (index.cmp(&arguments.len()), parameter.default) {
                (std::cmp::Ordering::Less, _) => {}
                (_, Some(default)) => arguments.push(default.into()),
                (_, None) => {
                    let message = format!("`{}` needs the argument `{}`", primitive.name, parameter.name);
                    return Err(ScheduleError::plain(message));
                }
            }
        }
        if arguments.len() > primitive.parameters.len() {
            return Err(ScheduleError::plain(format!("too many arguments for `{}`", primitive.name)));
        }
        for (parameter, argument) in primitive.parameters.iter().zip(&mut arguments) {
            if matches!((parameter.default, &argument), (Some(Default::Function), Argument::None)) {
                let Some(name) = &self.function else {
                    return Err(ScheduleError::plain(format!(
                        "`{}` needs `{}`: the module has several functions",
                        primitive.name, parameter.name
                    )));
                };
                *argument = Argument::Str(name.clone());
            }
        }
        buffers::resolve(self, primitive, &mut arguments)?;
        index_map::resolve(self, primitive, &mut arguments)?;
        let recorder = Recorder::enter(self, primitive);
        let schedule = &mut *recorder.schedule;
        schedule.decision = None;
        let outside = Span::set_current(schedule.span_of(primitive, &arguments));
        let values: Result<Vec<Argument>> =
            arguments.iter().map(|argument| index_map::with_values(schedule, argument)).collect();
        let results = values.and_then(|values| (primitive.apply)(schedule, &values));
        Span::set_current(outside);
        let results = results?;
        let first = schedule.values.len();
        schedule.values.extend(results);
        let outputs = schedule.variables_from(first);
        let decision = schedule.decision.take();
        schedule.trace.push(Instruction { primitive, arguments, outputs: outputs.clone(), decision });
        Ok(outputs)
    }

    /// Applies a primitive of a trace: keeps its refusal, and goes on if that is asked for. A list of results then has as many
    /// as the primitive makes.
    pub(crate) fn run_in_trace(
        &mut self,
        primitive: &'static Primitive,
        arguments: Vec<Argument>,
    ) -> Result<Vec<Rv>> {
        let mut needs_skipped = false;
        arguments.iter().for_each(|argument| {
            argument.for_each_rv(&mut |rv| needs_skipped |= matches!(self.value(rv), Ok(RvValue::Skipped)));
        });
        let results = match primitive.results {
            Results::None => 0,
            Results::One => 1,
            Results::List => arguments.iter().find_map(Argument::count).unwrap_or(0),
        };
        if !needs_skipped {
            let error = match self.run(primitive, arguments) {
                Ok(outputs) => return Ok(outputs),
                Err(error) => error,
            };
            let (module, span) = (self.module(), Span::current());
            self.refusals.push(Refusal { primitive: primitive.name, error: error.clone(), module, span });
            if !self.keeps_going {
                return Err(error);
            }
        }
        let first = self.values.len();
        self.values.resize(first + results, RvValue::Skipped);
        Ok(self.variables_from(first))
    }

    /// The span of what a primitive makes: of the first loop or block that it is given, and of the call.
    fn span_of(&self, primitive: &'static Primitive, arguments: &[Argument]) -> Span {
        if primitive.is_pure {
            return Span::current();
        }
        let mut first = None;
        arguments.iter().for_each(|argument| argument.for_each_rv(&mut |rv| _ = first.get_or_insert(rv)));
        let node = match first.and_then(|rv| self.value(rv).ok()) {
            Some(RvValue::Block(item) | RvValue::Loop(item)) => self.node(item),
            _ => None,
        };
        let call = match Span::current() {
            call if call.is_known() => call,
            _ => Span::source(SourceId::new(primitive.name)),
        };
        let of_node = node.map_or(Span::UNKNOWN, |node| node.span());
        Span::sequence([of_node, call], REASON)
    }

    /// The random variables from a number on.
    fn variables_from(&self, first: usize) -> Vec<Rv> {
        (first..self.values.len()).filter_map(|at| Some(Rv(u32::try_from(at).ok()?))).collect()
    }

    /// Applies a primitive with one result.
    pub(crate) fn run_one(&mut self, primitive: &'static Primitive, arguments: Vec<Argument>) -> Result<Rv> {
        debug_assert_eq!(primitive.results, Results::One);
        let outputs = self.run(primitive, arguments)?;
        outputs.first().copied().ok_or_else(|| ScheduleError::plain("the primitive returns nothing"))
    }
}
