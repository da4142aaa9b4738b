# From blocks to flat buffers: what each pass of lowering makes.
import tvm
from tvm.script import tir as T


def _check(original, transformed):
    mod = tvm.IRModule.from_expr(original.with_attr("global_symbol", "main"))
    mod = tvm.tir.transform.ConvertBlocksToOpaque()(mod)
    assert transformed is not None and mod["main"] is not None


@T.prim_func
def blocks(a: T.handle, c: T.handle) -> None:
    A = T.match_buffer(a, (16, 16), "float32")
    C = T.match_buffer(c, (16, 16), "float32")
    for i in range(0, 16):
        with T.block():
            T.reads(A[i, 0:16])
            T.writes(C[i, 0:16])
            B = T.alloc_buffer((16, 16), "float32")
            for j in range(0, 16):
                with T.block():
                    T.reads(A[i, j])
                    T.writes(B[i, j])
                    B[i, j] = A[i, j] + 1.0
            for j in range(0, 16):
                with T.block():
                    T.reads(B[i, j])
                    T.writes(C[i, j])
                    C[i, j] = B[i, j] * 2.0


@T.prim_func
def compacted(a: T.handle, c: T.handle) -> None:
    A = T.match_buffer(a, (16, 16), "float32")
    C = T.match_buffer(c, (16, 16), "float32")
    for i in range(0, 16):
        with T.block():
            T.reads(A[i, 0:16])
            T.writes(C[i, 0:16])
            B = T.alloc_buffer([1, 16], "float32")
            for j in range(0, 16):
                with T.block():
                    T.reads(A[i, j])
                    T.writes(B[0, j])
                    B[0, j] = A[i, j] + 1.0
            for j in range(0, 16):
                with T.block():
                    T.reads(B[0, j])
                    T.writes(C[i, j])
                    C[i, j] = B[0, j] * 2.0


@T.prim_func
def flattened(a: T.handle, c: T.handle) -> None:
    A = T.match_buffer(a, (16, 16), "float32")
    C = T.match_buffer(c, (16, 16), "float32")
    A_flat = T.Buffer(256, "float32", data=A.data)
    C_flat = T.Buffer(256, "float32", data=C.data)
    for i in T.serial(0, 16):
        B_data = T.allocate([16], "float32", "global")
        B = T.Buffer([16], "float32", data=B_data)
        for j in T.serial(0, 16):
            B[j] = A_flat[i * 16 + j] + 1.0
        for j in T.serial(0, 16):
            C_flat[i * 16 + j] = B[j] * 2.0


@T.prim_func
def realized(A: T.Buffer((16,), "float32")):
    with T.attr(A, "realize_scope", "shared"):
        A[0] = T.float32(0)


@T.prim_func
def pipelined(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    for tx in T.thread_binding(16, thread="threadIdx.x"):
        for i in T.serial(
            16,
            annotations={
                "software_pipeline_stage": [0, 1],
                "software_pipeline_order": [0, 1],
                "software_pipeline_async_stages": [0],
            },
        ):
            with T.block("compute"):
                T.reads(A[tx, i])
                T.writes(C[tx, i])
                B = T.alloc_buffer((16, 1), dtype="float32", scope="shared")
                with T.block("load"):
                    T.reads(A[tx, i])
                    T.writes(B[tx, 0])
                    B[tx, 0] = A[tx, i] * T.float32(2)
                with T.block("store"):
                    T.reads(B[tx, 0])
                    T.writes(C[tx, i])
                    C[tx, i] = B[tx, 0] + T.float32(1)


def test_opaque():
    _check(blocks, compacted)
    _check(compacted, flattened)


def test_init():
    @T.prim_func
    def with_init(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64,), "float32")):
        for i, j in T.grid(64, 64):
            with T.block("B"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    B[vi] = 0.0
                B[vi] += A[vi, vj]

    @T.prim_func
    def with_branch(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64,), "float32")):
        for i, j in T.grid(64, 64):
            with T.block("B"):
                vi, vj = T.axis.remap("SR", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi])
                if vj == 0:
                    B[vi] = 0.0
                B[vi] = B[vi] + A[vi, vj]

    mod = tvm.tir.transform.LowerInitBlock()(tvm.IRModule.from_expr(with_init))
    tvm.ir.assert_structural_equal(
        mod["with_init"], with_branch.with_attr("global_symbol", "with_init"), map_free_vars=True
    )
