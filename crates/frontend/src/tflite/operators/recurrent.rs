//! Recurrent layers, unrolled over time.

use tvmscript_ir_core::DataType;
use tvmscript_relax::Expr;
use tvmscript_relax::op::elementwise::{add, clip, multiply, sigmoid, subtract};
use tvmscript_relax::op::join::split;
use tvmscript_relax::op::linear_algebra::matmul;
use tvmscript_relax::op::reduce::sum;
use tvmscript_relax::op::shape::{expand_dims, permute_dims, squeeze};

use super::super::importer::element;
use super::super::node::{Converted, Node, Output};
use super::super::schema::{
    BidirectionalSequenceLSTM, BidirectionalSequenceRNN, LstmCell, SequenceRNN, Svdf,
    UnidirectionalSequenceLSTM,
};
use super::activation::fused;
use super::rows;
use super::shape::{joined, sections, stacked};
use super::slice::sliced;
use crate::error::Reason;
use crate::ops::{float_operand, ints, number, reshape, shape};

rows! {
    "BIDIRECTIONAL_SEQUENCE_LSTM": Real both_lstms
        => "split, squeeze, matmul, add, sigmoid, tanh, multiply, stack, concat", "peepholes, projections, auxiliary inputs";
    "BIDIRECTIONAL_SEQUENCE_RNN": Real both_rnns => "split, squeeze, matmul, add, stack, concat", "auxiliary inputs";
    "LSTM": Real lstm => "matmul, add, sigmoid, tanh, multiply", "peepholes, projections, layer normalization, the basic kernel";
    "RNN": Real rnn => "matmul, add";
    "SVDF": Real svdf => "matmul, strided_slice, concat, multiply, sum, add";
    "UNIDIRECTIONAL_SEQUENCE_LSTM": Real sequence_lstm
        => "split, squeeze, matmul, add, sigmoid, tanh, multiply, stack", "peepholes, projections, layer normalization";
    "UNIDIRECTIONAL_SEQUENCE_RNN": Real sequence_rnn => "split, squeeze, matmul, add, stack";
}

/// Maximum number of steps that are unrolled.
const MAX_STEPS: i64 = 1024;

/// The operand at the steps of time, with the batch first.
fn steps(cx: &mut Node<'_, '_>, time_major: bool) -> Result<Vec<Expr>, Reason> {
    let lengths: [i64; 3] = cx.lengths(0)?;
    let mut x = cx.input(0)?;
    let count = if time_major { lengths[0] } else { lengths[1] };
    if time_major {
        x = permute_dims(x, Some(ints(&[1, 0, 2]))).upcast();
    }
    if !(1..=MAX_STEPS).contains(&count) {
        return Err(Reason(format!("has {count} steps; 1 to {MAX_STEPS} are supported")));
    }
    cx.importer.expand(count as usize)?;
    let squeezed = |x| squeeze(x, Some(ints(&[1]))).upcast();
    if count == 1 {
        return Ok(vec![squeezed(x)]);
    }
    let parts: Expr = split(x, sections(count), 1).upcast();
    Ok((0..count as usize).map(|at| squeezed(element(&parts, at))).collect())
}

/// The values of all steps as one tensor.
fn sequence(values: Vec<Expr>, time_major: bool) -> Expr {
    let whole = stacked(values, 1);
    if time_major { permute_dims(whole, Some(ints(&[1, 0, 2]))).upcast() } else { whole }
}

/// Fails if one of the operands is there.
fn refuse(cx: &Node<'_, '_>, operands: impl IntoIterator<Item = usize>, what: &str) -> Result<(), Reason> {
    match operands.into_iter().any(|at| cx.has(at)) {
        true => Err(Reason(format!("{what} are not supported"))),
        false => Ok(()),
    }
}

/// Sets the state that the next run starts with.
fn set_state(cx: &mut Node<'_, '_>, at: usize, value: Expr) -> Result<(), Reason> {
    let index = cx.index(at)?;
    let value = cx.normalize(value)?;
    cx.importer.set(index, value);
    Ok(())
}

/// The weights of one gate: of the operand, of the state, and the bias.
#[derive(Clone)]
struct Gate {
    input: Expr,
    state: Expr,
    bias: Option<Expr>,
}

impl Gate {
    /// The gate whose weights are at these positions.
    fn new(cx: &mut Node<'_, '_>, [input, state, bias]: [usize; 3]) -> Result<Gate, Reason> {
        let input = permute_dims(cx.input(input)?, None).upcast();
        let state = permute_dims(cx.input(state)?, None).upcast();
        let bias = if cx.has(bias) { Some(cx.input(bias)?) } else { None };
        Ok(Gate { input, state, bias })
    }

    fn value(&self, x: &Expr, h: &Expr) -> Expr {
        let of_input = matmul(x.clone(), self.input.clone(), None);
        let of_state = matmul(h.clone(), self.state.clone(), None);
        let value: Expr = add(of_input.upcast(), of_state.upcast()).upcast();
        match &self.bias {
            Some(bias) => add(value, bias.clone()).upcast(),
            None => value,
        }
    }
}

/// The gates of an LSTM. Without an input gate, that is one minus the forget gate.
struct Lstm {
    input: Option<Gate>,
    forget: Gate,
    cell: Gate,
    output: Gate,
    activation: i8,
    cell_clip: f64,
}

impl Lstm {
    /// The layer whose weights of the input gate are at `first`, and the others after it in the order of the schema.
    fn new(cx: &mut Node<'_, '_>, first: usize, activation: i8, cell_clip: f64) -> Result<Lstm, Reason> {
        let has_input = cx.has(first) && cx.has(first + 4);
        let mut gate = |at: usize| Gate::new(cx, [first + at, first + 4 + at, first + 11 + at]);
        Ok(Lstm {
            forget: gate(1)?,
            cell: gate(2)?,
            output: gate(3)?,
            input: if has_input { Some(gate(0)?) } else { None },
            activation,
            cell_clip,
        })
    }

    /// The next state and cell.
    fn step(&self, x: &Expr, h: &Expr, c: &Expr) -> Result<(Expr, Expr), Reason> {
        let forget: Expr = sigmoid(self.forget.value(x, h)).upcast();
        let input: Expr = match &self.input {
            Some(gate) => sigmoid(gate.value(x, h)).upcast(),
            None => subtract(number(DataType::FLOAT32, 1.0), forget.clone()).upcast(),
        };
        let candidate = fused(self.cell.value(x, h), self.activation)?;
        let output = sigmoid(self.output.value(x, h));
        let kept = multiply(forget, c.clone());
        let c = add(kept.upcast(), multiply(input, candidate).upcast()).upcast();
        let c = clipped(c, self.cell_clip);
        let h = multiply(output.upcast(), fused(c.clone(), self.activation)?).upcast();
        Ok((h, c))
    }

    /// The states at all steps, and the last cell.
    fn run(&self, steps: &[Expr], mut h: Expr, mut c: Expr) -> Result<(Vec<Expr>, Expr), Reason> {
        let mut states = Vec::new();
        for x in steps {
            (h, c) = self.step(x, &h, &c)?;
            states.push(h.clone());
        }
        Ok((states, c))
    }
}

fn clipped(x: Expr, bound: f64) -> Expr {
    if bound > 0.0 { clip(x, float_operand(-bound), float_operand(bound)).upcast() } else { x }
}

fn check_lstm(cx: &Node<'_, '_>, first: usize) -> Result<(), Reason> {
    refuse(cx, first + 8..first + 11, "peepholes")?;
    refuse(cx, first + 15..first + 17, "projections")
}

fn sequence_lstm(cx: &mut Node<'_, '_>) -> Converted {
    use UnidirectionalSequenceLSTM as Field;
    check_lstm(cx, 1)?;
    refuse(cx, 20..24, "layer normalizations")?;
    let (activation, clip) = (cx.choice(Field::FusedActivationFunction)?, cx.float(Field::CellClip, 0.0)?);
    let time_major = cx.flag(Field::TimeMajor)?;
    let layer = Lstm::new(cx, 1, activation, clip)?;
    let (h, c) = (cx.input(18)?, cx.input(19)?);
    let steps = steps(cx, time_major)?;
    let (states, c) = layer.run(&steps, h, c)?;
    let last = states.last().cloned();
    let out = cx.normalize(sequence(states, time_major))?;
    if let Some(last) = last {
        set_state(cx, 18, last)?;
        set_state(cx, 19, c)?;
    }
    Ok(out.into())
}

fn lstm(cx: &mut Node<'_, '_>) -> Converted {
    use LstmCell as Field;
    if cx.choice(Field::KernelType)? != 0 {
        return Err("the basic kernel is not supported".into());
    }
    check_lstm(cx, 1)?;
    refuse(cx, 20..24, "layer normalizations")?;
    let (activation, clip) = (cx.choice(Field::FusedActivationFunction)?, cx.float(Field::CellClip, 0.0)?);
    let layer = Lstm::new(cx, 1, activation, clip)?;
    let (x, h, c) = (cx.input(0)?, cx.input(18)?, cx.input(19)?);
    let (h, c) = layer.step(&x, &h, &c)?;
    let out = cx.normalize(h)?;
    set_state(cx, 18, out.clone())?;
    set_state(cx, 19, c)?;
    Ok(out.into())
}

/// The results of both directions: joined, or apart.
fn both(forward: Expr, backward: Expr, merges: bool) -> Output {
    match merges {
        true => joined(vec![forward, backward], -1).into(),
        false => vec![forward, backward].into(),
    }
}

fn both_lstms(cx: &mut Node<'_, '_>) -> Converted {
    use BidirectionalSequenceLSTM as Field;
    check_lstm(cx, 1)?;
    check_lstm(cx, 18)?;
    refuse(cx, 39..48, "auxiliary inputs")?;
    let (activation, clip) = (cx.choice(Field::FusedActivationFunction)?, cx.float(Field::CellClip, 0.0)?);
    let (time_major, merges) = (cx.flag_or(Field::TimeMajor, true)?, cx.flag(Field::MergeOutputs)?);
    let layers = [Lstm::new(cx, 1, activation, clip)?, Lstm::new(cx, 18, activation, clip)?];
    let states = [cx.input(35)?, cx.input(36)?, cx.input(37)?, cx.input(38)?];
    let steps = steps(cx, time_major)?;
    let [h, c, back_h, back_c] = states;
    let (forward, _) = layers[0].run(&steps, h, c)?;
    let reversed: Vec<Expr> = steps.into_iter().rev().collect();
    let (mut backward, _) = layers[1].run(&reversed, back_h, back_c)?;
    backward.reverse();
    Ok(both(sequence(forward, time_major), sequence(backward, time_major), merges))
}

/// The states of a plain recurrent layer at all steps.
fn run(gate: &Gate, steps: &[Expr], mut h: Expr, activation: i8) -> Result<Vec<Expr>, Reason> {
    let mut states = Vec::new();
    for x in steps {
        h = fused(gate.value(x, &h), activation)?;
        states.push(h.clone());
    }
    Ok(states)
}

fn sequence_rnn(cx: &mut Node<'_, '_>) -> Converted {
    use SequenceRNN as Field;
    let (activation, time_major) = (cx.choice(Field::FusedActivationFunction)?, cx.flag(Field::TimeMajor)?);
    let gate = Gate::new(cx, [1, 2, 3])?;
    let h = cx.input(4)?;
    let steps = steps(cx, time_major)?;
    let states = run(&gate, &steps, h, activation)?;
    Ok(sequence(states, time_major).into())
}

fn rnn(cx: &mut Node<'_, '_>) -> Converted {
    let gate = Gate::new(cx, [1, 2, 3])?;
    let (x, h) = (cx.input(0)?, cx.input(4)?);
    // The activation is in the first slot.
    let h = fused(gate.value(&x, &h), cx.choice(0u16)?)?;
    let out = cx.normalize(h)?;
    set_state(cx, 4, out.clone())?;
    Ok(out.into())
}

fn both_rnns(cx: &mut Node<'_, '_>) -> Converted {
    use BidirectionalSequenceRNN as Field;
    refuse(cx, 9..12, "auxiliary inputs")?;
    let (activation, time_major) = (cx.choice(Field::FusedActivationFunction)?, cx.flag(Field::TimeMajor)?);
    let merges = cx.flag(Field::MergeOutputs)?;
    let gates = [Gate::new(cx, [1, 2, 3])?, Gate::new(cx, [5, 6, 7])?];
    let (h, back_h) = (cx.input(4)?, cx.input(8)?);
    let steps = steps(cx, time_major)?;
    let forward = run(&gates[0], &steps, h, activation)?;
    let reversed: Vec<Expr> = steps.into_iter().rev().collect();
    let mut backward = run(&gates[1], &reversed, back_h, activation)?;
    backward.reverse();
    Ok(both(sequence(forward, time_major), sequence(backward, time_major), merges))
}

/// A filter over the last operands, whose features are the state. The state moves on before it is weighted.
fn svdf(cx: &mut Node<'_, '_>) -> Converted {
    use Svdf as Field;
    let rank = cx.int(Field::Rank, 0)?;
    let activation = cx.choice(Field::FusedActivationFunction)?;
    let [batch, _] = cx.lengths(0)?;
    let [filters, _] = cx.lengths(1)?;
    let [_, memory] = cx.lengths(2)?;
    if rank < 1 || filters % rank != 0 || memory < 1 {
        return Err(Reason(format!(
            "{filters} filters of rank {rank} and memory {memory} are not supported"
        )));
    }
    let weights = permute_dims(cx.input(1)?, None);
    let features = matmul(cx.input(0)?, weights.upcast(), None);
    let features = expand_dims(features.upcast(), ints(&[-1])).upcast();
    let state = reshape(cx.input(4)?, shape(&[batch, filters, memory]))?.upcast();
    let state = match memory {
        1 => features,
        _ => joined(vec![sliced(state, &[2], &[1], &[memory], None), features], 2),
    };
    let times = reshape(cx.input(2)?, shape(&[1, filters, memory]))?;
    let weighted = multiply(state.clone(), times.upcast());
    let sums = sum(weighted.upcast(), Some(ints(&[-1])), false);
    let units = reshape(sums.upcast(), shape(&[batch, filters / rank, rank]))?;
    let mut out: Expr = sum(units.upcast(), Some(ints(&[-1])), false).upcast();
    if cx.has(3) {
        out = add(out, cx.input(3)?).upcast();
    }
    let out = fused(out, activation)?;
    let out = cx.normalize(out)?;
    let state = reshape(state, shape(&[batch, filters.saturating_mul(memory)]))?.upcast();
    set_state(cx, 4, state)?;
    Ok(out.into())
}
