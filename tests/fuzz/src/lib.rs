//! Properties that the fuzz targets check; each function panics if its property is violated.
//!
//! The targets of cargo-fuzz call them, and so does a test on mutated programs.

use tvmscript::frontend::{Format, ImportOptions, Model};
use tvmscript::ir_core::{Object, StructuralEqual};
use tvmscript::relax::check::WellFormedErrorKind;
use tvmscript::script_parser::{ParseOptions, Parsed, parse_script};

fn read(text: &str) -> Parsed {
    parse_script("fuzz", text, tvmscript::registry(), &ParseOptions::default())
}

/// Parsing returns scripts or errors, and every error is inside the text.
pub fn parse(text: &str) {
    for error in &read(text).errors {
        let range = error.range();
        assert!(range.start <= range.end && range.end as usize <= text.len(), "{range:?} of {}", text.len());
    }
}

/// Tests whether two nodes are the same program. They need not be well-formed: free variables are matched by
/// position. A map with free variables as keys equals only itself, as in TVM; then the saved programs are compared.
fn is_same(a: &Object, b: &Object) -> bool {
    let equal = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
    equal.compare(a, b) || tvmscript::to_tvm_json(a) == tvmscript::to_tvm_json(b)
}

/// Printed text reads back as the same program and prints again to the same bytes.
pub fn roundtrip(text: &str) {
    let registry = tvmscript::registry();
    let options = tvmscript::PrinterConfig { show_meta: true, ..tvmscript::PrinterConfig::default() };
    let parsed = read(text);
    if !parsed.errors.is_empty() {
        return;
    }
    for script in &parsed.scripts {
        // Printing may exceed its output limit.
        let Ok(print) = tvmscript::print(&script.node, registry, &options) else { continue };
        let again = read(&print);
        assert!(again.errors.is_empty(), "the print does not parse: {:?}\n{print}", again.errors);
        assert!(is_same(&script.node, &again.scripts[0].node), "another program:\n{print}");
        let second = tvmscript::print(&again.scripts[0].node, registry, &options);
        assert_eq!(second.ok().as_deref(), Some(print.as_str()));
    }
}

/// Loading JSON of either format returns a node or an error. The node satisfies its invariants and can be printed,
/// checked, hashed, compared and saved; saved JSON loads to the same node.
pub fn from_json(text: &str) {
    let registry = tvmscript::registry();
    let Ok(node) = tvmscript::from_json(text, registry) else { return };
    let violations = tvmscript::ir_core::invariants::violations(&node, 1);
    assert!(violations.is_empty(), "{violations:?}");
    for show_meta in [true, false] {
        let options = tvmscript::PrinterConfig { show_meta, max_bytes: 1 << 22, ..Default::default() };
        let _ = tvmscript::print(&node, registry, &options);
    }
    let _ = (tvmscript::tir::check::well_formed(&node), tvmscript::relax::check::well_formed(&node));
    let hash = tvmscript::structural_hash(&node);
    let _ = tvmscript::structural_equal(&node, &node);
    let saved = tvmscript::to_json(&node);
    let again = tvmscript::from_json(&saved, registry);
    let again = again.unwrap_or_else(|error| panic!("what was saved does not load: {error}"));
    assert_eq!(tvmscript::structural_hash(&again), hash, "another node was loaded");
    assert_eq!(tvmscript::to_json(&again), saved, "what was loaded is saved in other words");
    if let Ok(saved) = tvmscript::to_tvm_json(&node) {
        let again = tvmscript::from_tvm_json(&saved, registry);
        let again = again.unwrap_or_else(|error| panic!("what was saved for TVM does not load: {error}"));
        assert_eq!(tvmscript::structural_hash(&again), hash, "another node was loaded");
    }
}

/// Loading JSON returns a program or an error; the program saves and loads to an equal one, and prints or fails with
/// an error.
pub fn json(text: &str) {
    let registry = tvmscript::registry();
    let Ok(loaded) = tvmscript::from_tvm_json(text, registry) else { return };
    // TVM's format contains the elements of every constant.
    let saved = tvmscript::to_tvm_json(&loaded).unwrap_or_default();
    let again = tvmscript::from_tvm_json(&saved, registry);
    assert!(again.is_ok_and(|again| is_same(&loaded, &again)));
    // The JSON need not be a program, in which case printing fails.
    let _ = tvmscript::print(&loaded, registry, &tvmscript::PrinterConfig::default());
}

/// Evaluation under the default budgets ends quickly, with a value or with errors inside the text.
pub fn host(text: &str) {
    let begun = std::time::Instant::now();
    parse(text);
    check_time(begun);
}

/// Checks that an input did not take too long.
fn check_time(begun: std::time::Instant) {
    let seconds = begun.elapsed().as_secs_f64();
    // Unoptimised code is about ten times slower; `FUZZ_SECONDS` allows for a busy machine.
    let seconds_allowed = std::env::var("FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    let limit: f64 = seconds_allowed.unwrap_or(if cfg!(debug_assertions) { 100.0 } else { 10.0 });
    assert!(seconds < limit, "{seconds:.1} seconds");
}

/// Importing a model quickly returns a module or errors. The module is well-formed, and its text reads back as the same
/// module.
pub fn import(format: Format, bytes: &[u8]) {
    let mut options = ImportOptions::default();
    options.max_folded_bytes = 1 << 20;
    // Graphs of TensorFlow are bytes or text.
    for is_text in [false, true] {
        let mut model = Model::from_bytes(format, bytes.to_vec());
        model.is_text = is_text;
        if is_text && format != Format::TensorFlow {
            continue;
        }
        let begun = std::time::Instant::now();
        let imported = tvmscript::frontend::import(&model, &options);
        check_time(begun);
        match imported {
            Ok(imported) => imported_reads_back(imported.module.object()),
            Err(errors) => assert!(!errors.to_string().is_empty()),
        }
    }
}

fn imported_reads_back(module: &Object) {
    let registry = tvmscript::registry();
    let release = registry.find_release("tvm-0.27").ok();
    let config = tvmscript::PrinterConfig { release, max_bytes: 1 << 22, ..Default::default() };
    // TVM, and so the check, infers other lengths for `R.image.grid_sample` than it computes, and its importer of ONNX has an
    // impure call for `Expand` among pure ones.
    let is_of_tvm = |kind: &WellFormedErrorKind| match kind {
        WellFormedErrorKind::WrongStructInfo { .. } => true,
        WellFormedErrorKind::ImpureInDataflow { callee } => callee.as_str() == "vm.builtin.tensor_to_shape",
        _ => false,
    };
    let mut violations = tvmscript::relax::check::well_formed(module);
    violations.retain(|error| !is_of_tvm(&error.kind));
    assert!(violations.is_empty(), "{violations:?}");
    let Ok(print) = tvmscript::print(module, registry, &config) else { return };
    let mut options = ParseOptions::default();
    options.release = release;
    let again = parse_script("fuzz", &print, registry, &options);
    assert!(again.errors.is_empty(), "the print does not parse: {:?}\n{print}", again.errors);
    let node = &again.scripts[0].node;
    assert!(
        is_same(module, node),
        "another module: {:?}\n{print}",
        tvmscript::explain_difference(module, node).map(|difference| difference.to_string())
    );
}
