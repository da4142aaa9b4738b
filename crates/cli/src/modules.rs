//! Imported modules: `.py` files below the folder of `--import-root`.

use std::path::{Path, PathBuf};

use tvmscript::script_parser::{ModuleLoader, ModuleText};

use crate::input;

/// A loader of the modules below a folder for a file, which need not be in the folder itself; `None` if there is no
/// such folder. Modules have at most `max_bytes` bytes.
pub(crate) fn loader(root: &Path, file: &str, max_bytes: u32) -> Option<ModuleLoader> {
    let root = root.canonicalize().ok()?;
    let package = package(&root, Path::new(file)).unwrap_or_default();
    Some(ModuleLoader::new(package, move |path| module(&root, path, max_bytes)))
}

/// Dotted path of the folder of a file, relative to the root.
fn package(root: &Path, file: &Path) -> Option<String> {
    let folder = file.canonicalize().ok()?;
    let below = folder.parent()?.strip_prefix(root).ok()?;
    let parts: Option<Vec<&str>> = below.iter().map(|part| part.to_str()).collect();
    Some(parts?.join("."))
}

fn module(root: &Path, path: &str, max_bytes: u32) -> Option<ModuleText> {
    let relative: PathBuf = path.split('.').collect();
    let candidates = [relative.with_extension("py"), relative.join("__init__.py")];
    candidates.iter().find_map(|candidate| {
        // Resolved links may lead out of the folder.
        let file = root.join(candidate).canonicalize().ok().filter(|file| file.starts_with(root))?;
        let text = input::read_text(&file, max_bytes)?;
        Some(ModuleText { name: candidate.display().to_string(), text })
    })
}
