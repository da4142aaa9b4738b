//! Traces as Python text.

use std::fmt::{self, Display, Formatter, Write as _};

use hashbrown::HashMap;

use super::{Instruction, Trace};
use crate::argument::{Argument, Rv, RvValue};
use crate::buffers;
use crate::index_map;
use crate::primitive::{Place, Results};
use crate::schedule::Schedule;

/// The names of random variables: a letter and the number of results before.
pub(super) fn names(trace: &Trace, schedule: &Schedule) -> HashMap<Rv, String> {
    let mut names = HashMap::new();
    let outputs = trace.instructions.iter().flat_map(|instruction| &instruction.outputs);
    for (at, rv) in outputs.enumerate() {
        let value = schedule.value(*rv).unwrap_or(RvValue::Absent);
        // A result that is nothing has a number, and no name.
        if value != RvValue::Absent {
            names.insert(*rv, format!("{}{at}", value.letter()));
        }
    }
    names
}

impl Trace {
    /// The trace as TVM prints it: a function of Python that applies it.
    pub fn text(&self, schedule: &Schedule) -> String {
        let names = names(self, schedule);
        let mut text = "# from tvm import tir\ndef apply_trace(sch: tir.Schedule) -> None:\n".to_owned();
        if self.instructions.is_empty() {
            text.push_str("  pass");
        }
        for (index, instruction) in self.instructions.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            let _ = write!(text, "{separator}  {}", Line { instruction, names: &names });
        }
        text
    }

    /// Each instruction as a statement of the text.
    pub fn lines(&self, schedule: &Schedule) -> Vec<String> {
        let names = names(self, schedule);
        self.instructions.iter().map(|instruction| Line { instruction, names: &names }.to_string()).collect()
    }
}

struct Line<'t> {
    instruction: &'t Instruction,
    names: &'t HashMap<Rv, String>,
}

impl Display for Line<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Instruction { primitive, arguments, outputs, decision } = self.instruction;
        let name = |rv: &Rv| self.names.get(rv).map_or("_", String::as_str);
        for (index, output) in outputs.iter().enumerate() {
            write!(f, "{}{}", if index == 0 { "" } else { ", " }, name(output))?;
        }
        if !outputs.is_empty() {
            let comma = if primitive.results == Results::List && outputs.len() == 1 { "," } else { "" };
            write!(f, "{comma} = ")?;
        }
        write!(f, "sch.{}(", primitive.name)?;
        let mut separator = "";
        for (parameter, argument) in primitive.parameters.iter().zip(arguments) {
            let shown = |argument| Shown { argument, names: self.names };
            match (parameter.place, argument) {
                (Place::Decision, _) => continue,
                // Consumers are written only if there are some.
                (Place::Input, Argument::List(items)) if items.is_empty() && parameter.default.is_some() => {
                    continue;
                }
                (Place::Positional, _) => write!(f, "{separator}{}", shown(argument))?,
                (Place::Variadic, Argument::List(items)) => {
                    for item in items {
                        write!(f, "{separator}{}", shown(item))?;
                        separator = ", ";
                    }
                    continue;
                }
                // A bool stays one, although the instruction holds a number.
                (Place::Flag, Argument::Int(value)) => {
                    let value = Argument::Bool(*value != 0);
                    write!(f, "{separator}{}={}", parameter.name, shown(&value))?;
                }
                (Place::Buffer, argument) => {
                    let (kind, index) = buffers::parts(argument).unwrap_or_default();
                    write!(f, "{separator}{}=(\"{}\", {index})", parameter.name, kind.name())?;
                }
                (Place::Ranges, Argument::Node(node)) => {
                    write!(
                        f,
                        "{separator}{}={}",
                        parameter.name,
                        index_map::ranges_to_text(node, self.names)
                    )?;
                }
                _ => write!(f, "{separator}{}={}", parameter.name, shown(argument))?,
            }
            separator = ", ";
        }
        if let Some(decision) = decision {
            let decision = Shown { argument: decision, names: self.names };
            write!(f, "{separator}decision={decision}")?;
        }
        write!(f, ")")
    }
}

/// An argument as text.
struct Shown<'t> {
    argument: &'t Argument,
    names: &'t HashMap<Rv, String>,
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let shown = |argument| Shown { argument, names: self.names };
        match self.argument {
            Argument::None => write!(f, "None"),
            Argument::Bool(true) => write!(f, "True"),
            Argument::Bool(false) => write!(f, "False"),
            Argument::Int(value) => write!(f, "{value}"),
            Argument::Float(value) => write!(f, "{}", float(*value)),
            Argument::Str(text) => write!(f, "\"{}\"", text.as_str()),
            Argument::Rv(rv) => write!(f, "{}", self.names.get(rv).map_or("_", String::as_str)),
            Argument::List(items) => {
                write!(f, "[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{}", if index == 0 { "" } else { ", " }, shown(item))?;
                }
                write!(f, "]")
            }
            Argument::Dict(entries) => {
                write!(f, "{{")?;
                for (index, (key, value)) in entries.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(f, "{separator}\"{}\": {}", key.as_str(), shown(value))?;
                }
                write!(f, "}}")
            }
            Argument::Node(node) => write!(f, "{}", index_map::to_text(node, self.names)),
        }
    }
}

/// A float with 17 significant digits and without trailing zeros, as `%.17g` of C writes it.
fn float(value: f64) -> String {
    if !value.is_finite() {
        return format!("{value}").to_lowercase();
    }
    let text = format!("{value:.16e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |digits: &str| match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => digits.to_owned(),
    };
    if !(-5..17).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trim(digits), exponent.abs());
    }
    let decimals = usize::try_from(16 - exponent).unwrap_or(0);
    trim(&format!("{value:.decimals$}"))
}
