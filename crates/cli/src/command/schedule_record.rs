//! The record of a schedule as a folder: the module after each primitive as text and JSON, the differences, and an index.

use std::path::Path;

use serde_json::json;
use tvmscript::PrinterConfig;
use tvmscript::diff::diff;
use tvmscript::diff::render::{Comparison, RenderOptions, to_json};
use tvmscript::schedule::{Record, Schedule};
use tvmscript::te::Table;

use crate::failure::FileErrorKind;
use crate::output;
use crate::settings::Settings;

/// Version of the index.
const VERSION: u32 = 1;

/// Writes the record of a schedule to a folder, which is made if it is missing.
///
/// # Errors
/// If a file cannot be written or a module has no text.
pub(super) fn write(
    dir: &Path,
    schedule: &Schedule,
    settings: &Settings<'_>,
    config: &PrinterConfig,
) -> Result<(), FileErrorKind> {
    let replace = |name: &str, text: &str| {
        let file = dir.join(name);
        let written = std::fs::create_dir_all(dir).and_then(|()| output::replace(&file, text));
        written.map_err(|error| FileErrorKind::Unwritable(format!("{}: {error}", file.display())))
    };
    let mut index = Vec::new();
    let mut before_name = String::new();
    for (number, (record, call)) in schedule.recorded_calls().into_iter().enumerate() {
        let name = format!("{number:03}_{}", record.primitive);
        let text = tvmscript::print(record.after.object(), settings.registry(), config);
        replace(&format!("{name}.py"), &(text.map_err(FileErrorKind::Unprintable)? + "\n"))?;
        replace(&format!("{name}.json"), &(tvmscript::to_json(record.after.object()) + "\n"))?;
        if number > 0 {
            let comparison = compared(record, settings, config)?;
            let options = RenderOptions {
                name_a: format!("{before_name}.py"),
                name_b: format!("{name}.py"),
                context_lines: 3,
                width_columns: 160,
                color: false,
            };
            replace(&format!("{name}.diff"), &comparison.unified(&options))?;
            replace(&format!("{name}.diff.json"), &(to_json(comparison.records()) + "\n"))?;
        }
        index.push(json!({
            "index": number,
            "primitive": record.primitive,
            "call": call,
            "file": format!("{name}.py"),
            "before": (number > 0).then(|| format!("{before_name}.py")),
            "diff": (number > 0).then(|| format!("{name}.diff")),
        }));
        before_name = name;
    }
    replace("record.txt", &Table::of_tir(schedule).to_string())?;
    replace("trace.py", &(schedule.trace().text(schedule) + "\n"))?;
    let index = json!({"schedule_record": VERSION, "records": index});
    replace("index.json", &(serde_json::to_string_pretty(&index).unwrap_or_default() + "\n"))
}

/// The changes of a primitive.
fn compared(
    record: &Record,
    settings: &Settings<'_>,
    config: &PrinterConfig,
) -> Result<Comparison, FileErrorKind> {
    let (before, after) = (record.before.object(), record.after.object());
    let script = diff(before, after);
    Comparison::new(before, after, &script, settings.registry(), config).map_err(FileErrorKind::Unprintable)
}
