//! Folders of TileLang's lower trace: `NAME/.run_records/RUN/PHASE/NN_pass_before.tir` and `NN_pass_after.tir`; the code that was
//! made is `PHASE/NN_codegen_after.cpp`.
//!
//! Passes are numbered in the order in which they began, over all phases of a run. A run is one compilation: the newest one
//! stands first, by the time in its name. The number of a failed pass has an empty text after it.

use std::cmp::Reverse;

use super::DumpError;
use super::builder::{Builder, Pass};
use super::folder::{File, Folder, language_of, natural, numbered};

/// The name of a file: number, pass, side and extension.
struct Name<'a> {
    number: u64,
    pass: &'a str,
    is_after: bool,
    extension: &'a str,
}

impl<'a> Name<'a> {
    fn of(file: &'a str) -> Option<Name<'a>> {
        let (stem, extension) = file.rsplit_once('.')?;
        let (number, rest) = numbered(stem, 1, '_')?;
        let before = rest.strip_suffix("_before").map(|pass| (pass, false));
        let (pass, is_after) = before.or_else(|| Some((rest.strip_suffix("_after")?, true)))?;
        let is_text = extension == "tir" || (is_after && language_of(extension) == "c");
        is_text.then_some(Name { number, pass, is_after, extension })
    }
}

/// The dumps, as indices of files.
pub(crate) fn files(folder: &Folder) -> Vec<usize> {
    let files = folder.files.iter().enumerate().filter(|(_, file)| Name::of(&file.name).is_some());
    files.map(|(index, _)| index).collect()
}

/// A text of a pass, in the order of the list: runs, the newest one of a script first, then numbers.
type Key<'a> = (Vec<&'a str>, Reverse<&'a str>, u64, &'a str, &'a str);

/// Adds the passes. Each run is a program.
pub(crate) fn add(builder: &mut Builder, folder: &Folder, files: &[usize]) -> Result<(), DumpError> {
    let mut found: Vec<(Key<'_>, Name<'_>, &File)> = Vec::new();
    for file in files.iter().filter_map(|index| folder.files.get(*index)) {
        let Some(name) = Name::of(&file.name) else { continue };
        let mut folders: Vec<&str> = file.folders.iter().map(String::as_str).collect();
        let phase = folders.pop().unwrap_or(&folder.name);
        let run = folders.pop().unwrap_or_default();
        found.push(((folders, Reverse(run), name.number, phase, name.pass), name, file));
    }
    found.sort_by(|(a, _, _), (b, _, _)| {
        let runs = a.0.cmp(&b.0).then_with(|| natural(b.1.0, a.1.0));
        runs.then_with(|| (a.2, a.3, a.4).cmp(&(b.2, b.3, b.4)))
    });
    let mut runs: Vec<(&Key<'_>, Vec<Pass>)> = Vec::new();
    let mut last: Option<&Key<'_>> = None;
    for (key, name, file) in &found {
        let text = builder.file(file)?;
        if runs.last().is_none_or(|(of_run, _)| (&of_run.0, of_run.1) != (&key.0, key.1)) {
            runs.push((key, Vec::new()));
        }
        let Some((_, passes)) = runs.last_mut() else { continue };
        if last.replace(key) != Some(key) {
            let (name, phase) = (name.pass.to_owned(), Some(key.3.to_owned()));
            passes.push(Pass { name, phase, language: "python", ..Pass::default() });
        }
        let Some(pass) = passes.last_mut() else { continue };
        if name.is_after {
            (pass.after, pass.language) = (Some(text), language_of(name.extension));
        } else {
            pass.before = Some(text);
        }
    }
    let count = runs.len();
    for (number, (_, mut passes)) in runs.into_iter().enumerate() {
        if count > 1 {
            // Names of runs have dates, so they are counted.
            for phase in passes.iter_mut().filter_map(|pass| pass.phase.as_mut()) {
                phase.push_str(&format!(", run {}", count - number));
            }
        }
        builder.add_program(&passes);
    }
    if count > 1 {
        builder.notes.push(format!("{count} runs, the newest one first"));
    }
    Ok(())
}
