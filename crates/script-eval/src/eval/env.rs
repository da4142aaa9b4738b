//! Variables of host functions and comprehensions.
//!
//! As in Python, the local names of a function are known before it runs. A function captures its environment and not
//! the values, so that it sees later assignments.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use smallvec::SmallVec;
use tvmscript_script_value::{ScriptValue, release};

use super::Closure;
use crate::binding::Binding;
use crate::errors::{EvalResult, Reported};
use tvmscript_python_syntax::ast::{Name, ParamKind, Parameter};

/// The names of the variables of a function, comprehension, class body or module.
#[derive(Debug)]
pub(crate) struct Locals {
    /// Sorted.
    names: Box<[Name]>,
    /// Names that the code declares `global`.
    globals: Option<Box<[Name]>>,
    kind: EnvKind,
    /// The first parameter of a function.
    first: Option<Name>,
    /// The variables of the parameters, if arguments bind to all of them by position.
    positional: Option<Box<[u32]>>,
    /// The name of a class body's class.
    class_name: Option<Name>,
}

/// The code that variables belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EnvKind {
    Function,
    /// A class body, whose names functions inside it do not see.
    Class,
    /// A module other than the main text.
    Module,
}

impl Locals {
    /// The names of a comprehension, or of values that a function captures.
    pub(crate) fn new(names: Vec<Name>) -> Rc<Locals> {
        Locals::of_kind(names, EnvKind::Function).into()
    }

    /// The names of a class body.
    pub(crate) fn of_class(names: Vec<Name>, class: Name) -> Rc<Locals> {
        Locals { class_name: Some(class), ..Locals::of_kind(names, EnvKind::Class) }.into()
    }

    /// The names of a module other than the main text.
    pub(crate) fn of_module(names: Vec<Name>) -> Rc<Locals> {
        Locals::of_kind(names, EnvKind::Module).into()
    }

    /// The names of a function that declares names `global`.
    pub(crate) fn of_function(names: Vec<Name>, globals: Vec<Name>, params: &[Parameter]) -> Rc<Locals> {
        let locals = Locals::of_kind(names, EnvKind::Function);
        let slot = |param: &Parameter| match param.kind {
            ParamKind::Normal => locals.index(param.name).and_then(|index| u32::try_from(index).ok()),
            _ => None,
        };
        let positional = params.iter().map(slot).collect();
        let globals = (!globals.is_empty()).then(|| globals.into());
        let first = params.first().map(|param| param.name);
        Locals { globals, first, positional, ..locals }.into()
    }

    fn of_kind(mut names: Vec<Name>, kind: EnvKind) -> Locals {
        names.sort_unstable();
        names.dedup();
        let names = names.into();
        Locals { names, globals: None, kind, first: None, positional: None, class_name: None }
    }

    #[inline]
    fn index(&self, name: Name) -> Option<usize> {
        // A linear scan is faster for the few variables of most functions.
        match self.names.len() {
            0..=8 => self.names.iter().position(|n| *n == name),
            _ => self.names.binary_search(&name).ok(),
        }
    }

    fn declares_global(&self, name: Name) -> bool {
        self.globals.as_ref().is_some_and(|globals| globals.contains(&name))
    }
}

/// The local variables of one call.
#[derive(Debug)]
pub(crate) struct Env {
    locals: Rc<Locals>,
    slots: RefCell<SmallVec<[Binding; 5]>>,
    parent: Option<Rc<Env>>,
    held: Cell<bool>,
    /// The qualified name of the class or function.
    prefix: Option<Rc<str>>,
    class: RefCell<Option<Box<ClassState>>>,
}

/// The state of a class body.
#[derive(Debug, Default)]
struct ClassState {
    /// The class, once it is made.
    owner: Option<ScriptValue>,
    /// The bases and the values so far in the body of an enumeration.
    enumeration: Option<(Vec<ScriptValue>, Vec<ScriptValue>)>,
}

impl Env {
    pub(crate) fn new(locals: Rc<Locals>, parent: Option<Rc<Env>>) -> Rc<Env> {
        Env::of_call(locals, parent, None)
    }

    /// The variables of a call, or of a class body.
    pub(crate) fn of_call(locals: Rc<Locals>, parent: Option<Rc<Env>>, prefix: Option<Rc<str>>) -> Rc<Env> {
        let slots = RefCell::new(SmallVec::from_elem(Binding::Unbound, locals.names.len()));
        let (held, class) = (Cell::new(false), RefCell::default());
        Rc::new(Env { locals, slots, parent, held, prefix, class })
    }

    /// The variables of a call whose arguments bind by position to all parameters; `None` if they do not.
    pub(crate) fn of_positional(closure: &Closure, args: &mut SmallVec<[ScriptValue; 4]>) -> Option<Rc<Env>> {
        let locals = closure.locals.clone();
        let positional = locals.positional.as_ref().filter(|slots| slots.len() == args.len())?;
        let mut slots = SmallVec::from_elem(Binding::Unbound, locals.names.len());
        let params = closure.program.ast.list(closure.params);
        for (at, (index, value)) in positional.iter().zip(args.drain(..)).enumerate() {
            let param = params.get(at)?;
            *slots.get_mut(*index as usize)? = Binding::of_argument(value, closure, param);
        }
        let (held, class) = (Cell::new(false), RefCell::default());
        let (parent, prefix) = (closure.env.clone(), Some(closure.qualified.clone()));
        Some(Rc::new(Env { locals, slots: RefCell::new(slots), parent, held, prefix, class }))
    }

    /// Begins the body of an enumeration.
    pub(crate) fn begin_enumeration(&self, bases: Vec<ScriptValue>) {
        self.class.borrow_mut().get_or_insert_default().enumeration = Some((bases, Vec::new()));
    }

    /// Tests whether this is the body of an enumeration.
    #[inline]
    pub(crate) fn is_enumeration(&self) -> bool {
        self.class.borrow().as_ref().is_some_and(|class| class.enumeration.is_some())
    }

    /// The bases of the enumeration.
    pub(crate) fn enumeration_bases(&self) -> Vec<ScriptValue> {
        let class = self.class.borrow();
        let enumeration = class.as_ref().and_then(|class| class.enumeration.as_ref());
        enumeration.map(|(bases, _)| bases.clone()).unwrap_or_default()
    }

    /// The values of the members so far.
    pub(crate) fn member_values(&self) -> Vec<ScriptValue> {
        let class = self.class.borrow();
        let enumeration = class.as_ref().and_then(|class| class.enumeration.as_ref());
        enumeration.map(|(_, values)| values.clone()).unwrap_or_default()
    }

    /// Adds the value of a member.
    pub(crate) fn add_member_value(&self, value: ScriptValue) {
        let mut class = self.class.borrow_mut();
        if let Some((_, values)) = class.as_mut().and_then(|class| class.enumeration.as_mut()) {
            values.push(value);
        }
    }

    /// The name of the innermost class around, for private names.
    pub(crate) fn class_around(&self) -> Option<Name> {
        let mut at = Some(self);
        while let Some(env) = at {
            if env.locals.class_name.is_some() {
                return env.locals.class_name;
            }
            at = env.parent.as_deref();
        }
        None
    }

    /// The qualified name of the class or function.
    pub(crate) fn prefix(&self) -> Option<Rc<str>> {
        self.prefix.clone()
    }

    /// The qualified name of what is defined here, up to its own name.
    pub(crate) fn prefix_inside(&self) -> String {
        let mut at = Some(self);
        while let Some(env) = at {
            if let Some(prefix) = &env.prefix {
                return if env.locals.kind == EnvKind::Class {
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
        self.class.borrow_mut().get_or_insert_default().owner = Some(class);
    }

    /// The class around the running method, and the method's first argument; `None` outside functions.
    pub(crate) fn method(&self) -> Option<(Option<ScriptValue>, Option<ScriptValue>)> {
        let mut at = Some(self);
        let mut receiver = None;
        let mut is_found = false;
        while let Some(env) = at {
            if env.locals.kind == EnvKind::Class && is_found {
                let owner = env.class.borrow().as_ref().and_then(|class| class.owner.clone());
                return Some((owner, receiver));
            }
            if !is_found && env.locals.kind == EnvKind::Function && env.prefix.is_some() {
                is_found = true;
                receiver = match env.locals.first.and_then(|first| env.own(first)) {
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
        self.locals.names.to_vec()
    }

    /// Returns `true` if the code is in a module other than the main text.
    pub(crate) fn is_in_module(&self) -> bool {
        let mut at = self;
        while let Some(parent) = &at.parent {
            at = parent;
        }
        at.locals.kind == EnvKind::Module
    }

    /// The binding of a name in this environment alone.
    pub(crate) fn own(&self, name: Name) -> Option<Binding> {
        self.slots.borrow().get(self.locals.index(name)?).cloned()
    }

    /// The environment whose variable a name means here; `None` for names of the main text.
    fn owner(&self, name: Name) -> Option<&Env> {
        self.place(name).map(|(owner, _)| owner)
    }

    /// The value of a name here or in an enclosing function, which fails for other bindings; `None` for names of the
    /// main text.
    #[inline]
    pub(crate) fn value(&self, name: Name) -> Option<EvalResult<ScriptValue>> {
        let (owner, index) = self.place(name)?;
        Some(match owner.slots.borrow().get(index) {
            Some(Binding::Value(value)) => Ok(value.clone()),
            _ => Err(Reported(())),
        })
    }

    /// The variables of the module, unless it is the main text.
    fn module(&self) -> Option<&Env> {
        let mut at = self;
        while let Some(parent) = &at.parent {
            at = parent;
        }
        (at.locals.kind == EnvKind::Module && !std::ptr::eq(at, self)).then_some(at)
    }

    /// The binding of a name here or in an enclosing function.
    pub(crate) fn get(&self, name: Name) -> Option<Binding> {
        let owner = self.owner(name)?;
        owner.slots.borrow().get(owner.locals.index(name)?).cloned()
    }

    /// The environment whose variable a name means here, and its slot; `None` for names of the main text.
    #[inline]
    fn place(&self, name: Name) -> Option<(&Env, usize)> {
        let mut at = self;
        loop {
            if let Some(index) = at.locals.index(name) {
                return Some((at, index));
            }
            at = if at.locals.declares_global(name) { at.module()? } else { at.around()? };
        }
    }

    /// Returns `true` for a local variable, `false` for one of an enclosing function, and `None` for other names.
    pub(crate) fn is_local(&self, name: Name) -> Option<bool> {
        let owner = self.owner(name)?;
        (owner.locals.kind == EnvKind::Function).then_some(std::ptr::eq(owner, self))
    }

    /// The innermost enclosing environment that is not a class body.
    fn around(&self) -> Option<&Env> {
        let mut at = self.parent.as_deref()?;
        while at.locals.kind == EnvKind::Class {
            at = at.parent.as_deref()?;
        }
        Some(at)
    }

    /// Binds a local variable; returns `false` if the name is not local here.
    pub(crate) fn set(&self, name: Name, binding: Binding) -> bool {
        match self.locals.index(name) {
            Some(index) => self.set_slot(index, binding).is_none(),
            None => false,
        }
    }

    /// Sets a variable; returns the binding if there is no such variable.
    fn set_slot(&self, index: usize, binding: Binding) -> Option<Binding> {
        let old = match self.slots.borrow_mut().get_mut(index) {
            Some(slot) => std::mem::replace(slot, binding),
            None => return Some(binding),
        };
        drop(old);
        None
    }

    /// Binds a variable in the innermost environment that has the name; returns the binding if there is none.
    pub(crate) fn set_nearest(&self, name: Name, binding: Binding) -> Option<Binding> {
        match self.place(name) {
            Some((owner, index)) => owner.set_slot(index, binding),
            None => Some(binding),
        }
    }

    /// The bound names, for suggestions.
    pub(crate) fn bound_names(&self) -> Vec<Name> {
        let mut names = Vec::new();
        let mut at = Some(self);
        while let Some(env) = at {
            let slots = env.slots.borrow();
            let bound =
                env.locals.names.iter().zip(slots.iter()).filter(|(_, b)| !matches!(b, Binding::Unbound));
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
        drop((slots, self.class.take()));
    }
}

impl Drop for Env {
    fn drop(&mut self) {
        let slots = self.slots.get_mut();
        if slots.iter().any(|binding| matches!(binding, Binding::Value(value) if value.holds_values())) {
            release(slots.drain(..).filter_map(|binding| match binding {
                Binding::Value(value) => Some(value),
                Binding::Unbound | Binding::Poison | Binding::Unknown(_) => None,
            }));
        }
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
