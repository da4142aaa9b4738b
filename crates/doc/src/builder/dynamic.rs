//! Statements in languages that call builder functions by name, such as Rust and C++.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::arena::DocArena;
use crate::error::PrintError;
use crate::expr::ExprDoc;

use super::blocks::{self, Language, Parts};
use super::expressions::{ANY, Spelling, Writer};
use super::{ModuleName, Program};

/// The words with which statements begin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words {
    /// Before a new variable.
    pub(super) variable: &'static str,
    /// Before a new scope.
    pub(super) scope: &'static str,
}

/// The parts of a program's text.
pub(super) struct Printed<'p> {
    /// The statements.
    pub(super) body: String,
    /// The expression of the result.
    pub(super) result: String,
    /// The functions of the builder that it calls.
    pub(super) functions: BTreeSet<&'static str>,
    /// The names that the program takes from modules.
    pub(super) modules: Vec<&'p ModuleName>,
}

/// Prints the statements and the result of a program, whose variables have none of the reserved names.
///
/// # Errors
/// If the program has other statements or expressions than programs may have, or its text is too long.
pub(super) fn print<'p, S: Spelling>(
    docs: &DocArena,
    program: &Program<'p>,
    spelling: S,
    words: Words,
    reserved: HashSet<String>,
    max_bytes: usize,
) -> Result<Printed<'p>, PrintError> {
    let make = |variables: HashMap<String, String>| Dynamic {
        writer: Writer::new(docs, spelling, variables),
        words,
    };
    let Parts { body, result, language, modules } = blocks::print(docs, program, reserved, max_bytes, make)?;
    Ok(Printed { body, result, functions: language.writer.functions, modules })
}

struct Dynamic<'d, S> {
    writer: Writer<'d, S>,
    words: Words,
}

impl<S: Spelling> Language for Dynamic<'_, S> {
    type Value = String;

    fn name<'n>(&'n self, variable: &'n str) -> &'n str {
        self.writer.variable(variable).unwrap_or(variable)
    }

    fn value(&mut self, expr: ExprDoc) -> Result<String, PrintError> {
        let mut text = String::new();
        self.writer.value(expr, ANY, &mut text)?;
        Ok(text)
    }

    fn result(&mut self, expr: ExprDoc) -> Result<String, PrintError> {
        self.value(expr)
    }

    fn text(&self, value: &String) -> String {
        value.clone()
    }

    fn declare(&self, name: &str, _value: Option<&String>) -> Option<String> {
        Some(format!("{}{name};", self.words.variable))
    }

    fn assign(&mut self, variable: &str, value: &String, is_declared: bool) -> String {
        let begin = if is_declared { "" } else { self.words.variable };
        format!("{begin}{} = {value};", self.name(variable))
    }

    fn hold(&mut self, name: &str, value: &String) -> String {
        format!("{}{name} = {value};", self.words.variable)
    }

    fn enter(&mut self, name: &str, scope: &String) -> Vec<String> {
        self.writer.functions.insert("with");
        vec![format!("{}{name} = with({scope});", self.words.scope)]
    }

    fn scope_value(&mut self, name: &str, _scope: &String, _is_one: bool) -> Result<String, PrintError> {
        Ok(format!("{name}.value()"))
    }

    fn item(&mut self, name: &str, _values: &String, index: usize) -> Result<String, PrintError> {
        let [open, close] = S::ARGUMENTS;
        Ok(format!("{name}.at({open}{index}{close})"))
    }
}
