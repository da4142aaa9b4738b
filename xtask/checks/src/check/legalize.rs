//! `check legalize`: each call of a Relax operator in the programs of some folders as the pass `relax.LegalizeOps` here and
//! in the real TVM 0.27 makes loops of it.
//!
//! TVM takes the programs apart: a program per call, with TVM's result. Calls with the same program count together. A result
//! is equal if its text is, or if TVM finds both structurally equal. If TVM finds a difference and cannot name it, as in
//! programs that define variables while they run, the comparison of this library decides.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::json;
use tvmscript::releases::tvm_0_27;
use xtask::workspace;

use crate::conformance::{Oracle, in_parallel, share};
use crate::subject;

/// Options of the suite.
#[derive(Args)]
pub struct Options {
    /// Folders with programs of TVM 0.27.
    #[arg(required = true)]
    dirs: Vec<PathBuf>,
    /// The interpreter of a virtual environment with TVM 0.27, such as `DIR/bin/python`.
    #[arg(long)]
    oracle: PathBuf,
    /// Check only operators whose name contains this text.
    #[arg(long)]
    op: Option<String>,
    /// Calls shown per operator and outcome.
    #[arg(long, default_value_t = 2)]
    show: usize,
    /// Share of calls that have to be equal, in percent.
    #[arg(long, default_value_t = 0.0)]
    floor: f64,
}

/// A call, alone in a program.
struct Case {
    op: String,
    text: String,
    /// TVM's result; `None` if it fails.
    legal: Option<String>,
    count: usize,
}

/// The comparison of two results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// Equal; also calls that both leave as they are.
    Equal,
    Differs,
    /// TVM replaces the call, and this pass does not.
    Stays,
    /// TVM fails, or keeps the call in a program whose text says too little to be read alone.
    Rejected,
}

/// The calls of an operator with the reasons, by verdict.
type Outcomes<'c> = BTreeMap<Verdict, Vec<(&'c Case, String)>>;

pub(super) fn run(options: &Options) -> Result<()> {
    let script = workspace::root().join("xtask/checks/src/check/legalize.py");
    let oracle = Oracle::with_script(options.oracle.clone(), script)?;
    let cases = cases(options, &oracle)?;
    if cases.is_empty() {
        bail!("there is no call");
    }
    let verdicts = in_parallel(cases.len(), |index| cases.get(index).map(|case| verdict(case, &oracle)));
    let mut operators: BTreeMap<&str, Outcomes<'_>> = BTreeMap::new();
    for (case, verdict) in cases.iter().zip(verdicts) {
        let Some((verdict, why)) = verdict else { continue };
        operators.entry(&case.op).or_default().entry(verdict).or_default().push((case, why));
    }
    let count = |verdicts: &Outcomes<'_>, verdict| {
        verdicts.get(&verdict).into_iter().flatten().map(|(case, _)| case.count).sum::<usize>()
    };
    let (mut equal, mut all) = (0, 0);
    println!("{:<32}{:>7}{:>7}{:>8}{:>7}{:>9}", "operator", "calls", "equal", "differs", "stays", "rejected");
    for (op, verdicts) in &operators {
        let of =
            [Verdict::Equal, Verdict::Differs, Verdict::Stays, Verdict::Rejected].map(|v| count(verdicts, v));
        let [same, differs, stays, rejected] = of;
        equal += same;
        all += same + differs + stays;
        println!("{op:<32}{:>7}{same:>7}{differs:>8}{stays:>7}{rejected:>9}", of.iter().sum::<usize>());
        let shown =
            [Verdict::Differs, Verdict::Stays].into_iter().filter_map(|verdict| verdicts.get(&verdict));
        for (case, why) in shown.flat_map(|cases| cases.iter().take(options.show)) {
            let call = case.text.lines().find(|line| line.contains(" = R.")).unwrap_or_default();
            println!("    {} {why}", call.trim());
        }
    }
    println!("equal {}", share(equal, all));
    match 100.0 * equal as f64 / all.max(1) as f64 {
        percent if percent < options.floor => {
            bail!("{percent:.1} % of the calls are equal, not {}", options.floor)
        }
        _ => Ok(()),
    }
}

/// The calls of the programs, each once.
fn cases(options: &Options, oracle: &Oracle) -> Result<Vec<Case>> {
    let mut files = Vec::new();
    for dir in &options.dirs {
        let entries = std::fs::read_dir(dir).with_context(|| format!("reading {}", dir.display()))?;
        files.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "py"));
    files.sort();
    let answers = in_parallel(files.len(), |index| {
        let text = std::fs::read_to_string(files.get(index)?).ok()?;
        oracle.ask(&json!({"op": "calls", "text": text})).ok()
    });
    let mut cases: BTreeMap<String, Case> = BTreeMap::new();
    for call in answers.iter().flatten().filter_map(|answer| answer["calls"].as_array()).flatten() {
        let text = |key: &str| call[key].as_str().map(str::to_owned);
        let (Some(op), Some(program)) = (text("op"), text("text")) else { continue };
        if options.op.as_ref().is_some_and(|part| !op.contains(part)) {
            continue;
        }
        let case = cases.entry(program.clone());
        case.or_insert_with(|| Case { op, text: program, legal: text("legal"), count: 0 }).count += 1;
    }
    Ok(cases.into_values().collect())
}

/// A text without its head.
fn module(text: &str) -> &str {
    text.split_once("@I.ir_module").map_or(text, |(_, module)| module.trim())
}

fn verdict(case: &Case, oracle: &Oracle) -> (Verdict, String) {
    let Some(legal) = &case.legal else { return (Verdict::Rejected, String::new()) };
    let read = subject::parse_in("call", &case.text, &tvm_0_27::RELEASE);
    let ours = read.map_err(|errors| errors.first().map(|error| error.message.clone()).unwrap_or_default());
    if ours.is_err() && module(&case.text) == module(legal) {
        return (Verdict::Rejected, String::new());
    }
    let ours = ours.and_then(|program| program.run_passes(&["relax.LegalizeOps".to_owned()], &[]));
    let ours = match ours.and_then(|program| program.print()) {
        Ok(ours) => ours,
        Err(error) => return (Verdict::Differs, error),
    };
    if module(&ours) == module(legal) {
        return (Verdict::Equal, String::new());
    }
    let stays = format!("R.{}(", case.op.trim_start_matches("relax."));
    if ours.contains(&stays) && !legal.contains(&stays) {
        return (Verdict::Stays, String::new());
    }
    let answer = oracle.ask(&json!({"op": "equal", "a": ours, "b": legal, "map_free_vars": true}));
    match answer {
        Ok(answer) if answer["equal"] == true => (Verdict::Equal, String::new()),
        Ok(answer) if answer["mismatch"].is_null() && is_equal(&ours, legal) => {
            (Verdict::Equal, String::new())
        }
        Ok(answer) => (Verdict::Differs, answer["mismatch"].to_string()),
        Err(error) => (Verdict::Differs, error.to_string()),
    }
}

/// Compares the programs of two texts without TVM.
fn is_equal(a: &str, b: &str) -> bool {
    let read = |text| subject::parse_in("program", text, &tvm_0_27::RELEASE).ok();
    read(a).zip(read(b)).is_some_and(|(a, b)| a.equal(&b))
}
