//! Operators that the release names otherwise, or lacks.

/// The fate of an operator.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fate {
    /// The release has it under another name, with the same arguments.
    Renamed(&'static str),
    /// The release has none with the same meaning; what comes next, if anything does.
    Gone(&'static str),
}

/// Operators by name, without prefix.
static OPERATORS: &[(&str, Fate)] = &[
    ("mma_fill", Fate::Renamed("tirx.cuda.mma_fill")),
    ("mma_store", Fate::Renamed("tirx.cuda.mma_store")),
    ("simdgroup_load", Fate::Renamed("tirx.metal.simdgroup_load")),
    ("simdgroup_store", Fate::Renamed("tirx.metal.simdgroup_store")),
    ("simdgroup_multiply_accumulate", Fate::Renamed("tirx.metal.simdgroup_multiply_accumulate")),
    ("make_filled_simdgroup_matrix", Fate::Renamed("tirx.metal.make_filled_simdgroup_matrix")),
    ("ptx_ldmatrix", Fate::Gone("`T.ptx_legacy.ldmatrix`")),
    ("ptx_mma", Fate::Gone("`T.ptx_legacy.mma`")),
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
