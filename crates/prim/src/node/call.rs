//! Calls, let expressions and reducers.

use crate::{BaseExpr, Op};
use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::{Array, DataType, Node, Ref, Span};

use super::leaf::has_dtype;
use crate::class::{Expr, PrimExpr, PrimExprExt};
use crate::error::{PrimError, PrimResult};
use crate::node::Var;

/// A call of an operator or of a function of the module.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.Call", parent = PrimExpr)]
pub struct Call {
    /// Source span.
    pub span: Span,
    /// The type of the result.
    pub dtype: DataType,
    /// An [`Op`], or a function's `GlobalVar`.
    pub op: Ref<BaseExpr>,
    /// The arguments.
    pub args: Array<Expr>,
}

impl Call {
    /// Constructs a call of an operator.
    pub fn new(dtype: DataType, op: Ref<Op>, args: impl IntoIterator<Item = Expr>) -> Expr {
        Call::with_callee(dtype, op.upcast(), Array::new(args))
    }

    /// Constructs a call of any callee.
    pub fn with_callee(dtype: DataType, op: Ref<BaseExpr>, args: Array<Expr>) -> Expr {
        Ref::new(Call { span: Span::current(), dtype, op, args }).upcast()
    }

    /// The name of the called operator; `None` for other callees.
    pub fn op_name(&self) -> Option<&str> {
        self.op.as_node::<Op>().map(|op| op.name.as_str())
    }

    /// Returns `true` if the callee is the operator `op`.
    pub fn is_op(&self, op: &Ref<Op>) -> bool {
        self.op.ptr_eq(op)
    }
}

/// A value bound to a variable inside an expression.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.Let", parent = PrimExpr, check = Let::check)]
pub struct Let {
    /// Source span.
    pub span: Span,
    /// The body's type.
    pub dtype: DataType,
    /// The variable.
    #[node(def)]
    pub var: Ref<Var>,
    /// Its value.
    pub value: Expr,
    /// The scope of the variable.
    pub body: Expr,
}

impl Let {
    fn check(&self) -> Checked {
        let (left, right) = (self.var.dtype, self.value.dtype());
        if left != right {
            return Err(Invalid::at("value", PrimError::MismatchedTypes { left, right }));
        }
        has_dtype(self.dtype, self.body.dtype())
    }

    /// Constructs the node.
    /// # Errors
    /// [`PrimError::MismatchedTypes`] if variable and value differ in type.
    pub fn try_new(var: Ref<Var>, value: Expr, body: Expr) -> PrimResult<Expr> {
        if var.dtype != value.dtype() {
            return Err(PrimError::MismatchedTypes { left: var.dtype, right: value.dtype() });
        }
        let dtype = body.dtype();
        Ok(Ref::new(Let { span: Span::current(), dtype, var, value, body }).upcast())
    }
}

/// A commutative combination of two tuples of values, with its identity element.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.CommReducer", check = CommReducer::check)]
pub struct CommReducer {
    /// The left values' variables.
    #[node(def)]
    pub lhs: Array<Ref<Var>>,
    /// The right values' variables.
    #[node(def)]
    pub rhs: Array<Ref<Var>>,
    /// The combined values.
    pub result: Array<Expr>,
    /// The identity element of the combination.
    pub identity_element: Array<Expr>,
    /// Source span.
    pub span: Span,
}

impl CommReducer {
    fn check(&self) -> Checked {
        let count = self.result.len();
        let others = [
            ("lhs", self.lhs.len()),
            ("rhs", self.rhs.len()),
            ("identity_element", self.identity_element.len()),
        ];
        match others.into_iter().find(|(_, found)| *found != count) {
            Some((field, found)) => {
                Err(Invalid::at(field, format_args!("{found} elements, but the reducer has {count} results")))
            }
            None => Ok(()),
        }
    }
}
