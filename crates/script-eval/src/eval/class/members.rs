//! Attributes of instances by name of the syntax tree, without a search along the classes.
//!
//! A class remembers where its members are until a member of any class changes. Only plain attributes are found here:
//! those of instances themselves, methods, and constants of classes without hooks such as `__getattr__`. Everything else
//! is left to the general rules, which give the same result for plain attributes.

use std::cell::{Cell, RefCell};

use tvmscript_python_syntax::ast::Name;
use tvmscript_script_value::{DictKey, ScriptValue};

use super::{ClassObject, Instance, lookup};
use crate::EvalState;
use crate::eval::placeholder::as_placeholder;
use crate::eval::{Closure, Raise};
use crate::id_hash::IdMap;
use crate::python::builtins::Builtin;

thread_local! {
    /// Number of changes of members of classes.
    static CHANGES: Cell<u64> = const { Cell::new(0) };
}

/// Notes a change of a member of a class.
pub(super) fn note_change() {
    CHANGES.set(CHANGES.get().wrapping_add(1));
}

/// Places of the members of a class.
#[derive(Default)]
pub(crate) struct Members(RefCell<Known>);

#[derive(Default)]
struct Known {
    /// The number of changes before which the places are wrong.
    changes: u64,
    hooks: Option<Hooks>,
    places: IdMap<Name, Found>,
}

/// Methods that a class defines for all of its attributes.
#[derive(Clone, Copy)]
struct Hooks {
    reads: bool,
    writes: bool,
}

/// Result of a search for a member.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// The class has no such member.
    Missing,
    /// A function: its class by position in the resolution order, and its entry there.
    Function(u32, u32),
    /// A member that is not a descriptor.
    Value(u32, u32),
    /// A member that only the general rules know.
    Unusual,
}

impl ClassObject {
    fn hooks(&self, class: &ScriptValue, known: &mut Known) -> Hooks {
        let changes = CHANGES.get();
        if known.changes != changes {
            (known.changes, known.hooks) = (changes, None);
            known.places.clear();
        }
        *known.hooks.get_or_insert_with(|| {
            let is_defined = |name: &str| {
                lookup(class, name).is_some_and(|member| {
                    member.as_host::<Builtin>().is_none() && as_placeholder(&member).is_none()
                })
            };
            if !self.is_known() {
                return Hooks { reads: true, writes: true };
            }
            Hooks {
                reads: is_defined("__getattribute__") || is_defined("__getattr__"),
                writes: is_defined("__setattr__"),
            }
        })
    }

    fn place(&self, name: Name, key: &DictKey, known: &mut Known) -> Found {
        *known.places.entry(name).or_insert_with(|| self.find_place(key))
    }

    fn find_place(&self, key: &DictKey) -> Found {
        let classes =
            [Some(self)].into_iter().chain(self.mro.iter().map(|base| base.as_host::<ClassObject>()));
        for (position, class) in (0..).zip(classes) {
            let Some(class) = class else {
                // Only `object` has no members by usual names.
                let base = self.mro.get(position as usize - 1);
                let is_object = base.and_then(|base| base.as_host::<Builtin>());
                if is_object.is_some_and(|builtin| builtin.native.name == "object") {
                    continue;
                }
                return Found::Unusual;
            };
            let namespace = class.namespace.borrow();
            let Some((entry, _, member)) = namespace.get_full(key) else { continue };
            let Ok(entry) = u32::try_from(entry) else { return Found::Unusual };
            return match member {
                ScriptValue::Host(_) if member.as_host::<Closure>().is_some() => {
                    Found::Function(position, entry)
                }
                ScriptValue::Host(_) => Found::Unusual,
                _ => Found::Value(position, entry),
            };
        }
        Found::Missing
    }

    /// The member of a class of the resolution order.
    fn member_at(&self, position: u32, entry: u32) -> Option<ScriptValue> {
        let class = match position.checked_sub(1) {
            None => self,
            Some(base) => self.mro.get(base as usize)?.as_host()?,
        };
        class.namespace.borrow().get_index(entry as usize).map(|(_, value)| value.clone())
    }
}

impl Instance {
    /// The place of an attribute in its class, if attributes of its class are plain.
    fn plain_place(&self, name: Name, key: &DictKey, is_written: bool) -> Option<(&ClassObject, Found)> {
        if self.exception.is_some() {
            return None;
        }
        let class = self.class()?;
        let mut known = class.members.0.borrow_mut();
        let hooks = class.hooks(&self.class, &mut known);
        if if is_written { hooks.writes } else { hooks.reads } {
            return None;
        }
        let place = class.place(name, key, &mut known);
        (place != Found::Unusual).then_some((class, place))
    }
}

impl EvalState {
    /// Passes on the key of a name that is not a special name and not private; `None` for others.
    #[inline]
    fn with_key<T>(&self, name: Name, f: impl FnOnce(&DictKey) -> Option<T>) -> Option<T> {
        let mut keys = self.keys.borrow_mut();
        if keys.len() <= name.index() {
            keys.resize(self.ast.name_count().max(name.index() + 1), None);
        }
        let key = keys.get_mut(name.index())?;
        if key.is_none() {
            let text = self.ast.name(name);
            if text.starts_with("__") {
                return None;
            }
            *key = Some(DictKey::text(text));
        }
        f(key.as_ref()?)
    }

    /// The plain attribute of an instance that is not a method, as `found` makes it.
    #[inline]
    fn with_field<T>(
        &self,
        value: &ScriptValue,
        name: Name,
        found: impl FnOnce(&ScriptValue) -> Option<T>,
    ) -> Option<T> {
        let instance = value.as_host::<Instance>()?;
        self.with_key(name, |key| {
            let (class, place) = instance.plain_place(name, key, false)?;
            match (instance.fields.borrow().get(key), place) {
                (Some(field), _) => found(field),
                (None, Found::Value(position, entry)) => found(&class.member_at(position, entry)?),
                (None, _) => None,
            }
        })
    }

    /// The plain attribute of an instance that is not a method.
    pub(crate) fn plain_field(&self, value: &ScriptValue, name: Name) -> Option<ScriptValue> {
        self.with_field(value, name, |found| as_placeholder(found).is_none().then(|| found.clone()))
    }

    /// The plain attribute of an instance, if it is an integer.
    pub(crate) fn plain_integer(&self, value: &ScriptValue, name: Name) -> Option<i64> {
        self.with_field(value, name, |found| match found {
            ScriptValue::Int(value) => Some(*value),
            _ => None,
        })
    }

    /// The function that is the plain method of an instance.
    pub(crate) fn plain_method(&self, value: &ScriptValue, name: Name) -> Option<ScriptValue> {
        let instance = value.as_host::<Instance>()?;
        self.with_key(name, |key| match instance.plain_place(name, key, false)? {
            (class, Found::Function(position, entry)) if !instance.fields.borrow().contains_key(key) => {
                class.member_at(position, entry)
            }
            _ => None,
        })
    }

    /// Sets a plain attribute of an instance; returns the value if the attribute is not plain.
    pub(crate) fn set_plain_field(
        &self,
        value: &ScriptValue,
        name: Name,
        new: ScriptValue,
    ) -> Result<Option<ScriptValue>, Raise> {
        let Some(instance) = value.as_host::<Instance>() else { return Ok(Some(new)) };
        let mut new = Some(new);
        let set = self.with_key(name, |key| {
            instance.plain_place(name, key, true)?;
            new.take().map(|new| self.set_field_at(instance, key, new))
        });
        match set {
            Some(set) => set.map(|()| None),
            None => Ok(new),
        }
    }
}
