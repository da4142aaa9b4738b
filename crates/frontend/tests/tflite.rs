//! Damaged TFLite models: the importer answers, and never panics.
#![cfg(feature = "tflite")]

use std::path::PathBuf;

use tvmscript_frontend::{Format, ImportError, ImportErrors, ImportOptions, Model, import};

/// The models of the fixtures.
fn models() -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/models");
    let files = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let models = files.filter(|path| path.extension().is_some_and(|extension| extension == "tflite"));
    models.map(|path| (path.display().to_string(), std::fs::read(&path).expect("a file"))).collect()
}

fn read(bytes: Vec<u8>) -> Result<(), ImportErrors> {
    import(&Model::from_bytes(Format::Tflite, bytes), &ImportOptions::default()).map(|_| ())
}

#[test]
fn cut_models_are_refused() {
    let models = models();
    assert!(!models.is_empty());
    for (name, bytes) in models {
        for length in 0..bytes.len() / 2 {
            assert!(read(bytes[..length].to_vec()).is_err(), "{name}: {length} bytes");
        }
    }
}

#[test]
fn changed_bytes_have_an_answer() {
    for (_, bytes) in models() {
        for at in 0..bytes.len() {
            for value in [0, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = value;
                let _ = read(changed);
            }
        }
    }
}

#[test]
fn files_without_a_model_are_refused() {
    for bytes in [Vec::new(), vec![0; 64], vec![0xff; 64]] {
        let errors = read(bytes).expect_err("not a model");
        assert!(matches!(errors.first(), Some(ImportError::Container { .. })), "{errors}");
    }
}
