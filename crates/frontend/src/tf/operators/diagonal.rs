//! Diagonals of matrices: as matrices, as vectors, and in place of others.

use tvmscript_ir_core::DataType;
use tvmscript_prim::{IntImm, ops::int_value};
use tvmscript_relax::evaluate::{MAX_ELEMENTS, Tensor};
use tvmscript_relax::op::elementwise::where_;
use tvmscript_relax::op::index::take;
use tvmscript_relax::{Constant, Expr};

use super::super::node::{Converted, Node};
use super::{only, rows};
use crate::error::Reason;
use crate::ops::{self, dtype_of, number};

rows! {
    "Diag" => |cx| {
        let x = cx.input(0)?;
        let lengths = ops::lengths(&x)?;
        let count = lengths.iter().try_fold(1i64, |all, length| all.checked_mul(*length));
        let count = count.ok_or_else(|| Reason::from("the operand is too large"))?;
        let flat = cx.step(ops::reshape(x, ops::shape(&[count]))?)?;
        let zero = number(dtype_of(&flat), 0.0);
        let matrix = to_matrix(cx, flat, [count, count], Band::MAIN, zero)?;
        let shape: Vec<i64> = lengths.iter().chain(&lengths).copied().collect();
        Ok(ops::reshape(matrix, ops::shape(&shape))?.into())
    }, "reshape, take, where", "shapes that are not constant";
    "DiagPart" => |cx| {
        let x = cx.input(0)?;
        let lengths = ops::lengths(&x)?;
        let half = lengths.get(..lengths.len() / 2).unwrap_or_default().to_vec();
        let count = half.iter().try_fold(1i64, |all, length| all.checked_mul(*length));
        let count = count.ok_or_else(|| Reason::from("the operand is too large"))?;
        let matrix = cx.step(ops::reshape(x, ops::shape(&[count, count]))?)?;
        let part = to_vectors(cx, matrix, Band::MAIN, None)?;
        Ok(ops::reshape(part, ops::shape(&half))?.into())
    }, "reshape, take", "shapes that are not constant";
    "MatrixDiag", "MatrixDiagV2", "MatrixDiagV3" => matrix_of, "reshape, take, where",
        "diagonals, sizes and lengths that are not constant";
    "MatrixDiagPart", "MatrixDiagPartV2", "MatrixDiagPartV3" => |cx| {
        let x = cx.input(0)?;
        let band = Band::of(cx, 1)?;
        let padding = if cx.count() > 2 { Some(cx.input(2)?) } else { None };
        Ok(to_vectors(cx, x, band, padding)?.into())
    }, "reshape, take, where", "diagonals that are not constant; matrices of unknown size";
    "MatrixSetDiag", "MatrixSetDiagV2", "MatrixSetDiagV3" => |cx| {
        let [x, diagonals] = [cx.input(0)?, cx.input(1)?];
        let size = sides(&x)?;
        let band = Band::of(cx, 2)?;
        let batches = ops::rank(&x)?.saturating_sub(2);
        let diagonals = cx.agree_first(&x, diagonals, batches)?;
        Ok(to_matrix(cx, diagonals, size, band, x)?.into())
    }, "reshape, take, where", "diagonals that are not constant; matrices of unknown size";
}

/// Neighbouring diagonals, by their distances above the main one.
#[derive(Clone, Copy)]
struct Band {
    lowest: i64,
    highest: i64,
    /// Short diagonals above and on the main one stand at the end of their rows.
    upper_right: bool,
    /// Short diagonals below the main one do so.
    lower_right: bool,
}

impl Band {
    const MAIN: Band = Band { lowest: 0, highest: 0, upper_right: false, lower_right: false };

    /// The diagonals that an operand states.
    fn of(cx: &Node<'_, '_>, index: usize) -> Result<Band, Reason> {
        let bounds = if cx.count() > index { cx.ints(index, "the diagonals")? } else { vec![0] };
        let (lowest, highest) = match *bounds.as_slice() {
            [only] => (only, only),
            [lowest, highest] if lowest <= highest => (lowest, highest),
            _ => return Err("the diagonals must be one number, or two in order".into()),
        };
        if lowest < -(1 << 24) || highest > 1 << 24 {
            return Err("the diagonals are out of range".into());
        }
        // Version 2 has no attribute, and aligns to the left.
        let has_attribute = cx.proto.op.ends_with(b"V3");
        let align = match has_attribute {
            true => only(
                "align",
                cx.text_attr("align"),
                &["RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"],
            )?,
            false => "LEFT_LEFT".to_owned(),
        };
        let (upper_right, lower_right) = (align.starts_with("RIGHT"), align.ends_with("RIGHT"));
        Ok(Band { lowest, highest, upper_right, lower_right })
    }

    fn count(self) -> i64 {
        self.highest - self.lowest + 1
    }

    /// The length of a diagonal of a matrix.
    fn length([rows, columns]: [i64; 2], diagonal: i64) -> i64 {
        (rows + diagonal.min(0)).min(columns - diagonal.max(0)).max(0)
    }

    fn longest(self, size: [i64; 2]) -> i64 {
        (self.lowest..=self.highest).map(|diagonal| Band::length(size, diagonal)).max().unwrap_or(0)
    }

    /// Number of places before a diagonal in its row of this length.
    fn offset(self, size: [i64; 2], diagonal: i64, row: i64) -> i64 {
        let is_right = if diagonal >= 0 { self.upper_right } else { self.lower_right };
        if is_right { row - Band::length(size, diagonal) } else { 0 }
    }
}

/// The lengths of the last two axes.
fn sides(x: &Expr) -> Result<[i64; 2], Reason> {
    match ops::dims(x)?.as_slice() {
        [.., rows, columns] => int_value(rows).zip(int_value(columns)).map(Into::into),
        _ => None,
    }
    .ok_or_else(|| "needs matrices of known size".into())
}

/// The tensor with its last axes as one, of a length.
fn flat(cx: &mut Node<'_, '_>, x: Expr, axes: usize, length: i64) -> Result<Expr, Reason> {
    let dims = ops::dims(&x)?;
    let kept = dims.len().checked_sub(axes).and_then(|kept| dims.get(..kept));
    let kept = kept.ok_or_else(|| Reason::from("has too few axes"))?.to_vec();
    cx.step(ops::reshape(x, ops::shape_of(kept.into_iter().chain([IntImm::int64(length)])))?)
}

/// Elements at positions of the last axis; where there is none, those of another tensor.
fn placed(
    cx: &mut Node<'_, '_>,
    x: Expr,
    shape: Vec<i64>,
    positions: Vec<Option<i64>>,
    other: Option<Expr>,
) -> Result<Expr, Reason> {
    let shape: Vec<usize> = shape.iter().map(|length| usize::try_from(*length).unwrap_or(0)).collect();
    let constant =
        |dtype, values: Vec<i128>| Constant::new(Tensor::of_ints(dtype, shape.clone(), values).encode());
    let has = positions.iter().map(|position| i128::from(position.is_some())).collect();
    let is_full = positions.iter().all(Option::is_some);
    let at = positions.iter().map(|position| i128::from(position.unwrap_or(0))).collect();
    let found = cx.step(take(x, constant(DataType::INT64, at).upcast(), Some(-1), "fast".into()))?;
    match other {
        Some(other) if !is_full => Ok(where_(constant(DataType::BOOL, has).upcast(), found, other).upcast()),
        _ => Ok(found),
    }
}

fn check_size(count: Option<i64>) -> Result<i64, Reason> {
    let count = count.filter(|count| usize::try_from(*count).is_ok_and(|count| count <= MAX_ELEMENTS));
    count.ok_or_else(|| "the matrices are too large".into())
}

/// The diagonals of matrices as the rows of a matrix, or as a vector if there is one.
fn to_vectors(cx: &mut Node<'_, '_>, x: Expr, band: Band, padding: Option<Expr>) -> Result<Expr, Reason> {
    let size = sides(&x)?;
    let [rows, columns] = size;
    let longest = band.longest(size);
    check_size(band.count().checked_mul(longest))?;
    let count = check_size(rows.checked_mul(columns))?;
    let mut positions = Vec::new();
    for diagonal in (band.lowest..=band.highest).rev() {
        let offset = band.offset(size, diagonal, longest);
        for place in 0..longest {
            let at = place - offset;
            let is_in = (0..Band::length(size, diagonal)).contains(&at);
            positions.push(is_in.then_some((at - diagonal.min(0)) * columns + at + diagonal.max(0)));
        }
    }
    let x = flat(cx, x, 2, count)?;
    let shape = if band.count() == 1 { vec![longest] } else { vec![band.count(), longest] };
    let padding = padding.or_else(|| Some(number(dtype_of(&x), 0.0)));
    placed(cx, x, shape, positions, padding)
}

/// Matrices with diagonals, and the elements of another tensor elsewhere.
fn to_matrix(
    cx: &mut Node<'_, '_>,
    diagonals: Expr,
    size: [i64; 2],
    band: Band,
    other: Expr,
) -> Result<Expr, Reason> {
    let [rows, columns] = size;
    check_size(rows.checked_mul(columns))?;
    let longest = band.longest(size);
    let count = check_size(band.count().checked_mul(longest))?;
    let mut positions = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let diagonal = column - row;
            let is_in = (band.lowest..=band.highest).contains(&diagonal);
            let place = row.min(column) + band.offset(size, diagonal, longest);
            positions.push(is_in.then_some((band.highest - diagonal) * longest + place));
        }
    }
    let diagonals = flat(cx, diagonals, if band.count() == 1 { 1 } else { 2 }, count)?;
    placed(cx, diagonals, vec![rows, columns], positions, Some(other))
}

fn matrix_of(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let band = Band::of(cx, 1)?;
    let length = ops::dims(&x)?.last().and_then(int_value);
    let length = length.ok_or_else(|| Reason::from("needs vectors of known length"))?;
    let stated = |index: usize| -> Result<Option<i64>, Reason> {
        let stated = if cx.count() > index { cx.int(index, "the number of rows and columns")? } else { -1 };
        Ok((stated >= 0).then_some(stated))
    };
    let least = [length + (-band.highest).max(0), length + band.lowest.max(0)];
    let size = match (stated(2)?, stated(3)?) {
        (None, None) => [least[0].max(least[1]); 2],
        (rows, columns) => [rows.unwrap_or(least[0]), columns.unwrap_or(least[1])],
    };
    if band.longest(size) != length {
        return Err(Reason(format!(
            "diagonals of {length} elements do not fit a matrix of {} x {}",
            size[0], size[1]
        )));
    }
    let padding = if cx.count() > 4 { cx.input(4)? } else { number(dtype_of(&x), 0.0) };
    Ok(to_matrix(cx, x, size, band, padding)?.into())
}
