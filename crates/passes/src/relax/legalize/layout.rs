//! A tensor laid out by an index map: a copy whose result a schedule transforms.
//!
//! Upstream counterpart: `_layout_transform`, `python/tvm/relax/transform/legalize_ops/manipulate.py`.

use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_prim::{IndexMap, Var, ops};
use tvmscript_relax::attrs::LayoutTransformAttrs;
use tvmscript_te::transform_layout;

use super::Outcome;
use super::elementwise::map_named;
use super::site::{Legalized, Site};
use super::tensor::Answer;

/// Name of the function of a map that leaves no gaps.
const PLAIN: &str = "te_layout_transform";

/// Name of the function that fills gaps.
const PADDED: &str = "te_layout_transform_with_pad";

/// The new layout.
pub(super) struct Layout {
    map: Ref<IndexMap>,
    /// The value of gaps.
    padding: Ref<IndexMap>,
}

pub(super) fn layout_transform(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<LayoutTransformAttrs>()?;
    let value = match &attrs.pad_value {
        Some(value) => value.value.clone(),
        None => ops::make_const(site.result_dtype()?, 0)?,
    };
    let map = attrs.index_map.clone();
    let axes = (0..map.final_indices.len()).map(|axis| Var::new(format!("axis{axis}"), DataType::INT64));
    let padding = Ref::new(IndexMap {
        initial_indices: axes.collect(),
        final_indices: Array::new([value]),
        inverse_index_map: None,
    });
    Ok(Outcome::LaidOut(Layout { map, padding }))
}

impl Layout {
    /// The function that lays out the operand of a call, with its name. A map that leaves gaps is refused without a value
    /// for them.
    pub(super) fn function(&self, site: &Site<'_>, scalars_first: bool) -> Answer<(&'static str, Legalized)> {
        let named = |name, padding| self.named(site.again(), name, padding, scalars_first);
        named(PLAIN, None).or_else(|_| named(PADDED, Some(&self.padding)))
    }

    fn named(
        &self,
        mut site: Site<'_>,
        name: &'static str,
        padding: Option<&Ref<IndexMap>>,
        scalars_first: bool,
    ) -> Answer<(&'static str, Legalized)> {
        let copy = map_named(&site.tensor(0)?, name, |x| x)?;
        let result = site.result_info()?;
        let copied = site.finish(vec![copy], scalars_first)?;
        let function = transform_layout(copied.function, name, &self.map, padding)?;
        Ok((name, Legalized { function, result, ..copied }))
    }
}
