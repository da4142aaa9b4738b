//! Files with the elements of tensors beside a model. Nothing outside the model's folder is ever opened.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;

use crate::elements::Elements;
use crate::error::ImportError;
use crate::file_part::{FilePart, MIN_BYTES};

/// Maximum number of files that stay open; elements in further ones are read at once.
const MAX_OPEN_FILES: usize = 64;

/// The files of an import, in the folder of the model. Each is found, checked and opened once: all elements in a file share
/// it, because systems limit the number of open files.
#[derive(Debug)]
pub(crate) struct Files {
    /// The folder; none for a model in memory.
    folder: Option<PathBuf>,
    /// What is known about a file, by the path that the model names.
    found: RefCell<HashMap<String, Result<Place, &'static str>>>,
    open: RefCell<HashMap<PathBuf, Arc<File>>>,
}

/// A file of the folder, after links are followed.
#[derive(Debug, Clone)]
struct Place {
    file: PathBuf,
    length: u64,
}

impl Files {
    /// The files of a folder; of none for a model in memory.
    pub(crate) fn of_folder(folder: Option<PathBuf>) -> Files {
        Files { folder, found: RefCell::default(), open: RefCell::default() }
    }

    /// The file that a model names for a tensor by a path.
    pub(crate) fn find(&self, tensor: &str, path: &str) -> Result<External<'_>, ImportError> {
        let known = self.found.borrow().get(path).cloned();
        let place = known.unwrap_or_else(|| {
            let place = self.place(path);
            self.found.borrow_mut().insert(path.to_owned(), place.clone());
            place
        });
        let (tensor, path) = (tensor.to_owned(), path.to_owned());
        match place {
            Ok(Place { file, length }) => Ok(External { files: self, tensor, path, file, length }),
            Err(reason) => Err(refused(&tensor, &path, reason)),
        }
    }

    /// Finds a file, which a model names by a relative path, below the folder.
    fn place(&self, path: &str) -> Result<Place, &'static str> {
        let Some(folder) = &self.folder else { return Err("a model in memory cannot refer to") };
        let relative = Path::new(path);
        let is_inside = !path.is_empty()
            && !path.contains(['\\', ':'])
            && relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !is_inside {
            return Err("is not named by a relative path below the folder of the model");
        }
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let real = |path: &Path| std::fs::canonicalize(path);
        let (Ok(root), Ok(file)) = (real(folder), real(&folder.join(relative))) else {
            return Err("does not exist");
        };
        if !file.starts_with(&root) {
            return Err("is a link that leaves the folder of the model");
        }
        match file.metadata() {
            Ok(meta) if meta.is_file() => Ok(Place { file, length: meta.len() }),
            Ok(_) => Err("is no regular file"),
            Err(_) => Err("cannot be read"),
        }
    }

    /// The file, opened once; `None` if too many are open.
    fn open(&self, path: &Path) -> std::io::Result<Option<Arc<File>>> {
        let mut files = self.open.borrow_mut();
        if let Some(file) = files.get(path) {
            return Ok(Some(file.clone()));
        }
        if files.len() >= MAX_OPEN_FILES {
            return Ok(None);
        }
        let file = Arc::new(File::open(path)?);
        files.insert(path.to_owned(), file.clone());
        Ok(Some(file))
    }
}

/// A file that holds elements of a tensor.
#[derive(Debug)]
pub(crate) struct External<'f> {
    files: &'f Files,
    /// Name of the tensor.
    tensor: String,
    /// The file as the model names it.
    path: String,
    file: PathBuf,
    length: u64,
}

impl External<'_> {
    /// Length of the file in bytes.
    #[cfg(feature = "onnx")]
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The error that the file cannot be used for a reason.
    pub(crate) fn refused(&self, reason: &str) -> ImportError {
        refused(&self.tensor, &self.path, reason)
    }

    /// Checks that a part is inside the file.
    fn check(&self, offset: u64, count: u64) -> Result<(), ImportError> {
        match offset.checked_add(count) {
            Some(end) if end <= self.length => Ok(()),
            _ => Err(self.refused("is too short")),
        }
    }

    /// A part of the file as elements, which stay there until they are needed if they are many.
    pub(crate) fn elements(&self, offset: u64, count: u64) -> Result<Elements, ImportError> {
        let length = match usize::try_from(count) {
            Ok(length) if length >= MIN_BYTES => length,
            _ => return Ok(self.read(offset, count)?.into()),
        };
        self.check(offset, count)?;
        match self.files.open(&self.file).map_err(|_| self.refused("cannot be read"))? {
            Some(file) => Ok(Arc::new(FilePart::new(file, offset, length)).into()),
            None => Ok(self.read(offset, count)?.into()),
        }
    }

    /// Reads a part of the file.
    pub(crate) fn read(&self, offset: u64, count: u64) -> Result<Bytes, ImportError> {
        self.check(offset, count)?;
        let read = || {
            let mut file = File::open(&self.file)?;
            file.seek(SeekFrom::Start(offset))?;
            let mut bytes = Vec::new();
            file.take(count).read_to_end(&mut bytes)?;
            Ok::<_, std::io::Error>(bytes)
        };
        read().map(Bytes::from).map_err(|_| self.refused("cannot be read"))
    }
}

/// The error that a file with elements cannot be used for a reason.
fn refused(tensor: &str, path: &str, reason: &str) -> ImportError {
    ImportError::External { name: tensor.to_owned(), path: path.to_owned(), reason: reason.to_owned() }
}
