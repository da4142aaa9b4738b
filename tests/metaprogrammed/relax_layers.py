"""Relax functions from factories, helpers and macros."""
from dataclasses import dataclass

from tvm import relax
from tvm.script import relax as R


def linear(batch, n, m, dtype="float32", bias=True):
    if bias:

        @R.function
        def main(x: R.Tensor((batch, n), dtype), w: R.Tensor((n, m), dtype), b: R.Tensor((m,), dtype)):
            y = R.matmul(R.reshape(x, (batch, n)), w, out_dtype=dtype)
            z = R.reshape(R.add(y, b), (batch, m))
            return z

    else:

        @R.function
        def main(x: R.Tensor((batch, n), dtype), w: R.Tensor((n, m), dtype)):
            y = R.matmul(R.reshape(x, (batch, n)), w, out_dtype=dtype)
            z = R.reshape(y, (batch, m))
            return z

    return main


linear_bias = linear(2, 4, 8)
linear_plain = linear(1, 3, 5, "float16", bias=False)


def gelu(x):
    return R.multiply(x, R.nn.gelu(x))


@R.function
def with_helper(x: R.Tensor((4, 4), "float32")):
    y = gelu(x)
    z = gelu(y)
    return z


def chain(*operators):
    def apply(x):
        for operator in operators:
            x = operator(x)
        return x

    @R.function
    def main(x: R.Tensor(("n", 8), "float32")):
        y = apply(x)
        return y

    return main


chain_two = chain(R.exp, R.nn.relu)
chain_lambda = chain(lambda x: R.add(x, R.const(1.0, "float32")), R.sqrt, R.tanh)


@R.macro
def residual(x, w):
    y = R.matmul(x, w)
    z = R.nn.relu(y)
    return R.add(x, z)


@R.function
def two_residuals(x: R.Tensor((4, 4), "float32"), w: R.Tensor((4, 4), "float32")):
    a = residual(x, w)
    b = residual(a, w)
    return b


scale = 3.0


def factors(value):
    factor = value

    @R.macro
    def times(x):
        y = R.multiply(x, R.const(factor, "float32"))
        return y

    @R.function
    def main(x: R.Tensor((2, 2), "float32")):
        z = times(x)
        return z

    return main


times_2 = factors(2.0)
times_3 = factors(scale)


@dataclass
class Attention:
    heads: int
    size: int
    causal: bool = False

    @property
    def shape(self):
        return (1, 16, self.heads, self.size)


def attention(config):
    mask = "TopLeft" if config.causal else None

    @R.function
    def main(
        q: R.Tensor(config.shape, "float16"), k: R.Tensor(config.shape, "float16"), v: R.Tensor(config.shape, "float16")
    ):
        with R.dataflow():
            o = R.nn.attention(q, k, v, causal_mask=mask)
            p = R.reshape(o, (1, 16, config.heads * config.size))
            R.output(p)
        return p

    return main


attention_plain = attention(Attention(8, 64))
attention_causal = attention(Attention(2, 32, causal=True))


def static_branch(training):
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        y = R.nn.relu(x) if training else x
        z = R.add(y, y)
        return z

    return main


trained, inferred = static_branch(True), static_branch(False)


def split_sizes(*sizes):
    total = sum(sizes)
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes) - 1)]

    @R.function
    def main(x: R.Tensor((total, 4), "float32")):
        parts = R.split(R.reshape(x, (total, 4)), ends, axis=0)
        first = parts[0]
        return first

    return main


split_3 = split_sizes(1, 2, 3)
split_2 = split_sizes(4, 4)


def permuted(order):
    source = "nchw"
    axes = [source.index(axis) for axis in order]

    @R.function
    def main(x: R.Tensor((1, 3, 8, 8), "float32")):
        y = R.permute_dims(x, axes)
        return y

    return main


permutations = {order: permuted(order) for order in ("nhwc", "hwnc")}
