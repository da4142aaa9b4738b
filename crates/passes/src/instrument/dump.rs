//! A file per pass.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tvmscript_docsifier::{NodeLabels, PrinterConfig, print};
use tvmscript_ir::IRModule;
use tvmscript_ir_core::dump::{DumpOptions, Graph};
use tvmscript_ir_core::{Ref, Registry, Value, json};

use super::PassInstrument;
use crate::{PassError, PassInfo};

/// Format of the files of [`DumpModules`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DumpFormat {
    /// TVMScript.
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

/// Writes the module before the first pass and after each pass into a directory: `00-input.py`, `01-tir.UnrollLoop.py`,
/// and so on. Files of an earlier run are overwritten.
pub struct DumpModules<'r> {
    dir: PathBuf,
    format: DumpFormat,
    registry: &'r Registry,
    config: PrinterConfig,
    written: usize,
}

impl<'r> DumpModules<'r> {
    /// Creates the instrument. The directory is created with the first file.
    pub fn new(
        dir: impl Into<PathBuf>,
        format: DumpFormat,
        registry: &'r Registry,
        config: PrinterConfig,
    ) -> DumpModules<'r> {
        DumpModules { dir: dir.into(), format, registry, config, written: 0 }
    }

    fn write(&mut self, module: &Ref<IRModule>, name: &str) -> Result<(), PassError> {
        let root = module.object();
        let mut text = match self.format {
            DumpFormat::Text => print(root, self.registry, &self.config)
                .map_err(|error| failed(format!("the module cannot be printed: {error}")))?,
            DumpFormat::Json => json::native::save(&Value::Node(root.clone())),
            DumpFormat::Dot => {
                let mut labels = NodeLabels::new([root], self.registry, &self.config);
                Graph::with_labels(root, &DumpOptions::default(), |node| labels.label(node)).to_dot()
            }
        };
        if !text.ends_with('\n') {
            text.push('\n');
        }
        // A name of a third party's pass may have characters that paths give a meaning.
        let name: String =
            name.chars().map(|c| if c.is_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect();
        let file = self.dir.join(format!("{:02}-{name}.{}", self.written, self.format.extension()));
        self.written += 1;
        save(&self.dir, &file, &text).map_err(|error| failed(format!("{}: {error}", file.display())))
    }
}

fn save(dir: &Path, file: &Path, text: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(dir)?;
    std::fs::write(file, text)
}

fn failed(message: String) -> PassError {
    PassError::Instrument { instrument: "dump", message }
}

impl PassInstrument for DumpModules<'_> {
    fn before(&mut self, module: &Ref<IRModule>, _: &PassInfo) -> Result<(), PassError> {
        if self.written == 0 { self.write(module, "input") } else { Ok(()) }
    }

    fn after(
        &mut self,
        _: &Ref<IRModule>,
        after: &Ref<IRModule>,
        pass: &PassInfo,
        _: Duration,
    ) -> Result<(), PassError> {
        self.write(after, &pass.name)
    }
}
