//! The converters of TensorFlow's operators: one row each, in the file of its family.

mod color;
mod convolution;
mod create;
mod detection;
mod diagonal;
mod elementwise;
mod flow;
mod index;
mod join;
mod linear;
mod list;
mod loops;
mod loss;
mod merge;
mod nn;
mod quantize;
mod reduce;
mod resample;
mod segment;
mod shape;
mod slice;
mod solve;
mod space;
mod special;
mod split;
mod unique;
mod window;

pub(super) use merge::Branches;
use tvmscript_relax::TensorStructInfo;

use super::names::text;
use super::node::{Converted, Node};
use crate::error::Reason;
use crate::operators::OperatorDoc;
use crate::ops::opaque;

/// A converter.
pub(super) type Convert = fn(&mut Node<'_, '_>) -> Converted;

/// Operators with the same converter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    names: &'static [&'static str],
    relax: &'static str,
    unsupported: &'static str,
    /// The converter.
    pub(super) convert: Convert,
}

impl Row {
    fn has(&self, operator: &[u8]) -> bool {
        self.names.iter().any(|name| name.as_bytes() == operator)
    }
}

/// Declares the operators of a family: `"Name", "Alias" => converter, "operators of Relax", "what is not supported";`.
macro_rules! rows {
    ($($($name:literal),+ => $convert:expr, $relax:literal $(, $unsupported:literal)?;)*) => {
        pub(super) static ROWS: &[super::Row] = &[$(super::Row {
            names: &[$($name),+],
            relax: $relax,
            unsupported: concat!($($unsupported)?),
            convert: $convert,
        }),*];
    };
}
use rows;

static FAMILIES: &[&[Row]] = &[
    convolution::ROWS,
    create::ROWS,
    elementwise::ROWS,
    flow::ROWS,
    index::ROWS,
    join::ROWS,
    linear::ROWS,
    list::ROWS,
    merge::ROWS,
    nn::ROWS,
    reduce::ROWS,
    shape::ROWS,
    slice::ROWS,
    split::ROWS,
    space::ROWS,
    unique::ROWS,
    solve::ROWS,
    window::ROWS,
    special::ROWS,
    segment::ROWS,
    resample::ROWS,
    quantize::ROWS,
    loss::ROWS,
    diagonal::ROWS,
    detection::ROWS,
    color::ROWS,
];

fn all_rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// The row of an operator.
pub(super) fn find(operator: &[u8]) -> Option<&'static Row> {
    all_rows().find(|row| row.has(operator))
}

/// Returns `true` for operators of control flow of version 1.
pub(super) fn is_control_flow(operator: &[u8]) -> bool {
    merge::ROWS.iter().any(|row| row.has(operator))
}

/// Returns `true` for operators on lists of tensors.
pub(super) fn is_of_lists(operator: &[u8]) -> bool {
    list::ROWS.iter().any(|row| row.has(operator))
}

/// The documentation of all operators, in order of their names.
pub(super) fn docs() -> Vec<OperatorDoc> {
    let of_row = |row: &'static Row| {
        row.names.iter().map(move |name| OperatorDoc::plain(name, row.relax, row.unsupported))
    };
    OperatorDoc::sorted(all_rows().flat_map(of_row))
}

/// Returns `true` for operators that call functions; their nodes are checked even if an operand has failed.
pub(super) fn is_call(operator: &[u8]) -> bool {
    flow::ROWS.iter().any(|row| row.has(operator)) || operator == b"Merge"
}

/// Returns `true` for operators that have no results.
pub(super) fn makes_nothing(operator: &[u8]) -> bool {
    matches!(operator, b"NoOp" | b"Assert" | b"PrintV2")
}

/// A function of the model that is called like an operator.
pub(super) fn call_by_name(cx: &mut Node<'_, '_>) -> Converted {
    let name = cx.proto.op.as_ref();
    flow::call(cx, name)
}

/// An opaque call in place of an operator without a converter. Its only result counts.
pub(super) fn stub(cx: &mut Node<'_, '_>) -> Converted {
    let name = format!("tf.{}", text(&cx.proto.op));
    let dtype = cx.dtype_attr("T").ok().flatten().unwrap_or(tvmscript_ir_core::DataType::VOID);
    let result = TensorStructInfo::of_rank(-1, dtype, None).upcast();
    Ok(opaque(name, cx.inputs(0..cx.count())?, [result]).into())
}

/// Checks that an attribute has one of the supported values.
fn only(attribute: &str, found: Option<String>, supported: &[&str]) -> Result<String, Reason> {
    let default = supported.first().copied().unwrap_or_default().to_owned();
    let found = found.filter(|found| !found.is_empty()).unwrap_or(default);
    match supported.contains(&found.as_str()) {
        true => Ok(found),
        false => Err(Reason(format!("`{attribute}` is `{found}`; supported: {}", supported.join(", ")))),
    }
}
