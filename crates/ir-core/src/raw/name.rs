//! A name that may be set while others read it.

use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::memory::{Header, Object};
use super::{ObjectLike, Ref, Str};
use crate::containers::RenamedNode;

/// A name hint that the builder may still set after the node was made (`A = T.alloc_buffer(..)` names what the call
/// returned). Names take no part in equality, so a node stays immutable in every other sense.
///
/// To read one takes no lock and counts nothing. So a name that is replaced stays in memory as long as the cell.
pub struct NameCell {
    /// A handle to a string or to a [`RenamedNode`], which the cell owns.
    current: AtomicPtr<Header>,
}

/// The handle of a cell, given its address.
///
/// # Safety
/// The address must have been in a cell that has not been dropped yet.
unsafe fn owned(current: *mut Header) -> ManuallyDrop<Object> {
    let Some(ptr) = NonNull::new(current) else { unreachable!("the cell is made with a name") };
    // SAFETY: the address came from a handle that the cell took over, and drops only when it is dropped itself: until
    // then its `RenamedNode` holds what was replaced. This second handle is never dropped.
    ManuallyDrop::new(unsafe { Object::from_ptr(ptr) })
}

impl NameCell {
    fn current(&self) -> ManuallyDrop<Object> {
        // SAFETY: the cell is alive.
        unsafe { owned(self.current.load(Ordering::Acquire)) }
    }

    /// The hint.
    #[inline]
    pub fn text(&self) -> &str {
        let current = self.current();
        let text: *const str = str_of(&current).as_str();
        // SAFETY: the text belongs to the string, which is immutable and lives as long as the cell (see `owned`).
        unsafe { &*text }
    }

    /// The hint; another one where there is none.
    #[inline]
    pub fn text_or<'a>(&'a self, other: &'a str) -> &'a str {
        let text = self.text();
        if text.is_empty() { other } else { text }
    }

    /// The hint, as a handle.
    pub fn get(&self) -> Str {
        str_of(&self.current()).clone()
    }

    /// Sets the hint.
    pub fn set(&self, name: Str) {
        if self.text() == name.as_str() {
            return;
        }
        let mut old = self.current.load(Ordering::Acquire);
        loop {
            // SAFETY: it was in the cell, which is alive.
            let former = unsafe { owned(old) };
            let renamed = Ref::new(RenamedNode { name: name.clone(), _former: Object::clone(&former) });
            let new = renamed.into_object().into_ptr();
            match self.current.compare_exchange(old, new.as_ptr(), Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return drop(ManuallyDrop::into_inner(former)),
                Err(other) => {
                    // SAFETY: nobody else has seen this handle.
                    drop(unsafe { Object::from_ptr(new) });
                    old = other;
                }
            }
        }
    }
}

#[inline]
fn str_of(current: &Object) -> &Str {
    match Str::try_ref(current) {
        Some(name) => name,
        None => match current.as_node::<RenamedNode>() {
            Some(renamed) => &renamed.name,
            None => unreachable!("the cell holds nothing else"),
        },
    }
}

impl Drop for NameCell {
    fn drop(&mut self) {
        if let Some(ptr) = NonNull::new(*self.current.get_mut()) {
            // SAFETY: the cell owns the handle, and nobody reads it any more.
            drop(unsafe { Object::from_ptr(ptr) });
        }
    }
}

impl Clone for NameCell {
    fn clone(&self) -> Self {
        NameCell::from(self.get())
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
    /// The hint.
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
