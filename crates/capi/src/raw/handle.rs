//! Handles as C has them: a struct per kind, so that a compiler tells them apart.

use std::sync::Arc;

use super::{Absent, absent};
use crate::callable::Callable;
use crate::compare;
use crate::diagnostics::Findings;
use crate::handles::{self, Stored};
use crate::program::{self, Dialects, Part};
use crate::status::Outcome;
use crate::text::OwnedText;

/// A handle of some kind.
pub(crate) trait Handle: Absent + Copy {
    /// The values behind the handles.
    type Content: Stored;
    fn new(id: u64) -> Self;
    fn id(self) -> u64;

    /// Makes a handle.
    fn store(content: Self::Content) -> Outcome<Self> {
        handles::store(content).map(Self::new)
    }

    /// The value.
    fn load(self) -> Outcome<Self::Content> {
        handles::load(self.id())
    }

    /// Frees the handle.
    fn free(self) -> Outcome {
        handles::free::<Self::Content>(self.id())
    }
}

/// The dialects and releases that texts are read and printed with.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Registry {
    /// 0 for the null handle.
    pub id: u64,
}

/// A node: a module, a function, a statement, an expression, an array or a map, which never changes. It remembers the text that
/// it comes from, with its release.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Object {
    /// 0 for the null handle.
    pub id: u64,
}

/// A text that the library made.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// 0 for the null handle.
    pub id: u64,
}

/// Errors, warnings and notes.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Errors {
    /// 0 for the null handle.
    pub id: u64,
}

/// A text that was parsed: its functions, modules and other scripts in order.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// 0 for the null handle.
    pub id: u64,
}

/// Differences of two nodes.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Differences {
    /// 0 for the null handle.
    pub id: u64,
}

/// A function that can be called with values: one of the library, or a callback.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// 0 for the null handle.
    pub id: u64,
}

impl Registry {
    /// The dialects of the handle; for the null handle, those of a node.
    pub(crate) fn load_or(self, part: &Part) -> Outcome<Arc<Dialects>> {
        if self.id == 0 { Ok(Arc::clone(&part.origin.dialects)) } else { self.load() }
    }
}

impl Registry {
    /// The dialects of the handle; for the null handle, those of the library.
    pub(crate) fn load_or_shared(self) -> Outcome<Arc<Dialects>> {
        if self.id == 0 { Ok(Arc::new(Dialects::shared())) } else { self.load() }
    }
}

macro_rules! handles {
    ($($handle:ident => $content:ty,)*) => {$(
        absent! { $handle => $handle { id: 0 } }
        impl Handle for $handle {
            type Content = $content;
            fn new(id: u64) -> Self {
                $handle { id }
            }
            fn id(self) -> u64 {
                self.id
            }
        }
    )*};
}
handles! {
    Registry => Arc<Dialects>,
    Object => Part,
    Text => Arc<OwnedText>,
    Errors => Arc<Findings>,
    Program => Arc<program::Program>,
    Differences => Arc<compare::Differences>,
    Function => Arc<Callable>,
}
