//! The walk that lists differences. Unlike the walk of `compare` it continues after a difference and tracks paths.
//!
//! Arrays are aligned first ([`super::align`]). A pair of shared nodes is walked once; at further visits its
//! differences are recorded as repeats.

mod arrays;
mod maps;

use std::hash::BuildHasherDefault;

use hashbrown::HashMap;

use super::{
    Bindings, Bound, StructuralEqual, is_long, scalars_equal, shapes_equal, str_text, tensors_equal,
};
use super::{Mismatch, MismatchKind};
use crate::access_path::{AccessPath, PathId, PathStep, PathTable};
use crate::containers::MapNode;
use crate::ptr_map::{AddressHasher, AddressMap};
use crate::raw::Object;
use crate::type_table::{EqStep, EqSteps, Plan};
use crate::value::{FieldRef, Value};

/// Maximum number of pairs per comparison. Graphs with different sharing have more pairs than nodes.
const MAX_PAIRS: usize = 1 << 22;
/// Maximum number of repeats per comparison.
const MAX_REPEATS: usize = 1000;

#[derive(Clone, Copy)]
struct Paths {
    lhs: PathId,
    rhs: PathId,
}

enum Work<'a> {
    Pair {
        lhs: FieldRef<'a>,
        rhs: FieldRef<'a>,
    },
    /// The entries of a map from `position` on.
    Map {
        lhs: &'a Object,
        rhs: &'a Object,
        position: usize,
    },
    /// An element without a counterpart.
    Missing,
    /// End of a pair of shared nodes, with the number of differences found before it.
    Leave {
        pair: (usize, usize),
        before: usize,
    },
    /// End of a pair of a sequence and a single node.
    LeaveSequence {
        before: usize,
    },
}

struct WorkItem<'a> {
    work: Work<'a>,
    paths: Paths,
    def: bool,
}

/// State of a visited pair of shared nodes.
#[derive(Clone, Copy)]
enum Visit {
    /// The walk has not left the pair, or found no difference in it.
    Alike,
    /// Range of the differences inside the pair, and the lengths of its paths.
    Differs { first: usize, end: usize, left_steps: usize, right_steps: usize },
}

struct Finder<'a> {
    options: StructuralEqual,
    limit: usize,
    left: PathTable,
    right: PathTable,
    worklist: Vec<WorkItem<'a>>,
    bindings: Bindings<'a>,
    /// Visited pairs, by both addresses.
    visited: HashMap<(usize, usize), Visit, BuildHasherDefault<AddressHasher>>,
    /// Free variables that a map lookup used as their own counterpart. If one is bound to another variable later, the
    /// visited pairs must be walked again.
    own_keys: AddressMap<()>,
    pairs: usize,
    repeats: usize,
    /// Steps of all recorded paths.
    steps: usize,
    found: Vec<Mismatch>,
    /// Number of differences in names.
    names: usize,
}

pub(super) fn find(options: StructuralEqual, lhs: &Object, rhs: &Object, limit: usize) -> Vec<Mismatch> {
    let mut finder = Finder {
        options,
        limit,
        left: PathTable::new(),
        right: PathTable::new(),
        worklist: Vec::new(),
        bindings: Bindings::default(),
        visited: HashMap::default(),
        own_keys: AddressMap::default(),
        pairs: 0,
        repeats: 0,
        steps: 0,
        found: Vec::new(),
        names: 0,
    };
    let work = Work::Pair { lhs: FieldRef::Node(lhs), rhs: FieldRef::Node(rhs) };
    let root = Paths { lhs: PathId::ROOT, rhs: PathId::ROOT };
    finder.worklist.push(WorkItem { work, paths: root, def: options.map_free_vars });
    while let Some(WorkItem { work, paths, def }) = finder.worklist.pop() {
        if finder.is_full() || finder.pairs > MAX_PAIRS {
            break;
        }
        match work {
            Work::Pair { lhs, rhs } => finder.pair(lhs, rhs, paths, def),
            Work::Missing => finder.report(MismatchKind::Missing, paths),
            Work::Map { lhs, rhs, position } => finder.map(lhs, rhs, position, paths, def),
            Work::Leave { pair, before } => finder.leave(pair, before, paths),
            Work::LeaveSequence { before } if finder.found.len() == before => {
                finder.report(MismatchKind::Type, paths);
            }
            Work::LeaveSequence { .. } => {}
        }
    }
    if finder.found.is_empty() && limit > 0 && !options.compare(lhs, rhs) {
        // Only the sharing differs, or there were too many pairs.
        finder.report(MismatchKind::Binding, root);
    }
    let mut found = finder.found;
    // A stable sort: names last, each group in the order of the walk.
    found.sort_by_key(Mismatch::is_in_name);
    found.truncate(limit);
    found
}

impl<'a> Finder<'a> {
    /// Returns `true` if the limit of differences is reached, where those in names do not count, or that of steps.
    fn is_full(&self) -> bool {
        self.found.len() - self.names >= self.limit || self.steps >= Mismatch::MAX_STEPS
    }

    fn report(&mut self, kind: MismatchKind, paths: Paths) {
        if !self.is_full() {
            let (lhs, rhs) = (self.left.to_path(paths.lhs), self.right.to_path(paths.rhs));
            self.add(Mismatch { lhs, rhs, kind, repeats: Vec::new() });
        }
    }

    fn add(&mut self, mismatch: Mismatch) {
        let is_in_name = mismatch.is_in_name();
        self.steps += mismatch.steps();
        if !is_in_name || self.names < self.limit {
            self.names += usize::from(is_in_name);
            self.found.push(mismatch);
        }
    }

    pub(super) fn step(&mut self, paths: Paths, lhs: PathStep, rhs: PathStep) -> Paths {
        Paths { lhs: self.left.child(paths.lhs, lhs), rhs: self.right.child(paths.rhs, rhs) }
    }

    fn same_step(&mut self, paths: Paths, step: PathStep) -> Paths {
        self.step(paths, step.clone(), step)
    }

    fn push(&mut self, lhs: FieldRef<'a>, rhs: FieldRef<'a>, paths: Paths, def: bool) {
        self.worklist.push(WorkItem { work: Work::Pair { lhs, rhs }, paths, def });
    }

    fn pair(&mut self, lhs: FieldRef<'a>, rhs: FieldRef<'a>, paths: Paths, def: bool) {
        self.pairs += 1;
        let (FieldRef::Node(a), FieldRef::Node(b)) = (lhs, rhs) else {
            if !scalars_equal(lhs, rhs) {
                let one_kind = std::mem::discriminant(&lhs) == std::mem::discriminant(&rhs);
                self.report(if one_kind { MismatchKind::Value } else { MismatchKind::Type }, paths);
            }
            return;
        };
        if !std::ptr::eq(a.info(), b.info()) {
            if !self.sequence(a, b, paths, def) {
                self.report(MismatchKind::Type, paths);
            }
            return;
        }
        let plan = a.info().plan();
        if matches!(plan, Plan::FreeVar | Plan::Dag) {
            match self.bindings.look_up(a, b) {
                Bound::Matching => {}
                Bound::Elsewhere => self.report(MismatchKind::Binding, paths),
                Bound::Free if plan == Plan::FreeVar && !def && !a.ptr_eq(b) => {
                    self.report(MismatchKind::Binding, paths);
                }
                Bound::Free => {
                    self.bind(a, b);
                    self.fields(a, b, paths, def);
                }
            }
            return;
        }
        let differs = match plan {
            Plan::Str if is_long(a, b) && self.is_visited(a, b, paths, def) => return,
            Plan::Str => str_text(a) != str_text(b),
            Plan::Unique => !a.ptr_eq(b),
            Plan::Tensor => !tensors_equal(a, b, self.options.skip_tensor_content),
            Plan::Shape => !shapes_equal(a, b),
            Plan::Leaf => return self.fields(a, b, paths, def),
            Plan::ConstTree if a.ptr_eq(b) => return,
            _ => {
                if !self.is_visited(a, b, paths, def) {
                    match plan {
                        Plan::Array => self.arrays(a, b, paths, def),
                        Plan::Map => self.map(a, b, 0, paths, def),
                        _ => self.fields(a, b, paths, def),
                    }
                }
                return;
            }
        };
        if differs {
            self.report(MismatchKind::Value, paths);
        }
    }

    fn bind(&mut self, lhs: &'a Object, rhs: &'a Object) {
        self.bindings.bind(lhs, rhs);
        if !self.own_keys.is_empty() && !lhs.ptr_eq(rhs) {
            let used = |o: &Object| self.own_keys.contains_key(&o.address());
            if used(lhs) || used(rhs) {
                self.visited.clear();
            }
        }
    }

    /// Returns `true` if the pair was visited before, and records its differences as repeats at `paths`. Only shared
    /// nodes can recur.
    fn is_visited(&mut self, lhs: &Object, rhs: &Object, paths: Paths, def: bool) -> bool {
        if lhs.is_unique() && rhs.is_unique() {
            return false;
        }
        let pair = (lhs.address(), rhs.address());
        match self.visited.get(&pair).copied() {
            None => {
                self.visited.insert(pair, Visit::Alike);
                let before = self.found.len();
                self.worklist.push(WorkItem { work: Work::Leave { pair, before }, paths, def });
                false
            }
            Some(Visit::Alike) => true,
            Some(Visit::Differs { first, end, left_steps, right_steps }) => {
                let (lhs, rhs) = (self.left.to_path(paths.lhs), self.right.to_path(paths.rhs));
                let join = |to: &AccessPath, path: &AccessPath, from: usize| {
                    let rest = path.steps.get(from..).unwrap_or(&[]);
                    AccessPath { steps: to.steps.iter().chain(rest).cloned().collect() }
                };
                for mismatch in self.found.get_mut(first..end).unwrap_or(&mut []) {
                    if self.repeats == MAX_REPEATS || self.steps >= Mismatch::MAX_STEPS {
                        break;
                    }
                    self.repeats += 1;
                    let left = join(&lhs, &mismatch.lhs, left_steps);
                    let right = join(&rhs, &mismatch.rhs, right_steps);
                    self.steps += left.steps.len() + right.steps.len();
                    mismatch.repeats.push((left, right));
                }
                true
            }
        }
    }

    fn leave(&mut self, pair: (usize, usize), before: usize, paths: Paths) {
        if self.found.len() > before {
            let left_steps = self.left.to_path(paths.lhs).steps.len();
            let right_steps = self.right.to_path(paths.rhs).steps.len();
            let (first, end) = (before, self.found.len());
            self.visited.insert(pair, Visit::Differs { first, end, left_steps, right_steps });
        }
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
                    EqStep::Bind { index, lhs: a, rhs: b } => {
                        let mut paths = self.same_step(paths, name(index));
                        if matches!(lhs.field(index), FieldRef::Node(map) if map.is::<MapNode>()) {
                            paths = self.key_step(paths, a, b);
                        }
                        self.push(FieldRef::Node(a), FieldRef::Node(b), paths, true);
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

    fn key_step(&mut self, paths: Paths, lhs: &Object, rhs: &Object) -> Paths {
        let key = |node: &Object| PathStep::KeyItself(Value::Node(node.clone()));
        self.step(paths, key(lhs), key(rhs))
    }
}
