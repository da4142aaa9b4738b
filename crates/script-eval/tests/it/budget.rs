//! Steps and memory of host code are charged by work: what is endless or too large ends soon, with a typed error.

use crate::calculator;
use tvmscript_script_eval::{Limits, Run};

fn limits(max_steps: u64) -> Limits {
    let mut limits = Limits::default();
    limits.max_steps = max_steps;
    limits
}

/// The name of the first error within a number of steps.
fn outcome(text: &str, max_steps: u64) -> String {
    let errors = calculator::evaluate(text, limits(max_steps), Run::Tolerant).errors;
    errors.first().map_or("no error".to_owned(), |error| error.kind.name().to_owned())
}

fn errors_of(text: &str) -> Vec<tvmscript_script_eval::EvalError> {
    calculator::evaluate(text, limits(1_000_000), Run::Tolerant).errors
}

/// The value of `result`.
fn repr(text: &str) -> String {
    let mut outcome = calculator::evaluate(&format!("{text}\nresult\n"), limits(1_000_000), Run::Tolerant);
    assert!(outcome.errors.is_empty(), "{:?}", outcome.errors);
    outcome.values.pop().unwrap_or_default()
}

#[test]
fn work_on_large_values_is_charged() {
    for text in [
        // Text: each turn reads a megabyte.
        "s = 'ab' * 10**6\nt = s + 'b'\nwhile True:\n    s == t + 'c'",
        "s = 'ab' * 10**6\nwhile True:\n    s < s + 'b'",
        "s = 'ab' * 10**6\nwhile True:\n    'c' in s",
        "s = 'ab' * 10**6\nwhile True:\n    s.find('c')",
        "s = 'ab' * 10**6\nwhile True:\n    s.count('c')",
        "s = 'ab' * 10**6\nwhile True:\n    s.isalpha()",
        "s = 'ab' * 10**6\nd = {s: 1}\nwhile True:\n    d[s]",
        "s = 'ab' * 10**6\nwhile True:\n    (lambda: 0)() if s.startswith('b', 1, -1) and s.islower() else 0",
        // Lists: each turn moves or copies many elements.
        "l = [0] * 10**6\nwhile True:\n    l.insert(0, 1)\n    l.pop(0)",
        "l = [0] * 10**6\nwhile True:\n    l.reverse()",
        "l = [0] * 10**6\nwhile True:\n    del l[:0]",
        "l = [0] * 10**5\nm = [0] * 10**5\nwhile True:\n    l == m",
        "t = (0,) * 10**5\nwhile True:\n    hash(t)",
        // Sets and dictionaries.
        "d = dict.fromkeys(range(10**5))\nwhile True:\n    d.pop(5)\n    d[5] = 0",
        "d = {i: i for i in range(10**4)}\nwhile True:\n    {**d}",
        "s = {i for i in range(10**4)}\nwhile True:\n    s | s",
        "('b' * 10**5).join('a' * 10**5)",
        "l = []\nwhile True:\n    l.append([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])\n    l += l",
        // Iterators and values of the library.
        "import itertools\nlist(itertools.count())",
        "import itertools\nlist(itertools.cycle('ab'))",
        "import itertools\nlist(itertools.chain.from_iterable(itertools.repeat([])))",
        "import itertools\nlist(itertools.product(range(1000), repeat=50))",
        "import itertools\nlist(itertools.permutations(range(100)))",
        "import itertools\nlist(itertools.takewhile(lambda x: True, itertools.repeat(1)))",
        "import itertools\nfor k, g in itertools.groupby(itertools.repeat(1)):\n    pass",
        "from collections import deque\nd = deque([0] * 10**4)\nwhile True:\n    d.rotate(1)",
        "import functools\nf = functools.lru_cache(None)(abs)\ni = 0\nwhile True:\n    f(i)\n    i += 1",
        // Arrays.
        "import numpy as np\nnp.zeros((10**9, 10**9))",
        "import numpy as np\nnp.broadcast_to(1, (10**9, 10**9))",
        "import numpy as np\na = np.ones(10**5)\nwhile True:\n    a + a",
        "import numpy as np\na = np.ones(10**5)\nwhile True:\n    a.sum()",
        "import numpy as np\nnp.arange(10**18)",
        // Integers.
        "i = 3**10**5\nwhile True:\n    i * i",
        "i = 3**10**5\nwhile True:\n    i % (i - 1)",
        "i = 3**10**5\nwhile True:\n    hash(i)",
        "i = 3**10**5\nwhile True:\n    i == i + 1",
        "import math\nmath.isqrt(1 << 10**8)",
        "import math\nmath.factorial(10**6)",
        "import math\nmath.comb(10**6, 10**5)",
        "pow(3, 1 << 10**5, (1 << 10**5) + 1)",
        // Sharing that no text could write out.
        "t = ()\nfor i in range(60):\n    t = (t, t)\nhash(t)",
        "t = ()\nfor i in range(60):\n    t = (t, t)\n{t: 1}",
        "t = u = ()\nfor i in range(60):\n    t, u = (t, t), (u, u)\nt == u",
        "t = ()\nfor i in range(60):\n    t = (t, t)\nrepr(t)",
    ] {
        let found = outcome(text, 100_000);
        assert!(matches!(&*found, "too-many-steps" | "too-much-memory"), "{found}: {text}");
    }
}

#[test]
fn memory_is_charged_before_it_is_taken() {
    for text in [
        "'a' * 10**12",
        "[0] * 10**12",
        "b'a' * 10**12",
        "bytes(10**12)",
        "1 << 10**12",
        "'a'.center(10**12)",
        "'a'.zfill(10**12)",
        "'\\t'.expandtabs(2**31 - 1)",
        "('a' * 10**5).replace('', 'b' * 10**5)",
        "'{:1000000000}'.format(1)",
        "'%1000000000d' % 1",
        "'%.1000000000f' % 1.0",
        "'%.*d' % (10**9, 1)",
        "format(1.0, '#.1000000000g')",
        "format(1, '01000000000,')",
        "f'{1:{10**9}}'",
        "(5).to_bytes(10**12, 'big')",
    ] {
        assert_eq!(outcome(text, 1_000_000), "too-much-memory", "{text}");
    }
}

#[test]
fn length_and_index_of_text_take_constant_time() {
    // Two million turns over a text of a megabyte, which a walk each would make hours.
    for text in ["'ab' * 10**6", "'aé' * 10**6"] {
        let text =
            format!("s = {text}\nn = 0\nfor i in range(10**5):\n    n += len(s) + len(s[7 * i])\nresult = n");
        assert_eq!(repr(&text), "200000100000");
    }
}

#[test]
fn formats_beyond_the_limits_of_rust_are_pythons() {
    assert_eq!(repr("result = ('%.65536f' % 1.5)[:5], len('%.65536f' % 1.5)"), "('1.500', 65538)");
    assert_eq!(repr("result = len(format(1.5, '.70000e')), format(1.5, '.70000g')"), "(70006, '1.5')");
    assert_eq!(repr("result = len(format(1.5, '#.70000g')), len('%#.70000x' % 5)"), "(70001, 70002)");
    assert_eq!(repr("result = len('%2000000d' % 5), len('{:2000000}'.format(5))"), "(2000000, 2000000)");
    assert_eq!(repr("result = len('{:0100000,}'.format(5)), '{:010,}'.format(5)"), "(100001, '00,000,005')");
}

#[test]
fn a_limit_is_an_error_said_once() {
    let errors = errors_of("n = 0\nwhile True:\n    n += 1\nx = n\ny = [i for i in range(10)]\n");
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0].kind.name(), "too-many-steps");
    for (text, kind) in [
        ("s = 'a'\nwhile True:\n    s = s + s\n", "too-much-memory"),
        ("s = 10 ** 10 ** 10\n", "too-much-memory"),
        ("s = [0] * 10 ** 12\n", "too-much-memory"),
        ("s = 1 << 10 ** 15\n", "too-much-memory"),
        ("s = 'a'.ljust(10 ** 14)\n", "too-much-memory"),
        ("s = list(range(10 ** 12))\n", "too-many-steps"),
        ("def f(n): return f(n + 1)\ns = f(0)\n", "calls-too-deep"),
    ] {
        let errors = errors_of(text);
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        assert_eq!(errors[0].kind.name(), kind, "{text}");
    }
}

#[test]
fn chains_of_library_values_are_bounded() {
    let make = "import functools, collections\n";
    for (text, expected) in [
        ("class A: pass\nA.__call__ = A()\nA()()", "calls-too-deep"),
        ("f = print\nfor i in range(10**5):\n    f = functools.partial(f, i)", "too-"),
        (
            "import copy\nclass A:\n    def __deepcopy__(self, memo): return copy.deepcopy(self)\ncopy.deepcopy(A())",
            "calls-too-deep",
        ),
        (
            "e = ValueError()\nwhile True:\n    try:\n        try: raise e\n        except ValueError: raise KeyError\n    \
             except KeyError as k:\n        e = ValueError()\n        e.__context__ = k",
            "too-",
        ),
    ] {
        let mut limits = limits(300_000);
        limits.max_memory_bytes = 1 << 24;
        let errors = calculator::evaluate(&format!("{make}{text}"), limits, Run::Tolerant).errors;
        let outcome = errors.first().map_or("no error", |error| error.kind.name());
        assert!(outcome.starts_with(expected), "{text}: {outcome}");
    }
    let many = "from enum import Enum\nE = Enum('E', [f'm{i}' for i in range(5000)])\nresult = E(4999).name";
    assert_eq!(repr(many), "'m4998'");
}
