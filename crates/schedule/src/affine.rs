//! The test whether the values of a block are affine in the loops around it.

use tvmscript_arith::{Analyzer, IterMapLevel, detect_iter_map};
use tvmscript_prim::{Expr, Var, ops};

use crate::bindings::Ranges;
use crate::error::Result;
use crate::flags::Flags;
use crate::state::{Item, State};

impl State {
    /// Returns `true` if the values of a block are affine in the loops below a loop or block.
    pub(crate) fn is_affine_below(
        &self,
        block: Item,
        top: Option<Item>,
        analyzer: &mut Analyzer,
    ) -> Result<bool> {
        let realize = self.realize_of(block)?;
        let mut loops = self.loops_above(block);
        let outer = loops.iter().position(|outer| Some(*outer) == top).map_or(0, |at| at + 1);
        loops.drain(..outer);
        if loops.is_empty() {
            return Ok(true);
        }
        let ranges = Ranges::of(self, &loops)?;
        let values: Vec<Expr> = realize.iter_values.iter().cloned().collect();
        let map = detect_iter_map(
            &values,
            &ranges.0,
            &realize.predicate,
            IterMapLevel::Surjective,
            false,
            analyzer,
        );
        Ok(map.is_ok_and(|map| {
            map.sums().iter().all(|sum| sum.args().first().is_none_or(|part| ops::is_one(part.scale())))
        }))
    }

    /// Decides again whether the values of a block are affine in the loops around it.
    pub(crate) fn renew_affine(&mut self, block: Item, analyzer: &mut Analyzer) -> Result<()> {
        let is_affine = self.is_affine_below(block, None, analyzer)?;
        self.set_flags(block, Flags { is_affine, ..self.flags(block) });
        Ok(())
    }

    /// Tells an analyzer that the variables in shapes of the function's parameters are not negative.
    pub(crate) fn bound_shapes(&self, item: Item, analyzer: &mut Analyzer) {
        let Some(function) = self.prim_func_of(item) else { return };
        for (_, buffer) in function.buffer_map.iter() {
            for extent in buffer.shape.iter().filter_map(|extent| extent.downcast_ref::<Var>()) {
                analyzer.mark_non_negative(extent);
            }
        }
    }

    /// An analyzer that knows that the variables in shapes of the function's parameters are not negative.
    pub(crate) fn shape_analyzer(&self, item: Item) -> Analyzer {
        let mut analyzer = Analyzer::new();
        self.bound_shapes(item, &mut analyzer);
        analyzer
    }
}
