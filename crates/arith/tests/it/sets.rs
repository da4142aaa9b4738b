//! Results of TVM's interval sets and of its solver of linear inequalities on recorded expressions.
//!
//! `sets.jsonl`: the interval of `expr` with variables in `domains` (`Analyzer.int_set`). `inequalities.jsonl`: the ranges
//! that `relations` give (`arith.SolveInequalitiesToRange`), null where these do not say everything. Both were recorded
//! with TVM 0.23. `TVMSCRIPT_SETS` and `TVMSCRIPT_INEQUALITIES` name other files of the same form.

use crate::common::{self, Vars};
use serde_json::Value;
use tvmscript_arith::{DomMap, IntSet, VarRange, eval_set, solve_inequalities};
use tvmscript_ir_core::DataType;
use tvmscript_prim::{Expr, IntImm, Var};

fn lines(variable: &str, recorded: &str) -> Vec<Value> {
    let text = match std::env::var_os(variable) {
        Some(path) => std::fs::read_to_string(path).unwrap(),
        None => recorded.to_owned(),
    };
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn intervals_agree() {
    let mut misses = 0;
    let cases = lines("TVMSCRIPT_SETS", include_str!("../sets.jsonl"));
    for case in &cases {
        let mut vars = Vars::new();
        for (name, dtype) in case["vars"].as_object().unwrap() {
            vars.insert(name.clone(), Var::new(name.as_str(), text(dtype).parse::<DataType>().unwrap()));
        }
        let mut domains = DomMap::new();
        for (name, ends) in case["domains"].as_object().unwrap() {
            let end = |i: usize| Some(common::read(text(&ends[i]), &vars));
            domains.insert(&vars[name], IntSet::interval(end(0), end(1)));
        }
        let set = eval_set(&common::read(text(&case["expr"]), &vars), &domains);
        let end = |end: Option<&Expr>, missing: &str| end.map_or(missing.to_owned(), common::write);
        let (min, max) = (end(set.min(), "neg_inf"), end(set.max(), "pos_inf"));
        if min != text(&case["min"]) || max != text(&case["max"]) {
            misses += 1;
            println!("{case}\n  have {min} .. {max}");
        }
    }
    println!("{misses} of {} differ", cases.len());
    assert!(misses * 100 <= cases.len());
}

#[test]
fn solutions_agree() {
    let mut misses = 0;
    let cases = lines("TVMSCRIPT_INEQUALITIES", include_str!("../inequalities.jsonl"));
    for case in &cases {
        let dtype: DataType = text(&case["dtype"]).parse().unwrap();
        let mut vars = Vars::new();
        let names: Vec<&str> = case["vars"].as_array().unwrap().iter().map(text).collect();
        for name in &names {
            vars.insert((*name).to_owned(), Var::new(*name, dtype));
        }
        let number = |value: &Value| IntImm::try_new(dtype, value.as_i64().unwrap()).unwrap();
        let ranges: Vec<VarRange> = case["ranges"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, ends)| VarRange {
                var: vars[name].clone(),
                min: number(&ends[0]),
                extent: number(&ends[1]),
            })
            .collect();
        let relations: Vec<Expr> =
            case["relations"].as_array().unwrap().iter().map(|e| common::read(text(e), &vars)).collect();
        let ordered: Vec<_> = names.iter().map(|name| vars[*name].clone()).collect();
        let solution = solve_inequalities(&ordered, &ranges, &relations).map_or(Value::Null, |ranges| {
            let entry = |range: VarRange| {
                let ends = [common::write(&range.min), common::write(&range.extent)];
                (range.var.name.get().as_str().to_owned(), Value::from(ends.to_vec()))
            };
            Value::Object(ranges.into_iter().map(entry).collect())
        });
        if solution != case["solution"] {
            misses += 1;
            println!("{case}\n  have {solution}");
        }
    }
    println!("{misses} of {} differ", cases.len());
    assert!(misses * 100 <= cases.len());
}
