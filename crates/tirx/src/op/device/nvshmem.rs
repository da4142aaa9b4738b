//! Memory that several devices share, `T.nvshmem.fence()`.

use tvmscript_ir_macros::operators;
use tvmscript_prim::Expr;
use tvmscript_tir::op::{Effect, Operator, ResultType};

use super::{INT32, VOID};

operators! {
    prefix = "tirx.nvshmem.";
    namespace = "nvshmem";
    result = Expr;
    script = crate::op::types;
    call = crate::op::device::call;
    effect = Update;

    /// Waits for all processes.
    barrier_all() -> VOID;
    /// Orders the stores to each process.
    fence() -> VOID;
    /// Starts a copy from the memory of a process.
    getmem_nbi(dst, src, nelems, pe) -> VOID;
    /// The number of this process.
    my_pe() -> INT32;
    /// The number of processes.
    n_pes() -> INT32;
    /// Starts a copy to the memory of a process.
    putmem_nbi(dst, src, nelems, pe) -> VOID;
    /// Starts a copy to the memory of a process, which then changes a signal there.
    putmem_signal_nbi(dst, src, nelems, sig_addr, signal, sig_op, pe) -> VOID;
    /// Waits for the copies so far.
    quiet() -> VOID;
    /// Changes a signal of a process.
    signal_op(sig_addr, signal, sig_op, pe) -> VOID;
    /// Waits until a value in memory compares to another one.
    wait_until(ivar, cmp, cmp_value, r#type = "uint64_t") -> VOID;
}
