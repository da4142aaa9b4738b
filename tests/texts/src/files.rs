//! Files to read.

use std::path::{Path, PathBuf};

/// The files of a folder with this extension, in order.
///
/// # Panics
/// When the folder cannot be read.
#[must_use]
pub fn files_of(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}

/// The files with this extension in a folder and the folders inside, in order; none where there is no folder.
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

/// The large corpus, which stands beside the project or where `TVMSCRIPT_CORPUS` says; it need not be there.
#[must_use]
pub fn corpus() -> PathBuf {
    std::env::var_os("TVMSCRIPT_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"), PathBuf::from)
}
