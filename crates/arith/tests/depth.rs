//! Deep, long and shared expressions on a small stack: a value or the input again, never a crash or a hang.

use tvmscript_arith::{Analyzer, DomMap, eval_set};
use tvmscript_ir_core::{DataType, structural_equal};
use tvmscript_prim::ops::BinaryOp;
use tvmscript_prim::{Expr, IntImm, Not, Var};

const LEVELS: i64 = 100_000;
/// Enough to get to the bottom once.
const BUDGET: u64 = 120_000;

/// Runs `f` on a thread with little stack.
fn on_small_stack(f: fn()) {
    std::thread::Builder::new().stack_size(512 * 1024).spawn(f).unwrap().join().unwrap();
}

fn var(name: &str) -> Expr {
    Var::new(name, DataType::INT64).upcast()
}

fn node(op: BinaryOp, a: &Expr, b: &Expr) -> Expr {
    op.node(a.clone(), b.clone()).unwrap()
}

#[test]
fn a_long_sum_of_one_variable_becomes_a_product() {
    on_small_stack(|| {
        let x = var("x");
        let sum = (1..LEVELS).fold(x.clone(), |sum, _| node(BinaryOp::Add, &sum, &x));
        let simple = Analyzer::new().simplify(&sum);
        let count = IntImm::int64(LEVELS);
        assert!(Analyzer::new().can_prove_equal(&simple, &node(BinaryOp::Mul, &x, &count)));
        assert!(!simple.ptr_eq(&sum));
    });
}

#[test]
fn a_long_sum_of_many_variables_is_done_in_time() {
    on_small_stack(|| {
        let terms: Vec<Expr> = (0..LEVELS).map(|i| var(&format!("x{i}"))).collect();
        let sum = terms[1..].iter().fold(terms[0].clone(), |sum, term| node(BinaryOp::Add, &sum, term));
        let extent = node(BinaryOp::Sub, &node(BinaryOp::Add, &sum, &IntImm::int64(1)), &sum);
        let simple = Analyzer::new().simplify(&extent);
        assert_eq!(simple.as_node::<IntImm>().map(|one| one.value), Some(1));
        Analyzer::new().simplify(&sum);
        assert!(Analyzer::new().const_int_bound(&sum).max == i64::MAX);
        assert!(eval_set(&sum, &DomMap::new()).as_point().is_some());
    });
}

#[test]
fn deep_nests_of_every_operation_give_a_value() {
    on_small_stack(|| {
        let operations = [
            BinaryOp::Sub,
            BinaryOp::Mul,
            BinaryOp::Min,
            BinaryOp::FloorDiv,
            BinaryOp::FloorMod,
            BinaryOp::Div,
            BinaryOp::Mod,
        ];
        for op in operations {
            let (x, y) = (var("x"), var("y"));
            let left = (0..LEVELS).fold(x.clone(), |nest, _| node(op, &nest, &y));
            Analyzer::with_node_budget(BUDGET).simplify(&left);
            let right = (0..LEVELS).fold(x.clone(), |nest, _| node(op, &y, &nest));
            Analyzer::with_node_budget(BUDGET).simplify(&right);
        }
    });
}

#[test]
fn deep_conditions_give_a_value() {
    on_small_stack(|| {
        let less = node(BinaryOp::Lt, &var("x"), &var("y"));
        let negated = (0..LEVELS).fold(less.clone(), |nest, _| Not::try_new(nest).unwrap());
        Analyzer::new().simplify(&negated);
        let joined = (0..LEVELS / 10).fold(less.clone(), |nest, i| {
            node(BinaryOp::And, &nest, &node(BinaryOp::Lt, &var("x"), &IntImm::int64(i)))
        });
        let mut analyzer = Analyzer::with_node_budget(BUDGET);
        analyzer.with_constraint(&joined, |analyzer| analyzer.simplify(&less));
    });
}

#[test]
fn a_shared_node_doubled_often_is_simplified_once() {
    let (zero, one) = (IntImm::int64(0), IntImm::int64(1));
    let doubled = (0..64).fold(var("x"), |e, _| {
        node(BinaryOp::Mul, &node(BinaryOp::Min, &e, &var("y")), &node(BinaryOp::FloorDiv, &e, &var("z")))
    });
    let mut analyzer = Analyzer::with_node_budget(200_000);
    assert!(analyzer.try_simplify(&doubled).is_ok());
    assert!(analyzer.can_prove_equal(&doubled, &doubled));
    let sums = (0..60).fold(var("x"), |e, _| node(BinaryOp::Add, &node(BinaryOp::Add, &e, &one), &e));
    let rest = node(BinaryOp::Sub, &sums, &sums);
    assert!(structural_equal(analyzer.simplify(&rest).object(), zero.object()));
    analyzer.const_int_bound(&doubled);
    analyzer.modular_set(&doubled);
    analyzer.with_constraint(&node(BinaryOp::Lt, &doubled, &IntImm::int64(3)), |analyzer| {
        analyzer.can_prove(&node(BinaryOp::Lt, &doubled, &IntImm::int64(4)))
    });
}

#[test]
fn what_cannot_be_computed_is_given_back() {
    let (x, zero) = (var("x"), IntImm::int64(0));
    for op in [BinaryOp::FloorDiv, BinaryOp::FloorMod, BinaryOp::Div, BinaryOp::Mod] {
        let e = node(op, &x, &zero);
        assert!(Analyzer::new().simplify(&e).ptr_eq(&e));
        assert!(Analyzer::new().try_simplify(&e).is_err());
        Analyzer::new().const_int_bound(&e);
        Analyzer::new().modular_set(&e);
        eval_set(&e, &DomMap::new());
    }
    let large = IntImm::int64(i64::MAX);
    let product = node(BinaryOp::Mul, &node(BinaryOp::Mul, &x, &large), &large);
    Analyzer::new().simplify(&product);
    let least = IntImm::int64(i64::MIN);
    for op in [BinaryOp::FloorDiv, BinaryOp::Mod, BinaryOp::Sub, BinaryOp::Mul] {
        Analyzer::new().simplify(&node(op, &least, &IntImm::int64(-1)));
        Analyzer::new().simplify(&node(op, &node(BinaryOp::Add, &x, &least), &IntImm::int64(-1)));
    }
}
