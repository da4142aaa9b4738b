//! Printed text reads back to the same IR: TVM's own objects, printed here, read here, compared.
//!
//! The small selection in `tests/corpus` always runs; the whole corpus runs when its folder stands beside the project, or when
//! `TVMSCRIPT_CORPUS` names it. `TVMSCRIPT_DIFF` shows each file that does not read back.

use std::path::Path;

use anyhow::Result;
use tvmscript_ir_core::equal::StructuralEqual;
use tvmscript_ir_core::{Object, Registry};
use tvmscript_script_parser::{ParseOptions, parse_script};

use crate::corpus;

/// Why the object does not read back, if so.
fn loss(object: &Object, registry: &Registry) -> Option<String> {
    let text = match corpus::print(object, registry) {
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
        let again = corpus::print(&script.node, registry).unwrap_or_default();
        if again != text {
            let lines = again.lines().zip(text.lines()).find(|(a, b)| a != b);
            return Some(format!("prints differently the second time: {lines:?}"));
        }
        return None;
    }
    let mismatch = how.mismatches(object, &script.node, 1).into_iter().next();
    Some(mismatch.map_or_else(|| "not equal".to_owned(), |m| format!("{:?} {}", m.kind, m.lhs)))
}

fn losses(folder: &Path) -> Result<(usize, Vec<String>)> {
    let registry = corpus::registry()?;
    let (mut count, mut losses) = (0, Vec::new());
    corpus::visit(folder, &registry, |record, object| {
        count += 1;
        losses.extend(loss(&object?, &registry).map(|loss| format!("{}: {loss}", record.name)));
        Ok(())
    })?;
    if std::env::var_os("TVMSCRIPT_DIFF").is_some() {
        losses.iter().for_each(|loss| eprintln!("{loss}"));
    }
    eprintln!("{} of {count} read back", count - losses.len());
    Ok((count, losses))
}

#[test]
fn selection_reads_back() -> Result<()> {
    let (count, losses) = losses(&corpus::selection())?;
    assert!(count >= 40, "{count} programs");
    assert!(losses.is_empty(), "{losses:#?}");
    Ok(())
}

#[test]
fn corpus_reads_back() -> Result<()> {
    let Some(folder) = corpus::whole() else { return Ok(()) };
    let (count, losses) = losses(&folder)?;
    // The rest: loops and axes whose variable also stands outside of them (15), calls of functions that give a value (7),
    // ranges of two types (2), broadcasting buffers without strides (2).
    assert!(losses.len() <= count / 20, "{losses:#?}");
    Ok(())
}
