//! Printers of statements, loads and types.

use tvmscript_docsifier::doc::{Doc, ExprDoc, StmtDoc};
use tvmscript_docsifier::{Docsifier, DocsifyDialect as _, DocsifyError, DocsifyResult, Frame};
use tvmscript_ir::GlobalVar;
use tvmscript_ir::print::ModuleForm as _;
use tvmscript_ir_core::{Array, DataType, Dialect, Object, PathId, Ref, Value};
use tvmscript_prim::{Call, Expr, IntImm, StringImm};
use tvmscript_tir::op::{Operator, ResultType};
use tvmscript_tir::print::body;
use tvmscript_tir::print::forms::{Forms, TVM_0_23, WideLiterals};
use tvmscript_tir::print::parts::{Scope, TirDocsifier as _, define_buffer, items};
use tvmscript_tir::{AttrStmt, Buffer, DEFAULT_ALIGNMENT, ForKind};

use crate::node::{AllocBuffer, AnnotatedCall, AssertStmt, Bind, BufferArgument, DeclBuffer, TypedCall};
use crate::tvm_0_27::layout::{Axis, Iter, TileLayout};
use crate::tvm_0_27::print::bind;

/// Scopes without a value, by the attribute that stands for them: `(attribute, function)`.
const SCOPES: &[(&str, &str)] = &[
    ("device_scope", "device_scope"),
    ("compute_scope", "compute_scope"),
    ("tirx.device_entry", "device_entry"),
];

/// The printers and forms of the release.
pub(super) const FORMS: Forms = Forms {
    function: |node, path, d| super::FOLDING.with(|| super::print_function::function(node, path, d)),
    load: crate::tvm_0_27::print::element,
    attribute,
    layout: |_, _, _| Ok(None),
    call: typed,
    makes,
    concise_in_sequence: false,
    concise: false,
    short_loops: false,
    loop_ends: true,
    empty_bodies: true,
    jump_words: true,
    typed_calls: true,
    prim_type,
    pointer: "Ptr",
    unroll_keyword: |kind| kind == ForKind::Serial,
    wide_literals: WideLiterals::Node,
    negated_literals: true,
    infix_bits: true,
    ..TVM_0_23
};

/// Registers the printers.
pub(crate) fn register(dialect: Dialect) -> Dialect {
    dialect
        .on::<Bind>()
        .docsify(bind)
        .on::<AllocBuffer>()
        .docsify(alloc_tensor)
        .on::<DeclBuffer>()
        .docsify(decl_tensor)
        .on::<AssertStmt>()
        .docsify(crate::print::assert_stmt)
        .on::<AnnotatedCall>()
        .docsify(annotated_call)
        .on::<TypedCall>()
        .docsify(typed_call)
        .on::<BufferArgument>()
        .docsify(buffer_argument)
        .on::<TileLayout>()
        .docsify(tile_layout)
        .on::<Iter>()
        .docsify(iter)
        .on::<Axis>()
        .docsify(axis)
        .finish()
        .module_words()
}

/// `T.float32`, `T.Ptr(T.void)`
pub(super) fn prim_type(dtype: DataType, d: &mut Docsifier<'_>) -> ExprDoc {
    if dtype != DataType::HANDLE {
        return d.t(&dtype.to_string());
    }
    let void = d.t("void");
    d.call_t("Ptr", &[void])
}

/// `T.cuda.mma_fill(8, p, 0, ty=T.float32)`: a call of another type than that of the operator.
fn typed(
    node: &Ref<Call>,
    operator: &Operator,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Option<ExprDoc>> {
    let Call { span: _, dtype, op, args } = &**node;
    let is_own = super::OPERATORS.of_callee(op).is_some() && operator.make.is_none();
    if !is_own || !matches!(operator.result, ResultType::Fixed(ty) if ty != *dtype) {
        return Ok(None);
    }
    let at = d.field(path, "args");
    let docs = items(args, at, d)?;
    let ty = prim_type(*dtype, d);
    let ty = d.at_field(ty, path, "dtype");
    Ok(Some(d.call_t_with(operator.text, &docs, &[("ty", ty)])))
}

/// Tests for operators whose functions leave a call as it is.
fn makes(call: &Call, operator: &Operator) -> bool {
    let is_own = super::OPERATORS.of_callee(&call.op).is_some();
    let counts = operator.min_operands..=operator.max_operands;
    (!is_own && operator.make.is_none() && counts.contains(&call.args.len()))
        || (!is_own && super::keeps_calls_of(operator) && operator.is_plain(call))
        || (std::ptr::eq(operator, &tvmscript_tir::op::bits::REINTERPRET) && call.dtype.is_handle())
}

/// Fails for a node that the text cannot express.
fn unwritable(node: &Object, reason: &str) -> DocsifyError {
    DocsifyError::Unwritable { key: node.info().key(), reason: reason.to_owned() }
}

/// `T.Tensor((16,), T.float32, scope="shared")`
pub(super) fn tensor(buffer: &Ref<Buffer>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    if !buffer.is_compact() {
        return Err(unwritable(
            buffer.object(),
            "it has strides, an offset or another part that tensors lack",
        )
        .into());
    }
    let at = d.field(path, "shape");
    let extents = items(&buffer.shape, at, d)?;
    let extents = d.docs.tuple(&extents);
    let extents = d.at(extents, at);
    let dtype = prim_type(buffer.dtype, d);
    let dtype = d.at_field(dtype, path, "dtype");
    let mut kwargs = Vec::new();
    let scope = buffer.scope();
    if scope != "global" {
        kwargs.push(("scope", d.docs.str(scope.as_str())));
    }
    if buffer.data_alignment != DEFAULT_ALIGNMENT {
        let alignment = d.docs.int(buffer.data_alignment);
        kwargs.push(("data_alignment", d.at_field(alignment, path, "data_alignment")));
    }
    if let Some(layout) = &buffer.layout {
        let at = d.field(path, "layout");
        kwargs.push(("layout", d.expr_object(layout, at)?));
    }
    let call = d.call_t_with("Tensor", &[extents, dtype], &kwargs);
    Ok(d.at(call, path))
}

/// `[T.Tensor((16,), T.float32)]`
fn ty_args(
    buffer: &Ref<Buffer>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<(&'static str, ExprDoc)> {
    let tensor = tensor(buffer, path, d)?;
    Ok(("ty_args", d.docs.list(&[tensor])))
}

/// `B = value`, with the pointer `B.data`
fn declared(
    buffer: &Ref<Buffer>,
    value: ExprDoc,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<StmtDoc> {
    crate::tvm_0_27::print::define_data(buffer, path, d)?;
    let name = define_buffer(buffer, d)?;
    let name = d.at(name, path);
    Ok(d.docs.bind(name, value))
}

/// `B = T.alloc_tensor(ty_args=[T.Tensor((16,), T.float32)])`
fn alloc_tensor(node: &Ref<AllocBuffer>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let AllocBuffer { span: _, buffer, annotations } = &**node;
    if !annotations.is_empty() {
        return Err(unwritable(node.object(), "it has annotations").into());
    }
    let at = d.field(path, "buffer");
    let ty_args = ty_args(buffer, at, d)?;
    let value = d.call_t_with("alloc_tensor", &[], &[ty_args]);
    declared(buffer, value, at, d)
}

/// `B = T.decl_tensor(A.data, ty_args=[T.Tensor((16,), T.float32)])`
fn decl_tensor(node: &Ref<DeclBuffer>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let DeclBuffer { span: _, buffer, data } = &**node;
    let Some(data) = data else { return Err(unwritable(node.object(), "it has no data").into()) };
    let data = d.part(data, path, "data")?;
    let at = d.field(path, "buffer");
    let ty_args = ty_args(buffer, at, d)?;
    let value = d.call_t_with("decl_tensor", &[data], &[ty_args]);
    declared(buffer, value, at, d)
}

/// `with T.device_scope():`, `with T.compute_scope("name"):`, `with T.launch_thread("threadIdx.x", 32) as tx:`
fn attribute(node: &Ref<AttrStmt>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<Doc> {
    let AttrStmt { span: _, node: subject, attr_key, value, body: inner } = &**node;
    let is_of_nothing = match subject {
        Value::Int(0) => true,
        Value::Node(node) => node.as_node::<IntImm>().is_some_and(|zero| zero.value == 0),
        _ => false,
    };
    let function = SCOPES.iter().find(|(key, _)| is_of_nothing && attr_key == *key);
    let (Some((key, function)), text, number) =
        (function, value.as_node::<StringImm>(), value.as_node::<IntImm>())
    else {
        return (TVM_0_23.attribute)(node, path, d);
    };
    let args: Vec<ExprDoc> = match (*key, text, number.map(|number| number.value)) {
        ("compute_scope", Some(name), _) => {
            let name = d.docs.str(name.value.as_str());
            vec![d.at_field(name, path, "value")]
        }
        ("device_scope", None, Some(0)) | ("tirx.device_entry", None, Some(1)) => Vec::new(),
        _ => return (TVM_0_23.attribute)(node, path, d),
    };
    let context = d.call_t(function, &args);
    let context = d.at_field(context, path, "attr_key");
    let frame = Frame::new(Some(node.object().clone()), ());
    let at = d.field(path, "body");
    let ((), stmts) = d.with_open_frame(frame, |d| body(inner, at, d))?;
    Ok(Scope::plain(false, None, context, d).close(stmts, path, d))
}

/// `T.call_ffi_kernel("kernel", A.data, 1, launch_params=["blockIdx.x"])`
fn annotated_call(node: &Ref<AnnotatedCall>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let mut further = Vec::new();
    if node.dtype != DataType::INT32 {
        let ty = prim_type(node.dtype, d);
        further.push(("ty", d.at_field(ty, path, "dtype")));
    }
    crate::print::annotated(node, super::OPERATORS.of_callee(&node.op), &further, path, d)
}

/// `T.reinterpret(p, ty=T.Ptr(T.float32))`
fn typed_call(node: &Ref<TypedCall>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let TypedCall { span: _, dtype: _, op, args, ty } = &**node;
    let at = d.field(path, "ty");
    let ty = d.expr(ty, at)?;
    let operator = tvmscript_tir::op::of_callee(op).or_else(|| super::OPERATORS.of_callee(op));
    let at = d.field(path, "args");
    let args: &Array<Expr> = args;
    let args = items(args, at, d)?;
    if let Some(operator) = operator {
        let callee = d.t(operator.text);
        let callee = d.at_field(callee, path, "op");
        return Ok(d.docs.call(callee, &args, &[("ty", ty)]));
    }
    let callee = match op.as_node::<tvmscript_prim::Op>() {
        Some(op) => d.docs.str(op.name.as_str()),
        None if op.is::<GlobalVar>() => d.part(op, path, "op")?,
        None => return Err(unwritable(node.object(), "it calls neither an operator nor a function").into()),
    };
    let args = d.docs.list(&args);
    Ok(d.call_t_with("Call", &[callee, args], &[("ty", ty)]))
}

/// The name of a buffer.
fn buffer_argument(
    node: &Ref<BufferArgument>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let BufferArgument { span: _, dtype: _, buffer } = &**node;
    d.part(buffer, path, "buffer")
}

/// `"m"`
fn axis(node: &Ref<Axis>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let name = d.docs.str(node.name.as_str());
    Ok(d.at_field(name, path, "name"))
}

/// `T.Iter(16, 1, "m")`
fn iter(node: &Ref<Iter>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let Iter { extent, stride, axis } = &**node;
    let extent = d.part(extent, path, "extent")?;
    let stride = d.part(stride, path, "stride")?;
    let axis = d.part(axis, path, "axis")?;
    Ok(d.call_t("Iter", &[extent, stride, axis]))
}

/// `T.TileLayout.from_iters(shard=[T.Iter(16, 1, "m")], replica=[])`
fn tile_layout(node: &Ref<TileLayout>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let TileLayout { shard, replica, offset } = &**node;
    let mut list = |iters: &Array<Ref<Iter>>, field| -> DocsifyResult<ExprDoc> {
        let at = d.field(path, field);
        let docs = items(iters, at, d)?;
        let docs = d.docs.list(&docs);
        Ok(d.at(docs, at))
    };
    let mut kwargs = vec![("shard", list(shard, "shard")?), ("replica", list(replica, "replica")?)];
    if !offset.is_empty() {
        let at = d.field(path, "offset");
        let mut entries = Vec::with_capacity(offset.len());
        for (axis, value) in offset.iter() {
            let at = d.entry(at, &Value::from(axis.clone()));
            let name = d.docs.str(axis.name.as_str());
            entries.push((name, d.expr(value, at)?));
        }
        kwargs.push(("offset", d.docs.dict(&entries)));
    }
    let layout = d.t("TileLayout");
    let callee = d.docs.attr(layout, "from_iters");
    Ok(d.docs.call(callee, &[], &kwargs))
}
