//! A file per pass.

use tvmscript_docsifier::{NodeLabels, PrinterConfig, print};
use tvmscript_ir_core::dump::{DumpOptions, Graph};
use tvmscript_ir_core::{Object, Registry, Value, json};

use super::{PassInstrument, PassRun};
use crate::{PassError, PassErrorKind, PassInfo};

/// Format of the files of [`DumpModules`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DumpFormat {
    /// Printed text.
    Text,
    /// Native JSON, with spans.
    Json,
    /// Graphviz DOT, with the printed text of nodes as labels.
    Dot,
}

impl DumpFormat {
    fn extension(self) -> &'static str {
        match self {
            DumpFormat::Text => "py",
            DumpFormat::Json => "json",
            DumpFormat::Dot => "dot",
        }
    }
}

/// Writes the root before the first pass and after each pass: `00-input.py`, `01-circuit.Simplify.py`, and so on.
///
/// For the phases of a lowering, which are sequences, [`DumpModules::each_sequence`] writes one file per phase.
pub struct DumpModules<'r, F> {
    each_sequence: bool,
    format: DumpFormat,
    registry: &'r Registry,
    config: PrinterConfig,
    form: Box<dyn Fn(&Object) -> Object + 'r>,
    save: F,
    written: usize,
}

impl<'r, F: FnMut(&str, &str) -> Result<(), String>> DumpModules<'r, F> {
    /// Creates the instrument. `save` gets the name and the text of each file; its error ends the run.
    pub fn new(format: DumpFormat, registry: &'r Registry, config: PrinterConfig, save: F) -> Self {
        DumpModules {
            each_sequence: false,
            format,
            registry,
            config,
            form: Box::new(Object::clone),
            save,
            written: 0,
        }
    }

    /// Writes what `form` makes of a root, such as its only function.
    #[must_use]
    pub fn in_form(self, form: impl Fn(&Object) -> Object + 'r) -> Self {
        DumpModules { form: Box::new(form), ..self }
    }

    /// Writes the root after each sequence instead of after each pass: `00-input.dot`, `01-phase0.dot`, and so on. A
    /// sequence inside another one has a file of its own.
    #[must_use]
    pub fn each_sequence(self) -> Self {
        DumpModules { each_sequence: true, ..self }
    }

    fn write_input(&mut self, root: &Object) -> Result<(), PassError> {
        if self.written == 0 { self.write(root, "input") } else { Ok(()) }
    }

    fn write(&mut self, root: &Object, name: &str) -> Result<(), PassError> {
        let root = &(self.form)(root);
        let mut text = match self.format {
            DumpFormat::Text => print(root, self.registry, &self.config)
                .map_err(|error| failed(format!("the program cannot be printed: {error}")))?,
            DumpFormat::Json => json::native::save(&Value::Node(root.clone())),
            DumpFormat::Dot => {
                let mut labels = NodeLabels::new([root], self.registry, &self.config);
                Graph::with_labels(root, &DumpOptions::default(), |node| labels.label(node)).to_dot()
            }
        };
        if !text.ends_with('\n') {
            text.push('\n');
        }
        let file = format!("{:02}-{}.{}", self.written, file_stem(name), self.format.extension());
        self.written += 1;
        (self.save)(&file, &text).map_err(failed)
    }
}

/// The name of a pass as a part of the name of a file: characters that paths may give a meaning become `_`.
pub fn file_stem(pass: &str) -> String {
    pass.chars().map(|c| if c.is_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect()
}

fn failed(message: String) -> PassError {
    PassErrorKind::Instrument { instrument: "dump", message }.into()
}

impl<F: FnMut(&str, &str) -> Result<(), String>> PassInstrument for DumpModules<'_, F> {
    fn before(&mut self, root: &Object, _: &PassInfo) -> Result<(), PassError> {
        self.write_input(root)
    }

    fn after(&mut self, run: &PassRun<'_>) -> Result<(), PassError> {
        if self.each_sequence { Ok(()) } else { self.write(run.after, &run.pass.name) }
    }

    fn before_sequence(&mut self, root: &Object, _: &PassInfo) -> Result<(), PassError> {
        self.write_input(root)
    }

    fn after_sequence(&mut self, root: &Object, sequence: &PassInfo) -> Result<(), PassError> {
        if self.each_sequence { self.write(root, &sequence.name) } else { Ok(()) }
    }
}
