//! `cargo xtask bench-gate`: instructions of the main operations, compared with the fewest ever recorded.
//!
//! Times vary with the machine and its load, so a limit on them lets a program become slower in small steps. The number of
//! instructions of a program does not vary. Valgrind counts them: an operation costs half of what two more repetitions add
//! to a run. An operation fails if it takes more than [`TOLERANCE`] above its line in [`RECORDED`]. A deliberate cost is
//! recorded with its reason.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;

use xtask::workspace;

use crate::command;
use crate::conformance::in_parallel;

/// The record, relative to the root: lines `WORKLOAD OPERATION INSTRUCTIONS`, with a reason if the number once grew.
const RECORDED: &str = "xtask/checks/instructions.txt";

/// The first lines of the record.
const HEADER: &str = "\
# The fewest instructions that each operation ever took: `WORKLOAD OPERATION INSTRUCTIONS`, for all statements of the workload.
# `cargo xtask bench-gate --bless` enters smaller numbers, `--accept REASON` larger ones too, with the reason behind them.
";

/// Allowed growth of a number, in percent.
const TOLERANCE: u64 = 2;

/// Statements per workload.
const STATEMENTS: usize = 1000;

/// The operations of `tvmscript bench`. Parsing includes dropping the result.
const OPERATIONS: [&str; 6] = ["parse", "print", "eq", "hash", "save", "load"];

/// The passes that are measured as one chain, and their workload.
pub const PASSES: (&str, &str) = (
    "blocks",
    "tir.LowerInitBlock,tir.ConvertBlocksToOpaque,tir.LowerOpaqueBlock,tir.Simplify,tir.UnrollLoop,tir.VectorizeLoop,tir.RemoveNoOp",
);

/// Options of the gate.
#[derive(Args)]
pub struct Options {
    /// Record numbers that are smaller than the recorded ones.
    #[arg(long)]
    bless: bool,
    /// Record all numbers, for this reason.
    #[arg(long, value_name = "REASON")]
    accept: Option<String>,
}

/// Instructions, and why they once grew.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    instructions: u64,
    reason: Option<String>,
}

/// Entries by workload and operation.
type Record = BTreeMap<(String, String), Entry>;

/// Measures all workloads and compares them with the record.
///
/// # Errors
/// If an operation takes more instructions than recorded, or nothing can be measured.
pub fn run(options: &Options) -> Result<()> {
    let command = command::optimized()?;
    let folder = workspace::root().join("target/bench-gate");
    std::fs::create_dir_all(&folder)?;
    let mut runs = Vec::new();
    for (name, text) in workloads(STATEMENTS) {
        std::fs::write(folder.join(format!("{name}.py")), text)?;
        runs.extend(OPERATIONS.map(|operation| (name, operation, ["--ops", operation])));
    }
    let (workload, passes) = PASSES;
    runs.push((workload, "passes", ["--passes", passes]));
    let counts = in_parallel(runs.len(), |i| {
        let (workload, _, arguments) = runs[i];
        instructions_of(&command, &folder.join(format!("{workload}.py")), &arguments)
    });
    let mut measured = BTreeMap::new();
    for ((workload, operation, _), count) in runs.into_iter().zip(counts) {
        measured.insert((workload.to_owned(), operation.to_owned()), count?);
    }

    let file = workspace::root().join(RECORDED);
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let mut record = parse(&text)?;
    let (table, slower) = compare(&measured, &record);
    println!("{table}");
    if options.bless || options.accept.is_some() {
        enter(&measured, &mut record, options.accept.as_deref());
        std::fs::write(&file, shown(&record))?;
        return Ok(());
    }
    match slower {
        0 => Ok(()),
        n => bail!(
            "{n} operations take over {TOLERANCE} % more instructions than {RECORDED} has; see `cargo xtask bench-gate --help`"
        ),
    }
}

/// The instructions of one repetition of what `arguments` select.
fn instructions_of(command: &Path, file: &Path, arguments: &[&str]) -> Result<u64> {
    let run = |repeat: &str| {
        // The budget ends repetitions by their time, which must not matter here.
        let mut bench = Command::new("valgrind");
        bench.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
        bench.arg(command).arg("bench").arg(file).args(arguments);
        bench.args(["--repeat", repeat, "--budget", "9999"]);
        let output = bench.output().context("cannot run valgrind, which counts the instructions")?;
        let log = String::from_utf8_lossy(&output.stderr);
        match total(&log).filter(|_| output.status.success()) {
            Some(count) => Ok(count),
            None => bail!("{bench:?} failed:\n{log}"),
        }
    };
    Ok(run("3")?.saturating_sub(run("1")?) / 2)
}

/// The number behind `I refs:` in what valgrind writes.
fn total(log: &str) -> Option<u64> {
    let (_, rest) = log.split_once("refs:")?;
    let number: String = rest.lines().next()?.chars().filter(char::is_ascii_digit).collect();
    number.parse().ok()
}

/// Reads the record.
fn parse(text: &str) -> Result<Record> {
    let mut record = Record::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut words = line.splitn(4, ' ');
        let entry = (|| {
            let key = (words.next()?.to_owned(), words.next()?.to_owned());
            let instructions = words.next()?.parse().ok()?;
            Some((key, Entry { instructions, reason: words.next().map(str::to_owned) }))
        })();
        let (key, entry) = entry.with_context(|| format!("{RECORDED}: {line}"))?;
        record.insert(key, entry);
    }
    Ok(record)
}

/// Writes the record.
fn shown(record: &Record) -> String {
    let mut out = HEADER.to_owned();
    for ((workload, operation), Entry { instructions, reason }) in record {
        let _ = write!(out, "{workload} {operation} {instructions}");
        if let Some(reason) = reason {
            let _ = write!(out, " {reason}");
        }
        out.push('\n');
    }
    out
}

/// Enters new and smaller numbers, and with a reason larger ones.
fn enter(measured: &BTreeMap<(String, String), u64>, record: &mut Record, reason: Option<&str>) {
    for (key, &instructions) in measured {
        let best = record.get(key).map(|entry| entry.instructions);
        let grows = best.is_some_and(|best| instructions > best);
        if !grows && best != Some(instructions) {
            let kept = record.get(key).and_then(|entry| entry.reason.clone());
            record.insert(key.clone(), Entry { instructions, reason: kept });
        } else if grows && let Some(reason) = reason {
            record.insert(key.clone(), Entry { instructions, reason: Some(reason.to_owned()) });
        }
    }
}

/// The table to print, and how many numbers are above the record by more than the tolerance.
fn compare(measured: &BTreeMap<(String, String), u64>, record: &Record) -> (String, usize) {
    let mut out = String::from("instructions per statement, and their change against the fewest recorded\n");
    let mut slower = 0;
    for (key @ (workload, operation), &count) in measured {
        let per_statement = count / STATEMENTS as u64;
        let _ = write!(out, "{workload:<7} {operation:<7} {per_statement:>8}");
        match record.get(key) {
            Some(best) => {
                let change = count as f64 / best.instructions.max(1) as f64 - 1.0;
                let is_slower = count > best.instructions + best.instructions * TOLERANCE / 100;
                slower += usize::from(is_slower);
                let _ = write!(out, " {:>+6.1} %{}", change * 100.0, if is_slower { "  SLOWER" } else { "" });
            }
            None => out.push_str("    new"),
        }
        out.push('\n');
    }
    (out, slower)
}

/// The workloads: flat stores, blocks in many functions, bindings of Relax.
pub fn workloads(statements: usize) -> [(&'static str, String); 3] {
    [("flat", flat_stores(statements)), ("blocks", blocks(statements)), ("relax", bindings(statements))]
}

/// A sequence of numbers below `limit` without a pattern that a cache would like.
fn numbers(limit: u64) -> impl FnMut() -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    }
}

fn flat_stores(statements: usize) -> String {
    let mut text = String::from(
        "# from tvm.script import tir as T\n\n@T.prim_func\ndef main(A: T.Buffer((4096,), \"float32\"), B: T.Buffer((4096,), \"float32\"), n: T.int32):\n",
    );
    let mut next = numbers(4096);
    for i in 0..statements {
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

fn blocks(statements: usize) -> String {
    let mut text = String::from(
        "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n@I.ir_module\nclass Module:\n",
    );
    // Ten statements per function.
    for f in 0..statements / 10 {
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

fn bindings(statements: usize) -> String {
    let mut text = String::from(
        "# from tvm.script import relax as R\n\n@R.function\ndef main(x: R.Tensor((1, 256), dtype=\"float32\"), w: R.Tensor((256, 256), dtype=\"float32\")) -> R.Tensor((1, 256), dtype=\"float32\"):\n    with R.dataflow():\n        lv0: R.Tensor((1, 256), dtype=\"float32\") = R.add(x, x)\n",
    );
    for i in 1..statements {
        let before = i - 1;
        let value = match i % 4 {
            0 => format!("R.matmul(lv{before}, w, out_dtype=\"float32\")"),
            1 => format!("R.multiply(lv{before}, lv{})", i / 2),
            2 => format!("R.nn.silu(lv{before})"),
            _ => format!("R.add(lv{before}, R.const(1.0, \"float32\"))"),
        };
        let _ = writeln!(text, "        lv{i}: R.Tensor((1, 256), dtype=\"float32\") = {value}");
    }
    let last = statements - 1;
    let _ = write!(
        text,
        "        gv: R.Tensor((1, 256), dtype=\"float32\") = R.add(lv{last}, lv{last})\n        R.output(gv)\n    return gv\n"
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> (String, String) {
        ("w".to_owned(), "parse".to_owned())
    }

    #[test]
    fn workloads_parse() {
        for (name, text) in workloads(STATEMENTS) {
            let options = tvmscript::ParseOptions::default();
            let parsed = tvmscript::parse(name, &text, tvmscript::registry(), &options);
            assert!(parsed.errors.is_empty(), "{name}: {}", parsed.errors[0]);
        }
    }

    #[test]
    fn the_record_reads_back() {
        let record = Record::from([
            (key(), Entry { instructions: 7, reason: Some("it checks more".to_owned()) }),
            (("w".to_owned(), "print".to_owned()), Entry { instructions: 5, reason: None }),
        ]);
        assert_eq!(parse(&shown(&record)).expect("a record"), record);
        assert!(parse("w parse many").is_err());
    }

    #[test]
    fn two_percent_above_the_record_is_slower() {
        let record = Record::from([(key(), Entry { instructions: 1000, reason: None })]);
        let slower = |count| compare(&BTreeMap::from([(key(), count)]), &record).1;
        assert_eq!(slower(1020), 0);
        assert_eq!(slower(1021), 1);
    }

    #[test]
    fn the_fewest_instructions_are_kept_unless_there_is_a_reason() {
        let mut record = Record::from([(key(), Entry { instructions: 1000, reason: None })]);
        let mut enter = |count, reason: Option<&str>| {
            super::enter(&BTreeMap::from([(key(), count)]), &mut record, reason);
            record[&key()].clone()
        };
        assert_eq!(enter(1100, None).instructions, 1000);
        assert_eq!(enter(900, None).instructions, 900);
        let reason = Some("it checks more".to_owned());
        assert_eq!(enter(1100, reason.as_deref()), Entry { instructions: 1100, reason: reason.clone() });
        assert_eq!(enter(800, None), Entry { instructions: 800, reason });
    }

    #[test]
    fn the_total_of_valgrind_is_read() {
        assert_eq!(total("==1== I   refs:      12,702,029\n==1== more 7\n"), Some(12_702_029));
        assert_eq!(total("valgrind: no such program"), None);
    }
}
