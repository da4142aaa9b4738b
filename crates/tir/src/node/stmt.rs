//! Statements other than loops and blocks.

use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::{Array, Class, DataType, Map, Node, Ref, Span, Str, Value};
use tvmscript_prim::{Expr, IntImm, PointerType, PrimExprExt, PrimType, Range, Var};

use super::Buffer;
use super::expr::{check_mask, element_type};
use crate::error::{Result, TirError};

/// A statement (`tir.Stmt`).
#[derive(Class)]
#[class(key = "tir.Stmt")]
pub struct Stmt(());

/// A handle to a statement.
pub type StmtRef = Ref<Stmt>;

/// A value bound to a variable for the rest of a body.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.LetStmt", parent = Stmt)]
pub struct LetStmt {
    /// Where it was written.
    pub span: Span,
    /// The variable.
    #[node(def)]
    pub var: Ref<Var>,
    /// Its value.
    pub value: Expr,
    /// Where it holds.
    pub body: StmtRef,
}

impl LetStmt {
    /// The node.
    /// # Errors
    /// When variable and value differ in type; a pointer takes any handle.
    pub fn try_new(var: Ref<Var>, value: Expr, body: StmtRef) -> Result<StmtRef> {
        let (expected, found) = (var.dtype, value.dtype());
        let fits = if expected.is_handle() { found.is_handle() } else { expected == found };
        if !fits {
            return Err(TirError::Type { what: "the bound value", found, expected });
        }
        Ok(Ref::new(LetStmt { span: Span::current(), var, value, body }).upcast())
    }
}

/// A note that holds for a body.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.AttrStmt", parent = Stmt)]
pub struct AttrStmt {
    /// Where it was written.
    pub span: Span,
    /// What it speaks of.
    pub node: Value,
    /// What it says.
    pub attr_key: Str,
    /// With which value.
    pub value: Expr,
    /// Where it holds.
    pub body: StmtRef,
}

/// A condition that must hold for a body.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.AssertStmt", parent = Stmt)]
pub struct AssertStmt {
    /// Where it was written.
    pub span: Span,
    /// The condition.
    pub condition: Expr,
    /// What is said when it does not hold.
    pub message: Expr,
    /// The body.
    pub body: StmtRef,
}

impl AssertStmt {
    /// The node.
    /// # Errors
    /// When the condition is not bool.
    pub fn try_new(condition: Expr, message: Expr, body: StmtRef) -> Result<StmtRef> {
        let found = condition.dtype();
        if !found.is_bool() {
            return Err(TirError::Kind { what: "the asserted condition", expected: "bool", found });
        }
        Ok(Ref::new(AssertStmt { span: Span::current(), condition, message, body }).upcast())
    }
}

/// A value put into a buffer.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.BufferStore", parent = Stmt)]
pub struct BufferStore {
    /// Where it was written.
    pub span: Span,
    /// The buffer.
    pub buffer: Ref<Buffer>,
    /// The value.
    pub value: Expr,
    /// One index per dimension; only the last may be a vector.
    pub indices: Array<Expr>,
    /// Which lanes are stored.
    pub predicate: Option<Expr>,
}

impl BufferStore {
    /// The node.
    /// # Shapes
    /// `indices.len() == buffer.shape.len()`; the value's lanes are the buffer's times those of the last index.
    /// # Errors
    /// When indices, value or predicate do not fit the buffer.
    pub fn try_new(
        buffer: Ref<Buffer>,
        value: Expr,
        indices: Array<Expr>,
        predicate: Option<Expr>,
    ) -> Result<StmtRef> {
        let place = element_type(&buffer, &indices)?;
        if value.dtype() != place {
            let name = buffer.name.get().to_string();
            return Err(TirError::StoreType { buffer: name, value: value.dtype(), place });
        }
        if let Some(mask) = &predicate {
            check_mask(mask, place)?;
        }
        Ok(Ref::new(BufferStore { span: Span::current(), buffer, value, indices, predicate }).upcast())
    }
}

/// Where in a buffer a body computes.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.BufferRealize", parent = Stmt)]
pub struct BufferRealize {
    /// Where it was written.
    pub span: Span,
    /// The buffer.
    pub buffer: Ref<Buffer>,
    /// The part of it.
    pub bounds: Array<Ref<Range>>,
    /// Whether it is allocated.
    pub condition: Expr,
    /// The body.
    pub body: StmtRef,
}

/// Memory for a body.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.Allocate", parent = Stmt)]
pub struct Allocate {
    /// Where it was written.
    pub span: Span,
    /// The pointer.
    #[node(def)]
    pub buffer_var: Ref<Var>,
    /// The element type.
    pub dtype: DataType,
    /// Elements per dimension.
    pub extents: Array<Expr>,
    /// Whether it is allocated.
    pub condition: Expr,
    /// The body.
    pub body: StmtRef,
    /// Notes to passes.
    pub annotations: Map<Str, Value>,
}

impl Allocate {
    /// The node.
    /// # Errors
    /// When the pointer does not point to the element type (bool and int8 stand for each other), an extent is no
    /// scalar, or the condition is not bool.
    pub fn try_new(
        buffer_var: Ref<Var>,
        dtype: DataType,
        extents: Array<Expr>,
        condition: Expr,
        body: StmtRef,
        annotations: Map<Str, Value>,
    ) -> Result<StmtRef> {
        let points_to = buffer_var
            .type_annotation
            .as_node::<PointerType>()
            .and_then(|p| p.element_type.as_node::<PrimType>().map(|e| e.dtype));
        let Some(element) = points_to else {
            return Err(TirError::BufferData { name: buffer_var.name.get().to_string() });
        };
        let is_byte = |d: DataType| d.is_bool() || (d.is_int() && d.bits == 8);
        if element != dtype && !(is_byte(element) && is_byte(dtype)) {
            return Err(TirError::Type { what: "the allocated pointer", found: element, expected: dtype });
        }
        for extent in extents.iter() {
            if !extent.dtype().is_scalar() {
                let found = extent.dtype();
                return Err(TirError::Kind { what: "an extent", expected: "a scalar", found });
            }
        }
        if !condition.dtype().is_bool() {
            let found = condition.dtype();
            return Err(TirError::Kind { what: "the condition", expected: "bool", found });
        }
        let span = Span::current();
        Ok(Ref::new(Allocate { span, buffer_var, dtype, extents, condition, body, annotations }).upcast())
    }
}

/// Constant memory for a body.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.AllocateConst", parent = Stmt)]
pub struct AllocateConst {
    /// Where it was written.
    pub span: Span,
    /// The pointer.
    #[node(def)]
    pub buffer_var: Ref<Var>,
    /// The elements.
    pub data: Option<Ref<TensorNode>>,
    /// Which of the module's constants, instead of the elements.
    pub irmod_storage_idx: Option<Expr>,
    /// The element type.
    pub dtype: DataType,
    /// Elements per dimension.
    pub extents: Array<Expr>,
    /// The body.
    pub body: StmtRef,
    /// Notes to passes.
    pub annotations: Map<Str, Value>,
}

/// A buffer declared over memory for a body.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.DeclBuffer", parent = Stmt)]
pub struct DeclBuffer {
    /// Where it was written.
    pub span: Span,
    /// The buffer.
    pub buffer: Ref<Buffer>,
    /// The body.
    pub body: StmtRef,
}

/// Statements in order.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.SeqStmt", parent = Stmt, sequence)]
pub struct SeqStmt {
    /// Where they were written.
    pub span: Span,
    /// At least two, none a sequence itself.
    pub seq: Array<StmtRef>,
}

/// An expression evaluated for its effect.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.Evaluate", parent = Stmt)]
pub struct Evaluate {
    /// Where it was written.
    pub span: Span,
    /// The expression.
    pub value: Expr,
}

impl Evaluate {
    /// The node.
    pub fn new(value: Expr) -> StmtRef {
        Ref::new(Evaluate { span: Span::current(), value }).upcast()
    }
}

/// One of two bodies.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.IfThenElse", parent = Stmt)]
pub struct IfThenElse {
    /// Where it was written.
    pub span: Span,
    /// Which.
    pub condition: Expr,
    /// Where the condition holds.
    pub then_case: StmtRef,
    /// Where it does not.
    pub else_case: Option<StmtRef>,
}

/// Statements as one: nested sequences are spliced, a single one stays bare, none is `Evaluate(0)`.
///
/// TVM also drops an `Evaluate` of a constant zero here, so that a trailing `T.evaluate(0)` is lost when its text is read;
/// this function drops one only where `keep_noops` is false.
pub fn flatten(stmts: Vec<StmtRef>, keep_noops: bool) -> StmtRef {
    let is_noop =
        |s: &StmtRef| s.as_node::<Evaluate>().is_some_and(|e| tvmscript_prim::ops::is_zero(&e.value));
    let mut seq = Vec::with_capacity(stmts.len());
    for stmt in stmts {
        match stmt.as_node::<SeqStmt>() {
            Some(inner) => seq.extend(inner.seq.iter().cloned()),
            None if !keep_noops && is_noop(&stmt) => {}
            None => seq.push(stmt),
        }
    }
    match seq.len() {
        0 => Evaluate::new(IntImm::int32(0)),
        1 => seq.remove(0),
        _ => Ref::new(SeqStmt { span: Span::current(), seq: Array::new(seq) }).upcast(),
    }
}
