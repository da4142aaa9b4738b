//! Struct info in scripts: `R.Tensor(("n", 3), "float32")`, or a bare function. In signatures, dimensions may be text.

use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use tvmscript_ir::build::global_infos;
use tvmscript_ir::{EnvFunc, VDevice};
use tvmscript_ir_core::{Array, DataType, Object, Ref, Str, with_stack};
use tvmscript_irbuilder::{
    BuildError, BuildResult, CallArgs, FromScript, HostObject, IntoScript, PyType, ScriptFn, ScriptValue,
    script_fn,
};
use tvmscript_prim::BaseExpr;
use tvmscript_prim::{self as prim, PrimExpr};

use super::args::scalar;
use crate::node::*;
use crate::syntax::RelaxSyntax;

/// Struct info whose dimensions may be text.
#[derive(Debug, Clone)]
pub enum StructInfoProxy {
    /// Struct info without text.
    Known(Ref<StructInfo>),
    /// A tensor with textual dimensions.
    Tensor {
        /// Dimensions.
        dims: Vec<Dim>,
        /// Element type; void if unknown.
        dtype: DataType,
        /// Device.
        vdevice: Option<Ref<VDevice>>,
    },
    /// A distributed tensor with textual dimensions.
    DTensor {
        /// The whole tensor.
        tensor: NestedInfo,
        /// Mesh of devices.
        device_mesh: Ref<DeviceMesh>,
        /// Placement on the mesh.
        placement: Ref<Placement>,
    },
    /// A shape with textual dimensions.
    Shape(Vec<Dim>),
    /// A scalar with a textual value.
    Prim(Dim),
    /// A tuple.
    Tuple(Vec<NestedInfo>),
    /// A function.
    Callable {
        /// Parameters.
        params: Vec<NestedInfo>,
        /// Result.
        ret: NestedInfo,
        /// `true` if calls have no effect.
        purity: bool,
    },
}

/// Nested struct info, possibly shared.
#[derive(Debug, Clone)]
pub struct NestedInfo(Option<Rc<StructInfoProxy>>);

impl From<StructInfoProxy> for NestedInfo {
    fn from(proxy: StructInfoProxy) -> NestedInfo {
        NestedInfo(Some(Rc::new(proxy)))
    }
}

impl NestedInfo {
    /// Runs `f` on the nested struct info unless it was visited.
    fn once(
        &self,
        visited: &mut HashSet<*const StructInfoProxy>,
        f: impl FnOnce(&StructInfoProxy, &mut HashSet<*const StructInfoProxy>),
    ) {
        if let Some(proxy) = &self.0
            && visited.insert(Rc::as_ptr(proxy))
        {
            with_stack(|| f(proxy, visited));
        }
    }
}

impl Drop for NestedInfo {
    fn drop(&mut self) {
        // Nested struct info may be deep.
        if let Some(proxy) = self.0.take().and_then(Rc::into_inner) {
            with_stack(|| drop(proxy));
        }
    }
}

/// Resolved struct info by address, so that shared parts stay shared.
type Resolved = HashMap<*const StructInfoProxy, Ref<StructInfo>>;

/// A dimension.
#[derive(Debug, Clone)]
pub enum Dim {
    /// A scalar expression.
    Value(prim::Expr),
    /// A Python expression over variables of the signature.
    Text(Str),
}

impl Dim {
    fn of(value: &ScriptValue) -> BuildResult<Dim> {
        match value {
            ScriptValue::Str(text) => Ok(Dim::Text(text.clone())),
            other => scalar(other).map(Dim::Value),
        }
    }

    fn all(value: &ScriptValue) -> BuildResult<Vec<Dim>> {
        let Some(items) = value.items() else {
            return Err(BuildError::expected("a list or tuple of dimensions", value.type_name()));
        };
        items.iter().enumerate().map(|(i, item)| Dim::of(item).map_err(|e| e.at_item(i))).collect()
    }
}

/// Evaluates the text of a dimension.
pub type ReadDim<'a> = &'a mut dyn FnMut(&Str) -> BuildResult<prim::Expr>;

impl HostObject for StructInfoProxy {
    fn type_name(&self) -> &str {
        "struct info"
    }
    fn node(&self) -> Option<Object> {
        self.resolve(None).ok().map(Into::into)
    }
}

impl StructInfoProxy {
    /// Converts a value: struct info, or a bare function (`R.Tensor`); `None` is the empty tuple.
    ///
    /// # Errors
    /// Fails for other values.
    pub fn of(value: &ScriptValue) -> BuildResult<StructInfoProxy> {
        match value {
            ScriptValue::None => return Ok(StructInfoProxy::Known(TupleStructInfo::void())),
            ScriptValue::Function(function) => {
                if let Some((_, make)) = UNCALLED.iter().find(|(known, _)| std::ptr::eq(*known, *function)) {
                    return Ok(StructInfoProxy::Known(make()));
                }
            }
            _ => {}
        }
        if let Some(proxy) = value.as_host::<StructInfoProxy>() {
            return Ok(proxy.clone());
        }
        if let Some(dtype) = bare_scalar(value) {
            return Ok(StructInfoProxy::Known(PrimStructInfo::new(dtype)));
        }
        match value.as_node::<StructInfo>() {
            Some(info) => Ok(StructInfoProxy::Known(info.clone())),
            None => Err(BuildError::expected(
                "struct info such as `R.Tensor((2, 3), \"float32\")`",
                value.type_name(),
            )),
        }
    }

    /// Collects the names that occur alone as a dimension and thereby define a variable.
    pub fn defined_names(&self, found: &mut Vec<Str>) {
        self.defined_names_in(found, &mut HashSet::new());
    }

    /// Collects the names that the signatures of functions in it define.
    pub fn names_of_callables(&self, found: &mut Vec<Str>) {
        self.names_of_callables_in(found, &mut HashSet::new());
    }

    fn names_of_callables_in(&self, found: &mut Vec<Str>, visited: &mut HashSet<*const StructInfoProxy>) {
        match self {
            StructInfoProxy::Callable { .. } => self.defined_names(found),
            StructInfoProxy::Tuple(parts) => {
                for part in parts {
                    part.once(visited, |part, visited| part.names_of_callables_in(found, visited));
                }
            }
            _ => {}
        }
    }

    fn defined_names_in(&self, found: &mut Vec<Str>, visited: &mut HashSet<*const StructInfoProxy>) {
        let mut dim = |dim: &Dim| {
            if let Dim::Text(text) = dim
                && is_identifier(text)
                && !found.contains(text)
            {
                found.push(text.clone());
            }
        };
        match self {
            StructInfoProxy::Known(_) => {}
            StructInfoProxy::Tensor { dims, .. } | StructInfoProxy::Shape(dims) => dims.iter().for_each(dim),
            StructInfoProxy::Prim(value) => dim(value),
            StructInfoProxy::DTensor { tensor, .. } => {
                tensor.once(visited, |part, visited| part.defined_names_in(found, visited));
            }
            StructInfoProxy::Tuple(parts) => {
                for part in parts {
                    part.once(visited, |part, visited| part.defined_names_in(found, visited));
                }
            }
            StructInfoProxy::Callable { params, ret, .. } => {
                for part in params.iter().chain([ret]) {
                    part.once(visited, |part, visited| part.defined_names_in(found, visited));
                }
            }
        }
    }

    /// Resolves the struct info. Text is evaluated by `read`.
    ///
    /// # Errors
    /// Fails for text without `read`, and for text that is not a dimension.
    pub fn resolve(&self, mut read: Option<ReadDim<'_>>) -> BuildResult<Ref<StructInfo>> {
        self.resolve_with(&mut read, &mut HashMap::new())
    }

    fn resolve_part(
        part: &NestedInfo,
        read: &mut Option<ReadDim<'_>>,
        done: &mut Resolved,
    ) -> BuildResult<Ref<StructInfo>> {
        let Some(proxy) = &part.0 else { return Ok(ObjectStructInfo::new()) };
        if let Some(known) = done.get(&Rc::as_ptr(proxy)) {
            return Ok(known.clone());
        }
        let info = with_stack(|| proxy.resolve_with(read, done))?;
        done.insert(Rc::as_ptr(proxy), info.clone());
        Ok(info)
    }

    fn resolve_with(
        &self,
        read: &mut Option<ReadDim<'_>>,
        done: &mut Resolved,
    ) -> BuildResult<Ref<StructInfo>> {
        let mut value = |dim: &Dim| match (dim, &mut *read) {
            (Dim::Value(value), _) => Ok(value.clone()),
            (Dim::Text(text), Some(read)) => read(text),
            (Dim::Text(text), None) => Err(BuildError::message(format!(
                "the dimension `\"{text}\"` is text, which is only allowed in signatures"
            ))
            .with_help(format!("define `{text} = T.int64()` and write `{text}`"))),
        };
        Ok(match self {
            StructInfoProxy::Known(info) => info.clone(),
            StructInfoProxy::Tensor { dims, dtype, vdevice } => {
                let dims = dims.iter().map(value).collect::<BuildResult<Vec<_>>>()?;
                TensorStructInfo::of_shape(ShapeExpr::try_new(dims)?, *dtype, vdevice.clone()).upcast()
            }
            StructInfoProxy::DTensor { tensor, device_mesh, placement } => {
                let tensor = Self::resolve_part(tensor, read, done)?.downcast();
                let tensor = tensor
                    .map_err(|_| BuildError::message("only a tensor can be distributed over a mesh"))?;
                let info = DTensorStructInfo::try_new(tensor, device_mesh.clone(), placement.clone());
                info.map_err(|error| BuildError::message(error.to_string()))?.upcast()
            }
            StructInfoProxy::Shape(dims) => {
                ShapeStructInfo::try_of(dims.iter().map(value).collect::<BuildResult<Vec<_>>>()?)?
            }
            StructInfoProxy::Prim(dim) => PrimStructInfo::of_value(value(dim)?),
            StructInfoProxy::Tuple(fields) => {
                let fields = fields.iter().map(|part| Self::resolve_part(part, read, done));
                TupleStructInfo::new(fields.collect::<BuildResult<Vec<_>>>()?)
            }
            StructInfoProxy::Callable { params, ret, purity } => {
                let params = params.iter().map(|part| Self::resolve_part(part, read, done));
                let params = params.collect::<BuildResult<Array<_>>>()?;
                let ret = Self::resolve_part(ret, read, done)?;
                FuncStructInfo::new(params, ret, *purity).upcast()
            }
        })
    }

    /// Resolved if no text is left.
    pub(super) fn settled(self) -> BuildResult<ScriptValue> {
        let mut names_left = false;
        let mut look = |_: &Str| {
            names_left = true;
            Err(BuildError::message("text"))
        };
        match self.resolve(Some(&mut look)) {
            Ok(info) => Ok(info.into()),
            Err(_) if names_left => Ok(ScriptValue::host(self)),
            Err(error) => Err(error),
        }
    }
}

/// The type of `T.int64` as an annotation, in releases that have it.
fn bare_scalar(value: &ScriptValue) -> Option<DataType> {
    let function = match value {
        ScriptValue::Host(host) if RelaxSyntax::open().has_bare_scalars && host.is_callable() => host,
        _ => return None,
    };
    let made = function.call(CallArgs::default()).ok()?;
    made.as_node::<prim::Var>().map(|variable| variable.dtype)
}

/// Tests for the form of an identifier as `python_syntax::is_identifier` does; that crate is there with `parse` only.
fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c == '_' || unicode_ident::is_xid_start(c))
        && chars.all(unicode_ident::is_xid_continue)
}

/// A function, and the struct info it stands for without a call.
type Uncalled = (&'static ScriptFn, fn() -> Ref<StructInfo>);

/// The functions that stand for struct info without a call.
static UNCALLED: &[Uncalled] = &[
    (&OBJECT, ObjectStructInfo::new),
    (&TENSOR, || TensorStructInfo::of_rank(UNKNOWN_NDIM, DataType::VOID, None).upcast()),
    (&SHAPE, || ShapeStructInfo::of_rank(UNKNOWN_NDIM)),
    (&TUPLE, TupleStructInfo::void),
    (&CALLABLE, || FuncStructInfo::opaque(ObjectStructInfo::new(), false).upcast()),
];

/// Any value.
#[script_fn(name = "Object", annotation)]
pub fn object() -> BuildResult<Ref<StructInfo>> {
    Ok(ObjectStructInfo::new())
}

/// The type of a text, `I.StringType()` in releases whose types are those of Relax.
#[script_fn(name = "StringType", annotation)]
pub fn string_type() -> BuildResult<Ref<StructInfo>> {
    Ok(ObjectStructInfo::new())
}

/// The functions of the module namespace `I` in releases whose types are those of Relax.
pub const MODULE_FUNCTIONS: &[&ScriptFn] = &[&STRING_TYPE];

/// Finds the device with this name: `cuda`, `cuda:0`, `cuda:0:global`, by its index among the module's devices of that
/// kind.
pub(crate) fn find_vdevice(value: &ScriptValue) -> BuildResult<Option<Ref<VDevice>>> {
    let text = match value {
        ScriptValue::None => return Ok(None),
        ScriptValue::Str(text) => text,
        other => match other.as_node::<VDevice>() {
            Some(device) => return Ok(Some(device.clone())),
            None => return Err(BuildError::expected("a device such as `cuda:0`", other.type_name())),
        },
    };
    let mut parts = text.split(':');
    let kind = parts.next().unwrap_or_default();
    let index: usize = match parts.next() {
        Some(index) => index.parse().map_err(|_| {
            BuildError::message(format!("expected an index after the colon of the device `{text}`"))
        })?,
        None => 0,
    };
    let devices = global_infos("vdevice");
    let of_kind =
        |device: &&Ref<VDevice>| device.target.as_ref().is_some_and(|t| t.kind.name.as_str() == kind);
    let devices: Vec<Ref<VDevice>> = devices.iter().filter_map(|info| info.downcast_ref().cloned()).collect();
    // `vdevice:1` counts the devices of all kinds.
    let is_named = |device: &&Ref<VDevice>| kind == "vdevice" || of_kind(device);
    match devices.iter().filter(is_named).nth(index) {
        Some(device) => Ok(Some(device.clone())),
        None => Err(BuildError::message(format!("the module has no device `{text}`"))
            .with_help("list it in `I.module_global_infos({\"vdevice\": [I.vdevice(\"cuda\")]})`")),
    }
}

/// A tensor: shape, element type and device, or only its rank.
#[script_fn(name = "Tensor", annotation)]
pub fn tensor(
    #[default = None] shape: Option<ScriptValue>,
    #[default = None] dtype: Option<ScriptValue>,
    #[default = None] vdevice: Option<ScriptValue>,
    #[default = -1] ndim: i64,
) -> BuildResult<ScriptValue> {
    tensor_of_arguments(shape, dtype, vdevice, ndim)
}

/// The struct info of a tensor from the arguments of `R.Tensor`.
pub(super) fn tensor_of_arguments(
    shape: Option<ScriptValue>,
    dtype: Option<ScriptValue>,
    vdevice: Option<ScriptValue>,
    ndim: i64,
) -> BuildResult<ScriptValue> {
    let (shape, dtype) = (shape.unwrap_or_default(), dtype.unwrap_or_default());
    // A string in first position is the element type.
    let (shape, dtype) = match (&shape, &dtype) {
        (ScriptValue::Str(_), ScriptValue::None) => (ScriptValue::None, shape),
        _ => (shape, dtype),
    };
    let dtype = match dtype {
        ScriptValue::None => DataType::VOID,
        dtype => DataType::from_script(dtype).map_err(|e| e.at_position(1))?,
    };
    let vdevice = find_vdevice(&vdevice.unwrap_or_default()).map_err(|e| e.at_position(2))?;
    if matches!(shape, ScriptValue::None) {
        return Ok(TensorStructInfo::of_rank(ndim, dtype, vdevice).upcast::<StructInfo>().into());
    }
    if let Some(expr) = shape.as_node::<BaseExpr>()
        && !expr.is::<PrimExpr>()
    {
        let info = if let Some(shape) = expr.downcast_ref::<ShapeExpr>() {
            Some(TensorStructInfo::of_shape(shape.clone(), dtype, vdevice))
        } else if let Some(var) = expr.downcast_ref::<Var>() {
            TensorStructInfo::of_var(var.clone(), dtype, vdevice)
        } else {
            None
        };
        return match info {
            Some(info) => Ok(info.upcast::<StructInfo>().into()),
            None => Err(BuildError::expected("a shape, or a variable that holds one", shape.type_name())
                .at_position(0)),
        };
    }
    if ndim != UNKNOWN_NDIM {
        return Err(BuildError::message("`R.Tensor` takes either a shape or `ndim`"));
    }
    let dims = Dim::all(&shape).map_err(|e| e.at_position(0))?;
    StructInfoProxy::Tensor { dims, dtype, vdevice }.settled()
}

/// A shape: its dimensions, or only its rank.
#[script_fn(name = "Shape", annotation)]
pub fn shape(
    #[default = None] values: Option<ScriptValue>,
    #[default = -1] ndim: i64,
) -> BuildResult<ScriptValue> {
    let values = values.unwrap_or_default();
    let dims = match &values {
        ScriptValue::None => Vec::new(),
        values => Dim::all(values).map_err(|e| e.at_position(0))?,
    };
    if dims.is_empty() && ndim != UNKNOWN_NDIM || matches!(values, ScriptValue::None) {
        return Ok(ShapeStructInfo::of_rank(ndim).into());
    }
    if ndim != UNKNOWN_NDIM {
        return Err(BuildError::message("`R.Shape` takes either dimensions or `ndim`"));
    }
    StructInfoProxy::Shape(dims).settled()
}

/// A scalar: its type, or its value.
#[script_fn(name = "Prim", annotation)]
pub fn prim(
    #[default = None] dtype: Option<DataType>,
    #[default = None] value: Option<ScriptValue>,
) -> BuildResult<ScriptValue> {
    let value = value.unwrap_or_default();
    match (dtype, &value) {
        (None, ScriptValue::None) => Err(BuildError::message("`R.Prim` takes a type or a value")),
        (Some(dtype), ScriptValue::None) => Ok(PrimStructInfo::new(dtype).into()),
        (_, value) => StructInfoProxy::Prim(Dim::of(value)?).settled(),
    }
}

/// A tuple.
#[script_fn(name = "Tuple", annotation)]
pub fn tuple(#[args] fields: Vec<ScriptValue>) -> BuildResult<ScriptValue> {
    let fields = match fields.as_slice() {
        [list @ (ScriptValue::List(_) | ScriptValue::Tuple(_))] => {
            proxies(&list.items().unwrap_or_default()).map_err(|e| e.at_position(0))?
        }
        fields => {
            let fields = fields.iter().enumerate();
            let part =
                |(i, field)| StructInfoProxy::of(field).map(NestedInfo::from).map_err(|e| e.at_position(i));
            let fields = fields.map(part);
            fields.collect::<BuildResult<_>>()?
        }
    };
    StructInfoProxy::Tuple(fields).settled()
}

/// Struct info from a list.
fn proxies(items: &[ScriptValue]) -> BuildResult<Vec<NestedInfo>> {
    let part = |(i, item)| StructInfoProxy::of(item).map(NestedInfo::from).map_err(|e| e.at_item(i));
    items.iter().enumerate().map(part).collect()
}

/// A function: parameters, result and purity.
#[script_fn(name = "Callable", annotation)]
pub fn callable(
    #[default = None] params: Option<ScriptValue>,
    #[default = None] ret: Option<ScriptValue>,
    #[default = None] purity: Option<bool>,
    #[default = None] derive_func: Option<Str>,
) -> BuildResult<ScriptValue> {
    let (params, ret) = (params.unwrap_or_default(), ret.unwrap_or_default());
    let has_result = !matches!(ret, ScriptValue::None);
    let result = || StructInfoProxy::of(&ret).map_err(|e| e.at_position(1));
    match &params {
        ScriptValue::None => {
            let ret = if has_result { result()?.resolve(None)? } else { ObjectStructInfo::new() };
            let mut info = FuncStructInfo::opaque(ret, purity.unwrap_or(false));
            if let Some(name) = derive_func {
                info.make_mut().derive_func = Some(EnvFunc::new(&name));
            }
            Ok(info.upcast::<StructInfo>().into())
        }
        _ if derive_func.is_some() => {
            let error = BuildError::message("`derive_func` requires unknown parameters");
            Err(error.with_help("remove `derive_func`, or the parameters"))
        }
        params => {
            let params = match params {
                ScriptValue::List(_) | ScriptValue::Tuple(_) => params.items().unwrap_or_default(),
                one => vec![one.clone()],
            };
            let params = proxies(&params).map_err(|e| e.at_position(0))?;
            let ret = if has_result { result()? } else { StructInfoProxy::Known(ObjectStructInfo::new()) };
            StructInfoProxy::Callable { params, ret: ret.into(), purity: purity.unwrap_or(true) }.settled()
        }
    }
}

impl IntoScript for StructInfoProxy {
    const TYPE: PyType = PyType::node::<StructInfo>();
    fn into_script(self) -> ScriptValue {
        match self {
            StructInfoProxy::Known(info) => info.into(),
            other => ScriptValue::host(other),
        }
    }
}

/// The script functions of this module.
pub static FUNCTIONS: &[&ScriptFn] = &[&OBJECT, &TENSOR, &SHAPE, &PRIM, &TUPLE, &CALLABLE];
