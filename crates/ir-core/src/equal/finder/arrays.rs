//! Differences of arrays, and of a sequence and a single node.

use super::{Finder, Paths, Work, WorkItem};
use crate::access_path::PathStep;
use crate::containers::ArrayNode;
use crate::equal::align::{Row, Signature, Signatures, align};
use crate::raw::Object;
use crate::value::{FieldRef, Value};

impl<'a> Finder<'a> {
    pub(super) fn arrays(&mut self, lhs: &'a Object, rhs: &'a Object, paths: Paths, def: bool) {
        let (a, b) = (lhs.array_items(), rhs.array_items());
        if let ([a], [b]) = (a, b) {
            let paths = self.same_step(paths, PathStep::Index(0));
            return self.push(a.as_field(), b.as_field(), paths, def);
        }
        let fields = |items: &'a [Value]| items.iter().map(Value::as_field).collect::<Vec<_>>();
        let rows = self.rows(&fields(a), &fields(b));
        for row in rows.into_iter().rev() {
            let index = |i: usize| PathStep::Index(i as u32);
            let missing = |i: usize| PathStep::MissingIndex(i as u32);
            let (left, right, work) = match row {
                Row::Both(i, j) => {
                    let (Some(lhs), Some(rhs)) = (a.get(i), b.get(j)) else { continue };
                    (index(i), index(j), Work::Pair { lhs: lhs.as_field(), rhs: rhs.as_field() })
                }
                Row::Left(i) => (index(i), missing(i), Work::Missing),
                Row::Right(j) => (missing(j), index(j), Work::Missing),
            };
            let paths = self.step(paths, left, right);
            self.worklist.push(WorkItem { work, paths, def });
        }
    }

    fn rows(&self, lhs: &[FieldRef<'a>], rhs: &[FieldRef<'a>]) -> Vec<Row> {
        let signatures = |fields: &[FieldRef<'a>], is_left: bool| -> Vec<Signature> {
            let signatures = Signatures { bindings: &self.bindings, is_left };
            fields.iter().map(|field| signatures.of(*field)).collect()
        };
        align(&signatures(lhs, true), &signatures(rhs, false))
    }

    /// Aligns the elements of a sequence with a single node on the other side. Returns `false` if the nodes are no
    /// such pair.
    pub(super) fn sequence(&mut self, lhs: &'a Object, rhs: &'a Object, paths: Paths, def: bool) -> bool {
        let (list, is_left) = match (lhs.info().sequence_field(), rhs.info().sequence_field()) {
            (Some(index), None) => ((lhs, index), true),
            (None, Some(index)) => ((rhs, index), false),
            _ => return false,
        };
        let (node, alone) = if is_left { (lhs, rhs) } else { (rhs, lhs) };
        let related = node.info().parent().is_some_and(|parent| alone.info().is_a(parent));
        let FieldRef::Node(array) = node.field(list.1) else { return false };
        if !related || !array.is::<ArrayNode>() {
            return false;
        }
        let elements: Vec<FieldRef<'a>> = array.array_items().iter().map(Value::as_field).collect();
        let alone = FieldRef::Node(alone);
        let rows = if is_left { self.rows(&elements, &[alone]) } else { self.rows(&[alone], &elements) };
        let Some(field) = node.info().fields().get(list.1) else { return false };
        let step = PathStep::Field(field.name);
        let inside = match is_left {
            true => Paths { lhs: self.left.child(paths.lhs, step), rhs: paths.rhs },
            false => Paths { lhs: paths.lhs, rhs: self.right.child(paths.rhs, step) },
        };
        // If all elements are alike, the sequence itself is the difference.
        let before = self.found.len();
        self.worklist.push(WorkItem { work: Work::LeaveSequence { before }, paths, def });
        for row in rows.into_iter().rev() {
            let (i, j) = match row {
                Row::Both(i, j) => (Some(i), Some(j)),
                Row::Left(i) => (Some(i), None),
                Row::Right(j) => (None, Some(j)),
            };
            let (element, other) = if is_left { (i, j) } else { (j, i) };
            let at = element.or(other).unwrap_or(0) as u32;
            let step_of = |found: Option<usize>| match found {
                Some(i) => PathStep::Index(i as u32),
                None => PathStep::MissingIndex(at),
            };
            // The path of the single node is that of the sequence.
            let (l, r) = match is_left {
                true => (
                    self.left.child(inside.lhs, step_of(element)),
                    if other.is_some() { paths.rhs } else { self.right.child(paths.rhs, step_of(other)) },
                ),
                false => (
                    if other.is_some() { paths.lhs } else { self.left.child(paths.lhs, step_of(other)) },
                    self.right.child(inside.rhs, step_of(element)),
                ),
            };
            let work = match (element.and_then(|i| elements.get(i).copied()), other) {
                (Some(element), Some(_)) if is_left => Work::Pair { lhs: element, rhs: alone },
                (Some(element), Some(_)) => Work::Pair { lhs: alone, rhs: element },
                _ => Work::Missing,
            };
            self.worklist.push(WorkItem { work, paths: Paths { lhs: l, rhs: r }, def });
        }
        true
    }
}
