//! Proofs that values of variables settle: a false condition has none, and facts in scope still count.

use tvmscript_arith::{Analyzer, IterMapLevel, VarRange, iter_map_simplify};
use tvmscript_ir_core::{DataType, Ref, structural_equal};
use tvmscript_prim::{Compare as _, Expr, IntImm, Var};

fn var(name: &str) -> Ref<Var> {
    Var::new(name, DataType::INT32)
}

fn same(a: &Expr, b: &Expr) -> bool {
    structural_equal(a.object(), b.object())
}

#[test]
fn facts_of_symbolic_ranges_are_proven() {
    let (i, n) = (var("i"), var("n"));
    let mut analyzer = Analyzer::new();
    analyzer.bind_range(&i, &IntImm::int32(0), &n.clone().upcast());
    assert!(analyzer.can_prove(&i.less(n.clone().upcast())));
    assert!(!analyzer.can_prove(&(&i + 1).less(n.clone().upcast())));
}

#[test]
fn a_condition_counts_while_it_is_in_scope() {
    let i = var("i");
    let mut analyzer = Analyzer::new();
    analyzer.bind_range(&i, &IntImm::int32(0), &IntImm::int32(64));
    let wanted = (&i * 4).less(20);
    assert!(!analyzer.can_prove(&wanted));
    assert!(analyzer.with_constraint(&i.less(5), |analyzer| analyzer.can_prove(&wanted)));
    assert!(!analyzer.can_prove(&wanted));
    // Nothing meets the condition, so that anything follows.
    let never = i.less(-1);
    assert!(analyzer.with_constraint(&never, |analyzer| analyzer.can_prove(&i.less(-1))));
    assert!(!analyzer.can_prove(&never));
}

#[test]
fn a_variable_may_be_bound_again() {
    let i = var("i");
    let mut analyzer = Analyzer::new();
    analyzer.bind_range(&i, &IntImm::int32(0), &IntImm::int32(8));
    assert!(analyzer.can_prove(&i.less(8)));
    analyzer.bind_range(&i, &IntImm::int32(16), &IntImm::int32(8));
    assert!(analyzer.can_prove_greater_equal(&i.clone().upcast(), 16));
    analyzer.bind(&i, &IntImm::int32(3));
    assert!(analyzer.can_prove_equal(&i.upcast(), &IntImm::int32(3)));
}

#[test]
fn nests_of_whole_iterators_are_sums_with_the_greatest_factors_first() {
    let vars = ["i", "j", "k"].map(var);
    let ranges: Vec<VarRange> = vars
        .iter()
        .zip([4, 8, 2])
        .map(|(var, extent)| VarRange {
            var: var.clone(),
            min: IntImm::int32(0),
            extent: IntImm::int32(extent),
        })
        .collect();
    let [i, j, k] = &vars;
    let simplify = |index: Expr| {
        let all = IntImm::bool(true);
        let mut analyzer = Analyzer::new();
        iter_map_simplify(&[index], &ranges, &all, IterMapLevel::Surjective, false, &mut analyzer).remove(0)
    };
    // (i * 8 + j) * 2 + k
    let nested = simplify((i * 8 + j) * 2 + k);
    assert!(same(&nested, &(i * 16 + j * 2 + k)));
    // The order of summands does not matter.
    assert!(same(&simplify(k + (j * 2 + i * 16)), &(i * 16 + j * 2 + k)));
    // Indices that leave gaps stay.
    let gaps: Expr = i * 16 + j;
    assert!(same(&simplify(gaps.clone()), &gaps));
}
