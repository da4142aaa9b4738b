//! Models of other frameworks: modules, spans, errors.

pub(crate) mod build;
mod dims;
mod large;
mod layers;
mod pages;
mod tensorflow;

use tvmscript::frontend::onnx::proto::GraphProto;
use tvmscript::frontend::{Format, ImportOptions, Imported, Model, import};
use tvmscript::ir_core::SourceTexts;
use tvmscript::{ParseOptions, PrinterConfig, Release, parse, print, registry, structural_equal};

use build::{convnet, model, node, value, weights};

fn release() -> &'static Release {
    registry().find_release("tvm-0.27").unwrap()
}

fn imported(bytes: Vec<u8>, options: &ImportOptions) -> Imported {
    import(&Model::from_bytes(Format::Onnx, bytes), options).unwrap()
}

fn errors(bytes: Vec<u8>) -> String {
    import(&Model::from_bytes(Format::Onnx, bytes), &ImportOptions::default()).unwrap_err().to_string()
}

/// The text, with the layers as comments.
fn text(imported: &Imported) -> String {
    let config = PrinterConfig {
        release: Some(release()),
        show_spans: Some(SourceTexts::new()),
        ..PrinterConfig::default()
    };
    print(imported.module.object(), registry(), &config).unwrap()
}

/// A chain of two nodes, of which the second has no name.
fn chain() -> Vec<u8> {
    model(GraphProto {
        node: vec![node("first", "MatMul", &["x", "w"], &["t"]), node("", "Relu", &["t"], &["y"])],
        initializer: vec![weights("w", &[4, 4])],
        input: vec![value("x", &[2, 4])],
        output: vec![value("y", &[2, 4])],
        ..GraphProto::default()
    })
}

#[test]
fn the_fixture_is_what_this_file_builds() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/models/convnet.onnx");
    if std::env::var_os("TVMSCRIPT_BLESS").is_some() {
        std::fs::write(path, convnet()).unwrap();
    }
    assert!(std::fs::read(path).unwrap() == convnet(), "run with TVMSCRIPT_BLESS=1");
}

#[test]
fn p92_09_each_call_of_an_imported_model_has_the_name_of_its_layer() {
    let text = text(&imported(chain(), &ImportOptions::default()));
    let marked = |call: &str| text.lines().find(|line| line.contains(call)).unwrap().to_owned();
    assert!(marked("R.matmul").ends_with("# @first"), "{text}");
    assert!(marked("R.nn.relu").ends_with("# @y"), "named after its output: {text}");
}

#[test]
fn p92_08_a_model_imported_without_spans_is_the_same_module() {
    let mut options = ImportOptions::default();
    let with = imported(chain(), &options);
    options.fills_spans = false;
    let without = imported(chain(), &options);
    assert!(structural_equal(with.module.object(), without.module.object()));
    assert!(!text(&without).contains("# @first"));
}

#[test]
fn p92_35_inputs_parameters_and_results_are_marked_and_read_back() {
    let mut options = ImportOptions::default();
    options.keeps_params = true;
    options.marks_spans = true;
    let text = text(&imported(chain(), &options));
    for line in [
        "        x: R.Tensor((2, 4), dtype=\"float32\"),  # @x !input",
        "        w: R.Tensor((4, 4), dtype=\"float32\")  # @w !parameter",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    assert!(text.contains("R.matmul(x, w, out_dtype=None)  # @first !output"), "{text}");
    let mut options = ParseOptions::default();
    options.release = Some(release());
    let parsed = parse("model.py", &text, registry(), &options);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let config = PrinterConfig {
        release: Some(release()),
        show_spans: Some(SourceTexts::new()),
        ..PrinterConfig::default()
    };
    assert_eq!(print(&parsed.scripts[0].node, registry(), &config).unwrap(), text);
}

#[test]
fn all_unsupported_operators_are_named_at_once() {
    let bytes = model(GraphProto {
        node: vec![
            node("a", "Alien", &["x"], &["t"]),
            node("b", "Relu", &["t"], &["u"]),
            node("c", "Alien", &["u"], &["v"]),
            node("d", "Loop", &["v"], &["y"]),
        ],
        input: vec![value("x", &[2])],
        output: vec![value("y", &[2])],
        ..GraphProto::default()
    });
    assert_eq!(errors(bytes), "unsupported operator `Alien`: `a`, `c`\nunsupported operator `Loop`: `d`");
}

#[test]
fn nodes_after_one_that_fails_are_checked() {
    let bytes = model(GraphProto {
        node: vec![
            node("bad", "MatMul", &["x", "w"], &["t"]),
            node("after", "Relu", &["t"], &["y"]),
            node("other", "Add", &["x", "nobody"], &["z"]),
        ],
        initializer: vec![weights("w", &[3, 4])],
        input: vec![value("x", &[2, 4])],
        output: vec![value("y", &[2, 4])],
        ..GraphProto::default()
    });
    let text = errors(bytes);
    assert!(
        text.contains("cannot convert `bad`") && text.contains("contraction dimensions differ"),
        "{text}"
    );
    assert!(text.contains("`other` uses the value `nobody`"), "{text}");
    assert!(!text.contains("`after`"), "{text}");
}

#[test]
fn a_damaged_model_is_an_error() {
    let bytes = chain();
    for length in 0..bytes.len() {
        let _ = import(&Model::from_bytes(Format::Onnx, bytes[..length].to_vec()), &ImportOptions::default());
    }
    let input = vec![value("x", &[2])];
    assert!(errors(model(GraphProto { input, ..GraphProto::default() })).contains("it has no results"));
    assert!(errors(Vec::new()).contains("it has no graph"));
    assert!(errors(vec![0xff; 40]).contains("ONNX"));
}
