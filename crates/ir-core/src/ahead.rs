//! A walk along a long array, with what lies below the next elements already on its way from memory.
//!
//! Who goes through a function that is larger than the cache waits at each node. [`ReadAhead`] gives the elements of an
//! array in order and asks the memory for the nodes of those to come: at each step for one level more of each of the
//! next few. It only asks; nothing is read that has not arrived.

use crate::containers::ArrayNode;
use crate::node::FieldSink;
use crate::raw::{Array, Object, ObjectLike, prefetch};
use crate::type_table::Plan;
use crate::value::{FieldRef, Value};

/// So many levels below an element are asked for.
const LEVELS: u8 = 5;
/// An element is asked for so many steps before its turn.
const DISTANCE: usize = LEVELS as usize + 1;
/// What lies below fewer elements fits in the cache, where asking costs more than it brings.
const SHORTEST: usize = 2500;
/// So many nodes are asked for in one step, at most.
const MOST_NODES: usize = 256;

/// The elements of an array in order, the next ones fetched.
#[derive(Debug)]
pub struct ReadAhead<'a, T> {
    array: &'a Array<T>,
    at: usize,
    work: FetchWork<'a>,
    wave: Vec<Asked<'a>>,
}

impl<'a, T: ObjectLike> ReadAhead<'a, T> {
    /// A walk along `array`.
    pub fn new(array: &'a Array<T>) -> ReadAhead<'a, T> {
        ReadAhead { array, at: 0, work: FetchWork::default(), wave: Vec::new() }
    }

    fn fetch(&mut self) {
        std::mem::swap(&mut self.wave, &mut self.work.next);
        for asked in self.wave.drain(..) {
            self.work.below(asked);
        }
        if let Some(element) = self.array.get(self.at + DISTANCE) {
            (self.work.level, self.work.def) = (0, false);
            self.work.ask(element.as_object(), false);
        }
    }
}

impl<'a, T: ObjectLike> Iterator for ReadAhead<'a, T> {
    type Item = &'a T;

    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        if self.array.len() >= SHORTEST {
            self.fetch();
        }
        let element = self.array.get(self.at)?;
        self.at += 1;
        Some(element)
    }
}

/// A node that was asked for one step ago.
#[derive(Debug, Clone, Copy)]
struct Asked<'a> {
    node: &'a Object,
    /// Below the element.
    level: u8,
    /// In a definition region: a variable is at home here.
    def: bool,
    /// Not the elements of an array that lie apart from it.
    is_node: bool,
}

/// The nodes asked for in one step.
#[derive(Debug, Default)]
pub(crate) struct FetchWork<'a> {
    next: Vec<Asked<'a>>,
    /// Of the nodes that are asked for now.
    level: u8,
    def: bool,
}

impl<'a> FieldSink<'a> for FetchWork<'a> {
    #[inline(always)]
    fn field(&mut self, _: usize, def: bool, skip_eq: bool, value: FieldRef<'a>) {
        if let FieldRef::Node(node) = value
            && !skip_eq
        {
            self.ask(node, def | self.def);
        }
    }
}

impl<'a> FetchWork<'a> {
    #[inline]
    fn ask(&mut self, node: &'a Object, def: bool) {
        node.prefetch();
        if self.level < LEVELS && self.next.len() < MOST_NODES {
            self.next.push(Asked { node, level: self.level, def, is_node: true });
        }
    }

    #[inline]
    fn below(&mut self, asked: Asked<'a>) {
        (self.level, self.def) = (asked.level + 1, asked.def);
        match asked.node.info().plan() {
            // Of those that equal only themselves, such as operators, there are few.
            Plan::Leaf | Plan::Str | Plan::Shape | Plan::Tensor | Plan::Map | Plan::Unique => {}
            Plan::FreeVar | Plan::Dag if !asked.def => {}
            Plan::Array => {
                let Some(array) = asked.node.as_node::<ArrayNode>() else { return };
                if asked.is_node && array.items_apart() {
                    prefetch(array.items().as_ptr());
                    self.next.push(Asked { is_node: false, ..asked });
                    return;
                }
                for item in array.items() {
                    if let Value::Node(node) = item {
                        self.ask(node, asked.def);
                    }
                }
            }
            _ => asked.node.fetch_children(self),
        }
    }
}
