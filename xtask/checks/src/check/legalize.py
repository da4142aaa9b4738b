"""Adds an operation to the oracle script, whose path is in the variable TVMSCRIPT_ORACLE.

  calls  {text}  -> calls: for each call of a Relax operator its name, a program of this call alone (op, text), and what
                    TVM's LegalizeOps makes of it (legal), or the error
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.environ["TVMSCRIPT_ORACLE"]))
import oracle  # noqa: E402

CALLS = ("relax.call_tir", "relax.call_dps_packed", "relax.call_pure_packed", "relax.call_inplace_packed")


def _scalars(tvm, value, found):
    """The variables of a shape, a scalar or a type, in order."""
    if isinstance(value, tvm.relax.ShapeExpr | tvm.relax.ShapeType):
        parts = value.values or []
    elif isinstance(value, tvm.relax.TensorType):
        parts = [] if value.shape is None else [value.shape]
    elif isinstance(value, tvm.relax.Tuple | tvm.relax.TupleType):
        parts = value.fields
    elif isinstance(value, tvm.ir.Expr) and tvm.ir.is_prim_expr(value):
        found.extend(var for var in tvm.tirx.analysis.undefined_vars(value) if var not in found)
        return
    else:
        return
    for part in parts:
        _scalars(tvm, part, found)


def _alone(tvm, call):
    """A program of one call: variables and large constants are parameters."""
    relax = tvm.relax
    params, known = [], {}

    def operand(value):
        if isinstance(value, relax.Tuple):
            return relax.Tuple([operand(field) for field in value.fields])
        if tvm.ir.is_prim_expr(value):
            return value
        is_large = isinstance(value, tvm.ir.GenericConst) and getattr(value.value, "shape", ()) != ()
        if not isinstance(value, tvm.ir.Var) and not is_large:
            return value
        if value not in known:
            known[value] = relax.Var(getattr(value, "name", f"c{len(params)}"), value.ty)
            params.append(known[value])
        return known[value]

    args = [operand(value) for value in call.args]
    alone = tvm.ir.Call(call.op, args, call.attrs, call.ty_args)
    scalars = []
    for value in [param.ty for param in params] + list(call.args):
        _scalars(tvm, value, scalars)
    if scalars:
        params.append(relax.Var("scalars", relax.ShapeType(scalars)))
    builder = relax.BlockBuilder()
    with builder.function("main", params):
        with builder.dataflow():
            result = builder.emit_output(alone)
        builder.emit_func_output(result)
    return builder.finalize()


def _text(program):
    """The program's text. TVM writes an item of a tuple as one that Python takes at once; it is written as a call here."""
    text = program.script(show_meta=True)
    return re.sub(r"= \(([^()]*?),?\)\[(\d+)\]$", r"= R.TupleGetItem(R.tuple(\1), \2)", text, flags=re.MULTILINE)


def _calls(tvm, req):
    mod = oracle._parse(req["text"])
    mod = mod if isinstance(mod, tvm.IRModule) else tvm.IRModule.from_expr(mod)
    functions = [function for function in mod.functions.values() if isinstance(function, tvm.relax.Function)]
    bindings = [binding for function in functions for block in function.body.blocks for binding in block.bindings]
    calls = []
    for binding in bindings:
        call = binding.value
        if not (isinstance(call, tvm.ir.Call) and isinstance(call.op, tvm.ir.Op)) or call.op.name in CALLS:
            continue
        try:
            program = _alone(tvm, call)
            answer = {"op": call.op.name, "text": program.script(show_meta=True)}
        except Exception:
            continue
        try:
            answer["legal"] = _text(tvm.relax.transform.LegalizeOps()(program))
        except Exception as error:
            answer["error"] = str(error)[:300]
        calls.append(answer)
    return {"ok": True, "calls": calls}


_handle = oracle.handle


def handle(req):
    if req.get("op") != "calls":
        return _handle(req)
    try:
        return _calls(oracle._load()["tvm"], req)
    except oracle.OpError as error:
        return {"ok": False, "error": error.info}


oracle.handle = handle

if __name__ == "__main__":
    oracle.main()
