//! Dimensions that a model calls by any text.

use tvmscript::frontend::ImportOptions;
use tvmscript::frontend::onnx::proto::{DimensionProto, GraphProto, TensorShapeProto, ValueInfoProto};
use tvmscript::{ParseOptions, PrinterConfig, parse, print, registry, structural_equal};

use super::build::{model, node, value_of};
use super::{imported, release};

/// Names of dimensions: not identifiers, keywords, the same after cleaning or normalization, and names of the text.
const NAMES: &str = "1st|2nd|2n|_1st|0x|1e5|1.5|batch size|batch_size|batch.size|batch:size|größe|gr__e|数|ﬁ|fi|\u{212a}|K|x²|x2|\
    a\u{200b}b|a\nb|a\0b|a'b|a\"b|@|#|_|__|for|None|lambda|match|int|float32|R|T|Module|x1|lv";

fn names() -> impl Iterator<Item = String> {
    NAMES.split('|').map(str::to_owned)
}

/// An input whose first dimension has a name.
fn input(name: &str, dimension: &str) -> ValueInfoProto {
    let mut input = value_of(name, 1, &[1, 2]);
    let named = DimensionProto { dim_value: None, dim_param: Some(dimension.to_owned().into()) };
    if let Some(tensor) = input.r#type.as_mut().and_then(|of| of.tensor_type.as_mut()) {
        tensor.shape.get_or_insert_with(TensorShapeProto::default).dim[0] = named;
    }
    input
}

/// A model with an input per dimension, whose values use it.
fn model_with(dimensions: &[String]) -> Vec<u8> {
    let name = |letter: &str, at: usize| format!("{letter}{at}");
    let inputs = dimensions.iter().enumerate().map(|(at, dimension)| input(&name("x", at), dimension));
    let all = 0..dimensions.len();
    model(GraphProto {
        node: all
            .clone()
            .map(|at| node(&name("n", at), "Relu", &[&name("x", at)], &[&name("y", at)]))
            .collect(),
        input: inputs.collect(),
        output: all.map(|at| value_of(&name("y", at), 1, &[1, 2])).collect(),
        ..GraphProto::default()
    })
}

/// Checks that text and JSON of an imported model are the module, and returns the text.
fn reads_back(dimensions: &[String]) -> String {
    let module = imported(model_with(dimensions), &ImportOptions::default()).module;
    let config = PrinterConfig { release: Some(release()), ..PrinterConfig::default() };
    let text = print(module.object(), registry(), &config).unwrap();
    let mut options = ParseOptions::default();
    options.release = Some(release());
    let parsed = parse("model.py", &text, registry(), &options);
    assert!(parsed.errors.is_empty(), "{:?}\n{text}", parsed.errors);
    let native = tvmscript::from_json(&tvmscript::to_json(module.object()), registry()).unwrap();
    let upstream = tvmscript::to_tvm_json_of(module.object(), release(), registry()).unwrap();
    let upstream = tvmscript::from_json(&upstream, registry()).unwrap();
    for read in [&parsed.scripts[0].node, &native, &upstream] {
        assert!(structural_equal(read, module.object()), "{text}");
        assert_eq!(print(read, registry(), &config).unwrap(), text);
    }
    assert!(structural_equal(&parsed.scripts[0].node, &native) && structural_equal(&native, &upstream));
    text
}

#[test]
fn dimensions_with_any_name_are_the_same_in_text_and_json() {
    let text = reads_back(&names().collect::<Vec<_>>());
    assert!(text.contains("_1st = TypeVar(\"_1st\")"), "{text}");
    assert_eq!(text.matches(" = TypeVar(").count(), names().count(), "each name is a variable\n{text}");
}

#[test]
fn expressions_of_dimensions_with_any_name_are_the_same_in_text_and_json() {
    let sums = names().map(|name| format!("{name} + 1"));
    let products = names().map(|name| format!("2 * {name}"));
    for expressions in [sums.collect::<Vec<_>>(), products.collect()] {
        let text = reads_back(&expressions.into_iter().chain(names()).collect::<Vec<_>>());
        assert_eq!(text.matches(" = TypeVar(").count(), names().count(), "{text}");
    }
}
