//! The state of a run: variables, buffers and memory.

use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::{Array, DataType, Ref, Span};
use tvmscript_prim::{Expr, Var};
use tvmscript_tir::node::{Buffer, PrimFunc};

use crate::arguments::Argument;
use crate::error::{Result, RunError, RunErrorKind, unsupported};
use crate::scalar::{Scalar, from_bytes, to_bytes};
use crate::stmt::Flow;
use crate::tensor::byte_count;
use tvmscript_ir_core::arithmetic::element_bytes;

/// Bounds on the work of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Statements and expressions evaluated.
    pub steps: u64,
    /// Bytes of all buffers at one time, arguments not counted.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 1 << 32, bytes: 1 << 30 }
    }
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
    let mut machine = Machine::new(limits);
    let result = machine.enter(function, arguments).and_then(|()| machine.exec(&function.body));
    machine.give_back(function, arguments);
    Ok(match result? {
        Flow::Return(value) => value,
        Flow::Next | Flow::Break | Flow::Continue => None,
    })
}

/// The value of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Scalar(Scalar),
    Vector(Vec<Scalar>),
    /// A buffer's memory, by its position in [`Machine::memory`].
    Pointer(usize),
    Text(String),
}

impl Value {
    pub(crate) fn scalar(&self) -> Result<Scalar> {
        match self {
            Value::Scalar(value) => Ok(*value),
            _ => Err(RunErrorKind::Kind { expected: "a scalar" }.into()),
        }
    }

    /// Returns the scalar of a lane; a scalar value is that of every lane.
    pub(crate) fn lane(&self, lane: usize) -> Result<Scalar> {
        match self {
            Value::Vector(lanes) => lanes
                .get(lane)
                .copied()
                .ok_or_else(|| RunErrorKind::Kind { expected: "vectors of one length" }.into()),
            value => value.scalar(),
        }
    }
}

/// A buffer: its memory, and the layout of its elements.
#[derive(Debug, Clone)]
pub(crate) struct View {
    pub(crate) memory: usize,
    /// Offset of the first element, in elements.
    pub(crate) offset: i64,
    pub(crate) shape: Vec<i64>,
    pub(crate) strides: Vec<i64>,
}

pub(crate) struct Machine {
    limits: Limits,
    steps: u64,
    bytes: usize,
    pub(crate) variables: AddressMap<Value>,
    views: AddressMap<View>,
    memory: Vec<Vec<u8>>,
    /// Number of enclosing loops over more than one thread.
    pub(crate) threads: usize,
}

impl Machine {
    pub(crate) fn new(limits: Limits) -> Machine {
        Machine {
            limits,
            steps: 0,
            bytes: 0,
            variables: AddressMap::default(),
            views: AddressMap::default(),
            memory: Vec::new(),
            threads: 0,
        }
    }

    /// Counts a step.
    pub(crate) fn step(&mut self) -> Result<()> {
        self.steps += 1;
        match self.steps > self.limits.steps {
            true => Err(RunErrorKind::Steps { limit: self.limits.steps }.into()),
            false => Ok(()),
        }
    }

    pub(crate) fn bind(&mut self, variable: &Ref<Var>, value: Value) {
        self.variables.insert(variable.object().address(), value);
    }

    pub(crate) fn is_bound(&self, variable: &Ref<Var>) -> bool {
        self.variables.contains_key(&variable.object().address())
    }

    /// Binds the parameters, and what the shapes of buffers define.
    fn enter(&mut self, function: &PrimFunc, arguments: &mut [Argument]) -> Result<()> {
        if function.params.len() != arguments.len() {
            let reason = format!("{} arguments for {} parameters", arguments.len(), function.params.len());
            return Err(RunErrorKind::Argument { parameter: "the function".to_owned(), reason }.into());
        }
        let mut tensors = Vec::new();
        for (param, argument) in function.params.iter().zip(arguments) {
            let buffer =
                function.buffer_map.iter().find(|(var, _)| var.ptr_eq(param)).map(|(_, buffer)| buffer);
            match (argument, buffer) {
                (Argument::Tensor(tensor), Some(buffer)) => {
                    self.memory.push(tensor.take_bytes());
                    let memory = self.memory.len() - 1;
                    self.bind(param, Value::Pointer(memory));
                    self.bind(&buffer.data, Value::Pointer(memory));
                    tensors.push((buffer, tensor.dtype(), tensor.shape().to_vec(), memory));
                }
                (Argument::Scalar(value), None) => self.bind(param, Value::Scalar(*value)),
                (_, Some(_)) => return Err(misfit(param, "a buffer needs a tensor")),
                (_, None) => return Err(misfit(param, "a scalar parameter needs a number")),
            }
        }
        // Variables first: a dimension may compute with those of other buffers.
        for (buffer, _, shape, _) in &tensors {
            for (extent, given) in buffer.shape.iter().zip(shape) {
                self.define(extent, *given);
            }
        }
        for (buffer, dtype, shape, memory) in tensors {
            self.check_argument(buffer, dtype, &shape)?;
            for (expr, given) in buffer.strides.iter().zip(&compact_strides(&shape)) {
                self.define(expr, *given);
            }
            self.define(&buffer.elem_offset, 0);
            self.declare(buffer, memory)?;
        }
        Ok(())
    }

    /// Gives an unbound variable a value.
    fn define(&mut self, expr: &Expr, value: i64) {
        if let Some(variable) = expr.downcast_ref::<Var>().filter(|variable| !self.is_bound(variable)) {
            self.bind(variable, Value::Scalar(Scalar::Int(value)));
        }
    }

    fn check_argument(&mut self, buffer: &Buffer, dtype: DataType, shape: &[i64]) -> Result<()> {
        let fail = |reason: String| -> Result<()> {
            let parameter = buffer.name.get().to_string();
            Err(RunErrorKind::Argument { parameter, reason }.into())
        };
        if buffer.dtype != dtype {
            return fail(format!("its elements are {dtype}, not {}", buffer.dtype));
        }
        let expected = self.integers(buffer.shape.iter())?;
        if expected != shape {
            return fail(format!("its shape is {shape:?}, not {expected:?}"));
        }
        Ok(())
    }

    /// Returns the memory of tensors to the arguments.
    fn give_back(&mut self, function: &PrimFunc, arguments: &mut [Argument]) {
        let mut memory = std::mem::take(&mut self.memory).into_iter();
        let is_buffer = |param: &Ref<Var>| function.buffer_map.iter().any(|(var, _)| var.ptr_eq(param));
        for (param, argument) in function.params.iter().zip(arguments) {
            if let (Argument::Tensor(tensor), true) = (argument, is_buffer(param))
                && tensor.is_empty()
                && let Some(bytes) = memory.next()
            {
                tensor.put_bytes(bytes);
            }
        }
    }

    /// Allocates zeroed memory for the time of `body`.
    pub(crate) fn with_memory<T>(
        &mut self,
        dtype: DataType,
        shape: &[i64],
        body: impl FnOnce(&mut Machine, usize) -> Result<T>,
    ) -> Result<T> {
        let bytes = byte_count(dtype, shape, self.limits.bytes)?;
        if self.bytes + bytes > self.limits.bytes {
            return Err(RunErrorKind::Memory { limit: self.limits.bytes }.into());
        }
        self.bytes += bytes;
        self.memory.push(vec![0; bytes]);
        let memory = self.memory.len() - 1;
        let result = body(self, memory);
        self.memory.truncate(memory);
        self.bytes -= bytes;
        result
    }

    /// Copies data into new memory.
    pub(crate) fn fill(&mut self, memory: usize, bytes: &[u8]) {
        if let Some(memory) = self.memory.get_mut(memory) {
            memory.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        }
    }

    /// Declares a buffer over memory, with the layout that it has now.
    pub(crate) fn declare(&mut self, buffer: &Ref<Buffer>, memory: usize) -> Result<()> {
        let view = self.layout(buffer, memory)?;
        self.views.insert(buffer.object().address(), view);
        Ok(())
    }

    pub(crate) fn declare_view(&mut self, buffer: &Ref<Buffer>, view: View) {
        self.views.insert(buffer.object().address(), view);
    }

    fn layout(&mut self, buffer: &Buffer, memory: usize) -> Result<View> {
        let shape = self.integers(buffer.shape.iter())?;
        let strides = match buffer.strides.len() == shape.len() {
            true => self.integers(buffer.strides.iter())?,
            false => compact_strides(&shape),
        };
        let offset = self.eval(&buffer.elem_offset)?.scalar()?.int()?;
        Ok(View { memory, offset, shape, strides })
    }

    /// Returns the layout of a buffer. One without a declaration lies in the memory of its data variable.
    pub(crate) fn view(&mut self, buffer: &Ref<Buffer>) -> Result<View> {
        if let Some(view) = self.views.get(&buffer.object().address()) {
            return Ok(view.clone());
        }
        match self.variables.get(&buffer.data.object().address()) {
            Some(Value::Pointer(memory)) => {
                let memory = *memory;
                self.layout(buffer, memory)
            }
            _ => Err(RunErrorKind::Unbound { name: buffer.data.name.get().to_string() }.into()),
        }
    }

    /// Evaluates integers.
    pub(crate) fn integers<'e>(&mut self, exprs: impl Iterator<Item = &'e Expr>) -> Result<Vec<i64>> {
        exprs.map(|expr| self.eval(expr)?.scalar()?.int()).collect()
    }

    /// Returns the offsets of the elements that an access of a buffer refers to, one per lane of the last index.
    fn elements(&mut self, buffer: &Ref<Buffer>, indices: &Array<Expr>) -> Result<(usize, Vec<i64>)> {
        let view = self.view(buffer)?;
        let mut offsets = vec![view.offset];
        for (dimension, index) in indices.iter().enumerate() {
            let (Some(&extent), Some(&stride)) = (view.shape.get(dimension), view.strides.get(dimension))
            else {
                return Err(RunErrorKind::Kind { expected: "an index per dimension" }.into());
            };
            let value = self.eval(index)?;
            if let Value::Vector(lanes) = &value
                && offsets.len() == 1
            {
                offsets = vec![offsets.first().copied().unwrap_or(view.offset); lanes.len()];
            }
            for (lane, offset) in offsets.iter_mut().enumerate() {
                let index = value.lane(lane)?.int()?;
                let broadcasts =
                    extent == 1 && buffer.buffer_type == tvmscript_tir::node::BufferType::AutoBroadcast;
                if broadcasts {
                    continue;
                }
                if index < 0 || index >= extent {
                    let buffer = buffer.name.get().to_string();
                    return Err(RunErrorKind::OutOfBounds { buffer, dimension, index, extent }.into());
                }
                *offset = offset.wrapping_add(index.wrapping_mul(stride));
            }
        }
        Ok((view.memory, offsets))
    }

    /// Reads elements. Lanes whose predicate is false are zero.
    pub(crate) fn load(
        &mut self,
        buffer: &Ref<Buffer>,
        indices: &Array<Expr>,
        predicate: Option<&Expr>,
    ) -> Result<Value> {
        let predicate = predicate.map(|predicate| self.eval(predicate)).transpose()?;
        let (memory, offsets) = self.elements(buffer, indices)?;
        let (element, lanes) = scalars_of(buffer.dtype)?;
        let mut out = Vec::with_capacity(offsets.len() * lanes);
        for (position, offset) in offsets.iter().enumerate() {
            for lane in 0..lanes {
                let is_on = is_on(predicate.as_ref(), position * lanes + lane)?;
                let bytes = self.place(buffer, memory, *offset, lane, lanes, element)?;
                out.push(if is_on { from_bytes(element, bytes)? } else { from_bytes(element, &[])? });
            }
        }
        Ok(match out.as_slice() {
            [one] => Value::Scalar(*one),
            _ => Value::Vector(out),
        })
    }

    /// Writes elements whose predicate is not false.
    pub(crate) fn store(
        &mut self,
        buffer: &Ref<Buffer>,
        indices: &Array<Expr>,
        value: &Value,
        predicate: Option<&Expr>,
    ) -> Result<()> {
        let predicate = predicate.map(|predicate| self.eval(predicate)).transpose()?;
        let (memory, offsets) = self.elements(buffer, indices)?;
        let (element, lanes) = scalars_of(buffer.dtype)?;
        for (position, offset) in offsets.iter().enumerate() {
            for lane in 0..lanes {
                let number = position * lanes + lane;
                if is_on(predicate.as_ref(), number)? {
                    let new = to_bytes(element, value.lane(number)?)?;
                    let bytes = self.place(buffer, memory, *offset, lane, lanes, element)?;
                    bytes.iter_mut().zip(new).for_each(|(to, from)| *to = from);
                }
            }
        }
        Ok(())
    }

    /// Returns the bytes of one scalar.
    fn place(
        &mut self,
        buffer: &Buffer,
        memory: usize,
        offset: i64,
        lane: usize,
        lanes: usize,
        element: DataType,
    ) -> Result<&mut [u8]> {
        let size = element_bytes(element).unwrap_or(1);
        let memory = self.memory.get_mut(memory).map(Vec::as_mut_slice).unwrap_or_default();
        let len = memory.len() / (size * lanes);
        let start = usize::try_from(offset).ok().filter(|offset| *offset < len);
        let bytes = start.and_then(|start| memory.get_mut((start * lanes + lane) * size..)?.get_mut(..size));
        bytes.ok_or_else(|| {
            let buffer = buffer.name.get().to_string();
            RunErrorKind::OutsideMemory { buffer, offset, len }.into()
        })
    }
}

/// Returns the type of the scalars of an element, and their number.
fn scalars_of(dtype: DataType) -> Result<(DataType, usize)> {
    match usize::try_from(dtype.lanes) {
        Ok(lanes @ 1..) => Ok((dtype.element(), lanes)),
        _ => unsupported(format!("the type {dtype}")),
    }
}

fn is_on(predicate: Option<&Value>, lane: usize) -> Result<bool> {
    predicate.map_or(Ok(true), |predicate| predicate.lane(lane)?.truth())
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

#[cold]
fn misfit(param: &Ref<Var>, reason: &str) -> RunError {
    let kind = RunErrorKind::Argument { parameter: param.name.get().to_string(), reason: reason.to_owned() };
    RunError { kind, span: Span::UNKNOWN }
}
