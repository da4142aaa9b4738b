//! `cargo xtask bench-gate`: speed as ratios, compared with recorded ones.
//!
//! Absolute times mean nothing on another machine. Each operation is therefore measured against one anchor in the same
//! run: the time that rustpython's parser alone takes for the bare syntax tree of the same text. The recorded ratios are in
//! [`RECORDED`]; a ratio that is more than [`TOLERANCE`] above its record fails the gate. Rounds of the anchor and of the
//! command alternate, and the best of each counts, so that load on the machine disturbs both alike.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use xtask::workspace;

/// The recorded ratios, relative to the root: by workload, then by operation.
const RECORDED: &str = "xtask/checks/bench-ratios.json";

/// Build profile: ratios of another one are others.
const PROFILE: &str = "fast";

/// Allowed growth of a ratio.
const TOLERANCE: f64 = 0.15;

/// Statements per workload.
const STATEMENTS: usize = 1000;

/// Options of the gate.
#[derive(Args)]
pub struct Options {
    /// Record the measured ratios instead of comparing them.
    #[arg(long)]
    bless: bool,
    /// Print the table, but succeed whatever it says: for machines that do other work.
    #[arg(long)]
    report: bool,
    /// Number of rounds; the best time of each operation counts.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

/// Ratio per operation, per workload.
type Ratios = BTreeMap<String, BTreeMap<String, f64>>;

/// Measures all workloads and compares them with the record.
///
/// # Errors
/// If a ratio is above its record by more than the tolerance, or nothing can be measured.
pub fn run(options: &Options) -> Result<()> {
    let (command, anchor) = build()?;
    let folder = workspace::root().join("target/bench-gate");
    std::fs::create_dir_all(&folder)?;
    let mut measured = Ratios::new();
    for (name, text) in workloads() {
        let path = folder.join(format!("{name}.py"));
        std::fs::write(&path, text)?;
        measured.insert(name.to_owned(), ratios(&command, &anchor, &path, options.rounds)?);
    }
    let record = workspace::root().join(RECORDED);
    if options.bless {
        std::fs::write(&record, serde_json::to_string_pretty(&measured)? + "\n")?;
        println!("{}", table(&measured, &Ratios::new()).0);
        return Ok(());
    }
    let recorded: Ratios = serde_json::from_str(
        &std::fs::read_to_string(&record).with_context(|| format!("no recorded ratios in {RECORDED}"))?,
    )?;
    let (table, slower) = table(&measured, &recorded);
    println!("{table}");
    match slower {
        0 => Ok(()),
        n if options.report => {
            println!("{n} above the record by more than {:.0} %", TOLERANCE * 100.0);
            Ok(())
        }
        n => bail!("{n} ratios are above the record by more than {:.0} %", TOLERANCE * 100.0),
    }
}

/// Builds the command and the anchor with [`PROFILE`]; returns their paths.
fn build() -> Result<(PathBuf, PathBuf)> {
    for target in [
        &["-p", "tvmscript-cli", "--bin", "tvmscript"][..],
        &["-p", "tvmscript-python-syntax", "--example", "bare_tree"],
    ] {
        let status = workspace::cargo().args(["build", "--profile", PROFILE]).args(target).status()?;
        if !status.success() {
            bail!("cargo build --profile {PROFILE} {} failed", target.join(" "));
        }
    }
    let folder = workspace::root().join("target").join(PROFILE);
    Ok((folder.join("tvmscript"), folder.join("examples/bare_tree")))
}

/// Best time per operation over that of the anchor.
fn ratios(command: &Path, anchor: &Path, file: &Path, rounds: usize) -> Result<BTreeMap<String, f64>> {
    let mut best = BTreeMap::new();
    let mut best_anchor = f64::INFINITY;
    for _ in 0..rounds.max(1) {
        for (_, seconds) in times(Command::new(anchor).arg(file))? {
            best_anchor = best_anchor.min(seconds);
        }
        for (op, seconds) in times(Command::new(command).arg("bench").arg(file))? {
            let best = best.entry(op).or_insert(f64::INFINITY);
            *best = seconds.min(*best);
        }
    }
    Ok(best.into_iter().map(|(op, seconds)| (op, round(seconds / best_anchor))).collect())
}

/// Four decimals.
fn round(ratio: f64) -> f64 {
    (ratio * 1e4).round() / 1e4
}

/// The operations that a program reports, one JSON line each, with their CPU seconds.
fn times(command: &mut Command) -> Result<Vec<(String, f64)>> {
    let output = command.output()?;
    if !output.status.success() {
        bail!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    let lines = String::from_utf8(output.stdout)?;
    let parsed = lines.lines().map(|line| {
        let line: Value = serde_json::from_str(line)?;
        let op = line["op"].as_str().context("a line without `op`")?.to_owned();
        Ok((op, line["cpu"].as_f64().context("a line without `cpu`")?))
    });
    parsed.collect()
}

/// The table to print, and how many ratios are above the record by more than the tolerance.
fn table(measured: &Ratios, recorded: &Ratios) -> (String, usize) {
    let mut out = String::from("time over that of rustpython's bare syntax tree (recorded)\n");
    let mut slower = 0;
    for (workload, operations) in measured {
        let _ = write!(out, "{workload:<6}");
        for (op, ratio) in operations {
            let _ = match recorded.get(workload).and_then(|ratios| ratios.get(op)) {
                Some(record) => {
                    let is_slower = *ratio > record * (1.0 + TOLERANCE);
                    slower += usize::from(is_slower);
                    write!(out, "  {op} {ratio:.4} ({record:.4}){}", if is_slower { " SLOWER" } else { "" })
                }
                None => write!(out, "  {op} {ratio:.4} (new)"),
            };
        }
        out.push('\n');
    }
    (out, slower)
}

/// The workloads: flat stores, blocks in many functions, bindings of Relax.
fn workloads() -> [(&'static str, String); 3] {
    [("flat", flat_stores()), ("blocks", blocks()), ("relax", bindings())]
}

/// A sequence of numbers below `limit` without a pattern that a cache would like.
fn numbers(limit: u64) -> impl FnMut() -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    }
}

fn flat_stores() -> String {
    let mut text = String::from(
        "# from tvm.script import tir as T\n\n@T.prim_func\ndef main(A: T.Buffer((4096,), \"float32\"), B: T.Buffer((4096,), \"float32\"), n: T.int32):\n",
    );
    let mut next = numbers(4096);
    for i in 0..STATEMENTS {
        let (a, b, c) = (next(), next(), next());
        let _ = match i % 4 {
            0 => writeln!(text, "    B[{i}] = A[{a}] * B[{b}] + A[{c}] - B[{a}]"),
            1 => writeln!(text, "    B[{i}] = T.max(A[{a}] * T.float32(2.0), B[{b}]) - A[{c}]"),
            2 => writeln!(text, "    B[n + {i}] = A[n * 4 + {a}] * B[n + {b}] + T.float32(1.5)"),
            _ => writeln!(text, "    B[{i}] = T.exp(A[{a}] - B[{b}]) * T.Select(n < {c}, A[{a}], B[{b}])"),
        };
    }
    text
}

fn blocks() -> String {
    let mut text = String::from(
        "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n@I.ir_module\nclass Module:\n",
    );
    // Ten statements per function.
    for f in 0..STATEMENTS / 10 {
        let n = 16 + f;
        let _ = write!(
            text,
            "    @T.prim_func
    def f{f}(A: T.Buffer(({n}, 128), \"float32\"), B: T.Buffer((128, 256), \"float32\"), D: T.Buffer(({n}, 256), \"float32\")):
        C = T.alloc_buffer(({n}, 256))
        for i, j, k in T.grid({n}, 256, 128):
            with T.block(\"C\"):
                vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])
                T.reads(A[vi, vk], B[vk, vj])
                T.writes(C[vi, vj])
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
        for i, j in T.grid({n}, 256):
            with T.block(\"D\"):
                vi, vj = T.axis.remap(\"SS\", [i, j])
                T.reads(C[vi, vj])
                T.writes(D[vi, vj])
                D[vi, vj] = T.max(C[vi, vj], T.float32(0.0))

"
        );
    }
    text
}

fn bindings() -> String {
    let mut text = String::from(
        "# from tvm.script import relax as R\n\n@R.function\ndef main(x: R.Tensor((1, 256), dtype=\"float32\"), w: R.Tensor((256, 256), dtype=\"float32\")) -> R.Tensor((1, 256), dtype=\"float32\"):\n    with R.dataflow():\n        lv0: R.Tensor((1, 256), dtype=\"float32\") = R.add(x, x)\n",
    );
    for i in 1..STATEMENTS {
        let before = i - 1;
        let value = match i % 4 {
            0 => format!("R.matmul(lv{before}, w, out_dtype=\"float32\")"),
            1 => format!("R.multiply(lv{before}, lv{})", i / 2),
            2 => format!("R.nn.silu(lv{before})"),
            _ => format!("R.add(lv{before}, R.const(1.0, \"float32\"))"),
        };
        let _ = writeln!(text, "        lv{i}: R.Tensor((1, 256), dtype=\"float32\") = {value}");
    }
    let last = STATEMENTS - 1;
    let _ = write!(
        text,
        "        gv: R.Tensor((1, 256), dtype=\"float32\") = R.add(lv{last}, lv{last})\n        R.output(gv)\n    return gv\n"
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workloads_parse() {
        for (name, text) in workloads() {
            let options = tvmscript::ParseOptions::default();
            let parsed = tvmscript::parse(name, &text, tvmscript::registry(), &options);
            assert!(parsed.errors.is_empty(), "{name}: {}", parsed.errors[0]);
        }
    }

    #[test]
    fn a_ratio_above_the_record_is_counted() {
        let of = |ratio| Ratios::from([("w".to_owned(), BTreeMap::from([("parse".to_owned(), ratio)]))]);
        assert_eq!(table(&of(0.40), &of(0.35)).1, 0);
        assert_eq!(table(&of(0.41), &of(0.35)).1, 1);
    }
}
