//! `emit`: programs that build scripts, and the syntax tree of their text.

use std::path::Path;

use tvmscript::PrinterConfig;
use tvmscript::doc::builder::typed_cpp::TypedApi;
use tvmscript::docsifier::doc_json;
use tvmscript::explain::Target;
use tvmscript::interpreter::{CError, CInput, COptions, c_source};
use tvmscript::releases::CPP_BUILDER;

use super::{Answer, Run, explain};
use crate::args::{Emit, EmitTarget};
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Script, Warnings};
use crate::settings::Settings;
use crate::timings::Timings;
use crate::{Outcome, output, well_formed};

pub(super) fn run(args: &Emit, run: &mut Run<'_>) -> Outcome {
    let mut text = String::new();
    let outcome = run.for_each_valid(
        std::slice::from_ref(&args.file),
        |path, settings, timings| emit_file(path, args, settings, timings),
        |_, emitted| {
            text.push_str(&emitted);
            Outcome::Done
        },
    );
    if outcome == Outcome::Done { output::write(args.output.as_deref(), &text) } else { outcome }
}

/// TVM's IRBuilder in C++.
fn tvm_cpp() -> TypedApi {
    // A test reads the table, which is a part of the program.
    TypedApi::new(CPP_BUILDER).unwrap_or_default()
}

fn emit_file(
    path: &Path,
    args: &Emit,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<(String, Warnings)> {
    let target = match args.target {
        EmitTarget::PythonBuilder => Target::PythonBuilder,
        EmitTarget::RustBuilder => Target::RustBuilder,
        EmitTarget::CppBuilder => Target::CppBuilder,
        EmitTarget::TvmCppBuilder => {
            let api = tvm_cpp();
            return explain::complete_program(path, settings, timings, |program, wanted| {
                program.typed_cpp(wanted, &api, args.main)
            });
        }
        EmitTarget::DocJson => return syntax_tree(path, settings, timings),
        EmitTarget::C => return c_text(path, args, settings, timings),
    };
    explain::complete_program(path, settings, timings, |program, wanted| {
        program.in_target(target, wanted, args.main)
    })
}

/// C of the functions of all scripts.
fn c_text(
    path: &Path,
    args: &Emit,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<(String, Warnings)> {
    let loaded = input::load(path, settings, timings)?;
    let wanted = args.function.as_deref();
    let of_script = |(module, script): (usize, &Script)| {
        let found = super::run::functions(std::slice::from_ref(script), wanted).into_iter();
        found.map(|(_, name, function)| CInput { module, name, function }).collect::<Vec<_>>()
    };
    let inputs: Vec<CInput> = loaded.scripts.iter().enumerate().flat_map(of_script).collect();
    if inputs.is_empty() {
        let name = wanted.map_or(String::new(), |name| format!(" `{name}`"));
        return Err(FileError::new(FileErrorKind::NoFunction { name }, Some(loaded.source)));
    }
    let texts = input::texts_of(&loaded.scripts, &loaded.source.text);
    let options = COptions { texts: &texts, has_lines: !args.no_lines, has_main: args.main };
    match timings.time("emit", || c_source(&inputs, options)) {
        Ok(source) => Ok((source.text, loaded.warnings)),
        Err(refused) => {
            let mut errors = well_formed::Errors::default();
            if let Some(script) = loaded.scripts.first() {
                let located = |error: &CError| well_formed::in_text(script, error.diagnostic());
                errors.in_text = refused.iter().map(located).collect();
            }
            Err(FileError::new(FileErrorKind::Pass { errors }, Some(loaded.source)))
        }
    }
}

/// The syntax tree of each script, one line of JSON each.
fn syntax_tree(path: &Path, settings: &Settings<'_>, timings: &mut Timings) -> Answer<(String, Warnings)> {
    let loaded = input::load(path, settings, timings)?;
    let mut text = String::new();
    for script in &loaded.scripts {
        let config = PrinterConfig {
            name: script.name.clone(),
            release: Some(script.release),
            ..settings.printer_config()
        };
        match doc_json(&script.node, settings.registry(), &config) {
            Ok(json) => text.push_str(&json),
            Err(error) => {
                return Err(FileError::new(FileErrorKind::Unprintable(error), Some(loaded.source)));
            }
        }
        text.push('\n');
    }
    Ok((text, loaded.warnings))
}
