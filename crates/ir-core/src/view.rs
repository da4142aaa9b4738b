//! Views: the nodes of a class as an enum, so that `match` stays pleasant while the set of nodes stays open; and the nodes
//! below one that nothing is known of.

use crate::containers::ArrayNode;
use crate::raw::Object;
use crate::value::FieldRef;

/// Where a node stands in another: in which field, and at which place of the array that the field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldPlace {
    /// The field's name.
    pub field: &'static str,
    /// The place in the field's array.
    pub index: Option<usize>,
}

/// Calls `f` for each node in the fields of a node, the last one first, as work is put on a stack. Arrays in fields are gone
/// through; what they hold in further arrays or maps is not.
pub fn for_each_node_below_rev<'a>(node: &'a Object, mut f: impl FnMut(FieldPlace, &'a Object)) {
    for (at, field) in node.info().fields().iter().enumerate().rev() {
        let FieldRef::Node(child) = node.field(at) else { continue };
        match child.as_node::<ArrayNode>() {
            Some(array) => {
                let items = array.items().iter().enumerate().rev();
                items
                    .filter_map(|(index, item)| Some((index, item.as_object()?)))
                    .for_each(|(index, item)| f(FieldPlace { field: field.name, index: Some(index) }, item));
            }
            None => f(FieldPlace { field: field.name, index: None }, child),
        }
    }
}

/// Declares the view of a class: an enum with a variant for each of the given nodes and `Other` for any other, and a trait whose
/// `kind` gives it for a handle of the class, by one look into a table. A node type without a struct of its own may stand under
/// the variant of another (`; key_of() => Variant`).
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

        /// The view of a node as an enum.
        pub trait $view {
            /// Which node this is.
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
                    $(Tag::$name => self.as_node::<$name>().map_or($kind::Other(self), $kind::$name),)*
                    Tag::Other => $kind::Other(self),
                }
            }
        }
    };
}
