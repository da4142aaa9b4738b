//! The buffer that a block of a function writes, laid out by an index map: a schedule of one primitive.

use tvmscript_ir::{DictAttrs, GlobalVar, IRModule};
use tvmscript_ir_core::{Map, Ref};
use tvmscript_prim::IndexMap;
use tvmscript_schedule::{Schedule, ScheduleError};
use tvmscript_tir::PrimFunc;

use crate::error::{Result, TeError};

/// Lays out the buffer that a block of the function writes first. `padding` maps the new indices to the value of gaps.
///
/// # Errors
/// If the schedule refuses the map, also since it leaves gaps and there is no value for them.
///
/// # Source
/// `Schedule::TransformLayout`, `src/tir/schedule/primitive/layout_transformation.cc`.
pub fn transform_layout(
    function: Ref<PrimFunc>,
    block: &str,
    map: &Ref<IndexMap>,
    padding: Option<&Ref<IndexMap>>,
) -> Result<Ref<PrimFunc>> {
    let transformed = || -> std::result::Result<_, ScheduleError> {
        let functions = [(GlobalVar::new("main"), function.upcast())];
        let mut schedule = Schedule::new(IRModule::new(functions, DictAttrs::new([]), Map::default()))?;
        let block = schedule.get_block(block, None)?;
        schedule.transform_layout(block, ("write", 0), map.clone(), padding.cloned())?;
        Ok(schedule.module())
    };
    let module = transformed().map_err(|error| TeError::Node(error.to_string()))?;
    let function = module.function("main").and_then(|(_, function)| function.downcast_ref::<PrimFunc>());
    function.cloned().ok_or_else(|| TeError::Node("the schedule has lost its function".to_owned()))
}
