//! Arguments of `import`.

use std::path::PathBuf;

use clap::ValueEnum;
use tvmscript::frontend::Format;
use tvmscript::frontend::params::ParamsFormat;

/// `import`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript import model.onnx
  tvmscript import model.onnx --show-spans --params weights.safetensors -o model.py
  tvmscript import --list-operators onnx

The text is a Relax module of TVM 0.27, as TVM's own importer builds it, and every call has the name of
its layer. Neither TVM nor the framework of the model is needed.")]
pub(crate) struct ImportArgs {
    /// Model: `.onnx`, `.pt2`, `.tflite`, `.pb`, `.pbtxt`, or the folder of a SavedModel
    #[arg(value_name = "MODEL", required_unless_present = "list_operators")]
    pub(crate) file: Option<PathBuf>,
    /// The format of the model, where its name does not tell
    #[arg(long, value_name = "FORMAT")]
    pub(crate) input_format: Option<InputFormat>,
    /// Show the layer of each line as a comment; with `=marks` also which lines are inputs, parameters and results
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "names")]
    pub(crate) show_spans: Option<ShownSpans>,
    /// Write the constants to this file, `.safetensors` or `.npz`, under their names; the text leaves out those of more than
    /// 16 elements
    #[arg(long, value_name = "FILE", value_parser = params_file)]
    pub(crate) params: Option<PathBuf>,
    /// Print the layers with their operators and shapes, the inputs, results and parameters instead
    #[arg(long, conflicts_with = "show_spans")]
    pub(crate) summary: bool,
    /// The form of `--summary` and `--list-operators`
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,
    /// Weights become parameters of `main` instead of constants
    #[arg(long)]
    pub(crate) keep_params: bool,
    /// The shape of an input, in place of the model's; repeatable
    #[arg(long = "shape", value_name = "NAME=2,3,8", value_parser = shape)]
    pub(crate) shapes: Vec<(String, Vec<i64>)>,
    /// ONNX: convert as if the model stated this version of the operator set
    #[arg(long, value_name = "N")]
    pub(crate) opset: Option<i64>,
    /// Keep unsupported operators as opaque calls
    #[arg(long)]
    pub(crate) stub_unsupported: bool,
    /// TensorFlow: make functions of loops of version 1 (`Enter`, `Exit`), and choices between both branches of its
    /// conditionals (`Switch`, `Merge`)
    #[arg(long)]
    pub(crate) lower_control_flow: bool,
    /// Maximum size of a constant that is computed during the import
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20)]
    pub(crate) max_folded_bytes: usize,
    /// Print the supported operators of a format instead
    #[arg(long, value_name = "FORMAT", conflicts_with = "file")]
    pub(crate) list_operators: Option<InputFormat>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// A format of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputFormat {
    /// ONNX
    Onnx,
    /// Programs of `torch.export`
    Torch,
    /// TFLite
    Tflite,
    /// TensorFlow
    Tf,
}

impl From<InputFormat> for Format {
    fn from(format: InputFormat) -> Format {
        match format {
            InputFormat::Onnx => Format::Onnx,
            InputFormat::Torch => Format::Torch,
            InputFormat::Tflite => Format::Tflite,
            InputFormat::Tf => Format::TensorFlow,
        }
    }
}

/// Content of the comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShownSpans {
    /// Names of layers
    Names,
    /// Names of layers, and the marks `!input`, `!parameter` and `!output`
    #[value(alias = "output")]
    Marks,
}

/// The form of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// Lines for people
    Text,
    /// JSON
    Json,
}

fn params_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match ParamsFormat::of_extension(extension) {
        Some(_) => Ok(path),
        None => Err("expected a name that ends in `.safetensors` or `.npz`".to_owned()),
    }
}

fn shape(text: &str) -> Result<(String, Vec<i64>), String> {
    let wrong = || "expected `NAME=2,3,8`, with positive lengths".to_owned();
    // Names may hold `=`, lengths do not.
    let (name, dims) = text.rsplit_once('=').ok_or_else(wrong)?;
    let dim = |dim: &str| dim.trim().parse::<i64>().ok().filter(|dim| *dim > 0).ok_or_else(wrong);
    let dims = match dims.trim() {
        "" => Vec::new(),
        dims => dims.split(',').map(dim).collect::<Result<_, _>>()?,
    };
    Ok((name.to_owned(), dims))
}
