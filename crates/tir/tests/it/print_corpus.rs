//! Prints TVM's own objects and compares with TVM's own text, byte for byte.
//!
//! The small selection in `tests/corpus` always runs. The whole corpus runs when its folder stands beside the project, or when
//! `TVMSCRIPT_CORPUS` names it; `TVMSCRIPT_DIFF` shows each differing file.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use tvmscript_ir_core::Value;
use tvmscript_tvm_json as tvm;

use crate::corpus;

fn first_difference(ours: &str, theirs: &str) -> String {
    let (mut a, mut b) = (ours.lines(), theirs.lines());
    for line in 1.. {
        match (a.next(), b.next()) {
            (Some(x), Some(y)) if x == y => {}
            (None, None) => break,
            (x, y) => {
                return format!("line {line}\n  ours   {}\n  theirs {}", x.unwrap_or(""), y.unwrap_or(""));
            }
        }
    }
    "the end".to_owned()
}

/// Per kind: files, same bytes, and of those that TVM itself reads back, the number that differ. Then the differing files.
#[derive(Default)]
struct Outcome {
    kinds: BTreeMap<String, [usize; 3]>,
    differing: Vec<(String, bool, String)>,
}

fn run(folder: &Path) -> Result<Outcome> {
    let registry = corpus::registry()?;
    let mut outcome = Outcome::default();
    corpus::visit(folder, &registry, |record, object| {
        let theirs = std::fs::read_to_string(folder.join(&record.file))?;
        let count = outcome.kinds.entry(record.kind).or_default();
        count[0] += 1;
        let difference = match object.and_then(|object| corpus::print(&object, &registry)) {
            Ok(ours) if ours == theirs => {
                count[1] += 1;
                return Ok(());
            }
            Ok(ours) => first_difference(&ours, &theirs),
            Err(error) => format!("{error:#}"),
        };
        let reads_back = record.tvm_roundtrip == Some(true);
        count[2] += usize::from(reads_back);
        outcome.differing.push((record.name, reads_back, difference));
        Ok(())
    })?;
    Ok(outcome)
}

fn report(outcome: &Outcome) {
    if std::env::var_os("TVMSCRIPT_DIFF").is_some() {
        for (name, reads_back, difference) in &outcome.differing {
            let mark = if *reads_back { "" } else { " (TVM does not read its text back)" };
            eprintln!("{name}{mark}: {difference}");
        }
    }
    eprintln!("{:?}", outcome.kinds);
}

#[test]
fn selection_prints_as_tvm_prints_it() -> Result<()> {
    let outcome = run(&corpus::selection())?;
    report(&outcome);
    assert!(outcome.kinds.values().all(|[files, same, _]| *files > 20 && *same > 0), "{:?}", outcome.kinds);
    assert!(outcome.kinds.contains_key("tir"), "{:?}", outcome.kinds);
    let differing: Vec<_> = outcome.differing.iter().filter(|(_, reads_back, _)| *reads_back).collect();
    assert!(differing.is_empty(), "{differing:#?}");
    Ok(())
}

#[test]
fn corpus_prints_as_tvm_prints_it() -> Result<()> {
    let Some(folder) = corpus::whole() else { return Ok(()) };
    let outcome = run(&folder)?;
    report(&outcome);
    let differing: Vec<_> = outcome.differing.iter().filter(|(_, reads_back, _)| *reads_back).collect();
    assert!(differing.is_empty(), "{differing:#?}");
    Ok(())
}

/// One line of the vectors about names.
#[derive(serde::Deserialize)]
struct NameVector {
    id: String,
    hints: Vec<String>,
    ir: Option<String>,
    printed: Option<String>,
    #[serde(default)]
    equal: Option<bool>,
}

#[test]
fn names_print_as_tvm_prints_them_where_that_reads_back() -> Result<()> {
    let registry = corpus::registry()?;
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/names.jsonl");
    let vectors =
        corpus::whole().map(|folder| folder.join("../../vectors/names.jsonl")).filter(|p| p.exists());
    let mut same = 0;
    let mut differing = Vec::new();
    for line in std::fs::read_to_string(vectors.unwrap_or(own))?.lines() {
        let vector: NameVector = serde_json::from_str(line)?;
        let (Some(ir), Some(printed)) = (&vector.ir, &vector.printed) else { continue };
        // Functions of other dialects are other tests' business.
        if printed.contains("@R.function") {
            continue;
        }
        let Ok(Value::Node(object)) = tvm::load(ir, &registry) else { continue };
        let ours = corpus::print(&object, &registry)?;
        if ours == *printed {
            same += 1;
        // Characters beyond ASCII are escaped so that they read back as themselves: a deviation of its own.
        } else if vector.equal == Some(true) && printed.is_ascii() && !printed.contains("\\x") {
            differing.push(format!("{} {:?}: {}", vector.id, vector.hints, first_difference(&ours, printed)));
        } else if std::env::var_os("TVMSCRIPT_DIFF").is_some() {
            eprintln!("{} {:?}: {}", vector.id, vector.hints, first_difference(&ours, printed));
        }
    }
    assert!(same > 60, "{same} the same");
    assert!(differing.is_empty(), "{differing:#?}");
    Ok(())
}
