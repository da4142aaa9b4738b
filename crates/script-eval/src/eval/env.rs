//! Variables of host functions and comprehensions.
//!
//! As in Python, the local names of a function are known before it runs. A function captures its environment and not
//! the values, so that it sees later assignments.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use tvmscript_script_value::release;

use crate::binding::Binding;
use tvmscript_python_syntax::ast::Name;

/// The local variables of one call.
#[derive(Debug)]
pub(crate) struct Env {
    /// Names, sorted.
    names: Rc<[Name]>,
    slots: RefCell<Vec<Binding>>,
    parent: Option<Rc<Env>>,
    held: Cell<bool>,
    kind: EnvKind,
    /// Names that the code declares `global`.
    globals: Option<Rc<[Name]>>,
}

/// The code that an environment belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EnvKind {
    Function,
    /// A class body, whose names functions inside it do not see.
    Class,
    /// A module other than the main text.
    Module,
}

impl Env {
    pub(crate) fn new(names: Rc<[Name]>, parent: Option<Rc<Env>>) -> Rc<Env> {
        Env::of_kind(names, parent, EnvKind::Function)
    }

    /// The variables of a call of a function that declares names `global`.
    pub(crate) fn of_call(
        names: Rc<[Name]>,
        globals: Option<Rc<[Name]>>,
        parent: Option<Rc<Env>>,
    ) -> Rc<Env> {
        let slots = RefCell::new(vec![Binding::Unbound; names.len()]);
        let kind = EnvKind::Function;
        Rc::new(Env { names, slots, parent, held: Cell::new(false), kind, globals })
    }

    /// The variables of a class body.
    pub(crate) fn of_class(names: Rc<[Name]>, parent: Option<Rc<Env>>) -> Rc<Env> {
        Env::of_kind(names, parent, EnvKind::Class)
    }

    /// The variables of a module other than the main text.
    pub(crate) fn of_module(names: Rc<[Name]>) -> Rc<Env> {
        Env::of_kind(names, None, EnvKind::Module)
    }

    fn of_kind(names: Rc<[Name]>, parent: Option<Rc<Env>>, kind: EnvKind) -> Rc<Env> {
        let slots = RefCell::new(vec![Binding::Unbound; names.len()]);
        Rc::new(Env { names, slots, parent, held: Cell::new(false), kind, globals: None })
    }

    /// Returns `true` if the code is in a module other than the main text.
    pub(crate) fn is_in_module(&self) -> bool {
        let mut at = self;
        while let Some(parent) = &at.parent {
            at = parent;
        }
        at.kind == EnvKind::Module
    }

    /// The binding of a name in this environment alone.
    pub(crate) fn own(&self, name: Name) -> Option<Binding> {
        self.slots.borrow().get(self.index(name)?).cloned()
    }

    fn index(&self, name: Name) -> Option<usize> {
        // A linear scan is faster for the few variables of most functions.
        match self.names.len() {
            0..=8 => self.names.iter().position(|n| *n == name),
            _ => self.names.binary_search(&name).ok(),
        }
    }

    /// The environment whose variable a name means here; `None` for names of the main text.
    fn owner(&self, name: Name) -> Option<&Env> {
        let mut at = self;
        while at.index(name).is_none() {
            at = match &at.globals {
                Some(globals) if globals.contains(&name) => at.module()?,
                _ => at.around()?,
            };
        }
        Some(at)
    }

    /// The variables of the module, unless it is the main text.
    fn module(&self) -> Option<&Env> {
        let mut at = self;
        while let Some(parent) = &at.parent {
            at = parent;
        }
        (at.kind == EnvKind::Module && !std::ptr::eq(at, self)).then_some(at)
    }

    /// The binding of a name here or in an enclosing function.
    pub(crate) fn get(&self, name: Name) -> Option<Binding> {
        let owner = self.owner(name)?;
        owner.slots.borrow().get(owner.index(name)?).cloned()
    }

    /// Returns `true` for a local variable, `false` for one of an enclosing function, and `None` for other names.
    pub(crate) fn is_local(&self, name: Name) -> Option<bool> {
        let owner = self.owner(name)?;
        (owner.kind == EnvKind::Function).then_some(std::ptr::eq(owner, self))
    }

    /// The innermost enclosing environment that is not a class body.
    fn around(&self) -> Option<&Env> {
        let mut at = self.parent.as_deref()?;
        while at.kind == EnvKind::Class {
            at = at.parent.as_deref()?;
        }
        Some(at)
    }

    /// Binds a local variable; returns `false` if the name is not local here.
    pub(crate) fn set(&self, name: Name, binding: Binding) -> bool {
        let Some(index) = self.index(name) else { return false };
        let old = match self.slots.borrow_mut().get_mut(index) {
            Some(slot) => std::mem::replace(slot, binding),
            None => return false,
        };
        drop(old);
        true
    }

    /// Binds a variable in the innermost environment that has the name.
    pub(crate) fn set_nearest(&self, name: Name, binding: Binding) -> bool {
        self.owner(name).is_some_and(|owner| owner.set(name, binding))
    }

    /// The bound names, for suggestions.
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

    /// Marks the environment as captured by a function; returns `false` if it was marked before.
    pub(crate) fn mark_held(&self) -> bool {
        !self.held.replace(true)
    }

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
        // Releases a chain of enclosing environments iteratively.
        let mut parent = self.parent.take();
        while let Some(env) = parent {
            match Rc::try_unwrap(env) {
                Ok(mut env) => parent = env.parent.take(),
                Err(_) => break,
            }
        }
    }
}
