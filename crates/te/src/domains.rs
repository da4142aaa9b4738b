//! Domains of iteration variables.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::{PtrMap, Ref};
use tvmscript_prim::{Expr, IntImm, PrimExprExt, Range, ops};

use crate::error::Result;
use crate::stage::{Attach, Factor, Relation, Stage};

/// The domains of a stage's iteration variables, from its axes down to its loops. Those of a stage inside a loop of
/// another one depend on what that one reads, and are left out.
pub(crate) fn of(stage: &Stage) -> Result<PtrMap<Ref<Range>>> {
    let mut known = PtrMap::default();
    if matches!(stage.attach, Attach::At(..)) {
        return Ok(known);
    }
    for axis in stage.op.root_axes() {
        if let Some(dom) = &axis.dom {
            known.insert(axis.object().clone(), dom.clone());
        }
    }
    let mut analyzer = Analyzer::new();
    let from_zero = |extent: Expr| Range::try_from_extent(extent);
    for relation in &stage.relations {
        match relation {
            Relation::Split { parent, outer, inner, factor } => {
                let Some(dom) = known.get(parent.object()).cloned() else { continue };
                let extent = &dom.extent;
                let (Factor::Inner(given) | Factor::Outer(given)) = factor;
                let given = ops::cast(extent.dtype(), given.clone())?;
                // A factor above the extent covers it alone.
                let is_smaller = ops::lt(extent.clone(), given.clone())?;
                let part = if analyzer.can_prove(&is_smaller) { extent.clone() } else { given };
                let rest = analyzer.simplify(&ops::ceildiv(extent.clone(), part.clone())?);
                let (outer_extent, inner_extent) = match factor {
                    Factor::Inner(_) => (rest, part),
                    Factor::Outer(_) => (part, rest),
                };
                known.insert(outer.object().clone(), from_zero(outer_extent)?);
                known.insert(inner.object().clone(), from_zero(inner_extent)?);
            }
            Relation::Fuse { outer, inner, fused } => {
                let (Some(outer), Some(inner)) = (known.get(outer.object()), known.get(inner.object()))
                else {
                    continue;
                };
                let extent = ops::mul(outer.extent.clone(), inner.extent.clone())?;
                known.insert(fused.object().clone(), from_zero(extent)?);
            }
            Relation::Singleton { iter } => {
                known.insert(iter.object().clone(), from_zero(IntImm::int32(1))?);
            }
        }
    }
    Ok(known)
}
