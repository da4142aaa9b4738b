//! Two reshapes as one.

use tvmscript_ir::IRModule;
use tvmscript_relax::{Call, Expr, Function, ShapeExpr, TensorStructInfo};

use super::rewrite::info_of;
use super::usage::remove_unused;
use crate::Result;
use crate::pattern::{self, Match, Pattern, rewrite_matches, wildcard};
use tvmscript_pass::pass;

pass! {
    /// Replaces a reshape of a reshape by one, which has the spans of both, and removes what is unused then.
    pub SimplifyReshape = "relax.SimplifyReshape" for Function in IRModule |function, _context| {
        let x = wildcard();
        let simplified = rewrite_matches(&function, &reshape(reshape(x.clone())), |found, outer| {
            found.of(&x).map_or(Ok(None), |x| merged(found, x, outer))
        })?;
        if simplified.ptr_eq(&function) { Ok(function) } else { remove_unused(&simplified) }
    }
}

/// An operator that only changes the shape.
fn reshape(x: Pattern) -> Pattern {
    pattern::op("relax.reshape").call([x.clone(), wildcard()]) | pattern::call("relax.flatten", [x])
}

/// A reshape to the shape of the outer one, if that is known.
fn merged(found: &Match, x: &Expr, outer: &Expr) -> Result<Option<Expr>> {
    let info = info_of(outer);
    let Some(dims) = info.as_node::<TensorStructInfo>().and_then(TensorStructInfo::dims) else {
        return Ok(None);
    };
    if info_of(x).as_node::<TensorStructInfo>().is_none() {
        return Ok(None);
    }
    let span = found.span();
    let shape = ShapeExpr::try_new(dims.iter().cloned());
    let shape =
        shape.map_err(|error| tvmscript_pass::PassError::unsupported(error.to_string()))?.with_span(span);
    let new = Call::of_op("relax.reshape", [x.clone(), shape.upcast()], None);
    Ok(Some(new.with_span(span).upcast()))
}
