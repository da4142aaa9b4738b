//! Loops.

use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::{IntField, Map, Node, Ref, Span, Str, Value};
use tvmscript_prim::{Expr, IntImm, PrimExprExt, Var};

use super::{IterVar, Stmt, StmtRef};
use crate::error::{TirResult, check_kind, check_type};

/// The execution mode of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ForKind {
    /// Sequential.
    Serial = 0,
    /// On several CPU threads.
    Parallel = 1,
    /// In the lanes of a vector.
    Vectorized = 2,
    /// Unrolled.
    Unrolled = 3,
    /// On device threads.
    ThreadBinding = 4,
}

impl IntField for ForKind {
    fn to_int(self) -> i64 {
        self as i64
    }
    fn from_int(value: i64) -> Option<Self> {
        use ForKind::*;
        [Serial, Parallel, Vectorized, Unrolled, ThreadBinding].into_iter().find(|k| *k as i64 == value)
    }
}

/// A loop over `extent` values from `min`.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.For", parent = Stmt, check = For::check)]
pub struct For {
    /// Source span.
    pub span: Span,
    /// The variable.
    #[node(def)]
    pub loop_var: Ref<Var>,
    /// The first value.
    pub min: Expr,
    /// Number of values.
    pub extent: Expr,
    /// Execution mode.
    pub kind: ForKind,
    /// The body.
    pub body: StmtRef,
    /// The thread, for [`ForKind::ThreadBinding`].
    pub thread_binding: Option<Ref<IterVar>>,
    /// Annotations for passes.
    pub annotations: Map<Str, Value>,
    /// Distance between values; 1 if absent.
    pub step: Option<Expr>,
}

impl For {
    fn check_var(&self) -> TirResult<()> {
        let found = self.loop_var.dtype;
        check_kind("the loop variable", "a scalar integer", found, found.is_scalar() && found.is_integer())
    }

    fn check(&self) -> Checked {
        self.check_var().map_err(|error| Invalid::at("loop_var", error))?;
        let parts = [("min", Some(&self.min)), ("extent", Some(&self.extent)), ("step", self.step.as_ref())];
        for (field, part) in parts {
            let Some(part) = part else { continue };
            check_type("a bound of the loop", part.dtype(), self.loop_var.dtype)
                .map_err(|error| Invalid::at(field, error))?;
        }
        Ok(())
    }

    /// Creates a loop from its fields. Integer literals narrower than the variable are widened.
    ///
    /// # Errors
    /// If variable, bounds and step are not scalars of one integer type.
    ///
    /// # Source
    /// `For` constructor, `src/tir/ir/stmt.cc`.
    pub fn try_new(fields: For) -> TirResult<StmtRef> {
        fields.check_var()?;
        let dtype = fields.loop_var.dtype;
        let part = |what: &'static str, e: Expr| -> TirResult<Expr> {
            let found = e.dtype();
            check_kind(what, "a scalar integer", found, found.is_scalar() && found.is_integer())?;
            match e.as_node::<IntImm>() {
                Some(lit) if found.bits < dtype.bits => Ok(IntImm::try_new(dtype, lit.value)?),
                _ => check_type(what, found, dtype).map(|()| e),
            }
        };
        let min = part("the loop's start", fields.min)?;
        let extent = part("the loop's extent", fields.extent)?;
        let step = fields.step.map(|s| part("the loop's step", s)).transpose()?;
        Ok(Ref::new(For { min, extent, step, ..fields }).upcast())
    }
}

/// A `while` loop.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.While", parent = Stmt)]
pub struct While {
    /// Source span.
    pub span: Span,
    /// The condition.
    pub condition: Expr,
    /// The body.
    pub body: StmtRef,
}
