from tvm.script import tir as T

@T.prim_func
def layer_norm(A: T.Buffer((5, 64), "float32"), gamma: T.Buffer((64,), "float32"), beta: T.Buffer((64,), "float32"), B: T.Buffer((5, 64), "float32")):
    sums = T.alloc_buffer((5,))
    squares = T.alloc_buffer((5,))
    for i, k in T.grid(5, 64):
        with T.block("sums"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                sums[vi] = T.float32(0)
                squares[vi] = T.float32(0)
            sums[vi] = sums[vi] + A[vi, vk]
            squares[vi] = squares[vi] + A[vi, vk] * A[vi, vk]
    for i, j in T.grid(5, 64):
        with T.block("norm"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = (A[vi, vj] - sums[vi] / T.float32(64)) * T.rsqrt(squares[vi] / T.float32(64) - sums[vi] / T.float32(64) * (sums[vi] / T.float32(64)) + T.float32(1e-5)) * gamma[vj] + beta[vj]
