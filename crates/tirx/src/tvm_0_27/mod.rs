//! The text of TVM 0.27.
//!
//! Buffers are parameters, `v: T.int32 = x` is a variable in memory, and a buffer has a layout. Functions with
//! `s_tir=True` are those that schedules work on: their buffers have no layout, and their blocks are completed.

#[cfg(feature = "parse")]
pub(crate) mod assign;
#[cfg(feature = "build")]
#[cfg_attr(
    not(feature = "parse"),
    expect(dead_code, reason = "the parser uses the values that stand for annotations")
)]
pub mod build;
pub mod calls;
#[cfg(feature = "parse")]
pub(crate) mod head;
pub mod layout;
mod made;
#[cfg(feature = "parse")]
mod mask;
#[cfg(feature = "parse")]
pub(crate) mod names;
pub(crate) mod op;
#[cfg(feature = "parse")]
mod operators;
#[cfg(feature = "print")]
pub(crate) mod print;
#[cfg(feature = "print")]
pub(crate) mod print_function;
mod ptx;
pub mod scalar;
mod source_call;
pub mod tile;
#[cfg(feature = "parse")]
pub(crate) mod view;

use std::sync::LazyLock;

use tvmscript_ir_core::Dialect;
use tvmscript_ir_core::registry::NameDialect as _;
use tvmscript_tir::syntax::TirSyntax;

use crate::node::{AllocBuffer, AnnotatedCall, AssertStmt, Bind, DeclBuffer, ScopeIdDefStmt, TypedCall};
use crate::op::Operators;

/// The attribute of functions that schedules work on, which the decorator sets.
pub const SCHEDULABLE: &str = "s_tir";

/// The attribute of persistent kernels, which the decorator sets.
pub const PERSISTENT: &str = "tirx.persistent_kernel";

/// Rules of folding.
#[cfg(any(feature = "parse", feature = "print"))]
pub(crate) const FOLDING: tvmscript_ir_core::Folding =
    tvmscript_ir_core::Folding { unsigned: true, ..tvmscript_ir_core::Folding::PLAIN };

/// Comparisons that match the types of their operands and fold: those of order whose left operand is not a Python number.
#[cfg(feature = "parse")]
fn is_folded(
    comparison: tvmscript_ir_core::arithmetic::Comparison,
    left: &tvmscript_prim::ops::Operand,
) -> bool {
    use tvmscript_ir_core::arithmetic::Comparison;
    use tvmscript_prim::ops::Operand;
    matches!(left, Operand::Expr(_)) && !matches!(comparison, Comparison::Eq | Comparison::Ne)
}

/// The operators of the release beside those of TIR.
pub static OPERATORS: LazyLock<Operators> = LazyLock::new(|| {
    Operators::new(
        &[
            crate::op::device::FAMILIES,
            &[op::OPERATORS, &ptx::OPERATORS, source_call::OPERATORS, tile::OPERATORS],
        ]
        .concat(),
    )
});

/// The forms of the release.
pub(crate) static SYNTAX: TirSyntax = FORMS;

/// The forms of the release, for those that resemble it.
pub(crate) const FORMS: TirSyntax = TirSyntax {
    without: &[
        "call_intrin",
        "Buffer",
        "match_buffer",
        "alloc_buffer",
        "decl_buffer",
        "attr",
        "allocate",
        "allocate_const",
        "realize",
        "let",
        "LetStmt",
        "Assert",
        "reduce",
        "serial",
        "parallel",
        "vectorized",
        "unroll",
    ],
    is_call: |node| node.is::<AnnotatedCall>() || node.is::<TypedCall>(),
    operator_of: |callee| OPERATORS.of_callee(callee),
    made: made::schedulable,
    lowered: crate::made::flat,
    #[cfg(feature = "build")]
    flat: Some(tvmscript_tir::syntax::Flat { bind: crate::build::bound, assert_: crate::build::asserted }),
    #[cfg(feature = "print")]
    print: print::FORMS,
    #[cfg(feature = "parse")]
    parse: head::HANDLERS,
};

/// Returns the dialect for a registry: TIR with the words, statements and layouts of 0.27.
pub fn dialect() -> Dialect {
    #[cfg(feature = "parse")]
    let dialect = dialect_with(&SYNTAX, names::FALLBACK);
    #[cfg(not(feature = "parse"))]
    let dialect = dialect_with(&SYNTAX);
    #[cfg(feature = "build")]
    let dialect = {
        use tvmscript_irbuilder::ContextDialect as _;
        dialect.context(tvmscript_tir::build::function::MadeFunctions(SYNTAX.made))
    };
    dialect
}

/// The dialect with the forms of a release, and the names that are no functions.
pub(crate) fn dialect_with(
    syntax: &'static TirSyntax,
    #[cfg(feature = "parse")] fallback: names::Fallback,
) -> Dialect {
    let dialect = tvmscript_tir::dialect_of(syntax)
        .node::<Bind>()
        .node::<AllocBuffer>()
        .node::<DeclBuffer>()
        .node::<AssertStmt>()
        .node::<AnnotatedCall>()
        .node::<TypedCall>()
        .node::<ScopeIdDefStmt>()
        .names::<tvmscript_prim::Op>(OPERATORS.iter().map(|operator| operator.name()))
        .node::<layout::Axis>()
        .node::<layout::Iter>()
        .node::<layout::TileLayout>()
        .node::<tile::TilePrimitiveCall>()
        .node::<tile::ExecScope>()
        .node::<tile::LambdaExpr>()
        .finish();
    #[cfg(feature = "print")]
    let dialect = print::register(dialect);
    #[cfg(feature = "parse")]
    let dialect = {
        use tvmscript_irbuilder::ContextDialect as _;
        names::register(dialect, fallback)
            .context(tvmscript_tir::parse::operators::FoldedComparisons(is_folded))
    };
    #[cfg(feature = "build")]
    let dialect = {
        use tvmscript_irbuilder::ContextDialect as _;
        dialect.context(EFFECTS).context(tvmscript_tir::build::loops::VariableStep)
    };
    dialect
}

/// The effects of the release's own nodes.
#[cfg(feature = "build")]
const EFFECTS: tvmscript_tir::signature::Effects = tvmscript_tir::signature::Effects {
    allocated: |node| node.as_node::<AllocBuffer>().map(|allocated| allocated.buffer.data.object().clone()),
    is_opaque: |node| node.is::<AnnotatedCall>(),
};

/// The operator of the release with a name, such as `tirx.call_ffi_kernel`.
pub fn operator(name: &str) -> Option<&'static tvmscript_ir_core::Ref<tvmscript_prim::Op>> {
    OPERATORS.iter().find(|operator| operator.name() == name).map(|operator| operator.op.get())
}
