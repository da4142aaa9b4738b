//! The header and the list of symbols are those that the sources give.

use std::path::Path;

/// Set by `cargo xtask header`, to write the files instead of comparing them.
const BLESS: &str = "TVMSCRIPT_BLESS_HEADER";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Compares a file with what it should be, or writes it.
fn compare(file: &str, text: &str) {
    let path = root().join(file);
    if std::env::var_os(BLESS).is_some() {
        std::fs::write(&path, text).expect("the file can be written");
    }
    let recorded = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(recorded == text, "{file} is not what the sources give: run `cargo xtask header`");
}

/// The header that the sources give.
fn header() -> String {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).expect("the settings are valid");
    // `raw` brings its modules.
    let files = ["status.rs", "raw/mod.rs"];
    let builder = files.iter().fold(cbindgen::Builder::new().with_config(config), |builder, file| {
        builder.with_src(root().join("src").join(file))
    });
    let mut header = Vec::new();
    builder.generate().expect("the sources have types of C").write(&mut header);
    String::from_utf8(header).expect("a text")
}

#[test]
fn the_header_is_up_to_date() {
    compare("include/tvmscript.h", &header());
}

/// The exported functions are recorded, so that a change of them shows in a review: a function that is removed, or changes its
/// signature, needs another version of the interface.
#[test]
fn the_symbols_are_recorded() {
    let header = header();
    // What follows the guard is for programs, not of the library.
    let declarations = header.split("/* TVMSCRIPT_H */").next().unwrap_or_default();
    let mut symbols: Vec<&str> = declarations
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '(')
        .filter_map(|word| word.split_once('('))
        .map(|(name, _)| name)
        .filter(|name| name.starts_with("tvmscript_"))
        .collect();
    symbols.sort_unstable();
    symbols.dedup();
    let version = header.split_once("TVMSCRIPT_ABI_VERSION ").and_then(|(_, rest)| rest.lines().next());
    let version = version.expect("the version of the interface");
    compare("symbols.txt", &format!("version {version}\n{}\n", symbols.join("\n")));
}
