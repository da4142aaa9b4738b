//! Indices of 32 bits.

use tvmscript_ir::IRModule;
use tvmscript_ir_core::{Map, Ref};
use tvmscript_tir::node::*;

use super::narrower::Narrower;
use super::rewrite::{Visits, array, changed, visit};
use crate::Result;
use tvmscript_pass::{PassError, pass};

pass! {
    /// Makes 64-bit indices, loop variables, dimensions and literals 32 bits wide, however large they may become.
    ///
    /// Fails if a parameter or an allocated buffer has 64-bit integer elements, or a literal does not fit.
    ///
    /// Upstream: `src/tir/transforms/force_narrow_index_to_i32.cc`, `src/tir/ir/data_type_rewriter.cc`.
    pub ForceNarrowIndexToInt32 = "tir.ForceNarrowIndexToInt32" for PrimFunc in IRModule |function, context| {
        let visits = Visits::new(context.fills_spans()?);
        let _span = visits.scope(function.span());
        function.buffer_map.iter().try_for_each(|(_, buffer)| check_elements(buffer))?;
        narrow(&function, visits)
    }
}

/// Fails for a buffer with 64-bit integer elements.
pub(super) fn check_elements(buffer: &Ref<Buffer>) -> Result<()> {
    if !buffer.dtype.is_int() || buffer.dtype.bits <= 32 {
        return Ok(());
    }
    let (name, dtype) = (buffer.name.get(), buffer.dtype);
    Err(PassError::unsupported(format!("the buffer `{name}` has elements of type {dtype}")))
}

fn narrow(function: &Ref<PrimFunc>, visits: Visits) -> Result<Ref<PrimFunc>> {
    let mut narrower = Narrower::new(visits);
    // The first walk finds the variables to replace, also those that are used before the place that decides.
    visit(&mut narrower, &function.body)?;
    narrower.start_over();
    let buffers: Vec<_> = function
        .buffer_map
        .iter()
        .map(|(param, buffer)| Ok((param.clone(), narrower.buffer(buffer)?)))
        .collect::<Result<_>>()?;
    let params = array(&function.params, |param| match param.dtype.is_int() {
        true => narrower.variable(param),
        false => Ok(param.clone()),
    })?;
    let body = visit(&mut narrower, &function.body)?;
    let is_same = buffers.iter().zip(function.buffer_map.iter()).all(|(new, old)| new.1.ptr_eq(old.1));
    if is_same && params.ptr_eq(&function.params) && body.ptr_eq(&function.body) {
        return Ok(function.clone());
    }
    Ok(changed(function, |new| {
        new.buffer_map = Map::new(buffers);
        (new.params, new.body) = (params, body);
    }))
}
