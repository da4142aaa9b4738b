//! Sums that are simplified already.
//!
//! Most indices are sums such as `i * 16 + j + 3`. Neither the rules nor the canonical form change one whose terms are
//! variables times falling factors, so the simplifier recognizes them before it builds anything.

use smallvec::SmallVec;

use crate::analyzer::Analyzer;
use crate::expr::{self, BinOp, Expr, View};

/// Maximum number of terms; it bounds the time for nested sums.
const MAX_TERMS: usize = 8;

impl Analyzer {
    /// Returns `true` for a product of a variable and a factor above 1, and for a sum of such products with falling factors,
    /// then variables, then at most one positive constant. The constant after a single product must not be its factor, which
    /// the rules would take out. The variables are different and have no known value.
    pub(crate) fn is_normal_sum(&self, e: &Expr) -> bool {
        let View::Bin(op @ (BinOp::Add | BinOp::Mul), left, right) = expr::view(e) else { return false };
        if !expr::is_index(expr::dtype(e)) {
            return false;
        }
        let (mut rest, constant) = match expr::as_int(right) {
            Some(value @ 1..) if op == BinOp::Add => (left, value),
            _ => (e, 0),
        };
        let mut vars: SmallVec<[&Expr; MAX_TERMS]> = SmallVec::new();
        let mut last_factor = 0;
        loop {
            // The last term comes first.
            let (term, before) = match expr::view(rest) {
                View::Bin(BinOp::Add, before, term) => (term, Some(before)),
                _ => (rest, None),
            };
            let (var, factor) = match expr::view(term) {
                View::Bin(BinOp::Mul, var, factor) => match expr::as_int(factor) {
                    Some(factor @ 2..) => (var, factor),
                    _ => return false,
                },
                _ => (term, 1),
            };
            let is_new = expr::is_var(var) && !vars.iter().any(|known| known.ptr_eq(var));
            let falls = factor > last_factor || (factor == 1 && last_factor == 1);
            if !is_new || !falls || self.replaced.get(var).is_some() || vars.len() >= MAX_TERMS {
                return false;
            }
            last_factor = factor;
            vars.push(var);
            match before {
                Some(before) => rest = before,
                None => return vars.len() > 1 || factor == 1 || factor != constant,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tvmscript_ir_core::DataType;
    use tvmscript_prim::{IntImm, Var};

    use super::*;
    use crate::rewrite::{Mode, Simplifier};

    /// All sums of up to three terms, from the left, followed by a constant or not.
    fn sums() -> Vec<Expr> {
        let number = |value: i32| IntImm::int32(value);
        let vars: Vec<Expr> = ["i", "j"].map(|name| Var::new(name, DataType::INT32).upcast()).into();
        let terms: Vec<Expr> = vars
            .iter()
            .flat_map(|var| {
                let scaled =
                    [2, 3, 16].map(|factor| expr::strict(BinOp::Mul, var.clone(), number(factor)).unwrap());
                scaled.into_iter().chain([var.clone()])
            })
            .chain([Var::new("k", DataType::INT32).upcast()])
            .collect();
        let add = |a: &Expr, b: &Expr| expr::strict(BinOp::Add, a.clone(), b.clone()).unwrap();
        let pairs: Vec<Expr> = terms.iter().flat_map(|a| terms.iter().map(move |b| add(a, b))).collect();
        let triples: Vec<Expr> = pairs.iter().flat_map(|a| terms.iter().map(move |b| add(a, b))).collect();
        let bare: Vec<Expr> = terms.into_iter().chain(pairs).chain(triples).collect();
        let with_constant = bare.iter().flat_map(|e| [1, 2, 3, 5, 16].map(|value| add(e, &number(value))));
        with_constant.collect::<Vec<_>>().into_iter().chain(bare).collect()
    }

    #[test]
    fn no_pass_changes_a_normal_sum() {
        let mut normal = 0;
        for sum in sums() {
            let mut analyzer = Analyzer::new();
            if !analyzer.is_normal_sum(&sum) {
                continue;
            }
            normal += 1;
            let mut walk = Simplifier { analyzer: &mut analyzer, mode: Mode::Canonical };
            let canonical = walk.canonicalize(&sum).unwrap().into_expr().unwrap();
            assert!(expr::deep_equal(&canonical, &sum, &mut { u64::MAX }), "{sum:?}: {canonical:?}");
            let mut walk = Simplifier { analyzer: &mut analyzer, mode: Mode::Rewrite };
            assert!(walk.rewrite(&sum).unwrap().ptr_eq(&sum), "{sum:?}");
        }
        assert!(normal > 100, "{normal}");
    }

    #[test]
    fn a_variable_with_a_value_is_replaced() {
        let i = Var::new("i", DataType::INT32);
        let sum = expr::strict(BinOp::Add, i.clone().upcast(), IntImm::int32(1)).unwrap();
        let mut analyzer = Analyzer::new();
        assert!(analyzer.is_normal_sum(&sum));
        analyzer.bind(&i, &IntImm::int32(4));
        assert!(!analyzer.is_normal_sum(&sum));
        assert_eq!(expr::as_int(&analyzer.simplify(&sum)), Some(5));
    }
}
