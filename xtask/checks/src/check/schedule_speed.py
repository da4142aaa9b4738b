"""Applies traces with TVM and prints the seconds of each: one line of JSON per case, in and out."""

import json
import sys
import time

import tvm
from tvm.script import from_source
from tvm.tir.schedule import Schedule, Trace

for line in sys.stdin:
    case = json.loads(line)
    try:
        module = from_source(case["before"])
        best = None
        for _ in range(3):
            schedule = Schedule(module)
            start = time.perf_counter()
            Trace.apply_json_to_schedule(case["trace_json"], schedule)
            seconds = time.perf_counter() - start
            best = seconds if best is None else min(best, seconds)
        print(json.dumps({"seconds": best}), flush=True)
    except Exception as error:  # noqa: BLE001
        print(json.dumps({"error": str(error)[:200]}), flush=True)
