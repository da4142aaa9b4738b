//! The converters of TensorFlow's operators: one row each, in the file of its family.

mod convolution;
mod create;
mod elementwise;
mod flow;
mod index;
mod join;
mod linear;
mod nn;
mod reduce;
mod shape;
mod slice;
mod space;

use tvmscript_relax::op::call::CALL_PURE_PACKED;
use tvmscript_relax::{ExternFunc, TensorStructInfo};

use super::names::text;
use super::node::{Converted, Node};
use crate::error::Reason;
use crate::operators::OperatorDoc;

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
    nn::ROWS,
    reduce::ROWS,
    shape::ROWS,
    slice::ROWS,
    space::ROWS,
];

/// The row of an operator.
pub(super) fn find(operator: &[u8]) -> Option<&'static Row> {
    let mut rows = FAMILIES.iter().flat_map(|family| family.iter());
    rows.find(|row| row.names.iter().any(|name| name.as_bytes() == operator))
}

/// The documentation of all operators, in order of their names.
pub(super) fn docs() -> Vec<OperatorDoc> {
    let rows = FAMILIES.iter().flat_map(|family| family.iter());
    let mut docs: Vec<OperatorDoc> = rows
        .flat_map(|row| {
            let Row { names, relax, unsupported, .. } = *row;
            names.iter().map(move |name| OperatorDoc { name, domain: "", versions: &[], relax, unsupported })
        })
        .collect();
    docs.sort_by_key(|doc| doc.name);
    docs
}

/// Returns `true` for operators that call functions; their nodes are checked even if an operand has failed.
pub(super) fn is_call(operator: &[u8]) -> bool {
    let names = flow::ROWS.iter().flat_map(|row| row.names.iter());
    names.clone().any(|name| name.as_bytes() == operator)
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
    let callee = ExternFunc::new(name, None).upcast();
    let dtype = cx.dtype_attr("T").ok().flatten().unwrap_or(tvmscript_ir_core::DataType::VOID);
    let info = TensorStructInfo::of_rank(-1, dtype, None).upcast();
    let inputs = cx.inputs(0..cx.count())?;
    Ok(CALL_PURE_PACKED.call_stated(None, std::iter::once(callee).chain(inputs), [info]).into())
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
