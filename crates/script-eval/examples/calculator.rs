//! A calculator: the smallest host of the evaluator, without any IR.
//!
//! It runs a Python file statement by statement, prints the values of its expression statements, and the errors.
//! `cargo run -p tvmscript-script-eval --example calculator -- FILE`

use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use tvmscript_ir_core::SourceId;
use tvmscript_python_syntax::ast::Stmt;
use tvmscript_python_syntax::{PythonOptions, parse_python};
use tvmscript_script_eval::{Evaluator, Host, Limits, ParseError, Program, errors};

/// A host that adds nothing to Python.
struct Calculator(Evaluator);

impl Deref for Calculator {
    type Target = Evaluator;
    fn deref(&self) -> &Evaluator {
        &self.0
    }
}

impl DerefMut for Calculator {
    fn deref_mut(&mut self) -> &mut Evaluator {
        &mut self.0
    }
}

impl Host for Calculator {}

impl Calculator {
    fn boxed(program: Rc<Program>) -> Box<dyn Host> {
        Box::new(Calculator(Evaluator::new(program)))
    }
}

/// Result of parsing a text.
pub struct Outcome {
    /// The values of its expression statements, as `repr` shows them.
    pub values: Vec<String>,
    /// Its mistakes, in the order in which they were met.
    pub errors: Vec<ParseError>,
}

/// A calculator at the beginning of a text.
pub fn open(text: &str, limits: Limits) -> Box<dyn Host> {
    let parsed = parse_python(text, &PythonOptions::default());
    let source = SourceId::new("calculator");
    let program = Program::new(parsed.ast, text, source, limits, Box::new(Calculator::boxed));
    let mut host = Calculator::boxed(Rc::new(program));
    host.diagnostics.errors.extend(parsed.errors.into_iter().map(errors::syntax_error));
    host.define_python_builtins();
    host
}

/// Runs the statements of the text.
pub fn run(host: &mut dyn Host) -> Outcome {
    let ast = host.ast();
    let mut values = Vec::new();
    for id in ast.module_body() {
        if host.is_exhausted() {
            break;
        }
        if host.run_statement(*id).is_ok()
            && let Stmt::Expr(stmt) = ast.stmt(*id)
            && let Some(value) = host.last_value.take()
            && let Ok(text) = host.repr(stmt.value, &value)
        {
            values.push(text);
        }
    }
    Outcome { values, errors: std::mem::take(&mut host.diagnostics.errors) }
}

/// Runs a text. With `tolerant`, values that are not known spread silently, as in files around scripts; otherwise they are
/// errors.
pub fn evaluate(text: &str, limits: Limits, tolerant: bool) -> Outcome {
    let mut host = open(text, limits);
    host.tolerant = tolerant;
    let outcome = run(&mut *host);
    host.program.close();
    outcome
}

const SAMPLE: &str = "\
def power(base, exponent):
    return 1 if exponent == 0 else base * power(base, exponent - 1)

power(2, 100)
[f'{n:>3}' for n in range(12) if n % 4 == 0]
sorted({'b': 1, 'a': 2}.items(), key=lambda item: item[1])
power(2)
1 / 0
";

fn main() -> std::io::Result<()> {
    let (name, text) = match std::env::args().nth(1) {
        Some(path) => (path.clone(), std::fs::read_to_string(path)?),
        None => ("sample.py".to_owned(), SAMPLE.to_owned()),
    };
    let outcome = evaluate(&text, Limits::default(), false);
    // As in Python's own shell.
    outcome.values.iter().filter(|value| *value != "None").for_each(|value| println!("{value}"));
    eprint!("{}", tvmscript_diagnostics::render(&outcome.errors, &name, &text, false));
    Ok(())
}
