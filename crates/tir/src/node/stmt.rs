//! Statements other than loops and blocks.

use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::fresh::Definitions;
use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::{Array, Class, DataType, Map, Node, Object, Ref, Span, Str, Value};
use tvmscript_prim::{Expr, IntImm, PointerType, PrimExprExt, PrimType, Range, Var};

use super::Buffer;
use super::buffer::DefineBuffer as _;
use super::expr::{IterVar, check_mask, check_mask_of, element_type};
use crate::error::{TirError, TirResult, check_kind, check_type};

/// A statement (`tir.Stmt`).
#[derive(Class)]
#[class(key = "tir.Stmt")]
pub struct Stmt(());

/// A handle to a statement.
pub type StmtRef = Ref<Stmt>;

/// Binds a variable in a body.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.LetStmt", parent = Stmt, check = LetStmt::check)]
pub struct LetStmt {
    /// Source span.
    pub span: Span,
    /// The variable.
    #[node(def)]
    pub var: Ref<Var>,
    /// Its value.
    pub value: Expr,
    /// The scope of the variable.
    pub body: StmtRef,
}

impl LetStmt {
    /// Creates the node.
    ///
    /// # Errors
    /// If variable and value differ in type; a pointer accepts any handle.
    pub fn try_new(var: Ref<Var>, value: Expr, body: StmtRef) -> TirResult<StmtRef> {
        let stmt = LetStmt { span: Span::current(), var, value, body };
        stmt.check_value()?;
        Ok(Ref::new(stmt).upcast())
    }

    fn check_value(&self) -> TirResult<()> {
        LetStmt::check_types(self.var.dtype, self.value.dtype())
    }

    /// Fails unless a variable of type `expected` can be bound to a value of type `found`.
    ///
    /// # Errors
    /// If they differ; a pointer accepts any handle.
    pub fn check_types(expected: DataType, found: DataType) -> TirResult<()> {
        if expected.is_handle() && found.is_handle() {
            return Ok(());
        }
        check_type("the bound value", found, expected)
    }

    fn check(&self) -> Checked {
        self.check_value().map_err(|error| Invalid::at("value", error))
    }
}

/// An attribute that applies to a body.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.AttrStmt", parent = Stmt)]
pub struct AttrStmt {
    /// Source span.
    pub span: Span,
    /// Annotated object.
    pub node: Value,
    /// Attribute key, such as `thread_extent`.
    pub attr_key: Str,
    /// Attribute value.
    pub value: Expr,
    /// The body.
    pub body: StmtRef,
}

impl AttrStmt {
    /// The thread whose variable is defined in the body, if the attribute launches one.
    pub fn launched_thread(&self) -> Option<&Ref<IterVar>> {
        let node = self.node.as_object()?;
        let is_launch = matches!(self.attr_key.as_str(), "thread_extent" | "virtual_thread");
        node.downcast_ref::<IterVar>().filter(|_| is_launch)
    }
}

/// An assertion that holds in a body.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.AssertStmt", parent = Stmt, check = AssertStmt::check)]
pub struct AssertStmt {
    /// Source span.
    pub span: Span,
    /// The condition.
    pub condition: Expr,
    /// Message on failure.
    pub message: Expr,
    /// The body.
    pub body: StmtRef,
}

impl AssertStmt {
    fn check(&self) -> Checked {
        check_bool("condition", &self.condition)
    }

    /// Creates the node.
    ///
    /// # Errors
    /// If the condition is not bool.
    pub fn try_new(condition: Expr, message: Expr, body: StmtRef) -> TirResult<StmtRef> {
        let found = condition.dtype();
        check_kind("the asserted condition", "bool", found, found.is_bool())?;
        Ok(Ref::new(AssertStmt { span: Span::current(), condition, message, body }).upcast())
    }
}

/// A store to a buffer.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.BufferStore", parent = Stmt, check = BufferStore::check)]
pub struct BufferStore {
    /// Source span.
    pub span: Span,
    /// The buffer.
    pub buffer: Ref<Buffer>,
    /// The value.
    pub value: Expr,
    /// One index per dimension; only the last may be a vector.
    pub indices: Array<Expr>,
    /// Mask of the stored lanes.
    pub predicate: Option<Expr>,
}

impl BufferStore {
    /// Creates the node.
    ///
    /// # Shapes
    /// `indices.len() == buffer.shape.len()`; the value's lanes are the buffer's times those of the last index.
    ///
    /// # Errors
    /// If indices, value or predicate do not fit the buffer.
    pub fn try_new(
        buffer: Ref<Buffer>,
        value: Expr,
        indices: Array<Expr>,
        predicate: Option<Expr>,
    ) -> TirResult<StmtRef> {
        let place = element_type(&buffer, &indices)?;
        BufferStore::check_value(&buffer, &value, place)?;
        if let Some(mask) = &predicate {
            check_mask(mask, place)?;
        }
        Ok(Ref::new(BufferStore { span: Span::current(), buffer, value, indices, predicate }).upcast())
    }

    fn check_value(buffer: &Ref<Buffer>, value: &Expr, place: DataType) -> TirResult<()> {
        let value = value.dtype();
        match value == place {
            true => Ok(()),
            false => Err(TirError::StoreType { buffer: buffer.name.to_string(), value, place }),
        }
    }

    fn check(&self) -> Checked {
        let place = element_type(&self.buffer, &self.indices);
        let place = place.map_err(|error| Invalid::at("indices", error))?;
        BufferStore::check_value(&self.buffer, &self.value, place)
            .map_err(|error| Invalid::at("value", error))?;
        check_mask_of("predicate", self.predicate.as_ref(), place)
    }
}

/// The region of a buffer that a body computes.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.BufferRealize", parent = Stmt, defines = BufferRealize::defines, check = BufferRealize::check)]
pub struct BufferRealize {
    /// Source span.
    pub span: Span,
    /// The buffer.
    pub buffer: Ref<Buffer>,
    /// The region.
    pub bounds: Array<Ref<Range>>,
    /// Condition of the allocation.
    pub condition: Expr,
    /// The body.
    pub body: StmtRef,
}

impl BufferRealize {
    fn defines(&self, definitions: &mut Definitions) {
        self.buffer.define_allocated(definitions);
    }

    fn check(&self) -> Checked {
        self.buffer.check_rank(self.bounds.len()).map_err(|error| Invalid::at("bounds", error))?;
        check_bool("condition", &self.condition)
    }
}

fn check_bool(field: &'static str, condition: &Expr) -> Checked {
    let found = condition.dtype();
    check_kind("the condition", "bool", found, found.is_bool()).map_err(|error| Invalid::at(field, error))
}

/// An allocation for a body.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.Allocate", parent = Stmt, check = Allocate::check)]
pub struct Allocate {
    /// Source span.
    pub span: Span,
    /// The pointer.
    #[node(def)]
    pub buffer_var: Ref<Var>,
    /// The element type.
    pub dtype: DataType,
    /// Elements per dimension.
    pub extents: Array<Expr>,
    /// Condition of the allocation.
    pub condition: Expr,
    /// The body.
    pub body: StmtRef,
    /// Annotations for passes.
    pub annotations: Map<Str, Value>,
}

impl Allocate {
    /// Creates the node.
    ///
    /// # Errors
    /// If the pointer does not point to the element type (bool and int8 are interchangeable), an extent is not a
    /// scalar, or the condition is not bool.
    pub fn try_new(
        buffer_var: Ref<Var>,
        dtype: DataType,
        extents: Array<Expr>,
        condition: Expr,
        body: StmtRef,
        annotations: Map<Str, Value>,
    ) -> TirResult<StmtRef> {
        Allocate::check_pointer(&buffer_var, dtype)?;
        Allocate::check_extents(&extents)?;
        let found = condition.dtype();
        check_kind("the condition", "bool", found, found.is_bool())?;
        let span = Span::current();
        Ok(Ref::new(Allocate { span, buffer_var, dtype, extents, condition, body, annotations }).upcast())
    }

    fn check(&self) -> Checked {
        Allocate::check_pointer(&self.buffer_var, self.dtype)
            .map_err(|error| Invalid::at("buffer_var", error))?;
        Allocate::check_extents(&self.extents).map_err(|error| Invalid::at("extents", error))?;
        check_bool("condition", &self.condition)
    }

    fn check_pointer(buffer_var: &Ref<Var>, dtype: DataType) -> TirResult<()> {
        let points_to = buffer_var
            .type_annotation
            .as_node::<PointerType>()
            .and_then(|p| p.element_type.as_node::<PrimType>().map(|e| e.dtype));
        let Some(element) = points_to else {
            return Err(TirError::BufferData { name: buffer_var.name.get().to_string() });
        };
        let is_byte = |d: DataType| d.is_bool() || (d.is_int() && d.bits == 8);
        if is_byte(element) && is_byte(dtype) {
            return Ok(());
        }
        check_type("the allocated pointer", element, dtype)
    }

    fn check_extents(extents: &Array<Expr>) -> TirResult<()> {
        let mut dtypes = extents.iter().map(|extent| extent.dtype());
        dtypes.try_for_each(|found| check_kind("an extent", "a scalar", found, found.is_scalar()))
    }
}

/// A constant allocation for a body.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.AllocateConst", parent = Stmt)]
pub struct AllocateConst {
    /// Source span.
    pub span: Span,
    /// The pointer.
    #[node(def)]
    pub buffer_var: Ref<Var>,
    /// The elements.
    pub data: Option<Ref<TensorNode>>,
    /// Index of the module's constant, instead of the elements.
    pub irmod_storage_idx: Option<Expr>,
    /// The element type.
    pub dtype: DataType,
    /// Elements per dimension.
    pub extents: Array<Expr>,
    /// The body.
    pub body: StmtRef,
    /// Annotations for passes.
    pub annotations: Map<Str, Value>,
}

/// A buffer declared over existing memory for a body.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.DeclBuffer", parent = Stmt, defines = DeclBuffer::defines)]
pub struct DeclBuffer {
    /// Source span.
    pub span: Span,
    /// The buffer.
    pub buffer: Ref<Buffer>,
    /// The body.
    pub body: StmtRef,
}

impl DeclBuffer {
    fn defines(&self, definitions: &mut Definitions) {
        self.buffer.define_declared(definitions);
    }
}

/// A sequence of statements.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.SeqStmt", parent = Stmt, sequence, check = SeqStmt::check, normalize = SeqStmt::spliced)]
pub struct SeqStmt {
    /// Source span.
    pub span: Span,
    /// At least two statements, none of them a sequence.
    pub seq: Array<StmtRef>,
}

impl SeqStmt {
    fn check(&self) -> Checked {
        if self.seq.len() < 2 {
            return Err(Invalid::at(
                "seq",
                format_args!("a sequence has two statements or more, not {}", self.seq.len()),
            ));
        }
        match self.seq.iter().position(|stmt| stmt.is::<SeqStmt>()) {
            Some(index) => Err(Invalid::at("seq", format_args!("statement {index} is a sequence itself"))),
            None => Ok(()),
        }
    }

    /// Splices nested sequences, which a rewrite may have produced.
    fn spliced(node: Ref<SeqStmt>) -> Object {
        if !node.seq.iter().any(|stmt| stmt.is::<SeqStmt>()) {
            return node.into();
        }
        let span = node.span;
        flatten(node.seq.iter().cloned().collect(), true).with_span(span).into()
    }
}

/// An expression evaluated for its effect.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.Evaluate", parent = Stmt)]
pub struct Evaluate {
    /// Source span.
    pub span: Span,
    /// The expression.
    pub value: Expr,
}

impl Evaluate {
    /// Creates the node.
    pub fn new(value: Expr) -> StmtRef {
        Ref::new(Evaluate { span: Span::current(), value }).upcast()
    }
}

/// A conditional.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.IfThenElse", parent = Stmt)]
pub struct IfThenElse {
    /// Source span.
    pub span: Span,
    /// The condition.
    pub condition: Expr,
    /// The `then` branch.
    pub then_case: StmtRef,
    /// The `else` branch.
    pub else_case: Option<StmtRef>,
}

/// Combines statements: nested sequences are spliced, a single statement is returned as it is, no statement is
/// `Evaluate(0)`.
///
/// Drops `Evaluate` of a constant zero unless `keep_noops`. TVM always drops it, so that a trailing `T.evaluate(0)`
/// is lost when its text is parsed.
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
