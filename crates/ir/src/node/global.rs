//! Functions, references to them, and other members of modules.

use tvmscript_ir_core::{Class, FieldRef, Node, Object, Ref, Span, Str};
#[cfg(feature = "print")]
use tvmscript_ir_core::{Value, containers::ArrayNode};
use tvmscript_prim::BaseExpr;

use tvmscript_prim::Type;

use super::{DictAttrs, Target};

/// Expressions with a dialect-specific type (`ir.RelaxExpr`), including functions.
#[derive(Class)]
#[class(key = "ir.RelaxExpr", parent = BaseExpr)]
pub struct RelaxExpr(());

/// A function of any dialect (`ir.BaseFunc`).
#[derive(Class)]
#[class(key = "ir.BaseFunc", parent = RelaxExpr, ancestors(BaseExpr))]
pub struct BaseFunc(());

/// The type of a function in its dialect's form: the field `struct_info_`.
pub fn function_type(function: &Ref<BaseFunc>) -> Option<Object> {
    node_field(function, "struct_info_").cloned()
}

/// The attributes of a function of any dialect: the field `attrs`.
pub fn function_attrs(function: &Ref<BaseFunc>) -> Option<&DictAttrs> {
    node_field(function, "attrs")?.as_node()
}

/// Returns `true` for a parameter of a function of any dialect: an item of the field `params`.
#[cfg(feature = "print")]
pub(crate) fn has_parameter(function: &Ref<BaseFunc>, is_sought: impl Fn(&Object) -> bool) -> bool {
    let params = node_field(function, "params").and_then(|params| params.as_node::<ArrayNode>());
    params.is_some_and(|params| params.items().iter().filter_map(Value::as_object).any(is_sought))
}

fn node_field<'a>(function: &'a Ref<BaseFunc>, name: &str) -> Option<&'a Object> {
    let object = function.object();
    match object.field(object.info().field_index(name)?) {
        FieldRef::Node(node) => Some(node),
        _ => None,
    }
}

/// A reference to a function of the module, by name.
#[derive(Debug, Clone, Node)]
#[node(key = "ir.GlobalVar", parent = RelaxExpr, ancestors(BaseExpr), eq = free_var)]
pub struct GlobalVar {
    /// Span of the first reference.
    pub span: Span,
    /// The function's type in its dialect's form; untyped here.
    #[node(skip_eq, derived, class = Type)]
    pub struct_info_: Option<Object>,
    /// The name; unlike other name hints it takes part in equality.
    pub name_hint: Str,
}

impl GlobalVar {
    /// Creates a reference without a type.
    pub fn new(name: impl Into<Str>) -> Ref<GlobalVar> {
        Ref::new(GlobalVar { span: Span::current(), struct_info_: None, name_hint: name.into() })
    }
}

/// Member of a module that is not a function (`ir.GlobalInfo`).
#[derive(Class)]
#[class(key = "ir.GlobalInfo")]
pub struct GlobalInfo(());

/// A global info without content.
#[derive(Debug, Clone, Node)]
#[node(key = "ir.DummyGlobalInfo", parent = GlobalInfo)]
pub struct DummyGlobalInfo {}

/// A device that tensors may be bound to.
#[derive(Debug, Clone, Node)]
#[node(key = "ir.VDevice", parent = GlobalInfo)]
pub struct VDevice {
    /// The compilation target.
    pub target: Option<Ref<Target>>,
    /// Index among devices of the target.
    pub vdevice_id: i64,
    /// The memory scope.
    pub memory_scope: Str,
}

/// A function of the environment, by name.
#[derive(Debug, Clone, Node)]
#[node(key = "ir.EnvFunc", by_name = EnvFunc::new)]
pub struct EnvFunc {
    /// The name.
    pub name: Str,
}

impl EnvFunc {
    /// Creates a reference by name.
    pub fn new(name: &str) -> Ref<EnvFunc> {
        Ref::new(EnvFunc { name: name.into() })
    }
}
