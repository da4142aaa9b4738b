//! The test whether the values of a block are affine in the loops around it.

use tvmscript_arith::{Analyzer, IterMapLevel, detect_iter_map};
use tvmscript_prim::{Expr, ops};

use crate::bindings::Ranges;
use crate::error::Result;
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
}
