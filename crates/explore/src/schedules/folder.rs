//! The record of a schedule in a folder, as `tvmscript schedule --record` writes it.

use std::path::Path;

use serde_json::Value;
use tvmscript_ir::IRModule;
use tvmscript_ir_core::Object;

use super::Step;
use crate::dumps::{Dump, Item, Kind};

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

/// Returns `true` if a folder has the index of a record.
pub fn is_record(dir: &Path) -> bool {
    text(dir, INDEX).is_ok_and(|text| index(&text).is_ok())
}

/// The steps of a record. `load` reads a module from JSON.
///
/// # Errors
/// If the index or a module cannot be read.
pub fn read(dir: &Path, load: &dyn Fn(&str) -> Result<Object, String>) -> Result<Vec<Step>, RecordError> {
    let records = index(&text(dir, INDEX)?)?;
    let mut steps = Vec::with_capacity(records.len());
    for record in records {
        let word = |key: &str| record.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let file = format!("{}.json", stem(&record)?);
        let unreadable = |message: String| RecordError::Unreadable { file: file.clone(), message };
        let node = load(&text(dir, &file)?).map_err(unreadable)?;
        let module = node.downcast_ref::<IRModule>().cloned();
        let module = module.ok_or_else(|| unreadable("it is not a module".to_owned()))?;
        steps.push(Step { primitive: word("primitive"), call: word("call"), module });
    }
    Ok(steps)
}

/// The texts of a record as a dump, each step as a pass.
///
/// # Errors
/// If the index or a text cannot be read.
pub fn dump(dir: &Path) -> Result<Dump, RecordError> {
    let mut dump = Dump {
        name: dir.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        kind: Kind::Own,
        texts: Vec::new(),
        items: Vec::new(),
        notes: Vec::new(),
    };
    for (number, record) in index(&text(dir, INDEX)?)?.iter().enumerate() {
        let name = match number {
            0 => dump.name.clone(),
            _ => record.get("primitive").and_then(Value::as_str).unwrap_or_default().to_owned(),
        };
        let (base, language) = (number.checked_sub(1), "python");
        dump.items.push(Item { name, base, language, text: number, ..Item::default() });
        dump.texts.push(text(dir, &format!("{}.py", stem(record)?))?);
    }
    Ok(dump)
}

/// The name of the files of a record without what follows the dot.
fn stem(record: &Value) -> Result<&str, RecordError> {
    let name = record.get("file").and_then(Value::as_str).unwrap_or_default();
    let is_plain = Path::new(name).file_name().is_some_and(|file| file == name);
    name.strip_suffix(".py").filter(|_| is_plain).ok_or(RecordError::Index("a record has no file"))
}

/// The records of an index.
fn index(text: &str) -> Result<Vec<Value>, RecordError> {
    let mut index: Value = serde_json::from_str(text).map_err(|_| RecordError::Index("it is not JSON"))?;
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
    let path = dir.join(file);
    let unreadable = |message: String| RecordError::Unreadable { file: file.to_owned(), message };
    let size = std::fs::metadata(&path).map_err(|error| unreadable(error.to_string()))?.len();
    if size > MAX_BYTES {
        return Err(unreadable(format!("{size} bytes are more than {MAX_BYTES}")));
    }
    std::fs::read_to_string(&path).map_err(|error| unreadable(error.to_string()))
}
