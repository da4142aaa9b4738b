//! The primitives as methods.

use tvmscript_ir_core::Ref;
use tvmscript_prim::IndexMap;

use crate::argument::{Argument, Rv};
use crate::error::Result;
use crate::primitive::{PRIMITIVES, Primitive};
use crate::rust_source::{Names, RustSource};
use crate::schedule::Schedule;

/// A method, for programs that call it.
pub(crate) struct Method {
    pub(crate) name: &'static str,
    /// Each parameter: writes an argument as an expression of its type.
    pub(crate) parameters: &'static [fn(&Argument, &Names) -> Option<String>],
}

/// The primitive of a call.
fn primitive(name: &str) -> Result<&'static Primitive> {
    let found = PRIMITIVES.iter().copied().find(|primitive| primitive.name == name);
    found.ok_or_else(|| crate::ScheduleError::plain(format!("there is no primitive `{name}`")))
}

impl Schedule {
    /// Applies a primitive by its name: one that has no method, one of a dialect, or one with more arguments than its method
    /// has. Arguments are in the order of the primitive's parameters; the last ones may be left out if they have defaults.
    ///
    /// # Errors
    /// If there is no such primitive, or it does not apply.
    pub fn call(&mut self, name: &str, arguments: Vec<Argument>) -> Result<Vec<Rv>> {
        let found = self.primitives().iter().copied().find(|primitive| primitive.name == name);
        let found = found.map_or_else(|| primitive(name), Ok)?;
        self.run(found, arguments)
    }
}

/// The results of a primitive that returns a list, if there are that many.
///
/// # Errors
/// If there are more or fewer.
pub fn results<const N: usize>(found: Vec<Rv>) -> Result<[Rv; N]> {
    <[Rv; N]>::try_from(found).map_err(|found| {
        crate::ScheduleError::plain(format!("expected {N} results of a primitive, found {}", found.len()))
    })
}

macro_rules! methods {
    ($($(#[doc = $doc:literal])+ $name:ident($($parameter:ident: $type:ty),*) -> $results:ident;)*) => {
        impl Schedule {$(
            $(#[doc = $doc])+
            ///
            /// # Errors
            /// If the primitive does not apply.
            pub fn $name(&mut self $(, $parameter: $type)*) -> Result<methods!(@type $results)> {
                let arguments = vec![$(Argument::from($parameter)),*];
                methods!(@run $results, self, primitive(stringify!($name))?, arguments)
            }
        )*}

        /// The methods of primitives. Parameters that a method leaves out have their defaults.
        pub(crate) static METHODS: &[Method] = &[$(Method {
            name: stringify!($name),
            parameters: &[$(<$type as RustSource>::rust_source),*],
        }),*];
    };
    (@type one) => { Rv };
    (@type list) => { Vec<Rv> };
    (@type none) => { () };
    (@run one, $self:ident, $primitive:expr, $arguments:expr) => { $self.run_one($primitive, $arguments) };
    (@run list, $self:ident, $primitive:expr, $arguments:expr) => { $self.run($primitive, $arguments) };
    (@run none, $self:ident, $primitive:expr, $arguments:expr) => { $self.run($primitive, $arguments).map(|_| ()) };
}

methods! {
    /// The block of a function with a name.
    get_block(name: &str, func_name: Option<&str>) -> one;
    /// The loops directly above a block, outer ones first.
    get_loops(block: Rv) -> list;
    /// The outermost blocks in a block or loop.
    get_child_blocks(block_or_loop: Rv) -> list;
    /// The blocks of a scope that write what a block reads.
    get_producers(block: Rv) -> list;
    /// The blocks of a scope that read what a block writes.
    get_consumers(block: Rv) -> list;
    /// The blocks in a block that write a buffer from outside of their scope.
    get_output_blocks(scope_block: Rv) -> list;
    /// Divides a loop into a nest of loops with these extents; one of them may be inferred.
    split(target: Rv, factors: Vec<Option<i64>>) -> list;
    /// Makes one loop of a nest.
    fuse(loops: Vec<Rv>) -> one;
    /// Gives loops of a nest another order; loops between them stay.
    reorder(ordered_loops: Vec<Rv>) -> none;
    /// Runs a loop on several threads.
    parallel(target: Rv) -> none;
    /// Runs a loop in the lanes of a vector.
    vectorize(target: Rv) -> none;
    /// Unrolls a loop.
    unroll(target: Rv) -> none;
    /// Runs a loop on the threads of a device.
    bind(target: Rv, thread_axis: &str) -> none;
    /// Annotates a block or loop, unless it has the annotation.
    annotate(block_or_loop: Rv, ann_key: &str, ann_val: Argument) -> none;
    /// Removes an annotation of a block or loop.
    unannotate(block_or_loop: Rv, ann_key: &str) -> none;
    /// Wraps a block or loop in a loop of one iteration.
    add_unit_loop(block_or_loop: Rv) -> one;
    /// Moves a block under a loop of its consumers, before the first one (`index` -1), after the last producer (-2), or there.
    compute_at(block: Rv, target: Rv, preserve_unit_loops: bool, index: i64) -> none;
    /// Moves a block under a loop of its producers.
    reverse_compute_at(block: Rv, target: Rv, preserve_unit_loops: bool, index: i64) -> none;
    /// Removes a block; its consumers compute what it computes.
    compute_inline(block: Rv) -> none;
    /// Removes a block; its producer computes what it computes.
    reverse_compute_inline(block: Rv) -> none;
    /// Moves the initialization of a reduction to a block of its own, before a loop around the reduction.
    decompose_reduction(block: Rv, target: Rv) -> one;
    /// Divides a reduction into one per iteration of a loop, and one that combines their results.
    rfactor(target: Rv, factor_axis: i64) -> one;
    /// Copies what a block reads of a buffer to another storage scope, from where the consumers, or all blocks, read it.
    cache_read(block: Rv, read_buffer_index: i64, storage_scope: &str, consumer_blocks: Vec<Rv>) -> one;
    /// Makes a block write a buffer in another storage scope, from where it is copied.
    cache_write(block: Rv, write_buffer_index: i64, storage_scope: &str, consumer_blocks: Vec<Rv>) -> one;
    /// Moves a buffer that a block writes to another storage scope.
    set_scope(block: Rv, buffer_index: i64, storage_scope: &str) -> none;
    /// Makes the stride of a dimension of a written buffer an offset more than a multiple of a factor.
    storage_align(block: Rv, buffer_index: i64, axis: i64, factor: i64, offset: i64) -> none;
    /// Factors that multiply to the extent of a loop, the last one not above a maximum unless it is -1.
    sample_perfect_tile(target: Rv, n: i64, max_innermost_factor: i64, decision: Option<Vec<i64>>) -> list;
    /// Makes one nest of nests that follow each other, up to the loops given.
    merge(loops: Vec<Rv>) -> one;
    /// Divides the range of a loop into parts of these lengths, each with a loop of its own; one may be inferred.
    loop_partition(target: Rv, factors: Vec<Option<i64>>) -> list;
    /// Makes two blocks of a padded copy: a fill with the constant before a loop, and the copy in bounds.
    decompose_padding(block: Rv, target: Rv) -> one;
    /// Rounds the extents of a block's axes up to multiples, over padded copies of its buffers.
    pad_einsum(block: Rv, padding: Vec<i64>) -> none;
    /// A loop for `compute_at`, chosen by a decision or by chance.
    sample_compute_location(block: Rv, decision: Option<i64>) -> one;
    /// Makes a block use a copy of a buffer that is laid out by the iterators of the block. A buffer is `("read", 0)`.
    reindex(block: Rv, buffer: (&str, i64)) -> one;
    /// Lays a buffer out by the results of an index map; gaps get a value.
    transform_layout(block: Rv, buffer: (&str, i64), index_map: Ref<IndexMap>, pad_value: Option<Ref<IndexMap>>) -> none;
    /// Iterates a block along the results of an index map of its iterators, in new loops.
    transform_block_layout(block: Rv, index_map: Ref<IndexMap>) -> none;
    /// Makes a block of a loop with all that is in it.
    blockize(target: Rv) -> one;
    /// Computes a block, or all that is in a loop, by a tensor intrinsic.
    tensorize(block_or_loop: Rv, tensor_intrin: &str) -> none;
}
