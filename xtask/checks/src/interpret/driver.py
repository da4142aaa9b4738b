"""Adds the running of kernels to the oracle script, whose path is in the variable TVMSCRIPT_ORACLE.

  run  {text, target, arguments}  -> arguments, result: a function is built for `target`, and runs on the arguments

An argument is {"dtype", "shape", "bytes"}, with the little-endian bytes in hexadecimal, or a number. Answers have the
same form.
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.environ["TVMSCRIPT_ORACLE"]))
import oracle  # noqa: E402


def _dtype(name):
    import ml_dtypes
    import numpy

    return numpy.dtype(getattr(ml_dtypes, name) if hasattr(ml_dtypes, name) else name)


def _to_tvm(tvm, argument):
    if not isinstance(argument, dict):
        return argument
    import numpy

    data = numpy.frombuffer(bytes.fromhex(argument["bytes"]), _dtype(argument["dtype"]))
    return tvm.runtime.tensor(data.reshape(argument["shape"]))


def _from_tvm(value):
    if not hasattr(value, "numpy"):
        return value
    return dict(bytes=value.numpy().tobytes().hex())


def _build(tvm, text, target, folder):
    function = oracle._parse(text)
    if isinstance(function, tvm.IRModule):
        [function] = function.functions.values()
    # The target of the function is that of the kernel it was part of.
    function = function.without_attr("target").with_attr("global_symbol", "kernel")
    file = os.path.join(folder, "kernel.so")
    module = tvm.tir.build(tvm.IRModule({"kernel": function}), target=target)
    # Without these, the compiler knows no `half`, or computes with more digits than it has.
    half = ["-Dhalf=_Float16", "-fexcess-precision=16"] if target == "c" else []
    module.export_library(file, options=["-shared", "-fPIC", "-O2"] + half)
    return tvm.runtime.load_module(file)["kernel"]


def _run(tvm, req):
    with tempfile.TemporaryDirectory() as folder:
        try:
            kernel = _build(tvm, req["text"], req["target"], folder)
        except oracle.OpError:
            raise
        except Exception as error:
            message = str(error).strip().splitlines() or [""]
            # The compiler's own message comes after its command line, and TVM's after its stack.
            errors = [line for line in message if "error: " in line] or message
            return {"ok": False, "build": errors[0].split("error: ")[-1][:500]}
        arguments = [_to_tvm(tvm, argument) for argument in req["arguments"]]
        result = kernel(*arguments)
        return {"ok": True, "arguments": [_from_tvm(argument) for argument in arguments], "result": result}


_handle = oracle.handle


def handle(req):
    if req.get("op") != "run":
        return _handle(req)
    try:
        return _run(oracle._load()["tvm"], req)
    except oracle.OpError as error:
        return {"ok": False, "error": error.info}
    except Exception as error:
        return {"ok": False, "error": {"stage": "run", "cls": type(error).__name__, "msg": str(error)[:2000]}}


oracle.handle = handle

if __name__ == "__main__":
    oracle.main()
