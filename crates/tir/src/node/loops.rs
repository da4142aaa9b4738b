//! Loops.

use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::{IntField, Map, Node, Ref, Span, Str, Value};
use tvmscript_prim::{Expr, IntImm, PrimExprExt, Var};

use super::{IterVar, Stmt, StmtRef};
use crate::error::{Result, TirError};

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

/// Arguments of [`For::try_new`].
#[derive(Debug, Clone)]
pub struct ForParts {
    /// The variable.
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
    fn check(&self) -> Checked {
        let expected = self.loop_var.dtype;
        if !expected.is_scalar() || !expected.is_integer() {
            let (what, found) = ("the loop variable", expected);
            let error = TirError::Kind { what, expected: "a scalar integer", found };
            return Err(Invalid::at("loop_var", error));
        }
        let parts = [("min", Some(&self.min)), ("extent", Some(&self.extent)), ("step", self.step.as_ref())];
        for (field, part) in parts {
            let Some(found) = part.map(|part| part.dtype()).filter(|found| *found != expected) else {
                continue;
            };
            return Err(Invalid::at(field, TirError::Type { what: "a bound of the loop", found, expected }));
        }
        Ok(())
    }

    /// Creates a loop. Integer literals narrower than the variable are widened.
    ///
    /// # Errors
    /// If variable, bounds and step are not scalars of one integer type.
    ///
    /// # Source
    /// `For` constructor, `src/tir/ir/stmt.cc`.
    pub fn try_new(parts: ForParts) -> Result<StmtRef> {
        let ForParts { loop_var, min, extent, kind, body, thread_binding, annotations, step } = parts;
        let dtype = loop_var.dtype;
        let part = |what: &'static str, e: Expr| -> Result<Expr> {
            let found = e.dtype();
            if !found.is_scalar() || !(found.is_integer()) {
                return Err(TirError::Kind { what, expected: "a scalar integer", found });
            }
            match e.as_node::<IntImm>() {
                Some(lit) if found.bits < dtype.bits => Ok(IntImm::try_new(dtype, lit.value)?),
                _ if found != dtype => Err(TirError::Type { what, found, expected: dtype }),
                _ => Ok(e),
            }
        };
        if !dtype.is_scalar() || !dtype.is_integer() {
            return Err(TirError::Kind {
                what: "the loop variable",
                expected: "a scalar integer",
                found: dtype,
            });
        }
        let min = part("the loop's start", min)?;
        let extent = part("the loop's extent", extent)?;
        let step = step.map(|s| part("the loop's step", s)).transpose()?;
        let span = Span::current();
        Ok(Ref::new(For { span, loop_var, min, extent, kind, body, thread_binding, annotations, step })
            .upcast())
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
