//! The printed text of nodes as labels of dumps.

use tvmscript_ir_core::dump::fields_label;
use tvmscript_ir_core::{Object, Registry, TreeSize, tree_size};

use crate::{MappedText, PrinterConfig, print_mapped};

/// Maximum size of all labels together. The label of a statement contains the text of nested statements.
const MAX_LABEL_BYTES: usize = 64 << 20;

/// Maximum number of nodes in the tree that a printed node unfolds to.
const MAX_TREE_NODES: u64 = 50_000_000;

/// Maximum number of nodes in that tree where it is many times larger than the graph.
const MAX_UNFOLDED_NODES: u64 = 1_000_000;

/// Returns `true` if the text of a node would be too long to read because its nodes share parts many times over.
pub fn exceeds_unfolded_size(node: &Object) -> bool {
    let TreeSize { nodes, unfolded } = tree_size(node);
    unfolded > MAX_TREE_NODES || unfolded > MAX_UNFOLDED_NODES && unfolded / 16 > nodes
}

/// Labels for the nodes of some graphs, for [`Graph::with_labels`](tvmscript_ir_core::dump::Graph::with_labels).
pub struct NodeLabels {
    texts: Vec<MappedText>,
    left_bytes: usize,
}

impl NodeLabels {
    /// Prints the graphs. Leaves out those that cannot be printed or whose text is too long.
    pub fn new<'a>(
        roots: impl IntoIterator<Item = &'a Object>,
        registry: &Registry,
        config: &PrinterConfig,
    ) -> NodeLabels {
        // Without sugar, each loop has its own text.
        let config = PrinterConfig { syntax_sugar: false, ..config.clone() };
        let print = |root: &'a Object| match exceeds_unfolded_size(root) {
            true => None,
            false => print_mapped(root, registry, &config).ok(),
        };
        NodeLabels { texts: roots.into_iter().filter_map(print).collect(), left_bytes: MAX_LABEL_BYTES }
    }

    /// Returns the text of a node, or its scalar fields if it has no text.
    pub fn label(&mut self, node: &Object) -> String {
        let text = self.texts.iter().find_map(|text| text.text_of_node(node));
        match text.filter(|text| text.len() <= self.left_bytes) {
            Some(text) => {
                self.left_bytes -= text.len();
                text
            }
            None => fields_label(node),
        }
    }
}
