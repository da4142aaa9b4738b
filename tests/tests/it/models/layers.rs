//! Sources of the nodes of a whole model.

use std::path::Path;

use tvmscript::frontend::{ImportOptions, Model, import};
use tvmscript::relax::{Function, binding_parts};

/// The fixture, with the layer of each binding.
fn bindings() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/models/convnet.onnx");
    let module = import(&Model::open(&path).unwrap(), &ImportOptions::default()).unwrap().module;
    let (_, main) = module.function("main").unwrap();
    let main = main.as_node::<Function>().unwrap();
    let bindings = main.body.blocks.iter().flat_map(|block| block.bindings.iter());
    let described = bindings.map(|binding| {
        let (_, value) = binding_parts(binding).unwrap();
        let operator = value.as_node::<tvmscript::relax::Call>().and_then(|call| call.op_name());
        (value.span().source_name().unwrap(), operator.unwrap_or("an element of a tuple").to_owned())
    });
    described.collect()
}

#[test]
fn p92_02_all_nodes_of_a_layer_of_a_model_have_its_name() {
    let mut layers: Vec<(String, Vec<String>)> = Vec::new();
    for (layer, operator) in bindings() {
        match layers.last_mut().filter(|(last, _)| *last == layer) {
            Some((_, operators)) => operators.push(operator),
            None => layers.push((layer, vec![operator])),
        }
    }
    let names: Vec<&str> = layers.iter().map(|(layer, _)| layer.as_str()).collect();
    let expected = "stem/conv stem/norm stem/relu stem/pool block/conv block/norm block/sum block/relu head/pool \
        head/flatten head/linear head/softmax";
    assert_eq!(names, expected.split_whitespace().collect::<Vec<_>>(), "each layer once, in order");
    let operators = |name: &str| layers.iter().find(|(layer, _)| layer == name).unwrap().1.join(", ");
    assert_eq!(operators("head/linear"), "relax.permute_dims, relax.matmul, relax.add");
    let item = "an element of a tuple";
    assert_eq!(operators("stem/norm"), format!("relax.nn.batch_norm, {item}, {item}, {item}"));
}
