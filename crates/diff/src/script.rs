//! From a matching to an edit script.
//!
//! Both graphs are walked again, as [`crate::matching`] says which nodes correspond, and compared strictly. A pair of shared
//! nodes is walked once; at further occurrences its changes are repeated by reference.

use hashbrown::HashMap;
use tvmscript_ir_core::equal::align::Row;
use tvmscript_ir_core::ptr_map::{AddressMap, PtrSet};
use tvmscript_ir_core::type_table::{EqStep, EqSteps, FieldKind, Shape};
use tvmscript_ir_core::{
    AccessPath, EqKind, FieldRef, Object, ObjectLike, PathStep, Str, StructuralEqual, Value, with_stack,
};

use crate::edit::{Action, Edit, EditOp, EditScript};
use crate::facts::{Facts, is_entity, name_of};
use crate::matching::wrappers::{elements, rows_of};
use crate::matching::{
    Decision, Element, Matching, Pair, counterpart, is_leaf, is_shared, match_graphs, pair_of, scalars_equal,
};

/// Computes the edit script of two graphs; see [`crate::diff`]. Nodes that correspond are added to `pairs`.
pub(crate) fn diff(
    a: &Object,
    b: &Object,
    options: StructuralEqual,
    pairs: Option<&mut Vec<(Object, Object)>>,
) -> EditScript {
    let is_equal = options.compare(a, b);
    let (matching, left_facts, right_facts) = match_graphs(a, b, options, is_equal);
    let mut writer = Writer {
        options,
        matching: &matching,
        left_facts,
        right_facts,
        left: Vec::new(),
        right: Vec::new(),
        edits: Vec::new(),
        actions: Vec::new(),
        visited: HashMap::new(),
        met: PtrSet::default(),
        names: Vec::new(),
        owners: AddressMap::default(),
        sources: HashMap::new(),
        arrivals: Vec::new(),
        pairs,
    };
    writer.node(a, b, options.map_free_vars);
    writer.finish_moves();
    writer.drop_dependent_names();
    let Writer { mut edits, mut actions, .. } = writer;
    if !is_equal && edits.iter().all(|edit| edit.is_ignored) {
        // Only the sharing of nodes differs.
        let root = Some(AccessPath::root());
        let (old, new) = (Value::Node(a.clone()), Value::Node(b.clone()));
        edits.push(Edit {
            op: EditOp::Change,
            a: root.clone(),
            b: root,
            old,
            new: new.clone(),
            inner: None,
            is_ignored: false,
        });
        actions = vec![Action::Set { at: AccessPath::root(), value: new }];
    }
    let entities = matching.entities.pairs();
    let entities = entities.filter(|(a, b)| !is_free(&matching, options, a, b));
    let entities = entities.map(|(a, b)| (a.clone(), b.clone())).collect();
    EditScript { edits, is_equal, actions, entities }
}

/// Returns `true` for a pair of different variables that neither side defines: those are not equal.
fn is_free(matching: &Matching<'_>, options: StructuralEqual, a: &Object, b: &Object) -> bool {
    a.info().eq_kind() == EqKind::FreeVar
        && !matching.entities.is_defined(a)
        && !options.map_free_vars
        && !a.ptr_eq(b)
}

/// The destination of a moved element.
struct Arrival<'a> {
    from: Element,
    edit: usize,
    /// Index of the action, unless the element arrives with a node around it.
    action: Option<usize>,
    to: Vec<PathStep>,
    old: &'a Value,
    new: &'a Value,
}

struct Writer<'m, 'a> {
    options: StructuralEqual,
    matching: &'m Matching<'a>,
    left_facts: Facts,
    right_facts: Facts,
    /// Present paths.
    left: Vec<PathStep>,
    right: Vec<PathStep>,
    edits: Vec<Edit>,
    actions: Vec<Action>,
    /// Visited pairs of shared nodes, with the first path to those that differ.
    visited: HashMap<Pair, Option<AccessPath>>,
    /// Entities of the left side whose content was compared.
    met: PtrSet,
    /// Edits of names, by index, with the entity.
    names: Vec<(usize, &'a Object)>,
    /// Names of the entity that an entity belongs to, of both sides.
    owners: AddressMap<(&'a str, &'a str)>,
    /// Paths of moved elements.
    sources: HashMap<Element, Vec<PathStep>>,
    arrivals: Vec<Arrival<'a>>,
    /// Nodes that correspond, if they are asked for.
    pairs: Option<&'m mut Vec<(Object, Object)>>,
}

impl<'a> Writer<'_, 'a> {
    fn left_path(&self) -> AccessPath {
        AccessPath { steps: self.left.clone() }
    }

    fn right_path(&self) -> AccessPath {
        AccessPath { steps: self.right.clone() }
    }

    fn record(&mut self, a: &Object, b: &Object) {
        if let Some(pairs) = &mut self.pairs {
            pairs.push((a.clone(), b.clone()));
        }
    }

    fn edit(&mut self, op: EditOp, old: Option<Value>, new: Option<Value>) {
        let a = old.is_some().then(|| self.left_path());
        let b = new.is_some().then(|| self.right_path());
        let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
        self.edits.push(Edit { op, a, b, old, new, inner: None, is_ignored: false });
    }

    /// Replaces the part at the present paths.
    fn replace(&mut self, old: FieldRef<'_>, new: FieldRef<'_>) {
        let (old, new) = (old.to_value(), new.to_value());
        self.actions.push(Action::Set { at: self.left_path(), value: new.clone() });
        match (&old, &new) {
            (Value::None, Value::Node(_)) => self.edit(EditOp::Insert, None, Some(new)),
            (Value::Node(_), Value::None) => self.edit(EditOp::Remove, Some(old), None),
            _ => {
                // An entry is a name if it is that of a symbol; `name` may be any attribute.
                let may_be = match self.left.last() {
                    Some(PathStep::Key(key)) => key.as_str().is_some_and(|key| key.ends_with("_symbol")),
                    _ => true,
                };
                let are_texts = old.as_str().is_some() && new.as_str().is_some();
                let is_name = may_be && are_texts && self.left_path().is_of_name();
                self.edit(if is_name { EditOp::Rename } else { EditOp::Change }, Some(old), Some(new));
            }
        }
    }

    /// Runs `f` at the parts to which two steps lead.
    fn at(&mut self, left: PathStep, right: PathStep, f: impl FnOnce(&mut Self)) {
        self.left.push(left);
        self.right.push(right);
        f(self);
        self.left.pop();
        self.right.pop();
    }

    fn value(&mut self, a: FieldRef<'a>, b: FieldRef<'a>, def: bool) {
        match (a, b) {
            (FieldRef::Node(a), FieldRef::Node(b)) => self.node(a, b, def),
            _ if scalars_equal(a, b) => {}
            _ => self.replace(a, b),
        }
    }

    fn node(&mut self, a: &'a Object, b: &'a Object, def: bool) {
        let matching = self.matching;
        match matching.decisions.get(&pair_of(a, b)) {
            Some(Decision::Replaced) => return self.replace(FieldRef::Node(a), FieldRef::Node(b)),
            Some(Decision::Wrapped(path, inner)) => return self.wrapped(a, b, path, inner, def),
            Some(Decision::Unwrapped(path, inner)) => return self.unwrapped(a, b, path, inner, def),
            Some(Decision::Sequence { is_left, index }) => return self.sequence(a, b, *is_left, *index, def),
            Some(Decision::Rows(_)) | None => {}
        }
        if !std::ptr::eq(a.info(), b.info()) {
            return self.replace(FieldRef::Node(a), FieldRef::Node(b));
        }
        if is_entity(a) {
            return self.entity(a, b, def);
        }
        if is_leaf(a) {
            if !self.options.compare(a, b) {
                self.replace(FieldRef::Node(a), FieldRef::Node(b));
            }
            return;
        }
        let is_shared = is_shared(a, b);
        if is_shared {
            match self.visited.get(&pair_of(a, b)) {
                Some(None) => return,
                Some(Some(other)) => {
                    let action = Action::Same { at: self.left_path(), other: other.clone() };
                    return self.actions.push(action);
                }
                None => {
                    self.visited.insert(pair_of(a, b), None);
                }
            }
        }
        self.record(a, b);
        let before = self.actions.len();
        with_stack(|| match a.info().shape() {
            Shape::Array => self.arrays(a, b, def),
            Shape::Map => self.maps(a, b, def),
            _ => self.parts(a, b, def),
        });
        if is_shared && self.actions.len() > before {
            self.visited.insert(pair_of(a, b), Some(self.left_path()));
        }
    }

    fn entity(&mut self, a: &'a Object, b: &'a Object, def: bool) {
        let entities = &self.matching.entities;
        if !entities.are_paired(a, b) || is_free(self.matching, self.options, a, b) {
            let is_itself = a.ptr_eq(b) && entities.right_of(a).is_none() && entities.left_of(b).is_none();
            if !is_itself {
                self.replace(FieldRef::Node(a), FieldRef::Node(b));
            }
            return;
        }
        if self.met.insert(a.clone()) {
            self.record(a, b);
            if let (EqKind::Tree, Some(old), Some(new)) = (a.info().eq_kind(), name_of(a), name_of(b)) {
                for_each_variable(a, |variable| {
                    self.owners.entry(variable.address()).or_insert((old, new));
                });
            }
            with_stack(|| self.parts(a, b, def));
        }
    }

    /// Compares the parts of two nodes of one type, and their names.
    fn parts(&mut self, a: &'a Object, b: &'a Object, def: bool) {
        let before = self.actions.len();
        let info = a.info();
        let step = |index: usize| PathStep::Field(info.fields().get(index).map_or("?", |field| field.name));
        if let Some(custom) = info.custom_eq() {
            let mut steps = EqSteps::default();
            custom(a, b, &mut steps);
            for eq_step in steps.steps() {
                match *eq_step {
                    EqStep::Field { index, def: region } => {
                        let def = def | region;
                        let (x, y) = (a.field(index), b.field(index));
                        self.at(step(index), step(index), |this| this.value(x, y, def));
                    }
                    EqStep::Bind { index, lhs, rhs } => {
                        let is_map =
                            matches!(a.field(index), FieldRef::Node(map) if map.info().shape() == Shape::Map);
                        self.at(step(index), step(index), |this| match is_map {
                            true => this.key(lhs, rhs),
                            false => this.node(lhs, rhs, true),
                        });
                    }
                }
            }
        } else {
            for (index, field) in info.fields().iter().enumerate().filter(|(_, field)| !field.skip_eq) {
                let (x, y) = (a.field(index), b.field(index));
                let is_same = match (x, y) {
                    (FieldRef::Node(x), FieldRef::Node(y)) => x.ptr_eq(y) && is_leaf(x),
                    _ => scalars_equal(x, y),
                };
                if is_same {
                    continue;
                }
                self.at(step(index), step(index), |this| this.value(x, y, def | field.def));
            }
        }
        self.ignored_parts(a, b, self.actions.len() > before);
    }

    /// Compares the fields that equality ignores: names are edits, other fields are taken over if the node `is_changed`
    /// or they differ.
    fn ignored_parts(&mut self, a: &'a Object, b: &'a Object, is_changed: bool) {
        let info = a.info();
        let mut differs = false;
        for (index, field) in info.fields().iter().enumerate() {
            if !field.skip_eq || field.kind == FieldKind::Span {
                continue;
            }
            let (x, y) = (a.field(index), b.field(index));
            let name = |field: FieldRef<'a>| match field {
                FieldRef::Name(name) => Some(name.written()),
                FieldRef::Node(text) => Str::try_ref(text).map(Str::as_str),
                _ => None,
            };
            match (name(x), name(y)) {
                (Some(old), Some(new)) if old == new => {}
                (Some(old), Some(new)) => {
                    self.at(PathStep::Field(field.name), PathStep::Field(field.name), |this| {
                        let new = Value::str(new);
                        this.actions.push(Action::Set { at: this.left_path(), value: new.clone() });
                        this.edit(EditOp::Rename, Some(Value::str(old)), Some(new));
                        if let Some(edit) = this.edits.last_mut() {
                            edit.is_ignored = true;
                        }
                        this.names.push((this.edits.len() - 1, a));
                    });
                }
                _ => {
                    differs |= is_changed || self.left_facts.of(x).named != self.right_facts.of(y).named;
                }
            }
        }
        if differs {
            self.actions.push(Action::Ignored { at: self.left_path(), like: b.clone() });
        }
    }

    fn arrays(&mut self, a: &'a Object, b: &'a Object, def: bool) {
        let (left, right) = (a.array_items(), b.array_items());
        let matching = self.matching;
        let decision = matching.decisions.get(&pair_of(a, b));
        if decision.is_none() && left.len() == right.len() {
            for (index, (x, y)) in left.iter().zip(right).enumerate() {
                let step = PathStep::Index(index as u32);
                self.at(step.clone(), step, |this| this.value(x.as_field(), y.as_field(), def));
            }
            return;
        }
        let index = |index: usize| PathStep::Index(index as u32);
        for row in rows_of(decision, left.len(), right.len()) {
            match row {
                Row::Both(i, j) => {
                    let (Some(x), Some(y)) = (left.get(i), right.get(j)) else { continue };
                    self.at(index(i), index(j), |this| this.value(x.as_field(), y.as_field(), def));
                }
                Row::Left(i) => {
                    let Some(value) = left.get(i) else { continue };
                    self.left.push(index(i));
                    self.actions.push(Action::Remove { at: self.left_path() });
                    self.leave((a.address(), i), value);
                    self.left.pop();
                }
                Row::Right(j) => {
                    let Some(value) = right.get(j) else { continue };
                    let insert = Action::Insert { array: self.left_path(), index: j, value: value.clone() };
                    self.actions.push(insert);
                    self.right.push(index(j));
                    self.arrive((b.address(), j), value, true);
                    self.right.pop();
                }
            }
        }
    }

    /// An element at the present left path that is not at the corresponding place of the right side.
    fn leave(&mut self, element: Element, value: &Value) {
        if self.matching.moves.contains_key(&element) {
            self.sources.insert(element, self.left.clone());
        } else {
            self.edit(EditOp::Remove, Some(value.clone()), None);
        }
    }

    /// An element at the present right path that is not at the corresponding place of the left side.
    fn arrive(&mut self, element: Element, value: &Value, has_action: bool) {
        self.edit(EditOp::Insert, None, Some(value.clone()));
        if let Some((from, old, new)) = self.matching.moves_back.get(&element) {
            self.arrivals.push(Arrival {
                from: *from,
                edit: self.edits.len() - 1,
                action: has_action.then(|| self.actions.len() - 1),
                to: self.right.clone(),
                old,
                new,
            });
        }
    }

    /// Turns pairs of removed and inserted elements into moves, and compares the elements.
    fn finish_moves(&mut self) {
        let mut is_any = true;
        while is_any {
            let (ready, waiting): (Vec<_>, Vec<_>) = std::mem::take(&mut self.arrivals)
                .into_iter()
                .partition(|arrival| self.sources.contains_key(&arrival.from));
            is_any = !ready.is_empty();
            self.arrivals = waiting;
            for arrival in ready {
                let Some(from) = self.sources.remove(&arrival.from) else { continue };
                let path = AccessPath { steps: from.clone() };
                if let Some(edit) = self.edits.get_mut(arrival.edit) {
                    edit.op = EditOp::Move;
                    edit.a = Some(path.clone());
                    edit.old = arrival.old.clone();
                }
                if let Some(action) = arrival.action.and_then(|at| self.actions.get_mut(at))
                    && let Action::Insert { array, index, .. } = action
                {
                    *action = Action::MoveIn { array: std::mem::take(array), index: *index, from: path };
                }
                (self.left, self.right) = (from, arrival.to);
                self.value(arrival.old.as_field(), arrival.new.as_field(), false);
            }
        }
        // An element whose destination is not part of the script.
        for (element, steps) in std::mem::take(&mut self.sources) {
            let moved = self.matching.moves.get(&element).and_then(|to| self.matching.moves_back.get(to));
            if let Some((_, old, _)) = moved {
                self.left = steps;
                self.edit(EditOp::Remove, Some((*old).clone()), None);
            }
        }
        self.left.clear();
        self.right.clear();
    }

    fn key(&mut self, a: &'a Object, b: &'a Object) {
        let step = |key: &Object| PathStep::KeyItself(Value::Node(key.clone()));
        self.at(step(a), step(b), |this| this.node(a, b, true));
    }

    fn maps(&mut self, a: &'a Object, b: &'a Object, def: bool) {
        let entities = &self.matching.entities;
        let mut found = hashbrown::HashSet::new();
        for (key, value) in a.map_entries() {
            let Some((other_key, other)) = counterpart(entities, key, b) else {
                self.left.push(PathStep::Key(key.clone()));
                self.actions.push(Action::Remove { at: self.left_path() });
                self.edit(EditOp::Remove, Some(value.clone()), None);
                self.left.pop();
                continue;
            };
            found.insert(tvmscript_ir_core::containers::Key::new(other_key.clone()));
            if let Some(entity) = key.as_object().filter(|key| is_entity(key)) {
                if let (Some(here), Some(there)) = (value.as_object(), other.as_object())
                    && let (true, Some(old), Some(new)) = (is_entity(here), name_of(here), name_of(there))
                {
                    self.owners.insert(entity.address(), (old, new));
                }
                if let Some(other) = entities.right_of(entity) {
                    self.key(entity, other);
                }
            }
            self.at(PathStep::Key(key.clone()), PathStep::Key(other_key), |this| {
                this.value(value.as_field(), other.as_field(), def);
            });
        }
        for (key, value) in b.map_entries() {
            if found.contains(&tvmscript_ir_core::containers::Key::new(key.clone())) {
                continue;
            }
            let map = self.left_path();
            self.actions.push(Action::InsertEntry { map, key: key.clone(), value: value.clone() });
            self.right.push(PathStep::Key(key.clone()));
            self.edit(EditOp::Insert, None, Some(value.clone()));
            self.right.pop();
        }
    }

    fn wrapped(&mut self, a: &'a Object, b: &'a Object, path: &[PathStep], inner: &'a Object, def: bool) {
        let hole = path.to_vec();
        self.actions.push(Action::Wrap { at: self.left_path(), wrapper: b.clone(), hole });
        self.edit(EditOp::Insert, None, Some(Value::Node(b.clone())));
        let depth = self.right.len();
        self.right.extend_from_slice(path);
        let kept = self.right_path();
        self.edits.last_mut().into_iter().for_each(|edit| edit.inner = Some(kept.clone()));
        with_stack(|| self.node(a, inner, def));
        self.right.truncate(depth);
    }

    fn unwrapped(&mut self, a: &'a Object, b: &'a Object, path: &[PathStep], inner: &'a Object, def: bool) {
        self.actions.push(Action::Unwrap { at: self.left_path(), rest: path.to_vec() });
        self.edit(EditOp::Remove, Some(Value::Node(a.clone())), None);
        let depth = self.left.len();
        self.left.extend_from_slice(path);
        let kept = self.left_path();
        self.edits.last_mut().into_iter().for_each(|edit| edit.inner = Some(kept.clone()));
        with_stack(|| self.node(inner, b, def));
        self.left.truncate(depth);
    }

    fn sequence(&mut self, a: &'a Object, b: &'a Object, is_left: bool, index: usize, def: bool) {
        let Some((field, array)) = elements(if is_left { a } else { b }) else { return };
        let path = [PathStep::Field(field), PathStep::Index(index as u32)];
        self.actions.push(match is_left {
            true => Action::Unwrap { at: self.left_path(), rest: path.to_vec() },
            false => Action::Wrap { at: self.left_path(), wrapper: b.clone(), hole: path.to_vec() },
        });
        let depth = if is_left { self.left.len() } else { self.right.len() };
        for (other, value) in array.array_items().iter().enumerate() {
            let side = if is_left { &mut self.left } else { &mut self.right };
            side.truncate(depth);
            side.extend([PathStep::Field(field), PathStep::Index(other as u32)]);
            match value.as_object().filter(|_| other == index) {
                Some(item) if is_left => with_stack(|| self.node(item, b, def)),
                Some(item) => with_stack(|| self.node(a, item, def)),
                None if is_left => self.leave((array.address(), other), value),
                None => self.arrive((array.address(), other), value, false),
            }
        }
        let side = if is_left { &mut self.left } else { &mut self.right };
        side.truncate(depth);
    }

    /// Drops the edits of names that follow from the name of another entity, which they begin with: the pointer of a
    /// renamed buffer, and the parameter it is passed as.
    fn drop_dependent_names(&mut self) {
        let follows = |edit: &Edit, entity: &Object| {
            let Some((old, new)) = self.owners.get(&entity.address()) else { return false };
            let (Some(x), Some(y)) = (edit.old.as_str(), edit.new.as_str()) else { return false };
            let rest = (x.strip_prefix(old), y.strip_prefix(new));
            old != new && !old.is_empty() && matches!(rest, (Some(a), Some(b)) if a == b)
        };
        let dropped: hashbrown::HashSet<usize> = self
            .names
            .iter()
            .filter(|(index, entity)| self.edits.get(*index).is_some_and(|edit| follows(edit, entity)))
            .map(|(index, _)| *index)
            .collect();
        let mut index = 0;
        self.edits.retain(|_| {
            index += 1;
            !dropped.contains(&(index - 1))
        });
    }
}

/// Calls `f` for each variable in the fields of a node.
fn for_each_variable(node: &Object, mut f: impl FnMut(&Object)) {
    for index in 0..node.info().fields().len() {
        if let FieldRef::Node(child) = node.field(index)
            && child.info().eq_kind() == EqKind::FreeVar
        {
            f(child);
        }
    }
}
