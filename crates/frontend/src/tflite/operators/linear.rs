//! Products of matrices.

use tvmscript_relax::Expr;
use tvmscript_relax::op::linear_algebra::matmul;
use tvmscript_relax::op::shape::{broadcast_to, permute_dims};

use super::super::node::{Converted, Node, quantization};
use super::super::schema::{BatchMatMul, FullyConnected};
use super::activation::{count_of, fused_after};
use super::conv::biased;
use super::rows;
use crate::error::Reason;
use crate::ops::{ints, reshape, shape};

rows! {
    "BATCH_MATMUL": Real batch_matmul => "broadcast_to, reshape, permute_dims, matmul";
    "FULLY_CONNECTED": Stored fully_connected => "permute_dims, matmul, add", "shuffled weights";
}

fn fully_connected(cx: &mut Node<'_, '_>) -> Converted {
    use FullyConnected as Field;
    if cx.choice(Field::WeightsFormat)? != 0 {
        return Err("weights in the shuffled format are not supported".into());
    }
    let keeps_axes = cx.flag(Field::KeepNumDims)?;
    let lengths = cx.shape(0)?;
    let [units, depth] = cx.lengths(1)?;
    let mut x = cx.stored(0)?;
    let weights = permute_dims(cx.stored(1)?, Some(ints(&[1, 0]))).upcast();
    let scales = [quantization(cx.tensor(0)?), quantization(cx.tensor(1)?)];
    if let [Some(scales), _] = scales {
        x = cx.dequantized(x, scales, scales.axis)?;
    }
    let weights = match scales {
        [data, Some(scales)] => {
            if data.is_none() {
                cx.warn(
                    "TFLite quantizes the operand, too, while it runs; here only the weights are quantized",
                );
            }
            cx.dequantized(weights, scales, 1)?
        }
        _ => weights,
    };
    // Other operands are rows of the weights' length.
    if lengths.last() != Some(&depth) || !keeps_axes && lengths.len() != 2 {
        let rows = count_of(&lengths)?.checked_div(depth).unwrap_or(0);
        x = reshape(x, shape(&[rows, depth]))?.upcast();
    }
    let out = matmul(x, weights, None).upcast();
    let out = biased(cx, out, 2, 0)?;
    let activation = cx.choice(Field::FusedActivationFunction)?;
    let out = fused_after(cx, out, activation)?;
    if !keeps_axes {
        return Ok(out.into());
    }
    let rows = lengths.split_last().map(|(_, rows)| rows).unwrap_or_default();
    let lengths: Vec<i64> = rows.iter().copied().chain([units]).collect();
    Ok(reshape(out, shape(&lengths))?.into())
}

/// The axes before the last two.
fn batch(lengths: &[i64]) -> Result<(&[i64], [i64; 2]), Reason> {
    match lengths {
        [batch @ .., rows, columns] => Ok((batch, [*rows, *columns])),
        _ => Err("needs operands of at least two axes".into()),
    }
}

/// The batches of two operands, broadcast.
fn common_batch(a: &[i64], b: &[i64]) -> Vec<i64> {
    let rank = a.len().max(b.len());
    let at = |lengths: &[i64], axis: usize| match (axis + lengths.len()).checked_sub(rank) {
        Some(axis) => lengths.get(axis).copied().unwrap_or(1),
        None => 1,
    };
    (0..rank).map(|axis| at(a, axis).max(at(b, axis))).collect()
}

fn batch_matmul(cx: &mut Node<'_, '_>) -> Converted {
    let transposes = [cx.flag(BatchMatMul::AdjX)?, cx.flag(BatchMatMul::AdjY)?];
    let (a, b) = (cx.shape(0)?, cx.shape(1)?);
    let ((batch_a, [rows_a, columns_a]), (batch_b, [rows_b, columns_b])) = (batch(&a)?, batch(&b)?);
    let operands = [cx.input(0)?, cx.input(1)?];
    if batch_a.is_empty() && batch_b.is_empty() {
        let [x, y] = operands;
        let turned = |x: Expr, turns| if turns { permute_dims(x, None).upcast() } else { x };
        let (x, y) = (turned(x, transposes[0]), turned(y, transposes[1]));
        return Ok(matmul(x, y, None).into());
    }
    let common = common_batch(batch_a, batch_b);
    let count = count_of(&common)?;
    let flattened = |x: Expr, lengths: &[i64], matrix: [i64; 2], transposes: bool| {
        let full: Vec<i64> = common.iter().copied().chain(matrix).collect();
        let x = if lengths == full { x } else { broadcast_to(x, shape(&full)).upcast() };
        let x = match common.len() {
            1 => x,
            _ => reshape(x, shape(&[count, matrix[0], matrix[1]]))?.upcast(),
        };
        Ok::<Expr, Reason>(if transposes { permute_dims(x, Some(ints(&[0, 2, 1]))).upcast() } else { x })
    };
    let [x, y] = operands;
    let x = flattened(x, &a, [rows_a, columns_a], transposes[0]);
    let y = flattened(y, &b, [rows_b, columns_b], transposes[1]);
    let product = matmul(x?, y?, None);
    let rows = if transposes[0] { columns_a } else { rows_a };
    let columns = if transposes[1] { rows_b } else { columns_b };
    let lengths: Vec<i64> = common.iter().copied().chain([rows, columns]).collect();
    Ok(reshape(product.upcast(), shape(&lengths))?.into())
}
