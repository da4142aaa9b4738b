//! Test files.

use std::path::{Path, PathBuf};

/// Files of a folder with an extension, sorted.
///
/// # Panics
/// If the folder cannot be read or has no such file.
#[must_use]
pub fn files_of(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == extension));
    assert!(!files.is_empty(), "{}: no file with the extension {extension}", folder.display());
    files.sort();
    files
}

/// Files with an extension in a folder and its subfolders, sorted; empty if there is no such folder.
#[must_use]
pub fn files_below(root: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Path of the large corpus, beside the project or given by `TVMSCRIPT_CORPUS`. It may not exist.
#[must_use]
pub fn corpus() -> PathBuf {
    std::env::var_os("TVMSCRIPT_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"), PathBuf::from)
}
