//! Instructions of PTX: `T.ptx.add(d, a, b, "rn", "", "", "f32", "", "")`.
//!
//! `ptx.txt` has one line per operator. Several operators share a name in text, `tirx.ptx.mov_pack_b16x2` and
//! `tirx.ptx.mov_unpack_b16x2` print as `T.ptx.mov`. A call has the operands, a predicate if the last argument says so, one
//! word per modifier (empty if it is missing), then flags separated by commas: `pred`, `keep`, `s1` for an operand that is
//! missing, `p1` for one that is a predicate. It returns nothing.
//!
//! Calls in this form are read if modifiers and number of operands fit one operator alone; others stay as they are
//! written, like those with modifiers as attributes, `T.ptx.add.rn.f32(d, a, b)`.
//!
//! Upstream counterpart: `python/tvm/backend/cuda/ptx/{engine,table}.py`.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use tvmscript_ir_core::DataType;
#[cfg(feature = "parse")]
use tvmscript_irbuilder::{CallArgs, Result, ScriptValue};
#[cfg(feature = "parse")]
use tvmscript_tir::build::args::ExprArg;
use tvmscript_tir::op::{Effect, Operator, ResultType};

/// An operator with the form of its calls.
#[derive(Debug)]
struct Instruction {
    operator: Operator,
    /// Numbers of operands.
    #[cfg_attr(not(feature = "parse"), expect(dead_code, reason = "the parser selects by it"))]
    counts: Vec<RangeInclusive<usize>>,
    /// Words that a modifier may be; an empty one if it may be missing.
    #[cfg_attr(not(feature = "parse"), expect(dead_code, reason = "the parser selects by it"))]
    modifiers: Vec<Vec<&'static str>>,
}

static INSTRUCTIONS: LazyLock<Vec<Instruction>> = LazyLock::new(|| {
    let lines = include_str!("ptx.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(instruction).collect()
});

/// The operators.
pub(super) static OPERATORS: LazyLock<Vec<&'static Operator>> =
    LazyLock::new(|| INSTRUCTIONS.iter().map(|instruction| &instruction.operator).collect());

/// Reads a line of the table.
fn instruction(line: &'static str) -> Option<Instruction> {
    let mut parts = line.split(';').map(str::trim);
    let (text, name, operands) = (parts.next()?, parts.next()?, parts.next()?);
    let counts: Option<Vec<_>> = match operands.split_once('=') {
        Some((_, counts)) => counts.trim().split(',').map(range).collect(),
        None => {
            operands.split_whitespace().map(places).sum::<Option<usize>>().map(|count| vec![count..=count])
        }
    };
    let words = |modifier: &'static str| match modifier.strip_suffix('?') {
        Some(optional) => optional.split('|').chain([""]).collect(),
        None => modifier.split('|').collect(),
    };
    let modifiers: Vec<Vec<_>> = parts.next()?.split_whitespace().map(words).collect();
    let counts = counts?;
    // The flags, which may say that operands are missing, and the predicate.
    let fewest = modifiers.len() + 1;
    let most = counts.last()?.end() + modifiers.len() + 2;
    let operator = Operator::new(
        leaked(format!("tirx.ptx.{name}")),
        leaked(format!("ptx.{text}")),
        ResultType::Fixed(DataType::VOID),
    );
    let operator = operator.with_operands(fewest, most).with_effect(Effect::Opaque);
    Some(Instruction { operator, counts, modifiers })
}

/// A name that lives as long as the table.
fn leaked(name: String) -> &'static str {
    Box::leak(name.into_boxed_str())
}

/// The number of operands that `a` or `a[4]` is.
fn places(operand: &str) -> Option<usize> {
    match operand.split_once('[') {
        Some((_, count)) => count.strip_suffix(']')?.parse().ok(),
        None => Some(1),
    }
}

/// `3` or `2-4`
fn range(text: &str) -> Option<RangeInclusive<usize>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some(first.parse().ok()?..=last.parse().ok()?)
}

#[cfg(feature = "parse")]
impl Instruction {
    fn takes(&self, operands: usize, words: &[&str]) -> bool {
        self.modifiers.len() == words.len()
            && self.modifiers.iter().zip(words).all(|(modifier, word)| modifier.contains(word))
            && self.counts.iter().any(|counts| counts.contains(&operands))
    }
}

/// The call of the only instruction that it can be of; `None` for another function, another form, or several instructions.
#[cfg(feature = "parse")]
pub(super) fn call(function: &str, args: &CallArgs) -> Result<Option<ScriptValue>> {
    let mut words: Vec<&str> = args.positional.iter().rev().map_while(word).collect();
    words.reverse();
    let Some((flags, modifiers)) = words.split_last().filter(|_| args.keywords.is_empty()) else {
        return Ok(None);
    };
    let flags: Vec<&str> = flags.split(',').collect();
    let given = args.positional.len() - words.len();
    let missing = flags.iter().filter(|flag| flag.starts_with('s')).count();
    let Some(operands) = (given + missing).checked_sub(usize::from(flags.contains(&"pred"))) else {
        return Ok(None);
    };
    let mut fitting = INSTRUCTIONS.iter().filter(|instruction| {
        instruction.operator.text == function && instruction.takes(operands, modifiers)
    });
    let (Some(instruction), None) = (fitting.next(), fitting.next()) else { return Ok(None) };
    let args = args.positional.iter().enumerate();
    let args = args.map(|(i, arg)| ExprArg::convert(arg.clone()).map_err(|error| error.at_position(i)));
    Ok(Some(instruction.operator.call(DataType::VOID, args.collect::<Result<Vec<_>>>()?).into()))
}

#[cfg(feature = "parse")]
fn word(value: &ScriptValue) -> Option<&str> {
    match value {
        ScriptValue::Str(word) => Some(word.as_str()),
        _ => None,
    }
}
