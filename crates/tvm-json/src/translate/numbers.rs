//! Numbers of attributes, which are nodes here and plain in some releases.

use tvmscript_ir_core::release::Renames;

use super::tables::{
    BOXED_ATTRS, NODE_ARRAYS, NUMBER_ARRAYS, Own, PLAIN_ATTRS, VOID_OPERATORS, WIDE_ATTRS, contains,
};
use super::{Made, Part, Role, Rules, int_imm, plain_attr};
use crate::graph::{Data, Field, Graph, Node, Plain, Schema, Shape};
use crate::version::PlainNumbers;

/// The types of a release that has plain numbers in attributes, and else the fields of those here.
pub(super) struct Plainly {
    types: Own,
    renames: &'static Renames,
    /// `true` for a graph that has the numbers as nodes still.
    has_nodes: bool,
}

impl Plainly {
    pub(super) fn new(renames: &'static Renames, has_nodes: bool) -> Plainly {
        Plainly { types: Own::default(), renames, has_nodes }
    }

    fn own_key<'k>(&self, kind: &'k str) -> &'k str {
        self.renames.old_type_key(kind).unwrap_or(kind)
    }

    /// Returns `true` for a type whose fields are known.
    pub(super) fn knows(&self, kind: &str) -> bool {
        self.types.knows(self.own_key(kind))
    }
}

impl Schema for Plainly {
    fn shape(&self, kind: &str) -> Shape {
        match self.types.shape(kind) {
            Shape::Fields if !self.knows(kind) => Shape::Opaque,
            shape => shape,
        }
    }

    fn is_plain(&self, kind: &str, field: &str) -> bool {
        !self.has_nodes && contains(&PLAIN_ATTRS, kind, field)
            || self.types.is_plain(self.own_key(kind), field)
    }
}

/// The rules to plain numbers, or from them.
pub(super) struct Numbers {
    renames: &'static Renames,
    way: Way,
}

#[derive(Clone, Copy)]
enum Way {
    From,
    To(&'static PlainNumbers),
}

impl Numbers {
    pub(super) fn from(renames: &'static Renames) -> Numbers {
        Numbers { renames, way: Way::From }
    }

    pub(super) fn to(renames: &'static Renames, plain: &'static PlainNumbers) -> Numbers {
        Numbers { renames, way: Way::To(plain) }
    }
}

/// Returns `true` for a field with numbers that are nodes here.
fn has_numbers(graph: &Graph<'_>, kind: &str, field: &str, value: usize) -> bool {
    let is_attribute = kind.starts_with("relax.attrs.") && !contains(&NODE_ARRAYS, kind, field);
    let is_array = || graph.nodes.get(value).is_some_and(|node| node.kind == "ffi.Array");
    contains(&BOXED_ATTRS, kind, field) || contains(&NUMBER_ARRAYS, kind, field) || is_attribute && is_array()
}

impl<'t> Rules<'t> for Numbers {
    fn role(&self, graph: &Graph<'t>, index: usize, role: Role) -> Role {
        let node = graph.nodes.get(index);
        let has_roles = node.is_some_and(|node| match self.way {
            Way::From => matches!(&*node.kind, "ffi.Array" | "int"),
            Way::To(_) => matches!(&*node.kind, "ffi.Array" | "ir.IntImm"),
        });
        if has_roles { role } else { Role::Plain }
    }

    fn describe(&self, graph: &Graph<'t>, index: usize, role: Role) -> Made<'t> {
        let Some(node) = graph.nodes.get(index) else { return Made::Same(Part::none()) };
        let is_number = matches!(role, Role::Attr | Role::WideAttr);
        match (&node.data, self.way) {
            (Data::List(items), _) => {
                let items = items.iter().map(|item| Part::Of(*item, role)).collect();
                Made::List(node.kind.clone(), items)
            }
            (Data::Plain(value), Way::From) if is_number => {
                let dtype = if role == Role::WideAttr { "int64" } else { "int32" };
                Made::Same(int_imm(dtype, value.clone()))
            }
            (Data::Fields(_), Way::To(_)) if is_number => match node.field("value") {
                Some(Field::Plain(value)) => Made::Same(Part::leaf("int", value.clone())),
                _ => Made::Leaf(node.clone()),
            },
            (Data::Fields(fields), way) => {
                let parts =
                    fields.iter().map(|(name, value)| (name.clone(), self.field(graph, node, name, value)));
                let mut parts: Vec<_> = parts.collect();
                if let Way::To(plain) = way {
                    let is_missing =
                        |(key, name): &&(&str, &str)| node.kind == *key && node.field(name).is_none();
                    let lists = plain.extra_lists.iter().filter(is_missing);
                    parts.extend(lists.map(|(_, name)| ((*name).into(), Part::list(Vec::new()))));
                    let values = plain.extra_values.iter().filter(is_missing);
                    parts.extend(values.map(|(_, name)| ((*name).into(), Part::none())));
                }
                Made::Fields(node.kind.clone(), parts)
            }
            _ => Made::Leaf(node.clone()),
        }
    }
}

impl Numbers {
    /// The type that a call without a value has after the translation.
    fn void(&self, graph: &Graph<'_>, node: &Node<'_>) -> Option<&'static str> {
        let own = self.renames.operators.own_name(graph.operator_of(node)?);
        let (_, dtype) = VOID_OPERATORS.iter().find(|(name, _)| *name == own)?;
        match self.way {
            Way::From => Some(dtype),
            Way::To(plain) => plain.void_operators.contains(&&*own).then_some(""),
        }
    }

    fn field<'t>(&self, graph: &Graph<'t>, node: &Node<'t>, name: &str, value: &Field<'t>) -> Part<'t> {
        let kind = &*node.kind;
        if let (Field::Plain(Plain::Text(_)), "dtype", Some(dtype)) = (value, name, self.void(graph, node)) {
            return Part::text(dtype);
        }
        match (value, self.way) {
            (Field::Plain(value), Way::From) if contains(&PLAIN_ATTRS, kind, name) => {
                let dtype = if matches!(value, Plain::Bool(_)) { "bool" } else { "int32" };
                int_imm(dtype, value.clone())
            }
            (Field::Node(at), Way::To(_)) if contains(&PLAIN_ATTRS, kind, name) => plain_attr(graph, *at),
            (Field::Node(at), _) if has_numbers(graph, kind, name, *at) => {
                let is_wide = WIDE_ATTRS.iter().any(|start| kind.starts_with(start));
                Part::Of(*at, if is_wide { Role::WideAttr } else { Role::Attr })
            }
            (Field::Node(at), _) => Part::Of(*at, Role::Plain),
            (Field::Plain(value), _) => Part::Plain(value.clone()),
        }
    }
}
