//! Deep, long and shared expressions on a small stack: a value or the input again, never a crash or a hang.

use tvmscript_arith::{
    Analyzer, DomMap, IterMapLevel, VarRange, detect_iter_map, estimate_region_upper_bound, eval_set,
    iter_map_simplify, normalize_to_iter_sum,
};
use tvmscript_ir_core::{DataType, Ref, structural_equal};
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

#[test]
fn deep_and_long_maps_of_iterators_end() {
    on_small_stack(|| {
        let (i, j) = (Var::new("i", DataType::INT64), Var::new("j", DataType::INT64));
        let range = |var: &Ref<Var>, extent| VarRange {
            var: var.clone(),
            min: IntImm::int64(0),
            extent: IntImm::int64(extent),
        };
        let ranges = [range(&i, 1 << 40), range(&j, 2)];
        let (i, j, two) = (i.upcast(), j.upcast(), IntImm::int64(2));
        let halved = (0..LEVELS).fold(i.clone(), |e, _| node(BinaryOp::FloorDiv, &e, &two));
        let interleaved = (0..LEVELS).fold(i.clone(), |e, _| {
            let doubled = node(BinaryOp::Add, &node(BinaryOp::Mul, &e, &two), &j);
            node(BinaryOp::FloorMod, &doubled, &IntImm::int64(3))
        });
        let padded = (0..1000).fold(i.clone(), |e, k| {
            let rest = node(BinaryOp::FloorMod, &e, &IntImm::int64(1 << 20));
            node(BinaryOp::FloorDiv, &node(BinaryOp::Add, &rest, &IntImm::int64(k)), &IntImm::int64(3))
        });
        let shared = (0..60).fold(i.clone(), |e, _| {
            let (high, low) = (node(BinaryOp::FloorDiv, &e, &two), node(BinaryOp::FloorMod, &e, &two));
            node(BinaryOp::Add, &node(BinaryOp::Mul, &high, &two), &low)
        });
        let bound = node(BinaryOp::Lt, &node(BinaryOp::Add, &node(BinaryOp::Mul, &i, &two), &j), &two);
        let bounds = (0..LEVELS).fold(bound.clone(), |e, _| node(BinaryOp::And, &e, &bound));
        let all = IntImm::bool(true);
        let cases = [(&halved, &all), (&interleaved, &all), (&padded, &all), (&shared, &all), (&i, &bounds)];
        for (index, predicate) in cases {
            for level in [IterMapLevel::Bijective, IterMapLevel::Surjective, IterMapLevel::NoCheck] {
                let index = std::slice::from_ref(index);
                let mut analyzer = Analyzer::with_node_budget(BUDGET);
                let _ = detect_iter_map(index, &ranges, predicate, level, true, &mut analyzer);
                let simple = iter_map_simplify(index, &ranges, predicate, level, true, &mut analyzer);
                assert_eq!(simple.len(), 1);
            }
            let mut analyzer = Analyzer::with_node_budget(BUDGET);
            let _ = normalize_to_iter_sum(index, &ranges, &mut analyzer);
            let region = [(index.clone(), two.clone())];
            assert_eq!(estimate_region_upper_bound(&region, &ranges, predicate, &mut analyzer).len(), 1);
        }
    });
}
