//! Expression nodes as functions: strict constructors, `T.Let`, `T.comm_reducer`, `T.index_map`, `T.iter_var`.

use std::rc::Rc;

use num_bigint::BigInt;
use tvmscript_ir::build::{call_with_vars, index_map_of, operator, parameter_names};
use tvmscript_ir_core::{Array, DataType, Ref, Span, Str};
use tvmscript_irbuilder::{BuildError, BuildResult, FromScript, IntoScript, PyType, ScriptValue, script_fn};
use tvmscript_prim::ops::undetermined::{agree, determine};
use tvmscript_prim::{
    Call, Cast, CommReducer, Expr, FloatImm, IntImm, Let, PrimExprExt, Range, StringImm, Var, ops,
};

use super::args::{Domain, ExprArg, NodeArg, Shape};
use super::types::big_literal;
use crate::node::*;

/// An operand of a node whose operands have one type.
#[derive(Debug, Clone)]
pub struct StrictArg {
    value: Expr,
    /// The value of a plain Python integer.
    plain: Option<i64>,
}

impl FromScript for StrictArg {
    const TYPE: PyType = ExprArg::TYPE;
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        let plain = match value {
            ScriptValue::Int(plain) => Some(plain),
            _ => None,
        };
        Ok(StrictArg { value: ExprArg::from_script(value)?.0, plain })
    }
}

impl<T: Into<ExprArg>> From<T> for StrictArg {
    fn from(value: T) -> StrictArg {
        StrictArg { value: value.into().0, plain: None }
    }
}

/// Both operands; a plain integer takes the integer type of the other one. Relax prints dimensions so (`T.Div(n, 3)`
/// of an `int64`), which TVM prints but cannot parse.
fn of_one_type(a: StrictArg, b: StrictArg) -> (Expr, Expr) {
    let typed = |plain: Option<i64>, other: &Expr| {
        let dtype = other.dtype();
        plain.filter(|_| dtype.is_integer() && dtype.is_scalar()).and_then(|i| IntImm::try_new(dtype, i).ok())
    };
    let (mut a, mut b) = match (a.plain, b.plain) {
        (Some(_), None) => (typed(a.plain, &b.value).unwrap_or(a.value), b.value),
        (None, Some(_)) => {
            let b = typed(b.plain, &a.value).unwrap_or(b.value);
            (a.value, b)
        }
        _ => (a.value, b.value),
    };
    agree(&mut a, &mut b);
    (a, b)
}

macro_rules! strict_binary {
    ($($function:ident, $name:literal, $node:ident;)*) => {$(
        #[doc = concat!("The node `", $name, "` of two operands of one type. Never folds.")]
        #[script_fn(name = $name)]
        pub fn $function(a: StrictArg, b: StrictArg) -> BuildResult<Expr> {
            let (a, b) = of_one_type(a, b);
            Ok(tvmscript_prim::$node::try_new(a, b)?)
        }
    )*};
}
strict_binary! {
    add, "Add", Add; sub, "Sub", Sub; mul, "Mul", Mul; div, "Div", Div; mod_, "Mod", Mod;
    floor_div, "FloorDiv", FloorDiv; floor_mod, "FloorMod", FloorMod; min, "Min", Min; max, "Max", Max;
    eq, "EQ", EQ; ne, "NE", NE; lt, "LT", LT; le, "LE", LE; gt, "GT", GT; ge, "GE", GE;
    and, "And", And; or, "Or", Or;
}

/// Logical negation. Never folds.
#[script_fn(name = "Not")]
pub fn not(a: ExprArg) -> BuildResult<Expr> {
    Ok(tvmscript_prim::Not::try_new(a.0)?)
}

/// Selects one of two values; both are evaluated. Never folds.
#[script_fn(name = "Select")]
pub fn select(condition: ExprArg, true_value: StrictArg, false_value: StrictArg) -> BuildResult<Expr> {
    let (true_value, false_value) = of_one_type(true_value, false_value);
    Ok(ops::select(condition.0, true_value, false_value)?)
}

/// Conversion. Never folds.
#[script_fn(name = "Cast")]
pub fn cast_node(dtype: DataType, value: ExprArg) -> BuildResult<Expr> {
    Ok(Cast::try_new(dtype, determine(value.0, DataType::FLOAT32))?)
}

/// Conversion; constants fold.
#[script_fn]
pub fn cast(src: ExprArg, dtype: DataType) -> BuildResult<Expr> {
    if super::types::is_intrinsic_name(src.0.as_node()) {
        return Ok(src.0);
    }
    Ok(ops::cast(dtype, determine(src.0, DataType::FLOAT32))?)
}

/// `base + i * stride` in lane `i`.
#[script_fn(name = "Ramp")]
pub fn ramp(base: ExprArg, stride: ExprArg, lanes: ExprArg) -> BuildResult<Expr> {
    Ok(tvmscript_prim::Ramp::try_new(determine(base.0, DataType::INT32), stride.0, &lanes.0)?)
}

/// One value in every lane.
#[script_fn(name = "Broadcast")]
pub fn broadcast(value: ExprArg, lanes: ExprArg) -> BuildResult<Expr> {
    Ok(tvmscript_prim::Broadcast::try_new(determine(value.0, DataType::FLOAT32), &lanes.0)?)
}

/// Lanes of several vectors, selected by index.
#[script_fn(name = "Shuffle")]
pub fn shuffle(vectors: Shape, indices: Shape) -> BuildResult<Expr> {
    Ok(tvmscript_prim::Shuffle::try_new(vectors.0, indices.0)?)
}

/// The value of an integer literal, which may be an unsigned number above the largest `int64`.
#[derive(Debug, Clone)]
pub enum IntegerArg {
    /// A number of 64 bits with a sign.
    Int(i64),
    /// A larger number.
    Big(Rc<BigInt>),
}

impl FromScript for IntegerArg {
    const TYPE: PyType = PyType::INT;
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        match value {
            ScriptValue::BigInt(value) => Ok(IntegerArg::Big(value)),
            other => i64::from_script(other).map(IntegerArg::Int),
        }
    }
}

impl From<i64> for IntegerArg {
    fn from(value: i64) -> IntegerArg {
        IntegerArg::Int(value)
    }
}

/// An integer literal.
#[script_fn(name = "IntImm")]
pub fn int_imm(dtype: DataType, value: IntegerArg) -> BuildResult<Expr> {
    match value {
        IntegerArg::Int(value) => Ok(IntImm::try_new(dtype, value)?),
        IntegerArg::Big(value) => big_literal(dtype, &value),
    }
}

/// A float literal.
#[script_fn(name = "FloatImm")]
pub fn float_imm(dtype: DataType, value: f64) -> BuildResult<Expr> {
    Ok(FloatImm::try_new(dtype, value)?)
}

/// A string literal.
#[script_fn(name = "StringImm")]
pub fn string_imm(value: Str) -> BuildResult<Expr> {
    Ok(StringImm::new(value))
}

/// A variable.
#[script_fn(name = "Var")]
pub fn var(name: Str, dtype: ScriptValue) -> BuildResult<Ref<Var>> {
    match dtype.as_node::<tvmscript_prim::Type>() {
        Some(ty) => Ok(Var::with_type(name, ty.clone())),
        None => Ok(Var::new(name, DataType::from_script(dtype).map_err(|e| e.at_position(1))?)),
    }
}

/// A non-negative variable.
#[script_fn(name = "SizeVar")]
pub fn size_var(name: Str, dtype: ScriptValue) -> BuildResult<Ref<Var>> {
    match dtype.as_node::<tvmscript_prim::Type>() {
        Some(ty) => Ok(Var::size_var_with_type(name, ty.clone())),
        None => Ok(Var::size_var(name, DataType::from_script(dtype).map_err(|e| e.at_position(1))?)),
    }
}

/// A variable, as scripts for older releases spell it.
#[script_fn(name = "var")]
pub fn var_of_dtype(dtype: DataType, #[default = ""] name: Str) -> BuildResult<Ref<Var>> {
    Ok(Var::new(name, dtype))
}

/// A load with one index per dimension.
#[script_fn(name = "BufferLoad")]
pub fn buffer_load(
    buffer: NodeArg<Buffer>,
    indices: Shape,
    #[default = None] predicate: Option<ExprArg>,
) -> BuildResult<Expr> {
    Ok(BufferLoad::try_new(buffer.0, indices.0, predicate.map(|p| p.0))?)
}

/// Calls an operator by name.
#[script_fn(name = "Call")]
pub fn call(dtype: DataType, op: ScriptValue, args: Shape) -> BuildResult<Expr> {
    if let Some(callee) = op.as_node::<tvmscript_prim::BaseExpr>() {
        return Ok(Call::with_callee(dtype, callee.clone(), args.0));
    }
    match op {
        ScriptValue::Str(name) => {
            let op = operator(&name).map_err(|error| error.at_position(1))?;
            Ok(Call::with_callee(dtype, op.upcast(), args.0))
        }
        other => Err(BuildError::expected("an operator's name", other.type_name()).at_position(1)),
    }
}

/// A region with exactly these ranges; those of a slice are simplified.
#[script_fn(name = "BufferRegion")]
pub fn buffer_region(buffer: NodeArg<Buffer>, region: Vec<NodeArg<Range>>) -> BuildResult<Ref<BufferRegion>> {
    Ok(BufferRegion::try_new(buffer.0, region.into_iter().map(|range| range.0).collect())?)
}

/// The range `begin..end`, or `0..begin` without an end.
#[script_fn(name = "Range", members = [tvmscript_ir::build::FROM_MIN_EXTENT])]
pub fn range_node(begin: ExprArg, #[default = None] end: Option<ExprArg>) -> BuildResult<Ref<Range>> {
    Ok(match end {
        Some(end) => Range::try_from_bounds(begin.0, end.0)?,
        None => Range::try_from_extent(begin.0)?,
    })
}

/// Binds a variable in an expression: `T.Let(body, where={var: value})`.
#[script_fn(name = "Let")]
pub fn let_expr(expr: ExprArg, r#where: ScriptValue) -> BuildResult<Expr> {
    let wrong = |found: String| BuildError::expected("a dict of one variable and its value", found);
    let ScriptValue::Dict(dict) = &r#where else { return Err(wrong(r#where.type_name())) };
    let dict = dict.borrow();
    let (Some((key, value)), 1) = (dict.first(), dict.len()) else {
        return Err(wrong(format!("{} entries", dict.len())));
    };
    let Some(var) = key.0.as_node::<Var>() else { return Err(wrong(key.0.type_name())) };
    Ok(Let::try_new(var.clone(), ExprArg::convert(value.clone())?, expr.0)?)
}

/// Binds a variable for the rest of the scope or, with a body, in that expression. Scripts for older releases use it.
#[script_fn(name = "let")]
pub fn let_(
    v: NodeArg<Var>,
    value: ExprArg,
    #[default = None] body: Option<ExprArg>,
) -> BuildResult<ScriptValue> {
    match body {
        Some(body) => Ok(Let::try_new(v.0, value.0, body.0)?.into()),
        None => {
            let frame = super::stmt::try_let_stmt(value, None, Some(v))?;
            Ok(frame.into_script())
        }
    }
}

/// An iteration variable.
#[script_fn]
pub fn iter_var(
    v: ScriptValue,
    #[default = None] dom: Option<Domain>,
    #[default = IterType::DataPar] iter_type: IterType,
    #[default = ""] thread_tag: Str,
) -> BuildResult<Ref<IterVar>> {
    make_iter_var(dom, v, iter_type, thread_tag).map_err(|e| e.at_position(0))
}

/// An iteration variable, with its type by number or name.
#[script_fn(name = "IterVar")]
pub fn iter_var_node(
    dom: Option<Domain>,
    var: ScriptValue,
    iter_type: IterType,
    #[default = ""] thread_tag: Str,
) -> BuildResult<Ref<IterVar>> {
    make_iter_var(dom, var, iter_type, thread_tag).map_err(|e| e.at_position(1))
}

pub(super) fn make_iter_var(
    dom: Option<Domain>,
    var: ScriptValue,
    iter_type: IterType,
    thread_tag: Str,
) -> BuildResult<Ref<IterVar>> {
    let var = match &var {
        ScriptValue::Str(name) => {
            Var::new(name.clone(), dom.as_ref().map_or(DataType::INT32, |d| d.0.extent.dtype()))
        }
        other => match other.as_node::<Var>() {
            Some(var) => var.clone(),
            None => return Err(BuildError::expected("a variable or its name", other.type_name())),
        },
    };
    let dom = match dom {
        None => None,
        Some(dom) => {
            let fit = |e: &Expr| ops::cast(var.dtype, e.clone());
            let same = dom.0.extent.dtype() == var.dtype && dom.0.min.dtype() == var.dtype;
            Some(if same { dom.0 } else { Range::from_min_extent(fit(&dom.0.min)?, fit(&dom.0.extent)?) })
        }
    };
    Ok(IterVar::try_new(dom, var, iter_type, thread_tag)?)
}

/// A commutative reducer, from a lambda and its identity elements.
#[script_fn]
pub fn comm_reducer(combiner: ScriptValue, identity: Shape) -> BuildResult<Ref<CommReducer>> {
    let names = parameter_names(&combiner);
    let count = identity.0.len();
    if !names.is_empty() && names.len() != 2 * count {
        let message = format!(
            "a reducer of {count} {} combines {} values, but the lambda takes {}",
            if count == 1 { "identity" } else { "identities" },
            2 * count,
            names.len()
        );
        return Err(BuildError::message(message).at_position(0));
    }
    let vars: Vec<Ref<Var>> = identity
        .0
        .iter()
        .chain(identity.0.iter())
        .enumerate()
        .map(|(i, identity)| {
            let name = names.get(i).cloned().unwrap_or_else(|| format!("x{i}"));
            Var::new(name, identity.dtype())
        })
        .collect();
    let result = call_with_vars(&combiner, &vars, ExprArg::convert)?;
    if result.len() != count {
        let message = format!("the lambda returns {} values for {count} identities", result.len());
        return Err(BuildError::message(message).at_position(0));
    }
    let (lhs, rhs) = vars.split_at(count);
    Ok(Ref::new(CommReducer {
        lhs: Array::new(lhs.iter().cloned()),
        rhs: Array::new(rhs.iter().cloned()),
        result: Array::new(result),
        identity_element: identity.0,
        span: Span::current(),
    }))
}

/// A commutative reducer, with explicit variables.
#[script_fn(name = "CommReducer")]
pub fn comm_reducer_node(
    lhs: Vec<NodeArg<Var>>,
    rhs: Vec<NodeArg<Var>>,
    result: Shape,
    identity_element: Shape,
) -> BuildResult<Ref<CommReducer>> {
    let vars = |vars: Vec<NodeArg<Var>>| vars.into_iter().map(|var| var.0).collect::<Array<Ref<Var>>>();
    Ok(Ref::new(CommReducer {
        lhs: vars(lhs),
        rhs: vars(rhs),
        result: result.0,
        identity_element: identity_element.0,
        span: Span::current(),
    }))
}

/// A reduction over axes.
#[script_fn(name = "Reduce")]
pub fn reduce(
    combiner: NodeArg<CommReducer>,
    src: Shape,
    rdom: Vec<NodeArg<IterVar>>,
    condition: ExprArg,
    value_index: i64,
    #[default = None] init: Option<Shape>,
) -> BuildResult<Expr> {
    make_reduce(
        combiner.0,
        src.0,
        init.unwrap_or_default().0,
        rdom.into_iter().map(|a| a.0).collect(),
        condition.0,
        value_index,
    )
}

/// A reduction over axes, in the form that the printer uses.
#[script_fn(name = "reduce")]
pub fn reduce_printed(
    combiner: NodeArg<CommReducer>,
    #[kw_only] source: Shape,
    #[kw_only] init: Shape,
    #[kw_only] axis: Vec<NodeArg<IterVar>>,
    #[kw_only] condition: ExprArg,
    #[kw_only] value_index: i64,
) -> BuildResult<Expr> {
    make_reduce(
        combiner.0,
        source.0,
        init.0,
        axis.into_iter().map(|a| a.0).collect(),
        condition.0,
        value_index,
    )
}

pub(super) fn make_reduce(
    combiner: Ref<CommReducer>,
    source: Array<Expr>,
    init: Array<Expr>,
    axis: Array<Ref<IterVar>>,
    condition: Expr,
    value_index: i64,
) -> BuildResult<Expr> {
    let picked = usize::try_from(value_index).ok().and_then(|i| source.get(i));
    let Some(dtype) = picked.map(PrimExprExt::dtype) else {
        return Err(BuildError::message(format!(
            "a reduction of {} values has no value {value_index}",
            source.len()
        )));
    };
    if axis.iter().any(|a| a.iter_type != IterType::CommReduce) {
        return Err(BuildError::message("the axes of a reduction must be of type \"CommReduce\""));
    }
    let span = Span::current();
    Ok(Ref::new(Reduce { span, dtype, combiner, source, init, axis, condition, value_index }).upcast())
}

/// An index map.
#[script_fn]
pub fn index_map(
    mapping: ScriptValue,
    #[kw_only]
    #[default = None]
    inverse_index_map: Option<ScriptValue>,
    #[kw_only]
    #[default = DataType::INT64]
    index_dtype: DataType,
) -> BuildResult<Ref<IndexMap>> {
    let inverse = match inverse_index_map {
        Some(inverse) => Some(index_map_of(&inverse, index_dtype, ExprArg::convert)?.into()),
        None => None,
    };
    let mut map = index_map_of(&mapping, index_dtype, ExprArg::convert)?;
    map.make_mut().inverse_index_map = inverse;
    Ok(map)
}

/// A compilation target.
#[script_fn]
pub fn target(
    target_config: tvmscript_ir::build::TargetArg,
    #[default = None] host: Option<tvmscript_ir::build::TargetArg>,
) -> BuildResult<Ref<tvmscript_ir::Target>> {
    Ok(tvmscript_ir::build::target(target_config, host))
}
