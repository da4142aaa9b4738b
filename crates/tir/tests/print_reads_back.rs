//! Printed text reads back to the same IR: TVM's own objects, printed here, read here, compared.
//!
//! The small selection in `tests/corpus` always runs; the whole corpus runs when its folder stands beside the project, or when
//! `TVMSCRIPT_CORPUS` names it. `TVMSCRIPT_DIFF` shows each file that does not read back.
#![cfg(all(feature = "print", feature = "parse"))]

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tvmscript_docsifier::{DocsifyDialect as _, PrinterConfig};
use tvmscript_ir_core::equal::StructuralEqual;
use tvmscript_ir_core::{Object, Registry, RegistryBuilder, Value};
use tvmscript_script_parser::{ParseOptions, parse_script};
use tvmscript_tvm_json as tvm;

/// The entry of a file in the index.
#[derive(serde::Deserialize)]
struct Record {
    name: String,
    kind: String,
    json: Option<String>,
}

fn registry() -> Result<Registry> {
    Ok(RegistryBuilder::new()
        .with(tvmscript_prim::dialect())
        .with(tvmscript_ir::dialect())
        .with(tvmscript_tir::dialect())
        .with(tvmscript_relax::nodes().alias("R"))
        .build()?)
}

fn unpacked(path: &Path) -> Result<String> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path)?).read_to_string(&mut text)?;
    Ok(text)
}

/// Why the object does not read back, if so.
fn loss(object: &Object, registry: &Registry) -> Option<String> {
    let config = PrinterConfig { show_meta: true, ..PrinterConfig::default() };
    let text = match tvmscript_docsifier::print(object, registry, &config) {
        Ok(text) => text,
        Err(error) => return Some(format!("does not print: {error}")),
    };
    let parsed = parse_script("printed", &text, registry, &ParseOptions::default());
    if let Some(error) = parsed.errors.first() {
        let start = (error.range().start as usize).min(text.len());
        let line = text[..start].lines().count();
        return Some(format!(
            "line {line}: {:?}: {}",
            error.kind,
            text.lines().nth(line.max(1) - 1).unwrap_or("")
        ));
    }
    let [script] = &*parsed.scripts else { return Some(format!("{} scripts", parsed.scripts.len())) };
    let how = StructuralEqual { map_free_vars: true, skip_tensor_content: false };
    if how.compare(object, &script.node) {
        let again = tvmscript_docsifier::print(&script.node, registry, &config).unwrap_or_default();
        if again != text {
            let lines = again.lines().zip(text.lines()).find(|(a, b)| a != b);
            return Some(format!("prints differently the second time: {lines:?}"));
        }
        return None;
    }
    let mismatch = how.mismatches(object, &script.node, 1).into_iter().next();
    Some(mismatch.map_or_else(|| "not equal".to_owned(), |m| format!("{:?} {}", m.kind, m.lhs)))
}

fn losses(corpus: &Path) -> Result<(usize, Vec<String>)> {
    let registry = registry()?;
    let index = std::fs::read_to_string(corpus.join("index.jsonl")).context("index.jsonl")?;
    let (mut count, mut losses) = (0, Vec::new());
    for line in index.lines() {
        let record: Record = serde_json::from_str(line)?;
        let Some(json) = record.json.filter(|_| record.kind.starts_with("tir")) else { continue };
        let Value::Node(object) = tvm::load(&unpacked(&corpus.join(json))?, &registry)? else { continue };
        count += 1;
        if let Some(loss) = loss(&object, &registry) {
            losses.push(format!("{}: {loss}", record.name));
        }
    }
    if std::env::var_os("TVMSCRIPT_DIFF").is_some() {
        losses.iter().for_each(|loss| eprintln!("{loss}"));
    }
    eprintln!("{} of {count} read back", count - losses.len());
    Ok((count, losses))
}

fn beside() -> Option<PathBuf> {
    let named = std::env::var_os("TVMSCRIPT_CORPUS").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/classic");
    named.or(Some(beside)).filter(|p| p.join("index.jsonl").exists())
}

#[test]
fn selection_reads_back() -> Result<()> {
    let (count, losses) = losses(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus"))?;
    assert!(count >= 40, "{count} programs");
    assert!(losses.is_empty(), "{losses:#?}");
    Ok(())
}

#[test]
fn corpus_reads_back() -> Result<()> {
    let Some(corpus) = beside() else { return Ok(()) };
    let (count, losses) = losses(&corpus)?;
    // The rest: loops and axes whose variable also stands outside of them (15), calls of functions that give a value (7),
    // ranges of two types (2), broadcasting buffers without strides (2).
    assert!(losses.len() <= count / 20, "{losses:#?}");
    Ok(())
}
