//! The builder as host code uses it: `IRBuilder` of TVM, and `Builder`, `def_`, `def_many` of RFC 0079.

use tvmscript_ir_core::Str;
use tvmscript_irbuilder::{
    BuildError, BuildResult, Builder, CallArgs, HostObject, ScriptFn, ScriptValue, script_fn, try_name,
};
use tvmscript_script_parser::{HostBuilder, Member, PythonModule};

use Member::{Function, Value};

/// Names a node, as an assignment in a script does, and returns it.
#[script_fn(name = "name")]
pub fn def(name: Str, value: ScriptValue) -> BuildResult<ScriptValue> {
    give_name(&name, &value).map_err(|error| error.at_position(1))?;
    Ok(value)
}

/// Names several nodes, each by its own name, and returns them.
#[script_fn(name = "name_many")]
pub fn def_many(names: Vec<Str>, values: ScriptValue) -> BuildResult<ScriptValue> {
    let Some(items) = values.items() else {
        return Err(BuildError::expected("a list of nodes", values.type_name()).at_position(1));
    };
    if names.len() != items.len() {
        let message = format!("{} names for {} values", names.len(), items.len());
        return Err(BuildError::message(message).at_position(0));
    }
    for (name, item) in names.iter().zip(&items) {
        give_name(name, item).map_err(|error| error.at_position(1))?;
    }
    Ok(ScriptValue::list(items))
}

fn give_name(name: &Str, value: &ScriptValue) -> BuildResult<()> {
    match value {
        ScriptValue::Node(node) => try_name(name, node),
        other => Err(BuildError::expected("a node with a name", other.type_name())),
    }
}

/// Tests whether a builder is open.
#[script_fn]
pub fn is_in_scope() -> BuildResult<bool> {
    Ok(Builder::is_open())
}

/// The class of builders.
struct BuilderClass;

/// Its functions.
const MEMBERS: &[&ScriptFn] = &[&DEF, &DEF_MANY, &IS_IN_SCOPE];

impl HostObject for BuilderClass {
    fn type_name(&self) -> &str {
        "the class of builders"
    }

    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        MEMBERS.iter().find(|member| member.name == name).map(|member| ScriptValue::Function(member))
    }

    fn attribute_names(&self) -> Vec<String> {
        MEMBERS.iter().map(|member| member.name.to_owned()).collect()
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, args: CallArgs) -> BuildResult<ScriptValue> {
        match args.positional.is_empty() && args.keywords.is_empty() {
            true => Ok(HostBuilder::value()),
            false => Err(BuildError::message("a builder takes no arguments")),
        }
    }

    fn is_class_of(&self, value: &ScriptValue) -> Option<bool> {
        Some(value.as_host::<HostBuilder>().is_some())
    }
}

fn class() -> ScriptValue {
    ScriptValue::host(BuilderClass)
}

/// The modules.
pub(super) static MODULES: &[PythonModule] = &[
    PythonModule::new(&["tvm.script.ir_builder", "tvm.script.ir_builder.base"])
        .members(&[("IRBuilder", Value(class))]),
    PythonModule::new(&["tvm.script.builder"]).members(&[
        ("Builder", Value(class)),
        ("def_", Function(&DEF)),
        ("def_many", Function(&DEF_MANY)),
    ]),
];
