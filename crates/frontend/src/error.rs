//! Reasons for which a model cannot be converted, and remarks about models that can.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use tvmscript_ir_core::error_codes;

use crate::model::Format;

/// A reason for which a model cannot be converted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A file that cannot be read.
    #[error("cannot read `{}`: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Message of the system.
        error: String,
    },
    /// A file whose name does not tell the format.
    #[error(
        "the name of `{}` does not tell the format of the model: it ends in none of .onnx, .pt2, .pt, .pth, .tflite, .pb and .pbtxt",
        path.display()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// A format that this build leaves out.
    #[error("models of {format} are not supported by this build: its feature `{}` is off", format.name())]
    NotBuiltIn {
        /// Format.
        format: Format,
    },
    /// Content that is no model of the format.
    #[error("the file is no {format} model that can be read: {reason}")]
    Container {
        /// Format.
        format: Format,
        /// Reason.
        reason: String,
    },
    /// An operator without a converter.
    #[error("unsupported operator `{operator}`{}: {}", of_domain(domain), names(layers))]
    Unsupported {
        /// Operator.
        operator: String,
        /// Operator set; empty for the format's own.
        domain: String,
        /// Names of its nodes.
        layers: Vec<String>,
    },
    /// A node that cannot be converted.
    #[error("cannot convert `{layer}`, an operator `{operator}`{}: {reason}", of_inputs(inputs))]
    Node {
        /// Name of the node.
        layer: String,
        /// Operator.
        operator: String,
        /// Types of the operands.
        inputs: Vec<String>,
        /// Reason.
        reason: String,
    },
    /// A tensor whose elements are missing or do not fit its type.
    #[error("the tensor `{name}` {reason}")]
    Tensor {
        /// Name of the tensor.
        name: String,
        /// Reason.
        reason: String,
    },
    /// A tensor whose elements are in a file that cannot be used.
    #[error("the elements of the tensor `{name}` are in the file `{path}`, which {reason}")]
    External {
        /// Name of the tensor.
        name: String,
        /// The file, as the model names it.
        path: String,
        /// Reason.
        reason: String,
    },
    /// A value that nothing makes, or that is made after its use.
    #[error("{user} uses the value `{name}`, which no input and no earlier node makes")]
    Undefined {
        /// Name of the value.
        name: String,
        /// Description of the node or output that uses it.
        user: String,
    },
    /// An output of the model that cannot be a result.
    #[error("the output `{name}` {reason}")]
    Output {
        /// Name of the output.
        name: String,
        /// Reason.
        reason: String,
    },
    /// An input of the model that cannot be a parameter.
    #[error("the input `{name}` {reason}")]
    Input {
        /// Name of the input.
        name: String,
        /// Reason.
        reason: String,
    },
}

// A code never changes its meaning and is never reused.
error_codes! {
    ImportError {
        ImportError::File { .. } => "E1501" "model-file" "The file of a model does not exist or may not be read.";
        ImportError::UnknownFormat { .. } => "E1502" "model-format"
            "The name of the file does not end like that of a model. `--input-format` states the format.";
        ImportError::NotBuiltIn { .. } => "E1503" "model-feature"
            "The command was built without the format; the features of its package switch formats on.";
        ImportError::Container { .. } => "E1504" "model-damaged"
            "The file is cut off or damaged, is no model of the format, or is of a version that is not read.";
        ImportError::Unsupported { .. } => "E1505" "model-operator"
            "The model uses an operator that has no converter. `import --list-operators` lists those that have one; \
             `--lower-control-flow` converts loops and conditionals of version 1 of TensorFlow; `--stub-unsupported` keeps the \
             others as opaque calls.";
        ImportError::Node { .. } => "E1506" "model-node"
            "An operator of the model has operands or attributes that it cannot have, or a form that is not supported.";
        ImportError::Tensor { .. } => "E1507" "model-tensor"
            "The elements of a tensor of the model are missing, are not as many as its shape says, or are of a type that is not \
             supported.";
        ImportError::External { .. } => "E1508" "model-external"
            "The elements of a tensor are in another file that is missing, too short, or outside the folder of the model.";
        ImportError::Undefined { .. } => "E1509" "model-undefined"
            "A node or an output uses a value that nothing makes before it.";
        ImportError::Input { .. } => "E1510" "model-input"
            "An input of the model has a type that is not supported, or a shape is stated for an input that the model does not have.";
        ImportError::Output { .. } => "E1511" "model-output" "An output of the model has a type that is not supported.";
    }
}

fn of_domain(domain: &str) -> String {
    if domain.is_empty() { String::new() } else { format!(" of `{domain}`") }
}

fn of_inputs(inputs: &[String]) -> String {
    if inputs.is_empty() { String::new() } else { format!(" on {}", inputs.join(", ")) }
}

/// A name of the model, of which a line break could pass for the end of a message.
fn one_line(name: &str) -> String {
    name.replace('\n', "\\n")
}

/// Maximum number of names in a message.
const SHOWN: usize = 10;

fn names(all: &[String]) -> String {
    let shown: Vec<String> = all.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    match all.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// All reasons that were found; at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportErrors(pub Vec<ImportError>);

impl Display for ImportErrors {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            let separator = if i == 0 { "" } else { "\n" };
            write!(f, "{separator}{}", one_line(&error.to_string()))?;
        }
        Ok(())
    }
}

impl std::error::Error for ImportErrors {}

impl ImportErrors {
    /// The first reason.
    pub fn first(&self) -> Option<&ImportError> {
        self.0.first()
    }
}

impl From<ImportError> for ImportErrors {
    fn from(error: ImportError) -> ImportErrors {
        ImportErrors(vec![error])
    }
}

/// A remark about a model that was converted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportWarning {
    /// A name that is no UTF-8.
    #[error("a name is no UTF-8 and is read as `{}`", one_line(name))]
    NotUtf8 {
        /// The name with replacement characters.
        name: String,
    },
    /// An input whose name cannot be that of a parameter.
    #[error("the input `{}` is the parameter `{used}`", one_line(name))]
    Renamed {
        /// Name of the input.
        name: String,
        /// Name of the parameter.
        used: String,
    },
    /// Dimensions without a name, which share one variable.
    #[error(
        "the unknown dimensions of {} share one variable, so their lengths count as equal; give shapes with `--shape`",
        one_line(inputs)
    )]
    SharedDimension {
        /// The inputs.
        inputs: String,
    },
    /// A node whose result may differ from that of the model's framework.
    #[error("`{}`, an operator `{}`: {what}", one_line(layer), one_line(operator))]
    Approximate {
        /// Name of the node.
        layer: String,
        /// Operator.
        operator: String,
        /// Difference.
        what: String,
    },
    /// Something odd about the file that does not matter.
    #[error("{what}")]
    Container {
        /// Description.
        what: String,
    },
}

error_codes! {
    ImportWarning {
        ImportWarning::NotUtf8 { .. } => "E1521" "model-name"
            "A name in a model is no UTF-8. Its other bytes become replacement characters; nothing else changes.";
        ImportWarning::SharedDimension { .. } => "E1522" "model-dimension"
            "Inputs of a model have dimensions without a length and without a name. They share one variable, as in TVM; `--shape` \
             states the lengths of an input.";
        ImportWarning::Approximate { .. } => "E1523" "model-approximate"
            "A node of a model was converted to something that may give other results than the framework of the model.";
        ImportWarning::Renamed { .. } => "E1525" "model-input-name"
            "The name of an input is no identifier, or is taken: the parameter has another name. Its span keeps the model's.";
        ImportWarning::Container { .. } => "E1524" "model-oddity"
            "Something about the file of a model is odd and was ignored.";
    }
}

/// The reason for which one operator cannot be converted.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason(pub String);

impl Display for Reason {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Reason {
        Reason(text.to_owned())
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Reason {
        Reason(text)
    }
}

macro_rules! reasons {
    ($($error:ty),*) => {$(
        impl From<$error> for Reason {
            fn from(error: $error) -> Reason {
                Reason(error.to_string())
            }
        }
    )*};
}
reasons! {
    tvmscript_relax::error::RelaxError, tvmscript_prim::PrimError, tvmscript_relax::NotADimension, ImportError
}
