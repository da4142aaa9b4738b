//! The converters of PyTorch's operators: one row each, in the file of its family.

mod activation;
mod create;
mod elementwise;
mod flow;
mod image;
mod index;
mod linear;
mod nn;
mod norm;
mod promote;
mod recurrent;
mod reduce;
mod regions;
mod scatter;
mod search;
mod shape;
mod split;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use tvmscript_relax::{ObjectStructInfo, TensorStructInfo, TupleStructInfo};

use super::argument::Argument;
use super::node::Node;
use super::program::Results;
use super::value::{Converted, Value};
use crate::operators::OperatorDoc;
use crate::ops::opaque;

/// A converter.
pub(super) type Convert = fn(&mut Node<'_, '_>) -> Converted;

/// Operators with their converter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    names: &'static [&'static str],
    relax: &'static str,
    unsupported: &'static str,
    convert: Convert,
}

/// Declares the operators of a family, whose names begin with a namespace: `"name", .. => "operators of Relax", converter;`,
/// with `("unsupported forms")` after the operators of Relax.
macro_rules! rows {
    ($namespace:literal: $($($name:literal),+ => $relax:literal $(($unsupported:literal))?, $convert:expr;)*) => {
        pub(super) static ROWS: &[super::Row] = &[$(super::Row {
            names: &[$(concat!($namespace, $name)),+],
            relax: $relax,
            unsupported: concat!($($unsupported)?),
            convert: $convert,
        }),*];
    };
}
use rows;

static FAMILIES: &[&[Row]] = &[
    activation::ROWS,
    create::ROWS,
    elementwise::ROWS,
    flow::ROWS,
    image::ROWS,
    index::ROWS,
    linear::ROWS,
    nn::ROWS,
    norm::ROWS,
    recurrent::ROWS,
    reduce::ROWS,
    regions::ROWS,
    scatter::ROWS,
    search::ROWS,
    shape::ROWS,
    split::ROWS,
];

static BY_NAME: LazyLock<HashMap<&'static str, Convert>> =
    LazyLock::new(|| all_rows().flat_map(|row| row.names.iter().map(|name| (*name, row.convert))).collect());

fn all_rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// The converter of an operator. One that writes to its operand has that of the operator that does not.
pub(super) fn find(operator: &str) -> Option<Convert> {
    let known = |name: &str| BY_NAME.get(name).copied();
    known(operator).or_else(|| known(&without_underscore(operator)?))
}

/// `aten.add_.Tensor` is `aten.add.Tensor`.
fn without_underscore(operator: &str) -> Option<Cow<'_, str>> {
    let (rest, overload) = operator.rsplit_once('.')?;
    Some(Cow::Owned(format!("{}.{overload}", rest.strip_suffix('_')?)))
}

/// The documentation of all operators, in order of their names.
pub(super) fn docs() -> Vec<OperatorDoc> {
    let of_row = |row: &'static Row| {
        row.names.iter().map(move |name| OperatorDoc::plain(name, row.relax, row.unsupported))
    };
    OperatorDoc::sorted(all_rows().flat_map(of_row))
}

/// An opaque call in place of an operator without a converter.
pub(super) fn stub(cx: &mut Node<'_, '_>) -> Converted {
    let result = match cx.proto.results() {
        Results::One(_) => TensorStructInfo::of_rank(-1, tvmscript_ir_core::DataType::VOID, None).upcast(),
        Results::Fields(fields) => TupleStructInfo::new(fields.iter().map(|_| ObjectStructInfo::new())),
    };
    let mut args = Vec::new();
    let proto = cx.proto;
    for input in &proto.inputs {
        if matches!(input.arg, Argument::Name(_) | Argument::List(_)) {
            let value = cx.importer.resolved(&input.arg)?;
            let mut found = Vec::new();
            value.expressions(&mut found);
            args.extend(found.into_iter().cloned());
        }
    }
    cx.result(opaque(format!("torch.{}", proto.operator()), args, [result]))
}

/// A converter without a result.
pub(super) fn nothing(_: &mut Node<'_, '_>) -> Converted {
    Ok(Value::None)
}

/// The first operand.
pub(super) fn operand(cx: &mut Node<'_, '_>) -> Converted {
    cx.needed(0, "self")
}
