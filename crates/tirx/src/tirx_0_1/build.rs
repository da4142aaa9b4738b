//! Script functions: tensors, scopes, and calls with the type as an argument.

use std::sync::LazyLock;

use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::{Array, DataType, Map, Object, Ref, Span, Str, Value};
use tvmscript_irbuilder::{
    BuildError, BuildResult, CallArgs, FrameOf, FromScript, HostObject, Param, PyType, ScriptFn, ScriptValue,
    script_fn,
};
use tvmscript_prim::{
    BaseExpr, Call, Expr, IntImm, PointerType, PrimType, StringImm, TupleType, Type, Var, ops,
};
use tvmscript_tir::Buffer;
use tvmscript_tir::build::TirFrame;
use tvmscript_tir::build::args::{ExprArg, NodeArg, Shape};
use tvmscript_tir::build::buffer::Declaration;
use tvmscript_tir::build::frame::FrameKind;
use tvmscript_tir::build::types::TypeArg;
use tvmscript_tir::op::{Operator, ResultType};

use crate::node::{AllocBuffer, BufferArgument, TypedCall};
use crate::op::call::{Arguments, Defaults, make, type_of, typed_by_keyword};
use crate::tvm_0_27::build::{LayoutArg, declare, with_layout};
use crate::tvm_0_27::layout::{Axis, Iter, TileLayout};

/// The data type of a type argument: `T.float32`.
pub(super) fn dtype_of(ty: &TypeArg) -> BuildResult<DataType> {
    match ty.0.as_node::<PrimType>() {
        Some(ty) => Ok(ty.dtype),
        None if is_void(&ty.0) => Ok(DataType::VOID),
        None => Err(BuildError::expected("a scalar type, such as `T.float32`", "another type")),
    }
}

/// Tests for the type without values: an empty tuple.
fn is_void(ty: &Ref<Type>) -> bool {
    ty.as_node::<TupleType>().is_some_and(|ty| ty.fields.is_empty())
}

fn tensor_of(
    shape: Array<Expr>,
    dtype: DataType,
    scope: Str,
    data_alignment: i64,
    layout: LayoutArg,
) -> BuildResult<Ref<Buffer>> {
    let declaration = Declaration { scope, align: data_alignment, ..Declaration::of_shape(shape, dtype) };
    let layout: Option<Object> = match layout {
        LayoutArg::Default => None,
        LayoutArg::Given(layout) => layout,
    };
    Ok(with_layout(declaration.build()?, layout))
}

/// The type of a tensor: the annotation of a parameter, or an argument of an allocation.
#[script_fn(name = "Tensor", annotation)]
pub fn tensor(
    shape: Shape,
    dtype: TypeArg,
    #[default = "global"] scope: Str,
    #[default = 0] data_alignment: i64,
    #[default = LayoutArg::Default] layout: LayoutArg,
) -> BuildResult<Ref<Buffer>> {
    tensor_of(shape.0, dtype_of(&dtype)?, scope, data_alignment, layout)
}

/// The only tensor type of an argument `ty_args`, as a new buffer.
fn only(ty_args: Vec<NodeArg<Buffer>>) -> BuildResult<Ref<Buffer>> {
    let count = ty_args.len();
    match <[NodeArg<Buffer>; 1]>::try_from(ty_args) {
        // Each allocation is a buffer of its own, even if the type has a name.
        Ok([tensor]) => {
            let Buffer { dtype, shape, data_alignment, layout, .. } = &*tensor.0;
            let layout = LayoutArg::Given(layout.clone());
            tensor_of(shape.clone(), *dtype, tensor.0.scope(), *data_alignment, layout)
        }
        Err(_) => {
            let found = format!("{count} types");
            Err(BuildError::expected("one type, `[T.Tensor((16,), T.float32)]`", found)
                .at_parameter("ty_args"))
        }
    }
}

fn allocate(buffer: &Ref<Buffer>) -> BuildResult<()> {
    let annotations = Map::default();
    TirFrame::add(
        Ref::new(AllocBuffer { span: Span::current(), buffer: buffer.clone(), annotations }).upcast(),
    )
}

/// Allocates a tensor until the end of the enclosing scope.
#[script_fn]
pub fn alloc_tensor(ty_args: Vec<NodeArg<Buffer>>) -> BuildResult<Ref<Buffer>> {
    let buffer = only(ty_args)?;
    allocate(&buffer)?;
    Ok(buffer)
}

/// Allocates a tensor in shared memory.
#[script_fn]
pub fn alloc_shared(shape: Shape, dtype: TypeArg) -> BuildResult<Ref<Buffer>> {
    let buffer = tensor_of(shape.0, dtype_of(&dtype)?, "shared".into(), 0, LayoutArg::Default)?;
    allocate(&buffer)?;
    Ok(buffer)
}

/// Allocates a tensor in the memory of a thread.
#[script_fn]
pub fn alloc_local(shape: Shape, dtype: TypeArg) -> BuildResult<Ref<Buffer>> {
    let buffer = tensor_of(shape.0, dtype_of(&dtype)?, "local".into(), 0, LayoutArg::Default)?;
    allocate(&buffer)?;
    Ok(buffer)
}

/// Declares a tensor over memory until the end of the enclosing scope.
#[script_fn]
pub fn decl_tensor(data: ExprArg, ty_args: Vec<NodeArg<Buffer>>) -> BuildResult<Ref<Buffer>> {
    let buffer = only(ty_args)?;
    let buffer = declare(buffer, data.0)?;
    Ok(buffer)
}

/// A pointer to elements of a type; to `T.void` an untyped one.
#[script_fn(name = "ptr", annotation)]
pub fn pointer(element: TypeArg, #[default = "global"] scope: Str) -> BuildResult<Ref<Var>> {
    let ty = match is_void(&element.0) && scope == "global" {
        true => PrimType::new(DataType::HANDLE),
        false => PointerType::new(element.0, &scope),
    };
    Ok(Var::with_type("", ty))
}

/// A dimension of a layout on an axis.
#[script_fn(name = "Iter")]
pub fn iter(extent: ExprArg, stride: ExprArg, axis: Str) -> BuildResult<Ref<Iter>> {
    Ok(Ref::new(Iter { extent: extent.0, stride: stride.0, axis: Axis::new(axis) }))
}

fn scope(key: &str, value: Expr) -> BuildResult<FrameOf<TirFrame>> {
    let nothing = ops::make_const(DataType::INT32, 0)?;
    let entry = (Value::from(nothing), Str::new(key), value);
    Ok(FrameOf::new(TirFrame::new(FrameKind::Attrs(vec![entry]))))
}

/// The statements run on the device.
#[script_fn]
pub fn device_scope() -> BuildResult<FrameOf<TirFrame>> {
    scope("device_scope", ops::make_const(DataType::INT32, 0)?)
}

/// The statements are a function that runs on the device.
#[script_fn]
pub fn device_entry() -> BuildResult<FrameOf<TirFrame>> {
    scope("tirx.device_entry", IntImm::bool(true))
}

/// The statements are the part of a function that computes.
#[script_fn]
pub fn compute_scope(name: Str) -> BuildResult<FrameOf<TirFrame>> {
    let value = StringImm { span: Span::current(), dtype: DataType::HANDLE, value: name };
    scope("compute_scope", Ref::new(value).upcast())
}

/// `T.TileLayout`
pub(super) struct Layouts;

impl HostObject for Layouts {
    fn type_name(&self) -> &str {
        "the layout `T.TileLayout`"
    }

    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        (name == "from_iters").then_some(ScriptValue::Function(&FROM_ITERS))
    }

    fn attribute_names(&self) -> Vec<String> {
        vec!["from_iters".to_owned()]
    }
}

/// A layout of dimensions and copies.
#[script_fn]
pub fn from_iters(
    shard: Vec<ScriptValue>,
    #[default = None] replica: Option<Vec<ScriptValue>>,
    #[default = None] offset: Option<Map<Str, Value>>,
) -> BuildResult<Ref<TileLayout>> {
    let iters = |iters: Vec<ScriptValue>| -> BuildResult<Array<Ref<Iter>>> {
        let iter = |value: ScriptValue| match value.as_node::<Iter>() {
            Some(iter) => Ok(iter.clone()),
            None => Err(BuildError::expected("a dimension, `T.Iter(16, 1, \"m\")`", value.type_name())),
        };
        iters.into_iter().map(iter).collect()
    };
    let mut offsets = Vec::new();
    for (axis, value) in offset.unwrap_or_default().iter() {
        let value = match value {
            Value::Int(value) => ScriptValue::Int(*value),
            Value::Node(node) => ScriptValue::Node(node.clone()),
            _ => return Err(BuildError::expected("expressions", "another value").at_parameter("offset")),
        };
        offsets.push((Axis::new(axis.clone()), ExprArg::convert(value)?));
    }
    let (shard, replica) = (iters(shard)?, iters(replica.unwrap_or_default())?);
    Ok(Ref::new(TileLayout { shard, replica, offset: Map::new(offsets) }))
}

/// A symbolic dimension that functions share: `n = T.dynamic("n")`.
pub(super) struct Dynamic(pub(super) Ref<Var>);

impl HostObject for Dynamic {
    fn type_name(&self) -> &str {
        "TypeVar"
    }
}

/// A symbolic dimension.
#[script_fn]
pub fn dynamic(name: Str, #[default = DataType::INT32] dtype: DataType) -> BuildResult<ScriptValue> {
    Ok(ScriptValue::host(Dynamic(Var::new(name, dtype))))
}

/// An argument of a call; a buffer stands for itself.
#[derive(Debug, Clone)]
pub struct Operand(Expr);

impl FromScript for Operand {
    const TYPE: PyType = ExprArg::TYPE;
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        Ok(Operand(match value.as_node::<Buffer>() {
            Some(buffer) => BufferArgument::of(buffer.clone()),
            None => ExprArg::convert(value)?,
        }))
    }
}

impl From<Operand> for Expr {
    fn from(operand: Operand) -> Expr {
        operand.0
    }
}

/// The argument `ty`.
fn type_argument(args: &mut CallArgs) -> BuildResult<Option<Ref<Type>>> {
    let ty = args.take_keyword("ty").map(TypeArg::from_script).transpose();
    Ok(ty.map_err(|error| error.at_parameter("ty"))?.map(|ty| ty.0))
}

/// Calls an operator of the release from an entry's arguments.
pub(crate) fn call_entry(
    operator: &'static Operator,
    function: &'static ScriptFn,
    mut args: CallArgs,
    defaults: Defaults,
) -> BuildResult<ScriptValue> {
    let ty = type_argument(&mut args)?;
    let Arguments { operands, annotations, .. } = Arguments::bind::<Operand>(function, args, defaults)?;
    let op: Ref<BaseExpr> = operator.op.get().clone().upcast();
    let dtype = match ty {
        Some(ty) if ty.is::<PointerType>() => return Ok(TypedCall::make(op, operands, ty).into()),
        Some(ty) => dtype_of(&TypeArg(ty))?,
        None => match operator.result {
            ResultType::First | ResultType::Last => {
                let error = BuildError::message(format!("a call of `{}` needs its type", operator.text));
                return Err(error.with_help("give it as the last argument, such as `ty=T.int32`"));
            }
            _ => type_of(operator, &operands).unwrap_or(DataType::VOID),
        },
    };
    // The conversion of a pointer to its own type is written out.
    let made_by = operator.make.filter(|_| !dtype.is_handle() && annotations.is_empty());
    match made_by.and_then(|made_by| made_by(dtype, &operands)) {
        Some(made) => Ok(made?.into()),
        None => Ok(make(operator, dtype, operands, annotations)),
    }
}

/// Operators of TIR whose type is an argument, with the parameters of the release.
static TYPED: LazyLock<Vec<(&'static Operator, &'static ScriptFn, Vec<Param>)>> = LazyLock::new(|| {
    let is_typed = |operator: &&Operator| matches!(operator.result, ResultType::First | ResultType::Last);
    let operators = tvmscript_tir::op::operators().filter(|operator| operator.is_exported).filter(is_typed);
    let declared = |operator: &'static Operator| {
        let function = operator.function?;
        Some((operator, function, typed_by_keyword(function, "ty", None)))
    };
    operators.filter_map(declared).collect()
});

/// The functions of TIR's operators whose type is an argument: `T.call_extern("f", x, ty=T.int32)`.
pub(super) static TYPED_FUNCTIONS: LazyLock<Vec<ScriptFn>> = LazyLock::new(|| {
    let function =
        |(operator, function, params): &'static (&'static Operator, &ScriptFn, Vec<Param>)| ScriptFn {
            name: operator.text,
            doc: function.doc,
            params,
            returns: function.returns,
            is_annotation: false,
            members: &[],
            around: None,
            call: |function, args| match TYPED.iter().find(|(operator, ..)| operator.text == function.name) {
                Some((operator, ..)) => call_entry(operator, function, args, |_| None),
                None => Err(BuildError::not_callable(function.name)),
            },
            data: None,
        };
    TYPED.iter().map(function).collect()
});

/// Calls a function of the module, or an operator by name.
#[script_fn(name = "Call")]
pub fn call(
    op: ScriptValue,
    args: Vec<Operand>,
    #[kw_only]
    #[default = None]
    ty: Option<TypeArg>,
) -> BuildResult<Expr> {
    let op: Ref<BaseExpr> = match (&op, op.as_node::<GlobalVar>()) {
        (_, Some(function)) => function.clone().upcast::<tvmscript_ir::RelaxExpr>().upcast(),
        (ScriptValue::Str(name), None) => tvmscript_ir::build::operator(name)?.upcast(),
        _ => return Err(BuildError::expected("a function or an operator", op.type_name()).at_position(0)),
    };
    let args = args.into_iter().map(|operand| operand.0).collect();
    let ty = ty.unwrap_or_else(|| TypeArg(PrimType::new(DataType::VOID)));
    if ty.0.is::<PointerType>() {
        return Ok(TypedCall::make(op, args, ty.0));
    }
    Ok(Call::with_callee(dtype_of(&ty)?, op, args))
}
