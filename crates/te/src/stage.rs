//! A stage of a schedule: one operation with its loops.

use tvmscript_ir_core::{DataType, PtrMap, Ref, Str};
use tvmscript_prim::{Expr, Var};
use tvmscript_tir::{IterType, IterVar};

use crate::error::{Result, TeError};
use crate::tensor::Operation;

/// A stage of a schedule. It keeps its number while other stages are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StageId(pub(crate) usize);

/// One operation with its loops. A placeholder has none.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Stage {
    /// The operation, as caches have changed it.
    pub op: Operation,
    /// Storage scope of the results.
    pub scope: Str,
    /// All iteration variables in the order of their creation: axes, axes of reductions, and what primitives made of them.
    pub all_iters: Vec<Ref<IterVar>>,
    /// The loops, from the outermost.
    pub leaf_iters: Vec<Ref<IterVar>>,
    /// Origins of iteration variables that primitives made, in order.
    pub relations: Vec<Relation>,
    /// Place of the computation.
    pub attach: Attach,
    /// `true` once the stage is inlined and its computation part of its readers.
    pub is_inlined: bool,
    pub(crate) marks: PtrMap<Marks>,
}

/// Marks of an iteration variable.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Marks {
    /// Its execution, such as vectorized.
    pub kind: Option<IterType>,
    /// The thread that it is bound to.
    pub thread: Option<Ref<IterVar>>,
    /// Pragmas: keys and values.
    pub pragmas: Vec<(Str, Expr)>,
}

/// The origin of iteration variables.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Relation {
    /// `parent = outer * factor + inner`.
    Split {
        /// The split variable.
        parent: Ref<IterVar>,
        /// The outer part.
        outer: Ref<IterVar>,
        /// The inner part.
        inner: Ref<IterVar>,
        /// The extent that is given.
        factor: Factor,
    },
    /// `fused = outer * extent(inner) + inner`.
    Fuse {
        /// The outer variable.
        outer: Ref<IterVar>,
        /// The inner variable.
        inner: Ref<IterVar>,
        /// The fused variable.
        fused: Ref<IterVar>,
    },
    /// A loop of one iteration for a computation without axes.
    Singleton {
        /// The variable.
        iter: Ref<IterVar>,
    },
}

/// The extent that a split gives.
#[derive(Debug, Clone)]
pub enum Factor {
    /// Extent of the inner part.
    Inner(Expr),
    /// Extent of the outer part.
    Outer(Expr),
}

/// The place of a computation.
#[derive(Debug, Clone)]
pub enum Attach {
    /// Outside of the loops of other stages.
    Root,
    /// In the expressions of its readers.
    Inline,
    /// Inside a loop of another stage.
    At(StageId, Ref<IterVar>),
}

impl Stage {
    pub(crate) fn new(op: Operation) -> Stage {
        let all_iters = op.root_axes();
        Stage {
            op,
            scope: "global".into(),
            leaf_iters: all_iters.clone(),
            all_iters,
            relations: Vec::new(),
            attach: Attach::Root,
            is_inlined: false,
            marks: PtrMap::default(),
        }
    }

    /// The marks of an iteration variable.
    pub fn marks(&self, iter: &Ref<IterVar>) -> Option<&Marks> {
        self.marks.get(iter.object())
    }

    /// The kind of an iteration variable: its execution if a primitive has set it, else its role.
    pub fn kind(&self, iter: &Ref<IterVar>) -> IterType {
        self.marks(iter).and_then(|marks| marks.kind).unwrap_or(iter.iter_type)
    }

    /// The loop that has an iteration variable as its only origin or descendant: the variable itself if it is a loop, the
    /// inner part of a split one, and the fused one.
    pub(crate) fn leaf_of(&self, iter: &Ref<IterVar>) -> Ref<IterVar> {
        let mut found = iter.clone();
        for relation in &self.relations {
            match relation {
                Relation::Split { parent, inner, .. } if parent.ptr_eq(&found) => found = inner.clone(),
                Relation::Fuse { outer, inner, fused } if outer.ptr_eq(&found) || inner.ptr_eq(&found) => {
                    found = fused.clone();
                }
                _ => {}
            }
        }
        found
    }

    pub(crate) fn marks_mut(&mut self, iter: &Ref<IterVar>) -> &mut Marks {
        self.marks.entry(iter.object().clone()).or_default()
    }

    /// Position among the loops.
    pub(crate) fn leaf(&self, iter: &Ref<IterVar>) -> Result<usize> {
        let found = self.leaf_iters.iter().position(|leaf| leaf.ptr_eq(iter));
        found.ok_or_else(|| {
            let was_leaf = self.all_iters.iter().any(|known| known.ptr_eq(iter));
            let hint = if was_leaf { ": it is split or fused already" } else { "" };
            TeError::NotALeaf { axis: name(iter), stage: self.op.name.clone(), hint }
        })
    }

    /// Replaces loops from a position on.
    pub(crate) fn replace(&mut self, at: usize, count: usize, by: &[Ref<IterVar>]) {
        self.leaf_iters.splice(at..at + count, by.iter().cloned());
        self.all_iters.extend(by.iter().cloned());
    }
}

/// An iteration variable without a domain of its own, which a primitive makes.
pub(crate) fn derived(name: String, dtype: DataType, kind: IterType) -> Result<Ref<IterVar>> {
    Ok(IterVar::try_new(None, Var::new(name, dtype), kind, "".into())?)
}

/// The name of an iteration variable.
pub(crate) fn name(iter: &Ref<IterVar>) -> Str {
    iter.var.name.get()
}
