//! The visitors and mutators of TVM's article about its visualizer.

use tvmscript::ir_core::{FieldRef, Ref};
use tvmscript::prim::{Add, IntImm, PrimExpr, Var};
use tvmscript::tir::node::{BufferStore, For, IfThenElse, Stmt, StmtKind, StmtView as _};
use tvmscript::{Descend, Mutator, Object, mutate, post_order_visit, pre_post_order_visit, registry};
use tvmscript_tests::{canonical_options, check_roundtrip, parse_ok};

const SCRIPT: &str = "
from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer(16), n: T.int32):
    for i in range(16):
        if i < n:
            A[i] = A[i] + T.float32(1.0)
        else:
            A[i] = T.float32(2.0)
";

fn script(text: &str) -> Object {
    parse_ok("script.py", text).expect("a right script").remove(0)
}

fn first<N: tvmscript::ir_core::Class>(root: &Object) -> Ref<N> {
    let mut found = None;
    tvmscript::visit_nodes::<N>(root, |node| _ = found.get_or_insert_with(|| node.clone()));
    found.expect("a node of this class")
}

#[test]
fn b01_nodes_are_expressions_or_statements_with_reflected_fields() {
    let kinds = |class: &str| {
        let class = registry().node(class).expect("a class");
        registry().nodes().filter(|node| node.is_a(class) && !std::ptr::eq(*node, class)).count()
    };
    assert!(kinds("ir.PrimExpr") > 25, "{}", kinds("ir.PrimExpr"));
    assert!(kinds("tir.Stmt") > 12, "{}", kinds("tir.Stmt"));

    let branch = first::<IfThenElse>(&script(SCRIPT));
    let names: Vec<&str> = branch.object().info().fields().iter().map(|field| field.name).collect();
    assert_eq!(names, ["span", "condition", "then_case", "else_case"]);
    let field = |name: &str| {
        branch.object().field(branch.object().info().field_index(name).expect("a field")).to_value()
    };
    assert!(field("condition").as_object().is_some_and(|node| node.is::<PrimExpr>()));
    assert!(field("else_case").as_object().is_some_and(|node| node.is::<Stmt>()));

    let without_else = script(&SCRIPT.replace("        else:\n            A[i] = T.float32(2.0)\n", ""));
    let branch = first::<IfThenElse>(&without_else);
    let index = branch.object().info().field_index("else_case").expect("a field");
    assert!(matches!(branch.object().field(index), FieldRef::None));
    check_roundtrip(&[without_else], &canonical_options()).expect("a round trip");
}

#[test]
fn b02_a_visitor_overrides_one_kind() {
    // Five lines: count the stores outside of branches.
    let mut stores = 0;
    tvmscript::pre_order_visit(&script(SCRIPT), |node| {
        match node.downcast_ref::<Stmt>().map(|stmt| stmt.kind()) {
            Some(StmtKind::BufferStore(_)) => {
                stores += 1;
                false
            }
            other => !matches!(other, Some(StmtKind::IfThenElse(_))),
        }
    });
    assert_eq!(stores, 0);
    tvmscript::visit_nodes::<BufferStore>(&script(SCRIPT), |_| stores += 1);
    assert_eq!(stores, 2);
}

#[test]
fn b03_a_mutator_keeps_what_it_does_not_change() {
    /// Removes branches and keeps their `then` case.
    struct TakeThen;
    impl Mutator for TakeThen {
        fn leave(&mut self, node: Object) -> Object {
            node.as_node::<IfThenElse>().map(|branch| branch.then_case.clone().into()).unwrap_or(node)
        }
    }
    let before = script(SCRIPT);
    let after = mutate(before.clone(), &mut TakeThen).expect("a valid function");
    let (old, new) = (first::<For>(&before), first::<For>(&after));
    assert!(new.body.is::<BufferStore>());
    assert!(old.body.is::<IfThenElse>(), "the input is unchanged");
    assert!(
        new.extent.ptr_eq(&old.extent) && new.loop_var.ptr_eq(&old.loop_var),
        "unchanged subtrees are the same"
    );
    let body = first::<IfThenElse>(&before).then_case.clone();
    assert!(new.body.ptr_eq(&body));

    struct Nothing;
    impl Mutator for Nothing {
        fn enter(&mut self, _: &Object) -> Descend {
            Descend::Into
        }
    }
    let same = mutate(before.clone(), &mut Nothing).expect("a valid function");
    assert!(same.ptr_eq(&before));
}

/// `(x + x) + 1`, whose inner sum occurs once.
fn sum() -> (Ref<Var>, Object) {
    let x = Var::new("x", tvmscript::prim::DataType::INT32);
    let up = |var: &Ref<Var>| -> Ref<PrimExpr> { var.clone().upcast() };
    let twice = Add::try_new(up(&x), up(&x)).expect("a sum");
    (x, Add::try_new(twice, IntImm::int32(1)).expect("a sum").into())
}

fn class(node: &Object) -> String {
    match node.as_node::<Var>() {
        Some(var) => var.name.get().to_string(),
        None => node.info().key().to_owned(),
    }
}

#[test]
fn b04_post_order_visits_each_node_once_after_its_children() {
    let mut order = Vec::new();
    post_order_visit(&sum().1, |node| order.push(class(node)));
    let order: Vec<&str> = order.iter().map(String::as_str).filter(|key| !key.contains("Type")).collect();
    assert_eq!(order, ["x", "tir.Add", "ir.IntImm", "tir.Add"]);
}

#[test]
fn b05_pre_and_post_order_calls_both_functions() {
    let events = std::cell::RefCell::new(Vec::new());
    let record = |mark: &str, node: &Object| {
        if !class(node).contains("Type") {
            events.borrow_mut().push(format!("{mark}{}", class(node)));
        }
    };
    pre_post_order_visit(&sum().1, |node| record("+", node), |node| record("-", node));
    assert_eq!(
        *events.borrow(),
        ["+tir.Add", "+tir.Add", "+x", "-x", "-tir.Add", "+ir.IntImm", "-ir.IntImm", "-tir.Add"]
    );
}
