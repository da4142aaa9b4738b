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
const LEVELS: Place = 5;
/// An element is asked for so many steps before its turn.
const DISTANCE: usize = LEVELS as usize + 1;
/// What lies below fewer elements fits in the cache, where asking costs more than it brings.
const SHORTEST: usize = 2500;
/// So many nodes wait to be looked into, at most. Those below others are left to the walk.
const ROOM: usize = 128;

/// The elements of an array in order, the next ones fetched.
#[derive(Debug)]
pub struct ReadAhead<'a, T> {
    array: &'a Array<T>,
    at: usize,
    /// Nothing for a short array.
    work: Option<Box<FetchWork<'a>>>,
}

impl<'a, T: ObjectLike> ReadAhead<'a, T> {
    /// A walk along `array`.
    pub fn new(array: &'a Array<T>) -> ReadAhead<'a, T> {
        ReadAhead { array, at: 0, work: (array.len() >= SHORTEST).then(Box::default) }
    }
}

impl<'a, T: ObjectLike> Iterator for ReadAhead<'a, T> {
    type Item = &'a T;

    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        if let Some(work) = &mut self.work {
            work.step(self.array.get(self.at + DISTANCE).map(T::as_object));
        }
        let element = self.array.get(self.at)?;
        self.at += 1;
        Some(element)
    }
}

/// A node that was asked for.
#[derive(Debug, Clone, Copy)]
struct Asked<'a> {
    node: &'a Object,
    place: Place,
}

/// Where a node stands that was asked for: so many levels below the element, and marks.
type Place = u32;
const LEVEL: Place = 0xff;
/// In a definition region: a variable is at home here.
const DEF: Place = 0x100;
/// Not the node, but the elements of an array that lie apart from it.
const APART: Place = 0x200;

/// The nodes that were asked for and not yet looked into, in a ring.
#[derive(Debug)]
pub(crate) struct FetchWork<'a> {
    ring: [Option<Asked<'a>>; ROOM],
    /// Counts all that was looked into.
    start: usize,
    /// Counts all that was asked for.
    end: usize,
    /// Of the nodes that are asked for now.
    place: Place,
}

impl Default for FetchWork<'_> {
    fn default() -> Self {
        FetchWork { ring: [None; ROOM], start: 0, end: 0, place: 0 }
    }
}

impl<'a> FieldSink<'a> for FetchWork<'a> {
    #[inline(always)]
    fn field(&mut self, _: usize, def: bool, skip_eq: bool, value: FieldRef<'a>) {
        match value {
            FieldRef::Node(node) if !skip_eq => self.ask(node, if def { DEF } else { 0 }),
            FieldRef::Name(name) => name.prefetch(),
            _ => {}
        }
    }
}

impl<'a> FetchWork<'a> {
    /// Looks into all that was asked for in the last step, and asks for one element more.
    fn step(&mut self, element: Option<&'a Object>) {
        let end = self.end;
        while self.start != end {
            self.look_into_next();
        }
        if let Some(element) = element {
            self.place = 0;
            self.ask(element, 0);
        }
    }

    #[inline(always)]
    fn ask(&mut self, node: &'a Object, marks: Place) {
        node.prefetch();
        self.remember(Asked { node, place: self.place | marks });
    }

    /// Without a branch: the last place of a full ring is written again and again.
    #[inline(always)]
    fn remember(&mut self, asked: Asked<'a>) {
        self.ring[self.end % ROOM] = Some(asked);
        self.end += usize::from(self.end - self.start < ROOM - 1);
    }

    #[inline]
    fn look_into_next(&mut self) {
        let asked = self.ring[self.start % ROOM];
        self.start += 1;
        let Some(Asked { node, place }) = asked else { return };
        if place & LEVEL >= LEVELS {
            return;
        }
        self.place = (place & !APART) + 1;
        match node.info().plan() {
            // Of those that equal only themselves, such as operators, there are few.
            Plan::Leaf | Plan::Str | Plan::Shape | Plan::Tensor | Plan::Map | Plan::Unique => {}
            Plan::FreeVar | Plan::Dag if place & DEF == 0 => {}
            Plan::Array => {
                let Some(array) = node.as_node::<ArrayNode>() else { return };
                if array.items_apart() && place & APART == 0 {
                    prefetch(array.items().as_ptr());
                    self.remember(Asked { node, place: place | APART });
                    return;
                }
                for item in array.items() {
                    if let Value::Node(node) = item {
                        self.ask(node, 0);
                    }
                }
            }
            _ => node.fetch_children(self),
        }
    }
}
