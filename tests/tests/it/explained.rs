//! The builder calls of scripts, as a program, make the same scripts again.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tvmscript::explain::{Wanted, builder_program};
use tvmscript::{Object, ParseOptions, explain_difference, parse, registry};
use tvmscript_tests::{describe, equal, fixtures, on_small_stack};

/// Files with a script that has no program, with the reason. The command reports each (E0814).
const WITHOUT_PROGRAM: &[(&str, &str)] = &[
    ("files/values_of_runs", "the module holds functions of Python"),
    ("ok/allocate_const_elided", "the elements of the constant are left out"),
    ("ok/device_not_listed", "only the metadata of the printed text makes the device"),
    ("ok/header_types_of_literals", "the header of the text gives numbers other types"),
    ("ok/module_functions_share_variables", "`T.Var` of host code is a class"),
    ("ok/module_takes_over_functions", "the functions come from a module, not from a builder"),
    ("ok/omitted_attributes", "the program leaves out the metadata section, too"),
    ("ok/omitted_metadata", "the program leaves out the metadata section, too"),
    ("ok/python_te_functions", "classes of TVM make the threads"),
    ("ok/python_tir_nodes", "classes of TVM make the variables"),
    ("ok/relax_function_returns_itself", "in host code, a call of a function of the module is one of TIR"),
    ("ok/relax_function_uses_itself", "the variable of the function has no call that makes it"),
    ("ok/relax_recursive_inner_function", "the variable of the function is one of TIR in host code"),
    ("ok/relax_result_of_a_function_is_inferred", "the result of a call is known once the callee is built"),
    ("ok/struct_info_as_data", "struct info without arguments is stored as the function that makes it"),
    ("programs/nested_recursion", "the variable of the function has no call that makes it"),
];

/// Number of scripts of a text that its program makes again, and why it does not make the others.
fn explained(name: &str, text: &str) -> (usize, Vec<String>) {
    let mut options = ParseOptions::default();
    options.record_steps = true;
    let parsed = parse(name, text, registry(), &options);
    if let Some(error) = parsed.errors.first() {
        return (0, vec![describe(text, error)]);
    }
    let wanted: Vec<Wanted<'_>> = parsed
        .scripts
        .iter()
        .map(|script| Wanted { name: script.name.as_deref(), node: &script.node })
        .collect();
    let mut program = builder_program(&parsed.steps, &wanted, registry());
    let text = program.module_text().expect("a short program");
    let variables = program.variables.clone();
    program.check(&wanted, registry(), &ParseOptions::default());
    let checked = program.variables;
    let again = parse("program.py", &text, registry(), &ParseOptions::default());
    let made: BTreeMap<&str, &Object> =
        again.scripts.iter().filter_map(|script| Some((script.name.as_deref()?, &script.node))).collect();
    let mut failures: Vec<String> =
        again.errors.iter().chain(&again.warnings).map(|error| describe(&text, error)).collect();
    let mut count = 0;
    for ((script, variable), checked) in parsed.scripts.iter().zip(&variables).zip(checked) {
        let outcome = match variable {
            Err(reason) => Err(reason.clone()),
            Ok(variable) => match made.get(variable.as_str()) {
                None => Err(format!("`{variable}` is not a script")),
                Some(node) if equal(std::slice::from_ref(&script.node), std::slice::from_ref(node)) => Ok(()),
                Some(node) => Err(explain_difference(&script.node, node).unwrap_or_default()),
            },
        };
        if outcome.is_ok() != checked.is_ok() {
            failures.push(format!("the check of the program says {checked:?}, not {outcome:?}"));
        }
        match outcome {
            Ok(()) => count += 1,
            Err(why) => failures.push(format!("{}: {why}", script.name.as_deref().unwrap_or("?"))),
        }
    }
    (count, failures)
}

/// Name and text of each file.
fn files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for folder in ["ok", "kernels", "programs", "files"] {
        files.extend(fixtures(folder).into_iter().map(|file| (format!("{folder}/{}", file.name), file.text)));
    }
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("metaprogrammed");
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "py") {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).expect("a text");
            files.push((format!("metaprogrammed/{name}"), text));
        }
    }
    files
}

#[test]
fn p79_12_builder_calls_as_a_program_make_the_same_scripts() {
    let (count, found) = on_small_stack(|| {
        let mut sum = 0;
        let mut found = Vec::new();
        for (name, text) in files() {
            let parses = parse(&name, &text, registry(), &ParseOptions::default()).errors.is_empty();
            let (count, failures) = if parses { explained(&name, &text) } else { (0, Vec::new()) };
            sum += count;
            found.extend(failures.into_iter().map(|why| (name.clone(), why)));
        }
        (sum, found)
    });
    let expected = |name: &str, why: &str| {
        !why.starts_with("the check") && WITHOUT_PROGRAM.iter().any(|(file, _)| *file == name)
    };
    let unexpected: Vec<_> = found.iter().filter(|(name, why)| !expected(name, why)).collect();
    let list: String = unexpected.iter().map(|(name, why)| format!("{name}: {why}\n")).collect();
    assert!(unexpected.is_empty(), "{} of {count}:\n{list}", unexpected.len());
    let gone: Vec<_> =
        WITHOUT_PROGRAM.iter().filter(|(file, _)| !found.iter().any(|(name, _)| name == file)).collect();
    assert!(gone.is_empty(), "these have programs now: {gone:?}");
    assert!(count >= 535, "{count} scripts");
}
