//! Editions: which functions each has, and nodes of earlier ones.

use tvmscript_dialect_file::{DialectFile, Editions, LoadOptions};
use tvmscript_docsifier::{PrinterConfig, print};
use tvmscript_ir_core::{Registry, RegistryBuilder};
use tvmscript_script_parser::{ParseOptions, parse_script};

const TEXT: &str = r#"
[dialect]
name = "log"
prefix = "Log"
edition = "1.2"

[statement.program]
fields = { name = "str", body = "list of node" }
assembly = "@Log.program\ndef {name}(): {body}"

[statement.write]
until = "1.1"
instead = "message"
fields = { text = "str" }
assembly = "Log.write({text})"

[statement.message]
since = "1.1"
fields = { text = "str", level = { kind = "int", default = 1 } }
assembly = "Log.message({text}, level={level})"
"#;

fn load(editions: Editions<'_>) -> (DialectFile, Registry) {
    let base = RegistryBuilder::new().build().expect("no dialects");
    let options = LoadOptions { editions, ..LoadOptions::default() };
    let file = DialectFile::load_with(TEXT, &base, &options).unwrap_or_else(|errors| panic!("{errors:?}"));
    (file, RegistryBuilder::new().with(file.dialect()).build().expect("one dialect"))
}

fn script(statement: &str) -> String {
    format!("@Log.program\ndef main():\n    {statement}")
}

#[test]
fn each_edition_has_its_functions() {
    for (editions, statement, expected) in [
        (Editions::Newest, "Log.message(\"a\")", None),
        (Editions::Newest, "Log.write(\"a\")", Some("edition 1.1 has `Log.message` in place of it")),
        (Editions::One("1.0"), "Log.write(\"a\")", None),
        (Editions::One("1.0"), "Log.message(\"a\")", Some("it is in edition 1.1 and later ones")),
        (Editions::One("1.1"), "Log.message(\"a\", level=3)", None),
        (Editions::All, "Log.write(\"a\")", None),
    ] {
        let (_, registry) = load(editions);
        let parsed = parse_script("log", &script(statement), &registry, &ParseOptions::default());
        let found = parsed.errors.first().map(|error| format!("{error} {:?}", error.help));
        match expected {
            None => assert!(found.is_none(), "{statement}: {found:?}"),
            Some(advice) => assert!(found.as_ref().is_some_and(|found| found.contains(advice)), "{found:?}"),
        }
    }
}

#[test]
fn texts_of_earlier_editions_become_those_of_the_newest() {
    let (file, registry) = load(Editions::All);
    let parsed = parse_script("log", &script("Log.write(\"a\")"), &registry, &ParseOptions::default());
    let node = parsed.scripts.into_iter().next().map(|script| script.node).expect("a program");
    let text =
        print(&file.upgrade(node).expect("upgrades"), &registry, &PrinterConfig::default()).expect("prints");
    assert!(text.ends_with("    Log.message(\"a\")"), "{text}");
}

#[test]
fn wrong_editions_are_errors() {
    let base = RegistryBuilder::new().build().expect("no dialects");
    for (old, new, message) in [
        ("edition = \"1.2\"\n", "", "lacks `edition`"),
        ("edition = \"1.2\"", "edition = \"new\"", "an edition such as `1.2`"),
        ("until = \"1.1\"", "until = \"soon\"", "an edition such as `1.2`"),
        ("instead = \"message\"", "instead = \"massage\"", "not an entry of the file"),
        ("{ kind = \"int\", default = 1 }", "\"int\"", "whose field `level`"),
    ] {
        let text = TEXT.replace(old, new);
        let options = LoadOptions { editions: Editions::All, ..LoadOptions::default() };
        let errors = DialectFile::load_with(&text, &base, &options).expect_err(message);
        assert!(errors.iter().any(|error| error.to_string().contains(message)), "{errors:?}");
    }
}
