//! Random graphs of toy nodes.

use std::collections::HashMap;

use proptest::prelude::*;
use tvmscript_ir_core::{Map, Object, Ref, Value};

use crate::*;

/// One step of building; the numbers choose among the nodes built before.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    kind: u8,
    a: usize,
    b: usize,
    value: i64,
}

pub fn choices() -> impl Strategy<Value = Vec<Choice>> {
    let one = (0u8..9, any::<usize>(), any::<usize>(), -3i64..4);
    prop::collection::vec(one.prop_map(|(kind, a, b, value)| Choice { kind, a, b, value }), 1..40)
}

/// Builds a graph. With `share` earlier nodes are reused; without it they are rebuilt from the same choices, so the
/// result unfolds to the same tree.
pub fn build(choices: &[Choice], share: bool) -> Object {
    struct Builder<'c> {
        choices: &'c [Choice],
        free: Vec<Ref<Var>>,
        built: HashMap<usize, Ref<Expr>>,
        share: bool,
        budget: usize,
    }
    impl Builder<'_> {
        fn at(&mut self, index: usize) -> Ref<Expr> {
            if self.share
                && let Some(e) = self.built.get(&index)
            {
                return e.clone();
            }
            self.budget = self.budget.saturating_sub(1);
            let c = self.choices[index];
            let below = |n: usize| if index == 0 { None } else { Some(n % index) };
            let made = match (c.kind, below(c.a), below(c.b)) {
                _ if self.budget == 0 => int(c.value),
                (0 | 1, Some(a), Some(b)) => add(self.at(a), self.at(b)),
                (2, Some(a), Some(b)) => call("toy.f", [self.at(a), self.at(b), int(c.value)]),
                (3, Some(a), Some(b)) => {
                    let attrs = [("x", self.at(a)), ("y", self.at(b))];
                    let attrs = attrs.into_iter().map(|(k, v)| (Value::str(k), Value::from(v)));
                    call_with("toy.g", [], Map::new(attrs))
                }
                (4, Some(a), Some(b)) => {
                    let v = var("v");
                    let (value, rest) = (self.at(a), self.at(b));
                    let_in(&v, value, add(up(&v), rest))
                }
                (5, Some(a), Some(b)) => {
                    let (p, q) = (var("p"), var("q"));
                    let (x, y) = (self.at(a), self.at(b));
                    let table = [(q.clone(), x), (p.clone(), y)];
                    lambda_with(&[&p, &q], table, add(up(&p), up(&q)))
                }
                (6, ..) => up(&self.free[c.a % 3]),
                (7, ..) => float(c.value as f64 / 2.0),
                _ => int(c.value),
            };
            self.built.insert(index, made.clone());
            made
        }
    }
    thread_local! {
        static FREE: Vec<Ref<Var>> = ["a", "b", "c"].map(var).into();
    }
    let free = FREE.with(Clone::clone);
    let mut builder = Builder { choices, free, built: HashMap::new(), share, budget: 3000 };
    builder.at(choices.len() - 1).into()
}
