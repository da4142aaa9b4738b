from tvm.script import ir as I, relax as R, tir as T

@I.ir_module
class Model:
    @T.prim_func(private=True)
    def conv2d_cast(A: T.Buffer((1, 4, 18, 18), "int8"), W: T.Buffer((4, 4, 3, 3), "int8"), C: T.Buffer((1, 4, 16, 16), "int8")):
        T.func_attr({"tir.noalias": True})
        B = T.alloc_buffer((1, 4, 16, 16), "int32")
        for n, f, y, x, c, dy, dx in T.grid(1, 4, 16, 16, 4, 3, 3):
            with T.block("conv2d"):
                vn, vf, vy, vx, vc, vdy, vdx = T.axis.remap("SSSSRRR", [n, f, y, x, c, dy, dx])
                with T.init():
                    B[vn, vf, vy, vx] = 0
                B[vn, vf, vy, vx] = B[vn, vf, vy, vx] + T.Cast("int32", A[vn, vc, vy + vdy, vx + vdx]) * T.Cast("int32", W[vf, vc, vdy, vdx])
        for n, f, y, x in T.grid(1, 4, 16, 16):
            with T.block("cast"):
                vn, vf, vy, vx = T.axis.remap("SSSS", [n, f, y, x])
                C[vn, vf, vy, vx] = T.Cast("int8", B[vn, vf, vy, vx])
    @T.prim_func(private=True)
    def pad(A: T.Buffer((1, 4, 16, 16), "int8"), B: T.Buffer((1, 4, 18, 18), "int8")):
        for n, f, y, x in T.grid(1, 4, 18, 18):
            with T.block("pad"):
                vn, vf, vy, vx = T.axis.remap("SSSS", [n, f, y, x])
                B[vn, vf, vy, vx] = T.if_then_else(1 <= vy and vy < 17 and 1 <= vx and vx < 17, A[vn, vf, vy - 1, vx - 1], T.int8(0))
    @T.prim_func(private=True)
    def add(A: T.Buffer((1, 4, 16, 16), "int8"), B: T.Buffer((1, 4, 16, 16), "int8"), C: T.Buffer((1, 4, 16, 16), "int8")):
        for n, f, y, x in T.grid(1, 4, 16, 16):
            with T.block("add"):
                vn, vf, vy, vx = T.axis.remap("SSSS", [n, f, y, x])
                C[vn, vf, vy, vx] = A[vn, vf, vy, vx] + B[vn, vf, vy, vx]
    @R.function
    def main(x: R.Tensor((1, 4, 16, 16), "int8"), w: R.Tensor((4, 4, 3, 3), "int8")) -> R.Tensor((1, 4, 16, 16), "int8"):
        cls = Model
        with R.dataflow():
            p0 = R.call_tir(cls.pad, (x,), out_sinfo=R.Tensor((1, 4, 18, 18), dtype="int8"))
            c0 = R.call_tir(cls.conv2d_cast, (p0, w), out_sinfo=R.Tensor((1, 4, 16, 16), dtype="int8"))
            a0 = R.call_tir(cls.add, (c0, x), out_sinfo=R.Tensor((1, 4, 16, 16), dtype="int8"))
            p1 = R.call_tir(cls.pad, (a0,), out_sinfo=R.Tensor((1, 4, 18, 18), dtype="int8"))
            c1 = R.call_tir(cls.conv2d_cast, (p1, w), out_sinfo=R.Tensor((1, 4, 16, 16), dtype="int8"))
            a1 = R.call_tir(cls.add, (c1, a0), out_sinfo=R.Tensor((1, 4, 16, 16), dtype="int8"))
            p2 = R.call_tir(cls.pad, (a1,), out_sinfo=R.Tensor((1, 4, 18, 18), dtype="int8"))
            c2 = R.call_tir(cls.conv2d_cast, (p2, w), out_sinfo=R.Tensor((1, 4, 16, 16), dtype="int8"))
            a2 = R.call_tir(cls.add, (c2, a1), out_sinfo=R.Tensor((1, 4, 16, 16), dtype="int8"))
            p3 = R.call_tir(cls.pad, (a2,), out_sinfo=R.Tensor((1, 4, 18, 18), dtype="int8"))
            c3 = R.call_tir(cls.conv2d_cast, (p3, w), out_sinfo=R.Tensor((1, 4, 16, 16), dtype="int8"))
            a3 = R.call_tir(cls.add, (c3, a2), out_sinfo=R.Tensor((1, 4, 16, 16), dtype="int8"))
            p4 = R.call_tir(cls.pad, (a3,), out_sinfo=R.Tensor((1, 4, 18, 18), dtype="int8"))
            c4 = R.call_tir(cls.conv2d_cast, (p4, w), out_sinfo=R.Tensor((1, 4, 16, 16), dtype="int8"))
            a4 = R.call_tir(cls.add, (c4, a3), out_sinfo=R.Tensor((1, 4, 16, 16), dtype="int8"))
            p5 = R.call_tir(cls.pad, (a4,), out_sinfo=R.Tensor((1, 4, 18, 18), dtype="int8"))
            c5 = R.call_tir(cls.conv2d_cast, (p5, w), out_sinfo=R.Tensor((1, 4, 16, 16), dtype="int8"))
            a5 = R.call_tir(cls.add, (c5, a4), out_sinfo=R.Tensor((1, 4, 16, 16), dtype="int8"))
            R.output(a5)
        return a5
