//! Script functions of modules and of small nodes.

use crate::DictAttrs;
use tvmscript_ir_core::{Array, Map, ObjectLike, Ref, Span, Str, Value};
use tvmscript_irbuilder::{
    BuildError, BuildErrorKind, BuildResult, CallArgs, FromScript, ScriptFn, ScriptValue, script_fn,
};
use tvmscript_prim::Op;
use tvmscript_prim::{Expr, FuncType, PrimExpr, Range, TupleType, Type, ops};

use super::module::at_module_top;
use super::target::TargetArg;
use crate::node::{BaseFunc, DummyGlobalInfo, GlobalInfo, GlobalVar, IRModule, VDevice, function_type};

/// The functions that set parts of a module, for the namespaces of dialects with the words of modules.
pub static MODULE_FUNCTIONS: &[&ScriptFn] = &[&MODULE_ATTRS, &MODULE_GLOBAL_INFOS, &MODULE_FUNCTION_NAMES];

/// The script functions of the dialect.
pub static FUNCTIONS: &[&ScriptFn] = &[
    &DECL_FUNCTION,
    &DEF_FUNCTION,
    &MODULE_ATTRS,
    &MODULE_GLOBAL_INFOS,
    &MODULE_FUNCTION_NAMES,
    &MODULE_GET_ATTRS,
    &MODULE_GET_ATTR,
    &MODULE_SET_ATTR,
    &LOOKUP_VDEVICE,
    &DUMMY_GLOBAL_INFO,
    &VDEVICE,
    &RANGE,
    &GLOBAL_VAR,
    &OP,
    &FUNC_TYPE,
    &TUPLE_TYPE,
    &DICT_ATTRS,
];

/// Declares a function of the module, so that others may call it before it is defined. The signature is a function or, not
/// in TVM, its type.
#[script_fn]
pub fn decl_function(
    func_name: Str,
    #[default = None] func_signature: Option<ScriptValue>,
) -> BuildResult<Ref<GlobalVar>> {
    let signature = func_signature.unwrap_or_default();
    let function_type = match (signature.as_node::<BaseFunc>(), &signature) {
        (Some(function), _) => function_type(function),
        (None, ScriptValue::None) => None,
        (None, ScriptValue::Node(node)) => Some(node.clone()),
        (None, other) => return Err(BuildError::expected("a function", other.type_name()).at_position(1)),
    };
    super::module::decl_function(&func_name, function_type)
}

/// A module of functions by name; the constructor of the node.
#[script_fn(name = "IRModule")]
pub fn ir_module_node(
    #[default = None] functions: Option<Map<Str, Value>>,
    #[default = None] attrs: Option<Map<Str, Value>>,
) -> BuildResult<Ref<IRModule>> {
    let functions = functions.unwrap_or_default();
    let named = |(name, function): (&Str, &Value)| {
        let function = ScriptValue::from(function);
        match function.as_node::<BaseFunc>() {
            Some(function) => Ok((GlobalVar::new(name.clone()), function.clone())),
            None => Err(BuildError::expected("a function", function.type_name()).at_position(0)),
        }
    };
    let functions = functions.iter().map(named).collect::<BuildResult<Vec<_>>>()?;
    let attrs = Ref::new(DictAttrs { dict: attrs.unwrap_or_default() });
    Ok(IRModule::new(functions, attrs, Map::default()))
}

/// Defines a function of the module.
#[script_fn]
pub fn def_function(func_name: Str, func: Ref<BaseFunc>) -> BuildResult<()> {
    super::module::def_function(&func_name, func)
}

/// Sets the module attributes.
#[script_fn]
pub fn module_attrs(attrs: Map<Str, Value>, #[default = false] allow_overwrite: bool) -> BuildResult<()> {
    at_module_top("I.module_attrs", |module| {
        if module.attrs.is_some() && !allow_overwrite {
            return Err(BuildErrorKind::Repeated { what: "`I.module_attrs` of the module".to_owned() }.into());
        }
        module.attrs = Some(attrs);
        Ok(())
    })
}

/// The attributes set so far.
#[script_fn]
pub fn module_get_attrs() -> BuildResult<Map<Str, Value>> {
    at_module_top("I.module_get_attrs", |module| Ok(module.attrs.clone().unwrap_or_default()))
}

/// An attribute set so far.
#[script_fn]
pub fn module_get_attr(attr_key: Str) -> BuildResult<ScriptValue> {
    at_module_top("I.module_get_attr", |module| {
        let attrs = module.attrs.clone().unwrap_or_default();
        Ok(attrs.get_str(&attr_key).map_or(ScriptValue::None, ScriptValue::from))
    })
}

/// Sets a module attribute.
#[script_fn]
pub fn module_set_attr(
    attr_key: Str,
    attr_value: Value,
    #[default = false] allow_overwrite: bool,
) -> BuildResult<()> {
    at_module_top("I.module_set_attr", |module| {
        let attrs = module.attrs.clone().unwrap_or_default();
        if attrs.get_str(&attr_key).is_some() && !allow_overwrite {
            return Err(BuildErrorKind::Repeated {
                what: format!("the attribute \"{attr_key}\" of the module"),
            }
            .into());
        }
        let entries = attrs.iter().map(|(k, v)| (k.clone(), v.clone()));
        module.attrs = Some(Map::new(entries.chain([(attr_key, attr_value)]).collect::<Vec<_>>()));
        Ok(())
    })
}

/// Sets the module's global infos, by kind.
#[script_fn]
pub fn module_global_infos(global_infos: Map<Str, Value>) -> BuildResult<()> {
    let mut infos = Vec::with_capacity(global_infos.len());
    for (kind, list) in global_infos.iter() {
        let list = list.as_object().and_then(|o| Array::<Ref<GlobalInfo>>::try_ref(o).cloned());
        let list = list.ok_or_else(|| {
            BuildError::expected("a list of global infos", format!("another value of \"{kind}\""))
        })?;
        infos.push((kind.clone(), list));
    }
    at_module_top("I.module_global_infos", |module| match module.global_infos.replace(Map::new(infos)) {
        None => Ok(()),
        Some(_) => {
            Err(BuildErrorKind::Repeated { what: "`I.module_global_infos` of the module".to_owned() }.into())
        }
    })
}

/// Maps names after `def` to real function names that Python cannot spell.
///
/// Not in TVM, whose text of such a module does not read back.
#[script_fn]
pub fn module_function_names(names: Map<Str, Value>) -> BuildResult<()> {
    let name_of = |(def, value): (&Str, &Value)| match value.as_str() {
        Some(name) => Ok((def.clone(), Str::new(name))),
        None => Err(BuildError::expected("names as strings", format!("another value of \"{def}\""))),
    };
    let names = names.iter().map(name_of).collect::<BuildResult<Vec<_>>>()?;
    at_module_top("I.module_function_names", |module| module.name_functions(names))
}

/// A global info of the open module: a `vdevice` by its index, any other kind by its index among those.
#[script_fn]
pub fn lookup_vdevice(target_kind: Str, #[default = -1] device_index: i64) -> BuildResult<ScriptValue> {
    use tvmscript_irbuilder::Builder;
    let infos = Builder::find(|module: &mut super::ModuleFrame| module.global_infos.clone())?;
    let Some(infos) = infos else {
        return Err(BuildError::message("the module has no global infos")
            .with_help("give them with `I.module_global_infos`"));
    };
    let devices = infos.get_str("vdevice").cloned().unwrap_or_default();
    let of_kind = devices.iter().filter(|info| {
        target_kind.as_str() == "vdevice"
            || info
                .as_node::<VDevice>()
                .and_then(|d| d.target.as_ref())
                .is_some_and(|t| t.kind.name == target_kind)
    });
    let index = usize::try_from(device_index.max(0)).unwrap_or(0);
    match of_kind.into_iter().nth(index) {
        Some(device) => Ok(device.clone().into()),
        None => Err(BuildError::message(format!("the module has no device `{target_kind}:{index}`"))),
    }
}

/// An empty global info.
#[script_fn]
pub fn dummy_global_info() -> BuildResult<Ref<DummyGlobalInfo>> {
    Ok(Ref::new(DummyGlobalInfo {}))
}

/// A device that tensors may be bound to.
#[script_fn]
pub fn vdevice(
    #[default = None] target: Option<TargetArg>,
    #[default = 0] vdevice_id: i64,
    #[default = "global"] memory_scope: Str,
) -> BuildResult<Ref<VDevice>> {
    Ok(Ref::new(VDevice { target: target.map(|t| t.0), vdevice_id, memory_scope }))
}

/// A dictionary of attributes as a node.
///
/// Not in TVM, whose text of such a node alone reads back as a map.
#[script_fn(name = "DictAttrs")]
pub fn dict_attrs(attrs: Map<Str, Value>) -> BuildResult<Ref<DictAttrs>> {
    let entries = attrs.iter().map(|(key, value)| (key.clone(), value.clone()));
    Ok(DictAttrs::new(entries.collect::<Vec<_>>()))
}

fn bound(value: ScriptValue) -> BuildResult<Expr> {
    match &value {
        ScriptValue::Int(i) => Ok(ops::bare::int(*i)?),
        other => match other.as_node::<PrimExpr>() {
            Some(expr) => Ok(expr.clone()),
            None => Err(BuildError::expected("an expression", other.type_name())),
        },
    }
}

/// The range of `extent` values from `min_value`, without conversion.
#[script_fn]
pub fn from_min_extent(min_value: ScriptValue, extent: ScriptValue) -> BuildResult<Ref<Range>> {
    let min = bound(min_value).map_err(|e| e.at_position(0))?;
    let extent = bound(extent).map_err(|e| e.at_position(1))?;
    Ok(Range::from_min_extent(min, extent))
}

/// The range from `begin` (inclusive) to `end` (exclusive).
#[script_fn(name = "Range", members = [FROM_MIN_EXTENT])]
pub fn range(begin: ScriptValue, #[default = None] end: Option<ScriptValue>) -> BuildResult<Ref<Range>> {
    let begin = bound(begin).map_err(|e| e.at_position(0))?;
    Ok(match end {
        None => Range::try_from_extent(begin)?,
        Some(end) => Range::try_from_bounds(begin, bound(end).map_err(|e| e.at_position(1))?)?,
    })
}

/// A reference to a function of a module, by name and optional type.
#[script_fn(name = "GlobalVar")]
pub fn global_var(
    name: Str,
    #[default = None] struct_info: Option<ScriptValue>,
) -> BuildResult<Ref<GlobalVar>> {
    let info = match struct_info {
        // A type that takes no arguments: `R.Callable`.
        Some(ScriptValue::Function(function)) => function.call(CallArgs::default())?,
        other => other.unwrap_or_default(),
    };
    let struct_info_ = match info.to_field() {
        Some(Value::Node(info)) => Some(info),
        Some(Value::None) => None,
        _ => return Err(BuildError::expected("struct info", info.type_name()).at_position(1)),
    };
    Ok(Ref::new(GlobalVar { span: Span::current(), struct_info_, name_hint: name }))
}

/// An operator by name.
#[script_fn(name = "Op", members = [super::python::OP_GET])]
pub fn op(name: Str) -> BuildResult<Ref<Op>> {
    super::operator(&name).map_err(|error| error.at_position(0))
}

/// Converts a list to types.
fn types(value: ScriptValue) -> BuildResult<Array<Ref<Type>>> {
    let items = Vec::<ScriptValue>::from_script(value)?;
    let convert = |v: ScriptValue| {
        v.as_node::<Type>().cloned().ok_or_else(|| BuildError::expected("a type", v.type_name()))
    };
    items.into_iter().map(convert).collect()
}

/// A function type.
#[script_fn(name = "FuncType")]
pub fn func_type(arg_types: ScriptValue, ret_type: ScriptValue) -> BuildResult<Ref<FuncType>> {
    let ret = ret_type.as_node::<Type>().cloned();
    let ret_type = ret.ok_or_else(|| BuildError::expected("a type", ret_type.type_name()).at_position(1))?;
    Ok(Ref::new(FuncType {
        span: tvmscript_ir_core::Span::current(),
        arg_types: types(arg_types)?,
        ret_type,
    }))
}

/// A tuple type.
#[script_fn(name = "TupleType")]
pub fn tuple_type(fields: ScriptValue) -> BuildResult<Ref<TupleType>> {
    Ok(Ref::new(TupleType { span: tvmscript_ir_core::Span::current(), fields: types(fields)? }))
}
