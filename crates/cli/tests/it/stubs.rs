//! `stubs`: files, data and the page of functions.

use std::path::Path;

use crate::common::{folder, run};

#[test]
fn stubs_are_written_in_both_layouts() {
    let root = folder(&[]);
    let dir = root.join("made/here");
    let dir_text = dir.to_str().expect("an ASCII path");
    // The second run replaces the files of the first one.
    for arguments in [&["stubs", dir_text][..], &["stubs", dir_text], &["stubs", "--stub-packages", dir_text]]
    {
        let ran = run(arguments);
        assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""), "{arguments:?}");
    }
    let text = |path: &str| std::fs::read_to_string(dir.join(path)).expect(path);
    assert!(text("tvm/script/tir/__init__.pyi").contains("def serial("));
    assert_eq!(text("tvm/script/tir/__init__.pyi"), text("tvm-stubs/script/tir/__init__.pyi"));
    assert_eq!(text("tvm-stubs/py.typed"), "partial\n");
    assert!(!dir.join("tvm/py.typed").exists());
    // Plugins are modules; the setting of ruff is beside the stubs.
    assert!(text("tvmscript_pylint.py").contains("\"tvm.script.tir.prim_func\": \"function\""));
    assert!(text("tvmscript_mypy.py").contains("\"tvm.script.tir.prim_func\""));
    assert_eq!(text("ruff.toml"), text("tvm-stubs/ruff.toml"));
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let root = folder(&[("file", "")]);
    let below = root.join("file/stubs");
    let ran = run(&["stubs", below.to_str().expect("an ASCII path")]);
    assert_eq!((ran.status, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains("error: "), "{}", ran.stderr);
}

/// The entries of `stubs --format json`.
fn entries() -> Vec<serde_json::Value> {
    let ran = run(&["stubs", "--format", "json"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    serde_json::from_str(&ran.stdout).expect("JSON")
}

/// A release, and names that editors look up in it: an operator of each dialect, a statement, a type.
const LOOKED_UP: [(&str, &[&str]); 1] =
    [("tvm-0.23", &["T.exp", "T.if_then_else", "T.serial", "T.Buffer", "R.add", "R.nn.conv2d", "R.Tensor"])];

#[test]
fn p79_11_data_for_editors_is_that_of_the_declarations() {
    let entries = entries();
    assert!(entries.len() > 500, "{}", entries.len());
    for (release, names) in LOOKED_UP {
        for name in names {
            let found: Vec<_> = entries.iter().filter(|entry| entry["name"] == *name).collect();
            let [entry] = found[..] else { panic!("{release}: {name}: {found:?}") };
            for key in ["doc", "returns", "dialect"] {
                let value = entry[key].as_str().unwrap_or_default();
                assert!(!value.is_empty(), "{release}: {name} has no {key}: {entry}");
            }
            assert!(entry["parameters"].as_array().is_some_and(|all| !all.is_empty()), "{release}: {entry}");
        }
    }
    // The page of functions lists the same entries.
    let page = run(&["stubs", "--format", "markdown"]).stdout;
    for entry in &entries {
        let name = entry["name"].as_str().expect("a name");
        assert!(page.contains(name), "{name}");
    }
}

#[test]
fn data_is_json_with_signatures_and_documentation() {
    let entries = entries();
    let serial = entries.iter().find(|entry| entry["name"] == "T.serial").expect("an entry");
    assert_eq!(serial["dialect"], "tir");
    assert_eq!(serial["doc"], "A sequential loop.");
    assert_eq!(serial["parameters"][1]["name"], "stop");
    assert_eq!(serial["parameters"][1]["default"], "None");
}

#[test]
fn data_of_every_release_contain_its_operators() {
    let cases = [
        ("tvm-0.23", "T.exp", &["x"][..]),
        ("tilelang-0.25", "T.copy", &["src", "dst", "annotations"]),
        ("tvm-0.27", "T.cuda.any_sync", &["mask", "pred"]),
        ("tirx-0.1", "T.assume_aligned", &["tensor", "alignment_bytes", "ty"]),
    ];
    for (release, name, parameters) in cases {
        let ran = run(&["stubs", "--format", "json", "--profile", release]);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{release}");
        let entries: Vec<serde_json::Value> = serde_json::from_str(&ran.stdout).expect("JSON");
        let entry = entries.iter().find(|entry| entry["name"] == name).expect(name);
        let found = entry["parameters"].as_array().expect("a list").iter();
        let found: Vec<&str> = found.filter_map(|parameter| parameter["name"].as_str()).collect();
        assert_eq!(found, parameters, "{release}");
        assert_ne!(entry["doc"], "", "{release}");
    }
}

#[test]
fn the_page_of_functions_is_up_to_date() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/functions.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let made = run(&["stubs", "--format", "markdown"]).stdout;
    assert!(page == made, "run `cargo xtask functions`");
}

#[test]
fn a_format_does_not_fit_a_folder_and_stubs_need_one() {
    assert_eq!(run(&["stubs", "--format", "json", "somewhere"]).status, 2);
    let ran = run(&["stubs"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("tvmscript stubs DIR"), "{}", ran.stderr);
}
