//! Checks of the result of each pass.

#[cfg(all(feature = "print", feature = "parse"))]
use tvmscript_ir_core::Object;
use tvmscript_ir_core::Registry;

use super::{PassInstrument, PassRun};
use crate::{PassError, PassErrorKind};

/// Fails after a pass whose result is not well-formed.
#[derive(Debug, Clone, Copy)]
pub struct WellFormed<'r>(pub &'r Registry);

impl PassInstrument for WellFormed<'_> {
    fn after(&mut self, run: &PassRun<'_>) -> Result<(), PassError> {
        let found = self.0.check(run.after);
        let Some(first) = found.first() else { return Ok(()) };
        let more = if found.len() == 1 { String::new() } else { format!(" (and {} more)", found.len() - 1) };
        let message = format!("{first}{more}");
        let kind = PassErrorKind::Instrument { instrument: "well-formedness", message };
        Err(PassError::from_diagnostic(&first.clone().with_kind(kind)))
    }
}

/// Fails after a pass whose result does not read back from its text.
#[cfg(all(feature = "print", feature = "parse"))]
#[derive(Debug, Clone)]
pub struct RoundTrip<'r> {
    /// The registry to print and parse with.
    pub registry: &'r Registry,
    /// Options of printing; the metadata section is always printed.
    pub config: tvmscript_docsifier::PrinterConfig,
}

#[cfg(all(feature = "print", feature = "parse"))]
impl PassInstrument for RoundTrip<'_> {
    fn after(&mut self, run: &PassRun<'_>) -> Result<(), PassError> {
        self.check(run.after)
            .map_err(|message| PassErrorKind::Instrument { instrument: "round trip", message }.into())
    }
}

#[cfg(all(feature = "print", feature = "parse"))]
impl RoundTrip<'_> {
    fn check(&self, root: &Object) -> Result<(), String> {
        use tvmscript_docsifier::{PrinterConfig, print};
        use tvmscript_ir_core::mismatches;
        use tvmscript_script_parser::{ParseOptions, parse_script};

        let config = PrinterConfig { show_meta: true, ..self.config.clone() };
        let text = print(root, self.registry, &config)
            .map_err(|error| format!("the result cannot be printed: {error}"))?;
        let parsed = parse_script("<round trip>", &text, self.registry, &ParseOptions::default());
        let _release = parsed.source.release_on_drop();
        if let Some(error) = parsed.errors.first() {
            return Err(format!("the text of the result does not parse: {error}"));
        }
        let [script] = parsed.scripts.as_slice() else {
            return Err(format!("the text of the result has {} scripts", parsed.scripts.len()));
        };
        match mismatches(root, &script.node).first() {
            None => Ok(()),
            Some(first) => Err(format!("the text reads back differently: {} at {}", first.kind, first.lhs)),
        }
    }
}
