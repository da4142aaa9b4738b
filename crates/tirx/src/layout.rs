//! Layouts of TileLang: where the elements of a buffer lie.

use tvmscript_ir_core::{Array, Node, Ref};
use tvmscript_prim::{Expr, Range};

/// Places of the elements in memory (`tl.Layout`). Texts keep it in their metadata section.
#[derive(Debug, Clone, Node)]
#[node(key = "tl.Layout")]
pub struct Layout {
    /// The extents.
    pub input_size: Array<Expr>,
    /// The physical index over the variables `_i`, `_j`, `_k`, and so on.
    pub forward_index: Array<Expr>,
}

/// Places of the elements in the registers of threads (`tl.Fragment`).
#[derive(Debug, Clone, Node)]
#[node(key = "tl.Fragment")]
pub struct Fragment {
    /// The extents.
    pub input_size: Array<Expr>,
    /// The index in the thread's registers, over the variables `_i`, `_j`, `_k`, and so on.
    pub forward_index: Array<Expr>,
    /// The thread that holds an element.
    pub forward_thread: Expr,
    /// The number of threads that hold the same element.
    pub replicate_size: Expr,
    /// The threads.
    pub thread_range: Ref<Range>,
}
