//! Time to apply whole traces, here and in TVM, in one run.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use tvmscript::ir::IRModule;
use tvmscript::schedule::Schedule;
use tvmscript::{ParseOptions, Ref, parse, registry};
use xtask::workspace;

/// Runs of each trace, of which the fastest counts.
const RUNS: usize = 3;

/// Compares the times of the traces that apply.
///
/// # Errors
/// When TVM does not start or no trace applies.
pub fn run(cases: &[Value], python: &Path) -> Result<()> {
    let script = workspace::root().join("xtask/checks/src/check/schedule_speed.py");
    let mut child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("starting {}", python.display()))?;
    let (mut input, output) =
        child.stdin.take().zip(child.stdout.take()).context("the pipes of the process")?;
    let mut answers = BufReader::new(output).lines();
    let (mut ours, mut recorded, mut theirs, mut compared) = (0.0, 0.0, 0.0, 0);
    for case in cases.iter().filter(|case| case["kind"] == "trace" && case["ok"] == true) {
        let (Some(own), Some(with_record)) = (own_seconds(case, false), own_seconds(case, true)) else {
            continue;
        };
        writeln!(input, "{case}")?;
        let answer = answers.next().context("no answer of TVM")??;
        let answer: Value = serde_json::from_str(&answer)?;
        let Some(seconds) = answer["seconds"].as_f64() else { continue };
        ours += own;
        recorded += with_record;
        theirs += seconds;
        compared += 1;
    }
    drop(input);
    child.wait()?;
    if compared == 0 {
        bail!("no trace applies in both");
    }
    let times = theirs / ours;
    println!("{compared} traces: {:.1} ms here, {:.1} ms in TVM, {times:.1} times", ours * 1e3, theirs * 1e3);
    println!("with a record: {:.1} ms, {:+.1} %", recorded * 1e3, (recorded / ours - 1.0) * 100.0);
    Ok(())
}

/// The fastest of some runs; the module is read before.
fn own_seconds(case: &Value, keeps_record: bool) -> Option<f64> {
    let parsed = parse("case.py", case["before"].as_str()?, registry(), &ParseOptions::default());
    let module: Ref<IRModule> = parsed.scripts.into_iter().next()?.node.downcast_ref::<IRModule>()?.clone();
    let mut best: Option<f64> = None;
    for _ in 0..RUNS {
        let mut schedule = Schedule::new(module.clone()).ok()?;
        if case["intrins"].is_object() {
            schedule.intrinsics_mut().read_json(&case["intrins"].to_string(), registry()).ok()?;
        }
        if keeps_record {
            schedule.keep_schedule_record();
        }
        let start = Instant::now();
        schedule.apply_json(&case["trace_json"]).ok()?;
        let seconds = start.elapsed().as_secs_f64();
        best = Some(best.map_or(seconds, |best| best.min(seconds)));
    }
    best
}
