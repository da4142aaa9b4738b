"""Writes expected.json: what NumPy computes, in 64 bits, for the kernels of this folder on the inputs of seed 1.

Needs NumPy. The inputs are those of `generate` in the crate `interpreter`: numbers of a splitmix generator from -2 to 2.
"""

import json
from pathlib import Path

import numpy as np

MASK = (1 << 64) - 1


class Random:
    def __init__(self, seed):
        self.state = seed ^ 0x9E3779B97F4A7C15

    def word(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        mixed = ((self.state ^ (self.state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        return mixed ^ (mixed >> 31)

    def tensor(self, *shape, dtype="float32"):
        count = int(np.prod(shape))
        values = [(self.word() >> 11) / (1 << 51) - 2.0 for _ in range(count)]
        return np.array(values).astype(dtype).astype("float64").reshape(shape)


def softmax(a):
    e = np.exp(a - a.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer_norm(a, gamma, beta):
    mean, var = a.mean(-1, keepdims=True), a.var(-1, keepdims=True)
    return (a - mean) / np.sqrt(var + 1e-5) * gamma + beta


def conv2d(x, w):
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
    return np.einsum("ncyxpq,fcpq->nfyx", windows, w)


def attention(q, k, v):
    return softmax(q @ k.T * 0.25) @ v


CASES = {
    "gemm": (np.matmul, [(16, 24), (24, 20)], "float32"),
    "gemm_threads": (np.matmul, [(16, 24), (24, 16)], "float32"),
    "gemm_tiles": (np.matmul, [(32, 32), (32, 32)], "float16"),
    "softmax": (softmax, [(6, 33)], "float32"),
    "attention_tiles": (attention, [(16, 16), (32, 16), (32, 16)], "float32"),
    "layer_norm": (layer_norm, [(5, 64), (64,), (64,)], "float32"),
    "conv2d": (conv2d, [(1, 3, 10, 10), (4, 3, 3, 3)], "float32"),
}

results = {}
for name, (function, shapes, dtype) in CASES.items():
    random = Random(1)
    inputs = [random.tensor(*shape, dtype=dtype) for shape in shapes]
    results[name] = [float(f"{value:.9g}") for value in function(*inputs).ravel()]
text = ",\n".join(f"  {json.dumps(name)}: {json.dumps(values)}" for name, values in results.items())
Path(__file__).with_name("expected.json").write_text("{\n" + text + "\n}\n")
