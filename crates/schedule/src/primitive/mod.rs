//! Primitives: one file each, registered by one row.

mod annotate;
mod annotate_access;
mod axis_separators;
mod blockize;
mod cache;
mod cache_index;
mod cache_inplace;
mod compute_at;
mod compute_inline;
mod compute_location;
mod decompose_padding;
mod decompose_reduction;
mod enter_postproc;
mod find;
mod fuse;
mod fuse_epilogue;
mod hide_access;
mod kind;
mod loop_partition;
mod merge;
mod pad_einsum;
mod read_at;
mod reindex;
mod reindex_cache;
mod reorder;
mod reorder_axes;
mod reverse_compute_inline;
mod rfactor;
mod rolling_buffer;
mod sample;
mod set_dtype;
mod set_scope;
mod split;
mod storage_align;
mod table;
mod tensorize;
mod transform_block_layout;
mod unit_loop;

pub use table::{ScheduleDialect, primitives};

use crate::argument::{Argument, RvValue};
use crate::error::Result;
use crate::schedule::Schedule;

/// A primitive.
#[derive(Debug)]
pub struct Primitive {
    /// The kind of its instructions in traces (`Split`).
    pub kind: &'static str,
    /// The name of the call (`split`).
    pub name: &'static str,
    /// One sentence on its effect.
    pub doc: &'static str,
    /// Its parameters: inputs first, then attributes, in the order of traces.
    pub parameters: &'static [Parameter],
    /// `true` if it does not change the module, so that a trace may drop it.
    pub is_pure: bool,
    /// The number of its results.
    pub results: Results,
    /// Applies it. There is one argument per parameter.
    pub apply: fn(&mut Schedule, &[Argument]) -> Result<Vec<RvValue>>,
}

/// The number of results of a primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Results {
    /// None.
    None,
    /// One.
    One,
    /// A list.
    List,
}

/// A parameter of a primitive.
#[derive(Debug)]
pub struct Parameter {
    /// The keyword in traces; of positional ones, the name in calls.
    pub name: &'static str,
    /// The place in an instruction.
    pub place: Place,
    /// The value if it is left out.
    pub default: Option<Default>,
}

/// The place of an argument in an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// One of the inputs, written with a keyword.
    Input,
    /// One of the inputs, written without a keyword.
    Positional,
    /// The rest of the inputs, written without keywords.
    Variadic,
    /// The rest of the inputs, written as a list.
    Spread,
    /// An attribute.
    Attribute,
    /// An attribute that is a bool in text and an integer in JSON.
    Flag,
    /// An attribute that is an index map or `None`: a graph of nodes in JSON.
    Map,
    /// A buffer that the block, the first argument, reads or writes: `("read", 0)` in text; its number, and 0 or 1 for
    /// reads or writes, in JSON.
    Buffer,
    /// One of the inputs, `"read"` or `"write"` in text and 0 or 1 in JSON.
    Kind,
    /// One of the inputs, a function of iterators: pairs of begins and ends in text, an index map of both in JSON.
    Ranges,
    /// The value that a primitive chose, written last; `None` to draw one.
    Decision,
}

/// A value of a parameter that is left out.
#[derive(Debug, Clone, Copy)]
pub enum Default {
    /// `None`
    None,
    /// A bool.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A list without elements.
    Empty,
    /// The name of the function worked on, which `None` stands for, too.
    Function,
}

impl From<Default> for Argument {
    fn from(default: Default) -> Argument {
        match default {
            Default::None | Default::Function => Argument::None,
            Default::Bool(value) => Argument::Bool(value),
            Default::Int(value) => Argument::Int(value),
            Default::Empty => Argument::List(Vec::new()),
        }
    }
}

const fn parameter(name: &'static str, place: Place) -> Parameter {
    Parameter { name, place, default: None }
}

const fn with_default(name: &'static str, place: Place, default: Default) -> Parameter {
    Parameter { name, place, default: Some(default) }
}

/// The primitives of TIR.
pub static PRIMITIVES: &[&Primitive] = &[
    &find::GET_BLOCK,
    &find::GET_LOOPS,
    &find::GET_CHILD_BLOCKS,
    &find::GET_PRODUCERS,
    &find::GET_CONSUMERS,
    &find::GET_OUTPUT_BLOCKS,
    &split::SPLIT,
    &fuse::FUSE,
    &reorder::REORDER,
    &kind::PARALLEL,
    &kind::VECTORIZE,
    &kind::UNROLL,
    &kind::BIND,
    &annotate::ANNOTATE,
    &annotate::UNANNOTATE,
    &unit_loop::ADD_UNIT_LOOP,
    &reindex::REINDEX,
    &blockize::BLOCKIZE,
    &tensorize::TENSORIZE,
    &transform_block_layout::TRANSFORM_BLOCK_LAYOUT,
    &compute_at::COMPUTE_AT,
    &compute_at::REVERSE_COMPUTE_AT,
    &compute_inline::COMPUTE_INLINE,
    &reverse_compute_inline::REVERSE_COMPUTE_INLINE,
    &decompose_reduction::DECOMPOSE_REDUCTION,
    &rfactor::RFACTOR,
    &sample::SAMPLE_CATEGORICAL,
    &sample::SAMPLE_PERFECT_TILE,
    &sample::SAMPLE_PARTITIONED_TILE,
    &cache::CACHE_READ,
    &cache::CACHE_WRITE,
    &compute_location::SAMPLE_COMPUTE_LOCATION,
    &set_scope::SET_SCOPE,
    &set_dtype::UNSAFE_SET_DTYPE,
    &storage_align::STORAGE_ALIGN,
    &axis_separators::SET_AXIS_SEPARATOR,
    &enter_postproc::ENTER_POSTPROC,
    &reorder_axes::REORDER_BLOCK_ITER_VAR,
    &merge::MERGE,
    &decompose_padding::DECOMPOSE_PADDING,
    &pad_einsum::PAD_EINSUM,
    &cache_inplace::CACHE_INPLACE,
    &cache_index::CACHE_INDEX,
    &reindex_cache::REINDEX_CACHE_READ,
    &reindex_cache::REINDEX_CACHE_WRITE,
    &read_at::READ_AT,
    &read_at::WRITE_AT,
    &annotate_access::ANNOTATE_BUFFER_ACCESS,
    &hide_access::UNSAFE_HIDE_BUFFER_ACCESS,
    &loop_partition::LOOP_PARTITION,
    &rolling_buffer::ROLLING_BUFFER,
    &fuse_epilogue::FUSE_REDUCTION_EPILOGUE,
];
