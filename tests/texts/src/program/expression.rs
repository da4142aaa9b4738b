//! Expressions of a type.

use super::{Function, Kind, Maker, Passing};
use crate::host::{Scale, host_expression};

impl Maker<'_> {
    /// Fills a template: `$` and a letter is an expression of a type, `#` a small number.
    pub(super) fn fill(&mut self, template: &str, depth: u32) -> String {
        let mut out = String::new();
        let mut chars = template.chars();
        while let Some(c) = chars.next() {
            match c {
                '#' => out.push_str(&(1 + self.random.below(6)).to_string()),
                '$' => {
                    let kind = match chars.next() {
                        Some('i') => Kind::Int,
                        Some('f') => Kind::Float,
                        Some('s') => Kind::Text,
                        Some('b') => Kind::Flag,
                        Some('l') => Kind::Ints,
                        Some('w') => Kind::Words,
                        Some('d') => Kind::Table,
                        Some('t') => Kind::Pair,
                        _ => self.kind(),
                    };
                    let value = self.expr(kind, depth.saturating_sub(1));
                    // Parentheses keep an operator together under what follows.
                    let is_name = value.starts_with(|c: char| c.is_ascii_alphabetic())
                        && value.chars().all(|c| c.is_ascii_alphanumeric());
                    if !is_name && chars.as_str().starts_with(['.', '[', '(']) {
                        out.push_str(&format!("({value})"));
                    } else {
                        out.push_str(&value);
                    }
                }
                c => out.push(c),
            }
        }
        out
    }

    pub(super) fn leaf(&mut self, kind: Kind) -> String {
        if !self.chance(4)
            && let Some(name) = self.variable(kind, false)
        {
            return name;
        }
        let number = self.random.below(12);
        match kind {
            Kind::Int => self.one_of(&["0", "1", "2", "7", "-3", "10", "True", "255", "-1"]).to_owned(),
            Kind::Float => self.one_of(&["0.5", "1.0", "-2.25", "1e3", "3.14159"]).to_owned(),
            Kind::Text => self
                .one_of(&["''", "'a'", "'spam eggs'", "'Ünïcode'", "\"it's\"", "'1,2,3'", "'tab\\t'"])
                .to_owned(),
            Kind::Flag => self.one_of(&["True", "False"]).to_owned(),
            Kind::Ints => self.one_of(&["[]", "[1]", "[3, 1, 2]", "[5, 5, 0]", "[-1, 4]"]).to_owned(),
            Kind::Words => self.one_of(&["[]", "['a', 'b']", "['x', '', 'yz']", "['k']"]).to_owned(),
            Kind::Table => self.one_of(&["{}", "{'a': 1}", "{'b': 2, 'a': 3}", "dict(z=1)"]).to_owned(),
            Kind::Pair => format!("({number}, {})", number / 3),
        }
    }

    pub(super) fn expr(&mut self, kind: Kind, depth: u32) -> String {
        if depth == 0 || self.chance(4) {
            return self.leaf(kind);
        }
        if self.chance(5)
            && let Some(call) = self.call(kind, depth - 1)
        {
            return call;
        }
        if self.chance(5)
            && let Some(member) = self.member(kind, depth - 1)
        {
            return member;
        }
        let template = self.one_of(match kind {
            Kind::Int => INTS,
            Kind::Float => FLOATS,
            Kind::Text => TEXTS,
            Kind::Flag => FLAGS,
            Kind::Ints => LISTS,
            Kind::Words => WORDS,
            Kind::Table => TABLES,
            Kind::Pair => PAIRS,
        });
        self.fill(template, depth)
    }

    /// A call of a function of the program.
    pub(super) fn call(&mut self, kind: Kind, depth: u32) -> Option<String> {
        let found: Vec<Function> = self.functions.iter().filter(|f| f.result == kind).cloned().collect();
        let function = found.get(self.random.below(found.len()))?;
        Some(self.call_of(function, depth))
    }

    pub(super) fn call_of(&mut self, function: &Function, depth: u32) -> String {
        let (mut positional, mut keywords) = (Vec::new(), Vec::new());
        let mut by_keyword = false;
        for parameter in &function.parameters {
            let may_omit = parameter.has_default && self.chance(2);
            match parameter.passing {
                Passing::Rest => {
                    if !by_keyword {
                        for _ in 0..self.random.below(3) {
                            positional.push(self.expr(parameter.kind, depth));
                        }
                        if self.chance(4) {
                            positional.push(format!("*[{}]", self.expr(parameter.kind, depth)));
                        }
                    }
                }
                Passing::Keywords => {
                    if self.chance(2) {
                        keywords.push(format!("extra={}", self.expr(parameter.kind, depth)));
                    }
                    if self.chance(4) {
                        keywords.push(format!("**{{'more': {}}}", self.expr(parameter.kind, depth)));
                    }
                }
                _ if may_omit => by_keyword = true,
                Passing::Positional if by_keyword => {}
                Passing::Either | Passing::Positional
                    if !(by_keyword || parameter.passing == Passing::Either && self.chance(4)) =>
                {
                    positional.push(self.expr(parameter.kind, depth));
                }
                _ => {
                    by_keyword = true;
                    keywords.push(format!("{}={}", parameter.name, self.expr(parameter.kind, depth)));
                }
            }
        }
        positional.append(&mut keywords);
        format!("{}({})", function.name, positional.join(", "))
    }

    /// A member of an instance of a class of the program.
    pub(super) fn member(&mut self, kind: Kind, depth: u32) -> Option<String> {
        let mut found = Vec::new();
        for class in &self.classes {
            let members = class.members.iter().filter(|(_, member)| *member == kind);
            found.extend(members.map(|(text, _)| (class.name.clone(), text.clone())));
        }
        let (class, text) = found.get(self.random.below(found.len()))?.clone();
        let instance = format!("{class}({}, {})", self.expr(Kind::Int, depth), self.expr(Kind::Text, depth));
        let other = format!("{class}({}, {})", self.expr(Kind::Int, depth), self.leaf(Kind::Text));
        let text = self.fill(&text, depth);
        Some(text.replace('~', &other).replace('@', &instance))
    }

    /// An expression that may raise.
    pub(super) fn risky(&mut self) -> String {
        if self.chance(3) {
            return host_expression(self.random, Scale::Small);
        }
        let template = self.one_of(RISKY);
        self.fill(template, 2)
    }
}

const INTS: &[&str] = &[
    "($i + $i) % 1000",
    "($i - $i)",
    "($i * $i) % 977",
    "$i // #",
    "$i % #",
    "-$i % 50",
    "len($s)",
    "len($l)",
    "sum($l)",
    "max($l, default=$i)",
    "min($l, default=$i)",
    "($i if $b else $i)",
    "($i or $i)",
    "($i and $i)",
    "$s.count('a')",
    "$s.find($s)",
    "$d.get($s, $i)",
    "sum($d.values())",
    "$t[0]",
    "$t[-1]",
    "abs($i)",
    "($i & 255 | #)",
    "($i ^ $i) % 64",
    "(1 << # ) >> 1",
    "divmod($i, #)[0]",
    "(lambda a, b=$i: (a - b) % 100)($i)",
    "functools.reduce(lambda a, b: (a + b) % 100, $l, $i)",
    "int('#' + str(abs($i)))  % 1000",
    "sum(x % # for x in $l if x != $i)",
    "next((x for x in $l if x > #), $i)",
    "len({*$l, $i})",
    "max($t)",
    "round($f * 2) % 1000",
    "pow($i, #, 101)",
    "sum(map(len, $w))",
    "Counter($s)[$s]",
    "math.gcd($i, $i)",
    "sum(1 for a, b in zip($l, $l) if a < b)",
    "[*range(#), $i][-1]",
    "($i).bit_length()",
    "int($b)",
];

const FLOATS: &[&str] = &[
    "($f + $i)",
    "$f * 0.5",
    "$f - $f",
    "$i / #",
    "abs($f)",
    "float($i)",
    "round($f, #)",
    "($f if $b else $f)",
    "math.floor($f) / #",
    "sum($l) / #",
    "max($f, $f)",
    "$f // #",
    "$f % #",
];

const TEXTS: &[&str] = &[
    "($s + $s)[:20]",
    "$s * 2",
    "$s.upper()",
    "$s.title()",
    "$s[::-1]",
    "$s[#:]",
    "$s[-#:]",
    "$s.strip()",
    "$s.replace('a', $s)[:30]",
    "str($i)",
    "repr($s)",
    "(lambda x, y: f'{x}:{y:>#}')($i, $i)",
    "(lambda x, y, z: f'{x:+05d}|{y:x}|{z:,}')($i, $i, $i)",
    "(lambda x, y: f'{x:.3f} {y:8.2e} {x:g}')($f, $f)",
    "(lambda x: f'{x!r:<12}')($s)",
    "(lambda x, y, w=#: f'{x=} {y!s:^7} {x:>{w}}')($i, $b)",
    "'%s-%d' % ($s, $i)",
    "'%5.1f|%-6s|%x' % ($f, $s, abs($i))",
    "'{:>8}|{!r}|{:^5}'.format($s, $s, $i)",
    "'{0}{1}{0} {key}'.format($i, $s, key=$b)",
    "','.join($w)",
    "''.join(sorted($s))",
    "''.join(c for c in $s if c.isalpha())",
    "repr($l)",
    "str($d)",
    "($s if $b else $s)",
    "$s.center(#)",
    "$s.zfill(#)",
    "$s.partition(' ')[0]",
    "repr($t)",
    "str($f)",
    "type($a).__name__",
    "$s.swapcase()",
    "hex($i)",
    "chr(97 + $i % 26)",
    "str($b)",
    "$s.expandtabs(#)",
    "repr($s.encode())",
];

const FLAGS: &[&str] = &[
    "$i < $i",
    "$i == $i",
    "$i != $f",
    "0 <= $i < 10",
    "not $b",
    "($b and $b)",
    "($b or $b)",
    "$i in $l",
    "$s in $s",
    "$s in $d",
    "$s not in $w",
    "bool($l)",
    "$l == $l",
    "$t < $t",
    "$d == $d",
    "$s <= $s",
    "isinstance($a, int)",
    "isinstance($a, (str, list))",
    "any(x > # for x in $l)",
    "all($l)",
    "$s.startswith('a')",
    "$s.isdigit()",
    "callable($a)",
    "hasattr($a, 'append')",
    "{*$l} <= {*$l}",
    "($i, None)[1] is None",
    "issubclass(bool, int)",
];

const LISTS: &[&str] = &[
    "[x + # for x in $l]",
    "[x for x in $l if x % 2]",
    "sorted($l)",
    "sorted($l, reverse=$b)",
    "sorted($l, key=lambda x: (x % 3, x))",
    "$l[::-1]",
    "$l[#:]",
    "$l[:-1]",
    "($l + $l)[:8]",
    "($l * 2)[:6]",
    "[*$l, $i]",
    "list(range(#))",
    "list(range($i % 7, 0, -1))",
    "[len(w) for w in $w]",
    "list($d.values())",
    "list($t)",
    "[x * y for x in range(3) for y in range(x)]",
    "list(map(abs, $l))",
    "list(filter(None, $l))",
    "[a - b for a, b in zip($l, $l)]",
    "list(itertools.accumulate($l))",
    "list(itertools.chain($l, $t))[:7]",
    "sorted({*$l} | {*$l})",
    "sorted({x % # for x in $l})",
    "[i for i, x in enumerate($l) if x]",
    "(lambda *args: list(args))(*$l)",
    "($l if $b else $l)",
    "list(reversed($l))",
    "[ord(c) % 50 for c in $s]",
    "remainders($l, #)",
    "list(itertools.islice(itertools.count($i % 10), #))",
    "list(deque($l, maxlen=#))",
    "[[x, y][x < y] for x, y in itertools.pairwise($l)]",
];

const WORDS: &[&str] = &[
    "$s.split()",
    "$s.split(',')",
    "[str(x) for x in $l]",
    "sorted($w)",
    "sorted($w, key=len)",
    "$w[::-1]",
    "list($d)",
    "list($s)[:6]",
    "[w.upper() for w in $w]",
    "[f'{i}{w}' for i, w in enumerate($w)]",
    "[*$w, $s]",
    "list(dict.fromkeys($s))[:6]",
    "[a + b for a, b in itertools.product('ab', $w[:2])]",
    "[''.join(p) for p in itertools.combinations($s[:3], 2)]",
    "$s.splitlines()",
    "[k for k, g in itertools.groupby($s)][:6]",
    "list(map(str.lower, $w))",
];

const TABLES: &[&str] = &[
    "{w: len(w) for w in $w}",
    "{**$d, 'k': $i}",
    "($d | $d)",
    "dict(zip($w, $l))",
    "{k: v + # for k, v in $d.items()}",
    "dict(sorted($d.items()))",
    "{k: v for k, v in $d.items() if v != $i}",
    "dict.fromkeys($w, $i)",
    "dict(Counter($s))",
    "{c: i for i, c in enumerate($s)}",
    "dict(a=$i, b=$i)",
    "($d if $b else $d)",
    "dict($d)",
];

const PAIRS: &[&str] = &[
    "($i, $i)",
    "divmod($i, #)",
    "$t[::-1]",
    "tuple(sorted($t))",
    "($t if $b else $t)",
    "tuple(x % # for x in $t)",
    "(lambda a, /, b, *, c=$i: (a - b, c))($i, b=$i)",
    "min($t, $t)",
];

const RISKY: &[&str] = &[
    "$l[$i]",
    "$d[$s]",
    "$s[$i]",
    "int($s)",
    "float($s)",
    "$i / $i",
    "$i % $i",
    "$s + $i",
    "$l + $t",
    "$a + $a",
    "$a < $a",
    "$l.index($i)",
    "$s.index($s)",
    "$l.pop($i)",
    "$t.append($i)",
    "[].pop()",
    "max([])",
    "next(iter([]))",
    "len($i)",
    "(lambda x: x())($i)",
    "$s.missing",
    "(lambda a, b: a)($i)",
    "(lambda a, *, key: a)($i, key=$i, other=$s)",
    "(lambda a, /: a)(a=$i)",
    "(lambda: 0)($i, $s)",
    "(lambda a: a)($i, a=$i)",
    "chr($i)",
    "ord($s)",
    "{[]: 1}",
    "hash($l)",
    "$s.join($l)",
    "dict($l)",
    "'%d' % $s",
    "'{} {}'.format($i)",
    "(lambda x: f'{x:d}')($s)",
    "(lambda x: f'{x:.2q}')($i)",
    "sum($w)",
    "sorted([$i, $s])",
    "iter($i)",
    "list($i)",
    "range($f)",
    "math.sqrt(-1 - abs($i))",
    "$t.x",
    "undefined_name",
    "-$s",
    "$i @ $i",
    "$s * $f",
    "(lambda x: x[0])($i)",
    "isinstance($i, $s)",
    "bytes([$i])",
    "deque($l).popleft()",
    "list(zip($l, $w, strict=True))",
    "undefined_name.attribute",
    "int('z', #)",
    "round($s)",
    "[a for a, b in $l]",
    "(lambda a, b: a - b)(*$l)",
    "(lambda **k: sorted(k.items()))(**$d)",
    "namedtuple('P', 'x y')(*$t)",
    "namedtuple('P', 'x y')(*$l)",
    "operator.itemgetter($i)($l)",
    "functools.reduce(operator.add, $w)",
    "int.from_bytes($s, 'big')",
    "defaultdict(list)[$s]",
    "OrderedDict($d).popitem()",
];
