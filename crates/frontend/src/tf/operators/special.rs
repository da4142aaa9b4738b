//! Functions of statistics, by approximations in closed form.

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::{Call, Expr};

use super::super::node::{Converted, Node};
use super::rows;
use crate::ops::{dtype_of, number};

rows! {
    "Digamma" => digamma, "an approximation: log, divide, tan, where";
    "Erfinv" => |cx| {
        let x = cx.input(0)?;
        Ok(inverse_error(cx, x)?.into())
    }, "an approximation: log, sqrt, polynomials, where";
    "Lgamma" => log_gamma, "an approximation: log, divide, sin, where";
    "Ndtri" => |cx| {
        let x = cx.input(0)?;
        let of = Numbers(dtype_of(&x));
        let x = cx.step(op::subtract(of.times(x, 2.0), of.of(1.0)))?;
        let found = inverse_error(cx, x)?.upcast();
        Ok(of.times(found, std::f64::consts::SQRT_2).into())
    }, "as Erfinv";
}

/// Lanczos's coefficients for 7 and nine terms.
const LANCZOS: [f64; 9] = [
    0.999_999_999_999_809_9,
    676.520_368_121_885_1,
    -1_259.139_216_722_402_8,
    771.323_428_777_653_1,
    -176.615_029_162_140_6,
    12.507_343_278_686_905,
    -0.138_571_095_265_720_12,
    9.984_369_578_019_572e-6,
    1.505_632_735_149_311_6e-7,
];

/// Coefficients of the inverse error function, by Giles: for the middle, and for the tails.
const MIDDLE: [f64; 9] = [
    2.810_226_36e-8,
    3.432_739_39e-7,
    -3.523_387_7e-6,
    -4.391_506_54e-6,
    0.000_218_580_87,
    -0.001_253_725_03,
    -0.004_177_681_64,
    0.246_640_727,
    1.501_409_41,
];
const TAILS: [f64; 9] = [
    -0.000_200_214_257,
    0.000_100_950_558,
    0.001_349_343_22,
    -0.003_673_428_44,
    0.005_739_507_73,
    -0.007_622_461_3,
    0.009_438_870_47,
    1.001_674_06,
    2.832_976_82,
];

/// Arithmetic with numbers of one type.
#[derive(Clone, Copy)]
struct Numbers(DataType);

impl Numbers {
    fn of(self, value: f64) -> Expr {
        number(self.0, value)
    }

    fn plus(self, x: Expr, value: f64) -> Expr {
        op::add(x, self.of(value)).upcast()
    }

    fn times(self, x: Expr, value: f64) -> Expr {
        op::multiply(x, self.of(value)).upcast()
    }
}

/// An operand that is at least 1/2, where the approximations hold: itself, or 1 minus it.
struct Reflected {
    x: Expr,
    is_reflected: Expr,
    /// The operand of the approximation, minus 1.
    z: Expr,
    /// The series, and its derivative.
    series: Expr,
    slope: Expr,
    /// `z + 7.5`.
    t: Expr,
}

fn reflected(cx: &mut Node<'_, '_>) -> Result<(Reflected, Numbers), crate::error::Reason> {
    let x = cx.input(0)?;
    let of = Numbers(dtype_of(&x));
    let is_reflected = cx.step(op::less(x.clone(), of.of(0.5)))?;
    let z = cx.step(op::where_(
        is_reflected.clone(),
        op::negative(x.clone()).upcast(),
        of.plus(x.clone(), -1.0),
    ))?;
    let mut series = of.of(LANCZOS[0]);
    let mut slope = of.of(0.0);
    for (at, coefficient) in LANCZOS.iter().enumerate().skip(1) {
        let below = cx.step(of.plus(z.clone(), at as f64))?;
        let term = cx.step(op::divide(of.of(*coefficient), below.clone()))?;
        series = cx.step(op::add(series, term.clone()))?;
        slope = cx.step(op::subtract(slope, op::divide(term, below).upcast()))?;
    }
    let t = cx.step(of.plus(z.clone(), 7.5))?;
    Ok((Reflected { x, is_reflected, z, series, slope, t }, of))
}

/// The logarithm of the absolute value of the gamma function.
fn log_gamma(cx: &mut Node<'_, '_>) -> Converted {
    let (Reflected { x, is_reflected, z, series, t, .. }, of) = reflected(cx)?;
    let power = op::multiply(of.plus(z, 0.5), op::log(t.clone()).upcast()).upcast();
    let rest = of.plus(op::log(series).upcast(), 0.5 * std::f64::consts::TAU.ln());
    let value = cx.step(op::add(op::subtract(power, t).upcast(), rest))?;
    // The sine has the period of the fraction, which is more exact.
    let fraction: Expr = op::subtract(x.clone(), op::floor(x).upcast()).upcast();
    let sine = op::abs(op::sin(of.times(fraction, std::f64::consts::PI)).upcast()).upcast();
    let other = op::subtract(of.of(std::f64::consts::PI.ln()), op::log(sine).upcast()).upcast();
    let other = cx.step(op::subtract(other, value.clone()))?;
    Ok(op::where_(is_reflected, other, value).into())
}

/// The derivative of the logarithm of the gamma function.
fn digamma(cx: &mut Node<'_, '_>) -> Converted {
    let (Reflected { x, is_reflected, series, slope, t, .. }, of) = reflected(cx)?;
    let ratio = op::divide(slope, series).upcast();
    let near = op::subtract(ratio, op::divide(of.of(7.0), t.clone()).upcast()).upcast();
    let value = cx.step(op::add(op::log(t).upcast(), near))?;
    let fraction: Expr = op::subtract(x.clone(), op::floor(x).upcast()).upcast();
    let angle = of.times(fraction, std::f64::consts::PI);
    let cotangent = op::divide(of.of(std::f64::consts::PI), op::tan(angle).upcast()).upcast();
    let other = cx.step(op::subtract(value.clone(), cotangent))?;
    Ok(op::where_(is_reflected, other, value).into())
}

/// A polynomial by its coefficients, that of the highest power first.
fn polynomial(cx: &mut Node<'_, '_>, x: &Expr, coefficients: &[f64]) -> Result<Expr, crate::error::Reason> {
    let of = Numbers(dtype_of(x));
    let mut value = of.of(0.0);
    for coefficient in coefficients {
        value = cx.step(of.plus(op::multiply(value, x.clone()).upcast(), *coefficient))?;
    }
    Ok(value)
}

fn inverse_error(cx: &mut Node<'_, '_>, x: Expr) -> Result<Ref<Call>, crate::error::Reason> {
    let of = Numbers(dtype_of(&x));
    let sides = op::multiply(op::subtract(of.of(1.0), x.clone()).upcast(), of.plus(x.clone(), 1.0));
    let w = cx.step(op::negative(op::log(sides.upcast()).upcast()))?;
    let middle = cx.step(of.plus(w.clone(), -2.5))?;
    let tail = cx.step(of.plus(op::sqrt(w.clone()).upcast(), -3.0))?;
    let middle = polynomial(cx, &middle, &MIDDLE)?;
    let tail = polynomial(cx, &tail, &TAILS)?;
    let is_middle = op::less(w, of.of(5.0)).upcast();
    Ok(op::multiply(op::where_(is_middle, middle, tail).upcast(), x))
}
