//! Views of a class of nodes as an enum, and a walk over the parts of any node.
//!
//! A view allows `match` on an open set of nodes: it has a variant for each known node and `Other`.

use crate::containers::ArrayNode;
use crate::raw::Object;
use crate::value::FieldRef;

/// The position of a node in its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldSlot {
    /// Name of the field.
    pub field: &'static str,
    /// Index in the array that the field holds.
    pub index: Option<usize>,
}

/// Calls `f` for each node in the fields of a node and in arrays directly in them, last one first: the order in which
/// a worklist is filled.
pub fn for_each_node_below_rev<'a>(node: &'a Object, mut f: impl FnMut(FieldSlot, &'a Object)) {
    for (at, field) in node.info().fields().iter().enumerate().rev() {
        let FieldRef::Node(child) = node.field(at) else { continue };
        match child.as_node::<ArrayNode>() {
            Some(array) => {
                let items = array.items().iter().enumerate().rev();
                items
                    .filter_map(|(index, item)| Some((index, item.as_object()?)))
                    .for_each(|(index, item)| f(FieldSlot { field: field.name, index: Some(index) }, item));
            }
            None => f(FieldSlot { field: field.name, index: None }, child),
        }
    }
}

/// Declares the view of a class: an enum with a variant per given node and `Other`, and a trait with the method
/// `kind` that returns it, by one table lookup. A node type without a struct of its own can share a variant (`;
/// info() => Variant`).
#[macro_export]
macro_rules! class_view {
    (
        $(#[$doc:meta])* $kind:ident by $view:ident of $class:ty:
        $($name:ident),* $(,)?
        $(; $info:expr => $alias:ident)?
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub enum $kind<'a> {
            $(#[allow(missing_docs)] $name(&'a $name),)*
            /// A node of another dialect.
            Other(&'a $crate::Ref<$class>),
        }

        /// Converts nodes to their view.
        pub trait $view {
            /// Returns the view of the node.
            fn kind(&self) -> $kind<'_>;
        }

        impl $view for $crate::Ref<$class> {
            #[inline]
            fn kind(&self) -> $kind<'_> {
                #[derive(Clone, Copy)]
                #[repr(u8)]
                enum Tag { Other, $($name,)* }

                static TAGS: ::std::sync::OnceLock<::std::vec::Vec<Tag>> = ::std::sync::OnceLock::new();
                let tags = TAGS.get_or_init(|| {
                    let known = [
                        $((<$name as $crate::Class>::type_info().index(), Tag::$name),)*
                        $(($info.index(), Tag::$alias),)?
                    ];
                    let len = known.iter().map(|(index, _)| index + 1).max().unwrap_or(0);
                    let mut tags = ::std::vec![Tag::Other; len];
                    for (index, tag) in known {
                        tags[index] = tag;
                    }
                    tags
                });
                match tags.get(self.object().info().index()).copied().unwrap_or(Tag::Other) {
                    $(Tag::$name => match self.object().as_node_inline::<$name>() {
                        Some(node) => $kind::$name(node),
                        None => $kind::Other(self),
                    },)*
                    Tag::Other => $kind::Other(self),
                }
            }
        }
    };
}
