//! Definitions: functions, generators, classes.

use super::{Body, Class, Function, KINDS, Kind, Maker, Parameter, Passing};

impl Maker<'_> {
    pub(super) fn definition(&mut self) {
        match self.random.below(12) {
            0..=3 => self.function(),
            4 | 5 => self.generator(),
            6 | 7 => self.class(),
            8 => self.dataclass(),
            9 => self.enumeration(),
            10 => self.closures(),
            _ => self.error_class(),
        }
    }

    fn function(&mut self) {
        let result = self.kind();
        let name = self.name("f");
        let (mut parameters, mut shown) = (Vec::new(), Vec::new());
        let (positional, either, keyword) =
            (self.random.below(3), self.random.below(3), self.random.below(3));
        let mut has_default = false;
        for at in 0..positional + either {
            has_default = has_default || self.chance(3);
            let passing = if at < positional { Passing::Positional } else { Passing::Either };
            shown.push(self.parameter(&mut parameters, passing, has_default));
            if at + 1 == positional {
                shown.push("/".to_owned());
            }
        }
        if self.chance(3) {
            shown.push(format!("*{}", self.parameter(&mut parameters, Passing::Rest, false)));
        } else if keyword > 0 {
            shown.push("*".to_owned());
        }
        for _ in 0..keyword {
            let has_default = self.chance(2);
            shown.push(self.parameter(&mut parameters, Passing::Keyword, has_default));
        }
        if self.chance(4) {
            shown.push(format!("**{}", self.parameter(&mut parameters, Passing::Keywords, false)));
        }
        let decorators = ["@functools.lru_cache(maxsize=None)", "@traced", "@twice(2)"];
        if self.chance(4) {
            let decorator = self.one_of(&decorators);
            // Containers are not hashable.
            let is_hashable = |p: &Parameter| !matches!(p.kind, Kind::Ints | Kind::Words | Kind::Table);
            if !decorator.contains("lru_cache") || parameters.iter().all(is_hashable) {
                self.line(decorator);
            }
        }
        let arrow = if self.chance(5) { " -> object" } else { "" };
        self.line(&format!("def {name}({}){arrow}:", shown.join(", ")));
        let visible: Vec<_> = parameters
            .iter()
            .filter(|p| !matches!(p.passing, Passing::Rest | Passing::Keywords))
            .map(|p| (p.name.clone(), p.kind))
            .collect();
        let rest: Vec<String> = parameters
            .iter()
            .filter(|p| matches!(p.passing, Passing::Rest | Passing::Keywords))
            .map(|p| p.name.clone())
            .collect();
        self.function_body(Body::Function(result), &visible, |m| {
            for name in rest {
                m.line(&format!("out.append({name})"));
            }
            m.statements(1);
            let value = m.expr(result, 3);
            m.line(&format!("return {value}"));
        });
        self.functions.push(Function { name, parameters, result });
    }

    /// Adds a parameter and returns its text.
    fn parameter(&mut self, out: &mut Vec<Parameter>, passing: Passing, has_default: bool) -> String {
        let kind = KINDS[self.random.below(KINDS.len())];
        let name = self.name("p");
        let default = if has_default { format!("={}", self.leaf(kind)) } else { String::new() };
        let shown = format!("{name}{default}");
        out.push(Parameter { name, kind, passing, has_default });
        shown
    }

    /// A generator, and some uses of it.
    fn generator(&mut self) {
        let name = self.name("g");
        self.line(&format!("def {name}(n, start=0):"));
        let parameters = [("n".to_owned(), Kind::Int), ("start".to_owned(), Kind::Int)];
        self.function_body(Body::Generator, &parameters, |m| {
            match m.random.below(4) {
                0 => {
                    m.line("for i in range(n):");
                    m.line("    got = yield (i + start) % 100");
                    m.line("    if got:\n        start += got if isinstance(got, int) else 1");
                }
                1 => {
                    m.line("try:\n    yield start");
                    m.line("    got = yield n");
                    m.line("    out.append(('got', got))");
                    let class =
                        m.one_of(&["ValueError", "GeneratorExit", "Exception", "(KeyError, ValueError)"]);
                    m.line(&format!("except {class} as error:\n    out.append(type(error).__name__)"));
                    if class != "GeneratorExit" {
                        m.line("    yield -1");
                    }
                    m.line("finally:\n    out.append('closed')");
                }
                2 => m.line("last = yield from itertools.islice([start, *range(n)], 5)\nout.append(last)"),
                _ => {}
            }
            m.statements(2);
            m.line("yield start");
            m.line("return n");
        });
        for _ in 0..1 + self.random.below(2) {
            let uses = self.one_of(&[
                "out.append(list(itertools.islice(keep(@(#)), 8)))",
                "g = keep(@(#))\nout.append(next(g, None))\nout.append(attempt(lambda: g.send($i)))\ng.close()\nout.append(attempt(next, g))",
                "g = keep(@(#, start=#))\nout.append(next(g, None))\nout.append(attempt(lambda: g.throw(ValueError($s))))\nout.append(attempt(next, g))\nattempt(g.close)",
                "out.append(sum(x for x in itertools.islice(keep(@(#)), 9) if isinstance(x, int)))",
                "def outer():\n    got = yield from keep(@(#))\n    yield ('returned', got)\nout.append(list(itertools.islice(keep(outer()), 12)))",
                "out.append(attempt(keep(@(2)).send, 1))",
                "first, *rest = itertools.islice(keep(@(#)), 5)\nout.append((first, rest))",
                "out.append([(a, b) for a, b in zip(keep(@(#)), keep(@(#)))][:6])",
            ]);
            let text = self.fill(uses, 1).replace('@', &name);
            self.line(&text);
        }
    }

    /// A class with some special methods, and perhaps a subclass.
    fn class(&mut self) {
        let name = self.name("C");
        let base = self.classes.iter().rev().find(|class| class.is_plain).cloned();
        let base = base.filter(|_| self.chance(2));
        let mut members = base.as_ref().map_or_else(Vec::new, |base| base.members.clone());
        let head = match &base {
            Some(base) => format!("class {name}({}):", base.name),
            None => format!("class {name}:"),
        };
        self.line(&head);
        self.indent += 1;
        let shared = self.fill("count = 0\nlabels = $w", 1);
        self.line(&shared);
        match &base {
            Some(_) => self.line(
                "def __init__(self, n, s='', *rest):\n    super().__init__(n, s)\n    self.more = rest",
            ),
            None => self.line(
                "def __init__(self, n, s=''):\n    self.n = n\n    self.s = s\n    type(self).count += 1\n\
                 def __repr__(self):\n    return f'{type(self).__name__}({self.n!r}, {self.s!r})'",
            ),
        }
        members.push(("@.n".to_owned(), Kind::Int));
        members.push(("@.s".to_owned(), Kind::Text));
        members.push(("repr(@)".to_owned(), Kind::Text));
        for _ in 0..2 + self.random.below(6) {
            let (code, uses, kind) = METHODS[self.random.below(METHODS.len())];
            if code.contains("super()") && base.is_none() {
                continue;
            }
            let text = self.fill_method(code);
            self.line(&text);
            members.push((uses.to_owned(), kind));
        }
        self.indent -= 1;
        // The class of an instance decides about the hash: `__eq__` alone removes it.
        let uses = self.fill("out.append((repr(@($i, $s)), attempt(str, @($i)), attempt(len, @(1)), attempt(hash, @(1)) == 0))", 1);
        self.line(&uses.replace('@', &name));
        let uses = self.fill("out.append((attempt(operator.add, @($i), @($i)), attempt(operator.lt, @($i), @($i)), @($i) == @($i), @.count, @.labels))", 1);
        self.line(&uses.replace('@', &name));
        let uses = self.fill("out.append((attempt(list, @(#)), attempt(lambda: @($i)[$i]), attempt(lambda: @(1).missing), attempt(lambda: $i in @(2)), bool(@(0)), attempt(lambda: @()(2))))", 1);
        self.line(&uses.replace('@', &name));
        self.classes.push(Class { name, is_plain: true, members });
    }

    /// Fills expressions that do not call members, whose methods could call themselves.
    fn fill_method(&mut self, code: &str) -> String {
        let classes = std::mem::take(&mut self.classes);
        let kept = self.variables.clone();
        let text = self.fill(code, 1);
        self.variables = kept;
        self.classes = classes;
        text
    }

    fn dataclass(&mut self) {
        let name = self.name("D");
        let options = self.one_of(&[
            "",
            "(order=True)",
            "(frozen=True)",
            "(eq=False)",
            "(frozen=True, order=True)",
            "(kw_only=False)",
            "(repr=True)",
        ]);
        let (field, default) = (self.leaf(Kind::Int), self.leaf(Kind::Ints));
        self.line(&format!(
            "@dataclass{options}\nclass {name}:\n    n: int\n    s: str = 'd'\n    extra: int = {field}\n    items: list = field(default_factory=lambda: list({default}), compare=False)"
        ));
        let method =
            self.fill_method("@property\ndef total(self):\n    return (self.n + self.extra + $i) % 1000");
        self.indent += 1;
        self.line(&method);
        if self.chance(3) {
            self.line("def __post_init__(self):\n    self.items.append(self.n)");
        }
        self.indent -= 1;
        for template in [
            "out.append((repr(@($i)) if '@' else 0, asdict(@($i, $s)), astuple(@($i, extra=$i))))",
            "out.append((attempt(lambda: @(1) < @(#)), attempt(lambda: @(1) == @(1)), attempt(lambda: replace(@(1), n=$i).total)))",
            "x = @($i)\nattempt(setattr, x, 'n', 7)\nout.append((attempt(setattr, x, 's', $s), attempt(@), attempt(@, 1, bad=2), x.n, x.total))",
        ] {
            if !options.contains("eq=False") || !template.contains("== ") {
                let text = self.fill(template, 1).replace('@', &name);
                self.line(&text);
            }
        }
        let members = vec![
            ("@.n".to_owned(), Kind::Int),
            ("@.s".to_owned(), Kind::Text),
            ("@.total".to_owned(), Kind::Int),
            ("@.items".to_owned(), Kind::Ints),
        ];
        self.classes.push(Class { name, is_plain: false, members });
    }

    fn enumeration(&mut self) {
        let name = self.name("E");
        let base = self.one_of(&["Enum", "IntEnum"]);
        self.line(&format!("class {name}({base}):\n    ONE = 1\n    TWO = 2\n    ALSO = 2\n    SIX = 6"));
        self.line("    @property\n    def twice(self):\n        return self.value * 2");
        self.line("    @classmethod\n    def first(cls):\n        return cls.ONE");
        for _ in 0..2 {
            let uses = self.one_of(&[
                "out.append([(m.name, m.value, m.twice) for m in @])",
                "out.append((repr(@.ONE), @(2) is @.ALSO, @['SIX'].value, len(@)))",
                "out.append((attempt(@, $i), attempt(lambda: @[$s])))",
                "out.append((attempt(lambda: @.ONE < @.SIX), @.first() == 1, @.TWO in @, repr(@.ALSO)))",
                "out.append({@.ONE: $i, @.SIX: $s}[@.first()])",
                "match @($i % 2 + 1):\n    case @.ONE:\n        out.append('one')\n    case @.TWO:\n        out.append('two')",
                "out.append((attempt(lambda: @.ONE + 1), attempt(setattr, @, 'ONE', 5), list(@.__members__)))",
            ]);
            let text = self.fill(uses, 1).replace('@', &name);
            self.line(&text);
        }
    }

    /// Counters, accumulators and late-bound variables.
    fn closures(&mut self) {
        let name = self.name("make");
        let template = self.one_of(&[
            "def @(n=$i):\n    total = n\n    def add(k, *more):\n        nonlocal total\n        total += k + sum(more)\n        return total % 1000\n    def get():\n        return total\n    return add, get\nadd, get = @()\nout.append((add(#), add(#, #), get()))",
            "def @(n):\n    return [lambda x, i=i: (x * i + n) % 100 for i in range(n)], [lambda: i for i in range(n)]\nbound, late = @(#)\nout.append(([f($i) for f in bound], [f() for f in late]))",
            "def @(f, *fs):\n    return lambda x: f(@(*fs)(x)) if fs else f(x)\nout.append(@(lambda x: x + 1, lambda x: x * #, abs)($i))",
            "def @(n):\n    def inner():\n        if n > 2:\n            local = n\n        return local\n    return inner\nout.append((attempt(@(1)), attempt(@(3))))",
            "def @(n, memo={}):\n    if n not in memo:\n        memo[n] = n if n < 2 else @(n - 1) + @(n - 2)\n    return memo[n]\nout.append(@(1#))",
            "x = $i\ndef @():\n    global x\n    x = (x + 1) % 50\n    class Inner:\n        y = x\n        def get(self):\n            return x, self.y\n    return Inner().get()\nout.append((@(), @(), x))",
        ]);
        let text = self.fill(template, 1).replace('@', &name);
        self.line(&text);
    }

    fn error_class(&mut self) {
        let name = self.name("X");
        let own = self.errors.get(self.random.below(self.errors.len())).cloned();
        let base = match own {
            Some(base) if self.chance(2) => base,
            _ => self.one_of(&["Exception", "ValueError", "KeyError", "LookupError"]).to_owned(),
        };
        self.line(&format!(
            "class {name}({base}):\n    def __init__(self, code, text='?'):\n        super().__init__(code, text)\n        self.code = code"
        ));
        let uses = self.fill(
            "try:\n    raise @($i, $s)\nexcept @ as error:\n    out.append((error.code, error.args, str(error), isinstance(error, LookupError), repr(error)))",
            1,
        );
        let uses = if base.starts_with('X') { uses.replace(", repr(error)", "") } else { uses };
        self.line(&uses.replace('@', &name));
        self.errors.push(name);
    }
}

/// Methods: the code, the use, and its type. `@` is an instance, `~` another.
const METHODS: &[(&str, &str, Kind)] = &[
    ("def area(self, k=2):\n    return (self.n * k + $i) % 1000", "@.area(#)", Kind::Int),
    (
        "def area(self, k=2):\n    return (super().area(k) if hasattr(super(), 'area') else 0) + #",
        "@.n",
        Kind::Int,
    ),
    ("def shout(self):\n    return self.s.upper() + $s", "@.shout()", Kind::Text),
    ("@property\ndef half(self):\n    return self.n // 2", "@.half", Kind::Int),
    (
        "@property\ndef level(self):\n    return self._level if hasattr(self, '_level') else 0\n@level.setter\ndef level(self, value):\n    if value < 0:\n        raise ValueError('negative')\n    self._level = value",
        "@.level",
        Kind::Int,
    ),
    ("@classmethod\ndef make(cls, n):\n    return cls(n, cls.__name__)", "@.make(#).s", Kind::Text),
    ("@staticmethod\ndef helper(a, b=2):\n    return a % 10 + b", "@.helper($i)", Kind::Int),
    (
        "def __eq__(self, other):\n    if not hasattr(other, 'n'):\n        return NotImplemented\n    return self.n == other.n",
        "@ == ~",
        Kind::Flag,
    ),
    (
        "def __eq__(self, other):\n    return isinstance(other, type(self)) and self.n == other.n\ndef __hash__(self):\n    return self.n",
        "len({@, ~})",
        Kind::Int,
    ),
    ("def __lt__(self, other):\n    return self.n < other.n", "sorted([@, ~])[0].n", Kind::Int),
    (
        "def __add__(self, other):\n    if isinstance(other, int):\n        return type(self)(self.n + other, self.s)\n    return type(self)(self.n + other.n, self.s + other.s)",
        "(@ + ~).n",
        Kind::Int,
    ),
    ("def __radd__(self, other):\n    return type(self)(self.n + other, self.s)", "(# + @).n", Kind::Int),
    ("def __mul__(self, k):\n    return type(self)(self.n * k % 1000, self.s)", "(@ * #).n", Kind::Int),
    ("def __neg__(self):\n    return type(self)(-self.n, self.s)", "(-@).n", Kind::Int),
    ("def __len__(self):\n    return abs(self.n) % 10", "len(@)", Kind::Int),
    ("def __bool__(self):\n    return self.n > 0", "bool(@)", Kind::Flag),
    (
        "def __getitem__(self, i):\n    if isinstance(i, slice):\n        return (i.start, i.stop, i.step)\n    if not 0 <= i < 3:\n        raise IndexError('position')\n    return self.n + i",
        "@[#:$i]",
        Kind::Pair,
    ),
    ("def __iter__(self):\n    for i in range(3):\n        yield self.n + i", "list(@)", Kind::Ints),
    (
        "def __iter__(self):\n    self.left = 2\n    return self\ndef __next__(self):\n    if self.left <= 0:\n        raise StopIteration\n    self.left -= 1\n    return self.left",
        "list(@)",
        Kind::Ints,
    ),
    ("def __contains__(self, x):\n    return x == self.n", "$i in @", Kind::Flag),
    (
        "def __call__(self, *args, **kwargs):\n    return (self.n + sum(args) + len(kwargs)) % 1000",
        "@($i, key=$s)",
        Kind::Int,
    ),
    ("def __str__(self):\n    return f'<{self.s}>'", "format(@)", Kind::Text),
    ("def __format__(self, spec):\n    return f'{self.n:{spec or 4}}'", "format(@, '>7')", Kind::Text),
    (
        "def __getattr__(self, name):\n    if name.startswith('_'):\n        raise AttributeError(name)\n    return len(name)",
        "@.other",
        Kind::Int,
    ),
    (
        "def __enter__(self):\n    out.append('enter')\n    return self\ndef __exit__(self, kind, error, trace):\n    out.append(('exit', kind and kind.__name__, str(error)))\n    return self.n > 2",
        "@.n",
        Kind::Int,
    ),
    ("def __index__(self):\n    return abs(self.n) % 3", "[1, 2, 3][@]", Kind::Int),
    ("def __int__(self):\n    return self.n", "int(@)", Kind::Int),
    ("def __le__(self, other):\n    return NotImplemented", "attempt(operator.le, @, ~)", Kind::Pair),
    (
        "def __setattr__(self, name, value):\n    object.__setattr__(self, name, value if name != 'n' else value % 100)",
        "@.n",
        Kind::Int,
    ),
    ("def __reversed__(self):\n    return iter([self.n, 0])", "list(reversed(@))", Kind::Ints),
];
