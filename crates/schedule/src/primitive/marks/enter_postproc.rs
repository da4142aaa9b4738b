//! `enter_postproc`: a mark in the trace.

use crate::primitive::{Primitive, Results};

pub(in crate::primitive) static ENTER_POSTPROC: Primitive = Primitive {
    kind: "EnterPostproc",
    name: "enter_postproc",
    doc: "Marks the start of postprocessing, which a simplified trace may leave out.",
    parameters: &[],
    is_pure: false,
    results: Results::None,
    apply: |_, _| Ok(Vec::new()),
};
