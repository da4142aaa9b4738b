//! Deep and long programs, on a small stack.

use crate::calculator;
use tvmscript_script_eval::{Limits, Run};

/// Runs on a thread with 2 MiB of stack.
fn on_a_small_stack(f: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(f).expect("a thread");
    thread.join().expect("no panic");
}

/// The last value of a text without mistakes.
fn value(text: &str) -> String {
    let mut outcome = calculator::evaluate(text, Limits::default(), Run::Tolerant);
    assert!(outcome.errors.is_empty(), "{:?}", outcome.errors.first());
    outcome.values.pop().unwrap_or_default()
}

#[test]
fn a_sum_of_100_000_terms_is_evaluated() {
    on_a_small_stack(|| {
        let text = format!("x = {}\nx\n", vec!["1"; 100_000].join(" + "));
        assert_eq!(value(&text), "100000");
    });
}

#[test]
fn chains_of_100_000_are_evaluated() {
    on_a_small_stack(|| {
        for operator in [" and ", " < 2 and ", " <= "] {
            let text = format!("x = {}\nx\n", vec!["1"; 100_000].join(operator));
            value(&text);
        }
    });
}

#[test]
fn a_tower_of_20_000_powers_is_evaluated() {
    on_a_small_stack(|| {
        let text = format!("x = {}\nx\n", vec!["1"; 20_000].join(" ** "));
        assert_eq!(value(&text), "1");
    });
}

#[test]
fn an_elif_chain_of_100_000_is_flat() {
    on_a_small_stack(|| {
        let mut text = "if 0:\n  x = 0\n".to_owned();
        for index in 1..100_000 {
            text.push_str(&format!("elif {index} == 99999:\n  x = {index}\n"));
        }
        text.push_str("x\n");
        assert_eq!(value(&text), "99999");
    });
}

#[test]
fn values_inside_values_do_not_exhaust_the_stack() {
    on_a_small_stack(|| {
        let nest = "x = []\nfor _ in range(100000):\n    x = [x]\n";
        for last in ["y = repr(x)", "y = x == [x]", "z = x\ny = [x] == [x]", "y = (x,) in [x]", "f'{x}'"] {
            // Only termination matters, not the result.
            calculator::evaluate(&format!("{nest}{last}\n"), Limits::default(), Run::Tolerant);
        }
    });
}

/// Special methods that call themselves, and instances inside instances.
#[test]
fn classes_do_not_exhaust_the_stack() {
    for body in [
        "def __eq__(self, o): return self == o",
        "def __repr__(self): return repr(self)",
        "def __str__(self): return f'{self}'",
        "def __getattr__(self, name): return self.missing",
        "def __getattribute__(self, name): return self.x",
        "def __setattr__(self, name, value): self.x = value",
        "def __add__(self, o): return self + o",
        "def __bool__(self): return not self",
        "def __len__(self): return len(self)",
        "def __iter__(self): return iter(self)",
        "def __getitem__(self, i): return self[i]",
        "def __contains__(self, i): return i in self",
        "def __hash__(self): return hash(self)\n    def __eq__(self, o): return True",
        "def __call__(self): return self()",
        "def __int__(self): return int(self)",
        "def __index__(self): return [0][self]",
        "def __format__(self, spec): return format(self)",
        "def __new__(cls): return cls()",
        "@property\n    def x(self): return self.x",
        "def __lt__(self, o): return self < o",
    ] {
        for use_ in [
            "A() == A()",
            "repr(A())",
            "str(A())",
            "A().x",
            "setattr(A(), 'x', 1)",
            "A() + A()",
            "bool(A())",
            "len(A())",
            "list(A())",
            "A()[0]",
            "1 in A()",
            "{A(): 1}",
            "A()()",
            "int(A())",
            "[0][A()]",
            "format(A(), 'x')",
            "sorted([A(), A()])",
        ] {
            let text = format!("class A:\n    {body}\n{use_}\n");
            let outcome = calculator::evaluate(&text, Limits::default(), Run::Strict);
            assert!(outcome.errors.len() <= 2, "{text}: {:?}", outcome.errors);
        }
    }
}

#[test]
fn nested_instances_are_released_without_recursion() {
    let nested = "class A:\n    def __init__(self, x):\n        self.x = x\nat = None\nfor i in range(100000):\n    at = A(at)\nat.x.x is None\n";
    let record = "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: object\nat = None\nfor i in range(10000):\n    at = A(at)\nat == 1\n";
    let tuples = "from collections import namedtuple\nA = namedtuple('A', 'x')\nat = None\nfor i in range(10000):\n    at = A(at)\nlen(at)\n";
    let cycle = "class A:\n    pass\na = A()\na.me = a\nA.one = a\na.me.me.one is a\n";
    for (text, value) in [(nested, "False"), (record, "False"), (tuples, "1"), (cycle, "True")] {
        let outcome = calculator::evaluate(text, Limits::default(), Run::Strict);
        assert!(outcome.errors.is_empty(), "{:?}", outcome.errors);
        assert_eq!(outcome.values.last().map(String::as_str), Some(value), "{text}");
    }
    // Comparing and printing them fails instead.
    for operation in ["at == A(A(1))", "repr(at)", "hash(at)", "asdict(at)"] {
        let text = format!(
            "from dataclasses import asdict, dataclass\n@dataclass(frozen=True)\nclass A:\n    x: object\nat = None\nfor i in range(10000):\n    at = A(at)\n{operation}\n"
        );
        let outcome = calculator::evaluate(&text, Limits::default(), Run::Strict);
        assert!(outcome.errors.len() <= 1, "{operation}: {:?}", outcome.errors);
    }
}

#[test]
fn special_methods_that_call_themselves_end() {
    on_a_small_stack(|| {
        for body in [
            "A.__repr__ = A.__str__\nrepr(A())",
            "A.__call__ = A()\nA()()",
            "A.__str__ = A.__repr__ = str\nstr(A())",
        ] {
            let text = format!("class A:\n    pass\n{body}\n");
            let outcome = calculator::evaluate(&text, Limits::default(), Run::Strict);
            assert!(!outcome.errors.is_empty() || !outcome.values.is_empty(), "{body}");
        }
    });
}
