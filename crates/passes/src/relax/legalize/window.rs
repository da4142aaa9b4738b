//! Windows of signals.
//!
//! Upstream counterpart: `hamming_window`, `topi/transform.py`.

use tvmscript_ir_core::DataType;
use tvmscript_relax::attrs::InitAttrs;

use super::Outcome;
use super::elementwise::{map, with_scalar};
use super::scalar::{Scalars, constant, int};
use super::site::Site;
use super::tensor::{Answer, Stage};

/// A Hamming window, whose last element is left out if it is periodic.
pub(super) fn hamming_window(site: &mut Site<'_>) -> Answer<Outcome> {
    let dtype = site.attrs::<InitAttrs>()?.dtype;
    let (size, periodic) = (site.scalar(0)?, site.scalar(1)?);
    let (alpha, beta) = (site.scalar(2)?, site.scalar(3)?);
    if size.known() == Some(1) {
        let one = Stage::python("const_vector").with_axes(&["i"]);
        return Outcome::one(one.over(&[int(1)], |_| constant(dtype, 1.0))?);
    }
    let count = match (periodic.known(), size.known()) {
        (Some(0), _) => size.clone(),
        (Some(_), Some(size)) => int(size.saturating_add(1)),
        _ => return Ok(Outcome::Keep),
    };
    let numbers = Stage::new("T_arange").over(std::slice::from_ref(&count), |i| i.pick(0).cast(dtype))?;
    let turn = constant(DataType::FLOAT32, 2.0 * std::f64::consts::PI);
    let angle = with_scalar(&numbers, turn, "multiply", |a, b| b * a)?;
    let angle = with_scalar(&angle, &count - 1, "divide", |a, b| a / b)?;
    let wave = with_scalar(&map(&angle, |x| x.call("cos"))?, beta, "multiply", |a, b| b * a)?;
    let window = map(&with_scalar(&wave, alpha, "subtract", |a, b| b - a)?, |x| x.cast(dtype))?;
    Outcome::one(match periodic.known() {
        Some(0) => window,
        _ => Stage::new("T_strided_slice").over(&[size], |i| window.at(i))?,
    })
}
