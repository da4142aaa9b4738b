//! Parsing and comparison of pairs of texts.

use tvmscript::{ParseOptions, Parsed, Script, assert_structural_eq, parse, registry};

/// The imports of all texts.
pub const IMPORTS: &str = "from tvm.script import ir as I, relax as R, tir as T\nfrom tvm.script.ir_builder import IRBuilder\n\
    from tvm.script.builder import Builder, def_, def_many\n";

/// Parses a text with the usual imports.
pub fn read_with(text: &str, options: &ParseOptions) -> Parsed {
    parse("test.py", &format!("{IMPORTS}{text}"), registry(), options)
}

/// The scripts of a text without errors and warnings.
pub fn scripts(text: &str) -> Vec<Script> {
    scripts_with(text, &ParseOptions::default())
}

/// As [`scripts`], with options.
pub fn scripts_with(text: &str, options: &ParseOptions) -> Vec<Script> {
    let text = format!("{IMPORTS}{text}");
    let parsed = parse("test.py", &text, registry(), options);
    let all: Vec<_> = parsed.errors.iter().chain(&parsed.warnings).cloned().collect();
    assert!(all.is_empty(), "{}", tvmscript::render_errors(&all, "test.py", &text, false));
    parsed.scripts
}

/// The script of this name.
pub fn script(text: &str, name: &str) -> Script {
    let found = scripts(text).into_iter().find(|script| script.name.as_deref() == Some(name));
    found.unwrap_or_else(|| panic!("no script `{name}`"))
}

/// Checks that the last scripts of both texts are equal.
pub fn same(metaprogrammed: &str, by_hand: &str) {
    let last = |text: &str| scripts(text).pop().expect("a script");
    assert_structural_eq!(last(metaprogrammed).node, last(by_hand).node);
}

/// The messages of the errors of a text, with their help.
pub fn errors(text: &str) -> Vec<String> {
    let parsed = read_with(text, &ParseOptions::default());
    let with_help = |error: &tvmscript::ParseError| match &error.help {
        Some(help) => format!("{error} ({help})"),
        None => error.to_string(),
    };
    parsed.errors.iter().map(with_help).collect()
}
