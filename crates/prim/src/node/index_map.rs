//! Maps of indices.

use tvmscript_ir_core::{Array, Node, Object, Ref};

use super::Var;
use crate::Expr;

/// A map from indices to indices.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.IndexMap")]
pub struct IndexMap {
    /// The parameters.
    #[node(def)]
    pub initial_indices: Array<Ref<Var>>,
    /// The results.
    pub final_indices: Array<Expr>,
    /// The inverse map, if given.
    #[node(skip_eq)]
    pub inverse_index_map: Option<Object>,
}
