//! Statements that hold until the end of the enclosing sequence, and calls with annotations.

use tvmscript_ir_core::fresh::Definitions;
use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::{Array, DataType, Map, Node, ObjectLike, Ref, Span, Str, Value};
use tvmscript_prim::{BaseExpr, Expr, PrimExpr, PrimExprExt, StringImm, Type, Var};
use tvmscript_tir::error::TirResult;
use tvmscript_tir::{Buffer, LetStmt, Stmt, StmtRef};

/// Binds a variable (`tirx.Bind`).
#[derive(Debug, Clone, Node)]
#[node(key = "tirx.Bind", parent = Stmt, check = Bind::check)]
pub struct Bind {
    /// Source span.
    pub span: Span,
    /// The variable.
    #[node(def)]
    pub var: Ref<Var>,
    /// Its value.
    pub value: Expr,
}

impl Bind {
    /// Creates the node.
    ///
    /// # Errors
    /// If variable and value differ in type; a pointer accepts any handle.
    pub fn try_new(var: Ref<Var>, value: Expr) -> TirResult<StmtRef> {
        let bind = Bind { span: Span::current(), var, value };
        bind.check_value()?;
        Ok(Ref::new(bind).upcast())
    }

    fn check_value(&self) -> TirResult<()> {
        LetStmt::check_types(self.var.dtype, self.value.dtype())
    }

    fn check(&self) -> Checked {
        self.check_value().map_err(|error| Invalid::at("value", error))
    }
}

/// Allocates a buffer with its memory (`tirx.AllocBuffer`).
#[derive(Debug, Clone, Node)]
#[node(key = "tirx.AllocBuffer", parent = Stmt, defines = AllocBuffer::defines)]
pub struct AllocBuffer {
    /// Source span.
    pub span: Span,
    /// The buffer.
    pub buffer: Ref<Buffer>,
    /// Annotations for passes.
    pub annotations: Map<Str, Value>,
}

impl AllocBuffer {
    fn defines(&self, definitions: &mut Definitions) {
        definitions.define(self.buffer.as_object());
        definitions.define(self.buffer.data.as_object());
    }
}

/// Declares a buffer over existing memory (`tirx.DeclBuffer`).
#[derive(Debug, Clone, Node)]
#[node(key = "tirx.DeclBuffer", parent = Stmt, defines = DeclBuffer::defines)]
pub struct DeclBuffer {
    /// Source span.
    pub span: Span,
    /// The buffer.
    pub buffer: Ref<Buffer>,
    /// A pointer to the memory, in releases whose buffers do not share their data pointer.
    #[node(optional)]
    pub data: Option<Expr>,
}

impl DeclBuffer {
    fn defines(&self, definitions: &mut Definitions) {
        definitions.define(self.buffer.as_object());
        if self.data.is_some() {
            definitions.define(self.buffer.data.as_object());
        }
    }
}

/// Asserts a condition (`tirx.AssertStmt`).
#[derive(Debug, Clone, Node)]
#[node(key = "tirx.AssertStmt", parent = Stmt, check = AssertStmt::check)]
pub struct AssertStmt {
    /// Source span.
    pub span: Span,
    /// The condition.
    pub condition: Expr,
    /// Python's name of the error.
    pub error_kind: Ref<StringImm>,
    /// The message in pieces, which lowered code shares.
    pub message_parts: Array<Ref<StringImm>>,
}

impl AssertStmt {
    fn check(&self) -> Checked {
        match self.condition.dtype().is_bool() {
            true => Ok(()),
            false => Err(Invalid::at("condition", "the condition is not bool")),
        }
    }
}

/// Names the indices of a scope of threads, such as those of blocks or warps (`tirx.ScopeIdDefStmt`).
#[derive(Debug, Clone, Node)]
#[node(key = "tirx.ScopeIdDefStmt", parent = Stmt)]
pub struct ScopeIdDefStmt {
    /// Source span.
    pub span: Span,
    /// Number of indices per dimension; a pass infers them if they are absent.
    pub extents: Option<Array<Expr>>,
    /// The scope, by the function that names its indices: `cta_id`.
    pub scope: Str,
    /// The indices.
    #[node(def)]
    pub def_ids: Array<Ref<Var>>,
}

/// A call with annotations for passes (`tirx.AnnotatedCall`). A call without is a [`Call`](tvmscript_prim::Call).
#[derive(Debug, Clone, Node)]
#[node(key = "tirx.AnnotatedCall", parent = PrimExpr)]
pub struct AnnotatedCall {
    /// Source span.
    pub span: Span,
    /// The type of the result.
    pub dtype: DataType,
    /// The operator.
    pub op: Ref<BaseExpr>,
    /// The arguments.
    pub args: Array<Expr>,
    /// The annotations, at least one.
    pub annotations: Map<Str, Value>,
}

/// A call whose result is a pointer with an element type (`tirx.TypedCall`). A call of another type is a
/// [`Call`](tvmscript_prim::Call).
#[derive(Debug, Clone, Node)]
#[node(key = "tirx.TypedCall", parent = PrimExpr)]
pub struct TypedCall {
    /// Source span.
    pub span: Span,
    /// The data type of a pointer.
    pub dtype: DataType,
    /// The operator or function.
    pub op: Ref<BaseExpr>,
    /// The arguments.
    pub args: Array<Expr>,
    /// The type.
    pub ty: Ref<Type>,
}

impl TypedCall {
    /// A call whose result is a pointer of this type.
    pub fn make(op: Ref<BaseExpr>, args: Array<Expr>, ty: Ref<Type>) -> Expr {
        Ref::new(TypedCall { span: Span::current(), dtype: DataType::HANDLE, op, args, ty }).upcast()
    }
}

/// A buffer as an argument of a call (`tirx.BufferArgument`).
#[derive(Debug, Clone, Node)]
#[node(key = "tirx.BufferArgument", parent = PrimExpr)]
pub struct BufferArgument {
    /// Source span.
    pub span: Span,
    /// The data type of a pointer.
    pub dtype: DataType,
    /// The buffer.
    pub buffer: Ref<Buffer>,
}

impl BufferArgument {
    /// The argument that stands for a buffer.
    pub fn of(buffer: Ref<Buffer>) -> Expr {
        Ref::new(BufferArgument { span: Span::current(), dtype: DataType::HANDLE, buffer }).upcast()
    }
}
