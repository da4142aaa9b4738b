//! Programs for nodes, in one call.

use tvmscript_doc::PrintError;
use tvmscript_docsifier::{DocsifyError, PrinterConfig, doc_json, print};
use tvmscript_ir_core::{Object, Session};
use tvmscript_script_parser::{ParseOptions, parse_script};

use super::program::{Program, Wanted, builder_program};

/// Form of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A program in Python for the builder.
    PythonBuilder,
    /// A program in Rust for the module `dynamic`.
    RustBuilder,
    /// A program in C++ for the header of the C interface.
    CppBuilder,
    /// The syntax tree of the text as JSON.
    DocJson,
}

impl Target {
    /// All targets.
    pub const ALL: [Target; 4] =
        [Target::PythonBuilder, Target::RustBuilder, Target::CppBuilder, Target::DocJson];

    /// The name, e.g. `python-builder`.
    pub fn name(self) -> &'static str {
        match self {
            Target::PythonBuilder => "python-builder",
            Target::RustBuilder => "rust-builder",
            Target::CppBuilder => "cpp-builder",
            Target::DocJson => "doc-json",
        }
    }

    /// The target of a name.
    pub fn find(name: &str) -> Option<Target> {
        Target::ALL.into_iter().find(|target| target.name() == name)
    }
}

/// The reason why there is no program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmitError {
    /// The node has no text.
    #[error(transparent)]
    Docsify(#[from] Box<DocsifyError>),
    /// The program is too long.
    #[error(transparent)]
    Print(#[from] PrintError),
    /// The program would build another node, or its text does not read back.
    #[error("there is no program that builds the node: {reason}")]
    NoProgram {
        /// The reason.
        reason: String,
    },
}

/// Writes the program that builds a node: a function or a module, or an array of functions, which it returns as a module.
/// With `main`, the program prints what it builds when it runs.
///
/// # Errors
/// If the node has no text, or none that reads back, or no builder calls make it.
pub fn emit(node: &Object, session: &Session<'_>, target: Target, main: bool) -> Result<String, EmitError> {
    let registry = session.registry;
    let config = PrinterConfig { show_meta: true, ..PrinterConfig::of(session) };
    if target == Target::DocJson {
        return Ok(doc_json(node, registry, &config)?);
    }
    let text = print(node, registry, &config)?;
    let mut options = ParseOptions::of(session);
    options.record_steps = true;
    let parsed = parse_script("node", &text, registry, &options);
    let written = || -> Result<String, EmitError> {
        if let Some(error) = parsed.errors.first() {
            return Err(EmitError::NoProgram { reason: format!("its text does not read back: {error}") });
        }
        let wanted: Vec<Wanted<'_>> = parsed
            .scripts
            .iter()
            .map(|script| Wanted { name: script.name.as_deref(), node: &script.node })
            .collect();
        let mut program = builder_program(&parsed.steps, &wanted, registry);
        program.check(&wanted, registry, &options);
        match program.variables.iter().find_map(|variable| variable.clone().err()) {
            Some(reason) => Err(EmitError::NoProgram { reason }),
            None => Ok(program.in_target(target, &wanted, main)?),
        }
    };
    let written = written();
    parsed.release_sources();
    written
}

/// The code that prints the result of `build` when a program in Python is run.
const PYTHON_MAIN: &str = "\n\nif __name__ == \"__main__\":\n    print(build().script())\n";

impl Program {
    /// The text of the program that builds the given scripts. With `main`, it prints what it builds when it runs. The syntax
    /// tree is not that of a program: its text is empty.
    ///
    /// # Errors
    /// If the text is too long.
    pub fn in_target(
        &mut self,
        target: Target,
        scripts: &[Wanted<'_>],
        main: bool,
    ) -> Result<String, PrintError> {
        match target {
            Target::PythonBuilder => {
                let mut text = self.text(scripts)?;
                if main {
                    text.push_str(PYTHON_MAIN);
                }
                Ok(text)
            }
            Target::RustBuilder => self.rust(scripts, main),
            Target::CppBuilder => self.cpp(scripts, main),
            Target::DocJson => Ok(String::new()),
        }
    }
}
