//! Edit scripts of toy graphs.

use proptest::prelude::*;
use tvmscript_diff::{EditScript, apply, diff, diff_with};
use tvmscript_ir_core::{Array, Map, NameCell, Node, Object, Ref, StructuralEqual, Value, structural_equal};
use tvmscript_toy_nodes::graphs::{build, choices};
use tvmscript_toy_nodes::*;

fn o(expr: Ref<Expr>) -> Object {
    expr.into()
}

fn told(script: &EditScript) -> Vec<String> {
    script.edits.iter().map(ToString::to_string).collect()
}

/// Checks the edits, and that they lead from `a` to `b`.
#[track_caller]
fn check(a: &Object, b: &Object, edits: &[&str]) {
    let script = diff(a, b);
    assert_eq!(told(&script), edits);
    assert_eq!(script.is_equal, structural_equal(a, b));
    let result = apply(a, &script).expect("the script is one of `a`");
    assert!(structural_equal(&result, b), "{edits:?}");
}

/// A sequence of calls, each with a number of nodes that makes it worth moving.
fn sequence(values: &[i64]) -> Ref<Expr> {
    call("toy.seq", values.iter().map(|&v| call("toy.f", [add(int(v), int(1)), int(0)])))
}

#[test]
fn a_changed_number_is_one_change() {
    check(&o(add(int(1), int(2))), &o(add(int(1), int(3))), &["change <root>.b.value"]);
    check(&o(int(1)), &o(float(1.0)), &["change <root>"]);
    check(&o(add(int(1), int(2))), &o(add(int(1), int(2))), &[]);
}

#[test]
fn elements_are_inserted_removed_and_moved() {
    let of = |values: &[i64]| o(sequence(values));
    check(&of(&[1, 2, 3]), &of(&[1, 9, 2, 3]), &["insert <root>.args[1]"]);
    check(&of(&[1, 2, 3]), &of(&[1, 3]), &["remove <root>.args[1]"]);
    check(&of(&[1, 2, 3, 4, 5]), &of(&[2, 3, 4, 1, 5]), &["move <root>.args[0] -> <root>.args[3]"]);
    check(
        &of(&[1, 2, 3, 4, 5]),
        &of(&[2, 8, 4, 1, 5]),
        &[
            "change <root>.args[2].args[0].a.value -> <root>.args[1].args[0].a.value",
            "move <root>.args[0] -> <root>.args[3]",
        ],
    );
}

#[test]
fn an_element_moves_between_arrays() {
    let of = |left: &[i64], right: &[i64]| o(add(sequence(left), sequence(right)));
    check(&of(&[1, 2, 3], &[4, 5]), &of(&[1, 3], &[4, 2, 5]), &["move <root>.a.args[1] -> <root>.b.args[1]"]);
}

#[test]
fn a_node_around_a_part_is_inserted_and_removed() {
    let part = || sequence(&[1, 2, 3]);
    let around = |part: Ref<Expr>| o(call("toy.f", [shared(part)]));
    let a = || o(call("toy.f", [part()]));
    check(&a(), &around(part()), &["insert <root>.args[0]"]);
    check(&around(part()), &a(), &["remove <root>.args[0]"]);
    let other = sequence(&[1, 7, 3]);
    check(
        &a(),
        &around(other),
        &[
            "insert <root>.args[0]",
            "change <root>.args[0].args[1].args[0].a.value -> <root>.args[0].value.args[1].args[0].a.value",
        ],
    );
}

#[test]
fn a_renamed_variable_is_one_edit_that_equality_ignores() {
    let of = |name: &str, value: i64| {
        let v = var(name);
        o(lambda(&[&v], call("toy.f", [up(&v), up(&v), add(up(&v), int(value))])))
    };
    check(&of("x", 1), &of("y", 1), &["rename <root>.params[0].name"]);
    let script = diff(&of("x", 1), &of("y", 1));
    assert!(script.is_equal && script.edits[0].is_ignored);
    check(&of("x", 1), &of("y", 2), &["rename <root>.params[0].name", "change <root>.body.args[2].b.value"]);
    // Without names, the bodies differ everywhere.
    let names = ["a", "b", "c"].map(var);
    let swapped = ["c", "a", "b"].map(var);
    let body = |v: &[Ref<Var>; 3]| {
        lambda(&[&v[0], &v[1], &v[2]], call("toy.f", v.iter().map(|v| add(up(v), int(1)))))
    };
    let script = diff(&o(body(&names)), &o(body(&swapped)));
    assert!(script.is_equal);
    assert_eq!(script.edits.len(), 3, "{:?}", told(&script));
}

#[test]
fn another_variable_is_a_change_at_the_use() {
    let of = |second: bool| {
        let (x, y) = (var("x"), var("y"));
        let used = if second { &y } else { &x };
        o(lambda(&[&x, &y], call("toy.f", [up(&x), add(up(used), int(1)), up(&y)])))
    };
    check(&of(false), &of(true), &["change <root>.body.args[1].a"]);
}

#[test]
fn a_new_definition_comes_with_its_uses() {
    let of = |extra: bool| {
        let (x, y) = (var("x"), var("y"));
        let inner = call("toy.f", [add(up(&x), int(1)), int(2), int(3)]);
        let body = if extra { let_in(&y, up(&x), inner.clone()) } else { inner };
        o(lambda(&[&x], body))
    };
    check(&of(false), &of(true), &["insert <root>.body"]);
    check(&of(true), &of(false), &["remove <root>.body"]);
}

#[test]
fn entries_are_matched_by_key() {
    let of = |entries: &[(&str, i64)]| {
        let entries = entries.iter().map(|(k, v)| (Value::str(k), Value::Int(*v)));
        o(call_with("toy.f", [], Map::new(entries)))
    };
    check(
        &of(&[("a", 1), ("b", 2), ("c", 3)]),
        &of(&[("c", 3), ("a", 5), ("d", 2)]),
        &["change <root>.attrs[\"a\"]", "remove <root>.attrs[\"b\"]", "insert <root>.attrs[\"d\"]"],
    );
}

#[test]
fn functions_are_matched_by_name_then_by_content() {
    let of = |names: [&str; 2], value: i64| {
        let [f, g] = names.map(global);
        let call_f = call("toy.f", [f.clone().upcast(), int(value)]);
        module([(f, sequence(&[1, 2])), (g, call_f)])
    };
    check(&of(["f", "g"], 1), &of(["f", "g"], 2), &["change <root>.functions[\"g\"].args[1].value"]);
    let script = diff(&of(["f", "g"], 1), &of(["h", "g"], 1));
    assert!(!script.is_equal);
    assert_eq!(
        told(&script),
        ["rename <root>.functions.key[\"f\"].name_hint -> <root>.functions.key[\"h\"].name_hint"]
    );
    check(
        &of(["f", "g"], 1),
        &of(["h", "g"], 1),
        &["rename <root>.functions.key[\"f\"].name_hint -> <root>.functions.key[\"h\"].name_hint"],
    );
}

/// A named node that defines variables: uses of it are told apart by name.
#[derive(Debug, Clone, Node)]
#[node(key = "toy.Table", parent = Expr)]
struct Table {
    name: NameCell,
    #[node(def)]
    rows: Array<Ref<Expr>>,
}

#[test]
fn the_content_of_a_named_node_is_aligned_although_its_uses_are_alike() {
    let of = |values: &[i64]| {
        let rows = values.iter().map(|&v| call("toy.f", [add(int(v), int(1)), int(0)]));
        let table = Ref::new(Table { name: "t".into(), rows: Array::new(rows) });
        o(call("toy.g", [table.clone().upcast(), add(table.upcast(), int(1))]))
    };
    check(&of(&[1, 2, 3]), &of(&[2, 3, 1]), &["move <root>.args[0].rows[0] -> <root>.args[0].rows[2]"]);
}

#[test]
fn shared_nodes_are_compared_once() {
    let of = |leaf: i64| o(doubled(call("toy.f", [int(leaf), int(0)]), 60));
    let script = diff(&of(1), &of(2));
    assert_eq!(script.edits.len(), 1, "{:?}", told(&script));
    let result = apply(&of(1), &script).expect("the same shape");
    assert!(structural_equal(&result, &of(2)));
    // The changed node is not shared with an unchanged one.
    let pair = |left: i64, right: i64| {
        let (x, y) = (call("toy.f", [int(left)]), call("toy.f", [int(right)]));
        o(call("toy.g", [x.clone(), y.clone(), x, y]))
    };
    let same = |value: i64| {
        let x = call("toy.f", [int(value)]);
        o(call("toy.g", [x.clone(), x.clone(), x.clone(), x]))
    };
    for (a, b) in [(same(1), pair(1, 2)), (pair(1, 2), same(3)), (same(1), pair(2, 3))] {
        let result = apply(&a, &diff(&a, &b)).expect("the same shape");
        assert!(structural_equal(&result, &b));
    }
}

#[test]
fn a_node_around_a_shared_part_is_inserted_where_it_is_new_only() {
    let part = |leaf: i64| {
        let (p, q, value) = (var("p"), var("q"), int(leaf));
        lambda_with(&[&p, &q], [(q.clone(), value.clone()), (p.clone(), value)], add(up(&p), up(&q)))
    };
    let pair = |is_inserted: [bool; 2], part: Ref<Expr>| {
        let [left, right] = is_inserted.map(|is_inserted| match is_inserted {
            true => call("toy.f", [shared(shared(part.clone()))]),
            false => call("toy.f", [part.clone()]),
        });
        o(add(left, right))
    };
    for inserted in [[true, false], [false, true], [true, true]] {
        let (a, b) = (pair([false, false], part(0)), pair(inserted, part(1)));
        for (a, b) in [(&a, &b), (&b, &a)] {
            let script = diff(a, b);
            let result = apply(a, &script).expect("the script is one of `a`");
            assert!(structural_equal(&result, b), "{inserted:?}: {:?}", told(&script));
        }
    }
}

#[test]
fn deep_graphs_need_little_stack() {
    on_small_stack(|| {
        let (a, b) = (o(chain(int(1), 100_000)), o(chain(int(2), 100_000)));
        let script = diff(&a, &b);
        assert_eq!(script.edits.len(), 1);
        assert!(structural_equal(&apply(&a, &script).expect("the same shape"), &b));
    });
}

#[test]
fn free_variables_are_matched_on_request() {
    let (a, b) = (o(add(up(&var("x")), int(1))), o(add(up(&var("x")), int(1))));
    check(&a, &b, &["change <root>.a"]);
    let mapped = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
    assert!(diff_with(&a, &b, mapped).edits.is_empty());
}

#[test]
fn a_script_of_another_graph_is_rejected() {
    let script = diff(&o(add(int(1), int(2))), &o(add(int(1), int(3))));
    assert!(apply(&o(int(1)), &script).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn scripts_lead_from_one_graph_to_the_other(a in choices(), b in choices(), share in any::<bool>()) {
        let (x, y) = (build(&a, share), build(&b, true));
        let script = diff(&x, &y);
        prop_assert_eq!(script.is_equal, structural_equal(&x, &y));
        prop_assert_eq!(script.is_equal, script.differences().next().is_none());
        let result = apply(&x, &script).expect("a script of this graph");
        prop_assert!(structural_equal(&result, &y), "{:?}", told(&script));
    }

    #[test]
    fn a_changed_choice_gives_a_script(a in choices(), at in any::<usize>(), other in choices()) {
        let mut b = a.clone();
        let at = at % b.len();
        b[at] = other[0];
        let (x, y) = (build(&a, true), build(&b, true));
        let script = diff(&x, &y);
        let result = apply(&x, &script).expect("a script of this graph");
        prop_assert!(structural_equal(&result, &y), "{:?}", told(&script));
    }
}
