//! `enter_postproc`: a mark in the trace.

use super::{Primitive, Results};

pub(super) static ENTER_POSTPROC: Primitive = Primitive {
    kind: "EnterPostproc",
    name: "enter_postproc",
    doc: "Marks the start of postprocessing, which a simplified trace may leave out.",
    parameters: &[],
    is_pure: false,
    results: Results::None,
    apply: |_, _| Ok(Vec::new()),
};
