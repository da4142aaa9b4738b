//! Values that share their parts: a graph of a few nodes that stands for a tree without end.

use super::{IMPORTS, Scale, pick};
use crate::Random;

/// The number of times that a value is doubled.
fn depth(random: &mut Random, scale: Scale) -> usize {
    20 + scale.size(random, 280)
}

/// A function of scalars with an expression, statement or value that was doubled by a helper.
pub(super) fn tir(random: &mut Random, scale: Scale) -> String {
    let depth = depth(random, scale);
    let step = pick(
        random,
        &[
            "e + e",
            "e * e",
            "e - e * 2",
            "T.max(e, e + 1)",
            "T.min(e * e, e)",
            "T.floordiv(e, 3) + T.floormod(e, 3)",
            "e // (e + 1)",
            "e % (e * 2 + 1)",
            "T.Select(e > 0, e, e + 1)",
            "T.if_then_else(e > 0, e, e * e)",
            "T.Cast(\"int32\", T.Cast(\"int64\", e)) + e",
            "T.call_extern(\"int32\", \"g\", e, e)",
            "T.shift_left(e, e)",
            "T.bitwise_and(e, e ^ 1)",
            "T.abs(e) + T.abs(-e)",
            "B[e] + B[e]",
            "(e, e)",
            "[e, e]",
            "{\"a\": e, \"b\": e}",
            "T.Let(v + v + e, where={v: e})",
            "(e < e) | (e <= e)",
            "T.likely(e > 0) & T.likely(e > 0)",
            "T.ceildiv(e, 2) + e",
            "T.truncmod(e, 5) + T.truncdiv(e, 5)",
        ],
    );
    let place = pick(
        random,
        &[
            "    T.evaluate(g(a))\n",
            "    A[g(a)] = T.float32(0)\n",
            "    A[0] = T.Cast(\"float32\", g(a))\n",
            "    for i in range(g(a)):\n        T.evaluate(i)\n",
            "    for i in range(16):\n        T.evaluate(g(i))\n",
            "    if g(a) > 0:\n        T.evaluate(0)\n",
            "    while g(a) > 0:\n        T.evaluate(0)\n",
            "    assert g(a) > 0, \"m\"\n",
            "    with T.block(\"b\"):\n        i = T.axis.spatial(16, g(a))\n        A[i] = T.float32(1)\n",
            "    for i in range(16):\n        with T.block(\"b\"):\n            v = T.axis.spatial(16, i)\n            A[g(v)] = A[g(v + 1)] + T.float32(1)\n",
            "    with T.block(\"b\"):\n        T.where(g(a) > 0)\n        T.reads(A[g(a)])\n        T.writes(A[0:g(a)])\n        A[0] = T.float32(1)\n",
            "    x = T.alloc_buffer((g(a),), \"int32\")\n    x[0] = 1\n",
            "    T.func_attr({\"x\": g(1)})\n    T.evaluate(0)\n",
            "    x: T.int32 = g(a)\n    T.evaluate(x + x)\n",
            "    with T.attr(0, \"k\", g(a)):\n        T.evaluate(0)\n",
            "    with T.block(\"b\"):\n        T.block_attr({\"k\": g(1)})\n        T.evaluate(0)\n",
            "    x = T.match_buffer(h, (g(a), 4), \"int32\", strides=[g(a), 1], elem_offset=g(a))\n    T.evaluate(x[0, 0])\n",
            "    T.launch_thread(\"threadIdx.x\", g(a))\n    T.evaluate(0)\n",
        ],
    );
    let start = pick(random, &["e", "e + 1", "B[e]", "e * 2"]);
    format!(
        "{IMPORTS}def make(B):\n    def g(e):\n        v = T.int32()\n        e = {start}\n        for _ in range({depth}):\n            e = {step}\n        \
         return e\n    return g\n\n@T.prim_func\ndef f(a: T.int32, h: T.handle, A: T.Buffer((16,), \"float32\"), B: T.Buffer((16,), \"int32\")):\n    \
         g = T.meta_var(make(B))\n{place}"
    )
}

/// A Relax function whose variables double.
pub(super) fn relax(random: &mut Random, scale: Scale) -> String {
    let depth = depth(random, scale);
    let mut text = IMPORTS.to_owned();
    let params = "y0: R.Tensor((\"n\", 2), \"float32\"), x: R.Tensor((\"n\", 2), \"float32\"), c: R.Tensor((), \"bool\"), t0: R.Tuple(R.Tensor((\"n\", 2), \"float32\")), s: R.Shape([\"n\", \"m\"])";
    let step = pick(
        random,
        &[
            "y{j} = (y{i}, y{i})",
            "y{j} = R.concat([y{i}, x, y{i}])",
            "y{j} = R.concat((y{i}, y{i}), axis=1)",
            "y{j} = R.add(y{i}, y{i})",
            "y{j} = R.tuple(y{i}, x, y{i})",
            "y{j} = R.match_cast((y{i}, y{i}), R.Object)",
            "y{j} = R.matmul(y{i}, R.permute_dims(y{i}))",
            "y{j} = R.stack([y{i}, y{i}])",
            "y{j} = (y{i}, (y{i}, y{i}))[1]",
            "y{j} = R.repeat(y{i}, 2, axis=0)",
            "y{j} = R.tile(y{i}, (2, 2))",
            "y{j} = R.call_packed(\"f\", y{i}, y{i}, sinfo_args=R.Tensor((n + n, n * n), \"float32\"))",
            "y{j} = R.outer(R.reshape(y{i}, R.shape([n * 2])), R.reshape(y{i}, R.shape([n * 2])))",
            "y{j} = R.nn.pad(y{i}, [n, n, n, n])",
            "y{j} = R.reshape(y{i}, (n + n, -1))",
        ],
    );
    let lines = |indent: &str| -> String {
        let line = |i: usize| {
            let step = step.replace("{j}", &(i + 1).to_string()).replace("{i}", &i.to_string());
            format!("{indent}{step}\n")
        };
        (0..depth).map(line).collect()
    };
    match random.below(6) {
        0 => {
            text += &format!(
                "@R.function\ndef f({params}):\n    n = T.int64()\n{}    return y{depth}\n",
                lines("    ")
            );
        }
        1 => {
            text += &format!(
                "@R.function\ndef f({params}):\n    n = T.int64()\n    with R.dataflow():\n{}        R.output(y{depth})\n    return y{depth}\n",
                lines("        ")
            );
        }
        2 => {
            let branch = lines("        ");
            text += &format!(
                "@R.function\ndef f({params}):\n    n = T.int64()\n    if c:\n{branch}        z = y{depth}\n    else:\n{branch}        z = y{depth}\n    return z\n"
            );
        }
        3 => {
            let body = "def g(e, k):\n    for _ in range(k):\n        e = (e, e)\n    return e\n";
            let used = pick(
                random,
                &[
                    "    z = g(x, {d})\n",
                    "    z = R.tuple(g(x, {d}), g(x, {d}))\n",
                    "    z = R.call_packed(\"p\", g(x, {d}), sinfo_args=R.Object)\n",
                    "    z = R.concat(g(x, {d}))\n",
                ],
            );
            let used = used.replace("{d}", &depth.to_string());
            text += &format!("{body}\n@R.function\ndef f({params}):\n{used}    return z\n");
        }
        4 => {
            let kind = pick(
                random,
                &[
                    "R.Tuple(e, e)",
                    "R.Callable((e, e), e)",
                    "R.Callable((e,), R.Tuple(e, e))",
                    "R.Tuple(e, R.Tuple(e))",
                ],
            );
            text += &format!(
                "def g(e):\n    for _ in range({depth}):\n        e = {kind}\n    return e\n\nS = g(R.Tensor((\"n\",), \"float32\"))\n\n@R.function\ndef f(p: S, q: S) -> S:\n    z: S = p\n    w = R.match_cast(q, S)\n    return w\n"
            );
        }
        _ => {
            let step = pick(random, &["e + e", "e * e", "T.max(e, e * 2)", "T.floordiv(e, 2) + e"]);
            text += &format!(
                "def g(e):\n    for _ in range({depth}):\n        e = {step}\n    return e\n\n@R.function\ndef f({params}):\n    n = T.int64()\n    z = R.zeros(R.shape([g(n), g(n)]), \"float32\")\n    w = R.reshape(z, R.shape([g(n) * g(n)]))\n    u = R.concat([z, z], axis=1)\n    return (w, u)\n"
            );
        }
    }
    text
}

/// TVM's JSON with a graph that doubles.
pub(super) fn json(random: &mut Random, scale: Scale) -> String {
    let depth = depth(random, scale);
    let mut nodes: Vec<String> = vec![
        r#"{"type": "None"}"#.to_owned(),
        r#"{"type": "ffi.String", "data": "x"}"#.to_owned(),
        r#"{"type": "ir.PrimType", "data": {"span": 0, "dtype": "int32"}}"#.to_owned(),
        r#"{"type": "tir.Var", "data": {"span": 0, "dtype": "int32", "name": 1, "type_annotation": 2}}"#
            .to_owned(),
    ];
    let kind = random.below(8);
    for _ in 0..depth {
        let last = nodes.len() - 1;
        let node = match kind {
            0 => format!(r#"{{"type": "ffi.Array", "data": [{last}, {last}]}}"#),
            1 => format!(r#"{{"type": "ffi.Map", "data": [1, {last}, 3, {last}]}}"#),
            2 => format!(
                r#"{{"type": "tir.Add", "data": {{"span": 0, "dtype": "int32", "a": {last}, "b": {last}}}}}"#
            ),
            3 => format!(
                r#"{{"type": "tir.Max", "data": {{"span": 0, "dtype": "int32", "a": {last}, "b": {last}}}}}"#
            ),
            4 => format!(
                r#"{{"type": "tir.Let", "data": {{"span": 0, "dtype": "int32", "var": 3, "value": {last}, "body": {last}}}}}"#
            ),
            5 => format!(r#"{{"type": "ffi.Map", "data": [{last}, {last}]}}"#),
            6 if last == 3 => r#"{"type": "relax.ObjectStructInfo", "data": {"span": 0}}"#.to_owned(),
            6 => {
                nodes.push(format!(r#"{{"type": "ffi.Array", "data": [{last}, {last}]}}"#));
                format!(
                    r#"{{"type": "relax.TupleStructInfo", "data": {{"span": 0, "fields": {}}}}}"#,
                    last + 1
                )
            }
            _ => format!(
                r#"{{"type": "tir.FloorDiv", "data": {{"span": 0, "dtype": "int32", "a": {last}, "b": {last}}}}}"#
            ),
        };
        nodes.push(node);
    }
    let mut root = nodes.len() - 1;
    if (2..5).contains(&kind) || kind == 7 {
        nodes.push(format!(r#"{{"type": "tir.Evaluate", "data": {{"span": 0, "value": {root}}}}}"#));
        root += 1;
    }
    let nodes = nodes.join(",\n");
    format!(r#"{{"root_index": {root}, "nodes": [{nodes}], "metadata": {{"tvm_version": "0.23.dev0"}}}}"#)
}
