//! Shapes of tensors.

use tvmscript_relax::op::shape::permute_dims;

use super::rows;
use crate::ops::ints;

rows! {
    "Transpose" { 13: |cx| {
        let axes = cx.ints("perm").map(|axes| ints(&axes));
        let x = cx.input(0)?;
        cx.fold(permute_dims(x, axes))
    } } => "permute_dims";
}
