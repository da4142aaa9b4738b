//! A name that may be set while others read it.

use std::mem::ManuallyDrop;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use super::memory::{Header, Object};
use super::{ObjectLike, Str};

/// A name hint that the builder may still set after the node was made (`A = T.alloc_buffer(..)` names what the call
/// returned). Names take no part in equality, so a node stays immutable in every other sense.
///
/// To read one takes no lock and counts nothing. So a name that is replaced stays in memory as long as the cell.
pub struct NameCell {
    /// A handle to a string, which the cell owns.
    current: AtomicPtr<Header>,
    /// The names before it, which somebody may still read.
    former: AtomicPtr<Former>,
}

/// A name that was replaced.
struct Former {
    /// Kept for those who read it.
    _name: Object,
    next: *mut Former,
}

impl NameCell {
    fn current(&self) -> ManuallyDrop<Object> {
        let Some(ptr) = NonNull::new(self.current.load(Ordering::Acquire)) else {
            unreachable!("the cell is made with a name")
        };
        // SAFETY: the pointer came from a handle that the cell took over, and drops only when it is dropped itself, now as
        // the current name or as a former one. This second handle is never dropped.
        ManuallyDrop::new(unsafe { Object::from_ptr(ptr) })
    }

    /// The hint.
    #[inline]
    pub fn text(&self) -> &str {
        let name = self.current();
        let text: *const str = str_of(&name).as_str();
        // SAFETY: the text belongs to the string, which is immutable and lives as long as the cell (see `current`).
        unsafe { &*text }
    }

    /// The hint, as a handle.
    pub fn get(&self) -> Str {
        str_of(&self.current()).clone()
    }

    /// Sets the hint.
    pub fn set(&self, name: Str) {
        let name = name.into_object().into_ptr().as_ptr();
        let Some(old) = NonNull::new(self.current.swap(name, Ordering::AcqRel)) else {
            unreachable!("the cell is made with a name")
        };
        // SAFETY: the cell owned this handle, and has given it up just now.
        let old = unsafe { Object::from_ptr(old) };
        let mut next = self.former.load(Ordering::Relaxed);
        let former = Box::into_raw(Box::new(Former { _name: old, next }));
        while let Err(other) =
            self.former.compare_exchange_weak(next, former, Ordering::Release, Ordering::Relaxed)
        {
            next = other;
            // SAFETY: nobody else knows of it before it is in the list.
            unsafe { (*former).next = next };
        }
    }
}

fn str_of(name: &Object) -> &Str {
    match Str::try_ref(name) {
        Some(name) => name,
        None => unreachable!("the cell holds strings only"),
    }
}

impl Drop for NameCell {
    fn drop(&mut self) {
        if let Some(ptr) = NonNull::new(*self.current.get_mut()) {
            // SAFETY: the cell owns the handle, and nobody reads it any more.
            drop(unsafe { Object::from_ptr(ptr) });
        }
        let mut next = std::mem::replace(self.former.get_mut(), null_mut());
        while !next.is_null() {
            // SAFETY: each came from a box, and stands in the list once.
            next = unsafe { Box::from_raw(next) }.next;
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
        let current = AtomicPtr::new(name.into_object().into_ptr().as_ptr());
        NameCell { current, former: AtomicPtr::new(null_mut()) }
    }
}

impl From<&str> for NameCell {
    fn from(name: &str) -> Self {
        NameCell::from(Str::new(name))
    }
}

impl std::fmt::Debug for NameCell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(self.text(), f)
    }
}
