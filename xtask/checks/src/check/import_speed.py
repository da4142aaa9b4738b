"""Times TVM's importers: `import_speed.py MODEL..` prints the fastest of three conversions of each, in milliseconds, as JSON.

The file is read before, so that only the conversion counts. A model that TVM refuses has no time.
"""

import json
import sys
import time


def converter(path):
    if path.endswith(".onnx"):
        import onnx
        from tvm.relax.frontend.onnx import from_onnx

        model = onnx.load(path)
        return lambda: from_onnx(model)
    import tflite
    from tvm.relax.frontend.tflite import from_tflite

    data = open(path, "rb").read()
    return lambda: from_tflite(tflite.Model.GetRootAsModel(data, 0))


def fastest(path):
    try:
        convert = converter(path)
        times = []
        for _ in range(3):
            start = time.perf_counter()
            convert()
            times.append(time.perf_counter() - start)
        return min(times) * 1e3
    except BaseException:
        return None


for path in sys.argv[1:]:
    print(json.dumps({"path": path, "ms": fastest(path)}), flush=True)
