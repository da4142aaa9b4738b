//! Instructions of PTX: `T.ptx.add(d, a, b, "rn", "", "", "f32", "", "")`.
//!
//! The [`table`] has one line per operator. Several operators share a name in text, `tirx.ptx.mov_pack_b16x2` and
//! `tirx.ptx.mov_unpack_b16x2` print as `T.ptx.mov`. A call has the operands, a predicate if the last argument says so, one
//! word per modifier (empty if it is missing), then flags separated by commas: `pred`, `keep`, `s1` for an operand that is
//! missing, `p1` for one that is a predicate. It returns nothing.
//!
//! Calls in this form are read if modifiers and number of operands fit one operator alone; others stay as they are
//! written, like those with modifiers as attributes, `T.ptx.add.rn.f32(d, a, b)`.
//!
//! Upstream counterpart: `python/tvm/backend/cuda/ptx/{engine,table}.py`.

mod table;

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use tvmscript_ir_core::DataType;
#[cfg(feature = "parse")]
use tvmscript_irbuilder::{BuildResult, CallArgs, ScriptValue};
#[cfg(feature = "parse")]
use tvmscript_tir::build::args::ExprArg;
use tvmscript_tir::op::{Effect, Operator, ResultType};

use table::INSTRUCTIONS;

/// An operator with the form of its calls.
#[derive(Debug)]
struct Instruction {
    operator: Operator,
    /// Numbers of operands, in increasing order.
    #[cfg_attr(not(feature = "parse"), expect(dead_code, reason = "the parser selects by it"))]
    counts: &'static [RangeInclusive<usize>],
    /// Words that a modifier may be; an empty one if it may be missing.
    #[cfg_attr(not(feature = "parse"), expect(dead_code, reason = "the parser selects by it"))]
    modifiers: &'static [&'static [&'static str]],
}

/// Declares [`table::INSTRUCTIONS`].
macro_rules! instructions {
    ($($text:literal $name:literal [$($counts:expr),*] $([$($word:literal)*])*;)*) => {
        /// All instructions.
        pub(super) static INSTRUCTIONS: [Instruction; [$($name),*].len()] = [$(
            Instruction::new(
                concat!("tirx.ptx.", $name),
                concat!("ptx.", $text),
                &[$($counts),*],
                &[$(&[$($word),*]),*],
            )
        ),*];
    };
}
use instructions;

impl Instruction {
    const fn new(
        name: &'static str,
        text: &'static str,
        counts: &'static [RangeInclusive<usize>],
        modifiers: &'static [&'static [&'static str]],
    ) -> Instruction {
        let most = match counts {
            [.., last] => *last.end(),
            [] => 0,
        };
        // The flags, which may say that operands are missing, and the predicate.
        let operator = Operator::new(name, text, ResultType::Fixed(DataType::VOID))
            .with_operands(modifiers.len() + 1, most + modifiers.len() + 2)
            .with_effect(Effect::Opaque);
        Instruction { operator, counts, modifiers }
    }
}

/// The operators.
pub(super) static OPERATORS: LazyLock<Vec<&'static Operator>> =
    LazyLock::new(|| INSTRUCTIONS.iter().map(|instruction| &instruction.operator).collect());

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
pub(super) fn call(function: &str, args: &CallArgs) -> BuildResult<Option<ScriptValue>> {
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
    Ok(Some(instruction.operator.call(DataType::VOID, args.collect::<BuildResult<Vec<_>>>()?).into()))
}

#[cfg(feature = "parse")]
fn word(value: &ScriptValue) -> Option<&str> {
    match value {
        ScriptValue::Str(word) => Some(word.as_str()),
        _ => None,
    }
}
