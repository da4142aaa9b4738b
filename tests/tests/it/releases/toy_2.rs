//! A made-up release in one file: other names, another head of functions, a field less in JSON, and a statement more.

use tvmscript::docsifier::{DocsifyDialect as _, printers};
use tvmscript::ir_core::Dialect;
use tvmscript::ir_core::registry::Overlay;
use tvmscript::ir_core::release::NameChange::Renamed;
use tvmscript::ir_core::release::{Release, Renames, Syntax};
use tvmscript::irbuilder::{BuildDialect as _, BuildResult, Builder, script_fn};
use tvmscript::releases::TVM_0_23;
use tvmscript::tvm_json::{TvmJsonDialect as _, TvmJsonVersion};
use tvmscript::upgrade::{self, Step, UpgradeDialect as _};
use tvmscript::{
    ParseOptions, Ref, Registry, Span, load_json, parse, registry_builder, to_json_of, to_tvm_json_of,
};
use tvmscript_ir_core::Node;

use super::third_party::{assert_equal, printed, read};

static TOY_2: Release = Release {
    name: "toy",
    version: "2",
    syntax: Syntax { import_names: &[("tir", "tirs"), ("toy", "toys")], signs: &[], ..TVM_0_23.syntax },
    renames: RENAMES,
};

const RENAMES: Renames = Renames {
    functions: &[&[
        ("tir", "prim_func", Renamed("kernel")),
        ("toy", "clamp", Renamed("math.limit")),
        ("toy", "region", Renamed("scope")),
        ("toy", "trace", Renamed("log")),
    ]],
    keywords: &[("toy", "high", "most")],
    key_prefix: Some(("toy.", "toys.")),
    types: &[&[("toy.Trace", "toys.Log")]],
    ..Renames::NONE
};

static JSON: TvmJsonVersion = TvmJsonVersion {
    name: "2.0",
    tvm_version: "2.0.toy",
    renames: &RENAMES,
    missing_maps: &[("tir.For", "annotations")],
    ..TvmJsonVersion::V0_23
};

static TO_TOY_2: Step = Step::renames(&TVM_0_23, &TOY_2);
static FROM_TOY_2: Step = Step::renames(&TOY_2, &TVM_0_23);

/// A statement that only this release has.
#[derive(Debug, Clone, Node)]
#[node(key = "toys.Wait", parent_key = "tir.Stmt")]
struct Wait {
    span: Span,
    seconds: i64,
}

#[script_fn]
fn wait(seconds: i64) -> BuildResult<()> {
    Builder::add_stmt(Ref::new(Wait { span: Span::current(), seconds }).into())
}

printers! {
    in "toy";
    fn print_wait(Wait { span: _, seconds }) = do wait(seconds);
}

fn toy_2() -> Overlay {
    let toys = Dialect::new("toy").node::<Wait>().docsify(print_wait).functions(&[&WAIT]);
    let toys = toys.tvm_json(&TOY_2, &JSON).upgrade(&TO_TOY_2).upgrade(&FROM_TOY_2);
    Overlay::new(&TOY_2).extend(toys)
}

fn registry() -> Registry {
    let builder = registry_builder().with(tvmscript_toy_dialect::dialect());
    builder.release(toy_2()).build().expect("the dialects do not clash")
}

const OLD: &str = r#"# from tvm.script import tir as T
# from tvm.script import toy as Toy

@T.prim_func
def main(A: T.Buffer((16,), "int32"), n: T.int32):
    T.func_attr({"toy.level": 3})
    for i in range(16):
        Toy.trace("before", A[i])
        with Toy.region("inner"):
            A[i] = Toy.clamp(A[i] + n, 0, 255) * Toy.twice(n)"#;

fn new_text() -> String {
    let pairs = [
        ("tir as T", "tirs as T"),
        ("toy as Toy", "toys as Toy"),
        ("prim_func", "kernel"),
        ("toy.level", "toys.level"),
    ];
    let functions = [("Toy.trace", "Toy.log"), ("Toy.region", "Toy.scope"), ("Toy.clamp", "Toy.math.limit")];
    pairs.iter().chain(&functions).fold(OLD.to_owned(), |text, (old, new)| text.replace(old, new))
}

#[test]
fn texts_of_a_made_up_release_print_as_they_were() {
    let (registry, text) = (registry(), new_text() + "\n    Toy.wait(3)");
    // A function in a group has the keywords of the release, too.
    for written in [text.clone(), text.replace("0, 255", "0, most=255")] {
        assert_eq!(printed(&read(&written, &TOY_2, &registry), &TOY_2, &registry), text);
    }
    // Each release has its own names only.
    for (text, name) in [(OLD.replace("trace", "log"), "log"), (new_text().replace("log", "trace"), "trace")]
    {
        let parsed = parse("text.py", &text, &registry, &ParseOptions::default());
        assert!(parsed.errors.iter().any(|error| error.to_string().contains(name)), "{:?}", parsed.errors);
    }
}

#[test]
fn json_of_a_made_up_release_has_its_names_and_fields() {
    let registry = registry();
    let node = read(&(new_text() + "\n    Toy.wait(3)"), &TOY_2, &registry);
    let json = to_tvm_json_of(&node, &TOY_2, &registry).expect("one graph");
    assert!(json.contains("\"toys.Log\"") && json.contains("\"2.0.toy\""), "{json}");
    let loops = json.split("\"tir.For\"").nth(1).expect("a loop");
    assert!(!loops[..loops.find('}').expect("its fields")].contains("annotations"), "{json}");
    for json in [json, to_json_of(&node, &TOY_2)] {
        let loaded = load_json(&json, &registry).expect("a program");
        assert_eq!(loaded.release, &TOY_2);
        assert_equal(&loaded.node, &node);
    }
}

#[test]
fn programs_are_upgraded_to_a_made_up_release_and_back() {
    let registry = registry();
    for (from, text, to, expected) in
        [(&TVM_0_23, OLD.to_owned(), &TOY_2, new_text()), (&TOY_2, new_text(), &TVM_0_23, OLD.to_owned())]
    {
        let step = upgrade::find(&registry, from, to).expect("a step");
        let upgraded = upgrade::upgrade(&read(&text, from, &registry), step).expect("a program");
        assert_eq!(printed(&upgraded.node, to, &registry), expected);
    }
}
