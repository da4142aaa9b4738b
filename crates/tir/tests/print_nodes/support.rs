//! Small nodes, and their texts.

use tvmscript_docsifier::{PrinterConfig, print};
use tvmscript_ir::DictAttrs;
use tvmscript_ir_core::{Array, DataType, Map, Object, Ref, Registry, RegistryBuilder, Span, Str, Value};
use tvmscript_prim::*;
use tvmscript_tir::*;

pub(crate) fn registry() -> Registry {
    RegistryBuilder::new()
        .with(tvmscript_prim::dialect())
        .with(tvmscript_ir::dialect())
        .with(tvmscript_tir::dialect())
        .build()
        .expect("no clash")
}

pub(crate) fn text_with(node: impl Into<Object>, config: &PrinterConfig) -> String {
    print(&node.into(), &registry(), config).expect("prints")
}

pub(crate) fn text(node: impl Into<Object>) -> String {
    text_with(node, &PrinterConfig::default())
}

pub(crate) fn verbose() -> PrinterConfig {
    PrinterConfig { verbose_expr: true, ..PrinterConfig::default() }
}

pub(crate) fn x() -> Expr {
    Var::new("x", DataType::INT32).upcast()
}

pub(crate) fn y() -> Expr {
    Var::new("y", DataType::INT32).upcast()
}

pub(crate) fn int(value: i32) -> Expr {
    IntImm::int32(value)
}

pub(crate) fn float(value: f64) -> Expr {
    FloatImm::try_new(DataType::FLOAT32, value).expect("fits")
}

pub(crate) fn buffer(name: &str, shape: impl IntoIterator<Item = Expr>) -> Ref<Buffer> {
    Buffer::try_new(BufferParts::compact(name, DataType::FLOAT32, shape)).expect("a buffer")
}

pub(crate) fn store(buffer: &Ref<Buffer>, value: Expr, indices: impl IntoIterator<Item = Expr>) -> StmtRef {
    BufferStore::try_new(buffer.clone(), value, Array::new(indices), None).expect("fits")
}

pub(crate) fn evaluate(value: Expr) -> StmtRef {
    Evaluate::new(value)
}

pub(crate) fn seq(stmts: impl IntoIterator<Item = StmtRef>) -> StmtRef {
    Ref::new(SeqStmt { span: Span::UNKNOWN, seq: Array::new(stmts) }).upcast()
}

pub(crate) fn for_parts(name: &str, extent: Expr, body: StmtRef) -> For {
    For {
        span: Span::UNKNOWN,
        loop_var: Var::new(name, extent.dtype()),
        min: IntImm::try_new(extent.dtype(), 0).expect("fits"),
        extent,
        kind: ForKind::Serial,
        body,
        thread_binding: None,
        annotations: Map::default(),
        step: None,
    }
}

pub(crate) fn for_loop(parts: For) -> StmtRef {
    For::try_new(parts).expect("a loop")
}

pub(crate) fn func(
    params: Vec<Ref<Var>>,
    buffers: Vec<(Ref<Var>, Ref<Buffer>)>,
    body: StmtRef,
) -> Ref<PrimFunc> {
    Ref::new(PrimFunc {
        span: Span::UNKNOWN,
        struct_info_: None,
        attrs: DictAttrs::new([(Str::new("global_symbol"), Value::str("f"))]),
        params: Array::new(params),
        ret_type: TupleType::void(),
        buffer_map: Map::new(buffers),
        body,
    })
}

/// A function's text below its decorator.
pub(crate) fn body_of(f: Ref<PrimFunc>) -> String {
    let text = text(f);
    text.split_once("@T.prim_func\n").expect("a function").1.to_owned()
}

pub(crate) fn axis(name: &str, dom: Ref<Range>, kind: IterType) -> Ref<IterVar> {
    let var = Var::new(name, dom.extent.dtype());
    IterVar::try_new(Some(dom), var, kind, Str::new("")).expect("fits")
}

pub(crate) fn block(axes: Vec<Ref<IterVar>>, body: StmtRef) -> Ref<Block> {
    Ref::new(Block {
        span: Span::UNKNOWN,
        iter_vars: Array::new(axes),
        reads: Array::default(),
        writes: Array::default(),
        name_hint: Str::new("b"),
        alloc_buffers: Array::default(),
        match_buffers: Array::default(),
        annotations: Map::default(),
        init: None,
        body,
    })
}
