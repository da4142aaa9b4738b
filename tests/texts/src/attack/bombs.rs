//! Host code that asks for more and more.

use super::{IMPORTS, Scale, filled, pick};
use crate::Random;

const BOMBS: &[&str] = &[
    "x = \"a\" * {N}\n",
    "x = \"a\" * {N}\ny = [len(x) for _ in range({N})]\n",
    "x = \"ab\" * {M}\nn = 0\nfor i in range({M}):\n    n = n + (x == \"ab\" * {M}) + len(x) + x.count(\"b\") + x.find(\"c\")\n",
    "x = \"é\" * {M}\nn = 0\nfor i in range({M}):\n    n = n + ord(x[i])\n",
    "x = \"a\"\nfor _ in range(100):\n    x = x + x\n",
    "x = \"a\" * {M}\nfor _ in range(100):\n    x = x.replace(\"a\", \"aa\")\n",
    "x = \",\".join([\"a\" * {M}] * {M})\n",
    "x = (\"a\" * {M}).split(\"a\")\ny = [x] * {M}\nz = str(y)\n",
    "x = (0,) * {N}\ny = x + x\nz = hash(y)\n",
    "x = [0] * {N}\n",
    "x = []\nfor i in range({N}):\n    x.insert(0, i)\n",
    "x = list(range({N}))\nfor i in range({M}):\n    x.reverse()\n    x.pop(0)\n    x.sort()\n",
    "x = 9 ** {N}\n",
    "x = 1 << {N}\n",
    "x = 3 ** {M}\nfor _ in range(100):\n    x = x * x\n",
    "x = 3 ** {M}\ny = [x * i for i in range({M})]\n",
    "x = {3 ** {M}: 1}\nfor i in range({M}):\n    x[3 ** {M}] = i\n",
    "x = str(10 ** {M})\n",
    "x = int(\"9\" * {M})\n",
    "x = [a * b for a in range({N}) for b in range({N})]\n",
    "x = [[[c for c in range({M})] for b in range({M})] for a in range({M})]\n",
    "x = {(a, b): a for a in range({M}) for b in range({M})}\n",
    "x = {a for a in range({N})}\ny = x | {-a for a in range({N})}\nz = y & x\n",
    "def g(n):\n    return g(n + 1)\nx = g(0)\n",
    "def g(n):\n    return g(n - 1) + g(n - 1) if n > 0 else 1\nx = g({M})\n",
    "g = lambda n: g(n - 1) if n else 0\nx = g({M})\n",
    "x = \"%{n}d\" % 1\n",
    "x = \"%.{n}f\" % 1.0\n",
    "x = \"{:{N}}\".format(1)\n",
    "x = f\"{1:>{N}}\"\n",
    "x = f\"{1.5:.{N}f}\"\n",
    "x = format(1.5, \"{N}.{N}e\")\n",
    "d = {i: i for i in range({M})}\nfor _ in range({M}):\n    d = {**d, **d}\n",
    "d = {}\nfor i in range({N}):\n    d = {**d, i: i}\n",
    "x = []\nx.append(x)\ny = str(x)\nz = x == x\n",
    "x = []\nx.append(x)\ny = []\ny.append(y)\nz = x == y\n",
    "x = ()\nfor _ in range(100):\n    x = (x, x)\ny = hash(x)\nz = x == x\nd = {x: x}\n",
    "x = [1]\nfor _ in range(100):\n    x = [x, x]\ny = str(x)\n",
    "x = [1]\ny = [1]\nfor _ in range(100):\n    x = [x, x]\n    y = [y, y]\nz = x == y\nw = x < y\n",
    "x = 1\nfor _ in range(100):\n    x = (x,) * 10\nx = sum(x, ())\n",
    "while True:\n    pass\n",
    "x = 0\nwhile x >= 0:\n    x += 1\n",
    "x = max(range({N}))\ny = sorted(range({N}), key=lambda v: -v)\nz = sum(range({N}))\n",
    "x = list(zip(range({N}), range({N})))\ny = list(map(str, range({N})))\n",
    "x = list(enumerate([0] * {N}))[::-1]\n",
    "x = [0] * {M}\nfor i in range({M}):\n    x = x[1:] + x[:1]\n",
    "x = {n} // {n}\ny = {n} % {n}\nz = {n} << {n}\nw = {n} ** {n}\n",
    "x = [1, 2, 3][{n}:{n}:{n}]\ny = range({n}, {n}, {n})\nz = len(y)\n",
    "x = bytes({N})\ny = bytes({N})\n",
    "x = \"\".join(chr(i) for i in range({N}))\ny = x.upper().lower().encode()\n",
    "x = \"a\" * {M}\ny = [x.startswith(x) for _ in range({M})]\nz = [x < x for _ in range({M})]\nw = {x + str(i): 1 for i in range({M})}\n",
    "x = round({n}.5, {n})\ny = divmod({n}, {n})\nz = pow({n}, {n}, {n})\n",
];

const IN_SCRIPTS: &[&str] = &[
    "for i in range({N}):\n        T.evaluate(i)\n",
    "for i in range({N}):\n        A[i % 16] = A[0] + T.float32(1)\n",
    "e = A[0]\n    for i in range({N}):\n        e = e + A[i % 16]\n    A[0] = e\n",
    "for i in range({N}):\n        x = T.alloc_buffer((16,), \"float32\")\n",
    "for i in range({N}):\n        with T.block(\"b\"):\n            T.reads([])\n",
    "for i in range({N}):\n        T.func_attr({str(i): i})\n",
    "T.evaluate(T.call_extern(\"int32\", \"f\", *([0] * {N})))\n",
    "T.grid(*([2] * {N}))\n",
    "T.evaluate(T.StringImm(\"a\" * {N}))\n",
    "for i in range({N}):\n        T.block(\"b\").__enter__()\n",
];

/// A bomb at module level, in a helper, or one that builds nodes.
pub(super) fn bomb(random: &mut Random, scale: Scale) -> String {
    let large = scale.size(random, 100_000_000).to_string();
    let middle = scale.size(random, 20_000).to_string();
    let fill = |random: &mut Random, template: &str| {
        filled(random, &template.replace("{N}", &large).replace("{M}", &middle))
    };
    if random.below(5) == 0 {
        let template = pick(random, IN_SCRIPTS);
        let body = fill(random, template);
        return format!(
            "{IMPORTS}def h(A):\n    {body}\n@T.prim_func\ndef f(A: T.Buffer((16,), \"float32\")):\n    h(A)\n    T.evaluate(0)\n"
        );
    }
    let template = pick(random, BOMBS);
    let bomb = fill(random, template);
    let function = "@T.prim_func\ndef f(a: T.int32):\n    T.evaluate(a)\n";
    if random.below(2) == 0 {
        return format!("{IMPORTS}{bomb}\n{function}");
    }
    let body: String = bomb.lines().map(|line| format!("    {line}\n")).collect();
    format!("{IMPORTS}def bomb():\n{body}    return 1\n\nk = bomb()\n\n{function}")
}
