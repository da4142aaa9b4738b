//! Where free variables belong: the deepest node around all uses of each.
//!
//! One walk over all reflected fields, in their order; each node is entered once, but every meeting of a variable
//! counts. Made only when a print first meets a variable that nothing defines.
//! Upstream counterpart: `ComputeCommonPrefix`, `src/script/printer/ir_docsifier.cc`.
//!
//! Text has no sharing: a node that is met twice is printed twice, with the variables inside it. The upstream walk does
//! not see these uses. [`CommonPrefix::around_all`] does: it asks about the tree that the graph unfolds to, which is never
//! built. The node is found from the places of the nodes around, those around first, so that the work stays linear but for a
//! logarithm, however often the nodes are shared.

use hashbrown::HashMap;
use tvmscript_ir_core::Object;
use tvmscript_ir_core::containers::{ArrayNode, MapNode};
use tvmscript_ir_core::type_table::Shape;

/// For each variable, the nodes around all its uses.
#[derive(Debug, Default)]
pub(crate) struct CommonPrefix {
    /// Nodes as the walk entered them, each with the one around it.
    entered: Vec<Entered>,
    /// Their numbers, by address.
    numbers: HashMap<usize, u32>,
    /// The deepest common node of each variable, as upstream finds it.
    of: HashMap<usize, u32>,
    /// The nodes in the order in which the walk left them.
    left: Vec<u32>,
    /// Meetings after the first.
    meetings: Vec<Meeting>,
    /// For each node, the deepest node around all that it stands for in the unfolded tree, once that was asked for.
    places: Vec<u32>,
}

#[derive(Debug)]
struct Entered {
    address: usize,
    around: u32,
    /// How many nodes are around.
    depth: u32,
    /// Some node around, chosen so that any node around is few jumps away (Myers, "An applicative random-access stack").
    jump: u32,
    /// The last of the later meetings.
    met: u32,
    open: bool,
}

/// A node is met again.
#[derive(Debug)]
struct Meeting {
    around: u32,
    /// The meeting of the same node before this one.
    before: u32,
}

const NONE: u32 = u32::MAX;

/// What the walk knows, beside what stays.
struct Progress<'a, F> {
    is_var: F,
    /// The open nodes, each with the child that comes next and its number.
    stack: Vec<(&'a Object, usize, u32)>,
}

impl CommonPrefix {
    /// Walks `root`. `is_var` says which nodes are variables.
    pub(crate) fn new(root: &Object, is_var: impl Fn(&Object) -> bool) -> CommonPrefix {
        let mut out = CommonPrefix::default();
        let mut walk = Progress { is_var, stack: Vec::new() };
        out.meet(root, &mut walk, NONE);
        while let Some((object, next, id)) = walk.stack.last_mut() {
            let id = *id;
            let (object, index) = (*object, *next);
            *next += 1;
            match child(object, index) {
                Some(Some(found)) => out.meet(found, &mut walk, id),
                Some(None) => {}
                None => {
                    out.entered[id as usize].open = false;
                    out.left.push(id);
                    walk.stack.pop();
                }
            }
        }
        out
    }

    fn meet<'a, F: Fn(&Object) -> bool>(
        &mut self,
        object: &'a Object,
        walk: &mut Progress<'a, F>,
        around: u32,
    ) {
        if matches!(object.info().shape(), Shape::Str | Shape::Tensor) {
            return;
        }
        let address = object.address();
        let Some(&id) = self.numbers.get(&address) else {
            let id = self.enter(address, around);
            self.numbers.insert(address, id);
            if (walk.is_var)(object) {
                self.of.insert(address, id);
            }
            walk.stack.push((object, 0, id));
            return;
        };
        let meeting = self.meetings.len() as u32;
        let before = std::mem::replace(&mut self.entered[id as usize].met, meeting);
        self.meetings.push(Meeting { around, before });
        if let Some(place) = self.of.get(&address).copied() {
            // The nodes around this meeting are exactly the open ones. A variable met again inside itself stays where it was.
            let place = self.open_around(place);
            self.of.insert(address, place);
        }
    }

    fn enter(&mut self, address: usize, around: u32) -> u32 {
        let id = self.entered.len() as u32;
        let (depth, jump) = match self.entered.get(around as usize) {
            None => (0, id),
            Some(outer) => {
                let middle = &self.entered[outer.jump as usize];
                let far = &self.entered[middle.jump as usize];
                let even = outer.depth - middle.depth == middle.depth - far.depth;
                (outer.depth + 1, if even { middle.jump } else { around })
            }
        };
        self.entered.push(Entered { address, around, depth, jump, met: NONE, open: true });
        id
    }

    /// The innermost open node among this one and those around it.
    fn open_around(&self, id: u32) -> u32 {
        let mut at = id;
        // The root is open as long as the walk goes on, and what is around an open node is open.
        while !self.entered[at as usize].open {
            let entry = &self.entered[at as usize];
            at = if self.entered[entry.jump as usize].open { entry.around } else { entry.jump };
        }
        at
    }

    /// The node at this depth among this one and those around it.
    fn at_depth(&self, id: u32, depth: u32) -> u32 {
        let mut at = id;
        while self.entered[at as usize].depth > depth {
            let entry = &self.entered[at as usize];
            at = if self.entered[entry.jump as usize].depth >= depth { entry.jump } else { entry.around };
        }
        at
    }

    /// The innermost node that is, or is around, both.
    fn around_both(&self, a: u32, b: u32) -> u32 {
        let depth = self.entered[a as usize].depth.min(self.entered[b as usize].depth);
        let (mut a, mut b) = (self.at_depth(a, depth), self.at_depth(b, depth));
        while a != b {
            let (x, y) = (&self.entered[a as usize], &self.entered[b as usize]);
            (a, b) = if x.jump == y.jump { (x.around, y.around) } else { (x.jump, y.jump) };
        }
        a
    }

    /// Finds the places of all nodes: a node that is met once inside one that stands for itself stands for itself; any other
    /// has its place where those around it have theirs.
    fn find_places(&mut self) {
        let mut places = vec![NONE; self.entered.len()];
        // Left last, entered before everything inside: whatever is around a node comes before it.
        for &id in self.left.iter().rev() {
            let entry = &self.entered[id as usize];
            let Some(&outer) = places.get(entry.around as usize) else {
                places[id as usize] = id;
                continue;
            };
            let mut place = if entry.met == NONE && outer == entry.around { id } else { outer };
            let mut meeting = entry.met;
            while let Some(again) = self.meetings.get(meeting as usize) {
                meeting = again.before;
                // What is met inside itself has no place there yet.
                if let Some(outer) = places.get(again.around as usize).copied().filter(|p| *p != NONE) {
                    place = self.around_both(place, outer);
                }
            }
            places[id as usize] = place;
        }
        self.places = places;
    }

    /// The deepest node around all that a node stands for in the unfolded tree.
    fn place(&mut self, address: usize) -> Option<u32> {
        if self.places.is_empty() {
            self.find_places();
        }
        self.places.get(*self.numbers.get(&address)? as usize).copied()
    }

    fn chain(&self, from: Option<u32>) -> impl Iterator<Item = usize> + '_ {
        let mut at = from.unwrap_or(NONE);
        std::iter::from_fn(move || {
            let entry = self.entered.get(at as usize)?;
            at = entry.around;
            Some(entry.address)
        })
    }

    /// The addresses of the nodes around all uses of the variable that upstream sees, innermost first; the variable itself
    /// is among them when it is used once.
    pub(crate) fn around(&self, variable: usize) -> impl Iterator<Item = usize> + '_ {
        self.chain(self.of.get(&variable).copied())
    }

    /// The addresses of the nodes around all uses of the variable in text, innermost first. Each of them is itself printed
    /// once.
    pub(crate) fn around_all(&mut self, variable: usize) -> impl Iterator<Item = usize> + '_ {
        let place = self.place(variable);
        self.chain(place)
    }

    /// Whether a node is printed once, and all uses of the variable inside it.
    pub(crate) fn is_around_all(&mut self, node: usize, variable: usize) -> bool {
        let (Some(place), Some(&node)) = (self.place(variable), self.numbers.get(&node)) else {
            return false;
        };
        self.at_depth(place, self.entered[node as usize].depth) == node
    }
}

/// The child at `index` in walking order: `None` past the end, `Some(None)` where there is no node.
fn child(object: &Object, index: usize) -> Option<Option<&Object>> {
    use tvmscript_ir_core::FieldRef;
    match object.info().shape() {
        Shape::Fields => {
            object.info().fields().get(index)?;
            Some(if let FieldRef::Node(o) = object.field(index) { Some(o) } else { None })
        }
        Shape::Array => {
            let value = object.as_node::<ArrayNode>()?.items().get(index)?;
            Some(value.as_object())
        }
        Shape::Map => {
            let (key, value) = object.as_node::<MapNode>()?.entries().get_index(index / 2)?;
            Some(if index.is_multiple_of(2) { key.value().as_object() } else { value.as_object() })
        }
        Shape::Str | Shape::Tensor => None,
    }
}

#[cfg(test)]
mod tests {
    use tvmscript_ir_core::{Array, ObjectLike, Value};

    use super::*;

    /// Arrays without elements stand for variables.
    fn variable() -> Object {
        node(&[])
    }

    fn node(children: &[&Object]) -> Object {
        Array::of_values(children.iter().map(|o| Value::Node((*o).clone()))).into_object()
    }

    fn prefix(root: &Object) -> CommonPrefix {
        CommonPrefix::new(root, |o| o.as_node::<ArrayNode>().is_some_and(|a| a.items().is_empty()))
    }

    #[test]
    fn uses_in_a_shared_node_count_where_it_is_met() {
        let (var, other) = (variable(), variable());
        let inner = node(&[&var]);
        let shared = node(&[&inner, &other]);
        let first = node(&[&shared]);
        let second = node(&[&other, &shared]);
        let both = node(&[&first, &second]);
        let root = node(&[&both, &other]);
        let mut found = prefix(&root);
        // Upstream sees one use.
        assert_eq!(found.around(var.address()).next(), Some(var.address()));
        let exact: Vec<usize> = found.around_all(var.address()).collect();
        assert_eq!(exact, [both.address(), root.address()]);
        assert_eq!(found.around_all(other.address()).next(), Some(root.address()));
        assert!(found.is_around_all(both.address(), var.address()));
        assert!(!found.is_around_all(first.address(), var.address()));
        // It is around all uses, and printed twice.
        assert!(!found.is_around_all(inner.address(), var.address()));
    }

    #[test]
    fn a_graph_that_doubles_at_each_level_is_walked_once() {
        let var = variable();
        let mut root = node(&[&var]);
        for _ in 0..100_000 {
            root = node(&[&root, &root]);
        }
        let mut found = prefix(&root);
        assert_eq!(found.around(var.address()).next(), Some(var.address()));
        assert_eq!(found.around_all(var.address()).next(), Some(root.address()));
    }

    #[test]
    fn many_variables_met_again_far_outside_are_found_in_few_steps() {
        let vars: Vec<Object> = (0..100_000).map(|_| variable()).collect();
        let mut deep = node(&vars.iter().collect::<Vec<_>>());
        let again = deep.clone();
        for _ in 0..100_000 {
            deep = node(&[&deep]);
        }
        let other = node(&vars.iter().collect::<Vec<_>>());
        let root = node(&[&deep, &other, &again]);
        let mut found = prefix(&root);
        for var in &vars {
            assert_eq!(found.around(var.address()).next(), Some(root.address()));
            assert_eq!(found.around_all(var.address()).next(), Some(root.address()));
        }
    }
}
