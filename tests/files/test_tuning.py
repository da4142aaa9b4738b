# Tuning: databases, builders, modules with several entry points, decorated helpers within tests.
import tempfile
import os.path as osp
from typing import List

import tvm
import tvm.testing
from tvm import meta_schedule as ms
from tvm.meta_schedule.testing.space_generation import check_sketches
from tvm.script import tir as T
from tvm.target import Target
from tvm.tir import Schedule

# pylint: disable=invalid-name,no-member
# fmt: off


@tvm.script.ir_module
class Matmul:
    @T.prim_func
    def main(a: T.handle, b: T.handle, c: T.handle) -> None:
        T.func_attr({"global_symbol": "main"})
        A = T.match_buffer(a, (32, 32), "float32")
        B = T.match_buffer(b, (32, 32), "float32")
        C = T.match_buffer(c, (32, 32), "float32")
        for i, j, k in T.grid(32, 32, 32):
            with T.block("matmul"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = 0.0
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]


@tvm.script.ir_module
class MatmulRelu:
    @T.prim_func
    def main(a: T.handle, b: T.handle, d: T.handle) -> None:
        A = T.match_buffer(a, (32, 32))
        B = T.match_buffer(b, (32, 32))
        D = T.match_buffer(d, (32, 32))
        C = T.alloc_buffer((32, 32))
        for i, j, k in T.grid(32, 32, 32):
            with T.block("matmul"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = 0.0
                C[vi, vj] += A[vi, vk] * B[vk, vj]
        for i, j in T.grid(32, 32):
            with T.block("relu"):
                vi, vj = T.axis.remap("SS", [i, j])
                D[vi, vj] = T.max(C[vi, vj], 0.0)


@T.prim_func
def workload_with_pragmas(A: T.Buffer((1024,), "float32")):
    for i in T.serial(1024):
        with T.block("A"):
            v = T.axis.spatial(1024, i)
            T.reads()
            T.writes(A[v])
            T.block_attr({"meta_schedule.parallel": 64, "meta_schedule.vectorize": 32, "meta_schedule.unroll_explicit": 8})
            A[v] = T.float32(0)

# fmt: on


def _sample(sch: Schedule) -> List[Schedule]:
    b0 = sch.get_block("matmul")
    l1, l2, l3 = sch.get_loops(b0)
    v4, v5 = sch.sample_perfect_tile(l1, n=2, max_innermost_factor=64, decision=[8, 4])
    sch.split(l1, [v4, v5])
    return [sch]


def test_database():
    with tempfile.TemporaryDirectory() as folder:
        database = ms.database.JSONDatabase(osp.join(folder, "w.json"), osp.join(folder, "r.json"))
        database.commit_workload(Matmul)

    @ms.derived_object
    class Rule(ms.schedule_rule.PyScheduleRule):
        def _initialize_with_tune_context(self, context):
            pass

        def apply(self, sch, block):
            @T.prim_func
            def replacement(A: T.Buffer((1,), "float32")):
                A[0] = T.float32(0)

            assert replacement
            return [sch]

    assert Rule().apply(Schedule(Matmul), None)


def test_sketch():
    @T.prim_func
    def sketch_0(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32"), C: T.Buffer((32, 32), "float32")):
        for i_0_j_0_fused in T.parallel(16, annotations={"pragma_auto_unroll_max_step": 16}):
            for i_1, k_0, j_1 in T.grid(8, 4, 2):
                for k_1 in T.serial(8):
                    for j_2 in T.vectorized(4):
                        with T.block("matmul"):
                            vi = T.axis.spatial(32, i_0_j_0_fused // 4 * 8 + i_1)
                            vj = T.axis.spatial(32, i_0_j_0_fused % 4 * 8 + j_1 * 4 + j_2)
                            vk = T.axis.reduce(32, k_0 * 8 + k_1)
                            T.reads(A[vi, vk], B[vk, vj])
                            T.writes(C[vi, vj])
                            T.block_attr({"meta_schedule.tiling_structure": "SSRSRS"})
                            with T.init():
                                C[vi, vj] = T.float32(0)
                            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    check_sketches(Matmul, sketches=[], expected_mods=[], expected_decisions=[])
    assert sketch_0 and Target("llvm --num-cores=16") and _sample(Schedule(MatmulRelu))


if __name__ == "__main__":
    tvm.testing.main()
