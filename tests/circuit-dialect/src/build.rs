//! Frames and script functions that build circuits.

use std::panic::Location;

use tvmscript_ir_core::{Array, Ref, Span, Str};
use tvmscript_irbuilder::{
    BuildErrorKind, BuildResult, Builder, FrameOf, Poison as _, Scope, ScriptFn, script_fn, value_or_poison,
};

use crate::node::{Circuit, Clocked, Gate, Register, Stmt, Wire};

/// The functions of scripts.
pub(crate) const FUNCTIONS: &[&ScriptFn] =
    &[&CLOCKED, &INV, &MUX, &NAND, &NOR, &OUTPUT, &REGISTER, &WIRE, &XOR];

/// Parts of a circuit besides its statements.
#[derive(Debug)]
pub struct Header {
    name: Str,
    inputs: Vec<Ref<Wire>>,
    outputs: Option<Vec<Ref<Wire>>>,
    span: Span,
}

/// The frame of a circuit.
pub type CircuitFrame = Scope<Stmt, Header>;

/// The frame of a clock, with its name and source position.
pub type ClockedFrame = Scope<Stmt, (Str, Span)>;

/// Opens a circuit; scripts write a decorated function.
pub fn circuit(name: &str) -> FrameOf<CircuitFrame> {
    let header = Header { name: Str::new(name), inputs: Vec::new(), outputs: None, span: Span::current() };
    Scope::open("C.circuit", header, |Header { name, inputs, outputs, span }, body| {
        let (inputs, outputs) = (Array::new(inputs), Array::new(outputs.unwrap_or_default()));
        Builder::set_result(Ref::new(Circuit { name, inputs, body, outputs, span }).into())
    })
}

/// Adds an input to the circuit; scripts write a parameter.
#[track_caller]
pub fn input(name: &str) -> Ref<Wire> {
    value_or_poison(add_input(name), Location::caller(), <Ref<Wire>>::poison)
}

/// Adds an input to the circuit.
pub(crate) fn add_input(name: &str) -> BuildResult<Ref<Wire>> {
    let wire = Wire::new(name);
    match Builder::with_top::<CircuitFrame, _>(|frame| frame.data.inputs.push(wire.clone()))? {
        Some(()) => Ok(wire),
        None => Err(Builder::wrong_frame("C.input", "directly in a circuit")),
    }
}

/// Makes a wire that nothing drives yet.
#[script_fn(name = "Wire", annotation)]
pub fn wire() -> BuildResult<Ref<Wire>> {
    Ok(Wire::new(""))
}

/// The negated conjunction of two wires.
#[script_fn]
pub fn nand(a: Ref<Wire>, b: Ref<Wire>) -> BuildResult<Ref<Wire>> {
    gate("nand", [a, b])
}

/// The negated disjunction of two wires.
#[script_fn]
pub fn nor(a: Ref<Wire>, b: Ref<Wire>) -> BuildResult<Ref<Wire>> {
    gate("nor", [a, b])
}

/// The exclusive disjunction of two wires.
#[script_fn]
pub fn xor(a: Ref<Wire>, b: Ref<Wire>) -> BuildResult<Ref<Wire>> {
    gate("xor", [a, b])
}

/// The complement of a wire.
#[script_fn]
pub fn inv(a: Ref<Wire>) -> BuildResult<Ref<Wire>> {
    gate("inv", [a])
}

/// `high` where `select` is set, else `low`.
#[script_fn]
pub fn mux(select: Ref<Wire>, high: Ref<Wire>, low: Ref<Wire>) -> BuildResult<Ref<Wire>> {
    gate("mux", [select, high, low])
}

/// Opens the scope of a clock.
#[script_fn]
pub fn clocked(clock: Str) -> BuildResult<FrameOf<ClockedFrame>> {
    Ok(Scope::open("C.clocked", (clock, Span::current()), |(clock, span), body| {
        Builder::add_stmt(Ref::new(Clocked { clock, body, span }).into())
    }))
}

/// Stores a wire at each tick of the clock around it.
#[script_fn]
pub fn register(input: Ref<Wire>) -> BuildResult<Ref<Wire>> {
    if Builder::with_innermost::<ClockedFrame, _>(|_| ())?.is_none() {
        return Err(Builder::wrong_frame("C.register", "inside `with C.clocked(..)`"));
    }
    let output = Wire::new("");
    let node = Register { input, output: output.clone(), span: Span::current() };
    Builder::add_stmt(Ref::new(node).into())?;
    Ok(output)
}

/// Sets the outputs of the circuit.
#[script_fn]
pub fn output(#[args] wires: Vec<Ref<Wire>>) -> BuildResult<()> {
    match Builder::with_top::<CircuitFrame, _>(|frame| frame.data.outputs.replace(wires))? {
        Some(None) => Ok(()),
        Some(Some(_)) => Err(BuildErrorKind::Repeated { what: "`C.output`".to_owned() }.into()),
        None => Err(Builder::wrong_frame("C.output", "directly in a circuit")),
    }
}

/// Adds a gate and returns its output.
fn gate<const N: usize>(kind: &str, inputs: [Ref<Wire>; N]) -> BuildResult<Ref<Wire>> {
    let output = Wire::new("");
    let (kind, inputs) = (kind.into(), Array::new(inputs));
    Builder::add_stmt(Ref::new(Gate { kind, inputs, output: output.clone(), span: Span::current() }).into())?;
    Ok(output)
}
