//! Dumps of passes as inputs of `explore`.

use std::cell::RefCell;
use std::path::Path;

use tvmscript::Object;
use tvmscript::diagnostics::LineIndex;
use tvmscript::ir_core::{Array, SourceGuard};
use tvmscript_explore::dumps::{self, Dump, DumpError, ReadRun};
use tvmscript_explore::page::Store;

use crate::models;
use crate::settings::Settings;

/// Reads a dump; nothing if the input is none but another file.
///
/// # Errors
/// If a folder has no dump, or is too large.
pub(super) fn read(path: &Path) -> Result<Option<Dump>, DumpError> {
    if path.as_os_str() == "-" || models::is_model(path) {
        return Ok(None);
    }
    match dumps::read(path) {
        Err(error) if !path.is_dir() && !matches!(error, DumpError::TooLarge { .. }) => {
            debug_assert!(error.is_other_kind() || matches!(error, DumpError::Unreadable { .. }));
            Ok(None)
        }
        other => other.map(Some),
    }
}

/// The run of a dump.
pub(super) fn run(dump: &Dump, index: u32, store: &mut Store, settings: &Settings<'_>) -> ReadRun {
    // Spans into a text are looked up after it was read.
    let sources: RefCell<Vec<SourceGuard>> = RefCell::default();
    dumps::run(dump, index, store, &|text| {
        let options = settings.parse_options(&dump.name);
        let parsed = tvmscript::parse("dump", text, settings.registry(), &options);
        sources.borrow_mut().push(parsed.source.release_on_drop());
        let lines = LineIndex::new(text);
        if let Some(error) = parsed.errors.first() {
            let error = error.erased();
            let message = format!("line {}: {error}", lines.position(error.range().start as usize).line);
            return Err(match parsed.errors.len() - 1 {
                0 => message,
                more => format!("{message}, and {more} more"),
            });
        }
        let mut nodes: Vec<Object> = parsed.scripts.into_iter().map(|script| script.node).collect();
        match (nodes.pop(), nodes.len()) {
            (Some(node), 0) => Ok(node),
            (Some(last), _) => {
                nodes.push(last);
                Ok(Array::<Object>::new(nodes).into())
            }
            (None, _) => Err("the text has no script".to_owned()),
        }
    })
}
