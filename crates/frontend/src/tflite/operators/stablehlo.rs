//! Operators of StableHLO: elementwise ones, shapes, products and control flow.

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_relax::op::create::arange;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::op::linear_algebra::matmul;
use tvmscript_relax::op::nn::conv::conv2d;
use tvmscript_relax::op::nn::resample::pad;
use tvmscript_relax::op::shape::{broadcast_to, permute_dims};
use tvmscript_relax::{Call, Expr};

use super::super::node::{Converted, Node, dtype_of};
use super::super::schema::{
    StablehloBroadcastInDim, StablehloCompare, StablehloComposite, StablehloConcatenate,
    StablehloConvolution, StablehloCustomCall, StablehloDotGeneral, StablehloIota, StablehloPad,
    StablehloSlice, StablehloTranspose, StablehloWhile,
};
use super::elementwise::{binary, unary};
use super::rows;
use super::shape::joined;
use super::slice::sliced;
use crate::error::Reason;
use crate::ops::{int_operand, int64s, ints, number, reshape, shape};

rows! {
    "STABLEHLO_ABS": Stored |cx| unary(cx, op::abs) => "abs";
    "STABLEHLO_ADD": Stored |cx| binary(cx, op::add) => "add";
    "STABLEHLO_AND": Stored |cx| bits(cx, op::logical_and, op::bitwise_and) => "logical_and, bitwise_and";
    "STABLEHLO_BROADCAST_IN_DIM": Stored broadcast => "reshape, broadcast_to";
    "STABLEHLO_CBRT": Stored cube_root => "less, negative, power, where";
    "STABLEHLO_CLAMP": Stored clamp => "maximum, minimum";
    "STABLEHLO_COMPARE": Stored compare => "equal, not_equal, less, ...", "the total order of floating-point numbers";
    "STABLEHLO_COMPOSITE": Stored |cx| {
        let subgraph = cx.subgraph(StablehloComposite::DecompositionSubgraphIndex)?;
        let inputs = cx.all()?;
        let mut results = cx.importer.inlined(subgraph, inputs)?;
        Ok(match results.len() {
            1 => results.swap_remove(0).into(),
            _ => results.into(),
        })
    } => "the operators of the subgraph";
    "STABLEHLO_CONCATENATE": Stored |cx| {
        let axis = cx.long(StablehloConcatenate::Dimension, 0)?;
        Ok(joined(cx.all()?, axis).into())
    } => "concat";
    "STABLEHLO_CONVERT": Stored |cx| Ok(astype(cx.input(0)?, cx.output_dtype(0)?).into()) => "astype";
    "STABLEHLO_CONVOLUTION": Stored convolution => "nn.conv2d", "other layouts than NHWC and HWIO, groups, dilated data";
    "STABLEHLO_COSINE": Stored |cx| unary(cx, op::cos) => "cos";
    "STABLEHLO_CUSTOM_CALL": Stored |cx| match cx.text(StablehloCustomCall::CallTargetName)?.as_str() {
        "Sharding" => Ok(cx.input(0)?.into()),
        target => Err(Reason(format!("the target `{target}` is not supported"))),
    } => "the operand", "other targets than `Sharding`";
    "STABLEHLO_DIVIDE": Stored |cx| binary(cx, op::divide) => "divide";
    "STABLEHLO_DOT_GENERAL": Stored dot => "matmul", "batches, other axes than those of a product of matrices";
    "STABLEHLO_EXPONENTIAL": Stored |cx| unary(cx, op::exp) => "exp";
    "STABLEHLO_FLOOR": Stored |cx| unary(cx, op::floor) => "floor";
    "STABLEHLO_IOTA": Stored iota => "arange, reshape, broadcast_to";
    "STABLEHLO_LOG": Stored |cx| unary(cx, op::log) => "log";
    "STABLEHLO_LOGISTIC": Stored |cx| unary(cx, op::sigmoid) => "sigmoid";
    "STABLEHLO_MAXIMUM": Stored |cx| binary(cx, op::maximum) => "maximum";
    "STABLEHLO_MINIMUM": Stored |cx| binary(cx, op::minimum) => "minimum";
    "STABLEHLO_MULTIPLY": Stored |cx| binary(cx, op::multiply) => "multiply";
    "STABLEHLO_NEGATE": Stored |cx| unary(cx, op::negative) => "negative";
    "STABLEHLO_OR": Stored |cx| bits(cx, op::logical_or, op::bitwise_or) => "logical_or, bitwise_or";
    "STABLEHLO_PAD": Stored padded => "nn.pad", "padding between elements, negative padding";
    "STABLEHLO_POWER": Stored |cx| binary(cx, op::power) => "power";
    "STABLEHLO_REMAINDER": Stored remainder => "divide, trunc, multiply, subtract", "integers";
    "STABLEHLO_RESHAPE": Stored |cx| {
        let dims = cx.output(0)?.dims();
        Ok(reshape(cx.input(0)?, shape(&dims))?.into())
    } => "reshape";
    "STABLEHLO_RSQRT": Stored |cx| unary(cx, op::rsqrt) => "rsqrt";
    "STABLEHLO_SELECT": Stored |cx| {
        let (condition, x, y) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
        Ok(op::where_(condition, x, y).into())
    } => "where";
    "STABLEHLO_SHIFT_LEFT": Stored |cx| binary(cx, op::left_shift) => "left_shift";
    "STABLEHLO_SLICE": Stored |cx| {
        let begin = list(cx, StablehloSlice::StartIndices)?;
        let (end, strides) = (list(cx, StablehloSlice::LimitIndices)?, list(cx, StablehloSlice::Strides)?);
        let axes: Vec<i64> = (0..begin.len() as i64).collect();
        Ok(sliced(cx.input(0)?, &axes, &begin, &end, Some(&strides)).into())
    } => "strided_slice";
    "STABLEHLO_SUBTRACT": Stored |cx| binary(cx, op::subtract) => "subtract";
    "STABLEHLO_TANH": Stored |cx| unary(cx, op::tanh) => "tanh";
    "STABLEHLO_TRANSPOSE": Stored |cx| {
        let axes = list(cx, StablehloTranspose::Permutation)?;
        Ok(permute_dims(cx.input(0)?, Some(ints(&axes))).into())
    } => "permute_dims";
    "STABLEHLO_WHILE": Stored |cx| {
        let parts = [
            cx.subgraph(StablehloWhile::CondSubgraphIndex)?,
            cx.subgraph(StablehloWhile::BodySubgraphIndex)?,
        ];
        super::flow::repeated(cx, parts, "stablehlo_while")
    } => "a private function that calls itself";
}

/// A list of integers of the options.
pub(super) fn list(cx: &Node<'_, '_>, field: impl Into<u16>) -> Result<Vec<i64>, Reason> {
    Ok(cx.list::<i64>(field)?.unwrap_or_default())
}

/// A list of integers of the options, by default as many of the same.
pub(super) fn list_or(
    cx: &Node<'_, '_>,
    field: impl Into<u16>,
    default: i64,
    count: usize,
) -> Result<Vec<i64>, Reason> {
    let list = cx.list::<i64>(field)?.filter(|list| !list.is_empty());
    let list = list.unwrap_or_else(|| vec![default; count]);
    match list.len() == count {
        true => Ok(list),
        false => Err(Reason(format!("expected {count} numbers in the options, found {}", list.len()))),
    }
}

type Binary = fn(Expr, Expr) -> Ref<Call>;

fn bits(cx: &mut Node<'_, '_>, of_bools: Binary, of_ints: Binary) -> Converted {
    match dtype_of(cx.tensor(0)?)? {
        DataType::BOOL => binary(cx, of_bools),
        dtype if tvmscript_ir_core::arithmetic::is_float(dtype) => Err("needs bools or integers".into()),
        _ => binary(cx, of_ints),
    }
}

fn broadcast(cx: &mut Node<'_, '_>) -> Converted {
    let places = list(cx, StablehloBroadcastInDim::BroadcastDimensions)?;
    let (lengths, results) = (cx.shape(0)?, cx.output(0)?.dims());
    let mut spread = vec![1; results.len()];
    for (place, length) in places.iter().zip(lengths) {
        let target = usize::try_from(*place).ok().and_then(|place| spread.get_mut(place));
        *target.ok_or_else(|| Reason(format!("the result has no axis {place}")))? = length;
    }
    let x = reshape(cx.input(0)?, shape(&spread))?;
    Ok(broadcast_to(x.upcast(), shape(&results)).into())
}

/// The element type of the first operand, which must be one of floating-point numbers.
fn float_dtype(cx: &Node<'_, '_>) -> Result<DataType, Reason> {
    let dtype = dtype_of(cx.tensor(0)?)?;
    match tvmscript_ir_core::arithmetic::is_float(dtype) {
        true => Ok(dtype),
        false => Err(Reason(format!("elements of `{dtype}` are not supported"))),
    }
}

fn cube_root(cx: &mut Node<'_, '_>) -> Converted {
    let dtype = float_dtype(cx)?;
    let x = cx.input(0)?;
    let third = number(dtype, 1.0 / 3.0);
    let is_negative = op::less(x.clone(), number(dtype, 0.0)).upcast();
    // The root of the opposite number is bound first, as in TVM's importer.
    let root = cx.normalize(op::power(op::negative(x.clone()).upcast(), third.clone()))?;
    let root = cx.normalize(op::negative(root))?;
    Ok(op::where_(is_negative, root, op::power(x, third).upcast()).into())
}

/// The operands are the lower bound, the value and the upper bound.
fn clamp(cx: &mut Node<'_, '_>) -> Converted {
    let (low, x, high) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
    Ok(op::minimum(op::maximum(x, low).upcast(), high).into())
}

fn compare(cx: &mut Node<'_, '_>) -> Converted {
    if cx.int(StablehloCompare::CompareType, 0)? == 2 {
        return Err("the total order of floating-point numbers is not supported".into());
    }
    let op: Binary = match cx.int(StablehloCompare::ComparisonDirection, 0)? {
        0 => op::equal,
        1 => op::not_equal,
        2 => op::greater_equal,
        3 => op::greater,
        4 => op::less_equal,
        5 => op::less,
        number => return Err(Reason(format!("the comparison number {number} is not supported"))),
    };
    binary(cx, op)
}

fn remainder(cx: &mut Node<'_, '_>) -> Converted {
    float_dtype(cx)?;
    let (a, b) = (cx.input(0)?, cx.input(1)?);
    let whole = op::trunc(op::divide(a.clone(), b.clone()).upcast());
    Ok(op::subtract(a, op::multiply(b, whole.upcast()).upcast()).into())
}

fn iota(cx: &mut Node<'_, '_>) -> Converted {
    let axis = cx.long(StablehloIota::IotaDimension, 0)?;
    let lengths = cx.output(0)?.dims();
    let axis = crate::ops::axis(axis, lengths.len())?;
    let length = lengths.get(axis).copied().unwrap_or(0);
    let line = arange(int_operand(0), Some(int_operand(length)), int_operand(1), Some(cx.output_dtype(0)?));
    let mut spread = vec![1; lengths.len()];
    if let Some(at) = spread.get_mut(axis) {
        *at = length;
    }
    let line = reshape(line.upcast(), shape(&spread))?;
    Ok(broadcast_to(line.upcast(), shape(&lengths)).into())
}

fn padded(cx: &mut Node<'_, '_>) -> Converted {
    let (low, high) = (list(cx, StablehloPad::EdgePaddingLow)?, list(cx, StablehloPad::EdgePaddingHigh)?);
    let inner = list(cx, StablehloPad::InteriorPadding)?;
    if inner.iter().any(|count| *count != 0) || low.iter().chain(&high).any(|count| *count < 0) {
        return Err("padding between elements and negative padding are not supported".into());
    }
    let widths: Vec<i64> = low.iter().zip(&high).flat_map(|(low, high)| [*low, *high]).collect();
    let value = cx.single_number(1, "the value")?;
    Ok(pad(cx.input(0)?, ints(&widths), "constant".into(), value).into())
}

fn dot(cx: &mut Node<'_, '_>) -> Converted {
    use StablehloDotGeneral as Field;
    let [_, _] = cx.lengths(0)?;
    let [_, _] = cx.lengths(1)?;
    let batches = [list(cx, Field::LhsBatchingDimensions)?, list(cx, Field::RhsBatchingDimensions)?];
    let contracted = [list(cx, Field::LhsContractingDimensions)?, list(cx, Field::RhsContractingDimensions)?];
    if batches.iter().any(|axes| !axes.is_empty()) || contracted != [[1], [0]] {
        return Err("only products of matrices are supported".into());
    }
    Ok(matmul(cx.input(0)?, cx.input(1)?, None).into())
}

fn convolution(cx: &mut Node<'_, '_>) -> Converted {
    use StablehloConvolution as Field;
    let places = [
        (Field::InputSpatialDimensions, [1, 2]),
        (Field::KernelSpatialDimensions, [0, 1]),
        (Field::OutputSpatialDimensions, [1, 2]),
    ];
    let mut is_plain = true;
    for (field, expected) in places {
        is_plain &= list(cx, field)? == expected;
    }
    let axes = [
        (Field::InputBatchDimension, 0),
        (Field::InputFeatureDimension, 3),
        (Field::KernelInputFeatureDimension, 2),
        (Field::KernelOutputFeatureDimension, 3),
        (Field::OutputBatchDimension, 0),
        (Field::OutputFeatureDimension, 3),
    ];
    for (field, expected) in axes {
        is_plain &= cx.long(field, 0)? == expected;
    }
    is_plain &= cx.long(Field::BatchGroupCount, 0)? == 1 && cx.long(Field::FeatureGroupCount, 0)? == 1;
    is_plain &= list_or(cx, Field::LhsDilation, 1, 2)? == [1, 1];
    is_plain &= cx.list::<u8>(Field::WindowReversal)?.unwrap_or_default().iter().all(|flag| *flag == 0);
    if !is_plain {
        return Err("only convolutions of NHWC data and HWIO kernels without groups are supported".into());
    }
    let strides = list_or(cx, Field::WindowStrides, 1, 2)?;
    let dilation = list_or(cx, Field::RhsDilation, 1, 2)?;
    let [top, bottom, left, right] = list_or(cx, Field::Padding, 0, 4)?[..] else {
        return Err("the padding must be four numbers".into());
    };
    let padding = int64s(&[top, left, bottom, right]);
    let (x, kernel) = (cx.input(0)?, cx.input(1)?);
    let (strides, dilation) = (int64s(&strides), int64s(&dilation));
    Ok(conv2d(x, kernel, strides, padding, dilation, 1, "NHWC".into(), "HWIO".into(), None, None).into())
}
