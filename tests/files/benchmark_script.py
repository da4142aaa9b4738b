#!/usr/bin/env python3
"""A benchmark as a user writes one: arguments, files, timing, results as a table."""
import argparse
import csv
import pathlib
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import tvm
from tvm import meta_schedule as ms
from tvm.script import tir as T

HERE = pathlib.Path(__file__).resolve().parent
RESULTS = defaultdict(list)
N = int("1024")


@T.prim_func
def saxpy(a: T.float32, X: T.Buffer((N,), "float32"), Y: T.Buffer((N,), "float32")):
    for i in T.serial(N):
        with T.block("saxpy"):
            v = T.axis.spatial(N, i)
            Y[v] = a * X[v] + Y[v]


@T.prim_func
def dot(X: T.Buffer((N,), "float32"), Y: T.Buffer((N,), "float32"), Z: T.Buffer((1,), "float32")):
    for i in T.serial(N):
        with T.block("dot"):
            v = T.axis.reduce(N, i)
            with T.init():
                Z[0] = T.float32(0)
            Z[0] = Z[0] + X[v] * Y[v]


@T.prim_func
def stream_triad(A: T.Buffer((N,), "float32"), B: T.Buffer((N,), "float32"), C: T.Buffer((N,), "float32")):
    for i_0 in T.parallel(N // 64):
        for i_1 in T.vectorized(64):
            A[i_0 * 64 + i_1] = B[i_0 * 64 + i_1] + T.float32(3) * C[i_0 * 64 + i_1]


def parse_args(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--target", default="llvm -num-cores 4")
    parser.add_argument("-o", "--output", type=argparse.FileType("w"), default=sys.stdout)
    return parser.parse_args(argv)


def make_kernel(n, dtype):
    @T.prim_func
    def fill(A: T.Buffer((n,), dtype)):
        for i in range(n):
            A[i] = T.Cast(dtype, 0)

    return fill


def measure(func, *args, repeat=3):
    best = float("inf")
    for _ in range(repeat):
        begin = time.perf_counter()
        func(*args)
        best = min(best, time.perf_counter() - begin)
    return best


def main(argv=None):
    args = parse_args(argv)
    target = tvm.target.Target(args.target)
    kernels = {"saxpy": saxpy, "dot": dot, "triad": stream_triad}
    kernels.update({f"fill_{n}": make_kernel(n, "int32") for n in (16, 32)})
    with ThreadPoolExecutor() as pool:
        futures = {name: pool.submit(tvm.compile, func, target) for name, func in kernels.items()}
    for name, future in futures.items():
        lib = future.result()
        x = tvm.runtime.tensor(np.ones(N, "float32"))
        RESULTS[name].append(measure(lib, x, repeat=args.repeat))
    writer = csv.writer(args.output)
    writer.writerows((k, *v) for k, v in RESULTS.items())
    database = ms.database.JSONDatabase(work_dir=str(HERE / "work"))
    return 0 if database else 1


if __name__ == "__main__":
    sys.exit(main())
