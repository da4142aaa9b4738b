//! `emit`: programs that build scripts, and the syntax tree of their text.

use std::path::Path;

use tvmscript::PrinterConfig;
use tvmscript::doc::builder::typed_cpp::TypedApi;
use tvmscript::docsifier::doc_json;
use tvmscript::releases::CPP_BUILDER;

use super::{Answer, Run, explain};
use crate::args::{Emit, EmitTarget};
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Warnings};
use crate::settings::Settings;
use crate::timings::Timings;
use crate::{Outcome, output};

/// The code that prints the result of `build` when the program is run.
const MAIN: &str = "\n\nif __name__ == \"__main__\":\n    print(build().script())\n";

pub(super) fn run(args: &Emit, run: &mut Run<'_>) -> Outcome {
    let mut text = None;
    let outcome = run.for_each_valid(
        std::slice::from_ref(&args.file),
        |path, settings, timings| emit_file(path, args, settings, timings),
        |_, emitted| {
            text = Some(emitted);
            Outcome::Done
        },
    );
    match text {
        Some(text) if outcome == Outcome::Done => output::write(args.output.as_deref(), &text),
        _ => outcome,
    }
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
    match args.target {
        EmitTarget::PythonBuilder => {
            let main = if args.main { MAIN } else { "" };
            explain::complete_program(path, settings, timings, |program, wanted| {
                program.text(wanted).map(|text| text + main)
            })
        }
        EmitTarget::RustBuilder => explain::complete_program(path, settings, timings, |program, wanted| {
            program.rust(wanted, args.main)
        }),
        EmitTarget::CppBuilder => explain::complete_program(path, settings, timings, |program, wanted| {
            program.cpp(wanted, args.main)
        }),
        EmitTarget::TvmCppBuilder => {
            let api = tvm_cpp();
            explain::complete_program(path, settings, timings, |program, wanted| {
                program.typed_cpp(wanted, &api, args.main)
            })
        }
        EmitTarget::DocJson => {
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
    }
}
