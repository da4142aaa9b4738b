//! CPU times of chains of passes, here and in the real TVM, on the same generated programs.

use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::bench_gate::{PASSES, workloads};
use crate::command;
use crate::conformance::Oracle;
use xtask::workspace;

/// Statements of each program.
const STATEMENTS: usize = 10_000;

/// Passes over Relax that are measured as one chain, and their workload.
const RELAX_PASSES: (&str, &str) = (
    "relax",
    "relax.CanonicalizeBindings,relax.EliminateCommonSubexpr,relax.FoldConstant,relax.DeadCodeElimination",
);

/// Prints the times of each pass, and their ratios.
///
/// # Errors
/// When a side does not run.
pub(super) fn run(oracle: &Oracle) -> Result<()> {
    let command = command::optimized()?;
    let folder = workspace::root().join("target/passes");
    std::fs::create_dir_all(&folder)?;
    println!("{:<36} {:>9} {:>9} {:>6}", "CPU milliseconds", "TVM", "ours", "ratio");
    let programs = workloads(STATEMENTS);
    for (workload, passes) in [PASSES, RELAX_PASSES] {
        let (_, text) = programs.iter().find(|(name, _)| *name == workload).context("a workload")?;
        let file = folder.join(format!("{workload}.py"));
        std::fs::write(&file, text)?;
        let names: Vec<&str> = passes.split(',').collect();
        let answer = oracle.ask_anew(&json!({"op": "pass_times", "text": text, "passes": names}))?;
        let Some(theirs) = answer["times"].as_array() else { bail!("TVM does not run {passes}: {answer}") };
        let output = Command::new(&command).arg("bench").arg(&file).args(["--passes", passes]).output()?;
        let lines = String::from_utf8(output.stdout)?;
        let ours: Vec<f64> = lines.lines().filter_map(cpu).collect();
        if ours.len() != names.len() {
            bail!("the command does not run {passes}: {}", String::from_utf8_lossy(&output.stderr));
        }
        let theirs: Vec<f64> = theirs.iter().filter_map(Value::as_f64).collect();
        for ((name, theirs), ours) in names.iter().zip(&theirs).zip(&ours) {
            show(name, *theirs, *ours);
        }
        show(&format!("all passes over `{workload}`"), theirs.iter().sum(), ours.iter().sum());
    }
    Ok(())
}

/// The CPU seconds in a line of `bench`.
fn cpu(line: &str) -> Option<f64> {
    serde_json::from_str::<Value>(line).ok()?["cpu"].as_f64()
}

/// Prints a row, from seconds.
fn show(name: &str, theirs: f64, ours: f64) {
    println!("{name:<36} {:>9.2} {:>9.2} {:>6.1}", theirs * 1e3, ours * 1e3, theirs / ours);
}
