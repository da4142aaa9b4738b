//! Models whose constants stay in their file until they are needed.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tvmscript::frontend::onnx::proto::{GraphProto, StringStringEntryProto, TensorProto};
use tvmscript::frontend::params::{self, ParamsFormat};
use tvmscript::frontend::{Format, ImportOptions, Imported, Model, import};
use tvmscript::structural_equal;

use super::build::{model, node, value, weights};

/// A file of the tests.
fn path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("large-{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    folder.join("model.onnx")
}

/// A constant of 4 MiB.
fn large(name: &str) -> TensorProto {
    let small = weights(name, &[1024, 1024]);
    let raw: Vec<u8> = small.float_data.iter().flat_map(|value| value.to_le_bytes()).collect();
    TensorProto { raw_data: Some(raw.into()), float_data: Vec::new(), ..small }
}

fn graph(initializer: Vec<TensorProto>) -> GraphProto {
    let step =
        |at: usize, name: &str| node("", "MatMul", &[&format!("t{at}"), name], &[&format!("t{}", at + 1)]);
    let names = ["a", "small", "b", "c"];
    let mut nodes: Vec<_> = names.iter().enumerate().map(|(at, name)| step(at, name)).collect();
    nodes[1].op_type = "Add".into();
    GraphProto {
        node: nodes,
        initializer,
        input: vec![value("t0", &[2, 1024])],
        output: vec![value("t4", &[2, 1024])],
        ..GraphProto::default()
    }
}

/// A model of 12 MiB.
fn bytes() -> Vec<u8> {
    model(graph(vec![large("a"), weights("small", &[1024]), large("b"), large("c")]))
}

fn opened(path: &Path) -> (Model, Imported) {
    let model = Model::open(path).unwrap();
    let imported = import(&model, &ImportOptions::default()).unwrap();
    (model, imported)
}

fn written(imported: &Imported, format: ParamsFormat) -> Vec<u8> {
    let out = Mutex::default();
    params::write(format, &imported.constants, &out).unwrap();
    out.into_inner().unwrap()
}

#[test]
fn the_constants_of_a_large_file_stay_there_and_are_the_same() {
    let (path, bytes) = (path("same"), bytes());
    std::fs::write(&path, &bytes).unwrap();
    let (model, from_file) = opened(&path);
    assert!(model.bytes.len() < 100_000 && model.byte_count() > 12 << 20, "{}", model.bytes.len());
    let in_memory = import(&Model::from_bytes(Format::Onnx, bytes), &ImportOptions::default()).unwrap();
    for format in [ParamsFormat::Safetensors, ParamsFormat::Npz] {
        assert!(written(&from_file, format) == written(&in_memory, format));
    }
    let hashes = |imported: &Imported| {
        let hash = |(name, constant): &(String, _)| {
            let constant: &tvmscript::Ref<tvmscript::relax::Constant> = constant;
            (name.clone(), constant.data.content_hash())
        };
        imported.constants.iter().map(hash).collect::<Vec<_>>()
    };
    assert_eq!(hashes(&from_file), hashes(&in_memory));
    assert!(structural_equal(from_file.module.object(), in_memory.module.object()));
}

#[test]
fn a_large_file_that_is_cut_off_is_an_error() {
    let (path, bytes) = (path("cut"), bytes());
    let errors = |model: Model| import(&model, &ImportOptions::default()).unwrap_err().to_string();
    for length in [bytes.len() - 1, 9 << 20] {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let in_memory = errors(Model::from_bytes(Format::Onnx, bytes[..length].to_vec()));
        assert_eq!(errors(Model::open(&path).unwrap()), in_memory);
    }
}

#[test]
fn a_large_file_that_shrinks_after_it_was_opened_is_an_error() {
    let path = path("shrinks");
    std::fs::write(&path, bytes()).unwrap();
    let (_, imported) = opened(&path);
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(100).unwrap();
    assert!(params::write(ParamsFormat::Safetensors, &imported.constants, &Mutex::default()).is_err());
    assert!(imported.constants[0].1.data.bytes().is_none());
}

#[test]
fn large_constants_in_other_files_stay_there_and_are_the_same() {
    let path = path("other");
    let elements = [large("a"), large("b"), large("c")].map(|tensor| tensor.raw_data.unwrap()).concat();
    std::fs::write(path.with_file_name("weights.bin"), &elements).unwrap();
    let entry =
        |key: &str, value: String| StringStringEntryProto { key: key.to_owned().into(), value: value.into() };
    let external = |name: &str, at: usize| TensorProto {
        data_location: 1,
        external_data: vec![
            entry("location", "weights.bin".to_owned()),
            entry("offset", (at << 22).to_string()),
            entry("length", (1 << 22).to_string()),
        ],
        raw_data: None,
        ..large(name)
    };
    let initializers = vec![external("a", 0), weights("small", &[1024]), external("b", 1), external("c", 2)];
    std::fs::write(&path, model(graph(initializers))).unwrap();
    let (_, from_files) = opened(&path);
    let in_memory = import(&Model::from_bytes(Format::Onnx, bytes()), &ImportOptions::default()).unwrap();
    assert!(structural_equal(from_files.module.object(), in_memory.module.object()));
    assert!(
        written(&from_files, ParamsFormat::Safetensors) == written(&in_memory, ParamsFormat::Safetensors)
    );
}
