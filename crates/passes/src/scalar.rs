//! Rules for scalar expressions in rewriters.

use std::cell::RefCell;

use tvmscript_arith::{Analyzer, Rules};
use tvmscript_ir_core::{Object, ObjectLike};
use tvmscript_pass::{PassError, RewriteRule};
use tvmscript_prim::PrimExpr;

/// Scalar rules with their analyzer.
struct Scalar<'r> {
    rules: &'r Rules,
    analyzer: RefCell<Analyzer>,
}

impl RewriteRule for Scalar<'_> {
    fn apply(&self, node: &Object) -> Result<Option<Object>, PassError> {
        let Some(expr) = node.downcast_ref::<PrimExpr>() else { return Ok(None) };
        let new = self.rules.apply(expr, &mut self.analyzer.borrow_mut());
        let new = new.map_err(|error| PassError::unsupported(error.to_string()))?;
        Ok(new.filter(|new| !new.ptr_eq(expr)).map(ObjectLike::into_object))
    }
}

/// Returns rules for scalar expressions as a rule of a [`Rewriter`](tvmscript_pass::Rewriter).
///
/// ```
/// use tvmscript_arith::Rules;
/// use tvmscript_pass::Rewriter;
/// use tvmscript_passes::scalar_rules;
/// use tvmscript_prim::{Add, DataType, IntImm, Mul, Var};
///
/// let rules = Rules::parse(&["x + 0 => x", "x * 1 => x"])?;
/// let n = Var::new("n", DataType::INT32);
/// let one = Mul::try_new(n.clone().upcast(), IntImm::int32(1))?;
/// let sum = Add::try_new(one, IntImm::int32(0))?;
/// let new = Rewriter::new().with_rule(scalar_rules(&rules)).run(sum)?;
/// assert!(new.ptr_eq(&n));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn scalar_rules(rules: &Rules) -> impl RewriteRule + '_ {
    Scalar { rules, analyzer: RefCell::default() }
}
