//! Lazy objects of host code around each other, iterators of large containers, values that repeat one part, and lines
//! with many errors.

use super::{IMPORTS, Scale, pick};
use crate::Random;

/// One more layer around `it`.
const LAYERS: &[&str] = &[
    "map(bool, it)",
    "map(lambda x: x, it)",
    "zip(it)",
    "zip(it, it)",
    "enumerate(it)",
    "filter(None, it)",
    "filter(lambda x: True, it)",
    "iter(it)",
    "(x for x in it)",
    "iter(it.__next__, None)",
    "itertools.chain(it, [1])",
    "itertools.islice(it, 3)",
    "itertools.takewhile(bool, it)",
    "itertools.accumulate(it)",
    "itertools.starmap(max, zip(it, [1, 2]))",
    "itertools.zip_longest(it, [1])",
    "itertools.cycle(it)",
    "itertools.pairwise(it)",
    "itertools.groupby(it)",
    "functools.partial(it) if callable(it) else functools.partial(next, it)",
    "types.MethodType(it if callable(it) else next, [])",
    "staticmethod(it)",
    "(it,)",
    "[it]",
    "{1: it}",
    "layer(it)",
    "Layer(it)",
    "it.__iter__() if hasattr(it, '__iter__') else it",
    "reversed(tuple(it))",
    "itertools.islice(it, 0, 3, 1)",
    "itertools.accumulate(it, max)",
    "itertools.dropwhile(lambda x: False, it)",
    "itertools.filterfalse(None, it)",
    "itertools.chain.from_iterable([it, it])",
    "itertools.compress(it, [1, 1])",
    "itertools.tee(it)[0]",
    "itertools.repeat(it, 2)",
    "itertools.product(it)",
    "iter(lambda it=it: next(it, 1), 1)",
    "map(max, it, it)",
    "zip(it, itertools.count())",
    "(y for x in it for y in [x])",
    "(x for x in it if x)",
    "functools.reduce(lambda a, b: b, [0, it])",
    "iter([it])",
    "{it}",
];

/// A use of the outermost layer.
const USES: &[&str] = &[
    "list(it)",
    "next(it, None)",
    "tuple(it)",
    "sum(it)",
    "repr(it)",
    "it == [1]",
    "hash(it)",
    "[*it]",
    "max(it)",
    "bool(it)",
    "2 in it",
    "it() if callable(it) else 0",
    "isinstance(1, it)",
    "len(it)",
    "sorted(it)",
    "dict(it)",
    "''.join(it)",
    "copy.copy(it)",
    "copy.deepcopy(it)",
    "f'{it}'",
    "all(it)",
    "any(it)",
    "reversed(it)",
    "min(it, default=0)",
    "set(it)",
    "str(it)",
    "list(zip(it, it))",
    "itertools.islice(it, 1).__next__()",
    "[x for x in it]",
    "it != it",
    "it in [it]",
    "frozenset([it])",
    "print(it)",
];

/// A container of `n` elements.
const CONTAINERS: &[&str] = &[
    "{i: i for i in range(n)}.items()",
    "{i: i for i in range(n)}.keys()",
    "{i: i for i in range(n)}.values()",
    "{i: i for i in range(n)}",
    "{i for i in range(n)}",
    "frozenset(range(n))",
    "list(range(n))",
    "tuple(range(n))",
    "range(n)",
    "'a' * n",
    "b'a' * n",
    "collections.deque(range(n))",
    "collections.OrderedDict((i, i) for i in range(n))",
    "range(2**70, 2**70 + n)",
];

/// A step of a loop over a container `c`.
const STEPS: &[&str] = &[
    "next(iter(c))",
    "next(reversed(c))",
    "len(c)",
    "bool(c)",
    "for x in c: break",
    "a, *_ = itertools.islice(c, 2)",
    "0 in c",
    "iter(c)",
    "next(enumerate(c))",
    "next(zip(c, c))",
    "next(map(bool, c))",
    "any(c)",
    "isinstance(c, dict)",
    "next(itertools.islice(c, 1))",
    "next(itertools.chain(c, c))",
    "next(x for x in c)",
    "next(filter(None, c))",
    "max(itertools.islice(c, 2), default=0)",
    "c == c",
    "all(c)",
    "next(itertools.accumulate(c))",
    "next(itertools.takewhile(bool, c), 0)",
    "next(iter(lambda: c, 1))",
    "next(itertools.cycle(c))",
    "list(itertools.islice(iter(c), 3))",
    "c.__len__()",
];

/// Values that repeat a part.
const REPEATED: &[&str] = &[
    "['a' * m] * n",
    "{str(i): part for i in range(n)}",
    "[part] * n",
    "['\\n\\u00e9' * m] * n",
    "[[part] * 10] * n",
    "{'a': {'b': [part] * n}}",
    "[('a' * m,)] * n",
    "{('k', i): part for i in range(n)}",
    "[{'a': part}] * n",
    "(part,) * n",
    "[part + part] * n",
    "[repr(part)] * n",
    "[[], [part, part]] * n",
    "{part: [part] * n}",
];

const MODULES: &str = "import collections, copy, functools, itertools, types\n";

const HELPERS: &str = "class Layer:\n    def __init__(self, it): self.it = it\n    def __iter__(self): return self\n    def __next__(self): return next(self.it)\n    def __call__(self): return self.it()\ndef layer(it):\n    yield from it\n";

/// A file of this family.
pub(super) fn lazy(random: &mut Random, scale: Scale) -> String {
    let script = "@T.prim_func\ndef f(a: T.handle):\n    T.evaluate(0)\n";
    let n = scale.size(random, 1_000_000);
    match random.below(4) {
        0 => {
            let (layer, other, used) = (pick(random, LAYERS), pick(random, LAYERS), pick(random, USES));
            let other = if random.below(2) == 0 { layer } else { other };
            format!(
                "{IMPORTS}{MODULES}{HELPERS}it = iter([1, 2, 3])\nfor _ in range({n}):\n    it = {layer}\n    it = {other}\nx = {used}\n{script}"
            )
        }
        1 => {
            let (container, step) = (pick(random, CONTAINERS), pick(random, STEPS));
            let times = scale.size(random, 100_000);
            format!(
                "{IMPORTS}{MODULES}n = {n}\nc = {container}\nfor _ in range({times}):\n    {step}\n{script}"
            )
        }
        2 => {
            let value = pick(random, REPEATED);
            let m = scale.size(random, 10_000_000);
            let n = scale.size(random, 10_000);
            format!(
                "{IMPORTS}n, m = {n}, {m}\npart = 'p' * m\n@T.prim_func\ndef f(a: T.handle):\n    T.func_attr({{\"x\": {value}}})\n    T.evaluate(0)\n"
            )
        }
        _ => {
            let name = pick(
                random,
                &["u", "T.u", "a.u", "u(", "T.evaluate(u", "\"", "u[", "-u", "R.u(", "x.y.u", "T.int32(u"],
            );
            let close = match name.chars().last() {
                Some('(') => ")",
                Some('[') => "]",
                Some('"') => "\" + 1",
                _ if name.contains('(') => ")",
                _ => "",
            };
            let line: Vec<String> = (0..n.min(200_000)).map(|i| format!("{name}{i}{close}")).collect();
            let line = line.join(pick(random, &[", ", " + ", "; "]));
            match random.below(2) {
                0 => format!("{IMPORTS}x = [{line}]\n{script}"),
                _ => format!("{IMPORTS}{script}    x = [{line}]\n"),
            }
        }
    }
}
