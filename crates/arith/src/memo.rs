//! Results of one query for shared expressions.
//!
//! An expression may share its parts, so that a few nodes unfold to an exponentially large tree. Once a query has visited
//! [`MEMO_THRESHOLD`] nodes, it records the result for each node with several handles. The results depend on the facts in
//! scope: the analyzer drops them whenever a variable or a condition enters or leaves scope, and at the end of the query.

use hashbrown::HashMap;
use tvmscript_ir_core::{Object, PtrMap};

use crate::bound::ConstIntBound;
use crate::canonical::Canonical;
use crate::expr::Expr;
use crate::modular::ModularSet;
use crate::rewrite::Mode;

/// Number of visits after which a query records results.
pub(crate) const MEMO_THRESHOLD: u64 = 2000;

/// Recorded results by node; the keys keep the nodes alive. Results of the simplifiers also depend on the depth of nested
/// re-simplification, see [`Analyzer::recursion`](crate::Analyzer).
#[derive(Debug, Clone, Default)]
pub(crate) struct Memo {
    pub(crate) simple: HashMap<(Object, Mode, [u32; 2]), Expr>,
    pub(crate) canonical: HashMap<(Object, [u32; 2]), Canonical>,
    pub(crate) bounds: PtrMap<ConstIntBound>,
    pub(crate) modular: PtrMap<ModularSet>,
}

impl Memo {
    pub(crate) fn clear(&mut self) {
        let Memo { simple, canonical, bounds, modular } = self;
        if !(simple.is_empty() && canonical.is_empty() && bounds.is_empty() && modular.is_empty()) {
            *self = Memo::default();
        }
    }
}
