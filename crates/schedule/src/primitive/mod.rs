//! Primitives: one file each, in a folder per family, registered by one row.

mod buffers;
mod choices;
mod copies;
mod find;
mod loops;
mod marks;
mod moves;
mod nests;
mod reductions;
mod table;

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
    &loops::split::SPLIT,
    &loops::fuse::FUSE,
    &loops::reorder::REORDER,
    &loops::kind::PARALLEL,
    &loops::kind::VECTORIZE,
    &loops::kind::UNROLL,
    &loops::kind::BIND,
    &marks::annotate::ANNOTATE,
    &marks::annotate::UNANNOTATE,
    &loops::unit_loop::ADD_UNIT_LOOP,
    &copies::reindex::REINDEX,
    &buffers::transform_layout::TRANSFORM_LAYOUT,
    &nests::blockize::BLOCKIZE,
    &nests::tensorize::TENSORIZE,
    &nests::transform_block_layout::TRANSFORM_BLOCK_LAYOUT,
    &moves::compute_at::COMPUTE_AT,
    &moves::compute_at::REVERSE_COMPUTE_AT,
    &moves::compute_inline::COMPUTE_INLINE,
    &moves::reverse_compute_inline::REVERSE_COMPUTE_INLINE,
    &reductions::decompose_reduction::DECOMPOSE_REDUCTION,
    &reductions::rfactor::RFACTOR,
    &choices::sample::SAMPLE_CATEGORICAL,
    &choices::sample::SAMPLE_PERFECT_TILE,
    &choices::sample::SAMPLE_PARTITIONED_TILE,
    &copies::cache::CACHE_READ,
    &copies::cache::CACHE_WRITE,
    &choices::compute_location::SAMPLE_COMPUTE_LOCATION,
    &buffers::set_scope::SET_SCOPE,
    &buffers::set_dtype::UNSAFE_SET_DTYPE,
    &buffers::storage_align::STORAGE_ALIGN,
    &buffers::axis_separators::SET_AXIS_SEPARATOR,
    &marks::enter_postproc::ENTER_POSTPROC,
    &nests::reorder_axes::REORDER_BLOCK_ITER_VAR,
    &loops::merge::MERGE,
    &reductions::decompose_padding::DECOMPOSE_PADDING,
    &reductions::pad_einsum::PAD_EINSUM,
    &copies::cache_inplace::CACHE_INPLACE,
    &copies::cache_index::CACHE_INDEX,
    &copies::reindex_cache::REINDEX_CACHE_READ,
    &copies::reindex_cache::REINDEX_CACHE_WRITE,
    &copies::read_at::READ_AT,
    &copies::read_at::WRITE_AT,
    &marks::annotate_access::ANNOTATE_BUFFER_ACCESS,
    &marks::hide_access::UNSAFE_HIDE_BUFFER_ACCESS,
    &loops::loop_partition::LOOP_PARTITION,
    &buffers::rolling_buffer::ROLLING_BUFFER,
    &reductions::fuse_epilogue::FUSE_REDUCTION_EPILOGUE,
];
