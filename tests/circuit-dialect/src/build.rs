//! Frames and script functions that build circuits.

use std::panic::Location;

use tvmscript_ir_core::{Array, Object, Ref, Span, Str};
use tvmscript_irbuilder::{
    BuildError, BuildErrorKind, Builder, Frame, FrameOf, Poison as _, Result, ScriptFn, script_fn,
    value_or_poison,
};

use crate::node::{Circuit, Clocked, Gate, Register, Stmt, Wire};

/// The functions of scripts.
pub(crate) const FUNCTIONS: &[&ScriptFn] =
    &[&CLOCKED, &INV, &MUX, &NAND, &NOR, &OUTPUT, &REGISTER, &WIRE, &XOR];

/// The frame of a circuit.
#[derive(Debug)]
pub struct CircuitFrame {
    name: Str,
    inputs: Vec<Ref<Wire>>,
    body: Vec<Ref<Stmt>>,
    outputs: Option<Vec<Ref<Wire>>>,
    span: Span,
}

/// The frame of a clock.
#[derive(Debug)]
pub struct ClockedFrame {
    clock: Str,
    body: Vec<Ref<Stmt>>,
    span: Span,
}

/// Adds a statement to a body, or returns it if it belongs to another dialect.
fn take_into(body: &mut Vec<Ref<Stmt>>, stmt: Object) -> Option<Object> {
    match stmt.downcast::<Stmt>() {
        Ok(stmt) => {
            body.push(stmt);
            None
        }
        Err(other) => Some(other),
    }
}

impl Frame for CircuitFrame {
    fn name(&self) -> &'static str {
        "C.circuit"
    }

    fn close(self: Box<Self>) -> Result<()> {
        let CircuitFrame { name, inputs, body, outputs, span } = *self;
        let (inputs, body) = (Array::new(inputs), Array::new(body));
        let outputs = Array::new(outputs.unwrap_or_default());
        Builder::set_result(Ref::new(Circuit { name, inputs, body, outputs, span }).into())
    }

    fn take_stmt(&mut self, stmt: Object) -> Option<Object> {
        take_into(&mut self.body, stmt)
    }
}

impl Frame for ClockedFrame {
    fn name(&self) -> &'static str {
        "C.clocked"
    }

    fn close(self: Box<Self>) -> Result<()> {
        let ClockedFrame { clock, body, span } = *self;
        Builder::add_stmt(Ref::new(Clocked { clock, body: Array::new(body), span }).into())
    }

    fn take_stmt(&mut self, stmt: Object) -> Option<Object> {
        take_into(&mut self.body, stmt)
    }
}

/// Opens a circuit; scripts write a decorated function.
pub fn circuit(name: &str) -> FrameOf<CircuitFrame> {
    let (inputs, body, outputs, span) = (Vec::new(), Vec::new(), None, Span::current());
    FrameOf::new(CircuitFrame { name: Str::new(name), inputs, body, outputs, span })
}

/// Adds an input to the circuit; scripts write a parameter.
#[track_caller]
pub fn input(name: &str) -> Ref<Wire> {
    value_or_poison(add_input(Wire::new(name)), Location::caller(), <Ref<Wire>>::poison)
}

/// Adds an input to the circuit.
pub(crate) fn add_input(wire: Ref<Wire>) -> Result<Ref<Wire>> {
    let added = wire.clone();
    match Builder::with_top::<CircuitFrame, _>(|frame| frame.inputs.push(added))? {
        Some(()) => Ok(wire),
        None => Err(outside("input", "directly in a circuit")),
    }
}

/// Makes a wire that nothing drives yet.
#[script_fn(name = "Wire", annotation)]
pub fn wire() -> Result<Ref<Wire>> {
    Ok(Wire::new(""))
}

/// The negated conjunction of two wires.
#[script_fn]
pub fn nand(a: Ref<Wire>, b: Ref<Wire>) -> Result<Ref<Wire>> {
    gate("nand", [a, b])
}

/// The negated disjunction of two wires.
#[script_fn]
pub fn nor(a: Ref<Wire>, b: Ref<Wire>) -> Result<Ref<Wire>> {
    gate("nor", [a, b])
}

/// The exclusive disjunction of two wires.
#[script_fn]
pub fn xor(a: Ref<Wire>, b: Ref<Wire>) -> Result<Ref<Wire>> {
    gate("xor", [a, b])
}

/// The complement of a wire.
#[script_fn]
pub fn inv(a: Ref<Wire>) -> Result<Ref<Wire>> {
    gate("inv", [a])
}

/// `high` where `select` is set, else `low`.
#[script_fn]
pub fn mux(select: Ref<Wire>, high: Ref<Wire>, low: Ref<Wire>) -> Result<Ref<Wire>> {
    gate("mux", [select, high, low])
}

/// Opens the scope of a clock.
#[script_fn]
pub fn clocked(clock: Str) -> Result<FrameOf<ClockedFrame>> {
    Ok(FrameOf::new(ClockedFrame { clock, body: Vec::new(), span: Span::current() }))
}

/// A scope in place of one that could not be made.
pub(crate) fn any_clock() -> FrameOf<ClockedFrame> {
    FrameOf::new(ClockedFrame { clock: Str::new(""), body: Vec::new(), span: Span::UNKNOWN })
}

/// Stores a wire at each tick of the clock around it.
#[script_fn]
pub fn register(input: Ref<Wire>) -> Result<Ref<Wire>> {
    if Builder::with_innermost::<ClockedFrame, _>(|_| ())?.is_none() {
        return Err(outside("register", "inside `with C.clocked(..)`"));
    }
    let output = Wire::new("");
    let node = Register { input, output: output.clone(), span: Span::current() };
    Builder::add_stmt(Ref::new(node).into())?;
    Ok(output)
}

/// Sets the outputs of the circuit.
#[script_fn]
pub fn output(#[args] wires: Vec<Ref<Wire>>) -> Result<()> {
    match Builder::with_top::<CircuitFrame, _>(|frame| frame.outputs.replace(wires))? {
        Some(None) => Ok(()),
        Some(Some(_)) => Err(BuildErrorKind::Repeated { what: "`C.output`".to_owned() }.into()),
        None => Err(outside("output", "directly in a circuit")),
    }
}

/// Adds a gate and returns its output.
fn gate<const N: usize>(kind: &str, inputs: [Ref<Wire>; N]) -> Result<Ref<Wire>> {
    let output = Wire::new("");
    let (kind, inputs) = (kind.into(), Array::new(inputs));
    Builder::add_stmt(Ref::new(Gate { kind, inputs, output: output.clone(), span: Span::current() }).into())?;
    Ok(output)
}

/// The error of a function outside the frame that it needs.
fn outside(function: &str, expected: &'static str) -> BuildError {
    let found = match Builder::top_name() {
        Some(frame) => format!("is used in `{frame}`"),
        None => "is used outside of any scope".to_owned(),
    };
    BuildErrorKind::WrongFrame { function: format!("C.{function}"), expected, found }.into()
}
