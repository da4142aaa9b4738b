//! What one question has found out about shared expressions.
//!
//! An expression may share its parts, so that a few nodes stand for a tree without end. Once a question has visited
//! [`FEW`] nodes, it remembers what became of each node with several handles. What is remembered holds as long as the
//! facts do: the analyzer forgets it whenever a variable or a condition enters or leaves scope, and at the end of the
//! question.

use hashbrown::HashMap;

use crate::bound::ConstIntBound;
use crate::canonical::Canonical;
use crate::expr::Expr;
use crate::modular::ModularSet;
use crate::rewrite::Mode;

/// After how many visits a question begins to remember.
pub(crate) const FEW: u64 = 2000;

/// A node, by its address; the entry keeps it alive.
type Known<V> = HashMap<usize, (Expr, V)>;

/// Results by node.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memo {
    /// By mode, and by how many replacements of replacements were being simplified.
    simple: HashMap<(usize, Mode, [u32; 2]), (Expr, Expr)>,
    canonical: HashMap<(usize, [u32; 2]), (Expr, Canonical)>,
    bounds: Known<ConstIntBound>,
    modular: Known<ModularSet>,
}

impl Memo {
    /// Forgets everything: facts have changed, or the question ends.
    pub(crate) fn clear(&mut self) {
        if !(self.simple.is_empty()
            && self.canonical.is_empty()
            && self.bounds.is_empty()
            && self.modular.is_empty())
        {
            *self = Memo::default();
        }
    }

    pub(crate) fn simple(&self, e: &Expr, mode: Mode, recursion: [u32; 2]) -> Option<Expr> {
        self.simple.get(&(e.object().address(), mode, recursion)).map(|(_, new)| new.clone())
    }

    pub(crate) fn set_simple(&mut self, e: &Expr, mode: Mode, recursion: [u32; 2], new: &Expr) {
        self.simple.insert((e.object().address(), mode, recursion), (e.clone(), new.clone()));
    }

    pub(crate) fn canonical(&self, e: &Expr, recursion: [u32; 2]) -> Option<Canonical> {
        self.canonical.get(&(e.object().address(), recursion)).map(|(_, new)| new.clone())
    }

    pub(crate) fn set_canonical(&mut self, e: &Expr, recursion: [u32; 2], new: &Canonical) {
        self.canonical.insert((e.object().address(), recursion), (e.clone(), new.clone()));
    }

    pub(crate) fn bound(&self, e: &Expr) -> Option<ConstIntBound> {
        self.bounds.get(&e.object().address()).map(|(_, bound)| *bound)
    }

    pub(crate) fn set_bound(&mut self, e: &Expr, bound: ConstIntBound) {
        self.bounds.insert(e.object().address(), (e.clone(), bound));
    }

    pub(crate) fn modular(&self, e: &Expr) -> Option<ModularSet> {
        self.modular.get(&e.object().address()).map(|(_, set)| *set)
    }

    pub(crate) fn set_modular(&mut self, e: &Expr, set: ModularSet) {
        self.modular.insert(e.object().address(), (e.clone(), set));
    }
}
