//! Properties of random graphs.

use std::collections::HashMap;

use proptest::prelude::*;
use tvmscript_ir_core::json::{native, tvm};
use tvmscript_ir_core::{
    Map, Object, Ref, StructuralEqual, Value, mismatches, post_order_mutate, structural_equal,
    structural_hash,
};

use crate::toy::*;

/// TVM's form of a value whose tensors are whole.
fn tvm_save(value: &Value) -> String {
    tvm::save(value).expect("no tensor is left out")
}

const MAPPED: StructuralEqual = StructuralEqual { map_free_vars: true, skip_tensor_content: false };

/// One step of building: numbers choose among what was built before.
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

/// Builds a graph. With `share` an earlier node is used again, without it is built anew from the same choices, so that
/// the result is the same tree with other sharing.
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hash_agrees_with_equality(a in choices(), b in choices()) {
        let (x, y) = (build(&a, true), build(&b, true));
        let equal = structural_equal(&x, &y);
        // Free variables count by order in the hash, so it agrees with equality up to them.
        let mapped = MAPPED.compare(&x, &y);
        prop_assert_eq!(mapped, structural_hash(&x) == structural_hash(&y));
        prop_assert!(mapped || !equal);
        prop_assert_eq!(equal, structural_equal(&y, &x));
        prop_assert_eq!(equal, mismatches(&x, &y).is_empty());
    }

    #[test]
    fn a_second_build_is_equal(a in choices()) {
        let (x, y) = (build(&a, true), build(&a, true));
        prop_assert!(structural_equal(&x, &y));
        prop_assert_eq!(mismatches(&x, &y), []);
        prop_assert_eq!(structural_hash(&x), structural_hash(&y));
    }

    #[test]
    fn json_reads_back(a in choices()) {
        let x = build(&a, true);
        let registry = registry();
        let text = tvm_save(&Value::Node(x.clone()));
        let y = tvm::load(&text, &registry).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert!(MAPPED.compare_values(&Value::Node(x.clone()), &y));
        prop_assert_eq!(text, tvm_save(&y));
        let text = native::save(&Value::Node(x.clone()));
        let y = native::load(&text, &registry).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert!(MAPPED.compare_values(&Value::Node(x), &y));
        prop_assert_eq!(text, native::save(&y));
    }

    #[test]
    fn an_idle_mutator_gives_the_same_pointer(a in choices(), hold in any::<bool>()) {
        let x = build(&a, true);
        let (address, before) = (x.address(), structural_hash(&x));
        let held = hold.then(|| x.clone());
        let y = post_order_mutate(x, |_| None).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(y.address(), address);
        prop_assert_eq!(structural_hash(&y), before);
        drop(held);
    }

    /// Other sharing leaves equality and hash in step with each other; it may separate binders, so equality is not
    /// certain.
    #[test]
    fn sharing_does_not_set_hash_and_equality_apart(a in choices()) {
        let (x, y) = (build(&a, true), build(&a, false));
        prop_assert_eq!(structural_equal(&x, &y), mismatches(&x, &y).is_empty());
        if structural_equal(&x, &y) {
            prop_assert_eq!(structural_hash(&x), structural_hash(&y));
        }
        prop_assert!(structural_equal(&y, &build(&a, false)));
    }
}
