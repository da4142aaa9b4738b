//! Variables of host functions and comprehensions.
//!
//! As in Python, the local names of a function are known before it runs. A function captures its environment and not
//! the values, so that it sees later assignments.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use tvmscript_script_value::{ScriptValue, release};

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
    /// The class of a class body, once it is made.
    owner: RefCell<Option<ScriptValue>>,
    /// The first parameter of a function.
    first: Cell<Option<Name>>,
    /// The name of a class body's class.
    class_name: Option<Name>,
    /// The qualified name of the class or function.
    prefix: RefCell<Option<Rc<str>>>,
    /// The bases and the values so far in the body of an enumeration.
    enumeration: RefCell<Option<(Vec<ScriptValue>, Vec<ScriptValue>)>>,
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
        Env::of_kind(names, parent, EnvKind::Function, None, None)
    }

    /// The variables of a call of a function that declares names `global`.
    pub(crate) fn of_call(
        names: Rc<[Name]>,
        globals: Option<Rc<[Name]>>,
        parent: Option<Rc<Env>>,
    ) -> Rc<Env> {
        Env::of_kind(names, parent, EnvKind::Function, None, globals)
    }

    /// The variables of a class body.
    pub(crate) fn of_class(names: Rc<[Name]>, parent: Option<Rc<Env>>, class: Name) -> Rc<Env> {
        Env::of_kind(names, parent, EnvKind::Class, Some(class), None)
    }

    /// The variables of a module other than the main text.
    pub(crate) fn of_module(names: Rc<[Name]>) -> Rc<Env> {
        Env::of_kind(names, None, EnvKind::Module, None, None)
    }

    fn of_kind(
        names: Rc<[Name]>,
        parent: Option<Rc<Env>>,
        kind: EnvKind,
        class_name: Option<Name>,
        globals: Option<Rc<[Name]>>,
    ) -> Rc<Env> {
        let slots = RefCell::new(vec![Binding::Unbound; names.len()]);
        let (owner, first, prefix) = (RefCell::default(), Cell::default(), RefCell::default());
        let (held, enumeration) = (Cell::new(false), RefCell::default());
        Rc::new(Env {
            names,
            slots,
            parent,
            held,
            kind,
            owner,
            first,
            class_name,
            prefix,
            enumeration,
            globals,
        })
    }

    /// Begins the body of an enumeration.
    pub(crate) fn begin_enumeration(&self, bases: Vec<ScriptValue>) {
        *self.enumeration.borrow_mut() = Some((bases, Vec::new()));
    }

    /// Tests whether this is the body of an enumeration.
    pub(crate) fn is_enumeration(&self) -> bool {
        self.enumeration.borrow().is_some()
    }

    /// The bases of the enumeration.
    pub(crate) fn enumeration_bases(&self) -> Vec<ScriptValue> {
        self.enumeration.borrow().as_ref().map(|(bases, _)| bases.clone()).unwrap_or_default()
    }

    /// The values of the members so far.
    pub(crate) fn member_values(&self) -> Vec<ScriptValue> {
        self.enumeration.borrow().as_ref().map(|(_, values)| values.clone()).unwrap_or_default()
    }

    /// Adds the value of a member.
    pub(crate) fn add_member_value(&self, value: ScriptValue) {
        if let Some((_, values)) = &mut *self.enumeration.borrow_mut() {
            values.push(value);
        }
    }

    /// The name of the innermost class around, for private names.
    pub(crate) fn class_around(&self) -> Option<Name> {
        let mut at = Some(self);
        while let Some(env) = at {
            if env.class_name.is_some() {
                return env.class_name;
            }
            at = env.parent.as_deref();
        }
        None
    }

    /// Sets the qualified name of the class or function.
    pub(crate) fn set_prefix(&self, name: Rc<str>) {
        *self.prefix.borrow_mut() = Some(name);
    }

    /// The qualified name of the class or function.
    pub(crate) fn prefix(&self) -> Option<Rc<str>> {
        self.prefix.borrow().clone()
    }

    /// The qualified name of what is defined here, up to its own name.
    pub(crate) fn prefix_inside(&self) -> String {
        let mut at = Some(self);
        while let Some(env) = at {
            if let Some(prefix) = &*env.prefix.borrow() {
                return if env.kind == EnvKind::Class {
                    format!("{prefix}.")
                } else {
                    format!("{prefix}.<locals>.")
                };
            }
            at = env.parent.as_deref();
        }
        String::new()
    }

    /// Sets the class that the body made.
    pub(crate) fn set_owner(&self, class: ScriptValue) {
        *self.owner.borrow_mut() = Some(class);
    }

    /// Sets the first parameter of a function.
    pub(crate) fn set_first(&self, name: Name) {
        self.first.set(Some(name));
    }

    /// The class around the running method, and the method's first argument; `None` outside functions.
    pub(crate) fn method(&self) -> Option<(Option<ScriptValue>, Option<ScriptValue>)> {
        let mut at = Some(self);
        let mut receiver = None;
        let mut is_found = false;
        while let Some(env) = at {
            if env.kind == EnvKind::Class && is_found {
                return Some((env.owner.borrow().clone(), receiver));
            }
            if !is_found && env.kind == EnvKind::Function && env.prefix.borrow().is_some() {
                is_found = true;
                receiver = match env.first.get().and_then(|first| env.own(first)) {
                    Some(Binding::Value(value)) => Some(value),
                    _ => None,
                };
            }
            at = env.parent.as_deref();
        }
        is_found.then_some((None, receiver))
    }

    /// All names, bound or not.
    pub(crate) fn own_names(&self) -> Vec<Name> {
        self.names.to_vec()
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
        drop((slots, self.owner.take(), self.enumeration.take()));
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
