//! The toy dialect as a crate and as data: both pass the same tests, inside functions of all releases.

use std::sync::LazyLock;

use tvmscript::dialect_file::{DialectFile, LoadOptions, lower};
use tvmscript::ir_core::dump::{DumpOptions, Graph};
use tvmscript::releases::{TVM_0_23, tilelang_0_25, tirx_0_1, tvm_0_27};
use tvmscript::{
    Object, ParseOptions, PrinterConfig, Registry, Release, diff, from_json, from_tvm_json, mismatches,
    parse, post_order_visit, print, registry_builder, render_errors, structural_equal, structural_hash,
    to_json_of, to_tvm_json_of,
};

const TOY: &str = include_str!("../../dialects/toy.toml");

static AS_CRATE: LazyLock<Registry> = LazyLock::new(|| {
    registry_builder().with(tvmscript_toy_dialect::dialect()).build().expect("the dialects go together")
});

fn toy() -> DialectFile {
    let read = |name: &str| (name == "toy.py").then(|| include_str!("../../dialects/toy.py").to_owned());
    let options = LoadOptions { read: &read, ..LoadOptions::default() };
    DialectFile::load_with(TOY, tvmscript::registry(), &options).unwrap_or_else(|errors| panic!("{errors:?}"))
}

static AS_DATA: LazyLock<Registry> = LazyLock::new(|| {
    let file = toy();
    registry_builder().with(file.dialect()).build().expect("the dialects go together")
});

const RELEASES: [&Release; 4] = [&TVM_0_23, &tvm_0_27::RELEASE, &tilelang_0_25::RELEASE, &tirx_0_1::RELEASE];

/// A module that every release reads.
const SCRIPT: &str = r#"
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((16,), "int32"), n: T.int32):
        for i in range(16):
            Toy.trace("before", A[i])
            A[i] = Toy.clamp(A[i] + n, 0, 255) * 2 + Toy.twice(Toy.clamp(n, -1, 1))
        with Toy.region("warm up"):
            for i in range(16):
                with Toy.region("inner"):
                    Toy.trace("after", A[i])
            T.evaluate(n)
"#;

fn read(text: &str, registry: &Registry, release: &'static Release) -> Object {
    let mut options = ParseOptions::default();
    options.release = Some(release);
    let parsed = parse("toy.py", text, registry, &options);
    assert!(parsed.errors.is_empty(), "{}", render_errors(&parsed.errors, "toy.py", text, false));
    parsed.scripts.into_iter().next().map(|script| script.node).expect("a module")
}

fn config(release: &'static Release) -> PrinterConfig {
    PrinterConfig { release: Some(release), ..PrinterConfig::default() }
}

/// The result of `f` with the dialect in both forms, which must be the same.
fn both(f: impl Fn(&Registry) -> String) -> String {
    let (compiled, data) = (f(&AS_CRATE), f(&AS_DATA));
    assert_eq!(compiled, data);
    data
}

#[test]
fn p74_03_text_in_four_releases() {
    for release in RELEASES {
        let text = both(|registry| {
            let module = read(SCRIPT, registry, release);
            let text = print(&module, registry, &config(release)).expect("prints");
            let again = read(&text, registry, release);
            assert!(structural_equal(&module, &again), "{text}");
            assert_eq!(print(&again, registry, &config(release)).expect("prints"), text);
            text
        });
        assert!(text.contains("Toy.clamp(") && text.contains("with Toy.region(\"inner\"):"), "{text}");
    }
}

#[test]
fn p74_03_hash_json_and_dump() {
    for release in RELEASES {
        both(|registry| format!("{:x}", structural_hash(&read(SCRIPT, registry, release))));
        both(|registry| {
            let module = read(SCRIPT, registry, release);
            let json = to_json_of(&module, release);
            let loaded = from_json(&json, registry).expect("loads");
            assert!(structural_equal(&module, &loaded));
            // The key of the description, which a compiled dialect does not have.
            let mut json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
            json.as_object_mut().and_then(|json| json.shift_remove("descriptions"));
            json.to_string()
        });
        both(|registry| {
            let module = read(SCRIPT, registry, release);
            let json = to_tvm_json_of(&module, release, registry).expect("saves");
            let loaded = from_tvm_json(&json, registry).expect("loads");
            assert!(structural_equal(&module, &loaded), "{json}");
            let mut json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
            json.pointer_mut("/metadata")
                .and_then(serde_json::Value::as_object_mut)
                .and_then(|json| json.shift_remove("descriptions"));
            json.to_string()
        });
        both(|registry| Graph::of(&read(SCRIPT, registry, release), &DumpOptions::default()).to_text());
    }
}

#[test]
fn p74_03_equality_differences_and_visitors() {
    for release in RELEASES {
        let other = SCRIPT.replace("0, 255", "0, 254").replace("\"after\"", "\"then\"");
        let found = both(|registry| {
            let (a, b) = (read(SCRIPT, registry, release), read(&other, registry, release));
            mismatches(&a, &b).iter().map(|m| format!("{} {:?}\n", m.lhs, m.kind)).collect()
        });
        assert_eq!(found.lines().count(), 2, "{found}");
        both(|registry| {
            let (a, b) = (read(SCRIPT, registry, release), read(&other, registry, release));
            let script = diff::diff(&a, &b);
            let applied = diff::apply(&a, &script).expect("applies");
            assert!(structural_equal(&applied, &b));
            format!("{script:?}\n{:?}", diff::render::explain(&a, &b, registry))
        });
        both(|registry| {
            let mut keys = Vec::new();
            post_order_visit(&read(SCRIPT, registry, release), |node| keys.push(node.info().key()));
            keys.join("\n")
        });
    }
}

#[test]
fn p74_03_spans_and_diagnostics() {
    both(|registry| {
        let mut spans = String::new();
        post_order_visit(&read(SCRIPT, registry, &TVM_0_23), |node| {
            spans += &format!("{} {:?}\n", node.info().key(), node.span());
        });
        spans
    });
    for (old, new) in [
        ("0, 255", "9, 5"),
        ("0, 255", "0"),
        ("0, 255", "0, 1.5"),
        ("0, 255", "0, 255, 3"),
        ("0, 255", "0, high=255, height=3"),
        ("Toy.trace(\"after\", A[i])", "Toy.trace(3, A[i])"),
        ("Toy.trace(\"after\", A[i])", "Toy.trace(\"after\", 3)"),
        ("Toy.trace(\"after\", A[i])", "Toy.track(\"after\", A[i])"),
        ("Toy.trace(\"after\", A[i])", "with Toy.trace(\"after\", A[i]):\n                        pass"),
        ("with Toy.region(\"inner\")", "with Toy.region(label=3)"),
        ("with Toy.region(\"inner\")", "with Toy.region()"),
    ] {
        let text = SCRIPT.replace(old, new);
        let shown = both(|registry| {
            let parsed = parse("toy.py", &text, registry, &ParseOptions::default());
            render_errors(&parsed.errors, "toy.py", &text, false)
        });
        assert!(shown.contains("toy.py:"), "{new}: {shown}");
    }
}

#[test]
fn checks_hold_for_json_and_rewrites_too() {
    let module = read(SCRIPT, &AS_DATA, &TVM_0_23);
    let json = to_json_of(&module, &TVM_0_23);
    let wrong = json.replace("\"high\":255", "\"high\":-1");
    assert_ne!(json, wrong);
    let error = from_json(&wrong, &*AS_DATA).expect_err("the bounds").to_string();
    assert!(
        error.contains("field `low` of `toy.Clamp` is invalid: the bounds 0 and -1 are the wrong way round"),
        "{error}"
    );
}

#[test]
fn a_literal_prints_so_that_it_reads_back() {
    let text = SCRIPT.replace("Toy.clamp(n, -1, 1)", "Toy.clamp(T.int32(3), -1, 1)");
    let module = read(&text, &AS_DATA, &TVM_0_23);
    let printed = print(&module, &AS_DATA, &config(&TVM_0_23)).expect("prints");
    assert!(printed.contains("Toy.clamp(T.int32(3), -1, 1)"), "{printed}");
    assert!(structural_equal(&module, &read(&printed, &AS_DATA, &TVM_0_23)));
}

#[test]
fn nodes_are_lowered_by_functions_in_python() {
    let file = toy();
    for release in RELEASES {
        let module = read(SCRIPT, &AS_DATA, release);
        let lowered = lower(module, &[file], AS_DATA.of_release(release).expect("a release"), release);
        let lowered = lowered.unwrap_or_else(|error| panic!("{error}"));
        let text = print(&lowered, &AS_DATA, &config(release)).expect("prints");
        assert!(!text.contains("Toy."), "{text}");
        assert!(text.contains("T.max(A[i] + n, 0)") && text.contains("warm up"), "{text}");
        post_order_visit(&lowered, |node| {
            assert!(!node.info().key().starts_with("toy."), "{}", node.info().key())
        });
    }
}

#[test]
fn json_of_another_description_is_refused() {
    let json = to_json_of(&read(SCRIPT, &AS_DATA, &TVM_0_23), &TVM_0_23);
    let other = TOY.replace("edition = \"1.0\"", "edition = \"1.1\"");
    let read_file = |name: &str| (name == "toy.py").then(|| include_str!("../../dialects/toy.py").to_owned());
    let options = LoadOptions { read: &read_file, ..LoadOptions::default() };
    let file = DialectFile::load_with(&other, tvmscript::registry(), &options).expect("loads");
    let registry = registry_builder().with(file.dialect()).build().expect("the dialects go together");
    let error = from_json(&json, &registry).expect_err("another description").to_string();
    let (old, new) = (format!("1.0 {}", toy().key()), format!("1.1 {}", file.key()));
    assert!(error.contains(&old) && error.contains(&new) && error.contains("`toy`"), "{error}");
    let error = from_json(&json, tvmscript::registry()).expect_err("no description").to_string();
    assert!(error.contains("no description is loaded"), "{error}");
    for release in RELEASES {
        let json = to_tvm_json_of(&read(SCRIPT, &AS_DATA, release), release, &AS_DATA).expect("saves");
        let error = from_tvm_json(&json, &registry).expect_err("another description").to_string();
        assert!(error.contains(&old) && error.contains(&new) && error.contains("`toy`"), "{error}");
        // A field that the other description lacks is not the reason.
        let wrong = json.replacen("\"high\"", "\"upper\"", 1);
        let error = from_tvm_json(&wrong, &registry).expect_err("another description").to_string();
        assert!(error.contains(&old) && error.contains(&new), "{error}");
        let error = from_tvm_json(&json, tvmscript::registry()).expect_err("no description").to_string();
        assert!(error.contains("no description is loaded"), "{error}");
        let plain = json.replace(&format!("{}", toy().key()), "0");
        assert!(from_tvm_json(&plain, &*AS_DATA).expect_err("another key").to_string().contains(&old));
    }
}

/// The code of a page, by language.
fn blocks(page: &'static str, language: &str) -> Vec<&'static str> {
    let start = format!("```{language}\n");
    page.match_indices(&start)
        .filter_map(|(at, _)| page[at + start.len()..].split_once("\n```").map(|(code, _)| code))
        .collect()
}

#[test]
fn the_examples_of_the_page_are_true() {
    let page = include_str!("../../../docs/dialect-file.md");
    let (toml, python) = (blocks(page, "toml")[0], blocks(page, "python"));
    let read_file = |name: &str| (name == "dsp.py").then(|| python[1].to_owned());
    let options = LoadOptions { read: &read_file, ..LoadOptions::default() };
    let file = DialectFile::load_with(toml, tvmscript::registry(), &options);
    let file = file.unwrap_or_else(|errors| panic!("{}", render_errors(&errors, "dsp.toml", toml, false)));
    let registry = registry_builder().with(file.dialect()).build().expect("the dialects go together");
    let function = read(python[0], &registry, &TVM_0_23);
    let text = print(&function, &registry, &config(&TVM_0_23)).expect("prints");
    assert!(text.ends_with(python[0]), "{text}");
    let lowered = lower(function, &[file], &registry, &TVM_0_23).unwrap_or_else(|error| panic!("{error}"));
    let text = print(&lowered, &registry, &config(&TVM_0_23)).expect("prints");
    assert!(text.contains("A[i] = T.min(T.max(A[i], 0), 255)"), "{text}");
    let wrong = python[0].replace("Dsp.clamp(A[i], 0)", "Dsp.clamp(A[i], 300)");
    let parsed = parse("dsp", &wrong, &registry, &ParseOptions::default());
    assert_eq!(parsed.errors[0].to_string(), "the bounds 300 and 255 are the wrong way round");
}
