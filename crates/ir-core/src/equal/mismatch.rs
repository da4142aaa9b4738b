//! Where two nodes differ: the slow walk, which goes on after a difference and keeps the paths of both sides.

use std::fmt;
use std::hash::BuildHasherDefault;

use hashbrown::HashSet;

use super::{Bindings, Bound, StructuralEqual, scalars_equal, shapes_equal, str_text, tensors_equal};
use crate::access_path::{AccessPath, PathId, PathStep, PathTable};
use crate::containers::{ArrayNode, ByValue, MapNode};
use crate::ptr_map::AddressHasher;
use crate::raw::Object;
use crate::type_table::{EqStep, EqSteps, Plan};
use crate::value::{FieldRef, Value};

/// What differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MismatchKind {
    /// The types of the nodes, or the kinds of the values.
    Type,
    /// Values of one kind.
    Value,
    /// Variables, or nodes whose sharing must match, that do not stand for each other.
    Binding,
    /// One side lacks the element or entry.
    Missing,
}

impl fmt::Display for MismatchKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MismatchKind::Type => "different types",
            MismatchKind::Value => "different values",
            MismatchKind::Binding => "not bound to each other",
            MismatchKind::Missing => "only on one side",
        })
    }
}

/// One place where two nodes differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Mismatch {
    /// The path on the left. Where the left lacks something, the last step is a missing one.
    pub lhs: AccessPath,
    /// The path on the right.
    pub rhs: AccessPath,
    /// What differs.
    pub kind: MismatchKind,
}

impl Mismatch {
    /// Whether the difference is in a name: a field or entry such as `name_hint` or `global_symbol`.
    pub fn is_in_name(&self) -> bool {
        let name = match self.lhs.steps.last() {
            Some(PathStep::Field(name)) => name,
            Some(PathStep::Key(key)) => key.as_str().unwrap_or_default(),
            _ => return false,
        };
        name == "name" || name == "name_hint" || name.ends_with("_name") || name.ends_with("_symbol")
    }
}

#[derive(Clone, Copy)]
struct Paths {
    lhs: PathId,
    rhs: PathId,
}

enum Task<'a> {
    Pair {
        lhs: FieldRef<'a>,
        rhs: FieldRef<'a>,
    },
    /// The entries of a map from this position on.
    Map {
        lhs: &'a Object,
        rhs: &'a Object,
        position: usize,
    },
    /// One array is longer.
    Missing,
}

struct Item<'a> {
    task: Task<'a>,
    paths: Paths,
    def: bool,
}

struct Finder<'a> {
    options: StructuralEqual,
    limit: usize,
    left: PathTable,
    right: PathTable,
    stack: Vec<Item<'a>>,
    bindings: Bindings<'a>,
    /// Pairs met, by both addresses.
    met: HashSet<(usize, usize), BuildHasherDefault<AddressHasher>>,
    found: Vec<Mismatch>,
}

pub(super) fn find(options: StructuralEqual, lhs: &Object, rhs: &Object, limit: usize) -> Vec<Mismatch> {
    let mut finder = Finder {
        options,
        limit,
        left: PathTable::new(),
        right: PathTable::new(),
        stack: Vec::new(),
        bindings: Bindings::default(),
        met: HashSet::default(),
        found: Vec::new(),
    };
    let task = Task::Pair { lhs: FieldRef::Node(lhs), rhs: FieldRef::Node(rhs) };
    let paths = Paths { lhs: PathId::ROOT, rhs: PathId::ROOT };
    finder.stack.push(Item { task, paths, def: options.map_free_vars });
    while let Some(Item { task, paths, def }) = finder.stack.pop() {
        if finder.found.len() >= limit {
            break;
        }
        match task {
            Task::Pair { lhs, rhs } => finder.pair(lhs, rhs, paths, def),
            Task::Missing => finder.report(MismatchKind::Missing, paths),
            Task::Map { lhs, rhs, position } => finder.map(lhs, rhs, position, paths, def),
        }
    }
    let mut found = finder.found;
    // Stable: names come last, both groups in the order of the walk.
    found.sort_by_key(Mismatch::is_in_name);
    found
}

impl<'a> Finder<'a> {
    fn report(&mut self, kind: MismatchKind, paths: Paths) {
        if self.found.len() < self.limit {
            let (lhs, rhs) = (self.left.to_path(paths.lhs), self.right.to_path(paths.rhs));
            self.found.push(Mismatch { lhs, rhs, kind });
        }
    }

    fn step(&mut self, paths: Paths, lhs: PathStep, rhs: PathStep) -> Paths {
        Paths { lhs: self.left.child(paths.lhs, lhs), rhs: self.right.child(paths.rhs, rhs) }
    }

    fn same_step(&mut self, paths: Paths, step: PathStep) -> Paths {
        self.step(paths, step.clone(), step)
    }

    fn push(&mut self, lhs: FieldRef<'a>, rhs: FieldRef<'a>, paths: Paths, def: bool) {
        self.stack.push(Item { task: Task::Pair { lhs, rhs }, paths, def });
    }

    fn pair(&mut self, lhs: FieldRef<'a>, rhs: FieldRef<'a>, paths: Paths, def: bool) {
        let (FieldRef::Node(a), FieldRef::Node(b)) = (lhs, rhs) else {
            if !scalars_equal(lhs, rhs) {
                let one_kind = std::mem::discriminant(&lhs) == std::mem::discriminant(&rhs);
                self.report(if one_kind { MismatchKind::Value } else { MismatchKind::Type }, paths);
            }
            return;
        };
        if !std::ptr::eq(a.info(), b.info()) {
            if self.first_meeting(a, b) {
                self.report(MismatchKind::Type, paths);
            }
            return;
        }
        let plan = a.info().plan();
        if plan == Plan::Str {
            if str_text(a) != str_text(b) {
                self.report(MismatchKind::Value, paths);
            }
            return;
        }
        if matches!(plan, Plan::FreeVar | Plan::Dag) {
            match self.bindings.look_up(a, b) {
                Bound::Matching => return,
                Bound::Elsewhere => {
                    if self.first_meeting(a, b) {
                        self.report(MismatchKind::Binding, paths);
                    }
                    return;
                }
                Bound::Free if plan == Plan::FreeVar && !def && !a.ptr_eq(b) => {
                    if self.first_meeting(a, b) {
                        self.report(MismatchKind::Binding, paths);
                    }
                    return;
                }
                Bound::Free => {
                    self.bindings.bind(a, b);
                    return self.fields(a, b, paths, def);
                }
            }
        }
        if !self.first_meeting(a, b) {
            return;
        }
        match plan {
            Plan::Unique if !a.ptr_eq(b) => self.report(MismatchKind::Value, paths),
            Plan::Unique => {}
            Plan::ConstTree if a.ptr_eq(b) => {}
            Plan::Tensor if !tensors_equal(a, b, self.options.skip_tensor_content) => {
                self.report(MismatchKind::Value, paths);
            }
            Plan::Shape if !shapes_equal(a, b) => self.report(MismatchKind::Value, paths),
            Plan::Str | Plan::Tensor | Plan::Shape => {}
            Plan::Array => self.arrays(a, b, paths, def),
            Plan::Map => self.map(a, b, 0, paths, def),
            _ => self.fields(a, b, paths, def),
        }
    }

    fn first_meeting(&mut self, lhs: &Object, rhs: &Object) -> bool {
        self.met.insert((lhs.address(), rhs.address()))
    }

    fn fields(&mut self, lhs: &'a Object, rhs: &'a Object, paths: Paths, def: bool) {
        let info = lhs.info();
        let name = |index: usize| PathStep::Field(info.fields().get(index).map_or("?", |f| f.name));
        if let Some(custom) = info.custom_eq() {
            let mut steps = EqSteps::default();
            custom(lhs, rhs, &mut steps);
            for step in steps.steps.iter().rev() {
                match *step {
                    EqStep::Field { index, def: region } => {
                        let paths = self.same_step(paths, name(index));
                        self.push(lhs.field(index), rhs.field(index), paths, def | region);
                    }
                    EqStep::Bind { index, lhs, rhs } => {
                        let paths = self.same_step(paths, name(index));
                        self.push(FieldRef::Node(lhs), FieldRef::Node(rhs), paths, true);
                    }
                }
            }
            return;
        }
        for (index, field) in info.fields().iter().enumerate().rev().filter(|(_, f)| !f.skip_eq) {
            let paths = self.same_step(paths, PathStep::Field(field.name));
            self.push(lhs.field(index), rhs.field(index), paths, def | field.def);
        }
    }

    fn arrays(&mut self, lhs: &'a Object, rhs: &'a Object, paths: Paths, def: bool) {
        let items = |o: &'a Object| o.as_node::<ArrayNode>().map_or(&[][..], ArrayNode::items);
        let (a, b) = (items(lhs), items(rhs));
        let common = a.len().min(b.len());
        if a.len() != b.len() {
            let (here, missing) = (PathStep::Index(common as u32), PathStep::MissingIndex(common as u32));
            let (left, right) = if a.len() > b.len() { (here, missing) } else { (missing, here) };
            let paths = self.step(paths, left, right);
            self.stack.push(Item { task: Task::Missing, paths, def });
        }
        for (index, (a, b)) in a.iter().zip(b).enumerate().rev() {
            let paths = self.same_step(paths, PathStep::Index(index as u32));
            self.push(a.as_field(), b.as_field(), paths, def);
        }
    }

    fn map(&mut self, lhs: &'a Object, rhs: &'a Object, position: usize, paths: Paths, def: bool) {
        let (Some(a), Some(b)) = (lhs.as_node::<MapNode>(), rhs.as_node::<MapNode>()) else { return };
        let Some((key, value)) = a.entries().get_index(position) else {
            for key in b.entries().keys().map(|k| k.value()) {
                let back = match key {
                    Value::Node(key) => self.bindings.translate_back(key).cloned().map(Value::Node),
                    scalar => Some(scalar.clone()),
                };
                if back.as_ref().is_none_or(|back| !a.entries().contains_key(&ByValue(back))) {
                    let missing = PathStep::MissingKey(back.unwrap_or_else(|| key.clone()));
                    let paths = self.step(paths, missing, PathStep::Key(key.clone()));
                    self.report(MismatchKind::Missing, paths);
                }
            }
            return;
        };
        self.stack.push(Item { task: Task::Map { lhs, rhs, position: position + 1 }, paths, def });
        let there = match key.value() {
            Value::Node(key) => self.bindings.translate(key).cloned().map(Value::Node),
            scalar => Some(scalar.clone()),
        };
        let here = PathStep::Key(key.value().clone());
        match there.as_ref().and_then(|there| b.entries().get(&ByValue(there))) {
            Some(other) => {
                let there = PathStep::Key(there.unwrap_or_default());
                let paths = self.step(paths, here, there);
                self.push(value.as_field(), other.as_field(), paths, def);
            }
            None => {
                let missing = PathStep::MissingKey(there.unwrap_or_else(|| key.value().clone()));
                let paths = self.step(paths, here, missing);
                self.report(MismatchKind::Missing, paths);
            }
        }
    }
}
