//! Visitors and mutators: order, sharing, identity, depth.

use tvmscript_ir_core::visit::Event;
use tvmscript_ir_core::{
    DataType, Descend, Map, Mutator, Object, PtrMap, Ref, Span, Value, Visitor, Walk, mutate,
    post_order_mutate, post_order_visit, pre_order_visit, structural_equal, substitute,
};

use tvmscript_toy_nodes::*;

fn label(o: &Object) -> String {
    match (o.as_node::<Var>(), o.as_node::<Int>()) {
        (Some(v), _) => v.name.get().to_string(),
        (_, Some(i)) => i.value.to_string(),
        _ => o.info().key().trim_start_matches("toy.").to_owned(),
    }
}

#[test]
fn orders_follow_the_fields() {
    let (x, y) = (var("x"), var("y"));
    let attrs = Map::new([(Value::from(up(&y)), Value::from(int(3)))]);
    let root: Object = let_in(&x, add(int(1), int(2)), call_with("toy.f", [up(&x)], attrs)).into();
    let mut post = Vec::new();
    post_order_visit(&root, |o| post.push(label(o)));
    assert_eq!(post.join(" "), "x 1 2 Add Op y 3 Call Let");
    let mut pre = Vec::new();
    pre_order_visit(&root, |o| {
        pre.push(label(o));
        !o.is::<Add>()
    });
    assert_eq!(pre.join(" "), "Let x Add Call Op y 3");
    let mut both = Vec::new();
    let _ = Visitor::new().every_time().with_containers().walk(&root, |event, o| {
        both.push(if event == Event::Enter { label(o) } else { format!("/{}", label(o)) });
        if o.is::<Add>() { Walk::Skip } else { Walk::Advance }
    });
    assert_eq!(
        both.join(" "),
        "Let x /x Add /Add Call Op /Op core.Array x /x /core.Array core.Map y /y 3 /3 /core.Map /Call /Let"
    );
}

#[test]
fn a_visitor_stops_when_told() {
    let root: Object = add(int(1), add(int(2), int(3))).into();
    let mut seen = Vec::new();
    let flow = Visitor::new().post_order(&root, |o| {
        seen.push(label(o));
        if label(o) == "2" { Walk::Stop } else { Walk::Advance }
    });
    assert!(flow.is_break());
    assert_eq!(seen, ["1", "2"]);
}

#[test]
fn shared_nodes_are_visited_once() {
    let mut count = 0;
    post_order_visit(doubled(int(1), 64).object(), |_| count += 1);
    assert_eq!(count, 65);
}

#[test]
fn an_idle_mutator_gives_the_same_pointer() {
    let (x, y) = (var("x"), var("y"));
    let attrs = Map::new([(Value::from(up(&y)), Value::from(int(3))), (Value::str("k"), Value::str("v"))]);
    let root: Object =
        lambda_with(&[&x], [(x.clone(), int(1))], doubled(call_with("toy.f", [up(&x)], attrs), 64)).into();
    let mut pointers = Vec::new();
    post_order_visit(&root, |o| pointers.push(o.address()));
    let address = root.address();
    // As the only owner, and as one of two.
    let same = post_order_mutate(root, |_| None).expect("nothing can fail");
    assert_eq!(same.address(), address);
    let same = post_order_mutate(same.clone(), |_| None).expect("nothing can fail");
    assert_eq!(same.address(), address);
    let mut after = Vec::new();
    post_order_visit(&same, |o| after.push(o.address()));
    assert_eq!(pointers, after);
}

/// Adds one to each literal.
fn bump(o: &Object) -> Option<Object> {
    o.as_node::<Int>().map(|i| int(i.value + 1).into())
}

#[test]
fn what_nobody_else_holds_is_changed_in_place() {
    let root: Object = add(int(1), call("toy.f", [int(2)])).into();
    let address = root.address();
    let new = post_order_mutate(root, bump).expect("literals fit");
    assert_eq!(new.address(), address);
    assert!(structural_equal(&new, add(int(2), call("toy.f", [int(3)])).object()));
}

#[test]
fn what_others_hold_stays_as_it_was() {
    let kept = call("toy.f", [int(2)]);
    let root: Object = add(int(1), kept.clone()).into();
    let new = post_order_mutate(root.clone(), bump).expect("literals fit");
    assert!(structural_equal(&root, add(int(1), call("toy.f", [int(2)])).object()));
    assert!(structural_equal(kept.object(), call("toy.f", [int(2)]).object()));
    assert!(structural_equal(&new, add(int(2), call("toy.f", [int(3)])).object()));
    let owned = post_order_mutate(add(int(1), kept.clone()).into(), bump).expect("literals fit");
    assert!(structural_equal(&owned, &new));
    assert!(structural_equal(kept.object(), call("toy.f", [int(2)]).object()));
}

#[test]
fn sharing_is_kept() {
    for hold in [false, true] {
        let root: Object = doubled(int(1), 64).into();
        let held = hold.then(|| root.clone());
        let new = post_order_mutate(root, bump).expect("literals fit");
        let mut count = 0;
        post_order_visit(&new, |_| count += 1);
        assert_eq!(count, 65);
        assert!(structural_equal(&new, doubled(int(2), 64).object()));
        drop(held);
    }
}

#[test]
fn maps_are_rewritten_keys_and_values() {
    let (x, y) = (var("x"), var("y"));
    let table = |k: &Ref<Var>, v: i64| {
        Map::new([(Value::str("s"), Value::from(up(k))), (up(k).into(), int(v).into())])
    };
    for hold in [false, true] {
        let root: Object = call_with("toy.f", [up(&x)], table(&x, 1)).into();
        let held = hold.then(|| root.clone());
        let map: PtrMap<Object> = [(x.clone().into(), y.clone().into())].into_iter().collect();
        let new = substitute(root, &map).expect("a variable fits");
        assert!(structural_equal(&new, call_with("toy.f", [up(&y)], table(&y, 1)).object()));
        if let Some(held) = held {
            assert!(structural_equal(&held, call_with("toy.f", [up(&x)], table(&x, 1)).object()));
        }
    }
}

#[test]
fn a_replacement_that_does_not_fit_is_an_error() {
    let x = var("x");
    let root: Object = let_in(&x, int(1), up(&x)).into();
    let map: PtrMap<Object> = [(x.into(), int(1).into())].into_iter().collect();
    let error = substitute(root, &map).expect_err("a literal is not a variable");
    assert_eq!(error.to_string(), "field `var` of `toy.Let` takes a `toy.Var`, not `toy.Int`, at `<root>`");
    let y = var("y");
    let root: Object = lambda(&[&y], int(0)).into();
    let map: PtrMap<Object> = [(y.into(), int(1).into())].into_iter().collect();
    assert!(substitute(root, &map).is_err());
}

#[test]
fn spans_are_copied_to_new_nodes() {
    let place = Span::range(tvmscript_ir_core::SourceId::new("walk.rs"), 3, 5);
    let root: Object = add(int(1).with_span(place), int(2)).with_span(place).into();
    let new = post_order_mutate(root, bump).expect("literals fit");
    let sum = new.as_node::<Add>().expect("a sum");
    assert_eq!((new.span(), sum.a.span(), sum.b.span()), (place, place, Span::UNKNOWN));
}

#[test]
fn a_mutator_may_keep_replace_and_edit() {
    struct Widen;
    impl Mutator for Widen {
        fn enter(&mut self, node: &Object) -> Descend {
            if node.is::<Call>() {
                Descend::Keep
            } else if node.is::<Float>() {
                Descend::Replace(int(0).into())
            } else {
                Descend::Into
            }
        }
        fn leave(&mut self, mut node: Object) -> Object {
            if let Some(int) = node.unique_mut::<Int>() {
                int.dtype = DataType::INT64;
            }
            node
        }
    }
    let root: Object = add(add(int(1), float(2.0)), call("toy.f", [int(2)])).into();
    let new = mutate(root, &mut Widen).expect("all fit");
    let sum = new.as_node::<Add>().expect("a sum");
    let inner = sum.a.as_node::<Add>().expect("a sum");
    assert_eq!((inner.a.object().dtype(), inner.b.object().dtype()), (DataType::INT64, DataType::INT32));
    let call = sum.b.as_node::<Call>().expect("a call");
    assert_eq!(call.args[0].object().dtype(), DataType::INT32);
}

#[test]
fn deep_chains_are_walked_and_rewritten_on_a_small_stack() {
    on_small_stack(|| {
        let root: Object = chain(int(0), 100_000).into();
        let mut count = 0;
        post_order_visit(&root, |_| count += 1);
        assert_eq!(count, 200_001);
        let held = root.clone();
        let new = post_order_mutate(root, bump).expect("literals fit");
        assert!(!structural_equal(&held, &new));
        drop(held);
        let new = post_order_mutate(new, bump).expect("literals fit");
        assert_eq!(label(&new), "Add");
    });
}
