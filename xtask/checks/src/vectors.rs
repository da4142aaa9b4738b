//! `cargo xtask vectors`: single facts that TVM recorded, file by file.
//!
//! `fold` and `regions` are texts whose canonical print is known, `names` are graphs whose print is known, `errors`
//! are wrong texts whose line is known, `relax_infer` are functions of one operator whose print or refusal is known.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use crate::conformance::{in_parallel, one_line_difference};
use crate::subject;
use xtask::workspace;

/// Options of `cargo xtask vectors`.
#[derive(Args)]
pub struct Options {
    /// The folder of the vectors [default: tests/vectors].
    dir: Option<PathBuf>,
    /// Only the file of this name, such as `fold`.
    #[arg(long)]
    only: Option<String>,
    /// Misses shown for each file.
    #[arg(long, default_value_t = 10)]
    show: usize,
}

/// A file of vectors: its name, the check of a line, and the share of lines that must agree, in per cent.
struct Kind {
    name: &'static str,
    check: fn(&Value) -> Option<Result<(), String>>,
    floor: f64,
}

/// The files.
const KINDS: &[Kind] = &[
    Kind { name: "fold", check: fold, floor: 99.0 },
    Kind { name: "regions", check: regions, floor: 99.0 },
    Kind { name: "names", check: names, floor: 99.0 },
    Kind { name: "errors", check: errors, floor: 90.0 },
    Kind { name: "relax_infer", check: relax_infer, floor: 97.0 },
];

/// Checks the vectors.
///
/// # Errors
/// When a file agrees on less than its share.
pub fn run(options: &Options) -> Result<()> {
    let dir = options.dir.clone().unwrap_or_else(|| workspace::root().join("tests/vectors"));
    let mut below = Vec::new();
    for kind in KINDS.iter().filter(|k| options.only.as_ref().is_none_or(|o| o == k.name)) {
        let lines = lines(&dir.join(format!("{}.jsonl", kind.name)))?;
        let answers = in_parallel(lines.len(), |i| {
            let check = std::panic::catch_unwind(|| (kind.check)(&lines[i]));
            check.unwrap_or(Some(Err("panic".to_string())))
        });
        let asked = answers.iter().flatten().count();
        let agreed = answers.iter().flatten().filter(|a| a.is_ok()).count();
        let percent = if asked == 0 { 100.0 } else { 100.0 * agreed as f64 / asked as f64 };
        println!("{:<10}{agreed:>6} / {asked:<6}{percent:>6.1} %  (at least {} %)", kind.name, kind.floor);
        let mut by_group: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (line, answer) in lines.iter().zip(&answers) {
            if let Some(Err(why)) = answer {
                let id = line["id"].as_str().unwrap_or_default();
                by_group.entry(group(line)).or_default().push(format!("{id}: {why}"));
            }
        }
        let mut shown = 0;
        for (group, misses) in &by_group {
            println!("  {group}: {} misses", misses.len());
            for miss in misses.iter().take(2) {
                shown += 1;
                if shown <= options.show {
                    println!("    {miss}");
                }
            }
        }
        if percent < kind.floor {
            below.push(kind.name);
        }
    }
    if below.is_empty() { Ok(()) } else { bail!("below their share: {}", below.join(", ")) }
}

/// The objects of a file of JSON lines.
fn lines(file: &Path) -> Result<Vec<Value>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    let lines = text.lines().filter(|l| !l.trim().is_empty());
    lines.map(|l| serde_json::from_str(l).with_context(|| format!("a line of {}", file.display()))).collect()
}

/// The family of a line.
fn group(line: &Value) -> String {
    ["kind", "case", "op"].iter().find_map(|key| line[*key].as_str()).unwrap_or_default().to_string()
}

/// The first error of a parse, as a line of text.
fn parse(text: &str) -> Result<subject::Program, String> {
    subject::parse("<vector>", text).map_err(|errors| {
        errors.first().map_or_else(String::new, |e| format!("{}:{}: {}", e.line, e.column, e.message))
    })
}

/// A function of one operator prints as TVM prints it, or is refused as TVM refuses it.
fn relax_infer(line: &Value) -> Option<Result<(), String>> {
    let source = line["source"].as_str()?;
    let call = line["call"].as_str().unwrap_or_default();
    let parsed = parse(source).and_then(|p| p.print());
    Some(match (line["ok"].as_bool()?, parsed) {
        (false, Err(_)) => Ok(()),
        (false, Ok(_)) => {
            Err(format!("`{call}` is an error: {}", line["error"].as_str().unwrap_or_default()))
        }
        (true, Err(error)) => Err(format!("`{call}`: {error}")),
        (true, Ok(print)) => {
            let expected = line["printed"].as_str()?;
            one_line_difference(expected, &print).map_err(|difference| format!("`{call}`: {difference}"))
        }
    })
}

/// The expression in `T.evaluate`, printed, is the recorded result; or both are errors.
fn fold(line: &Value) -> Option<Result<(), String>> {
    let vars = line["vars"].as_object()?;
    let params: Vec<String> =
        vars.iter().map(|(n, d)| format!("{n}: T.{}", d.as_str().unwrap_or_default())).collect();
    let expr = line["expr"].as_str()?;
    let text = format!("@T.prim_func\ndef main({}):\n    T.evaluate({expr})\n", params.join(", "));
    let parsed = parse(&text).and_then(|p| p.print());
    Some(match (line["ok"].as_bool()?, parsed) {
        (false, Err(_)) => Ok(()),
        (false, Ok(print)) => {
            let found = print.lines().last().unwrap_or_default().trim().to_string();
            Err(format!(
                "`{expr}` is an error ({}), found {found}",
                line["error"].as_str().unwrap_or_default()
            ))
        }
        (true, Err(error)) => Err(format!("`{expr}`: {error}")),
        (true, Ok(print)) => {
            let expected = line["result"].as_str()?;
            let found = print.lines().last().unwrap_or_default().trim();
            if folds_alike(expected, found) {
                Ok(())
            } else {
                Err(format!("`{expr}`: expected {expected}, found {found}"))
            }
        }
    })
}

/// Returns `true` if the printed statement holds the recorded expression.
///
/// Two things are not differences in folding. TVM's reader drops a statement that evaluates a zero of whatever type and
/// puts an int32 zero for the empty body; we keep it. And we print `T.Min(x, x)` where TVM prints `T.min(x, x)`.
fn folds_alike(expected: &str, found: &str) -> bool {
    let plain = |text: &str| {
        let strict = [("T.Min(", "T.min("), ("T.Max(", "T.max("), ("T.Mod(", "T.truncmod(")];
        strict.iter().fold(text.to_string(), |text, (from, to)| text.replace(from, to))
    };
    let (expected, found) = (plain(expected), plain(found));
    let inner = found.strip_prefix("T.evaluate(").and_then(|f| f.strip_suffix(')')).unwrap_or(&found);
    let is_zero = |text: &str| {
        text.ends_with("int8(0)")
            || text.ends_with("int16(0)")
            || text.ends_with("int32(0)")
            || text.ends_with("int64(0)")
            || text == "T.bool(False)"
    };
    inner == expected || found == expected || (expected == "0" && is_zero(inner))
}

/// The print of the completed function is the recorded one; or both refuse.
fn regions(line: &Value) -> Option<Result<(), String>> {
    let parsed = parse(line["source"].as_str()?).and_then(|p| p.print());
    Some(match (line["ok"].as_bool()?, parsed) {
        (false, Err(_)) => Ok(()),
        (false, Ok(_)) => Err(format!("refused by TVM: {}", line["error"].as_str().unwrap_or_default())),
        (true, Err(error)) => Err(error),
        (true, Ok(print)) => one_line_difference(
            &without_stride_names(line["printed"].as_str()?),
            &without_stride_names(&print),
        ),
    })
}

/// The text with the names of stride variables blanked: the fork that recorded the vectors keeps names that v0.23.0
/// replaces.
fn without_stride_names(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("strides=(\"") {
        out.push_str(&rest[..at]);
        let end = rest[at..].find(')').map_or(rest.len(), |e| at + e);
        out.push_str("strides=(..");
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// The print of the graph is the recorded one. Graphs that TVM could not print have nothing to compare with.
fn names(line: &Value) -> Option<Result<(), String>> {
    let printed = line["printed"].as_str()?;
    let graph = line["ir"].as_str()?;
    // If TVM's text does not read back to its IR, ours need not be that text, but has to read back.
    let ours = subject::Program::from_tvm_json(graph).and_then(|p| p.print().map(|text| (p, text)));
    Some(ours.and_then(|(program, text)| {
        let same = one_line_difference(printed, &text);
        if same.is_ok() || line["equal"] == true {
            return same;
        }
        match parse(&text) {
            Ok(read) if read.equal(&program) => Ok(()),
            Ok(_) => Err("our text reads back to another program".to_string()),
            Err(error) => Err(format!("our text does not read back: {error}")),
        }
    }))
}

/// An error is reported, on TVM's line or on a line that its span covers.
fn errors(line: &Value) -> Option<Result<(), String>> {
    if line["dialect"] != "tir" {
        return None;
    }
    let source = line["source"].as_str()?;
    let Err(errors) = subject::parse("<vector>", source) else {
        return Some(Err(format!("no error; TVM: {}", line["error"].as_str().unwrap_or_default())));
    };
    let Some(from) = line["line"].as_u64() else { return Some(Ok(())) };
    let to = line["end_line"].as_u64().unwrap_or(from).max(from);
    let covered = errors.iter().any(|e| (from..=to).contains(&(e.line as u64)));
    let first = errors.first().map_or_else(String::new, |e| format!("{}: {}", e.line, e.message));
    Some(if covered { Ok(()) } else { Err(format!("TVM points at {from}, we at {first}")) })
}
