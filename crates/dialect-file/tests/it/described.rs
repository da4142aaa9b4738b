//! Dialects that exist outside of this project, as data alone: all texts of `tests/dialects`.

use std::path::{Path, PathBuf};

use tvmscript_dialect_file::{DialectFile, Editions, LoadOptions};
use tvmscript_docsifier::{PrinterConfig, print};
use tvmscript_ir_core::json::native;
use tvmscript_ir_core::{Object, Registry, RegistryBuilder, Value, structural_equal, structural_hash};
use tvmscript_script_parser::{ParseError, ParseOptions, parse_script};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/dialects")
}

fn load(name: &str, editions: Editions<'_>) -> (DialectFile, Registry) {
    let text = std::fs::read_to_string(folder().join(format!("{name}.toml"))).expect("a description");
    let base = RegistryBuilder::new().build().expect("no dialects");
    let options = LoadOptions { editions, ..LoadOptions::default() };
    let file = DialectFile::load_with(&text, &base, &options).unwrap_or_else(|errors| {
        let shown: Vec<String> = errors
            .iter()
            .map(|e| format!("{e} at {}", text[..e.range().start as usize].lines().count()))
            .collect();
        panic!("{name}: {shown:#?}")
    });
    (file, RegistryBuilder::new().with(file.dialect()).build().expect("the dialects go together"))
}

fn parse(name: &str, text: &str, registry: &Registry) -> Object {
    let parsed = parse_script(name, text, registry, &ParseOptions::default());
    assert!(parsed.errors.is_empty(), "{name}: {:#?}", parsed.errors);
    assert_eq!(parsed.scripts.len(), 1, "{name}");
    parsed.scripts.into_iter().next().map(|script| script.node).expect("a script")
}

fn printed(node: &Object, registry: &Registry) -> String {
    let text = print(node, registry, &PrinterConfig::default()).expect("prints");
    format!("{}\n", text.trim_end())
}

/// The texts of a folder, by name.
fn texts(name: &str) -> Vec<(String, String)> {
    let files = std::fs::read_dir(folder().join(name)).expect("a folder");
    let files = files.map(|file| file.expect("a file").path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "py"));
    let read = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("a text"))
    };
    let mut texts: Vec<(String, String)> = files.map(read).collect();
    texts.sort();
    texts
}

/// Each text of a folder is read, printed byte for byte, compared, and written to JSON and back.
fn round_trip(name: &str, number: usize) {
    let (_, registry) = load(name, Editions::Newest);
    let texts = texts(name);
    assert_eq!(texts.len(), number);
    let mut hashes = Vec::new();
    for (file, text) in &texts {
        let node = parse(file, text, &registry);
        assert_eq!(&printed(&node, &registry), text, "{file}");
        let again = parse(file, text, &registry);
        assert!(structural_equal(&node, &again), "{file}");
        assert_eq!(structural_hash(&node), structural_hash(&again), "{file}");
        let json = native::save(&Value::Node(node.clone()));
        let loaded = native::load(&json, &registry).expect("loads");
        let loaded = loaded.as_object().expect("a node");
        assert!(structural_equal(&node, loaded), "{file}");
        assert_eq!(&printed(loaded, &registry), text, "{file}");
        hashes.push(structural_hash(&node));
    }
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), number, "each text is another program");
}

#[test]
fn p74_33_executables_of_the_relax_vm_round_trip() {
    round_trip("relax_vm", 20);
}

#[test]
fn pypto_round_trips() {
    round_trip("pypto", 10);
}

#[test]
fn pypto_has_its_operations() {
    let (file, _) = load("pypto", Editions::Newest);
    let operations =
        file.types().iter().filter(|info| info.parent().is_some_and(|up| up.key() == "pypto.Expr"));
    assert!(operations.count() >= 50);
    let (all, registry) = load("pypto", Editions::All);
    let old = "@pl.function\ndef f(x: pl.Tensor[[8, 8], pl.FP32]) -> pl.Tensor[[8, 4], pl.FP32]:\n    \
               y: pl.Tensor[[8, 4], pl.FP32] = pl.tensor.view(x, [8, 4], [0, 4])\n    return y\n";
    let new = all.upgrade(parse("old", old, &registry)).expect("upgrades");
    assert_eq!(printed(&new, &registry), old.replace("tensor.view", "tensor.slice"));
}

fn first_error(text: &str, registry: &Registry) -> Option<ParseError> {
    parse_script("wrong", text, registry, &ParseOptions::default()).errors.into_iter().next()
}

/// Errors of scripts, each with the text that it is about.
#[test]
fn wrong_programs_have_errors_at_their_places() {
    let head = "@pl.function\ndef f(x: pl.Tensor[[8, 8], pl.FP32], n: pl.Scalar[pl.INDEX]) -> pl.Scalar[pl.INDEX]:\n    ";
    let (_, registry) = load("pypto", Editions::Newest);
    let mut failed = Vec::new();
    for (line, message, at) in [
        ("a: pl.Tile[[8], pl.FP32] = n", "a tile has two dimensions, not [8]", "[8]"),
        ("a: pl.Tile[[8, 8], pl.FP33] = n", "FP33", "FP33"),
        ("a: pl.Tile[[8, 8], pl.Mem.Vec] = n", "must be a value of `DataType`", "pl.Mem.Vec"),
        ("a: pl.Scalar[pl.INDEX] = x.shape", "shape", "shape"),
        (
            "a: pl.Scalar[pl.INDEX] = \"n\"",
            "expected a `pypto.Expr` or an int or a float or a bool, found str",
            "\"n\"",
        ),
        ("a: 3 = n", "expected a `pypto.Type`", "3"),
        ("return 3", "expected a `pypto.Expr`, found int", "3"),
        ("return n\n    y: pl.Scalar[pl.INDEX] = n + 1", "statements follow a `pypto.Return`", "def f"),
        (
            "if n:\n        pass\n    return n + \"a\"",
            "expected an int or a float or a `pypto.Expr`, found str",
            "n + \"a\"",
        ),
        ("y: pl.Scalar[pl.INDEX] = pl.Mem.Vec", "found function `Mem.Vec`", "pl.Mem.Vec"),
        ("y: pl.Scalar[pl.INDEX] = pl.INDEX()", "INDEX cannot be called", "pl.INDEX()"),
        ("for i in pl.range(0, 8, 0):\n        return n", "the step of a loop is not 0", "0"),
        ("y: pl.Scalar[pl.INDEX] = pl.tensor.view(x, [8], [0])", "view", "view"),
        ("return n @ n", "", "n @ n"),
        ("y = n if n else x", "the dialect `pypto` has no operator of this kind", "n if n else x"),
        ("return n << 1", "the dialect `pypto` has no operator of this kind", "n << 1"),
    ] {
        let text = format!("{head}{line}\n");
        let error = first_error(&text, &registry).unwrap_or_else(|| panic!("no error: {line}"));
        let found = &text[error.range().start as usize..error.range().end as usize];
        if !(error.to_string().contains(message) && found.contains(at)) {
            failed.push(format!("{line}: {error} at {found}"));
        }
    }
    let (_, registry) = load("relax_vm", Editions::Newest);
    for (line, message) in [
        ("ib.emit_goto(0)", "a jump by 0 never ends"),
        ("ib.emit_ret(ib.r(-1))", "the register -1 is negative"),
        ("ib.emit_ret(vm)", "must be a `relax_vm.Register`"),
        ("ib.emit_ret(ib.r(wm))", "wm"),
        ("ib.emit_call(\"f\", args=[3])", "must be a `relax_vm.Argument`, not int"),
        ("ib.emit_call(\"f\")", "args"),
        ("ib.emit_if(ib.r(0), 1)", "the branch not taken"),
    ] {
        let text = format!("ib = rx.Builder()\nwith ib.function(\"main\", num_inputs=0):\n    {line}\n");
        let error = first_error(&text, &registry).unwrap_or_else(|| panic!("no error: {line}"));
        if !error.to_string().contains(message) {
            failed.push(format!("{line}: {error}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Forms that texts of the dialects may have, and what they are printed as.
#[test]
fn other_spellings_are_read() {
    let (_, registry) = load("pypto", Editions::Newest);
    let body = "@pl.function\ndef f(x: pl.Tensor[[8], pl.FP32], n: pl.Scalar[pl.INDEX]):\n    ";
    for (written, wanted) in [
        ("y = n + 1", "y = n + 1"),
        ("y = 1", "y = 1"),
        ("y: pl.Scalar[pl.INDEX] = 1\n    z = y", "y: pl.Scalar[pl.INDEX] = 1\n    z = y"),
        (
            "if n < 1:\n        y = 1\n    elif n < 2:\n        y = 2",
            "if n < 1:\n        y = 1\n    else:\n        if n < 2:\n            y = 2",
        ),
        ("y = n * (n + 1) - -n", "y = n * (n + 1) - -n"),
        ("y = pl.tile.load(tensor=x, offsets=(0,), shapes=[8])", "y = pl.tile.load(x, [0], [8])"),
        (
            "for i in pl.range(0, n, 1):\n        for j in pl.parallel(0, i, n):\n            y = i + j",
            "for i in pl.range(0, n, 1):\n        for j in pl.parallel(0, i, n):\n            y = i + j",
        ),
    ] {
        let text = format!("import pypto.language as pl\n\n{body}{written}\n");
        let parsed = parse_script("f", &text, &registry, &ParseOptions::default());
        if wanted.is_empty() {
            assert!(!parsed.errors.is_empty(), "{written}");
            continue;
        }
        assert!(parsed.errors.is_empty(), "{written}: {:#?}", parsed.errors);
        let text = printed(&parsed.scripts[0].node, &registry);
        assert_eq!(text, format!("{body}{wanted}\n"));
        assert!(structural_equal(&parsed.scripts[0].node, &parse("f", &text, &registry)), "{text}");
    }
    let other = "import pypto.language as q\n\n@q.function\ndef f(x: q.Scalar[q.INDEX]):\n    y = q.cast(x, q.FP32)\n";
    let text = printed(&parse("f", other, &registry), &registry);
    assert_eq!(text, "@pl.function\ndef f(x: pl.Scalar[pl.INDEX]):\n    y = pl.cast(x, pl.FP32)\n");
}
