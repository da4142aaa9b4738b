//! Printers of statements and loads.

use std::collections::HashMap;

use tvmscript_docsifier::doc::{BinaryOp, Doc, ExprDoc, StmtDoc, StmtRole};
use tvmscript_docsifier::{Docsifier, DocsifyDialect as _, DocsifyError, DocsifyResult, Frame};
use tvmscript_ir_core::{Array, DataType, Dialect, Map, Object, PathId, Ref, Str, Value, Visitor, Walk};
use tvmscript_prim::{Call, Expr, IntImm, Var};
use tvmscript_tir::op::bits::REINTERPRET;
use tvmscript_tir::op::thread::TVM_STORAGE_SYNC;
use tvmscript_tir::op::{Operator, ResultType};
use tvmscript_tir::print::body;
use tvmscript_tir::print::forms::{Forms, Keyword, TVM_0_23, WideLiterals};
use tvmscript_tir::print::parts::{
    Inline, Scope, TirDocsifier as _, annotations_kwarg, declaration, define_buffer, define_variable, items,
    may_be_concise,
};
use tvmscript_tir::syntax::TirSyntax;
use tvmscript_tir::{AttrStmt, Buffer, BufferLoad, BufferStore, StmtRef};

use super::layout::{Axis, Iter, MEMORY, TileLayout, is_row_major, view_as};
use super::print_function::{ShapeVariables, is_schedulable};
use super::scalar::Scalars;
use super::tile::{self, LambdaExpr, TilePrimitiveCall};
use crate::node::{AllocBuffer, AnnotatedCall, AssertStmt, Bind, DeclBuffer, ScopeIdDefStmt, TypedCall};

/// The printers and forms of the release.
pub(crate) const FORMS: Forms = Forms {
    function: |node, path, d| {
        super::FOLDING.with(|| super::print_function::function(node, path, ShapeVariables::OfDefaultType, d))
    },
    load,
    store,
    attribute,
    pair,
    layout: layout_kwarg,
    dtype_argument,
    call: source_call,
    makes,
    any_steps: true,
    concise_in_sequence: false,
    unroll_keyword: |_| true,
    infix_bits: true,
    wide_literals: WideLiterals::Typed,
    ..TVM_0_23
};

/// Registers the printers.
pub(crate) fn register(dialect: Dialect) -> Dialect {
    dialect
        .on::<Bind>()
        .docsify(bind)
        .on::<AllocBuffer>()
        .docsify(alloc_buffer)
        .on::<DeclBuffer>()
        .docsify(decl_buffer)
        .on::<AssertStmt>()
        .docsify(crate::print::assert_stmt)
        .on::<AnnotatedCall>()
        .docsify(annotated_call)
        .on::<TypedCall>()
        .docsify(typed_call)
        .on::<ScopeIdDefStmt>()
        .docsify(scope_ids)
        .on::<Axis>()
        .docsify(axis)
        .on::<TileLayout>()
        .docsify(tile_layout)
        .on::<TilePrimitiveCall>()
        .docsify(tile::print::call)
        .on::<LambdaExpr>()
        .docsify(tile::print::lambda)
        .finish()
}

/// Returns `true` if the buffer prints as a variable.
fn is_scalar(buffer: &Ref<Buffer>, d: &mut Docsifier<'_>) -> bool {
    d.region_fact(Scalars::new).contains(buffer)
}

/// `T.handle().ty`, or the name of the type
fn dtype_argument(dtype: DataType, d: &mut Docsifier<'_>) -> ExprDoc {
    if !dtype.is_handle() {
        return d.dtype(dtype);
    }
    let handle = d.call_t("handle", &[]);
    d.docs.attr(handle, "ty")
}

/// `T.reinterpret(T.handle().ty, p)`, unless it would convert a pointer to its own type;
/// `T.tvm_storage_sync("shared", T.bool(False), -1)`.
fn makes(call: &Call, operator: &Operator) -> bool {
    let is = |other: &'static Operator| std::ptr::eq(operator, other);
    is(&REINTERPRET) && call.dtype.is_handle() && call.args.len() == 1
        || is(&TVM_STORAGE_SYNC) && call.args.len() == 3
}

/// `T.cuda.func_call("f", x, source_code="..", return_type="int32")`
fn source_call(
    node: &Ref<Call>,
    operator: &Operator,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Option<ExprDoc>> {
    let Call { span: _, dtype, op: _, args } = &**node;
    if !std::ptr::eq(operator, &super::source_call::FUNC_CALL) || args.len() < 2 {
        return Ok(None);
    }
    let at = d.field(path, "args");
    let mut docs = items(args, at, d)?.into_vec();
    let mut kwargs: Vec<Keyword> = docs.pop().map(|source| ("source_code", source)).into_iter().collect();
    if *dtype != DataType::VOID {
        let dtype = d.dtype(*dtype);
        kwargs.push(("return_type", d.at_field(dtype, path, "dtype")));
    }
    Ok(Some(d.call_t_with(operator.text, &docs, &kwargs)))
}

/// `T.call_ffi_kernel("kernel", A.data, 1, launch_params=["blockIdx.x"], ret_ty="int32")`
fn annotated_call(node: &Ref<AnnotatedCall>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let operator = super::OPERATORS.of_callee(&node.op);
    if operator.is_none_or(|operator| !std::ptr::eq(operator, &super::op::CALL_FFI_KERNEL)) {
        return crate::print::annotated(node, operator, &[], path, d);
    }
    let dtype = d.dtype(node.dtype);
    let dtype = d.at_field(dtype, path, "dtype");
    crate::print::annotated(node, operator, &[("ret_ty", dtype)], path, d)
}

/// `T.reinterpret(T.handle("float32", "global").ty, p)`
fn typed_call(node: &Ref<TypedCall>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let TypedCall { span: _, dtype: _, op, args, ty } = &**node;
    if let Some(operator) = super::OPERATORS.of_callee(op) {
        // The operands state the type.
        let at = d.field(path, "args");
        let docs = items(args, at, d)?;
        return Ok(d.call_t(operator.text, &docs));
    }
    let Some(operator) = tvmscript_tir::op::of_callee(op) else {
        let (key, reason) = (node.object().info().key(), "it calls no operator with a type".to_owned());
        return Err(DocsifyError::Unwritable { key, reason }.into());
    };
    let at = d.field(path, "ty");
    let ty = d.expr(ty, at)?;
    let ty = d.docs.attr(ty, "ty");
    let at = d.field(path, "args");
    let mut docs = items(args, at, d)?;
    match operator.result {
        ResultType::Last => docs.push(ty),
        _ => docs.insert(0, ty),
    }
    Ok(d.call_t(operator.text, &docs))
}

/// `bx, by = T.cta_id([4, 4])`
fn scope_ids(node: &Ref<ScopeIdDefStmt>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let ScopeIdDefStmt { span: _, extents, scope, def_ids } = &**node;
    let at = d.field(path, "extents");
    let args: Vec<ExprDoc> = match extents {
        Some(extents) => {
            let extents = items(extents, at, d)?;
            let list = d.docs.list(&extents);
            vec![d.at(list, at)]
        }
        None => Vec::new(),
    };
    let mut kwargs = Vec::new();
    if let Some(id) = def_ids.first().filter(|id| id.dtype != DataType::INT32) {
        kwargs.push(("dtype", d.dtype(id.dtype)));
    }
    let value = d.call_t_with(scope.as_str(), &args, &kwargs);
    let value = d.at_field(value, path, "scope");
    let at = d.field(path, "def_ids");
    let mut names = Vec::with_capacity(def_ids.len());
    for (i, id) in def_ids.iter().enumerate() {
        let name = define_variable(id, d)?;
        let at = d.item(at, i);
        names.push(d.at(name, at));
    }
    let target = match &names[..] {
        [name] => *name,
        names => d.docs.tuple(names),
    };
    Ok(d.docs.bind(target, value))
}

/// `v: T.let[T.int32] = value`, or `T.bind(value, var=v)` for a variable that is bound before
pub(crate) fn bind(node: &Ref<Bind>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let Bind { span: _, var, value } = &**node;
    let value = d.part(value, path, "value")?;
    let at = d.field(path, "var");
    if d.is_defined(var.object()) {
        let name = d.expr(var, at)?;
        let call = d.call_t_with("bind", &[value], &[("var", name)]);
        return Ok(d.docs.expr_stmt(call));
    }
    let annotation = d.part(&var.type_annotation, at, "type_annotation")?;
    let binding = d.t("let");
    let annotation = d.docs.index(binding, &[annotation]);
    let name = define_variable(var, d)?;
    let name = d.at(name, at);
    Ok(d.docs.assign(name, Some(value), Some(annotation))?)
}

/// `x: T.int32`, or with a value
fn variable(
    buffer: &Ref<Buffer>,
    value: Option<ExprDoc>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<StmtDoc> {
    let at = d.field(path, "buffer");
    let annotation = d.t_dtype(buffer.dtype);
    let name = define_buffer(buffer, d)?;
    let name = d.at(name, at);
    Ok(d.docs.assign(name, value, Some(annotation))?)
}

/// `x: T.int32 = value`: an allocated variable and its first store.
fn pair(
    [(first, at), (second, second_at)]: [(&StmtRef, PathId); 2],
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Option<StmtDoc>> {
    let Some(AllocBuffer { span: _, buffer, annotations: _ }) = first.as_node::<AllocBuffer>() else {
        return Ok(None);
    };
    let Some(store) = second.as_node::<BufferStore>().filter(|store| store.buffer.ptr_eq(buffer)) else {
        return Ok(None);
    };
    let uses_itself = || tvmscript_ir_core::any_node(&store.value, |node| node.ptr_eq(buffer.object()));
    if !is_scalar(buffer, d) || d.is_defined(buffer.object()) || uses_itself() {
        return Ok(None);
    }
    let value = d.part(&store.value, second_at, "value")?;
    variable(buffer, Some(value), at, d).map(Some)
}

/// `B = T.alloc_buffer((16,), scope="warp")`, `B = T.alloc_shared((16,))`, `x: T.int32`
fn alloc_buffer(node: &Ref<AllocBuffer>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let AllocBuffer { span: _, buffer, annotations } = &**node;
    if is_scalar(buffer, d) {
        return variable(buffer, None, path, d);
    }
    let at = d.field(path, "buffer");
    let shown = annotations.iter().map(|(key, value)| (key.clone(), without_type(value)));
    let kwargs = annotations_kwarg(&Map::new(shown.collect::<Vec<_>>()), path, d)?;
    let method = match buffer.scope().as_str() {
        "shared" => "alloc_shared",
        "local" => "alloc_local",
        _ => "alloc_buffer",
    };
    let value = declaration(buffer, method, (&[], kwargs.as_slice()), at, Inline::DataPointer, d)?;
    let name = define_buffer(buffer, d)?;
    Ok(d.docs.bind(name, value))
}

/// The number for a literal of the type that numbers have in annotations.
fn without_type(value: &Value) -> Value {
    match value.as_object().and_then(|node| node.as_node::<IntImm>()) {
        Some(literal) if literal.dtype == DataType::INT32 => Value::Int(literal.value),
        _ => value.clone(),
    }
}

/// `B = A.view(4, 4)`, `B = T.decl_buffer((16,), data=A.data)`
fn decl_buffer(node: &Ref<DeclBuffer>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let DeclBuffer { span: _, buffer, data } = &**node;
    let at = d.field(path, "buffer");
    let (data, data_path) = match data {
        Some(data) => (data.clone(), d.field(path, "data")),
        None if TirSyntax::of(d.registry()).print.shared_pointers => {
            (buffer.data.clone().upcast(), d.field(at, "data"))
        }
        None => {
            let key = node.object().info().key();
            return Err(DocsifyError::Unwritable { key, reason: "it has no data".to_owned() }.into());
        }
    };
    if let Some((source, view)) = viewed(buffer, &data, d) {
        let args = match view {
            View::Shape => {
                let shape = d.field(at, "shape");
                items(&buffer.shape, shape, d)?.into_vec()
            }
            View::Type => {
                let dtype = d.dtype(buffer.dtype);
                vec![d.at_field(dtype, at, "dtype")]
            }
        };
        let source = d.expr(&source, path)?;
        let callee = d.docs.attr(source, "view");
        let value = d.docs.call_args(callee, &args);
        let value = d.at(value, data_path);
        define_data(buffer, at, d)?;
        let name = define_buffer(buffer, d)?;
        let name = d.at(name, at);
        return Ok(d.docs.bind(name, value));
    }
    let value = match data.object().ptr_eq(buffer.data.object()) {
        true => declaration(buffer, "decl_buffer", (&[], &[]), at, Inline::Nothing, d)?,
        false => {
            let data = d.expr(&data, data_path)?;
            declaration(buffer, "decl_buffer", (&[], &[("data", data)]), at, Inline::DataPointer, d)?
        }
    };
    let name = define_buffer(buffer, d)?;
    Ok(d.docs.bind(name, value))
}

/// Defines the data pointer of a buffer as `B.data`.
pub(crate) fn define_data(buffer: &Ref<Buffer>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<()> {
    let of = buffer.clone();
    d.define_by_doc(
        buffer.data.object(),
        std::rc::Rc::new(move |d| {
            let buffer = d.expr(&of, path)?;
            Ok(d.docs.attr(buffer, "data"))
        }),
    )
}

/// Buffers by the address of their data pointer.
struct Owners(HashMap<usize, Ref<Buffer>>);

impl Owners {
    fn new(root: &Object) -> Owners {
        let mut owners = HashMap::new();
        let _ = Visitor::new().pre_order(root, |node| {
            if let Some(buffer) = node.downcast_ref::<Buffer>() {
                owners.entry(buffer.data.object().address()).or_insert_with(|| buffer.clone());
            }
            Walk::Advance
        });
        Owners(owners)
    }
}

/// The difference between a view and its buffer.
enum View {
    /// `A.view(4, 4)`
    Shape,
    /// `A.view("float16")`
    Type,
}

/// The buffer of which another one is a view, made by its method.
fn viewed(buffer: &Ref<Buffer>, data: &Expr, d: &mut Docsifier<'_>) -> Option<(Ref<Buffer>, View)> {
    let pointer = data.downcast_ref::<Var>()?;
    let source = d.region_fact(Owners::new).0.get(&pointer.object().address())?.clone();
    let same = |a: &Object, b: &Object| tvmscript_ir_core::structural_equal(a, b);
    let exprs = |a: &Array<Expr>, b: &Array<Expr>| {
        a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(a.object(), b.object()))
    };
    let layouts = |a: &Option<Object>, b: &Option<Object>| match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => same(a, b),
        _ => false,
    };
    let may_be_view = d.is_defined(source.object())
        && exprs(&buffer.strides, &source.strides)
        && buffer.scope() == source.scope()
        && buffer.data_alignment == source.data_alignment
        && buffer.offset_factor == source.offset_factor
        && !buffer.shape.is_empty();
    if !may_be_view {
        return None;
    }
    if buffer.dtype == source.dtype {
        let is_view = same(buffer.elem_offset.object(), source.elem_offset.object())
            && layouts(&buffer.layout, &source.layout)
            && !exprs(&buffer.shape, &source.shape)
            && sizes_may_agree(&buffer.shape, &source.shape);
        return is_view.then_some((source, View::Shape));
    }
    // TVM reads a view of another type only of a buffer with a layout.
    let view = view_as(&source, buffer.dtype).ok()?.filter(|view| view.layout.is_some())?;
    let is_view = same(buffer.elem_offset.object(), view.elem_offset.object())
        && layouts(&buffer.layout, &view.layout)
        && exprs(&buffer.shape, &view.shape);
    is_view.then_some((source, View::Type))
}

/// Returns `false` if both shapes are constant and differ in size.
fn sizes_may_agree(a: &Array<Expr>, b: &Array<Expr>) -> bool {
    let size = |shape: &Array<Expr>| {
        shape.iter().try_fold(1_i64, |size, extent| {
            extent.as_node::<IntImm>().and_then(|extent| size.checked_mul(extent.value))
        })
    };
    match (size(a), size(b)) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}

/// The name of a variable, or as [`element`].
fn load(node: &Ref<BufferLoad>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    match is_scalar(&node.buffer, d) {
        true => d.part(&node.buffer, path, "buffer"),
        false => element(node, path, d),
    }
}

/// The name of a variable, or as in TVM 0.23: `A[0:4]`, `A.vload([T.Ramp(0, 1, 4)], predicate=mask)`
pub(crate) fn load_as_slice(
    node: &Ref<BufferLoad>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    match is_scalar(&node.buffer, d) {
        true => d.part(&node.buffer, path, "buffer"),
        false => (TVM_0_23.load)(node, path, d),
    }
}

/// Those of [`store`], with masks in the form of TVM 0.23: `A.vstore([T.Ramp(0, 1, 4)], value, predicate=mask)`
pub(crate) fn store_with_mask(
    node: &Ref<BufferStore>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<StmtDoc> {
    match node.predicate {
        Some(_) => (TVM_0_23.store)(node, path, d),
        None => store(node, path, d),
    }
}

/// `A[i, T.Ramp(0, 1, 4)]`; `T.masked_load("float32x4", A, T.Ramp(0, 1, 4), mask)`
pub(crate) fn element(node: &Ref<BufferLoad>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let BufferLoad { span: _, dtype, buffer, indices, predicate } = &**node;
    let buffer = d.part(buffer, path, "buffer")?;
    let at = d.field(path, "indices");
    let indices = items(indices, at, d)?;
    let Some(predicate) = predicate else { return Ok(d.docs.index(buffer, &indices)) };
    let dtype = d.dtype(*dtype);
    let mut args = vec![d.at_field(dtype, path, "dtype"), buffer];
    args.extend(indices);
    args.push(d.part(predicate, path, "predicate")?);
    Ok(d.call_t("masked_load", &args))
}

/// `A[i] = value`, `x = value`, `T.masked_store(A, value, T.Ramp(0, 1, 4), mask)`
fn store(node: &Ref<BufferStore>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let BufferStore { span: _, buffer, value, indices, predicate } = &**node;
    if let Some(predicate) = predicate {
        let mut args = vec![d.part(buffer, path, "buffer")?, d.part(value, path, "value")?];
        let at = d.field(path, "indices");
        args.extend(items(indices, at, d)?);
        args.push(d.part(predicate, path, "predicate")?);
        let call = d.call_t("masked_store", &args);
        let stmt = d.docs.expr_stmt(call);
        d.docs.set_role(stmt, StmtRole::Store);
        return Ok(stmt);
    }
    if !is_scalar(buffer, d) {
        return (TVM_0_23.store)(node, path, d);
    }
    let target = d.part(buffer, path, "buffer")?;
    let value = d.part(value, path, "value")?;
    Ok(d.docs.store(target, value))
}

/// `T.attr({"key": value})` for attributes of no object, else as in TVM 0.23.
fn attribute(node: &Ref<AttrStmt>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<Doc> {
    if !is_of_nothing(&node.node) {
        return (TVM_0_23.attribute)(node, path, d);
    }
    let concise = may_be_concise(node, path, d);
    let mut entries: Vec<(ExprDoc, ExprDoc)> = Vec::new();
    let mut keys: Vec<&Str> = Vec::new();
    let mut inner = node;
    let mut at = path;
    loop {
        let AttrStmt { span: _, node: _, attr_key, value, body } = &**inner;
        let key = d.docs.str(attr_key.as_str());
        let key = d.at_field(key, at, "attr_key");
        entries.push((key, d.part(value, at, "value")?));
        keys.push(attr_key);
        at = d.field(at, "body");
        match body.downcast_ref::<AttrStmt>() {
            Some(next) if is_of_nothing(&next.node) && !keys.contains(&&next.attr_key) => inner = next,
            _ => break,
        }
    }
    let dict = d.docs.dict(&entries);
    let context = d.call_t("attr", &[dict]);
    let frame = Frame::new(Some(node.object().clone()), ());
    let ((), stmts) = d.with_open_frame(frame, |d| body(&inner.body, at, d))?;
    let scope = Scope::plain(concise, None, context, d);
    Ok(scope.close(stmts, path, d))
}

fn is_of_nothing(node: &Value) -> bool {
    match node {
        Value::Int(0) => true,
        Value::Node(node) => {
            node.as_node::<IntImm>().is_some_and(|zero| zero.value == 0 && !zero.dtype.is_bool())
        }
        _ => false,
    }
}

/// `layout=None`, or another layout than that of a declaration without one.
fn layout_kwarg(buffer: &Ref<Buffer>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<Option<Keyword>> {
    let is_default = match (&buffer.layout, is_schedulable(d)) {
        (None, is_schedulable) => is_schedulable,
        (Some(_), true) => false,
        (Some(layout), false) => is_row_major(layout, &buffer.shape),
    };
    if is_default {
        return Ok(None);
    }
    let at = d.field(path, "layout");
    let doc = match &buffer.layout {
        Some(layout) => d.expr_object(layout, at)?,
        None => d.docs.none(),
    };
    Ok(Some(("layout", doc)))
}

/// `Axis.laneid`
fn axis(node: &Ref<Axis>, _: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let axis = d.word("Axis");
    Ok(d.docs.attr(axis, node.name.as_str()))
}

/// `T.TileLayout(T.S[(8, 8):(1, 8)] + T.R[2:4] + 3)`
fn tile_layout(node: &Ref<TileLayout>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let TileLayout { shard, replica, offset } = &**node;
    let mut doc = spec("S", shard, "shard", path, d)?;
    if !replica.is_empty() {
        let replica = spec("R", replica, "replica", path, d)?;
        doc = d.docs.binary(BinaryOp::Add, doc, replica);
    }
    let at = d.field(path, "offset");
    for (axis, value) in offset.iter() {
        let at = d.entry(at, &Value::from(axis.clone()));
        let value = d.expr(value, at)?;
        let value = on_axis(value, axis, at, d)?;
        doc = d.docs.binary(BinaryOp::Add, doc, value);
    }
    Ok(d.call_t("TileLayout", &[doc]))
}

/// `T.S[(8, 8):(1, 8)]`, `T.S[8:1]`
fn spec(
    word: &str,
    iters: &Array<Ref<Iter>>,
    field: &'static str,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let path = d.field(path, field);
    let mut extents: Vec<ExprDoc> = Vec::new();
    let mut strides: Vec<ExprDoc> = Vec::new();
    for (i, iter) in iters.iter().enumerate() {
        let Iter { extent, stride, axis } = &**iter;
        let at = d.item(path, i);
        extents.push(d.part(extent, at, "extent")?);
        let stride = d.part(stride, at, "stride")?;
        let axis_at = d.field(at, "axis");
        strides.push(on_axis(stride, axis, axis_at, d)?);
    }
    let (start, stop) = match (&extents[..], &strides[..]) {
        ([extent], [stride]) => (*extent, *stride),
        (extents, strides) => (d.docs.tuple(extents), d.docs.tuple(strides)),
    };
    let callee = d.t(word);
    let slice = d.docs.slice(Some(start), Some(stop), None);
    Ok(d.docs.index(callee, &[slice]))
}

/// `value`, or `value @ Axis.laneid` on another axis than that of memory.
fn on_axis(value: ExprDoc, axis: &Ref<Axis>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    if axis.name == MEMORY {
        return Ok(value);
    }
    let _ = (path, &d);
    let reason = format!("it is on the axis `{}`", axis.name);
    Err(DocsifyError::Unwritable { key: axis.object().info().key(), reason }.into())
}
