//! The converters of ONNX's operators: one row each, in the file of its family.

mod activation;
mod attention;
mod attention_microsoft;
mod cast;
mod conv;
mod create;
mod elementwise;
mod flow;
mod image;
mod index;
mod join;
mod linear;
mod norm;
mod pool;
mod quantize;
mod reduce;
mod reduce_runtime;
mod resize;
mod runtime;
mod scalar;
mod sequence;
mod shape;
mod signal;
mod variadic;

pub(super) use runtime::is_shape;
pub(super) use scalar::as_tensor;

use super::name::text;
use super::node::{Converted, Node};
use crate::operators::OperatorDoc;
use crate::ops::opaque;

/// A converter.
pub(super) type Convert = fn(&mut Node<'_, '_>) -> Converted;

/// An operator with its converters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    doc: OperatorDoc,
    /// One converter for each of the documented versions.
    converters: &'static [Convert],
}

impl Row {
    /// The converter for a version of the operator set: the newest one that is not newer; the oldest if all are.
    pub(super) fn converter(&self, opset: i64) -> Convert {
        let newest = self.doc.versions.iter().rposition(|version| *version <= opset);
        self.converters.get(newest.unwrap_or(0)).copied().unwrap_or(stub)
    }
}

/// Declares the operators of a family: `"Name" { version: converter, .. } => "operators of Relax", "what is unsupported";`,
/// with `in "domain"` after the name for operators of other sets than ONNX's.
macro_rules! rows {
    ($($name:literal $(in $domain:literal)? { $($version:literal: $convert:expr),+ } => $relax:literal $(, $unsupported:literal)?;)*) => {
        pub(super) static ROWS: &[super::Row] = &[$(super::Row {
            doc: $crate::operators::OperatorDoc {
                name: $name,
                domain: concat!($($domain)?),
                versions: &[$($version),+],
                relax: $relax,
                unsupported: concat!($($unsupported)?),
            },
            converters: &[$($convert),+],
        }),*];
    };
}
use rows;

static FAMILIES: &[&[Row]] = &[
    activation::ROWS,
    attention::ROWS,
    attention_microsoft::ROWS,
    cast::ROWS,
    conv::ROWS,
    create::ROWS,
    elementwise::ROWS,
    flow::ROWS,
    image::ROWS,
    index::ROWS,
    join::ROWS,
    linear::ROWS,
    norm::ROWS,
    pool::ROWS,
    quantize::ROWS,
    reduce::ROWS,
    resize::ROWS,
    sequence::ROWS,
    shape::ROWS,
    signal::ROWS,
    variadic::ROWS,
];

fn all_rows() -> impl Iterator<Item = &'static Row> + Clone {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// The domain of Microsoft's operators.
const MICROSOFT: &str = "com.microsoft";

/// The row of an operator. Operators of unknown domains have none; Microsoft's may also be called without a domain.
pub(super) fn find(operator: &str, domain: &str) -> Option<&'static Row> {
    let is_known = matches!(domain, "" | "ai.onnx" | MICROSOFT);
    let mut named = all_rows().filter(|row| row.doc.name == operator && is_known);
    let first = named
        .clone()
        .find(|row| row.doc.domain == domain || domain == "ai.onnx" && row.doc.domain.is_empty());
    first.or_else(|| named.next())
}

/// The documentation of all operators, in order of their names.
pub(super) fn docs() -> Vec<OperatorDoc> {
    OperatorDoc::sorted(all_rows().map(|row| row.doc))
}

/// An opaque call in place of an operator without a converter.
pub(super) fn stub(cx: &mut Node<'_, '_>) -> Converted {
    let name = format!("onnx.{}", text(&cx.proto.op_type));
    let results: Vec<_> = (0..cx.output_count()).map(|index| cx.declared(index)).collect();
    Ok(opaque(name, cx.all(), results).into())
}
