//! Models of other frameworks as Relax modules, as TVM 0.27's importers build them, with the name of the model's layer as
//! the source of every call.
//!
//! [`Model::open`] reads a file, [`import`] converts it. A format is a module behind a feature of its name; what they share
//! is in [`graph`] (the function under construction), [`ops`] (short forms of calls and constants), [`elements`] (tensors
//! from bytes) and [`operators`] (tables of converters, from which the lists of supported operators are made).
//!
//! ```no_run
//! use tvmscript_frontend::{ImportOptions, Model, import};
//!
//! let model = Model::open("model.onnx".as_ref())?;
//! let imported = import(&model, &ImportOptions::default())?;
//! println!("{} constants", imported.constants.len());
//! # Ok::<(), tvmscript_frontend::ImportErrors>(())
//! ```

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

pub mod elements;
pub mod error;
#[cfg(any(feature = "onnx", feature = "tf"))]
mod external;
#[cfg(any(feature = "onnx", feature = "tf"))]
mod file_part;
pub mod graph;
pub mod model;
#[cfg(feature = "onnx")]
pub mod onnx;
pub mod operators;
pub mod ops;
pub mod params;
#[cfg(feature = "tf")]
pub mod tf;
#[cfg(feature = "tflite")]
pub mod tflite;
#[cfg(feature = "torch")]
pub mod torch;
mod write_at;

pub use error::{ImportError, ImportErrors, ImportWarning};
pub use model::{Format, Model};

use tvmscript_ir::IRModule;
use tvmscript_ir_core::Ref;
use tvmscript_relax::Constant;

use crate::error::Reason;

/// Options of an import.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ImportOptions {
    /// Weights become parameters of `main` instead of constants.
    pub keeps_params: bool,
    /// Shapes that replace those of the inputs with these names.
    pub shapes: Vec<(String, Vec<i64>)>,
    /// ONNX: the version of the operator set in place of that of the model.
    pub opset: Option<i64>,
    /// Maximum size of a constant that is computed during the import, in bytes.
    pub max_folded_bytes: usize,
    /// Unsupported operators become opaque calls.
    pub stubs_unsupported: bool,
    /// TensorFlow: loops of version 1 (`Enter`, `Exit`) become functions, and its conditionals (`Switch`, `Merge`) choices
    /// between the values of both branches. They are unsupported otherwise.
    pub lowers_control_flow: bool,
    /// Calls get the name of their layer.
    pub fills_spans: bool,
    /// Spans of parameters and of the calls that compute the results of layers get marks.
    pub marks_spans: bool,
}

impl Default for ImportOptions {
    /// Constants, the model's own shapes and versions, and spans unless `TVM_SPANFILLING` is `0`.
    fn default() -> ImportOptions {
        ImportOptions {
            keeps_params: false,
            shapes: Vec::new(),
            opset: None,
            max_folded_bytes: 64 << 20,
            stubs_unsupported: false,
            lowers_control_flow: false,
            fills_spans: tvmscript_ir::span_filling(),
            marks_spans: false,
        }
    }
}

impl ImportOptions {
    /// The shape that is stated for an input, which the model says to have a rank.
    ///
    /// # Errors
    /// Fails if the shape has another rank.
    pub fn stated_shape(&self, input: &str, rank: Option<usize>) -> Result<Option<&[i64]>, Reason> {
        let Some((_, dims)) = self.shapes.iter().find(|(stated, _)| stated == input) else { return Ok(None) };
        match rank.filter(|rank| *rank != dims.len()) {
            Some(rank) => {
                Err(Reason(format!("is given a shape of rank {}, and its rank is {rank}", dims.len())))
            }
            None => Ok(Some(dims)),
        }
    }
}

/// An imported model.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Imported {
    /// The module with the function `main`.
    pub module: Ref<IRModule>,
    /// The constants of the module, and those that its parameters stand for, under the names that the model has for them;
    /// each name occurs once.
    pub constants: Vec<(String, Ref<Constant>)>,
    /// Remarks about the model.
    pub warnings: Vec<ImportWarning>,
}

/// Converts a model to a Relax module.
///
/// # Errors
/// Fails for models that are damaged or use what is not supported; all reasons that were found are in the error.
#[cfg_attr(
    not(any(feature = "onnx", feature = "torch", feature = "tflite", feature = "tf")),
    allow(unused_variables)
)]
pub fn import(model: &Model, options: &ImportOptions) -> Result<Imported, ImportErrors> {
    let imported = match model.format {
        #[cfg(feature = "onnx")]
        Format::Onnx => onnx::import(model, options),
        #[cfg(feature = "torch")]
        Format::Torch => torch::import(model, options),
        #[cfg(feature = "tflite")]
        Format::Tflite => tflite::import(model, options),
        #[cfg(feature = "tf")]
        Format::TensorFlow => tf::import(model, options),
        #[allow(unreachable_patterns, reason = "all formats may be switched on")]
        format => Err(ImportError::NotBuiltIn { format }.into()),
    };
    imported.map_err(|errors| model.explained(errors))
}

/// The supported operators of a format, in order of their names; none of a format that this build leaves out.
pub fn supported_operators(format: Format) -> Vec<operators::OperatorDoc> {
    match format {
        #[cfg(feature = "onnx")]
        Format::Onnx => onnx::supported_operators(),
        #[cfg(feature = "torch")]
        Format::Torch => torch::supported_operators(),
        #[cfg(feature = "tflite")]
        Format::Tflite => tflite::supported_operators(),
        #[cfg(feature = "tf")]
        Format::TensorFlow => tf::supported_operators(),
        #[allow(unreachable_patterns, reason = "all formats may be switched on")]
        _ => Vec::new(),
    }
}
