//! Time to convert models, here and in TVM, in one run.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use tvmscript::frontend::{ImportOptions, Model, import};
use xtask::workspace;

/// Runs of each conversion, of which the fastest counts.
const RUNS: usize = 3;

/// Compares the times of the models that both convert. Files are read before.
///
/// # Errors
/// When TVM does not start or no model is converted by both.
pub fn run(models: &[PathBuf], python: &Path) -> Result<()> {
    let script = workspace::root().join("xtask/checks/src/check/import_speed.py");
    let output = Command::new(python)
        .arg(script)
        .args(models)
        .output()
        .with_context(|| format!("starting {}", python.display()))?;
    let answers = String::from_utf8_lossy(&output.stdout);
    let answers = answers.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let theirs: HashMap<PathBuf, f64> = answers
        .filter_map(|answer| Some((PathBuf::from(answer["path"].as_str()?), answer["ms"].as_f64()?)))
        .collect();
    let (mut here, mut there, mut compared, mut plain) = (0.0, 0.0, 0, 0.0);
    for model in models {
        let (Some(theirs), Some(own), Some(without)) =
            (theirs.get(model), own_millis(model, true), own_millis(model, false))
        else {
            continue;
        };
        here += own;
        plain += without;
        there += theirs;
        compared += 1;
    }
    if compared == 0 {
        bail!("no model is converted by both");
    }
    println!("    {compared} models: {here:.1} ms here, {there:.1} ms in TVM, {:.1} times", there / here);
    println!("    spans: {:+.1} %", (here / plain - 1.0) * 100.0);
    Ok(())
}

/// The fastest of some conversions.
fn own_millis(path: &Path, fills_spans: bool) -> Option<f64> {
    let model = Model::open(path).ok()?;
    let mut options = ImportOptions::default();
    options.fills_spans = fills_spans;
    let mut best: Option<f64> = None;
    for _ in 0..RUNS {
        let start = Instant::now();
        import(&model, &options).ok()?;
        let millis = start.elapsed().as_secs_f64() * 1e3;
        best = Some(best.map_or(millis, |best| best.min(millis)));
    }
    best
}
