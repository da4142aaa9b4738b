//! Small IR, made by hand.

use tvmscript_ir::DictAttrs;
use tvmscript_ir_core::{Array, DataType, Map, Ref, Span, Str, Value};
use tvmscript_prim::ops::BinaryOp;
use tvmscript_prim::{Expr, FloatImm, IntImm, Range, TupleType, Var, ops};
use tvmscript_tir::complete::DETECT_ACCESS;
use tvmscript_tir::*;

pub fn var(name: &str) -> Ref<Var> {
    Var::new(name, DataType::INT32)
}

pub fn int(value: i32) -> Expr {
    IntImm::int32(value)
}

pub fn expr(var: &Ref<Var>) -> Expr {
    var.clone().upcast()
}

pub fn add(a: Expr, b: Expr) -> Expr {
    ops::binary(BinaryOp::Add, a, b).expect("two integers")
}

pub fn range(min: i32, extent: i32) -> Ref<Range> {
    Range::from_min_extent(int(min), int(extent))
}

pub fn buffer(name: &str, shape: &[i32]) -> Ref<Buffer> {
    let data = Var::with_type(name, Buffer::pointer_type(DataType::FLOAT32, ""));
    let shape = shape.iter().map(|extent| int(*extent));
    let parts = BufferParts { data, ..BufferParts::compact(name, DataType::FLOAT32, shape) };
    Buffer::try_new(parts).expect("a plain buffer")
}

pub fn load(buffer: &Ref<Buffer>, indices: impl IntoIterator<Item = Expr>) -> Expr {
    BufferLoad::try_new(buffer.clone(), Array::new(indices), None).expect("indices fit")
}

pub fn store(buffer: &Ref<Buffer>, indices: impl IntoIterator<Item = Expr>, value: Expr) -> StmtRef {
    BufferStore::try_new(buffer.clone(), value, Array::new(indices), None).expect("value and indices fit")
}

pub fn zero() -> Expr {
    FloatImm::try_new(DataType::FLOAT32, 0.0).expect("zero fits")
}

pub fn seq(stmts: impl IntoIterator<Item = StmtRef>) -> StmtRef {
    flatten(stmts.into_iter().collect(), true)
}

pub fn for_loop(var: &Ref<Var>, extent: impl Into<Expr>, body: StmtRef) -> StmtRef {
    For::try_new(For {
        span: Span::UNKNOWN,
        loop_var: var.clone(),
        min: int(0),
        extent: extent.into(),
        kind: ForKind::Serial,
        body,
        thread_binding: None,
        annotations: Map::default(),
        step: None,
    })
    .expect("a plain loop")
}

pub fn if_then(condition: Expr, then_case: StmtRef) -> StmtRef {
    Ref::new(IfThenElse { span: Span::UNKNOWN, condition, then_case, else_case: None }).upcast()
}

/// A block of which the parts not named are empty.
pub fn block(name: &str, body: StmtRef) -> Block {
    Block {
        span: Span::UNKNOWN,
        iter_vars: Array::default(),
        reads: Array::default(),
        writes: Array::default(),
        name_hint: name.into(),
        alloc_buffers: Array::default(),
        match_buffers: Array::default(),
        annotations: Map::default(),
        init: None,
        body,
    }
}

/// A block whose regions are to be found.
pub fn detecting_block(name: &str, body: StmtRef) -> Block {
    let annotations = Map::new([(Str::new(DETECT_ACCESS), Value::Int(3))]);
    Block { annotations, ..block(name, body) }
}

/// The block, run for values of spatial axes.
pub fn realize(block: Block, axes: &[(&Ref<Var>, i32, Expr)]) -> StmtRef {
    let axis = |(var, extent, _): &(&Ref<Var>, i32, Expr)| {
        IterVar::try_new(Some(range(0, *extent)), (*var).clone(), IterType::DataPar, "".into())
            .expect("an axis of integers")
    };
    let block = Block { iter_vars: axes.iter().map(axis).collect(), ..block };
    let values = axes.iter().map(|(_, _, value)| value.clone()).collect();
    BlockRealize::try_new(values, IntImm::bool(true), Ref::new(block)).expect("one value per axis")
}

/// A function of these buffers.
pub fn function(buffers: &[&Ref<Buffer>], body: StmtRef) -> PrimFunc {
    let handles: Vec<_> = buffers.iter().map(|b| Var::new(b.name.get(), DataType::HANDLE)).collect();
    let buffer_map = handles.iter().cloned().zip(buffers.iter().map(|b| (*b).clone()));
    PrimFunc {
        span: Span::UNKNOWN,
        struct_info_: None,
        attrs: DictAttrs::new([]),
        params: handles.iter().cloned().collect(),
        ret_type: TupleType::void(),
        buffer_map: Map::new(buffer_map.collect::<Vec<_>>()),
        body,
    }
}
