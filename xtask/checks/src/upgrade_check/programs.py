"""Programs that TVM's own Python package holds or builds, in the release that runs this script. Programs of equal names
in two releases come from the same source or the same calls.

  programs.py              prints a JSON line {name, text} for each
  programs.py --compare    reads such lines and compares each text with the program of its name, answering as the
                           oracle does; `own` tells if the release's own text holds the program

  intrinsic   the tensor intrinsics, which the package registers when it is imported: description and implementation
  kernel      functions of the package that build a script for arguments
  operator    a function of Relax with one call of an operator, and the same after the release legalized it
  compute     a tensor expression of the operator inventory as a function

The path of the oracle script is in the variable TVMSCRIPT_ORACLE.
"""
import importlib
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.environ["TVMSCRIPT_ORACLE"]))
import oracle  # noqa: E402

oracle._load()
import tvm  # noqa: E402
from tvm import relax, te, topi  # noqa: E402
from tvm.script import relax as R  # noqa: E402

tir = getattr(tvm, "tirx", None) or tvm.tir
s_tir = getattr(tvm, "s_tir", tvm.tir if hasattr(tvm, "tir") else None)


given = {}
if "--compare" in sys.argv:
    lines = [json.loads(line) for line in sys.stdin]
    given = {line["name"]: line["text"] for line in lines}


def compare(program, text):
    """Whether the text parses to the program, as the oracle answers."""
    try:
        parsed = oracle._parse(text)
    except oracle.OpError as error:
        return {"ok": False, "error": error.info}
    equal, mismatch = oracle._equal(parsed, program, True)
    return {"ok": True, "equal": equal, "mismatch": mismatch}


def show(name, build):
    if given and name not in given:
        return
    try:
        program = build()
        text = program.script()
    except Exception as error:  # The release has no such program.
        print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
        return
    if given:
        answer = compare(program, given[name])
        own = answer.get("equal") or compare(program, text).get("equal", False)
        print(json.dumps({"name": name, "own": own, **answer}))
    else:
        print(json.dumps({"name": name, "text": text}))


def intrinsics():
    registered = {}
    kind = s_tir.TensorIntrin
    real = kind.register

    def register(name, desc, impl, override=False):
        registered[name] = (desc, impl)
        return real(name, desc, impl, override=True)

    kind.register = staticmethod(register)
    for module in ["dot_product_common", "cuda", "hexagon", "metal", "riscv_cpu", "rocm", "x86", "arm_cpu"]:
        try:
            importlib.import_module(f"{s_tir.__name__}.tensor_intrin.{module}")
        except BaseException as error:  # A script that this build cannot parse ends the process.
            print(f"{module}: {type(error).__name__}: {error}", file=sys.stderr)
    for name, (desc, impl) in sorted(registered.items()):
        show(f"intrinsic_{name}_desc", lambda: desc)
        show(f"intrinsic_{name}_impl", lambda: impl)


def find(name):
    modules = [
        "relax.frontend.nn.llm.kv_cache", "relax.frontend.nn.llm._page_kernels", "relax.frontend.nn.llm._decode_kernels",
        "relax.frontend.nn.llm._prefill_kernels", "relax.frontend.nn.llm.tree_attn",
        "relax.frontend.nn.llm.position_embedding", "relax.backend.gpu_generic.sampling",
        "relax.backend.gpu_generic.cumsum",
    ]
    for module in modules:
        try:
            found = getattr(importlib.import_module(f"tvm.{module}"), name, None)
        except ImportError:
            found = None
        if found is not None:
            return found
    raise NameError(name)


def kernels():
    def target(kind="cuda"):
        return tvm.target.Target({"kind": kind, "max_num_threads": 1024, "max_threads_per_block": 1024,
                                  "max_shared_memory_per_block": 49152, "thread_warp_size": 32} if kind == "cuda" else kind)
    rope = {}
    calls = []
    for heads, dim, dtype in [(8, 64, "float16"), (4, 128, "float32")]:
        calls += [
            ("_kv_cache_transpose_append", (heads, dim, dtype), {}),
            ("_kv_cache_transpose_append_mla", (dim, dtype), {}),
            ("_kv_cache_debug_get_kv", (12, heads, dim, dtype), {}),
            ("_kv_cache_debug_get_kv_mla", (12, dim, dtype), {}),
            ("_attention_prefill_cpu", (heads, heads * 2, dim, dtype, False, rope), {}),
            ("_attention_prefill_cpu", (heads, heads * 2, dim, dtype, True, rope), {}),
            ("_attention_prefill", (heads, heads * 2, dim, dtype, False, rope, "T"), {}),
            ("_attention_prefill", (heads, heads * 2, dim, dtype, True, rope, "T"), {}),
            ("_attention_decode_cpu", (heads, heads * 2, dim, dtype, False, rope), {}),
            ("_attention_decode", (heads, heads * 2, dim, dtype, False, rope, "T"), {}),
            ("_attention_decode", (heads, heads * 2, dim, dtype, True, rope, "T"), {}),
            ("_merge_state_inplace_cpu", (dtype,), {}),
            ("_merge_state_inplace", (heads, dim, dtype, "T"), {}),
            ("_attention_sequence_prefill", (heads, heads * 2, dim, dtype, "T"), {}),
            ("_attention_prefill_ragged_cpu", (heads, heads * 2, dim, dim, dtype, rope), {}),
            ("_attention_prefill_ragged", (heads, heads * 2, dim, dim, dtype, rope, "T"), {}),
            ("_attention_prefill_mla", (heads * 2, 512, 64, dtype, False, "T"), {}),
            ("_copy_single_page", (heads, 16, dim, dtype, "T"), {}),
            ("_copy_single_page_mla", (16, dim, dtype, "T"), {}),
            ("_copy_single_page_cpu", (heads, 16, dim, dtype), {}),
            ("_compact_kv_copy", (heads, dim, dtype, "T"), {}),
            ("_compact_kv_copy_cpu", (heads, dim, dtype), {}),
            ("tree_attn_cpu", (heads, heads * 2, dim, dtype, rope), {}),
            ("tree_attn", (heads, heads * 2, dim, dtype, rope, "T"), {}),
            ("tree_attn_with_paged_kv_cache_cpu", (heads, heads * 2, dim, dtype, rope), {}),
            ("tree_attn_with_paged_kv_cache", (heads, heads * 2, dim, dtype, rope, "T"), {}),
            ("llama_rope_with_position_map", (10000.0, 1.0, dim, heads * 2, heads, dtype, rope), {}),
        ]
    for dtype in ["float32", "float16"]:
        calls += [
            ("gpu_multinomial_from_uniform", (dtype,), {}),
            ("generic_get_sample_index", (dtype,), {}),
            ("gpu_2d_continuous_cumsum", (), {"in_dtype": dtype}),
        ]
    for number, (name, args, kwargs) in enumerate(calls):
        def build():
            given = [target() if arg == "T" else arg for arg in args]
            made = find(name)(*given, **kwargs)
            return getattr(made, "mod", made)
        show(f"kernel_{number:03}_{name.strip('_')}", build)


def operators():
    unary = ("abs acos asin atan ceil clip cos cosh erf exp floor isfinite isinf isnan log negative round rsqrt sigmoid "
             "sign sin sinh sqrt square tan tanh").split()
    binary = "add subtract multiply divide floor_divide power maximum minimum equal greater less less_equal not_equal".split()
    reduce = "sum mean max min prod std variance argmax argmin cumsum cumprod".split()
    shapes = [(2, 8), (4, 3, 16)]

    def function(build, *params):
        bb = relax.BlockBuilder()
        made = [relax.Var(name, R.Tensor(shape, dtype)) for name, shape, dtype in params]
        with bb.function("main", made):
            with bb.dataflow():
                result = bb.emit_output(bb.emit(build(*made)))
            bb.emit_func_output(result)
        return bb.get()

    def both(name, build, *params):
        show(f"operator_{name}", lambda: function(build, *params))
        show(f"legal_{name}", lambda: relax.transform.LegalizeOps()(function(build, *params)))

    for shape in shapes:
        tag = "x".join(map(str, shape))
        x, y = ("x", shape, "float32"), ("y", shape, "float32")
        for name in unary:
            op = getattr(relax.op, name)
            build = (lambda x, op=op: op(x, 0.0, 1.0)) if name == "clip" else op
            both(f"{name}_{tag}", build, x)
        for name in binary:
            both(f"{name}_{tag}", getattr(relax.op, name), x, y)
        for name in reduce:
            both(f"{name}_{tag}", lambda x, op=getattr(relax.op, name): op(x, axis=1), x)
        both(f"softmax_{tag}", lambda x: relax.op.nn.softmax(x, -1), x)
        both(f"log_softmax_{tag}", lambda x: relax.op.nn.log_softmax(x, -1), x)
        for name in "relu gelu silu".split():
            both(f"{name}_{tag}", getattr(relax.op.nn, name), x)
        both(f"matmul_{tag}", lambda x, w: relax.op.matmul(x, w), x, ("w", (shape[-1], 5), "float32"))
        both(f"reshape_{tag}", lambda x: relax.op.reshape(x, (-1,)), x)
        both(f"permute_dims_{tag}", lambda x: relax.op.permute_dims(x), x)
        both(f"expand_dims_{tag}", lambda x: relax.op.expand_dims(x, 0), x)
        both(f"concat_{tag}", lambda x, y: relax.op.concat([x, y], 0), x, y)
        both(f"strided_slice_{tag}", lambda x: relax.op.strided_slice(x, [0], [0], [2]), x)
        both(f"take_{tag}", lambda x, i: relax.op.take(x, i, 0), x, ("i", (3,), "int64"))
        both(f"where_{tag}", lambda c, x, y: relax.op.where(c, x, y), ("c", shape, "bool"), x, y)
        both(f"astype_{tag}", lambda x: relax.op.astype(x, "float16"), x)
        both(f"broadcast_to_{tag}", lambda x: relax.op.broadcast_to(x, (2,) + shape), x)
        both(f"split_{tag}", lambda x: relax.op.split(x, 2, 0), x)
        both(f"zeros_like_{tag}", relax.op.zeros_like, x)
        both(f"full_{tag}", lambda x: relax.op.full_like(x, relax.const(2, "float32")), x)


def computes():
    def unary(op):
        def build():
            x = te.placeholder((4, 16), "float32", "x")
            return te.create_prim_func([x, op(x)])
        return build

    def binary(op):
        def build():
            x, y = te.placeholder((4, 16), "float32", "x"), te.placeholder((4, 16), "float32", "y")
            return te.create_prim_func([x, y, op(x, y)])
        return build

    for name in "exp log tanh sigmoid sqrt rsqrt floor ceil abs cos sin tan erf fast_exp fast_tanh negative round sign".split():
        show(f"compute_{name}", unary(getattr(topi, name, None)))
    for name in "add subtract multiply divide maximum minimum power equal less greater".split():
        show(f"compute_{name}", binary(getattr(topi, name, None)))
    for name in "sum max min prod argmax argmin".split():
        show(f"compute_{name}", unary(lambda x, op=getattr(topi, name): op(x, axis=1)))
    show("compute_softmax", unary(lambda x: topi.nn.softmax(x)))
    show("compute_relu", unary(topi.nn.relu))
    show("compute_transpose", unary(topi.transpose))
    show("compute_flatten", unary(topi.nn.flatten))
    show("compute_matmul", binary(lambda x, y: topi.matmul(x, y, False, True)))
    show("compute_dense", binary(lambda x, y: topi.nn.dense(x, y)))
    show("compute_concatenate", binary(lambda x, y: topi.concatenate([x, y])))


for part in [intrinsics, kernels, operators, computes]:
    part()
