//! TVM's JSON of the corpus selection: loaded, saved, and compared as TVM compares it.

use std::io::Read;
use std::path::{Path, PathBuf};

use tvmscript_ir_core::json::native;
use tvmscript_ir_core::{
    Object, Registry, RegistryBuilder, StructuralEqual, Value, mismatches, structural_equal, structural_hash,
};
use tvmscript_tvm_json as tvm;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

fn registry() -> Registry {
    RegistryBuilder::new()
        .with(tvmscript_prim::dialect())
        .with(tvmscript_ir::nodes())
        .with(tvmscript_tir::nodes())
        .with(tvmscript_relax::nodes())
        .build()
        .expect("no key is registered twice")
}

fn text(file: &str) -> String {
    let file = std::fs::File::open(corpus().join(file)).expect("the file is there");
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("gzip and UTF-8");
    text
}

fn records() -> Vec<serde_json::Value> {
    let index = std::fs::read_to_string(corpus().join("index.jsonl")).expect("the index is there");
    index.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn object(value: &Value) -> &Object {
    value.as_object().expect("a node")
}

/// In the build that recorded the corpus, TVM's calls have a field `annotations`, mostly with a map per call. Calls
/// that share a map are the only difference between the texts.
#[test]
fn graphs_are_written_back_to_the_byte() {
    let registry = registry();
    let annotations = tvm::ExtraField { type_key: "tir.Call".to_owned(), name: "annotations".to_owned() };
    let options = tvm::SaveOptions { extra_fields: vec![annotations], ..tvm::SaveOptions::default() };
    let (mut same, mut all) = (0, 0);
    for record in records() {
        for file in ["json", "json_reparse"].iter().filter_map(|k| record[k].as_str()) {
            let text = text(file);
            let value = tvm::load(&text, &registry).unwrap_or_else(|e| panic!("{file}: {e}"));
            let written = tvm::save_with(&value, &options).expect("no tensor is left out");
            let again = tvm::load(&written, &registry).unwrap_or_else(|e| panic!("{file}: {e}"));
            let ours =
                native::load(&native::save(&value), &registry).unwrap_or_else(|e| panic!("{file}: {e}"));
            let mapped = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
            assert!(mapped.compare_values(&value, &again) && mapped.compare_values(&value, &ours), "{file}");
            assert_eq!(structural_hash(object(&value)), structural_hash(object(&ours)), "{file}");
            all += 1;
            same += usize::from(text == written);
        }
    }
    assert!(all > 0 && same * 100 >= all * 90, "{same} of {all} the same");
}

#[test]
fn equality_is_as_tvm_found_it() {
    let registry = registry();
    let mut verdicts = 0;
    for record in records() {
        let (Some(printed), Some(read)) = (record["json"].as_str(), record["json_reparse"].as_str()) else {
            continue;
        };
        let load = |file| tvm::load(&text(file), &registry).unwrap_or_else(|e| panic!("{file}: {e}"));
        let (lhs, rhs) = (load(printed), load(read));
        let (lhs, rhs) = (object(&lhs), object(&rhs));
        let found = mismatches(lhs, rhs);
        let equal = structural_equal(lhs, rhs);
        assert_eq!(Some(equal), record["tvm_roundtrip"].as_bool(), "{printed}");
        assert_eq!(equal, found.is_empty(), "{printed}");
        if equal {
            assert_eq!(structural_hash(lhs), structural_hash(rhs), "{printed}");
        }
        if let Some(path) = record["tvm_mismatch"][0].as_str() {
            let key = |var: &Object| {
                let var = var.as_node::<tvmscript_ir::GlobalVar>();
                format!("I.GlobalVar({:?})", var.map_or("", |v| v.name_hint.as_str()))
            };
            let ours: Vec<String> = found.iter().map(|m| m.lhs.to_text_with(key)).collect();
            assert!(ours.iter().any(|p| p == path), "{printed}: {path} is not among {ours:#?}");
        }
        verdicts += 1;
    }
    assert!(verdicts > 0);
}
