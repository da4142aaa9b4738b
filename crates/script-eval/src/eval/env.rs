//! The variables of host functions and comprehensions.
//!
//! As in Python, which names are local to a function is known before it runs; a function holds the environment around
//! it, not the values, so that it sees later assignments.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use tvmscript_script_value::release;

use crate::binding::Binding;
use tvmscript_python_syntax::ast::Name;

/// The local variables of one call.
#[derive(Debug)]
pub(crate) struct Env {
    /// The names, sorted.
    names: Rc<[Name]>,
    slots: RefCell<Vec<Binding>>,
    parent: Option<Rc<Env>>,
    held: Cell<bool>,
    /// Whether these are the names of a class body, which the functions in it do not see.
    is_class: bool,
}

impl Env {
    pub(crate) fn new(names: Rc<[Name]>, parent: Option<Rc<Env>>) -> Rc<Env> {
        let slots = RefCell::new(vec![Binding::Unbound; names.len()]);
        Rc::new(Env { names, slots, parent, held: Cell::new(false), is_class: false })
    }

    /// The variables of a class body.
    pub(crate) fn of_class(names: Rc<[Name]>, parent: Option<Rc<Env>>) -> Rc<Env> {
        let slots = RefCell::new(vec![Binding::Unbound; names.len()]);
        Rc::new(Env { names, slots, parent, held: Cell::new(false), is_class: true })
    }

    /// What a name stands for here, not in the functions around.
    pub(crate) fn own(&self, name: Name) -> Option<Binding> {
        self.slots.borrow().get(self.index(name)?).cloned()
    }

    fn index(&self, name: Name) -> Option<usize> {
        // Functions have few variables; a short scan is faster than halving.
        match self.names.len() {
            0..=8 => self.names.iter().position(|n| *n == name),
            _ => self.names.binary_search(&name).ok(),
        }
    }

    /// What a name stands for; nothing when it is local to none of the functions.
    pub(crate) fn get(&self, name: Name) -> Option<Binding> {
        let mut at = self;
        loop {
            if let Some(index) = at.index(name) {
                return at.slots.borrow().get(index).cloned();
            }
            at = at.around()?;
        }
    }

    /// The nearest variables around these that are not a class's.
    fn around(&self) -> Option<&Env> {
        let mut at = self.parent.as_deref()?;
        while at.is_class {
            at = at.parent.as_deref()?;
        }
        Some(at)
    }

    /// Gives a local variable its value; false when the name is not local here.
    pub(crate) fn set(&self, name: Name, binding: Binding) -> bool {
        let Some(index) = self.index(name) else { return false };
        let old = match self.slots.borrow_mut().get_mut(index) {
            Some(slot) => std::mem::replace(slot, binding),
            None => return false,
        };
        drop(old);
        true
    }

    /// As [`Env::set`], in the nearest function that has the name.
    pub(crate) fn set_nearest(&self, name: Name, binding: Binding) -> bool {
        let mut at = self;
        while at.index(name).is_none() {
            match at.around() {
                Some(parent) => at = parent,
                None => return false,
            }
        }
        at.set(name, binding)
    }

    /// The names with a value, for suggestions.
    pub(crate) fn bound_names(&self) -> Vec<Name> {
        let mut names = Vec::new();
        let mut at = Some(self);
        while let Some(env) = at {
            let slots = env.slots.borrow();
            let bound = env.names.iter().zip(slots.iter()).filter(|(_, b)| !matches!(b, Binding::Unbound));
            names.extend(bound.map(|(name, _)| *name));
            at = env.parent.as_deref();
        }
        names
    }

    /// Marks the environment as held by a function; false when it was before.
    pub(crate) fn mark_held(&self) -> bool {
        !self.held.replace(true)
    }

    /// Lets all values go.
    pub(crate) fn clear(&self) {
        let slots = std::mem::take(&mut *self.slots.borrow_mut());
        drop(slots);
    }
}

impl Drop for Env {
    fn drop(&mut self) {
        release(self.slots.get_mut().drain(..).filter_map(|binding| match binding {
            Binding::Value(value) => Some(value),
            Binding::Unbound | Binding::Poison | Binding::Unknown(_) => None,
        }));
        // A chain of functions in functions is let go in a loop.
        let mut parent = self.parent.take();
        while let Some(env) = parent {
            match Rc::try_unwrap(env) {
                Ok(mut env) => parent = env.parent.take(),
                Err(_) => break,
            }
        }
    }
}
