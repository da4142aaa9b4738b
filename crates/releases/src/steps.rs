//! Steps between releases of TVM.
//!
//! A step rewrites by the levels of its releases; names are those of the releases themselves.

use tvmscript_upgrade::{Level, Rule, Step, rewrite_levels, tvm_0_23, tvm_0_27};

use crate::{TVM_0_23, tvm_0_24, tvm_0_25, tvm_0_26};

/// Comments that printers write themselves.
const PRINTED: &[(&str, &str)] = &[
    ("with ", ".block(\"root\"):"),
    ("with ", ".sblock(\"root\"):"),
    ("from tvm.", ""),
    ("from typing import ", ""),
];

/// A step whose scripts are printed anew.
macro_rules! step {
    ($from:expr, $old:ident => $to:expr, $new:ident, $rules:expr, $sign:expr) => {
        Step {
            from: &$from,
            to: &$to,
            rules: $rules,
            printed_comments: PRINTED,
            sign: $sign,
            edits_scripts: false,
            rewrite: |node, step| rewrite_levels(node, step, Level::$old, Level::$new),
        }
    };
}

/// No rules of their own: those of the steps in between.
const AS_BETWEEN: &[Rule] = &[];

/// To TVM 0.23.
pub(crate) static TO_0_23: &[Step] = &[
    step!(tvm_0_24::RELEASE, Flat => TVM_0_23, Nested, AS_BETWEEN, None),
    step!(tvm_0_25::RELEASE, Flagged => TVM_0_23, Nested, AS_BETWEEN, None),
    step!(tvm_0_26::RELEASE, Current => TVM_0_23, Nested, AS_BETWEEN, None),
    Step {
        from: &crate::tvm_0_27::RELEASE,
        to: &TVM_0_23,
        rules: tvm_0_23::RULES,
        printed_comments: &[("with ", ".sblock(\"root\"):"), ("from tvm.", "")],
        sign: None,
        edits_scripts: false,
        rewrite: tvm_0_23::rewrite,
    },
];

/// To TVM 0.24.
pub(crate) static TO_0_24: &[Step] = &[
    step!(TVM_0_23, Nested => tvm_0_24::RELEASE, Flat, AS_BETWEEN, None),
    step!(tvm_0_25::RELEASE, Flagged => tvm_0_24::RELEASE, Flat, AS_BETWEEN, None),
    step!(tvm_0_26::RELEASE, Current => tvm_0_24::RELEASE, Flat, AS_BETWEEN, None),
    step!(crate::tvm_0_27::RELEASE, Current => tvm_0_24::RELEASE, Flat, AS_BETWEEN, None),
];

/// To TVM 0.25.
pub(crate) static TO_0_25: &[Step] = &[
    step!(TVM_0_23, Nested => tvm_0_25::RELEASE, Flagged, AS_BETWEEN, Some(crate::tvm_0_27::IMPORT_LINE)),
    step!(tvm_0_24::RELEASE, Flat => tvm_0_25::RELEASE, Flagged, AS_BETWEEN, Some(crate::tvm_0_27::IMPORT_LINE)),
    step!(tvm_0_26::RELEASE, Current => tvm_0_25::RELEASE, Flagged, AS_BETWEEN, Some(crate::tvm_0_27::IMPORT_LINE)),
    step!(crate::tvm_0_27::RELEASE, Current => tvm_0_25::RELEASE, Flagged, AS_BETWEEN, Some(crate::tvm_0_27::IMPORT_LINE)),
];

/// To TVM 0.26.
pub(crate) static TO_0_26: &[Step] = &[
    step!(TVM_0_23, Nested => tvm_0_26::RELEASE, Current, AS_BETWEEN, Some(crate::tvm_0_27::IMPORT_LINE)),
    step!(tvm_0_24::RELEASE, Flat => tvm_0_26::RELEASE, Current, AS_BETWEEN, Some(crate::tvm_0_27::IMPORT_LINE)),
    step!(tvm_0_25::RELEASE, Flagged => tvm_0_26::RELEASE, Current, AS_BETWEEN, Some(crate::tvm_0_27::IMPORT_LINE)),
    step!(crate::tvm_0_27::RELEASE, Current => tvm_0_26::RELEASE, Current, AS_BETWEEN, Some(crate::tvm_0_27::IMPORT_LINE)),
];

/// To TVM 0.27.
pub(crate) static TO_0_27: &[Step] = &[
    Step {
        from: &TVM_0_23,
        to: &crate::tvm_0_27::RELEASE,
        rules: tvm_0_27::RULES,
        printed_comments: &[("with ", ".block(\"root\"):"), ("from tvm.script import ", "")],
        sign: Some(crate::tvm_0_27::IMPORT_LINE),
        edits_scripts: true,
        rewrite: tvm_0_27::rewrite,
    },
    step!(tvm_0_24::RELEASE, Flat => crate::tvm_0_27::RELEASE, Current, AS_BETWEEN, Some(crate::tvm_0_27::IMPORT_LINE)),
    step!(tvm_0_25::RELEASE, Flagged => crate::tvm_0_27::RELEASE, Current, AS_BETWEEN, Some(crate::tvm_0_27::IMPORT_LINE)),
    step!(tvm_0_26::RELEASE, Current => crate::tvm_0_27::RELEASE, Current, AS_BETWEEN, Some(crate::tvm_0_27::IMPORT_LINE)),
];
