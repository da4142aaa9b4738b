from tvm.script import tir as T

@T.prim_func
def softmax(A: T.Buffer((6, 33), "float32"), B: T.Buffer((6, 33), "float32")):
    top = T.alloc_buffer((6,))
    total = T.alloc_buffer((6,))
    for i, k in T.grid(6, 33):
        with T.block("top"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                top[vi] = T.min_value("float32")
            top[vi] = T.max(top[vi], A[vi, vk])
    for i, k in T.grid(6, 33):
        with T.block("total"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                total[vi] = T.float32(0)
            total[vi] = total[vi] + T.exp(A[vi, vk] - top[vi])
    for i, j in T.grid(6, 33):
        with T.block("softmax"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = T.exp(A[vi, vj] - top[vi]) / total[vi]
