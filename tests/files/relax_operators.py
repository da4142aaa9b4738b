# One Relax function for each family of operators.
from tvm.script import relax as R
from tvm.script import tir as T

DTYPE = "float32"


@R.function
def unary(x: R.Tensor((2, 3), DTYPE)):
    a = R.abs(x)
    b = R.ceil(a)
    c = R.cos(b)
    d = R.exp(c)
    e = R.floor(d)
    f = R.log(e)
    g = R.negative(f)
    h = R.round(g)
    i = R.rsqrt(h)
    j = R.sigmoid(i)
    k = R.sign(j)
    l = R.square(k)
    m = R.clip(l, 0, 6)
    n = R.erf(m)
    return n


@R.function
def binary(x: R.Tensor((2, 3), DTYPE), y: R.Tensor((3,), DTYPE)):
    a = R.add(x, y)
    b = R.divide(a, y)
    c = R.floor_divide(b, y)
    d = R.multiply(c, y)
    e = R.power(d, y)
    f = R.subtract(e, y)
    g = R.maximum(f, y)
    h = R.minimum(g, y)
    i = R.less(h, y)
    j = R.logical_not(i)
    k = R.where(j, h, x)
    return k


@R.function
def shapes(x: R.Tensor((2, 3, 4), DTYPE)):
    with R.dataflow():
        a = R.expand_dims(x, axis=[0])
        b = R.squeeze(a, axis=[0])
        c = R.reshape(b, (6, 4))
        d = R.permute_dims(c, axes=[1, 0])
        e = R.broadcast_to(d, (5, 4, 6))
        f = R.flatten(e)
        g = R.concat([f, f], axis=0)
        h = R.split(g, [10, 20], axis=0)
        R.output(h)
    return h


@R.function
def indexing(x: R.Tensor((8, 8), DTYPE), i: R.Tensor((3,), "int64")):
    a = R.take(x, i, axis=0)
    b = R.strided_slice(x, axes=[0, 1], begin=[0, 2], end=[8, 6], strides=[2, 1])
    c = R.flip(b, axis=1)
    d = R.repeat(c, repeats=2, axis=0)
    e = R.tile(d, (1, 2))
    f = R.gather_elements(x, R.const([[0, 1], [2, 3]], "int64"), axis=1)
    return (a, e, f)


@R.function
def reductions(x: R.Tensor((2, 3, 4), DTYPE)):
    a = R.sum(x, axis=[0, 1], keepdims=True)
    b = R.mean(x, axis=2)
    c = R.max(x)
    d = R.min(x, axis=0)
    e = R.prod(x, axis=1)
    f = R.variance(x, axis=-1, keepdims=False)
    g = R.argmax(x, axis=1)
    h = R.cumsum(x, axis=0, dtype="float32")
    return (a, b, c, d, e, f, g, h)


@R.function
def creation(x: R.Tensor((2, 3), DTYPE)):
    a = R.zeros((2, 3), DTYPE)
    b = R.ones(R.shape([2, 3]), "float16")
    c = R.full((2, 3), R.const(1.5, DTYPE), DTYPE)
    d = R.zeros_like(x)
    e = R.arange(0, 10, 2, "int64")
    f = R.tril(x)
    g = R.astype(f, "int32")
    return (a, b, c, d, e, g)


@R.function
def convolution(x: R.Tensor((1, 3, 28, 28), DTYPE), w: R.Tensor((8, 3, 3, 3), DTYPE)):
    with R.dataflow():
        a = R.nn.conv2d(x, w, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW")
        b = R.nn.relu(a)
        c = R.nn.max_pool2d(b, pool_size=[2, 2], strides=[2, 2])
        d = R.nn.adaptive_avg_pool2d(c, output_size=[1, 1])
        e = R.nn.dropout(d, rate=0.5)
        R.output(e)
    return e


@R.function
def resize(x: R.Tensor((1, 3, 16, 16), DTYPE)):
    y = R.image.resize2d(x, (32, 32), layout="NCHW", method="linear")
    return y


@R.function
def einsum(x: R.Tensor((2, 3), DTYPE), y: R.Tensor((3, 4), DTYPE)):
    z = R.einsum((x, y), "ij,jk->ik")
    w = R.linear(R.ones((1, 4), DTYPE), R.ones((5, 4), DTYPE))
    return (z, w)


@R.function
def symbolic(x: R.Tensor(("b", "s", 8), DTYPE)):
    b = T.int64()
    s = T.int64()
    y = R.reshape(x, R.shape([b * s, 8]))
    z = R.matmul(y, R.permute_dims(y))
    return z
