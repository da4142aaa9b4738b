//! TVM's own objects with its own text.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tvmscript_docsifier::{DocsifyDialect as _, PrinterConfig};
use tvmscript_ir_core::{Object, Registry, RegistryBuilder, Value};
use tvmscript_tvm_json as tvm;

/// The entry of a file in the index.
#[derive(serde::Deserialize)]
pub(crate) struct Record {
    pub(crate) name: String,
    pub(crate) kind: String,
    /// TVM's text.
    pub(crate) file: String,
    json: Option<String>,
    #[serde(default)]
    pub(crate) tvm_roundtrip: Option<bool>,
}

pub(crate) fn registry() -> Result<Registry> {
    Ok(RegistryBuilder::new()
        .with(tvmscript_prim::dialect())
        .with(tvmscript_ir::dialect())
        .with(tvmscript_tir::dialect())
        .with(tvmscript_relax::nodes().alias("R"))
        .build()?)
}

/// The text of an object with its metadata, as a file.
pub(crate) fn print(object: &Object, registry: &Registry) -> Result<String> {
    let config = PrinterConfig { show_meta: true, ..PrinterConfig::default() };
    Ok(tvmscript_docsifier::print(object, registry, &config)? + "\n")
}

/// Visits the programs of TIR of a corpus, each loaded from TVM's JSON if that is a node.
pub(crate) fn visit(
    corpus: &Path,
    registry: &Registry,
    mut visit: impl FnMut(Record, Result<Object>) -> Result<()>,
) -> Result<()> {
    let index = std::fs::read_to_string(corpus.join("index.jsonl")).context("index.jsonl")?;
    for line in index.lines() {
        let record: Record = serde_json::from_str(line)?;
        let Some(json) = record.json.as_ref().filter(|_| record.kind.starts_with("tir")) else { continue };
        let object = load(&corpus.join(json), registry);
        visit(record, object)?;
    }
    Ok(())
}

fn load(path: &Path, registry: &Registry) -> Result<Object> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path)?).read_to_string(&mut text)?;
    let Value::Node(object) = tvm::load(&text, registry)? else { anyhow::bail!("no node") };
    Ok(object)
}

/// The small selection inside the project.
pub(crate) fn selection() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus")
}

/// The whole corpus, if its folder stands beside the project or `TVMSCRIPT_CORPUS` names it.
pub(crate) fn whole() -> Option<PathBuf> {
    let named = std::env::var_os("TVMSCRIPT_CORPUS").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/classic");
    named.or(Some(beside)).filter(|folder| folder.join("index.jsonl").exists())
}
