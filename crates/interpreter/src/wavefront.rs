//! Products of matrices by the 64 lanes of a wavefront.

use tvmscript_ir_core::DataType;

use crate::error::{Result, unsupported};
use crate::machine::Machine;
use crate::matrix::{Lanes, accumulate, pairs};
use crate::memory::Element;
use crate::program::Register;

/// Number of lanes of a wavefront.
pub(crate) const WAVEFRONT: usize = 64;

/// A product `C = A * B + C`. C is square; each lane has a row of A, or a column of B, for a part of the depth.
#[derive(Debug, Clone)]
pub(crate) struct WavefrontProduct {
    pub(crate) extent: usize,
    pub(crate) depth: usize,
    /// Pointers to the elements of a lane.
    pub(crate) a: (Register, Element),
    pub(crate) b: (Register, Element),
    pub(crate) c: Register,
    pub(crate) c_type: DataType,
}

impl Machine<'_> {
    /// Executes a product for the lanes of a wavefront.
    pub(crate) fn wavefront(
        &mut self,
        place: usize,
        product: &WavefrontProduct,
        own: &Lanes<'_>,
    ) -> Result<()> {
        let WavefrontProduct { extent, depth, .. } = *product;
        if self.warp != WAVEFRONT || extent == 0 {
            return unsupported("a product of a wavefront of less than 64 lanes");
        }
        let groups = WAVEFRONT / extent;
        let share = depth / groups;
        let (mut left, mut right) = (vec![0u64; extent * depth], vec![0u64; extent * depth]);
        for (values, (p, element)) in [(&mut left, product.a), (&mut right, product.b)] {
            for lane in own.lanes {
                let number = lane - own.first;
                for index in 0..share {
                    let at = number % extent * depth + number / extent * share + index;
                    let value = self.element(place, element, own.read(*lane, p), index)?;
                    if let Some(slot) = values.get_mut(at) {
                        *slot = value;
                    }
                }
            }
        }
        let element = Element::of(product.c_type)?;
        for lane in own.lanes {
            let number = lane - own.first;
            let pointer = own.read(*lane, product.c);
            for index in 0..extent * extent / WAVEFRONT {
                // Rows are in groups of four, which the groups of lanes have in turn.
                let row = index / 4 * 4 * groups + number / extent * 4 + index % 4;
                let column = number % extent;
                let old = self.element(place, element, pointer, index)?;
                let new = accumulate(product.c_type, old, pairs(&left, row, &right, column, depth));
                self.set_element(place, element, pointer, index, new)?;
            }
        }
        self.steps += (extent * extent * depth / 8) as u64;
        Ok(())
    }
}
