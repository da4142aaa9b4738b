"""Models as modules, collected by a function that inspects its own file."""
import inspect
import sys
from pathlib import Path
from typing import Final, Iterator

import numpy.typing as npt
import tvm
from tvm.ir import IRModule
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T

HIDDEN: Final = 32
VOCAB: Final[int] = 100
ROOT = Path(__file__).parent
Array = "npt.NDArray"


@I.ir_module
class Embedding:
    @R.function
    def main(ids: R.Tensor((1, "s"), "int64"), table: R.Tensor((VOCAB, HIDDEN), "float32")) -> R.Tensor((1, "s", HIDDEN), "float32"):
        s = T.int64()
        with R.dataflow():
            flat = R.reshape(ids, R.shape([s]))
            rows = R.take(table, flat, axis=0)
            out = R.reshape(rows, R.shape([1, s, HIDDEN]))
            R.output(out)
        return out


@I.ir_module
class GatedMlp:
    @R.function
    def main(x: R.Tensor((1, "s", HIDDEN), "float32"), gate_up: R.Tensor((HIDDEN, 128), "float32"), down: R.Tensor((64, HIDDEN), "float32")):
        with R.dataflow():
            both = R.matmul(x, gate_up)
            parts = R.split(both, 2, axis=-1)
            gate = R.nn.silu(parts[0])
            hidden = R.multiply(gate, parts[1])
            out = R.matmul(hidden, down)
            R.output(out)
        return out


@I.ir_module
class RmsNorm:
    @R.function
    def main(x: R.Tensor(("b", HIDDEN), "float32"), w: R.Tensor((HIDDEN,), "float32")):
        with R.dataflow():
            y = R.nn.rms_norm(x, w, axes=[-1], epsilon=1e-6)
            R.output(y)
        return y


@I.ir_module
class LogitProcessor:
    @T.prim_func(private=True)
    def apply_bias(logits: T.handle, bias: T.handle):
        b = T.int64()
        L = T.match_buffer(logits, (b, T.int64(VOCAB)), "float32")
        B = T.match_buffer(bias, (T.int64(VOCAB),), "float32")
        for i, v in T.grid(b, T.int64(VOCAB)):
            with T.block("bias"):
                vi, vv = T.axis.remap("SS", [i, v])
                L[vi, vv] = L[vi, vv] + B[vv]

    @R.function
    def main(logits: R.Tensor(("b", VOCAB), "float32"), bias: R.Tensor((VOCAB,), "float32")):
        b = T.int64()
        cls = LogitProcessor
        with R.dataflow():
            lv = R.call_tir_inplace(
                cls.apply_bias, (logits, bias), inplace_indices=0, out_sinfo=R.Tensor((b, VOCAB), "float32")
            )
            p = R.nn.softmax(lv, axis=-1)
            i = R.argmax(p, axis=-1)
            R.output(p, i)
        return (p, i)


@I.ir_module
class LeNet:
    @R.function
    def main(
        x: R.Tensor((1, 1, 28, 28), "float32"),
        w0: R.Tensor((6, 1, 5, 5), "float32"),
        w1: R.Tensor((10, 864), "float32"),
    ) -> R.Tensor((1, 10), "float32"):
        with R.dataflow():
            c = R.nn.conv2d(x, w0, padding=(0, 0))
            r = R.nn.relu(c)
            p = R.nn.avg_pool2d(r, pool_size=(2, 2), strides=(2, 2))
            f = R.reshape(p, (1, 864))
            y = R.matmul(f, R.permute_dims(w1))
            R.output(y)
        return y


def models() -> Iterator[tuple[str, IRModule]]:
    for name, value in inspect.getmembers(sys.modules[__name__]):
        if isinstance(value, tvm.IRModule):
            yield name, value


def save_all(folder: Path = ROOT / "models") -> None:
    folder.mkdir(exist_ok=True)
    for name, mod in models():
        (folder / f"{name}.json").write_text(tvm.ir.save_json(mod))


COUNT = len([name for name, _ in models()])
