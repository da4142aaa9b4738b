//! Equality and hash: each rule, sharing, depth.

use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::{
    Array, DataType, Map, Mismatch, MismatchKind, Object, ObjectLike, Ref, Str, StructuralEqual,
    StructuralHash, Tensor, Value, mismatches, structural_equal, structural_hash,
};

use tvmscript_toy_nodes::*;

const MAPPED: StructuralEqual = StructuralEqual { map_free_vars: true, skip_tensor_content: false };

fn o<T: ?Sized>(r: Ref<T>) -> Object {
    r.into()
}

#[track_caller]
fn check_equal(a: &Object, b: &Object) {
    assert!(structural_equal(a, b));
    assert!(structural_equal(b, a));
    assert_eq!(structural_hash(a), structural_hash(b));
    assert_eq!(mismatches(a, b), []);
}

#[track_caller]
fn check_differs(a: &Object, b: &Object, expected: &[&str]) {
    assert!(!structural_equal(a, b));
    assert!(!structural_equal(b, a));
    let found: Vec<_> =
        mismatches(a, b).iter().map(|m| format!("{} | {} | {}", m.lhs, m.rhs, m.kind)).collect();
    assert_eq!(found, expected);
}

#[test]
fn free_variables_are_equal_only_to_themselves() {
    let (a, b) = (var("a"), var("b"));
    let (x, y) = (o(add(up(&a), int(1))), o(add(up(&b), int(1))));
    check_equal(&x, &o(add(up(&a), int(1))));
    check_differs(&x, &y, &["<root>.a | <root>.a | not bound to each other"]);
    assert!(MAPPED.compare(&x, &y));
}

#[test]
fn mapping_of_free_variables_is_one_to_one() {
    let (a, b) = (var("a"), var("b"));
    let (aa, ab, ba) = (o(add(up(&a), up(&a))), o(add(up(&a), up(&b))), o(add(up(&b), up(&a))));
    assert!(MAPPED.compare(&ab, &ba));
    assert!(!MAPPED.compare(&aa, &ab));
    assert!(!MAPPED.compare(&ab, &aa));
    assert_ne!(structural_hash(&aa), structural_hash(&ab));
    assert_eq!(structural_hash(&ab), structural_hash(&ba));
}

#[test]
fn definition_regions_bind_variables() {
    let make = |name| {
        let v = var(name);
        o(lambda(&[&v], add(up(&v), int(1))))
    };
    check_equal(&make("x"), &make("y"));
    let (p, q) = (var("p"), var("q"));
    let first = o(lambda(&[&p, &q], add(up(&p), up(&q))));
    let swapped = o(lambda(&[&p, &q], add(up(&q), up(&p))));
    check_differs(
        &first,
        &swapped,
        &[
            "<root>.body.a | <root>.body.a | not bound to each other",
            "<root>.body.b | <root>.body.b | not bound to each other",
        ],
    );
}

#[test]
fn a_bound_variable_is_taken() {
    let (x, y) = (var("x"), var("y"));
    // Left: fun x. x + y; right: fun y. y + y.
    let lhs = o(lambda(&[&x], add(up(&x), up(&y))));
    let rhs = o(lambda(&[&y], add(up(&y), up(&y))));
    check_differs(&lhs, &rhs, &["<root>.body.b | <root>.body.b | not bound to each other"]);
}

#[test]
fn variables_of_different_types_are_not_bound() {
    let (x, y) = (var("x"), var("y"));
    let y = {
        let mut y = o(y);
        y.set_field(1, Value::DType(DataType::INT64)).expect("a dtype fits");
        y.downcast::<Var>().expect("still a variable")
    };
    let lhs = o(lambda(&[&x], up(&x)));
    let rhs = o(lambda(&[&y], up(&y)));
    check_differs(&lhs, &rhs, &["<root>.params[0].dtype | <root>.params[0].dtype | different values"]);
}

#[test]
fn floats_compare_by_bits_but_nan_equals_nan() {
    check_equal(&o(float(f64::NAN)), &o(float(-f64::NAN)));
    check_differs(&o(float(0.0)), &o(float(-0.0)), &["<root>.value | <root>.value | different values"]);
}

#[test]
fn values_of_different_kinds_differ() {
    let with = |v: Value| o(call_with("toy.f", [], Map::new([(Value::str("k"), v)])));
    let (i, b, n) = (with(1.into()), with(true.into()), with(int(1).into()));
    check_differs(&i, &b, &["<root>.attrs[\"k\"] | <root>.attrs[\"k\"] | different types"]);
    check_differs(&i, &n, &["<root>.attrs[\"k\"] | <root>.attrs[\"k\"] | different types"]);
    assert_ne!(structural_hash(&i), structural_hash(&b));
    assert_ne!(structural_hash(&i), structural_hash(&n));
}

#[test]
fn maps_compare_without_order() {
    let with = |keys: &[&str]| {
        o(call_with("toy.f", [], Map::new(keys.iter().map(|k| (Value::str(k), Value::str(k))))))
    };
    check_equal(&with(&["a", "b", "c"]), &with(&["c", "a", "b"]));
    check_differs(
        &with(&["a", "b"]),
        &with(&["b", "c"]),
        &[
            "<root>.attrs[\"a\"] | <root>.attrs[<missing item at \"a\">] | only on one side",
            "<root>.attrs[<missing item at \"c\">] | <root>.attrs[\"c\"] | only on one side",
        ],
    );
}

#[test]
fn maps_keyed_by_variables_follow_the_binding() {
    let make = |flip: bool, swap_values: bool| {
        let (x, y) = (var("x"), var("y"));
        let (one, two) = if swap_values { (2, 1) } else { (1, 2) };
        let mut table = vec![(x.clone(), int(one)), (y.clone(), int(two))];
        if flip {
            table.reverse();
        }
        o(lambda_with(&[&x, &y], table, int(0)))
    };
    check_equal(&make(false, false), &make(true, false));
    assert!(!structural_equal(&make(false, false), &make(false, true)));
    assert_ne!(structural_hash(&make(false, false)), structural_hash(&make(false, true)));
}

#[test]
fn a_variable_that_was_its_own_key_may_be_bound_later() {
    // The same tail appears before and after `x` is bound to `y`; what was said of it before holds no longer.
    let (x, y) = (var("x"), var("y"));
    let table = |k: &Ref<Var>| call_with("toy.f", [], Map::new([(Value::from(up(k)), Value::from(7))]));
    let tail = table(&x);
    let lhs = o(call("toy.g", [tail.clone(), lambda(&[&x], tail.clone())]));
    let rhs = o(call("toy.g", [tail.clone(), lambda(&[&y], tail)]));
    assert!(!structural_equal(&lhs, &rhs));
}

#[test]
fn sharing_counts_for_dag_nodes_only() {
    let s = shared(int(1));
    let one = o(add(s.clone(), s));
    let two = o(add(shared(int(1)), shared(int(1))));
    assert!(!structural_equal(&one, &two));
    assert!(!structural_equal(&two, &one));
    assert_ne!(structural_hash(&one), structural_hash(&two));
    let i = int(1);
    check_equal(&o(add(i.clone(), i)), &o(add(int(1), int(1))));
}

#[test]
fn operators_compare_by_pointer() {
    check_equal(&o(call("toy.f", [int(1)])), &o(call("toy.f", [int(1)])));
    check_differs(
        &o(call("toy.f", [])),
        &o(call("toy.g", [])),
        &["<root>.op | <root>.op | different values"],
    );
}

#[test]
fn arrays_of_different_length_differ_after_their_elements() {
    check_differs(
        &o(call("toy.f", [int(1), int(2)])),
        &o(call("toy.f", [int(3)])),
        &[
            "<root>.args[0].value | <root>.args[0].value | different values",
            "<root>.args[1] | <root>.args[<missing item at 1>] | only on one side",
        ],
    );
}

#[test]
fn tensors_compare_by_content_unless_skipped() {
    let tensor = |byte: u8| -> Object {
        let t: Tensor =
            Ref::new(TensorNode { dtype: DataType::uint(8), shape: [1].into(), data: [byte].into() });
        o(call_with("toy.f", [], Map::new([(Value::str("t"), Value::from(t))])))
    };
    check_equal(&tensor(1), &tensor(1));
    check_differs(&tensor(1), &tensor(2), &["<root>.attrs[\"t\"] | <root>.attrs[\"t\"] | different values"]);
    assert!(
        StructuralEqual { skip_tensor_content: true, ..Default::default() }.compare(&tensor(1), &tensor(2))
    );
    let skip = StructuralHash { skip_tensor_content: true };
    assert_eq!(skip.hash(&tensor(1)), skip.hash(&tensor(2)));
}

#[test]
fn modules_bind_global_variables_by_name() {
    let make = |flip: bool| {
        let (f, g) = (global("f"), global("g"));
        let mut functions = vec![(f.clone(), g.clone().upcast()), (g, call("toy.h", [f.upcast()]))];
        if flip {
            functions.reverse();
        }
        module(functions)
    };
    check_equal(&make(false), &make(true));
    let other = module([(global("f"), int(1)), (global("h"), int(1))]);
    assert!(!structural_equal(&make(false), &other));
    let name = |key: &Object| key.as_node::<GlobalVar>().map_or(String::new(), |g| g.name_hint.to_string());
    let paths: Vec<_> = mismatches(&make(false), &other).iter().map(|m| m.rhs.to_text_with(name)).collect();
    assert_eq!(
        paths,
        ["<root>.functions[f]", "<root>.functions[<missing item at g>]", "<root>.functions[h]"]
    );
}

#[test]
fn names_are_reported_last() {
    let attrs = |name: &str, n: i64| {
        Map::new([(Value::str("global_symbol"), Value::str(name)), (Value::str("n"), Value::from(n))])
    };
    check_differs(
        &o(call_with("toy.f", [], attrs("f", 1))),
        &o(call_with("toy.f", [], attrs("g", 2))),
        &[
            "<root>.attrs[\"n\"] | <root>.attrs[\"n\"] | different values",
            "<root>.attrs[\"global_symbol\"] | <root>.attrs[\"global_symbol\"] | different values",
        ],
    );
}

#[test]
fn mismatches_are_bounded() {
    let many = |offset: i64| o(call("toy.f", (0..1000).map(|i| int(i + offset))));
    assert_eq!(mismatches(&many(0), &many(5000)).len(), 100);
    assert_eq!(StructuralEqual::default().mismatches(&many(0), &many(5000), 7).len(), 7);
    assert_eq!(mismatches(&o(int(1)), &o(float(1.0)))[0].kind, MismatchKind::Type);
}

#[test]
fn deep_chains_compare_and_hash_on_a_small_stack() {
    on_small_stack(|| {
        let (a, b) = (o(chain(int(0), 100_000)), o(chain(int(0), 100_000)));
        check_equal(&a, &b);
        let c = o(chain(int(1), 100_000));
        assert!(!structural_equal(&a, &c));
        assert_ne!(structural_hash(&a), structural_hash(&c));
        assert_eq!(mismatches(&a, &c).len(), 1);
        let nest = |n: usize| {
            let vars: Vec<_> = (0..n).map(|_| var("v")).collect();
            let inner = vars.last().map_or_else(|| int(0), up);
            o(vars.iter().rev().fold(inner, |body, v| let_in(v, int(1), body)))
        };
        check_equal(&nest(100_000), &nest(100_000));
    });
}

#[test]
fn doubled_graphs_compare_and_hash_in_linear_time() {
    let v = var("v");
    let (a, b) = (o(doubled(up(&v), 64)), o(doubled(up(&v), 64)));
    check_equal(&a, &b);
    let c = o(doubled(int(1), 64));
    assert!(!structural_equal(&a, &c));
    // Both leaves of the innermost sum; each sum around it comes up twice, and says so.
    let found = mismatches(&a, &c);
    assert_eq!(found.len(), 2);
    assert_eq!(found.iter().map(|m| m.repeats.len()).sum::<usize>(), 2 * 63);
    // Two ladders whose rungs cross: sharing differs at each level, the trees are the same.
    let crossed = (0..64).fold((int(1), int(1)), |(l, r), _| (add(l.clone(), r.clone()), add(r, l)));
    check_equal(&o(crossed.0), &c);
    assert_eq!(structural_hash(&o(crossed.1)), structural_hash(&c));
}

#[test]
fn hash_is_the_same_in_every_process() {
    let v = var("v");
    let f = o(lambda(&[&v], add(up(&v), call("toy.exp", [float(1.5)]))));
    assert_eq!(structural_hash(&f), 16_646_650_810_815_311_396);
}

/// The leaves in each order.
fn permutations(leaves: &mut Vec<i64>, from: usize, each: &mut impl FnMut(&[i64])) {
    if from == leaves.len() {
        each(leaves);
    }
    for other in from..leaves.len() {
        leaves.swap(from, other);
        permutations(leaves, from + 1, each);
        leaves.swap(from, other);
    }
}

/// All trees of additions over these leaves.
fn bracketings(leaves: &[i64]) -> Vec<Ref<Expr>> {
    if let &[leaf] = leaves {
        return vec![int(leaf)];
    }
    let split = |at: usize| {
        let (left, right) = (bracketings(&leaves[..at]), bracketings(&leaves[at..]));
        let pair = move |a: &Ref<Expr>| right.iter().map(|b| add(a.clone(), b.clone())).collect::<Vec<_>>();
        left.iter().flat_map(pair).collect::<Vec<_>>()
    };
    (1..leaves.len()).flat_map(split).collect()
}

#[test]
fn subtrees_that_change_places_change_the_hash() {
    let (mut hashes, mut trees) = (std::collections::HashSet::new(), 0);
    permutations(&mut (0..6).collect(), 0, &mut |leaves| {
        for tree in bracketings(leaves) {
            trees += 1;
            hashes.insert(structural_hash(&o(tree)));
        }
    });
    assert_eq!((trees, hashes.len()), (720 * 42, 720 * 42));
}

#[test]
fn inserted_and_removed_elements_are_the_only_differences() {
    let calls = |values: &[i64]| o(call("toy.f", values.iter().map(|v| call("toy.g", [int(*v)]))));
    check_differs(
        &calls(&[1, 2, 3, 4]),
        &calls(&[1, 9, 2, 3, 4]),
        &["<root>.args[<missing item at 1>] | <root>.args[1] | only on one side"],
    );
    check_differs(
        &calls(&[1, 2, 3, 4]),
        &calls(&[2, 3, 7, 5]),
        &[
            "<root>.args[0] | <root>.args[<missing item at 0>] | only on one side",
            "<root>.args[3].args[0].value | <root>.args[2].args[0].value | different values",
            "<root>.args[<missing item at 3>] | <root>.args[3] | only on one side",
        ],
    );
    let many = |skip: i64| o(call("toy.f", (0..100_000).filter(|v| *v != skip).map(int)));
    assert_eq!(mismatches(&many(-1), &many(50_000)).len(), 1);
}

#[test]
fn a_variable_that_differs_is_reported_at_each_use() {
    let (x, y) = (var("x"), var("y"));
    let sum = |v: &Ref<Var>| add(up(v), int(1));
    let of = |v: &Ref<Var>| o(lambda(&[&x, &y], call("toy.f", [sum(v), up(&x), sum(v)])));
    check_differs(
        &of(&x),
        &of(&y),
        &[
            "<root>.body.args[0].a | <root>.body.args[0].a | not bound to each other",
            "<root>.body.args[2].a | <root>.body.args[2].a | not bound to each other",
        ],
    );
}

#[test]
fn differences_in_shared_nodes_are_repeated_at_each_place() {
    let twice = |value: i64| {
        let shared = add(int(1), int(value));
        o(call("toy.f", [shared.clone(), int(0), shared]))
    };
    let found = mismatches(&twice(2), &twice(3));
    let [one] = &*found else { panic!("{found:?}") };
    assert_eq!(one.lhs.to_string(), "<root>.args[0].b.value");
    let repeats: Vec<_> = one.repeats.iter().map(|(l, r)| format!("{l} | {r}")).collect();
    assert_eq!(repeats, ["<root>.args[2].b.value | <root>.args[2].b.value"]);
}

#[test]
fn whatever_makes_nodes_unequal_is_reported() {
    // As in `a_variable_that_was_its_own_key_may_be_bound_later`: the shared tail differs only where it comes again.
    let (x, y) = (var("x"), var("y"));
    let table = |k: &Ref<Var>| call_with("toy.f", [], Map::new([(Value::from(up(k)), Value::from(7))]));
    let tail = table(&x);
    let lhs = o(call("toy.g", [tail.clone(), lambda(&[&x], tail.clone())]));
    let rhs = o(call("toy.g", [tail.clone(), lambda(&[&y], tail)]));
    let found = mismatches(&lhs, &rhs);
    assert!(found.iter().any(|m| m.lhs.to_string() == "<root>.args[1].body.attrs[\"x\"]"), "{found:?}");
}

#[test]
fn renamed_functions_are_differences_in_names() {
    let make = |name: &str, value: i64| {
        let f = global(name);
        module([(f.clone(), int(value)), (global("main"), call("toy.h", [f.upcast()]))])
    };
    let found = |a: &Object, b: &Object| {
        mismatches(a, b).iter().map(|m| format!("{} | {} | {}", m.lhs, m.rhs, m.kind)).collect::<Vec<_>>()
    };
    let name =
        "<root>.functions.key[\"f\"].name_hint | <root>.functions.key[\"g\"].name_hint | different values";
    assert_eq!(found(&make("f", 1), &make("g", 1)), [name]);
    assert_eq!(
        found(&make("f", 1), &make("g", 2)),
        ["<root>.functions[\"f\"].value | <root>.functions[\"g\"].value | different values", name]
    );
}

#[test]
fn names_do_not_crowd_out_other_differences() {
    let attrs = |name: &str, n: i64| {
        Map::new([(Value::str("global_symbol"), Value::str(name)), (Value::str("n"), Value::from(n))])
    };
    let (a, b) = (o(call_with("toy.f", [], attrs("f", 1))), o(call_with("toy.f", [], attrs("g", 2))));
    let found = StructuralEqual::default().mismatches(&a, &b, 1);
    assert_eq!(found.iter().map(|m| m.lhs.to_string()).collect::<Vec<_>>(), ["<root>.attrs[\"n\"]"]);
}

#[test]
fn graphs_that_share_differently_are_compared_in_bounded_time() {
    // Each sum of the two before it, against each sum of the one before it twice: every pair of levels comes up.
    let fibonacci = (0..5000).fold((int(1), int(1)), |(a, b), _| (b.clone(), add(a, b)));
    let doubled = doubled(int(2), 5000);
    let start = std::time::Instant::now();
    assert!(!mismatches(&o(fibonacci.1), &o(doubled)).is_empty());
    assert!(start.elapsed().as_secs() < 60);
}

#[test]
fn long_texts_that_are_shared_compare_and_hash_by_content() {
    let text = |end: &str| Str::new("p".repeat(10_000) + end);
    let list = |texts: &[&Str]| {
        Array::of_values(texts.iter().map(|text| Value::Node((*text).clone().into()))).into_object()
    };
    let (a, b, c) = (text("a"), text("a"), text("c"));
    let (shared, apart) = (list(&[&a, &a, &a]), list(&[&a, &b, &text("a")]));
    assert!(structural_equal(&shared, &apart) && structural_equal(&apart, &shared));
    assert_eq!(structural_hash(&shared), structural_hash(&apart));
    let other = list(&[&a, &c, &c]);
    assert!(!structural_equal(&shared, &other));
    assert_ne!(structural_hash(&shared), structural_hash(&other));
    let found = mismatches(&shared, &other);
    let paths = |found: &[Mismatch]| found.iter().map(|m| 1 + m.repeats.len()).sum::<usize>();
    assert_eq!(paths(&found), 2, "{found:?}");
}
