//! Traces as programs of Rust over the methods of a schedule.

use std::fmt::Write as _;

use hashbrown::HashSet;

use super::text::names;
use super::{Instruction, Trace};
use crate::api::METHODS;
use crate::argument::{Argument, Rv};
use crate::primitive::{Place, Results};
use crate::rust_source::{Names, RustSource, mentions};
use crate::schedule::Schedule;

/// An instruction that a program of Rust cannot make.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "instruction {at}, `{primitive}`, is not written in Rust: expected arguments of integers, texts, results and index maps without an inverse, of arithmetic and comparisons"
)]
pub struct RustTraceError {
    /// Its position.
    pub at: usize,
    /// The name of the primitive.
    pub primitive: &'static str,
}

/// The items that a program may use, by module; a program imports those that it mentions.
const ITEMS: [(&str, &[&str]); 3] = [
    ("tvmscript::ir_core", &["DataType"]),
    ("tvmscript::prim", &["ops"]),
    ("tvmscript::schedule", &["Argument", "Result", "Schedule", "index_map", "results"]),
];

impl Trace {
    /// The trace as a function of Rust, `apply`, that makes the same schedule. Sampled values are the decisions of the trace.
    ///
    /// # Errors
    /// If an argument is a node that the program cannot make.
    pub fn rust(&self, schedule: &Schedule) -> Result<String, RustTraceError> {
        let names = names(self, schedule);
        let mut used: HashSet<Rv> = HashSet::new();
        for argument in self.instructions.iter().flat_map(|instruction| &instruction.arguments) {
            argument.for_each_rv(&mut |rv| _ = used.insert(rv));
        }
        let names: Names = names.into_iter().filter(|(rv, _)| used.contains(rv)).collect();
        let schedule = if self.instructions.is_empty() { "_" } else { "sch" };
        let mut body = format!(
            "/// Applies the primitives of the schedule.\npub fn apply({schedule}: &mut Schedule) -> Result<()> {{\n"
        );
        for (at, instruction) in self.instructions.iter().enumerate() {
            let primitive = instruction.primitive.name;
            let statement = statement(instruction, &names).ok_or(RustTraceError { at, primitive })?;
            let _ = writeln!(body, "    {statement};");
        }
        body.push_str("    Ok(())\n}\n");
        let mut text = "//! A schedule, as a program over `tvmscript::schedule`.\n\n".to_owned();
        for (module, items) in ITEMS {
            let items: Vec<&str> = items.iter().copied().filter(|item| mentions(&body, item)).collect();
            match items.as_slice() {
                [] => {}
                [item] => _ = writeln!(text, "use {module}::{item};"),
                items => _ = writeln!(text, "use {module}::{{{}}};", items.join(", ")),
            }
        }
        Ok(format!("{text}\n{body}"))
    }
}

fn statement(instruction: &Instruction, names: &Names) -> Option<String> {
    let Instruction { primitive, arguments, outputs, decision } = instruction;
    let parameters = primitive.parameters.iter().zip(arguments);
    let arguments: Vec<Argument> = parameters
        .map(|(parameter, argument)| match (parameter.place, argument, decision) {
            (Place::Decision, _, Some(decision)) => decision.clone(),
            // A bool stays one, although the instruction holds a number.
            (Place::Flag, Argument::Int(value), _) => Argument::Bool(*value != 0),
            (_, argument, _) => argument.clone(),
        })
        .collect();
    let method = method(instruction, &arguments, names);
    let is_one = method.is_some() && primitive.results == Results::One;
    let call = match method {
        Some(call) => call,
        None => {
            let arguments = Vec::<Argument>::rust_source(&Argument::List(arguments), names)?;
            format!("sch.call({:?}, {arguments})?", primitive.name)
        }
    };
    let outputs: Vec<&str> = outputs.iter().map(|rv| names.get(rv).map_or("_", String::as_str)).collect();
    Some(match outputs.as_slice() {
        outputs if outputs.iter().all(|name| *name == "_") => call,
        [name] if is_one => format!("let {name} = {call}"),
        outputs => format!("let [{}] = results({call})?", outputs.join(", ")),
    })
}

/// The call of the method, if the arguments that it leaves out have their defaults.
fn method(instruction: &Instruction, arguments: &[Argument], names: &Names) -> Option<String> {
    let primitive = instruction.primitive;
    let method = METHODS.iter().find(|method| method.name == primitive.name)?;
    let (given, left_out) = arguments.split_at_checked(method.parameters.len())?;
    let defaults = primitive.parameters.iter().skip(given.len()).map(|parameter| parameter.default);
    let is_default = |(argument, default): (&Argument, Option<crate::primitive::Default>)| {
        default.is_some_and(|default| match (argument, Argument::from(default)) {
            (Argument::Bool(value), Argument::Int(default)) => i64::from(*value) == default,
            (argument, default) => *argument == default,
        })
    };
    if !left_out.iter().zip(defaults).all(is_default) {
        return None;
    }
    let given: Option<Vec<String>> =
        method.parameters.iter().zip(given).map(|(source, argument)| source(argument, names)).collect();
    Some(format!("sch.{}({})?", method.name, given?.join(", ")))
}
