"""Convolutions and pooling, built for layouts that a table names."""
from tvm import tir
from tvm.script import tir as T

LAYOUTS = {"NCHW": (0, 1, 2, 3), "NHWC": (0, 3, 1, 2)}
KERNEL, STRIDE, PAD = 3, 1, 1
H = W = 14
OUT = (H + 2 * PAD - KERNEL) // STRIDE + 1


@T.prim_func
def conv2d_nchw(
    data: T.Buffer((1, 8, H, W), "float32"),
    weight: T.Buffer((16, 8, KERNEL, KERNEL), "float32"),
    out: T.Buffer((1, 16, OUT, OUT), "float32"),
):
    T.func_attr({"tir.noalias": True, "op_pattern": 4})
    pad = T.alloc_buffer((1, 8, H + 2 * PAD, W + 2 * PAD))
    for n, c, h, w in T.grid(1, 8, H + 2 * PAD, W + 2 * PAD):
        with T.block("pad"):
            vn, vc, vh, vw = T.axis.remap("SSSS", [n, c, h, w])
            pad[vn, vc, vh, vw] = T.if_then_else(
                PAD <= vh and vh < H + PAD and PAD <= vw and vw < W + PAD,
                data[vn, vc, vh - PAD, vw - PAD],
                T.float32(0),
            )
    for n, o, y, x, c, ky, kx in T.grid(1, 16, OUT, OUT, 8, KERNEL, KERNEL):
        with T.block("conv"):
            vn, vo, vy, vx, vc, vky, vkx = T.axis.remap("SSSSRRR", [n, o, y, x, c, ky, kx])
            with T.init():
                out[vn, vo, vy, vx] = T.float32(0)
            out[vn, vo, vy, vx] += pad[vn, vc, vy * STRIDE + vky, vx * STRIDE + vkx] * weight[vo, vc, vky, vkx]


@T.prim_func
def depthwise(
    data: T.Buffer((1, 8, 16, 16), "int8"),
    weight: T.Buffer((8, 1, 3, 3), "int8"),
    out: T.Buffer((1, 8, 14, 14), "int32"),
):
    for n, c, y, x, ky, kx in T.grid(1, 8, 14, 14, 3, 3):
        with T.block("depthwise"):
            vn, vc, vy, vx, vky, vkx = T.axis.remap("SSSSRR", [n, c, y, x, ky, kx])
            with T.init():
                out[vn, vc, vy, vx] = 0
            out[vn, vc, vy, vx] = out[vn, vc, vy, vx] + T.Cast("int32", data[vn, vc, vy + vky, vx + vkx]) * T.Cast(
                "int32", weight[vc, 0, vky, vkx]
            )


@T.prim_func
def max_pool(data: T.Buffer((4, 8, 8), "float32"), out: T.Buffer((4, 4, 4), "float32")):
    for c, y, x, dy, dx in T.grid(4, 4, 4, 2, 2):
        with T.block("pool"):
            vc, vy, vx, vdy, vdx = T.axis.remap("SSSRR", [c, y, x, dy, dx])
            with T.init():
                out[vc, vy, vx] = T.min_value("float32")
            out[vc, vy, vx] = T.max(out[vc, vy, vx], data[vc, vy * 2 + vdy, vx * 2 + vdx])


@T.prim_func
def avg_pool(data: T.Buffer((4, 8, 8), "float32"), out: T.Buffer((4, 4, 4), "float32")):
    acc = T.alloc_buffer((4, 4, 4))
    for c, y, x, dy, dx in T.grid(4, 4, 4, 2, 2):
        with T.block("sum"):
            vc, vy, vx, vdy, vdx = T.axis.remap("SSSRR", [c, y, x, dy, dx])
            with T.init():
                acc[vc, vy, vx] = 0.0
            acc[vc, vy, vx] += data[vc, vy * 2 + vdy, vx * 2 + vdx]
    for c, y, x in T.grid(4, 4, 4):
        with T.block("divide"):
            vc, vy, vx = T.axis.remap("SSS", [c, y, x])
            T.block_attr({"schedule_rule": "None"})
            out[vc, vy, vx] = acc[vc, vy, vx] / T.float32(4)


@T.prim_func
def winograd_transform(tile: T.Buffer((4, 4), "float32"), out: T.Buffer((4, 4), "float32")):
    for eps, nu, r, s in T.grid(4, 4, 4, 4):
        with T.block("transform"):
            ve, vn, vr, vs = T.axis.remap("SSRR", [eps, nu, r, s])
            with T.init():
                out[ve, vn] = T.float32(0)
            out[ve, vn] += tile[vr, vs] * T.Select(ve == vr, T.float32(1), T.Select(vn == vs, T.float32(-1), T.float32(0)))


def layout_transform(name):
    order = LAYOUTS[name]

    @T.prim_func
    def transform(A: T.Buffer((1, 2, 3, 4), "float32"), B: T.Buffer((24,), "float32")):
        for i, j, k, l in T.grid(1, 2, 3, 4):
            with T.block("transform"):
                vi, vj, vk, vl = T.axis.remap("SSSS", [i, j, k, l])
                B[vi * order[0] + vj * order[1] + vk * order[2] + vl * order[3]] = A[vi, vj, vk, vl]

    return transform


transforms = {name: layout_transform(name) for name in LAYOUTS}
assert isinstance(conv2d_nchw, tir.PrimFunc), "not a function"
