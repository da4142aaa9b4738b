//! `reorder_block_iter_var`: the axes of a block change places.

use tvmscript_ir_core::Array;

use crate::argument::Argument;
use crate::error::{Result, ScheduleError};
use crate::primitive::{Place, Primitive, Results, parameter};

pub(in crate::primitive) static REORDER_BLOCK_ITER_VAR: Primitive = Primitive {
    kind: "ReorderBlockIterVar",
    name: "reorder_block_iter_var",
    doc: "Gives the axes of a block another order.",
    parameters: &[parameter("block", Place::Input), parameter("new_order", Place::Input)],
    is_pure: false,
    results: Results::None,
    apply: |schedule, args| {
        let [block, order] = args else {
            return Err(ScheduleError::plain("expected a block and an order"));
        };
        let item = schedule.item(block)?;
        let order = order.list()?.iter().map(Argument::int).collect::<Result<Vec<_>>>()?;
        let state = schedule.state_mut();
        let mut realize = state.realize_of(item)?.clone();
        let old = realize.block.clone();
        let mut axes = Vec::with_capacity(order.len());
        let mut values = Vec::with_capacity(order.len());
        let mut is_taken = vec![false; old.iter_vars.len()];
        for at in &order {
            let at = usize::try_from(*at).unwrap_or(usize::MAX);
            let place = is_taken.get_mut(at).map(|taken| std::mem::replace(taken, true));
            if let (Some(false), Some(axis), Some(value)) =
                (place, old.iter_vars.get(at), realize.iter_values.get(at))
            {
                axes.push(axis.clone());
                values.push(value.clone());
            }
        }
        if axes.len() != old.iter_vars.len() || order.len() != axes.len() {
            let message =
                format!("expected each number from 0 up to {} once, found {order:?}", is_taken.len());
            return Err(ScheduleError::new("InvalidReorderIndex", message).at(old));
        }
        if state.parent(item).is_none() {
            return Err(ScheduleError::plain("the root block has no axes"));
        }
        let mut new = old.clone();
        new.make_mut().iter_vars = Array::new(axes);
        let changed = realize.make_mut();
        changed.iter_values = Array::new(values);
        changed.block = new.clone();
        state.replace(item, realize.upcast(), &[(old, new)])?;
        Ok(Vec::new())
    },
};
