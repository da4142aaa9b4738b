# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_attrs({"version": 3})
    @T.prim_func(private=True)
    def matmul(A: T.Buffer((T.int64(128), T.int64(64)), "float32"), b: T.handle, n: T.int64):
        T.func_attr({"tir.noalias": T.bool(True), "op_pattern": 4})
        B = T.match_buffer(b, (T.int64(64), n), offset_factor=1)
        # with T.block("root"):
        C = T.alloc_buffer((T.int64(128), n), scope="shared")
        for i, j, k in T.grid(T.int64(128), n, T.int64(64)):
            with T.block("update"):
                v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
                T.reads(A[v_i, v_k], B[v_k, v_j])
                T.writes(C[v_i, v_j])
                with T.init():
                    C[v_i, v_j] = T.float32(0.0)
                C[v_i, v_j] = C[v_i, v_j] + A[v_i, v_k] * B[v_k, v_j]
        for i in T.thread_binding(T.int64(4), thread="threadIdx.x", annotations={"pragma": [1, 2]}):
            x: T.int64 = i * T.int64(2) + T.Select(i < n and 0 <= i, i, -i)
            if x % T.int64(2) == T.int64(0) or not i > x:
                T.evaluate(T.call_extern("int32", "f", x, T.tvm_access_ptr(T.type_annotation("float32"), B.data, 0, n, 1)))
            elif x == n:
                C[0, x] = T.max(T.exp(C[0, x]), T.Cast("float32", n) / T.float32(3.0))
            else:
                C[0:4, x] = A[0:4, 0] if i else B[0:8:2, x]
        while n < T.int64(3):
            T.evaluate(0)
        assert n == T.int64(2), "n must be two"

    @R.function
    def main(x: R.Tensor(("n", 64), dtype="float32"), w: R.Tensor((64, 64), dtype="float32")) -> R.Tensor(("n", 64), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.matmul, (x, w), out_sinfo=R.Tensor((n, 64), dtype="float32"))
            lv1: R.Tensor((n, 64), dtype="float32") = R.add(lv, R.const(1.0, "float32"))
            gv: R.Tuple(R.Tensor, R.Shape([n, 64])) = (lv1, R.shape([n, 64]))
            R.output(gv)
        return gv[0]
