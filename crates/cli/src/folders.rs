//! Folders as arguments.

use std::path::PathBuf;

/// The files, with each folder replaced by the Python files below it, in the order of their names.
///
/// # Errors
/// A folder without Python files.
pub(crate) fn expanded(files: &[PathBuf]) -> Result<Vec<PathBuf>, PathBuf> {
    let mut all = Vec::with_capacity(files.len());
    for path in files {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let before = all.len();
        let mut folders = vec![path.clone()];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
                // Links may lead in circles.
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() && !is_hidden => folders.push(entry.path()),
                    Ok(_) if entry.path().extension().is_some_and(|extension| extension == "py") => {
                        all.push(entry.path());
                    }
                    _ => {}
                }
            }
        }
        if all.len() == before {
            return Err(path.clone());
        }
        if let Some(found) = all.get_mut(before..) {
            found.sort();
        }
    }
    Ok(all)
}
