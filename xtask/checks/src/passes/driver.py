"""Adds passes to the oracle script, whose path is in the variable TVMSCRIPT_ORACLE.

  pass        {text, passes, options, [ours, ours_text]}  -> text; with `ours`, the JSON of our result: equal, mismatch;
              unless they are equal: reads_back, if TVM reads its own text of its result
  pass_times  {text, passes}                   -> times: CPU seconds of each pass in the chain, the shortest of five runs
  pass_spans  {text, passes, options}          -> nodes, nodes_with_source, after every node of the input got a span
"""
import json
import os
import re
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.environ["TVMSCRIPT_ORACLE"]))
import oracle  # noqa: E402


def _build_with_c(tvm):
    """Lets constant folding run functions where TVM was built without LLVM, the only target that it asks for."""
    if tvm.get_global_func("target.build.llvm", allow_missing=True) is not None:
        return

    def build(function, target, *_):
        module = function if isinstance(function, tvm.IRModule) else tvm.IRModule({"tir_function": function})
        folder = tempfile.mkdtemp()
        try:
            file = os.path.join(folder, "folded.so")
            # The compiler knows `half` by another name.
            options = ["-shared", "-fPIC", "-Dhalf=_Float16", "-fexcess-precision=16"]
            tvm.tir.build(module, target="c").export_library(file, options=options)
            return tvm.runtime.load_module(file)
        finally:
            shutil.rmtree(folder)

    tvm.register_global_func("tir.build", build, override=True)


def _make_pass(tvm, name):
    dialect, _, rest = name.partition(".")
    factory = getattr(getattr(tvm, dialect).transform, rest, None)
    if factory is None:
        factory = tvm.get_global_func(f"{dialect}.transform.{rest}")
    return factory()


def _config(tvm, options):
    """Options by dotted key; the last part may be a field of a configuration node."""
    known, config = tvm.ir.transform.PassContext.list_configs(), {}
    for key, value in options.items():
        head, _, tail = key.rpartition(".")
        if key in known:
            config[key] = value
        elif head in known:
            config.setdefault(head, {})[tail] = value
    return config


def _transform(tvm, mod, req):
    _build_with_c(tvm)
    with tvm.transform.PassContext(opt_level=3, config=_config(tvm, req.get("options") or {})):
        for name in req["passes"]:
            mod = _make_pass(tvm, name)(mod)
    return mod


def _module(tvm, obj):
    return obj if isinstance(obj, tvm.IRModule) else tvm.IRModule.from_expr(obj)


def _unwrap(tvm, obj, mod):
    """The result of passes for a function is a function, unless they added others."""
    functions = list(mod.functions.values())
    return functions[0] if not isinstance(obj, tvm.IRModule) and len(functions) == 1 else mod


def _load(tvm, text):
    """Loads our JSON; adds the annotations that calls have in some builds of TVM only."""
    graph = json.loads(text)
    calls = [node["data"] for node in graph["nodes"] if node["type"] == "tir.Call"]
    if any(field.name == "annotations" for field in tvm.tir.Call.__tvm_ffi_type_info__.fields):
        for data in calls:
            data["annotations"] = len(graph["nodes"])
        graph["nodes"].append({"type": "ffi.Map", "data": []})
    return tvm.ir.load_json(json.dumps(graph))


def _pass(tvm, req):
    obj = oracle._parse(req["text"])
    result = _unwrap(tvm, obj, _transform(tvm, _module(tvm, obj), req))
    answer = {"ok": True}
    try:
        answer["text"] = oracle._print(result, {})
    except oracle.OpError as error:
        answer["text"] = str(error)
    if req.get("ours") is None:
        answer["reads_back"] = _reads_back(answer["text"])
        return answer
    try:
        # TVM writes numbers that are not finite to JSON but does not read them.
        is_finite = not re.search(r"\b(NaN|Infinity)\b", req["ours"])
        ours = _load(tvm, req["ours"]) if is_finite else oracle._parse(req["ours_text"])
    except Exception as error:
        return dict(answer, equal=False, mismatch={"lhs": "TVM cannot load our JSON", "rhs": str(error)[:500]})
    equal, mismatch = oracle._equal(ours, result, False)
    # A program with variables that nothing defines is not even equal to itself, unless such variables may be matched.
    if not equal and not oracle._equal(obj, tvm.ir.load_json(tvm.ir.save_json(obj)), False)[0]:
        equal, mismatch = oracle._equal(ours, result, True)
    answer.update(equal=equal, mismatch=mismatch)
    if not equal:
        answer["reads_back"] = _reads_back(answer["text"])
    return answer


def _times(tvm, req):
    mod = _module(tvm, oracle._parse(req["text"]))
    _build_with_c(tvm)
    times = []
    with tvm.transform.PassContext(opt_level=3):
        for name in req["passes"]:
            make, runs = _make_pass(tvm, name), []
            for _ in range(5):
                start = time.process_time()
                result = make(mod)
                runs.append(time.process_time() - start)
            mod = result
            times.append(min(runs))
    return {"ok": True, "times": times}


def _reads_back(text):
    try:
        oracle._parse(text)
        return True
    except oracle.OpError:
        return False


def _with_spans(tvm, obj):
    """The same graph with a span in every node that can hold one."""
    graph = json.loads(tvm.ir.save_json(obj))
    span = json.loads(tvm.ir.save_json(tvm.ir.Span(tvm.ir.SourceName("source"), 1, 1, 1, 1)))
    # Nodes refer to each other by position.
    offset = len(graph["nodes"])
    for node in span["nodes"]:
        if node["type"] == "ir.Span":
            node["data"]["source_name"] += offset
    graph["nodes"] += span["nodes"]
    for node in graph["nodes"][:offset]:
        data = node.get("data")
        if isinstance(data, dict) and data.get("span") == 0:
            data["span"] = offset + span["root_index"]
    return tvm.ir.load_json(json.dumps(graph))


def _spans(tvm, req):
    mod = _transform(tvm, _module(tvm, _with_spans(tvm, oracle._parse(req["text"]))), req)
    nodes = json.loads(tvm.ir.save_json(mod))["nodes"]
    spans = [node["data"]["span"] for node in nodes if isinstance(node.get("data"), dict) and "span" in node["data"]]
    return {"ok": True, "nodes": len(spans), "nodes_with_source": sum(span != 0 for span in spans)}


_OPERATIONS = {"pass": _pass, "pass_times": _times, "pass_spans": _spans}
_handle = oracle.handle


def handle(req):
    operation = _OPERATIONS.get(req.get("op"))
    if operation is None:
        return _handle(req)
    try:
        return operation(oracle._load()["tvm"], req)
    except oracle.OpError as error:
        return {"ok": False, "error": error.info}
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        return {"ok": False, "error": {"stage": "pass", "cls": type(error).__name__, "msg": str(error)[:2000]}}


oracle.handle = handle

if __name__ == "__main__":
    oracle.main()
