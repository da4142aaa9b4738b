//! The two questions to the real TVM about each program that it parses.

use serde_json::Value;

use super::check::{Answer, Outcome, in_parallel};
use super::corpus::Program;
use super::graph;
use super::oracle::{self, Oracle};
use crate::subject;

/// Asks about all programs and notes the answers.
pub fn all(programs: &[Program], outcomes: &mut [Outcome], oracle: &Oracle) {
    let given: &[Outcome] = outcomes;
    let answers = in_parallel(programs.len(), |i| one(&programs[i], &given[i], oracle));
    for (outcome, (equal, json, load)) in outcomes.iter_mut().zip(answers) {
        outcome.live_equal = equal;
        outcome.live_json = json;
        outcome.live_load = load;
    }
}

/// The answers about one program.
fn one(program: &Program, outcome: &Outcome, oracle: &Oracle) -> (Answer, Answer, Answer) {
    if !program.tvm_parses {
        return (None, None, None);
    }
    let theirs = match oracle.ask(&oracle::json_of(&program.text)) {
        Ok(answer) => answer,
        Err(error) => {
            let no = Some(Err(format!("the oracle: {error}")));
            return (no.clone(), no.clone(), no);
        }
    };
    let Some(theirs) = theirs["json"].as_str() else { return (None, None, None) };
    let Some(printed) = &outcome.printed else {
        let no = Some(Err("we do not parse or print it".to_string()));
        return (no.clone(), no.clone(), no);
    };
    let (release, version) = subject::release_of_json(theirs);
    if program.is_fixture && outcome.release.is_some_and(|ours| ours != version.name) {
        // A program of another release.
        return (None, None, None);
    }
    // A text that does not show its release is asked about as one of the oracle's.
    let parsed = subject::parse_in(&program.name, &program.text, release);
    let (json, load) = match parsed {
        Ok(parsed) => (
            parsed.to_tvm_json().and_then(|ours| graph::compare(&ours, theirs)),
            super::check::loads_equal(theirs, &parsed),
        ),
        Err(_) => (Err("no JSON".to_string()), Err("we do not parse it".to_string())),
    };
    (equal(program, printed, oracle), Some(json), Some(load))
}

/// Checks that TVM reads our print as it reads the original. If our print is TVM's own and TVM cannot read that, there
/// is nothing to ask.
fn equal(program: &Program, printed: &str, oracle: &Oracle) -> Answer {
    let answer = compare(program, printed, oracle);
    let unreadable = answer.as_ref().is_err_and(|e| e.starts_with(UNREADABLE));
    if unreadable
        && let Ok(own) = oracle.ask(&oracle::print_of(&program.text))
        && own["canonical"].as_str().is_some_and(|own| own.trim_end() == printed.trim_end())
    {
        return None;
    }
    Some(answer)
}

/// Beginning of the answer if TVM refuses our print.
const UNREADABLE: &str = "TVM cannot read our print";

/// Checks that TVM reads our print as it reads the original.
fn compare(program: &Program, printed: &str, oracle: &Oracle) -> Result<(), String> {
    if printed.trim_end() == program.text.trim_end() {
        return Ok(());
    }
    let ask = |a: &str, b: &str, free| {
        oracle.ask(&oracle::equal(a, b, free)).map_err(|e| format!("the oracle: {e}"))
    };
    let answer = ask(printed, &program.text, false)?;
    if answer["ok"] != true {
        return Err(format!("{UNREADABLE}: {}", reason(&answer)));
    }
    if answer["equal"] == true {
        return Ok(());
    }
    // A text with variables that nothing defines is not even equal to itself, unless such variables may be matched. The
    // oracle keeps what it parsed: the comment makes it read the text a second time.
    let again = format!("{}\n# again\n", program.text.trim_end());
    if ask(&again, &program.text, false)?["equal"] != true
        && ask(printed, &program.text, true)?["equal"] == true
    {
        return Ok(());
    }
    Err(format!(
        "TVM reads our print as another program: {}",
        answer["mismatch"]["lhs"].as_str().unwrap_or_default()
    ))
}

/// Why the oracle refused.
fn reason(answer: &Value) -> String {
    let error = &answer["error"];
    let diag = &error["diag"][0];
    let text =
        diag["msg"].as_str().or(error["msg"].as_str()).or(answer["crash"].as_str()).unwrap_or_default();
    let last = text.trim().lines().last().unwrap_or_default();
    format!("line {}: {}", diag["line"], last.chars().take(200).collect::<String>())
}
