//! `set_axis_separator`: a buffer is flattened to several axes.

use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_prim::{Expr, IntImm};
use tvmscript_tir::{Buffer, BufferParts};

use crate::argument::Argument;
use crate::buffers;
use crate::definition::{Definition, Exchange};
use crate::error::{Result, ScheduleError};
use crate::primitive::{Place, Primitive, Results, parameter};

pub(in crate::primitive) static SET_AXIS_SEPARATOR: Primitive = Primitive {
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
        let state = schedule.state_mut();
        let old = kind.buffer(state.block_of(item)?, index)?;
        let mut exchange = Exchange::default();
        exchange.add(&old, &separated(&old, &separators, 0)?);
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
            separated(part, &separators, source.shape.len().saturating_sub(part.shape.len())).ok()
        });
        exchange.make(state, site)?;
        if is_parameter {
            state.exchange_parameters(site, &exchange)?;
        }
        Ok(Vec::new())
    },
};

/// A buffer with separators of a buffer with more dimensions in front.
fn separated(buffer: &Buffer, separators: &[i64], leading: usize) -> Result<Ref<Buffer>> {
    let leading = i64::try_from(leading).unwrap_or(i64::MAX);
    let separators =
        separators.iter().map(|at| IntImm::try_new(DataType::INT32, at.saturating_sub(leading).max(0)));
    let axis_separators = separators.collect::<std::result::Result<Array<Expr>, _>>()?;
    // Made anew, so that separators that do not fit are refused.
    Buffer::try_new(BufferParts {
        data: buffer.data.clone(),
        axis_separators: axis_separators.clone(),
        ..BufferParts::compact("", buffer.dtype, buffer.shape.iter().cloned())
    })?;
    Ok(Ref::new(Buffer { axis_separators, ..buffer.clone() }))
}
