//! Memory: pointers and regions, vector loads and stores, asynchronous copies, barriers in memory.

use tvmscript_ir_macros::operators;
use tvmscript_prim::{DataType, Expr};
use tvmscript_tir::op::{Effect, Operator, ResultType};

use super::{HANDLE, UINT32, VOID};

const UINT32X2: DataType = UINT32.with_lanes(2);
const UINT32X4: DataType = UINT32.with_lanes(4);
const UINT32X8: DataType = UINT32.with_lanes(8);

operators! {
    prefix = "tl.";
    result = Expr;
    script = crate::op::types;
    call = crate::tilelang_0_25::op::call;
    effect = Update;

    /// Load through the read-only cache: of an element.
    __ldg(src, index = None) -> same_as(src), effect = Pure;
    /// Pointer to `extent` elements from one on, to read (1), write (2) or both (3).
    access_ptr(base, extent, rw_mask) -> HANDLE, effect = Pure;
    /// Descriptor of a tensor for the tensor memory accelerator: shape, strides, box and element strides, each with
    /// `rank` numbers, then interleaving, swizzle, promotion and filling.
    create_tma_descriptor(data_type, rank, global_addr, *args) -> HANDLE, effect = Pure;
    /// Descriptor of a tensor for copies of patches: shape, strides, element strides and corners, then the box,
    /// interleaving, swizzle, promotion and filling.
    create_tma_im2col_descriptor(data_type, rank, global_addr, *args) -> HANDLE, effect = Pure;
    /// Transposed load of 16-bit elements from shared memory.
    ds_read_tr16_b64(src) -> UINT32X2, effect = Pure;
    /// Transposed load of 8-bit elements from shared memory.
    ds_read_tr8_b64(src) -> UINT32X2, effect = Pure;
    /// Orders accesses of threads before those of asynchronous copies.
    fence_proxy_async() -> HANDLE;
    /// Loads 128 bits from global memory.
    ldg128(src, predicate = None) -> UINT32X4, effect = Pure;
    /// Loads 256 bits from global memory.
    ldg256(src, predicate = None) -> UINT32X8, effect = Pure;
    /// Loads 32 bits from global memory.
    ldg32(src, predicate = None) -> UINT32, effect = Pure;
    /// Loads 64 bits from global memory.
    ldg64(src, predicate = None) -> UINT32X2, effect = Pure;
    /// Loads 128 bits from shared memory.
    lds128(src) -> UINT32X4, effect = Pure;
    /// Loads 32 bits from shared memory.
    lds32(src) -> UINT32, effect = Pure;
    /// Loads 64 bits from shared memory.
    lds64(src) -> UINT32X2, effect = Pure;
    /// Adds bytes to those that a barrier waits for.
    mbarrier_expect_tx(mbarrier, transaction_bytes) -> HANDLE;
    /// Waits for the phase of a barrier with a parity.
    mbarrier_wait_parity(mbarrier, parity) -> HANDLE;
    /// Fetches a descriptor ahead.
    prefetch_tma_descriptor(descriptor) -> HANDLE;
    /// Arrives at a barrier of another block of the cluster.
    ptx_arrive_cluster_barrier(mbarrier, cta_id) -> HANDLE;
    /// Stores a value in the shared memory of another block of the cluster.
    ptx_cluster_store(dst, value, dst_cta, index) -> HANDLE;
    /// Copies elements to shared memory asynchronously. With more arguments, TVM's operator of this name.
    ptx_cp_async(dst, src, count, predicate = None) -> VOID;
    /// Lets a barrier wait for the asynchronous copies so far, which count as no arrival.
    ptx_cp_async_barrier_noinc(mbarrier) -> HANDLE;
    /// Makes initialized barriers visible to the cluster.
    ptx_fence_barrier_init(*args) -> HANDLE;
    /// Sets bytes of shared memory.
    ptx_st_bulk_shared(dst, bytes, value) -> HANDLE;
    /// Region of a buffer: its first element, the access (1 read, 2 write, 3 both), and an extent per dimension.
    region(base, access, *extents) -> HANDLE, effect = Pure;
    /// Stores 128 bits in global memory.
    stg128(dst, value, predicate = None) -> HANDLE;
    /// Stores 256 bits in global memory.
    stg256(dst, value, predicate = None) -> HANDLE;
    /// Stores 32 bits in global memory.
    stg32(dst, value, predicate = None) -> HANDLE;
    /// Stores 64 bits in global memory.
    stg64(dst, value, predicate = None) -> HANDLE;
    /// Stores 128 bits in shared memory.
    sts128(dst, value) -> HANDLE;
    /// Stores 32 bits in shared memory.
    sts32(dst, value) -> HANDLE;
    /// Stores 64 bits in shared memory.
    sts64(dst, value) -> HANDLE;
    /// Copies a box of a tensor to shared memory: coordinates, then the eviction policy.
    tma_load(descriptor, mbarrier, dst, *coordinates, **annotations) -> HANDLE;
    /// Copies four rows of a matrix to shared memory.
    tma_load_gather4(descriptor, mbarrier, dst, column, row0, row1, row2, row3, eviction_policy) -> HANDLE;
    /// Copies patches of a tensor to shared memory: coordinates and offsets, then the eviction policy.
    tma_load_im2col(descriptor, mbarrier, dst, *coordinates, **annotations) -> HANDLE;
    /// [`tma_load`] to the blocks of a cluster in a mask.
    tma_load_multicast(descriptor, mbarrier, dst, multicast_mask, *coordinates, **annotations) -> HANDLE;
    /// Copies shared memory to a box of a tensor: coordinates, then reduction and eviction policy.
    tma_store(descriptor, src, *coordinates, **annotations) -> HANDLE;
    /// Closes the group of the stores so far.
    tma_store_arrive() -> HANDLE;
    /// Copies bytes to the shared memory of another block of the cluster.
    tma_store_cluster(dst, src, dst_cta, bytes, mbarrier) -> HANDLE;
    /// Copies shared memory to four rows of a matrix.
    tma_store_scatter4(descriptor, src, column, row0, row1, row2, row3, eviction_policy) -> HANDLE;
    /// Waits until at most `count` groups of stores are pending; until they have read their sources if `read` holds.
    tma_store_wait(count, read) -> HANDLE;
}
