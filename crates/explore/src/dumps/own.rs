//! Folders of `tvmscript opt --dump-dir`: `NN-pass.py`, `.json` or `.dot`, where `00-input` is the program before the first pass;
//! and the file of `--report` with the times of the passes, if it is in the folder.

use serde::Deserialize;
use tvmscript_pass::instrument::file_stem;

use super::DumpError;
use super::builder::{Builder, Pass};
use super::folder::{Folder, language_of, numbered};

/// Maximum size of a report.
const MAX_REPORT_BYTES: u64 = 64 << 20;

/// A pass of a report.
#[derive(Debug, Deserialize)]
struct Record {
    pass: String,
    ms: f64,
    nodes: Option<u64>,
    nodes_with_source: Option<u64>,
}

/// Number, name and extension of a dump.
fn name_of(file: &str) -> Option<(u64, &str, &str)> {
    let (stem, extension) = file.rsplit_once('.')?;
    let (number, name) = numbered(stem, 2, '-')?;
    matches!(extension, "py" | "json" | "dot").then_some((number, name, extension))
}

/// The dumps, as indices of files: those of one folder and one format, text if there is text.
pub(crate) fn files(folder: &Folder) -> Vec<usize> {
    let named = |index: &usize| folder.files.get(*index).and_then(|file| Some((file, name_of(&file.name)?)));
    let all: Vec<usize> = (0..folder.files.len()).filter(|index| named(index).is_some()).collect();
    let is_input =
        |index: &&usize| named(index).is_some_and(|(_, (number, name, _))| (number, name) == (0, "input"));
    let rank = |extension: &str| ["py", "json", "dot"].iter().position(|known| *known == extension);
    let first = all.iter().filter(is_input).filter_map(named);
    let best = first.min_by_key(|(file, (_, _, extension))| (file.folders.len(), rank(extension)));
    let Some((first, (_, _, extension))) = best else { return Vec::new() };
    let is_of_run = |index: &usize| {
        named(index).is_some_and(|(file, (_, _, other))| file.folders == first.folders && other == extension)
    };
    all.into_iter().filter(is_of_run).collect()
}

/// Adds the passes. Returns the index of the report, too.
pub(crate) fn add(
    builder: &mut Builder,
    folder: &Folder,
    files: &[usize],
) -> Result<Option<usize>, DumpError> {
    let mut last = None;
    for file in files.iter().filter_map(|index| folder.files.get(*index)) {
        let Some((_, name, extension)) = name_of(&file.name) else { continue };
        let text = builder.file(file)?;
        let language = language_of(extension);
        let (before, after) = (last.or(Some(text)), Some(text));
        let pass = Pass { name: name.to_owned(), before, after, language, ..Pass::default() };
        match last.replace(text) {
            None => builder.add_input(&pass),
            Some(_) => builder.add_pass(&pass),
        }
    }
    let of_run = files.first().and_then(|index| folder.files.get(*index)).map(|file| &file.folders);
    let reports = folder.files.iter().enumerate().filter(|(_, file)| {
        Some(&file.folders) == of_run && file.name.ends_with(".json") && name_of(&file.name).is_none()
    });
    let read =
        |text: String| serde_json::from_str::<Vec<Record>>(&text).ok().filter(|records| !records.is_empty());
    let mut reports =
        reports.filter_map(|(index, file)| Some((index, read(file.text(MAX_REPORT_BYTES).ok()?)?)));
    let report = reports.next();
    if let Some((_, records)) = &report {
        add_report(builder, records);
    }
    Ok(report.map(|(index, _)| index))
}

/// Adds times and counts to the passes of the same names in the same order.
fn add_report(builder: &mut Builder, records: &[Record]) {
    let mut records = records.iter();
    for item in builder.items.iter_mut().skip(1) {
        let Some(record) = records.next() else { return };
        if file_stem(&record.pass) != item.name {
            builder
                .notes
                .push(format!("the report is one of other passes, beginning with `{}`", record.pass));
            return;
        }
        item.ms = Some(record.ms);
        item.nodes = record.nodes.zip(record.nodes_with_source).map(|(nodes, sourced)| [nodes, sourced]);
    }
}
