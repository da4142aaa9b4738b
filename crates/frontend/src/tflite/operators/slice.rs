//! Parts of tensors.

use tvmscript_relax::Expr;
use tvmscript_relax::op::index::strided_slice;
use tvmscript_relax::op::shape::squeeze;

use super::super::node::{Converted, Node};
use super::super::schema::StridedSlice;
use super::rows;
use crate::ops::{int_operands, ints, lengths, reshape, shape};

rows! {
    "SLICE": Real slice => "strided_slice";
    "STRIDED_SLICE": Real with_masks => "strided_slice, reshape";
}

/// Elements from `begin` up to `end` along axes.
pub(super) fn sliced(x: Expr, axes: &[i64], begin: &[i64], end: &[i64], strides: Option<&[i64]>) -> Expr {
    let [axes, begin, end] = [axes, begin, end].map(int_operands);
    strided_slice(x, axes, begin, end, strides.map(int_operands), false).upcast()
}

fn slice(cx: &mut Node<'_, '_>) -> Converted {
    let lengths = cx.shape(0)?;
    let (begin, size) = (cx.ints(1, "the begin")?, cx.ints(2, "the size")?);
    if begin.len() != lengths.len() || size.len() != lengths.len() {
        return Err("begin and size must have one number for each axis".into());
    }
    let ends = begin.iter().zip(&size).zip(&lengths).map(|((begin, size), length)| match size {
        -1 => *length,
        size => begin.saturating_add(*size),
    });
    let (axes, ends): (Vec<i64>, Vec<i64>) = (0..).zip(ends).unzip();
    Ok(sliced(cx.input(0)?, &axes, &begin, &ends, None).into())
}

/// An axis of the result before its shape is final.
enum Kept {
    /// An axis of the slice.
    Axis(usize),
    /// A new axis.
    New,
    /// An axis that goes away.
    Dropped,
}

/// The bounds along each axis of the operand, and the axes of the result.
#[derive(Default)]
struct Bounds {
    begin: Vec<i64>,
    end: Vec<i64>,
    strides: Vec<i64>,
    kept: Vec<Kept>,
}

impl Bounds {
    fn push(&mut self, begin: i64, end: i64, stride: i64) {
        self.begin.push(begin);
        self.end.push(end);
        self.strides.push(stride);
    }

    fn keep(&mut self) {
        self.kept.push(Kept::Axis(self.begin.len() - 1));
    }
}

/// The masks of the options: a bit for each entry of the begins.
struct Masks {
    begin: i64,
    end: i64,
    ellipsis: i64,
    new: i64,
    shrink: i64,
}

/// An entry: begin, end and stride.
type Entry = (i64, i64, i64);

/// Applies the masks. An ellipsis, after the entries if there is none, stands for the axes that no entry is for.
fn bounds(lengths: &[i64], entries: &[Entry], masks: &Masks) -> Bounds {
    let is_set = |mask: i64, index: usize| mask >> index.min(62) & 1 == 1;
    let is_new = |index: usize| is_set(masks.new, index) && !is_set(masks.ellipsis, index);
    let ellipsis = (0..entries.len()).find(|index| is_set(masks.ellipsis, *index)).unwrap_or(entries.len());
    let after = (ellipsis + 1..entries.len()).filter(|index| !is_new(*index)).count();
    let mut bounds = Bounds::default();
    for index in 0..entries.len().max(ellipsis + 1) {
        let axis = bounds.begin.len();
        if index == ellipsis {
            for length in lengths.get(axis..lengths.len().saturating_sub(after)).into_iter().flatten() {
                bounds.push(0, *length, 1);
                bounds.keep();
            }
            continue;
        }
        if is_new(index) {
            bounds.kept.push(Kept::New);
            continue;
        }
        let (Some((begin, end, stride)), Some(length)) = (entries.get(index), lengths.get(axis)) else {
            break;
        };
        if is_set(masks.shrink, index) {
            let begin = if *begin < 0 { length.saturating_add(*begin) } else { *begin };
            bounds.push(begin, begin.saturating_add(1), 1);
            bounds.kept.push(Kept::Dropped);
            continue;
        }
        let begin = match (is_set(masks.begin, index), *stride < 0) {
            (true, true) => *length,
            (true, false) => 0,
            (false, _) => *begin,
        };
        let end = match (is_set(masks.end, index), *stride < 0) {
            (true, true) => -length - 1,
            (true, false) => *length,
            (false, _) => *end,
        };
        bounds.push(begin, end, *stride);
        bounds.keep();
    }
    bounds
}

fn with_masks(cx: &mut Node<'_, '_>) -> Converted {
    use StridedSlice as Field;
    let masks = Masks {
        begin: cx.int(Field::BeginMask, 0)?,
        end: cx.int(Field::EndMask, 0)?,
        ellipsis: cx.int(Field::EllipsisMask, 0)?,
        new: cx.int(Field::NewAxisMask, 0)?,
        shrink: cx.int(Field::ShrinkAxisMask, 0)?,
    };
    let dims = cx.shape(0)?;
    let (begin, end) = (cx.ints(1, "the begin")?, cx.ints(2, "the end")?);
    let strides = cx.ints(3, "the strides")?;
    if begin.len() != end.len() || begin.len() != strides.len() || strides.contains(&0) {
        return Err("begin, end and strides must be as many, and no stride may be 0".into());
    }
    let offsets = match cx.flag(Field::Offset)? {
        true => begin.clone(),
        false => vec![0; begin.len()],
    };
    let entries = begin.iter().zip(&end).zip(&offsets).zip(&strides);
    let entries: Vec<Entry> = entries
        .map(|(((begin, end), offset), stride)| (*begin, end.saturating_add(*offset), *stride))
        .collect();
    let Masks { begin: a, end: b, ellipsis: c, new: d, shrink: e } = masks;
    let bounds = match a | b | c | d | e {
        // Without masks, axes after the entries are left alone.
        0 => {
            let mut plain = Bounds::default();
            for (begin, end, stride) in entries {
                plain.push(begin, end, stride);
                plain.keep();
            }
            plain.kept.extend((plain.kept.len()..dims.len()).map(Kept::Axis));
            plain
        }
        _ => bounds(&dims, &entries, &masks),
    };
    let x = cx.input(0)?;
    let axes: Vec<i64> = (0..bounds.begin.len() as i64).collect();
    let out = sliced(x, &axes, &bounds.begin, &bounds.end, Some(&bounds.strides));
    let out = cx.normalize(out)?;
    finished(out, &bounds.kept)
}

/// The slice with the final axes.
fn finished(out: Expr, kept: &[Kept]) -> Converted {
    let found = lengths(&out)?;
    let dims: Vec<i64> = kept
        .iter()
        .filter_map(|kept| match kept {
            Kept::Axis(axis) => found.get(*axis).copied(),
            Kept::New => Some(1),
            Kept::Dropped => None,
        })
        .collect();
    if !dims.is_empty() {
        return Ok(reshape(out, shape(&dims))?.into());
    }
    if kept.is_empty() {
        return Ok(out.into());
    }
    let axes: Vec<i64> = (0..kept.len() as i64).collect();
    Ok(squeeze(out, Some(ints(&axes))).into())
}
