//! Models of TensorFlow: the fixtures in `tests/fixtures/models/tensorflow`.

use std::path::{Path, PathBuf};

use crate::common::{Ran, file, run};

const BLESS: &str = "TVMSCRIPT_BLESS";

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/models/tensorflow")
}

/// The models of a folder, sorted by name: files with text, and folders of saved models.
fn models(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let is_model = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "pbtxt")
            || path.join("saved_model.pbtxt").is_file()
    };
    let mut found: Vec<PathBuf> = entries.filter(is_model).collect();
    found.sort();
    assert!(!found.is_empty(), "no models in {}", folder.display());
    found
}

fn import(path: &Path, options: &[&str]) -> Ran {
    let path = path.to_str().expect("an ASCII path");
    run(&[&["import", path], options].concat())
}

#[test]
fn models_of_tensorflow_become_the_recorded_modules() {
    for model in models(&fixtures()) {
        let shown = import(&model, &["--show-spans"]);
        assert_eq!((shown.status, shown.stderr.as_str()), (0, ""), "{}", model.display());
        let expected = model.with_extension("printed");
        if std::env::var_os(BLESS).is_some() {
            std::fs::write(&expected, &shown.stdout).expect("a file");
        }
        let expected = std::fs::read_to_string(&expected).unwrap_or_default();
        assert_eq!(shown.stdout, expected, "{}: {BLESS}=1 records the text", model.display());
    }
}

#[test]
fn texts_of_models_of_tensorflow_read_back() {
    for model in models(&fixtures()) {
        for options in [&[][..], &["--keep-params"]] {
            let text = import(&model, options).stdout;
            let written = file("module.py", &text);
            let again = run(&["print", "--profile", "tvm-0.27", &written]);
            assert_eq!((again.status, again.stderr.as_str()), (0, ""), "{}\n{text}", model.display());
            assert_eq!(again.stdout, text, "{}", model.display());
        }
    }
}

#[test]
fn models_of_tensorflow_with_errors_say_what_is_wrong() {
    for model in models(&fixtures().join("err")) {
        let text = std::fs::read_to_string(&model).expect("a file");
        let found = import(&model, &[]);
        assert_eq!((found.status, found.stdout.as_str()), (1, ""), "{}", model.display());
        let expected: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# error: ")).collect();
        for part in &expected {
            assert!(found.stderr.contains(part), "{}: {part}\n{}", model.display(), found.stderr);
        }
        let lines = found.stderr.lines().filter(|line| line.starts_with("error: ")).count();
        assert_eq!(lines, expected.len(), "{}\n{}", model.display(), found.stderr);
    }
}

#[test]
fn weights_of_tensorflow_become_parameters() {
    let kept = import(&fixtures().join("saved_model"), &["--keep-params"]);
    assert_eq!((kept.status, kept.stderr.as_str()), (0, ""));
    for param in ["scale: R.Tensor((2,)", "weight: R.Tensor((2, 3)", "bias: R.Tensor((3,)"] {
        assert!(kept.stdout.contains(param), "{param}\n{}", kept.stdout);
    }
    assert!(!kept.stdout.contains("R.const"), "{}", kept.stdout);
}

#[test]
fn a_shape_replaces_that_of_a_placeholder() {
    let model = fixtures().join("dense.pbtxt");
    let found = import(&model, &["--shape", "x=5,4"]);
    assert!(found.stdout.contains("x: R.Tensor((5, 4), dtype=\"float32\")"), "{}", found.stdout);
}

#[test]
fn operators_of_tensorflow_are_listed() {
    let listed = run(&["import", "--list-operators", "tf"]);
    assert_eq!(listed.status, 0);
    let row = "Split: split and its results; not supported: an axis that is not constant\n";
    assert!(listed.stdout.contains(row), "{}", listed.stdout);
}

/// Damaged copies of the index of variables and of the graph end with an error or a module, never otherwise.
#[test]
fn damaged_saved_models_are_errors() {
    let model = fixtures().join("saved_model");
    let read = |name: &str| std::fs::read(model.join(name)).expect("a file");
    let root = crate::common::folder(&[("variables/x", "")]);
    let write = |name: &str, bytes: &[u8]| std::fs::write(root.join(name), bytes).expect("a file");
    let (graph, index) = (read("saved_model.pbtxt"), read("variables/variables.index"));
    let data = read("variables/variables.data-00000-of-00001");
    write("saved_model.pbtxt", &graph);
    write("variables/variables.data-00000-of-00001", &data);
    write("variables/variables.index", &index);
    assert_eq!(import(&root, &[]).status, 0);
    for step in (0..index.len()).step_by(7) {
        let mut damaged = index.clone();
        damaged[step] ^= 0x55;
        write("variables/variables.index", &damaged);
        let found = import(&root, &[]);
        assert!(found.status <= 1 && !found.stderr.contains("panicked"), "{step}: {}", found.stderr);
    }
    write("variables/variables.index", &index[..index.len() / 2]);
    assert!(import(&root, &[]).stderr.contains("variables.index"), "cut off");
    write("variables/variables.index", &index);
    write("variables/variables.data-00000-of-00001", &data[..10]);
    assert!(import(&root, &[]).stderr.contains("is too short"), "short data");
    std::fs::remove_file(root.join("variables/variables.index")).expect("a file");
    assert!(import(&root, &[]).stderr.contains("the model has no `variables/variables.index`"), "no index");
}
