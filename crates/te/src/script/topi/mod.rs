//! Functions of `tvm.topi`: computations with TVM's names for operations and axes, so that their functions of TIR are TVM's.
//!
//! A function is one row of its family. Other members of the module are unknown values, which code that is only explored may
//! use.
//!
//! Upstream counterparts: `include/tvm/topi`, `python/tvm/topi`.

mod broadcast;
mod elementwise;
mod nn;
mod reduce;
mod shape;

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::{Array, Map, Ref, Str, Value};
use tvmscript_irbuilder::{BuildError, BuildResult, FromScript, PyType, ScriptValue};
use tvmscript_prim::Expr;
use tvmscript_script_parser::{Member, PythonModule};
use tvmscript_tir::build::args::ExprArg;

use crate::tensor::{Operation, data_axis};
use crate::{Tensor, load};

/// The functions that are evaluated.
const FAMILIES: [&[(&str, Member)]; 5] =
    [broadcast::MEMBERS, elementwise::MEMBERS, elementwise::OTHERS, reduce::MEMBERS, shape::MEMBERS];

/// The modules.
pub(super) static MODULES: &[PythonModule] = &[
    PythonModule::new(&["tvm.topi"]).members(FAMILIES[0]).others(others),
    PythonModule::new(&["tvm.topi"]).members(FAMILIES[1]),
    PythonModule::new(&["tvm.topi"]).members(FAMILIES[2]),
    PythonModule::new(&["tvm.topi"]).members(FAMILIES[3]),
    PythonModule::new(&["tvm.topi"]).members(FAMILIES[4]),
    PythonModule::new(&["tvm.topi.nn"]).members(nn::MEMBERS).others(others),
];

/// The reason for which other members are unknown.
fn others() -> String {
    let names = FAMILIES.iter().flat_map(|family| family.iter()).map(|(name, _)| (*name).to_owned());
    let of_nn = nn::MEMBERS.iter().map(|(name, _)| format!("nn.{name}"));
    let mut names: Vec<String> = names.chain(of_nn).collect();
    names.sort_unstable();
    format!("the functions of `tvm.topi` that are evaluated are {}", names.join(", "))
}

/// Tags of TVM's library.
const ELEMENTWISE: &str = "elemwise";
const BROADCAST: &str = "broadcast";
const INJECTIVE: &str = "injective";
const REDUCTION: &str = "comm_reduce";

/// The name and tag of an operation, and the prefix of its axes: `i` for functions that TVM has in Python, `ax` for those in
/// C++.
#[derive(Debug, Clone, Copy)]
struct Style<'n> {
    name: &'n str,
    tag: &'static str,
    axis: &'static str,
}

impl<'n> Style<'n> {
    const fn python(name: &'n str, tag: &'static str) -> Style<'n> {
        Style { name, tag, axis: "i" }
    }

    const fn cpp(name: &'n str, tag: &'static str) -> Style<'n> {
        Style { name, tag, axis: "ax" }
    }

    /// A computation; `value` gets the indices of an element.
    fn compute(
        self,
        shape: &[Expr],
        value: impl FnOnce(&[Expr]) -> BuildResult<Expr>,
    ) -> BuildResult<Ref<Tensor>> {
        self.compute_with(Map::default(), shape, value)
    }

    fn compute_with(
        self,
        attrs: Map<Str, Value>,
        shape: &[Expr],
        value: impl FnOnce(&[Expr]) -> BuildResult<Expr>,
    ) -> BuildResult<Ref<Tensor>> {
        let axes = shape.iter().enumerate();
        let axes = axes.map(|(at, extent)| data_axis(&format!("{}{at}", self.axis), extent.clone()));
        let axes = axes.collect::<crate::Result<Vec<_>>>()?;
        let indices: Vec<Expr> = axes.iter().map(|axis| axis.var.clone().upcast()).collect();
        let op = Operation::compute(self.name.into(), self.tag.into(), attrs, axes, vec![value(&indices)?])?;
        Ok(op.output(0))
    }
}

/// The element at some indices.
fn at(tensor: &Ref<Tensor>, indices: impl IntoIterator<Item = Expr>) -> BuildResult<Expr> {
    Ok(load(tensor, indices.into_iter().collect::<Array<Expr>>())?)
}

/// The dimensions of a tensor.
fn dims(tensor: &Tensor) -> Vec<Expr> {
    tensor.shape.iter().cloned().collect()
}

/// The dimensions of a matrix.
fn matrix(tensor: &Tensor) -> BuildResult<[Expr; 2]> {
    let found = tensor.shape.len();
    dims(tensor).try_into().map_err(|_| BuildError::expected("a matrix", format!("{found} dimensions")))
}

/// Tests whether two dimensions are equal for all values of variables.
fn same(a: &Expr, b: &Expr) -> bool {
    Analyzer::new().can_prove_equal(a, b)
}

/// The position of an axis, which may count from the end.
fn position(axis: i64, count: usize) -> BuildResult<usize> {
    let found = if axis < 0 { axis.saturating_add_unsigned(count as u64) } else { axis };
    usize::try_from(found).ok().filter(|found| *found < count).ok_or_else(|| {
        BuildError::message(format!("the axis {axis} is out of range: there are {count} dimensions"))
    })
}

/// One axis, or a list of them.
struct Axes(Vec<i64>);

impl FromScript for Axes {
    const TYPE: PyType = PyType::Union { of: &[PyType::INT, Vec::<i64>::TYPE] };
    fn from_script(value: ScriptValue) -> BuildResult<Axes> {
        match value.items() {
            Some(_) => Vec::<i64>::from_script(value).map(Axes),
            None => Ok(Axes(vec![i64::from_script(value)?])),
        }
    }
}

/// A tensor or a scalar.
enum Operand {
    Tensor(Ref<Tensor>),
    Scalar(Expr),
}

impl FromScript for Operand {
    const TYPE: PyType = PyType::Union { of: &[Ref::<Tensor>::TYPE, ExprArg::TYPE] };
    fn from_script(value: ScriptValue) -> BuildResult<Operand> {
        match Ref::<Tensor>::from_script(value.clone()) {
            Ok(tensor) => Ok(Operand::Tensor(tensor)),
            Err(_) => ExprArg::from_script(value).map(|scalar| Operand::Scalar(scalar.0)),
        }
    }
}
