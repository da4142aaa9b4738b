//! The files of a folder and the folders in it.
//!
//! Links to folders are not followed, so that a walk ends. Files are in order of the numbers in their names.

use std::cmp::Ordering;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::DumpError;

/// Maximum number of files and folders.
const MAX_ENTRIES: usize = 400_000;
/// Maximum number of folders within each other.
const MAX_DEPTH: usize = 32;

/// The files of a folder, in order.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    pub(crate) name: String,
    pub(crate) files: Vec<File>,
    pub(crate) notes: Vec<String>,
}

/// A file.
#[derive(Debug, Clone)]
pub(crate) struct File {
    /// Names of the folders from the root.
    pub(crate) folders: Vec<String>,
    pub(crate) name: String,
    path: PathBuf,
}

impl Folder {
    pub(crate) fn read(root: &Path) -> Result<Folder, DumpError> {
        let mut folder = Folder { name: name_of(root), ..Folder::default() };
        let mut work = vec![(root.to_path_buf(), Vec::new())];
        let mut entries = 0;
        let (mut links, mut deep) = (0, 0);
        while let Some((path, folders)) = work.pop() {
            let name = folders.last().cloned().unwrap_or_else(|| folder.name.clone());
            let listed = std::fs::read_dir(&path).map_err(|error| DumpError::unreadable(&name, &error))?;
            for entry in listed {
                entries += 1;
                if entries > MAX_ENTRIES {
                    return Err(DumpError::TooManyFiles { name: folder.name, limit: MAX_ENTRIES });
                }
                let entry = entry.map_err(|error| DumpError::unreadable(&name, &error))?;
                let Ok(kind) = entry.file_type() else { continue };
                let name = entry.file_name().to_string_lossy().into_owned();
                let is_link = kind.is_symlink();
                let target = if is_link {
                    std::fs::metadata(entry.path()).map(|data| data.file_type())
                } else {
                    Ok(kind)
                };
                match target {
                    Ok(target) if target.is_file() => {
                        folder.files.push(File { folders: folders.clone(), name, path: entry.path() });
                    }
                    Ok(target) if target.is_dir() && !is_link && folders.len() < MAX_DEPTH => {
                        let mut folders = folders.clone();
                        folders.push(name);
                        work.push((entry.path(), folders));
                    }
                    Ok(target) if target.is_dir() && !is_link => deep += 1,
                    _ => links += usize::from(is_link),
                }
            }
        }
        folder.files.sort_by(|a, b| {
            let folders = natural_all(&a.folders, &b.folders);
            folders.then_with(|| natural(&a.name, &b.name)).then_with(|| a.path.cmp(&b.path))
        });
        if links > 0 {
            folder.notes.push(format!("links that lead to no file were left out: {links}"));
        }
        if deep > 0 {
            folder.notes.push(format!("folders below {MAX_DEPTH} others were left out: {deep}"));
        }
        Ok(folder)
    }

    /// Returns `true` if the folder itself is the record of a schedule.
    pub(crate) fn is_schedule_record(&self) -> bool {
        let mut index = self.files.iter().filter(|file| file.folders.is_empty() && file.name == "index.json");
        index.any(|file| file.text(1 << 20).is_ok_and(|text| text.contains("\"schedule_record\"")))
    }
}

impl File {
    /// The text.
    ///
    /// # Errors
    /// If the file cannot be read, or has more than `limit_bytes` bytes.
    pub(crate) fn text(&self, limit_bytes: u64) -> Result<String, DumpError> {
        read_text(&self.path, &self.name, limit_bytes)
    }
}

/// The last part of a path, or a word if it has none.
pub(crate) fn name_of(path: &Path) -> String {
    let whole =
        || std::fs::canonicalize(path).ok()?.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    name.or_else(whole).unwrap_or_else(|| "input".to_owned())
}

/// Reads a text. Bytes that are not UTF-8 become replacement characters, and ends of lines `\n`.
pub(crate) fn read_text(path: &Path, name: &str, limit_bytes: u64) -> Result<String, DumpError> {
    let unreadable = |error: std::io::Error| DumpError::unreadable(name, &error);
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(limit_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit_bytes {
        return Err(DumpError::TooLarge { name: name.to_owned(), limit_bytes });
    }
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    Ok(if text.contains("\r\n") { text.replace("\r\n", "\n") } else { text })
}

/// Splits a name of digits, a separator and the rest.
pub(crate) fn numbered(name: &str, min_digits: usize, separator: char) -> Option<(u64, &str)> {
    let digits = name.len() - name.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = name.split_at_checked(digits)?;
    let rest = rest.strip_prefix(separator).filter(|rest| !rest.is_empty())?;
    (digits >= min_digits).then(|| number.parse().ok())?.map(|number| (number, rest))
}

/// The language of a file with this extension.
pub(crate) fn language_of(extension: &str) -> &'static str {
    match extension {
        "py" | "tir" => "python",
        "c" | "cc" | "cpp" | "cu" | "h" | "hpp" | "hip" | "metal" => "c",
        _ => "text",
    }
}

fn natural_all(a: &[String], b: &[String]) -> Ordering {
    let pairs = a.iter().zip(b).map(|(a, b)| natural(a, b));
    pairs.fold(Ordering::Equal, Ordering::then).then(a.len().cmp(&b.len()))
}

/// The order of names whose numbers count as such: `9_x` before `10_x`.
pub(crate) fn natural(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a, b);
    loop {
        let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (m, n) = (digits(x), digits(y));
        let order = if m > 0 && n > 0 {
            let (left, right) = (x.get(..m).unwrap_or_default(), y.get(..n).unwrap_or_default());
            (x, y) = (x.get(m..).unwrap_or_default(), y.get(n..).unwrap_or_default());
            let (left, right) = (left.trim_start_matches('0'), right.trim_start_matches('0'));
            left.len().cmp(&right.len()).then_with(|| left.cmp(right))
        } else {
            let (mut left, mut right) = (x.chars(), y.chars());
            let (c, d) = (left.next(), right.next());
            if c.is_none() && d.is_none() {
                return a.cmp(b);
            }
            (x, y) = (left.as_str(), right.as_str());
            c.cmp(&d)
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}
