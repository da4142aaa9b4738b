# Kernels of attention for a class that builds them once.
import math
from functools import cached_property
from typing import Dict

import tvm
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T

HEADS, SEQ, DIM = 4, 16, 8
SCALE = 1.0 / math.sqrt(DIM)


@T.prim_func
def scores(Q: T.Buffer((HEADS, SEQ, DIM), "float32"), K: T.Buffer((HEADS, SEQ, DIM), "float32"), S: T.Buffer((HEADS, SEQ, SEQ), "float32")):
    for h, i, j, d in T.grid(HEADS, SEQ, SEQ, DIM):
        with T.block("scores"):
            vh, vi, vj, vd = T.axis.remap("SSSR", [h, i, j, d])
            with T.init():
                S[vh, vi, vj] = T.float32(0)
            S[vh, vi, vj] += Q[vh, vi, vd] * K[vh, vj, vd] * T.float32(SCALE)


@T.prim_func
def causal_mask(S: T.Buffer((HEADS, SEQ, SEQ), "float32")):
    for h, i, j in T.grid(HEADS, SEQ, SEQ):
        with T.block("mask"):
            vh, vi, vj = T.axis.remap("SSS", [h, i, j])
            S[vh, vi, vj] = T.if_then_else(vj <= vi, S[vh, vi, vj], T.min_value("float32"))


@T.prim_func
def rotary(x: T.Buffer((SEQ, DIM), "float32"), out: T.Buffer((SEQ, DIM), "float32"), theta: T.float32):
    for s, d in T.grid(SEQ, DIM):
        with T.block("rotary"):
            vs, vd = T.axis.remap("SS", [s, d])
            freq: T.float32 = T.Cast("float32", vs) / T.pow(theta, T.Cast("float32", vd * 2 % DIM) / T.float32(DIM))
            out[vs, vd] = T.cos(freq) * x[vs, vd] + T.sin(freq) * T.if_then_else(
                vd < DIM // 2, x[vs, vd + DIM // 2] * T.float32(-1), x[vs, vd - DIM // 2]
            )


class Kernels:
    causal = True
    blocks: Dict[str, int] = {"q": 16, "kv": 32}

    @cached_property
    def append(self):
        block = self.blocks["q"]

        @T.prim_func
        def append_cache(k: T.handle, cache: T.handle, position: T.Buffer((1,), "int32")):
            n = T.int64()
            K = T.match_buffer(k, (n, DIM), "float16")
            Cache = T.match_buffer(cache, (1024, DIM), "float16")
            for i, d in T.grid(n, T.int64(DIM)):
                Cache[T.Cast("int64", position[0]) + i, d] = K[i, d]

        return append_cache, block

    def softmax_online(self):
        @T.prim_func
        def update(m: T.Buffer((16,), "float32"), l: T.Buffer((16,), "float32"), s: T.Buffer((16, 32), "float32")):
            m_prev = T.alloc_buffer((16,), scope="local")
            for i in T.serial(16):
                with T.block("update"):
                    vi = T.axis.spatial(16, i)
                    T.reads(m[vi], l[vi], s[vi, 0:32], m_prev[vi])
                    T.writes(m[vi], l[vi], m_prev[vi])
                    m_prev[vi] = m[vi]
                    for j in T.serial(32):
                        m[vi] = T.max(m[vi], s[vi, j])
                    l[vi] = l[vi] * T.exp2(m_prev[vi] - m[vi])
                    for j in T.serial(32):
                        l[vi] = l[vi] + T.exp2(s[vi, j] - m[vi])

        return update

    def __repr__(self):
        return f"{type(self).__name__}({self.causal!r})"


@I.ir_module
class Attention:
    @T.prim_func(private=True)
    def transpose(A: T.Buffer((2, 3), "float32"), B: T.Buffer((3, 2), "float32")):
        for i, j in T.grid(2, 3):
            with T.block("T"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vj, vi] = A[vi, vj]

    @R.function
    def main(q: R.Tensor((1, 2, 2, 4), "float32"), x: R.Tensor((2, 3), "float32")):
        cls = Attention
        with R.dataflow():
            a = R.nn.attention(q, q, q, causal_mask="TopLeft")
            b = R.call_tir(cls.transpose, (x,), out_sinfo=R.Tensor((3, 2), "float32"))
            R.output(a, b)
        return (a, b)


KERNELS = Kernels()
mod = tvm.IRModule({"scores": scores, "update": KERNELS.softmax_online()})
