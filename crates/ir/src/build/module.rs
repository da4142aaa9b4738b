//! The frame of a module.

use std::collections::{HashMap, HashSet};

use crate::DictAttrs;
use tvmscript_ir_core::mutate::substitute;
use tvmscript_ir_core::{
    Array, DataType, FieldRef, Map, Object, PtrMap, Ref, Span, Str, Value, any_node, structural_equal,
};
use tvmscript_irbuilder::{
    BuildError, BuildErrorKind, BuildResult, Builder, CallArgs, Frame, FrameOf, PendingFrame, ScriptValue,
};

use tvmscript_prim::{Expr, Var};

use crate::node::{BaseFunc, GlobalInfo, GlobalVar, IRModule, function_type};

/// Calls a function of a module with expressions of another dialect than TIR: `f(x)` in code outside of scripts.
#[derive(Debug, Clone, Copy)]
pub struct FunctionCaller(pub fn(&Object, CallArgs) -> BuildResult<ScriptValue>);

/// The shape and element type of a tensor.
pub type TensorType = (Array<Expr>, DataType);

/// Makes a function from its parameters and attributes.
pub type MakeFunction = fn(Vec<ScriptValue>, Map<Str, Value>) -> BuildResult<Ref<BaseFunc>>;

/// Makes functions of tensor expressions, for `R.emit_te(..)`: a dialect with tensor expressions registers it as a context of
/// the builder.
#[derive(Debug, Clone, Copy)]
pub struct TensorExpressions {
    /// An input of this shape, element type and name.
    pub placeholder: fn(Array<Expr>, DataType, Str) -> ScriptValue,
    /// The shape and element type of a value, if it is a tensor.
    pub tensor: fn(&ScriptValue) -> Option<TensorType>,
    /// The private function of tensors and variables, with further attributes.
    pub function: MakeFunction,
}

/// A module under construction. All functions are declared before any is defined, so that each may call any other.
#[derive(Debug, Default)]
pub struct ModuleFrame {
    functions: Vec<Member>,
    /// Indices of members, by the name after `def`.
    by_name: HashMap<Str, usize>,
    /// The real names of the functions.
    taken: HashSet<Str>,
    /// Real names by the name after `def`, where they differ.
    names: Option<HashMap<Str, Str>>,
    /// Global vars that calls used before their function's type was known, with the typed ones that replace them.
    renewed: PtrMap<Object>,
    /// Names that were declared twice, which has been reported.
    repeated: HashSet<Str>,
    pub(crate) attrs: Option<Map<Str, Value>>,
    pub(crate) global_infos: Option<Map<Str, Array<Ref<GlobalInfo>>>>,
}

#[derive(Debug)]
struct Member {
    var: Ref<GlobalVar>,
    function: Option<Ref<BaseFunc>>,
}

/// A module with functions of any dialect.
pub fn ir_module() -> FrameOf<ModuleFrame> {
    FrameOf::new(ModuleFrame::default())
}

impl ModuleFrame {
    fn declare(&mut self, name: &Str, function_type: Option<Object>) -> BuildResult<Ref<GlobalVar>> {
        let own = self.names.as_ref().and_then(|names| names.get(name)).unwrap_or(name).clone();
        if self.by_name.contains_key(name.as_str()) || !self.taken.insert(own.clone()) {
            self.repeated.insert(name.clone());
            return Err(
                BuildErrorKind::Repeated { what: format!("the function `{own}` of the module") }.into()
            );
        }
        let var = Ref::new(GlobalVar { span: Span::current(), struct_info_: function_type, name_hint: own });
        self.by_name.insert(name.clone(), self.functions.len());
        self.functions.push(Member { var: var.clone(), function: None });
        Ok(var)
    }

    /// Sets real names of functions that are declared later.
    pub(crate) fn name_functions(&mut self, names: Vec<(Str, Str)>) -> BuildResult<()> {
        if self.names.is_some() {
            let what = "`I.module_function_names` of the module".to_owned();
            return Err(BuildErrorKind::Repeated { what }.into());
        }
        if let Some((def, _)) = names.iter().find(|(def, _)| self.by_name.contains_key(def)) {
            let error = BuildError::message(format!("the function `{def}` is declared already"));
            return Err(error.with_help("call `I.module_function_names` before the functions"));
        }
        self.names = Some(names.into_iter().collect());
        Ok(())
    }

    fn define(&mut self, name: &Str, function: Ref<BaseFunc>) -> BuildResult<()> {
        if !self.by_name.contains_key(name.as_str()) {
            self.declare(name, type_of(&function))?;
        }
        let member = self.by_name.get(name.as_str()).and_then(|i| self.functions.get_mut(*i));
        let Some(member) = member else { return Ok(()) };
        if member.function.is_some() {
            if self.repeated.contains(name) {
                return Ok(());
            }
            return Err(
                BuildErrorKind::Repeated { what: format!("the function `{name}` of the module") }.into()
            );
        }
        if let Some(new) = with_type_of(&member.var, &function) {
            let old = std::mem::replace(&mut member.var, new.clone());
            if !old.object().is_unique() {
                self.renewed.insert(old.into(), new.into());
            }
        }
        member.function = Some(function);
        Ok(())
    }
}

/// The type of a function, read by reflection from the field that each dialect's functions have.
fn type_of(function: &Ref<BaseFunc>) -> Option<Object> {
    let object = function.object();
    match object.field(object.info().field_index("struct_info_")?) {
        FieldRef::Node(info) => Some(info.clone()),
        _ => None,
    }
}

impl Frame for ModuleFrame {
    fn name(&self) -> &'static str {
        "I.ir_module"
    }

    fn close(self: Box<Self>) -> BuildResult<()> {
        let ModuleFrame { functions: members, renewed, attrs, global_infos, .. } = *self;
        let mut functions = Vec::with_capacity(members.len());
        for Member { var, function } in members {
            match function {
                Some(function) => functions.push((var, function)),
                None => {
                    let message = format!("the function `{}` is declared but not defined", var.name_hint);
                    return Err(BuildError::message(message));
                }
            }
        }
        let functions = with_renewed_names(functions, &renewed);
        let attrs = Ref::new(DictAttrs { dict: attrs.unwrap_or_default() });
        let module = IRModule::new(functions, attrs, global_infos.unwrap_or_default());
        Builder::set_result(module.into())
    }
}

/// A global var with the function's type, if that differs from the declared one.
///
/// TVM updates the declared type when the function is defined (`DefFunction`, `src/script/ir_builder/ir/ir.cc`), so
/// later calls have the result type of the function's body.
fn with_type_of(var: &Ref<GlobalVar>, function: &Ref<BaseFunc>) -> Option<Ref<GlobalVar>> {
    let known = function_type(function)?;
    let is_same = match &var.struct_info_ {
        // Equal types may refer to different variables.
        Some(declared) => {
            declared.ptr_eq(&known) || (!has_variables(&known) && structural_equal(declared, &known))
        }
        None => false,
    };
    if is_same {
        return None;
    }
    let mut new = GlobalVar::clone(var);
    new.struct_info_ = Some(known);
    Some(Ref::new(new))
}

/// The functions with typed global vars, also in calls that were built before the types were known.
fn with_renewed_names(
    functions: Vec<(Ref<GlobalVar>, Ref<BaseFunc>)>,
    renewed: &PtrMap<Object>,
) -> Vec<(Ref<GlobalVar>, Ref<BaseFunc>)> {
    if renewed.is_empty() {
        return functions;
    }
    let replaced = |(var, function): (Ref<GlobalVar>, Ref<BaseFunc>)| {
        // Replacing a global var by another cannot fail a field check.
        (var, substitute(function.clone(), renewed).unwrap_or(function))
    };
    functions.into_iter().map(replaced).collect()
}

fn has_variables(info: &Object) -> bool {
    any_node(info, |node| node.is::<Var>())
}

/// Returns `true` if a module is open.
pub fn in_module() -> bool {
    matches!(Builder::find(|_: &mut ModuleFrame| Some(())), Ok(Some(())))
}

fn with_module<R>(f: impl FnOnce(&mut ModuleFrame) -> BuildResult<R>) -> BuildResult<R> {
    match Builder::with_innermost(f)? {
        Some(result) => result,
        None => Err(BuildError::message("no module is open").with_help("open one with `I.ir_module()`")),
    }
}

/// Declares a function of the open module, with its type if known.
///
/// # Errors
/// If no module is open, or the name is declared already.
pub fn decl_function(name: &Str, function_type: Option<Object>) -> BuildResult<Ref<GlobalVar>> {
    with_module(|module| module.declare(name, function_type))
}

/// Defines a function of the open module, declaring it if necessary.
///
/// # Errors
/// If no module is open, or the function is defined already.
pub fn def_function(name: &Str, function: Ref<BaseFunc>) -> BuildResult<()> {
    with_module(|module| module.define(name, function))
}

/// The global var of a function of the open module.
pub fn lookup(name: &str) -> Option<Ref<GlobalVar>> {
    Builder::find_around(|module: &mut ModuleFrame| {
        let index = module.by_name.get(name)?;
        module.functions.get(*index).map(|m| m.var.clone())
    })
}

/// The global infos of a kind in the open module.
pub fn global_infos(name: &str) -> Vec<Ref<GlobalInfo>> {
    let found = Builder::find_around(|module: &mut ModuleFrame| {
        let infos = module.global_infos.as_ref()?.get_str(name)?;
        Some(infos.iter().cloned().collect::<Vec<_>>())
    });
    found.unwrap_or_default()
}

/// Runs `f` on the module if it is the innermost frame.
pub(crate) fn at_module_top<R>(
    function: &str,
    f: impl FnOnce(&mut ModuleFrame) -> BuildResult<R>,
) -> BuildResult<R> {
    match Builder::with_top(f)? {
        Some(result) => result,
        None => Err(BuildErrorKind::WrongFrame {
            function: function.to_owned(),
            expected: "directly inside a module".into(),
            found: match Builder::top_name() {
                Some(name) => format!("the innermost scope is `{name}`"),
                None => "no scope is open".to_owned(),
            },
        }
        .into()),
    }
}

/// Names of the functions of the open module, for suggestions.
pub fn member_names() -> Vec<String> {
    let names = Builder::find_around(|module: &mut ModuleFrame| {
        Some(module.functions.iter().map(|m| m.var.name_hint.to_string()).collect::<Vec<_>>())
    });
    names.unwrap_or_default()
}

impl From<ModuleFrame> for ScriptValue {
    fn from(frame: ModuleFrame) -> ScriptValue {
        PendingFrame::value(frame)
    }
}
