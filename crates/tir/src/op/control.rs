//! Selection, jumps, and hints to the compiler.

use tvmscript_prim::{Expr, PrimExprExt, ops};

use super::{BOOL, Effect, HANDLE, INT32, Operator, ResultType, VOID};

tir_operators! {
    /// A condition that the compiler may rely on.
    assume(cond: Expr) -> BOOL, effect = Embed;
    /// Leaves the innermost loop.
    break_loop() -> VOID, effect = Jump;
    /// Continues with the next iteration of the innermost loop.
    continue_loop() -> VOID, effect = Jump;
    /// Ends the profiled region `id`.
    end_profile_intrinsic(id: Expr) -> HANDLE;
    /// One of two values, of which only that one is evaluated; types are matched, a literal condition chooses.
    if_then_else(cond: Expr, t: Expr, f: Expr) -> same_as(t) = ops::if_then_else;
    /// A predicate that loop partitioning leaves alone.
    ignore_loop_partition(predicate: Expr) -> BOOL;
    /// A condition that usually holds; a literal stays as it is.
    likely(cond: Expr) -> same_as(cond) = |cond| Ok(ops::likely(cond)), effect = Annotation;
    /// Returns a value from the function.
    ret(val: Expr) -> same_as(val), effect = Jump;
    /// Starts the profiled region `id`.
    start_profile_intrinsic(id: Expr) -> HANDLE;
    /// Leaves the kernel on this thread.
    thread_return() -> VOID, effect = Jump;
    /// A condition that has the same value on all threads.
    tvm_thread_invariant(cond: Expr) -> same_as(cond);
    /// An arbitrary but initialized value.
    undef() -> INT32, effect = Read;
}
