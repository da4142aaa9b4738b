//! Classes of alike nodes: of one type, with the same scalars and alike children. A variable is alike to itself only.

use std::collections::HashMap;

use crate::ptr_map::AddressMap;
use crate::raw::{Object, ObjectLike, Str};
use crate::type_table::{Plan, Shape};
use crate::value::FieldRef;
use crate::visit::{Visitor, Walk};

/// Returns, for each node, the address of the first alike node.
pub(super) fn alike(root: &Object) -> AddressMap<usize> {
    let mut classes: HashMap<Vec<u64>, usize> = HashMap::new();
    let mut strings: HashMap<Str, u64> = HashMap::new();
    // A long text that is shared is looked up once.
    let mut long: AddressMap<u64> = AddressMap::default();
    let mut alike: AddressMap<usize> = AddressMap::default();
    let _ = Visitor::new().with_containers().post_order(root, |object| {
        let mut words = vec![object.info().index() as u64];
        let mut add = |value: FieldRef<'_>| {
            let word = match value {
                FieldRef::None => (0, 0),
                FieldRef::Bool(b) => (1, u64::from(b)),
                FieldRef::Int(i) => (2, i as u64),
                FieldRef::Float(f) => (3, f.to_bits()),
                FieldRef::DType(d) => (4, d.word()),
                FieldRef::Span(_) | FieldRef::Name(_) => return,
                FieldRef::Node(o) => match Str::try_ref(o) {
                    Some(text) => {
                        let next = strings.len() as u64;
                        let mut number = || *strings.entry(text.clone()).or_insert(next);
                        match text.as_str().len() < Str::LONG {
                            true => (5, number()),
                            false => (5, *long.entry(o.address()).or_insert_with(number)),
                        }
                    }
                    None => (6, alike.get(&o.address()).copied().unwrap_or(o.address()) as u64),
                },
            };
            words.extend([word.0, word.1]);
        };
        match object.info().shape() {
            Shape::Fields if matches!(object.info().plan(), Plan::FreeVar | Plan::Dag | Plan::Unique) => {
                words.push(object.address() as u64);
            }
            Shape::Fields => (0..object.info().fields().len()).for_each(|i| add(object.field(i))),
            Shape::Array => {
                let items = object.array_items();
                items.iter().for_each(|item| add(item.as_field()));
            }
            Shape::Map => {
                for (key, value) in object.map_entries() {
                    add(key.as_field());
                    add(value.as_field());
                }
            }
            Shape::Str | Shape::Tensor => {}
        }
        let first = *classes.entry(words).or_insert(object.address());
        alike.insert(object.address(), first);
        Walk::Advance
    });
    alike
}
