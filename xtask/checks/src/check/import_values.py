"""Runs imported modules in TVM on the reference inputs of their models: `import_values.py MODELS TEXTS`.

Prints one line of JSON per text: {"name": .., "answer": "same" | "other" | "failed" | "no reference", "why": ..}.
"""

import json
import os
import sys

import numpy as np
import tvm
from tvm import relax


def flat(value):
    if isinstance(value, (list, tuple)) or type(value).__name__ == "Array":
        return [x for item in value for x in flat(item)]
    return [value]


def numpy_of(value):
    return value.numpy() if hasattr(value, "numpy") else np.array(list(value) if hasattr(value, "__iter__") else value)


def last_line(error):
    return (str(error).strip() or type(error).__name__).splitlines()[-1][:200]


def in_order_of_params(module, models, name, keys):
    """The inputs as the parameters come, if the model names its inputs (TensorFlow stores them in any order)."""
    spans = os.path.join(models, name + ".spans.json")
    if not os.path.exists(spans):
        return keys
    inputs = json.load(open(spans)).get("inputs") or []
    names = [x["name"] for x in inputs if isinstance(x, dict) and "tensor" in x]
    params = [p.name for p in module["main"].params]
    if len(names) != len(keys) or sorted(names) != sorted(params):
        return keys
    return [keys[names.index(p)] for p in params]


def judge(models, texts, name):
    reference = os.path.join(models, name + ".io.npz")
    if not os.path.exists(reference):
        return "no reference", ""
    io = np.load(reference, allow_pickle=False)
    source = open(os.path.join(texts, name + ".py")).read()
    try:
        module = tvm.script.from_source(source)
    except BaseException as error:
        return "failed", "parse: " + last_line(error)
    try:
        is_stored = all(io[k].dtype.kind != "V" for k in io.files if k.startswith("in"))
        outs = [io[k] for k in sorted((k for k in io.files if k.startswith("out")), key=lambda k: int(k[3:]))]
    except ValueError:
        is_stored = False
    if not is_stored:
        return "no reference", "a type that numpy does not store"
    try:
        module = relax.transform.DecomposeOpsForInference()(module)
        built = relax.build(module, target="llvm")
        machine = relax.VirtualMachine(built, tvm.cpu())
        keys = sorted((k for k in io.files if k.startswith("in")), key=lambda k: int(k[2:]))
        keys = in_order_of_params(module, models, name, keys)
        found = machine["main"](*[tvm.runtime.tensor(io[k]) for k in keys])
    except BaseException as error:
        return "failed", "run: " + last_line(error)
    found = flat(found)
    if len(found) != len(outs):
        return "other", f"{len(found)} results, {len(outs)} expected"
    for at, (got, want) in enumerate(zip(found, outs)):
        got = numpy_of(got)
        if want.dtype.kind == "V":
            # numpy stores types of other packages as bytes.
            got, want = got.view("uint8"), want.view("uint8")
        if got.shape != want.shape:
            return "other", f"out{at}: shape {got.shape}, expected {want.shape}"
        loose = 1e-2 if want.dtype == np.float16 else 1e-3
        if not np.allclose(got.astype("float64"), want.astype("float64"), rtol=loose, atol=loose, equal_nan=True):
            return "other", f"out{at}: largest difference {np.max(np.abs(got.astype('float64') - want.astype('float64')))}"
    return "same", ""


def main():
    models, texts = sys.argv[1:]
    for file in sorted(os.listdir(texts)):
        name = file[: -len(".py")]
        answer, why = judge(models, texts, name)
        print(json.dumps({"name": name, "answer": answer, "why": why}), flush=True)


main()
