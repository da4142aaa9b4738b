//! Results of TVM's `arith.Analyzer().simplify` on recorded expressions.
//!
//! The workspace holds a selection of the recorded lines. Where the whole file is at hand, or another one of its form,
//! it is tried, too. With `TVMSCRIPT_SHOW_FAILURES` set, lines that differ are printed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::common::{self, Vars};
use tvmscript_arith::Analyzer;
use tvmscript_prim::{IntImm, Var};

/// Agreeing lines and all lines, per kind.
type Table = BTreeMap<String, (usize, usize)>;

fn check(lines: &str) -> Table {
    let show_failures = std::env::var_os("TVMSCRIPT_SHOW_FAILURES").is_some();
    let mut table = Table::new();
    for line in lines.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| case[key].as_str().unwrap().to_owned();
        let mut vars = Vars::new();
        for (name, dtype) in case["vars"].as_object().unwrap() {
            let dtype = dtype.as_str().unwrap().parse().unwrap();
            vars.insert(name.clone(), Var::new(name.as_str(), dtype));
        }
        let mut analyzer = Analyzer::new();
        for (name, bound) in case["bounds"].as_object().unwrap() {
            let var = &vars[name];
            let number = |i: usize| IntImm::try_new(var.dtype, bound[i].as_i64().unwrap()).unwrap();
            analyzer.bind_range(var, &number(0), &number(1));
        }
        let parsed = common::read(&text("parsed"), &vars);
        let simplified = common::write(&analyzer.simplify(&parsed));
        let entry = table.entry(text("kind")).or_default();
        entry.1 += 1;
        if simplified == text("simplified") {
            entry.0 += 1;
        } else if show_failures {
            println!("{} {}", text("id"), case["bounds"]);
            println!("  from {}\n  want {}\n  have {simplified}", text("parsed"), text("simplified"));
        }
    }
    table
}

fn report(table: &Table) -> f64 {
    let (mut agreeing, mut all) = (0, 0);
    for (kind, (good, total)) in table {
        println!("{kind:8} {good:5} of {total:5}");
        agreeing += good;
        all += total;
    }
    println!("all      {agreeing:5} of {all:5}");
    agreeing as f64 / all as f64
}

#[test]
fn the_selection_agrees() {
    let lines = include_str!("../../../../tests/vectors/simplify.jsonl");
    assert!(report(&check(lines)) >= 0.99);
}

/// The whole recorded file: the one `TVMSCRIPT_SIMPLIFY` names, or that beside the workspace, if it is there.
fn whole_file() -> Option<String> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/vectors/simplify.jsonl");
    let path = std::env::var_os("TVMSCRIPT_SIMPLIFY").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    std::fs::read_to_string(path).ok()
}

#[test]
fn the_whole_file_agrees_where_present() {
    let Some(lines) = whole_file() else { return };
    assert!(report(&check(&lines)) >= 0.99);
}
