//! ONNX models, operator sets 1 to 24, as TVM's importer reads them.
//!
//! Upstream counterpart: `python/tvm/relax/frontend/onnx/onnx_frontend.py`.

mod functions;
mod importer;
mod inputs;
mod name;
mod node;
mod operators;
pub(crate) mod outline;
pub mod proto;
mod tensor;

use prost::Message as _;

use crate::error::{ImportError, ImportErrors};
use crate::model::{Format, Model};
use crate::operators::OperatorDoc;
use crate::{ImportOptions, Imported};

/// The oldest version of the format that is read.
const FIRST_IR_VERSION: i64 = 3;

/// Converts a model.
///
/// # Errors
/// Fails for models that are damaged or use what is not supported; all reasons that were found are in the error.
pub fn import(model: &Model, options: &ImportOptions) -> Result<Imported, ImportErrors> {
    let failed = |reason: String| ImportError::Container { format: Format::Onnx, reason };
    // prost limits the depth of messages, and allocates no more than there are bytes.
    let mut proto =
        proto::ModelProto::decode(model.bytes.clone()).map_err(|error| failed(error.to_string()))?;
    if let Some(version) = proto.ir_version.filter(|version| *version < FIRST_IR_VERSION) {
        return Err(
            failed(format!("version {version} of the format is older than {FIRST_IR_VERSION}")).into()
        );
    }
    functions::inline(&mut proto)?;
    let Some(graph) = &proto.graph else { return Err(failed("it has no graph".to_owned()).into()) };
    if graph.node.is_empty() && graph.input.is_empty() && graph.output.is_empty() {
        return Err(failed("its graph is empty".to_owned()).into());
    }
    importer::import(&proto, graph, model, options)
}

/// The supported operators, in order of their names.
pub fn supported_operators() -> Vec<OperatorDoc> {
    operators::docs()
}
