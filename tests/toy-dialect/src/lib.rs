//! A small third-party dialect that proves the layering: it depends on the core crates only and refers to no other
//! dialect, yet its nodes work inside TIR functions.
//!
//! It has four nodes: the expression `Toy.clamp(x, lo, hi)`, the statement `Toy.trace("label", x)`, the scope `with
//! Toy.region("label"):`, and the expression `Toy.twice(x)`, whose type is declared at run time without a Rust
//! struct.
//!
//! The base classes (`ir.PrimExpr`, `tir.Stmt`) are looked up by type key, so the dialects that define them must be
//! registered before this one.
//!
//! [`plan`] is an independent dialect with its own functions and release.

pub mod plan;

use std::sync::OnceLock;

use tvmscript_doc::{Doc, StmtDoc};
use tvmscript_docsifier::{Docsifier, DocsifyDialect, DocsifyResult, field_value, fields, printers};
use tvmscript_ir_core::type_table::{FieldKind, register_dynamic, type_by_key};
use tvmscript_ir_core::{
    Array, DataType, Dialect, EqKind, FieldInfo, Node, Object, PathId, Ref, Span, Str, TypeInfo, Value,
};
use tvmscript_irbuilder::{
    BuildDialect, BuildError, BuildResult, Builder, Frame, FrameOf, FromScript, PyType, ScriptValue,
    script_fn,
};
use tvmscript_script_parser::ParseDialect;

/// A value clamped to bounds.
#[derive(Debug, Clone, Node)]
#[node(key = "toy.Clamp", parent_key = "ir.PrimExpr")]
pub struct Clamp {
    /// Source position.
    pub span: Span,
    /// Type of the value.
    pub dtype: DataType,
    /// The clamped value.
    pub value: Object,
    /// Lower bound.
    pub low: i64,
    /// Upper bound.
    pub high: i64,
}

/// A log entry for a value.
#[derive(Debug, Clone, Node)]
#[node(key = "toy.Trace", parent_key = "tir.Stmt")]
pub struct Trace {
    /// Source position.
    pub span: Span,
    /// Label in the log.
    pub label: Str,
    /// The logged value.
    pub value: Object,
}

/// A group of statements for a profiler.
#[derive(Debug, Clone, Node)]
#[node(key = "toy.Region", parent_key = "tir.Stmt")]
pub struct Region {
    /// Source position.
    pub span: Span,
    /// Label of the group.
    pub label: Str,
    /// Statements of any dialect.
    pub body: Array<Object>,
}

/// The type of `Toy.twice(x)`, declared at run time.
pub fn twice_type() -> &'static TypeInfo {
    static INFO: OnceLock<&'static TypeInfo> = OnceLock::new();
    INFO.get_or_init(|| {
        let field = |name, kind| FieldInfo {
            name,
            def: false,
            skip_eq: kind == FieldKind::Span,
            kind,
            derived: false,
            optional: false,
        };
        let fields = [
            field("span", FieldKind::Span),
            field("dtype", FieldKind::DType),
            field("value", FieldKind::Node),
        ];
        register_dynamic("toy.Twice", type_by_key("ir.PrimExpr"), EqKind::Tree, &fields)
            .expect("the description is complete")
    })
}

/// An expression of any dialect.
struct AnyExpr(Object);

impl FromScript for AnyExpr {
    const TYPE: PyType = PyType::ANY;
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        match value {
            ScriptValue::Node(object) if object.dtype() != DataType::VOID => Ok(AnyExpr(object)),
            other => Err(BuildError::expected("an expression", other.type_name())),
        }
    }
}

/// Clamps a value to bounds.
#[script_fn]
fn clamp(value: AnyExpr, low: i64, high: i64) -> BuildResult<Ref<Clamp>> {
    if low > high {
        let error = BuildError::message(format!("the bounds {low} and {high} are the wrong way round"));
        return Err(error.at_position(1));
    }
    Ok(Ref::new(Clamp { span: Span::current(), dtype: value.0.dtype(), value: value.0, low, high }))
}

/// Logs a value.
#[script_fn]
fn trace(label: Str, value: AnyExpr) -> BuildResult<()> {
    Builder::add_stmt(Ref::new(Trace { span: Span::current(), label, value: value.0 }).into())
}

#[derive(Debug)]
struct RegionFrame {
    label: Str,
    body: Vec<Object>,
}

impl Frame for RegionFrame {
    fn name(&self) -> &'static str {
        "Toy.region"
    }
    fn close(self: Box<Self>) -> BuildResult<()> {
        let RegionFrame { label, body } = *self;
        Builder::add_stmt(Ref::new(Region { span: Span::current(), label, body: Array::new(body) }).into())
    }
    fn take_stmt(&mut self, stmt: Object) -> Option<Object> {
        self.body.push(stmt);
        None
    }
}

/// Opens a region.
#[script_fn]
fn region(label: Str) -> BuildResult<FrameOf<RegionFrame>> {
    Ok(FrameOf::new(RegionFrame { label, body: Vec::new() }))
}

/// Adds a value to itself.
#[script_fn]
fn twice(value: AnyExpr) -> BuildResult<Object> {
    let fields = vec![Value::None, Value::DType(value.0.dtype()), Value::Node(value.0)];
    let mut twice = twice_type().construct(fields)?;
    twice.set_span(Span::current());
    Ok(twice)
}

printers! {
    in "toy";
    /// `Toy.clamp(value, low, high)`
    fn print_clamp(Clamp { span: _, dtype: _, value, low, high }) = call clamp(value, low, high);
    /// `Toy.trace("label", value)`
    fn print_trace(Trace { span: _, label, value }) = do trace(label, value);
}

fn print_region(node: &Ref<Region>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    fields!(d, path, node => Region { span: _, label, body });
    let ((), stmts) = d.in_scope(node.object(), |d| d.push_field(body))?;
    let callee = d.prefixed("toy", "region");
    let label = d.print_field(label)?;
    let context = d.docs.call_args(callee, &[label]);
    Ok(d.docs.scope(None, context, &stmts))
}

fn print_twice(node: &Object, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<Doc> {
    let value_path = d.field(path, "value");
    let value = d.value(&field_value(node, "value").unwrap_or_default(), value_path)?;
    let callee = d.prefixed("toy", "twice");
    Ok(d.docs.call_args(callee, &[value]).into())
}

/// The dialect.
pub fn dialect() -> Dialect {
    Dialect::new("toy")
        .alias("Toy")
        .namespace(&["Toy"])
        .node::<Clamp>()
        .docsify(print_clamp)
        .node::<Trace>()
        .docsify(print_trace)
        .node::<Region>()
        .docsify(print_region)
        .node_info(twice_type())
        .docsify_info(twice_type(), print_twice)
        .functions(&[&CLAMP, &TRACE, &REGION, &TWICE])
        .finish()
}
