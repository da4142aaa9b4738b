//! The converters of TFLite's operators: one row each, in the file of its family.

mod activation;
mod complex;
mod conv;
mod create;
mod detection;
mod elementwise;
mod flow;
mod index;
mod linear;
mod pool;
mod quantized;
mod random;
mod recurrent;
mod reduce;
mod shape;
mod slice;
mod stablehlo;
mod stablehlo_index;
mod vision;

use super::model::Operator;
use super::node::{Converted, Node};
use super::schema::{Call, CallOnce, If, StablehloComposite, StablehloWhile, While};
use crate::error::Reason;
use crate::operators::OperatorDoc;
use crate::ops::opaque;

/// A converter.
type Convert = fn(&mut Node<'_, '_>) -> Converted;

/// The elements of quantized tensors that a converter works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Elements {
    /// Real ones: operands are dequantized before it, and results quantized after it.
    Real,
    /// Those that are stored.
    Stored,
    /// None: its operands are variables of the model, which have no value.
    Variable,
}

/// An operator with its converter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    doc: OperatorDoc,
    pub(super) elements: Elements,
    pub(super) convert: Convert,
}

/// Declares the operators of a family: `"NAME": Elements converter => "operators of Relax", "what is unsupported";`.
macro_rules! rows {
    ($($name:literal: $elements:ident $convert:expr => $relax:literal $(, $unsupported:literal)?;)*) => {
        pub(super) static ROWS: &[super::Row] = &[$(super::Row {
            doc: $crate::operators::OperatorDoc::plain($name, $relax, concat!($($unsupported)?)),
            elements: super::Elements::$elements,
            convert: $convert,
        }),*];
    };
}
use rows;

static FAMILIES: &[&[Row]] = &[
    activation::ROWS,
    complex::ROWS,
    conv::ROWS,
    create::ROWS,
    detection::ROWS,
    elementwise::ROWS,
    flow::ROWS,
    index::ROWS,
    linear::ROWS,
    pool::ROWS,
    quantized::ROWS,
    random::ROWS,
    recurrent::ROWS,
    reduce::ROWS,
    shape::ROWS,
    slice::ROWS,
    stablehlo::ROWS,
    stablehlo_index::ROWS,
    vision::ROWS,
];

fn all_rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// The row of an operator.
pub(super) fn find(operator: &str) -> Option<&'static Row> {
    all_rows().find(|row| row.doc.name == operator)
}

/// The documentation of all operators, in order of their names.
pub(super) fn docs() -> Vec<OperatorDoc> {
    OperatorDoc::sorted(all_rows().map(|row| row.doc))
}

/// The subgraphs whose operators become part of the module because of an operator.
pub(super) fn called_subgraphs(operator: &Operator<'_>) -> Vec<usize> {
    let fields: &[u16] = match operator.name.as_ref() {
        "IF" => &[If::ThenSubgraphIndex as u16, If::ElseSubgraphIndex as u16],
        "WHILE" => &[While::CondSubgraphIndex as u16, While::BodySubgraphIndex as u16],
        "STABLEHLO_WHILE" => {
            &[StablehloWhile::CondSubgraphIndex as u16, StablehloWhile::BodySubgraphIndex as u16]
        }
        "CALL" => &[Call::Subgraph as u16],
        "CALL_ONCE" => &[CallOnce::InitSubgraphIndex as u16],
        "STABLEHLO_COMPOSITE" => &[StablehloComposite::DecompositionSubgraphIndex as u16],
        _ => &[],
    };
    let index = |field: &u16| usize::try_from(operator.options?.scalar(*field, -1i32).ok()?).ok();
    fields.iter().filter_map(index).collect()
}

/// An opaque call in place of an operator without a converter.
pub(super) fn stub(cx: &mut Node<'_, '_>) -> Converted {
    let results = cx.operator.outputs.iter().map(|index| cx.importer.type_of(*index));
    let results = results.collect::<Result<Vec<_>, Reason>>()?;
    Ok(opaque(format!("tflite.{}", cx.operator.name), cx.all()?, results).into())
}
