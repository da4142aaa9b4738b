//! Names of a dialect's functions: in groups, renamed by a release, and registered twice.

use tvmscript_ir_core::registry::Overlay;
use tvmscript_ir_core::release::NameChange::Renamed;
use tvmscript_ir_core::release::{FunctionChange, Release, Renames, Syntax};
use tvmscript_ir_core::{Dialect, Registry, RegistryBuilder, RegistryErrors};
use tvmscript_irbuilder::{BuildDialect as _, BuildResult, Namespaces, ScriptValue, script_fn};

#[script_fn]
fn copy(count: i64) -> BuildResult<i64> {
    Ok(count)
}

#[script_fn]
fn fill(value: i64) -> BuildResult<i64> {
    Ok(value)
}

const fn release(functions: &'static [&'static [FunctionChange]]) -> Release {
    let renames = Renames { functions, keywords: &[("toy", "value", "with")], ..Renames::NONE };
    Release { name: "toy", version: "2", syntax: Syntax::PLAIN, renames }
}

static GROUPED: Release = release(&[&[("toy", "fill", Renamed("mem.set"))]]);
static CLASHING: Release = release(&[&[("toy", "fill", Renamed("mem.copy"))]]);

fn toy() -> Dialect {
    Dialect::new("toy").functions(&[&FILL]).functions_as(&[("mem.copy", &COPY)])
}

fn registry(release: &'static Release) -> std::result::Result<Registry, RegistryErrors> {
    RegistryBuilder::new().with(toy()).release(Overlay::new(release)).build()
}

fn get(registry: &Registry, name: &str) -> Option<ScriptValue> {
    registry.slot::<Namespaces>()?.dialect("toy")?.get(name)
}

fn members(registry: &Registry, group: &str) -> Vec<String> {
    match get(registry, group) {
        Some(ScriptValue::Host(host)) => host.attribute_names(),
        _ => Vec::new(),
    }
}

/// A function may have the name of a group of functions.
#[test]
fn function_and_group_share_a_name() {
    let dialect = || Dialect::new("toy").functions_as(&[("mem.copy", &COPY), ("mem.copy.fast", &FILL)]);
    let registry = RegistryBuilder::new().with(dialect()).build().expect("no conflict");
    let Some(ScriptValue::Host(copy)) = get(&registry, "mem.copy") else { panic!("a group") };
    assert!(copy.is_callable() && copy.declaration().is_some());
    assert_eq!(copy.attribute_names(), ["fast"]);
    assert!(matches!(copy.attribute("fast"), Some(ScriptValue::Function(fast)) if std::ptr::eq(fast, &FILL)));
    let Some(ScriptValue::Host(group)) = get(&registry, "mem") else { panic!("a group") };
    assert!(!group.is_callable());
}

#[test]
fn renamed_functions_are_in_the_groups_of_the_release_with_its_keywords() {
    let first = registry(&GROUPED).expect("the names do not clash");
    let new = first.of_release(&GROUPED).expect("a release of the registry");
    assert_eq!(members(&first, "mem"), ["copy"]);
    assert_eq!(members(new, "mem"), ["copy", "set"]);
    assert!(get(&first, "fill").is_some() && get(new, "fill").is_none() && get(&first, "mem.set").is_none());
    let Some(ScriptValue::Host(set)) = get(new, "mem.set") else { panic!("a function with other keywords") };
    let declaration = set.declaration().expect("the declaration of the function");
    let params: Vec<&str> = declaration.params.iter().map(|param| param.name).collect();
    assert_eq!(params, ["with"]);
}

#[test]
fn a_name_that_is_registered_twice_is_an_error() {
    let message = |built: std::result::Result<Registry, RegistryErrors>| match built {
        Ok(_) => String::new(),
        Err(errors) => errors.to_string(),
    };
    let aliased =
        message(RegistryBuilder::new().with(toy().function_aliases(&[("fill", "mem.copy")])).build());
    assert!(aliased.starts_with("the function `toy.fill` is registered twice"), "{aliased}");
    let renamed = message(registry(&CLASHING));
    assert!(renamed.starts_with("the function `toy.mem.copy` is registered twice"), "{renamed}");
    assert!(renamed.ends_with("in the release `toy-2`"), "{renamed}");
    let extended = Overlay::new(&GROUPED).extend(Dialect::new("toy").functions(&[&FILL]));
    let extended = message(RegistryBuilder::new().with(toy()).release(extended).build());
    assert!(extended.starts_with("the function `toy.fill` is registered twice"), "{extended}");
}
