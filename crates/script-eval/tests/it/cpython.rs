//! Host code against CPython: `cpython/generate.py` recorded what CPython 3.11 makes of each program.

use crate::calculator;
use tvmscript_script_eval::{EvalErrorKind, Limits, Run};

/// The outcome of a program, in the form of the record. It is the same where unknown values are tolerated and where not.
fn run(code: &str) -> Result<String, (String, String)> {
    let (tolerant, strict) = (run_as(code, Run::Tolerant), run_as(code, Run::Strict));
    if tolerant == strict {
        strict
    } else {
        Err((format!("strict {strict:?}"), format!("tolerant {tolerant:?}")))
    }
}

fn run_as(code: &str, run: Run) -> Result<String, (String, String)> {
    let mut outcome = calculator::evaluate(&format!("{code}\nresult\n"), Limits::default(), run);
    let Some(error) = outcome.errors.first() else {
        return Ok(outcome.values.pop().unwrap_or_default());
    };
    Err(match &error.kind {
        EvalErrorKind::Host(error) => (error.class().to_owned(), error.message.clone()),
        EvalErrorKind::UndefinedName { name } => {
            ("NameError".to_owned(), format!("name '{name}' is not defined"))
        }
        EvalErrorKind::NoAttribute { what, name } => {
            ("AttributeError".to_owned(), format!("{what} has no attribute '{name}'"))
        }
        other => (other.name().to_owned(), other.to_string()),
    })
}

/// Runs recorded programs and reports all that differ.
fn check(record: &str) {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for line in record.lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
        let text = |key: &str| case[key].as_str().map(str::to_owned);
        let code = text("code").expect("a case has code");
        let expected = match (text("result"), text("error"), text("message")) {
            (Some(result), ..) => Ok(result),
            (None, Some(class), Some(message)) => Err((class, message)),
            _ => panic!("a case has a result or an error: {line}"),
        };
        count += 1;
        let found = run(&code);
        if found != expected {
            wrong.push(format!("{code}\n  CPython: {expected:?}\n  here:    {found:?}"));
        }
    }
    assert!(count > 50, "{count} cases");
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn p79_14_host_code_is_what_cpython_recorded() {
    check(include_str!("../cpython/cases.jsonl"));
}

/// Programs of several statements: `cpython/programs.py` recorded what CPython makes of them.
#[test]
fn programs_are_what_cpython_recorded() {
    check(include_str!("../cpython/programs.jsonl"));
}

/// `cpython/library.py` recorded what CPython's library computes.
#[test]
fn library_modules_are_what_cpython_recorded() {
    check(include_str!("../cpython/library.jsonl"));
}

/// `cpython/numpy_arrays.py` recorded what numpy computes.
#[test]
fn arrays_are_what_numpy_recorded() {
    check(include_str!("../cpython/numpy_arrays.jsonl"));
}

/// Random programs: `cargo xtask pydiff --record` wrote them with CPython's answers.
#[test]
fn random_programs_are_what_cpython_recorded() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for line in include_str!("../cpython/random.jsonl").lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
        let text = |key: &str| case[key].as_str().map(str::to_owned);
        let code = text("code").expect("a case has code");
        let expected = text("result").ok_or_else(|| text("error").expect("a case has a result or an error"));
        count += 1;
        let found = run(&code).map_err(|(class, _)| class);
        if found != expected {
            wrong.push(format!("{code}\n  CPython: {expected:?}\n  here:    {found:?}"));
        }
    }
    assert!(count > 500, "{count} cases");
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
}
