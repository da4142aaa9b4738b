//! Copies between devices by several threads: `T.nvshmem.getmem_nbi_warp(..)`.

use tvmscript_ir_macros::operators;
use tvmscript_prim::Expr;
use tvmscript_tir::op::{Effect, Operator, ResultType};

use crate::op::VOID;

operators! {
    prefix = "tirx.nvshmem.";
    namespace = "nvshmem";
    result = Expr;
    script = crate::op::types;
    call = crate::tirx_0_1::build::call_entry;
    effect = Update;

    params typed = (*, ty: DataType = None);
    /// Starts a copy from the memory of a process by all threads of the block.
    getmem_nbi_block(dst, src, nelems, pe, ..typed) -> VOID;
    /// Starts a copy from the memory of a process by all lanes of the warp.
    getmem_nbi_warp(dst, src, nelems, pe, ..typed) -> VOID;
    /// Starts a copy to the memory of a process by all threads of the block.
    putmem_nbi_block(dst, src, nelems, pe, ..typed) -> VOID;
    /// Starts a copy to the memory of a process by all lanes of the warp.
    putmem_nbi_warp(dst, src, nelems, pe, ..typed) -> VOID;
    /// Starts a copy to the memory of a process, which then changes a signal there, by all threads of the block.
    putmem_signal_nbi_block(dst, src, nelems, sig_addr, signal, sig_op, pe, ..typed) -> VOID;
    /// Starts a copy to the memory of a process, which then changes a signal there, by all lanes of the warp.
    putmem_signal_nbi_warp(dst, src, nelems, sig_addr, signal, sig_op, pe, ..typed) -> VOID;
}
