//! Statements other than loops and blocks.

use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::fresh::Definitions;
use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::{Array, Class, DataType, Map, Node, Object, Ref, Span, Str, Value};
use tvmscript_prim::{Expr, IntImm, PointerType, PrimExprExt, PrimType, Range, Var};

use super::Buffer;
use super::buffer::DefineBuffer as _;
use super::expr::{check_mask, check_mask_of, element_type};
use crate::error::{Result, TirError};

/// A statement (`tir.Stmt`).
#[derive(Class)]
#[class(key = "tir.Stmt")]
pub struct Stmt(());

/// A handle to a statement.
pub type StmtRef = Ref<Stmt>;

/// A value bound to a variable for the rest of a body.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.LetStmt", parent = Stmt, check = LetStmt::check)]
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
        let stmt = LetStmt { span: Span::current(), var, value, body };
        stmt.check_value()?;
        Ok(Ref::new(stmt).upcast())
    }

    fn check_value(&self) -> Result<()> {
        let (expected, found) = (self.var.dtype, self.value.dtype());
        let fits = if expected.is_handle() { found.is_handle() } else { expected == found };
        match fits {
            true => Ok(()),
            false => Err(TirError::Type { what: "the bound value", found, expected }),
        }
    }

    fn check(&self) -> Checked {
        self.check_value().map_err(|error| Invalid::at("value", error))
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
#[node(key = "tir.AssertStmt", parent = Stmt, check = AssertStmt::check)]
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
    fn check(&self) -> Checked {
        check_bool("condition", &self.condition)
    }

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
#[node(key = "tir.BufferStore", parent = Stmt, check = BufferStore::check)]
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
        BufferStore::check_value(&buffer, &value, place)?;
        if let Some(mask) = &predicate {
            check_mask(mask, place)?;
        }
        Ok(Ref::new(BufferStore { span: Span::current(), buffer, value, indices, predicate }).upcast())
    }

    fn check_value(buffer: &Ref<Buffer>, value: &Expr, place: DataType) -> Result<()> {
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

/// Where in a buffer a body computes.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.BufferRealize", parent = Stmt, defines = BufferRealize::defines, check = BufferRealize::check)]
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

impl BufferRealize {
    fn defines(&self, definitions: &mut Definitions) {
        self.buffer.define_allocated(definitions);
    }

    fn check(&self) -> Checked {
        let (rank, found) = (self.buffer.shape.len(), self.bounds.len());
        if rank != found {
            let buffer = self.buffer.name.to_string();
            return Err(Invalid::at("bounds", TirError::Rank { buffer, rank, found }));
        }
        check_bool("condition", &self.condition)
    }
}

fn check_bool(field: &'static str, condition: &Expr) -> Checked {
    let found = condition.dtype();
    match found.is_bool() {
        true => Ok(()),
        false => Err(Invalid::at(field, TirError::Kind { what: "the condition", expected: "bool", found })),
    }
}

/// Memory for a body.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.Allocate", parent = Stmt, check = Allocate::check)]
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
        Allocate::check_pointer(&buffer_var, dtype)?;
        Allocate::check_extents(&extents)?;
        if !condition.dtype().is_bool() {
            let found = condition.dtype();
            return Err(TirError::Kind { what: "the condition", expected: "bool", found });
        }
        let span = Span::current();
        Ok(Ref::new(Allocate { span, buffer_var, dtype, extents, condition, body, annotations }).upcast())
    }

    fn check(&self) -> Checked {
        Allocate::check_pointer(&self.buffer_var, self.dtype)
            .map_err(|error| Invalid::at("buffer_var", error))?;
        Allocate::check_extents(&self.extents).map_err(|error| Invalid::at("extents", error))?;
        check_bool("condition", &self.condition)
    }

    fn check_pointer(buffer_var: &Ref<Var>, dtype: DataType) -> Result<()> {
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
        Ok(())
    }

    fn check_extents(extents: &Array<Expr>) -> Result<()> {
        for extent in extents.iter() {
            if !extent.dtype().is_scalar() {
                let found = extent.dtype();
                return Err(TirError::Kind { what: "an extent", expected: "a scalar", found });
            }
        }
        Ok(())
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
#[node(key = "tir.DeclBuffer", parent = Stmt, defines = DeclBuffer::defines)]
pub struct DeclBuffer {
    /// Where it was written.
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

/// Statements in order.
#[derive(Debug, Clone, Node)]
#[node(key = "tir.SeqStmt", parent = Stmt, sequence, check = SeqStmt::check, normalize = SeqStmt::spliced)]
pub struct SeqStmt {
    /// Where they were written.
    pub span: Span,
    /// At least two, none a sequence itself.
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

    /// The sequence with those in it spliced in: what stands in it may have become a sequence in a rewrite.
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
