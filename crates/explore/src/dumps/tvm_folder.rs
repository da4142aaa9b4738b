//! Folders of TVM's `DumpIR`: `NNN_pass.py`, the text after each pass, numbered in the order in which the passes ended.

use super::DumpError;
use super::builder::{Builder, Pass};
use super::folder::{Folder, numbered};

/// The dumps, as indices of files.
pub(crate) fn files(folder: &Folder) -> Vec<usize> {
    let is_dump = |name: &str| name_of(name).is_some();
    let files = folder.files.iter().enumerate().filter(|(_, file)| is_dump(&file.name));
    files.map(|(index, _)| index).collect()
}

fn name_of(file: &str) -> Option<&str> {
    numbered(file.strip_suffix(".py")?, 3, '_').map(|(_, name)| name)
}

/// Adds the passes. Each folder is a program.
pub(crate) fn add(builder: &mut Builder, folder: &Folder, files: &[usize]) -> Result<(), DumpError> {
    let mut program: Option<&[String]> = None;
    let is_single = {
        let mut folders = files.iter().filter_map(|index| folder.files.get(*index)).map(|file| &file.folders);
        let first = folders.next();
        folders.all(|other| Some(other) == first)
    };
    for file in files.iter().filter_map(|index| folder.files.get(*index)) {
        let pass = Pass {
            name: name_of(&file.name).unwrap_or_default().to_owned(),
            phase: file.folders.last().filter(|_| !is_single).cloned(),
            after: Some(builder.file(file)?),
            language: "python",
            ..Pass::default()
        };
        if program.replace(&file.folders) != Some(&file.folders) {
            builder.add_input(&pass);
        }
        builder.add_pass(&pass);
    }
    builder.fold_sequences();
    Ok(())
}
