//! Kernels of `tests/values` compute what NumPy computes.

use std::path::Path;

use tvmscript::interpreter::{Argument, InputOptions, Limits, Scalar, generate, run};
use tvmscript::tir::PrimFunc;
use tvmscript_tests::parse_ok;

/// Runs a kernel on the inputs of seed 1; returns the values of its last argument.
fn last_argument(name: &str) -> Vec<f64> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("values").join(name).with_extension("py");
    let text = std::fs::read_to_string(path).expect("a kernel");
    let function = parse_ok("kernel.py", &text).expect("a right script").remove(0);
    let function = function.downcast::<PrimFunc>().expect("a function");
    let options = InputOptions { seed: 1, ..InputOptions::default() };
    let mut arguments = generate(&function, &options).expect("arguments");
    run(&function, &mut arguments, Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let result = arguments.last().and_then(Argument::tensor).expect("a tensor");
    (0..result.len()).filter_map(|index| result.get(index).and_then(Scalar::as_float)).collect()
}

#[test]
fn kernels_compute_what_numpy_computes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("values/expected.json");
    let expected: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("values")).expect("JSON");
    for (name, values) in expected.as_object().expect("an object") {
        let ours = last_argument(name);
        let theirs: Vec<f64> =
            values.as_array().expect("an array").iter().filter_map(serde_json::Value::as_f64).collect();
        assert_eq!(ours.len(), theirs.len(), "{name}");
        for (index, (a, b)) in ours.iter().zip(&theirs).enumerate() {
            assert!((a - b).abs() <= 1e-5 * b.abs().max(1.0), "{name} at {index}: {a} | {b}");
        }
    }
}
