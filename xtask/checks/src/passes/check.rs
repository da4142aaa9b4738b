//! One pass on one program.

use serde_json::{Value, json};

use super::Plan;
use crate::conformance::{Oracle, Program, one_line_difference};
use crate::subject::{self, Diagnostic};

/// The questions to TVM.
pub struct Asked<'a> {
    /// The oracle.
    pub oracle: &'a Oracle,
    /// Options of passes.
    pub options: &'a [(String, String)],
    /// Also the spans that its passes keep.
    pub spans: bool,
}

/// Numbers of nodes that can have a source, and of those that have one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sources {
    /// Nodes that can have a source.
    pub nodes: usize,
    /// Nodes that have one.
    pub with_source: usize,
}

/// A comparison of two results.
pub enum Verdict {
    /// TVM's pass fails, so there is nothing to compare.
    Rejected,
    /// TVM's pass breaks a well-formed program: its result is not well-formed, or TVM does not read it back.
    Broken,
    /// Equal.
    Equal,
    /// Not equal, or our pass fails; why.
    Differs(String),
}

/// The result for one program.
pub struct Outcome {
    /// The comparison.
    pub verdict: Verdict,
    /// Our result as text.
    pub ours: String,
    /// TVM's result as text.
    pub theirs: String,
    /// Why our result is not well-formed, does not round-trip, or lost spans.
    pub faults: Vec<String>,
    /// Spans of our result.
    pub our_sources: Sources,
    /// Spans of TVM's result, if asked.
    pub their_sources: Option<Sources>,
}

/// Our result.
struct Ours {
    result: subject::Program,
    text: String,
    json: String,
    faults: Vec<String>,
}

/// Runs a pass here and in TVM.
pub fn one(
    program: &Program,
    input: &Result<subject::Program, Vec<Diagnostic>>,
    plan: &Plan,
    asked: &Asked,
) -> Outcome {
    let ours = match input {
        Ok(input) => transform(program, input, plan, asked.options),
        Err(errors) => Err(format!("does not parse: {}", first(errors))),
    };
    let mut request = json!({
        "op": "pass",
        "text": program.text,
        "passes": plan.passes,
        "options": asked.options.iter().map(|(key, value)| (key.clone(), option(value))).collect::<Value>(),
        "ours": ours.as_ref().ok().map(|ours| ours.json.as_str()),
        "ours_text": ours.as_ref().ok().map(|ours| ours.text.as_str()),
    });
    let answer = asked.oracle.ask(&request).unwrap_or_else(|error| json!({"crash": error.to_string()}));
    let succeeded = answer["ok"] == true;
    let mut outcome = Outcome {
        verdict: Verdict::Rejected,
        ours: ours.as_ref().map_or_else(Clone::clone, |ours| ours.text.clone()),
        theirs: answer["text"].as_str().map_or_else(|| answer.to_string(), str::to_owned),
        faults: Vec::new(),
        our_sources: Sources::default(),
        their_sources: None,
    };
    let is_well_formed = input.as_ref().is_ok_and(|input| input.findings().is_empty());
    if succeeded && asked.spans {
        request["op"] = "pass_spans".into();
        request["ours"] = Value::Null;
        request["ours_text"] = Value::Null;
        let spans = asked.oracle.ask(&request).unwrap_or_default();
        let number = |key: &str| spans[key].as_u64().map(|n| n as usize);
        outcome.their_sources = number("nodes")
            .zip(number("nodes_with_source"))
            .map(|(nodes, with_source)| Sources { nodes, with_source });
    }
    match ours {
        Ok(ours) => {
            outcome.faults = ours.faults;
            let (nodes, with_source) = ours.result.sources();
            outcome.our_sources = Sources { nodes, with_source };
            if succeeded {
                outcome.verdict = verdict(&answer);
            }
        }
        Err(why) if succeeded => outcome.verdict = Verdict::Differs(why),
        Err(_) => {}
    }
    if is_well_formed
        && matches!(outcome.verdict, Verdict::Differs(_))
        && (answer["reads_back"] == false || is_broken(&outcome.theirs))
    {
        outcome.verdict = Verdict::Broken;
    }
    outcome
}

/// Returns `true` if a result of TVM is not well-formed.
fn is_broken(text: &str) -> bool {
    subject::parse("theirs", text).is_ok_and(|theirs| !theirs.findings().is_empty())
}

fn verdict(answer: &Value) -> Verdict {
    match answer["equal"].as_bool() {
        Some(true) => Verdict::Equal,
        _ => {
            let side = |key: &str| answer["mismatch"][key].as_str().unwrap_or("?").to_owned();
            Verdict::Differs(format!("{} | {}", side("lhs"), side("rhs")))
        }
    }
}

/// An option as JSON: an integer, a bool or a text.
fn option(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(value @ (Value::Bool(_) | Value::Number(_))) => value,
        _ => Value::from(text),
    }
}

/// Our result and its faults.
fn transform(
    program: &Program,
    input: &subject::Program,
    plan: &Plan,
    options: &[(String, String)],
) -> Result<Ours, String> {
    let result = input.run_passes(&plan.passes, options)?;
    let (text, json) = (result.print()?, result.to_tvm_json()?);
    let mut faults = Vec::new();
    if let (true, Some(finding)) = (input.findings().is_empty(), result.findings().first()) {
        faults.push(format!("not well-formed: {finding}"));
    }
    match subject::parse(&program.name, &text) {
        Err(errors) => faults.push(format!("the result does not parse: {}", first(&errors))),
        Ok(again) if !again.equal(&result) => {
            let text = again.print().and_then(|again| one_line_difference(&text, &again));
            faults.push(format!("the result does not round-trip: {}", text.err().unwrap_or_default()));
        }
        Ok(_) => {}
    }
    let ((nodes_before, before), (nodes, after)) = (input.sources(), result.sources());
    if nodes_before == before && nodes != after {
        faults.push(format!("{} of {nodes} nodes lost their spans", nodes - after));
    }
    Ok(Ours { result, text, json, faults })
}

fn first(errors: &[Diagnostic]) -> String {
    errors.first().map_or_else(String::new, |e| format!("{}:{}: {}", e.line, e.column, e.message))
}
