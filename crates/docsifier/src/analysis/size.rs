//! The size of the tree that a graph stands for.

use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::{Object, Visitor, Walk, for_each_child};

/// A tree is out of proportion that has so many times more nodes than the graph that stands for it. Uses of variables,
/// which count with their types, do not come near.
const OUT_OF_PROPORTION: u64 = 4096;

/// Whether a graph shares its parts so often that the tree it stands for has far more nodes than a print may have docs.
pub(crate) fn is_endless(root: &Object, max_docs: u32) -> bool {
    let (nodes, unfolded) = sizes(root);
    unfolded / OUT_OF_PROPORTION > nodes && unfolded / 8 > u64::from(max_docs)
}

/// How many nodes a graph has, and how many the tree that it stands for, as far as can be counted.
fn sizes(root: &Object) -> (u64, u64) {
    let mut sizes: AddressMap<u64> = AddressMap::default();
    let mut nodes = 0;
    let _ = Visitor::new().with_containers().post_order(root, |object| {
        let mut size = 1_u64;
        for_each_child(object, |child| {
            size = size.saturating_add(sizes.get(&child.address()).copied().unwrap_or(1));
        });
        sizes.insert(object.address(), size);
        nodes += 1;
        Walk::Advance
    });
    (nodes, sizes.get(&root.address()).copied().unwrap_or(1))
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
        assert_eq!(sizes(&node), (1, 1));
        for _ in 0..3 {
            node = array(&[&node, &node]);
        }
        assert_eq!(sizes(&node), (4, 15));
        assert!(!is_endless(&node, 1));
        for _ in 0..100 {
            node = array(&[&node, &node]);
        }
        assert_eq!(sizes(&node), (104, u64::MAX));
        assert!(is_endless(&node, u32::MAX));
    }
}
