//! Applying an edit script.
//!
//! The changes are collected by place in A, and A is rebuilt along those places. Everything else stays shared with A.
//! Parts of B refer to the entities of B; those that correspond to an entity of A are replaced by it.

use hashbrown::HashMap;
use tvmscript_ir_core::containers::Key;
use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::type_table::{FieldKind, Shape};
use tvmscript_ir_core::{
    AccessPath, Array, FieldError, FieldRef, Map, Object, ObjectLike, PathStep, Str, Value, with_stack,
};

use crate::edit::{Action, EditScript};
use crate::facts::is_entity;

/// Error of [`crate::apply`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The graph has no part at a path of the script, so the script was made for another graph.
    #[error("the graph has no part at `{path}`")]
    NoPart {
        /// The path.
        path: AccessPath,
    },
    /// A changed node does not fit.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// The new root is not a node.
    #[error("the root is not a node")]
    Root,
}

type Result<T> = std::result::Result<T, ApplyError>;

/// Applies an edit script; see [`crate::apply`].
pub(crate) fn apply(a: &Object, script: &EditScript) -> Result<Object> {
    let mut places = ChangeTree::new(a);
    for action in &script.actions {
        places.add(action)?;
    }
    let mut entities = AddressMap::default();
    for (index, place) in places.all.iter().enumerate().rev() {
        if let Value::Node(node) = &place.part
            && is_entity(node)
            && place.set.is_none()
            && place.same.is_none()
        {
            entities.insert(node.address(), index);
        }
    }
    let partners = script.entities.iter().map(|(a, b)| (b.address(), a)).collect();
    let mut work = Work {
        keeps_entities: entities.is_empty(),
        places: &places,
        entities,
        partners,
        done: HashMap::new(),
        filled: HashMap::new(),
        left: AddressMap::default(),
        right: AddressMap::default(),
        open: AddressMap::default(),
    };
    match work.place(0)? {
        Value::Node(root) => Ok(root),
        _ => Err(ApplyError::Root),
    }
}

/// A new element of an array.
enum New<'s> {
    OfB(&'s Value),
    /// Index of the place of a moved element.
    Moved(usize),
}

/// The changes at one path of A.
struct PathChanges<'s> {
    part: Value,
    /// ChangeTree of parts, by step.
    children: Vec<(PathStep, usize)>,
    set: Option<&'s Value>,
    /// Nodes of B around the part, outer ones first.
    wraps: Vec<(&'s Object, &'s [PathStep])>,
    /// The place that takes the place of this one.
    unwrap: Option<usize>,
    is_removed: bool,
    inserts: Vec<(usize, New<'s>)>,
    entries: Vec<(&'s Value, &'s Value)>,
    same: Option<usize>,
    like: Option<&'s Object>,
}

struct ChangeTree<'s> {
    all: Vec<PathChanges<'s>>,
    by_step: HashMap<(usize, Step), usize>,
}

/// A step as a key of a table.
#[derive(Hash, PartialEq, Eq)]
enum Step {
    Field(&'static str),
    Index(u32),
    Key(Key),
    KeyItself(Key),
}

impl Step {
    fn of(step: &PathStep) -> Option<Step> {
        Some(match step {
            PathStep::Field(name) => Step::Field(name),
            PathStep::Index(index) => Step::Index(*index),
            PathStep::Key(key) => Step::Key(Key::new(key.clone())),
            PathStep::KeyItself(key) => Step::KeyItself(Key::new(key.clone())),
            PathStep::MissingIndex(_) | PathStep::MissingKey(_) => return None,
        })
    }
}

impl<'s> ChangeTree<'s> {
    fn new(root: &Object) -> ChangeTree<'s> {
        let mut places = ChangeTree { all: Vec::new(), by_step: HashMap::new() };
        places.push(Value::Node(root.clone()));
        places
    }

    fn push(&mut self, part: Value) -> usize {
        self.all.push(PathChanges {
            part,
            children: Vec::new(),
            set: None,
            wraps: Vec::new(),
            unwrap: None,
            is_removed: false,
            inserts: Vec::new(),
            entries: Vec::new(),
            same: None,
            like: None,
        });
        self.all.len() - 1
    }

    /// The place at a path.
    fn find(&mut self, path: &AccessPath) -> Result<usize> {
        self.below(0, &path.steps).ok_or_else(|| ApplyError::NoPart { path: path.clone() })
    }

    fn below(&mut self, mut at: usize, steps: &[PathStep]) -> Option<usize> {
        for step in steps {
            let key = (at, Step::of(step)?);
            at = match self.by_step.get(&key) {
                Some(known) => *known,
                None => {
                    let part = step.follow(self.all.get(at)?.part.as_object()?)?;
                    let new = self.push(part);
                    self.all.get_mut(at)?.children.push((step.clone(), new));
                    self.by_step.insert(key, new);
                    new
                }
            };
        }
        Some(at)
    }

    fn add(&mut self, action: &'s Action) -> Result<()> {
        let at = self.find(action.at())?;
        let other = match action {
            Action::MoveIn { from: other, .. } | Action::Same { other, .. } => Some(self.find(other)?),
            Action::Unwrap { at: path, rest } => {
                let inner = self.below(at, rest);
                Some(inner.ok_or_else(|| ApplyError::NoPart { path: path.clone() })?)
            }
            _ => None,
        };
        let Some(place) = self.all.get_mut(at) else { return Ok(()) };
        match action {
            Action::Set { value, .. } => place.set = Some(value),
            Action::Wrap { wrapper, hole, .. } => place.wraps.push((wrapper, hole)),
            Action::Unwrap { .. } => place.unwrap = other,
            Action::Remove { .. } => place.is_removed = true,
            Action::Insert { index, value, .. } => place.inserts.push((*index, New::OfB(value))),
            Action::MoveIn { index, .. } => {
                place.inserts.extend(other.map(|from| (*index, New::Moved(from))));
            }
            Action::InsertEntry { key, value, .. } => place.entries.push((key, value)),
            Action::Same { .. } => place.same = other,
            Action::Ignored { like, .. } => place.like = Some(like),
        }
        Ok(())
    }
}

/// Side of a node that is outside of all places.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    A,
    B,
}

struct Work<'p, 's> {
    places: &'p ChangeTree<'s>,
    /// `true` if no entity changes.
    keeps_entities: bool,
    /// ChangeTree of changed entities, by address.
    entities: AddressMap<usize>,
    /// Entities of A, by the address of the corresponding entity of B.
    partners: AddressMap<&'s Object>,
    /// Results of places, without the nodes around them.
    done: HashMap<usize, Value>,
    /// Nodes of B around parts, by the addresses of the node and of the part, with the place of the part.
    filled: HashMap<(usize, usize), (&'s [PathStep], Object)>,
    /// Results of nodes outside of places, by address.
    left: AddressMap<Object>,
    right: AddressMap<Object>,
    /// Entities whose content is being rewritten.
    open: AddressMap<()>,
}

impl<'s> Work<'_, 's> {
    /// The new part at a place, with the nodes around it.
    fn place(&mut self, index: usize) -> Result<Value> {
        let places = self.places;
        let mut new = self.bare(index)?;
        let wraps = places.all.get(index).map_or(&[][..], |place| &place.wraps);
        for (wrapper, hole) in wraps.iter().rev() {
            new = self.around(wrapper, hole, new)?;
        }
        Ok(new)
    }

    /// The new part at a place, without the nodes around it: another place with the same part may have others around it.
    fn bare(&mut self, index: usize) -> Result<Value> {
        if let Some(known) = self.done.get(&index) {
            return Ok(known.clone());
        }
        let new = with_stack(|| self.new_part(index))?;
        self.done.insert(index, new.clone());
        Ok(new)
    }

    fn new_part(&mut self, index: usize) -> Result<Value> {
        let places = self.places;
        let Some(place) = places.all.get(index) else { return Ok(Value::None) };
        if let Some(other) = place.same {
            return self.bare(other);
        }
        match (place.set, place.unwrap, &place.part) {
            (Some(value), _, _) => self.rewrite(value, Side::B),
            (None, Some(inner), _) => self.place(inner),
            (None, None, Value::Node(node)) if is_entity(node) => Ok(Value::Node(self.entity(node)?)),
            (None, None, Value::Node(node)) => Ok(Value::Node(self.content(node, Some(index))?)),
            (None, None, scalar) => Ok(scalar.clone()),
        }
    }

    /// A node of B around a part: one node for one part, in all places.
    fn around(&mut self, wrapper: &'s Object, hole: &'s [PathStep], part: Value) -> Result<Value> {
        let Value::Node(content) = &part else { return self.fill(wrapper, hole, part) };
        let key = (wrapper.address(), content.address());
        if let Some((_, known)) = self.filled.get(&key).filter(|(place, _)| *place == hole) {
            return Ok(Value::Node(known.clone()));
        }
        let new = self.fill(wrapper, hole, part)?;
        if let Value::Node(node) = &new {
            self.filled.insert(key, (hole, node.clone()));
        }
        Ok(new)
    }

    /// The new node for an entity of A.
    fn entity(&mut self, node: &Object) -> Result<Object> {
        if let Some(known) = self.left.get(&node.address()) {
            return Ok(known.clone());
        }
        if self.open.insert(node.address(), ()).is_some() {
            return Ok(node.clone());
        }
        let place = self.entities.get(&node.address()).copied();
        let new = with_stack(|| self.content(node, place))?;
        self.open.remove(&node.address());
        self.left.insert(node.address(), new.clone());
        Ok(new)
    }

    /// A node of A with its parts rewritten.
    fn content(&mut self, node: &Object, place: Option<usize>) -> Result<Object> {
        let places = self.places;
        let place = place.and_then(|index| places.all.get(index));
        match node.info().shape() {
            Shape::Fields => self.fields(node, place),
            Shape::Array => self.array(node, place),
            Shape::Map => self.map(node, place),
            Shape::Str | Shape::Tensor => Ok(node.clone()),
        }
    }

    fn fields(&mut self, node: &Object, place: Option<&PathChanges<'_>>) -> Result<Object> {
        let info = node.info();
        let mut new = node.clone();
        let mut is_changed = false;
        for (index, field) in info.fields().iter().enumerate() {
            let step = PathStep::Field(field.name);
            let changed = place.and_then(|place| place.children.iter().find(|(known, _)| *known == step));
            let ignored = place
                .and_then(|place| place.like)
                .filter(|_| field.skip_eq && field.kind != FieldKind::Span && !is_name(node.field(index)));
            let value = match (changed, ignored, node.field(index)) {
                (Some((_, child)), _, _) => self.place(*child)?,
                (None, Some(like), _) => self.rewrite(&like.field(index).to_value(), Side::B)?,
                (None, None, FieldRef::Node(part)) => {
                    let part = self.node(part, Side::A)?;
                    if matches!(node.field(index), FieldRef::Node(old) if old.ptr_eq(&part)) {
                        continue;
                    }
                    Value::Node(part)
                }
                _ => continue,
            };
            new.set_field(index, value)?;
            is_changed = true;
        }
        if is_changed {
            new.check()?;
        }
        Ok(new)
    }

    fn array(&mut self, node: &Object, place: Option<&PathChanges<'_>>) -> Result<Object> {
        let changed: HashMap<usize, usize> = place.map_or_else(HashMap::new, |place| {
            let index = |step: &PathStep| {
                if let PathStep::Index(index) = step { Some(*index as usize) } else { None }
            };
            place.children.iter().filter_map(|(step, child)| Some((index(step)?, *child))).collect()
        });
        let mut kept = Vec::with_capacity(node.array_items().len());
        let mut is_changed = false;
        for (index, item) in node.array_items().iter().enumerate() {
            let new = match changed.get(&index) {
                Some(child) if self.is_removed(*child) => {
                    is_changed = true;
                    continue;
                }
                Some(child) => self.place(*child)?,
                None => self.rewrite(item, Side::A)?,
            };
            is_changed |= !is_same(item, &new);
            kept.push(new);
        }
        let inserts = place.map_or(&[][..], |place| &place.inserts);
        if !is_changed && inserts.is_empty() {
            return Ok(node.clone());
        }
        let mut new = Vec::with_capacity(kept.len() + inserts.len());
        let mut kept = kept.into_iter();
        let mut order: Vec<&(usize, New<'_>)> = inserts.iter().collect();
        order.sort_by_key(|(index, _)| *index);
        for (index, inserted) in order {
            while new.len() < *index {
                match kept.next() {
                    Some(item) => new.push(item),
                    None => break,
                }
            }
            new.push(match inserted {
                New::OfB(value) => self.rewrite(value, Side::B)?,
                New::Moved(from) => self.place(*from)?,
            });
        }
        new.extend(kept);
        Ok(Array::<Value>::of_values(new).into_object())
    }

    fn map(&mut self, node: &Object, place: Option<&PathChanges<'_>>) -> Result<Object> {
        let children: HashMap<Step, usize> = place.map_or_else(HashMap::new, |place| {
            place.children.iter().filter_map(|(step, child)| Some((Step::of(step)?, *child))).collect()
        });
        let mut entries: Vec<(Value, Value)> = Vec::new();
        let mut is_changed = false;
        for (key, value) in node.map_entries() {
            let child = children.get(&Step::Key(Key::new(key.clone()))).copied();
            if child.is_some_and(|child| self.is_removed(child)) {
                is_changed = true;
                continue;
            }
            let new_key = self.rewrite(key, Side::A)?;
            let new = match child {
                Some(child) => self.place(child)?,
                None => self.rewrite(value, Side::A)?,
            };
            is_changed |= !is_same(key, &new_key) || !is_same(value, &new);
            entries.push((new_key, new));
        }
        for (key, value) in place.map_or(&[][..], |place| &place.entries) {
            is_changed = true;
            entries.push((self.rewrite(key, Side::B)?, self.rewrite(value, Side::B)?));
        }
        match is_changed {
            true => Ok(Map::<Value, Value>::new(entries).into_object()),
            false => Ok(node.clone()),
        }
    }

    fn is_removed(&self, place: usize) -> bool {
        self.places.all.get(place).is_some_and(|place| place.is_removed)
    }

    /// A value outside of all places.
    fn rewrite(&mut self, value: &Value, side: Side) -> Result<Value> {
        match value {
            Value::Node(node) => Ok(Value::Node(self.node(node, side)?)),
            scalar => Ok(scalar.clone()),
        }
    }

    /// A node outside of all places, with the new entities.
    fn node(&mut self, node: &Object, side: Side) -> Result<Object> {
        if matches!(node.info().shape(), Shape::Str | Shape::Tensor) {
            return Ok(node.clone());
        }
        match side {
            Side::A if self.keeps_entities => return Ok(node.clone()),
            Side::A if is_entity(node) => return self.entity(node),
            Side::A => {
                if let Some(known) = self.left.get(&node.address()) {
                    return Ok(known.clone());
                }
            }
            Side::B => {
                if let Some(partner) = self.partners.get(&node.address()).copied() {
                    return self.entity(partner);
                }
                if let Some(known) = self.right.get(&node.address()) {
                    return Ok(known.clone());
                }
            }
        }
        let new = with_stack(|| match side {
            Side::A => self.content(node, None),
            Side::B => self.translate(node),
        })?;
        let memo = if side == Side::A { &mut self.left } else { &mut self.right };
        memo.insert(node.address(), new.clone());
        Ok(new)
    }

    /// A node of B with the entities of A.
    fn translate(&mut self, node: &Object) -> Result<Object> {
        self.with_parts(node, |work, _, value| work.rewrite(value, Side::B))
    }

    /// A node of B in which the part at `hole` is `content`.
    fn fill(&mut self, wrapper: &Object, hole: &[PathStep], content: Value) -> Result<Value> {
        let Some((step, rest)) = hole.split_first() else { return Ok(content) };
        let new = with_stack(|| {
            self.with_parts(wrapper, |work, at, value| match value {
                Value::Node(inner) if at == step => work.fill(inner, rest, content.clone()),
                value => work.rewrite(value, Side::B),
            })
        })?;
        Ok(Value::Node(new))
    }

    /// A node of B with its parts replaced.
    fn with_parts(
        &mut self,
        node: &Object,
        mut part: impl FnMut(&mut Self, &PathStep, &Value) -> Result<Value>,
    ) -> Result<Object> {
        match node.info().shape() {
            Shape::Fields => {
                let mut new = node.clone();
                let mut is_changed = false;
                for (index, field) in node.info().fields().iter().enumerate() {
                    let FieldRef::Node(old) = node.field(index) else { continue };
                    let value = part(self, &PathStep::Field(field.name), &Value::Node(old.clone()))?;
                    if !matches!(&value, Value::Node(value) if value.ptr_eq(old)) {
                        new.set_field(index, value)?;
                        is_changed = true;
                    }
                }
                if is_changed {
                    new.check()?;
                }
                Ok(new)
            }
            Shape::Array => {
                let mut new = Vec::with_capacity(node.array_items().len());
                for (index, item) in node.array_items().iter().enumerate() {
                    new.push(part(self, &PathStep::Index(index as u32), item)?);
                }
                let is_changed = node.array_items().iter().zip(&new).any(|(a, b)| !is_same(a, b));
                Ok(if is_changed { Array::<Value>::of_values(new).into_object() } else { node.clone() })
            }
            Shape::Map => {
                let mut new = Vec::new();
                let mut is_changed = false;
                for (key, value) in node.map_entries() {
                    let new_key = self.rewrite(key, Side::B)?;
                    let new_value = part(self, &PathStep::Key(key.clone()), value)?;
                    is_changed |= !is_same(key, &new_key) || !is_same(value, &new_value);
                    new.push((new_key, new_value));
                }
                Ok(if is_changed { Map::<Value, Value>::new(new).into_object() } else { node.clone() })
            }
            Shape::Str | Shape::Tensor => Ok(node.clone()),
        }
    }
}

fn is_name(field: FieldRef<'_>) -> bool {
    match field {
        FieldRef::Name(_) => true,
        FieldRef::Node(text) => Str::try_ref(text).is_some(),
        _ => false,
    }
}

/// Compares identity.
fn is_same(a: &Value, b: &Value) -> bool {
    Key::new(a.clone()) == Key::new(b.clone())
}
