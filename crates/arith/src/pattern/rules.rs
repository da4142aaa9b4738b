//! Rewrite rules of users.

use super::{RuleError, RuleSet};
use crate::expr::Expr;
use crate::rewrite::{Mode, Simplifier};
use crate::{Analyzer, ArithError};

/// Maximum length of a rule in bytes; it bounds the depth of patterns.
const MAX_RULE_BYTES: usize = 1000;

/// Rewrite rules for scalar expressions, in order: `pattern => replacement`, optionally followed by `if condition`.
///
/// In a pattern, `x y z a b s t p n` match any expression, `c1 c2 c3` integer constants, `f` a float constant, and a
/// number that integer. A name that occurs twice matches structurally equal expressions. Operators are those of Python
/// with `floordiv`, `floormod`, `min`, `max` and `select` as calls. Several patterns are separated by `|`. Conditions
/// compute with the constants, and ask the analyzer `nonneg(e)`, `prove_ge(e, k)`, `prove_eq(e, k)` and `pure(e)`.
///
/// ```
/// use tvmscript_arith::{Analyzer, Rules};
/// use tvmscript_prim::{Add, DataType, IntImm, PrimExprExt, Var};
///
/// let rules = Rules::parse(&["x + 0 => x", "x * c1 + x * c2 => x * (c1 + c2) if c1 > 0"])?;
/// let n = Var::new("n", DataType::INT32);
/// let sum = Add::try_new(n.clone().upcast(), IntImm::int32(0))?;
/// let new = rules.apply(&sum, &mut Analyzer::default())?;
/// assert!(new.is_some_and(|new| new.ptr_eq(&n)));
///
/// let error = Rules::parse(&["x + 0 => y"]).unwrap_err();
/// assert!(error.to_string().starts_with("rule `x + 0 => y`: "), "{error}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Rules(RuleSet);

impl Rules {
    /// Parses rules.
    ///
    /// # Errors
    /// Fails at the first malformed rule.
    pub fn parse(rules: &[&str]) -> Result<Rules, RuleError> {
        if let Some(rule) = rules.iter().find(|rule| rule.len() > MAX_RULE_BYTES) {
            let rule = rule.chars().take(40).chain(['…']).collect();
            return Err(RuleError { rule, reason: format!("longer than {MAX_RULE_BYTES} bytes") });
        }
        RuleSet::parse(rules).map(Rules)
    }

    /// Returns the replacement by the first rule that matches the expression itself and whose condition holds.
    ///
    /// # Errors
    /// Fails if the replacement cannot be made, or if the analyzer exceeds its budget.
    pub fn apply(&self, expr: &Expr, analyzer: &mut Analyzer) -> Result<Option<Expr>, ArithError> {
        Simplifier { analyzer, mode: Mode::Rewrite }.first_rule(&self.0, expr)
    }
}
