//! The files of `metaprogrammed`, which a live TVM reads to the same programs (`cargo xtask files`).

use std::fmt::Write as _;
use std::path::PathBuf;

use tvmscript::{ParseOptions, parse, print, registry};
use tvmscript_tests::{canonical_options, check_roundtrip, describe, on_small_stack};

/// Environment variable to record the printed scripts.
const BLESS: &str = "TVMSCRIPT_BLESS";

/// All scripts of a file as text, in order, each below its name.
fn printed(name: &str, text: &str) -> Result<(String, usize), String> {
    let parsed = parse(name, text, registry(), &ParseOptions::default());
    if let Some(error) = parsed.errors.iter().chain(&parsed.warnings).next() {
        return Err(format!("{name}: {}", describe(text, error)));
    }
    let mut all = String::new();
    for script in &parsed.scripts {
        let path = script.name.as_deref().unwrap_or("?");
        let text =
            print(&script.node, registry(), &Default::default()).map_err(|e| format!("{name}: {e}"))?;
        let _ = writeln!(all, "# ---- {path}\n{text}");
        check_roundtrip(std::slice::from_ref(&script.node), &canonical_options())
            .map_err(|why| format!("{name}: {path}: {why}"))?;
    }
    Ok((all, parsed.scripts.len()))
}

#[test]
fn p79_18_scripts_of_python_files_are_those_of_tvm() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("metaprogrammed");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "py"));
    files.sort();
    let mut count = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a text");
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let (found, scripts) =
            on_small_stack(move || printed(&name, &text)).unwrap_or_else(|why| panic!("{why}"));
        count += scripts;
        let record = file.with_extension("txt");
        if std::env::var_os(BLESS).is_some() {
            std::fs::write(&record, &found).expect("the record is written");
        }
        let expected = std::fs::read_to_string(&record).unwrap_or_default();
        let first = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
        assert!(found == expected, "{} changed ({BLESS}=1 records it): {first:?}", record.display());
    }
    assert!(count >= 180, "{count}");
}
