//! Division of the values of a block into parts of outer and of inner loops.

use tvmscript_arith::{Analyzer, IterMapLevel, IterMark, subspace_divide};
use tvmscript_ir_core::Ref;
use tvmscript_prim::{Expr, IntImm, Var, ops};
use tvmscript_tir::For;

use crate::bindings::Ranges;
use crate::error::{Result, ScheduleError};
use crate::reads::mentions;
use crate::state::{Item, State};

/// An iterator: a value of the loops, and the number of its values.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) value: Expr,
    pub(crate) extent: Expr,
}

/// The values of a block as `outer * inner.extent + inner`.
#[derive(Debug)]
pub(crate) struct Division {
    pub(crate) parts: Vec<(Part, Part)>,
    pub(crate) outer_predicate: Expr,
    pub(crate) inner_predicate: Expr,
    /// The inner loops, inner ones first.
    pub(crate) loops: Vec<Ref<For>>,
}

/// The loops around a block that belong to the inner part.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Inner {
    /// Those up to a loop, and the loop.
    UpTo(Item),
    /// Those below a loop or block.
    Below(Item),
}

impl State {
    /// Divides the values of a block.
    ///
    /// # Errors
    /// `SubspaceNotDivisibleError`.
    pub(crate) fn divide(
        &self,
        block: Item,
        inner: Inner,
        preserves_units: bool,
        analyzer: &mut Analyzer,
    ) -> Result<Division> {
        let mut around = self.loops_above(block);
        around.reverse();
        let is_last = |item: Item| match inner {
            Inner::UpTo(top) => item == top,
            Inner::Below(top) => item == top || self.parent(item) == Some(top),
        };
        let count = around.iter().position(|item| is_last(*item)).map_or(around.len(), |at| at + 1);
        let loops: Vec<Ref<For>> =
            around.iter().map(|item| self.loop_of(*item).cloned()).collect::<Result<_>>()?;
        let (inner_loops, outer_loops) = loops.split_at_checked(count).unwrap_or((&loops, &[]));
        let variables = |loops: &[Ref<For>]| loops.iter().map(|found| found.loop_var.clone()).collect();
        let (inner_vars, outer_vars): (Vec<Ref<Var>>, Vec<Ref<Var>>) =
            (variables(inner_loops), variables(outer_loops));
        around.reverse();
        let ranges = Ranges::of(self, &around)?;
        let realize = self.realize_of(block)?;
        let values: Vec<Expr> = realize.iter_values.iter().cloned().collect();
        let divided = subspace_divide(
            &values,
            &ranges.0,
            &inner_vars,
            &realize.predicate,
            IterMapLevel::Surjective,
            !preserves_units,
            analyzer,
        );
        let inner_loops = inner_loops.to_vec();
        // A block without iterators has only the trivial division in TVM, too, which needs the predicate `True`.
        if let Some(divided) = divided.ok().filter(|divided| !divided.parts().is_empty()) {
            let mut part = |mark: &IterMark| -> Result<Part> {
                let value = mark.source().to_expr(analyzer)?;
                Ok(Part { value, extent: mark.extent().clone() })
            };
            let parts = divided.parts().iter();
            return Ok(Division {
                parts: parts.map(|(outer, inner)| Ok((part(outer)?, part(inner)?))).collect::<Result<_>>()?,
                outer_predicate: divided.outer_predicate().clone(),
                inner_predicate: divided.inner_predicate().clone(),
                loops: inner_loops,
            });
        }
        let trivial = self.divide_trivially(block, &outer_vars, &inner_vars)?;
        let Some(parts) = trivial else {
            let node = self.block_of(block)?.clone();
            let message = format!(
                "the values of the block `{}` are no sums of a part of the outer and a part of the inner loops",
                node.name_hint.as_str()
            );
            let error = ScheduleError::new("SubspaceNotDivisibleError", message).at(node);
            return Err(match inner_loops.last() {
                Some(top) => error.at(top.clone()),
                None => error,
            });
        };
        let all = IntImm::bool(true);
        Ok(Division { parts, outer_predicate: all.clone(), inner_predicate: all, loops: inner_loops })
    }

    /// Values, affine or not, that use outer loops only or inner loops only.
    fn divide_trivially(
        &self,
        block: Item,
        outer_vars: &[Ref<Var>],
        inner_vars: &[Ref<Var>],
    ) -> Result<Option<Vec<(Part, Part)>>> {
        let realize = self.realize_of(block)?;
        if !ops::is_one(&realize.predicate) {
            return Ok(None);
        }
        let mut parts = Vec::new();
        for (axis, value) in realize.block.iter_vars.iter().zip(realize.iter_values.iter()) {
            let is_outer = outer_vars.iter().any(|var| mentions(value, var));
            let is_inner = inner_vars.iter().any(|var| mentions(value, var));
            let unit = Part { value: IntImm::int32(0), extent: IntImm::int32(1) };
            let extent = axis.dom.as_ref().map_or_else(|| IntImm::int32(1), |dom| dom.extent.clone());
            let whole = Part { value: value.clone(), extent };
            parts.push(match (is_outer, is_inner) {
                (true, false) => (whole, unit),
                (false, true) => (unit, whole),
                (false, false) => (unit.clone(), unit),
                (true, true) => return Ok(None),
            });
        }
        Ok(Some(parts))
    }
}
