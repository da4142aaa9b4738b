"""Layers as Relax functions, and a model that a dataclass configures."""
from dataclasses import dataclass, field
from typing import List, Optional, Tuple

import tvm
from tvm.script import relax as R


@dataclass
class Config:
    hidden: int = 64
    layers: int = 2
    dtype: str = "float16"
    shape: Tuple[int, int] = (1, 64)
    names: List[str] = field(default_factory=list)
    bias: Optional[bool] = None


CONFIG = Config(layers=4)


@R.function
def relu(x: R.Tensor(("n", 64), "float16")) -> R.Tensor(("n", 64), "float16"):
    with R.dataflow():
        y = R.nn.relu(x)
        R.output(y)
    return y


@R.function
def linear(
    x: R.Tensor((1, 64), "float16"),
    w: R.Tensor((64, 64), "float16"),
    b: R.Tensor((64,), "float16"),
) -> R.Tensor((1, 64), "float16"):
    with R.dataflow():
        wt = R.permute_dims(w)
        y = R.matmul(x, wt, out_dtype="float16")
        z = R.add(y, b)
        R.output(z)
    return z


@R.function
def attention(
    q: R.Tensor((1, 8, 4, 16), "float32"),
    k: R.Tensor((1, 8, 4, 16), "float32"),
    v: R.Tensor((1, 8, 4, 16), "float32"),
):
    with R.dataflow():
        out = R.nn.attention(q, k, v, scale=R.const(0.25, "float32") if False else 0.25)
        R.output(out)
    return out


@R.function
def softmax_pair(x: R.Tensor((2, 8), "float32")) -> R.Tuple(R.Tensor((2, 8), "float32"), R.Tensor((2,), "float32")):
    with R.dataflow():
        p = R.nn.softmax(x, axis=-1)
        m = R.max(x, axis=1)
        R.output(p, m)
    return (p, m)


@R.function
def layer_norm(x: R.Tensor((2, 8), "float32"), g: R.Tensor((8,), "float32"), b: R.Tensor((8,), "float32")):
    with R.dataflow():
        y = R.nn.layer_norm(x, g, b, axes=[-1], epsilon=1e-5)
        z = R.nn.gelu(y)
        R.output(z)
    return z


def build_mlp(config: Config) -> tvm.IRModule:
    hidden = config.hidden

    @R.function
    def mlp(x: R.Tensor((1, 64), "float16"), w: R.Tensor((64, 64), "float16")):
        with R.dataflow():
            y = R.matmul(x, w)
            z = R.reshape(y, R.shape([hidden]))
            R.output(z)
        return z

    return tvm.IRModule({"mlp": mlp})


class Model:
    def __init__(self, config: Config):
        self.config = config
        self.mod = build_mlp(config)

    def forward(self, *args):
        return [self.mod for _ in range(self.config.layers)]


model = Model(CONFIG)
