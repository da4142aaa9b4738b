//! Name hints that can be set while other threads read them.

use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::memory::{Header, Object};
use super::{ObjectLike, Ref, Str};
use crate::containers::RenamedNode;
use crate::value::FieldRef;

/// A name hint that a builder can set after the node was made: `x = Toy.input(..)` names the result of the call.
/// `#[derive(Node)]` excludes a field of this type from equality and hash (no `#[node(skip_eq)]` is needed), so renaming a
/// node does not change what it is equal to. The node is otherwise immutable.
///
/// Reading is lock-free and does not count handles; replaced names therefore live as long as the cell.
pub struct NameCell {
    /// An owned handle to a string or [`RenamedNode`].
    current: AtomicPtr<Header>,
}

/// Returns the handle at an address.
///
/// # Safety
/// The address must be a present or former content of a cell that is alive.
unsafe fn owned(current: *mut Header) -> ManuallyDrop<Object> {
    let Some(ptr) = NonNull::new(current) else { unreachable!("a cell is created with a name") };
    // SAFETY: the cell owns a handle with this address until it is dropped: a `RenamedNode` keeps the replaced one. The
    // returned copy is never dropped.
    ManuallyDrop::new(unsafe { Object::from_ptr(ptr) })
}

impl NameCell {
    fn current(&self) -> ManuallyDrop<Object> {
        // SAFETY: the cell is alive.
        unsafe { owned(self.current.load(Ordering::Acquire)) }
    }

    /// Returns the hint.
    #[inline]
    pub fn text(&self) -> &str {
        let current = self.current();
        let text: *const str = str_of(&current).as_str();
        // SAFETY: the string is immutable and lives as long as the cell (see `owned`).
        unsafe { &*text }
    }

    /// Returns the hint, or `other` if it is empty.
    #[inline]
    pub fn text_or<'a>(&'a self, other: &'a str) -> &'a str {
        let text = self.text();
        if text.is_empty() { other } else { text }
    }

    /// Returns the name that texts show: the hint, unless an alias took its place ([`NameCell::set_alias`]).
    #[inline]
    pub fn written(&self) -> &str {
        let current = self.current();
        let text: *const str = written_of(&current).as_str();
        // SAFETY: as in `text`.
        unsafe { &*text }
    }

    /// Returns the name that texts show, or `other` if it is empty.
    #[inline]
    pub fn written_or<'a>(&'a self, other: &'a str) -> &'a str {
        let text = self.written();
        if text.is_empty() { other } else { text }
    }

    /// Returns the hint as a handle.
    pub fn get(&self) -> Str {
        str_of(&self.current()).clone()
    }

    /// Sets the hint.
    pub fn set(&self, name: Str) {
        if self.text() == name.as_str() && self.written() == name.as_str() {
            return;
        }
        self.replace(name, None);
    }

    /// Sets the hint to another name of the node, which texts do not show.
    pub fn set_alias(&self, name: Str) {
        if self.text() != name.as_str() {
            self.replace(name, Some(written_of(&self.current()).clone()));
        }
    }

    fn replace(&self, name: Str, written: Option<Str>) {
        let mut old = self.current.load(Ordering::Acquire);
        loop {
            // SAFETY: it is a former content of this cell.
            let former = unsafe { owned(old) };
            let _former = Object::clone(&former);
            let renamed = Ref::new(RenamedNode { name: name.clone(), written: written.clone(), _former });
            let new = renamed.into_object().into_ptr();
            match self.current.compare_exchange(old, new.as_ptr(), Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return drop(ManuallyDrop::into_inner(former)),
                Err(other) => {
                    // SAFETY: the handle was not shared.
                    drop(unsafe { Object::from_ptr(new) });
                    old = other;
                }
            }
        }
    }
}

impl Object {
    /// Returns the name hint that can be set, if the node has one.
    pub fn name_cell(&self) -> Option<&NameCell> {
        (0..self.info().fields().len()).find_map(|index| match self.field(index) {
            FieldRef::Name(name) => Some(name),
            _ => None,
        })
    }
}

#[inline]
fn str_of(current: &Object) -> &Str {
    match Str::try_ref(current) {
        Some(name) => name,
        None => match current.as_node::<RenamedNode>() {
            Some(renamed) => &renamed.name,
            None => unreachable!("a cell holds a string or a renamed node"),
        },
    }
}

#[inline]
fn written_of(current: &Object) -> &Str {
    match Str::try_ref(current) {
        Some(name) => name,
        None => current
            .as_node::<RenamedNode>()
            .and_then(|renamed| renamed.written.as_ref())
            .unwrap_or_else(|| str_of(current)),
    }
}

impl Drop for NameCell {
    fn drop(&mut self) {
        if let Some(ptr) = NonNull::new(*self.current.get_mut()) {
            // SAFETY: the cell owns the handle and has no readers left.
            drop(unsafe { Object::from_ptr(ptr) });
        }
    }
}

impl Clone for NameCell {
    fn clone(&self) -> Self {
        let current = self.current();
        let copy = NameCell::from(written_of(&current).clone());
        copy.set_alias(str_of(&current).clone());
        copy
    }
}

impl From<Str> for NameCell {
    fn from(name: Str) -> Self {
        NameCell { current: AtomicPtr::new(name.into_object().into_ptr().as_ptr()) }
    }
}

impl From<&str> for NameCell {
    fn from(name: &str) -> Self {
        NameCell::from(Str::new(name))
    }
}

impl From<String> for NameCell {
    fn from(name: String) -> Self {
        NameCell::from(Str::new(name))
    }
}

impl std::fmt::Display for NameCell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.text())
    }
}

impl PartialEq<str> for NameCell {
    fn eq(&self, other: &str) -> bool {
        self.text() == other
    }
}

impl PartialEq<&str> for NameCell {
    fn eq(&self, other: &&str) -> bool {
        self.text() == *other
    }
}

impl AsRef<str> for NameCell {
    fn as_ref(&self) -> &str {
        self.text()
    }
}

impl std::fmt::Debug for NameCell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(self.text(), f)
    }
}
