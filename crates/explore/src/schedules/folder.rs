//! The record of a schedule in a folder, as `tvmscript schedule --record` writes it.

use std::path::Path;

use serde_json::Value;
use tvmscript_ir::IRModule;
use tvmscript_ir_core::Object;

use super::Step;
use crate::dumps::{Dump, DumpError, Item, name_of, read_text};

/// Name of the index in the folder.
const INDEX: &str = "index.json";

/// Maximum size of a file in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// Maximum number of steps.
const MAX_STEPS: usize = 10_000;

/// The record of a schedule that cannot be read. Files are named without folders.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// A file cannot be read.
    #[error("{file}: {message}")]
    Unreadable {
        /// Name of the file.
        file: String,
        /// The system's message, or that of the reader.
        message: String,
    },
    /// The index is not one of a record.
    #[error(
        "`index.json` is not the index of a schedule record: {0}; `tvmscript schedule --record` writes one"
    )]
    Index(&'static str),
}

/// The record of a schedule: its texts as a dump, each step as a pass, and its steps. Nothing if the folder has no index of a
/// record. `load` reads a module from JSON.
///
/// # Errors
/// If the index is not that of a record of version 1, or a module or text cannot be read.
pub fn read(
    dir: &Path,
    load: &dyn Fn(&str) -> Result<Object, String>,
) -> Result<Option<(Dump, Vec<Step>)>, RecordError> {
    let parsed = text(dir, INDEX).ok().and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let Some(index) = parsed.filter(|index| index.get("schedule_record").is_some()) else { return Ok(None) };
    let mut dump = Dump { name: name_of(dir), texts: Vec::new(), items: Vec::new(), notes: Vec::new() };
    let mut steps = Vec::new();
    for (number, record) in records(index)?.into_iter().enumerate() {
        let word = |key: &str| record.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let stem = stem(&record)?;
        let file = format!("{stem}.json");
        let unreadable = |message: String| RecordError::Unreadable { file: file.clone(), message };
        let node = load(&text(dir, &file)?).map_err(unreadable)?;
        let module = node.downcast_ref::<IRModule>().cloned();
        let module = module.ok_or_else(|| unreadable("it is not a module".to_owned()))?;
        let name = if number == 0 { dump.name.clone() } else { word("primitive") };
        let (base, language) = (number.checked_sub(1), "python");
        dump.items.push(Item { name, base, language, text: number, ..Item::default() });
        dump.texts.push(text(dir, &format!("{stem}.py"))?);
        steps.push(Step { primitive: word("primitive"), call: word("call"), module });
    }
    Ok(Some((dump, steps)))
}

/// The name of the files of a record without what follows the dot.
fn stem(record: &Value) -> Result<&str, RecordError> {
    let name = record.get("file").and_then(Value::as_str).unwrap_or_default();
    let is_plain = Path::new(name).file_name().is_some_and(|file| file == name);
    name.strip_suffix(".py").filter(|_| is_plain).ok_or(RecordError::Index("a record has no file"))
}

/// The records of an index.
fn records(mut index: Value) -> Result<Vec<Value>, RecordError> {
    if index.get("schedule_record").and_then(Value::as_u64) != Some(1) {
        return Err(RecordError::Index("it has no `schedule_record` of version 1"));
    }
    match index.get_mut("records").map(Value::take) {
        Some(Value::Array(records)) if records.is_empty() => Err(RecordError::Index("it has no records")),
        Some(Value::Array(records)) if records.len() <= MAX_STEPS => Ok(records),
        Some(Value::Array(_)) => Err(RecordError::Index("it has more than 10000 records")),
        _ => Err(RecordError::Index("it has no list `records`")),
    }
}

fn text(dir: &Path, file: &str) -> Result<String, RecordError> {
    read_text(&dir.join(file), file, MAX_BYTES).map_err(|error| {
        let message = match error {
            DumpError::Unreadable { reason, .. } => reason,
            other => other.to_string(),
        };
        RecordError::Unreadable { file: file.to_owned(), message }
    })
}
