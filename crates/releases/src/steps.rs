//! Steps between releases of TVM.
//!
//! A step rewrites by the levels of its releases; names are those of the releases themselves.

use tvmscript_ir_core::Dialect;
use tvmscript_upgrade::{Level, Step, UpgradeDialect as _, rewrite_levels, tvm_0_23, tvm_0_27};

use crate::tvm_0_27::IMPORT_LINE;
use crate::{TVM_0_23, tvm_0_24, tvm_0_25, tvm_0_26};

/// Comments that printers write themselves.
const PRINTED: &[(&str, &str)] = &[
    ("with ", ".block(\"root\"):"),
    ("with ", ".sblock(\"root\"):"),
    ("from tvm.", ""),
    ("from typing import ", ""),
];

/// Steps to a release of a level, by rules, each from another release and its level. Scripts are printed anew.
macro_rules! steps_to {
    ($to:expr, $new:ident, $sign:expr; $($from:expr, $old:ident, $rules:expr;)*) => {
        &[$(Step {
            from: &$from,
            to: &$to,
            rules: $rules,
            levels: (Level::$old, Level::$new),
            printed_comments: PRINTED,
            sign: $sign,
            edits_scripts: false,
            rewrite: rewrite_levels,
        }),*]
    };
}

/// To TVM 0.23, besides [`DOWNGRADE`].
pub(crate) static TO_0_23: &[Step] = steps_to! {
    TVM_0_23, Nested, None;
    tvm_0_24::RELEASE, Flat, tvm_0_23::RULES;
    tvm_0_25::RELEASE, Flagged, tvm_0_23::RULES;
    tvm_0_26::RELEASE, Current, tvm_0_23::RULES;
};

/// To TVM 0.24.
pub(crate) static TO_0_24: &[Step] = steps_to! {
    tvm_0_24::RELEASE, Flat, None;
    TVM_0_23, Nested, tvm_0_27::RULES;
    tvm_0_25::RELEASE, Flagged, tvm_0_23::RULES;
    tvm_0_26::RELEASE, Current, tvm_0_23::RULES;
    crate::tvm_0_27::RELEASE, Declared, tvm_0_23::RULES;
};

/// To TVM 0.25.
pub(crate) static TO_0_25: &[Step] = steps_to! {
    tvm_0_25::RELEASE, Flagged, Some(IMPORT_LINE);
    TVM_0_23, Nested, tvm_0_27::RULES;
    tvm_0_24::RELEASE, Flat, tvm_0_27::RULES;
    tvm_0_26::RELEASE, Current, tvm_0_23::RULES;
    crate::tvm_0_27::RELEASE, Declared, tvm_0_23::RULES;
};

/// To TVM 0.26.
pub(crate) static TO_0_26: &[Step] = steps_to! {
    tvm_0_26::RELEASE, Current, Some(IMPORT_LINE);
    TVM_0_23, Nested, tvm_0_27::RULES;
    tvm_0_24::RELEASE, Flat, tvm_0_27::RULES;
    tvm_0_25::RELEASE, Flagged, tvm_0_27::RULES;
    crate::tvm_0_27::RELEASE, Declared, tvm_0_23::RULES;
};

/// To TVM 0.27, besides [`UPGRADE`].
pub(crate) static TO_0_27: &[Step] = steps_to! {
    crate::tvm_0_27::RELEASE, Declared, Some(IMPORT_LINE);
    tvm_0_24::RELEASE, Flat, tvm_0_27::RULES;
    tvm_0_25::RELEASE, Flagged, tvm_0_27::RULES;
    tvm_0_26::RELEASE, Current, tvm_0_27::RULES;
};

/// From TVM 0.23 to TVM 0.27. Scripts in Python files are edited.
pub(crate) static UPGRADE: Step = Step {
    from: &TVM_0_23,
    to: &crate::tvm_0_27::RELEASE,
    rules: tvm_0_27::RULES,
    levels: (Level::Nested, Level::Declared),
    printed_comments: &[("with ", ".block(\"root\"):"), ("from tvm.script import ", "")],
    sign: Some(IMPORT_LINE),
    edits_scripts: true,
    rewrite: rewrite_levels,
};

/// Back to TVM 0.23, where a construct has an older form.
pub(crate) static DOWNGRADE: Step = Step {
    from: &crate::tvm_0_27::RELEASE,
    to: &TVM_0_23,
    rules: tvm_0_23::RULES,
    levels: (Level::Declared, Level::Nested),
    printed_comments: &[("with ", ".sblock(\"root\"):"), ("from tvm.", "")],
    sign: None,
    edits_scripts: false,
    rewrite: rewrite_levels,
};

/// Adds steps to a dialect.
pub(crate) fn register(dialect: Dialect, steps: impl IntoIterator<Item = &'static Step>) -> Dialect {
    steps.into_iter().fold(dialect, |dialect, step| dialect.upgrade(step))
}
