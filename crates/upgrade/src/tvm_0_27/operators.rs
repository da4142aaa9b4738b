//! Operators that the release names otherwise, or lacks.

use crate::words::Fate;

/// Operators by name, without prefix.
static OPERATORS: &[(&str, Fate)] = &[
    ("mma_fill", Fate::Renamed("cuda.mma_fill_legacy")),
    ("mma_store", Fate::Renamed("cuda.mma_store_legacy")),
    ("simdgroup_load", Fate::Renamed("metal.simdgroup_load")),
    ("simdgroup_store", Fate::Renamed("metal.simdgroup_store")),
    ("simdgroup_multiply_accumulate", Fate::Renamed("metal.simdgroup_multiply_accumulate")),
    ("make_filled_simdgroup_matrix", Fate::Renamed("metal.make_filled_simdgroup_matrix")),
    ("ptx_ldmatrix", Fate::Renamed("ptx_legacy.ldmatrix")),
    ("ptx_mma", Fate::Renamed("ptx_legacy.mma")),
    ("ptx_mma_sp", Fate::Gone("`T.ptx.mma.sp`")),
    ("ptx_commit_group", Fate::Gone("`T.ptx.cp.async_.commit_group()`")),
    ("ptx_wait_group", Fate::Gone("`T.ptx.cp.async_.wait_group(n)`")),
    ("ptx_cp_async", Fate::Gone("`T.ptx.cp.async_`")),
    ("ptx_cp_async_bulk", Fate::Gone("`T.ptx.cp.async_.bulk`")),
    ("ptx_cp_async_barrier", Fate::Gone("`T.ptx.cp.async_.mbarrier`")),
    ("ptx_arrive_barrier", Fate::Gone("`T.ptx.mbarrier`")),
    ("ptx_arrive_barrier_expect_tx", Fate::Gone("`T.ptx.mbarrier`")),
    ("ptx_init_barrier_thread_count", Fate::Gone("`T.ptx.mbarrier`")),
    ("ptx_wait_barrier", Fate::Gone("`T.ptx.mbarrier`")),
    ("create_barriers", Fate::Gone("`T.ptx.mbarrier`")),
    ("ptx_ldg32", Fate::Gone("")),
    ("tvm_thread_context", Fate::Gone("")),
    ("large_uint_imm", Fate::Gone("")),
];

/// The fate of an operator that the release does not have as it was.
pub(super) fn fate(name: &str) -> Option<Fate> {
    let name = name.strip_prefix("tir.")?;
    OPERATORS.iter().find(|(operator, _)| *operator == name).map(|(_, fate)| *fate)
}

/// Operators under another prefix than the others.
const PRIMITIVE: [&str; 6] = ["ceil", "clz", "if_then_else", "likely", "log2", "vscale"];

/// The new name of an operator; `None` if the release does not have it.
pub(super) fn key(name: &str) -> Option<String> {
    let rest = name.strip_prefix("tir.")?;
    match fate(name) {
        Some(_) => None,
        None if PRIMITIVE.contains(&rest) => Some(format!("prim.{rest}")),
        None => Some(format!("tirx.{rest}")),
    }
}
