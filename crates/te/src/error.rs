//! Errors of tensor expressions and their schedules.

use tvmscript_ir_core::{RewriteError, Str};
use tvmscript_prim::error::PrimError;
use tvmscript_tir::TirError;

/// Result of this crate.
pub type Result<T> = std::result::Result<T, TeError>;

/// Causes of errors.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TeError {
    /// A computation without a value.
    #[error("the computation `{name}` has no value")]
    NoBody {
        /// The computation.
        name: Str,
    },
    /// A reduction inside another expression, or beside one that is none.
    #[error(
        "a reduction of `{name}` is not the whole value of each element; compute it first, and load its elements"
    )]
    PartOfReduction {
        /// The computation.
        name: Str,
    },
    /// A load with a wrong number of indices.
    #[error("`{tensor}` has {expected} dimensions, but the load has {found} indices")]
    Rank {
        /// The tensor.
        tensor: Str,
        /// Its dimensions.
        expected: usize,
        /// Number of indices.
        found: usize,
    },
    /// An operation that the schedule does not have.
    #[error("`{name}` is not an operation of the schedule")]
    NoStage {
        /// The operation.
        name: Str,
    },
    /// An iteration variable that is not a leaf of the stage.
    #[error("`{axis}` is not a loop of the stage `{stage}`{hint}")]
    NotALeaf {
        /// The iteration variable.
        axis: Str,
        /// The stage.
        stage: Str,
        /// Reason, if it was one.
        hint: &'static str,
    },
    /// A primitive that does not apply to the kind of an iteration variable.
    #[error("cannot {primitive} `{axis}`, which is `{found}`; expected {expected}")]
    Kind {
        /// The primitive.
        primitive: &'static str,
        /// The iteration variable.
        axis: Str,
        /// Its kind.
        found: &'static str,
        /// The kinds that the primitive takes.
        expected: &'static str,
    },
    /// Fused loops that are not neighbours.
    #[error("cannot fuse `{outer}` and `{inner}`, which are not next to each other; reorder them first")]
    NotConsecutive {
        /// The outer loop.
        outer: Str,
        /// The inner loop.
        inner: Str,
    },
    /// A loop twice in one primitive.
    #[error("`{axis}` is given twice")]
    Twice {
        /// The iteration variable.
        axis: Str,
    },
    /// `split` with both or none of its factors.
    #[error("`split` takes either `factor` or `nparts`")]
    Factor,
    /// A primitive for computations, on an input.
    #[error("`{stage}` is a placeholder, which cannot be {done}")]
    Placeholder {
        /// The stage.
        stage: Str,
        /// The effect of the primitive.
        done: &'static str,
    },
    /// A primitive on a stage whose loops are split or fused already.
    #[error("`{stage}` is scheduled already; call `{primitive}` before other primitives")]
    Scheduled {
        /// The stage.
        stage: Str,
        /// The primitive.
        primitive: &'static str,
    },
    /// A stage attached to one that does not need it.
    #[error("`{stage}` cannot be computed at `{parent}`, which is computed before it")]
    AttachOrder {
        /// The stage.
        stage: Str,
        /// The stage to compute it at.
        parent: Str,
    },
    /// An input of a function that is not among its arguments.
    #[error("the placeholder `{name}` is not an argument of the function")]
    MissingArgument {
        /// The placeholder.
        name: Str,
    },
    /// An axis whose domain depends on another axis.
    #[error("the domain of the axis `{axis}` of `{name}` depends on another axis, which is not supported")]
    DependentAxis {
        /// The axis.
        axis: Str,
        /// The computation.
        name: Str,
    },
    /// An inlined computation that makes expressions too large.
    #[error("inlining `{name}` makes an expression of over a million nodes; compute it at a loop instead")]
    TooLarge {
        /// The computation.
        name: Str,
    },
    /// A load of what is not a tensor.
    #[error("an expression loads from a producer that is not a tensor")]
    UnknownProducer,
    /// Another error of a node.
    #[error("{0}")]
    Node(String),
}

impl From<PrimError> for TeError {
    fn from(error: PrimError) -> TeError {
        TeError::Node(error.to_string())
    }
}

impl From<TirError> for TeError {
    fn from(error: TirError) -> TeError {
        TeError::Node(error.to_string())
    }
}

impl From<RewriteError> for TeError {
    fn from(error: RewriteError) -> TeError {
        TeError::Node(error.to_string())
    }
}
