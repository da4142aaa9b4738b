//! The state of a run, and its limits.

use std::time::{Duration, Instant};

use tvmscript_ir_core::{Ref, Span};
use tvmscript_tir::node::PrimFunc;

use crate::Scalar;
use crate::arguments::Argument;
use crate::compile::{Functions, compile};
use crate::error::{Result, RunError, RunErrorKind};
use crate::execute::Outcome;
use crate::memory::{Memory, advance, offset};
use crate::program::{ParameterKind, Program, Register, Source};
use crate::records::{ANY_BYTES, AnyType, PackedKind, Writer, read_number};

/// Bounds on the work of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Instructions executed.
    pub steps: u64,
    /// Bytes of all buffers at one time, arguments not counted.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 1 << 33, bytes: 1 << 30 }
    }
}

/// The state of a long run, for its observer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Instructions executed.
    pub steps: u64,
    /// The limit of them.
    pub limit: u64,
    /// Time since the start.
    pub elapsed: Duration,
}

/// Runs a function. Tensors among the arguments are changed in place; the result is that of `T.ret`.
///
/// # Errors
/// Fails if an argument does not fit its parameter, if the function does something undefined or left out, and at a limit.
/// The arguments are changed by what ran before.
pub fn run(
    function: &Ref<PrimFunc>,
    arguments: &mut [Argument],
    limits: Limits,
) -> std::result::Result<Option<Scalar>, RunError> {
    run_in(&Functions::default(), function, arguments, limits, &mut |_| {})
}

/// Runs a function ([`run`]) that may call others, and tells an observer of its progress some times per second.
///
/// # Errors
/// Those of [`run`].
pub fn run_in(
    functions: &Functions,
    function: &Ref<PrimFunc>,
    arguments: &mut [Argument],
    limits: Limits,
    observer: &mut dyn FnMut(Progress),
) -> std::result::Result<Option<Scalar>, RunError> {
    let program = compile(functions, function)?;
    let mut registers = program.registers.clone();
    let mut machine = Machine::new(&program, limits, observer);
    let result = machine.enter(&mut registers, arguments).and_then(|()| {
        let mut thread = Thread::new(registers, 0);
        match machine.execute(&mut thread)? {
            Outcome::Returned(value) => Ok(value),
            _ => Ok(None),
        }
    });
    machine.give_back(arguments);
    machine.observe();
    let returned = result?.map(|bits| Scalar::of_bits(program.result_is_float, bits));
    Ok(match machine.result {
        // What a packed function returns is whether it failed.
        Some(place) => read_number(&machine.memory, place),
        None => returned,
    })
}

/// A thread of execution.
#[derive(Debug, Clone)]
pub(crate) struct Thread {
    pub(crate) registers: Vec<u64>,
    pub(crate) at: usize,
}

impl Thread {
    pub(crate) fn new(registers: Vec<u64>, at: usize) -> Thread {
        Thread { registers, at }
    }
}

pub(crate) struct Machine<'p> {
    pub(crate) program: &'p Program,
    limits: Limits,
    pub(crate) steps: u64,
    /// The number of steps at which [`Machine::check`] is due.
    pub(crate) next_check: u64,
    start: Instant,
    observer: &'p mut dyn FnMut(Progress),
    pub(crate) memory: Memory,
    /// Pointers to the memory of arguments, with the number of the argument.
    tensors: Vec<(usize, u64)>,
    shapes: Vec<Vec<i64>>,
    /// The place of the result of a packed function.
    result: Option<u64>,
    /// Memory that all threads of the group share, by the register that holds it.
    pub(crate) shared: Vec<(Register, u64)>,
    /// Memory that threads of the group allocated.
    pub(crate) owned: Vec<u64>,
    pub(crate) in_group: bool,
    /// The number of lanes of a warp of the group.
    pub(crate) warp: usize,
    pub(crate) barriers: crate::threads::Barriers,
    pub(crate) maps: crate::tensor_map::TensorMaps,
}

/// Steps between checks of limits.
const CHECK_STEPS: u64 = 1 << 22;

impl<'p> Machine<'p> {
    pub(crate) fn new(
        program: &'p Program,
        limits: Limits,
        observer: &'p mut dyn FnMut(Progress),
    ) -> Machine<'p> {
        Machine {
            program,
            limits,
            steps: 0,
            next_check: limits.steps.min(CHECK_STEPS),
            start: Instant::now(),
            observer,
            memory: Memory::new(limits.bytes),
            tensors: Vec::new(),
            shapes: Vec::new(),
            result: None,
            shared: Vec::new(),
            owned: Vec::new(),
            in_group: false,
            warp: crate::threads::WARP,
            barriers: crate::threads::Barriers::default(),
            maps: crate::tensor_map::TensorMaps::default(),
        }
    }

    /// Checks the limit of steps, and tells the observer.
    #[cold]
    #[inline(never)]
    pub(crate) fn check(&mut self) -> Result<()> {
        if self.steps >= self.limits.steps {
            return Err(RunErrorKind::Steps { limit: self.limits.steps }.into());
        }
        self.next_check = self.limits.steps.min(self.steps + CHECK_STEPS);
        self.observe();
        Ok(())
    }

    fn observe(&mut self) {
        let elapsed = self.start.elapsed();
        (self.observer)(Progress { steps: self.steps, limit: self.limits.steps, elapsed });
    }

    /// Gives the registers of parameters their values.
    fn enter(&mut self, registers: &mut [u64], arguments: &mut [Argument]) -> Result<()> {
        let values = match &self.program.packed {
            Some(kinds) => self.pack(kinds, arguments)?,
            None => self.take(arguments)?,
        };
        for (register, source) in &self.program.inputs {
            let value = match *source {
                Source::Argument(index) => values.get(index).copied().unwrap_or_default(),
                Source::Extent(index, dimension) => self.extent(index, dimension).unwrap_or_default() as u64,
                Source::Stride(index, dimension) => {
                    let strides = self.shapes.get(index).map(|shape| compact_strides(shape));
                    strides.and_then(|strides| strides.get(dimension).copied()).unwrap_or_default() as u64
                }
                Source::Zero => 0,
            };
            if let Some(slot) = registers.get_mut(*register as usize) {
                *slot = value;
            }
        }
        Ok(())
    }

    /// Takes the memory of arguments, each of which fits its parameter.
    fn take(&mut self, arguments: &mut [Argument]) -> Result<Vec<u64>> {
        let parameters = &self.program.parameters;
        if parameters.len() != arguments.len() {
            let reason = format!("{} arguments for {} parameters", arguments.len(), parameters.len());
            return Err(misfit("the function", reason));
        }
        let mut values = Vec::new();
        for (index, (parameter, argument)) in parameters.iter().zip(arguments).enumerate() {
            let mut shape = Vec::new();
            let value = match (&parameter.kind, argument) {
                (ParameterKind::Scalar, Argument::Scalar(value)) => value.bits(),
                (ParameterKind::Buffer { .. } | ParameterKind::Pointer, Argument::Tensor(tensor)) => {
                    if let ParameterKind::Buffer { name, dtype, rank } = &parameter.kind {
                        if *dtype != tensor.dtype() {
                            let reason = format!("its elements are {}, not {dtype}", tensor.dtype());
                            return Err(misfit(name, reason));
                        }
                        if *rank != tensor.shape().len() {
                            let reason = format!("it has {} dimensions, not {rank}", tensor.shape().len());
                            return Err(misfit(name, reason));
                        }
                    }
                    shape = tensor.shape().to_vec();
                    let pointer = self.memory.add(tensor.take_bytes());
                    self.tensors.push((index, pointer));
                    pointer
                }
                (ParameterKind::Pointer, Argument::Scalar(Scalar::Int(0))) => 0,
                (ParameterKind::Scalar, _) => {
                    return Err(misfit(&parameter.name, "a scalar parameter needs a number".to_owned()));
                }
                _ => return Err(misfit(&parameter.name, "a buffer needs a tensor".to_owned())),
            };
            values.push(value);
            self.shapes.push(shape);
        }
        Ok(values)
    }

    /// Takes the memory of arguments and puts their values into an array: the context, the array, their number, the place
    /// of the result.
    fn pack(&mut self, kinds: &[PackedKind], arguments: &mut [Argument]) -> Result<Vec<u64>> {
        if kinds.len() != arguments.len() {
            let reason = format!("{} arguments for {} parameters", arguments.len(), kinds.len());
            return Err(misfit("the function", reason));
        }
        let array = self.memory.add(vec![0; (kinds.len() + 1) * ANY_BYTES as usize]);
        let result = self.memory.add(vec![0; ANY_BYTES as usize]);
        for (index, (kind, argument)) in kinds.iter().zip(arguments).enumerate() {
            let (any, content) = match (kind, argument) {
                (PackedKind::Int | PackedKind::Float, Argument::Scalar(value)) => match value {
                    Scalar::Int(_) => (AnyType::Int, value.bits()),
                    Scalar::Float(_) => (AnyType::Float, value.bits()),
                },
                (PackedKind::Pointer | PackedKind::Tensor { .. }, Argument::Scalar(Scalar::Int(0))) => {
                    (AnyType::None, 0)
                }
                (PackedKind::Pointer | PackedKind::Tensor { .. }, Argument::Tensor(tensor)) => {
                    let data = self.memory.add(tensor.take_bytes());
                    self.tensors.push((index, data));
                    match kind {
                        PackedKind::Tensor { device, has_strides } => {
                            let mut writer = Writer(&mut self.memory);
                            let record =
                                writer.tensor(data, tensor.dtype(), tensor.shape(), *device, *has_strides);
                            (AnyType::Tensor, record)
                        }
                        _ => (AnyType::Pointer, data),
                    }
                }
                _ => return Err(misfit(&format!("argument {index}"), "it is of another kind".to_owned())),
            };
            Writer(&mut self.memory).set_any(array, index as i64, any, content);
        }
        self.result = Some(result);
        Ok(vec![0, array, kinds.len() as u64, result])
    }

    fn extent(&self, argument: usize, dimension: usize) -> Option<i64> {
        self.shapes.get(argument)?.get(dimension).copied()
    }

    /// Checks the extent of an argument against that of its buffer.
    #[cold]
    pub(crate) fn check_extent(&self, argument: usize, dimension: usize, expected: i64) -> Result<()> {
        let found = self.extent(argument, dimension);
        if found == Some(expected) {
            return Ok(());
        }
        let parameter = self.program.parameters.get(argument);
        let name = parameter.map_or(String::new(), |parameter| match &parameter.kind {
            ParameterKind::Buffer { name, .. } => name.clone(),
            _ => parameter.name.clone(),
        });
        let shape = self.shapes.get(argument).cloned().unwrap_or_default();
        let mut wanted = shape.clone();
        if let Some(slot) = wanted.get_mut(dimension) {
            *slot = expected;
        } else {
            wanted.push(expected);
        }
        let reason = format!("its shape is {shape:?}, not {wanted:?}");
        Err(RunErrorKind::Argument { parameter: name, reason }.into())
    }

    /// Returns the memory of tensors to the arguments.
    fn give_back(&mut self, arguments: &mut [Argument]) {
        for (index, pointer) in std::mem::take(&mut self.tensors) {
            let bytes = self.memory.take(pointer);
            if let Some(Argument::Tensor(tensor)) = arguments.get_mut(index) {
                tensor.put_bytes(bytes);
            }
        }
    }

    /// The error of an access outside of memory.
    #[cold]
    #[inline(never)]
    pub(crate) fn outside(&self, at: usize, pointer: u64, index: i64, size: usize) -> RunError {
        let Some(access) = self.program.accesses.get(&(at as u32)) else {
            return self.fail(
                at,
                RunErrorKind::OutsideMemory {
                    buffer: "a pointer".to_owned(),
                    offset: (offset(pointer) as i64 / size.max(1) as i64).wrapping_add(index),
                    len: self.memory.len(pointer) / size.max(1),
                },
            );
        };
        let base = advance(pointer, 0);
        let kind = match base == 0 || self.memory.len(pointer) == 0 && pointer == 0 {
            true => RunErrorKind::Unbound { name: access.buffer.clone() },
            false => RunErrorKind::OutsideMemory {
                buffer: access.buffer.clone(),
                offset: index,
                len: self.memory.len(pointer) / size.max(1),
            },
        };
        self.fail(at, kind)
    }

    /// The error of an index outside of its extent.
    #[cold]
    #[inline(never)]
    pub(crate) fn out_of_bounds(&self, at: usize, index: i64, extent: i64) -> RunError {
        let access = self.program.accesses.get(&(at as u32));
        let buffer = access.map_or(String::new(), |access| access.buffer.clone());
        let dimension = access.map_or(0, |access| access.dimension);
        self.fail(at, RunErrorKind::OutOfBounds { buffer, dimension, index, extent })
    }

    /// An error with the place of an instruction.
    #[cold]
    #[inline(never)]
    pub(crate) fn fail(&self, at: usize, kind: RunErrorKind) -> RunError {
        RunError { kind, span: self.program.spans.get(at).copied().unwrap_or(Span::UNKNOWN) }
    }
}

/// The error of an argument that does not fit.
fn misfit(parameter: &str, reason: String) -> RunError {
    RunErrorKind::Argument { parameter: parameter.to_owned(), reason }.into()
}

/// Returns the strides of a compact, row-major array.
pub(crate) fn compact_strides(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1i64; shape.len()];
    let mut stride = 1i64;
    for (slot, extent) in strides.iter_mut().zip(shape).rev() {
        *slot = stride;
        stride = stride.wrapping_mul(*extent);
    }
    strides
}
