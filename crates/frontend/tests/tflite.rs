//! Damaged TFLite models: the importer answers, and never panics.
#![cfg(feature = "tflite")]

use std::path::PathBuf;

use tvmscript_frontend::{Format, ImportError, ImportOptions, Model, import};

/// The models of the fixtures.
fn models() -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/models");
    let files = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let models = files.filter(|path| path.extension().is_some_and(|extension| extension == "tflite"));
    models.map(|path| (path.display().to_string(), std::fs::read(&path).expect("a file"))).collect()
}

fn read(bytes: Vec<u8>) -> Result<(), ImportError> {
    let model = Model::from_bytes(Format::Tflite, bytes);
    match import(&model, &ImportOptions::default()) {
        Ok(_) => Ok(()),
        Err(errors) => Err(errors.first().expect("a reason").clone()),
    }
}

#[test]
fn cut_models_are_refused() {
    for (name, bytes) in models() {
        // What is cut at first may be unused; a model without half of its tables is none.
        for length in 0..bytes.len() / 2 {
            let answer = read(bytes[..length].to_vec());
            let answer = answer.expect_err(&format!("{name}: {length} bytes"));
            let is_about_file =
                matches!(answer, ImportError::Container { .. } | ImportError::Unsupported { .. });
            assert!(is_about_file || length > 64, "{name}: {length} bytes: {answer}");
        }
    }
}

#[test]
fn changed_bytes_have_an_answer() {
    for (_, bytes) in models() {
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = value;
                let _ = read(changed);
            }
        }
    }
}

#[test]
fn nothing_is_no_model() {
    assert!(matches!(read(Vec::new()), Err(ImportError::Container { .. })));
    assert!(matches!(read(vec![0; 64]), Err(ImportError::Container { .. })));
}
