//! Files with models, and their formats.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
#[cfg(feature = "onnx")]
use std::sync::Arc;

use bytes::Bytes;

use crate::error::{ImportError, ImportErrors};
#[cfg(feature = "onnx")]
use crate::onnx::outline::{Outline, Parts};
#[cfg(feature = "onnx")]
use tvmscript_ir_core::tensor::ElementSource as _;

/// A format of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// ONNX: `.onnx`.
    Onnx,
    /// Programs of `torch.export`: `.pt2`.
    Torch,
    /// TFLite: `.tflite`.
    Tflite,
    /// TensorFlow: `.pb`, `.pbtxt` and folders with a `saved_model.pb`.
    TensorFlow,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 4] = [Format::Onnx, Format::Torch, Format::Tflite, Format::TensorFlow];

    /// The name of the format in options: `onnx`, `torch`, `tflite`, `tf`.
    pub fn name(self) -> &'static str {
        match self {
            Format::Onnx => "onnx",
            Format::Torch => "torch",
            Format::Tflite => "tflite",
            Format::TensorFlow => "tf",
        }
    }

    /// The format of files with this extension.
    pub fn of_extension(extension: &str) -> Option<Format> {
        Some(match extension {
            "onnx" => Format::Onnx,
            "pt2" | "pt" | "pth" => Format::Torch,
            "tflite" => Format::Tflite,
            "pb" | "pbtxt" => Format::TensorFlow,
            _ => return None,
        })
    }
}

impl Display for Format {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Onnx => "ONNX",
            Format::Torch => "PyTorch",
            Format::Tflite => "TFLite",
            Format::TensorFlow => "TensorFlow",
        })
    }
}

/// The bytes of a model.
#[derive(Debug, Clone)]
pub struct Model {
    /// Format.
    pub format: Format,
    /// Content of the file; of `saved_model.pb` for a folder. Elements of large constants of ONNX stay in the file.
    pub bytes: Bytes,
    /// The folder of the file, for data that the model keeps beside it.
    pub folder: Option<PathBuf>,
    /// `true` if the content is text (`.pbtxt`).
    pub is_text: bool,
    /// The elements that are not among the bytes.
    #[cfg(feature = "onnx")]
    pub(crate) parts: Arc<Parts>,
}

impl Model {
    /// A model in memory, without data in other files.
    pub fn from_bytes(format: Format, bytes: impl Into<Bytes>) -> Model {
        Model {
            format,
            bytes: bytes.into(),
            folder: None,
            is_text: false,
            #[cfg(feature = "onnx")]
            parts: Arc::default(),
        }
    }

    /// Reads a file, or the folder of a SavedModel, whose name tells the format.
    ///
    /// # Errors
    /// Fails if the file cannot be read, and if its name does not tell the format.
    pub fn open(path: &Path) -> Result<Model, ImportErrors> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let format = match Format::of_extension(&extension.to_ascii_lowercase()) {
            _ if path.is_dir() => Format::TensorFlow,
            Some(format) => format,
            None => return Err(ImportError::UnknownFormat { path: path.to_owned() }.into()),
        };
        Model::open_as(path, format)
    }

    /// Reads a file of a format, or the folder of a SavedModel.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn open_as(path: &Path, format: Format) -> Result<Model, ImportErrors> {
        let is_folder = path.is_dir();
        let file = match is_folder {
            true if path.join("saved_model.pbtxt").exists() => path.join("saved_model.pbtxt"),
            true => path.join("saved_model.pb"),
            false => path.to_owned(),
        };
        let failed = |error| ImportError::File { path: file.clone(), error: reason(&error) };
        let mut model = Model::read(&file, format).map_err(failed)?;
        model.folder = if is_folder { Some(path.to_owned()) } else { path.parent().map(Path::to_owned) };
        model.is_text = file.extension().is_some_and(|extension| extension == "pbtxt");
        Ok(model)
    }

    fn read(file: &Path, format: Format) -> std::io::Result<Model> {
        #[cfg(feature = "onnx")]
        if format == Format::Onnx {
            let Outline { bytes, parts } = Outline::read(std::fs::File::open(file)?)?;
            return Ok(Model { parts: Arc::new(parts), ..Model::from_bytes(format, bytes) });
        }
        Ok(Model::from_bytes(format, std::fs::read(file)?))
    }

    /// A description of the content, if that is not a model of the format.
    fn looks_like(&self) -> Option<&'static str> {
        let bytes = self.bytes.as_ref();
        let is_text = || {
            let start = bytes.get(..64).unwrap_or(bytes);
            !start.is_empty()
                && start.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
        };
        // The version of the format, then a field of bytes. A SavedModel has version 1.
        let is_onnx = || matches!(bytes, [0x08, 3..=31, 0x12 | 0x1a | 0x22 | 0x2a | 0x32 | 0x3a | 0x42, ..]);
        let (format, found) = match bytes {
            [b'P', b'K', 3, 4, ..] => (Some(Format::Torch), "an archive, as PyTorch and NumPy write them"),
            [_, _, _, _, b'T', b'F', b'L', b'3', ..] => (Some(Format::Tflite), "a TFLite model"),
            _ if bytes.starts_with(b"version https://git-lfs") => {
                (None, "a pointer of Git LFS; `git lfs pull` fetches the model")
            }
            _ if is_text() => match self.format {
                Format::TensorFlow if self.is_text => return None,
                Format::TensorFlow => (None, "text, whose file has to end in `.pbtxt`"),
                _ => (None, "text"),
            },
            _ if is_onnx() => (Some(Format::Onnx), "an ONNX model"),
            _ => return None,
        };
        (format != Some(self.format)).then_some(found)
    }

    /// The errors of an import, with what the content looks like if it cannot be read at all.
    pub(crate) fn explained(&self, mut errors: ImportErrors) -> ImportErrors {
        for error in &mut errors.0 {
            if let (ImportError::Container { reason, .. }, Some(found)) = (error, self.looks_like()) {
                reason.push_str("; it looks like ");
                reason.push_str(found);
            }
        }
        errors
    }

    /// Size of the model's file in bytes.
    pub fn byte_count(&self) -> usize {
        #[cfg(feature = "onnx")]
        let elsewhere = self.parts.values().map(|part| part.byte_count()).sum::<usize>();
        #[cfg(not(feature = "onnx"))]
        let elsewhere = 0;
        self.bytes.len().saturating_add(elsewhere)
    }
}

/// The system's message without the error number.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}
