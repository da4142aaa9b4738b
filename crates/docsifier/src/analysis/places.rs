//! Places: for each variable, the innermost scope around all its uses.
//!
//! Text has no sharing: a node that is met twice is printed twice, with the variables inside it. The places are those of the
//! tree that the graph unfolds to, which is never built: the place of a node follows from the places of the nodes around it,
//! so that the work stays linear but for a logarithm, however often nodes are shared.
//!
//! Only nodes that matter have an entry: scopes, variables, and nodes with several handles. A node held once and opening no
//! scope is where the entry around it is.
//!
//! Fields that repeat what others say (`#[node(derived)]`) have no text, and are passed over.
//!
//! Upstream counterpart: `ComputeCommonPrefix`, `src/script/printer/ir_docsifier.cc`, which counts a shared node where it
//! is first met.

use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::type_table::{FieldKind, Shape};
use tvmscript_ir_core::{Object, TypeInfo, for_each_own_child};

/// Which part nodes of a type play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The node may open a scope.
    Scope,
    /// The node is declared by text where nothing defines it.
    Variable,
    /// Any other.
    Part,
}

/// The places of one region.
#[derive(Debug, Default)]
pub(crate) struct Places {
    entries: Vec<Entry>,
    /// The numbers of entries, by address.
    numbers: AddressMap<u32>,
    /// The entries in the order in which the walk left them.
    left: Vec<u32>,
    /// Meetings after the first.
    meetings: Vec<Meeting>,
    /// For each entry, the innermost one around all that it stands for in the unfolded tree and itself printed once.
    places: Vec<u32>,
}

#[derive(Debug)]
struct Entry {
    address: usize,
    /// The entry around its first meeting.
    around: u32,
    /// How many entries are around.
    depth: u32,
    /// Some entry around, chosen so that any entry around is few jumps away (Myers, "An applicative random-access stack").
    jump: u32,
    /// The last of the later meetings.
    met: u32,
}

/// A node is met again.
#[derive(Debug)]
struct Meeting {
    around: u32,
    /// The meeting of the same node before this one.
    before: u32,
}

const NONE: u32 = u32::MAX;

/// A step of the walk.
enum Step<'a> {
    /// Into a node of a role, with the entry around it.
    Enter(&'a Object, Role, u32),
    /// Out of an entry.
    Leave(u32),
}

impl Places {
    /// Walks `root`; `role` tells what nodes of a type are.
    pub(crate) fn new(root: &Object, role: impl Fn(&'static TypeInfo) -> Role) -> Places {
        let mut roles = Roles { role, known: Vec::new() };
        let mut out = Places::default();
        let mut stack = vec![Step::Enter(root, Role::Scope, NONE)];
        while let Some(step) = stack.pop() {
            let (object, role, around) = match step {
                Step::Enter(object, role, around) => (object, role, around),
                Step::Leave(id) => {
                    out.left.push(id);
                    continue;
                }
            };
            let is_unique = object.is_unique();
            let mut inside = around;
            if role != Role::Part || !is_unique {
                // A node with one handle is met once.
                if !is_unique && let Some(&id) = out.numbers.get(&object.address()) {
                    out.meet_again(id, around);
                    continue;
                }
                inside = out.enter(object.address(), around);
                stack.push(Step::Leave(inside));
            }
            let start = stack.len();
            for_each_own_child(object, |child| {
                // What holds no node and is neither scope nor variable says nothing of places.
                if let Some(role) = roles.of(child) {
                    stack.push(Step::Enter(child, role, inside));
                }
            });
            stack[start..].reverse();
        }
        out.find_places();
        out
    }

    fn meet_again(&mut self, id: u32, around: u32) {
        let meeting = self.meetings.len() as u32;
        let before = std::mem::replace(&mut self.entries[id as usize].met, meeting);
        self.meetings.push(Meeting { around, before });
    }

    fn enter(&mut self, address: usize, around: u32) -> u32 {
        let id = self.entries.len() as u32;
        let (depth, jump) = match self.entries.get(around as usize) {
            None => (0, id),
            Some(outer) => {
                let middle = &self.entries[outer.jump as usize];
                let far = &self.entries[middle.jump as usize];
                let even = outer.depth - middle.depth == middle.depth - far.depth;
                (outer.depth + 1, if even { middle.jump } else { around })
            }
        };
        self.entries.push(Entry { address, around, depth, jump, met: NONE });
        self.numbers.insert(address, id);
        id
    }

    /// The entry at this depth among this one and those around it.
    fn at_depth(&self, id: u32, depth: u32) -> u32 {
        let mut at = id;
        while self.entries[at as usize].depth > depth {
            let entry = &self.entries[at as usize];
            at = if self.entries[entry.jump as usize].depth >= depth { entry.jump } else { entry.around };
        }
        at
    }

    /// The innermost entry that is, or is around, both.
    fn around_both(&self, a: u32, b: u32) -> u32 {
        let depth = self.entries[a as usize].depth.min(self.entries[b as usize].depth);
        let (mut a, mut b) = (self.at_depth(a, depth), self.at_depth(b, depth));
        while a != b {
            let (x, y) = (&self.entries[a as usize], &self.entries[b as usize]);
            (a, b) = if x.jump == y.jump { (x.around, y.around) } else { (x.jump, y.jump) };
        }
        a
    }

    /// Finds the places: a node that is met once inside one that is its own place is its own place, too; any other has its
    /// place where those around it have theirs.
    fn find_places(&mut self) {
        let mut places = vec![NONE; self.entries.len()];
        // Left last, entered before everything inside: whatever is around a node comes before it.
        for &id in self.left.iter().rev() {
            let entry = &self.entries[id as usize];
            let Some(&outer) = places.get(entry.around as usize) else {
                places[id as usize] = id;
                continue;
            };
            let mut place = if entry.met == NONE && outer == entry.around { id } else { outer };
            let mut meeting = entry.met;
            while let Some(again) = self.meetings.get(meeting as usize) {
                meeting = again.before;
                if let Some(outer) = places.get(again.around as usize).copied().filter(|p| *p != NONE) {
                    place = self.around_both(place, outer);
                }
            }
            places[id as usize] = place;
        }
        self.places = places;
    }

    fn place(&self, address: usize) -> Option<u32> {
        self.places.get(*self.numbers.get(&address)? as usize).copied()
    }

    /// The addresses of the scopes around all uses of a variable, innermost first. Each of them is printed once. The variable
    /// itself is among them when it is used once.
    pub(crate) fn around(&self, variable: usize) -> impl Iterator<Item = usize> + '_ {
        self.chain(self.place(variable))
    }

    /// As [`Places::around`], where a shared node counts only where it is met first.
    pub(crate) fn around_first(&self, variable: usize) -> impl Iterator<Item = usize> + '_ {
        let first = self.numbers.get(&variable).map(|&id| {
            let mut place = id;
            let mut meeting = self.entries[id as usize].met;
            while let Some(again) = self.meetings.get(meeting as usize) {
                meeting = again.before;
                place = self.around_both(place, again.around);
            }
            place
        });
        self.chain(first)
    }

    fn chain(&self, from: Option<u32>) -> impl Iterator<Item = usize> + '_ {
        let mut at = from.unwrap_or(NONE);
        std::iter::from_fn(move || {
            let entry = self.entries.get(at as usize)?;
            at = entry.around;
            Some(entry.address)
        })
    }

    /// Whether a node is printed once, and all uses of the variable inside it.
    pub(crate) fn is_around_all(&self, node: usize, variable: usize) -> bool {
        let (Some(place), Some(&node)) = (self.place(variable), self.numbers.get(&node)) else {
            return false;
        };
        self.at_depth(place, self.entries[node as usize].depth) == node
    }

    /// Whether the region has uses of a variable that are not inside of a node, or printed once more with that.
    pub(crate) fn has_uses_outside(&self, node: usize, variable: usize) -> bool {
        let Some(place) = self.place(variable) else { return false };
        let Some(&node) = self.numbers.get(&node) else { return true };
        self.at_depth(place, self.entries[node as usize].depth) != node
    }
}

/// The roles of types, each asked for once; nothing for types without any.
struct Roles<F> {
    role: F,
    /// By the number of the type.
    known: Vec<Option<Option<Role>>>,
}

impl<F: Fn(&'static TypeInfo) -> Role> Roles<F> {
    fn of(&mut self, object: &Object) -> Option<Role> {
        let info = object.info();
        if self.known.len() <= info.index() {
            self.known.resize(info.index() + 1, None);
        }
        *self.known[info.index()].get_or_insert_with(|| match (self.role)(info) {
            Role::Part if !may_have_children(info) => None,
            role => Some(role),
        })
    }
}

fn may_have_children(info: &TypeInfo) -> bool {
    match info.shape() {
        Shape::Fields => {
            info.fields().iter().any(|field| matches!(field.kind, FieldKind::Node | FieldKind::Any))
        }
        Shape::Array | Shape::Map => true,
        Shape::Str | Shape::Tensor => false,
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

    /// Every node is a scope.
    fn places(root: &Object) -> Places {
        Places::new(root, |_| Role::Scope)
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
        let found = places(&root);
        let around: Vec<usize> = found.around(var.address()).collect();
        assert_eq!(around, [both.address(), root.address()]);
        // Where the shared node counts once, there is one use.
        assert_eq!(found.around_first(var.address()).next(), Some(var.address()));
        assert_eq!(found.around(other.address()).next(), Some(root.address()));
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
        let found = places(&root);
        assert_eq!(found.around(var.address()).next(), Some(root.address()));
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
        let found = places(&root);
        for var in &vars {
            assert_eq!(found.around(var.address()).next(), Some(root.address()));
        }
    }

    #[test]
    fn parts_that_open_no_scope_are_where_the_scope_around_them_is() {
        let (var, one, two) = (variable(), variable(), variable());
        let scope = Array::of_values([
            Value::Node(node(&[&node(&[&var, &one]), &two])),
            Value::Node(node(&[&one, &var])),
        ])
        .into_object();
        let root = node(&[&scope, &two]);
        let found = Places::new(&root, |_| Role::Part);
        // The root has an entry, and what has two handles; the node inside is held by `scope` alone.
        assert_eq!(found.around(var.address()).next(), Some(scope.address()));
        assert_eq!(found.around(two.address()).next(), Some(root.address()));
        assert!(found.is_around_all(root.address(), one.address()));
    }

    #[test]
    fn a_scope_is_around_all_uses_only_if_it_is_printed_once() {
        let var = variable();
        let scope = node(&[&var]);
        let root = node(&[&scope, &scope]);
        let found = places(&root);
        assert!(!found.is_around_all(scope.address(), var.address()));
        assert!(found.is_around_all(root.address(), var.address()));
        assert!(found.has_uses_outside(scope.address(), var.address()));
        assert!(!found.has_uses_outside(scope.address(), variable().address()));
    }
}
