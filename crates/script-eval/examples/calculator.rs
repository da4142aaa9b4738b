//! A calculator: the smallest host of the evaluator, without any IR.
//!
//! It runs a Python file statement by statement, prints the values of its expression statements, and the errors.
//! `cargo run -p tvmscript-script-eval --example calculator -- FILE`

use tvmscript_ir_core::SourceId;
use tvmscript_python_syntax::ast::Stmt;
use tvmscript_python_syntax::{PythonOptions, parse_python};
use tvmscript_script_eval::{EvalError, Evaluator, Limits, Plain, Program, Run, errors};

/// Result of running a text.
pub struct Outcome {
    /// The values of its expression statements, as `repr` shows them.
    pub values: Vec<String>,
    /// Its mistakes, in the order in which they were met.
    pub errors: Vec<EvalError>,
}

/// A calculator at the beginning of a text, and the mistakes in its syntax.
pub fn open(text: &str, limits: Limits) -> (Evaluator<Plain>, Vec<EvalError>) {
    let parsed = parse_python(text, &PythonOptions::default());
    let program = Program::new(parsed.ast, text, SourceId::new("calculator"), limits);
    (Evaluator::new(program, Plain), parsed.errors.into_iter().map(errors::syntax_error).collect())
}

/// Runs the statements of the text.
pub fn run(calculator: &mut Evaluator<Plain>) -> Outcome {
    let program = calculator.program().clone();
    let mut values = Vec::new();
    for id in program.ast.module_body() {
        if let Ok(Some(value)) = calculator.run_statement(*id)
            && let Stmt::Expr(stmt) = program.ast.stmt(*id)
            && let Ok(text) = calculator.eval().repr(stmt.value, &value)
        {
            values.push(text);
        }
    }
    Outcome { values, errors: calculator.take_errors() }
}

/// Runs a text.
pub fn evaluate(text: &str, limits: Limits, run_as: Run) -> Outcome {
    let (mut calculator, mut errors) = open(text, limits);
    calculator.run_as(run_as);
    let outcome = run(&mut calculator);
    errors.extend(outcome.errors);
    Outcome { errors, ..outcome }
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
    let outcome = evaluate(&text, Limits::default(), Run::Strict);
    // As in Python's own shell.
    outcome.values.iter().filter(|value| *value != "None").for_each(|value| println!("{value}"));
    eprint!("{}", tvmscript_diagnostics::render(&outcome.errors, &name, &text, false));
    Ok(())
}
