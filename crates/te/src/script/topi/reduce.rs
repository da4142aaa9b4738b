//! Reductions, and products of matrices.

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_irbuilder::{BuildResult, script_fn};
use tvmscript_prim::error::PrimResult;
use tvmscript_prim::{Expr, IntImm, PrimExprExt as _, Range, Var, ops};
use tvmscript_script_parser::Member::{self, Function};
use tvmscript_tir::build::compute::reduction;
use tvmscript_tir::{IterType, IterVar};

use super::{Axes, REDUCTION, Style, at, dims, matrix, position};
use crate::Tensor;

/// An axis over a dimension that is reduced.
pub(super) fn reduced_axis(name: &str, extent: Expr) -> BuildResult<Ref<IterVar>> {
    let var = Var::new(name, extent.dtype());
    Ok(IterVar::try_new(Some(Range::try_from_extent(extent)?), var, IterType::CommReduce, "".into())?)
}

/// A function of two values, and its identity element for a type.
type Combine = fn(Expr, Expr) -> PrimResult<Expr>;
type Identity = fn(DataType) -> PrimResult<Expr>;

fn reduced(
    data: &Ref<Tensor>,
    axes: Option<Axes>,
    keepdims: bool,
    combine: Combine,
    identity: Identity,
) -> BuildResult<Ref<Tensor>> {
    let shape = dims(data);
    let mut is_reduced = vec![axes.is_none(); shape.len()];
    for axis in axes.into_iter().flat_map(|axes| axes.0) {
        let axis = position(axis, shape.len()).map_err(|error| error.at_position(1))?;
        is_reduced.iter_mut().skip(axis).take(1).for_each(|is| *is = true);
    }
    let axes = shape.iter().enumerate().zip(&is_reduced).map(|((at, extent), is_reduced)| {
        is_reduced.then(|| reduced_axis(&format!("k{at}"), extent.clone())).transpose()
    });
    let axes = axes.collect::<BuildResult<Vec<_>>>()?;
    let mut result = Vec::new();
    for (extent, axis) in shape.iter().zip(&axes) {
        match axis {
            None => result.push(extent.clone()),
            Some(_) if keepdims => result.push(IntImm::int32(1)),
            Some(_) => {}
        }
    }
    let name = data.op().map_or_else(|| data.name.clone(), |op| op.name.clone());
    Style::cpp(&format!("{name}_red"), REDUCTION).compute(&result, |indices| {
        let mut indices = indices.iter();
        let mut own = Vec::with_capacity(axes.len());
        for axis in &axes {
            match axis {
                None => own.extend(indices.next().cloned()),
                Some(axis) => {
                    own.push(axis.var.clone().upcast());
                    if keepdims {
                        indices.next();
                    }
                }
            }
        }
        let axes = axes.iter().flatten().cloned().collect();
        reduction(combine, identity, at(data, own)?, axes, None, None)
    })
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $text:literal $name:ident $row:ident => $combine:expr, $identity:expr;)*) => {
        $(
            $(#[$doc])*
            #[script_fn(name = $text)]
            pub fn $name(
                data: Ref<Tensor>,
                #[default = None] axis: Option<Axes>,
                #[default = false] keepdims: bool,
            ) -> BuildResult<Ref<Tensor>> {
                reduced(&data, axis, keepdims, $combine, $identity)
            }
        )*
        pub(super) const MEMBERS: &[(&str, Member)] = &[
            $(($text, Function(&$row)),)*
            ("matmul", Function(&MATMUL)),
            ("sum", Function(&SUM)),
        ];
    };
}

reductions! {
    /// Conjunction over axes.
    "all" all ALL => ops::and, |dtype| ops::make_const(dtype, true);
    /// Disjunction over axes.
    "any" any ANY => ops::or, |dtype| ops::make_const(dtype, false);
    /// Maximum over axes.
    "max" max MAX => ops::max, ops::min_value;
    /// Minimum over axes.
    "min" min MIN => ops::min, ops::max_value;
    /// Product over axes.
    "prod" prod PROD => ops::mul, |dtype| ops::make_const(dtype, 1);
}

/// Sum over axes; disjunction of booleans.
#[script_fn]
pub fn sum(
    data: Ref<Tensor>,
    #[default = None] axis: Option<Axes>,
    #[default = false] keepdims: bool,
) -> BuildResult<Ref<Tensor>> {
    match data.dtype.is_bool() {
        true => reduced(&data, axis, keepdims, ops::or, |dtype| ops::make_const(dtype, false)),
        false => reduced(&data, axis, keepdims, ops::add, ops::make_zero),
    }
}

/// Product of two matrices.
#[script_fn]
pub fn matmul(
    a: Ref<Tensor>,
    b: Ref<Tensor>,
    #[default = false] transp_a: bool,
    #[default = false] transp_b: bool,
) -> BuildResult<Ref<Tensor>> {
    let turned = |is_transposed: bool, [a, b]: [Expr; 2]| if is_transposed { [b, a] } else { [a, b] };
    let [rows, inner] = turned(transp_a, matrix(&a).map_err(|error| error.at_position(0))?);
    let [_, columns] = turned(transp_b, matrix(&b).map_err(|error| error.at_position(1))?);
    let axis = reduced_axis("k", inner)?;
    Style::cpp("T_matmul", "matmul").compute(&[rows, columns], |indices| {
        let (Some(i), Some(j)) = (indices.first(), indices.last()) else { return Ok(IntImm::int32(0)) };
        let k: Expr = axis.var.clone().upcast();
        let a = at(&a, turned(transp_a, [i.clone(), k.clone()]))?;
        let b = at(&b, turned(transp_b, [k, j.clone()]))?;
        reduction(ops::add, ops::make_zero, ops::mul(a, b)?, vec![axis.clone()], None, None)
    })
}
