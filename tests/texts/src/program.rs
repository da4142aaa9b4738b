//! Random whole programs of Python host code.
//!
//! A program defines functions, classes and generators, and runs statements over them. It ends by construction: loops
//! run over short lists or count down, and functions call only those that were defined before them. Expressions have
//! types, so that most programs raise nothing; what may raise is often below `try`. The program appends what it sees to
//! `out`, and `result` is the list of these values. Nothing depends on the order of sets, on identities or
//! addresses, or on the moment when a generator that nothing refers to is closed.

mod blocks;
mod definition;
mod expression;
mod statement;

use crate::Random;

pub use blocks::block_names;

/// A random whole program that sets `result`.
pub fn whole_program(random: &mut Random) -> String {
    let mut maker = Maker {
        random,
        text: HEAD.to_owned(),
        indent: 0,
        fresh: 0,
        variables: Vec::new(),
        functions: Vec::new(),
        classes: Vec::new(),
        errors: Vec::new(),
        body: Body::Module,
        loops: 0,
    };
    for kind in [Kind::Int, Kind::Text, Kind::Ints, Kind::Words, Kind::Table, Kind::Pair] {
        maker.assign_new(kind);
    }
    for _ in 0..3 + maker.random.below(4) {
        if maker.chance(3) { maker.part() } else { maker.definition() }
    }
    maker.part();
    for _ in 0..5 + maker.random.below(8) {
        maker.statement(2);
    }
    maker.line("result = out");
    maker.text
}

const HEAD: &str = "\
import math, itertools, functools, operator
from collections import namedtuple, OrderedDict, defaultdict, Counter, deque
from dataclasses import dataclass, field, replace, asdict, astuple
from enum import Enum, IntEnum
from contextlib import contextmanager
out = []
logged = []
def log(v):
    logged.append(v)
    return v
def attempt(f, *args, **kwargs):
    try:
        return f(*args, **kwargs)
    except Exception as error:
        return type(error).__name__, str(error)
kept = []
def keep(generator):
    kept.append(generator)
    return generator
def remainders(l, k):
    return [y for x in l if (y := x % k)]
def traced(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        out.append((f.__name__, len(args), sorted(kwargs)))
        return f(*args, **kwargs)
    return wrapper
def twice(n):
    def decorate(f):
        def wrapper(*args, **kwargs):
            for _ in range(n - 1):
                f(*args, **kwargs)
            return f(*args, **kwargs)
        return wrapper
    return decorate
class Scope:
    def __init__(self, n):
        self.n = n
    def __enter__(self):
        out.append('enter')
        return self.n
    def __exit__(self, kind, error, trace):
        out.append(kind and (kind.__name__, str(error)))
        return kind is not None and issubclass(kind, LookupError)
i0, i1, f0, s0, s1, l0, l1, t0, d0, e0 = 5, -3, 1.5, 'text', 'é²', [3, 1, 2], [], (1, 'a'), {'a': 1, 'b': 2}, {1, 2}
";

/// The type of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Int,
    Float,
    Text,
    Flag,
    /// A list of integers.
    Ints,
    /// A list of strings.
    Words,
    /// A dictionary from strings to integers.
    Table,
    /// A tuple of two integers.
    Pair,
}

const KINDS: [Kind; 8] =
    [Kind::Int, Kind::Float, Kind::Text, Kind::Flag, Kind::Ints, Kind::Words, Kind::Table, Kind::Pair];

/// The code around a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    Module,
    Function(Kind),
    Generator,
}

/// A variable that can be read. Those of an outer function are not assigned.
#[derive(Clone)]
struct Variable {
    name: String,
    kind: Kind,
    is_own: bool,
}

/// A parameter as calls pass it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passing {
    Positional,
    Either,
    Keyword,
    Rest,
    Keywords,
}

#[derive(Clone)]
struct Parameter {
    name: String,
    kind: Kind,
    passing: Passing,
    has_default: bool,
}

/// A callable whose result has a type.
#[derive(Clone)]
struct Function {
    name: String,
    parameters: Vec<Parameter>,
    result: Kind,
}

/// A class whose instances are made of an integer and a string.
#[derive(Clone)]
struct Class {
    name: String,
    is_plain: bool,
    /// Expressions over an instance `$`, and their types.
    members: Vec<(String, Kind)>,
}

struct Maker<'a> {
    random: &'a mut Random,
    text: String,
    indent: usize,
    fresh: usize,
    variables: Vec<Variable>,
    functions: Vec<Function>,
    classes: Vec<Class>,
    /// Exception classes of the program.
    errors: Vec<String>,
    body: Body,
    /// Open loops of the function.
    loops: usize,
}

impl Maker<'_> {
    fn line(&mut self, text: &str) {
        for line in text.split('\n') {
            self.text.push_str(&"    ".repeat(self.indent));
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    /// Writes a block: its head, and lines below it. Variables of the block are gone after it.
    fn block(&mut self, head: &str, body: impl FnOnce(&mut Self)) {
        self.line(head);
        self.indent += 1;
        let before = self.variables.len();
        body(self);
        self.variables.truncate(before);
        self.indent -= 1;
    }

    /// Writes some statements.
    fn statements(&mut self, depth: u32) {
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
    }

    /// The body of a function in which only its own variables are assigned.
    fn function_body(&mut self, body: Body, parameters: &[(String, Kind)], write: impl FnOnce(&mut Self)) {
        let kept = self.variables.clone();
        for variable in &mut self.variables {
            variable.is_own = false;
        }
        for (name, kind) in parameters {
            self.variables.push(Variable { name: name.clone(), kind: *kind, is_own: true });
        }
        let outer = (std::mem::replace(&mut self.body, body), std::mem::take(&mut self.loops));
        self.indent += 1;
        write(self);
        self.indent -= 1;
        (self.body, self.loops) = outer;
        self.variables = kept;
    }

    fn name(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.random.below(one_in) == 0
    }

    fn one_of<'s>(&mut self, texts: &[&'s str]) -> &'s str {
        texts.get(self.random.below(texts.len())).copied().unwrap_or_default()
    }

    fn kind(&mut self) -> Kind {
        KINDS[self.random.below(KINDS.len())]
    }

    fn variable(&mut self, kind: Kind, is_own: bool) -> Option<String> {
        let found: Vec<&Variable> =
            self.variables.iter().filter(|v| v.kind == kind && (v.is_own || !is_own)).collect();
        let at = self.random.below(found.len());
        found.get(at).map(|variable| variable.name.clone())
    }

    fn assign_new(&mut self, kind: Kind) -> String {
        let value = self.expr(kind, 2);
        let name = self.name("v");
        let annotation = if self.chance(8) { ": object" } else { "" };
        self.line(&format!("{name}{annotation} = {value}"));
        self.variables.push(Variable { name: name.clone(), kind, is_own: true });
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_program() {
        let program = |seed| whole_program(&mut Random::new(seed));
        assert_eq!(program(3), program(3));
        assert_ne!(program(3), program(4));
    }

    #[test]
    fn programs_hold_every_kind_of_statement() {
        let text: String = (0..100).map(|seed| whole_program(&mut Random::new(seed))).collect();
        for part in [
            "nonlocal ",
            "global ",
            "yield from",
            "lambda",
            "@dataclass",
            "(Enum)",
            "match ",
            "while ",
            "finally:",
            "g.send(",
            "g.throw(",
            "__getattr__",
            "super()",
            " as again:",
            "*, ",
            "/, ",
        ] {
            assert!(text.contains(part), "{part}");
        }
    }
}
