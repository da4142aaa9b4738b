//! Attributes that state sizes.

use super::{IMPORTS, filled, pick};
use crate::Random;

const TENSORS: &[&str] = &[
    "R.Tensor(ndim={n})",
    "R.Tensor(({n},), \"float32\")",
    "R.Tensor(({n}, {n}), \"float32\")",
    "R.Tensor(({n}, {n}, {n}, {n}), \"float32\")",
    "R.Tensor((\"n\", {n}), \"float16\")",
    "R.Tensor(\"float32\", ndim={n})",
    "R.Tensor((2, 3, 8, 8), \"float32\")",
    "R.Tensor((4, 8), \"int64\")",
    "R.Tensor(None, \"float32\")",
    "R.Shape(ndim={n})",
    "R.Shape([{n}, {n}])",
    "R.Tuple([R.Tensor(ndim={n})] * 3)",
    "R.Prim(\"int64\")",
    "R.Prim(value={n})",
    "R.Object",
];

const CALLS: &[&str] = &[
    "R.permute_dims(x)",
    "R.permute_dims(x, axes=[{n}, {n}])",
    "R.sum(x, axis={n}, keepdims=True)",
    "R.sum(x, keepdims=True)",
    "R.mean(x, axis=[{n}, {n}])",
    "R.variance(x, axis={n})",
    "R.argmax(x, axis={n}, keepdims=True)",
    "R.argmin(x, keepdims=True)",
    "R.expand_dims(x, axis=[{n}, {n}])",
    "R.squeeze(x, axis=[{n}])",
    "R.flatten(x)",
    "R.repeat(x, repeats={n}, axis={n})",
    "R.tile(x, repeats=[{n}, {n}])",
    "R.split(x, {n}, axis={n})",
    "R.split(x, [{n}, {n}], axis={n})",
    "R.concat([x, x], axis={n})",
    "R.stack([x, x], axis={n})",
    "R.full(R.shape([{n}, {n}]), R.const({n}, \"int32\"))",
    "R.full_like(x, R.const(1, \"float32\"))",
    "R.zeros(R.shape([{n}]), \"float32\")",
    "R.ones_like(x)",
    "R.arange({n}, {n}, {n}, \"int64\")",
    "R.arange(0, {n}, 1, \"float32\")",
    "R.eye({n}, {n}, {n}, \"float32\")",
    "R.eye_like(x, {n})",
    "R.tril(x, {n})",
    "R.one_hot(x, R.prim_value({n}), R.prim_value(0), depth={n}, axis={n})",
    "R.cumsum(x, axis={n})",
    "R.topk(x, k={n}, axis={n})",
    "R.sort(x, axis={n})",
    "R.unique(x, axis={n})",
    "R.bucketize(x, x)",
    "R.nn.pad(x, [{n}, {n}, {n}, {n}])",
    "R.nn.conv1d(x, x, strides={n}, padding={n})",
    "R.nn.conv2d(x, x, strides=[{n}, {n}], padding=[{n}, {n}, {n}, {n}], dilation={n}, groups={n})",
    "R.nn.conv2d(x, x, data_layout=\"NCHW{n}c\", kernel_layout=\"OIHW{n}i{n}o\")",
    "R.nn.conv2d(x, x, data_layout=\"ABCDEFGHIJKLMNOPQRSTUVWXYZ\")",
    "R.nn.conv2d_transpose(x, x, strides={n}, output_padding={n})",
    "R.nn.max_pool2d(x, pool_size=[{n}, {n}], strides={n}, padding={n}, ceil_mode=True)",
    "R.nn.avg_pool1d(x, pool_size={n})",
    "R.nn.adaptive_avg_pool2d(x, output_size=[{n}, {n}])",
    "R.nn.layer_norm(x, x, x, axes=[{n}])",
    "R.nn.group_norm(x, x, x, num_groups={n}, channel_axis={n}, axes=[{n}])",
    "R.nn.pixel_shuffle(x, {n})",
    "R.nn.softmax(x, axis={n})",
    "R.nn.attention(x, x, x)",
    "R.reshape(x, R.shape([{n}, {n}]))",
    "R.reshape(x, ({n}, -1))",
    "R.broadcast_to(x, ({n}, {n}))",
    "R.collapse_sum_to(x, ({n},))",
    "R.strided_slice(x, axes=[{n}], begin=[{n}], end=[{n}], strides=[{n}])",
    "R.dynamic_strided_slice(x, x, x, x)",
    "R.take(x, x, axis={n})",
    "R.gather_nd(x, x, batch_dims={n})",
    "R.gather_elements(x, x, axis={n})",
    "R.scatter_elements(x, x, x, axis={n})",
    "R.scatter_nd(x, x, x)",
    "R.index_tensor(x, [x, x, x])",
    "R.meshgrid((x, x, x))",
    "R.einsum((x, x), \"ij,jk->ik\")",
    "R.einsum((x,), \"...->...\")",
    "R.matmul(x, x)",
    "R.outer(x, x)",
    "R.flip(x, axis={n})",
    "R.image.resize2d(x, R.shape([{n}, {n}]), layout=\"NCHW\")",
    "R.layout_transform(x, index_map=lambda i, j: (j // {n}, i, j % {n}), pad_value=None)",
    "R.const({n}, \"int8\")",
    "R.const([{n}, {n}], \"float32\")",
    "R.prim_value({n})",
    "R.shape_of(x)",
    "R.tensor_to_shape(x)",
    "R.shape_to_tensor(x)",
    "R.builtin.alloc_tensor(R.shape([{n}, {n}]), \"float32\", {n}, \"global\")",
    "R.memory.alloc_storage(R.shape([{n}]), {n}, \"global\", \"uint8\")",
    "R.vm.alloc_storage(R.shape([{n}]), {n}, \"uint8\", \"global\")",
    "R.call_tir(x, (x,), out_sinfo=R.Tensor(({n}, {n}), \"float32\"), tir_vars=R.shape([{n}]))",
    "R.call_packed(\"f\", x, sinfo_args=R.Tensor(ndim={n}))",
    "x[{n}]",
    "R.TupleGetItem(x, {n})",
    "R.ccl.allgather(x, {n})",
    "R.ccl.scatter_from_worker0(x, {n})",
    "R.multinomial_from_uniform(x, x, x)",
    "R.wrap_param(x, \"float32\")",
    "R.astype(x, \"int32x{n}\")",
    "R.match_cast(x, R.Tensor(ndim={n}))",
    "R.to_vdevice(x, \"cuda:{n}\")",
    "R.hint_on_device(x, R.device(1, {n}))",
    "R.quantize(x, x, x, axis={n})",
    "R.nn.nll_loss(x, x, x, ignore_index={n})",
    "R.inspect.tensor_shape_i(x, {n})",
];

/// A Relax function that calls one operator.
pub(super) fn relax(random: &mut Random) -> String {
    let info = pick(random, TENSORS);
    let info = filled(random, info);
    let mut body = String::new();
    for i in 0..1 + random.below(3) {
        let call = pick(random, CALLS);
        let call = filled(random, call);
        let call =
            if i > 0 && random.below(2) == 0 { call.replace("(x", &format!("(y{}", i - 1)) } else { call };
        body += &format!("    y{i} = {call}\n");
    }
    format!("{IMPORTS}@R.function\ndef f(x: {info}):\n{body}    return y0\n")
}

const BODIES: &[&str] = &[
    "x = T.alloc_buffer(({n}, {n}), \"float32\", strides=[{n}, {n}])\n    x[{n}, {n}] = T.float32(0)",
    "x = T.match_buffer(h, ({n}, {n}), \"float32\", strides=[{n}, {n}], elem_offset={n}, align={n}, offset_factor={n})\n    T.evaluate(x[0, 0])",
    "x = T.decl_buffer(({n},), \"int32x{n}\", data=h)\n    T.evaluate(x[{n}])",
    "x = T.allocate([{n}, {n}], \"float32\", \"global\")\n    T.evaluate(x)",
    "x = T.allocate_const([{n}, {n}], \"int32\", [{n}])\n    T.evaluate(x)",
    "A[T.ramp({n}, {n}, {n})] = T.broadcast(T.float32(1), {n})",
    "A[{n}:{n}:{n}] = T.broadcast(T.float32(1), {n})",
    "T.evaluate(T.broadcast(T.broadcast(1, {n}), {n}))",
    "T.evaluate(T.Ramp(T.ramp(0, 1, {n}), {n}, {n}))",
    "T.evaluate(T.Shuffle([T.broadcast(1, {n})], [{n}]))",
    "T.evaluate(T.Cast(\"int32x{n}\", a))",
    "T.evaluate(T.reinterpret(\"float32x{n}\", a))",
    "T.evaluate(T.int32({n}) // T.int32({n}))",
    "T.evaluate(T.int64({n}) * T.int64({n}) + T.int64({n}) % {n})",
    "T.evaluate(T.shift_left(T.int32({n}), T.int32({n})))",
    "T.evaluate(T.shift_right(T.uint64({n}), {n}))",
    "T.evaluate(T.uint8({n}) - T.uint8({n}))",
    "T.evaluate(T.float32({n}) / T.float32({n}))",
    "T.evaluate(T.truncdiv({n}, {n}) + T.floormod({n}, {n}))",
    "T.evaluate(T.pow(T.float32({n}), T.float32({n})))",
    "T.evaluate(T.max_value(\"int{n}\"))",
    "T.evaluate(T.min_value(\"float{n}\"))",
    "T.evaluate(T.Cast(\"int8\", {n}))",
    "for i in T.serial({n}, {n}):\n        A[i] = T.float32(0)",
    "for i in T.vectorized({n}):\n        A[i] = A[i + {n}]",
    "for i, j, k in T.grid({n}, {n}, {n}):\n        A[i * {n} + j // {n} + k % {n}] = T.float32(0)",
    "for i in T.thread_binding({n}, thread=\"threadIdx.x\"):\n        T.evaluate(i)",
    "for i in T.serial({n}):\n        with T.block(\"b\"):\n            v = T.axis.spatial({n}, i + {n})\n            w = T.axis.reduce(({n}, {n}), i)\n            A[v * {n} + w] = A[v]",
    "with T.block(\"b\"):\n        T.reads(A[{n}:{n}])\n        T.writes(A[{n}])\n        T.where(a < {n})\n        A[0] = T.float32(0)",
    "T.evaluate(A.access_ptr({n}, \"handle\", {n}, {n}, {n}))",
    "T.evaluate(A.vload([{n}], \"float32x{n}\"))",
    "A.vstore([{n}], T.broadcast(T.float32(0), {n}))",
    "T.evaluate(A[A.strides[{n}]])",
    "T.evaluate(A.shape[{n}])",
    "T.launch_thread(\"threadIdx.x\", {n})\n    T.evaluate(0)",
    "T.evaluate(T.tvm_tuple(*([0] * 100)))",
    "T.evaluate(T.call_extern(\"int32x{n}\", \"f\", {n}))",
    "T.evaluate(T.type_annotation(\"float{n}\"))",
    "T.func_attr({\"m\": T.index_map(lambda i, j: [i // {n}, j % {n}])})\n    T.evaluate(0)",
    "T.evaluate(T.vscale() * {n})",
    "T.evaluate(T.bitwise_not(T.uint64({n})))",
    "T.evaluate(T.clz(T.int64({n})))",
    "T.evaluate(T.q_multiply_shift({n}, {n}, {n}, {n}))",
    "T.evaluate(T.vectorlow(\"int32x{n}\", T.broadcast(1, {n})))",
];

/// A function of scalars with one statement.
pub(super) fn tir(random: &mut Random) -> String {
    let body = pick(random, BODIES);
    let body = filled(random, body);
    let buffer = pick(
        random,
        &[
            "T.Buffer((16,), \"float32\")",
            "T.Buffer(({n}, {n}), \"float32\")",
            "T.Buffer(({n},), \"float{n}\")",
            "T.Buffer((16,), \"float32\", strides=({n},), elem_offset={n}, align={n}, offset_factor={n})",
            "T.Buffer([1] * 100000, \"int8\")",
            "T.Buffer({n}, \"int8x{n}\")",
        ],
    );
    let buffer = filled(random, buffer);
    format!("{IMPORTS}@T.prim_func\ndef f(a: T.int32, h: T.handle, A: {buffer}):\n    {body}\n")
}
