//! Recurrent layers, unrolled over time.

use tvmscript_ir_core::Ref;
use tvmscript_prim::ops::int_value;
use tvmscript_relax::op::elementwise::{add, multiply, sigmoid, subtract, tanh};
use tvmscript_relax::op::index::{strided_slice, take};
use tvmscript_relax::op::join::{concat, stack};
use tvmscript_relax::op::linear_algebra::matmul;
use tvmscript_relax::op::nn::activation::relu;
use tvmscript_relax::op::shape::{expand_dims, permute_dims};
use tvmscript_relax::{Call, Expr, Tuple};

use super::super::node::Node;
use super::super::value::{Converted, Value};
use super::elementwise::like;
use super::rows;
use crate::error::Reason;
use crate::ops::{dims, int, int_operand, int64_number, ints};

rows! { "aten.":
    "lstm.input"
        => "take, matmul, add, strided_slice, sigmoid, tanh, multiply, stack"
        ("projections, sequences of unknown length"), |cx| layers(cx, Kind::Lstm);
    "gru.input"
        => "strided_slice, take, matmul, add, sigmoid, tanh, multiply, stack"
        ("sequences of unknown length"), |cx| layers(cx, Kind::Gru);
    "rnn_tanh.input"
        => "take, matmul, add, tanh, stack" ("sequences of unknown length"), |cx| layers(cx, Kind::Plain(tanh));
    "rnn_relu.input"
        => "take, matmul, add, nn.relu, stack" ("sequences of unknown length"), |cx| layers(cx, Kind::Plain(relu));
}

/// Maximum number of steps.
const MAX_STEPS: i64 = 1 << 14;
/// Maximum number of steps of all layers.
const MAX_STEPS_OF_ALL: i64 = 1 << 16;

/// A kind of cell.
#[derive(Clone, Copy)]
enum Kind {
    Lstm,
    Gru,
    Plain(fn(Expr) -> Ref<Call>),
}

impl Kind {
    /// Number of gates, whose weights are one matrix.
    fn gates(self) -> i64 {
        match self {
            Kind::Lstm => 4,
            Kind::Gru => 3,
            Kind::Plain(_) => 1,
        }
    }
}

/// The weights of one direction of a layer.
struct Weights {
    input: Expr,
    hidden: Expr,
    biases: Option<[Expr; 2]>,
}

/// The state of a direction: the hidden one, and the cell of an LSTM.
#[derive(Clone)]
struct State {
    hidden: Expr,
    cell: Option<Expr>,
}

/// A direction: weights, state before the first step, and order of steps.
struct Direction {
    weights: Weights,
    before: State,
    is_reverse: bool,
}

/// A stretch of an axis.
fn part(x: &Expr, axis: i64, begin: i64, end: i64) -> Ref<Call> {
    let one = |value: i64| -> Expr { Tuple::new([int_operand(value)]).upcast() };
    strided_slice(x.clone(), one(axis), one(begin), one(end), None, false)
}

/// The element of axis 0 at an index.
fn step(x: &Expr, at: i64) -> Ref<Call> {
    take(x.clone(), int64_number(at), Some(0), "clip".into())
}

fn product(x: &Expr, weight: &Expr) -> Ref<Call> {
    matmul(x.clone(), weight.clone(), None)
}

fn transposed(cx: &mut Node<'_, '_>, weight: &Expr) -> Result<Expr, Reason> {
    cx.emit(permute_dims(weight.clone(), Some(ints(&[1, 0]))))
}

fn layers(cx: &mut Node<'_, '_>, kind: Kind) -> Converted {
    let mut x = cx.tensor(0)?;
    let states = match cx.needed(1, "hx")? {
        Value::List(items) => items,
        one => vec![one],
    };
    let params = cx.tensors(2, "params")?;
    let has_biases = cx.flag(3, "has_biases", true)?;
    let count = cx.int(4, "num_layers", 1)?;
    let is_bidirectional = cx.flag(7, "bidirectional", false)?;
    let is_batch_first = cx.flag(8, "batch_first", false)?;
    let shape = dims(&x)?;
    let [first, second, _] = shape.as_slice() else { return Err("needs an input of rank 3".into()) };
    let steps = if is_batch_first { second } else { first };
    let steps = int_value(steps).filter(|steps| (1..=MAX_STEPS).contains(steps));
    let steps =
        steps.ok_or_else(|| Reason(format!("needs a known number of steps from 1 to {MAX_STEPS}")))?;
    let per_direction = if has_biases { 4 } else { 2 };
    let directions = if is_bidirectional { 2 } else { 1 };
    let is_small = count >= 1 && count.saturating_mul(steps) <= MAX_STEPS_OF_ALL;
    let parts = usize::try_from(count).ok().and_then(|count| count.checked_mul(per_direction * directions));
    if !is_small || parts != Some(params.len()) {
        return Err("the weights are not those of the layers; projections are not supported".into());
    }
    let mut states = states.into_iter().map(|state| match state {
        Value::Known(state) => Ok(state),
        _ => Err(Reason::from("a state must be a tensor")),
    });
    let hidden = states.next().ok_or("has no state")??;
    let cell = states.next().transpose()?;
    let hidden_size = hidden_size(&params, kind)?;
    let mut weights = params.chunks_exact(per_direction);
    let (mut last_hidden, mut last_cell) = (Vec::new(), Vec::new());
    for layer in 0..count {
        let mut all = Vec::new();
        for direction in 0..directions as i64 {
            let chunk = weights.next().unwrap_or_default();
            let [input, recurrent, rest @ ..] = chunk else { return Err("has no weights".into()) };
            let biases = match rest {
                [a, b] => Some([a.clone(), b.clone()]),
                _ => None,
            };
            let at = layer * directions as i64 + direction;
            let state = cx.emit(step(&hidden, at))?;
            let cell = match &cell {
                Some(cell) => Some(cx.emit(step(cell, at))?),
                None => None,
            };
            all.push(Direction {
                weights: Weights { input: input.clone(), hidden: recurrent.clone(), biases },
                before: State { hidden: state, cell },
                is_reverse: direction == 1,
            });
        }
        if is_batch_first && layer == 0 {
            x = cx.emit(permute_dims(x, Some(ints(&[1, 0, 2]))))?;
        }
        let mut outputs = Vec::new();
        for direction in &all {
            let (output, last) = unrolled(cx, kind, &x, direction, steps, hidden_size)?;
            outputs.push(output);
            last_hidden.push(last.hidden);
            last_cell.extend(last.cell);
        }
        x = match outputs.as_slice() {
            [only] => only.clone(),
            _ => cx.emit(concat(Tuple::new(outputs).upcast(), Some(2)))?,
        };
    }
    finish(cx, kind, x, is_batch_first, last_hidden, last_cell)
}

/// The results: all steps, then the last states. TVM makes the states of a plain layer alone; those of others are made if
/// they are used.
fn finish(
    cx: &mut Node<'_, '_>,
    kind: Kind,
    output: Expr,
    is_batch_first: bool,
    hidden: Vec<Expr>,
    cell: Vec<Expr>,
) -> Converted {
    let is_plain = matches!(kind, Kind::Plain(_));
    let stacked = |cx: &mut Node<'_, '_>, states: Vec<Expr>| match states.as_slice() {
        [only] => cx.emit(expand_dims(only.clone(), ints(&[0]))),
        _ => cx.emit(stack(Tuple::new(states).upcast(), Some(int(0)))),
    };
    let mut output = output;
    let mut last = None;
    if is_plain {
        last = Some(stacked(cx, hidden.clone())?);
    }
    if is_batch_first {
        output = cx.emit(permute_dims(output, Some(ints(&[1, 0, 2]))))?;
    }
    if let Some(last) = last {
        return cx.tuple(vec![output, last]);
    }
    let mut values = vec![Value::Known(output)];
    for (at, states) in [(1, hidden), (2, cell)] {
        let is_used = cx.uses_result(at) && !states.is_empty();
        values.push(if is_used { stacked(cx, states)?.into() } else { Value::None });
    }
    Ok(Value::List(values))
}

/// The length of the hidden state, from the first weights.
fn hidden_size(params: &[Expr], kind: Kind) -> Result<i64, Reason> {
    let first = params.first().ok_or("has no weights")?;
    let length = dims(first)?.first().and_then(int_value).ok_or("the weights need known lengths")?;
    Ok(length / kind.gates())
}

/// All steps of a direction, stacked, and the state after the last one.
fn unrolled(
    cx: &mut Node<'_, '_>,
    kind: Kind,
    x: &Expr,
    direction: &Direction,
    steps: i64,
    size: i64,
) -> Result<(Expr, State), Reason> {
    let Direction { weights, before, is_reverse } = direction;
    let cell = match kind {
        Kind::Lstm => {
            Cell::Lstm { input: transposed(cx, &weights.input)?, hidden: transposed(cx, &weights.hidden)? }
        }
        Kind::Gru => Cell::gru(cx, weights, size)?,
        Kind::Plain(op) => {
            let (input, hidden) = (transposed(cx, &weights.input)?, transposed(cx, &weights.hidden)?);
            let bias = match &weights.biases {
                Some([a, b]) => Some(cx.emit(add(a.clone(), b.clone()))?),
                None => None,
            };
            Cell::Plain { input, hidden, bias, op }
        }
    };
    let mut state = before.clone();
    let mut outputs = Vec::new();
    for at in 0..steps {
        let at = if *is_reverse { steps - 1 - at } else { at };
        let input = cx.emit(step(x, at))?;
        state = cell.next(cx, &input, &state, weights.biases.as_ref(), size)?;
        outputs.push(state.hidden.clone());
    }
    if *is_reverse {
        outputs.reverse();
    }
    let output = cx.emit(stack(Tuple::new(outputs).upcast(), Some(int(0))))?;
    Ok((output, state))
}

/// A cell with its weights as they are multiplied.
enum Cell {
    Lstm {
        input: Expr,
        hidden: Expr,
    },
    /// Weights of input and state for the gates: reset, update, new.
    Gru {
        gates: Vec<[Expr; 2]>,
    },
    Plain {
        input: Expr,
        hidden: Expr,
        bias: Option<Expr>,
        op: fn(Expr) -> Ref<Call>,
    },
}

impl Cell {
    fn gru(cx: &mut Node<'_, '_>, weights: &Weights, size: i64) -> Result<Cell, Reason> {
        let mut parts = Vec::new();
        for gate in 0..3 {
            for weight in [&weights.input, &weights.hidden] {
                parts.push(cx.emit(part(weight, 0, gate * size, (gate + 1) * size))?);
            }
        }
        let mut gates = Vec::new();
        for pair in parts.chunks_exact(2) {
            let [input, hidden] = pair else { continue };
            gates.push([transposed(cx, input)?, transposed(cx, hidden)?]);
        }
        Ok(Cell::Gru { gates })
    }

    /// The state after a step.
    fn next(
        &self,
        cx: &mut Node<'_, '_>,
        x: &Expr,
        state: &State,
        biases: Option<&[Expr; 2]>,
        size: i64,
    ) -> Result<State, Reason> {
        match self {
            Cell::Lstm { input, hidden } => {
                let of_input = cx.emit(product(x, input))?;
                let of_state = cx.emit(product(&state.hidden, hidden))?;
                let mut gates = cx.emit(add(of_input, of_state))?;
                for bias in biases.into_iter().flatten() {
                    gates = cx.emit(add(gates, bias.clone()))?;
                }
                let mut parts = Vec::new();
                for gate in 0..4 {
                    parts.push(cx.emit(part(&gates, 1, gate * size, (gate + 1) * size))?);
                }
                let mut values = Vec::new();
                for (gate, op) in parts.into_iter().zip([sigmoid, sigmoid, tanh, sigmoid]) {
                    values.push(cx.emit(op(gate))?);
                }
                let [input, forget, new, output] =
                    <[Expr; 4]>::try_from(values).map_err(|_| "has no gates")?;
                let before = state.cell.clone().ok_or("has no state of cells")?;
                let cell = cx.emit(add(multiply(forget, before).upcast(), multiply(input, new).upcast()))?;
                let hidden = cx.emit(multiply(output, tanh(cell.clone()).upcast()))?;
                Ok(State { hidden, cell: Some(cell) })
            }
            Cell::Gru { gates } => self.next_gru(cx, gates, x, &state.hidden, biases, size),
            Cell::Plain { input, hidden, bias, op } => {
                let of_input = cx.emit(product(x, input))?;
                let of_state = cx.emit(product(&state.hidden, hidden))?;
                let mut sum = cx.emit(add(of_input, of_state))?;
                if let Some(bias) = bias {
                    sum = cx.emit(add(sum, bias.clone()))?;
                }
                Ok(State { hidden: cx.emit(op(sum))?, cell: None })
            }
        }
    }

    fn next_gru(
        &self,
        cx: &mut Node<'_, '_>,
        gates: &[[Expr; 2]],
        x: &Expr,
        state: &Expr,
        biases: Option<&[Expr; 2]>,
        size: i64,
    ) -> Result<State, Reason> {
        let mut values: Vec<Expr> = Vec::new();
        for (gate, [input, hidden]) in (0..).zip(gates) {
            let of_input = cx.emit(product(x, input))?;
            let of_state = cx.emit(product(state, hidden))?;
            let mut slices = None;
            if let Some([a, b]) = biases {
                let (begin, end) = (gate * size, (gate + 1) * size);
                slices = Some((cx.emit(part(a, 0, begin, end))?, cx.emit(part(b, 0, begin, end))?));
            }
            let value = match (slices, values.as_slice()) {
                // The state of the new gate is reset.
                (Some((a, b)), [reset, _]) => {
                    let of_state = multiply(reset.clone(), add(of_state, b).upcast());
                    tanh(add(add(of_input, a).upcast(), of_state.upcast()).upcast())
                }
                (None, [reset, _]) => {
                    tanh(add(of_input, multiply(reset.clone(), of_state).upcast()).upcast())
                }
                (Some((a, b)), _) => {
                    let sum = add(add(of_input, a).upcast(), of_state);
                    sigmoid(add(sum.upcast(), b).upcast())
                }
                (None, _) => sigmoid(add(of_input, of_state).upcast()),
            };
            values.push(cx.emit(value)?);
        }
        let [_, update, new] = <[Expr; 3]>::try_from(values).map_err(|_| "has no gates")?;
        let rest = cx.emit(subtract(like(&new, 1.0), update.clone()))?;
        let hidden = add(multiply(rest, new).upcast(), multiply(update, state.clone()).upcast());
        Ok(State { hidden: cx.emit(hidden)?, cell: None })
    }
}
