//! `add_unit_loop`: a loop of one iteration around a block or loop.

use tvmscript_ir_core::DataType;
use tvmscript_prim::{IntImm, Var};

use crate::argument::RvValue;
use crate::error::ScheduleError;
use crate::loops::{handles, serial};
use crate::primitive::{Place, Primitive, Results, parameter};

pub(in crate::primitive) static ADD_UNIT_LOOP: Primitive = Primitive {
    kind: "AddUnitLoop",
    name: "add_unit_loop",
    doc: "Wraps a block or loop in a loop of one iteration.",
    parameters: &[parameter("block_or_loop", Place::Input)],
    is_pure: false,
    results: Results::One,
    apply: |schedule, args| {
        let [target] = args else { return Err(ScheduleError::plain("expected one argument")) };
        let item = schedule.item(target)?;
        if schedule.state().parent(item).is_none() {
            return Err(ScheduleError::plain("the root block has no place for a loop around it"));
        }
        let body = schedule.state().stmt(item)?.clone();
        let one = IntImm::try_new(DataType::INT32, 1)?;
        let new = serial(Var::new("u", DataType::INT32), one, body)?;
        schedule.state_mut().replace(item, new.clone(), &[])?;
        Ok(handles(schedule.state(), &new, 1).into_iter().map(RvValue::Loop).collect())
    },
};
