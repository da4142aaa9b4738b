//! Functions by name, and what a module knows besides functions.

use tvmscript_ir_core::{Class, FieldRef, Node, Object, Ref, Span, Str};
use tvmscript_prim::BaseExpr;

use tvmscript_prim::Type;

use super::Target;

/// Expressions with a type of their own dialect (`ir.RelaxExpr`); functions are among them.
#[derive(Class)]
#[class(key = "ir.RelaxExpr", parent = BaseExpr)]
pub struct RelaxExpr(());

/// A function of any dialect (`ir.BaseFunc`).
#[derive(Class)]
#[class(key = "ir.BaseFunc", parent = RelaxExpr, ancestors(BaseExpr))]
pub struct BaseFunc(());

/// The function's type as its dialect says it: the field `struct_info_` that functions have.
pub fn function_type(function: &Ref<BaseFunc>) -> Option<Object> {
    let object = function.object();
    let index = object.info().fields().iter().position(|field| field.name == "struct_info_")?;
    match object.field(index) {
        FieldRef::Node(node) => Some(node.clone()),
        _ => None,
    }
}

/// A function of the module, by name.
#[derive(Debug, Clone, Node)]
#[node(key = "ir.GlobalVar", parent = RelaxExpr, ancestors(BaseExpr), eq = free_var)]
pub struct GlobalVar {
    /// Where it was first named.
    pub span: Span,
    /// The function's type as its dialect says it; untyped here.
    #[node(skip_eq, derived, class = Type)]
    pub struct_info_: Option<Object>,
    /// The name; unlike other hints it takes part in equality.
    pub name_hint: Str,
}

impl GlobalVar {
    /// A function name without a type.
    pub fn new(name: impl Into<Str>) -> Ref<GlobalVar> {
        Ref::new(GlobalVar { span: Span::current(), struct_info_: None, name_hint: name.into() })
    }
}

/// What a module knows besides functions (`ir.GlobalInfo`).
#[derive(Class)]
#[class(key = "ir.GlobalInfo")]
pub struct GlobalInfo(());

/// A global info that says nothing.
#[derive(Debug, Clone, Node)]
#[node(key = "ir.DummyGlobalInfo", parent = GlobalInfo)]
pub struct DummyGlobalInfo {}

/// A device that tensors may be bound to.
#[derive(Debug, Clone, Node)]
#[node(key = "ir.VDevice", parent = GlobalInfo)]
pub struct VDevice {
    /// What code is made for.
    pub target: Option<Ref<Target>>,
    /// Which of several.
    pub vdevice_id: i64,
    /// Which memory.
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
    /// The function with this name.
    pub fn new(name: &str) -> Ref<EnvFunc> {
        Ref::new(EnvFunc { name: name.into() })
    }
}
