//! Structural differences of programs.

use tvmscript::diff::{apply, diff};
use tvmscript::docsifier::{print_mapped, print_mapped_at};
use tvmscript::ir_core::AccessPath;
use tvmscript::{Object, PrinterConfig, registry, structural_equal};
use tvmscript_test_texts::Random;
use tvmscript_tests::ir_changes::{Plan, change_program, disagreement};
use tvmscript_tests::{fixtures, parse_ok};

fn only(name: &str, text: &str) -> Option<Object> {
    match parse_ok(name, text).ok()?.as_slice() {
        [node] => Some(node.clone()),
        _ => None,
    }
}

#[test]
fn edit_scripts_of_changed_programs_are_the_changes() {
    let mut checked = 0;
    for folder in ["kernels", "programs", "ok"] {
        for fixture in fixtures(folder) {
            let (Some(a), Some(b)) = (only(&fixture.name, &fixture.text), only(&fixture.name, &fixture.text))
            else {
                continue;
            };
            // A program with free variables differs from another parse of it.
            if !structural_equal(&a, &b) {
                continue;
            }
            let mut random = Random::new(fixture.text.len() as u64);
            let plan = Plan::choose(&mut random);
            let Some((b, changes)) = change_program(&b, plan, &mut random) else { continue };
            let script = diff(&a, &b);
            let told: Vec<String> = script.edits.iter().map(ToString::to_string).collect();
            let wrong = disagreement(&a, &script, &changes);
            assert!(
                wrong.is_none(),
                "{}: {}\n{changes:#?}\n{told:#?}",
                fixture.name,
                wrong.unwrap_or_default()
            );
            let result = apply(&a, &script).unwrap_or_else(|e| panic!("{}: {e}\n{told:#?}", fixture.name));
            assert!(structural_equal(&result, &b), "{}: {told:#?}", fixture.name);
            assert_eq!(script.is_equal, structural_equal(&a, &b));
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} programs");
}

#[test]
fn two_parses_of_a_program_have_no_edits() {
    let mut equal = 0;
    for folder in ["kernels", "programs", "ok"] {
        for fixture in fixtures(folder) {
            let (Some(a), Some(b)) = (only(&fixture.name, &fixture.text), only(&fixture.name, &fixture.text))
            else {
                continue;
            };
            let script = diff(&a, &b);
            let told: Vec<String> = script.edits.iter().map(ToString::to_string).collect();
            assert_eq!(script.is_equal, structural_equal(&a, &b), "{}", fixture.name);
            assert!(!script.is_equal || told.is_empty(), "{}: {told:#?}", fixture.name);
            equal += usize::from(script.is_equal);
        }
    }
    assert!(equal > 50, "only {equal} programs");
}

#[test]
fn the_assertion_shows_the_difference() {
    let of = |value: i32| {
        let text = format!(
            "from tvm.script import tir as T\n\n@T.prim_func\ndef f(A: T.Buffer(8)):\n    A[0] = {value}\n"
        );
        only("f", &text).expect("a script")
    };
    tvmscript::assert_structural_eq!(of(1), of(1));
    let panic = std::panic::catch_unwind(|| {
        tvmscript::assert_structural_eq!(of(1), of(2));
    });
    let message = panic.expect_err("they differ").downcast::<String>().expect("a text");
    let lines = "-    A[0] = T.float32(1.0)\n+    A[0] = T.float32(2.0)\n";
    assert!(
        message.starts_with("not structurally equal:\n--- a\n+++ b\n@@") && message.ends_with(lines),
        "{message}"
    );
}

#[test]
fn a_map_of_some_parts_has_the_ranges_of_a_complete_map() {
    let mut checked = 0;
    let config = PrinterConfig::default();
    for folder in ["kernels", "programs", "ok"] {
        for fixture in fixtures(folder) {
            let Some(root) = only(&fixture.name, &fixture.text) else { continue };
            let Ok(complete) = print_mapped(&root, registry(), &config) else { continue };
            let docs = complete.docs();
            let all: Vec<AccessPath> =
                docs.docs_with_paths().map(|(_, path)| docs.paths().to_path(path)).collect();
            // Each path is in one of the maps, among parts from everywhere.
            let parts = all.len().div_ceil(16).min(8);
            for first in 0..parts {
                let paths: Vec<AccessPath> = all.iter().skip(first).step_by(parts).cloned().collect();
                let some = print_mapped_at(&root, registry(), &config, &paths).expect("prints as before");
                assert_eq!(some.text(), complete.text(), "{}", fixture.name);
                let (of_some, of_all) = (some.index(&paths), complete.index(&paths));
                for path in &paths {
                    assert_eq!(of_some.ranges_at(path), of_all.ranges_at(path), "{}: {path}", fixture.name);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 1000, "{checked}");
}
