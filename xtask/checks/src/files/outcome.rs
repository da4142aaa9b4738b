//! The answers about one file.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::Result;
use serde_json::{Value, json};

use super::File;
use super::python::Script;
use crate::subject::{self, Diagnostic};

/// A decorated script in the syntax of a file.
pub struct Definition {
    /// Names joined by dots.
    pub path: String,
    /// The line of `def` or `class`.
    pub line: usize,
    /// The line of its first decorator.
    first_line: usize,
    /// Its last line.
    end_line: usize,
    /// It is meant to fail.
    pub raises: bool,
    /// The result of reading it.
    pub reading: Reading,
    /// TVM's answer: the number of scripts that it made, or why none.
    pub tvm: Option<Result<usize, String>>,
    /// `true` if each program of ours is one of TVM's.
    pub equal: Option<Result<(), String>>,
    /// Why the text of a program of ours does not read back.
    pub round_trip: Option<String>,
}

impl Definition {
    /// It is no script to find: it is meant to fail, or TVM refuses it.
    pub fn is_wrong(&self) -> bool {
        self.raises || matches!(self.tvm, Some(Err(_)))
    }

    /// A line is one of its lines.
    fn spans(&self, line: usize) -> bool {
        (self.first_line..=self.end_line).contains(&line)
    }
}

/// Reading of a definition.
pub enum Reading {
    /// It was read.
    Built,
    /// It needs arguments of its factory, and a note says so.
    NeedsArguments,
    /// An error says why it was not read.
    Refused(String),
    /// Nothing was said of it.
    Missed,
}

/// The answers about one file.
pub struct Outcome {
    /// Its name in reports.
    pub name: String,
    /// It holds scripts of another dialect alone.
    pub is_foreign: bool,
    /// Its scripts.
    pub definitions: Vec<Definition>,
    /// Errors, which make the file refused.
    pub errors: Vec<String>,
    /// Errors in scripts that are meant to fail or that TVM refuses, which do not.
    pub expected_errors: Vec<String>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Scripts of ours that belong to no definition.
    pub strays: Vec<String>,
    /// Scripts that TVM binds to the same name of the module, and why one differs.
    pub named: Vec<(String, Result<(), String>)>,
    /// The definition that TVM could not run.
    pub tvm_failures: Vec<String>,
}

/// The answers about a file, or nothing if it holds no scripts.
///
/// # Errors
/// When Python does not answer.
pub fn of_file(file: &File, script: &Script, oracle: bool) -> Result<Option<Outcome>> {
    let scanned = script.scan(file)?;
    let items = scanned["definitions"].as_array().map_or(&[][..], Vec::as_slice);
    if items.is_empty() {
        return Ok(None);
    }
    let is_ours = |item: &&Value| item["ours"] == true;
    let mut outcome = Outcome {
        name: file.name.clone(),
        is_foreign: !items.iter().any(|item| is_ours(&item)),
        definitions: items.iter().filter(is_ours).map(definition).collect(),
        errors: Vec::new(),
        expected_errors: Vec::new(),
        warnings: Vec::new(),
        strays: Vec::new(),
        named: Vec::new(),
        tvm_failures: Vec::new(),
    };
    if outcome.is_foreign {
        return Ok(Some(outcome));
    }
    let reading = match catch_unwind(AssertUnwindSafe(|| subject::read_file(&file.name, &file.text))) {
        Ok(reading) => reading,
        Err(_) => {
            outcome.errors.push("panic".to_owned());
            return Ok(Some(outcome));
        }
    };
    outcome.warnings = reading.warnings.iter().map(shown).collect();
    let mut ours = Vec::new();
    let mut indices = Vec::new();
    for found in &reading.scripts {
        let index = place(&outcome.definitions, &found.path, found.line);
        let Some(definition) = index.map(|index| &mut outcome.definitions[index]) else {
            // A builder makes it; a name of the module can still find it in TVM.
            outcome.strays.push(format!("{}:{} {}", file.name, found.line, found.path));
            if let Ok(json) = &found.json {
                indices.push(None);
                ours.push(
                    json!({"name": found.path, "path": null, "line": 0, "first_line": 0, "json": json}),
                );
            }
            continue;
        };
        definition.reading = Reading::Built;
        if let Err(why) = &found.round_trip {
            definition.round_trip.get_or_insert_with(|| why.clone());
        }
        match &found.json {
            Ok(json) => {
                indices.push(index);
                ours.push(json!({
                    "name": found.path,
                    "path": definition.path,
                    "line": definition.line,
                    "first_line": definition.first_line,
                    "json": json,
                }));
            }
            Err(why) => definition.equal = Some(Err(format!("no JSON: {why}"))),
        }
    }
    for definition in &mut outcome.definitions {
        if matches!(definition.reading, Reading::Built) {
            continue;
        }
        let within = |d: &&Diagnostic| definition.spans(d.line);
        if let Some(error) = reading.errors.iter().find(within) {
            definition.reading = Reading::Refused(shown(error));
        } else if reading.need_arguments.iter().any(|d| {
            // The note may be in a helper that the script calls.
            within(&d) || d.label_lines.iter().any(|line| definition.spans(*line))
        }) {
            definition.reading = Reading::NeedsArguments;
        }
    }
    if oracle {
        ask_tvm(&mut outcome, &script.run(file, &ours)?, &indices);
    }
    for error in &reading.errors {
        let of_wrong = outcome.definitions.iter().any(|d| d.is_wrong() && d.spans(error.line));
        let errors = if of_wrong { &mut outcome.expected_errors } else { &mut outcome.errors };
        errors.push(shown(error));
    }
    Ok(Some(outcome))
}

/// A definition as Python's syntax tree has it.
fn definition(item: &Value) -> Definition {
    let number = |key: &str| item[key].as_u64().unwrap_or_default() as usize;
    Definition {
        path: item["path"].as_str().unwrap_or_default().to_owned(),
        line: number("line"),
        first_line: number("first_line"),
        end_line: number("end_line"),
        raises: item["raises"] == true,
        reading: Reading::Missed,
        tvm: None,
        equal: None,
        round_trip: None,
    }
}

/// The definition that a script of ours comes from: the one around its line, else the only one of its name.
fn place(definitions: &[Definition], path: &str, line: usize) -> Option<usize> {
    if let Some(index) = definitions.iter().position(|d| d.spans(line)) {
        return Some(index);
    }
    let mut same = definitions.iter().enumerate().filter(|(_, d)| d.path == path);
    match (same.next(), same.next()) {
        (Some((index, _)), None) => Some(index),
        _ => None,
    }
}

/// A diagnostic as one line.
fn shown(diagnostic: &Diagnostic) -> String {
    format!("{}:{}: {}", diagnostic.line, diagnostic.column, diagnostic.message)
}

/// Takes down what TVM made of the definitions.
fn ask_tvm(outcome: &mut Outcome, answer: &Value, indices: &[Option<usize>]) {
    if let Some(error) = answer["error"].as_str() {
        outcome.tvm_failures.push(error.to_owned());
        return;
    }
    for failure in answer["failures"].as_array().into_iter().flatten() {
        outcome.tvm_failures.push(failure.to_string());
    }
    for record in answer["records"].as_array().into_iter().flatten() {
        let line = record["first_line"].as_u64().unwrap_or_default() as usize;
        let found = outcome.definitions.iter_mut().find(|d| {
            record["path"] == d.path.as_str() && (line == 0 || line == d.line || line == d.first_line)
        });
        let Some(definition) = found else { continue };
        let made = match &definition.tvm {
            Some(Ok(count)) => *count,
            _ => 0,
        };
        match record["error"].as_str() {
            None => definition.tvm = Some(Ok(made + 1)),
            Some(why) if made == 0 => definition.tvm = Some(Err(why.to_owned())),
            Some(_) => {}
        }
    }
    for answer in answer["compared"].as_array().into_iter().flatten() {
        let index = answer["index"].as_u64().and_then(|index| *indices.get(index as usize)?);
        let equal = match answer["equal"] == true {
            true => Ok(()),
            false => Err(answer["why"].as_str().unwrap_or_default().to_owned()),
        };
        if let Some(name) = answer["name"].as_str() {
            outcome.named.push((name.to_owned(), equal.clone()));
        }
        let Some(definition) = index.map(|index| &mut outcome.definitions[index]) else { continue };
        if equal.is_err() || definition.equal.is_none() {
            definition.equal = Some(equal);
        }
    }
}
