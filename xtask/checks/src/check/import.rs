//! `check import`: models imported here and by TVM: the same module, with the name of its layer on each call.
//!
//! A folder has an `index.jsonl` with a line per model, and beside each model TVM's module as text or JSON, the expected
//! spans, and reference inputs and outputs. With `--values`, TVM runs the text that is printed here on those inputs.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::Value;
use tvmscript::frontend::{ImportOptions, Imported, Model, import};
use tvmscript::ir::IRModule;
use tvmscript::ir_core::Span;
use tvmscript::ir_core::release::Release;
use tvmscript::relax::{Call, Function, If, SeqExpr, binding_parts};
use tvmscript::{Object, ParseOptions, PrinterConfig, Ref, parse, structural_equal};

use crate::conformance::{in_parallel, share};

/// Options of the suite.
#[derive(Args)]
pub struct Options {
    /// The folders of models, each of one format.
    #[arg(required = true)]
    dirs: Vec<PathBuf>,
    /// Only models whose names contain this; their texts are shown.
    #[arg(long)]
    name: Option<String>,
    /// Only models with this operator.
    #[arg(long)]
    op: Option<String>,
    /// Compare the modules whose weights are parameters.
    #[arg(long)]
    keep_params: bool,
    /// Run what is printed here in TVM, by its Python, on the reference inputs.
    #[arg(long, value_name = "PYTHON")]
    values: Option<PathBuf>,
    /// Compare the time of the conversions with that of TVM's importers, by its Python.
    #[arg(long, value_name = "PYTHON")]
    against: Option<PathBuf>,
    /// Failures shown per kind.
    #[arg(long, default_value_t = 5)]
    show: usize,
}

/// The answer for one model.
#[derive(Debug, Default)]
struct Answer {
    /// The reason for which it was refused here.
    refused: Option<String>,
    /// TVM's module is equal.
    equal: Option<Result<(), String>>,
    /// TVM's module has functions in place of operators.
    has_te: bool,
    /// Calls with the expected span, and all calls that are judged.
    spans: (usize, usize),
    wrong_span: Option<String>,
    /// Nodes of a model without expected bindings that the module names, and all nodes that compute something.
    nodes: (usize, usize),
    /// The text reads back, equal.
    reads_back: Option<Result<(), String>>,
    text: String,
}

/// Imports the models.
///
/// # Errors
/// When a file of the folders cannot be read.
pub fn run(options: &Options) -> Result<()> {
    for dir in &options.dirs {
        folder(dir, options)?;
    }
    Ok(())
}

fn folder(dir: &Path, options: &Options) -> Result<()> {
    let index =
        std::fs::read_to_string(dir.join("index.jsonl")).with_context(|| format!("{}", dir.display()))?;
    let mut cases: Vec<Value> = Vec::new();
    for line in index.lines() {
        let case: Value = serde_json::from_str(line)?;
        let is_named = options.name.as_ref().is_none_or(|name| text(&case, "name").contains(name.as_str()));
        let has_op =
            |op: &String| case["ops"].as_array().is_some_and(|ops| ops.iter().any(|found| found == op));
        if is_named && options.op.as_ref().is_none_or(has_op) {
            cases.push(case);
        }
    }
    if cases.is_empty() {
        bail!("no model is selected");
    }
    if let Some(python) = &options.against {
        let wanted = cases.iter().filter(|case| case["ok"] == Value::Bool(true));
        let models: Vec<PathBuf> = wanted.map(|case| dir.join(text(case, "file"))).collect();
        return super::import_speed::run(&models, python);
    }
    let answers = in_parallel(cases.len(), |at| judge(dir, &cases[at], options));
    report(dir, &cases, &answers, options);
    if let Some(python) = &options.values {
        values(dir, &cases, &answers, python, options)?;
    }
    Ok(())
}

fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn judge(dir: &Path, case: &Value, options: &Options) -> Answer {
    let mut answer =
        Answer { has_te: case["te_funcs"].as_array().is_some_and(|te| !te.is_empty()), ..Answer::default() };
    let file = dir.join(text(case, "file"));
    let mut settings = ImportOptions::default();
    settings.keeps_params = options.keep_params;
    let imported = Model::open(&file).and_then(|model| import(&model, &settings));
    let imported = match imported {
        Ok(imported) => imported,
        Err(error) => {
            answer.refused = Some(error.to_string());
            return answer;
        }
    };
    let config = PrinterConfig { release: Some(release()), ..PrinterConfig::default() };
    match tvmscript::print(imported.module.object(), tvmscript::registry(), &config) {
        Ok(text) => {
            let back = parse_module(&text).map(|module| structural_equal(&module, imported.module.object()));
            answer.reads_back = Some(match back {
                Ok(true) => Ok(()),
                Ok(false) => Err("another module".to_owned()),
                Err(error) => Err(error),
            });
            answer.text = text;
        }
        Err(error) => answer.reads_back = Some(Err(error.to_string())),
    }
    if case["ok"] == Value::Bool(true) {
        let expected = expected(dir, text(case, "name"), options.keep_params);
        answer.equal =
            Some(expected.and_then(|expected| match structural_equal(&expected, imported.module.object()) {
                true => Ok(()),
                false => Err("another module".to_owned()),
            }));
    }
    if !options.keep_params {
        spans(dir, case, &imported, &mut answer);
    }
    answer
}

fn read(path: &Path) -> Option<String> {
    if let Ok(text) = std::fs::read_to_string(path) {
        return Some(text);
    }
    let bytes = std::fs::read(format!("{}.gz", path.display())).ok()?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The release whose importers the references come from.
fn release() -> &'static Release {
    tvmscript::registry().find_release("tvm-0.27").expect("it is one of the workspace's")
}

fn parse_module(text: &str) -> Result<Object, String> {
    let mut options = ParseOptions::default();
    options.release = Some(release());
    let parsed = parse("model.py", text, tvmscript::registry(), &options);
    let errors = parsed.errors.first().map(ToString::to_string);
    match (parsed.scripts.first(), errors) {
        (Some(script), None) => Ok(script.node.clone()),
        (_, error) => Err(error.unwrap_or_else(|| "no script".to_owned())),
    }
}

/// TVM's module: its JSON where TVM cannot read the text itself, else the text.
fn expected(dir: &Path, name: &str, keeps_params: bool) -> Result<Object, String> {
    let kind = if keeps_params { ".keep" } else { "" };
    if let Some(json) = read(&dir.join(format!("{name}{kind}.json"))) {
        return tvmscript::from_json(&json, tvmscript::registry()).map_err(|error| error.to_string());
    }
    match read(&dir.join(format!("{name}{kind}.py"))) {
        Some(text) => parse_module(&text),
        None => Err("no module of TVM's".to_owned()),
    }
}

/// A binding: kind of its value, and the layer.
fn bindings(body: &Ref<SeqExpr>, found: &mut Vec<(String, Span)>) {
    for binding in body.blocks.iter().flat_map(|block| block.bindings.iter()) {
        let Some((_, value)) = binding_parts(binding) else { continue };
        let kind = match value.as_node::<Call>() {
            Some(call) => call.op_name().unwrap_or("call").to_owned(),
            None => value.object().info().key().rsplit('.').next().unwrap_or_default().to_owned(),
        };
        found.push((kind, value.span()));
        if let Some(node) = value.as_node::<If>() {
            bindings(&node.true_branch, found);
            bindings(&node.false_branch, found);
        }
    }
}

/// Compares the spans, if the bindings are as many.
fn spans(dir: &Path, case: &Value, imported: &Imported, answer: &mut Answer) {
    let Some(text) = read(&dir.join(format!("{}.spans.json", text(case, "name")))) else { return };
    let Ok(expected) = serde_json::from_str::<Value>(&text) else { return };
    if expected.get("bindings").is_none() {
        return node_spans(&expected, imported, answer);
    }
    let expected = expected["bindings"].as_array().cloned().unwrap_or_default();
    let Some(main) = main_of(&imported.module) else { return };
    let mut found = Vec::new();
    bindings(&main.body, &mut found);
    if found.len() != expected.len() {
        return;
    }
    for (binding, (kind, span)) in expected.iter().zip(found) {
        let Some(wanted) = binding["span"].as_str() else { continue };
        answer.spans.1 += 1;
        let layer = span.source_name();
        if layer.as_deref() == Some(wanted) {
            answer.spans.0 += 1;
        } else if answer.wrong_span.is_none() {
            answer.wrong_span = Some(format!("{kind}: `{wanted}` expected, found {layer:?}"));
        }
    }
}

/// Operators of TensorFlow whose nodes make no call.
const SILENT: [&str; 12] = [
    "Const",
    "Placeholder",
    "Identity",
    "IdentityN",
    "NoOp",
    "Assert",
    "StopGradient",
    "PreventGradient",
    "ReadVariableOp",
    "VarHandleOp",
    "Shape",
    "Snapshot",
];

/// Checks that each call has the name of a node of the model, or of a function that a node calls.
fn node_spans(expected: &Value, imported: &Imported, answer: &mut Answer) {
    let nodes = expected["nodes"].as_array().cloned().unwrap_or_default();
    let is_node = |name: &str| nodes.iter().any(|node| text(node, "name") == name);
    let mut found = Vec::new();
    for (_, function) in imported.module.functions.iter() {
        if let Some(function) = function.downcast_ref::<Function>() {
            bindings(&function.body, &mut found);
        }
    }
    let mut named = std::collections::BTreeSet::new();
    for (kind, span) in
        found.into_iter().filter(|(kind, _)| !matches!(kind.as_str(), "Var" | "DataflowVar" | "Tuple"))
    {
        answer.spans.1 += 1;
        let layer = span.source_name();
        let is_known = layer.as_ref().is_some_and(|layer| {
            is_node(layer) || layer.match_indices('/').any(|(at, _)| is_node(&layer[..at]))
        });
        if is_known {
            answer.spans.0 += 1;
        } else if answer.wrong_span.is_none() {
            answer.wrong_span = Some(format!("{kind}: found {layer:?}"));
        }
        named.extend(layer);
    }
    // Nodes that are computed during the import.
    named.extend(imported.constants.iter().map(|(name, _)| name.clone()));
    let computing = nodes.iter().filter(|node| !SILENT.contains(&text(node, "op")));
    answer.nodes.1 = computing.clone().count();
    answer.nodes.0 = computing.filter(|node| named.contains(text(node, "name"))).count();
}

fn main_of(module: &Ref<IRModule>) -> Option<Ref<Function>> {
    module.function("main")?.1.downcast_ref::<Function>().cloned()
}

fn report(dir: &Path, cases: &[Value], answers: &[Answer], options: &Options) {
    let mut failures: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut fail = |kind, case: &Value, why: &str| {
        failures.entry(kind).or_default().push(format!("{}: {why}", text(case, "name")));
    };
    let mut nodes = (0, 0);
    let [mut accepted, mut of, mut equal, mut te, mut right, mut judged, mut back, mut all, mut more] =
        [0; 9];
    let mut mended = 0;
    for (case, answer) in cases.iter().zip(answers) {
        let is_wanted = case["ok"] != Value::Bool(false);
        of += usize::from(is_wanted);
        match &answer.refused {
            Some(why) if is_wanted => fail("refused", case, why),
            Some(_) => continue,
            None if is_wanted => accepted += 1,
            None => more += 1,
        }
        match &answer.equal {
            Some(Ok(())) => equal += 1,
            Some(Err(_)) if answer.has_te => te += 1,
            Some(Err(_)) if case["eval"]["ok"] == Value::Bool(false) => mended += 1,
            Some(Err(why)) => fail("not equal", case, why),
            None => {}
        }
        right += answer.spans.0;
        judged += answer.spans.1;
        nodes = (nodes.0 + answer.nodes.0, nodes.1 + answer.nodes.1);
        if let Some(why) = &answer.wrong_span {
            fail("span", case, why);
        }
        if answer.refused.is_none() {
            all += 1;
            match &answer.reads_back {
                Some(Ok(())) => back += 1,
                Some(Err(why)) => fail("does not read back", case, why),
                None => {}
            }
        }
    }
    println!("{}", dir.display());
    println!("    accepted     {}  and {more} that TVM refuses", share(accepted, of));
    println!(
        "    equal        {}  and {te} with functions in TVM's, {mended} where TVM's values are wrong",
        share(equal, of)
    );
    println!("    spans        {}", share(right, judged));
    if nodes.1 > 0 {
        println!("    nodes        {}", share(nodes.0, nodes.1));
    }
    println!("    reads back   {}", share(back, all));
    for (kind, failures) in &failures {
        println!("    {kind}: {}", failures.len());
        failures.iter().take(options.show).for_each(|failure| println!("        {failure}"));
    }
    if options.name.is_some() {
        answers.iter().for_each(|answer| println!("{}", answer.text));
    }
}

/// Runs the texts in TVM and compares the results with the references.
fn values(dir: &Path, cases: &[Value], answers: &[Answer], python: &Path, options: &Options) -> Result<()> {
    let scratch = std::env::temp_dir().join(format!("tvmscript-import-{}", std::process::id()));
    std::fs::create_dir_all(&scratch)?;
    for (case, answer) in cases.iter().zip(answers).filter(|(_, answer)| answer.refused.is_none()) {
        std::fs::write(scratch.join(format!("{}.py", text(case, "name"))), &answer.text)?;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/check/import_values.py");
    let output = Command::new(python).arg(script).arg(dir).arg(&scratch).output()?;
    std::fs::remove_dir_all(&scratch)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut shown: BTreeMap<String, usize> = BTreeMap::new();
    for line in text.lines() {
        let Ok(answer) = serde_json::from_str::<Value>(line) else { continue };
        let kind = answer["answer"].as_str().unwrap_or_default().to_owned();
        *counts.entry(kind.clone()).or_default() += 1;
        let known = shown.entry(kind.clone()).or_default();
        if kind != "same" && *known < options.show {
            *known += 1;
            println!(
                "        {kind} {}: {}",
                answer["name"].as_str().unwrap_or_default(),
                answer["why"].as_str().unwrap_or_default()
            );
        }
    }
    println!("    values in TVM: {counts:?}");
    if !output.status.success() {
        println!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}
