//! `set_axis_separator`: a buffer is flattened to several axes.

use tvmscript_ir_core::{Array, Ref};
use tvmscript_prim::{Expr, IntImm};
use tvmscript_tir::{Buffer, BufferParts};

use super::{Place, Primitive, Results, parameter};
use crate::argument::Argument;
use crate::buffers;
use crate::definition::{Definition, Exchange};
use crate::error::{Result, ScheduleError};

pub(super) static SET_AXIS_SEPARATOR: Primitive = Primitive {
    kind: "SetAxisSeparator",
    name: "set_axis_separator",
    doc: "Says at which dimensions of a buffer a new axis of memory starts.",
    parameters: &[
        parameter("block", Place::Input),
        parameter("buffer", Place::Buffer),
        parameter("axis_separators", Place::Attribute),
    ],
    is_pure: false,
    results: Results::None,
    apply: |schedule, args| {
        let [block, buffer, separators] = args else {
            return Err(ScheduleError::plain("expected a block, a buffer and dimensions"));
        };
        let item = schedule.item(block)?;
        let (kind, index) = buffers::parts(buffer)?;
        let separators = separators.list()?.iter().map(Argument::int).collect::<Result<Vec<_>>>()?;
        let separators: Array<Expr> = separators.into_iter().map(|at| IntImm::int32(at as i32)).collect();
        let state = schedule.state_mut();
        let old = kind.buffer(state.block_of(item)?, index)?;
        let separated = |buffer: &Buffer| -> Result<Ref<Buffer>> {
            // Made anew, so that separators that do not fit are refused.
            let new = Buffer { axis_separators: separators.clone(), ..buffer.clone() };
            Buffer::try_new(BufferParts {
                data: new.data.clone(),
                axis_separators: separators.clone(),
                ..BufferParts::compact("", new.dtype, new.shape.iter().cloned())
            })?;
            Ok(Ref::new(new))
        };
        let mut exchange = Exchange::default();
        exchange.add(&old, &separated(&old)?);
        let is_parameter = match Definition::of(state, item, &old) {
            Definition::Matched => {
                let message = format!("the buffer `{}` is a part of another buffer", old.name.text());
                return Err(ScheduleError::new("BufferIsSubregionError", message).at(old));
            }
            definition => definition == Definition::Parameter,
        };
        let site = match Definition::of(state, item, &old) {
            Definition::Allocated(site) => site,
            // TVM changes a parameter in the scope of the block, which must be the whole function.
            _ => state.scope(item).unwrap_or(item),
        };
        if is_parameter && state.parent(site).is_some() {
            let message = format!(
                "the buffer `{}` is a parameter: give a block of the outermost scope that uses it",
                old.name.text()
            );
            return Err(ScheduleError::plain(message).at(old));
        }
        exchange.follow(state.block_of(site)?, |part, source| {
            (part.shape.len() == source.shape.len()).then(|| separated(part).ok()).flatten()
        });
        exchange.make(state, site)?;
        if is_parameter {
            state.exchange_parameters(site, &exchange)?;
        }
        Ok(Vec::new())
    },
};
