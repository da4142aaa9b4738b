//! Interface between the analyses and the nodes: a view of expressions, and constructors.
//!
//! [`fold`] computes constants, drops neutral operands and matches types; [`strict`] builds the node as given, from
//! operands of one type.
//!
//! Upstream counterpart: `src/arith/const_fold.h`.

use smallvec::SmallVec;
use tvmscript_ir_core::{DataType, PtrMap};
use tvmscript_prim as prim;
use tvmscript_prim::{ExprKind, ExprView, PrimExprExt};

use crate::error::{ArithError, Result};

pub(crate) use prim::intrinsic::Intrinsic;
pub(crate) use prim::ops::BinaryOp as BinOp;
pub(crate) use prim::{Effect, Expr};

/// Returns `true` for comparisons and connectives.
pub(crate) fn gives_truth(op: BinOp) -> bool {
    op as u8 >= BinOp::Eq as u8
}

/// The comparison with swapped operands.
pub(crate) fn mirrored(op: BinOp) -> BinOp {
    match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Le => BinOp::Ge,
        BinOp::Gt => BinOp::Lt,
        BinOp::Ge => BinOp::Le,
        other => other,
    }
}

/// The kind of an expression; a set of kinds fits one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    Other,
    Int,
    Float,
    Var,
    Not,
    Select,
    Cast,
    Ramp,
    Broadcast,
    Let,
    Call,
    Bin(BinOp),
}

impl Tag {
    /// Number of kinds.
    pub(crate) const COUNT: usize = Self::Bin(BinOp::Or).number() + 1;

    /// The kind as a number.
    pub(crate) const fn number(self) -> usize {
        match self {
            Self::Other => 0,
            Self::Int => 1,
            Self::Float => 2,
            Self::Var => 3,
            Self::Not => 4,
            Self::Select => 5,
            Self::Cast => 6,
            Self::Ramp => 7,
            Self::Broadcast => 8,
            Self::Let => 9,
            Self::Call => 10,
            Self::Bin(op) => 11 + op as usize,
        }
    }

    /// The kind as a bit of a set.
    pub(crate) fn bit(self) -> u32 {
        1 << self.number()
    }
}

#[derive(Clone, Copy)]
pub(crate) struct CallView<'a> {
    pub(crate) node: &'a prim::Call,
}

impl<'a> CallView<'a> {
    /// The operator, if the analyses interpret it.
    pub(crate) fn intrinsic(self) -> Option<Intrinsic> {
        Intrinsic::of(self.node)
    }

    pub(crate) fn args(self) -> SmallVec<[&'a Expr; 3]> {
        self.node.args.iter().collect()
    }
}

/// An expression as the analyses see it.
#[derive(Clone, Copy)]
pub(crate) enum View<'a> {
    Int(i64),
    Float(f64),
    Var,
    Bin(BinOp, &'a Expr, &'a Expr),
    Not(&'a Expr),
    Select(&'a Expr, &'a Expr, &'a Expr),
    Cast(&'a Expr),
    Ramp(&'a Expr, &'a Expr, &'a Expr),
    Broadcast(&'a Expr, &'a Expr),
    Let(&'a Expr, &'a Expr, &'a Expr),
    Call(CallView<'a>),
    Other,
}

/// Generates the view, whose variants for binary nodes are alike.
macro_rules! view_of_nodes {
    ($($op:ident = $node:ident),* $(,)?) => {
        #[inline]
        pub(crate) fn view(e: &Expr) -> View<'_> {
            match e.kind() {
                ExprKind::IntImm(node) => View::Int(node.value),
                ExprKind::FloatImm(node) => View::Float(node.value),
                ExprKind::Var(_) => View::Var,
                $(ExprKind::$node(node) => View::Bin(BinOp::$op, &node.a, &node.b),)*
                ExprKind::Not(node) => View::Not(&node.a),
                ExprKind::Select(node) => View::Select(&node.condition, &node.true_value, &node.false_value),
                ExprKind::Cast(node) => View::Cast(&node.value),
                ExprKind::Ramp(node) => View::Ramp(&node.base, &node.stride, &node.lanes),
                ExprKind::Broadcast(node) => View::Broadcast(&node.value, &node.lanes),
                ExprKind::Let(node) => View::Let(node.var.upcast_ref(), &node.value, &node.body),
                ExprKind::Call(node) => View::Call(CallView { node }),
                _ => View::Other,
            }
        }
    };
}
view_of_nodes! {
    Add = Add, Sub = Sub, Mul = Mul, Div = Div, Mod = Mod, FloorDiv = FloorDiv, FloorMod = FloorMod, Min = Min,
    Max = Max, Eq = EQ, Ne = NE, Lt = LT, Le = LE, Gt = GT, Ge = GE, And = And, Or = Or,
}

pub(crate) fn tag(e: &Expr) -> Tag {
    match view(e) {
        View::Int(_) => Tag::Int,
        View::Float(_) => Tag::Float,
        View::Var => Tag::Var,
        View::Bin(op, ..) => Tag::Bin(op),
        View::Not(_) => Tag::Not,
        View::Select(..) => Tag::Select,
        View::Cast(_) => Tag::Cast,
        View::Ramp(..) => Tag::Ramp,
        View::Broadcast(..) => Tag::Broadcast,
        View::Let(..) => Tag::Let,
        View::Call(_) => Tag::Call,
        View::Other => Tag::Other,
    }
}

#[inline]
pub(crate) fn dtype(e: &Expr) -> DataType {
    e.dtype()
}

#[inline]
pub(crate) fn as_int(e: &Expr) -> Option<i64> {
    e.as_node::<prim::IntImm>().map(|node| node.value)
}

pub(crate) fn as_float(e: &Expr) -> Option<f64> {
    e.as_node::<prim::FloatImm>().map(|node| node.value)
}

pub(crate) fn is_var(e: &Expr) -> bool {
    e.object().is::<prim::Var>()
}

/// Returns `true` for a variable that is declared as non-negative.
pub(crate) fn is_size_var(e: &Expr) -> bool {
    std::ptr::eq(e.object().info(), prim::size_var_type())
}

/// Returns `true` for signed 32- and 64-bit scalars, the types of index values.
pub(crate) fn is_index(dtype: DataType) -> bool {
    dtype.is_int() && dtype.is_scalar() && (dtype.bits == 32 || dtype.bits == 64)
}

fn stop(error: prim::PrimError) -> ArithError {
    ArithError::Constant(error)
}

/// The node `a op b`, not folded.
pub(crate) fn strict(op: BinOp, a: Expr, b: Expr) -> Result<Expr> {
    op.node(a, b).map_err(stop)
}

/// The number `value` in every lane of `dtype`.
pub(crate) fn constant(dtype: DataType, value: i64) -> Result<Expr> {
    let scalar = if dtype.is_any_float() {
        prim::FloatImm::try_new(dtype.element(), value as f64)
    } else {
        prim::IntImm::try_new(dtype.element(), value)
    }
    .map_err(stop)?;
    if dtype.is_scalar() {
        return Ok(scalar);
    }
    Ok(prim::Broadcast::with_lanes(scalar, prim::Lanes::of(dtype)))
}

/// `a op b` with constants computed and neutral operands dropped. Operands of different types are matched as the
/// operators of scripts match them.
pub(crate) fn fold(op: BinOp, a: Expr, b: Expr) -> Result<Expr> {
    if dtype(&a) != dtype(&b) {
        return prim::ops::binary(op, a, b).map_err(stop);
    }
    match prim::ops::fold::fold(op, &a, &b).map_err(stop)? {
        Some(folded) => Ok(folded.pick(a, b)),
        None => strict(op, a, b),
    }
}

/// [`fold`] of copies of both operands.
pub(crate) fn folded(op: BinOp, a: &Expr, b: &Expr) -> Result<Expr> {
    fold(op, a.clone(), b.clone())
}

/// The value that `a op b` folds to, for operands of one type.
pub(crate) fn try_fold(op: BinOp, a: &Expr, b: &Expr) -> Result<Option<Expr>> {
    let folded = prim::ops::fold::fold(op, a, b).map_err(stop)?;
    Ok(folded.map(|folded| folded.pick(a.clone(), b.clone())))
}

/// `value` converted to `dtype`; constants are converted in place.
pub(crate) fn cast(dtype: DataType, value: Expr) -> Result<Expr> {
    prim::ops::cast(dtype, value).map_err(stop)
}

/// The number `value` with the type of `e`.
pub(crate) fn like(e: &Expr, value: i64) -> Result<Expr> {
    constant(dtype(e), value)
}

/// `e + value`.
pub(crate) fn plus(e: &Expr, value: i64) -> Result<Expr> {
    fold(if value < 0 { BinOp::Sub } else { BinOp::Add }, e.clone(), like(e, value.abs())?)
}

/// `0 - e`.
pub(crate) fn negated(e: Expr) -> Result<Expr> {
    fold(BinOp::Sub, like(&e, 0)?, e)
}

/// The negation, not folded.
pub(crate) fn not(a: Expr) -> Result<Expr> {
    prim::Not::try_new(a).map_err(stop)
}

/// The selection, not folded.
pub(crate) fn select(condition: Expr, on_true: Expr, on_false: Expr) -> Result<Expr> {
    prim::Select::try_new(condition, on_true, on_false).map_err(stop)
}

pub(crate) fn ramp(base: Expr, stride: Expr, lanes: Expr) -> Result<Expr> {
    prim::Ramp::try_new(base, stride, &lanes).map_err(stop)
}

pub(crate) fn broadcast(value: Expr, lanes: Expr) -> Result<Expr> {
    prim::Broadcast::try_new(value, &lanes).map_err(stop)
}

pub(crate) fn let_in(var: &Expr, value: Expr, body: Expr) -> Result<Expr> {
    let var = var.downcast_ref::<prim::Var>().ok_or(ArithError::MalformedRule)?;
    prim::Let::try_new(var.clone(), value, body).map_err(stop)
}

/// The call `call` with other arguments.
pub(crate) fn call_with(e: &Expr, call: &CallView<'_>, args: impl IntoIterator<Item = Expr>) -> Expr {
    let args = tvmscript_ir_core::Array::new(args);
    prim::Call::with_callee(dtype(e), call.node.op.clone(), args)
}

/// The value in the last lane of a ramp.
pub(crate) fn last_lane(base: &Expr, stride: &Expr, lanes: &Expr) -> Result<Expr> {
    let steps = fold(BinOp::Sub, lanes.clone(), constant(dtype(lanes), 1)?)?;
    fold(BinOp::Add, base.clone(), fold(BinOp::Mul, steps, stride.clone())?)
}

pub(crate) use crate::structure::{deep_equal, deep_hash, effect, mentions, node_count, operands};

/// A map keyed by the identity of variables.
#[derive(Debug, Clone)]
pub(crate) struct VarMap<T> {
    entries: PtrMap<T>,
}

impl<T> Default for VarMap<T> {
    fn default() -> Self {
        Self { entries: PtrMap::default() }
    }
}

impl<T> VarMap<T> {
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    #[inline]
    pub(crate) fn get(&self, var: &Expr) -> Option<&T> {
        if self.entries.is_empty() {
            return None;
        }
        self.entries.get(var.object())
    }

    pub(crate) fn insert(&mut self, var: &Expr, value: T) {
        self.entries.insert(var.object().clone(), value);
    }

    pub(crate) fn remove(&mut self, var: &Expr) {
        self.entries.remove(var.object());
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}
