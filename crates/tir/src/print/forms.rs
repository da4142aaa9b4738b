//! Printers and forms that differ between releases.

use tvmscript_docsifier::doc::{Doc, ExprDoc, StmtDoc};
use tvmscript_docsifier::{Docsifier, DocsifyResult};
use tvmscript_ir_core::{DataType, PathId, Ref};

use tvmscript_prim::Call;

use super::state::TirDocsifier as _;
use crate::node::{AttrStmt, Buffer, BufferLoad, BufferStore, ForKind, PrimFunc, StmtRef};
use crate::op::Operator;

/// A keyword argument.
pub type Keyword = (&'static str, ExprDoc);

/// Prints two successive statements, each with its path, as one; `None` if they have no such form.
pub type PairPrinter = fn([(&StmtRef, PathId); 2], &mut Docsifier<'_>) -> DocsifyResult<Option<StmtDoc>>;

/// Prints a call of an operator; `None` if it has no form of its own.
pub type CallPrinter =
    fn(&Ref<Call>, &Operator, PathId, &mut Docsifier<'_>) -> DocsifyResult<Option<ExprDoc>>;

/// The form of unsigned literals above the largest `int64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WideLiterals {
    /// `T.large_uint_imm(T.uint32(4294967295), T.uint32(4294967295))`
    Halves,
    /// `T.uint64(18446744073709551615)`
    Typed,
    /// `T.IntImm("uint64", 18446744073709551615)`
    Node,
}

/// Printers and forms of a release.
#[derive(Debug, Clone, Copy)]
pub struct Forms {
    /// Prints a function.
    pub function: fn(&Ref<PrimFunc>, PathId, &mut Docsifier<'_>) -> DocsifyResult<StmtDoc>,
    /// Prints a load.
    pub load: fn(&Ref<BufferLoad>, PathId, &mut Docsifier<'_>) -> DocsifyResult<ExprDoc>,
    /// Prints a store.
    pub store: fn(&Ref<BufferStore>, PathId, &mut Docsifier<'_>) -> DocsifyResult<StmtDoc>,
    /// Prints an attribute.
    pub attribute: fn(&Ref<AttrStmt>, PathId, &mut Docsifier<'_>) -> DocsifyResult<Doc>,
    /// Prints two successive statements as one, if they have such a form.
    pub pair: PairPrinter,
    /// The layout of a buffer, unless it is that of a declaration without one.
    pub layout: fn(&Ref<Buffer>, PathId, &mut Docsifier<'_>) -> DocsifyResult<Option<Keyword>>,
    /// A data type as an argument of a call.
    pub dtype_argument: fn(DataType, &mut Docsifier<'_>) -> ExprDoc,
    /// Prints a call that has a form of its own in the release.
    pub call: CallPrinter,
    /// Tests whether the release has a function for a call that the operator's own function would not make.
    pub makes: fn(&Call, &Operator) -> bool,
    /// The last statement of a sequence may leave its body to the enclosing block, not only one that is a whole body.
    pub concise_in_sequence: bool,
    /// Scopes may leave their body to the enclosing block.
    pub concise: bool,
    /// Nested loops print as `T.grid`, and loops from zero without a start.
    pub short_loops: bool,
    /// `range` takes any step, not only a positive number.
    pub any_steps: bool,
    /// The reader does not simplify the extents of loops from zero.
    pub plain_extents: bool,
    /// Loops have an end instead of an extent, and the reader keeps it as it stands.
    pub loop_ends: bool,
    /// A body that does nothing prints as `pass`.
    pub empty_bodies: bool,
    /// `break` for `T.break_loop()`.
    pub jump_words: bool,
    /// `T.call_extern("f", x, ty=T.int32)` for `T.call_extern("int32", "f", x)`.
    pub typed_calls: bool,
    /// The type of scalars and untyped pointers.
    pub prim_type: fn(DataType, &mut Docsifier<'_>) -> ExprDoc,
    /// The function that makes pointer types.
    pub pointer: &'static str,
    /// Kinds of loops with `unroll=2` for `annotations={"pragma_unroll": 2}`.
    pub unroll_keyword: fn(ForKind) -> bool,
    /// `x & y` for `T.bitwise_and(x, y)`.
    pub infix_bits: bool,
    /// Unsigned literals above the largest `int64`.
    pub wide_literals: WideLiterals,
    /// A declared buffer shares the pointer of its memory.
    pub shared_pointers: bool,
    /// `T.Not(T.bool(True))` for `not T.bool(True)`.
    pub negated_literals: bool,
}

/// TVM 0.23.
pub const TVM_0_23: Forms = Forms {
    function: super::function::function,
    load: super::buffer::load,
    store: super::buffer::store,
    attribute: super::attr::attr_stmt,
    pair: |_, _| Ok(None),
    layout: super::buffer_decl::no_layout,
    dtype_argument: |dtype, d| d.dtype(dtype),
    call: |_, _, _, _| Ok(None),
    makes: |_, _| false,
    concise_in_sequence: true,
    concise: true,
    short_loops: true,
    any_steps: false,
    plain_extents: false,
    loop_ends: false,
    empty_bodies: false,
    jump_words: false,
    typed_calls: false,
    prim_type: |dtype, d| d.t(&dtype.to_string()),
    pointer: "handle",
    unroll_keyword: |_| false,
    infix_bits: false,
    wide_literals: WideLiterals::Halves,
    shared_pointers: true,
    negated_literals: false,
};

/// Prints a load as the release does.
pub(super) fn load(node: &Ref<BufferLoad>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let load = d.tir().syntax.print.load;
    load(node, path, d)
}

/// Prints a store as the release does.
pub(super) fn store(node: &Ref<BufferStore>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let store = d.tir().syntax.print.store;
    store(node, path, d)
}

/// Prints an attribute as the release does.
pub(super) fn attribute(node: &Ref<AttrStmt>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<Doc> {
    let attribute = d.tir().syntax.print.attribute;
    attribute(node, path, d)
}
