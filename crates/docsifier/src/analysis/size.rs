//! The size of the tree that a graph unfolds to.

use tvmscript_ir_core::{Object, TreeSize};

/// Ratio of tree nodes to graph nodes above which a graph is considered explosive. Uses of variables, which count with
/// their types, stay far below.
const OUT_OF_PROPORTION: u64 = 4096;

/// Returns `true` if the graph unfolds to far more nodes than a print may have docs.
pub(crate) fn is_endless(root: &Object, max_docs: u32) -> bool {
    let TreeSize { nodes, unfolded } = size(root);
    unfolded / OUT_OF_PROPORTION > nodes && unfolded / 8 > u64::from(max_docs)
}

/// The size of a graph in which no node is a leaf: variables count with their types.
fn size(root: &Object) -> TreeSize {
    TreeSize::below(root, |_| false)
}

#[cfg(test)]
mod tests {
    use tvmscript_ir_core::{Array, ObjectLike, Value};

    use super::*;

    #[test]
    fn shared_nodes_count_where_they_are_used() {
        let array = |items: &[&Object]| {
            Array::of_values(items.iter().map(|o| Value::Node((*o).clone()))).into_object()
        };
        let mut node = array(&[]);
        assert_eq!(size(&node), TreeSize { nodes: 1, unfolded: 1 });
        for _ in 0..3 {
            node = array(&[&node, &node]);
        }
        assert_eq!(size(&node), TreeSize { nodes: 4, unfolded: 15 });
        assert!(!is_endless(&node, 1));
        for _ in 0..100 {
            node = array(&[&node, &node]);
        }
        assert_eq!(size(&node), TreeSize { nodes: 104, unfolded: u64::MAX });
        assert!(is_endless(&node, u32::MAX));
    }
}
