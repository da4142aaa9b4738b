//! A third party's dialect in all releases: its statements inside functions of each, from text and from JSON.

use tvmscript::ir_core::diagnostic::{Anchor, Diagnostic, ErrorCode, Message};
use tvmscript::ir_core::equal::StructuralEqual;
use tvmscript::ir_core::registry::{CheckDialect as _, Overlay};
use tvmscript::ir_core::release::{Renames, Syntax};
use tvmscript::ir_core::{Dialect, Visitor, Walk};
use tvmscript::releases::{TVM_0_23, tilelang_0_25, tirx_0_1, tvm_0_27};
use tvmscript::{
    Object, ParseOptions, PrinterConfig, Registry, Release, load_json, parse, print, registry_builder,
    to_json_of, to_tvm_json_of, upgrade,
};
use tvmscript_toy_dialect::Trace;

static EMPTY_LABEL: ErrorCode =
    ErrorCode { code: "X0001", name: "empty-label", meaning: "A trace has no label." };
static SHORT_LABEL: ErrorCode =
    ErrorCode { code: "X0002", name: "short-label", meaning: "A label is too short." };

fn labels(root: &Object, code: &'static ErrorCode, is_wrong: fn(&str) -> bool) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let _ = Visitor::new().pre_order(root, |node| {
        if node.as_node::<Trace>().is_some_and(|trace| is_wrong(trace.label.as_str())) {
            found.push(Diagnostic::new(Message::new(code, code.meaning), Anchor::Node(node.clone())));
        }
        Walk::Advance
    });
    found
}

/// A release of a third party, which checks more.
static STRICT: Release = Release {
    name: "strict",
    version: "1",
    syntax: Syntax { signs: &[], ..TVM_0_23.syntax },
    renames: Renames::NONE,
};

fn registry() -> Registry {
    let builder = registry_builder();
    let toy = tvmscript_toy_dialect::dialect().check(|root| labels(root, &EMPTY_LABEL, str::is_empty));
    let strict = Dialect::new("toy").check(|root| labels(root, &SHORT_LABEL, |label| label.len() < 2));
    let registry = builder.with(toy).release(Overlay::new(&STRICT).extend(strict)).build();
    registry.expect("the dialects do not clash")
}

/// The same program in each release.
fn texts() -> [(&'static Release, String); 4] {
    let body = r#"
    for i in range(16):
        Toy.trace("before", A[i])
        A[i] = Toy.clamp(A[i] + n, 0, 255)
        with Toy.region("inner"):
            A[i] = A[i] * Toy.twice(n)"#;
    let text = |header: &str, function: &str| format!("{header}\n\n{function}{body}");
    [
        (
            &TVM_0_23,
            text(
                "# from tvm.script import tir as T\n# from tvm.script import toy as Toy",
                "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\"), n: T.int32):",
            ),
        ),
        (
            &tilelang_0_25::RELEASE,
            text(
                "# from tvm.script import tirx as T\n# from tvm.script import toy as Toy",
                "@T.prim_func\ndef main(A_handle: T.handle, n: T.int32):\n    A = T.match_buffer(A_handle, (16,), \"int32\", strides=(1,))",
            ),
        ),
        (
            &tvm_0_27::RELEASE,
            text(
                "# from tvm.script import tirx as T\n# from tvm.tirx.layout import Axis\n# from tvm.script import toy as Toy",
                "@T.prim_func(s_tir=True)\ndef main(A: T.Buffer((16,), \"int32\"), n: T.int32):",
            ),
        ),
        (
            &tirx_0_1::RELEASE,
            text(
                "from __future__ import annotations\n\n# from tvm_tirx.script import tirx as T\n# from tvm_tirx.script import toy as Toy",
                "@T.function\ndef main(A: T.Tensor((16,), T.int32), n: T.int32):",
            ),
        ),
    ]
}

pub(super) fn read(text: &str, release: &'static Release, registry: &Registry) -> Object {
    let parsed = parse("text.py", text, registry, &ParseOptions::default());
    let errors: Vec<String> = parsed.errors.iter().map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{release:?}: {errors:?}\n{text}");
    assert_eq!(parsed.release, release, "{}", parsed.release_reason);
    parsed.scripts[0].node.clone()
}

pub(super) fn printed(node: &Object, release: &'static Release, registry: &Registry) -> String {
    let config = PrinterConfig { release: Some(release), ..PrinterConfig::default() };
    print(node, registry, &config).unwrap_or_else(|error| panic!("{release:?}: {error}"))
}

#[track_caller]
pub(super) fn assert_equal(a: &Object, b: &Object) {
    let equal = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
    assert!(equal.compare(a, b), "{:?}", equal.mismatches(a, b, 1));
}

#[test]
fn statements_of_a_third_party_read_print_and_compare_in_every_release() {
    let registry = registry();
    for (release, text) in texts() {
        let node = read(&text, release, &registry);
        assert_eq!(printed(&node, release, &registry), text);
        assert_equal(&node, &read(&text, release, &registry));
        let other = read(&text.replace("before", "after"), release, &registry);
        assert!(!StructuralEqual::default().compare(&node, &other), "{release:?}");
    }
}

#[test]
fn json_of_every_release_has_nodes_of_a_third_party() {
    let registry = registry();
    for (release, text) in texts() {
        let node = read(&text, release, &registry);
        let mut forms = vec![to_json_of(&node, release)];
        // The package TIRx writes no JSON of its own.
        if release != &tirx_0_1::RELEASE {
            forms.push(to_tvm_json_of(&node, release, &registry).expect("one graph"));
        }
        for json in forms {
            let loaded = load_json(&json, &registry).unwrap_or_else(|error| panic!("{release:?}: {error}"));
            assert_eq!(loaded.release, release, "{}", loaded.release_reason);
            assert!(loaded.unknown.is_empty(), "{:?}", loaded.unknown);
            assert_equal(&loaded.node, &node);
            assert_eq!(printed(&loaded.node, release, &registry), text);
        }
    }
}

/// The codes of the checks that fire.
fn codes(node: &Object, release: &'static Release, registry: &Registry) -> Vec<&'static str> {
    let dialects = registry.of_release(release).expect("a release of the registry");
    dialects.check(node).iter().map(Diagnostic::code).collect()
}

#[test]
fn checks_of_a_third_party_run_on_programs_of_every_release() {
    let registry = registry();
    for (release, text) in texts() {
        assert_eq!(codes(&read(&text, release, &registry), release, &registry), [""; 0], "{release:?}");
        let node = read(&text.replace("before", ""), release, &registry);
        assert_eq!(codes(&node, release, &registry), ["X0001"], "{release:?}");
    }
}

#[test]
fn a_check_of_a_release_runs_on_its_programs_only() {
    let registry = registry();
    for (release, text) in texts() {
        let node = read(&text.replace("before", "b"), release, &registry);
        assert_eq!(codes(&node, release, &registry), [""; 0], "{release:?}");
    }
    let [(_, text), ..] = texts();
    let node = read(&text.replace("before", "b"), &TVM_0_23, &registry);
    assert_eq!(codes(&node, &STRICT, &registry), ["X0002"]);
}

#[test]
fn upgrades_keep_statements_of_a_third_party() {
    let registry = registry();
    let [(old, old_text), _, (new, new_text), _] = texts();
    for ((from, text), (to, expected)) in
        [((old, &old_text), (new, &new_text)), ((new, &new_text), (old, &old_text))]
    {
        let step = upgrade::find(&registry, from, to).expect("a step");
        let upgraded = upgrade::upgrade(&read(text, from, &registry), step).expect("a program");
        assert!(upgraded.findings.iter().all(|finding| !finding.is_loss), "{:?}", upgraded.findings);
        assert_eq!(printed(&upgraded.node, to, &registry), *expected);
        assert_equal(&upgraded.node, &read(expected, to, &registry));
    }
}
