//! Rules of the text that is read or printed.
//!
//! A text may set the types of its bare numbers (`5`, `1.5`) and of storage without a type, and its release the rules of
//! constant folding. Operators on nodes (`a + b`) follow them and take no context, so the rules belong to the stack of
//! builders: [`TextRules::enter`] puts those of a text on it, and the scope that it returns restores the ones before, also
//! after a panic. A nested text enters its own.

use std::cell::Cell;
use std::marker::PhantomData;

use crate::dtype::DataType;

/// Rules of a text. [`TextRules::PLAIN`] holds outside of texts and for texts that set nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextRules {
    /// Type of bare integers; `None` for the rule of the reader.
    pub int: Option<DataType>,
    /// Type of bare floats; `None` for the rule of the reader.
    pub float: Option<DataType>,
    /// Type of elements of storage that is declared without one; `None` for the rule of the reader.
    pub storage: Option<DataType>,
    /// Rules of constant folding.
    pub folding: Folding,
}

/// Rules of constant folding that differ between releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folding {
    /// Remainders of unsigned numbers fold, and `uint64` computes with all its bits.
    pub unsigned: bool,
    /// An operation or conversion stays if no literal of its type holds the result.
    pub is_exact: bool,
}

impl Folding {
    /// Neither.
    pub const PLAIN: Folding = Folding { unsigned: false, is_exact: false };

    /// Runs `f` under these rules; the other rules of the text stay.
    pub fn with<R>(self, f: impl FnOnce() -> R) -> R {
        let _scope = TextRules { folding: self, ..TextRules::current() }.enter();
        f()
    }
}

thread_local! {
    static CURRENT: Cell<TextRules> = const { Cell::new(TextRules::PLAIN) };
}

impl TextRules {
    /// The rules of texts that set nothing.
    pub const PLAIN: TextRules = TextRules { int: None, float: None, storage: None, folding: Folding::PLAIN };

    /// The rules of the innermost text of this thread.
    #[inline]
    pub fn current() -> TextRules {
        CURRENT.get()
    }

    /// Starts a text with these rules.
    pub fn enter(self) -> TextScope {
        TextScope { before: CURRENT.replace(self), not_send: PhantomData }
    }
}

/// A text that is read or printed on this thread. When dropped, it restores the rules of the text around it.
#[derive(Debug)]
#[must_use = "the rules end when this is dropped"]
pub struct TextScope {
    before: TextRules,
    not_send: PhantomData<*const ()>,
}

impl TextScope {
    /// Changes the rules of this text, which must be the innermost one.
    pub fn set(&self, rules: TextRules) {
        CURRENT.set(rules);
    }
}

impl Drop for TextScope {
    fn drop(&mut self) {
        CURRENT.set(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nested_text_has_its_own_rules() {
        let outer = TextRules { int: Some(DataType::INT64), ..TextRules::PLAIN };
        let scope = outer.enter();
        {
            let _inner = TextRules::PLAIN.enter();
            assert_eq!(TextRules::current(), TextRules::PLAIN);
        }
        assert_eq!(TextRules::current(), outer);
        scope.set(TextRules::PLAIN);
        assert_eq!(TextRules::current(), TextRules::PLAIN);
    }

    #[test]
    fn a_panic_restores_the_rules() {
        let exact = Folding { is_exact: true, ..Folding::PLAIN };
        let panicked =
            std::panic::catch_unwind(|| exact.with(|| assert!(!TextRules::current().folding.is_exact)));
        assert!(panicked.is_err());
        assert_eq!(TextRules::current(), TextRules::PLAIN);
    }
}
