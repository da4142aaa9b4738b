//! The shape that a map of indices makes of another: as TVM 0.23 gave it (`IndexMap.map_shape`), and large enough for every
//! index.

use crate::common::{self, Vars};
use tvmscript_arith::{Analyzer, map_ranges, simplify};
use tvmscript_ir_core::{DataType, Ref};
use tvmscript_prim::{Expr, IntImm, Var};

fn names(names: &[&str]) -> Vars {
    names.iter().map(|name| ((*name).to_owned(), Var::new(*name, DataType::INT64))).collect()
}

/// The text of the reader's integers, which are `int32` unless they say more.
fn wide(text: &str) -> String {
    let mut wide = String::new();
    let mut digits = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        if !digits.is_empty() {
            wide.push_str(&format!("T.int64({digits})"));
            digits.clear();
        }
        wide.push(c);
    }
    wide.trim_end().to_owned()
}

fn mapped(shape: &[&str], indices: &[&str]) -> Option<Vec<(Expr, Expr)>> {
    let vars = names(&["i", "j", "k", "n", "m"]);
    let iterators = ["i", "j", "k"].iter().zip(shape);
    let variables: Vec<(Ref<Var>, Expr, Expr)> = iterators
        .map(|(name, extent)| (vars[*name].clone(), IntImm::int64(0), common::read(&wide(extent), &vars)))
        .collect();
    let indices: Vec<Expr> = indices.iter().map(|index| common::read(&wide(index), &vars)).collect();
    map_ranges(&variables, &indices, &mut Analyzer::new())
}

fn check(shape: &[&str], indices: &[&str], expected: &[&str]) {
    let ranges = mapped(shape, indices).unwrap();
    let plain = |e: &Expr| common::write(e).replace("T.int64(", "").replace([')', '('], "");
    let found: Vec<String> = ranges.iter().map(|(_, extent)| plain(extent)).collect();
    assert_eq!(found, expected, "{shape:?} by {indices:?}");
}

#[test]
fn parts_have_their_extents() {
    check(&["6", "16"], &["i // 4", "j // 5", "i % 4", "j % 5"], &["2", "4", "4", "5"]);
    check(&["6", "16"], &["(i * 16 + j) // 12", "(i * 16 + j) % 12"], &["8", "12"]);
    check(&["24"], &["i // 5 // 2", "i // 5 % 2", "i % 5"], &["3", "2", "5"]);
    check(&["24"], &["i // 4 * 4 + i % 4"], &["24"]);
    check(&["24"], &["(i + 3) // 4", "(i + 3) % 4"], &["7", "4"]);
    check(&["3"], &["i // 4", "i % 4"], &["1", "4"]);
}

#[test]
fn symbolic_extents_are_padded() {
    check(&["n"], &["i // 4", "i % 4"], &["n - n % -4 // 4", "4"]);
    check(&["n * 4"], &["i // 4", "i % 4"], &["n", "4"]);
    check(&["n", "8"], &["j // 4", "i", "j % 4"], &["2", "n", "4"]);
}

#[test]
fn other_indices_are_covered() {
    check(&["6", "16"], &["i", "i"], &["6", "6"]);
    check(&["24"], &["i + i // 2"], &["35"]);
    assert!(mapped(&["6", "n"], &["i // j"]).is_none());
}

/// The value of an index at a point.
fn value_at(index: &Expr, vars: &Vars, point: &[(&str, i64)]) -> i64 {
    let mut analyzer = Analyzer::new();
    for (name, value) in point {
        analyzer.bind(&vars[*name], &IntImm::int64(*value));
    }
    let value = analyzer.simplify(index);
    value.as_node::<IntImm>().unwrap_or_else(|| panic!("{}", common::write(&value))).value
}

#[test]
fn every_index_lies_in_its_range() {
    let maps: [(&[i64], &[&str]); 8] = [
        (&[5, 7], &["i * 7 + j"]),
        (&[5, 7], &["i * 9 + j"]),
        (&[5, 7], &["i // 3 * 4 + j // 3", "i % 3 * 3 + j % 3"]),
        (&[13], &["i // 2 // 3", "i // 2 % 3", "i % 2"]),
        (&[24], &["i // 7 * 3 + i % 7 // 3", "i % 7 % 3"]),
        (&[10, 6], &["(i * 6 + j) // 8", "(i * 6 + j) % 8 // 3", "j % 2"]),
        (&[6, 4], &["(i + 2) // 5", "(j * 2 + 1) % 3"]),
        (&[9, 3], &["i + i // 2", "i + j // 2"]),
    ];
    let vars = names(&["i", "j"]);
    for (extents, indices) in maps {
        let shape: Vec<String> = extents.iter().map(i64::to_string).collect();
        let shape: Vec<&str> = shape.iter().map(String::as_str).collect();
        let ranges = mapped(&shape, indices).unwrap();
        let literal = |e: &Expr| simplify(e).as_node::<IntImm>().unwrap().value;
        for i in 0..extents[0] {
            for j in 0..extents.get(1).copied().unwrap_or(1) {
                for (index, (min, extent)) in indices.iter().zip(&ranges) {
                    let read = common::read(&wide(index), &vars);
                    let value = value_at(&read, &vars, &[("i", i), ("j", j)]);
                    let (min, extent) = (literal(min), literal(extent));
                    let what = format!("{index} of {extents:?} at {i}, {j}");
                    assert!((min..min + extent).contains(&value), "{what}: {value} in {min} + {extent}");
                }
            }
        }
    }
}
