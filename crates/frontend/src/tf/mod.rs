//! TensorFlow models: frozen graphs (`.pb`, `.pbtxt`) and saved models.
//!
//! TVM has no importer of them. Every call has the name of its node; functions of the graph take the place of their calls,
//! with names `call/node`, and conditionals and loops become functions of the module.

mod bundle;
mod dims;
mod frames;
mod functions;
mod importer;
mod list;
mod names;
mod node;
mod operators;
pub mod proto;
mod saved_model;
mod scope;
mod signature;
mod tensor;
mod text;
mod variables;

use bytes::Bytes;
use prost::Message as _;

use self::proto::{GraphDef, SavedModel};
use self::variables::Variables;
use crate::error::{ImportError, ImportErrors};
use crate::model::{Format, Model};
use crate::operators::OperatorDoc;
use crate::{ImportOptions, Imported};

/// Converts a model.
///
/// # Errors
/// Fails for models that are damaged or use what is not supported; all reasons that were found are in the error.
pub fn import(model: &Model, options: &ImportOptions) -> Result<Imported, ImportErrors> {
    let failed = |reason: String| ImportError::Container { format: Format::TensorFlow, reason };
    match content(model).map_err(failed)? {
        Content::Graph(graph) => importer::import(&graph, None, Variables::default(), options),
        Content::Saved(saved) => {
            let meta = saved_model::meta_graph(&saved).map_err(failed)?;
            let interface = saved_model::interface(meta).map_err(failed)?;
            let graph = meta.graph_def.as_ref().ok_or_else(|| failed("it has no graph".to_owned()))?;
            let bundle = match &model.folder {
                Some(folder) => bundle::Bundle::open(folder)?,
                None => None,
            };
            let variables = Variables::new(bundle, saved_model::restored(graph));
            importer::import(graph, Some(&interface), variables, options)
        }
    }
}

/// The two kinds of models.
enum Content {
    Graph(GraphDef),
    Saved(SavedModel),
}

/// Reads a model; the content tells the kind.
fn content(model: &Model) -> Result<Content, String> {
    // prost limits the depth of messages, and allocates no more than there are bytes.
    let decode_graph = |bytes: Bytes| GraphDef::decode(bytes).map_err(|error| error.to_string());
    let decode_saved = |bytes: Bytes| SavedModel::decode(bytes).map_err(|error| error.to_string());
    let (graph, saved) = match model.is_text {
        true => {
            let bytes = text::graph(&model.bytes)?;
            (
                decode_graph(bytes.into()),
                text::saved_model(&model.bytes).and_then(|bytes| decode_saved(bytes.into())),
            )
        }
        false => (decode_graph(model.bytes.clone()), decode_saved(model.bytes.clone())),
    };
    match (graph, saved) {
        (Ok(graph), _) if !graph.node.is_empty() => Ok(Content::Graph(graph)),
        (_, Ok(saved)) if saved.meta_graphs.iter().any(|meta| meta.graph_def.is_some()) => {
            Ok(Content::Saved(saved))
        }
        (Ok(_), _) => Err("it has no nodes".to_owned()),
        (Err(reason), _) => Err(reason),
    }
}

/// The supported operators, in order of their names.
pub fn supported_operators() -> Vec<OperatorDoc> {
    operators::docs()
}
